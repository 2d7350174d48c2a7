"""Depths modulo 3, two bits an entry: enumerating them, and proving them right.

An entry is the depth of a state modulo 3, or 3 where no start can be reached. Entries are in the order of ranks, 32 in
a word of 64 bits, the first in its lowest bits; what the last word has room for beyond the states is 3.

Such a table tells all, where neighbours are each other's and every move counts 1. Then the depths of neighbours differ
by one at most, so entries say which neighbours are nearer; moves that lead nearer, one after the other until none does,
are a shortest way to a start, and their number is the depth. Other spaces are refused.

While a table is being enumerated, 3 is the entry of a state not seen yet. Its neighbours are at least as deep as the
search has come, so that of all depths with one entry only the newest can be theirs: beside the table nothing need be
remembered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from cubesolve.engine.breadth_first import DEEPEST, SPACE, arrays_of, require_ranks
from cubesolve.engine.proof import Fault
from cubesolve.kernels import fetch_and, kernel, prefetch, read_only, trailing_zeros
from cubesolve.rules.tables import UNREACHED, WORD_BYTES, WORD_ENTRIES
from cubesolve.spaces.space import Progress, StateSpace
from cubesolve.workers import Workers

Entries = NDArray[np.uint8]
"""The bytes of a table."""

_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_LOW = np.uint64(0x5555555555555555)  # the lower bit of every entry of a word
_ONE, _THREE = np.uint64(1), np.uint64(3)
_LINE_WORDS = 8  # words that are loaded at once

_Words = NDArray[np.uint64]
_Rank = int | np.int64


@numba.njit(inline="always")
def _list(words: _Words, entry: int, first: int, last: int, offsets: NDArray[np.uint32]) -> np.int64:
    """List which of the ranks `first` to `last` have an entry, as what they are beyond `first`; how many these are."""
    pattern = _LOW * np.uint64(entry)
    count = np.int64(0)
    for w in range(first >> 5, (last + 31) >> 5):
        different = words[w] ^ pattern
        same = ~(different | different >> _ONE) & _LOW
        if w == first >> 5:
            same &= _ALL << np.uint64(2 * (first & 31))
        if w == (last - 1) >> 5:
            same &= _ALL >> np.uint64(62 - 2 * ((last - 1) & 31))
        while same:
            offsets[count] = 32 * w + np.int64(trailing_zeros(same) >> _ONE) - first
            count += np.int64(1)
            same &= same - _ONE
    return count


@numba.njit(inline="always")
def _begin_to_load(words: _Words, base: NDArray[np.int64], a: int, width: int) -> None:
    """Begin to load where the moves from row `a` lead to."""
    for m in range(base.shape[0]):
        if base[m, a] >= 0:
            for w in range(base[m, a] >> 5, min((base[m, a] + width) >> 5, len(words)), _LINE_WORDS):
                prefetch(words, w)


@kernel(*SPACE, types.uint64[::1], types.int64, types.int64, types.int64)
def _push(
    base: NDArray[np.int64],
    action: NDArray[np.int32],
    fibre: NDArray[np.uint32],
    words: _Words,
    depth: int,
    first: int,
    last: int,
) -> int:
    """Find the unseen neighbours of the states at `depth` in rows `first` to `last`; return how many they are.

    States that are less deep can have the same entry, but their neighbours have all been seen. Several threads may work
    on different rows at once: of those that find the same state, one counts it.
    """
    width = fibre.shape[1]
    newest, found = np.empty(width, np.uint32), np.empty(width, np.uint32)
    clear = np.uint64(3 ^ (depth + 1) % 3)
    total = np.int64(0)
    for a in range(first, last):
        count = _list(words, depth % 3, a * width, (a + 1) * width, newest)
        if count == 0:
            continue
        _begin_to_load(words, base, a, width)
        for m in range(base.shape[0]):
            if base[m, a] < 0:
                continue
            start, act = base[m, a], fibre[action[m, a]]
            unseen = np.int64(0)
            for i in range(count):
                step = act[newest[i]]
                rank = start + np.int64(step)
                entry = words[rank >> 5] >> np.uint64(2 * (rank & 31))
                found[unseen] = step
                unseen += np.int64(entry & entry >> _ONE & _ONE)
            for i in range(unseen):
                rank = start + np.int64(found[i])
                shift = np.uint64(2 * (rank & 31))
                entry = fetch_and(words, rank >> 5, ~(clear << shift)) >> shift
                total += np.int64(entry & entry >> _ONE & _ONE)
    return int(total)


@kernel(*SPACE, types.uint64[::1], types.int64, types.int64, types.int64)
def _pull(
    base: NDArray[np.int64],
    action: NDArray[np.int32],
    fibre: NDArray[np.uint32],
    words: _Words,
    depth: int,
    first: int,
    last: int,
) -> int:
    """Find the unseen states in rows `first` to `last` that have a neighbour at `depth`; return how many they are.

    Several threads may work on different rows at once, though two rows can have entries in one word.
    """
    width = fibre.shape[1]
    unseen, found = np.empty(width, np.uint32), np.empty(width, np.uint32)
    clear, near = np.uint64(3 ^ (depth + 1) % 3), np.uint64(depth % 3)
    total = np.int64(0)
    for a in range(first, last):
        count = _list(words, UNREACHED, a * width, (a + 1) * width, unseen)
        if count == 0:
            continue
        _begin_to_load(words, base, a, width)
        number = np.int64(0)
        for m in range(base.shape[0]):
            if base[m, a] < 0:
                continue
            start, act = base[m, a], fibre[action[m, a]]
            left = np.int64(0)
            for i in range(count):
                b = unseen[i]
                rank = start + np.int64(act[b])
                is_near = words[rank >> 5] >> np.uint64(2 * (rank & 31)) & _THREE == near
                found[number] = b
                number += np.int64(is_near)
                unseen[left] = b
                left += np.int64(not is_near)
            count = left
            if count == 0:
                break
        for i in range(number):
            rank = a * width + np.int64(found[i])
            fetch_and(words, rank >> 5, ~(clear << np.uint64(2 * (rank & 31))))
        total += number
    return int(total)


def enumerate_modulo(
    space: StateSpace,
    starts: int | Sequence[int] | NDArray[np.int64] = 0,
    progress: Progress | None = None,
    workers: int | None = None,
) -> tuple[Entries, tuple[int, ...]]:
    """The depth modulo 3 of every state: of the least number of moves that take it to a start.

    Args:
        space: the state space; its neighbours must be each other's, and its moves count 1 each.
        starts: ranks of the states at depth 0, or the rank if there is one.
        progress: called once a depth, from this thread.
        workers: number of threads; by default one for each processor. The result does not depend on it.

    Returns:
        uint8 (bytes,): the table, 8 bytes for every 32 states; and how many states there are at each depth, from 0.

    Raises:
        ValueError: the space is another, a start is no rank, there is no such number of workers, or a depth is over
            254.

    >>> ring = StateSpace(np.array([[1, 2, 3, 0], [3, 0, 1, 2]]), np.zeros((2, 4), np.int32),
    ...     np.array([[0]], np.uint32), mutual=True)
    >>> table, counts = enumerate_modulo(ring)
    >>> table.tolist(), counts
    ([100, 255, 255, 255, 255, 255, 255, 255], (1, 2, 1))
    """
    _require_tellable(space)
    ranks = _start_ranks(space, starts)
    arrays = arrays_of(space)
    words = np.full(-(-space.states // WORD_ENTRIES), _ALL, np.uint64)
    table = words.view(np.uint8)
    np.bitwise_and.at(table, ranks >> 2, ~(3 << 2 * (ranks & 3)).astype(np.uint8))
    counts: list[int] = []
    found = len(ranks)
    with Workers(space.rows, workers) as pool:
        while found:
            if len(counts) > DEEPEST:
                raise ValueError(f"some states are deeper than {DEEPEST}, the greatest depth that a table can have")
            depth = len(counts)
            counts.append(found)
            if progress:
                progress(depth, found, sum(counts))
            step = _pull if space.states - sum(counts) < _alike(counts) else _push
            found = sum(pool.run(lambda first, last: step(*arrays, words, depth, first, last)))  # noqa: B023
    return table, tuple(counts)


def _alike(counts: Sequence[int]) -> int:
    """The number of states with the entry of the newest ones."""
    return sum(counts[(len(counts) - 1) % 3 :: 3])


def _require_tellable(space: StateSpace) -> None:
    if not space.mutual or set(space.cost_of_moves.tolist()) - {1}:
        raise ValueError("depths modulo 3 tell nothing where moves cannot be undone, or count other than 1")


def _start_ranks(space: StateSpace, starts: int | Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
    ranks = np.unique(np.atleast_1d(np.asarray(starts, np.int64)))
    require_ranks(space, ranks)
    return ranks


# -- Proving, by code of its own -------------------------------------------------------------------------------------
# Beside the table, every state has a bit that is set until the state has been reached anew. A word of these has the
# bits of two words of the table, each at the place of the entry's lower bit: the second word's are shifted by one.


@numba.njit(inline="always")
def _entry(words: _Words, rank: _Rank) -> np.int64:
    return np.int64(words[rank >> 5] >> np.uint64(2 * (rank & 31)) & _THREE)


@numba.njit(inline="always")
def _bit(rank: _Rank) -> np.uint64:
    return _ONE << np.uint64(2 * (rank & 31) + (rank >> 5 & 1))


_WORDS = read_only(types.uint64, 1)
_REPLAY = (*SPACE, _WORDS, types.uint64[::1], types.int64, types.int64, types.int64, types.int64[::1])


@kernel(*_REPLAY)
def _reach_out(
    base: NDArray[np.int64],
    action: NDArray[np.int32],
    fibre: NDArray[np.uint32],
    words: _Words,
    left: _Words,
    depth: int,
    first: int,
    last: int,
    fault: NDArray[np.int64],
) -> int:
    """Reach what is left of the neighbours of states at `depth`, for words `first` to `last`; return how many they are.

    Those whose entries are not right stay where they are, and `fault` gets two numbers that are not 0.
    """
    width, moves = fibre.shape[1], base.shape[0]
    near = np.empty(WORD_ENTRIES * moves, np.int64)
    found = np.int64(0)
    for w in range(2 * first, min(2 * last, len(words))):
        different = words[w] ^ _LOW * np.uint64(depth % 3)
        newest = ~(different | different >> _ONE | left[w >> 1] >> np.uint64(w & 1)) & _LOW
        count = np.int64(0)
        while newest:
            a, b = divmod(32 * w + np.int64(trailing_zeros(newest) >> _ONE), width)
            newest &= newest - _ONE
            for m in range(moves):
                if base[m, a] >= 0:
                    to = base[m, a] + np.int64(fibre[action[m, a], b])
                    near[count] = to
                    count += np.int64(left[to >> 6] & _bit(to) != 0)
        for i in range(count):
            to = near[i]
            if _entry(words, to) != (depth + 1) % 3:
                fault[:] = 1
            else:
                found += np.int64(fetch_and(left, to >> 6, ~_bit(to)) & _bit(to) != 0)
    return int(found)


@kernel(*_REPLAY)
def _reach_back(
    base: NDArray[np.int64],
    action: NDArray[np.int32],
    fibre: NDArray[np.uint32],
    words: _Words,
    left: _Words,
    depth: int,
    first: int,
    last: int,
    fault: NDArray[np.int64],
) -> int:
    """Reach what is left in words `first` to `last` and has a neighbour at `depth`; return how many states these are.

    Those whose entries are not right stay where they are; the first, and their number, go to `fault`.
    """
    width = fibre.shape[1]
    found = 0
    for w in range(2 * first, 2 * last):
        missing = left[w >> 1] >> np.uint64(w & 1) & _LOW
        while missing:
            rank = 32 * w + np.int64(trailing_zeros(missing) >> _ONE)
            missing &= missing - _ONE
            a, b = divmod(rank, width)
            is_near = False
            for m in range(base.shape[0]):
                if base[m, a] >= 0:
                    to = base[m, a] + np.int64(fibre[action[m, a], b])
                    is_near |= (_entry(words, to) == depth % 3) & (left[to >> 6] & _bit(to) == 0)
            if not is_near:
                continue
            if _entry(words, rank) == (depth + 1) % 3:
                left[rank >> 6] &= ~_bit(rank)
                found += 1
            else:
                fault[0] = rank if fault[1] == 0 else fault[0]
                fault[1] += 1
    return found


@kernel(_WORDS, _WORDS, types.int64, types.int64, types.int64[::1])
def _check_left(words: _Words, left: _Words, first: int, last: int, fault: NDArray[np.int64]) -> int:
    """Find what is left in words `first` to `last` though its entry is a depth; first and number go to `fault`."""
    for w in range(2 * first, min(2 * last, len(words))):
        wrong = left[w >> 1] >> np.uint64(w & 1) & ~(words[w] & words[w] >> _ONE) & _LOW
        while wrong:
            if fault[1] == 0:
                fault[0] = 32 * w + np.int64(trailing_zeros(wrong) >> _ONE)
            fault[1] += 1
            wrong &= wrong - _ONE
    return 0


def find_modulo_fault(
    space: StateSpace,
    table: Entries,
    starts: int | Sequence[int] | NDArray[np.int64] = 0,
    progress: Progress | None = None,
    workers: int | None = None,
) -> tuple[Fault | None, tuple[int, ...]]:
    """Prove that a table of depths modulo 3 is right, or name a state whose entry is not.

    That neighbours agree would prove nothing: entries could go down in a circle. So the states are reached anew from
    the starts, depth by depth, with one bit for each beside the table, and by induction every entry is proved. Let
    exactly the states up to depth d have been reached, and their entries be right. The neighbours of a state that is
    left are at depth d or deeper; so it is at depth d + 1 if and only if it has a neighbour that was reached and has
    the entry d modulo 3, and then its entry must be d + 1 modulo 3. States that are reached meanwhile have another
    entry and mislead nobody. When nothing more is reached, what is left must be 3. This code shares only the space
    with what made the table, and takes the space's word that neighbours are each other's.

    Args:
        space: the state space; its neighbours must be each other's, and its moves count 1 each.
        table: uint8 (bytes,): the table.
        starts: ranks of the states at depth 0, or the rank if there is one.
        progress: called once a depth, from this thread.
        workers: number of threads; by default one for each processor.

    Returns:
        None when every entry is right, and how many states there are at each depth. Otherwise a fault, its depths
        being entries, that names the first wrong one at the least depth with any (if a single one is wrong, that), and
        the counts up to there.

    Raises:
        ValueError: the space is another, the table has another size, a start is no rank, or there is no such number of
            workers.

    >>> ring = StateSpace(np.array([[1, 2, 3, 0], [3, 0, 1, 2]]), np.zeros((2, 4), np.int32),
    ...     np.array([[0]], np.uint32), mutual=True)
    >>> table, _ = enumerate_modulo(ring)
    >>> find_modulo_fault(ring, table)
    (None, (1, 2, 1))
    >>> table[0] ^= 3 << 4
    >>> find_modulo_fault(ring, table)
    (Fault(rank=2, depth=1, expected=2, conflicts=1), (1, 2))
    """
    _require_tellable(space)
    ranks = _start_ranks(space, starts)
    words = _words_of(space, table)
    with _Replay(space, words, workers) as replay:
        fault = replay.start(ranks)
        counts: list[int] = []
        found = len(ranks)
        while found and fault is None:
            counts.append(found)
            if progress:
                progress(len(counts) - 1, found, sum(counts))
            pull = space.states - sum(counts) < _alike(counts)
            found, fault = replay.advance(len(counts) - 1, pull)
        return fault or replay.end(), tuple(counts)


def _words_of(space: StateSpace, table: Entries) -> _Words:
    size = -(-space.states // WORD_ENTRIES) * WORD_BYTES
    if table.shape != (size,) or table.dtype != np.uint8:
        raise ValueError(f"the table must be uint8 ({size},), not {table.dtype} {table.shape}")
    return np.require(np.ascontiguousarray(table).view(np.uint64), requirements="A")


class _Replay:
    """What is left of a table's states to be reached anew."""

    def __init__(self, space: StateSpace, words: _Words, workers: int | None) -> None:
        self._states, self._arrays, self._words = space.states, arrays_of(space), words
        self._left = np.full(-(-len(words) // 2), _ALL, np.uint64)
        self._workers = Workers(len(self._left), workers)

    def start(self, ranks: NDArray[np.int64]) -> Fault | None:
        """Reach the starts."""
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
        """Reach the states that are one deeper than `depth`; how many they are, and what is wrong about any."""
        arguments = (*self._arrays, self._words, self._left, depth)
        found, wrong = self._run(_reach_back if pull else _reach_out, *arguments)
        if wrong and not pull:
            _, wrong = self._run(_reach_back, *arguments)
        return found, self._fault(wrong, (depth + 1) % 3)

    def end(self) -> Fault | None:
        """Look at what is left for good."""
        _, wrong = self._run(_check_left, self._words, self._left)
        return self._fault(wrong, UNREACHED)

    def _run(self, look: Callable[..., int], *arguments: object) -> tuple[int, list[tuple[int, int]]]:
        wrong = []

        def task(first: int, last: int) -> int:
            fault = np.zeros(2, np.int64)
            found = look(*arguments, first, last, fault)
            if fault[1]:
                wrong.append((int(fault[0]), int(fault[1])))
            return found

        return sum(self._workers.run(task)), wrong

    def _fault(self, wrong: list[tuple[int, int]], expected: int) -> Fault | None:
        if not wrong:
            return None
        rank, _ = min(wrong)
        return Fault(rank, int(_entry(self._words, rank)), expected, sum(number for _, number in wrong))

    def __enter__(self) -> _Replay:
        return self

    def __exit__(self, *_: object) -> None:
        self._workers.__exit__()
