"""Rolling cubes: cubes in a tray with one vacancy, into which a neighbour rolls."""

from cubesolve.catalog.rolling.rules import RollingRules

NAMES = ("rolling",)
"""The puzzles of this room."""


def rules(name: str) -> RollingRules | None:
    """What a puzzle of this room is, given its name; None if it is of another room."""
    return RollingRules() if name in NAMES else None
