"""What an enumeration reaches last."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cubesolve.spaces.space import Checkpointer, Levels

FEW = 1_000_000  # states that are left, of which a list is kept
PART = 1 << 26  # bytes that are looked at at a time


class Farthest:
    """Lists what is left when little is: in the end the ranks that are reached last.

    Attributes:
        ranks: int64, those that were left before the last level.
    """

    def __init__(self, states: int, bits: int, checkpointer: Checkpointer | None = None) -> None:
        """Watch an enumeration of so many states, all of which are reached.

        Args:
            states: how many there are.
            bits: how many an entry has, all set where it is not reached.
            checkpointer: what keeps it, too.
        """
        self.ranks = np.empty(0, np.int64)
        self._states, self._bits, self._checkpointer = states, bits, checkpointer

    def begun(self) -> Levels | None:
        """See `spaces.space.Checkpointer`."""
        return self._checkpointer.begun() if self._checkpointer else None

    def keep(self, table: NDArray[np.uint8], counts: tuple[int, ...]) -> None:
        """See `spaces.space.Checkpointer`."""
        if self._checkpointer:
            self._checkpointer.keep(table, counts)
        if 0 < self._states - sum(counts) <= FEW:
            ranks = self.ranks if len(self.ranks) else self._in_bytes_with_some(table)
            full = (1 << self._bits) - 1
            self.ranks = ranks[table[ranks * self._bits >> 3] >> (ranks * self._bits & 7) & full == full]

    def _in_bytes_with_some(self, table: NDArray[np.uint8]) -> NDArray[np.int64]:
        """The ranks in the bytes in which something is not reached; what a table has beyond its ranks among them."""
        each, found = 8 // self._bits, []
        for first in range(0, len(table), PART):
            part = table[first : first + PART]
            some = part & part >> self._bits - 1 & 0xFF // ((1 << self._bits) - 1)
            found.append(first + np.flatnonzero(some))
        ranks: NDArray[np.int64] = np.add.outer(each * np.concatenate(found), np.arange(each)).reshape(-1)
        return ranks
