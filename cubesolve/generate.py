"""Enumerating whole state spaces, proving the result right, and building tables from it.

Both kernels run over the arrays of a `StateSpace` and know no puzzle.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from cubesolve import tablefile
from cubesolve.catalog import CATALOG, CatalogEntry, Folder, find_table, table_folders
from cubesolve.cosets import projection
from cubesolve.errors import CorruptTableError
from cubesolve.kernels import kernel, read_only
from cubesolve.lines import enumerate_lines, find_line_fault
from cubesolve.notation import FACES, metric_moves
from cubesolve.rolling import unrank_pattern
from cubesolve.space import Fault, Progress, RefinedSpace, StateSpace, start_tray, table_space
from cubesolve.tablefile import UNREACHABLE, TableHeader
from cubesolve.workers import Workers

Depths = NDArray[np.uint8]

_DEEPEST = UNREACHABLE - 1
_FAULTS_KEPT = 64
_PART = 1 << 20
_SPACE = (read_only(types.int64), read_only(types.int32), read_only(types.uint32))


@kernel(*_SPACE, types.uint8[::1], types.int64, types.boolean, types.int64, types.int64)
def _advance(
    base: NDArray[np.int64],
    action: NDArray[np.int32],
    fibre: NDArray[np.uint32],
    depths: Depths,
    depth: int,
    pull: bool,
    first: int,
    last: int,
) -> int:
    """Find states at `depth` + 1, from rows `first` to `last`.

    Pushing, mark the neighbours of these rows' states at `depth`: the arrays must be those of the reversed space.
    Pulling, mark these rows' unseen states that have a neighbour at `depth`. Several threads may work on different
    rows at once: whatever two of them write to one place is the same.
    """
    width = fibre.shape[1]
    chosen = np.empty(width, np.uint16)
    here, there = np.uint8(depth), np.uint8(depth + 1)
    wanted = np.uint8(UNREACHABLE) if pull else here
    for a in range(first, last):
        row = depths[a * width : (a + 1) * width]
        any_wanted = np.uint8(0)
        for b in range(width):
            any_wanted |= np.uint8(row[b] == wanted)
        if not any_wanted:
            continue
        count = np.int64(0)
        for b in range(width):
            chosen[count] = b
            count += np.int64(row[b] == wanted)
        for m in range(base.shape[0]):
            if base[m, a] < 0:
                continue
            target = depths[base[m, a] :]
            act = fibre[action[m, a]]
            if pull:
                left = np.int64(0)
                for i in range(count):
                    b = chosen[i]
                    found = target[act[b]] == here
                    if found:
                        row[b] = there
                    chosen[left] = b
                    left += np.int64(not found)
                count = left
            else:
                for i in range(count):
                    b = act[chosen[i]]
                    target[b] = min(target[b], there)
    return 0


@numba.njit(inline="always")
def _after(least: int) -> int:
    """The depth one move from the least of the neighbours'; one that no byte can hold comes out as 256."""
    if least == UNREACHABLE:
        return UNREACHABLE
    return least + 1 if least < _DEEPEST else least + 2


@kernel(
    *_SPACE, types.Array(types.uint8, 1, "C", readonly=True), types.int64, types.int64, types.int64, types.int64[::1]
)
def _check(
    base: NDArray[np.int64],
    action: NDArray[np.int32],
    fibre: NDArray[np.uint32],
    depths: Depths,
    start: int,
    first: int,
    last: int,
    faults: NDArray[np.int64],
) -> int:
    """Count the states in rows `first` to `last` whose depth is not what their neighbours' depths say.

    That is 0 for the start and one more than the least of the neighbours' for the others, or 255 when all of these
    are 255; beside 254 nothing is right. The ranks of the first faulty states go to `faults`.
    """
    width = fibre.shape[1]
    least = np.empty(width, np.uint8)
    count = 0
    for a in range(first, last):
        for b in range(width):
            least[b] = UNREACHABLE
        for m in range(base.shape[0]):
            if base[m, a] >= 0:
                target, act = depths[base[m, a] :], fibre[action[m, a]]
                for b in range(width):
                    least[b] = min(least[b], target[act[b]])
        for b in range(width):
            rank = a * width + b
            right = _after(int(least[b]))
            if rank == start:
                right = 0
            if depths[rank] != right:
                if count < len(faults):
                    faults[count] = rank
                count += 1
    return count


