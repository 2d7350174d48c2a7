"""The states that an enumeration reaches last (numpy)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cubesolve.spaces.space import Checkpointer, Levels, StateSpace

_FEW = 1_000_000  # remaining states for which a list is kept
_PART = 1 << 20  # bytes that are processed at a time


class Farthest:
    """Lists the remaining states when there are few: in the end the ranks that are reached last.

    Attributes:
        ranks: int64, the ranks that remained before the last level; none if there were too many.
    """

    def __init__(self, space: StateSpace, bits: int, checkpointer: Checkpointer | None = None) -> None:
        """Watch an enumeration.

        Args:
            space: the space, all states of which are reached.
            bits: the number of bits of an entry, all of which are set until it is reached.
            checkpointer: a checkpointer that is called as well.
        """
        self.ranks = np.empty(0, np.int64)
        self._states, self._entries = space.counted, space.states
        self._bits, self._checkpointer = bits, checkpointer

    def begun(self) -> Levels | None:
        """See `spaces.space.Checkpointer`."""
        return self._checkpointer.begun() if self._checkpointer else None

    def keep(self, table: NDArray[np.uint8], counts: tuple[int, ...]) -> None:
        """See `spaces.space.Checkpointer`."""
        if self._checkpointer:
            self._checkpointer.keep(table, counts)
        if 0 < self._states - sum(counts) <= _FEW:
            ranks = self.ranks if len(self.ranks) else self._in_bytes_with_some(table)
            full = (1 << self._bits) - 1
            self.ranks = ranks[table[ranks * self._bits >> 3] >> (ranks * self._bits & 7) & full == full]

    def _in_bytes_with_some(self, table: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Return the ranks in the bytes with entries that are not reached."""
        each, found = 8 // self._bits, []
        for first in range(0, len(table), _PART):
            part = table[first : first + _PART]
            some = part & part >> self._bits - 1 & 0xFF // ((1 << self._bits) - 1)
            found.append(first + np.flatnonzero(some))
        ranks: NDArray[np.int64] = np.add.outer(each * np.concatenate(found), np.arange(each)).reshape(-1)
        return ranks[ranks < self._entries]
