"""The cubes of four to seven layers; see `reduction` for how the smallest is solved.

A wing is a piece beside the middle of an edge. It has one orientation in each place, so it is one point. The two wings
of an edge have the names UF and FU. The centres of a face look alike.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from cubesolve.catalog.nxnxn import reduction
from cubesolve.definition.definition import Definition
from cubesolve.definition.facelets import (
    FACE_NORMALS,
    count_fault,
    facelet_names,
    facelet_text,
    facelets_by_place,
    shown,
)
from cubesolve.definition.geometry import (
    CORNERS,
    EDGES,
    NORMALS,
    Cut,
    Piece,
    Solid,
    Vector,
    body_rotations,
    cube_symmetries,
    cubies,
    image,
    is_mirror,
    opposite,
    solid,
)
from cubesolve.definition.notation import FACES
from cubesolve.definition.piece_view import PieceView
from cubesolve.definition.shapes import cube_scene, motion
from cubesolve.definition.state import State
from cubesolve.definition.view import Form
from cubesolve.errors import InvalidStateError
from cubesolve.group.moves import Effect
from cubesolve.group.permutations import after, arrangement, identity, inverse
from cubesolve.picture.pictures import USUAL, Picture, net
from cubesolve.picture.scenes import Motion, Scene
from cubesolve.search.phased import PhasedRules
from cubesolve.spaces.defined import DerivedRules

_LARGEST_REDUCED = 4
_SCRAMBLE_DEPTH = 2
"""World Cube Association, Regulations, 4b3: the rule for all puzzles without one of their own."""

_SIZES = {f"{size}x{size}x{size}": size for size in (4, 5, 6, 7)}

NAMES = tuple(_SIZES)
"""The puzzles of this module."""

_HELD = {f"4x4x4-{moves}": moves for moves in ("layers", "blocks")}
"""For each 4x4x4 that must end in the orientation in which it began, the parts that its moves turn."""

UNLISTED = tuple(_HELD)
"""Puzzles of this module that files define under other names; see `catalog.solvers`."""

ALIASES = {alias: name for name, size in _SIZES.items() for alias in (f"{size}x{size}", f"{size}{size}{size}")}
"""Other names of these puzzles, such as those of the events of the World Cube Association."""


def rules(name: str) -> DerivedRules | None:
    """Return the rules of a puzzle of this module, by name; None for other names."""
    if name in _HELD:
        return _held_cube(_HELD[name])
    if name not in _SIZES:
        return None
    cube = _cube(name, _SIZES[name])
    view = CubeView(cube.definition, f"{name} cube", solid=cube)
    if _SIZES[name] > _LARGEST_REDUCED:
        return DerivedRules(view)
    return PhasedRules(
        view,
        reduction.phases,
        usual_length=reduction.USUAL_LENGTH,
        scramble_depth=_SCRAMBLE_DEPTH,
        scramble_nodes=reduction.SCRAMBLE_NODES,
        rotations=reduction.ROTATIONS,
        pinned_phases=reduction.PINNED_PHASES,
    )


def _held_cube(moves: str) -> PhasedRules:
    """Return a 4x4x4 that is held."""
    wide = _cube("4x4x4", 4).definition
    generators = {step.name: wide.generators[step.name] for step in wide.chosen}
    if moves == "layers":
        outer = {face: generators[face][0].sources for face in FACES}
        inner = {f"2{face}": after(generators[f"{face}w"][0].sources, inverse(outer[face])) for face in FACES}
        generators = {name: (Effect(change),) for name, change in (outer | inner).items()}
    untouched = identity(wide.points)
    rotations = [wide.apply(untouched, wide.parse(alg)) for alg in reduction.ROTATIONS]
    definition = Definition(f"4x4x4-{moves}", wide.orbits, wide.solved, generators)
    return PhasedRules(
        PieceView(definition, f"held 4x4x4 cube by {moves}", rotations=rotations),
        reduction.phases,
        usual_length=reduction.USUAL_LENGTH_HELD,
        scramble_depth=_SCRAMBLE_DEPTH,
        scramble_nodes=reduction.SCRAMBLE_NODES,
        pinned_phases=reduction.PINNED_PHASES_HELD[moves],
    )


# -- The definition ----------------------------------------------------------------------------------------------------


def _cube(name: str, size: int) -> Solid:
    """Return a cube whose moves are those of its outer half of layers; algs may have wider ones and inner slices."""
    whole = solid(name, dict(_kinds(size)), _cuts(size), body_rotations({"x": 4, "y": 4, "z": 4}))
    moves = " ".join(_move(face, layers) for layers in range(1, size // 2 + 1) for face in FACES)
    definition = _with_alike_centres(_with_slices(whole.definition, size))
    return whole._replace(definition=definition._replace(chosen=tuple(definition.parse(moves))))


def _cuts(size: int) -> dict[str, Cut]:
    layers = range(1, size)
    return {_move(face, number): Cut(NORMALS[face], size - 2 * number, 4) for number in layers for face in FACES}


def _move(face: str, layers: int) -> str:
    """Return the name of a move: World Cube Association, Regulations, 12a."""
    return face if layers == 1 else f"{face}w" if layers == 2 else f"{layers}{face}w"


def _with_slices(definition: Definition, size: int) -> Definition:
    """Return the definition with turns of inner layers, `2R` of one and `2-3Rw` of several, as generators."""
    turns = {name: effects[0].sources for name, effects in definition.generators.items()}
    generators = dict(definition.generators)
    for first, last in itertools.combinations_with_replacement(range(2, size), 2):
        for face in FACES:
            name = f"{first}{face}" if first == last else f"{first}-{last}{face}w"
            outer = inverse(turns[_move(face, first - 1)])
            generators[name] = (Effect(after(turns[_move(face, last)], outer)),)
    return definition._replace(generators=generators)


_MOVE = re.compile(r"(?:(\d)-)?(\d?)(\w)(w?)")


def _layers(name: str) -> tuple[int, int, str]:
    """Return the first and the last layer that a move turns, and the face from which they are counted.

    >>> [_layers(name) for name in ("R", "Rw", "3Rw", "2R", "2-3Rw")]
    [(1, 1, 'R'), (1, 2, 'R'), (1, 3, 'R'), (2, 2, 'R'), (2, 3, 'R')]
    """
    match = _MOVE.fullmatch(name)
    assert match is not None  # callers name a move of layers
    last = int(match[2] or (2 if match[4] else 1))
    return int(match[1] or (1 if match[4] else last)), last, match[3]


def _kinds(size: int) -> Iterator[tuple[str, Sequence[Piece]]]:
    """Yield the orbits; as facelets have it, neighbouring pieces are two units apart."""
    outermost = size - 1
    inner = range(outermost - 2, 0, -2)
    yield "CORNERS", _scaled(CORNERS, outermost)
    if size % 2:
        yield "EDGES", _scaled(EDGES, outermost)
        yield "MIDDLES", _scaled(FACES, outermost)
    for x in inner:
        yield f"WINGS-{x}", _rotated("UF", (x, outermost, outermost))
    for x in inner:
        for z in range(outermost - 2, -1, -2):
            yield f"CENTRES-{x}-{z}", _rotated("U", (x, outermost, z))


def _scaled(names: Sequence[str], factor: int) -> list[Piece]:
    return [piece._replace(place=_times(factor, piece.place)) for piece in cubies(names)]


def _times(factor: int, vector: Vector) -> Vector:
    x, y, z = vector
    return (factor * x, factor * y, factor * z)


def _rotated(name: str, place: Vector) -> list[Piece]:
    """Return the images of a piece under the rotations of the cube; one sticker is enough to distinguish them."""
    found = {}
    for matrix in cube_symmetries():
        if not is_mirror(matrix):
            there, looks = image(matrix, place), [image(matrix, NORMALS[face]) for face in name]
            found[there] = Piece("".join(map(_FACE_OF.__getitem__, looks)), there, (looks[0],))
    return sorted(found.values(), key=lambda piece: [FACES.index(face) for face in piece.name])


_FACE_OF: Mapping[Vector, str] = {normal: face for face, normal in NORMALS.items()}


def _with_alike_centres(definition: Definition) -> Definition:
    """Return the definition with one label for all pieces of an orbit that have the same name."""
    first: dict[tuple[str, str], int] = {}
    labels = list[int]()
    for orbit in definition.orbits:
        for name in orbit.names:
            here = range(len(labels), len(labels) + orbit.orientations)
            labels += [first.setdefault((orbit.name, f"{name}+{turned}"), label) for turned, label in enumerate(here)]
    return definition._replace(solved=(arrangement(labels),))


# -- Its notation and pictures -----------------------------------------------------------------------------------------


class _Place(NamedTuple):
    """A place of a piece.

    Attributes:
        orbit: the number of its orbit.
        name: its name.
        points: its points.
        facelets: its facelets, those of its points first.
    """

    orbit: int
    name: str
    points: range
    facelets: tuple[int, ...]


class CubeView(PieceView):
    """A cube of any number of layers, whose states are also written as facelets."""

    @functools.cached_property
    def size(self) -> int:
        """The number of layers."""
        assert self.solid is not None  # as every cube here
        return len(self.solid.cuts.keys() - self.definition.rotations.keys()) // len(FACES) + 1

    @functools.cached_property
    def forms(self) -> Mapping[str, Form]:
        """The notations of states: those of other puzzles, and facelets."""
        number = 6 * self.size**2
        facelets = Form(self._from_facelets, self.facelets, f"{number} facelets in the order U R F D L B, row by row")
        return {**super().forms, "urfdlb": facelets}

    @functools.cached_property
    def _places(self) -> list[_Place]:
        assert self.solid is not None  # as every cube here
        places, begin = list[_Place](), 0
        for number, orbit in enumerate(self.definition.orbits):
            for name in orbit.names:
                points = range(begin, begin + orbit.orientations)
                places.append(_Place(number, name, points, self._facelets_at(points)))
                begin += orbit.orientations
        return places

    def _facelets_at(self, points: range) -> tuple[int, ...]:
        assert self.solid is not None  # as every cube here
        x, y, z = (int(value) for value in self.solid.points[points.start][0])
        decisive = [_FACE_OF[self.solid.points[point][1]] for point in points]
        faces = [face for face, (i, j, k) in FACE_NORMALS.items() if x * i + y * j + z * k == self.size - 1]
        numbers = facelets_by_place(self.size)
        return tuple(numbers[(x, y, z), FACE_NORMALS[face]] for face in dict.fromkeys([*decisive, *faces]))

    @functools.cached_property
    def _looks(self) -> Mapping[tuple[int, ...], str]:
        """The colours of the facelets of a place, by the labels of its points."""
        solved, area = self.definition.solved[0], self.size**2
        found = {}
        for place in self._places:
            labels, colours = tuple(solved[point] for point in place.points), [FACES[i // area] for i in place.facelets]
            for turned in range(len(labels)):
                shown = colours[turned:] + colours[:turned] if len(labels) > 1 else colours
                found[labels[turned:] + labels[:turned]] = "".join(shown)
        return found

    @functools.cached_property
    def _labels(self) -> Mapping[tuple[int, str], tuple[int, ...]]:
        """The reverse, by the number of the orbit."""
        solved = self.definition.solved[0]
        orbits = {solved[point]: place.orbit for place in self._places for point in place.points}
        return {(orbits[labels[0]], looks): labels for labels, looks in self._looks.items()}

    def facelets(self, state: State) -> str:
        """Return the face letters of the facelets of a state.

        >>> from cubesolve.catalog import rules_named
        >>> view = rules_named("4x4x4").view
        >>> view.facelets(view.read("Uw"))[16:32]
        'BBBBBBBBRRRRRRRR'
        """
        symbols = [""] * (6 * self.size**2)
        for place in self._places:
            looks = self._looks[tuple(state.arrangement[point] for point in place.points)]
            for facelet, symbol in zip(place.facelets, looks, strict=True):
                symbols[facelet] = symbol
        return "".join(symbols)

    def _from_text(self, text: str) -> State:
        symbols = facelet_text(text, self.size)
        if len(symbols) == 6 * self.size**2 and set(symbols) <= set(FACES):
            return self._from_facelets(text)
        return super()._from_text(text)

    def _from_facelets(self, text: str) -> State:
        symbols = facelet_text(text, self.size)
        if len(symbols) != 6 * self.size**2:
            raise InvalidStateError(f"a {self.title} has {6 * self.size**2} facelets, not {len(symbols)}", "length")
        fault = count_fault(symbols, FACES)
        if fault is not None:
            raise fault
        labels = list[int]()
        for place in self._places:
            labels += self._piece(place, "".join(symbols[facelet] for facelet in place.facelets))
        self._require_all(labels)
        return self.state(arrangement(labels))

    def _piece(self, place: _Place, looks: str) -> tuple[int, ...]:
        found = self._labels.get((place.orbit, looks))
        if found is None:
            names = [facelet_names(self.size)[facelet] for facelet in place.facelets]
            where = f"{place.name} (facelets {' '.join(names)})"
            raise InvalidStateError(f"{where} shows {shown(looks)}, which no piece does", "piece", facelets=names)
        return found

    def _require_all(self, labels: Sequence[int]) -> None:
        """Reject pieces of which there are too many."""
        there, wanted = Counter(labels), Counter(self.definition.solved[0])
        for place in self._places:
            label = labels[place.points.start]
            if there[label] > wanted[label]:
                looks = self._looks[tuple(labels[point] for point in place.points)]
                raise InvalidStateError(f"the piece {shown(looks)} is there {there[label]} times", "repeated")

    def draw(self, state: State) -> Picture:
        """Return the net of a cube."""
        return net(self.facelets(state), FACES)

    def build(self, state: State) -> Scene:
        """Return the stickers of a cube in space."""
        return cube_scene(self.size, [USUAL[face] for face in self.facelets(state)])

    def motion(self, state: State, move: str) -> Motion:  # noqa: ARG002
        """Return the motion of a move in the scene of a cube."""
        assert self.solid is not None  # as every cube here
        (step,) = self.definition.parse(move)
        if step.name in self.definition.rotations:
            return motion(self.solid.cuts[step.name], step.amount)
        first, last, face = _layers(step.name)
        axis, half = NORMALS[face], self.size / 2  # cubies of a scene have length 1
        turn = motion(Cut(axis, half - last, 4), step.amount)
        outer = motion(Cut(opposite(axis), first - 1 - half, 4), 1)
        return turn if first == 1 else turn._replace(beyond=turn.beyond + outer.beyond)
