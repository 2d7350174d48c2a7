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
import platform
import re
import time
import uuid
import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, wait
from typing import Any, NamedTuple, Self, Unpack

import numpy as np
from distributed import Client, Future, get_worker
from numpy.typing import NDArray

from cubesolve.ask import Puzzle
from cubesolve.counting import records
from cubesolve.encodings import BY_BITS
from cubesolve.encodings.counting import MOST_KEPT, Among, Farthest, few_remain
from cubesolve.encodings.enumeration import Ranks, Search, each_level, has_mod3, start_ranks
from cubesolve.encodings.shards import Shard, Window, bounds_of, part_of, windows_of
from cubesolve.errors import CubesolveError, CubesolveWarning, TableError
from cubesolve.group.permutations import Arrangement
from cubesolve.runtime.arguments import Keywords, integer
from cubesolve.runtime.arguments import seconds as number_of_seconds
from cubesolve.runtime.machine import half_of_memory, memory_limit
from cubesolve.runtime.notices import Estimate, announce, announce_effort
from cubesolve.solvers.answers import COUNTING, Distribution, chosen
from cubesolve.solvers.counting import DISK, Count, Counted, CountedAmong, farthest_of, pairs, planned, space_digest
from cubesolve.solvers.expected import announcing, seconds_to_derive
from cubesolve.solvers.keywords import CountedQuestion
from cubesolve.spaces.defined import DerivedGraph, DerivedRules
from cubesolve.spaces.levels import HASH_BITS, FirstLevels, FoundStates, LevelSearch, LevelShare
from cubesolve.spaces.members import Members
from cubesolve.spaces.space import DEAREST, Levels, StateSpace
from cubesolve.spaces.symmetric import Plan
from cubesolve.spaces.tables import CHECKPOINT, TableHeader
from cubesolve.store import tablefile
from cubesolve.store.checkpoint import AS_LONG, EVERY

_BITS = 2  # of an entry
_TOO_DEAR = f"a cluster counts only where moves cost at most {DEAREST}: count on one machine, without a cluster"
_ROUNDS = 2  # rounds in flight; in each, every worker receives packets for one window of its shard
_ALIVE = 1.0  # seconds between two checks for lost workers
_USABLE = 0.6  # of the memory of a worker; beyond it, dask writes results of tasks to disk
_MOVES_A_SECOND = 4e7  # of a processor; a rough estimate for messages
_Result = Any  # of a task: the futures of distributed have no types
_FILE = re.compile(r"share-(\d+)-of-(\d+)\.(\d+)\.checkpoint")


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


def connected(address: str, seconds: float) -> Client:
    """Return the client of a cluster, which must answer within some seconds.

    Raises:
        OSError, ValueError: it cannot be reached, or the address is none.
    """
    return Client(address, timeout=seconds)


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
    settings = _Settings(folder, resume, every, at_once, memory, progress)
    with _Run(_Workers(client), space, starts, settings) as run:
        return run.count_all()


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
    question, settings = chosen(asked), _Settings(folder, resume, every, at_once, memory, progress)
    if "levels" in question:
        return records.report(puzzle, _count_levels(_Workers(client), puzzle, question, settings), question, seconds)
    if max(puzzle.rules.costs.values(), default=0) > DEAREST:  # before a space is derived
        raise ValueError(_TOO_DEAR)
    named = {name: value for name, value in question.items() if name not in {*COUNTING, "from_goal"}}
    workers, solver = _Workers(client), puzzle.solver
    limit = sum(workers.limits(memory))
    with planned(functools.partial(_announce_plan, len(workers.addresses), at_once)):
        if "from_goal" in question:
            among = solver.among_to_count(named, question["from_goal"], limit)
        else:
            among, about = None, solver.space_to_count(named, limit)
    count = _count_among(workers, among, settings) if among else _count(workers, about, settings)
    return records.report(puzzle, count, question, seconds)


def _announce_plan(workers: int, at_once: int, plan: Plan, _: float) -> None:
    """Announce what a long count takes on each of some workers, before its space is derived by the caller."""
    table = plan.entries // 4  # bytes, with two bits an entry
    what = f"expected: {plan.states:,} states, {plan.entries:,} entries, on each of {workers} workers"
    seconds = plan.entries * plan.moves / _MOVES_A_SECOND / workers
    announce_effort(what, plan.size / workers + _packets(at_once, plan.entries), seconds)
    announce_effort("their space, here", max(plan.size - table, 0), seconds_to_derive(plan.edges))


