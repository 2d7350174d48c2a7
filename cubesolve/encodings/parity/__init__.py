"""The encoding with one bit per entry, for spaces in which every move changes a parity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cubesolve.encodings.encoding import ExactEncoding
from cubesolve.spaces.tables import ONE_BIT

if TYPE_CHECKING:
    import mmap

    from cubesolve.encodings.byte.distances import Distances
    from cubesolve.encodings.methods import ExactMethods
    from cubesolve.spaces.rules import Graph
    from cubesolve.spaces.tables import TableHeader

WORD_ENTRIES = 64
"""The number of entries of a word."""


class ParityEncoding(ExactEncoding):
    """The higher bit of the depth of each entry modulo 4; the lower bit is the parity of the state."""

    number = ONE_BIT
    level = 1
    bits = 1
    suits = "if every move also changes a parity"
    unit = "entries of one bit"

    def body_bytes(self, entries: int) -> int:
        """Return the number of bytes of a body with a number of entries."""
        return -(-entries // WORD_ENTRIES) * (WORD_ENTRIES // 8)

    def building_bytes(self, entries: int) -> int:
        """Return the number of bytes of memory for a build: the body, and working memory.

        Seen states take a bit each, and so does the proof.
        """
        return 3 * self.body_bytes(entries)

    def checkpoint_bytes(self, entries: int) -> int:
        """Return the number of bytes of a checkpoint of an enumeration: a bit for each seen state, and the entries."""
        return 2 * self.body_bytes(entries)

    def is_consistent(self, header: TableHeader) -> bool:
        """Return whether the numbers in a header agree.

        All entries are reachable, and one can stand for several states.
        """
        return header.reachable >= header.entries

    def distances(self, graph: Graph, body: bytes | mmap.mmap) -> Distances:
        """Return the distances of single states, without numpy."""
        from cubesolve.encodings.parity.distances import ParityDistances  # noqa: PLC0415  # few tables have it

        return ParityDistances(graph, body)

    def methods(self) -> ExactMethods:
        """Return the methods that make and prove tables; they need numpy."""
        from cubesolve.encodings.parity.methods import METHODS  # noqa: PLC0415  # needs numpy

        return METHODS
