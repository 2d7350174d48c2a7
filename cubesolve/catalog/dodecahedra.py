"""The Megaminx and the Kilominx, whose twelve faces turn by a fifth."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

from cubesolve.definition.definition import Power
from cubesolve.definition.geometry import Body, Cut, Face, Piece, Solid, solid
from cubesolve.definition.piece_view import PieceView
from cubesolve.picture.pictures import CREAM, LIME, PINK, PURPLE, SILVER, SKY, USUAL
from cubesolve.picture.vectors import Vector, cross, dot, opposite
from cubesolve.spaces.defined import DerivedRules

NAMES = ("megaminx", "kilominx")
ALIASES = {"minx": "megaminx"}  # the event of the World Cube Association


def rules(name: str) -> DerivedRules:
    """Return the rules of a puzzle of this module."""
    if name == "megaminx":
        kinds = {"CORNERS": _pieces(3, 2), "EDGES": _pieces(2, 3), "CENTRES": _pieces(1, 4)}
        minx = _minx(name, kinds, 12)
    else:
        minx = _minx(name, {"CORNERS": _pieces(3, 2)}, _RADIUS * (_PHI - 1))  # cuts that meet on the edges
    return DerivedRules(PieceView(minx.definition, name.capitalize(), solid=minx))


_PHI = (1 + math.sqrt(5)) / 2  # the golden ratio
_NORMALS: dict[str, Vector] = {
    "U": (0, _PHI, -1), "F": (0, _PHI, 1), "R": (_PHI, 1, 0), "L": (-_PHI, 1, 0),
    "BR": (1, 0, -_PHI), "BL": (-1, 0, -_PHI),
}  # fmt: skip
_NORMALS |= {
    name: opposite(_NORMALS[across])
    for name, across in {"D": "U", "B": "F", "DL": "R", "DR": "L", "FL": "BR", "FR": "BL"}.items()
}
"""The directions of the faces: the vertices of an icosahedron."""

_BESIDE = {pair for pair in itertools.combinations(_NORMALS, 2) if dot(_NORMALS[pair[0]], _NORMALS[pair[1]]) > 0}
"""The pairs of faces that share an edge."""

_COLOURS = {
    "U": USUAL["U"], "F": USUAL["F"], "R": USUAL["R"], "L": PURPLE, "BR": USUAL["B"], "BL": USUAL["D"],
    "D": SILVER, "B": LIME, "DL": USUAL["L"], "DR": PINK, "FL": SKY, "FR": CREAM,
}  # fmt: skip
"""The colours of the faces: World Cube Association, Regulations, 4d1, and TNoodle."""

_RADIUS = 16
_SCRAMBLING = {"R++": ("DR", 2), "R--": ("DR", 3), "D++": ("D", 2), "D--": ("D", 3)}
"""The moves of scrambles: the axis and the number of fifths of a turn of all but the opposite layer: 12d."""


def _pieces(faces: int, distance: int) -> list[Piece]:
    pieces = []
    for names in itertools.combinations(_NORMALS, faces):
        if _BESIDE.issuperset(itertools.combinations(names, 2)):
            names = _clockwise(names)  # noqa: PLW2901
            normals = tuple(map(_NORMALS.__getitem__, names))
            x, y, z = (distance * sum(values) for values in zip(*normals, strict=True))
            pieces.append(Piece("-".join(names), (x, y, z), normals))
    return pieces


def _clockwise(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(names) < 3:
        return names
    first, second, third = names
    is_anticlockwise = dot(cross(_NORMALS[first], _NORMALS[second]), _NORMALS[third]) > 0
    return (first, third, second) if is_anticlockwise else names


def _minx(name: str, kinds: Mapping[str, Sequence[Piece]], height: float) -> Solid:
    """Return a dodecahedron with its cuts at a height; algs may also have the moves of scrambles."""
    cuts = {face: Cut(normal, height, 5) for face, normal in _NORMALS.items()}
    wide = {move: Cut(_NORMALS[face], -height, 5, times) for move, (face, times) in _SCRAMBLING.items()}
    whole = {f"{face}v": Cut(_NORMALS[face], -_RADIUS, 5) for face in ("U", "R", "F")}
    faces = tuple(Face(normal, _RADIUS, _COLOURS[face]) for face, normal in _NORMALS.items())
    body = Body(faces, up=_NORMALS["U"], front=_NORMALS["F"], is_painted=True)
    minx = solid(name, kinds, cuts | wide, whole, body)
    return minx._replace(definition=minx.definition._replace(chosen=tuple(map(Power, _NORMALS))))
