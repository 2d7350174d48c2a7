"""The Pyramorphix: a pocket cube in the shape of a tetrahedron."""

from __future__ import annotations

from cubesolve.definition.definition import Definition
from cubesolve.definition.geometry import CORNERS, NORMALS, Cut, Solid, along, cubies, dot, solid, tetrahedron
from cubesolve.definition.piece_view import PieceView
from cubesolve.group.permutations import arrangement
from cubesolve.spaces.defined import DerivedRules, Pinned

NAMES = ("pyramorphix",)
"""The puzzles of this module."""

_HELD = "ULB"  # the tip that moves leave fixed, so that none turns the puzzle as a whole
_TURNING = "RFD"


def rules(name: str) -> DerivedRules | None:
    """Return the rules of a puzzle of this module, by name; None for other names."""
    if name not in NAMES:
        return None
    cuts = {face: Cut(NORMALS[face], 0, 4) for face in _TURNING}
    whole = solid(name, {"CORNERS": cubies(CORNERS)}, cuts, body=tetrahedron(_VERTICES, 1))
    return DerivedRules(PieceView(_alike(whole), "Pyramorphix", solid=whole), pinned=_PINNED.get(name))


_VERTICES = {"U": along("URF"), "L": along("DLF"), "R": along("DRB"), "B": along("ULB")}


def _alike(whole: Solid) -> Definition:
    """Return the definition of a pocket cube of which four corners are tips; the others look alike when twisted."""
    labels = list(whole.definition.solved[0])
    for point, (place, _) in enumerate(whole.points):
        if dot(place, along(_HELD)) in {1, -3}:  # next to a tip, or opposite
            labels[point] = min(other for other, (there, _) in enumerate(whole.points) if there == place)
    return whole.definition._replace(solved=(arrangement(labels),))


_PINNED: dict[str, dict[str, Pinned]] = {
    "pyramorphix": {
        "htm": Pinned(
            "1 9 54 321 1835 9716 39536 68424 16120 64",
            "5e760f01ff95cefb41b92ffaf748e4255cf3127c3a8dff8b4b1edb9645252b13",
            "98094ad1f14eccd1428aae16362d983aed0a084d16c9e78e4fa521c2283b3611",
            978_472,
            source="OEIS A079764",
        ),
        "qtm": Pinned(
            "1 6 27 120 534 2256 8633 26174 48585 39312 10260 172",
            "35599dfa90abd99952862367a7ed5b4738b516e6e6144d94c99da22407dc93c2",
            "f3ac11a4b67485eced2ff2325a6130e4950ddcbd0383720e2881ab58e976d374",
            794_760,
        ),
    },
}
