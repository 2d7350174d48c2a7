"""The 3x3x3 Rubik's cube."""

from cubesolve.catalog.rubik.rules import RubikRules

NAMES = ("rubik",)
"""The puzzles of this module."""

ALIASES = dict.fromkeys(["3x3x3", "3x3", "333", "333bf", "333fm", "333oh"], "rubik")
"""Other names of these puzzles."""


def rules(name: str) -> RubikRules | None:
    """Return the rules of a puzzle of this module, by name; None for other names."""
    return RubikRules() if name in NAMES else None
