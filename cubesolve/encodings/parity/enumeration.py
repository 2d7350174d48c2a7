"""Counting the states at each depth with one bit a state, where every move changes a parity.

The bit is set as long as a state has not been seen. One bit tells enough where depths have the parity of rows: states
whose parity is that of the next depth are found by what is seen of the other parity, be it new or not, as all of it is
less deep. What is read and what is written are never the same rows.

Such a table tells no distances in the end. It is half of one that does, and what cannot be kept can still be counted.
"""

from __future__ import annotations

from collections.abc import Sequence

import numba
import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings.byte.enumeration import SPACE, arrays_of
from cubesolve.encodings.mod3.enumeration import each_level, nothing_seen, require_tellable, start_ranks
from cubesolve.instructions import count_ones, fetch_and, prefetch, trailing_zeros
from cubesolve.kernels import kernel, read_only, types
from cubesolve.spaces.space import Keeper, Levels, Progress, StateSpace
from cubesolve.workers import Workers

_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_ONE, _PLACE = np.uint64(1), np.uint64(63)
_SHIFT = np.uint64(6)
_FEW = 14  # unseen states of a word that are asked one by one; of more, the whole word is asked
_DEARER = 8  # times as long as asking an unseen state takes looking at all neighbours of a seen one
_AHEAD = 512  # entries between what is looked at and what begins to be loaded
_TOGETHER = 32  # states whose neighbours are loaded at once
_PARTS, _PART = 8, 1 << 26  # of rows: at least so many, where there are, and of at most so many states

_Words = NDArray[np.uint64]  # the table


@numba.njit(inline="always")
def _mask(w: int, first: int, last: int) -> np.uint64:
    """The bits of word `w` that are of the ranks `first` to `last`."""
    mask = _ALL
    if w == first >> 6:
        mask &= _ALL << np.uint64(first & 63)
    if w == (last - 1) >> 6:
        mask &= _ALL >> np.uint64(63 - ((last - 1) & 63))
    return mask


_STEP = (*SPACE, *[read_only(types.uint8, 1)] * 2, types.uint64[::1], types.int64, types.int64, types.int64)


