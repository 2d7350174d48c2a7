"""The methods of an encoding that need numpy: building, proving, and answers about arrays."""

from __future__ import annotations

import dataclasses
import mmap
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings.faults import Fault, require_counts, require_no_fault
from cubesolve.encodings.probe import Probe
from cubesolve.spaces import space_of
from cubesolve.spaces.rules import Graph, Rules
from cubesolve.spaces.space import Checkpointer, Levels, Progress, StateSpace
from cubesolve.spaces.tables import TableEntry, TableHeader

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
