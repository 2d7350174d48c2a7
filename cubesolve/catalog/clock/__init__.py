"""Rubik's Clock, whose moves commute."""

from cubesolve.catalog.clock.rules import ClockRules

NAMES = ("clock",)
"""The puzzles of this module."""


def rules(name: str) -> ClockRules | None:
    """Return the rules of a puzzle of this module, by name; None for other names."""
    return ClockRules() if name in NAMES else None
