"""The Dino cube, cut into eight pyramids: a turn moves a corner with the three edges next to it."""

from __future__ import annotations

from cubesolve.definition.definition import Definition
from cubesolve.definition.geometry import CORNERS, EDGES, MIRROR, Cut, Solid, along, body_rotations, box, cubies, solid
from cubesolve.definition.piece_view import PieceView
from cubesolve.spaces.defined import DerivedRules, Pinned

NAMES = ("dino",)
"""The puzzles of this module."""


def rules(name: str) -> DerivedRules | None:
    """Return the rules of a puzzle of this module, by name; None for other names."""
    if name not in NAMES:
        return None
    dino = solid(name, {"EDGES": cubies(EDGES)}, _CUTS, body_rotations({"x": 4, "y": 4, "z": 4}), box(1, 1, 1))
    return DerivedRules(PieceView(_with_mirror(dino), "Dino cube", solid=dino), pinned=_PINNED.get(name))


_CUTS = {corner: Cut(along(corner), 1, 3) for corner in CORNERS}


def _with_mirror(dino: Solid) -> Definition:
    """The mirror image of twelve edges also shows one colour on each face, so it counts as solved, too."""
    return dino.definition._replace(solved=(dino.definition.solved[0], dino.moved(MIRROR)))


_PINNED: dict[str, dict[str, Pinned]] = {
    "dino": {
        "htm": Pinned(
            "2 32 320 2816 23424 180084 1227084 6167660 10926002 1429972 1004",
            "4265194bcb680ef08c843eb61ad3541eb72e4b879ffa4970e562609e9f586771",
            "ec715d6c6100b935e5e4f4320708419b1fed0a7bd7d5d8e7481c980b6a30ec39",
            6_423_192,
            source="OEIS A079766",
        ),
    },
}
