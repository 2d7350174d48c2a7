"""How many of some states an enumeration reaches at each depth (numpy, numba)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cubesolve.group.permutations import Arrangement
from cubesolve.runtime.kernels import kernel, read_only, types
from cubesolve.runtime.workers import Workers
from cubesolve.spaces.members import Members
from cubesolve.spaces.space import Checkpointer, Levels

_FEW = 100_000  # remaining states of which a list is kept

MOST_KEPT = 255
"""The maximum number of numbers in a checkpoint."""


@kernel(
    types.uint8[::1],
    types.int64,
    types.int64,
    read_only(types.int64, 1),
    read_only(types.int64, 1),
    read_only(types.int64, 1),
    read_only(types.uint32, 1),
    types.int64[::1],
    types.int64,
    types.int64,
    at_start=True,
)
def _count(
    table: NDArray[np.uint8],
    bits: int,
    width: int,
    rows: NDArray[np.int64],
    lists: NDArray[np.int64],
    ends: NDArray[np.int64],
    places: NDArray[np.uint32],
    left: NDArray[np.int64],
    first: int,
    last: int,
) -> int:
    """Write how many entries of the lists `first` to `last` are not reached."""
    full = (1 << bits) - 1
    for i in range(first, last):
        begin = ends[lists[i] - 1] if lists[i] else 0
        origin, number = rows[i] * width, np.int64(0)
        for place in places[begin : ends[lists[i]]]:
            at = (origin + np.int64(place)) * bits
            number += np.int64(np.int64(table[at >> 3]) >> (at & 7) & full == full)
        left[i] = number
    return 0


class Among:
    """Counts those of some states that an enumeration reaches at each depth.

    It is a checkpointer, which is called after each level. The numbers in its checkpoints are those of all states at
    each depth, then those of these states.

    Attributes:
        counts: the number of these states at each depth.
    """

    def __init__(self, members: Members, width: int, bits: int, checkpointer: Checkpointer | None = None) -> None:
        """Watch an enumeration.

        Args:
            checkpointer: a checkpointer that is called as well.
        """
        self._members, self._width, self._bits, self._checkpointer = members, width, bits, checkpointer
        sizes = members.sizes[members.lists]
        self._total, self.counts = members.number(sizes), tuple[int, ...]()
        self._left = self._entries(sizes) if sizes.sum() <= _FEW else None
        self._newest: NDArray[np.int64] | None = None

    def begun(self) -> Levels | None:
        """Return the levels to continue from, in memory of their own; None if there is no checkpoint."""
        levels = self._checkpointer.begun() if self._checkpointer else None
        if levels is None:
            return None
        table, counts = levels
        return table, self.resumed(counts)

    def resumed(self, counts: tuple[int, ...]) -> tuple[int, ...]:
        """Continue after the numbers of a checkpoint; return those of all states."""
        half = len(counts) // 2
        self.counts, self._left = counts[half:], None  # the newest of those reached so far are not known
        return counts[:half]

    def keep(self, table: NDArray[np.uint8], counts: tuple[int, ...]) -> None:
        """Count the states of a level, and write a checkpoint after it; the entries change as soon as this returns.

        When all are reached, no checkpoints are written: the farthest could not be listed from one.
        """
        left = np.zeros(len(self._members.rows), np.int64)
        rows, lists, ends, places = self._members.rows, self._members.lists, self._members.ends, self._members.places

        def count(first: int, last: int) -> int:
            return _count(table, self._bits, self._width, rows, lists, ends, places, left, first, last)

        with Workers(len(left), entries=len(left) * self._width) as pool:
            pool.run(count)
        before = self.counts[: len(counts) - 1]  # a level is passed again after a checkpoint
        before += (0,) * (len(counts) - 1 - len(before))  # levels without any state
        self.counts = (*before, self._total - sum(before) - self._members.number(left))
        if self._left is not None:
            is_left = self._is_left(table, self._left)
            self._newest = self._newest if is_left.all() else self._left[~is_left]
            self._left = self._left[is_left]
        elif left.sum() <= _FEW:
            self._left = self._entries(left, table)
        is_complete = sum(self.counts) == self._total
        if self._checkpointer and not is_complete and 2 * len(counts) <= MOST_KEPT:
            self._checkpointer.keep(table, (*counts, *self.counts))

    def farthest(self) -> list[Arrangement] | None:
        """Return those at the largest depth, some perhaps several times.

        Returns:
            None if there are too many to list, or if they were reached before the checkpoint from which this continues.
        """
        if self._newest is None:
            return None
        about = self._members
        return [
            about.states.image(int(about.symmetries[number]), int(about.rows[number]), place)
            for number, place in self._newest.tolist()
        ]

    def _entries(self, left: NDArray[np.int64], table: NDArray[np.uint8] | None = None) -> NDArray[np.int64]:
        """Return the number among the rows of members, and the place, of each entry that is not reached.

        Args:
            table: the entries of all states; None before any is reached.
        """
        about, found = self._members, [np.empty((0, 2), np.int64)]
        for number in np.flatnonzero(left).tolist():
            last = about.lists[number]
            places = about.places[about.ends[last - 1] if last else 0 : about.ends[last]].astype(np.int64)
            entries = np.stack([np.full(len(places), number), places], axis=1)
            found.append(entries if table is None else entries[self._is_left(table, entries)])
        return np.concatenate(found)

    def _is_left(self, table: NDArray[np.uint8], entries: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return whether each of some entries is not reached."""
        full = (1 << self._bits) - 1
        at = (self._members.rows[entries[:, 0]] * self._width + entries[:, 1]) * self._bits
        left: NDArray[np.bool_] = table[at >> 3] >> (at & 7).astype(np.uint8) & full == full
        return left
