"""The interface of what makes, proves and probes tables of an encoding (needs numpy)."""

from __future__ import annotations

import dataclasses
import mmap
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings.encoding import Fault, require_counts, require_no_fault
from cubesolve.errors import CorruptTableError
from cubesolve.spaces import space_of
from cubesolve.spaces.rules import Graph, Rules
from cubesolve.spaces.space import Checkpointer, Levels, Progress, StateSpace
from cubesolve.spaces.tables import TableEntry, TableHeader

Descend = Callable[[NDArray[np.int64], NDArray[np.uint8], NDArray[np.uint8]], None]
"""Fills the moves and the lengths of solutions, from ranks."""

LeadDown = Callable[[NDArray[np.int64], NDArray[np.bool_]], None]
"""Fills the optimal moves, from ranks."""


class Probe(ABC):
    """Answers about arrays of a graph's states. Ranks are int64 (N,), and must be valid.

    Attributes:
        graph: the graph.
        given: the body of its table.
        body: uint8 (bytes,): the same.
        counts: the distribution in the header of the table.
    """

    def __init__(self, graph: Graph, body: bytes | mmap.mmap, counts: tuple[int, ...]) -> None:
        """Take the body of a table."""
        self.graph, self.given, self.counts = graph, body, counts
        self.body = np.frombuffer(body, np.uint8)

    @abstractmethod
    def find_depths(self, ranks: NDArray[np.int64], depths: NDArray[np.uint8]) -> None:
        """Fill depths, uint8 (N,); 255 if no start can be reached."""

    @property
    def longest(self) -> int:
        """The largest number of moves of a solution that `descend` finds, or an upper bound of it: a depth."""
        return len(self.counts) - 1

    @abstractmethod
    def descend(self, rows: int) -> Descend:
        """Return a function that finds the first optimal solution of each of a number of states.

        Lengths exceed `longest` if the table is not that of the graph.
        """

    @abstractmethod
    def lead_down(self, rows: int) -> LeadDown:
        """Return a function that finds the optimal moves of each of a number of states."""

    @abstractmethod
    def count_solutions(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of optimal solutions of each state.

        Raises:
            CorruptTableError: the table is not that of the graph.
        """

    @abstractmethod
    def at_depths(self, wanted: NDArray[np.integer], source: np.random.Generator) -> NDArray[np.integer]:
        """Return random ranks at depths, each of which has states.

        Raises:
            CorruptTableError: the table is not that of the graph.
        """

    counts_all = False
    """Whether `count_all_solutions` is possible."""

    def count_all_solutions(self, workers: int | None) -> NDArray[np.int64]:  # noqa: ARG002
        """Return the number of optimal solutions of every state, int64 (states,).

        Raises:
            ValueError: the answer would take eight bytes per state in place of one or less.
        """
        states = f"{self.graph.states:,}"
        raise ValueError(f"{self.graph.entry.name} has {states} states, too many to count the solutions of all")

    @property
    def depths(self) -> NDArray[np.uint8]:
        """The depths of all states by rank, proved, so that kernels can follow them without checks.

        Raises:
            ValueError: the table has less than a byte per state.
            CorruptTableError: the table is not that of the graph.
        """
        raise self._no_bytes()

    @property
    def by_depth(self) -> NDArray[np.int32]:
        """Int32 (states,): the ranks, those of the smallest depth first.

        Raises:
            ValueError: the table has less than a byte per state.
        """
        raise self._no_bytes()

    def _no_bytes(self) -> ValueError:
        return ValueError(f"{self.graph.entry.name} does not have a byte per state")


Ranks = Sequence[int] | NDArray[np.int64]
"""Some states by their ranks."""


class Methods(ABC):
    """The methods of an encoding that make and prove tables."""

    @abstractmethod
    def make(
        self,
        rules: Rules,
        entry: TableEntry,
        progress: Progress | None,
        workers: int | None,
        checkpointer: Checkpointer | None,
    ) -> Levels:
        """Make the body of a table, and prove it right unless its digest is pinned.

        Args:
            progress: called once a depth.
            workers: number of threads; by default one for each processor.
            checkpointer: writes checkpoints of the enumeration, if there are levels.

        Raises:
            ValueError: the encoding does not suit the puzzle.
            CorruptTableError: the proof found a fault (a broken machine).
        """

    @abstractmethod
    def verify(
        self,
        rules: Rules,
        entry: TableEntry,
        claimed: TableHeader,
        body: NDArray[np.uint8],
        path: str,
        workers: int | None,
    ) -> None:
        """Prove that every entry of a table and the distribution in its header are right.

        Args:
            workers: number of threads; by default one for each processor.

        Raises:
            CorruptTableError: an entry is wrong; the message names the state.
        """


@dataclasses.dataclass(frozen=True)
class ExactMethods(Methods):
    """The methods of an encoding of all distances.

    Attributes:
        enumerate, prove, probe, require_suited: the functions that `ExactEncoding` describes under the same names.
    """

    enumerate: Callable[[StateSpace, Ranks, Progress | None, int | None, Checkpointer | None], Levels]
    prove: Callable[[StateSpace, Ranks, NDArray[np.uint8], int | None], tuple[Fault | None, tuple[int, ...]]]
    probe: Callable[[Graph, bytes | mmap.mmap, tuple[int, ...]], Probe]
    require_suited: Callable[[StateSpace], object] = lambda _: None

    def make(
        self,
        rules: Rules,
        entry: TableEntry,
        progress: Progress | None,
        workers: int | None,
        checkpointer: Checkpointer | None,
    ) -> Levels:
        """Make the body of a table, and prove it right unless its digest is pinned."""
        graph = rules.graph_of(entry)
        body, _ = self.enumerate(space_of(graph), list(graph.starts), progress, workers, checkpointer)
        return body, self._proved(graph, body, entry.name, workers)

    def verify(
        self,
        rules: Rules,
        entry: TableEntry,
        claimed: TableHeader,
        body: NDArray[np.uint8],
        path: str,
        workers: int | None,
    ) -> None:
        """Prove that every entry of a table and the distribution in its header are right."""
        require_counts(self._proved(rules.graph_of(entry), body, path, workers), claimed, path)

    def _proved(self, graph: Graph, body: NDArray[np.uint8], path: str, workers: int | None) -> tuple[int, ...]:
        fault, counts = self.prove(space_of(graph), list(graph.starts), body, workers)
        require_no_fault(fault, path, lambda rank: f"state {rank} ({graph.unrank(rank)})")
        return counts


class CoordinatesMethods(Methods):
    """Methods for arrays that a puzzle computes."""

    def make(
        self,
        rules: Rules,
        entry: TableEntry,
        progress: Progress | None,  # noqa: ARG002  # there are no levels
        workers: int | None,  # noqa: ARG002
        checkpointer: Checkpointer | None,  # noqa: ARG002
    ) -> Levels:
        """Make the body of a table, and prove it right unless its digest is pinned."""
        return np.frombuffer(rules.arrays(entry), np.uint8), ()

    def verify(
        self,
        rules: Rules,
        entry: TableEntry,
        claimed: TableHeader,  # noqa: ARG002  # there is no distribution
        body: NDArray[np.uint8],
        path: str,
        workers: int | None,  # noqa: ARG002
    ) -> None:
        """Prove that every entry of a table and the distribution in its header are right. They are computed again."""
        if rules.arrays(entry, anew=True) != body.tobytes():
            raise CorruptTableError(path, "the arrays do not match the moves of the puzzle")
