"""Counting the states at each depth on a cluster, with a shard of the space per worker (``docs/mathematicians.md``).

This needs the optional extra ``cluster``, which installs ``dask.distributed``. Tasks run on the worker that has their
shard. Results go directly from worker to worker, not through the scheduler or the caller.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import itertools
import operator
import os
import time
import uuid
import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import CancelledError, wait
from typing import Any, NamedTuple, Self, Unpack

import numpy as np
from distributed import Client, Future
from numpy.typing import NDArray

from cubesolve.ask import Puzzle
from cubesolve.counting import records, worker
from cubesolve.encodings import BY_BITS
from cubesolve.encodings.counting import FEW, MOST_KEPT
from cubesolve.encodings.enumeration import Ranks, Search, each_level, has_mod3, start_ranks
from cubesolve.encodings.shards import Shard, bounds_of, part_of, windows_of
from cubesolve.errors import CubesolveError, CubesolveWarning, TableError, in_bytes
from cubesolve.runtime.arguments import Keywords, integer
from cubesolve.runtime.arguments import seconds as number_of_seconds
from cubesolve.runtime.machine import memory_limit
from cubesolve.runtime.notices import announce
from cubesolve.solvers.answers import COUNTING, Distribution, chosen
from cubesolve.solvers.counting import DISK, Count, planned, space_digest
from cubesolve.solvers.expected import SECONDS_AN_EDGE, Estimate, announce_effort, announcing
from cubesolve.solvers.keywords import CountedQuestion
from cubesolve.spaces.defined_graph import DerivedGraph
from cubesolve.spaces.levels import HASH_BITS, FoundStates, LevelSearch
from cubesolve.spaces.members import Members
from cubesolve.spaces.space import DEAREST, StateSpace
from cubesolve.spaces.symmetric import Plan
from cubesolve.spaces.tables import CHECKPOINT, TableHeader
from cubesolve.store.checkpoint import AS_LONG, EVERY

_TOO_DEAR = f"a cluster counts only where moves cost at most {DEAREST}: count on one machine, without a cluster"
_ROUNDS = 2  # rounds in flight; in each, every worker receives packets for one window of its shard
_ALIVE = 1.0  # seconds between two checks for lost workers
_USABLE = 0.6  # of the memory of a worker; beyond it, dask writes results of tasks to disk
_MOVES_A_SECOND = 4e7  # of a processor; a rough estimate for messages
_Result = Any  # of a task: the futures of distributed have no types


AT_ONCE = 1 << 30
"""The number of entries of the whole table about which workers exchange packets at once."""


class DepthStatistics(NamedTuple):
    """The statistics of a depth.

    Attributes:
        depth: the depth.
        states: the number of states of the puzzle.
        sent: the number of bytes that workers exchanged.
        seconds: the time.
        total: the number of states so far.
    """

    depth: int
    states: int
    sent: int
    seconds: float
    total: int


def distribution(
    client: Client,
    space: StateSpace,
    starts: int | Ranks = 0,
    folder: str | os.PathLike[str] | None = None,
    progress: Callable[[DepthStatistics], object] | None = None,
    *,
    resume: bool = False,
    every: float = EVERY,
    at_once: int = AT_ONCE,
    memory: int | None = None,
) -> tuple[int, ...]:
    """Count the states at each depth, on all current workers of a cluster.

    Args:
        starts: the ranks of the states at depth 0, or the rank if there is one.
        folder: a folder shared by all workers, for checkpoints of their shards. After the last level, the entries of
            these files, one after the other, are the mod-3 table of the space.
        progress: called once per depth.
        every: the least number of seconds between two checkpoints, more if one takes long; 0 for all levels.
        memory: the maximum number of bytes that a worker may take; by default most of the limit that dask has for it,
            or else half of its machine's, divided among the workers there.

    Raises:
        ValueError: a move costs more than 2, a start is not a rank, a depth exceeds 254, or there are no workers.
        TableError: the folder has shards of a run that is not resumed, of another run, or damaged ones.
        CubesolveError: a worker was lost, or has too little memory.

    >>> from distributed import LocalCluster
    >>> ring = StateSpace(np.array([[1, 2, 3, 0], [3, 0, 1, 2]]), np.zeros((2, 4), np.int32),
    ...     np.array([[0]], np.uint32), mutual=True)
    >>> with LocalCluster(processes=False, dashboard_address=":0") as cluster, Client(cluster) as client:
    ...     distribution(client, ring)
    (1, 2, 1)
    """
    with _Cluster(client, _Settings(folder, resume, every, at_once, memory, progress)) as cluster:
        return _Run(cluster, space, starts).count_all()


def record(
    client: Client,
    puzzle: Puzzle,
    folder: str | os.PathLike[str] | None = None,
    progress: Callable[[DepthStatistics], object] | None = None,
    *,
    resume: bool = False,
    every: float = EVERY,
    at_once: int = AT_ONCE,
    memory: int | None = None,
    seconds: float = 60,
    **asked: Unpack[CountedQuestion],
) -> records.Record:
    """Count the states of a puzzle at each depth on a cluster, and return the result as JSON has it.

    Args:
        folder: as for `distribution`.
        resume: as for `distribution`; after a checkpoint of the last level, no farthest states are listed.
        seconds: the time limit of the solutions of farthest states together.

    Raises:
        ValueError: a move costs more than 2, unless levels are counted.

    >>> from distributed import LocalCluster
    >>> from cubesolve import puzzle
    >>> with LocalCluster(processes=False, dashboard_address=":0") as cluster, Client(cluster) as client:
    ...     found = record(client, puzzle("floppy"))
    >>> found["distribution"], found["farthest"][0]["solution"], found["is_complete"]
    ((1, 4, 10, 24, 53, 64, 31, 4, 1), 'R2 F2 R2 F2 B2 R2 F2 L2', True)
    """
    question = chosen(asked)
    with _Cluster(client, _Settings(folder, resume, every, at_once, memory, progress)) as cluster:
        count = _count_levels(cluster, puzzle, question) if "levels" in question else _count(cluster, puzzle, question)
    return records.report(puzzle, count, question, seconds)


def _count_levels(cluster: _Cluster, puzzle: Puzzle[Any], question: Keywords) -> Count:
    """Count the states at each depth up to some depth, of which each worker has those with some hashes."""
    depth = integer("levels", question["levels"], 0)
    graph, up_to_free = puzzle.solver.graph_of_levels(question)
    search, states = _Levels(cluster, graph, up_to_free), graph.number_of_states
    checkpointer = _Checkpointer(cluster, search.about.digest)
    also = f"on each of {cluster.shards} workers{f', {DISK}' * (checkpointer.folder is not None)}"
    progress = announcing(search, depth, states, cluster.report, also)
    levels = search.count(depth, progress, checkpointer.begun(), checkpointer.keep)
    checkpointer.remove()
    known = None if up_to_free else states
    return Count(Distribution(levels.counts), None, levels.symmetries, levels.classes, HASH_BITS, known=known)


def _count(cluster: _Cluster, puzzle: Puzzle[Any], question: Keywords) -> Count:
    """Count the states at each depth: all, or those of another goal among them."""
    if max(puzzle.rules.costs.values(), default=0) > DEAREST:  # before a space is derived
        raise ValueError(_TOO_DEAR)
    named = {name: value for name, value in question.items() if name not in {*COUNTING, "from_goal"}}
    solver, limit = puzzle.solver, sum(cluster.limits())
    with planned(functools.partial(_announce_plan, cluster)):
        if "from_goal" in question:
            about = solver.among_to_count(named, question["from_goal"], limit)
        else:
            about = solver.space_to_count(named, limit)
    some, digest = about.members(limit)
    counts = _Run(cluster, about.space, about.starts, some, digest).count_all()
    return about.result(counts, cluster.on_all(worker.CountedShard.last), worker.BITS, digest, None)


def _announce_plan(cluster: _Cluster, plan: Plan, _: float) -> None:
    """Announce what a long count takes on each worker, before its space is derived by the caller."""
    table, workers = plan.entries // 4, cluster.shards  # bytes, with two bits an entry
    what = f"expected: {plan.states:,} states, {plan.entries:,} entries, on each of {workers} workers"
    seconds = plan.entries * plan.moves / _MOVES_A_SECOND / workers
    announce_effort(what, plan.size / workers + _packets(cluster, plan.entries), seconds)
    announce_effort("their space, here", max(plan.size - table, 0), plan.edges * SECONDS_AN_EDGE)


def _packets(cluster: _Cluster, entries: int) -> int:
    """Return the bytes of the packets of a worker."""
    return _ROUNDS * min(cluster.settings.at_once, entries) // 4


class _Settings(NamedTuple):
    """The arguments of `distribution` that do not change its counts."""

    folder: str | os.PathLike[str] | None
    resume: bool
    every: float
    at_once: int
    memory: int | None
    progress: Callable[[DepthStatistics], object] | None


class _Cluster:
    """The current workers of a cluster, the first of which have a shard of a search each."""

    run: str  # the name of the search
    shards: int
    sent: int  # bytes that workers have exchanged since the last report

    def __init__(self, client: Client, settings: _Settings) -> None:
        number_of_seconds("every", settings.every)
        self._client, self.settings, self.addresses = client, settings, sorted(client.nthreads())
        if not self.addresses:
            raise ValueError("the cluster has no workers; wait for them with client.wait_for_workers")
        self.run, self.shards, self.sent, self._began = uuid.uuid4().hex, len(self.addresses), 0, time.monotonic()

    def limits(self) -> list[int]:
        """Return how many bytes each worker may take."""
        memory = self.settings.memory
        machines = self.results([self.submit(number, worker.memory_here) for number in range(len(self.addresses))])
        number_at = Counter(machine for machine, _, _ in machines)
        limits = [
            int(_USABLE * limit) if limit else half // number_at[machine] if memory is None else memory
            for machine, limit, half in machines
        ]
        return limits if memory is None else [min(limit, memory_limit(memory)) for limit in limits]

    def scatter(self, number: int, part: object) -> Future[_Result]:
        """Send a part of a space, and of the states that are counted, to a worker."""
        future: Future[_Result] = self._client.scatter(part, workers=[self.addresses[number]], hash=False)
        return future

    def submit(self, number: int, task: Callable[..., _Result], *arguments: object) -> Future[_Result]:
        return self._client.submit(task, *arguments, workers=[self.addresses[number]], pure=False)

    def on(self, shard: int, method: Callable[..., _Result], *arguments: object) -> Future[_Result]:
        return self.submit(shard, worker.on, (self.run, shard), method, *arguments)

    def on_all(self, method: Callable[..., _Result], *arguments: object) -> list[_Result]:
        return self.results([self.on(shard, method, *arguments) for shard in range(self.shards)])

    def begin(self, made: Callable[..., object], arguments: Iterable[Sequence[object]]) -> None:
        """Make a shard on each worker, given its arguments."""
        numbered = enumerate(arguments)
        self.results(
            [self.submit(number, worker.begin, (self.run, number), made, *given) for number, given in numbered]
        )
        self._began = time.monotonic()

    def results(self, futures: list[Future[_Result]]) -> list[_Result]:
        loop: Any = self._client.loop
        gathering = self._client.gather(futures, asynchronous=True)  # waits forever for results of a lost worker
        results = asyncio.run_coroutine_threadsafe(gathering, loop.asyncio_loop)
        try:
            while not wait([results], _ALIVE).done:
                self._require()
            return list(results.result())
        except (OSError, CancelledError) as error:
            with contextlib.suppress(OSError):
                self._require()
            raise CubesolveError(f"the cluster was lost: {error or type(error).__name__}") from error
        finally:
            if not results.done():  # cancelling this alone would leave tasks that print tracebacks
                stopping = self._client.cancel(futures, asynchronous=True)
                asyncio.run_coroutine_threadsafe(stopping, loop.asyncio_loop)

    def _require(self) -> None:
        lost = set(self.addresses) - set(self._client.nthreads())
        if lost:
            raise CubesolveError(f"the worker {min(lost)} was lost; restart it, and resume from the last checkpoint")

    def report(self, depth: int, states: int, total: int) -> None:
        """Report a depth with states, what was sent, and the time since the last one."""
        if not states:
            return
        if self.settings.progress:
            seconds = time.monotonic() - self._began
            self.settings.progress(DepthStatistics(depth, states, self.sent, seconds, total))
        self._began, self.sent = time.monotonic(), 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the shards."""
        with contextlib.suppress(Exception):  # lost workers need no cleanup
            remaining = set(self.addresses) & set(self._client.nthreads())
            self._client.run(worker.end, self.run, workers=[*remaining], on_error="ignore")


