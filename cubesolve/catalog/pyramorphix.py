"""The Pyramorphix: a pocket cube in the shape of a tetrahedron."""

from __future__ import annotations

from cubesolve.catalog.pins import pinned_tables
from cubesolve.definition.definition import Definition
from cubesolve.definition.geometry import CORNERS, NORMALS, Cut, Solid, along, cubies, dot, solid, tetrahedron
from cubesolve.definition.piece_view import PieceView
from cubesolve.group.permutations import arrangement
from cubesolve.spaces.defined import DerivedRules

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
    return DerivedRules(PieceView(_alike(whole), "Pyramorphix", solid=whole), pinned=pinned_tables(name))


_VERTICES = {"U": along("URF"), "L": along("DLF"), "R": along("DRB"), "B": along("ULB")}


def _alike(whole: Solid) -> Definition:
    """Return the definition of a pocket cube of which four corners are tips; the others look alike when twisted."""
    labels = list(whole.definition.solved[0])
    for point, (place, _) in enumerate(whole.points):
        if dot(place, along(_HELD)) in {1, -3}:  # next to a tip, or opposite
            labels[point] = min(other for other, (there, _) in enumerate(whole.points) if there == place)
    return whole.definition._replace(solved=(arrangement(labels),))
