"""Making and proving arrays other than depths (needs numpy)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings.methods import Methods
from cubesolve.errors import CorruptTableError
from cubesolve.spaces.rules import Rules
from cubesolve.spaces.space import Checkpointer, Levels, Progress
from cubesolve.spaces.tables import TableEntry, TableHeader


class CoordinatesMethods(Methods):
    """Methods for arrays that a puzzle computes."""

    def make(
        self,
        rules: Rules,
        entry: TableEntry,
        progress: Progress | None,  # noqa: ARG002  # there are no levels
        workers: int | None,  # noqa: ARG002
        checkpointer: Checkpointer | None,  # noqa: ARG002
    ) -> Levels:
        """Make the body of a table, and prove it right unless its digest is pinned."""
        return np.frombuffer(rules.arrays(entry), np.uint8), ()

    def verify(
        self,
        rules: Rules,
        entry: TableEntry,
        claimed: TableHeader,  # noqa: ARG002  # there is no distribution
        body: NDArray[np.uint8],
        path: str,
        workers: int | None,  # noqa: ARG002
    ) -> None:
        """Prove that every entry of a table and the distribution in its header are right. They are computed again."""
        if rules.arrays(entry, anew=True) != body.tobytes():
            raise CorruptTableError(path, "the arrays do not match the moves of the puzzle")


METHODS = CoordinatesMethods()
