"""The cubes of four to seven layers.

A wing is a piece beside the middle of an edge. It has one orientation in each place, so it is one point. The two wings
of an edge have the names UF and FU. The centres of a face look alike.

Phases solve the 4x4x4: its centres, its pairs of wings, and then a 3x3x3 by turns of outer layers. Larger cubes are
reduced in stages; see `stages`.

A solution may end in any orientation, so one of two opposite wide moves is enough: Uw, Rw and Fw. Each phase ends in
the group of the next.

1. The centres of R and L are on R and L; then Uw and Fw make half turns only.
2. All centres are on their axes, and half turns bring those of R and L home. The places of wings fall into two halves:
   each pair has a wing in each half, and the permutation of all wings is even. Then R, L and Rw make half turns.
3. Half turns bring the centres of F and B home. The wings in the middle layer form pairs. Then F and B make half turns.
4. The puzzle is a 3x3x3: all pairs are joined, all centres are solved, and pairs and corners have the same sign.
5. and 6. are those of Kociemba's algorithm.

The names of the twelve pairs do not matter until they are joined. No coordinate of moderate size has this symmetry in
the second and the third phase, so their tables are of centres and signs: of 660 states that these allow, one is in the
third group, and of 2,970 one is in the fourth. Until the end, the centres are solved up to half turns of the puzzle.

If the puzzle is held, so that it must not end in another orientation, the phases are the same. Moves of inner layers
can take the place of wide moves, as a phase may turn the outer layer of a face as far. All six make solutions shorter;
six wide moves would also rotate the puzzle, and take ten times as long.

Source: the first two phases are those of Chen Shuang's solver (github.com/cs0x7f/TPR-4x4x4-Solver), whose third one is
the third and the fourth here, with a table of all permutations of the pairs.
"""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from cubesolve.catalog.nxnxn.stages import WIDE, Cube, last_phases, reduction
from cubesolve.catalog.pins import pinned_phases
from cubesolve.definition.definition import Definition
from cubesolve.definition.facelets import count_fault, facelet_names, facelet_text, facelets_by_place, shown
from cubesolve.definition.geometry import CORNERS, EDGES, Cut, Piece, Solid, body_rotations, cubies, is_mirror, solid
from cubesolve.definition.notation import FACES
from cubesolve.definition.phases import Coordinate, Phase
from cubesolve.definition.piece_view import PieceView
from cubesolve.definition.shapes import cube_scene, motion
from cubesolve.definition.state import State
from cubesolve.definition.texts import ORBITS_END
from cubesolve.definition.view import Form
from cubesolve.errors import InvalidStateError
from cubesolve.group.permutations import after, arrangement, identity
from cubesolve.picture.pictures import USUAL, Picture, net
from cubesolve.picture.scenes import Motion, Scene
from cubesolve.picture.vectors import NORMALS, Vector, cube_symmetries, image
from cubesolve.search.phased import PhasedRules, phases_entry
from cubesolve.spaces.defined import DerivedRules

_SIZES = {f"{size}x{size}x{size}": size for size in (4, 5, 6, 7)}

NAMES = tuple(_SIZES)

UNLISTED = ("4x4x4-layers", "4x4x4-blocks")
"""The 4x4x4 that must end in the orientation in which it began, by what its moves turn; see `catalog.solvers`."""

ALIASES = {alias: name for name, size in _SIZES.items() for alias in (f"{size}x{size}", f"{size}{size}{size}")}
"""Other names of these puzzles, such as those of the events of the World Cube Association."""


def rules(name: str) -> DerivedRules:
    """Return the rules of a puzzle of this module."""
    phased = functools.partial(
        PhasedRules, phases_entry=phases_entry(name, *pinned_phases(name)), usual_length=USUAL_LENGTHS[name]
    )
    if name in UNLISTED:
        return phased(_held_view(name), phases, scramble_nodes=SCRAMBLE_NODES)
    cube = _cube(name, _SIZES[name])
    view = CubeView(cube.definition, f"{name} cube", solid=cube)
    if name == "4x4x4":
        return phased(view, phases, scramble_nodes=SCRAMBLE_NODES, rotations=ROTATIONS)
    return phased(
        view, last_phases, scramble_nodes=SCRAMBLE_NODES_OF_STAGES, rotations=ROTATIONS_OF_AXES, reduction=reduction
    )


def _held_view(name: str) -> PieceView:
    moves = name.removeprefix("4x4x4-")
    wide = _cube("4x4x4", 4).definition
    single = [*FACES, *(f"2{face}" for face in FACES)]
    chosen = single if moves == "layers" else [step.name for step in wide.chosen]
    generators = {step: wide.generators[step] for step in chosen}
    untouched = identity(wide.points)
    rotations = [wide.apply(untouched, wide.parse(alg)) for alg in ROTATIONS]
    definition = Definition(name, wide.orbits, wide.solved, generators)
    return PieceView(definition, f"held 4x4x4 cube by {moves}", rotations=rotations)


