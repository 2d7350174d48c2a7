"""Rubik's Domino: two layers of nine cubies."""

from __future__ import annotations

from cubesolve.catalog.pins import pinned_tables
from cubesolve.definition.geometry import CORNERS, EDGES, Solid, body_rotations, box, box_cuts, cubies, solid
from cubesolve.definition.piece_view import PieceView
from cubesolve.spaces.defined import DerivedRules

NAMES = ("domino",)
"""The puzzles of this module."""

ALIASES = {"2x3x3": "domino", "3x3x2": "domino"}
"""Other names of these puzzles."""


def rules(name: str) -> DerivedRules | None:
    """Return the rules of a puzzle of this module, by name; None for other names."""
    if name not in NAMES:
        return None
    domino = _domino(name)
    return DerivedRules(PieceView(domino.definition, "2x3x3 Rubik's Domino", solid=domino), pinned=pinned_tables(name))


def _domino(name: str) -> Solid:
    """Eight corners and eight edges that only change places; the two centres distinguish top and bottom."""
    edges = [edge for edge in EDGES if edge[0] in "UD"]
    kinds = {"CORNERS": CORNERS, "EDGES": edges, "CENTRES": "UD"}
    pieces = {kind: cubies(names, oriented=False) for kind, names in kinds.items()}
    return solid(name, pieces, box_cuts(0, 0.5), body_rotations({"y": 4, "x2": 2}), box(1.5, 1, 1.5))
