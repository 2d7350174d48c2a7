"""Proofs that a mod-3 table is right; they share no code with the enumeration.

Besides the table, every state has a bit that is set until the state has been reached again. A word of these has the
bits of two words of the table, each at the position of the lower bit of the entry: those of the second word are shifted
by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings.entries import UNREACHED, WORD_BYTES, WORD_ENTRIES, Fault
from cubesolve.encodings.enumeration import number_alike, require_recoverable, start_ranks
from cubesolve.encodings.space_arrays import SpaceArrays, arrays_of, read_row
from cubesolve.runtime.instructions import fetch_and, trailing_zeros
from cubesolve.runtime.kernel_arrays import Array1, Read1
from cubesolve.runtime.kernels import kernel, part
from cubesolve.runtime.notices import following
from cubesolve.runtime.workers import Workers
from cubesolve.spaces.rows import slices
from cubesolve.spaces.space import StateSpace

_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_LOW = np.uint64(0x5555555555555555)  # the lower bit of every entry of a word
_ONE, _THREE = np.uint64(1), np.uint64(3)
_AT_ONCE = 1 << 16  # words of the remaining states

_Words = NDArray[np.uint64]
_Rank = int | np.int64


@part
def _entry(words: _Words, rank: _Rank) -> np.int64:
    return np.int64(words[rank >> 5] >> np.uint64(2 * (rank & 31)) & _THREE)


@part
def _bit(rank: _Rank) -> np.uint64:
    return _ONE << np.uint64(2 * (rank & 31) + (rank >> 5 & 1))


@kernel(at_start=True)
def _reach_out(
    space: SpaceArrays,
    words: Read1[np.uint64],
    left: Array1[np.uint64],
    depth: int,
    first: int,
    last: int,
    fault: Array1[np.int64],
) -> int:
    """Reach the remaining neighbours of states at `depth`, for words `first` to `last`; return their number."""
    fibre, counts = space.fibre, space.counts
    width, moves = fibre.shape[1], len(space.base)
    near, steps, row = np.empty(WORD_ENTRIES * moves, np.int64), np.empty((moves, 2), np.int64), np.int64(-1)
    number = np.int64(0)
    for w in range(2 * first, min(2 * last, len(words))):
        different = words[w] ^ _LOW * np.uint64(depth % 3)
        newest = ~(different | different >> _ONE | left[w >> 1] >> np.uint64(w & 1)) & _LOW
        count = np.int64(0)
        while newest:
            a, b = divmod(32 * w + np.int64(trailing_zeros(newest) >> _ONE), width)
            newest &= newest - _ONE
            if a != row:
                row = a
                read_row(space, row, steps)
            for m in range(moves):
                if steps[m, 0] >= 0:
                    to = steps[m, 0] + np.int64(fibre[steps[m, 1], b])
                    near[count] = to
                    count += np.int64(left[to >> 6] & _bit(to) != 0)
        for i in range(count):
            to = near[i]
            if _entry(words, to) != (depth + 1) % 3:
                fault[:] = 1  # `_reach_back` finds where
            elif fetch_and(left, to >> 6, ~_bit(to)) & _bit(to):
                number += np.int64(counts[to // width])
    return int(number)


@kernel(at_start=True)
def _reach_back(
    space: SpaceArrays,
    words: Read1[np.uint64],
    left: Array1[np.uint64],
    depth: int,
    first: int,
    last: int,
    fault: Array1[np.int64],
) -> int:
    """Reach the remaining states in words `first` to `last` with a neighbour at `depth`; return their number."""
    fibre, counts = space.fibre, space.counts
    width, moves = fibre.shape[1], len(space.base)
    steps, row = np.empty((moves, 2), np.int64), np.int64(-1)
    number = np.int64(0)
    for w in range(2 * first, 2 * last):
        missing = left[w >> 1] >> np.uint64(w & 1) & _LOW
        while missing:
            rank = 32 * w + np.int64(trailing_zeros(missing) >> _ONE)
            missing &= missing - _ONE
            a, b = divmod(rank, width)
            is_near = False
            if a != row:
                row = a
                read_row(space, row, steps)
            for m in range(moves):
                if steps[m, 0] >= 0:
                    to = steps[m, 0] + np.int64(fibre[steps[m, 1], b])
                    is_near |= (_entry(words, to) == depth % 3) & (left[to >> 6] & _bit(to) == 0)
            if not is_near:
                continue
            if _entry(words, rank) == (depth + 1) % 3:
                left[rank >> 6] &= ~_bit(rank)
                number += np.int64(counts[a])
            else:  # the first rank, and the number of all
                fault[0] = rank if fault[1] == 0 else fault[0]
                fault[1] += 1
    return int(number)


KERNELS = (_reach_out, _reach_back)
"""The kernels of a proof, in the order of their first calls."""


def find_mod3_fault(
    space: StateSpace,
    table: NDArray[np.uint8],
    starts: int | Sequence[int] | NDArray[np.int64] = 0,
    workers: int | None = None,
) -> tuple[Fault | None, tuple[int, ...]]:
    """Prove that a mod-3 table is right, or return a state with a wrong entry.

    Agreement of neighbours would prove nothing: entries could decrease in a circle. So the states are reached again
    from the starts, depth by depth, with one bit for each besides the table, and by induction every entry is proved.
    Assume that exactly the states up to depth d have been reached, and that their entries are right. The neighbours of
    a remaining state are at depth d or deeper; so it is at depth d + 1 if and only if it has a reached neighbour with
    the entry d modulo 3, and its entry must be d + 1 modulo 3. States that are reached meanwhile have another entry and
    cannot interfere. When no more states are reached, the remaining ones must have the entry 3. The proof shares only
    the space with the enumeration, and assumes that every move of it has an inverse.

    Returns:
        None if every entry is right, and the number of states at each depth. Otherwise a fault about the first wrong
        entry at the least depth with any, with entries as its depths, and the counts up to there.

    >>> ring = StateSpace(np.array([[1, 2, 3, 0], [3, 0, 1, 2]]), np.zeros((2, 4), np.int32),
    ...     np.array([[0]], np.uint32), mutual=True)
    >>> table = np.array([0b01_10_01_00, *[255] * 7], np.uint8)
    >>> find_mod3_fault(ring, table)
    (None, (1, 2, 1))
    >>> table[0] = 0b01_01_01_00
    >>> find_mod3_fault(ring, table)
    (Fault(rank=2, depth=1, expected=2, conflicts=1), (1, 2))
    """
    require_recoverable(space)
    ranks = start_ranks(space, starts)
    words = _words_of(space, table)
    states, pool = space.counted, Workers(-(-len(words) // 2), workers, entries=space.states)
    with following("proving", states) as advance, pool:
        replay = _Replay(space, words, pool)
        fault = replay.start(ranks)
        counts: list[int] = []
        number = space.number_of(ranks)
        while number and fault is None:
            counts.append(number)
            advance(number)
            pull = states - sum(counts) < number_alike(counts)
            number, fault = replay.advance(len(counts) - 1, pull)
        return fault or replay.end(), tuple(counts)


def _words_of(space: StateSpace, table: NDArray[np.uint8]) -> _Words:
    size = -(-space.states // WORD_ENTRIES) * WORD_BYTES
    if table.shape != (size,) or table.dtype != np.uint8:
        raise ValueError(f"the table must be uint8 ({size},), not {table.dtype} {table.shape}")
    return np.require(np.ascontiguousarray(table).view(np.uint64), requirements="A")


class _Replay:
    """The states of a table that remain to be reached again."""

    def __init__(self, space: StateSpace, words: _Words, pool: Workers) -> None:
        self._states, self._words, self._pool = space.states, words, pool
        self._arrays = arrays_of(space)
        self._left = np.full(-(-len(words) // 2), _ALL, np.uint64)

    def start(self, ranks: NDArray[np.int64]) -> Fault | None:
        self._strike_out(np.arange(self._states, 64 * len(self._left)))
        self._strike_out(ranks)
        unused = np.arange(self._states, WORD_ENTRIES * len(self._words))
        return self._fault_among(unused, UNREACHED) or self._fault_among(ranks, 0)

    def _strike_out(self, ranks: NDArray[np.int64]) -> None:
        bits = _ONE << (2 * (ranks & 31) + (ranks >> 5 & 1)).astype(np.uint64)
        np.bitwise_and.at(self._left, ranks >> 6, ~bits)

    def _fault_among(self, ranks: NDArray[np.int64], expected: int) -> Fault | None:
        entries = self._words[ranks >> 5] >> (2 * (ranks & 31)).astype(np.uint64) & _THREE
        wrong = np.flatnonzero(entries != expected)
        return Fault(int(ranks[wrong[0]]), int(entries[wrong[0]]), expected, len(wrong)) if len(wrong) else None

    def advance(self, depth: int, pull: bool) -> tuple[int, Fault | None]:
        """Reach the states one deeper than `depth`; return their number, and a fault if one is wrong."""
        arguments = (self._arrays, self._words, self._left, depth)
        number, wrong = self._run(_reach_back if pull else _reach_out, *arguments)
        if wrong and not pull:
            _, wrong = self._run(_reach_back, *arguments)
        return number, self._fault(wrong, (depth + 1) % 3)

    def end(self) -> Fault | None:
        """Check the states that remain in the end."""
        faults = list[tuple[int, int]]()
        for some in slices(len(self._left), 1, _AT_ONCE):
            for half in range(2):
                words = self._words[2 * some.start + half : 2 * some.stop : 2]
                wrong = self._left[some][: len(words)] >> np.uint64(half) & ~(words & words >> _ONE) & _LOW
                if wrong.any():
                    word = int(np.flatnonzero(wrong)[0])
                    rank = 32 * (2 * (some.start + word) + half) + int(trailing_zeros(wrong[word])) // 2
                    faults.append((rank, int(np.bitwise_count(wrong).sum())))
        return self._fault(faults, UNREACHED)

    def _run(self, look: Callable[..., int], *arguments: object) -> tuple[int, list[tuple[int, int]]]:
        wrong = []

        def task(first: int, last: int) -> int:
            fault = np.zeros(2, np.int64)
            number = look(*arguments, first, last, fault)
            if fault[1]:
                wrong.append((int(fault[0]), int(fault[1])))
            return number

        return sum(self._pool.run(task)), wrong

    def _fault(self, wrong: list[tuple[int, int]], expected: int) -> Fault | None:
        if not wrong:
            return None
        rank, _ = min(wrong)
        return Fault(rank, int(_entry(self._words, rank)), expected, sum(number for _, number in wrong))
