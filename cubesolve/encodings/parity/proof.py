"""Proofs that a table with one bit per state is right; they share no code with the enumeration.

Besides the table, every state has a bit that is set until the state has been reached again.
"""

from __future__ import annotations

from collections.abc import Callable

import numba
import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings.faults import Fault
from cubesolve.encodings.mod3.enumeration import start_ranks
from cubesolve.encodings.parity.colouring import Colouring, Ranks
from cubesolve.encodings.parity.enumeration import require_parity
from cubesolve.encodings.space_arrays import SPACE, SpaceArrays, arrays_of, read_row
from cubesolve.runtime.instructions import fetch_and, trailing_zeros
from cubesolve.runtime.kernels import kernel, named, read_only, types
from cubesolve.runtime.notices import following
from cubesolve.runtime.workers import Workers
from cubesolve.spaces.space import StateSpace
from cubesolve.spaces.tables import UNREACHABLE

_ONE = np.uint64(1)
_PULLED = 4  # cost of expanding a reached state, in units of that of a remaining one

_Words = NDArray[np.uint64]
_Rank = int | np.int64


@numba.njit(inline="always")
def _bit(words: _Words, rank: _Rank) -> np.int64:
    return np.int64(words[rank >> 6] >> np.uint64(rank & 63) & _ONE)


_REPLAY = (
    SPACE,
    named(Colouring, rows=read_only(types.uint8, 1), fibre=read_only(types.uint8, 1)),
    read_only(types.uint64, 1),
    types.uint64[::1],
    types.int64,
    types.int64,
    types.int64,
    types.int64[::1],
)


