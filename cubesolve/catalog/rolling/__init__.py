"""Rolling cubes: cubes in a tray with one vacancy, into which a neighbour rolls."""

from cubesolve.catalog.rolling.rules import RollingRules

NAMES = ("rolling",)
"""The puzzles of this module."""


def rules(name: str) -> RollingRules | None:
    """Return a puzzle by name; None if it is not one of this module."""
    return RollingRules() if name in NAMES else None
