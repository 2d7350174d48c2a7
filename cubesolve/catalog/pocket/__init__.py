"""The 2x2x2 pocket cube."""

from cubesolve.catalog.pocket.rules import PocketRules

NAMES = ("pocket",)
"""The puzzles of this module."""

ALIASES = {"2x2x2": "pocket", "2x2": "pocket", "222": "pocket"}
"""Other names of these puzzles."""


def rules(name: str) -> PocketRules | None:
    """Return the rules of a puzzle of this module, by name; None for other names."""
    return PocketRules() if name in NAMES else None
