"""One round of iterative deepening, divided among threads."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from cubesolve.deadline import Deadline
from cubesolve.definitions.canonical import Alg
from cubesolve.kernels import named, read_only, types
from cubesolve.workers import run_watched


class SearchNode(Protocol):
    """A state from which a search starts."""

    @property
    def made(self) -> Alg:
        """The moves that lead to it."""


Node = TypeVar("Node", bound=SearchNode)

_MOST_PAUSED = 4  # rounds that a solver keeps
_CHUNKS = 256  # a thread takes this fraction of the remaining parts: calling a kernel takes as long as a small part


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

    A round that was interrupted goes on when it is run again. Only parts that were not finished are repeated.

    Attributes:
        every: whether to find all algs.
        best: int64 (1,): the number of the last part that must be searched; below 0 to stop.
        nodes: the number of expanded states.
        probes: the number of table entries read for that.
        lock: held while counts are changed.
    """

    def __init__(self, every: bool, before: Run[Node] | None = None) -> None:
        """Begin a round.

        Args:
            every: whether to find all algs.
            before: the previous round, whose counts predict the size of each part.
        """
        self.every = every
        self.best = np.empty(1, np.int64)
        self.nodes = self.probes = 0
        self.lock = threading.Lock()
        self._algs: dict[int, list[Alg]] = {}
        self._sizes: dict[Alg, int] = {}
        self._expected = before._sizes if before else {}
        self._nodes: list[Node] = []
        self._begun = 0
        self._unfinished: list[tuple[int, Sequence[Node]]] = []

    @property
    def is_divided(self) -> bool:
        """Whether there are several parts."""
        return len(self._nodes) > 1

    @abstractmethod
    def expand(self, node: Node, stop_at: int) -> list[Node]:
        """Return the states a number of moves from a node, without those that a bound rules out."""

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
                if self.best[0] >= 0:  # otherwise the part is repeated
                    self._sizes[node.made] = self._sizes.get(node.made, 0) + states

    def run(
        self,
        root: Node,
        split_at: int | None,
        deadline: Deadline,
        workers: int | None,
        watch: Callable[[], object] | None = None,
    ) -> list[Alg]:
        """Search from a node; return all algs in the order of parts, or the first.

        Args:
            root: the node.
            split_at: the number of moves after which each node is a part of its own; None for one part.
            deadline: when to stop.
            workers: number of threads; by default one for each processor.
            watch: called several times a second, from this thread.

        Raises:
            EndedError: the search had to end.
        """
        if not self._nodes:
            self._nodes = self._parts(root, split_at)
        # One by one, because a chunk of several parts may take longer than the time that is left.
        unfinished = {first + i: node for first, nodes in self._unfinished for i, node in enumerate(nodes)}
        self._unfinished = [(number, [unfinished[number]]) for number in sorted(unfinished)]
        self.best[0] = min(self._algs) if self._algs and not self.every else len(self._nodes)
        run_watched(self._work, len(self._nodes), workers, self._stop, deadline, watch)
        if self.every:
            return [alg for number in sorted(self._algs) for alg in self._algs[number]]
        return self._algs[min(self._algs)] if self._algs else []

    def _parts(self, root: Node, split_at: int | None) -> list[Node]:
        """Return the roots of the parts, the largest first."""
        if split_at is None:
            return [root]
        self.best[0] = 0
        nodes = self.expand(root, split_at)
        nodes.sort(key=lambda node: (-self._expected.get(node.made, 0), self.weight(node)))
        return nodes

    def _work(self) -> None:
        while True:
            first, nodes = self._next_chunk()
            if nodes:
                self._search_chunk(first, nodes)
            if not nodes or first > self.best[0]:  # all others come after this one
                return

    def _next_chunk(self) -> tuple[int, Sequence[Node]]:
        """Return the first parts that no thread has taken, and the number of the first of them."""
        with self.lock:
            if self._unfinished:
                return self._unfinished.pop(0)
            first = self._begun
            self._begun = min(first + max(1, (len(self._nodes) - first) // _CHUNKS), len(self._nodes))
            return first, self._nodes[first : self._begun]

    def _search_chunk(self, first: int, nodes: Sequence[Node]) -> None:
        while nodes and first <= self.best[0]:
            searched, algs = self.search_parts(first, nodes)
            with self.lock:
                if self.best[0] < 0:  # these parts may be unfinished
                    break
                self._algs.update(algs)
                if algs and not self.every:
                    self.best[0] = min(self.best[0], *algs)
            first, nodes = first + searched, nodes[searched:]
        with self.lock:
            if nodes and self.best[0] < 0:
                self._unfinished.append((first, nodes))

    def _stop(self) -> None:
        with self.lock:
            self.best[0] = -1


Round = TypeVar("Round", bound=Run[Any])


class Paused(Generic[Round]):
    """The last rounds that a deadline interrupted, for the next question about the same state."""

    def __init__(self) -> None:
        """Keep none yet."""
        self._rounds: dict[Hashable, Round] = {}

    def keep(self, about: Hashable, interrupted: Round) -> None:
        """Keep a round; the oldest is dropped if there are too many."""
        self._rounds[about] = interrupted
        for oldest in list(self._rounds)[:-_MOST_PAUSED]:
            self._rounds.pop(oldest, None)

    def take(self, about: Hashable) -> Round | None:
        """Remove and return the round of a question; None if there is none."""
        return self._rounds.pop(about, None)
