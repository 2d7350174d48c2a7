"""Rings: pieces of one kind that rotations carry round, such as the disks of TopSpin (pure Python).

Let every rotation of a puzzle be a power of one that carries the pieces from place to place, each to every place. Then
states that differ by a rotation are one, and renaming the pieces along the ring maps states to states of the same
depth: moves act on places, and the rotated solved states are the renamed ones.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

from cubesolve.definitions.definition import Move
from cubesolve.definitions.pieces import kinds_of
from cubesolve.definitions.rotations import RotationReduction
from cubesolve.permutations import Arrangement, Permutation, inverse

_MOST_POINTS = 255  # numbered by a byte, as moves are
_MOST_PLACES = 64  # numbered by the bits of a word


class Ring(NamedTuple):
    """A puzzle whose pieces form a ring.

    Attributes:
        places: the places in the order of the ring, each as the points of its orientations; a rotation carries the
            points of each place to those of the next.
        labels: the label on the first point of each place of the solved puzzle.
        moves: the moves, which do not rotate the ring.
    """

    places: tuple[tuple[int, ...], ...]
    labels: tuple[int, ...]
    moves: tuple[Move, ...]

    def points_of(self, state: Arrangement) -> list[int]:
        """Return where each piece is: the number of its place, times the number of orientations, plus its own."""
        here = {state[point]: i for i, point in enumerate(itertools.chain.from_iterable(self.places))}
        return [here[label] for label in self.labels]

    def forward(self, move: Move) -> list[list[tuple[int, int]]]:
        """Return for each place and orientation the place and orientation to which a move leads."""
        here = {point: (i, turn) for i, place in enumerate(self.places) for turn, point in enumerate(place)}
        there = inverse(move.effects[0].sources)
        return [[here[there[point]] for point in place] for place in self.places]


def ring_of(reduction: RotationReduction, moves: Sequence[Move], solved: Sequence[Arrangement]) -> Ring | None:
    """Return a puzzle as a ring; None if it is not one.

    Args:
        reduction: the puzzle up to rotations.
        moves: its moves.
        solved: its solved states.

    >>> from cubesolve.catalog import rules_named
    >>> graph = rules_named("topspin-5-3").graph()
    >>> ring_of(graph.reduction, graph.definition_moves, graph.rules.definition.solved).places
    ((0,), (1,), (2,), (3,), (4,))
    >>> graph = rules_named("dino").graph()
    >>> ring_of(graph.reduction, graph.definition_moves, graph.rules.definition.solved) is None
    True
    """
    rotations, points = reduction.merged, len(solved[0])
    if not rotations or len(solved) > 1 or len(set(solved[0])) < points or points > _MOST_POINTS:
        return None
    changes = [move.effects[0].sources for move in moves]
    are_undone = all(move.cost == 1 for move in moves) and {*map(inverse, changes)} == {*changes}
    if not are_undone or len(reduction.moves) < len(moves) or len(moves) > _MOST_POINTS:
        return None
    kinds = kinds_of(points, [*changes, *rotations], lambda _labels: None)
    if {point for along in kinds[0].along.values() for point in along} != {*range(points)}:
        return None
    pieces = kinds[0].pieces()
    for rotation in rotations if len(pieces) <= _MOST_PLACES else ():
        places = _carried(pieces[0], inverse(rotation), len(rotations))
        if len(places) == len(pieces) and {frozenset(each) for each in places} == {frozenset(each) for each in pieces}:
            return Ring(places, tuple(solved[0][place[0]] for place in places), tuple(moves))
    return None


def _carried(piece: Sequence[int], forward: Permutation, times: int) -> tuple[tuple[int, ...], ...]:
    """Return the points to which a rotation carries those of a piece, again and again."""
    places = [tuple(piece)]
    for _ in range(times - 1):
        places.append(tuple(forward[point] for point in places[-1]))
    return tuple(places)
