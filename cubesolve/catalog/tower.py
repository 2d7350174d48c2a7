"""The 2x2x3 tower: three layers of four cubies."""

from __future__ import annotations

from cubesolve.catalog.pins import pinned_tables
from cubesolve.definition.geometry import CORNERS, body_rotations, box, box_cuts, cubies, solid
from cubesolve.definition.piece_view import PieceView
from cubesolve.spaces.defined import DerivedRules

NAMES = ("tower",)
ALIASES = {"2x2x3": "tower", "3x2x2": "tower"}


def rules(name: str) -> DerivedRules:
    """Return the rules of the puzzle."""
    # Corners only change places. Moves never flip the cubies of the middle layer either, but a quarter turn of the
    # tower does: its front then shows what its side showed.
    kinds = {"CORNERS": cubies(CORNERS, oriented=False), "MIDDLES": cubies(("FR", "FL", "BL", "BR"))}
    tower = solid(name, kinds, box_cuts(0.5, 0), body_rotations({"y": 4, "x2": 2}), box(1, 1.5, 1))
    return DerivedRules(PieceView(tower.definition, "2x2x3 tower", solid=tower), pinned=pinned_tables(name))
