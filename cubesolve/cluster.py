"""Counting the states at each depth on a cluster, whose workers share the rows of a space (``docs/cluster.md``).

The optional extra `cluster` brings what this needs: ``dask.distributed``. Tasks stay with the worker that has their
share; what they make of it goes to the worker that needs it, and neither through the scheduler nor through the caller.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import itertools
import os
import re
import time
import uuid
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, wait
from typing import Any, NamedTuple

import numpy as np
from distributed import Client, Future, get_worker
from numpy.typing import NDArray

from cubesolve.arguments import integer, seconds
from cubesolve.encodings.byte.enumeration import DEEPEST, arrays_of
from cubesolve.encodings.mod3 import UNREACHED, WORD_BYTES, WORD_ENTRIES
from cubesolve.encodings.mod3.enumeration import number_alike, require_tellable, start_ranks
from cubesolve.encodings.mod3.shards import Share, Window, bounds_of, part_of, windows_of
from cubesolve.errors import CubesolveError, CubesolveWarning, TableError
from cubesolve.spaces.space import StateSpace
from cubesolve.spaces.tables import CHECKPOINT, TableHeader
from cubesolve.store import tablefile
from cubesolve.store.checkpoint import EVERY

_ROUNDS = 2  # in each, every worker has a window of its share for which the others send
_ALIVE = 1.0  # seconds between two looks at which workers there are
_USABLE = 0.6  # of the memory of a worker: with more, dask begins to write what tasks return to disk
_FILE = re.compile(r"share-(\d+)-of-(\d+)\.(\d+)\.checkpoint")


class Level(NamedTuple):
    """What a depth took.

    Attributes:
        depth: the depth.
        states: how many states of the puzzle there are.
        sent: how many bytes workers sent one another to find them.
        seconds: the time it took.
    """

    depth: int
    states: int
    sent: int
    seconds: float


def distribution(
    client: Client,
    space: StateSpace,
    starts: int | Sequence[int] | NDArray[np.int64] = 0,
    folder: str | os.PathLike[str] | None = None,
    progress: Callable[[Level], object] | None = None,
    *,
    resume: bool = False,
    every: float = EVERY,
    at_once: int = 1 << 30,
) -> tuple[int, ...]:
    """How many states there are at each depth, found by all workers of a cluster that there are now.

    Args:
        client: what has the cluster.
        space: the state space; its neighbours must be each other's, and its moves count 1 each.
        starts: ranks of the states at depth 0, or the rank if there is one.
        folder: a folder that all workers see, in which they keep their shares between two levels; in the end the
            entries of these files, one after the other, are the table that `modulo.enumerate_modulo` makes.
        progress: called once a depth.
        resume: whether to go on from the last level that is in the folder.
        every: the least number of seconds between two levels that are kept.
        at_once: how many entries of the whole table workers tell one another about at once; a bit for each of these, a
            few times over, is what each of them needs beside its share.

    Raises:
        ValueError: the space is another, a start is no rank, a depth is over 254, or there are no workers.
        TableError: the folder has the shares of a run and it is not resumed, or what is there is damaged or of another.
        CubesolveError: a worker was lost, or has too little memory.

    >>> from distributed import LocalCluster
    >>> ring = StateSpace(np.array([[1, 2, 3, 0], [3, 0, 1, 2]]), np.zeros((2, 4), np.int32),
    ...     np.array([[0]], np.uint32), mutual=True)
    >>> with LocalCluster(processes=False, dashboard_address=":0") as cluster, Client(cluster) as client:
    ...     distribution(client, ring)
    (1, 2, 1)
    """
    require_tellable(space)
    integer("at_once", at_once, 1)
    seconds("every", every)
    ranks = start_ranks(space, starts)
    with _Run(client, space, ranks, at_once) as run:
        keeping = None if folder is None else _Keeping(run, os.fspath(folder), every, resume)
        *counts, found = run.begin(keeping)
        sent, last = 0, time.monotonic()
        while found:
            if len(counts) > DEEPEST:
                raise ValueError(f"some states are deeper than {DEEPEST}, the greatest depth that a table can have")
            counts.append(found)
            now = time.monotonic()
            if progress:
                progress(Level(len(counts) - 1, found, sent, now - last))
            if keeping:
                keeping.keep(tuple(counts))
            last = time.monotonic()
            found, sent = run.advance(counts)
        if keeping:
            keeping.keep(tuple(counts), at_last=True)
    return tuple(counts)


# -- What workers do ---------------------------------------------------------------------------------------------------

_shares: dict[tuple[str, int], Share] = {}  # of this process, by the run and the number; all of one run


class _Kept(NamedTuple):
    """Where a worker keeps its share.

    Attributes:
        folder: the folder.
        share: the number of the share.
        shares: how many there are.
        run: a digest of what is enumerated.
    """

    folder: str
    share: int
    shares: int
    run: str

    def path(self, levels: int) -> str:
        name = f"share-{self.share + 1}-of-{self.shares}.{levels}.checkpoint"
        return os.path.join(self.folder, name)

    def header(self, counts: tuple[int, ...], size: int, digest: str) -> TableHeader:
        name = f"share-{self.share + 1}-of-{self.shares}"
        return TableHeader(name, "share", "moves", self.run, size, counts, digest, CHECKPOINT)


def _begin(
    key: tuple[str, int],
    part: StateSpace,
    first: int,
    windows: list[Window],
    starts: NDArray[np.int64],
    needed: int,
    kept: tuple[_Kept, int] | None,
) -> tuple[int, ...]:
    """Begin with a share, or go on with one that was kept; the counts are those that were kept with it."""
    for other in [other for other in list(_shares) if other[0] != key[0]]:
        _shares.pop(other, None)
    limit = get_worker().memory_manager.memory_limit
    if limit and needed > _USABLE * limit:
        raise CubesolveError(f"a share needs {needed:,} bytes of memory, and its worker may use {limit:,}: take more")
    table = None
    counts: tuple[int, ...] = (len(starts),)
    if kept:
        path = kept[0].path(kept[1])
        header, _ = tablefile.read_header(path)
        size = -(-part.states // WORD_ENTRIES) * WORD_BYTES
        tablefile.require_same(header, kept[0].header(header.distribution, size, header.sha256), path)
        table, counts = np.empty(size, np.uint8), header.distribution
        tablefile.unpack_into(path, header, table.data)
    _shares[key] = Share(part, first, windows, starts, table)
    return counts


def _share(key: tuple[str, int]) -> Share:
    if key not in _shares:
        raise CubesolveError("a worker has lost its share: it was started anew, or began another run")
    return _shares[key]


def _look_from(key: tuple[str, int], entry: int, among_asked: bool) -> list[int]:
    return _share(key).look_from(entry, among_asked)


def _send(key: tuple[str, int], window: int) -> bytes:
    return _share(key).send(window)


def _ask(key: tuple[str, int], window: int, packets: list[bytes]) -> tuple[int, int]:
    return _share(key).ask(window, packets), sum(map(len, packets))


def _see(key: tuple[str, int], window: int, packets: list[bytes], depth: int) -> tuple[int, int]:
    return _share(key).see(window, packets, depth), sum(map(len, packets))


def _end(run: str) -> None:
    for key in [key for key in list(_shares) if key[0] == run]:
        _shares.pop(key, None)


def _list_kept(_: tuple[str, int], kept: _Kept) -> list[int]:
    """After which numbers of levels a share was kept."""
    found = []
    with _using(kept.folder):
        os.makedirs(kept.folder, exist_ok=True)
        for name in sorted(os.listdir(kept.folder)):
            match = _FILE.fullmatch(name)
            if match and int(match[2]) != kept.shares:
                reason = f"belongs to a run in {match[2]} shares, and now there are {kept.shares}"
                raise TableError(os.path.join(kept.folder, name), reason)
            if match and int(match[1]) == kept.share + 1:
                found.append(int(match[3]))
    return found


def _keep(key: tuple[str, int], kept: _Kept, counts: tuple[int, ...]) -> None:
    table = _share(key).table
    header = kept.header(counts, len(table), tablefile.digest(table.data))
    tablefile.write(kept.path(len(counts)), header, table.data)


def _forget(key: tuple[str, int], kept: _Kept, levels: int) -> None:
    """Remove what was kept of a share after other numbers of levels."""
    with _using(kept.folder):
        for other in set(_list_kept(key, kept)) - {levels}:
            os.unlink(kept.path(other))


@contextlib.contextmanager
def _using(folder: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise TableError(folder, f"cannot be used: {error.strerror or error}") from error


# -- What the caller does ----------------------------------------------------------------------------------------------


class _Run:
    """A search that is shared by workers."""

    def __init__(self, client: Client, space: StateSpace, starts: NDArray[np.int64], at_once: int) -> None:
        """Share out the rows; no worker begins yet."""
        self._client, self._space, self._starts = client, space, starts
        self._name = uuid.uuid4().hex
        workers = sorted(client.nthreads())
        if not workers:
            raise ValueError("the cluster has no workers; wait for them with client.wait_for_workers")
        self._bounds = bounds_of(space, len(workers))
        self._workers = workers[: len(self._bounds) - 1]
        self._windows = windows_of(space, self._bounds, at_once // len(self._workers))
        self._needed = 3 * -(-space.states // len(self._workers)) // 8 + _ROUNDS * at_once // 4

    @property
    def shares(self) -> int:
        """How many shares there are."""
        return len(self._workers)

    def digest(self) -> str:
        """What tells this search from others."""
        sha256 = hashlib.sha256()
        arrays = arrays_of(self._space)
        for array in (arrays.base, arrays.action, arrays.fibre, arrays.counts, self._starts):
            sha256.update(f"{array.dtype} {array.shape}".encode())
            sha256.update(np.ascontiguousarray(array).data)
        return sha256.hexdigest()

    def begin(self, keeping: _Keeping | None) -> tuple[int, ...]:
        """Have all workers begin, or go on from what they kept; how many states the levels so far have."""
        kept = keeping.begun() if keeping else [None] * self.shares
        futures = []
        for share, (first, last) in enumerate(itertools.pairwise(self._bounds)):
            part = self._client.scatter(part_of(self._space, first, last), workers=[self._workers[share]], hash=False)
            rest = (first * self._space.width, self._windows, self._starts, self._needed, kept[share])
            futures.append(self.submit(share, _begin, part, *rest))
        counts: tuple[int, ...] = self.results(futures)[0]
        return counts

    def advance(self, counts: list[int]) -> tuple[int, int]:
        """Find the states that are one deeper; how many they are, and how many bytes were sent."""
        depth, asked = len(counts) - 1, 0
        late = self._space.counted - sum(counts) < number_alike(counts)
        if late:
            _, asked = self._exchange(UNREACHED, False, _ask)
        found, sent = self._exchange(depth % 3, late, _see, depth + 1)
        return found, asked + sent

    def _exchange(self, entry: int, among_asked: bool, take: Callable[..., Any], *arguments: int) -> tuple[int, int]:
        """Have all shares look from an entry, and each take what is sent; the sums of what they return."""
        calls = [self.submit(share, _look_from, entry, among_asked) for share in range(self.shares)]
        leads = [set(numbers) for numbers in self.results(calls)]
        flying: deque[list[Future[Any]]] = deque()
        taken: list[tuple[int, int]] = []
        for numbers in self._rounds():
            if len(flying) == _ROUNDS:
                taken += self.results(flying.popleft())
            flying.append([self._take(number, leads, take, *arguments) for number in numbers & set().union(*leads)])
        for futures in flying:
            taken += self.results(futures)
        return sum(value for value, _ in taken), sum(sent for _, sent in taken)

    def _rounds(self) -> list[set[int]]:
        """The numbers of the windows: one of each share, then the next of each."""
        of_shares: list[list[int]] = [[] for _ in self._workers]
        for number, window in enumerate(self._windows):
            of_shares[window.share].append(number)
        return [{*numbers} - {None} for numbers in itertools.zip_longest(*of_shares)]

    def _take(self, number: int, leads: list[set[int]], take: Callable[..., Any], *arguments: int) -> Future[Any]:
        """Have the share of a window take what all others send of it."""
        own = self._windows[number].share
        senders = [share for share in range(self.shares) if share != own and number in leads[share]]
        packets = [self.submit(share, _send, number) for share in senders]
        return self.submit(own, take, number, packets, *arguments)

    def submit(self, share: int, task: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Have the worker of a share do something."""
        worker = self._workers[share]
        return self._client.submit(task, (self._name, share), *arguments, workers=[worker], pure=False)

    def results(self, futures: list[Future[Any]]) -> list[Any]:
        """What tasks return.

        Raises:
            CubesolveError: a worker was lost meanwhile.
        """
        loop: Any = self._client.loop
        gathering = self._client.gather(futures, asynchronous=True)  # which waits forever for what a lost worker had
        results = asyncio.run_coroutine_threadsafe(gathering, loop.asyncio_loop)
        try:
            while not wait([results], _ALIVE).done:
                self._require_workers()
            return list(results.result())
        except (OSError, CancelledError) as error:
            with contextlib.suppress(OSError):
                self._require_workers()
            raise CubesolveError(f"the cluster was lost: {error or type(error).__name__}") from error
        finally:
            results.cancel()

    def _require_workers(self) -> None:
        lost = set(self._workers) - set(self._client.nthreads())
        if lost:
            hint = "start it anew, and go on from the last level that was kept, if any was"
            raise CubesolveError(f"the worker {min(lost)} was lost; {hint}")

    def __enter__(self) -> _Run:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(Exception):  # whoever was lost has nothing to give back
            there = set(self._workers) & set(self._client.nthreads())
            self._client.run(_end, self._name, workers=[*there], on_error="ignore")


