"""The 3x3x3 Rubik's cube."""

from cubesolve.catalog.rubik.rules import RubikRules

NAMES = ("rubik",)
"""The puzzles of this room."""

ALIASES = {"3x3x3": "rubik", "3x3": "rubik", "333": "rubik"}
"""Other names of these puzzles."""


def rules(name: str) -> RubikRules | None:
    """What a puzzle of this room is, given its name; None if it is of another room."""
    return RubikRules() if name in NAMES else None