class Searcher:
    """A breadth-first search, one depth at a time.

    Attributes:
        depths: uint8 (states,): the depths found so far, 255 elsewhere.
        depth: the largest depth found.
        found: the number of states at that depth; 0 when there are no more.
    """

    def __init__(
        self, space: StateSpace, starts: Sequence[int] | NDArray[np.int64], workers: int | None = None
    ) -> None:
        """Start from the states at depth 0, given by their ranks.

        Raises:
            ValueError: a start is no rank, or `workers` is not in 1..1024.
        """
        ranks = np.asarray(starts, np.int64)
        if len(ranks):
            _require_rank(space, int(ranks.min()))
            _require_rank(space, int(ranks.max()))
        self._space = space
        self._forward = _arrays(space)
        self._backward = self._forward if space.mutual else _arrays(space.reversed())
        self._workers = Workers(space.rows, workers)
        self.depths = np.full(space.states, UNREACHABLE, np.uint8)
        self.depths[ranks] = 0
        self.depth = 0
        self.found = self.total = int(np.count_nonzero(self.depths == 0))

    def advance(self) -> None:
        """Find the states that are one move deeper.

        Raises:
            ValueError: a depth is over 254.
        """
        if self.depth == _DEEPEST:
            self._end_at_deepest()
            return
        pull = self.found > len(self.depths) - self.total  # look from whichever side has fewer states to look from
        arrays = self._forward if pull else self._backward
        self._workers.run(lambda first, last: _advance(*arrays, self.depths, self.depth, pull, first, last))
        self.depth += 1
        self.found = int(np.count_nonzero(self.depths == self.depth))
        self.total += self.found

    def _end_at_deepest(self) -> None:
        deepest = np.flatnonzero(self.depths == _DEEPEST).tolist()
        reversed_space = self._space.reversed()
        if any(self.depths[rank] == UNREACHABLE for state in deepest for rank in reversed_space.neighbours(state)):
            raise ValueError(f"some states are deeper than {_DEEPEST}, the greatest depth that a byte can hold")
        self.found = 0

    def __enter__(self) -> Searcher:
        return self

    def __exit__(self, *_: object) -> None:
        self._workers.__exit__()


def enumerate_depths(
    space: StateSpace, start: int = 0, progress: Progress | None = None, workers: int | None = None
) -> Depths:
    """The depth of every state: the least number of moves that take it to the start.

    Args:
        space: the state space; its moves need not be closed under inversion.
        start: rank of the state at depth 0.
        progress: called once a depth, from this thread.
        workers: number of threads; by default one for each processor. The result does not depend on it.

    Returns:
        uint8 (states,): depths by rank, 255 where the start cannot be reached.

    Raises:
        ValueError: `start` is no rank, `workers` is not in 1..1024, or a depth is over 254.

    >>> ring = StateSpace(np.array([[1, 2, 0]]), np.zeros((1, 3), np.int32), np.array([[0]], np.uint32))
    >>> enumerate_depths(ring).tolist()
    [0, 2, 1]
    """
    with Searcher(space, [start], workers) as search:
        while search.found:
            if progress:
                progress(search.depth, search.found, search.total)
            search.advance()
        return search.depths


def find_fault(space: StateSpace, depths: Depths, start: int = 0, workers: int | None = None) -> Fault | None:
    """Prove that depths are right, or name a state whose depth is not.

    Depths are right if and only if the start has 0 and every other state has one more than the least of its
    neighbours', or 255 when these all have 255: following least depths gives a way of that length, and along any
    way to the start the depth falls by at most one a move.

    Args:
        space: the state space.
        depths: uint8 (states,): depths by rank.
        start: rank of the state at depth 0.
        workers: number of threads; by default one for each processor.

    Returns:
        None when every depth is right. If a single one is not, the fault names that state.

    Raises:
        ValueError: `depths` has another shape or type, or `start` is no rank.

    >>> ring = StateSpace(np.array([[1, 2, 0]]), np.zeros((1, 3), np.int32), np.array([[0]], np.uint32))
    >>> find_fault(ring, np.array([0, 2, 1], np.uint8))
    >>> find_fault(ring, np.array([0, 3, 1], np.uint8))
    Fault(rank=1, depth=3, expected=2, conflicts=1)
    """
    _require_rank(space, start)
    if depths.shape != (space.states,) or depths.dtype != np.uint8:
        raise ValueError(f"depths must be uint8 ({space.states},), not {depths.dtype} {depths.shape}")
    table = np.ascontiguousarray(depths)
    arrays = _arrays(space)
    conflicts: list[int] = []

    def check(first: int, last: int) -> int:
        faults = np.empty(_FAULTS_KEPT, np.int64)
        count = _check(*arrays, table, start, first, last, faults)
        conflicts.extend(faults[:count].tolist())
        return count

    with Workers(space.rows, workers) as pool:
        count = sum(pool.run(check))
    return _culprit(space, depths, start, sorted(conflicts), count) if count else None


