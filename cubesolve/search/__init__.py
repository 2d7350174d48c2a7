"""Searching where no table has the answer: from both ends, or by iterated deepening with pattern databases."""

from cubesolve.search.both_ends import Meeting, meet

__all__ = ["Meeting", "meet"]
