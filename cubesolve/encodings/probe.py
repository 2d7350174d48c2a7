"""The interface of answers about arrays of states from the body of a table (numpy)."""

from __future__ import annotations

import mmap
from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cubesolve.spaces.rules import Graph

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
