"""What the workers of a cluster do for a count: they keep a shard each, with its checkpoints; see `cluster`."""

from __future__ import annotations

import contextlib
import os
import platform
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from distributed import get_worker
from numpy.typing import NDArray

from cubesolve.encodings.counting import Among, Farthest
from cubesolve.encodings.shards import Shard, Window
from cubesolve.errors import CubesolveError, TableError
from cubesolve.runtime.machine import half_of_memory
from cubesolve.solvers.counting import Last
from cubesolve.spaces.defined import DerivedRules
from cubesolve.spaces.levels import FoundStates, LevelShare
from cubesolve.spaces.members import Members
from cubesolve.spaces.space import StateSpace
from cubesolve.spaces.tables import TableHeader
from cubesolve.store import tablefile

BITS = 2
"""The bits of an entry."""

_FILE = re.compile(r"share-(\d+)-of-(\d+)\.(\d+)\.checkpoint")
_Key = tuple[str, int]  # a run, and the number of a shard
_shards: dict[_Key, CountedShard | LevelShard] = {}  # those of this process, all of one run


def levels_in(folder: str, shards: int) -> dict[int, list[str]]:
    """Return the paths of the checkpoints of shards in a folder, by their numbers of levels."""
    paths = dict[int, list[str]]()
    with _using(folder):
        os.makedirs(folder, exist_ok=True)
        for name in sorted(os.listdir(folder)):
            match = _FILE.fullmatch(name)
            if match and int(match[2]) != shards:
                reason = f"belongs to a run with {match[2]} shards, not {shards}"
                raise TableError(os.path.join(folder, name), reason)
            if match:
                paths.setdefault(int(match[3]), []).append(os.path.join(folder, name))
    return paths


def forget(folder: str, shards: int, levels: int) -> None:
    """Remove the checkpoints with other numbers of levels."""
    for number, paths in levels_in(folder, shards).items():
        with _using(folder):
            for path in paths if number != levels else ():
                os.unlink(path)


@contextlib.contextmanager
def _using(folder: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise TableError(folder, f"cannot be used: {error.strerror or error}") from error


def read(key: _Key, path: str, expected: TableHeader) -> tuple[int, ...]:
    """Continue with a shard from its checkpoint; return the number of states of each level so far."""
    header, _ = tablefile.read_header(path)
    shard = _shard(key)
    table: NDArray[np.uint8] = shard.room(header.entries)
    wanted = expected._replace(entries=len(table), distribution=header.distribution, sha256=header.sha256)
    tablefile.require_same(header, wanted, path)
    tablefile.unpack_into(path, header, table.data)
    counts: tuple[int, ...] = shard.resumed(table, header.distribution)
    return counts


def write(key: _Key, path: str, expected: TableHeader, counts: tuple[int, ...]) -> None:
    """Write the checkpoint of a shard after some levels."""
    table, kept = _shard(key).checkpoint(counts)
    header = expected._replace(entries=len(table), distribution=kept, sha256=tablefile.digest(table.data))
    tablefile.write(path, header, table.data)


class CountedShard(Shard):
    """A shard, with what watches its states after each level: it counts some of them, or lists those reached last."""

    def __init__(
        self,
        given: tuple[StateSpace, Members | None],
        states: int,
        first: int,
        windows: list[Window],
        starts: NDArray[np.int64],
    ) -> None:
        """Take the rows, with the states that are counted unless all of the states of all shards are."""
        part, some = given
        super().__init__(part, first, windows, starts)
        self._watcher = Among(some, part.width, BITS) if some else Farthest(part, BITS, None, first, states)

    def end_level(self, counts: tuple[int, ...]) -> None:
        """Watch the states of a level."""
        self._watcher.watch(self.table, counts)

    def last(self) -> Last:
        """Return the numbers of states to count, and the last states."""
        return self._watcher.counts, self._watcher.farthest()

    def checkpoint(self, counts: tuple[int, ...]) -> tuple[NDArray[np.uint8], tuple[int, ...]]:
        """Return what a checkpoint keeps."""
        return self.table, self._watcher.kept(counts)

    def room(self, _: int) -> NDArray[np.uint8]:
        """Return the memory into which a checkpoint is read."""
        return self.table

    def resumed(self, _: NDArray[np.uint8], counts: tuple[int, ...]) -> tuple[int, ...]:
        """Continue from a checkpoint that was read; return the number of states of each level so far."""
        return self._watcher.resumed(counts)


class LevelShard(LevelShare):
    """A share of a search for first levels."""

    def __init__(self, rules: DerivedRules, metric: str, memory: int, shares: int, up_to_free: bool) -> None:
        """Derive the graph here."""
        super().__init__(rules.graph(metric=metric), memory, shares, up_to_free=up_to_free)

    def checkpoint(self, counts: tuple[int, ...]) -> tuple[NDArray[np.uint8], tuple[int, ...]]:
        """Return what a checkpoint keeps."""
        return self.levels(), counts

    def room(self, size: int) -> NDArray[np.uint8]:
        """Return the memory into which a checkpoint is read."""
        return np.empty(size, np.uint8)

    def received(self, states: list[FoundStates], is_kept: bool) -> tuple[int, int]:
        """Add states of other shares; return the number of new ones, and the bytes of all."""
        return self.receive(states, is_kept), sum(rows.nbytes + ties.nbytes for rows, ties in states)


def _shard(key: _Key) -> Any:
    """Return the shard of a run that this worker has."""
    if key not in _shards:
        raise CubesolveError("a worker has lost its part of the count: it was restarted, or began another run")
    return _shards[key]


def begin(key: _Key, made: Callable[..., CountedShard | LevelShard], *arguments: object) -> None:
    """Start with a shard; those of other runs are removed before."""
    end(*{run for run, _ in list(_shards)} - {key[0]})
    _shards[key] = made(*arguments)


def on(key: _Key, method: Callable[..., Any], *arguments: object) -> Any:
    """Return the result of a method of a shard."""
    return method(_shard(key), *arguments)


def end(*runs: str) -> None:
    """Remove the shards of some runs."""
    for key in [key for key in list(_shards) if key[0] in runs]:
        _shards.pop(key, None)


def memory_here() -> tuple[str, int, int]:
    """Return the machine of this worker, the bytes that dask allows it, 0 without a limit, and half of its memory."""
    return platform.node(), get_worker().memory_manager.memory_limit or 0, half_of_memory()
