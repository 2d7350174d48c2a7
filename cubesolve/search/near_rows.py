"""Bidirectional search between states that are rows of numbers, without compiled kernels (numpy).

It finds the same paths as `search.near`, and reaches larger distances in the same time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from cubesolve.runtime.deadline import check
from cubesolve.spaces.rows import Rows, RowSet, hashed

_AT_ONCE = 1 << 12  # states expanded at a time; they fit into the cache of a processor


class _Side:
    """The states reached from one end, which consists of one state or several.

    Attributes:
        levels: the states at each distance.
        keys: the hash values of the states at each distance, in ascending order.
    """

    def __init__(self, states: Collection[bytes]) -> None:
        end = np.array([list(state) for state in dict.fromkeys(states)], np.uint8)
        self.levels, self.keys = [end], [np.sort(hashed(end))]
        self._seen = RowSet(end)

    def __len__(self) -> int:
        return len(self._seen)

    def advance(self, sources: NDArray[np.intp]) -> None:
        """Find the states of the next level."""
        new = [found[self._seen.add(found)] for found in _neighbours(self.levels[-1], sources)]
        self.levels.append(np.concatenate(new))
        self.keys.append(np.sort(hashed(self.levels[-1])))


def _neighbours(states: Rows, sources: NDArray[np.intp]) -> Iterator[Rows]:
    for first in range(0, len(states), _AT_ONCE):
        check()
        yield states[first : first + _AT_ONCE].take(sources, axis=1).reshape(-1, states.shape[1])


def _reached(states: Rows, sources: NDArray[np.intp], keys: NDArray[np.uint64]) -> Rows:
    """Return the distinct neighbours whose hash values are among the sorted `keys`."""
    found = []
    for neighbours in _neighbours(states, sources):
        numbers = hashed(neighbours)
        places = np.minimum(np.searchsorted(keys, numbers), len(keys) - 1)
        found.append(neighbours[keys[places] == numbers])
    return np.unique(np.concatenate(found), axis=0)


def between_rows(
    start: bytes,
    goals: Collection[bytes],
    moves: Sequence[Sequence[int]],
    *,
    most: int,
    after_level: Callable[[int, int], object],
) -> list[set[bytes]] | int | None:
    """Search from a start and from goals until the two searches meet.

    Args:
        moves: the source of each point; each move can be undone by another.
        after_level: called with the number of moves that is ruled out and the number of states kept.

    Returns:
        The states on the shortest paths, level by level; the number of moves that is ruled out if the search ended
        first; None if no goal is reachable.

    >>> levels = between_rows(b"cba", [b"abc"], [[1, 0, 2], [0, 2, 1]], most=100, after_level=lambda *_: None)
    >>> [sorted(level) for level in levels]
    [[b'cba'], [b'bca', b'cab'], [b'acb', b'bac'], [b'abc']]
    """
    if start in goals:
        return [{start}]
    sources = np.array([list(move) for move in moves])
    forward, backward = _Side([start]), _Side(goals)
    while True:
        fewer, more = sorted((forward, backward), key=lambda side: len(side.levels[-1]))
        if not len(fewer.levels[-1]):
            return None
        ruled_out = len(forward.levels) + len(backward.levels) - 2
        after_level(ruled_out, len(forward) + len(backward))
        growth = len(fewer.levels[-1]) / len(fewer.levels[-2]) if len(fewer.levels) > 1 else 1
        is_last = len(forward) + len(backward) + growth * len(fewer.levels[-1]) > most
        common = _reached(fewer.levels[-1], sources, more.keys[-1])
        if len(common):
            ahead = _descending_levels(common, fewer, len(fewer.levels) - 1, sources)
            rest = _descending_levels(common, more, len(more.levels) - 2, sources)
            levels = [*ahead[::-1], common, *rest]
            ordered = levels if fewer is forward else levels[::-1]
            return [set(map(bytes, level)) for level in ordered]
        if is_last:
            return ruled_out + 1
        fewer.advance(sources)


def _descending_levels(states: Rows, side: _Side, nearest: int, sources: NDArray[np.intp]) -> list[Rows]:
    """Return the states on the shortest paths to an end, level by level, beginning at the level `nearest`."""
    found = []
    for keys in side.keys[nearest::-1] if nearest >= 0 else []:
        states = _reached(states, sources, keys)
        found.append(states)
    return found
