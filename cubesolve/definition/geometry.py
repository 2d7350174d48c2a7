"""Puzzles from their shape: pieces in space, and cuts about axes (pure Python).

Most puzzles here have the symmetry of the cube, or less of it, so that every turn takes integer coordinates to integer
coordinates: x points right, y up, z to the viewer. Those with the symmetry of the dodecahedron have irrational
coordinates, which are rounded to be compared. A piece is its place and the directions of its stickers; a turn
about an axis moves every piece that lies far enough in the direction of the axis. A point of the puzzle is the place
and the direction of a sticker; a piece without stickers has one point.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from cubesolve.definition.definition import Definition, Orbit
from cubesolve.group.moves import Effect
from cubesolve.group.permutations import Permutation, after, arrangement, closure, identity, inverse, power
from cubesolve.picture.pictures import USUAL, Colour
from cubesolve.picture.vectors import NORMALS, Matrix, Vector, cross, dot, image, opposite, rotation


class Piece(NamedTuple):
    """A piece in its home place."""

    name: str  # its name, a letter for each sticker
    place: Vector  # the place of its centre
    # the directions of its stickers, in the order of the letters; none if it has no orientation
    stickers: tuple[Vector, ...] = ()


class Cut(NamedTuple):
    """A layer that can be turned."""

    axis: Vector  # the axis of rotation; turns are clockwise as seen from its direction
    # pieces whose place has a larger inner product with the axis are turned; if the puzzle has a body, it is cut there
    beyond: float
    order: int  # the number of turns that make the identity
    times: int = 1  # the number of turns that are one move
    below: float = math.inf  # pieces with a larger product than this one stay, too


class Face(NamedTuple):
    """A face of the body of a puzzle."""

    normal: Vector  # the direction that it faces
    distance: float  # the inner product of its points with the normal
    colour: Colour  # its colour when the puzzle is solved


class Body(NamedTuple):
    """The body that a puzzle is cut from."""

    faces: tuple[Face, ...]
    up: Vector = (0, 1, 0)  # the direction that is up as it is usually held
    front: Vector = (0, 0, 1)  # the direction from which it is viewed
    is_painted: bool = False  # whether all pieces have stickers, and moves keep the shape: a state only paints it
    # the outline of a sticker, by the place and the direction, if cuts are round: states are then only drawn flat
    outline: Callable[[Vector, Vector], Sequence[Vector]] | None = None


CORNERS = ("URF", "UFL", "ULB", "UBR", "DFR", "DLF", "DBL", "DRB")
"""The corners of a cube, each read clockwise."""

EDGES = ("UR", "UF", "UL", "UB", "DR", "DF", "DL", "DB", "FR", "FL", "BL", "BR")
"""The edges of a cube."""


MIRROR: Matrix = ((-1, 0, 0), (0, 1, 0), (0, 0, 1))
"""The reflection that exchanges left and right."""

_AXES = {"x": "R", "y": "U", "z": "F"}
EVERYTHING = -1_000
"""The bound of a cut that every piece is beyond: that of a rotation of the whole puzzle."""


def along(name: str) -> Vector:
    """Return the place of a corner, an edge or a face of a cube, by its letters."""
    x, y, z = (sum(steps) for steps in zip(*(NORMALS[face] for face in name), strict=True))
    return (x, y, z)


def cubies(names: Iterable[str], *, oriented: bool = True) -> list[Piece]:
    """Return corners, edges or centres of a cube, with a sticker on each face of their names, or without stickers."""
    return [Piece(name, along(name), tuple(NORMALS[face] for face in name) if oriented else ()) for name in names]


def box_cuts(up: float, across: float) -> dict[str, Cut]:
    """Return the moves of a box of which only top and bottom are squares.

    Given are the distances of its cuts from the centre: vertical, and on the sides.
    """
    squares = {move: Cut(NORMALS[move], up, 4) for move in "UD"}
    return squares | {f"{face}2": Cut(NORMALS[face], across, 2) for face in "RLFB"}


def box(width: float, height: float, depth: float) -> Body:
    """Return a box with half of the given lengths as coordinates, in the usual colours."""
    lengths = {"R": width, "L": width, "U": height, "D": height, "F": depth, "B": depth}
    return Body(tuple(Face(normal, lengths[name], USUAL[name]) for name, normal in NORMALS.items()))


def tetrahedron(vertices: Mapping[str, Vector], scale: float) -> Body:
    """Return a tetrahedron with scaled vertices U, L, R (in front) and B, in the usual colours of a Pyraminx."""
    faces = ((opposite(vertex), scale, USUAL[_ACROSS[name]]) for name, vertex in vertices.items())
    return Body(tuple(itertools.starmap(Face, faces)), vertices["U"], opposite(vertices["B"]))


_ACROSS = {"U": "D", "L": "B", "R": "R", "B": "F"}  # the face of a cube with the colour opposite each vertex


def body_rotations(orders: Mapping[str, int]) -> dict[str, Cut]:
    """Return whole-puzzle rotations by name, given their orders."""
    return {name: Cut(NORMALS[_AXES[name[0]]], EVERYTHING, order) for name, order in orders.items()}


def is_mirror(matrix: Matrix) -> bool:
    """Return whether a symmetry of the cube is a reflection."""
    return dot(cross(matrix[0], matrix[1]), matrix[2]) < 0


@functools.cache
def clockwise(axis: Vector, order: int) -> Matrix:
    """Return the rotation of an order about an axis, clockwise as seen from its direction."""
    return rotation(axis, -360 / order)


def around(axis: Vector, order: int, first: Vector) -> tuple[Vector, ...]:
    """Return what a vector becomes by turns about an axis, clockwise, itself first."""
    turn = clockwise(axis, order)
    return tuple(itertools.accumulate(range(order - 1), lambda vector, _: image(turn, vector), initial=first))


_COARSE = 6  # digits of vectors that are compared


def product(first: Matrix, second: Matrix) -> Matrix:
    """Return the product of two matrices, the second of which is applied first."""
    columns = [image(first, column) for column in zip(*second, strict=True)]
    return tuple(zip(*columns, strict=True))  # type: ignore[return-value]


class Solid(NamedTuple):
    """A puzzle in space."""

    definition: Definition
    # for each point the place of its piece, and the direction of its sticker (zero for a piece without one)
    points: tuple[tuple[Vector, Vector], ...]
    cuts: Mapping[str, Cut]  # its moves, and the rotations of the whole puzzle
    body: Body | None = None  # the body that it is cut from; None if it has no picture

    def moved(self, matrix: Matrix) -> Permutation:
        """Return the points after a symmetry is applied."""
        return _moved(self.points, matrix, {place for place, _ in self.points})

    def rotations(self, orders: Mapping[Vector, int]) -> list[Permutation]:
        """Return the rotations of the whole puzzle that those of some orders about axes make, the identity first."""
        rotations, turns = [identity(len(self.points))], list[Permutation]()
        for axis, order in orders.items():
            turns.append(self.moved(clockwise(axis, order)))
            rotations = closure(rotations, lambda place: [after(place, turn) for turn in turns])
        return rotations


NOWHERE = (0, 0, 0)
"""The direction of the sticker of a piece that has no orientation."""


def _moved(points: Sequence[tuple[Vector, Vector]], matrix: Matrix, pieces: Collection[Vector]) -> Permutation:
    moved = [number for number, (place, _) in enumerate(points) if place in pieces]
    vectors = {vector for number in moved for vector in points[number]}
    names = {(round(x, _COARSE), round(y, _COARSE), round(z, _COARSE)): (x, y, z) for x, y, z in vectors}
    (a, b, c), (d, e, f), (g, h, i) = matrix
    facings = dict[Vector, Vector]()
    for x, y, z in vectors:  # as `image`, without a call for each
        facings[x, y, z] = names[
            round(a * x + b * y + c * z, _COARSE),
            round(d * x + e * y + f * z, _COARSE),
            round(g * x + h * y + i * z, _COARSE),
        ]
    numbers = {points[number]: number for number in moved}
    sources = list(range(len(points)))
    for number in moved:
        place, facing = points[number]
        sources[numbers[facings[place], facings[facing]]] = number
    return arrangement(sources)


def solid(
    name: str,
    kinds: Mapping[str, Sequence[Piece]],
    cuts: Mapping[str, Cut],
    rotations: Mapping[str, Cut] | None = None,
    body: Body | None = None,
) -> Solid:
    """Return a puzzle from its pieces, by orbit, and its cuts. Pieces of an orbit with the same name look alike.

    Args:
        rotations: rotations of the whole puzzle, if its moves leave no piece that fixes its orientation.
        body: the body that it is cut from, if it has a picture.

    >>> disks = [Piece(name, (x, y, 0)) for name, (x, y) in zip("abcd", itertools.product((1, -1), repeat=2))]
    >>> solid("four", {"DISKS": disks}, {"R": Cut((1, 0, 0), 0, 2)}).definition.order("R")
    2
    """
    pieces = [piece for kind in kinds.values() for piece in kind]
    names = [
        (kind, piece.name, way)
        for kind, members in kinds.items()
        for piece in members
        for way in range(len(piece.stickers) or 1)
    ]
    alike = dict[tuple[str, str, int], int]()
    points = tuple((piece.place, facing) for piece in pieces for facing in piece.stickers or (NOWHERE,))
    places = [piece.place for piece in pieces]

    @functools.cache
    def turned(axis: Vector, beyond: float, order: int) -> Permutation:
        a, b, c = axis
        taken = {(x, y, z) for x, y, z in places if a * x + b * y + c * z > beyond}
        return _moved(points, clockwise(axis, order), taken)

    def change(cut: Cut) -> Permutation:
        turn = turned(cut.axis, cut.beyond, cut.order)
        if cut.below < math.inf:
            turn = after(turn, inverse(turned(cut.axis, cut.below, cut.order)))
        return turn if cut.times == 1 else power(turn, cut.times)

    definition = Definition(
        name,
        tuple(
            Orbit(kind, len(members), len(members[0].stickers) or 1, tuple(piece.name for piece in members))
            for kind, members in kinds.items()
        ),
        (arrangement([alike.setdefault(name, point) for point, name in enumerate(names)]),),
        {letter: (Effect(change(cut)),) for letter, cut in cuts.items()},
        rotations={letter: change(cut) for letter, cut in (rotations or {}).items()},
    )
    return Solid(definition, points, {**cuts, **(rotations or {})}, body)
