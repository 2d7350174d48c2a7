"""What the symmetric copies of a state have in common: a number, so that all of them fall to one split.

Nobody has to know the symmetries of a puzzle. A number is made of nothing but how moves join states, or points, and of
which are solved: whatever keeps these, keeps the number. That is how colours are refined where graphs are compared
(Weisfeiler and Leman, 1968). States that are no copies of one another have the same number now and then, too, and then
fall to one split without need.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cubesolve.dataset.chance import Numbers, mixed
from cubesolve.permutations import Arrangement
from cubesolve.spaces.defined import DerivedGraph
from cubesolve.spaces.space import StateSpace
from cubesolve.workers import Workers

_AT_ONCE = 1 << 16
_WORTH_GOING_ON = 1.01  # times as many numbers as before


def numbers_of(space: StateSpace, depths: NDArray[np.uint8]) -> Numbers:
    """A number for each state, from its distance and the numbers around it, again and again.

    Args:
        space: the space.
        depths: uint8 (states,): depths by rank.

    >>> ways = np.array([[1, 2, 3, 0], [3, 0, 1, 2]])
    >>> ring = StateSpace(ways, np.zeros((2, 4), np.int32), np.array([[0]], np.uint32))
    >>> numbers = numbers_of(ring, np.array([0, 1, 2, 1], np.uint8))
    >>> [numbers.tolist().index(number) for number in numbers]
    [0, 1, 2, 1]
    """
    numbers, told_apart = mixed(depths), 0.0
    costs = mixed(space.cost_of_moves) | np.uint64(1)
    while (different := len(np.unique(numbers))) > told_apart * _WORTH_GOING_ON:
        told_apart = different
        numbers = _refined(space, numbers, costs)
    return numbers


def _refined(space: StateSpace, numbers: Numbers, costs: Numbers) -> Numbers:
    known = np.append(mixed(numbers), np.uint64(0))  # the last for -1, where no move leads
    refined = np.empty_like(numbers)

    def refine(first: int, last: int) -> int:
        there = space.neighbours_of(np.arange(first, last))
        refined[first:last] = mixed(numbers[first:last] + (known[there] * costs).sum(axis=1, dtype=np.uint64))
        return 0

    with Workers(len(numbers), at_most=_AT_ONCE) as pool:
        pool.run(refine)
    return refined


class Likeness:
    """Numbers of states that are too many to be listed, from what they do to pairs of points.

    How two points lie to each other is seen from the moves, and so is how they lie after a state has taken each to
    where its label is at home.
    """

    def __init__(self, graph: DerivedGraph) -> None:
        """See how points lie to each other."""
        changes = [(turn.cost, list(case.sources)) for turn in graph.turns for case in turn.cases]
        self._sources = np.array([sources for _, sources in changes])
        self._costs = mixed(np.array([cost for cost, _ in changes])) | np.uint64(1)
        solved = np.array([list(state) for state in graph.holdings.solved])
        self._labels, self._inverts = np.unique(solved), graph.rules.is_relabelled
        self._lying, told_apart = mixed(np.eye(solved.shape[1])), 0
        while (different := len(np.unique(self._lying))) > told_apart:
            told_apart, self._lying = different, self._refined(self._lying)
        homes = (solved[:, :, None] == self._labels).astype(np.uint64)  # (solved, points, labels)
        self._lying_at_home = mixed(sum(each.T @ self._lying @ each for each in homes))

    def number(self, state: Arrangement) -> int:
        """What a state shares with its symmetric copies, however it is held; and with its inverse, if it has one."""
        labels = np.searchsorted(self._labels, list(state))
        number = self._number(labels)
        return (number + self._number(np.argsort(labels))) % (1 << 64) if self._inverts else number

    def _number(self, labels: NDArray[np.int64]) -> int:
        pairs = mixed(self._lying + self._lying_at_home[np.ix_(labels, labels)])
        return int(mixed(pairs.sum(axis=1, dtype=np.uint64)).sum(dtype=np.uint64))

    def _refined(self, pairs: Numbers) -> Numbers:
        """A number for each pair of points, (points, points), from what each move does to the second."""
        known, refined = mixed(pairs), pairs.copy()
        for sources, cost in zip(self._sources, self._costs, strict=True):
            moved = mixed(pairs + known[:, sources])
            move = mixed(moved.sum(axis=1, keepdims=True, dtype=np.uint64) + cost)
            refined += mixed(moved + move)
        return mixed(refined)
