"""Phases that solve the 4x4x4: its centres, its pairs of wings, and then a 3x3x3 by turns of outer layers.

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
from collections.abc import Iterable, Sequence

from cubesolve.definition.definition import Definition
from cubesolve.definition.phases import Coordinate, Phase
from cubesolve.group.permutations import after, orbits
from cubesolve.search.phased import PinnedPhases

USUAL_LENGTH = 56
"""The number of moves within which nearly all states are solved at once."""

USUAL_LENGTH_HELD = 54
"""The same if the puzzle is held."""

SCRAMBLE_NODES = 1 << 23
"""The number of nodes of the search that makes a scramble short."""

PINNED_PHASES = PinnedPhases(21_089_704, "4edf44d6e8e7ba8c73603533dff4c0c66d405b6b0ce20d0ff423e0d7ba6153dc", "3 s")

PINNED_PHASES_HELD = {
    "layers": PinnedPhases(27_041_752, "61b50dccf2954dcf8498d2f53dfef000a1d78586f85e05138aa26840e9a947df", "3 s"),
    "blocks": PinnedPhases(24_946_528, "414c5a5173ed4e370db383bd5cca558662552f1a3886801a8fb61865c2a004dc", "3 s"),
}
"""The tables if the puzzle is held, and moves turn single layers, or one or two outer ones."""

ROTATIONS = ("", "x", "y", "z", "x y", "x y'")
"""Rotations that permute the axes in all ways; the phases are the same after half turns."""

_GROUPS = (
    ("U R F D L B", "U R F"),
    ("U R F D L B", "U2 R F2"),
    ("U R2 F D L2 B", "U2 R2 F2"),
    ("U R2 F2 D L2 B2", "U2 R2 F2"),
    ("U R F D L B", ""),
    ("U R2 F2 D L2 B2", ""),
)  # turns of outer layers, and how the layers below may turn
_OPPOSITE = dict(zip("URF", "DLB", strict=True))
_NODES = (0, 1 << 20, 1 << 14, 1 << 14, 1 << 14, 1 << 12)  # the search of the first phase is not limited

_Labels = frozenset[int]


def phases(definition: Definition) -> list[Phase]:
    """Return the phases of the 4x4x4.

    >>> from cubesolve.catalog import rules_named
    >>> [len(phase.moves) for phase in phases(rules_named("4x4x4").definition)]
    [27, 23, 17, 13, 18, 10]
    """
    groups = [_moves(definition, outer, deep.split()) for outer, deep in _GROUPS]
    pieces = _Pieces(definition, groups[2])
    wings, half, middle, corners = pieces.wings, pieces.half, pieces.middle, pieces.corners
    sign_of_wings = Coordinate.of(wings)._replace(reads="sign")
    # In the half, each wing stands for its pair, wherever the other one is.
    sign = Coordinate(pieces.pairs | _apart(corners), reads="sign", points=half | corners)
    centres = Coordinate(pieces.centres, pieces.half_turns)

    def alike(labels: Iterable[int]) -> Coordinate:
        return Coordinate(frozenset({frozenset(labels)}))

    def joined(points: _Labels) -> Coordinate:
        return Coordinate(pieces.pairs, reads="partition", points=points)

    def relative(labels: _Labels) -> Coordinate:
        """Return the places of labels, where the centres are at home."""
        return Coordinate(_apart(labels) | pieces.centres, pieces.half_turns)

    up, right, front, left, back = map(pieces.centre, "URFLB")
    first = [alike(right), alike(left)]
    second = [sign_of_wings, alike(right), alike(front | back)]
    third = [sign, sign_of_wings, centres]
    fourth = [sign, joined(middle), joined(wings - middle), centres, alike(up), Coordinate(frozenset({right, front}))]
    fifth = [alike(pieces.twists), alike(middle), alike(half)]
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
        Phase.of(definition, moves, coordinates, pairs, nodes)
        for moves, (coordinates, pairs), nodes in zip(groups, tables, _NODES, strict=True)
    ]


def _moves(definition: Definition, outer: str, deep: Sequence[str]) -> str:
    """Return the moves of a group.

    Args:
        deep: how the layers below those of U, R and F turn; if these are moves, those opposite may turn as far.
    """
    turns = [(turn[0], turn[1:]) for turn in deep]
    if "Uw" in definition.generators:
        return " ".join([outer, *(f"{face}w{amount}" for face, amount in turns)])
    both = turns + [(_OPPOSITE[face], amount) for face, amount in turns]
    return " ".join([outer, *(f"2{face}{amount}" for face, amount in both)])


class _Pieces:
    """The labels of the pieces of the 4x4x4. Those of corners and wings are the points where they are at home."""

    def __init__(self, definition: Definition, moves: str) -> None:
        """Take the definition, and the moves of the third group."""
        self._definition, self._moves = definition, moves
        self._orbits = {}
        first = 0
        for orbit in definition.orbits:
            names = [name[turned:] for name in orbit.names for turned in range(orbit.orientations)]
            self._orbits[orbit.name.partition("-")[0]] = dict(enumerate(names, first))
            first += orbit.points

    @property
    def corners(self) -> _Labels:
        return frozenset(self._orbits["CORNERS"])

    @property
    def twists(self) -> _Labels:
        """The labels of corners whose places show how they are turned."""
        return frozenset(point for point, name in self._orbits["CORNERS"].items() if name[0] in "UD")

    @property
    def wings(self) -> _Labels:
        return frozenset(self._orbits["WINGS"])

    @property
    def middle(self) -> _Labels:
        """The wings between U and D."""
        return frozenset(point for point, name in self._orbits["WINGS"].items() if not set(name) & set("UD"))

    @functools.cached_property
    def half(self) -> _Labels:
        """A wing of each pair; the moves of the third group do not exchange them with the others."""
        numbers, moves = Phase.of(self._definition, self._moves, [], []).moves, self._definition.moves()
        changes = [moves[number].effects[0].sources for number in numbers]
        first = min(self.wings)
        return next(frozenset(orbit) for orbit in orbits(len(self._definition.solved[0]), changes) if first in orbit)

    @property
    def pairs(self) -> frozenset[_Labels]:
        """The two wings of each edge."""
        found = dict[frozenset[str], list[int]]()
        for point, name in self._orbits["WINGS"].items():
            found.setdefault(frozenset(name), []).append(point)
        return frozenset(map(frozenset, found.values()))

    def centre(self, face: str) -> _Labels:
        """Return the label of the centres of a face, which look alike."""
        solved = self._definition.solved[0]
        return frozenset(solved[point] for point, name in self._orbits["CENTRES"].items() if name == face)

    @property
    def centres(self) -> frozenset[_Labels]:
        return frozenset(map(self.centre, "URFDLB"))

    @property
    def half_turns(self) -> tuple[bytes | tuple[int, ...], ...]:
        """Half turns of the whole puzzle, if it need not end as it is held."""
        rotations = self._definition.rotations
        return tuple(after(rotations[name], rotations[name]) for name in "xy") if rotations else ()


def _apart(labels: _Labels) -> frozenset[_Labels]:
    return frozenset(frozenset({label}) for label in labels)
