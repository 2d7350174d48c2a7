"""One round of iterative deepening, divided among threads."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from cubesolve.deadline import Deadline
from cubesolve.kernels import named, read_only, types
from cubesolve.workers import run_watched

Alg = tuple[int, ...]
"""Moves by number."""


class SearchNode(Protocol):
    """A state from which a search starts."""

    @property
    def made(self) -> Alg:
        """The moves that led to it."""


Node = TypeVar("Node", bound=SearchNode)

_CHUNKS = 256  # a thread takes this fraction of the parts left: the call of a kernel takes as long as a small part


class Task(NamedTuple):
    """Some parts of a round, as kernels read them.

    Attributes:
        longest: the largest number of moves.
        stop_at: the number of moves at which states are returned instead of expanded, or -1.
        every: whether to go on after the first alg.
        first: the number of the first of these parts.
        best: int64 (1,): see `Run`; the search ends when this is below the number of a part.
    """

    longest: int
    stop_at: int
    every: bool
    first: int
    best: NDArray[np.int64]


TASK = named(
    Task,
    longest=types.int64,
    stop_at=types.int64,
    every=types.boolean,
    first=types.int64,
    best=read_only(types.int64, 1),
)


class Run(ABC, Generic[Node]):
    """The search for algs of one length: all, or the first. The result does not depend on the number of threads.

    Attributes:
        every: whether all are wanted.
        best: int64 (1,): the number of the last part that must be searched; below 0 to stop.
        nodes: the number of expanded states.
        probes: the number of table entries read for that.
        lock: held while counts are changed.
    """

    def __init__(self, every: bool, before: Run[Node] | None = None) -> None:
        """Begin a round.

        Args:
            every: whether all are wanted.
            before: the previous round, whose counts predict the size of each part.
        """
        self.every = every
        self.best = np.empty(1, np.int64)
        self.nodes = self.probes = 0
        self.lock = threading.Lock()
        self._algs: dict[int, list[Alg]] = {}
        self._sizes: dict[Alg, int] = {}
        self._expected = before._sizes if before else {}

    @abstractmethod
    def expand(self, node: Node, stop_at: int) -> list[Node]:
        """Return the states a number of moves from a node that no bound rules out."""

    @abstractmethod
    def search_parts(self, first: int, nodes: Sequence[Node]) -> tuple[int, Mapping[int, list[Alg]]]:
        """Search from nodes in order, up to the first that has an alg, or with `every` from all.

        Args:
            first: the number of the first part; the search stops when `best` is below the number of a part.
            nodes: the roots of these parts.

        Returns:
            The number of nodes searched from, and the algs of each part that has any, by its number.
        """

    @abstractmethod
    def weight(self, node: Node) -> int:
        """Return a weight for the part below a node: parts with a larger weight are expected to be smaller.

        Larger parts are searched first. The counts of the previous round, if it had the same parts, take precedence.
        """

    def count(self, nodes: Sequence[Node], counts: NDArray[np.int64]) -> None:
        """Add to the counts of expanded states and of entries read.

        Args:
            nodes: the roots of the parts.
            counts: int64 (parts, 2 or more): both counts for each part.
        """
        with self.lock:
            for node, (states, probes, *_) in zip(nodes, counts.tolist(), strict=True):
                self.nodes += states
                self.probes += probes
                self._sizes[node.made] = self._sizes.get(node.made, 0) + states

    def run(self, root: Node, split_at: int | None, deadline: Deadline, workers: int | None) -> list[Alg]:
        """Search from a node; return all algs in the order of parts, or the first.

        Args:
            root: the node.
            split_at: the number of moves after which each node is a part of its own; None for one part.
            deadline: when to stop.
            workers: number of threads; by default one for each processor.

        Raises:
            EndedError: the search had to end.
        """
        nodes = [root]
        if split_at is not None:
            self.best[0] = 0
            nodes = self.expand(root, split_at)
            nodes.sort(key=lambda node: (-self._expected.get(node.made, 0), self.weight(node)))  # the largest first
        self.best[0] = len(nodes)
        begun = 0

        def work() -> None:
            nonlocal begun
            while True:
                with self.lock:
                    first = begun
                    begun += max(1, (len(nodes) - first) // _CHUNKS)
                    last = min(begun, len(nodes))
                if first >= last or first > self.best[0]:
                    return
                self._search_chunk(first, nodes[first:last])

        run_watched(work, len(nodes), workers, self._stop, deadline)
        if self.every:
            return [alg for number in sorted(self._algs) for alg in self._algs[number]]
        return self._algs[min(self._algs)] if self._algs else []

    def _search_chunk(self, first: int, nodes: Sequence[Node]) -> None:
        while nodes and first <= self.best[0]:
            searched, algs = self.search_parts(first, nodes)
            with self.lock:
                self._algs.update(algs)
                if algs and not self.every:
                    self.best[0] = min(self.best[0], *algs)
            first, nodes = first + searched, nodes[searched:]

    def _stop(self) -> None:
        self.best[0] = -1
