"""The mod-3 encoding: depths modulo 3 in two bits per entry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cubesolve.encodings.encoding import ExactEncoding
from cubesolve.spaces.tables import MOD3

if TYPE_CHECKING:
    import mmap

    from cubesolve.encodings.byte.distances import Distances
    from cubesolve.encodings.methods import ExactMethods
    from cubesolve.spaces.rules import Graph
    from cubesolve.spaces.tables import TableHeader

WORD_ENTRIES = 32
"""The number of entries of a word."""

WORD_BYTES = 8
"""The number of bytes of a word."""

UNREACHED = 3
"""The entry of a state from which no start can be reached."""


class Mod3Encoding(ExactEncoding):
    """The depth of each entry modulo 3, or 3 if no start can be reached."""

    number = MOD3
    level = 1
    bits = 2
    suits = "if every move can be undone and costs 1"
    unit = "entries of two bits"

    def body_bytes(self, entries: int) -> int:
        """Return the number of bytes of a body with a number of entries."""
        return -(-entries // WORD_ENTRIES) * WORD_BYTES

    def building_bytes(self, entries: int) -> int:
        """Return the number of bytes of memory for a build: the body, and working memory.

        The proof needs a bit per entry.
        """
        return self.body_bytes(entries) + -(-entries // 8)

    def is_consistent(self, header: TableHeader) -> bool:  # noqa: ARG002
        """Return whether the numbers in a header agree. An entry can stand for several states."""
        return True

    def distances(self, graph: Graph, body: bytes | mmap.mmap) -> Distances:
        """Return the distances of single states, without numpy."""
        from cubesolve.encodings.mod3.distances import Mod3Distances  # noqa: PLC0415  # a cycle: it uses declarations, as its sizes

        return Mod3Distances(graph, body)

    def methods(self) -> ExactMethods:
        """Return the methods that make and prove tables; they need numpy."""
        from cubesolve.encodings.mod3.probe import METHODS  # noqa: PLC0415  # needs numpy

        return METHODS
