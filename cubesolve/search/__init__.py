"""Searching where no table has the answer: iterated deepening with pattern databases."""
