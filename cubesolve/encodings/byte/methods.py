"""Building, proving and probing tables with one byte per entry (needs numpy)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings.byte.enumeration import distribution, enumerate_levels
from cubesolve.encodings.byte.folds import folded, require_folded
from cubesolve.encodings.byte.probe import ByteProbe
from cubesolve.encodings.byte.proof import find_fault
from cubesolve.encodings.faults import require_counts
from cubesolve.encodings.methods import ExactMethods
from cubesolve.spaces.rules import Rules
from cubesolve.spaces.space import Checkpointer, Levels, Progress
from cubesolve.spaces.tables import TableEntry, TableHeader


class ByteMethods(ExactMethods):
    """Methods for arrays of depths; a table of least depths is a fold of another table, which is made and proved."""

    def make(
        self,
        rules: Rules,
        entry: TableEntry,
        progress: Progress | None,
        workers: int | None,
        checkpointer: Checkpointer | None,
    ) -> Levels:
        """Make the body of a table, and prove it right unless its digest is pinned."""
        if entry.fold is None:
            return super().make(rules, entry, progress, workers, checkpointer)
        depths, _ = self.make(rules, rules.table(entry.fold.table), progress, workers, None)
        least = folded(depths, entry.fold)
        return least, distribution(least)

    def verify(
        self,
        rules: Rules,
        entry: TableEntry,
        claimed: TableHeader,
        body: NDArray[np.uint8],
        path: str,
        workers: int | None,
    ) -> None:
        """Prove that every entry of a table and the distribution in its header are right."""
        if entry.fold is None:
            super().verify(rules, entry, claimed, body, path, workers)
            return
        depths, _ = self.make(rules, rules.table(entry.fold.table), None, workers, None)
        require_folded(body, depths, entry.fold, path, lambda number: rules.pattern(entry, number))
        require_counts(distribution(body), claimed, path)


METHODS = ByteMethods(
    enumerate_levels,
    lambda space, starts, body, workers: (find_fault(space, body, starts, workers), distribution(body, space)),
    ByteProbe,
)
