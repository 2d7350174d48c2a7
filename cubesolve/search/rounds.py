"""Iterative deepening: its rounds one after the other, each divided among threads, and the states that kernels expand.

Kernels of IDA* keep states that are reached and not yet expanded. There is a list of states for each number of moves
made. A kernel takes a whole batch from the deepest list that has one, or else all states of the shallowest nonempty
list, and appends their neighbours to the next list. Each kernel has arrays of its own for the rest of a state, with the
same places.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from cubesolve.errors import SearchLimitError, UnsolvableStateError
from cubesolve.group.canonical import Alg
from cubesolve.runtime.deadline import Deadline, EndedError, current
from cubesolve.runtime.kernel_arrays import Array2, Read1
from cubesolve.runtime.kernels import part
from cubesolve.runtime.machine import worker_count
from cubesolve.search.limits import Progress, require_within, watching

NOTHING_BEYOND = 1 << 20
"""The difference to the next cost if there can be no alg of any larger cost."""

Found = TypeVar("Found")

Watch = Callable[[], object] | None
"""A function that a search calls several times a second, if there is one."""


def deepened(
    cost: int,
    search: Callable[[int, Watch], tuple[list[Found], int]],
    nodes: Callable[[], int],
    *,
    max_depth: int | None = None,
    progress: Progress | None = None,
) -> list[Found]:
    """Return the algs of the least cost at which there are any: iterative deepening.

    >>> deepened(2, lambda cost, watch: (["R U R U"] if cost == 4 else [], 1), lambda: 0)
    ['R U R U']
    """
    deadline = current()
    while True:
        require_within(cost, {"max_depth": max_depth})
        try:
            algs, beyond = search(cost, watching(progress, cost, nodes, deadline))
        except EndedError as end:
            raise SearchLimitError(cost, end.limit) from None
        if progress:
            progress(cost, nodes(), deadline.elapsed)
        if algs:
            return algs
        if beyond == NOTHING_BEYOND:
            raise UnsolvableStateError("no moves lead from this state to the solved one")
        cost += beyond


class Node(NamedTuple):
    """A state from which a search starts."""

    made: Alg  # the moves that lead to it, by number
    numbers: NDArray[Any]  # (columns,): the state as the kernel reads it
    weight: int = 0  # the sum of its bounds


_MOST_PAUSED = 4  # rounds that a solver keeps
_CHUNKS = 256  # a thread takes this fraction of the remaining parts: calling a kernel takes as long as a small part,
_MOST = 4  # and more if this took very little time, up to this fraction
_SHORT = 1e-3  # seconds
_ROOM, _ROOM_AT_ONCE = 16, 1 << 12  # algs, and states that are searched from


class Task(NamedTuple):
    """Some parts of a round, as kernels read them."""

    longest: int  # the largest number of moves
    stop_at: int  # the number of moves at which states are returned instead of expanded, or -1
    every: bool  # whether to go on after the first alg
    first: int  # the number of the first of these parts
    best: Read1[np.int64]  # (1,): see `Run`; the search ends when this is below the number of a part


class SearchOutput(NamedTuple):
    """The output of a kernel, up to its room."""

    algs: Array2[np.uint8]  # (room, moves): the moves, by number
    nodes: Array2[np.int64]  # (room, columns): the states that they lead to
    origins: Array2[np.int64]  # (room, 2): the number of the root that each was found from, and of the moves
    # (roots, 3): the numbers of states visited and of entries read, and the least number by which a bound, or the cost
    # of a move, exceeded the remaining budget
    counts: Array2[np.int64]


class Search(NamedTuple):
    """A kernel that searches from nodes, with its arrays."""

    # (nodes, task, output): finds algs of exactly the remaining cost, or with `task.stop_at` the states after so many
    # moves, from the nodes in order: (N, columns). It returns the number of results, which may exceed the room.
    kernel: Callable[[NDArray[Any], Task, Any], int]
    output: Callable[[NDArray[np.uint8], NDArray[Any], NDArray[np.int64], NDArray[np.int64]], Any]  # its class
    bounds: slice  # the columns of nodes with bounds


class Counts(Protocol):
    """The work of all searches of a solver: states expanded, and entries read."""

    nodes: int
    probes: int


class Run:
    """The search for algs of one cost: all, or the first. The result does not depend on the number of threads.

    A round that was interrupted goes on when it is run again. Only parts that were not finished are repeated.
    """

    nodes: int  # the number of expanded states
    probes: int  # the number of table entries read for that
    before: int  # the states that the previous round expanded
    beyond: int  # the least cost beyond this one at which there may be an alg

    def __init__(
        self,
        search: Search,
        longest: int,
        every: bool,
        accept: Callable[[Alg], bool] | None = None,
        before: Run | None = None,
        totals: Counts | None = None,
    ) -> None:
        """Begin a round of algs of at most a number of moves; `accept` returns whether one solves the state."""
        self.every, self._totals = every, totals
        self._search, self._longest, self._accept = search, longest, accept
        self.best = np.empty(1, np.int64)  # the number of the last part that must be searched; below 0 to stop
        self.nodes = self.probes = 0
        self.beyond, self.before = NOTHING_BEYOND, before.nodes if before else 0
        self.lock = threading.Lock()  # held while counts are changed
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

    def expand(self, node: Node, stop_at: int) -> list[Node]:
        """Return the states a number of moves from a node, without those that a bound rules out."""
        count, output = self._deepened(0, [node], stop_at, self.every)
        weights = output.nodes[:count, self._search.bounds].sum(axis=1).tolist()
        return [*map(Node, self._made(count, output, [node]), output.nodes, weights)]

    def search_parts(self, first: int, nodes: Sequence[Node]) -> tuple[int, Mapping[int, list[Alg]]]:
        """Search from nodes in order, up to the first that has an alg, or with `every` from all."""
        algs = self._algs_of(first, nodes, self.every)
        searched = len(nodes) if self.every or not algs else 1 + min(algs) - first
        if self._accept is None:
            return searched, algs
        accepted = {number: list(filter(self._accept, of_part)) for number, of_part in algs.items()}
        if algs and not any(accepted.values()) and not self.every:  # another may do
            number = min(algs)
            algs = self._algs_of(number, [nodes[number - first]], True)
            accepted = {number: list(filter(self._accept, of_part)) for number, of_part in algs.items()}
        if sum(map(len, accepted.values())) < sum(map(len, algs.values())):
            with self.lock:
                self.beyond = 1
        return searched, {number: of_part for number, of_part in accepted.items() if of_part}

    def _algs_of(self, first: int, nodes: Sequence[Node], every: bool) -> dict[int, list[Alg]]:
        """Return the algs of each part that has any, by its number; unless `every`, of the first such part."""
        count, output = self._deepened(first, nodes, -1, every)
        algs: dict[int, list[Alg]] = {}
        for alg, root in zip(self._made(count, output, nodes), output.origins[:count, 0].tolist(), strict=True):
            algs.setdefault(first + root, []).append(alg)
        return algs

    @staticmethod
    def _made(count: int, output: SearchOutput, nodes: Sequence[Node]) -> list[Alg]:
        results = zip(output.algs[:count].tolist(), output.origins[:count].tolist(), strict=True)
        return [nodes[root].made + tuple(alg[:moves]) for alg, (root, moves) in results]

    def _deepened(self, first: int, nodes: Sequence[Node], stop_at: int, every: bool) -> tuple[int, SearchOutput]:
        """Run the kernel; return the number of results and the results."""
        roots = np.array([node.numbers for node in nodes])
        room = _ROOM if stop_at < 0 else _ROOM_AT_ONCE
        task = Task(self._longest - min(len(node.made) for node in nodes), stop_at, every, first, self.best)
        while True:
            algs, reached = np.empty((room, task.longest), np.uint8), np.empty((room, roots.shape[1]), roots.dtype)
            counts = np.zeros((len(nodes), 3), np.int64)
            counts[:, 2] = NOTHING_BEYOND
            output = self._search.output(algs, reached, np.empty((room, 2), np.int64), counts)
            count = self._search.kernel(roots, task, output)
            if count <= room:
                break
            room = count
        self._count(nodes, counts)
        return max(count, 0), output

    def _count(self, nodes: Sequence[Node], counts: NDArray[np.int64]) -> None:
        listed, probes, beyond = counts.T.tolist()
        with self.lock:
            for counter in (self, self._totals) if self._totals else (self,):
                counter.nodes += sum(listed)
                counter.probes += sum(probes)
            self.beyond = min(self.beyond, *beyond)
            for node, states in zip(nodes, listed, strict=True):
                if self.best[0] >= 0:  # otherwise the part is repeated
                    self._sizes[node.made] = self._sizes.get(node.made, 0) + states

    def run(
        self,
        roots: Sequence[Node],
        split_at: int | None,  # the number of moves after which each node is a part of its own; None if each root is
        deadline: Deadline,
        workers: int | None,
        watch: Watch = None,
    ) -> list[Alg]:
        """Search from some nodes; return all algs in the order of parts, or the first."""
        if not self._nodes:
            self._nodes = self._parts(roots, split_at)
        # One by one, because a chunk of several parts may take longer than the time that is left.
        unfinished = {first + i: node for first, nodes in self._unfinished for i, node in enumerate(nodes)}
        self._unfinished = [(number, [unfinished[number]]) for number in sorted(unfinished)]
        self.best[0] = min(self._algs) if self._algs and not self.every else len(self._nodes)
        run_watched(self._work, len(self._nodes), workers, self._stop, deadline, watch)
        if self.every:
            return [alg for number in sorted(self._algs) for alg in self._algs[number]]
        return self._algs[min(self._algs)] if self._algs else []

    def _parts(self, roots: Sequence[Node], split_at: int | None) -> list[Node]:
        """Return the roots of the parts, the largest first: as counted by the previous round, or with least bounds."""
        self.best[0] = 0
        nodes = [*roots] if split_at is None else [node for root in roots for node in self.expand(root, split_at)]
        nodes.sort(key=lambda node: (-self._expected.get(node.made, 0), node.weight))
        return nodes

    def _work(self) -> None:
        times = 1
        while True:
            first, nodes = self._next_chunk(times)
            started = time.thread_time()
            if nodes:
                self._search_chunk(first, nodes)
            if not nodes or first > self.best[0]:  # all others come after this one
                return
            times = 2 * times if time.thread_time() - started < _SHORT else 1

    def _next_chunk(self, times: int) -> tuple[int, Sequence[Node]]:
        """Return the first parts that no thread has taken, and the number of the first of them."""
        with self.lock:
            if self._unfinished:
                return self._unfinished.pop(0)
            first, left = self._begun, len(self._nodes) - self._begun
            self._begun += min(max(1, left * times // _CHUNKS), max(1, left // _MOST), left)
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


class Paused:
    """The last rounds that a deadline interrupted, for the next question about the same state."""

    def __init__(self) -> None:
        self._rounds: dict[Hashable, Run] = {}

    def take(self, about: Hashable) -> Run | None:
        """Remove and return the round of a question; None if there is none."""
        return self._rounds.pop(about, None)

    @contextlib.contextmanager
    def keeping(self, run: Run, about: Hashable) -> Iterator[None]:
        """Keep a round if a deadline interrupts it, unless it is about None; only a few are kept."""
        try:
            yield
        except EndedError:
            if about is not None:
                self._rounds[about] = run
            for oldest in list(self._rounds)[:-_MOST_PAUSED]:
                self._rounds.pop(oldest, None)
            raise


BATCH = 64  # states whose neighbours are looked up together, so the processor waits for many cache lines at once
ABORTED = -1

_WORD = 64  # bits
_ONE = np.uint64(1)


STATE, LEFT, BOUNDS = range(3)
"""The columns of nodes: the canonical state of the moves made, the remaining budget, and the first of the bounds."""


class Frontier(NamedTuple):
    """The lists of states, one for each number of moves made."""

    states: NDArray[np.int32]  # (depths, places): the canonical state of the moves made
    left: NDArray[np.int64]  # (depths, places): the remaining budget
    made: NDArray[np.uint64]  # (depths, places, words): the moves made, as numbers of `bits` bits
    waiting: NDArray[np.int64]  # (depths,): the number of states in each list
    bits: int  # see `made`


@part
def empty_frontier(longest: int, moves: int) -> Frontier:
    """Return empty lists for up to a number of moves made."""
    bits = 1
    while moves > 1 << bits:
        bits += 1
    # A list has at most a batch of states when a batch of the list before is expanded.
    words, room = -(-longest // (_WORD // bits)), BATCH * (moves + 1)
    return Frontier(
        np.empty((longest + 1, room), np.int32),
        np.empty((longest + 1, room), np.int64),
        np.empty((longest + 1, room, words), np.uint64),
        np.zeros(longest + 1, np.int64),
        bits,
    )


@part
def begin(frontier: Frontier, roots: NDArray[np.int64], root: int) -> None:
    """Let a root wait, as the only state, at the first place."""
    frontier.states[0, 0], frontier.left[0, 0] = roots[root, STATE], roots[root, LEFT]
    frontier.waiting[0] = 1


@part
def take_batch(frontier: Frontier) -> tuple[int, int, int]:
    """Take the deepest whole batch, or the shallowest states; return the moves made, the first place and the number."""
    waiting, depth = frontier.waiting, 0
    for level in range(len(waiting) - 1, -1, -1):
        if waiting[level]:
            depth = level
            if waiting[level] >= BATCH:
                break
    taken = min(waiting[depth], BATCH)
    waiting[depth] -= taken
    return depth, waiting[depth], taken


@part
def append(
    frontier: Frontier, depth: int, at: int | np.int64, move: int | np.int64, state: np.int64, left: np.int64
) -> np.int64:
    """Append the state after a move to the next list."""
    words = frontier.made
    in_word = _WORD // frontier.bits
    to: np.int64 = frontier.waiting[depth + 1]
    frontier.waiting[depth + 1] += 1
    last = depth // in_word
    for word in range(last):
        words[depth + 1, to, word] = words[depth, at, word]
    shift = np.uint64(depth % in_word * frontier.bits)
    before = words[depth, at, last] & ((_ONE << shift) - _ONE)
    words[depth + 1, to, last] = before | np.uint64(move) << shift
    frontier.states[depth + 1, to], frontier.left[depth + 1, to] = state, left
    return to


@part
def write_result(
    frontier: Frontier, depth: int, at: int | np.int64, root: int, found: SearchOutput, number: int
) -> None:
    """Write the moves that led to a state, and its root; of the node, the kernel writes the bounds and what follows."""
    in_word, bits = _WORD // frontier.bits, np.uint64(frontier.bits)
    for level in range(depth):
        word = frontier.made[depth, at, level // in_word] >> np.uint64(level % in_word) * bits
        found.algs[number, level] = word & ((_ONE << bits) - _ONE)
    found.nodes[number, STATE], found.nodes[number, LEFT] = frontier.states[depth, at], frontier.left[depth, at]
    found.origins[number, 0], found.origins[number, 1] = root, depth


# -- Threads -----------------------------------------------------------------------------------------------------------

_WATCH_EVERY = 0.1  # seconds between two checks for signals, on systems where these do not wake a waiting thread


def run_watched(
    task: Callable[[], None],  # the function that each thread calls; it returns when no parts are left
    parts: int,  # there are at most so many threads, and at least one
    workers: int | None,
    stop: Callable[[], None],  # makes all threads return soon; called at the deadline and after an error
    deadline: Deadline,
    watch: Watch = None,
) -> None:
    """Run a task in several threads, while this one waits and receives signals."""
    count = max(1, min(parts, worker_count(workers)))
    with ThreadPoolExecutor(count) as pool:
        try:
            running = set[Future[None]]()
            for _ in range(count):
                deadline.left()
                try:
                    running.add(pool.submit(task))
                except RuntimeError:  # the system's limit of threads is reached
                    if not running:
                        raise
                    break
            while running:
                done, running = wait(running, min(deadline.left(), _WATCH_EVERY), FIRST_COMPLETED)
                for future in done:
                    future.result()
                if watch:
                    watch()
        except BaseException:
            stop()
            raise
