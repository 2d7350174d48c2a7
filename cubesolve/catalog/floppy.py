"""The Floppy cube: one layer of 3x3, of which each side can be turned over."""

from __future__ import annotations

from cubesolve.catalog.pins import pinned_tables
from cubesolve.definition.geometry import NORMALS, Cut, Piece, Solid, along, box, solid
from cubesolve.definition.piece_view import PieceView
from cubesolve.spaces.defined import DerivedRules

NAMES = ("floppy",)
"""The puzzles of this module."""

ALIASES = {"1x3x3": "floppy", "3x3x1": "floppy"}
"""Other names of these puzzles."""

_SIDES = "RFLB"


def rules(name: str) -> DerivedRules | None:
    """Return the rules of a puzzle of this module, by name; None for other names."""
    if name not in NAMES:
        return None
    floppy = _floppy(name)
    return DerivedRules(PieceView(floppy.definition, "1x3x3 Floppy cube", solid=floppy), pinned=pinned_tables(name))


def _floppy(name: str) -> Solid:
    """Four corners and four edges, each with one side up or the other."""

    def flat(names: tuple[str, ...]) -> list[Piece]:
        return [Piece(each, along(each), (NORMALS["U"], NORMALS["D"])) for each in names]

    cuts = {f"{side}2": Cut(NORMALS[side], 0.5, 2) for side in _SIDES}
    kinds = {"CORNERS": flat(("RF", "FL", "LB", "BR")), "EDGES": flat(tuple(_SIDES))}
    return solid(name, kinds, cuts, body=box(1.5, 0.5, 1.5))
