"""Stages that reduce the cubes of five to seven layers to a 3x3x3: its centres, and edges of a middle piece and wings.

Wide moves turn two layers, or three; those of two turn the outer wings, those of three also the inner ones. The centres
of a layer are at the corners of a square, and in *bars* between these. A bar of the 7x7x7 is three centres long, one of
the 6x6x6 two.

1. The centres of R and L are on R and L: first the inner ones; then bars are made alike, which wide moves of two layers
   move as a whole, and then the outer ones. After that all wide moves but those of R and L make half turns.
2. So are the centres of F and B, and the permutation of the wings of each layer is even. Then all wide moves make half
   turns.
3. If there are inner wings, bars are as the inner centres that move with them as long as all wide moves are of three
   layers. So these make bars alike again when they solve the inner centres. On each axis, the bars may also have the
   colour of the opposite face everywhere.

The rest is done for the inner wings by wide moves of three layers, and then for the outer ones by those of two. The
6x6x6 has no middle pieces: the pairs of its inner wings take their place.

4. The places of wings fall into two halves, as do the places of stickers of middle pieces: in each half is one of each
   edge, and those of an edge in the first half belong together. Then R and L make half turns, too, which bring their
   centres home. Any edges may be flipped, so there are 2,048 ways to name the halves.
5. Four edges, whichever they are, are joined in the middle layer; half turns bring the centres of F and B home. Then
   F and B make half turns, and the wide moves of U and D no turns.
6. All edges are joined, and all centres of the layer are solved.

The turns of outer layers then solve the 3x3x3 as in Kociemba's algorithm.

In the fourth and the fifth stage, tables also have the parity of the quarter turns that are left of R and L, or of F
and B. It is not known, so both are tried. Without it, beams often end where some tables need an even number of turns,
and others an odd one.

Source: for the 5x5x5, the phases of Chen Shuang's solver (github.com/cs0x7f/cube555), whose tables are larger.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from cubesolve.definition.definition import Definition
from cubesolve.definition.facelets import turned
from cubesolve.definition.phases import Coordinate, Phase, Places, Reduction, Stage
from cubesolve.group.permutations import Permutation, orbits

_EDGES = tuple(map(frozenset, ("FR", "FL", "BR", "BL", "UR", "UL", "DR", "DL", "UF", "UB", "DF", "DB")))
_OUTER = ("U R F D L B", "U R2 F D L2 B", "U R2 F2 D L2 B2")
WIDE = ("U R F D L B", "U2 R F2 D2 L B2", "U2 R2 F2 D2 L2 B2")
_AXES = (("RL", "R"), ("FB", "F"), ("UD", "U"))
_OPPOSITE = {"U": "D", "R": "L", "F": "B"}

_Kind = dict[int, str]  # points of an orbit, and their names, which begin with the face on which a point is


class _Layer(NamedTuple):
    """The pieces that are as far from a face."""

    number: int  # the layers of the wide moves that turn the wings alone
    wings: _Kind
    halves: list[list[int]]  # the points of each half of the wings, in the order of edges
    corners: _Kind  # centres
    bar: list[_Kind]  # those between corners, first those in the middle if there are any

    @property
    def centres(self) -> list[_Kind]:
        """The centres at corners, and those that stand for bars."""
        return [self.corners, *self.bar[:1]]


class Cube:
    """The pieces of a cube; labels of corners, middle pieces and wings are the points where they are at home."""

    def __init__(self, definition: Definition) -> None:
        self._definition, self._solved = definition, definition.solved[0]
        self.kinds = {
            orbit.name: {
                point: name
                for piece, points in zip(orbit.names, places, strict=True)
                for point, name in zip(points, turned(piece), strict=False)  # one alone, if pieces have no orientation
            }
            for orbit, places in definition.places
        }
        centres = {
            tuple(map(int, name.split("-")[1:])): kind
            for name, kind in self.kinds.items()
            if name.startswith("CENTRES")
        }
        distances = sorted({max(place) for place in centres}, reverse=True)
        wings = [self.kinds[f"WINGS-{distance}"] for distance in distances]
        self.is_even = "EDGES" not in self.kinds
        self.middles, self._half = wings[-1] if self.is_even else self.kinds["EDGES"], len(distances) + 1
        self._kinds = [self.middles, *(wings[:-1] if self.is_even else wings)]
        self.edge_of = {point: _EDGES.index(frozenset(name)) for kind in self._kinds for point, name in kind.items()}
        threads = [
            sorted(orbit, key=self.edge_of.__getitem__)
            for orbit in self._orbits(self.moves(1, *[WIDE[2]] * len(distances)))
            if orbit[0] in self.edge_of
        ]
        self.twists = [corner for corner, name in self.kinds["CORNERS"].items() if name[0] in "UD"]
        self.middle_layer = frozenset(label for label, name in self.middles.items() if not set(name) & set("UD"))
        # The points of middle pieces in the order of edges.
        self.thread = next(thread for thread in threads if min(self.middles) in thread)
        self.layers = [
            _Layer(
                number,
                kind,
                [thread for thread in threads if thread[0] in kind],
                centres.pop((distance, distance)),
                [centres[place] for place in sorted(centres, key=all) if max(place) == distance],
            )
            for number, (distance, kind) in enumerate(zip(distances, wings, strict=True), 2)
        ]
        self.signs = [self._apart(layer.wings) for layer in self.layers]
        # Quarter turns of R and L, and of F and B; their parity is a guess.
        corners = self.layers[0].corners
        self.signs += [Places(tuple(p for p in corners if corners[p] in faces), ()) for faces, _ in _AXES[:2]]
        if self.is_even:  # two pairs of wings may be exchanged, although the permutation of the wings is even
            twelve, apart = self.joined(self.thread, (), range(12)), self._apart(self.kinds["CORNERS"])
            self.signs.append(Places(twelve.points + apart.points, twelve.classes + apart.classes))

    def moves(self, outer: int, *wide: str) -> tuple[int, ...]:
        """Return moves of outer layers, of two layers and of three; of opposite halves of the cube, one is enough.

        If moves turn single layers, opposite inner ones turn instead of a half.
        """
        names, generators = [_OUTER[outer]], self._definition.generators
        for layers, turns in enumerate(wide, 2):
            is_half = self.is_even and layers == self._half
            for turn in turns.split():
                face, name = turn[0], f"{layers if layers > 2 else ''}{turn[0]}w"
                if not is_half or face in _OPPOSITE:
                    several = [name] if name in generators else [f"2{face}", f"2{_OPPOSITE[face]}"]
                    names += [each + turn[1:] for each in several]
        return Phase.of(self._definition, " ".join(names), [], []).moves

    def _changes(self, moves: Iterable[int]) -> list[Permutation]:
        listed = self._definition.moves()
        return [listed[number].effects[0].sources for number in moves]

    def _orbits(self, moves: Iterable[int]) -> Sequence[Sequence[int]]:
        return orbits(len(self._solved), self._changes(moves))

    def _apart(self, kind: _Kind) -> Places:
        return Places(tuple(kind), tuple(frozenset({label}) for label in kind))

    def colours(self, points: Iterable[int], kind: _Kind, colours: str) -> Places:
        """Return which of some points have centres of some colours."""
        chosen = tuple(points)
        return Places(chosen, (frozenset(self._solved[point] for point in chosen if kind[point] in colours),))

    def centres(self, kind: _Kind, faces: str, colours: str) -> Places:
        """Return which centres of some faces have some colours."""
        return self.colours((point for point in kind if kind[point] in faces), kind, colours)

    def bar(self, kind: _Kind, colours: str, moves: Sequence[int]) -> Places:
        """Return which centres have some colours, those of a bar in the same order: moves move them together."""
        changes = self._changes(moves)
        together = sorted(kind, key=lambda point: [change[point] == point for change in changes])
        return self.colours(together, kind, colours)

    def columns(self, kind: _Kind, moves: Sequence[int]) -> Iterator[Places]:
        """Yield centres of R and L, and of F and B, that moves take to the opposite face: one of each column."""
        for faces, colour in _AXES[:2]:
            several = (orbit for orbit in self._orbits(moves) if {kind.get(point) for point in orbit} == {*faces})
            yield self.colours(next(orbit for orbit in several if len(orbit) == 4), kind, colour)

    def joined(self, points: Sequence[int], others: Sequence[int], chosen: range) -> Places:
        """Return which points have the labels of some edges, and where those of the same edges are on others."""
        edges = tuple(frozenset(p for p, edge in self.edge_of.items() if edge == number) for number in chosen)
        return Places(tuple(points), edges, tuple(others))

    def sign(self, number: int) -> Places:
        """Return the places of a sign."""
        point = len(self._solved) + 2 * number
        return Places((point, point + 1), (frozenset({point}),))

    def with_both(self, number: int, renamings: Iterable[bytes]) -> tuple[bytes, ...]:
        """Return renamings, each with both values of a sign."""
        (one, other), _, _ = self.sign(number)
        exchanged = _exchanging([(one, other)])
        return tuple(both for renaming in renamings for both in (renaming, renaming.translate(exchanged)))

    def opposites(self, kinds: Sequence[_Kind]) -> Iterator[bytes]:
        """Yield the ways to exchange the colours of opposite faces of some kinds of centres, on any axes."""
        of_faces = [{face: self._solved[point] for point, face in kind.items()} for kind in kinds]
        for exchanged in itertools.product((False, True), repeat=len(_AXES)):
            axes = [tuple(faces) for faces, _ in itertools.compress(_AXES, exchanged)]
            yield _exchanging((labels[one], labels[other]) for one, other in axes for labels in of_faces)

    def flips(self) -> Iterator[bytes]:
        """Yield the ways to flip an even number of edges: the wings and the stickers change their names."""
        pairs = [
            [sorted(point for point in kind if self.edge_of[point] == edge) for kind in self._kinds]
            for edge in range(len(_EDGES))
        ]
        for flipped in itertools.product((False, True), repeat=len(_EDGES)):
            if sum(flipped) % 2 == 0:
                yield _exchanging(itertools.chain.from_iterable(itertools.compress(pairs, flipped)))

    def fours(self) -> Iterator[bytes]:
        """Yield the ways to choose four edges, which get the names of the first four."""
        of_edge = [[point for point, own in self.edge_of.items() if own == edge] for edge in range(len(_EDGES))]
        for chosen in itertools.combinations(range(len(_EDGES)), 4):
            others = [edge for edge in range(len(_EDGES)) if edge not in chosen]
            names = {
                label: new
                for edge, name in zip([*chosen, *others], range(len(_EDGES)), strict=True)
                for label, new in zip(of_edge[edge], of_edge[name], strict=True)
            }
            yield bytes(names.get(label, label) for label in range(256))


def _exchanging(pairs: Iterable[Sequence[int]]) -> bytes:
    """Return the renaming that exchanges two labels of each pair."""
    names = {one: other for a, b in pairs for one, other in ((a, b), (b, a))}
    return bytes(names.get(label, label) for label in range(256))


def reduction(definition: Definition) -> Reduction:
    """Return the stages of a cube."""
    cube = Cube(definition)
    stages = [*_on_axis(cube, 0), *_on_axis(cube, 1)]
    if len(cube.layers) > 1:
        stages.append(_bars_as_inner_centres(cube))
    for layer in reversed(cube.layers):
        stages += _joining(cube, layer)
    return Reduction(tuple(stages), tuple(cube.signs))


def _on_axis(cube: Cube, axis: int) -> Iterator[Stage]:
    """Yield the stages that bring centres to R and L, or to F and B."""
    faces, (wide, later) = _AXES[axis][0], WIDE[axis : axis + 2]
    every = "URFDLB" if axis == 0 else "UFDB"
    for number, layer in reversed([*enumerate(cube.layers)]):
        is_inner = layer is cube.layers[-1]
        moves = cube.moves(0, *[wide] * (len(cube.layers) if is_inner else 1))
        if not is_inner:
            bars = tuple(cube.bar(kind, faces, moves) for kind in layer.bar)
            pairs = tuple(itertools.combinations(range(len(bars)), 2))
            yield Stage(cube.moves(0, wide, later), bars, (), pairs)
        places, signs = [cube.centres(kind, every, faces) for kind in layer.centres], [cube.sign(number)] * axis
        tables = tuple((kind, *[len(places)] * axis) for kind in range(len(places)))
        yield Stage(moves, (*places, *signs), tables)


def _bars_as_inner_centres(cube: Cube) -> Stage:
    outer, inner = cube.layers
    kinds = [inner.corners, *outer.bar[-2:], *outer.bar[:-2], *inner.bar]
    tables = [(0, 1, 2), (1, 3, 4), (2, 3, 4)] if inner.bar else [(0, 1, 2)]
    return Stage(
        cube.moves(0, WIDE[2], WIDE[2]),
        tuple(cube.centres(kind, faces, colour) for faces, colour in _AXES for kind in kinds),
        tuple(tuple(len(kinds) * axis + kind for kind in table) for axis in range(len(_AXES)) for table in tables),
        renamings=tuple(cube.opposites(outer.bar)),
    )


def _joining(cube: Cube, layer: _Layer) -> Iterator[Stage]:
    """Yield the stages that join the wings of a layer, and solve its centres."""
    right, front, exchanged = range(len(cube.layers), len(cube.layers) + 3)  # signs

    def moves(outer: int, wide: str) -> tuple[int, ...]:
        return cube.moves(outer, *[""] * (layer.number - 2), wide)

    middles = [] if layer.wings is cube.middles else [cube.thread]
    threads = [*itertools.combinations([*middles, *layer.halves], 2)]
    sides, fronts, tops = ([cube.centres(kind, faces, colour) for kind in layer.centres] for faces, colour in _AXES)
    parity = cube.sign(right)
    half = Places((*layer.wings, *parity.points), (frozenset(layer.halves[0]) | parity.classes[0],))
    alike = [Places(tuple(thread), (frozenset(thread),)) for thread in middles] + sides
    pairs: list[tuple[int, ...]] = [*itertools.combinations(range(1, len(alike) + 1), 2)] or [(1,)]
    yield Stage(
        moves(0, WIDE[2]),
        (half, *alike, parity),
        ((0,), *((*pair, len(alike) + 1) for pair in pairs)),
        renamings=cube.with_both(right, cube.flips()),
    )
    count, kinds = len(threads), len(sides)
    of_sides, of_fronts = range(count, count + kinds), range(count + kinds, count + 2 * kinds)
    yield Stage(
        moves(1, WIDE[2]),
        (*(cube.joined(*pair, range(4)) for pair in threads), *sides, *fronts, cube.sign(front)),
        tuple((count + 2 * kinds, *part) for part in (*([each] for each in range(count)), of_sides, of_fronts)),
        renamings=cube.with_both(front, cube.fours()),
    )
    chosen = moves(2, "R2 F2 L2 B2")
    columns = cube.columns(layer.centres[-1], chosen)
    of_tops, of_columns = range(count, count + kinds), range(count + kinds, count + kinds + 2)
    last = [] if middles else [count + kinds + 2]
    yield Stage(
        chosen,
        (
            *(cube.joined(one[4:], other[4:], range(12)) for one, other in threads),
            *tops,
            *columns,
            *(cube.sign(exchanged) for _ in last),
        ),
        (
            *((*last, kind, pair) for pair in range(count) for kind in of_tops),
            *((*last, *of_columns, pair) for pair in range(count)),
            (*of_tops, *of_columns),
        ),
    )


def last_phases(definition: Definition) -> list[Phase]:
    """Return the phases of Kociemba's algorithm, for turns of outer layers."""
    cube, alike = Cube(definition), Coordinate.alike
    layer = cube.middle_layer
    first = [alike(cube.twists), alike(layer), alike(cube.thread)]
    last = [Coordinate.of(labels) for labels in (cube.kinds["CORNERS"], layer, cube.middles.keys() - layer)]
    return [
        Phase.of(definition, _OUTER[0], first, [(0, 1), (2, 1)], 1 << 14),
        Phase.of(definition, _OUTER[2], last, [(0, 1), (2, 1)], 1 << 12),
    ]