def _culprit(space: StateSpace, depths: Depths, start: int, conflicts: list[int], count: int) -> Fault:
    """The one state whose depth explains all conflicts, if there is one, or else the first in conflict."""

    def expected(rank: int, changed: int, depth: int) -> int:
        if rank == start:
            return 0
        values = (depth if r == changed else int(depths[r]) for r in space.neighbours(rank))
        return _after(min(values, default=UNREACHABLE))

    for rank in conflicts:
        right = expected(rank, rank, int(depths[rank]))
        others = (r for r in conflicts if r != rank)
        if all(expected(r, rank, right) == depths[r] for r in others):
            break
    else:
        rank = conflicts[0]
        right = expected(rank, rank, int(depths[rank]))
    return Fault(rank, int(depths[rank]), right, count)


def _arrays(space: StateSpace) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.uint32]]:
    return (
        np.ascontiguousarray(space.base, np.int64),
        np.ascontiguousarray(space.action, np.int32),
        np.ascontiguousarray(space.fibre, np.uint32),
    )


def _require_rank(space: StateSpace, start: int) -> None:
    if not 0 <= start < space.states:
        raise ValueError(f"start {start} is not in 0..{space.states - 1}")


def distribution(depths: Depths) -> tuple[int, ...]:
    """The number of reachable states at each depth, from 0.

    >>> distribution(np.array([0, 1, 1, 255], np.uint8))
    (1, 2)
    """
    counts = np.zeros(UNREACHABLE + 1, np.int64)
    for first in range(0, len(depths), _PART):  # numpy makes eight bytes of each before it counts
        counts += np.bincount(depths[first : first + _PART], minlength=len(counts))
    return tuple(np.trim_zeros(counts[:UNREACHABLE], "b").tolist())


def pattern_depths(entry: CatalogEntry, depths: Depths) -> Depths:
    """The depth of every top pattern: the least of its states'.

    Args:
        entry: the catalog entry of the states.
        depths: uint8 (states,): the states' depths.

    Returns:
        uint8 (patterns,): depths by the patterns' ranks.
    """
    nearest: Depths = _states_by_pattern(entry, depths).min(axis=1).reshape(-1)
    return nearest


def _states_by_pattern(entry: CatalogEntry, depths: Depths) -> Depths:
    """The states' depths by vacancy, set of "+" slots, and tops."""
    shape = start_tray(entry).shape
    return depths.reshape(shape.cells, -1, shape.model.base**shape.slots)


def build_table(
    name: str, directory: Folder | None = None, progress: Progress | None = None, workers: int | None = None
) -> str:
    """Enumerate a table's space, prove the result, hold it against the catalog, and write the file.

    What has two bits an entry is not proved anew: the catalog's digest is that of a table that was.

    Args:
        name: a name in the catalog.
        directory: the folder to write to; by default the first of `catalog.table_folders`.
        progress: called once a depth.
        workers: number of threads; by default one for each processor.

    Returns:
        The path of the file.

    Raises:
        KeyError: no such table.
        TableError: the file cannot be written; whatever was there before still is.
        CorruptTableError: the depths found are not what they should be (a broken machine).
    """
    entry = CATALOG[name]
    path = os.path.join(table_folders(directory)[0], name + tablefile.SUFFIX)
    if entry.label is not None:
        body, counts = enumerate_lines(line_space(entry), entry.header.base, progress, workers)
    else:
        states = _entry_of_states(entry)
        space = table_space(states)
        state_depths = enumerate_depths(space, states.start, progress, workers)
        body = pattern_depths(states, state_depths) if entry.patterns_of else state_depths
        counts = distribution(body)
        _prove(entry, space, body, state_depths, path, workers)
    header = entry.header._replace(distribution=counts, sha256=hashlib.sha256(body.data).hexdigest())
    tablefile.require_same(header, entry.header, path)
    tablefile.write(path, header, body.data)
    return path


