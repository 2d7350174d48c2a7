"""Counting the states at each depth on a cluster, with a shard of the space per worker (``docs/cluster.md``).

This needs the optional extra ``cluster``, which installs ``dask.distributed``. Tasks run on the worker that has their
shard. Results go directly from worker to worker, not through the scheduler or the caller.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import itertools
import os
import platform
import re
import time
import uuid
import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, wait
from typing import Any, NamedTuple, TypeVar, Unpack

import numpy as np
from distributed import Client, Future, get_worker
from numpy.typing import NDArray

from cubesolve.ask import Puzzle
from cubesolve.counting import records
from cubesolve.encodings import BY_BITS
from cubesolve.encodings.counting import MOST_KEPT, Among, Farthest, few_remain
from cubesolve.encodings.mod3_enumeration import Advance, each_level, has_mod3, start_ranks
from cubesolve.encodings.shards import Shard, Window, bounds_of, part_of, windows_of
from cubesolve.errors import CubesolveError, CubesolveWarning, TableError
from cubesolve.group.permutations import Arrangement
from cubesolve.runtime.arguments import Keywords, integer
from cubesolve.runtime.arguments import seconds as number_of_seconds
from cubesolve.runtime.machine import half_of_memory, memory_limit
from cubesolve.runtime.notices import Estimate, announce, announce_effort
from cubesolve.solvers.answers import COUNTING, Distribution, chosen
from cubesolve.solvers.counting import Count, Counted, CountedAmong, farthest_of, pairs, planned, space_digest
from cubesolve.solvers.expected import seconds_to_derive
from cubesolve.solvers.keywords import CountedQuestion
from cubesolve.spaces.defined import DerivedGraph, DerivedRules
from cubesolve.spaces.levels import HASH_BITS, Effort, LevelShare
from cubesolve.spaces.members import Members
from cubesolve.spaces.space import DEAREST, StateSpace
from cubesolve.spaces.symmetric import Plan
from cubesolve.spaces.tables import CHECKPOINT, TableHeader
from cubesolve.store import tablefile
from cubesolve.store.checkpoint import AS_LONG, EVERY, require_two_bits

_BITS = 2  # of an entry
_TOO_DEAR = f"a cluster counts only where moves cost at most {DEAREST}: count on one machine, without a cluster"
_ROUNDS = 2  # rounds in flight; in each, every worker receives packets for one window of its shard
_ALIVE = 1.0  # seconds between two checks for lost workers
_ELSEWHERE = np.empty(0, np.uint8)  # the table of the caller, who has none
_USABLE = 0.6  # of the memory of a worker; beyond it, dask writes results of tasks to disk
_MOVES_A_SECOND = 4e7  # of a processor; a rough estimate for messages
_Part = TypeVar("_Part")
_Result = Any  # of a task: the futures of distributed have no types
_States = tuple[NDArray[Any], NDArray[np.int32]]  # rows, and the number of symmetries that leave each as it is
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
    starts: int | Sequence[int] | NDArray[np.int64] = 0,
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
    with _Run(_Workers(client), space, starts, _Settings(folder, resume, every, at_once, memory)) as run:
        return run.counts(progress)


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
    if "levels" in question:
        settings = _Settings(folder, resume, every, at_once, memory)
        found = _count_levels(_Workers(client), puzzle, question, settings, progress)
        return records.report(puzzle, found, question, seconds)
    if max(puzzle.rules.costs.values(), default=0) > DEAREST:  # before a space is derived
        raise ValueError(_TOO_DEAR)
    named = {name: value for name, value in question.items() if name not in {*COUNTING, "from_goal"}}
    workers, settings = _Workers(client), _Settings(folder, resume, every, at_once, memory)
    most, announced = sum(workers.limits(memory)), functools.partial(_announce_plan, len(workers.addresses), at_once)
    if "from_goal" in question:
        with planned(announced):
            among = puzzle.solver.among_to_count(named, question["from_goal"], most)
        found = _count_among(workers, among, settings, progress)
    else:
        with planned(announced):
            about = puzzle.solver.space_to_count(named, most)
        found = _count(workers, about, settings, progress)
    return records.report(puzzle, found, question, seconds)


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


def _count(
    workers: _Workers, about: Counted, settings: _Settings, progress: Callable[[DepthStatistics], object] | None
) -> Count:
    """Count all states of a space."""
    with _Run(workers, about.space, about.starts, settings) as run:
        counts = Distribution(run.counts(progress))
        farthest = farthest_of(about, counts, run.last())
    states, digest = about.space.states, space_digest(about.space, about.starts)
    return Count(counts, pairs(farthest), about.symmetries, states, _BITS, digest, about.known, about.goal)


def _count_among(
    workers: _Workers, among: CountedAmong, settings: _Settings, progress: Callable[[DepthStatistics], object] | None
) -> Count:
    """Count some states of a space."""
    about, (some, digest) = among.about, among.members(sum(workers.limits(settings.memory)))
    with _Run(workers, about.space, about.starts, settings, (some, digest)) as run:
        run.counts(progress)
        tallies = [(np.trim_zeros(counts, "b"), places) for counts, places in run.of_all(_tallied)]
    counts = [sum(each) for each in itertools.zip_longest(*(counts for counts, _ in tallies), fillvalue=0)]
    last = [places for own, places in tallies if len(own) == len(counts)]
    places = None if None in last else [*itertools.chain.from_iterable(last)]
    states = about.space.states
    farthest = among.farthest(places)
    return Count(Distribution(counts), farthest, about.symmetries, states, _BITS, digest, None, about.goal)


def _count_levels(
    workers: _Workers,
    puzzle: Puzzle[Any],
    question: Keywords,
    settings: _Settings,
    progress: Callable[[DepthStatistics], object] | None,
) -> Count:
    """Count the states at each depth up to some depth, of which each worker has those with some hashes."""
    most = integer("levels", question["levels"], 0)
    graph, up_to_free = puzzle.solver.graph_of_levels(question)
    with _Levels(workers, graph, up_to_free, settings) as search:
        effort, shares = search.of_all(_effort, most)[0], search.shards
        if effort is not None:
            what = f"{effort.what}, on each of {shares} workers"
            disk = "up to twice as much disk space for checkpoints" if settings.folder is not None else ""
            announce_effort(what, effort.size / shares, effort.seconds / shares, disk)
        counts = search.counts(most, progress)
        classes = sum(search.of_all(_classes, len(counts) - 1))
    known = None if up_to_free else graph.number_of_states
    return Count(Distribution(counts), None, search.symmetries, classes, HASH_BITS, None, known, None)


# -- Tasks of workers --------------------------------------------------------------------------------------------------

_shards: dict[tuple[str, int], Shard] = {}  # the shards of this process, by run and number; all of one run
_last: dict[tuple[str, int], Farthest] = {}  # their states that are reached last
_among: dict[tuple[str, int], Among] = {}  # the states that are counted among theirs, if not all are
_searches: dict[tuple[str, int], LevelShare] = {}  # the shares of searches for first levels


class _Kept(NamedTuple):
    """The checkpoint of a shard.

    Attributes:
        folder: the folder.
        shard: the number of the shard.
        shards: the number of shards.
        run: a digest of the space and the starts.
    """

    folder: str
    shard: int
    shards: int
    run: str

    def path(self, levels: int) -> str:
        name = f"share-{self.shard + 1}-of-{self.shards}.{levels}.checkpoint"
        return os.path.join(self.folder, name)

    def header(self, counts: tuple[int, ...], size: int, digest: str) -> TableHeader:
        name = f"share-{self.shard + 1}-of-{self.shards}"
        return TableHeader(name, "share", "moves", self.run, size, counts, digest, CHECKPOINT)

    def read(self, levels: int, size: int | None = None) -> tuple[tuple[int, ...], NDArray[np.uint8]]:
        """Return the counts and the bytes of the file with a number of levels, of a known size if it is given."""
        path = self.path(levels)
        header, _ = tablefile.read_header(path)
        if size is not None:
            require_two_bits(path, header.entries, size)
        entries = header.entries if size is None else size
        tablefile.require_same(header, self.header(header.distribution, entries, header.sha256), path)
        table = np.empty(entries, np.uint8)
        tablefile.unpack_into(path, header, table.data)
        return header.distribution, table


def _begin(
    key: tuple[str, int],
    given: tuple[StateSpace, Members | None],
    first: int,
    windows: list[Window],
    starts: NDArray[np.int64],
    number: int,
    kept: tuple[_Kept, int] | None,
) -> tuple[int, ...]:
    """Start with a shard, or continue from its checkpoint; return the number of states of each level so far."""
    _end(*{run for run, _ in list(_shards)} - {key[0]})
    (part, some), table = given, None
    counts: tuple[int, ...] = (number,)
    if kept:
        counts, table = kept[0].read(kept[1], BY_BITS[_BITS].body_bytes(part.states))
    _shards[key] = Shard(part, first, windows, starts, table)
    _last[key] = Farthest(part, _BITS)
    if some is not None:
        _among[key] = Among(some, part.width, _BITS)
        return _among[key].resumed(counts) if kept else counts
    return counts


def _held(held: Mapping[tuple[str, int], _Part], key: tuple[str, int]) -> _Part:
    """Return the part of a run that this worker has."""
    if key not in held:
        raise CubesolveError("a worker has lost its part of the count: it was restarted, or began another run")
    return held[key]


def _shard(key: tuple[str, int]) -> Shard:
    return _held(_shards, key)


def _look_from(key: tuple[str, int], depth: int, cost: int, seen: bool, everywhere: bool) -> list[int]:
    return _shard(key).look_from(depth, cost, seen=seen, everywhere=everywhere)


def _send(key: tuple[str, int], window: int) -> bytes:
    return _shard(key).send(window)


def _answer(key: tuple[str, int], window: int, packet: bytes, near: int) -> tuple[bytes, int]:
    return _shard(key).answer(window, packet, near), len(packet)


def _see_sources(key: tuple[str, int], window: int, reply: tuple[bytes, int], depth: int) -> tuple[int, int]:
    return _shard(key).see_sources(window, reply[0], depth), len(reply[0]) + reply[1]


def _see_own_sources(key: tuple[str, int], window: int, near: int, depth: int) -> tuple[int, int]:
    return _shard(key).see_own_sources(window, near, depth), 0


def _see(key: tuple[str, int], window: int, packets: list[bytes], depth: int) -> tuple[int, int]:
    return _shard(key).see(window, packets, depth), sum(map(len, packets))


def _watch(key: tuple[str, int]) -> None:
    """List the states of a shard that are not reached."""
    _last[key].watch(_shard(key).table)


def _tally(key: tuple[str, int], counts: tuple[int, ...]) -> None:
    """Count those of some states of a shard that a level has reached."""
    _among[key].keep(_shard(key).table, counts)


def _tallied(key: tuple[str, int]) -> tuple[tuple[int, ...], list[Arrangement] | None]:
    """Return the number of these at each depth, and the farthest."""
    return _among[key].counts, _among[key].farthest()


def _list_last(key: tuple[str, int]) -> NDArray[np.int64]:
    """Return the ranks of those that were listed last."""
    return _shard(key).first + _last[key].ranks


def _open_levels(
    key: tuple[str, int], rules: DerivedRules, metric: str, memory: int, shares: int, up_to_free: bool
) -> tuple[list[int], bool, int, str]:
    """Start with a share of a search; return the costs of moves but 0, whether some are 0, symmetries, and a digest."""
    _end(*{run for run, _ in list(_searches)} - {key[0]})
    found = _searches[key] = LevelShare(rules.graph(metric=metric), memory, shares, up_to_free=up_to_free)
    return found.costs, found.has_free_moves, found.symmetries, found.digest


def _read_levels(key: tuple[str, int], kept: _Kept, levels: int) -> tuple[int, ...]:
    """Continue from the checkpoint of a share; return the number of states of each level so far."""
    counts, table = kept.read(levels)
    _search(key).resume(table, counts)
    return counts


def _can_be_kept(key: tuple[str, int], levels: int) -> bool:
    return _search(key).can_be_kept(levels)


def _search(key: tuple[str, int]) -> LevelShare:
    return _held(_searches, key)


def _effort(key: tuple[str, int], most: int) -> Effort | None:
    return _search(key).effort(most)


def _begin_level(key: tuple[str, int]) -> None:
    _search(key).begin_level()


def _begin_look(key: tuple[str, int], cost: int) -> int:
    return _search(key).begin_look(cost)


def _starts(key: tuple[str, int]) -> list[_States]:
    return _search(key).starts()


def _reached(key: tuple[str, int], cost: int, part: int) -> list[_States]:
    return _search(key).reached(cost, part)


def _chosen(_: tuple[str, int], states: list[_States], share: int) -> _States:
    return states[share]


def _receive(key: tuple[str, int], states: list[_States], is_kept: bool) -> tuple[int, int]:
    number = _search(key).receive(states, is_kept=is_kept)
    return number, sum(rows.nbytes + ties.nbytes for rows, ties in states)


def _classes(key: tuple[str, int], depth: int) -> int:
    return _search(key).classes(depth)


def _end(*runs: str) -> None:
    for key in [key for key in list(_searches) if key[0] in runs]:
        _searches.pop(key, None)
    for key in [key for key in list(_shards) if key[0] in runs]:
        _shards.pop(key, None)
        _last.pop(key, None)
        _among.pop(key, None)


def _memory_here() -> tuple[str, int, int]:
    """Return the machine of this worker, the bytes that dask allows it, 0 without a limit, and half of its memory."""
    return platform.node(), get_worker().memory_manager.memory_limit or 0, half_of_memory()


def _list_kept(_: tuple[str, int], kept: _Kept) -> list[int]:
    """Return the numbers of levels of the checkpoints of a shard."""
    found = []
    with _using(kept.folder):
        os.makedirs(kept.folder, exist_ok=True)
        for name in sorted(os.listdir(kept.folder)):
            match = _FILE.fullmatch(name)
            if match and int(match[2]) != kept.shards:
                reason = f"belongs to a run with {match[2]} shards, not {kept.shards}"
                raise TableError(os.path.join(kept.folder, name), reason)
            if match and int(match[1]) == kept.shard + 1:
                found.append(int(match[3]))
    return found


def _keep(key: tuple[str, int], kept: _Kept, counts: tuple[int, ...]) -> None:
    table = _searches[key].levels() if key in _searches else _shard(key).table
    own = _among[key].counts if key in _among else ()
    header = kept.header((*counts, *own), len(table), tablefile.digest(table.data))
    tablefile.write(kept.path(len(counts)), header, table.data)


def _forget(key: tuple[str, int], kept: _Kept, levels: int) -> None:
    """Remove the checkpoints of a shard with other numbers of levels."""
    with _using(kept.folder):
        for other in set(_list_kept(key, kept)) - {levels}:
            os.unlink(kept.path(other))


@contextlib.contextmanager
def _using(folder: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise TableError(folder, f"cannot be used: {error.strerror or error}") from error


# -- The caller --------------------------------------------------------------------------------------------------------


class _Settings(NamedTuple):
    """The arguments of `distribution` that do not change its counts."""

    folder: str | os.PathLike[str] | None
    resume: bool
    every: float
    at_once: int
    memory: int | None


class _Workers:
    """The current workers of a cluster.

    Attributes:
        addresses: their addresses.
    """

    def __init__(self, client: Client) -> None:
        """List the workers."""
        self._client, self.addresses = client, sorted(client.nthreads())
        if not self.addresses:
            raise ValueError("the cluster has no workers; wait for them with client.wait_for_workers")

    def limits(self, memory: int | None) -> list[int]:
        """Return how many bytes each worker may take; `memory` as for `distribution`."""
        found = self.results([self.submit(number, _memory_here) for number in range(len(self.addresses))])
        number_at = Counter(machine for machine, _, _ in found)
        most = [
            int(_USABLE * limit) if limit else half // number_at[machine] if memory is None else memory
            for machine, limit, half in found
        ]
        return most if memory is None else [min(each, memory_limit(memory)) for each in most]

    def scatter(self, number: int, part: object) -> Future[_Result]:
        """Send a part of a space, and of the states that are counted, to a worker."""
        found: Future[_Result] = self._client.scatter(part, workers=[self.addresses[number]], hash=False)
        return found

    def submit(self, number: int, task: Callable[..., _Result], *arguments: object) -> Future[_Result]:
        """Submit a task to a worker."""
        return self._client.submit(task, *arguments, workers=[self.addresses[number]], pure=False)

    def results(self, futures: list[Future[_Result]]) -> list[_Result]:
        """Return the results of tasks.

        Raises:
            CubesolveError: a worker was lost meanwhile.
        """
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
            there = set(self.addresses) & set(self._client.nthreads())
            self._client.run(_end, run, workers=[*there], on_error="ignore")


class _Run(Advance):
    """An enumeration on several workers.

    Attributes:
        shards: the number of shards.
        sent: the bytes that workers have exchanged.
    """

    def __init__(
        self,
        workers: _Workers,
        space: StateSpace,
        starts: int | Sequence[int] | NDArray[np.int64],
        settings: _Settings,
        among: tuple[Members, str] | None = None,
    ) -> None:
        """Divide the rows among workers, without starting them.

        Args:
            among: if not all states are counted, the entries of those that are, and a digest.

        Raises:
            ValueError: a move costs more than 2.
        """
        if not has_mod3(space):
            raise ValueError(_TOO_DEAR)
        integer("at_once", settings.at_once, 1)
        number_of_seconds("every", settings.every)
        memory_limit(settings.memory)  # which checks it
        super().__init__(space, can_push=space.mutual)
        self._workers, self._starts, self._settings, self.sent = workers, start_ranks(space, starts), settings, 0
        self._name, self._among = uuid.uuid4().hex, among
        self._bounds = bounds_of(space, len(workers.addresses))
        self.shards = len(self._bounds) - 1
        self._windows = windows_of(space, self._bounds, settings.at_once // self.shards)

    def counts(self, progress: Callable[[DepthStatistics], object] | None) -> tuple[int, ...]:
        """Return the number of states at each depth."""
        self._require_memory()
        folder, last = self._settings.folder, time.monotonic()
        checkpointer = None if folder is None else _Checkpointer(self, os.fspath(folder), self._settings)
        begun = self._begin(checkpointer)

        def advance(counts: Sequence[int]) -> int:
            nonlocal last
            last, self.sent = time.monotonic(), 0
            return self.advance(counts)

        estimate = Estimate(self._space.counted)

        def report(depth: int, states: int, total: int) -> None:
            if progress:
                progress(DepthStatistics(depth, states, self.sent, time.monotonic() - last, total))
            estimate(total)

        dearest = int(self._space.cost_of_moves.max(initial=1))
        watch = _Watch(self, self._space, checkpointer)
        _, counts = each_level((_ELSEWHERE, begun), advance, report, watch, dearest)
        if checkpointer:
            checkpointer.keep(counts, at_last=True)
        return counts

    def last(self) -> NDArray[np.int64]:
        """Return the ranks that remained before the last level; none if there were too many."""
        return np.concatenate(self.of_all(_list_last))

    @property
    def is_among(self) -> bool:
        """Whether not all states are counted."""
        return self._among is not None

    def can_keep(self, counts: Sequence[int]) -> bool:
        """Return whether a checkpoint can have so many levels."""
        return not self.is_among or 2 * len(counts) <= MOST_KEPT

    def digest(self) -> str:
        """Return a digest of the space and the starts, and of the states that are counted."""
        return self._among[1] if self._among else space_digest(self._space, self._starts.tolist())

    def of_all(self, task: Callable[..., _Result], *arguments: object) -> list[_Result]:
        """Return the results of a task for each shard."""
        return self.results([self.submit(shard, task, *arguments) for shard in range(self.shards)])

    def submit(self, shard: int, task: Callable[..., _Result], *arguments: object) -> Future[_Result]:
        """Submit a task to the worker of a shard."""
        return self._workers.submit(shard, task, (self._name, shard), *arguments)

    def results(self, futures: list[Future[_Result]]) -> list[_Result]:
        """Return the results of tasks."""
        return self._workers.results(futures)

    def _require_memory(self) -> None:
        """Announce what a long count takes, and reject one for which a worker has too little memory.

        Raises:
            CubesolveError: a worker has too little.
        """
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
        disk = f"up to {2 * table / 1e9:,.1f} GB of disk space for all checkpoints" if self._settings.folder else ""
        what = f"{space.counted:,} states, {space.states:,} entries, on each of {self.shards} workers"
        announce_effort(what, needed, space.states * len(space.base) / _MOVES_A_SECOND / self.shards, disk)

    def _begin(self, checkpointer: _Checkpointer | None) -> tuple[int, ...]:
        """Start all workers, or continue from their checkpoints; return the number of states of each level so far."""
        kept = checkpointer.resumed() if checkpointer else [None] * self.shards
        futures = []
        for shard, (first, last) in enumerate(itertools.pairwise(self._bounds)):
            some = self._among and self._among[0].of_rows(first, last)
            part = self._workers.scatter(shard, (part_of(self._space, first, last), some))
            starts = self._starts, self._space.number_of(self._starts)
            rest = (first * self._space.width, self._windows, *starts, kept[shard])
            futures.append(self.submit(shard, _begin, part, *rest))
        counts: tuple[int, ...] = self.results(futures)[0]
        is_new = len(counts) == 1 and not (checkpointer and checkpointer.is_resumed)
        return (self.first(*counts),) if is_new else counts

    def push(self, depth: int, cost: int) -> int:
        leads = self._look_from(depth - cost, cost, seen=True, everywhere=True)

        def see(number: int) -> list[Future[Any]]:
            own = self._windows[number].shard
            packets = [self.submit(shard, _send, number) for shard in self._senders(number, leads)]
            return [self.submit(own, _see, number, packets, depth)]

        return self._exchange(leads, see, _ROUNDS)

    def pull(self, depth: int, cost: int, *, everywhere: bool) -> int:
        near, leads = depth - cost, self._look_from(depth, cost, seen=False, everywhere=everywhere)

        def see(number: int) -> list[Future[Any]]:
            own = self._windows[number].shard
            seen = [self.submit(own, _see_own_sources, number, near, depth)] if number in leads[own] else []
            for shard in self._senders(number, leads):
                reply = self.submit(own, _answer, number, self.submit(shard, _send, number), near)
                seen.append(self.submit(shard, _see_sources, number, reply, depth))
            return seen

        return self._exchange(leads, see, _ROUNDS // 2)  # replies take as much memory as requests

    def _look_from(self, depth: int, cost: int, *, seen: bool, everywhere: bool) -> list[set[int]]:
        """Select states in all shards, as `Shard.look_from`; return the windows in which each may have neighbours."""
        return [set(numbers) for numbers in self.of_all(_look_from, depth, cost, seen, everywhere)]

    def _exchange(self, leads: list[set[int]], see: Callable[[int], list[Future[Any]]], rounds: int) -> int:
        """See states in or by all windows, with a number of rounds at once; return the number of states."""
        flying: deque[list[Future[Any]]] = deque()
        found, all_leads = 0, set().union(*leads)
        for numbers in [*self._rounds(), *[set[int]()] * rounds]:
            if len(flying) == rounds:
                for states, sent in self.results(flying.popleft()):
                    found, self.sent = found + states, self.sent + sent
            flying.append([future for number in sorted(numbers & all_leads) for future in see(number)])
        return found

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

    def __enter__(self) -> _Run:
        return self

    def __exit__(self, *_: object) -> None:
        self._workers.end(self._name)


class _Levels:
    """A search for the first levels on several workers.

    Attributes:
        symmetries: the number of symmetries.
        shards: the number of shares.
    """

    def __init__(self, workers: _Workers, graph: DerivedGraph, up_to_free: bool, settings: _Settings) -> None:
        """Start a share on each worker."""
        number_of_seconds("every", settings.every)
        self._workers, self._name, self._shares = workers, uuid.uuid4().hex, range(len(workers.addresses))
        self.shards, self._settings = len(workers.addresses), settings
        limits = workers.limits(settings.memory)
        begun = [
            self.submit(share, _open_levels, graph.rules, graph.metric, limits[share], len(limits), up_to_free)
            for share in self._shares
        ]
        (self._costs, self._is_free, self.symmetries, digest), *_ = workers.results(begun)
        self._digest, self._sent = str(digest), 0

    def digest(self) -> str:
        """Return a digest of the puzzle and its symmetries."""
        return self._digest

    def can_keep(self, counts: Sequence[int]) -> bool:
        """Return whether a checkpoint can have so many levels, and every worker has the memory to write it."""
        return all(self.of_all(_can_be_kept, len(counts)))

    def _begun(self, checkpointer: _Checkpointer | None) -> list[int]:
        """Continue from the checkpoints, if there are any; return the number of states of each level so far."""
        kept = checkpointer.resumed() if checkpointer else []
        read = [self.submit(each[0].shard, _read_levels, *each) for each in kept if each]
        return [*self.results(read)[0]] if read else []

    def counts(self, most: int, progress: Callable[[DepthStatistics], object] | None) -> list[int]:
        """Return the number of states at each depth, from 0 to some depth."""
        folder = self._settings.folder
        checkpointer = None if folder is None else _Checkpointer(self, os.fspath(folder), self._settings)
        counts = self._begun(checkpointer)
        while len(counts) <= most and (not counts or any(counts[-self._costs[-1] :])):
            if (
                checkpointer and counts and len(counts) - 1 + self._costs[0] <= most
            ):  # or else the newest are not listed
                checkpointer.keep(tuple(counts))
            begun, self._sent = time.monotonic(), 0
            self.of_all(_begin_level)
            is_kept = self._is_free or len(counts) + self._costs[0] <= most
            if counts:
                found = sum(self._look(cost, is_kept) for cost in self._costs)
            else:
                found = self._exchange([self.submit(0, _starts)], [0], is_kept)
            new = found
            while self._is_free and new:
                new = self._look(0, is_kept)
                found += new
            counts.append(found)
            if progress and found:
                seconds = time.monotonic() - begun
                progress(DepthStatistics(len(counts) - 1, found, self._sent, seconds, sum(counts)))
        if checkpointer:
            checkpointer.remove()
        counts = counts[: most + 1]  # a checkpoint may have more
        while not counts[-1]:
            del counts[-1]
        return counts

    def of_all(self, task: Callable[..., _Result], *arguments: object) -> list[_Result]:
        """Return the results of a task for each share."""
        return self.results([self.submit(share, task, *arguments) for share in self._shares])

    def results(self, futures: list[Future[_Result]]) -> list[_Result]:
        """Return the results of tasks."""
        return self._workers.results(futures)

    def _look(self, cost: int, is_kept: bool) -> int:
        """Find unseen states by moves of a cost; return their number."""
        parts, found = self.of_all(_begin_look, cost), 0
        for part in range(max(parts)):
            senders = [share for share in self._shares if part < parts[share]]
            found += self._exchange([self.submit(share, _reached, cost, part) for share in senders], senders, is_kept)
        return found

    def _exchange(self, states: list[Future[Any]], senders: Sequence[int], is_kept: bool) -> int:
        """Pass states that shares have found to those that have them; return the number of new ones."""
        seen = []
        for share in self._shares:
            own = [self.submit(sender, _chosen, each, share) for sender, each in zip(senders, states, strict=True)]
            seen.append(self.submit(share, _receive, own, is_kept))
        results = self._workers.results(seen)
        self._sent += sum(size for _, size in results)
        return sum(number for number, _ in results)

    def submit(self, share: int, task: Callable[..., _Result], *arguments: object) -> Future[_Result]:
        """Submit a task to the worker of a share."""
        return self._workers.submit(share, task, (self._name, share), *arguments)

    def __enter__(self) -> _Levels:
        return self

    def __exit__(self, *_: object) -> None:
        self._workers.end(self._name)


class _Watch:
    """Lists the states of all shards that remain after a level, when there are few."""

    def __init__(self, run: _Run, space: StateSpace, checkpointer: _Checkpointer | None) -> None:
        """Take a run, and a checkpointer that is called as well."""
        self._run, self._space, self._checkpointer = run, space, checkpointer

    def begun(self) -> None:
        """Return None: workers have the levels to continue from."""

    def keep(self, table: NDArray[np.uint8], counts: tuple[int, ...]) -> None:  # noqa: ARG002
        """Write a checkpoint after a level; the entries change as soon as this returns."""
        if self._run.is_among:
            self._run.of_all(_tally, counts)
        if self._checkpointer:
            self._checkpointer.keep(counts)
        if few_remain(self._space, counts):
            self._run.of_all(_watch)


class _Checkpointer:
    """Writes checkpoints of all shards between levels; removes the previous ones when all shards are written.

    Attributes:
        is_resumed: whether the run continues from checkpoints.
    """

    def __init__(self, run: _Run | _Levels, folder: str, settings: _Settings) -> None:
        """Prepare the checkpoints, without reading the folder."""
        digest = run.digest()
        self._run, self._every, self._resume = run, settings.every, settings.resume
        self._kept = [_Kept(folder, shard, run.shards, digest) for shard in range(run.shards)]
        self._last, self._levels, self.is_resumed = time.monotonic(), 0, False

    def resumed(self) -> list[tuple[_Kept, int] | None]:
        """Return the checkpoint of each shard and its number of levels, or None.

        Raises:
            TableError: there are checkpoints, and the run does not resume.
        """
        found = self._of_all(_list_kept)
        if any(found) and not self._resume:
            reason = "has checkpoints of a run; continue it with resume (--resume), or remove them"
            raise TableError(self._kept[0].folder, reason)
        self._levels = max(set.intersection(*map(set, found)), default=0)
        self.is_resumed = self._levels > 0
        if self._resume:
            how = f"continues from depth {self._levels - 1}:" if self._levels else "starts anew: there is no checkpoint"
            announce(f"the count {how} {self._kept[0].folder}")
        return [(kept, self._levels) if self._levels else None for kept in self._kept]

    def keep(self, counts: tuple[int, ...], *, at_last: bool = False) -> None:
        """Write all shards if it is time; if that fails, warn and continue the run."""
        if len(counts) == self._levels or (not at_last and time.monotonic() - self._last < self._every):
            return
        if not self._run.can_keep(counts):
            return
        begun = time.monotonic()
        try:
            self._of_all(_keep, counts)
            self._of_all(_forget, len(counts))
            self._levels = len(counts)
        except TableError as error:
            warnings.warn(CubesolveWarning(f"{error}; the run continues"), stacklevel=3)
        self._last = time.monotonic()
        self._every = self._every and max(self._every, AS_LONG * (self._last - begun))

    def remove(self) -> None:
        """Remove the checkpoints of all shards."""
        self._of_all(_forget, 0)

    def _of_all(self, task: Callable[..., _Result], *arguments: object) -> list[_Result]:
        return self._run.results([self._run.submit(kept.shard, task, kept, *arguments) for kept in self._kept])
