"""Kernels of enumerations: they find the states at a depth from nearer ones (numba).

To push is to follow moves from the newest states; to pull, from unseen states to nearer ones. A byte is the depth of
an entry, 255 while it is unseen; the bytes of a depth are counted afterwards. Two bits are the depth modulo 3, 3 while
an entry is unseen, 32 in a word of 64 bits, the first in its lowest bits; these are counted as they are found.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings.entries import UNREACHED
from cubesolve.encodings.space_arrays import SpaceArrays, acted_on, read_row
from cubesolve.runtime.instructions import fetch_and, prefetch, trailing_zeros
from cubesolve.runtime.kernel_arrays import Array1, Read1
from cubesolve.runtime.kernels import inlined, kernel
from cubesolve.spaces.tables import UNREACHABLE

# -- A byte per entry --------------------------------------------------------------------------------------------------


@kernel(at_start=True)
def advance_bytes(  # noqa: PLR0912  # one loop over rows, which pushes or pulls
    space: SpaceArrays,
    depths: Array1[np.uint8],
    near: Read1[np.bool_],
    next_depth: int,
    cheapest: int,
    dearest: int,
    pull: bool,
    first: int,
    last: int,
) -> int:
    """Find states at `next_depth` from nearer ones, by moves of costs in a range, for rows `first` to `last`.

    If pushing, the neighbours of the states of these rows are marked: the arrays must be those of the reversed space.
    If pulling, the unseen states of these rows with such a neighbour are marked; only `near` rows have any, unless that
    is empty. Several threads may process different rows at once: if two write to one place, they write the same value.

    The costs are at most `next_depth`. The states of a row are listed once for all of them, and copied where the cost
    of a move differs from that of the one before.
    """
    base, fibre, costs = space.base, space.fibre, space.costs
    steps = np.empty((len(base), 2), np.int64)
    width, there = fibre.shape[1], np.uint8(next_depth)
    lists = 0 if pull or cheapest == dearest else dearest + 1  # of states, one for each cost
    chosen, of_cost = np.empty(width, np.uint32), np.empty((lists, width), np.uint32)
    images, count_of = np.empty(width, np.uint32), np.empty(lists, np.int64)
    least = np.uint8(UNREACHABLE if pull else next_depth - dearest)  # the depths of the states that are listed
    span = np.uint8(0 if pull else next_depth - cheapest - least)
    for a in range(first, last):
        row = depths[a * width : (a + 1) * width]
        any_wanted = np.uint8(0)
        for b in range(width):
            any_wanted |= np.uint8(np.uint8(row[b] - least) <= span)
        if not any_wanted:
            continue
        count = np.int64(0)
        for b in range(width):
            chosen[count] = b
            count += np.int64(np.uint8(row[b] - least) <= span)
        for number in range(lists):
            count_of[number] = 0
        for i in range(count if lists else 0):
            number = next_depth - int(row[chosen[i]])
            of_cost[number, count_of[number]] = chosen[i]
            count_of[number] += 1
        listed = np.int64(-1)
        read_row(space, a, steps)
        for m in range(len(steps)):
            cost = np.int64(costs[m])
            if steps[m, 0] < 0 or cost < cheapest or cost > dearest or (len(near) and not near[base[m, a]]):
                continue
            if lists and cost != listed:
                listed, count = cost, count_of[cost]
                for i in range(count):
                    chosen[i] = of_cost[cost, i]
            target, act = depths[steps[m, 0] :], fibre[steps[m, 1]]
            if pull:
                left, here = np.int64(0), np.uint8(next_depth - cost)
                states = acted_on(space.symmetries, m, a, chosen, count, images)
                for i in range(count):
                    b = chosen[i]
                    found = target[act[states[i]]] == here
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


# -- Two bits per entry ------------------------------------------------------------------------------------------------

_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_LOW = np.uint64(0x5555555555555555)  # the lower bit of every entry of a word
_ONE, _THREE = np.uint64(1), np.uint64(3)
_LINE_WORDS = 8  # words that are prefetched at once

_Words = NDArray[np.uint64]  # the table


@inlined
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


@inlined
def _begin_to_load(words: _Words, steps: NDArray[np.int64], width: int) -> None:
    """Prefetch the entries after the moves from a row."""
    for m in range(len(steps)):
        if steps[m, 0] >= 0:
            for w in range(steps[m, 0] >> 5, min((steps[m, 0] + width) >> 5, len(words)), _LINE_WORDS):
                prefetch(words, w)


@kernel(at_start=True)
def find_rows(words: Read1[np.uint64], entry: int, width: int, rows: Array1[np.bool_], first: int, last: int) -> int:
    """Find which of the rows `first` to `last` have an entry; return their number."""
    listed, total = np.empty(width, np.uint32), 0
    for a in range(first, last):
        rows[a] = list_entries(words, entry, a * width, (a + 1) * width, listed) > 0
        total += rows[a]
    return total


@kernel(at_start=True)
def push_mod3(space: SpaceArrays, words: Array1[np.uint64], depth: int, cost: int, first: int, last: int) -> int:
    """Find the unseen states at `depth` to which moves of a cost lead from rows `first` to `last`; return their number.

    The arrays must be those of the reversed space. States that are nearer by more than the cost can have the same
    entry, but all their neighbours have been seen. Several threads may process different rows at once: if several find
    the same state, one counts it.
    """
    base, fibre, costs, counts = space.base, space.fibre, space.costs, space.counts
    steps, width = np.empty((len(base), 2), np.int64), fibre.shape[1]
    newest, found, images = np.empty(width, np.uint32), np.empty(width, np.uint32), np.empty(width, np.uint32)
    clear = np.uint64(3 ^ depth % 3)
    total = np.int64(0)
    for a in range(first, last):
        count = list_entries(words, (depth - cost) % 3, a * width, (a + 1) * width, newest)
        if count == 0:
            continue
        read_row(space, a, steps)
        _begin_to_load(words, steps, width)
        for m in range(base.shape[0]):
            if base[m, a] < 0 or costs[m] != cost:
                continue
            start, act = steps[m, 0], fibre[steps[m, 1]]
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
            total += new * np.int64(counts[base[m, a]])
    return int(total)


@kernel(at_start=True)  # fmt: skip
def pull_mod3(
    space: SpaceArrays, words: Array1[np.uint64], near: Read1[np.bool_], depth: int, cost: int, first: int, last: int
) -> int:
    """Find the unseen states at `depth` in rows `first` to `last`, from which moves of a cost lead to nearer ones.

    Only `near` rows have such. Several threads may process different rows at once, though two rows can have entries in
    one word.
    """
    base, fibre, costs, counts = space.base, space.fibre, space.costs, space.counts
    steps, width = np.empty((len(base), 2), np.int64), fibre.shape[1]
    unseen, found, images = np.empty(width, np.uint32), np.empty(width, np.uint32), np.empty(width, np.uint32)
    clear, wanted = np.uint64(3 ^ depth % 3), np.uint64((depth - cost) % 3)
    total = np.int64(0)
    for a in range(first, last):
        leads = False
        for m in range(base.shape[0]):
            leads |= base[m, a] >= 0 and costs[m] == cost and near[base[m, a]]
        count = list_entries(words, UNREACHED, a * width, (a + 1) * width, unseen) if leads else np.int64(0)
        if count == 0:
            continue
        read_row(space, a, steps)
        _begin_to_load(words, steps, width)
        number = np.int64(0)
        for m in range(base.shape[0]):
            if base[m, a] < 0 or costs[m] != cost or not near[base[m, a]]:
                continue
            start, act = steps[m, 0], fibre[steps[m, 1]]
            states = acted_on(space.symmetries, m, a, unseen, count, images)
            left = np.int64(0)
            for i in range(count):
                b = unseen[i]
                rank = start + np.int64(act[states[i]])
                is_near = words[rank >> 5] >> np.uint64(2 * (rank & 31)) & _THREE == wanted
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


@kernel(at_start=True)
def write_depth(
    words: Read1[np.uint64],
    first_rows: Read1[np.int64],
    least: Array1[np.uint8],
    width: int,
    depth: int,
    first: int,
    last: int,
) -> int:
    """Write the current depth for sets `first` to `last`, where nothing is written yet and a row has a state there.

    States of smaller depth can have the same entry, but the depths of their sets are written already.
    """
    found = np.empty(width, np.uint32)
    for a in range(first, last):
        for row in range(first_rows[a], first_rows[a + 1]):
            for i in range(list_entries(words, depth % 3, row * width, (row + 1) * width, found)):
                b = a * width + np.int64(found[i])
                if least[b] == UNREACHABLE:
                    least[b] = depth
    return 0
