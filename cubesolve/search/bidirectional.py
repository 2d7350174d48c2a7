"""Bidirectional search between states without a table (numpy).

`between_rows` keeps hash values of the states near both ends, level by level, and the states of the last level of each.
It finds the same paths as `search.near`, and reaches larger distances in the same time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cubesolve.group.permutations import Arrangement
from cubesolve.runtime.deadline import check
from cubesolve.spaces.rows import Rows, hashed

_AT_ONCE = 1 << 14  # states expanded at a time

_Keys = NDArray[np.uint64]
_Neighbours = Callable[[Rows], Rows]


class _Side:
    """The states reached from one end, which consists of one state or several."""

    def __init__(self, rows: Rows) -> None:
        self.last, keys = _distinct(rows, hashed(rows))  # the states of the last level
        self.keys = [keys]  # the hash values of the states of each level, in ascending order

    @property
    def growth(self) -> float:
        """The number of states of the last level for each of the one before."""
        return len(self.keys[-1]) / len(self.keys[-2]) if len(self.keys) > 1 else 1.0

    def advance(
        self, neighbours: _Neighbours, is_met: Callable[[Rows, _Keys], NDArray[np.bool_]], *, is_kept: bool
    ) -> Rows:
        """Find the states one move farther; return those that are met: then, or unless kept, the side is as before."""
        met, new = [self.last[:0]], [(self.last[:0], self.keys[0][:0])]
        for rows, keys in _distinct_neighbours(self.last, neighbours):
            met.append(rows[is_met(rows, keys)])
            if is_kept:  # as neighbours are mutual, all others are at most one level back
                farther = ~np.logical_or.reduce([_are_in(level, keys) for level in self.keys[-2:]])
                new.append((rows[farther], keys[farther]))
        common = np.concatenate(met)
        if is_kept and not len(common):
            self.last, keys = _distinct(*map(np.concatenate, zip(*new, strict=True)))
            self.keys.append(keys)
        return _distinct(common, hashed(common))[0]

    def descending_levels(self, states: Rows, nearest: int, neighbours: _Neighbours) -> list[Rows]:
        """Return the states on the shortest paths to the end, level by level, beginning at the level `nearest`."""
        levels = []
        for level in self.keys[nearest::-1] if nearest >= 0 else []:
            pairs = [*_distinct_neighbours(states, neighbours)]
            reached = np.concatenate([rows[_are_in(level, keys)] for rows, keys in pairs])
            states, _ = _distinct(reached, hashed(reached))
            levels.append(states)
        return levels


def _distinct_neighbours(states: Rows, neighbours: _Neighbours) -> Iterator[tuple[Rows, _Keys]]:
    """Yield the neighbours of some states at a time, without duplicates among these, and their hash values."""
    for first in range(0, len(states), _AT_ONCE):
        check()
        rows = neighbours(states[first : first + _AT_ONCE])
        yield _distinct(rows, hashed(rows))


def _distinct(rows: Rows, keys: _Keys) -> tuple[Rows, _Keys]:
    """Return each state once, in ascending order of its hash value; rows with the same one are equal."""
    order = np.argsort(keys)  # any of equal rows will do; the stable order of `numpy.unique` takes much longer
    ordered = keys[order]
    is_new = np.diff(ordered, prepend=~ordered[:1]) != 0
    return rows[order[is_new]], ordered[is_new]


def _are_in(known: _Keys, keys: _Keys) -> NDArray[np.bool_]:
    """Return which keys are among others, which ascend."""
    places = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    return known[places] == keys if len(known) else np.zeros(len(keys), np.bool_)


def between_rows(
    start: Rows,
    goals: Rows | Callable[[Rows], NDArray[np.bool_]],
    neighbours: _Neighbours,
    *,
    most: int,
    after_level: Callable[[int, int], object],
) -> list[Rows] | int | None:
    """Search from a start and from goals until the two searches meet.

    Args:
        start: (1, width): the start.
        goals: (N, width): the goals; or, if there are too many, a function that returns which states are goals: the
            search then goes from the start alone.
        neighbours: returns the states after the possible moves of some states, in any order; each move can be undone
            by another.
        most: the largest number of states; the search ends before it would keep a level that would exceed it.
        after_level: called with the number of moves that is ruled out and the number of states seen.

    Returns:
        The states on the shortest paths, level by level; the number of moves that is ruled out if the search ended
        first; None if no goal is reachable.

    >>> ring = lambda ranks: np.concatenate([(ranks + 1) % 100, (ranks - 1) % 100])
    >>> ends = np.array([[3]]), np.array([[0], [10]])
    >>> [level.tolist() for level in between_rows(*ends, ring, most=50, after_level=lambda *_: None)]
    [[[3]], [[2]], [[1]], [[0]]]
    """
    forward = _Side(start)
    backward = None if callable(goals) else _Side(goals)
    sides = [side for side in (forward, backward) if side]

    def meeting(other: _Side | None) -> Callable[[Rows, _Keys], NDArray[np.bool_]]:
        if other is None:
            return lambda rows, _keys: goals(rows)  # type: ignore[operator]
        return lambda _rows, keys: _are_in(other.keys[-1], keys)

    if meeting(backward)(start, hashed(start)).any():
        return [start]
    while True:
        fewer = min(sides, key=lambda side: len(side.last))
        more = next((side for side in sides if side is not fewer), None)
        if not len(fewer.last):
            return None
        ruled_out = sum(len(side.keys) - 1 for side in sides)
        seen = sum(len(keys) for side in sides for keys in side.keys)
        after_level(ruled_out, seen)
        is_kept = seen + fewer.growth * len(fewer.last) <= most
        common = fewer.advance(neighbours, meeting(more), is_kept=is_kept)
        if len(common):
            ahead = fewer.descending_levels(common, len(fewer.keys) - 1, neighbours)
            rest = more.descending_levels(common, len(more.keys) - 2, neighbours) if more else []
            levels = [*ahead[::-1], common, *rest]
            return levels if fewer is forward else levels[::-1]
        if not is_kept:
            return ruled_out + 1


def between_arrangements(
    start: Arrangement,
    goals: Collection[Arrangement],
    moves: Sequence[Sequence[int]],
    *,
    most: int,
    after_level: Callable[[int, int], object],
) -> list[set[Any]] | int | None:
    """Search like `between_rows` for arrangements and moves that permute points.

    >>> levels = between_arrangements(b"cba", [b"abc"], [[1, 0, 2], [0, 2, 1]], most=100, after_level=lambda *_: None)
    >>> [sorted(level) for level in levels]
    [[b'cba'], [b'bca', b'cab'], [b'acb', b'bac'], [b'abc']]
    """
    kind = np.uint8 if isinstance(start, bytes) else np.uint16
    here, ends = (np.array([[*state] for state in states], kind) for states in ([start], goals))
    sources = np.array([[*move] for move in moves])

    def neighbours(rows: Rows) -> Rows:
        return rows.take(sources, axis=1).reshape(-1, rows.shape[1])

    levels = between_rows(here, ends, neighbours, most=most, after_level=after_level)
    return [set(map(type(start), rows.tolist())) for rows in levels] if isinstance(levels, list) else levels