# -- The definition ----------------------------------------------------------------------------------------------------


def _cube(name: str, size: int) -> Solid:
    """Return a cube whose moves are those of its outer half of layers.

    Algs may have wider ones, and inner layers: `2R` turns one of these, `2-3Rw` several.
    """
    layers = itertools.product(range(1, size), FACES)
    cuts = {_move(face, number): Cut(NORMALS[face], size - 2 * number, 4) for number, face in layers}
    for first, last in itertools.combinations_with_replacement(range(2, size), 2):
        for face in FACES:
            move = f"{first}{face}" if first == last else f"{first}-{last}{face}w"
            cuts[move] = Cut(NORMALS[face], size - 2 * last, 4, below=size - 2 * (first - 1))
    whole = solid(name, dict(_kinds(size)), cuts, body_rotations({"x": 4, "y": 4, "z": 4}))
    moves = " ".join(_move(face, layers) for layers in range(1, size // 2 + 1) for face in FACES)
    return whole._replace(definition=whole.definition._replace(chosen=tuple(whole.definition.parse(moves))))


def _move(face: str, layers: int) -> str:
    """Return the name of a move: World Cube Association, Regulations, 12a."""
    return face if layers == 1 else f"{face}w" if layers == 2 else f"{layers}{face}w"


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
    pieces = cubies(names)
    places = ((factor * x, factor * y, factor * z) for x, y, z in (piece.place for piece in pieces))
    return [piece._replace(place=place) for piece, place in zip(pieces, places, strict=True)]


def _rotated(name: str, place: Vector) -> list[Piece]:
    """Return the images of a piece under the rotations of the cube; one sticker is enough to distinguish them."""
    pieces = {}
    for matrix in cube_symmetries():
        if not is_mirror(matrix):
            position, looks = image(matrix, place), [image(matrix, NORMALS[face]) for face in name]
            pieces[position] = Piece("".join(map(_FACE_OF.__getitem__, looks)), position, (looks[0],))
    return sorted(pieces.values(), key=lambda piece: [FACES.index(face) for face in piece.name])


_FACE_OF: Mapping[Vector, str] = {normal: face for face, normal in NORMALS.items()}


# -- Its notation and pictures -----------------------------------------------------------------------------------------


class _Place(NamedTuple):
    name: str  # the faces on which it has facelets
    facelets: tuple[int, ...]  # these facelets
    words: Mapping[str, tuple[int, ...]]  # the labels of each piece that can be there, by the colours of these facelets

    def labels(self, looks: str, size: int) -> tuple[int, ...]:
        """Return the labels of the piece with some colours."""
        if looks not in self.words:
            names = [facelet_names(size)[facelet] for facelet in self.facelets]
            where = f"{self.name} (facelets {' '.join(names)})"
            raise InvalidStateError(f"{where} shows {shown(looks)}, which no piece does", "piece", facelets=names)
        return self.words[looks]


class CubeView(PieceView):
    """A cube of any number of layers, whose states are also written as facelets."""

    solid: Solid

    @functools.cached_property
    def size(self) -> int:
        """The number of layers."""
        return round(max(x for (x, _, _), _ in self.solid.points)) + 1

    @functools.cached_property
    def forms(self) -> Mapping[str, Form]:
        """The notations of states: those of other puzzles, and facelets."""
        number = 6 * self.size**2
        facelets = Form(self._from_facelets, self.facelets, f"{number} facelets in the order U R F D L B, row by row")
        return {**super().forms, "urfdlb": facelets}

    @functools.cached_property
    def _places(self) -> list[_Place]:
        numbers, positions = facelets_by_place(self.size), [position for position, _ in self.solid.points]
        return [
            _Place(name, tuple(numbers[positions[points[0]], NORMALS[face]] for face in name), vocabulary.words)
            for vocabulary in self.texts.vocabularies
            for name, points in zip(vocabulary.homes, vocabulary.places, strict=True)
        ]

    def facelets(self, state: State) -> str:
        """Return the face letters of the facelets of a state: the letters of the piece in each place."""
        symbols, words = [""] * (6 * self.size**2), self.texts.write(state.arrangement).replace(ORBITS_END, "").split()
        for place, word in zip(self._places, words, strict=True):
            for facelet, symbol in zip(place.facelets, word, strict=True):
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
        words = ["".join(symbols[facelet] for facelet in place.facelets) for place in self._places]
        pieces = [place.labels(word, self.size) for place, word in zip(self._places, words, strict=True)]
        labels = [*itertools.chain.from_iterable(pieces)]
        counts, wanted = Counter(labels), Counter(self.definition.solved[0])
        for word, (label, *_) in zip(words, pieces, strict=True):
            if counts[label] > wanted[label]:
                raise InvalidStateError(f"the piece {shown(word)} is there {counts[label]} times", "repeated")
        return self.state(arrangement(labels))

    def draw(self, state: State) -> Picture:
        """Return the net of a cube."""
        return net(self.facelets(state), FACES)

    def build(self, state: State) -> Scene:
        """Return the stickers of a cube in space."""
        return cube_scene(self.size, [USUAL[face] for face in self.facelets(state)])

    def motion(self, state: State, move: str) -> Motion:  # noqa: ARG002
        """Return the motion of a move in the scene of a cube."""
        (step,) = self.definition.parse(move)
        cut = self.solid.cuts[step.name]
        if step.name not in self.definition.rotations:
            cut = cut._replace(beyond=cut.beyond / 2, below=cut.below / 2)  # cubies of a scene have length 1
        return motion(cut, step.amount)


# -- Phases that solve the 4x4x4 ---------------------------------------------------------------------------------------

# Numbers of moves within which nearly all states are solved at once.
USUAL_LENGTHS = {"4x4x4": 56, "4x4x4-layers": 54, "4x4x4-blocks": 54, "5x5x5": 95, "6x6x6": 165, "7x7x7": 235}
SCRAMBLE_NODES, SCRAMBLE_NODES_OF_STAGES = 1 << 23, 1 << 24  # of the search that makes a scramble short
ROTATIONS_OF_AXES = ("", "x y", "x y'")  # permute the axes cyclically: the centres of one axis come first
ROTATIONS = ("", "x", "y", "z", "x y", "x y'")  # permute the axes in all ways; phases are the same after half turns

_GROUPS = ((0, WIDE[0]), (0, WIDE[1]), (1, WIDE[2]), (2, WIDE[2]), (0, ""), (2, ""))
"""Turns of outer layers by number, and wide moves."""

_NODES = (0, 1 << 20, 1 << 14, 1 << 14, 1 << 14, 1 << 12)  # the search of the first phase is not limited


def phases(definition: Definition) -> list[Phase]:
    """Return the phases of the 4x4x4."""
    cube, rotations, alike = Cube(definition), definition.rotations, Coordinate.alike
    (layer,) = cube.layers
    # Half turns of the whole puzzle, if it need not end as it is held.
    half_turns = tuple(after(rotations[name], rotations[name]) for name in "xy") if rotations else ()
    up, right, front, left, back, down = (cube.centres(layer.corners, face, face).classes[0] for face in "URFLBD")
    at_home = frozenset({up, right, front, left, back, down})
    wings, half, corners = frozenset(layer.wings), frozenset(cube.thread), frozenset(cube.kinds["CORNERS"])
    middle = cube.middle_layer
    pairs = frozenset(cube.joined((), (), range(12)).classes)
    sign_of_wings = Coordinate.of(wings)._replace(reads="sign")
    # In the half, each wing stands for its pair, wherever the other one is.
    sign = Coordinate(pairs | Coordinate.of(corners).classes, reads="sign", points=half | corners)
    centres = Coordinate(at_home, half_turns)

    def joined(points: frozenset[int]) -> Coordinate:
        return Coordinate(pairs, reads="partition", points=points)

    def relative(labels: frozenset[int]) -> Coordinate:
        """Return the places of labels, where the centres are at home."""
        return Coordinate(Coordinate.of(labels).classes | at_home, half_turns)

    first = [alike(right), alike(left)]
    second = [sign_of_wings, alike(right), alike(front | back)]
    third = [sign, sign_of_wings, centres]
    fourth = [sign, joined(middle), joined(wings - middle), centres, alike(up), Coordinate(frozenset({right, front}))]
    fifth = [alike(cube.twists), alike(middle), alike(half)]
    last = [relative(corners), relative(half & middle), relative(half - middle)]
    tables: list[tuple[list[Coordinate], list[tuple[int, ...]]]] = [
        (first, [(0,), (1,)]),
        (second, [(0, 1), (1, 2), (0, 2)]),
        (third, [(0, 1), (0, 2)]),
        (fourth, [(0, 1), (1, 2), (3, 0), (2, 4), (2, 5)]),
        (fifth, [(0, 1), (1, 2)]),
        (last, [(0, 1), (1, 2)]),
    ]
    return [
        Phase(cube.moves(outer, wide), tuple(coordinates), tuple(numbers), nodes=nodes)
        for (outer, wide), (coordinates, numbers), nodes in zip(_GROUPS, tables, _NODES, strict=True)
    ]
