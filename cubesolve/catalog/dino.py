"""The Dino cube, cut into eight pyramids: a turn moves a corner with the three edges next to it."""

from __future__ import annotations

from cubesolve.catalog.pins import pinned_tables
from cubesolve.definition.definition import Definition
from cubesolve.definition.geometry import CORNERS, EDGES, MIRROR, Cut, Solid, along, body_rotations, box, cubies, solid
from cubesolve.definition.piece_view import PieceView
from cubesolve.spaces.defined import DerivedRules

NAMES = ("dino",)
"""The puzzles of this module."""


def rules(name: str) -> DerivedRules | None:
    """Return the rules of a puzzle of this module, by name; None for other names."""
    if name not in NAMES:
        return None
    dino = solid(name, {"EDGES": cubies(EDGES)}, _CUTS, body_rotations({"x": 4, "y": 4, "z": 4}), box(1, 1, 1))
    return DerivedRules(PieceView(_with_mirror(dino), "Dino cube", solid=dino), pinned=pinned_tables(name))


_CUTS = {corner: Cut(along(corner), 1, 3) for corner in CORNERS}


def _with_mirror(dino: Solid) -> Definition:
    """The mirror image of twelve edges also shows one colour on each face, so it counts as solved, too."""
    return dino.definition._replace(solved=(dino.definition.solved[0], dino.moved(MIRROR)))