def _packets(at_once: int, entries: int) -> int:
    """Return the bytes of the packets of a worker."""
    return _ROUNDS * min(at_once, entries) // 4


def _count(workers: _Workers, about: Counted, settings: _Settings) -> Count:
    with _Run(workers, about.space, about.starts, settings) as run:
        counts = Distribution(run.count_all())
        last = np.concatenate(run.on_all(_CountedShard.farthest))
    farthest, digest = farthest_of(about, counts, last), space_digest(about.space, about.starts)
    return Count(counts, pairs(farthest), about.symmetries, about.space.states, _BITS, digest, about.known, about.goal)


def _count_among(workers: _Workers, among: CountedAmong, settings: _Settings) -> Count:
    about, (some, digest) = among.about, among.members(sum(workers.limits(settings.memory)))
    with _Run(workers, about.space, about.starts, settings, (some, digest)) as run:
        run.count_all()
        tallies = [(np.trim_zeros(counts, "b"), places) for counts, places in run.on_all(_CountedShard.tallied)]
    counts = [sum(numbers) for numbers in itertools.zip_longest(*(counts for counts, _ in tallies), fillvalue=0)]
    last = [places for own, places in tallies if len(own) == len(counts)]
    farthest = among.farthest(None if None in last else itertools.chain.from_iterable(last))
    return Count(Distribution(counts), farthest, about.symmetries, about.space.states, _BITS, digest, None, about.goal)


def _count_levels(workers: _Workers, puzzle: Puzzle[Any], question: Keywords, settings: _Settings) -> Count:
    """Count the states at each depth up to some depth, of which each worker has those with some hashes."""
    depth = integer("levels", question["levels"], 0)
    graph, up_to_free = puzzle.solver.graph_of_levels(question)
    with _Levels(workers, graph, up_to_free, settings) as search:
        levels = search.counted(depth)
    states = None if up_to_free else graph.number_of_states
    return Count(Distribution(levels.counts), None, levels.symmetries, levels.classes, HASH_BITS, None, states, None)


# -- Tasks of workers --------------------------------------------------------------------------------------------------

_Key = tuple[str, int]  # a run, and the number of a shard
_shards: dict[_Key, _CountedShard | LevelShare] = {}  # those of this process, all of one run


class _Kept(NamedTuple):
    """The checkpoint of a shard."""

    folder: str  # the folder
    shard: int  # the number of the shard
    shards: int  # the number of shards
    run: str  # a digest of the space and the starts

    def path(self, levels: int) -> str:
        return os.path.join(self.folder, f"share-{self.shard + 1}-of-{self.shards}.{levels}.checkpoint")

    def _header(self, counts: tuple[int, ...], size: int, digest: str) -> TableHeader:
        name = f"share-{self.shard + 1}-of-{self.shards}"
        return TableHeader(name, "share", "moves", self.run, size, counts, digest, CHECKPOINT)

    def read(self, levels: int, size: int | None = None) -> tuple[NDArray[np.uint8], tuple[int, ...]]:
        """Return the bytes and the counts of the file with a number of levels, of a known size if it is given."""
        path = self.path(levels)
        header, _ = tablefile.read_header(path)
        entries = header.entries if size is None else size
        tablefile.require_same(header, self._header(header.distribution, entries, header.sha256), path)
        table = np.empty(entries, np.uint8)
        tablefile.unpack_into(path, header, table.data)
        return table, header.distribution

    def levels(self) -> list[int]:
        """Return the numbers of levels of the files of this shard."""
        numbers = []
        with _using(self.folder):
            os.makedirs(self.folder, exist_ok=True)
            for name in sorted(os.listdir(self.folder)):
                match = _FILE.fullmatch(name)
                if match and int(match[2]) != self.shards:
                    reason = f"belongs to a run with {match[2]} shards, not {self.shards}"
                    raise TableError(os.path.join(self.folder, name), reason)
                if match and int(match[1]) == self.shard + 1:
                    numbers.append(int(match[3]))
        return numbers

    def write(self, name: str, counts: tuple[int, ...]) -> None:
        table, all_counts = _shard((name, self.shard)).checkpoint(counts)
        header = self._header(all_counts, len(table), tablefile.digest(table.data))
        tablefile.write(self.path(len(counts)), header, table.data)

    def forget(self, levels: int) -> None:
        """Remove the files with other numbers of levels."""
        with _using(self.folder):
            for other in set(self.levels()) - {levels}:
                os.unlink(self.path(other))


