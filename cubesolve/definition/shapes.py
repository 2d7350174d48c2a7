"""The places of the stickers of a puzzle in space, from its body, its cuts and its definition (pure Python).

The body falls into parts along the cuts. The home piece of a part follows from the moves that turn it. The position of
a piece follows from its labels, and where these are not distinguished, from the moves that lead there.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from cubesolve.definition.definition import Power
from cubesolve.definition.facelets import facelets_by_place, layers_of
from cubesolve.definition.geometry import NOWHERE, Body, Cut, Solid, clockwise
from cubesolve.definition.geometry import product as composed
from cubesolve.definition.notation import FaceTurn
from cubesolve.group.permutations import Arrangement, closure
from cubesolve.picture.pictures import EMPTY, Colour
from cubesolve.picture.scenes import Motion, Part, Plane, Scene, Side, brick, divided, middle, trimmed, turned_part
from cubesolve.picture.vectors import NORMALS, Matrix, Vector, cube_symmetries, dot, image, opposite

_FAR = 100  # a distance larger than all bodies


def _planes(cuts: Iterable[Cut]) -> tuple[Plane, ...]:
    planes = (_plane(cut) for cut in cuts if cut.beyond > -_FAR)
    return tuple(dict.fromkeys(max(plane, Plane(opposite(plane.normal), -plane.distance)) for plane in planes))


def _plane(cut: Cut) -> Plane:
    return Plane(cut.axis, cut.beyond)


@functools.cache
def motion(cut: Cut, times: int) -> Motion:
    """Return the motion of a turn with an exponent, the shorter way."""
    forwards = times * cut.times % cut.order
    amount = forwards if 2 * forwards <= cut.order else forwards - cut.order
    below = () if math.isinf(cut.below) else (Plane(opposite(cut.axis), 0 - cut.below),)
    return Motion(cut.axis, (0, 0, 0), -360 * amount // cut.order, (_plane(cut), *below))


# -- Cubes given by their facelets -------------------------------------------------------------------------------------


@functools.cache
def _cubies(size: int) -> tuple[Mapping[Vector, list[int | None]], tuple[Plane, ...]]:
    """Return the facelet on each side of the visible cubies of a cube, by their middle, and the planes between them."""
    facelets = facelets_by_place(size)
    sides = {place: [facelets.get((place, NORMALS[face])) for face in _SIDES] for place, _ in sorted(facelets)}
    cuts = (Cut(normal, height / 2, 4) for normal in NORMALS.values() for height in range(size - 2, -1, -2))
    return sides, _planes(cuts)


_SIDES = "RUFLDB"  # of a brick


def cube_scene(size: int, colours: Sequence[Colour]) -> Scene:
    """Return the scene of a cube."""
    cubies, planes = _cubies(size)  # of length 2

    def part(x: float, y: float, z: float, sides: Iterable[int | None]) -> Part:
        low, high = ((x - 1) / 2, (y - 1) / 2, (z - 1) / 2), ((x + 1) / 2, (y + 1) / 2, (z + 1) / 2)
        return brick(low, high, [None if facelet is None else colours[facelet] for facelet in sides])

    return Scene(tuple(part(*place, sides) for place, sides in cubies.items()), planes)


def cube_motion(size: int, move: FaceTurn) -> Motion:
    """Return the motion of a move of a cube."""
    axis, beyond, below = layers_of(size, move.letter)
    return motion(Cut(axis, max(beyond / 2, -_FAR), 4, below=below / 2), move.turns)


# -- Puzzles that are cut from a body ----------------------------------------------------------------------------------


Labels = Sequence[int | None]
"""The label on each point; None if it is unknown."""


class SolidShape:
    """A puzzle in space, with its body."""

    def __init__(self, solid: Solid, body: Body) -> None:
        self._solid, self._body = solid, body
        self._numbers = {point: number for number, point in enumerate(solid.points)}
        self._stickers: dict[Vector, list[Vector]] = {}
        self._turned: dict[tuple[Vector, Matrix], list[Part]] = {}
        for place, facing in solid.points:
            self._stickers.setdefault(place, []).append(facing)

    @functools.cached_property
    def _parts(self) -> tuple[list[Part], tuple[Plane, ...]]:
        """The visible parts of the body, and the planes between them."""
        whole, planes = brick((-_FAR,) * 3, (_FAR,) * 3), _planes(self._solid.cuts.values())
        for face in self._body.faces:
            whole = trimmed(whole, Plane(face.normal, face.distance), face.colour)
        return [part for part in divided(whole, planes) if any(side.colour for side in part)], planes

    @functools.cached_property
    def home(self) -> Mapping[Vector | None, list[Part]]:
        """The parts by the home place of their piece; by no place, those that only rotations move."""
        places = {self._taken(place): place for place in self._stickers}
        parts_at: dict[Vector | None, list[Part]] = {}
        for part in self._parts[0]:
            parts_at.setdefault(places.get(self._taken(middle(part))), []).append(part)
        return parts_at

    def _taken(self, point: Vector) -> tuple[bool, ...]:
        """Return the moves that move a point."""
        return tuple(_plane(cut).height(point) > 0 for cut in self._solid.cuts.values())

    @functools.cached_property
    def _ways(self) -> Mapping[Vector, list[tuple[Vector, Matrix]]]:
        """The places to which moves bring the piece of each place, with its rotation there."""
        return {home: closure([(home, cube_symmetries()[0])], self._turned_on) for home in self._stickers}

    def _turned_on(self, way: tuple[Vector, Matrix]) -> Iterator[tuple[Vector, Matrix]]:
        """Yield the place and the rotation of a piece after each move."""
        place, matrix = way
        for cut in self._solid.cuts.values():
            if dot(place, cut.axis) > cut.beyond:
                turn = clockwise(cut.axis, cut.order)
                yield image(turn, place), composed(turn, matrix)

    def scene(self, state: Labels, solved: Arrangement) -> Scene:
        """Return the scene of a state; pieces with an unknown label, None, are grey."""
        parts = [part for place in self._stickers for part in self._at(place, state, solved)]
        return Scene((*parts, *self.home.get(None, [])), self._parts[1], self._body.up, self._body.front)

    def _at(self, place: Vector, state: Labels, solved: Arrangement) -> list[Part]:
        """Return the part that is in a place."""
        if any(state[self._numbers[place, facing]] is None for facing in self._stickers[place]):
            return _grey(self.home[place])
        label = state[self._numbers[place, self._stickers[place][0]]]
        assert label is not None  # as all here
        home = self._solid.points[solved.index(label)][0]
        matrix = next(
            matrix
            for target, matrix in self._ways[home]
            if target == place
            and all(
                state[self._numbers[place, image(matrix, facing)]] == solved[self._numbers[home, facing]]
                for facing in self._stickers[home]
            )
        )
        if (home, matrix) not in self._turned:
            self._turned[home, matrix] = [turned_part(part, matrix) for part in self.home[home]]
        return self._turned[home, matrix]

    def motion(self, step: Power) -> Motion:
        """Return the motion of a step."""
        return motion(self._solid.cuts[step.name], step.amount)


def outlined(solid: Solid, body: Body, state: Arrangement) -> Scene:
    """Return the stickers of a state of a puzzle whose cuts are round; those of pieces without direction face away."""
    assert body.outline is not None  # callers ensure this
    colours, parts = {face.normal: face.colour for face in body.faces}, list[Part]()
    for (place, facing), label in zip(solid.points, state, strict=True):
        home, looks = solid.points[label]
        parts.append((Side(tuple(body.outline(place, facing)), colours[home if looks == NOWHERE else looks]),))
    return Scene(tuple(parts), (), body.up, body.front)


class PaintedShape(SolidShape):
    """A puzzle in space all of whose pieces have stickers, and whose moves keep its shape: a state only paints it."""

    def __init__(self, solid: Solid, body: Body) -> None:
        super().__init__(solid, body)
        self._colours = {face.normal: face.colour for face in body.faces}
        self._faces = {colour: normal for normal, colour in self._colours.items()}

    def scene(self, state: Labels, solved: Arrangement) -> Scene:
        """Return the scene of a state. What belongs to no piece is dark."""
        scene = super().scene(state, solved)
        dark = _grey(self.home.get(None, []))
        return scene._replace(parts=(*scene.parts[: len(scene.parts) - len(dark)], *dark))

    def _at(self, place: Vector, state: Labels, solved: Arrangement) -> list[Part]:
        def painted(side: Side) -> Side:
            if side.colour is None:
                return side
            label = state[self._numbers[place, self._faces[side.colour]]]
            colour = EMPTY if label is None else self._colours[self._solid.points[solved.index(label)][1]]
            return side._replace(colour=colour)

        return [tuple(map(painted, part)) for part in self.home[place]]


def _grey(parts: Iterable[Part]) -> list[Part]:
    return [tuple(side._replace(colour=side.colour and EMPTY) for side in part) for part in parts]
