"""The states that an enumeration reaches last (numpy)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cubesolve.spaces.space import Checkpointer, Levels, StateSpace

_FEW = 1_000_000  # remaining states for which a list is kept
_PART = 1 << 20  # bytes that are processed at a time


def few_remain(space: StateSpace, counts: Sequence[int]) -> bool:
    """Return whether few enough states are not reached to list them, given the numbers of those at each depth."""
    return 0 < space.counted - sum(counts) <= _FEW


class Farthest:
    """Lists the remaining states when there are few: in the end the ranks that are reached last.

    Attributes:
        ranks: int64, the ranks that remained before the last level; none if there were too many.
        table: the entries, which are complete when the enumeration has ended.
    """

    table: NDArray[np.uint8]

    def __init__(self, space: StateSpace, bits: int, checkpointer: Checkpointer | None = None) -> None:
        """Watch an enumeration.

        Args:
            checkpointer: a checkpointer that is called as well.
        """
        self.ranks = np.empty(0, np.int64)
        self._space, self._bits, self._checkpointer = space, bits, checkpointer

    def begun(self) -> Levels | None:
        """Return the levels to continue from, in memory of their own; None if there is no checkpoint."""
        return self._checkpointer.begun() if self._checkpointer else None

    def keep(self, table: NDArray[np.uint8], counts: tuple[int, ...]) -> None:
        """Write a checkpoint after a level but the last; the entries change as soon as this returns.

        From one after the last level, the states that it reached could not be listed.
        """
        self.table = table
        if self._checkpointer and sum(counts) < self._space.counted:
            self._checkpointer.keep(table, counts)
        if few_remain(self._space, counts):
            self.watch(table)

    def watch(self, table: NDArray[np.uint8]) -> None:
        """List the states that are not reached, of which there are few."""
        self.ranks = self._left(table, self.ranks) if len(self.ranks) else self._all_left(table)

    def _left(self, table: NDArray[np.uint8], ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return those of some ranks that are not reached."""
        full = (1 << self._bits) - 1
        left: NDArray[np.int64] = ranks[table[ranks * self._bits >> 3] >> (ranks * self._bits & 7) & full == full]
        return left

    def _all_left(self, table: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Return the ranks that are not reached, from the bytes that have some."""
        each, found = 8 // self._bits, []
        for first in range(0, len(table), _PART):
            part = table[first : first + _PART]
            some = part & part >> self._bits - 1 & 0xFF // ((1 << self._bits) - 1)
            ranks = np.add.outer(each * (first + np.flatnonzero(some)), np.arange(each)).reshape(-1)
            found.append(self._left(table, ranks[ranks < self._space.states]))
        return np.concatenate(found)
