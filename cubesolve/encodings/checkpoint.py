"""The bytes of a table that is not finished, as a file keeps them (pure Python)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cubesolve.encodings.encoding import Encoding
from cubesolve.spaces.tables import CHECKPOINT

if TYPE_CHECKING:
    from cubesolve.spaces.tables import TableHeader


class CheckpointEncoding(Encoding):
    """What an enumeration has found so far; its content is that of another encoding, and only that one builds it."""

    number = CHECKPOINT
    level = 1  # takes no longer than bytes that are not compressed, and at most two thirds of their room
    has_depths = False
    unit = "bytes"

    def body_bytes(self, entries: int) -> int:
        """See `Encoding.body_bytes`."""
        return entries

    def is_consistent(self, header: TableHeader) -> bool:  # noqa: ARG002
        """See `Encoding.is_consistent`: a byte has several entries."""
        return True
