"""Enumeration with one bit per state, for spaces in which every move changes a parity.

A bit is set as long as a state is unseen. One bit suffices if the parity of every depth is that of its states: unseen
states with the parity of the next depth are found from the seen states of the other parity, new or not, since all of
these are less deep. States that are read and states that are written never have one parity.

Counting needs nothing else. In a table, every state has a second bit, its *entry*: the higher bit of its depth modulo
4. The lower bit is its parity, so an entry shows which neighbours are nearer: those whose depth modulo 4 is one less.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings.mod3.enumeration import each_level, require_recoverable, start_ranks, unseen_table
from cubesolve.encodings.parity.colouring import Colouring, Ranks, common_parity
from cubesolve.encodings.space_arrays import SPACE, SpaceArrays, acted_on, arrays_of, read_row
from cubesolve.runtime.instructions import count_ones, fetch_and, prefetch, trailing_zeros
from cubesolve.runtime.kernels import kernel, named, part, read_only, types
from cubesolve.runtime.workers import Workers
from cubesolve.spaces.space import Checkpointer, Levels, Progress, StateSpace

_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_ONE, _PLACE = np.uint64(1), np.uint64(63)
_SHIFT = np.uint64(6)
_FEW = 14  # unseen states of a word that are processed one by one; if there are more, the whole word is
_DEARER = 8  # cost of expanding a seen state, in units of that of an unseen one
_AHEAD = 512  # entries between the current one and the one that is prefetched
_TOGETHER = 32  # states whose neighbours are prefetched at once
_PARTS, _PART = 8, 1 << 26  # of rows: at least so many, where there are, and of at most so many states

_Words = NDArray[np.uint64]  # a bit for each state


@part
def _mask(w: int, first: int, last: int) -> np.uint64:
    """Return the bits of word `w` that belong to the ranks `first` to `last`."""
    mask = _ALL
    if w == first >> 6:
        mask &= _ALL << np.uint64(first & 63)
    if w == (last - 1) >> 6:
        mask &= _ALL >> np.uint64(63 - ((last - 1) & 63))
    return mask


@part
def _of_parity(colours: _Words, w: int, first: int, last: int, odd: int | np.int64) -> Any:
    """Return the bits of word `w` that belong to a parity among the ranks `first` to `last` of a row."""
    mask = _mask(w, first, last)
    if len(colours) > 0:
        offset = 64 * w - first + 64
        word, place = offset >> 6, np.uint64(offset & 63)
        bits = colours[word] >> place
        if place:
            bits |= colours[word + 1] << (np.uint64(64) - place)
        mask &= bits if odd else ~bits
    return mask


@part
def _clear(entries: _Words, w: int | np.int64, bits: np.uint64, clear: bool) -> None:
    if clear:
        fetch_and(entries, w, ~bits)


class Sides(NamedTuple):
    """The parities of states.

    Attributes:
        rows: uint8 (rows,): the parity of each row.
        fibre: uint64: see `packed_colours`.
    """

    rows: NDArray[np.uint8]
    fibre: _Words


_STEP = (
    SPACE,
    named(Sides, rows=read_only(types.uint8, 1), fibre=read_only(types.uint64, 1)),
    types.uint64[::1],
    types.uint64[::1],
    types.int64,
    types.boolean,
    types.int64,
    types.int64,
)


@kernel(*_STEP, at_start=True)
def _push(
    space: SpaceArrays,
    sides: Sides,
    words: _Words,
    entries: _Words,
    side: int,
    clear: bool,
    first: int,
    last: int,
) -> int:
    """Find the unseen states from which moves lead to seen ones of a parity in rows `first` to `last`.

    The arrays must be those of the reversed space. The entries of the states are 1, and become 0 with `clear`. Several
    threads may process different rows at once: if several find the same state, one counts it.
    """
    fibre, counts = space.fibre, space.counts
    parity, colours, mixed = sides.rows, sides.fibre, len(sides.fibre) > 0
    width, moves = fibre.shape[1], len(space.base)
    steps = np.empty((moves, 2), np.int64)
    seen, images = np.empty(width, np.uint32), np.empty(_TOGETHER, np.uint32)
    ranks = np.empty(_TOGETHER * moves, np.uint64)
    total = np.int64(0)
    for a in range(first, last):
        odd = parity[a] ^ side
        if odd and not mixed:
            continue
        begin, count = a * width, np.int64(0)
        for w in range(begin >> 6, (begin + width + 63) >> 6):
            bits = ~words[w] & _of_parity(colours, w, begin, begin + width, odd)
            while bits:
                seen[count] = np.uint32(64 * w + np.int64(trailing_zeros(bits)) - begin)
                count += np.int64(1)
                bits &= bits - _ONE
        if count:
            read_row(space, a, steps)
        new = np.int64(0)
        for done in range(0, count, _TOGETHER):
            until, number = min(np.int64(done + _TOGETHER), count), np.int64(0)
            for m in range(moves):
                if steps[m, 0] < 0:
                    continue
                start, act = steps[m, 0], fibre[steps[m, 1]]
                states = acted_on(space.symmetries, m, a, seen[done:until], until - done, images)
                for i in range(until - done):
                    ranks[number] = np.uint64(start + np.int64(act[states[i]]))
                    prefetch(words, np.int64(ranks[number] >> _SHIFT))
                    number += np.int64(1)
            for i in range(number):
                bit = _ONE << (ranks[i] & _PLACE)
                if words[ranks[i] >> _SHIFT] & bit and fetch_and(words, np.int64(ranks[i] >> _SHIFT), ~bit) & bit:
                    new += np.int64(counts[np.int64(ranks[i]) // width])
                    _clear(entries, np.int64(ranks[i] >> _SHIFT), bit, clear)
        total += new
    return int(total)


class Found(NamedTuple):
    """The bits that the search for a level changes, and the rows with neighbours and with new states.

    Attributes:
        words: uint64: the bits of some states, cleared for those that are found: the bits that are read, unless these
            must not change before the level is complete.
        before: the number of words before these.
        near: bool (rows,): the rows in which nearer states may be.
        rows: bool (rows,): set for the rows in which states are found.
    """

    words: _Words
    before: int
    near: NDArray[np.bool_]
    rows: NDArray[np.bool_]


@part
def _leads_to(near: NDArray[np.bool_], base: NDArray[np.int32], a: int) -> bool:
    """Return whether a move leads from row `a` to one of some rows."""
    leads = False
    for m in range(base.shape[0]):
        leads |= base[m, a] >= 0 and near[base[m, a]]
    return leads


_FINDING = (
    *_STEP[:4],
    named(
        Found,
        words=types.uint64[::1],
        before=types.int64,
        near=read_only(types.boolean, 1),
        rows=types.boolean[::1],
    ),
    *_STEP[4:],
)


@kernel(*_FINDING, at_start=True)
def pull(  # noqa: PLR0912  # the inner loops
    space: SpaceArrays,
    sides: Sides,
    words: _Words,
    entries: _Words,
    found: Found,
    side: int,
    clear: bool,
    first: int,
    last: int,
) -> int:
    """Find the unseen states of a parity in rows `first` to `last` with a seen neighbour; return their number.

    Entries are as in `_push`. Several threads may process different rows at once, though two rows can have states in
    one word.
    """
    base, fibre, counts, steps = space.base, space.fibre, space.counts, np.empty((len(space.base), 2), np.int64)
    into, before, near, rows = found
    parity, colours, mixed = sides.rows, sides.fibre, len(sides.fibre) > 0
    width = fibre.shape[1]
    symmetries, acts, images = space.symmetries, len(space.symmetries.images) > 0, np.empty(64, np.uint32)
    total = np.int64(0)
    for a in range(first, last):
        odd = parity[a] ^ side
        if (odd and not mixed) or not _leads_to(near, base, a):
            continue
        read_row(space, a, steps)
        begin, new = a * width, np.int64(0)
        for w in range(begin >> 6, (begin + width + 63) >> 6):
            mask = _of_parity(colours, w, begin, begin + width, odd)
            unseen = words[w] & mask
            if not unseen:
                continue
            new_bits, there = np.uint64(0), 64 * w - begin
            ahead = min(there + _AHEAD, width - 1)
            for m in range(len(steps)):
                start, act = steps[m, 0], fibre[steps[m, 1]]
                if start < 0:
                    continue
                image = symmetries.images[symmetries.numbers[m, a]] if acts else act
                prefetch(words, (start + np.int64(act[image[ahead] if acts else ahead])) >> 6)
                target, left = np.uint64(start), np.uint64(0)
                if mask == _ALL and count_ones(unseen) > _FEW:
                    of_word = act[there : there + 64]
                    if acts:
                        for place in range(64):
                            images[place] = act[image[there + place]]
                        of_word = images
                    for place in range(64):
                        k = np.uint64(place)  # an index that cannot be negative needs no check
                        rank = target + np.uint64(of_word[k])
                        left |= (words[rank >> _SHIFT] >> (rank & _PLACE) & _ONE) << k
                else:
                    bits = unseen
                    while bits:
                        k = trailing_zeros(bits)
                        b = there + np.int64(k)
                        rank = target + np.uint64(act[image[b] if acts else b])
                        left |= (words[rank >> _SHIFT] >> (rank & _PLACE) & _ONE) << k
                        bits &= bits - _ONE
                new_bits |= unseen & ~left
                unseen &= left
                if not unseen:
                    break
            if new_bits:
                fetch_and(into, w - before, ~new_bits)
                _clear(entries, w, new_bits, clear)
                new += np.int64(count_ones(new_bits))
        rows[a] |= new > 0
        total += new * np.int64(counts[a])
    return int(total)


def count_by_parity(
    space: StateSpace,
    starts: Ranks = 0,
    progress: Progress | None = None,
    workers: int | None = None,
    checkpointer: Checkpointer | None = None,
) -> Levels:
    """Return the number of states at each depth, the least number of moves to a start.

    Args:
        space: the state space; every move must cost 1 and change a parity, and have an inverse if moves lead to images
            of states under symmetries.
        starts: ranks of the states at depth 0, which are of one parity, or the rank if there is one.
        progress: called once a depth, from this thread.
        workers: number of threads; by default one for each processor. The result does not depend on it.

    Returns:
        uint8 (bytes,): a bit for each state in words of 64, the first in the lowest bit, set if no start can be
        reached; and the number of states of the puzzle at each depth, from 0.

    Raises:
        ValueError: the space is unsuitable, starts are not ranks or have both parities, the number of workers is
            invalid, or a depth is over 254.

    >>> ring = StateSpace(np.array([[1, 2, 3, 0], [3, 0, 1, 2]]), np.zeros((2, 4), np.int32),
    ...     np.array([[0]], np.uint32), mutual=True)
    >>> count_by_parity(ring)[1]
    (1, 2, 1)
    """
    if (space.leads_to_images and not space.mutual) or not space.has_unit_costs:
        raise ValueError("one bit a state is enough where moves cost 1, and have inverses up to symmetry")
    colouring, ranks = _require_colouring(space, starts), start_ranks(space, starts)
    levels = (checkpointer and checkpointer.begun()) or (unseen_table(space, ranks, bits=1), (space.number_of(ranks),))
    return _enumerate(space, colouring, ranks, levels, np.empty(0, np.uint64), progress, workers, checkpointer)


def enumerate_bits(
    space: StateSpace,
    starts: Ranks = 0,
    progress: Progress | None = None,
    workers: int | None = None,
    checkpointer: Checkpointer | None = None,
) -> Levels:
    """Return the higher bit of the depth modulo 4 of every state; the lower bit is its parity.

    Args:
        space: the state space, as for `count_by_parity`; a start must be reachable from all states.
        starts: ranks of the states at depth 0, which are of one parity, or the rank if there is one.
        progress: called once a depth, from this thread.
        workers: number of threads; by default one for each processor. The result does not depend on it.

    Returns:
        uint8 (bytes,): the table, a bit for each state in words of 64, the first in the lowest bit, the last word
        padded with 1; and the number of states of the puzzle at each depth, from 0.

    >>> ring = StateSpace(np.array([[1, 2, 3, 4, 5, 0], [5, 0, 1, 2, 3, 4]]), np.zeros((2, 6), np.int32),
    ...     np.array([[0]], np.uint32), mutual=True)
    >>> table, counts = enumerate_bits(ring)
    >>> f"{table[0]:08b}", counts
    ('11011100', (1, 2, 2, 1))
    """
    colouring, ranks = require_parity(space, starts), start_ranks(space, starts)
    seen = unseen_table(space, ranks, bits=1)
    levels = (checkpointer and checkpointer.begun()) or (np.concatenate([seen, seen]), (space.number_of(ranks),))
    entries = levels[0][len(seen) :]
    whole, counts = _enumerate(
        space, colouring, ranks, levels, entries.view(np.uint64), progress, workers, checkpointer
    )
    if sum(counts) != space.counted:
        raise ValueError("a table with one bit a state has no entry for states from which no start can be reached")
    return whole[len(seen) :], counts


def require_parity(space: StateSpace, starts: Ranks) -> Colouring:
    """Return the parity that every move of a space changes.

    Raises:
        ValueError: there is none, starts have both parities, or a move has no inverse or costs other than 1.
    """
    require_recoverable(space)
    return _require_colouring(space, starts)


def _require_colouring(space: StateSpace, starts: Ranks) -> Colouring:
    colouring = common_parity(space, starts)
    if colouring is None:
        raise ValueError("one bit a state is enough where every move changes its parity, and all starts have the same")
    return colouring


def _enumerate(
    space: StateSpace,
    colouring: Colouring,
    ranks: NDArray[np.int64],
    levels: Levels,
    entries: _Words,
    progress: Progress | None,
    workers: int | None,
    checkpointer: Checkpointer | None,
) -> Levels:
    """Advance level by level; `entries` are those of a table, if one is made."""
    side = int(colouring.parities(ranks[:1]).sum())
    of_rows, odd = space.count_of_rows, int(colouring.fibre.sum())
    arrays, sides = arrays_of(space, symmetries=True), Sides(colouring.rows, packed_colours(colouring.fibre))
    backward = arrays if space.mutual else arrays_of(space.reversed())
    alike, other = (int(of_rows[colouring.rows == each].sum(dtype=np.int64)) for each in range(2))
    states = [alike * (space.width - odd) + other * odd, alike * odd + other * (space.width - odd)]
    words = levels[0][: -(-space.states // 64) * 8].view(np.uint64)
    found = Found(words, 0, np.ones(space.rows, np.bool_), np.empty(space.rows, np.bool_))
    at_most = max(1, min(space.rows // _PARTS, _PART // space.width))
    with (
        Workers(space.rows, workers, at_most, space.states) as pool,
        Workers(space.symmetric, workers, at_most, space.symmetric * space.width) as symmetric,
    ):

        def advance(counts: Sequence[int]) -> int:
            here = side ^ (len(counts) - 1) & 1
            seen, unseen = sum(counts[-1::-2]), states[1 - here] - sum(counts[-2::-2])
            clear = len(entries) > 0 and len(counts) & 2 == 0

            def pulled(pool: Workers) -> int:
                about = arrays, sides, words, entries, found, 1 - here, clear
                return sum(pool.run(lambda first, last: pull(*about, first, last)))

            if _DEARER * seen < unseen:
                about = backward, sides, words, entries, here, clear
                return sum(pool.run(lambda first, last: _push(*about, first, last))) + pulled(symmetric)
            return pulled(pool)

        return each_level(levels, advance, progress, checkpointer)


def packed_colours(fibre: NDArray[np.uint8]) -> _Words:
    """Return the parities of a fibre as bits, with a word before and two after them; none if all are 0."""
    if not fibre.any():
        return np.empty(0, np.uint64)
    bits = np.zeros(64 * (-(-len(fibre) // 64) + 3), np.uint8)
    bits[64 : 64 + len(fibre)] = fibre
    return np.packbits(bits, bitorder="little").view(np.uint64)
