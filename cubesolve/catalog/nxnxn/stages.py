"""Stages that reduce the 5x5x5 to a 3x3x3: its centres, and edges of a middle piece and two wings.

Wide moves are turns of two layers. Of the two kinds of centres, one is beside the corners of a face, one beside its
edges.

1. The centres of R and L are on R and L; then Uw, Dw, Fw and Bw make half turns only.
2. The centres of F and B are on F and B, and the permutation of the wings is even. Then all wide moves make half turns.
3. The places of wings fall into two halves, as do the places of stickers of middle pieces: in each half is one of each
   edge, and those of an edge in the first half belong together. Then R and L make half turns, too, which bring their
   centres home. Any edges may be flipped, so there are 2,048 ways to name the halves.
4. Four edges, whichever they are, are joined in the middle layer; half turns bring the centres of F and B home. Then
   F and B make half turns, and Uw and Dw no turns.
5. All edges are joined, and all centres are solved.

The turns of outer layers then solve the 3x3x3 as in Kociemba's algorithm.

Source: the phases of Chen Shuang's solver (github.com/cs0x7f/cube555), whose tables are larger.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from cubesolve.definition.definition import Definition
from cubesolve.definition.facelets import turned
from cubesolve.definition.phases import Coordinate, Phase, Places, Reduction, Stage
from cubesolve.group.permutations import orbits

_EDGES = tuple(map(frozenset, ("FR", "FL", "BR", "BL", "UR", "UL", "DR", "DL", "UF", "UB", "DF", "DB")))
_GROUPS = (
    "U R F D L B Uw Rw Fw Dw Lw Bw",
    "U R F D L B Uw2 Rw Fw2 Dw2 Lw Bw2",
    "U R F D L B Uw2 Rw2 Fw2 Dw2 Lw2 Bw2",
    "U R2 F D L2 B Uw2 Rw2 Fw2 Dw2 Lw2 Bw2",
    "U R2 F2 D L2 B2 Rw2 Fw2 Lw2 Bw2",
)
_OUTER = "U R F D L B"


class _Cube:
    """The pieces of the 5x5x5; labels of corners, middle pieces and wings are the points where they are at home."""

    def __init__(self, definition: Definition) -> None:
        self.groups = [_moves(definition, group) for group in _GROUPS]
        self._solved, self.kinds = definition.solved[0], names_of_points(definition)
        self.corner_centres, self.edge_centres = self.kinds["CENTRES-2-2"], self.kinds["CENTRES-2-0"]
        self.wings, self.middles = self.kinds["WINGS-2"], self.kinds["EDGES"]
        named = [*self.wings.items(), *self.middles.items()]
        self.edge_of = {point: _EDGES.index(frozenset(name)) for point, name in named}
        changes = [definition.moves()[number].effects[0].sources for number in self.groups[3]]
        # The points of middle pieces, and of wings of both halves, in the order of edges.
        self.threads = [
            sorted(orbit, key=self.edge_of.__getitem__)
            for pieces in (self.middles, self.wings)
            for orbit in orbits(len(self._solved), changes)
            if orbit[0] in pieces and (pieces is self.wings or min(self.middles) in orbit)
        ]

    def centres(self, kind: dict[int, str], faces: str, colours: str) -> Places:
        """Return which centres of some faces have some colours."""
        points = [point for point, name in kind.items() if name in faces]
        return Places(tuple(points), (frozenset(self._solved[p] for p in points if kind[p] in colours),))

    def joined(self, one: int, other: int, first: int, chosen: range) -> Places:
        """Return which points of a thread have the labels of some edges, and where those of another are."""
        edges = tuple(frozenset(p for p, edge in self.edge_of.items() if edge == number) for number in chosen)
        return Places(tuple(self.threads[one][first:]), edges, tuple(self.threads[other][first:]))

    def flips(self) -> Iterator[bytes]:
        """Yield the ways to flip an even number of edges: the two wings and the two stickers change their names."""
        pairs = [
            [sorted(point for point in pieces if self.edge_of[point] == edge) for pieces in (self.wings, self.middles)]
            for edge in range(len(_EDGES))
        ]
        for flipped in itertools.product((False, True), repeat=len(_EDGES)):
            if sum(flipped) % 2 == 0:
                chosen = itertools.chain.from_iterable(itertools.compress(pairs, flipped))
                exchanged = {one: other for a, b in chosen for one, other in ((a, b), (b, a))}
                yield bytes(exchanged.get(label, label) for label in range(256))

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


def names_of_points(definition: Definition) -> dict[str, dict[int, str]]:
    """Return the names of the points of each orbit; they begin with the face on which a point is."""
    return {
        orbit.name: {
            point: name
            for piece, points in zip(orbit.names, places, strict=True)
            for point, name in zip(points, turned(piece), strict=False)  # one alone, if pieces have no orientation
        }
        for orbit, places in definition.places
    }


def reduction(definition: Definition) -> Reduction:
    """Return the stages of the 5x5x5."""
    cube, points = _Cube(definition), len(definition.solved[0])
    kinds = [cube.corner_centres, cube.edge_centres]
    sign = Places((points, points + 1), (frozenset({points}),))
    middles, wings, _ = cube.threads
    alike = [Places(tuple(cube.wings), (frozenset(wings),)), Places(tuple(middles), (frozenset(middles),))]
    sides = [cube.centres(kind, "RL", "R") for kind in kinds]
    fronts = [cube.centres(kind, "FB", "F") for kind in kinds]
    tops = [cube.centres(kind, "UD", "U") for kind in kinds]
    pairs = ((0, 1), (0, 2), (1, 2))
    # In the last stage the centres of R, L, F and B move in columns.
    changes = [definition.moves()[number].effects[0].sources for number in cube.groups[4]]
    columns = [
        Places(tuple(orbit), (frozenset(definition.solved[0][p] for p in orbit if cube.edge_centres[p] == face),))
        for face, behind in ("RL", "FB")
        for orbit in orbits(points, changes)
        if len(orbit) == 4 and {cube.edge_centres.get(p) for p in orbit} == {face, behind}
    ]
    stages = (
        Stage(cube.groups[0], tuple(cube.centres(kind, "URFDLB", "RL") for kind in kinds), ((0,), (1,))),
        Stage(cube.groups[1], (*(cube.centres(kind, "UFDB", "FB") for kind in kinds), sign), ((0, 2), (1, 2))),
        Stage(cube.groups[2], (*alike, *sides), ((0,), (1, 2), (1, 3), (2, 3)), tuple(cube.flips())),
        Stage(
            cube.groups[3],
            (*(cube.joined(*pair, 0, range(4)) for pair in pairs), *sides, *fronts),
            ((0,), (1,), (2,), (3, 4), (5, 6)),
            tuple(cube.fours()),
        ),
        Stage(
            cube.groups[4],
            (*(cube.joined(*pair, 4, range(12)) for pair in pairs), *tops, *columns),
            (
                *((kind, pair) for pair in range(3) for kind in (3, 4)),
                *((5, 6, pair) for pair in range(3)),
                (3, 4, 5, 6),
            ),
        ),
    )
    return Reduction(stages, (tuple(sorted(cube.wings)),))


def last_phases(definition: Definition) -> list[Phase]:
    """Return the phases of Kociemba's algorithm, for turns of outer layers."""
    cube = _Cube(definition)
    corners, middles = cube.kinds["CORNERS"], cube.middles

    def alike(labels: Iterable[int]) -> Coordinate:
        return Coordinate(frozenset({frozenset(labels)}))

    twists = alike(label for label, name in corners.items() if name[0] in "UD")
    flips = alike(cube.threads[0])
    layer = [label for label, name in middles.items() if not set(name) & set("UD")]
    last = [Coordinate.of(corners), Coordinate.of(layer), Coordinate.of(middles.keys() - set(layer))]
    return [
        Phase.of(definition, _OUTER, [twists, alike(layer), flips], [(0, 1), (2, 1)], 1 << 14),
        Phase.of(definition, "U R2 F2 D L2 B2", last, [(0, 1), (2, 1)], 1 << 12),
    ]


def _moves(definition: Definition, group: str) -> tuple[int, ...]:
    return Phase.of(definition, group, [], []).moves
