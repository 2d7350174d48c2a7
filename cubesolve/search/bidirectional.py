"""Bidirectional search between states without a table."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings.enumeration import Depths, Searcher
from cubesolve.runtime.deadline import check
from cubesolve.spaces.space import StateSpace

_AT_ONCE = 1 << 17  # states whose neighbours are computed at a time


class MeetingPoint(NamedTuple):
    """The meeting of two searches.

    Attributes:
        from_start: uint8 (states,): distances from the start, 255 for states that were not reached.
        from_goals: uint8 (states,): distances from the nearest goal, likewise.
        middle: the ranks of the states halfway along a shortest path, in order: every shortest path has exactly one.
    """

    from_start: Depths
    from_goals: Depths
    middle: list[int]


def meet(
    space: StateSpace,
    start: int,
    goals: Sequence[int] | NDArray[np.int64],
    workers: int | None = None,
    after_level: Callable[[int, int], object] | None = None,
) -> MeetingPoint | None:
    """Search from a start and from goals at once, until both meet.

    Args:
        workers: number of threads; by default one for each processor.
        after_level: called with the number of moves that have been ruled out and the number of states seen.

    Returns:
        The meeting; None if no goal can be reached.

    Raises:
        ValueError: neighbours are not mutual, or a number is not a rank.

    >>> from cubesolve.catalog.rolling.tray import Tray
    >>> from cubesolve.catalog.rolling.spaces import rolling_space
    >>> start, goal = Tray.start((1, 1), 2, 2), Tray.start((1, 1), 2, 2).apply("LUR")
    >>> meeting = meet(rolling_space(start.shape, start.plus), start.rank, [goal.rank])
    >>> int(meeting.from_start[meeting.middle[0]]) + int(meeting.from_goals[meeting.middle[0]])
    3
    """
    if not space.mutual:
        raise ValueError("bidirectional search requires mutual neighbours")
    with Searcher(space, [start], workers) as forward, Searcher(space, goals, workers) as backward:
        while True:
            fewer, more = sorted((forward, backward), key=lambda side: side.found)
            newest = np.flatnonzero(fewer.depths == fewer.depth)
            middle = newest[more.depths[newest] == more.depth]
            if len(middle):
                return MeetingPoint(forward.depths, backward.depths, middle.tolist())
            if not fewer.found:
                return None
            if after_level:
                after_level(forward.depth + backward.depth, forward.total + backward.total)
            fewer.advance()


class MeetingLevels(NamedTuple):
    """The meeting of two searches that do not keep the whole space in memory.

    Attributes:
        from_start: the ranks at each distance from the start, in ascending order.
        from_goals: the same from the nearest goal.
        middle: as in `MeetingPoint`.
    """

    from_start: list[NDArray[np.int64]]
    from_goals: list[NDArray[np.int64]]
    middle: NDArray[np.int64]


def meet_in_levels(
    neighbours: Callable[[NDArray[np.int64]], NDArray[np.int64]],
    start: int,
    goals: NDArray[np.int64] | Callable[[NDArray[np.int64]], NDArray[np.bool_]],
    *,
    most: int,
    after_level: Callable[[int, int], object],
) -> MeetingLevels | int | None:
    """Search like `meet` in a space that is too large for memory.

    Args:
        neighbours: returns the ranks after the moves for many ranks, (N, moves), -1 for impossible ones; mutual.
        goals: ranks of the goals; or, if there are too many, a function that returns which ranks are goals: the search
            then goes from the start alone.
        most: the maximum number of states; the search ends before a level that would exceed it.
        after_level: called with the number of moves that have been ruled out and the number of states seen.

    Returns:
        The meeting; if there is none, a number of moves that is ruled out; None if no goal can be reached.

    >>> ring = lambda ranks: np.stack([(ranks + 1) % 100, (ranks - 1) % 100], axis=1)
    >>> found = meet_in_levels(ring, 3, np.array([0, 10]), most=50, after_level=lambda *_: None)
    >>> len(found.from_start) + len(found.from_goals) - 2
    3
    """
    forward = _Side(neighbours, np.array([start]))
    backward = None if callable(goals) else _Side(neighbours, np.unique(goals))
    while True:
        newest = forward.levels[-1]
        if backward is None:
            middle = newest[goals(newest)]  # type: ignore[operator]
        else:
            middle = np.intersect1d(newest, backward.levels[-1], assume_unique=True)
        ruled_out = len(forward.levels) + (len(backward.levels) if backward else 1) - 2
        if len(middle):
            return MeetingLevels(forward.levels, backward.levels if backward else [middle], middle)
        sides = [side for side in (forward, backward) if side]
        fewer = min(sides, key=lambda side: len(side.levels[-1]))
        if not len(fewer.levels[-1]):
            return None
        seen = sum(map(len, itertools.chain(*(side.levels for side in sides))))
        after_level(ruled_out, seen)
        if seen + 2 * len(fewer.levels[-1]) > most:
            return ruled_out
        fewer.advance()


class _Side:
    """One side of the search, level by level."""

    def __init__(self, neighbours: Callable[[NDArray[np.int64]], NDArray[np.int64]], ranks: NDArray[np.int64]) -> None:
        self._neighbours = neighbours
        self.levels = [ranks]

    def advance(self) -> None:
        """Find the states one move farther; as neighbours are mutual, all others are at most one level back."""
        reached = [np.empty(0, np.int64)]
        for first in range(0, len(self.levels[-1]), _AT_ONCE):
            check()
            reached.append(np.unique(self._neighbours(self.levels[-1][first : first + _AT_ONCE])))
        new = np.unique(np.concatenate(reached))
        new = new[new >= 0]
        for level in self.levels[-2:]:
            new = np.setdiff1d(new, level, assume_unique=True)
        self.levels.append(new)
