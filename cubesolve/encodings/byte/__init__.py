"""The encoding with one byte per entry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cubesolve.encodings.encoding import ExactEncoding
from cubesolve.encodings.faults import require_counts
from cubesolve.spaces.tables import BYTE_DEPTHS

if TYPE_CHECKING:
    import mmap

    import numpy as np
    from numpy.typing import NDArray

    from cubesolve.encodings.builder import Builder
    from cubesolve.encodings.byte.distances import Distances
    from cubesolve.encodings.probe import Probe
    from cubesolve.spaces.rules import Graph, Rules
    from cubesolve.spaces.space import Checkpointer, Levels, Progress
    from cubesolve.spaces.tables import TableEntry, TableHeader


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

    def is_consistent(self, header: TableHeader) -> bool:
        """Return whether the numbers in a header agree. Up to symmetry, an entry can stand for several states."""
        return header.is_up_to_symmetry or super().is_consistent(header)

    def builder(self) -> Builder:
        """Return what enumerates and proves tables."""
        from cubesolve.encodings.byte.builder import BUILDER  # noqa: PLC0415  # needs numpy

        return BUILDER

    def make(
        self,
        rules: Rules,
        entry: TableEntry,
        progress: Progress | None = None,
        workers: int | None = None,
        checkpointer: Checkpointer | None = None,
    ) -> Levels:
        """Make the body of a table, and prove it right unless its digest is pinned."""
        if entry.fold is None:
            return super().make(rules, entry, progress, workers, checkpointer)
        from cubesolve.encodings.byte.enumeration import distribution  # noqa: PLC0415  # needs numpy
        from cubesolve.encodings.byte.folds import folded  # noqa: PLC0415  # needs numpy

        depths, _ = self.make(rules, rules.table(entry.fold.table), progress, workers)
        least = folded(depths, entry.fold)
        return least, distribution(least)

    def verify(
        self,
        rules: Rules,
        entry: TableEntry,
        claimed: TableHeader,
        body: NDArray[np.uint8],
        path: str,
        workers: int | None = None,
    ) -> None:
        """Prove that every entry of a table and the distribution in its header are right.

        Of a table of least depths, the states are enumerated and proved, too.
        """
        if entry.fold is None:
            super().verify(rules, entry, claimed, body, path, workers)
            return
        from cubesolve.encodings.byte.enumeration import distribution  # noqa: PLC0415  # needs numpy
        from cubesolve.encodings.byte.folds import require_folded  # noqa: PLC0415  # needs numpy

        depths, _ = self.make(rules, rules.table(entry.fold.table), None, workers)
        require_folded(body, depths, entry.fold, path, lambda number: rules.pattern(entry, number))
        require_counts(distribution(body), claimed, path)

    def distances(self, graph: Graph, body: bytes | mmap.mmap) -> Distances:
        """Return the distances of single states, without numpy."""
        from cubesolve.encodings.byte.distances import Distances  # noqa: PLC0415  # a cycle: it uses declarations
        from cubesolve.encodings.byte.free import FreeDistances  # noqa: PLC0415  # likewise

        return FreeDistances(graph, body) if graph.has_free_moves else Distances(graph, body)

    def probe(self, graph: Graph, body: bytes | mmap.mmap, counts: tuple[int, ...]) -> Probe:
        """Return the distances of arrays of states."""
        from cubesolve.encodings.byte.probe import ByteProbe  # noqa: PLC0415  # needs numpy

        return ByteProbe(graph, body, counts)
