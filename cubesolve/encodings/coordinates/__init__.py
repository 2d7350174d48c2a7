"""The encoding of arrays other than depths: coordinates, selections of projections, pruning tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cubesolve.encodings.encoding import Encoding
from cubesolve.spaces.tables import ARRAYS

if TYPE_CHECKING:
    from cubesolve.encodings.methods import Methods
    from cubesolve.spaces.tables import TableEntry


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

    def methods(self) -> Methods:
        """Return the methods that make and prove tables; they need numpy."""
        from cubesolve.encodings.coordinates.methods import METHODS  # noqa: PLC0415  # needs numpy

        return METHODS
