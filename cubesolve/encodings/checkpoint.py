"""The encoding of checkpoints: the bytes of an unfinished table (pure Python)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cubesolve.encodings.encoding import Encoding
from cubesolve.spaces.tables import CHECKPOINT

if TYPE_CHECKING:
    from cubesolve.encodings.methods import Methods
    from cubesolve.spaces.tables import TableHeader


class CheckpointEncoding(Encoding):
    """The state of an enumeration; the content has another encoding, which alone can read it."""

    number = CHECKPOINT
    level = 1  # as fast as uncompressed bytes, and at most two thirds of their size
    has_depths = False
    unit = "bytes"

    def body_bytes(self, entries: int) -> int:
        """Return the number of bytes of a body with a number of entries."""
        return entries

    def is_consistent(self, header: TableHeader) -> bool:  # noqa: ARG002
        """Return whether the numbers in a header agree. A byte has several entries."""
        return True

    def methods(self) -> Methods:
        """Return the methods that make and prove tables; they need numpy.

        Raises:
            ValueError: always; the encoding of the content has them.
        """
        raise ValueError("a checkpoint is not a table that can be built or proved")