class _Keeping:
    """Keeps the shares of a run between two levels; those before are removed when all shares have been written."""

    def __init__(self, run: _Run, folder: str, every: float, resume: bool) -> None:
        """Look for none yet."""
        digest = run.digest()
        self._run, self._every, self._resume = run, every, resume
        self._kept = [_Kept(folder, share, run.shares, digest) for share in range(run.shares)]
        self._last, self._levels = time.monotonic(), 0

    def begun(self) -> list[tuple[_Kept, int] | None]:
        """What each share has to go on from.

        Raises:
            TableError: there is something, and it is not to be gone on from.
        """
        found = self._of_all(_list_kept)
        if any(found) and not self._resume:
            raise TableError(self._kept[0].folder, "has the shares of a run; go on with resume, or remove them")
        self._levels = max(set.intersection(*map(set, found)), default=0)
        return [(kept, self._levels) if self._levels else None for kept in self._kept]

    def keep(self, counts: tuple[int, ...], *, at_last: bool = False) -> None:
        """Keep all shares, if it is time; where they cannot be written, that is said, and the run goes on."""
        if len(counts) == self._levels or (not at_last and time.monotonic() - self._last < self._every):
            return
        try:
            self._of_all(_keep, counts)
            self._of_all(_forget, len(counts))
            self._levels = len(counts)
        except TableError as error:
            warnings.warn(CubesolveWarning(f"{error}; the run goes on"), stacklevel=3)
        self._last = time.monotonic()

    def _of_all(self, task: Callable[..., Any], *arguments: Any) -> list[Any]:
        return self._run.results([self._run.submit(kept.share, task, kept, *arguments) for kept in self._kept])
