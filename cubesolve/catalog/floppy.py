"""The Floppy cube: one layer of 3x3, of which each side can be turned over."""

from __future__ import annotations

from cubesolve.catalog.pins import pinned_tables
from cubesolve.definition.geometry import Cut, Piece, along, box, solid
from cubesolve.definition.piece_view import PieceView
from cubesolve.picture.vectors import NORMALS
from cubesolve.spaces.defined import DerivedRules

NAMES = ("floppy",)
ALIASES = {"1x3x3": "floppy", "3x3x1": "floppy"}


def rules(name: str) -> DerivedRules:
    """Return the rules of the puzzle."""
    # Each piece has one side up or the other.
    kinds = {
        kind: [Piece(piece, along(piece), (NORMALS["U"], NORMALS["D"])) for piece in pieces]
        for kind, pieces in {"CORNERS": ("RF", "FL", "LB", "BR"), "EDGES": "RFLB"}.items()
    }
    cuts = {f"{side}2": Cut(NORMALS[side], 0.5, 2) for side in "RFLB"}
    floppy = solid(name, kinds, cuts, body=box(1.5, 0.5, 1.5))
    return DerivedRules(PieceView(floppy.definition, "1x3x3 Floppy cube", solid=floppy), pinned=pinned_tables(name))
