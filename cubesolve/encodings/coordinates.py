"""Arrays that are not depths: coordinates of derived spaces, choices of projections, pruning tables (pure Python)."""

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
    """Arrays that a puzzle derives, as bytes; see `Rules.arrays`."""

    number = ARRAYS
    level = 3  # within 10 % of the size that level 9 gives, in a sixth of its time
    has_depths = False
    unit = "bytes"

    def body_bytes(self, entries: int) -> int:
        """See `Encoding.body_bytes`."""
        return entries

    def has_levels(self, entry: TableEntry) -> bool:  # noqa: ARG002
        """See `Encoding.has_levels`: coordinates are derived at once."""
        return False

    def make(
        self,
        rules: Rules,
        entry: TableEntry,
        progress: Progress | None = None,  # noqa: ARG002  # there are no levels
        workers: int | None = None,  # noqa: ARG002
        checkpointer: Checkpointer | None = None,  # noqa: ARG002
    ) -> Levels:
        """See `Encoding.make`."""
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
        """See `Encoding.verify`: they are derived again."""
        if rules.arrays(entry, anew=True) != body.tobytes():
            raise CorruptTableError(path, "the arrays do not match the moves of the puzzle")
