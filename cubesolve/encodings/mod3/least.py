"""The least depths of sets of rows, written while a mod-3 table is enumerated."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings.mod3.enumeration import Entries, list_entries
from cubesolve.runtime.kernels import kernel, read_only, types
from cubesolve.runtime.workers import Workers
from cubesolve.spaces.space import Levels
from cubesolve.spaces.tables import UNREACHABLE


@kernel(
    read_only(types.uint64, 1),
    read_only(types.int64, 1),
    types.uint8[::1],
    types.int64,
    types.int64,
    types.int64,
    types.int64,
    at_start=True,
)
def write_depth(
    words: NDArray[np.uint64],
    first_rows: NDArray[np.int64],
    least: NDArray[np.uint8],
    width: int,
    depth: int,
    first: int,
    last: int,
) -> int:
    """Write the current depth for sets `first` to `last`, where nothing is written yet and a row has a state there.

    States of smaller depth can have the same entry, but the depths of their sets are written already.
    """
    found = np.empty(width, np.uint32)
    for a in range(first, last):
        for row in range(first_rows[a], first_rows[a + 1]):
            for i in range(list_entries(words, depth % 3, row * width, (row + 1) * width, found)):
                b = a * width + np.int64(found[i])
                if least[b] == UNREACHABLE:
                    least[b] = depth
    return 0


class LeastDepths:
    """The least depth of each set of rows: a `space.Checkpointer`, which is called after each level.

    Attributes:
        depths: uint8 (sets * width,): for each set and each fibre state; 255 if no start can be reached.
    """

    def __init__(self, first_rows: NDArray[np.int64], width: int) -> None:
        """Begin before the first level.

        Args:
            first_rows: int64 (sets + 1,): the first row of each set, and the number of all rows.
        """
        self._first_rows, self._width = first_rows, width
        self.depths = np.full((len(first_rows) - 1) * width, UNREACHABLE, np.uint8)

    def begun(self) -> Levels | None:
        """Return the levels to continue from, in memory of their own; None if there is no checkpoint."""
        return None

    def keep(self, table: Entries, counts: tuple[int, ...]) -> None:
        """Write a checkpoint after a level; the entries change as soon as this returns."""
        words, depth = table.view(np.uint64), len(counts) - 1
        with Workers(len(self._first_rows) - 1, entries=int(self._first_rows[-1]) * self._width) as pool:
            pool.run(
                lambda first, last: write_depth(words, self._first_rows, self.depths, self._width, depth, first, last)
            )
