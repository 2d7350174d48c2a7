"""The Pyraminx, with its tips and without, and the Pyraminx Duo.

The vertices of the tetrahedron are every other corner of a cube. Its faces face away from them.
"""

from __future__ import annotations

import itertools

from cubesolve.catalog.pins import pinned_tables
from cubesolve.definition.geometry import NOWHERE, Cut, Piece, Solid, around, solid, tetrahedron
from cubesolve.definition.goals import NamedGoal
from cubesolve.definition.named_steps import CaseSet, NamedSteps
from cubesolve.definition.piece_view import PieceView
from cubesolve.picture.scenes import Point
from cubesolve.picture.vectors import Vector, opposite
from cubesolve.spaces.defined import DerivedRules

NAMES = ("pyraminx", "pyraminx-tips", "pyraminx-duo")
ALIASES = {"pyram": "pyraminx-tips"}  # the event of the World Cube Association, in which tips are turned, too


def rules(name: str) -> DerivedRules:
    """Return the rules of a puzzle of this module."""
    if name == "pyraminx-duo":
        duo = _duo(name)
        return DerivedRules(PieceView(duo.definition, "Pyraminx Duo", solid=duo), pinned=pinned_tables(name))
    has_tips = name == "pyraminx-tips"
    whole = _pyraminx(name, tips=has_tips)
    view = PieceView(
        whole.definition,
        "Pyraminx" if has_tips else "Pyraminx without tips",
        solid=whole,
        named_steps=NamedSteps(_goals(" u l r b" if has_tips else ""), _STEP_TITLES, _case_sets()),
        rotations=whole.rotations(dict.fromkeys(_vertices().values(), 3)),
    )
    # The least depth of a scramble: World Cube Association, Regulations, 4b3f.
    return DerivedRules(view, pinned=pinned_tables(name), scramble_depth=6 if has_tips else 0)


_STEP_TITLES = {
    "centres": "the centres",
    "v": "the centres and two edges of a face, LB and RB",
    "layer": "the layer D: three centres and three edges",
}


def _goals(tips: str = "") -> dict[str, tuple[NamedGoal, ...]]:
    """Return the named steps: centres and two edges of a face, whose layer is that around D for the usual ones."""
    by_face = [
        ["".join(pair) for pair in itertools.combinations(face, 2)] for face in itertools.combinations("ULRB", 3)
    ]
    pairs = [" ".join(pair) for edges in by_face for pair in itertools.combinations(edges, 2)]
    return {
        "centres": (NamedGoal(f"U L R B{tips}"),),
        "v": (NamedGoal(f"U L R B LB RB{tips}"),),
        "v-any": tuple(NamedGoal(f"U L R B {pair}{tips}") for pair in pairs),
        "layer": (NamedGoal(f"L R B LR LB RB{tips}"),),
    }


def _case_sets() -> dict[str, CaseSet]:
    solved = NamedGoal("U L R B UL UR UB LR LB RB")
    return {
        "l4e": CaseSet("the last four edges, the edges LB and RB being solved", NamedGoal("L R B LB RB"), solved, "U"),
        "l3e": CaseSet("the last three edges", NamedGoal("L R B LR LB RB"), solved, "U"),
    }


def _vertices() -> dict[str, Vector]:
    """Return the places of the vertices: seen from the face between L and R, B is behind."""
    left, back, right = around((1, 1, 1), 3, (1, -1, -1))
    return {"U": (1, 1, 1), "L": left, "R": right, "B": back}


def _corners(scale: int = 1) -> list[Piece]:
    vertices = _vertices()
    faces = {name: opposite(place) for name, place in vertices.items()}
    return [
        Piece(
            name,
            tuple(scale * x for x in place),  # type: ignore[arg-type]
            around(place, 3, next(face for other, face in faces.items() if other != name)),
        )
        for name, place in vertices.items()
    ]


def _pyraminx(name: str, *, tips: bool) -> Solid:
    vertices = _vertices()
    edges = [
        Piece(
            a + b,
            tuple(x + y for x, y in zip(vertices[a], vertices[b], strict=True)),  # type: ignore[arg-type]
            tuple(opposite(place) for vertex, place in vertices.items() if vertex not in a + b),
        )
        for a, b in itertools.combinations(vertices, 2)
    ]
    kinds = {"EDGES": edges, "CENTRES": _corners()}
    cuts = {letter: Cut(vertex, 1, 3) for letter, vertex in vertices.items()}
    if tips:
        kinds["TIPS"] = [tip._replace(name=tip.name.lower()) for tip in _corners(scale=2)]
        cuts |= {letter.lower(): Cut(vertex, 5, 3) for letter, vertex in vertices.items()}
    return solid(name, kinds, cuts, body=tetrahedron(vertices, 3))


def _duo(name: str) -> Solid:
    """Return the Pyraminx Duo: four corners, and four centres of faces, three of which a turn moves.

    Its cuts are round, and are drawn straight.
    """
    centres = [Piece(f"-{corner.name}", opposite(corner.place)) for corner in _corners()]
    cuts = {letter: Cut(vertex, 0, 3) for letter, vertex in _vertices().items()}
    body = tetrahedron(_vertices(), 1)._replace(outline=_triangle)
    return solid(name, {"CORNERS": _corners(), "CENTRES": centres}, cuts, body=body)


def _triangle(place: Vector, facing: Vector) -> tuple[Point, ...]:
    """Return a sticker: at a corner of a face, or between the middles of its sides."""
    normal = place if facing == NOWHERE else facing
    corner = place if facing != NOWHERE else next(v for v in _vertices().values() if v != opposite(normal))
    _, third, second = around(normal, 3, corner)
    if facing == NOWHERE:
        return _middle(corner, second), _middle(second, third), _middle(third, corner)
    return corner, _middle(corner, second), _middle(corner, third)


def _middle(one: Vector, other: Vector) -> Point:
    x, y, z = ((a + b) / 2 for a, b in zip(one, other, strict=True))
    return (x, y, z)
