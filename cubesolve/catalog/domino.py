"""Rubik's Domino: two layers of nine cubies."""

from __future__ import annotations

from cubesolve.catalog.pins import pinned_tables
from cubesolve.definition.geometry import CORNERS, EDGES, body_rotations, box, box_cuts, cubies, solid
from cubesolve.definition.piece_view import PieceView
from cubesolve.spaces.defined import DerivedRules

NAMES = ("domino",)
ALIASES = {"2x3x3": "domino", "3x3x2": "domino"}


def rules(name: str) -> DerivedRules:
    """Return the rules of the puzzle."""
    # Corners and edges only change places; the two centres distinguish top and bottom.
    kinds = {"CORNERS": CORNERS, "EDGES": [edge for edge in EDGES if edge[0] in "UD"], "CENTRES": "UD"}
    pieces = {kind: cubies(names, oriented=False) for kind, names in kinds.items()}
    domino = solid(name, pieces, box_cuts(0, 0.5), body_rotations({"y": 4, "x2": 2}), box(1.5, 1, 1.5))
    return DerivedRules(PieceView(domino.definition, "2x3x3 Rubik's Domino", solid=domino), pinned=pinned_tables(name))
