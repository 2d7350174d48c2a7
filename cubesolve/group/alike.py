"""Points that always look alike, such as the orientations of a centre that shows none (pure Python).

They are the points of a piece whose labels are alike, and moves take all of them to those of one piece. So one point
can stand for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cubesolve.group.permutations import Arrangement, Permutation, arrangement, orbits
from cubesolve.runtime.deadline import check


class Alike(NamedTuple):
    """Points that always look alike, as one.

    Attributes:
        firsts: the first point of each set of them.
        numbers: for each point, the number of its set.
    """

    firsts: Sequence[int]
    numbers: Sequence[int]

    def change(self, change: Permutation) -> Permutation:
        """Return what a permutation of the points does to the sets."""
        return arrangement(self.numbers[change[first]] for first in self.firsts)

    def labels(self, state: Arrangement) -> Arrangement:
        """Return the label of each set."""
        return arrangement(state[first] for first in self.firsts)


def alike(changes: Sequence[Permutation], labels: Arrangement) -> Alike:
    """Return the points that look alike after every product of some permutations.

    >>> turn, swap = bytes([1, 0, 2, 3]), bytes([2, 3, 0, 1])
    >>> found = alike([turn, swap], b"\\5\\5\\7\\7")
    >>> found.numbers, list(found.change(swap)), list(found.labels(b"\\5\\5\\7\\7"))
    ([0, 0, 1, 1], [1, 0], [5, 7])
    """
    sets = _Sets(changes, labels)
    for orbit in orbits(len(labels), changes):
        for other in orbit[1:]:
            sets.join(orbit[0], other)
    leaders = [sets.leader(point) for point in range(len(labels))]
    firsts = sorted(set(leaders))
    numbers = {first: number for number, first in enumerate(firsts)}
    return Alike(firsts, [numbers[leader] for leader in leaders])


class _Sets:
    """Sets of points that look alike, each with its least point as its leader."""

    def __init__(self, changes: Sequence[Permutation], labels: Arrangement) -> None:
        self._changes, self._labels = changes, labels
        self._leaders: dict[int, int] = {}

    def leader(self, point: int) -> int:
        while point in self._leaders:
            point = self._leaders[point]
        return point

    def join(self, one: int, other: int) -> None:
        """Join the sets of two points, and those that permutations make of them, if all of them look alike."""
        check()
        before, pairs = dict(self._leaders), [(one, other)]
        for pair in pairs:
            here, there = pair
            if self._labels[here] != self._labels[there]:
                self._leaders = before
                return
            low, high = sorted(map(self.leader, pair))
            if low != high:
                self._leaders[high] = low
                pairs += [(change[here], change[there]) for change in self._changes]