@kernel(*_STEP)
def _push(
    base: NDArray[np.int64],
    action: NDArray[np.int32],
    fibre: NDArray[np.uint32],
    counts: NDArray[np.uint8],
    parity: NDArray[np.uint8],
    words: _Words,
    side: int,
    first: int,
    last: int,
) -> int:
    """Find the unseen neighbours of what is seen in rows `first` to `last` of a parity; return how many they are.

    Several threads may work on different rows at once: of those that find the same state, one counts it.
    """
    width, moves = fibre.shape[1], base.shape[0]
    seen, ranks = np.empty(width, np.int64), np.empty(_TOGETHER * moves, np.uint64)
    total = np.int64(0)
    for a in range(first, last):
        if parity[a] != side:
            continue
        begin, count = a * width, np.int64(0)
        for w in range(begin >> 6, (begin + width + 63) >> 6):
            bits = ~words[w] & _mask(w, begin, begin + width)
            while bits:
                seen[count] = 64 * w + np.int64(trailing_zeros(bits)) - begin
                count += np.int64(1)
                bits &= bits - _ONE
        new = np.int64(0)
        for part in range(0, count, _TOGETHER):
            until, number = min(np.int64(part + _TOGETHER), count), np.int64(0)
            for m in range(moves):
                if base[m, a] < 0:
                    continue
                act = fibre[action[m, a]]
                for i in range(part, until):
                    ranks[number] = np.uint64(base[m, a] + np.int64(act[seen[i]]))
                    prefetch(words, np.int64(ranks[number] >> _SHIFT))
                    number += np.int64(1)
            for i in range(number):
                bit = _ONE << (ranks[i] & _PLACE)
                if words[ranks[i] >> _SHIFT] & bit and fetch_and(words, np.int64(ranks[i] >> _SHIFT), ~bit) & bit:
                    new += np.int64(counts[np.int64(ranks[i]) // width])
        total += new
    return int(total)


@kernel(*_STEP)
def _pull(
    base: NDArray[np.int64],
    action: NDArray[np.int32],
    fibre: NDArray[np.uint32],
    counts: NDArray[np.uint8],
    parity: NDArray[np.uint8],
    words: _Words,
    side: int,
    first: int,
    last: int,
) -> int:
    """Find the unseen states in rows `first` to `last` of a parity that have a seen neighbour; return how many.

    Several threads may work on different rows at once, though two rows can have states in one word.
    """
    width = fibre.shape[1]
    total = np.int64(0)
    for a in range(first, last):
        if parity[a] != side:
            continue
        begin, new = a * width, np.int64(0)
        for w in range(begin >> 6, (begin + width + 63) >> 6):
            mask = _mask(w, begin, begin + width)
            unseen = words[w] & mask
            if not unseen:
                continue
            found, there = np.uint64(0), 64 * w - begin
            ahead = min(there + _AHEAD, width - 1)
            for m in range(base.shape[0]):
                start = base[m, a]
                if start < 0:
                    continue
                act = fibre[action[m, a]]
                prefetch(words, (start + np.int64(act[ahead])) >> 6)
                origin, left = np.uint64(start), np.uint64(0)
                if mask == _ALL and count_ones(unseen) > _FEW:
                    of_word = act[there : there + 64]
                    for place in range(64):
                        k = np.uint64(place)  # an index that cannot be negative need not be looked at
                        rank = origin + np.uint64(of_word[k])
                        left |= (words[rank >> _SHIFT] >> (rank & _PLACE) & _ONE) << k
                else:
                    bits = unseen
                    while bits:
                        k = trailing_zeros(bits)
                        rank = origin + np.uint64(act[there + np.int64(k)])
                        left |= (words[rank >> _SHIFT] >> (rank & _PLACE) & _ONE) << k
                        bits &= bits - _ONE
                found |= unseen & ~left
                unseen &= left
                if not unseen:
                    break
            if found:
                fetch_and(words, w, ~found)
                new += np.int64(count_ones(found))
        total += new * np.int64(counts[a])
    return int(total)


def count_by_parity(
    space: StateSpace,
    starts: int | Sequence[int] | NDArray[np.int64] = 0,
    progress: Progress | None = None,
    workers: int | None = None,
    keeper: Keeper | None = None,
) -> Levels:
    """How many states there are at each depth: at each least number of moves that take them to a start.

    Args:
        space: the state space; its neighbours must be each other's, its moves count 1 each, and its rows have a parity.
        starts: ranks of the states at depth 0, which are of one parity, or the rank if there is one.
        progress: called once a depth, from this thread.
        workers: number of threads; by default one for each processor. The result does not depend on it.
        keeper: keeps it between two levels. The result does not depend on that, either.

    Returns:
        uint8 (bytes,): a bit for each state in words of 64, the first in the lowest bit, set where no start can be
        reached; and how many states of the puzzle there are at each depth, from 0: starts count 1 each.

    Raises:
        ValueError: the space is another, starts are no ranks or of both parities, there is no such number of workers,
            or a depth is over 254.

    >>> ring = StateSpace(np.array([[1, 2, 3, 0], [3, 0, 1, 2]]), np.zeros((2, 4), np.int32),
    ...     np.array([[0]], np.uint32), mutual=True, parity=np.array([0, 1, 0, 1], np.uint8))
    >>> count_by_parity(ring)[1]
    (1, 2, 1)
    """
    require_tellable(space)
    ranks = start_ranks(space, starts)
    parity = space.parity
    if parity is None or len(set(parity[ranks // space.width].tolist())) > 1:
        raise ValueError("depths have the parity of rows where every move changes it, and all starts have the same")
    side = int(parity[ranks[0] // space.width]) if len(ranks) else 0
    of_rows = space.count_of_rows
    arrays = (*arrays_of(space), of_rows, parity)
    states = [int(of_rows[parity == each].sum(dtype=np.int64)) * space.width for each in range(2)]
    levels = (keeper and keeper.begun()) or (nothing_seen(space, ranks, bits=1), (len(ranks),))
    words = levels[0].view(np.uint64)
    at_most = max(1, min(space.rows // _PARTS, _PART // space.width))
    with Workers(space.rows, workers, at_most) as pool:

        def advance(counts: Sequence[int]) -> int:
            here = side ^ (len(counts) - 1) & 1
            seen, unseen = sum(counts[-1::-2]), states[1 - here] - sum(counts[-2::-2])
            step, rows = (_push, here) if _DEARER * seen < unseen else (_pull, 1 - here)
            return sum(pool.run(lambda first, last: step(*arrays, words, rows, first, last)))

        return each_level(levels, advance, progress, keeper)
