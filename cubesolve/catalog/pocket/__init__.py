"""The 2x2x2 pocket cube."""

from cubesolve.catalog.pocket.rules import PocketRules

NAMES = ("pocket",)
"""The puzzles of this module."""

ALIASES = {"2x2x2": "pocket", "2x2": "pocket", "222": "pocket"}
"""Other names of these puzzles."""


def rules(name: str) -> PocketRules | None:
    """Return a puzzle by name; None if it is not one of this module."""
    return PocketRules() if name in NAMES else None