@contextlib.contextmanager
def _using(folder: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise TableError(folder, f"cannot be used: {error.strerror or error}") from error


class _CountedShard(Shard):
    """A shard, with those of its states that are reached last, and those that are counted if not all are."""

    def __init__(
        self,
        given: tuple[StateSpace, Members | None],
        first: int,
        windows: list[Window],
        starts: NDArray[np.int64],
        number: int,
        kept: tuple[_Kept, int] | None,
    ) -> None:
        (part, some), begun = given, None
        if kept:
            begun = kept[0].read(kept[1], BY_BITS[_BITS].body_bytes(part.states))
        super().__init__(part, first, windows, starts, begun[0] if begun else None)
        self.counts = begun[1] if begun else (number,)  # of the states of each level so far
        self._last, self._among = Farthest(part, _BITS), None if some is None else Among(some, part.width, _BITS)
        if self._among and begun:
            self.counts = self._among.resumed(self.counts)

    def end_level(self, counts: tuple[int, ...], few: bool) -> None:
        """Count those of some states that a level has reached; list the states that are not, if they are few."""
        if self._among:
            self._among.keep(self.table, counts)
        if few:
            self._last.watch(self.table)

    def tallied(self) -> tuple[tuple[int, ...], list[Arrangement] | None]:
        """Return the number of these states at each depth, and the farthest."""
        assert self._among is not None  # otherwise all are counted
        return self._among.counts, self._among.farthest()

    def farthest(self) -> NDArray[np.int64]:
        return self.first + self._last.ranks

    def checkpoint(self, counts: tuple[int, ...]) -> tuple[NDArray[np.uint8], tuple[int, ...]]:
        return self.table, (*counts, *(self._among.counts if self._among else ()))


class _LevelShard(LevelShare):
    """A share of a search for first levels."""

    def __init__(self, rules: DerivedRules, metric: str, memory: int, shares: int, up_to_free: bool) -> None:
        """Derive the graph here."""
        super().__init__(rules.graph(metric=metric), memory, shares, up_to_free=up_to_free)

    def resumed(self, kept: _Kept, levels: int) -> tuple[int, ...]:
        """Continue from a checkpoint; return the number of states of each level so far."""
        table, counts = kept.read(levels)
        self.resume(table, counts)
        return counts

    def checkpoint(self, counts: tuple[int, ...]) -> tuple[NDArray[np.uint8], tuple[int, ...]]:
        return self.levels(), counts

    def received(self, states: list[FoundStates], is_kept: bool) -> tuple[int, int]:
        """Add states of other shares; return the number of new ones, and the bytes of all."""
        return self.receive(states, is_kept), sum(rows.nbytes + ties.nbytes for rows, ties in states)


def _shard(key: _Key) -> Any:
    """Return the shard of a run that this worker has."""
    if key not in _shards:
        raise CubesolveError("a worker has lost its part of the count: it was restarted, or began another run")
    return _shards[key]


def _begin(key: _Key, made: Callable[..., _CountedShard | LevelShare], *arguments: object) -> None:
    """Start with a shard; those of other runs are removed before."""
    _end(*{run for run, _ in list(_shards)} - {key[0]})
    _shards[key] = made(*arguments)


def _on(key: _Key, method: Callable[..., _Result], *arguments: object) -> _Result:
    """Return the result of a method of a shard."""
    return method(_shard(key), *arguments)


def _end(*runs: str) -> None:
    for key in [key for key in list(_shards) if key[0] in runs]:
        _shards.pop(key, None)


def _memory_here() -> tuple[str, int, int]:
    """Return the machine of this worker, the bytes that dask allows it, 0 without a limit, and half of its memory."""
    return platform.node(), get_worker().memory_manager.memory_limit or 0, half_of_memory()


# -- The caller --------------------------------------------------------------------------------------------------------


class _Settings(NamedTuple):
    """The arguments of `distribution` that do not change its counts."""

    folder: str | os.PathLike[str] | None
    resume: bool
    every: float
    at_once: int
    memory: int | None
    progress: Callable[[DepthStatistics], object] | None


class _Workers:
    """The current workers of a cluster."""

    def __init__(self, client: Client) -> None:
        self._client, self.addresses = client, sorted(client.nthreads())
        if not self.addresses:
            raise ValueError("the cluster has no workers; wait for them with client.wait_for_workers")

    def limits(self, memory: int | None) -> list[int]:
        """Return how many bytes each worker may take; `memory` as for `distribution`."""
        machines = self.results([self.submit(number, _memory_here) for number in range(len(self.addresses))])
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

    def end(self, run: str) -> None:
        """Remove the shards of a run."""
        with contextlib.suppress(Exception):  # lost workers need no cleanup
            remaining = set(self.addresses) & set(self._client.nthreads())
            self._client.run(_end, run, workers=[*remaining], on_error="ignore")


class _Shared:
    """A search by shards, one on each worker."""

    def __init__(self, workers: _Workers, shards: int, settings: _Settings) -> None:
        number_of_seconds("every", settings.every)
        self._workers, self._settings, self.shards = workers, settings, shards
        self._name, self._sent, self._began = uuid.uuid4().hex, 0, time.monotonic()

    def on(self, shard: int, method: Callable[..., _Result], *arguments: object) -> Future[_Result]:
        return self._workers.submit(shard, _on, (self._name, shard), method, *arguments)

    def on_all(self, method: Callable[..., _Result], *arguments: object) -> list[_Result]:
        return self._workers.results([self.on(shard, method, *arguments) for shard in range(self.shards)])

    def begin_all(self, made: Callable[..., object], arguments: Iterable[Sequence[object]]) -> None:
        numbered = enumerate(arguments)
        self._workers.results([self._workers.submit(n, _begin, (self._name, n), made, *given) for n, given in numbered])

    def checkpointer(self, digest: str) -> _Checkpointer | None:
        """Return what writes checkpoints of all shards, if there is a folder."""
        if self._settings.folder is None:
            return None
        kept = [_Kept(os.fspath(self._settings.folder), shard, self.shards, digest) for shard in range(self.shards)]
        return _Checkpointer(self._workers, self._name, kept, self._settings)

    def report(self, depth: int, states: int, total: int) -> None:
        """Report a depth, with what was sent and the time since the last one."""
        if self._settings.progress:
            seconds = time.monotonic() - self._began
            self._settings.progress(DepthStatistics(depth, states, self._sent, seconds, total))
        self._began, self._sent = time.monotonic(), 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._workers.end(self._name)


class _Run(_Shared, Search):
    """An enumeration on several workers."""

    def __init__(
        self,
        workers: _Workers,
        space: StateSpace,
        starts: int | Ranks,
        settings: _Settings,
        among: tuple[Members, str] | None = None,
    ) -> None:
        """Divide the rows among workers, without starting them.

        Args:
            among: if not all states are counted, the entries of those that are, and a digest.
        """
        if not has_mod3(space):
            raise ValueError(_TOO_DEAR)
        integer("at_once", settings.at_once, 1)
        memory_limit(settings.memory)  # which checks it
        self._bounds = bounds_of(space, len(workers.addresses))
        _Shared.__init__(self, workers, len(self._bounds) - 1, settings)
        Search.__init__(self, space, can_push=space.mutual)
        self._starts, self._among, self.table = start_ranks(space, starts), among, np.empty(0, np.uint8)
        self._windows = windows_of(space, self._bounds, settings.at_once // self.shards)
        digest = among[1] if among else space_digest(space, self._starts.tolist())
        self._checkpointer = self.checkpointer(digest)

    def count_all(self) -> tuple[int, ...]:
        self._require_memory()
        self._begin()
        estimate = Estimate(self._space.counted)

        def report(depth: int, states: int, total: int) -> None:
            self.report(depth, states, total)
            estimate(total)

        _, counts = each_level(self, report, self)
        self._keep(counts, at_last=True)
        return counts

    def begun(self) -> None:
        """Return None: workers have the levels to continue from."""

    def keep(self, table: NDArray[np.uint8], counts: tuple[int, ...]) -> None:  # noqa: ARG002  # the workers have it
        """End a level on all workers, and write a checkpoint after it."""
        few = few_remain(self._space, counts)
        if self._among or few:
            self.on_all(_CountedShard.end_level, counts, few)
        self._keep(counts)

    def _keep(self, counts: tuple[int, ...], *, at_last: bool = False) -> None:
        if self._checkpointer and (self._among is None or 2 * len(counts) <= MOST_KEPT):
            self._checkpointer.keep(counts, at_last=at_last)

    def _require_memory(self) -> None:
        """Announce what a long count takes, and reject one for which a worker has too little memory."""
        space, table = self._space, BY_BITS[_BITS].body_bytes(self._space.states)
        whole = space.fibre.nbytes + (space.symmetries.images.nbytes if space.symmetries else 0)  # on each worker
        needed = whole + (space.nbytes - whole + table) // self.shards
        needed += _packets(self._settings.at_once, space.states)
        limits = zip(self._workers.addresses[: self.shards], self._workers.limits(self._settings.memory), strict=False)
        for address, limit in limits:
            if needed > limit:
                lacks = f"a shard takes {needed:,} bytes of memory, but the worker {address} has {limit:,}"
                advice = "add workers, lower at_once, or allow more with memory, within the limits that dask has"
                raise CubesolveError(f"{lacks}: {advice}")
        disk = f"up to {2 * table / 1e9:,.1f} GB of disk space for all checkpoints" if self._checkpointer else ""
        what = f"{space.counted:,} states, {space.states:,} entries, on each of {self.shards} workers"
        announce_effort(what, needed, space.states * len(space.base) / _MOVES_A_SECOND / self.shards, disk)

    def _begin(self) -> None:
        """Start all workers, or continue from their checkpoints."""
        kept = self._checkpointer.resumed() if self._checkpointer else [None] * self.shards
        starts, arguments = (self._starts, self._space.number_of(self._starts)), list[Sequence[object]]()
        for shard, (first, last) in enumerate(itertools.pairwise(self._bounds)):
            some = self._among and self._among[0].of_rows(first, last)
            part = self._workers.scatter(shard, (part_of(self._space, first, last), some))
            arguments.append((part, first * self._space.width, self._windows, *starts, kept[shard]))
        self.begin_all(_CountedShard, arguments)
        if kept[0]:
            self.counts = list(self.on_all(operator.attrgetter("counts"))[0])
        else:
            self.begin(starts[1])
        self._began = time.monotonic()

    def push(self, depth: int, cost: int) -> int:
        leads = self._look_from(depth - cost, cost, seen=True, everywhere=True)

        def see(number: int) -> list[Future[Any]]:
            packets = [self.on(shard, Shard.send, number) for shard in self._senders(number, leads)]
            return [self.on(self._windows[number].shard, Shard.see, number, packets, depth)]

        return self._exchange(leads, see, _ROUNDS)

    def pull(self, depth: int, cost: int, *, everywhere: bool) -> int:
        near, leads = depth - cost, self._look_from(depth, cost, seen=False, everywhere=everywhere)

        def see(number: int) -> list[Future[Any]]:
            own = self._windows[number].shard
            seen = [self.on(own, Shard.see_own_sources, number, near, depth)] if number in leads[own] else []
            for shard in self._senders(number, leads):
                reply = self.on(own, Shard.answer, number, self.on(shard, Shard.send, number), near)
                seen.append(self.on(shard, Shard.see_sources, number, reply, depth))
            return seen

        return self._exchange(leads, see, _ROUNDS // 2)  # replies take as much memory as requests

    def _look_from(self, depth: int, cost: int, *, seen: bool, everywhere: bool) -> list[set[int]]:
        """Select states in all shards, as `Shard.look_from`; return the windows in which each may have neighbours."""
        return [set(numbers) for numbers in self.on_all(Shard.look_from, depth, cost, seen, everywhere)]

    def _exchange(self, leads: list[set[int]], see: Callable[[int], list[Future[Any]]], rounds: int) -> int:
        """See states in or by all windows, with a number of rounds at once; return the number of states."""
        flying: deque[list[Future[Any]]] = deque()
        total, all_leads = 0, set().union(*leads)
        for numbers in [*self._rounds(), *[set[int]()] * rounds]:
            if len(flying) == rounds:
                for states, sent in self._workers.results(flying.popleft()):
                    total, self._sent = total + states, self._sent + sent
            flying.append([future for number in sorted(numbers & all_leads) for future in see(number)])
        return total

    def _rounds(self) -> list[set[int]]:
        """Return the numbers of the windows in rounds with one window of each shard."""
        of_shards: list[list[int]] = [[] for _ in range(self.shards)]
        for number, window in enumerate(self._windows):
            of_shards[window.shard].append(number)
        return [{*numbers} - {None} for numbers in itertools.zip_longest(*of_shards)]

    def _senders(self, number: int, leads: list[set[int]]) -> list[int]:
        """Return the shards with neighbours in a window of another shard."""
        own = self._windows[number].shard
        return [shard for shard in range(self.shards) if shard != own and number in leads[shard]]


class _Levels(_Shared, LevelSearch):
    """A search for the first levels on several workers."""

    def __init__(self, workers: _Workers, graph: DerivedGraph, up_to_free: bool, settings: _Settings) -> None:
        super().__init__(workers, len(workers.addresses), settings)
        self._states, limits = graph.number_of_states, workers.limits(settings.memory)
        self.begin_all(_LevelShard, [(graph.rules, graph.metric, limit, len(limits), up_to_free) for limit in limits])
        self.about = self.on_all(operator.attrgetter("about"))[0]
        self._checkpointer = self.checkpointer(self.about.digest)

    def counted(self, most: int) -> FirstLevels:
        disk = f", {DISK}" * (self._checkpointer is not None)
        also = f"on each of {self.shards} workers{disk}"
        progress = announcing(self, most, self._states, self._report_found, also)
        levels = self.count(most, progress, self if self._checkpointer else None)
        if self._checkpointer:
            self._checkpointer.remove()
        return levels

    def _report_found(self, depth: int, states: int, total: int) -> None:
        if states:
            self.report(depth, states, total)

    def begun(self) -> Levels | None:
        """Continue from the checkpoints on all workers; return the number of states of each level so far."""
        kept = self._checkpointer.resumed() if self._checkpointer else []
        read = [self.on(pair[0].shard, _LevelShard.resumed, *pair) for pair in kept if pair]
        return (np.empty(0, np.uint8), self._workers.results(read)[0]) if read else None

    def resume(self, begun: Levels) -> None:
        """Do nothing: the workers have read the levels."""

    def entries(self) -> NDArray[np.uint8]:
        """Return no entries: the workers have them."""
        return np.empty(0, np.uint8)

    def keep(self, table: NDArray[np.uint8], counts: tuple[int, ...]) -> None:  # noqa: ARG002  # the workers have it
        if self._checkpointer:
            self._checkpointer.keep(counts)

    def exchange(
        self, senders: Sequence[int], is_kept: bool, method: Callable[..., list[FoundStates]], *arguments: object
    ) -> int:
        """Pass the states that a method of some shares finds to those that have them; return the number of new ones."""
        states = [self.on(sender, method, *arguments) for sender in senders]
        seen = []
        for share in range(self.shards):
            own = [
                self._workers.submit(sender, operator.getitem, future, share)
                for sender, future in zip(senders, states, strict=True)
            ]
            seen.append(self.on(share, _LevelShard.received, own, is_kept))
        results = self._workers.results(seen)
        self._sent += sum(size for _, size in results)
        return sum(number for number, _ in results)


class _Checkpointer:
    """Writes checkpoints of all shards between levels; removes the previous ones when all shards are written."""

    def __init__(self, workers: _Workers, run: str, kept: list[_Kept], settings: _Settings) -> None:
        self._workers, self._name, self._kept = workers, run, kept
        self._every, self._resume, self._last, self._levels = settings.every, settings.resume, time.monotonic(), 0

    def resumed(self) -> list[tuple[_Kept, int] | None]:
        """Return the checkpoint of each shard and its number of levels, or None."""
        levels = self._on_all(_Kept.levels)
        if any(levels) and not self._resume:
            reason = "has checkpoints of a run; continue it with resume (--resume), or remove them"
            raise TableError(self._kept[0].folder, reason)
        self._levels = max(set.intersection(*map(set, levels)), default=0)
        if self._resume:
            how = f"continues from depth {self._levels - 1}:" if self._levels else "starts anew: there is no checkpoint"
            announce(f"the count {how} {self._kept[0].folder}")
        return [(kept, self._levels) if self._levels else None for kept in self._kept]

    def keep(self, counts: tuple[int, ...], *, at_last: bool = False) -> None:
        if len(counts) == self._levels or (not at_last and time.monotonic() - self._last < self._every):
            return
        begun = time.monotonic()
        try:
            self._on_all(_Kept.write, self._name, counts)
            self._on_all(_Kept.forget, len(counts))
            self._levels = len(counts)
        except TableError as error:
            warnings.warn(CubesolveWarning(f"{error}; the run continues"), stacklevel=3)
        self._last = time.monotonic()
        self._every = self._every and max(self._every, AS_LONG * (self._last - begun))

    def remove(self) -> None:
        self._on_all(_Kept.forget, 0)

    def _on_all(self, task: Callable[..., _Result], *arguments: object) -> list[_Result]:
        return self._workers.results([self._workers.submit(kept.shard, task, kept, *arguments) for kept in self._kept])
