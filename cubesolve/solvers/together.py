"""Counts of the least depth for several goals among very many states (numpy)."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.group.permutations import Arrangement, arrangement
from cubesolve.runtime.deadline import check
from cubesolve.runtime.notices import announce_effort, following
from cubesolve.solvers.counting import Count
from cubesolve.solvers.distribution import Distribution
from cubesolve.spaces.rows import Rows, hashed

_NONE = 255  # the depth of a state that no moves lead to
_STATES_A_SECOND = 5e8  # and goal; a rough estimate for messages

Placements = Sequence[dict[int, int]]
"""The ways to place the pieces of a kind: the label on each point."""


class ShownGoal(NamedTuple):
    """One of several goals.

    Attributes:
        looks: the label that stands for each label where the goal does not distinguish all.
        depths: returns the depth of each of some arrangements, -1 for those that no moves lead to.
    """

    looks: dict[int, int]
    depths: Callable[[Sequence[Arrangement]], Sequence[int]]


def count_together(
    start: Arrangement, places: Sequence[Placements], goals: Sequence[ShownGoal], most: int
) -> Count | None:
    """Count the states at each least depth for some goals: all combinations of placements of each kind of pieces.

    A goal distinguishes few placements of each kind, so its depths are an array with an axis for each kind. The kind
    with the most placements is counted at once for each combination of the others.

    Args:
        start: the labels on all points; those that no kind has stay.

    Returns:
        None if a goal distinguishes more combinations.
    """
    points = [sorted(each[0]) for each in sorted(places, key=len)]
    kinds = [_rows(each) for each in sorted(places, key=len)]
    distinct = [[_distinct(rows, goal.looks) for rows in kinds] for goal in goals]
    if any(math.prod(len(first) for first, _ in each) > most for each in distinct):
        return None
    tables, numbers = list[NDArray[np.uint8]](), list[list[NDArray[np.int64]]]()
    for goal, found in zip(goals, distinct, strict=True):
        states = list[Arrangement]()
        for chosen in itertools.product(*(rows[first] for rows, (first, _) in zip(kinds, found, strict=True))):
            state = [*start]
            for labels, along in zip(chosen, points, strict=True):
                for point, label in zip(along, labels.tolist(), strict=True):
                    state[point] = label
            states.append(arrangement(state))
        depths = np.array([*goal.depths(states)], np.int64)
        tables.append(np.where(depths < 0, _NONE, depths).astype(np.uint8).reshape([len(first) for first, _ in found]))
        numbers.append([which for _, which in found])
    *others, last = (range(len(rows)) for rows in kinds)
    total = math.prod(map(len, others)) * len(last)
    announce_effort(f"{total:,} states", 0, total * len(goals) / _STATES_A_SECOND)
    deepest = max(int(table[table < _NONE].max(initial=0)) for table in tables)
    counts = [0] * (deepest + 1)
    with following("counting", total) as advance:
        for combination in itertools.product(*others):
            check()
            least = functools.reduce(
                np.minimum,
                (
                    table[(*(which[i] for which, i in zip(numbered, combination, strict=False)),)][numbered[-1]]
                    for table, numbered in zip(tables, numbers, strict=True)
                ),
            )
            for depth in range(deepest + 1):
                counts[depth] += int(np.count_nonzero(least == depth))
            advance(len(last))
    found_counts = Distribution(np.trim_zeros(counts, "b"))
    return Count(found_counts, None, 1, total, 0, None, None, None)


def _rows(places: Placements) -> Rows:
    """Return the labels of placements, (N, points), in the order of the points."""
    points = sorted(places[0])
    return np.array([[each[point] for point in points] for each in places], np.uint16)


def _distinct(rows: Rows, looks: dict[int, int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first of the placements that a goal does not distinguish, and the number of this set for each."""
    look = np.zeros(max(looks) + 1, np.uint16)
    look[[*looks]] = [*looks.values()]
    _, first, which = np.unique(hashed(look[rows]), return_index=True, return_inverse=True)
    return first, which
