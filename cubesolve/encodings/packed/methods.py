"""Building and proving packed pattern databases (needs numpy)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings.faults import require_no_fault
from cubesolve.encodings.methods import Methods
from cubesolve.encodings.packed import base_of
from cubesolve.encodings.packed.enumeration import enumerate_packed, find_packed_fault
from cubesolve.spaces.rules import Rules
from cubesolve.spaces.space import Checkpointer, Levels, Progress
from cubesolve.spaces.tables import TableEntry, TableHeader


class PackedMethods(Methods):
    """Methods for packed pattern databases, the pinned digests of which are those of proved tables."""

    def make(
        self,
        rules: Rules,
        entry: TableEntry,
        progress: Progress | None,
        workers: int | None,
        checkpointer: Checkpointer | None,
    ) -> Levels:
        """Make the body of a table, and prove it right unless its digest is pinned."""
        return enumerate_packed(rules.refined_space(entry), base_of(entry.header), progress, workers, checkpointer)

    def verify(
        self,
        rules: Rules,
        entry: TableEntry,
        claimed: TableHeader,
        body: NDArray[np.uint8],
        path: str,
        workers: int | None,
    ) -> None:
        """Prove that every entry of a table and the distribution in its header are right.

        The digest covers the counts.
        """
        require_no_fault(find_packed_fault(rules.refined_space(entry), body, base_of(claimed), workers), path)


METHODS = PackedMethods()
