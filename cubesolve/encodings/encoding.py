"""The interface of an encoding: how the body of a table stores its entries (pure Python).

An exact encoding is a subpackage: its `__init__` declares sizes and capabilities and is loaded with every table; the
modules beside it enumerate, prove and answer, and are loaded when they are used. `cubesolve.encodings` declares others.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from cubesolve.errors import CorruptTableError

if TYPE_CHECKING:
    import mmap

    import numpy as np
    from numpy.typing import NDArray

    from cubesolve.encodings.byte.distances import Distances
    from cubesolve.encodings.methods import ExactMethods, Methods, Probe, Ranks
    from cubesolve.spaces.rules import Graph
    from cubesolve.spaces.space import Checkpointer, Levels, Progress, StateSpace
    from cubesolve.spaces.tables import TableEntry, TableHeader


class Fault(NamedTuple):
    """A state whose entry is wrong.

    Attributes:
        rank: the state.
        depth: its depth in the table.
        expected: the depth that follows from its neighbours.
        conflicts: the number of states that disagree with their neighbours.
    """

    rank: int
    depth: int
    expected: int
    conflicts: int


def require_no_fault(fault: Fault | None, path: str, describe: Callable[[int], str] = "entry {}".format) -> None:
    """Raise an error for a fault, if there is one.

    Raises:
        CorruptTableError: there is a fault.
    """
    if fault:
        raise CorruptTableError(
            path,
            f"{describe(fault.rank)} has depth {fault.depth}, "
            f"but its neighbours require {fault.expected} (states in conflict: {fault.conflicts})",
        )


def require_counts(counts: tuple[int, ...], claimed: TableHeader, path: str) -> None:
    """Reject a header with another distribution than the one that a proof found.

    Raises:
        CorruptTableError: they differ.
    """
    if counts != claimed.distribution:
        raise CorruptTableError(path, "the distribution in the header is not that of the entries")


class Encoding(ABC):
    """How the body of a table stores its entries.

    Attributes:
        number: its number in the header of a file.
        level: the level at which zstd compresses bodies.
        bits: the bits of an entry, if entries give the distances of all states of a graph; 0 for other contents.
        has_depths: whether entries are depths, exact or not, and the header has their distribution.
        is_read_whole: whether a small body is read into the memory of the process; others are memory-mapped.
        unit: the name of what entries count.
        last_is_more: whether the last level of the distribution counts all entries at that depth or deeper.
    """

    number: ClassVar[int]
    level: ClassVar[int]
    bits: ClassVar[int] = 0
    has_depths: ClassVar[bool] = True
    is_read_whole: ClassVar[bool] = True
    unit: ClassVar[str] = "entries"
    last_is_more: ClassVar[bool] = False

    @property
    def has_bytes(self) -> bool:
        """Whether the body is an array of depths by rank, one byte each."""
        return self.bits == 8

    @abstractmethod
    def body_bytes(self, entries: int) -> int:
        """Return the number of bytes of a body with a number of entries."""

    def building_bytes(self, entries: int) -> int:
        """Return the number of bytes of memory for a build: the body, and working memory."""
        return self.body_bytes(entries)

    def is_consistent(self, header: TableHeader) -> bool:
        """Return whether the numbers in a header agree."""
        return header.reachable <= header.entries

    def has_levels(self, entry: TableEntry) -> bool:
        """Return whether a table is enumerated level by level, so that there can be checkpoints."""
        return entry.fold is None

    @abstractmethod
    def methods(self) -> Methods:
        """Return the methods that make and prove tables; they need numpy."""

    def distances(self, graph: Graph, body: bytes | mmap.mmap) -> Distances:  # noqa: ARG002
        """Return the distances of single states, without numpy.

        Raises:
            ValueError: entries of this encoding are not the distances of a graph.
        """
        raise self._not_exact(graph)

    def probe(
        self,
        graph: Graph,
        body: bytes | mmap.mmap,  # noqa: ARG002
        counts: tuple[int, ...],  # noqa: ARG002
    ) -> Probe:
        """Return the distances of arrays of states.

        Raises:
            ValueError: entries of this encoding are not the distances of a graph.
        """
        raise self._not_exact(graph)

    def _not_exact(self, graph: Graph) -> ValueError:
        return ValueError(f"{graph.entry.name} does not have the distances of all states")


class ExactEncoding(Encoding):
    """An encoding whose entries give the distances of all states of a graph.

    A table of a graph can have any of these encodings that suits the space.

    Attributes:
        suits: which spaces it suits, as "if every move can be undone"; "" if it suits all.
    """

    suits: ClassVar[str] = ""

    @abstractmethod
    def methods(self) -> ExactMethods:
        """Return the methods that make and prove tables; they need numpy."""

    def enumerate(
        self,
        space: StateSpace,
        starts: Ranks,
        progress: Progress | None = None,
        workers: int | None = None,
        checkpointer: Checkpointer | None = None,
    ) -> Levels:
        """Enumerate a space from its starts.

        Raises:
            ValueError: the encoding does not suit the space, or a depth is over 254.
        """
        return self.methods().enumerate(space, starts, progress, workers, checkpointer)

    def prove(
        self, space: StateSpace, starts: Ranks, body: NDArray[np.uint8], workers: int | None = None
    ) -> tuple[Fault | None, tuple[int, ...]]:
        """Prove that a body is right; the proof shares no code with `enumerate`.

        Returns:
            None if every entry is right, and the number of states at each depth; otherwise a fault.
        """
        return self.methods().prove(space, starts, body, workers)

    def require_suited(self, space: StateSpace) -> None:
        """Reject a space of which this encoding cannot give the distances.

        Raises:
            ValueError: the encoding does not suit the space.
        """
        self.methods().require_suited(space)

    def made_of(self, space: StateSpace, starts: Ranks, name: str) -> Levels:
        """Enumerate a space without a puzzle, and prove the result; `name` is that of the table."""
        body, _ = self.enumerate(space, starts)
        fault, counts = self.prove(space, starts, body)
        require_no_fault(fault, name)
        return body, counts

    def probe(self, graph: Graph, body: bytes | mmap.mmap, counts: tuple[int, ...]) -> Probe:
        """Return the distances of arrays of states."""
        return self.methods().probe(graph, body, counts)
