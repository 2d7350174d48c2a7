"""The encoding with one byte per entry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cubesolve.encodings.encoding import ExactEncoding
from cubesolve.spaces.tables import BYTE_DEPTHS

if TYPE_CHECKING:
    import mmap

    from cubesolve.encodings.byte.distances import Distances
    from cubesolve.encodings.methods import ExactMethods
    from cubesolve.spaces.rules import Graph


class ByteEncoding(ExactEncoding):
    """The depth of each entry, or 255 if no start can be reached.

    A table can also have the least depths of sets of states, as a `Fold` of another table.
    """

    number = BYTE_DEPTHS
    level = 9  # the file is within 2 % of that of level 12, in less than half the time
    bits = 8

    def body_bytes(self, entries: int) -> int:
        """Return the number of bytes of a body with a number of entries."""
        return entries

    def distances(self, graph: Graph, body: bytes | mmap.mmap) -> Distances:
        """Return the distances of single states, without numpy."""
        from cubesolve.encodings.byte.distances import distances_of  # noqa: PLC0415  # delays the start of other searches

        return distances_of(graph, body)

    def methods(self) -> ExactMethods:
        """Return the methods that make and prove tables; they need numpy."""
        from cubesolve.encodings.byte.probe import METHODS  # noqa: PLC0415  # needs numpy

        return METHODS