class _Run(Search):
    """An enumeration on several workers."""

    def __init__(
        self,
        cluster: _Cluster,
        space: StateSpace,
        starts: int | Ranks,
        some: Members | None = None,  # if not all states are counted, the entries of those that are
        digest: str | None = None,  # of all that the counts depend on; by default of the space and the starts
    ) -> None:
        """Divide the rows among workers, without starting them."""
        if not has_mod3(space):
            raise ValueError(_TOO_DEAR)
        at_once = integer("at_once", cluster.settings.at_once, 1)
        memory_limit(cluster.settings.memory)  # which checks it
        super().__init__(space, can_push=space.mutual)
        self._cluster, self._starts, self._some = cluster, start_ranks(space, starts), some
        self.table = np.empty(0, np.uint8)  # the workers have it
        self._bounds = bounds_of(space, len(cluster.addresses))
        cluster.shards = len(self._bounds) - 1
        self._windows = windows_of(space, self._bounds, at_once // cluster.shards)
        self._checkpointer = _Checkpointer(cluster, digest or space_digest(space, self._starts.tolist()))

    def count_all(self) -> tuple[int, ...]:
        self._require_memory()
        self._begin()
        _, counts = each_level(self, Estimate(self._space.counted, self._cluster.report), self._end_level)
        self._keep(counts, at_last=True)
        return counts

    def _end_level(self, _: NDArray[np.uint8], counts: tuple[int, ...]) -> None:
        """End a level on all workers, and write a checkpoint after it."""
        if self._some or self._space.counted - sum(counts) <= FEW:
            self._cluster.on_all(worker.CountedShard.end_level, counts)
        self._keep(counts)

    def _keep(self, counts: tuple[int, ...], *, at_last: bool = False) -> None:
        if not self._some or 2 * len(counts) <= MOST_KEPT:
            self._checkpointer.keep(counts, at_last=at_last)

    def _require_memory(self) -> None:
        """Announce what a long count takes, and reject one for which a worker has too little memory."""
        space, shards, table = self._space, self._cluster.shards, BY_BITS[worker.BITS].body_bytes(self._space.states)
        whole = space.fibre.nbytes + (space.symmetries.images.nbytes if space.symmetries else 0)  # on each worker
        needed = whole + (space.nbytes - whole + table) // shards + _packets(self._cluster, space.states)
        for address, limit in zip(self._cluster.addresses[:shards], self._cluster.limits(), strict=False):
            if needed > limit:
                lacks = f"a shard takes {needed:,} bytes of memory, but the worker {address} has {limit:,}"
                advice = "add workers, lower at_once, or allow more with memory, within the limits that dask has"
                raise CubesolveError(f"{lacks}: {advice}")
        has_disk = self._checkpointer.folder is not None
        disk = f"up to {in_bytes(2 * table)} of disk space for all checkpoints" if has_disk else ""
        what = f"{space.counted:,} states, {space.states:,} entries, on each of {shards} workers"
        announce_effort(what, needed, space.states * len(space.base) / _MOVES_A_SECOND / shards, disk)

    def _begin(self) -> None:
        """Start all workers, or continue from their checkpoints."""
        width, arguments = self._space.width, list[Sequence[object]]()
        for shard, (first, last) in enumerate(itertools.pairwise(self._bounds)):
            given = part_of(self._space, first, last), self._some and self._some.of_rows(first, last)
            part = self._cluster.scatter(shard, given)
            arguments.append((part, self._space.counted, first * width, self._windows, self._starts))
        self._cluster.begin(worker.CountedShard, arguments)
        self.counts = [*self._checkpointer.begun()]
        if not self.counts:
            self.begin(self._space.number_of(self._starts))

    def push(self, depth: int, cost: int) -> int:
        senders = self._look_from(depth - cost, cost, seen=True, everywhere=True)

        def see(number: int) -> list[Future[Any]]:
            on, own = self._cluster.on, self._windows[number].shard
            packets = [on(shard, Shard.send, number) for shard in senders if shard != own]
            return [on(own, Shard.see, number, packets, depth)]

        return self._exchange(see, _ROUNDS) if senders else 0

    def pull(self, depth: int, cost: int, *, everywhere: bool) -> int:
        senders, near = self._look_from(depth, cost, seen=False, everywhere=everywhere), depth - cost

        def see(number: int) -> list[Future[Any]]:
            on, own = self._cluster.on, self._windows[number].shard
            seen = [on(own, Shard.see_own_sources, number, near, depth)] if own in senders else []
            for shard in senders:
                if shard != own:
                    reply = on(own, Shard.answer, number, on(shard, Shard.send, number), near)
                    seen.append(on(shard, Shard.see_sources, number, reply, depth))
            return seen

        return self._exchange(see, _ROUNDS // 2) if senders else 0  # replies take as much memory as requests

    def _look_from(self, depth: int, cost: int, *, seen: bool, everywhere: bool) -> list[int]:
        """Select states in all shards, as `Shard.look_from`; return the shards that have some."""
        rows = self._cluster.on_all(Shard.look_from, depth, cost, seen, everywhere)
        return [shard for shard, number in enumerate(rows) if number]

    def _exchange(self, see: Callable[[int], list[Future[Any]]], rounds: int) -> int:
        """See states in or by all windows, with a number of rounds at once; return the number of states."""
        flying, total, shards = deque[list[Future[Any]]](), 0, self._cluster.shards
        for first in range(0, len(self._windows) + rounds * shards, shards):
            if len(flying) == rounds:
                for states, sent in self._cluster.results(flying.popleft()):
                    total, self._cluster.sent = total + states, self._cluster.sent + sent
            numbers = range(first, min(first + shards, len(self._windows)))  # mostly of different shards
            flying.append([future for number in numbers for future in see(number)])
        return total


class _Levels(LevelSearch):
    """A search for the first levels on several workers."""

    def __init__(self, cluster: _Cluster, graph: DerivedGraph, up_to_free: bool) -> None:
        self._cluster, self.shards = cluster, cluster.shards
        limits = cluster.limits()
        cluster.begin(
            worker.LevelShard, [(graph.rules, graph.metric, limit, len(limits), up_to_free) for limit in limits]
        )
        self.about = self.on_all(operator.attrgetter("about"))[0]

    def on_all(self, method: Callable[..., _Result], *arguments: object) -> list[_Result]:
        return self._cluster.on_all(method, *arguments)

    def exchange(
        self, senders: Sequence[int], is_kept: bool, method: Callable[..., list[FoundStates]], *arguments: object
    ) -> int:
        """Pass the states that a method of some shares finds to those that have them; return the number of new ones."""
        on, submit = self._cluster.on, self._cluster.submit
        states, seen = [(sender, on(sender, method, *arguments)) for sender in senders], list[Future[Any]]()
        for share in range(self.shards):
            own = [submit(sender, operator.getitem, each, share) for sender, each in states]
            seen.append(on(share, worker.LevelShard.received, own, is_kept))
        results = self._cluster.results(seen)
        self._cluster.sent += sum(size for _, size in results)
        return sum(number for number, _ in results)


class _Checkpointer:
    """Writes checkpoints of all shards between levels, if there is a folder; then the previous ones are removed."""

    def __init__(self, cluster: _Cluster, digest: str) -> None:
        folder, self._every, self._last = cluster.settings.folder, cluster.settings.every, time.monotonic()
        self.folder = None if folder is None else os.fspath(folder)
        self._cluster, self._digest, self._levels = cluster, digest, 0

    def begun(self) -> tuple[int, ...]:
        """Continue from the last checkpoint of all shards; return the number of states of each level so far."""
        if self.folder is None:
            return ()
        paths, resume = self._in_folder(worker.levels_in), self._cluster.settings.resume
        if paths and not resume:
            reason = "has checkpoints of a run; continue it with resume (--resume), or remove them"
            raise TableError(self.folder, reason)
        self._levels = max((levels for levels, some in paths.items() if len(some) == self._cluster.shards), default=0)
        if resume:
            how = f"continues from depth {self._levels - 1}:" if self._levels else "starts anew: there is no checkpoint"
            announce(f"the count {how} {self.folder}")
        return self._on_all(worker.read, self._levels)[0] if self._levels else ()

    def keep(self, counts: tuple[int, ...], *, at_last: bool = False) -> None:
        is_time = at_last or time.monotonic() - self._last >= self._every
        if self.folder is None or len(counts) == self._levels or not is_time:
            return
        begun = time.monotonic()
        try:
            self._on_all(worker.write, len(counts), counts)
            self._in_folder(worker.forget, len(counts))
            self._levels = len(counts)
        except TableError as error:
            warnings.warn(CubesolveWarning(f"{error}; the run continues"), stacklevel=3)
        self._last = time.monotonic()
        self._every = self._every and max(self._every, AS_LONG * (self._last - begun))

    def remove(self) -> None:
        if self.folder is not None:
            self._in_folder(worker.forget, 0)

    def _in_folder(self, task: Callable[..., _Result], *arguments: object) -> _Result:
        """Return the result of a task of a worker about all files, which the caller may not see."""
        cluster = self._cluster
        return cluster.results([cluster.submit(0, task, self.folder, cluster.shards, *arguments)])[0]

    def _on_all(self, task: Callable[..., _Result], levels: int, *arguments: object) -> list[_Result]:
        """Return the results of a task of each worker about the file of its shard after some levels."""
        cluster, futures = self._cluster, list[Future[_Result]]()
        for shard in range(cluster.shards):
            name = f"share-{shard + 1}-of-{cluster.shards}"
            path = os.path.join(self.folder or "", f"{name}.{levels}.checkpoint")
            expected = TableHeader(name, "share", "moves", self._digest, 0, (), "", CHECKPOINT)
            futures.append(cluster.submit(shard, task, (cluster.run, shard), path, expected, *arguments))
        return cluster.results(futures)
