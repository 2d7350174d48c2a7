"""Spaces of some pieces of a sliding puzzle, in which only the moves of these pieces count (numpy).

A state is the set of points of the pieces, the point of the gap, and the order of the pieces on their points. Only a
move of one of the pieces changes the set and the order. So the moves of other pieces can be *contracted*: the points
that the gap can reach without moving any of the pieces are one *region*, and a state is the set, the region, and the
order. Every move between these costs one, and they are enumerated and proved like any other space. If moves without
cost were left in, states could confirm each other in a circle, each with too small a distance, and a proof by
neighbours would accept them; if every move costs one, each state but the start must have a neighbour with a smaller
depth.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.definition.sliding import Sliding
from cubesolve.group.permutations import Arrangement
from cubesolve.spaces.orders import order_ranks, set_numbers
from cubesolve.spaces.rows import Rows
from cubesolve.spaces.space import StateSpace, first_ranks


class PieceSubset(NamedTuple):
    """The spaces of any pieces of a given number. Large arrays are computed anew each time, and not kept.

    A row of `moves` is a set of points of the pieces and a point of the gap, and its number ``set * points + point``. A
    row of `contracted` is a set and a region of the gap.

    Attributes:
        puzzle: the puzzle.
        pieces: the number of pieces.
        regions: int32 (sets * points,): the row of `contracted` of each row of `moves`; -1 if the gap is on a piece.
    """

    puzzle: Sliding
    pieces: int
    regions: NDArray[np.int32]

    @property
    def points(self) -> int:
        """The number of points."""
        return len(self.puzzle.solved)

    @property
    def width(self) -> int:
        """The number of orders of the pieces."""
        return math.factorial(self.pieces)

    @property
    def fibre(self) -> NDArray[np.uint32]:
        """The fibre of both spaces."""
        return _shifts(self.pieces)

    @property
    def rows(self) -> int:
        """The number of rows of `moves`."""
        return len(self.regions)

    @property
    def keeps_rows(self) -> bool:
        """Whether moves keep rows together; see `StateSpace.keeps_rows`."""
        return True

    @property
    def moves(self) -> StateSpace:
        """The space with the point of the gap; its moves are those of the puzzle."""
        base, action = zip(*map(self.rows_after, range(len(self.puzzle.sources))), strict=True)
        return StateSpace(np.array(base), np.array(action), self.fibre, True)

    @property
    def contracted(self) -> StateSpace:
        """The space in which only the pieces move. Its moves are those of the pieces around a region, in any order."""
        return _contracted(self)

    def of_move(self, move: int) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """Return the ranks to which a move of `moves` adds numbers of the fibre, and its action; see `StateSpace`."""
        rows, action = self.rows_after(move)
        return first_ranks(rows, self.width), action

    def rows_after(self, move: int) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
        """Return the rows of `moves` after a move, -1 if it is impossible, and its action: (rows,) each."""
        points, sets = self.points, _sets(self.puzzle, self.pieces)
        taken = _taken(sets, self.puzzle)
        target, action = np.full(taken.shape, -1, np.int32), np.zeros(taken.shape, np.uint8)
        for gap, source in enumerate(self.puzzle.sources[move]):
            if source < 0:
                continue
            free = ~taken[:, gap] & ~taken[:, source]
            target[free, gap] = np.flatnonzero(free) * points + source
            moved = taken[:, source] & ~taken[:, gap]
            after = np.sort(np.where(sets[moved] == source, gap, sets[moved]), axis=1)
            target[moved, gap] = set_numbers(after, points) * points + source
            left, come = (sets[moved] < source).sum(axis=1), (after < gap).sum(axis=1)
            action[moved, gap] = left * self.pieces + come
        return target.reshape(-1), action.reshape(-1)

    def rank(self, state: Arrangement, labels: Sequence[int], gap: int) -> int:
        """Return the rank in `moves` of a state of the puzzle."""
        return int(self.ranks(np.array([list(state)]), labels, gap)[0])

    def ranks(self, states: Rows, labels: Sequence[int], gap: int) -> NDArray[np.int64]:
        """Return the same for states as rows, (N, points) to (N,)."""
        places = np.argwhere(np.isin(states, labels))[:, 1].reshape(-1, self.pieces)
        number = np.zeros(1 + max(labels), np.int64)
        number[list(labels)] = np.arange(self.pieces)
        orders = number[np.take_along_axis(states, places, axis=1)]
        rows = set_numbers(places, self.points) * self.points + (states == gap).argmax(axis=1)
        ranks: NDArray[np.int64] = rows * self.width + order_ranks(orders)
        return ranks

    @property
    def sets(self) -> NDArray[np.int32]:
        """The number of the set of points for each row of `moves`: int32 (rows,)."""
        return (np.arange(len(self.regions)) // self.points).astype(np.int32)

    @property
    def first_regions(self) -> NDArray[np.int64]:
        """The first row of `contracted` of each set, and the number of all: int64 (sets + 1,)."""
        inside = self.regions >= 0
        first = np.unique(self.sets[inside], return_index=True)[1]
        return np.append(self.regions[inside][first], 1 + self.regions.max()).astype(np.int64)

    def contract(self, rank: int) -> int:
        """Return the rank in `contracted` of a rank in `moves`."""
        row, order = divmod(rank, self.width)
        return int(self.regions[row]) * self.width + order


def piece_subset(puzzle: Sliding, pieces: int) -> PieceSubset:
    """Return the spaces of a number of pieces of a puzzle."""
    return PieceSubset(puzzle, pieces, _regions(_taken(_sets(puzzle, pieces), puzzle), puzzle))


def _sets(puzzle: Sliding, pieces: int) -> NDArray[np.uint8]:
    """Return the sets of points, in the order of their numbers: (sets, pieces)."""
    points = len(puzzle.solved)
    sets = np.array([*itertools.combinations(range(points), pieces)], np.uint8)
    return sets[np.argsort(set_numbers(sets, points))]


def _taken(sets: NDArray[np.uint8], puzzle: Sliding) -> NDArray[np.bool_]:
    """Return for each set which points it contains: (sets, points)."""
    taken = np.zeros((len(sets), len(puzzle.solved)), np.bool_)
    np.put_along_axis(taken, sets.astype(np.int64), True, axis=1)
    return taken


def _shifts(pieces: int) -> NDArray[np.uint32]:
    """Return the image of each order if one piece goes to another place: row ``from * pieces + to``."""
    orders = np.array([*itertools.permutations(range(pieces))])
    shifts = np.empty((pieces * pieces, len(orders)), np.uint32)
    for left, come in itertools.product(range(pieces), repeat=2):
        others = np.delete(orders, left, axis=1)
        shifts[left * pieces + come] = order_ranks(np.insert(others, come, orders[:, left], axis=1))
    return shifts


def _regions(taken: NDArray[np.bool_], puzzle: Sliding) -> NDArray[np.int32]:
    """Return the number of the region of each set and each point: int32 (sets * points,); -1 for points of pieces."""
    points = np.arange(taken.shape[1], dtype=np.uint16)
    first = np.where(taken, points[-1], points)
    edges = {(point, near) for sources in puzzle.sources for point, near in enumerate(sources) if near >= 0}
    before = None
    while before is None or (first != before).any():
        before = first.copy()
        for point, near in edges:
            joined = ~taken[:, point] & ~taken[:, near]
            first[joined, point] = np.minimum(first[joined, point], first[joined, near])
    numbers = np.cumsum((first == points) & ~taken, dtype=np.int32).reshape(taken.shape) - 1
    regions: NDArray[np.int32] = np.where(taken, -1, np.take_along_axis(numbers, first, axis=1)).astype(np.int32)
    return regions.reshape(-1)


def _contracted(pieces: PieceSubset) -> StateSpace:
    """Return the space in which only the pieces move, by moves of the pieces around a region, in any order."""
    regions, found = pieces.regions, []
    for move in range(len(pieces.puzzle.sources)):
        after, action = pieces.rows_after(move)
        rows = np.flatnonzero(after >= 0)
        there = after[rows]
        counted = rows // pieces.points != there // pieces.points
        rows, there = rows[counted], there[counted]
        found.append((regions[rows], regions[there], action[rows]))
    here, there, actions = map(np.concatenate, zip(*found, strict=True))
    order = np.argsort(here, kind="stable")
    here = here[order]
    first = np.searchsorted(here, np.arange(1 + regions.max()))
    column = np.arange(len(here)) - first[here]
    base = np.full((1 + column.max(initial=0), len(first)), -1, np.int32)
    actions_of = np.zeros(base.shape, np.uint16)
    base[column, here] = there[order]
    actions_of[column, here] = actions[order]
    return StateSpace(base, actions_of, pieces.fibre, True)
