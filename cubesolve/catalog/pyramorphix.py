"""The Pyramorphix: a pocket cube in the shape of a tetrahedron."""

from __future__ import annotations

from cubesolve.catalog.pins import pinned_tables
from cubesolve.definition.geometry import CORNERS, Cut, along, cubies, solid, tetrahedron
from cubesolve.definition.piece_view import PieceView
from cubesolve.group.permutations import arrangement
from cubesolve.picture.vectors import NORMALS, dot
from cubesolve.spaces.defined import DerivedRules

NAMES = ("pyramorphix",)

_HELD = "ULB"  # the tip that moves leave fixed, so that none turns the puzzle as a whole
_VERTICES = {"U": along("URF"), "L": along("DLF"), "R": along("DRB"), "B": along("ULB")}


def rules(name: str) -> DerivedRules:
    """Return the rules of the puzzle: a pocket cube of which four corners are tips."""
    cuts = {face: Cut(NORMALS[face], 0, 4) for face in "RFD"}
    whole = solid(name, {"CORNERS": cubies(CORNERS)}, cuts, body=tetrahedron(_VERTICES, 1))
    labels = list(whole.definition.solved[0])
    for point, (place, _) in enumerate(whole.points):
        if dot(place, along(_HELD)) in {1, -3}:  # next to a tip, or opposite: it looks alike when twisted
            labels[point] = min(other for other, (position, _) in enumerate(whole.points) if position == place)
    definition = whole.definition._replace(solved=(arrangement(labels),))
    return DerivedRules(PieceView(definition, "Pyramorphix", solid=whole), pinned=pinned_tables(name))
