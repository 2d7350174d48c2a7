"""Enumeration of mod-3 tables, with two bits per entry.

An entry is the depth of a state modulo 3, or 3 if no start can be reached. Entries are in the order of ranks, 32 in a
word of 64 bits, the first in its lowest bits; unused entries of the last word are 3.

Such a table determines all distances if every move has an inverse and costs 1. Then the depths of neighbours differ by
at most one, so an entry shows which neighbours are nearer; a path of such moves that cannot be extended is an optimal
solution, and its length is the depth. Other spaces are rejected.

During an enumeration, 3 is the entry of an unseen state. Its neighbours are at least as deep as the current depth, so
of all depths with one entry only the current one is possible for them: no memory is needed besides the table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings.byte.enumeration import DEEPEST, SPACE, arrays_of, require_ranks
from cubesolve.encodings.mod3 import UNREACHED
from cubesolve.instructions import fetch_and, prefetch, trailing_zeros
from cubesolve.kernels import kernel, types
from cubesolve.spaces.space import Checkpointer, FibreSymmetries, Levels, Progress, SpaceArrays, StateSpace
from cubesolve.workers import Workers

Entries = NDArray[np.uint8]
"""The bytes of a table."""

_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_LOW = np.uint64(0x5555555555555555)  # the lower bit of every entry of a word
_ONE, _THREE = np.uint64(1), np.uint64(3)
_LINE_WORDS = 8  # words that are prefetched at once

_Words = NDArray[np.uint64]  # the table


@numba.njit(inline="always")
def list_entries(words: _Words, entry: int, first: int, last: int, offsets: NDArray[np.uint32]) -> np.int64:
    """List the ranks `first` to `last` with an entry, as offsets from `first`; return their number."""
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
def acted_on(
    symmetries: FibreSymmetries, m: int, a: int, chosen: NDArray[np.uint32], count: Any, there: NDArray[np.uint32]
) -> NDArray[np.uint32]:
    """Return the first `count` of some fibre states as the action of move `m` finds them in row `a`.

    Unless no symmetry acts, they are written to `there`.
    """
    if len(symmetries.images) == 0 or symmetries.numbers[m, a] == 0:
        return chosen
    image = symmetries.images[symmetries.numbers[m, a]]
    for i in range(count):
        there[i] = image[chosen[i]]
    return there


@numba.njit(inline="always")
def _begin_to_load(words: _Words, base: NDArray[np.int64], a: int, width: int) -> None:
    """Prefetch the entries after the moves from row `a`."""
    for m in range(base.shape[0]):
        if base[m, a] >= 0:
            for w in range(base[m, a] >> 5, min((base[m, a] + width) >> 5, len(words)), _LINE_WORDS):
                prefetch(words, w)


_STEP = (SPACE, types.uint64[::1], types.int64, types.int64, types.int64)


@kernel(*_STEP)
def _push(
    space: SpaceArrays,
    words: _Words,
    depth: int,
    first: int,
    last: int,
) -> int:
    """Find the unseen neighbours of the states at `depth` in rows `first` to `last`; return their number.

    States of smaller depth can have the same entry, but all their neighbours have been seen. Several threads may
    process
    different rows at once: if several find the same state, one counts it.
    """
    base, action, fibre, counts = space.base, space.action, space.fibre, space.counts
    width = fibre.shape[1]
    newest, found, images = np.empty(width, np.uint32), np.empty(width, np.uint32), np.empty(width, np.uint32)
    clear = np.uint64(3 ^ (depth + 1) % 3)
    total = np.int64(0)
    for a in range(first, last):
        count = list_entries(words, depth % 3, a * width, (a + 1) * width, newest)
        if count == 0:
            continue
        _begin_to_load(words, base, a, width)
        for m in range(base.shape[0]):
            if base[m, a] < 0:
                continue
            start, act = base[m, a], fibre[action[m, a]]
            states = acted_on(space.symmetries, m, a, newest, count, images)
            unseen, new = np.int64(0), np.int64(0)
            for i in range(count):
                step = act[states[i]]
                rank = start + np.int64(step)
                entry = words[rank >> 5] >> np.uint64(2 * (rank & 31))
                found[unseen] = step
                unseen += np.int64(entry & entry >> _ONE & _ONE)
            for i in range(unseen):
                rank = start + np.int64(found[i])
                shift = np.uint64(2 * (rank & 31))
                entry = fetch_and(words, rank >> 5, ~(clear << shift)) >> shift
                new += np.int64(entry & entry >> _ONE & _ONE)
            total += new * np.int64(counts[start // width])
    return int(total)


@kernel(*_STEP)
def _pull(
    space: SpaceArrays,
    words: _Words,
    depth: int,
    first: int,
    last: int,
) -> int:
    """Find the unseen states in rows `first` to `last` that have a neighbour at `depth`; return their number.

    Several threads may process different rows at once, though two rows can have entries in one word.
    """
    base, action, fibre, counts = space.base, space.action, space.fibre, space.counts
    width = fibre.shape[1]
    unseen, found, images = np.empty(width, np.uint32), np.empty(width, np.uint32), np.empty(width, np.uint32)
    clear, near = np.uint64(3 ^ (depth + 1) % 3), np.uint64(depth % 3)
    total = np.int64(0)
    for a in range(first, last):
        count = list_entries(words, UNREACHED, a * width, (a + 1) * width, unseen)
        if count == 0:
            continue
        _begin_to_load(words, base, a, width)
        number = np.int64(0)
        for m in range(base.shape[0]):
            if base[m, a] < 0:
                continue
            start, act = base[m, a], fibre[action[m, a]]
            states = acted_on(space.symmetries, m, a, unseen, count, images)
            left = np.int64(0)
            for i in range(count):
                b = unseen[i]
                rank = start + np.int64(act[states[i]])
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
        total += number * np.int64(counts[a])
    return int(total)


def enumerate_mod3(
    space: StateSpace,
    starts: int | Sequence[int] | NDArray[np.int64] = 0,
    progress: Progress | None = None,
    workers: int | None = None,
    checkpointer: Checkpointer | None = None,
) -> Levels:
    """Return the depth modulo 3 of every state, where depth is the least number of moves to a start.

    Args:
        space: the state space; every move must have an inverse and cost 1.
        starts: ranks of the states at depth 0, or the rank if there is one.
        progress: called once a depth, from this thread.
        workers: number of threads; by default one for each processor. The result does not depend on it.
        checkpointer: writes checkpoints between levels. The result does not depend on it.

    Returns:
        uint8 (bytes,): the table, 8 bytes for every 32 entries; and the number of states of the puzzle at each depth,
        from 0, where starts count 1 each.

    Raises:
        ValueError: the space is unsuitable, a start is not a rank, the number of workers is invalid, or a depth is over
            254.

    >>> ring = StateSpace(np.array([[1, 2, 3, 0], [3, 0, 1, 2]]), np.zeros((2, 4), np.int32),
    ...     np.array([[0]], np.uint32), mutual=True)
    >>> table, counts = enumerate_mod3(ring)
    >>> table.tolist(), counts
    ([100, 255, 255, 255, 255, 255, 255, 255], (1, 2, 1))
    """
    require_recoverable(space)
    ranks = start_ranks(space, starts)
    arrays, states = arrays_of(space, symmetries=True), space.counted
    levels = (checkpointer and checkpointer.begun()) or (unseen_table(space, ranks), (len(ranks),))
    words = levels[0].view(np.uint64)
    with Workers(space.rows, workers) as pool, Workers(space.symmetric, workers) as symmetric:

        def advance(counts: Sequence[int]) -> int:
            def run(step: Callable[..., int], pool: Workers) -> int:
                return sum(pool.run(lambda first, last: step(arrays, words, len(counts) - 1, first, last)))

            if states - sum(counts) < number_alike(counts):
                return run(_pull, pool)
            return run(_push, pool) + run(_pull, symmetric)

        return each_level(levels, advance, progress, checkpointer)


def each_level(
    levels: Levels,
    advance: Callable[[Sequence[int]], int],
    progress: Progress | None,
    checkpointer: Checkpointer | None,
) -> Levels:
    """Advance level by level until one is empty.

    Args:
        levels: the initial levels; progress has not been called for the last one.
        advance: finds the next level, given the numbers of states so far; returns its number of states.
        progress: called once a depth.
        checkpointer: writes checkpoints between levels.

    Raises:
        ValueError: a depth is over 254.
    """
    table, (*counts, found) = levels
    while found:
        if len(counts) > DEEPEST:
            raise ValueError(f"some states are deeper than {DEEPEST}, the greatest depth that a table can have")
        counts.append(found)
        if progress:
            progress(len(counts) - 1, found, sum(counts))
        if checkpointer:
            checkpointer.keep(table, tuple(counts))
        found = advance(counts)
    return table, tuple(counts)


def unseen_table(space: StateSpace, ranks: NDArray[np.int64], bits: int = 2) -> Entries:
    """Return the table before the first level: all bits set but those of the states at depth 0."""
    table = np.full(-(-space.states * bits // 64), _ALL, np.uint64).view(np.uint8)
    np.bitwise_and.at(table, ranks * bits >> 3, ~((1 << bits) - 1 << (ranks * bits & 7)).astype(np.uint8))
    return table


def number_alike(counts: Sequence[int]) -> int:
    """Return the number of states with the entry of the current depth.

    >>> number_alike([1, 2, 3, 4, 5])
    7
    """
    return sum(counts[(len(counts) - 1) % 3 :: 3])


def require_recoverable(space: StateSpace) -> None:
    """Reject spaces whose depths do not follow from depths modulo 3.

    Raises:
        ValueError: a move has no inverse, or costs other than 1.
    """
    if not space.mutual or set(space.cost_of_moves.tolist()) - {1}:
        raise ValueError("a mod-3 table requires moves with inverses and cost 1")


def start_ranks(space: StateSpace, starts: int | Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the starts in ascending order, without duplicates.

    Raises:
        ValueError: one is not a rank.
    """
    ranks = np.unique(np.atleast_1d(np.asarray(starts, np.int64)))
    require_ranks(space, ranks)
    return ranks
