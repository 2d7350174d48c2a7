"""Rubik's Domino: two layers of nine cubies."""

from __future__ import annotations

from cubesolve.definition.geometry import CORNERS, EDGES, Solid, body_rotations, box, box_cuts, cubies, solid
from cubesolve.definition.piece_view import PieceView
from cubesolve.spaces.defined import DerivedRules, Pinned

NAMES = ("domino",)
"""The puzzles of this module."""

ALIASES = {"2x3x3": "domino", "3x3x2": "domino"}
"""Other names of these puzzles."""


def rules(name: str) -> DerivedRules | None:
    """Return the rules of a puzzle of this module, by name; None for other names."""
    if name not in NAMES:
        return None
    domino = _domino(name)
    return DerivedRules(PieceView(domino.definition, "2x3x3 Rubik's Domino", solid=domino), pinned=_PINNED.get(name))


def _domino(name: str) -> Solid:
    """Eight corners and eight edges that only change places; the two centres distinguish top and bottom."""
    edges = [edge for edge in EDGES if edge[0] in "UD"]
    kinds = {"CORNERS": CORNERS, "EDGES": edges, "CENTRES": "UD"}
    pieces = {kind: cubies(names, oriented=False) for kind, names in kinds.items()}
    return solid(name, pieces, box_cuts(0, 0.5), body_rotations({"y": 4, "x2": 2}), box(1.5, 1, 1.5))


_PINNED: dict[str, dict[str, Pinned]] = {
    "domino": {
        "htm": Pinned(
            """
            1 7 34 168 807 3768 17250 77696 342305 1472169 6052497 22364538 65693109 121339537 127175987
            58226238 3627117 32344 28
            """,
            "a513f768817c0c86564aafd0fd525d05797fd2fe769d06a15f8714acd290c689",
            "24fe8d23bd31ce00ec36b594e384bed401df34e53722b9f90e2e77fe26c15bc1",
            21_113_344,
            effort="25 s, 1.5 GB of memory",
        ),
        "qtm": Pinned(
            """
            1 6 27 120 529 2280 9797 41602 172877 703124 2753752 9959476 31168445 74084200 115192427
            108804334 53758865 9617394 156080 264
            """,
            "5659c148c35b6a8efe71c223d4a3f3f50810e2fed5a8a5e92896dc086767c9d7",
            "a73976ae4050f5f9112f26f3cdc84fcf57b47b07c2c3d640ef7a674d1cebf5f2",
            19_419_904,
            effort="25 s, 1.5 GB of memory",
        ),
    },
}
