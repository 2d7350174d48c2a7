"""The 2x2x2 pocket cube."""

from cubesolve.catalog.pocket.rules import PocketRules

NAMES = ("pocket",)
"""The puzzles of this room."""

ALIASES = {"2x2x2": "pocket", "2x2": "pocket", "222": "pocket"}
"""Other names of these puzzles."""


def rules(name: str) -> PocketRules | None:
    """What a puzzle of this room is, given its name; None if it is of another room."""
    return PocketRules() if name in NAMES else None
