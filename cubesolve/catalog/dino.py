"""The Dino cube, cut into eight pyramids: a turn moves a corner with the three edges next to it."""

from __future__ import annotations

from cubesolve.catalog.pins import pinned_tables
from cubesolve.definition.geometry import CORNERS, EDGES, MIRROR, Cut, along, body_rotations, box, cubies, solid
from cubesolve.definition.piece_view import PieceView
from cubesolve.spaces.defined import DerivedRules

NAMES = ("dino",)


def rules(name: str) -> DerivedRules:
    """Return the rules of the puzzle."""
    cuts = {corner: Cut(along(corner), 1, 3) for corner in CORNERS}
    dino = solid(name, {"EDGES": cubies(EDGES)}, cuts, body_rotations({"x": 4, "y": 4, "z": 4}), box(1, 1, 1))
    # The mirror image of twelve edges also shows one colour on each face, so it counts as solved, too.
    definition = dino.definition._replace(solved=(dino.definition.solved[0], dino.moved(MIRROR)))
    return DerivedRules(PieceView(definition, "Dino cube", solid=dino), pinned=pinned_tables(name))
