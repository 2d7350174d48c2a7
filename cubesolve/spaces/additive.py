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

from cubesolve.definitions.sliding import Sliding
from cubesolve.permutations import Arrangement
from cubesolve.spaces.rows import Rows
from cubesolve.spaces.space import StateSpace


class PieceSubset(NamedTuple):
    """The spaces of any pieces of a given number.

    Attributes:
        pieces: the number of pieces.
        points: the number of points.
        moves: the space with the point of the gap; its moves are those of the puzzle.
        regions: int32 (rows of `moves`,): the row of `contracted` of each row.
        contracted: the space in which only the pieces move.
    """

    pieces: int
    points: int
    moves: StateSpace
    regions: NDArray[np.int32]
    contracted: StateSpace

    def rank(self, state: Arrangement, labels: Sequence[int], gap: int) -> int:
        """Return the rank in `moves` of a state of the puzzle.

        Args:
            state: the label on each point.
            labels: the labels of the pieces.
            gap: the label of the gap.
        """
        return int(self.ranks(np.array([list(state)]), labels, gap)[0])

    def ranks(self, states: Rows, labels: Sequence[int], gap: int) -> NDArray[np.int64]:
        """Return the same for states as rows, (N, points) to (N,)."""
        places = np.argwhere(np.isin(states, labels))[:, 1].reshape(-1, self.pieces)
        number = np.zeros(1 + max(labels), np.int64)
        number[list(labels)] = np.arange(self.pieces)
        orders = number[np.take_along_axis(states, places, axis=1)]
        rows = _set_numbers(places, self.points) * self.points + (states == gap).argmax(axis=1)
        ranks: NDArray[np.int64] = rows * self.moves.width + _order_numbers(orders)
        return ranks

    @property
    def sets(self) -> NDArray[np.int32]:
        """The number of the set of points for each row of `moves`: int32 (rows,)."""
        return (np.arange(len(self.regions)) // self.points).astype(np.int32)

    def least(self, depths: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The least distances over the regions of the gap, for each set of points and order: uint8 (sets * orders,).

        Args:
            depths: uint8 (states of `contracted`,).
        """
        by_region = depths.reshape(-1, self.moves.width)
        inside = self.regions >= 0
        first = np.unique(self.sets[inside], return_index=True)[1]
        return np.minimum.reduceat(by_region, self.regions[inside][first], axis=0).reshape(-1)

    def contract(self, rank: int) -> int:
        """Return the rank in `contracted` of a rank in `moves`."""
        row, order = divmod(rank, self.moves.width)
        return int(self.regions[row]) * self.moves.width + order


def piece_subset(puzzle: Sliding, pieces: int) -> PieceSubset:
    """Return the spaces of a number of pieces of a puzzle."""
    points = len(puzzle.solved)
    sets = np.array([*itertools.combinations(range(points), pieces)])
    sets = sets[np.argsort(_set_numbers(sets, points))]
    taken = np.zeros((len(sets), points), np.bool_)
    np.put_along_axis(taken, sets, True, axis=1)
    width = math.factorial(pieces)
    target = np.full((len(puzzle.sources), len(sets), points), -1)
    action = np.zeros(target.shape, np.int32)
    for move, sources in enumerate(puzzle.sources):
        for gap, source in enumerate(sources):
            if source < 0:
                continue
            free = ~taken[:, gap] & ~taken[:, source]
            target[move, free, gap] = np.flatnonzero(free) * points + source
            moved = taken[:, source] & ~taken[:, gap]
            after = np.sort(np.where(sets[moved] == source, gap, sets[moved]), axis=1)
            target[move, moved, gap] = _set_numbers(after, points) * points + source
            left, come = (sets[moved] < source).sum(axis=1), (after < gap).sum(axis=1)
            action[move, moved, gap] = left * pieces + come
    moves = StateSpace(
        np.where(target < 0, -1, target * width).reshape(len(target), -1),
        action.reshape(len(target), -1),
        _shifts(pieces),
        True,
    )
    regions = _regions(taken, puzzle)
    return PieceSubset(pieces, points, moves, regions, _contracted(moves, regions, points))


def _set_numbers(sets: NDArray[np.int64], points: int) -> NDArray[np.int64]:
    """Return the numbers of sets of points, each in ascending order: (N, pieces) to (N,)."""
    sizes = range(1, sets.shape[1] + 1)
    choose = np.array([[math.comb(point, size) for size in sizes] for point in range(points)])
    numbers: NDArray[np.int64] = np.take_along_axis(choose, sets, axis=0).sum(axis=1)
    return numbers


def _order_numbers(orders: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers of orders, in the order of `itertools.permutations`: (N, pieces) to (N,)."""
    numbers = np.zeros(len(orders), np.int64)
    pieces = orders.shape[1]
    for place in range(pieces):
        smaller = (orders[:, place + 1 :] < orders[:, place : place + 1]).sum(axis=1)
        numbers += smaller * math.factorial(pieces - 1 - place)
    return numbers


def _shifts(pieces: int) -> NDArray[np.uint32]:
    """Return the image of each order if one piece goes to another place: row ``from * pieces + to``."""
    orders = np.array([*itertools.permutations(range(pieces))])
    shifts = np.empty((pieces * pieces, len(orders)), np.uint32)
    for left, come in itertools.product(range(pieces), repeat=2):
        others = np.delete(orders, left, axis=1)
        shifts[left * pieces + come] = _order_numbers(np.insert(others, come, orders[:, left], axis=1))
    return shifts


def _regions(taken: NDArray[np.bool_], puzzle: Sliding) -> NDArray[np.int32]:
    """Return the number of the region of each set and each point: int32 (sets * points,); -1 for points of pieces."""
    points = taken.shape[1]
    first = np.where(taken, points, np.arange(points))
    edges = {(point, near) for sources in puzzle.sources for point, near in enumerate(sources) if near >= 0}
    before = None
    while before is None or (first != before).any():
        before = first.copy()
        for point, near in edges:
            joined = ~taken[:, point] & ~taken[:, near]
            first[joined, point] = np.minimum(first[joined, point], first[joined, near])
    names = np.where(taken, -1, np.arange(len(taken))[:, None] * points + first).reshape(-1)
    known, numbers = np.unique(names, return_inverse=True)
    regions: NDArray[np.int32] = (numbers - (known[0] < 0)).astype(np.int32)
    return regions


def _contracted(moves: StateSpace, regions: NDArray[np.int32], points: int) -> StateSpace:
    """Return the space of regions, with a move for each move and each point of the gap."""
    base = np.full((len(moves.base), points, regions.max() + 1), -1)
    action = np.zeros(base.shape, np.int32)
    for move, target in enumerate(moves.base):
        rows = np.flatnonzero(target >= 0)
        there = target[rows] // moves.width
        counted = rows // points != there // points
        rows, there = rows[counted], there[counted]
        base[move, rows % points, regions[rows]] = regions[there].astype(np.int64) * moves.width
        action[move, rows % points, regions[rows]] = moves.action[move, rows]
    return StateSpace(base.reshape(-1, base.shape[2]), action.reshape(-1, base.shape[2]), moves.fibre, True)
