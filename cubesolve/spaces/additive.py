"""Spaces of some pieces of a sliding puzzle, in which only what moves these counts (numpy).

A state is the set of points where the pieces lie, where the gap is, and in which order the pieces lie there. Only a
move of a piece changes the first and the last. So the moves of other pieces can be *contracted*: the points that the
gap can come to without moving any are one *region*, and a state is the set, the region, and the order. Between these
every move counts one, and they are enumerated and proved like any other space. Were moves that count nothing left in,
states could vouch for each other in a circle, each at a distance that is too small, and a proof by neighbours would
take it; where every move counts, each state but the start must have one that is nearer.
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
from cubesolve.spaces.space import StateSpace


class PieceSubset(NamedTuple):
    """A number of pieces, whichever these are.

    Attributes:
        pieces: how many.
        moves: the space with the gap where it is, the moves being those of the puzzle.
        regions: int32 (rows of `moves`,): the row of `contracted` that each is part of.
        contracted: the space whose moves are those of the pieces alone.
    """

    pieces: int
    moves: StateSpace
    regions: NDArray[np.int32]
    contracted: StateSpace

    def rank(self, state: Arrangement, labels: Sequence[int], gap: int) -> int:
        """The rank in `moves` of a state of the puzzle.

        Args:
            state: the label on each point.
            labels: those of the pieces.
            gap: that of the gap.
        """
        points = [point for point, label in enumerate(state) if label in labels]
        order = np.array([[labels.index(state[point]) for point in points]])
        row = _set_numbers(np.array([points]), len(state))[0] * len(state) + state.index(gap)
        return int(row * self.moves.width + _order_numbers(order)[0])

    def contract(self, rank: int) -> int:
        """The rank in `contracted` of one in `moves`."""
        row, order = divmod(rank, self.moves.width)
        return int(self.regions[row]) * self.moves.width + order


def piece_subset(puzzle: Sliding, pieces: int) -> PieceSubset:
    """The spaces of so many pieces of a puzzle."""
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
    return PieceSubset(pieces, moves, regions, _contracted(moves, regions, points))


def _set_numbers(sets: NDArray[np.int64], points: int) -> NDArray[np.int64]:
    """The numbers of sets of points, each in ascending order: (N, pieces) to (N,)."""
    sizes = range(1, sets.shape[1] + 1)
    choose = np.array([[math.comb(point, size) for size in sizes] for point in range(points)])
    numbers: NDArray[np.int64] = np.take_along_axis(choose, sets, axis=0).sum(axis=1)
    return numbers


def _order_numbers(orders: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers of orders, as they come in `itertools.permutations`: (N, pieces) to (N,)."""
    numbers = np.zeros(len(orders), np.int64)
    pieces = orders.shape[1]
    for place in range(pieces):
        smaller = (orders[:, place + 1 :] < orders[:, place : place + 1]).sum(axis=1)
        numbers += smaller * math.factorial(pieces - 1 - place)
    return numbers


def _shifts(pieces: int) -> NDArray[np.uint32]:
    """What becomes of each order where one piece goes to another place: row ``from * pieces + to``."""
    orders = np.array([*itertools.permutations(range(pieces))])
    shifts = np.empty((pieces * pieces, len(orders)), np.uint32)
    for left, come in itertools.product(range(pieces), repeat=2):
        others = np.delete(orders, left, axis=1)
        shifts[left * pieces + come] = _order_numbers(np.insert(others, come, orders[:, left], axis=1))
    return shifts


def _regions(taken: NDArray[np.bool_], puzzle: Sliding) -> NDArray[np.int32]:
    """The number of the region of each set and each point: int32 (sets * points,); where a piece lies, -1."""
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
    """The space of regions, in which there is a move for each move and each point where the gap can be."""
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
