"""The Skewb and the Skewb Diamond, which turn about the same four axes."""

from __future__ import annotations

from cubesolve.catalog.pins import pinned_tables
from cubesolve.definition.geometry import (
    CORNERS,
    Body,
    Cut,
    Face,
    Piece,
    Solid,
    along,
    around,
    body_rotations,
    box,
    clockwise,
    cubies,
    solid,
)
from cubesolve.definition.goals import NamedGoal
from cubesolve.definition.named_steps import CaseSet, NamedSteps
from cubesolve.definition.piece_view import PieceView
from cubesolve.group.permutations import Permutation
from cubesolve.picture.pictures import PURPLE, SILVER, USUAL
from cubesolve.picture.vectors import NORMALS, dot
from cubesolve.spaces.defined import DerivedRules

NAMES = ("skewb", "skewb-diamond")

_CUTS = {letter: Cut(along(corner), 0, 3) for letter, corner in zip("RULB", ("DRB", "ULB", "DLF", "DBL"), strict=True)}
"""The moves: World Cube Association, Regulations, 12h. Each turns half of the puzzle about a corner, clockwise."""


def rules(name: str) -> DerivedRules:
    """Return the rules of a puzzle of this module."""
    if name == "skewb":
        skewb = solid(name, {"CORNERS": cubies(CORNERS), "CENTRES": cubies(NORMALS)}, _CUTS, body=box(1, 1, 1))
        cases = _case_sets(skewb.moved(clockwise(NORMALS["U"], 4)))
        view = PieceView(
            skewb.definition,
            "Skewb",
            solid=skewb,
            named_steps=NamedSteps(_goals(), {"layer": "the centre and the corners of U"}, cases),
            rotations=skewb.rotations({NORMALS["R"]: 4, NORMALS["U"]: 4}),
        )
        # The least depth of a scramble: World Cube Association, Regulations, 4b3c.
        return DerivedRules(view, pinned=pinned_tables(name), scramble_depth=7)
    diamond = _diamond()
    return DerivedRules(PieceView(diamond.definition, "Skewb Diamond", solid=diamond), pinned=pinned_tables(name))


def _goals() -> dict[str, tuple[NamedGoal, ...]]:
    """Return the named steps: the centre and the corners of a face.

    No move turns the corner URF. The layers that have it are solved at home; the others also where they are turned
    with the whole puzzle about this corner.
    """
    layers = {face: NamedGoal(" ".join([face, *(corner for corner in CORNERS if face in corner)])) for face in NORMALS}
    by_face = {
        f"layer-{face}": tuple(layers[face]._replace(setup=setup) for setup in ("", *_TURNED.get(face, ())))
        for face in NORMALS
    }
    every = tuple(goal for goals in by_face.values() for goal in goals)
    return {"layer": by_face["layer-U"], **by_face, "layer-any": every}


def _case_sets(turning: Permutation) -> dict[str, CaseSet]:
    """Return the sets of cases. No move turns a layer, but the whole puzzle can be turned about its vertical axis."""
    layer, solved = _goals()["layer"][0], NamedGoal(" ".join([*CORNERS, *NORMALS]))
    corners = NamedGoal(f"U {' '.join(CORNERS)}")
    return {
        "ll": CaseSet("all corners and centres, the layer U being solved", layer, solved, turns=[turning]),
        "l5c": CaseSet("the last five centres, the corners being solved", corners, solved, turns=[turning]),
    }


_TURNED = {"D": ("U R' B' L", "R U' R' B"), "L": ("R L' B' U", "R' U B L'"), "B": ("R B' L' U", "U L' U' B")}
"""Algs that bring the layer of a face to the other places of such a layer."""


def _diamond() -> Solid:
    """Return the Skewb Diamond: an octahedron with vertices on the faces of the cube, each face of which turns."""
    vertices = []
    for name, normal in NORMALS.items():
        first = next(place for place in map(along, CORNERS) if dot(place, normal) > 0)
        vertices.append(Piece(name, normal, around(normal, 4, first)))
    kinds = {"VERTICES": vertices, "FACES": cubies(CORNERS, oriented=False)}
    cuts = {corner: Cut(along(corner), 0, 3) for corner in CORNERS}
    faces = (Face(along(corner), 1, colour) for corner, colour in zip(CORNERS, _EIGHT, strict=True))
    body = Body(tuple(faces), front=(1, 0, 1))
    return solid("skewb-diamond", kinds, cuts, body_rotations({"x": 4, "y": 4, "z": 4}), body)


_EIGHT = (USUAL["U"], USUAL["F"], PURPLE, USUAL["R"], USUAL["B"], USUAL["D"], SILVER, USUAL["L"])  # of the faces
