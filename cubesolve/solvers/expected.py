"""The expected time of a count, from the first levels of a search (numpy).

The number of new states per state declines slowly from level to level: its logarithm falls about linearly. Later, most
moves lead to states that were found before: of `u` unseen states, ``u * x / (1 + x)`` are found where ``u * x`` would
be new if none were known. This gives the number of levels, and how often each state is expanded, within a third of the
real figures for the puzzles of docs/record.md.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from cubesolve.errors import CubesolveError, counted, in_bytes
from cubesolve.runtime.notices import announce
from cubesolve.spaces.levels import LevelSearch, LevelShare
from cubesolve.spaces.space import Progress

if TYPE_CHECKING:
    from cubesolve.spaces.defined_graph import DerivedGraph

SECONDS_AN_EDGE = 2.3e-6
"""The expected processor time of a move of a row, while a space is derived."""

_SECONDS_A_MOVE = 4.3e-9  # of an entry that is expanded; all of these are processor time of one machine
_SECONDS_A_LOOK = 2e-10  # at an entry, in each level
_CLASSES = 1 << 17  # states up to symmetry that are searched; they take a second
_MEMORY = 1 << 28  # bytes; likewise
_MOST_LEVELS = 255
_TOO_MANY = 1 << 80  # states, if their number is unknown
_LARGE = 1 << 30  # bytes of memory that are announced
_MINUTE = 60  # seconds of processor time that are announced
_ESTIMATE_EVERY = 30.0  # seconds
_LEAST_SHARE = 0.02  # of the states, about which an estimate is announced
_USUAL_EXPANSIONS, _USUAL_LEVELS = 0.6, 20  # where no first levels are known


class _EnoughError(Exception):
    """Enough levels are known."""


def first_levels(graph: DerivedGraph, *, up_to_free: bool = False) -> list[int]:
    """Return the number of states at the first depths, as far as a second suffices; none where moves have costs."""
    counts = list[int]()

    def progress(_depth: int, states: int, _total: int) -> None:
        if not states:
            raise _EnoughError
        counts.append(states)
        if _takes_long(counts, search.about.symmetries):
            raise _EnoughError

    with contextlib.suppress(_EnoughError, CubesolveError):  # some puzzles have no such search
        search = LevelSearch(graph, _MEMORY, up_to_free=up_to_free)
        if search.about.costs == [1]:
            search.count(_MOST_LEVELS, progress)
    return counts


def _takes_long(counts: Sequence[int], symmetries: int) -> bool:
    """Return whether the level after some others is expected to have many states."""
    return len(counts) > 1 and counts[-1] ** 2 > _CLASSES * symmetries * counts[-2]


def announcing(search: LevelSearch, most: int, states: int | None, progress: Progress | None, also: str) -> Progress:
    """Return a function that is called after each level, and announces once what those up to `most` take."""
    is_left = True

    def follow(depth: int, found: int, total: int) -> None:
        nonlocal is_left
        if progress:
            progress(depth, found, total)
        counts, symmetries = search.counts, search.about.symmetries
        if is_left and 1 < depth < most and all(counts) and _takes_long(counts, symmetries):
            is_left, expected = False, expected_levels(counts, states or _TOO_MANY)
            number, before = int(sum(expected[: most + 1])), sum(expected[:most])
            efforts = search.on_all(LevelShare.effort, number / search.shards, before / search.shards)
            classes = counted(-(-number // symmetries))
            what = f"expected: {counted(number)} states at depth {most}, about {classes} up to symmetry"
            announce_effort(what, *efforts[0], also)

    return follow


def expected_levels(first: Sequence[int], states: int) -> list[float]:
    """Return the expected number of states at each depth."""
    counts = [float(number) for number in first]
    grown = [math.log(later / before) / 2 for before, later in zip(first, first[2:], strict=False)]  # of each depth
    half = max(1, len(grown) // 2)
    slope = min(0.0, (grown[-1] - grown[-1 - half]) / half) if len(grown) > half else 0.0
    growth, unseen = grown[-1] + slope, states - sum(counts)
    while unseen >= 1 and counts[-1] >= 1 and len(counts) < _MOST_LEVELS:
        ratio = counts[-1] * math.exp(growth) / unseen
        counts.append(unseen * ratio / (1 + ratio))
        unseen, growth = unseen - counts[-1], growth + slope
    return counts


def expansions(levels: Sequence[float]) -> float:
    """Return how often a state is expanded: each level expands the newest states, or the unseen ones if fewer."""
    return sum(min(newest, sum(levels[depth + 1 :])) for depth, newest in enumerate(levels)) / sum(levels)


def seconds_to_count(states: int, entries: int, moves: int, first: Sequence[int], symmetric: int = 0) -> float:
    """Return the expected processor time of a count, given the first levels if they are known."""
    expanded, levels, expanding = _USUAL_EXPANSIONS, _USUAL_LEVELS, _USUAL_LEVELS // 2
    if len(first) > 2 and all(first):
        expected = expected_levels(first, states)
        expanded, levels = expansions(expected), len(expected)
        expanding = sum(sum(expected[:depth]) < sum(expected[depth:]) for depth in range(levels))
    applied = moves * (entries * expanded + symmetric * expanding)
    return applied * _SECONDS_A_MOVE + entries * levels * _SECONDS_A_LOOK


# -- Messages ----------------------------------------------------------------------------------------------------------


def announce_effort(what: str, size: float, seconds: float, also: str = "") -> None:
    """Announce what a large or long run takes: bytes of memory, 0 if they are few, and seconds of processor time."""
    if size >= _LARGE or seconds >= _MINUTE:
        minutes = max(round(seconds / _MINUTE), 1)
        time_taken = f"about {minutes:,} minute{'s' if minutes > 1 else ''} of processor time"
        memory = f"{in_bytes(int(size))} of memory" if size else ""
        announce(f"{what}: {', '.join(filter(None, [memory, also, time_taken]))}")


class Estimate:
    """Announces how much of a long count is done, and how long the rest may take."""

    def __init__(self, states: int, progress: Callable[[int, int, int], object] | None = None) -> None:
        self._states, self._counted, self._progress = states, -1, progress
        self._last = time.monotonic()

    def __call__(self, depth: int, states: int, total: int) -> None:
        """Announce it at most every half a minute, given a depth, the states there, and those counted so far.

        The pace is that since the time before. The first time nothing is announced: kernels were compiled meanwhile.
        """
        if self._progress:
            self._progress(depth, states, total)
        now, counted, share = time.monotonic(), self._counted, total / max(self._states, 1)
        if now - self._last < _ESTIMATE_EVERY:
            return
        if counted >= 0 and _LEAST_SHARE <= share < 1:
            left = (now - self._last) * (self._states - total) / max(total - counted, 1)
            others = f"the others take {max(left / _MINUTE, 0.1):,.1f} minutes at this pace"
            announce(f"{share:.0%} of {self._states:,} states are counted; {others}")
        self._last, self._counted = now, total
