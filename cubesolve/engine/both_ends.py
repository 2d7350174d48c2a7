"""Shortest ways between states for which there is no table, from both ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.engine.breadth_first import Depths, Searcher
from cubesolve.spaces.space import StateSpace


class Meeting(NamedTuple):
    """Where two searches met.

    Attributes:
        from_start: uint8 (states,): distances from the start, 255 where the search did not come.
        from_goals: uint8 (states,): distances from the nearest goal, likewise.
        middle: the ranks of the states that are halfway on a shortest way, in order: every such way has exactly one.
    """

    from_start: Depths
    from_goals: Depths
    middle: list[int]


def meet(
    space: StateSpace, start: int, goals: Sequence[int] | NDArray[np.int64], workers: int | None = None
) -> Meeting | None:
    """Search from a start and from goals at once, until the two meet.

    Args:
        space: a space whose neighbours are mutual.
        start: rank of the start.
        goals: ranks of the goals.
        workers: number of threads; by default one for each processor.

    Returns:
        Where they met; None if no goal can be reached.

    Raises:
        ValueError: neighbours are not mutual, or a rank is none.

    >>> from cubesolve.puzzles.rolling.tray import Tray
    >>> from cubesolve.spaces.trays import rolling_space
    >>> start, goal = Tray.start((1, 1), 2, 2), Tray.start((1, 1), 2, 2).apply("LUR")
    >>> meeting = meet(rolling_space(start.shape, start.plus), start.rank, [goal.rank])
    >>> int(meeting.from_start[meeting.middle[0]]) + int(meeting.from_goals[meeting.middle[0]])
    3
    """
    if not space.mutual:
        raise ValueError("searching from both ends needs mutual neighbours")
    with Searcher(space, [start], workers) as forward, Searcher(space, goals, workers) as backward:
        while True:
            fewer, more = sorted((forward, backward), key=lambda side: side.found)
            newest = np.flatnonzero(fewer.depths == fewer.depth)
            middle = newest[more.depths[newest] == more.depth]
            if len(middle):
                return Meeting(forward.depths, backward.depths, middle.tolist())
            if not fewer.found:
                return None
            fewer.advance()
