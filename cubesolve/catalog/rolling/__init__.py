"""Rolling cubes: cubes in a tray with one vacancy, into which a neighbour rolls."""

from cubesolve.catalog.rolling.rules import RollingRules

NAMES = ("rolling",)
"""The puzzles of this module."""


def rules(name: str) -> RollingRules | None:
    """Return the rules of a puzzle of this module, by name; None for other names."""
    return RollingRules() if name in NAMES else None
