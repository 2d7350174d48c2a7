"""The encoding of arrays other than depths: coordinates, selections of projections, pruning tables (pure Python)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cubesolve.encodings.encoding import Encoding
from cubesolve.errors import CorruptTableError
from cubesolve.spaces.tables import ARRAYS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from cubesolve.spaces.rules import Rules
    from cubesolve.spaces.space import Checkpointer, Levels, Progress
    from cubesolve.spaces.tables import TableEntry, TableHeader


class CoordinatesEncoding(Encoding):
    """Arrays that a puzzle computes, as bytes; see `Rules.arrays`."""

    number = ARRAYS
    level = 3  # the file is within 10 % of that of level 9, in a sixth of the time
    has_depths = False
    unit = "bytes"

    def body_bytes(self, entries: int) -> int:
        """Return the number of bytes of a body with a number of entries."""
        return entries

    def has_levels(self, entry: TableEntry) -> bool:  # noqa: ARG002
        """Return whether a table is enumerated level by level, so that there can be checkpoints.

        Coordinates are derived at once.
        """
        return False

    def make(
        self,
        rules: Rules,
        entry: TableEntry,
        progress: Progress | None = None,  # noqa: ARG002  # there are no levels
        workers: int | None = None,  # noqa: ARG002
        checkpointer: Checkpointer | None = None,  # noqa: ARG002
    ) -> Levels:
        """Make the body of a table, and prove it right unless its digest is pinned."""
        import numpy as np  # noqa: PLC0415  # coordinates are read without it

        return np.frombuffer(rules.arrays(entry), np.uint8), ()

    def verify(
        self,
        rules: Rules,
        entry: TableEntry,
        claimed: TableHeader,  # noqa: ARG002  # there is no distribution
        body: NDArray[np.uint8],
        path: str,
        workers: int | None = None,  # noqa: ARG002
    ) -> None:
        """Prove that every entry of a table and the distribution in its header are right. They are computed again."""
        if rules.arrays(entry, anew=True) != body.tobytes():
            raise CorruptTableError(path, "the arrays do not match the moves of the puzzle")