@kernel(*_REPLAY)
def _reach_out(
    space: SpaceArrays,
    colouring: Colouring,
    words: _Words,
    left: _Words,
    depth: int,
    first: int,
    last: int,
    fault: NDArray[np.int64],
) -> int:
    """Reach the remaining neighbours of states at `depth`, in words `first` to `last`; return their number.

    States at `depth` have been reached, and have its parity and the entry of that depth; others with all of this are
    less deep, and their neighbours have all been reached. Neighbours with wrong entries remain, and two nonzero numbers
    are written to `fault`.
    """
    fibre, counts, (numbers, images) = space.fibre, space.counts, space.symmetries
    steps, row = np.empty((len(space.base), 2), np.int64), np.int64(-1)
    (rows, columns), side = colouring, depth & 1
    width, entry, wanted = fibre.shape[1], depth >> 1 & 1, (depth + 1) >> 1 & 1
    found = np.int64(0)
    for w in range(first, last):
        reached = ~left[w] & (words[w] if entry else ~words[w])
        while reached:
            rank = 64 * w + np.int64(trailing_zeros(reached))
            reached &= reached - _ONE
            a, b = divmod(rank, width)
            if a >= len(rows) or rows[a] ^ columns[b] != side:
                continue
            if a != row:
                row = a
                read_row(space, row, steps)
            for m in range(len(steps)):
                if steps[m, 0] < 0:
                    continue
                image = np.int64(images[numbers[m, a], b]) if len(images) > 0 else b
                to = steps[m, 0] + np.int64(fibre[steps[m, 1], image])
                if not _bit(left, to):
                    continue
                if _bit(words, to) != wanted:
                    fault[:] = 1
                elif fetch_and(left, to >> 6, ~(_ONE << np.uint64(to & 63))) >> np.uint64(to & 63) & _ONE:
                    found += np.int64(counts[to // width])
    return int(found)


@kernel(*_REPLAY)
def _reach_back(
    space: SpaceArrays,
    colouring: Colouring,
    words: _Words,
    left: _Words,
    depth: int,
    first: int,
    last: int,
    fault: NDArray[np.int64],
) -> int:
    """Reach the remaining states in words `first` to `last` of the other parity with a reached neighbour.

    Those with wrong entries remain; the first, and their number, are written to `fault`.
    """
    fibre, counts, (numbers, images) = space.fibre, space.counts, space.symmetries
    steps, row = np.empty((len(space.base), 2), np.int64), np.int64(-1)
    (rows, columns), side = colouring, depth & 1
    width, wanted = fibre.shape[1], (depth + 1) >> 1 & 1
    found = np.int64(0)
    for w in range(first, last):
        missing = left[w]
        while missing:
            rank = 64 * w + np.int64(trailing_zeros(missing))
            missing &= missing - _ONE
            a, b = divmod(rank, width)
            if rows[a] ^ columns[b] == side:
                continue
            is_near = False
            if a != row:
                row = a
                read_row(space, row, steps)
            for m in range(len(steps)):
                if steps[m, 0] >= 0 and not is_near:
                    image = np.int64(images[numbers[m, a], b]) if len(images) > 0 else b
                    is_near = _bit(left, steps[m, 0] + np.int64(fibre[steps[m, 1], image])) == 0
            if not is_near:
                continue
            if _bit(words, rank) == wanted:
                left[w] &= ~(_ONE << np.uint64(rank & 63))
                found += np.int64(counts[a])
            else:
                fault[0] = rank if fault[1] == 0 else fault[0]
                fault[1] += 1
    return int(found)


def find_bit_fault(
    space: StateSpace, table: NDArray[np.uint8], starts: Ranks = 0, workers: int | None = None
) -> tuple[Fault | None, tuple[int, ...]]:
    """Prove that a table with one bit per state is right, or return a state with a wrong entry.

    First it is proved that every move changes the parity: see `Colouring.is_proper`. Then the states are reached again
    from the starts, depth by depth, with one bit for each besides the table. Assume that exactly the states up to depth
    d have been reached, and that their entries are right. A remaining state with a reached neighbour is at depth d + 1,
    and its parity differs from that of depth d; so states that are reached meanwhile cannot interfere. Its entry must
    be the higher bit of d + 1 modulo 4. In the end no state may remain.

    Args:
        table: uint8 (bytes,): the table.
        starts: ranks of the states at depth 0, or the rank if there is one.
        workers: number of threads; by default one for each processor.

    Returns:
        None if every entry is right, and the number of states at each depth. Otherwise a fault, with entries as its
        depths, about the first wrong entry at the least depth with any, or with the depth 255 about a state from which
        no start can be reached; and the counts up to there.

    Raises:
        ValueError: the space is unsuitable, the table has another size, a start is not a rank, or the number of workers
            is invalid.

    >>> ring = StateSpace(np.array([[1, 2, 3, 4, 5, 0], [5, 0, 1, 2, 3, 4]]), np.zeros((2, 6), np.int32),
    ...     np.array([[0]], np.uint32), mutual=True)
    >>> table = np.array([0b11011100, *[255] * 7], np.uint8)
    >>> find_bit_fault(ring, table)
    (None, (1, 2, 2, 1))
    >>> table[0] = 0b11111100
    >>> find_bit_fault(ring, table)
    (Fault(rank=5, depth=1, expected=0, conflicts=1), (1,))
    """
    colouring, ranks = require_parity(space, starts), start_ranks(space, starts)
    size = -(-space.states // 64) * 8
    if table.shape != (size,) or table.dtype != np.uint8:
        raise ValueError(f"the table must be uint8 ({size},), not {table.dtype} {table.shape}")
    words = np.require(np.ascontiguousarray(table).view(np.uint64), requirements="A")
    left = np.full(len(words), 0xFFFFFFFFFFFFFFFF, np.uint64)
    arrays = arrays_of(space, symmetries=True), colouring.from_starts(ranks), words, left
    counts, found, pool = list[int](), space.number_of(ranks), Workers(len(words), workers, entries=space.states)
    # A move may lead to another image of a state in rows that symmetries map to themselves.
    symmetric = Workers(-(-space.symmetric * space.width // 64), workers, entries=space.symmetric * space.width)
    with following("proving", space.counted) as advance, pool, symmetric:
        fault = _fault_among(words, np.arange(space.states, 64 * len(words)), 1) or _fault_among(words, ranks, 0)
        _strike_out(left, np.arange(space.states, 64 * len(left)))
        _strike_out(left, ranks)
        while found and fault is None:
            counts.append(found)
            advance(found)
            depth = len(counts) - 1
            pull = space.counted - sum(counts) < _PULLED * counts[-1]
            found, wrong = _run(pool, _reach_back if pull else _reach_out, (*arrays, depth))
            if not pull:
                also, others = _run(symmetric, _reach_back, (*arrays, depth))
                found += also
                if wrong or others:
                    _, wrong = _run(pool, _reach_back, (*arrays, depth))
            if wrong:
                rank, expected = min(wrong)[0], (depth + 1) >> 1 & 1
                fault = Fault(rank, 1 - expected, expected, sum(number for _, number in wrong))
    if fault is None and left.any():
        word = int(np.flatnonzero(left)[0])
        rank = 64 * word + (int(left[word]) & -int(left[word])).bit_length() - 1
        fault = Fault(rank, int(_entries(words, np.array([rank]))[0]), UNREACHABLE, int(np.bitwise_count(left).sum()))
    return fault, tuple(counts)


def _run(pool: Workers, look: Callable[..., int], arguments: tuple[object, ...]) -> tuple[int, list[tuple[int, int]]]:
    """Return the number of states that a kernel reaches, and the first fault and the number of each range of words."""
    wrong = []

    def task(first: int, last: int) -> int:
        fault = np.zeros(2, np.int64)
        found = look(*arguments, first, last, fault)
        if fault[1]:
            wrong.append((int(fault[0]), int(fault[1])))
        return found

    return sum(pool.run(task)), wrong


def _entries(words: _Words, ranks: NDArray[np.int64]) -> NDArray[np.uint64]:
    entries: NDArray[np.uint64] = words[ranks >> 6] >> (ranks & 63).astype(np.uint64) & _ONE
    return entries


def _strike_out(left: _Words, ranks: NDArray[np.int64]) -> None:
    np.bitwise_and.at(left, ranks >> 6, ~(_ONE << (ranks & 63).astype(np.uint64)))


def _fault_among(words: _Words, ranks: NDArray[np.int64], expected: int) -> Fault | None:
    wrong = ranks[_entries(words, ranks) != expected]
    return Fault(int(wrong[0]), 1 - expected, expected, len(wrong)) if len(wrong) else None
