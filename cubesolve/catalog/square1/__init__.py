"""The Square-1, whose shape decides which moves are possible."""

from cubesolve.catalog.square1.rules import Square1Rules

NAMES = ("square1",)
"""The puzzles of this module."""

ALIASES = dict.fromkeys(["sq1", "square-1"], "square1")
"""Other names of these puzzles."""


def rules(name: str) -> Square1Rules | None:
    """Return the rules of a puzzle of this module, by name; None for other names."""
    return Square1Rules() if name in NAMES else None
