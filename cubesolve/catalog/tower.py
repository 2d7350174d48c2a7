"""The 2x2x3 tower: three layers of four cubies."""

from __future__ import annotations

from cubesolve.catalog.pins import pinned_tables
from cubesolve.definition.geometry import CORNERS, Solid, body_rotations, box, box_cuts, cubies, solid
from cubesolve.definition.piece_view import PieceView
from cubesolve.spaces.defined import DerivedRules

NAMES = ("tower",)
"""The puzzles of this module."""

ALIASES = {"2x2x3": "tower", "3x2x2": "tower"}
"""Other names of these puzzles."""


def rules(name: str) -> DerivedRules | None:
    """Return the rules of a puzzle of this module, by name; None for other names."""
    if name not in NAMES:
        return None
    tower = _tower(name)
    return DerivedRules(PieceView(tower.definition, "2x2x3 tower", solid=tower), pinned=pinned_tables(name))


def _tower(name: str) -> Solid:
    """Return the definition: eight corners, which only change places, and the four cubies of the middle layer.

    Moves never flip these either, but a quarter turn of the tower does: its front then shows what its side showed.
    """
    kinds = {
        "CORNERS": cubies(CORNERS, oriented=False),
        "MIDDLES": cubies(("FR", "FL", "BL", "BR")),
    }
    return solid(name, kinds, box_cuts(0.5, 0), body_rotations({"y": 4, "x2": 2}), box(1, 1.5, 1))