def line_space(entry: CatalogEntry) -> RefinedSpace:
    """The space that a pattern database of the 3x3x3 is about.

    Raises:
        ValueError: the table is about something else.
    """
    if entry.label is None:
        raise ValueError(f"{entry.name} is no pattern database of the 3x3x3")
    return projection(entry.label).space(metric_moves(entry.header.metric, FACES))


def verify_table(name: str, directory: Folder | None = None, workers: int | None = None) -> str:
    """Read a table's file and prove that every entry is right.

    Args:
        name: a name in the catalog.
        directory: the only folder to look in; see `catalog.table_folders`.
        workers: number of threads; by default one for each processor.

    Returns:
        The path of the file.

    Raises:
        KeyError: no such table.
        MissingTableError: no folder has it.
        TableError: it cannot be read, is damaged, or has a wrong entry; the message names the state.
    """
    entry = CATALOG[name]
    path = find_table(name, directory)
    claimed, _ = tablefile.read_header(path)
    # Only what the table is must be right before its entries are looked at: what they are is to be proved.
    identity = entry.header._replace(distribution=claimed.distribution, sha256=claimed.sha256)
    if entry.label is not None:
        table = np.empty(identity.body_bytes, np.uint8)
        _fill(table, path, identity)
        _require_no_fault(find_line_fault(line_space(entry), table, identity.base, workers), path, "entry {}".format)
        tablefile.require_same(identity, entry.header, path)
        return path
    header, body = tablefile.read(path, identity)
    depths = np.frombuffer(body, np.uint8)
    states = _entry_of_states(entry)
    space = table_space(states)
    state_depths = enumerate_depths(space, states.start, workers=workers) if entry.patterns_of else depths
    _prove(entry, space, depths, state_depths, path, workers)
    tablefile.require_same(header, entry.header, path)
    return path


def _entry_of_states(entry: CatalogEntry) -> CatalogEntry:
    """The table of the states that a table of top patterns is about, or the table itself."""
    return CATALOG[entry.patterns_of] if entry.patterns_of else entry


def _prove(
    entry: CatalogEntry, space: StateSpace, depths: Depths, state_depths: Depths, path: str, workers: int | None
) -> None:
    """Prove the states' depths right, and the patterns' by them."""
    states = _entry_of_states(entry)
    fault = find_fault(space, state_depths, states.start, workers)
    _require_no_fault(fault, path, lambda rank: f"state {rank} ({space.describe(rank)})")
    if entry.patterns_of:
        _prove_patterns(states, depths, state_depths, path)


def _require_no_fault(fault: Fault | None, path: str, describe: Callable[[int], str]) -> None:
    if fault:
        raise CorruptTableError(
            path,
            f"{describe(fault.rank)} has depth {fault.depth}, "
            f"but its neighbours say {fault.expected} (states in conflict: {fault.conflicts})",
        )


def _fill(table: Depths, path: str, expected: TableHeader) -> None:
    """Read a table's body into an array."""
    filled = 0

    def append(piece: bytes) -> None:
        nonlocal filled
        table[filled : filled + len(piece)] = np.frombuffer(piece, np.uint8)
        filled += len(piece)

    tablefile.unpack(path, expected, append)


def _prove_patterns(states: CatalogEntry, depths: Depths, state_depths: Depths, path: str) -> None:
    """Every pattern's depth is that of one of its states, and none of these is nearer."""
    by_pattern = _states_by_pattern(states, state_depths)
    claimed = depths.reshape(len(by_pattern), 1, -1)
    wrong = np.flatnonzero(~((by_pattern == claimed).any(axis=1) & (by_pattern >= claimed).all(axis=1)))
    if len(wrong):
        rank = int(wrong[0])
        pattern = unrank_pattern(rank, start_tray(states).shape)
        reason = f"pattern {rank} ({pattern}) has depth {depths[rank]}, which is not that of its nearest state"
        raise CorruptTableError(path, f"{reason} (wrong patterns: {len(wrong)})")
