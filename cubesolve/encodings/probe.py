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
"""Fills which moves lead nearer, from ranks."""


class Probe(ABC):
    """Answers about arrays of a graph's states. Ranks are int64 (N,), and each must be one of a state.

    Attributes:
        graph: the graph.
        given: the body of its table.
        body: uint8 (bytes,): the same.
        counts: the distribution that the table claims.
    """

    def __init__(self, graph: Graph, body: bytes | mmap.mmap, counts: tuple[int, ...]) -> None:
        """Take a table's body."""
        self.graph, self.given, self.counts = graph, body, counts
        self.body = np.frombuffer(body, np.uint8)

    @abstractmethod
    def find_depths(self, ranks: NDArray[np.int64], depths: NDArray[np.uint8]) -> None:
        """Fill depths, uint8 (N,); 255 where no start can be reached."""

    @abstractmethod
    def descend(self, rows: int) -> Descend:
        """What finds the first of the shortest solutions of each of so many states.

        Lengths are more than the largest depth where the table is not that of the graph.
        """

    @abstractmethod
    def lead_down(self, rows: int) -> LeadDown:
        """What finds the optimal moves of each of so many states."""

    @abstractmethod
    def count_solutions(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many optimal solutions each state has.

        Raises:
            CorruptTableError: the table is not that of the graph.
        """

    @abstractmethod
    def at_depths(self, wanted: NDArray[np.integer], source: np.random.Generator) -> NDArray[np.integer]:
        """Random ranks at depths of which there are some.

        Raises:
            CorruptTableError: the table is not that of the graph.
        """

    counts_all = False
    """Whether `count_all_solutions` is possible."""

    def count_all_solutions(self, workers: int | None) -> NDArray[np.int64]:  # noqa: ARG002
        """How many optimal solutions every state has, int64 (states,).

        Raises:
            ValueError: eight bytes a state do not fit where a byte a state does not.
        """
        states = f"{self.graph.states:,}"
        raise ValueError(f"{self.graph.entry.name} has {states} states, too many to count the solutions of all")

    @property
    def depths(self) -> NDArray[np.uint8]:
        """The depths of all states by rank, proved; kernels can follow them wherever they lead.

        Raises:
            ValueError: the table has no byte for each state.
            CorruptTableError: the table is not that of the graph.
        """
        raise self._no_bytes()

    @property
    def by_depth(self) -> NDArray[np.int32]:
        """int32 (states,): the ranks, those of the smallest depth first.

        Raises:
            ValueError: the table has no byte for each state.
        """
        raise self._no_bytes()

    def _no_bytes(self) -> ValueError:
        return ValueError(f"{self.graph.entry.name} does not have a byte per state")
