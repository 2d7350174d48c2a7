"""Kernels of enumerations: they find the states at a depth from nearer ones (numba).

To push is to follow moves from the newest states; to pull, from unseen states to nearer ones. An entry has a byte or
two bits, a constant of each kernel. A byte is the depth of a state, 255 while it is unseen. Two bits are the depth
modulo 3, 3 while it is unseen, 32 in a word of 64 bits, the first in its lowest bits.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings.entries import UNREACHED
from cubesolve.encodings.space_arrays import SpaceArrays, acted_on, read_row
from cubesolve.runtime.instructions import fetch_and, prefetch, trailing_zeros
from cubesolve.runtime.kernel_arrays import Array1, Read1
from cubesolve.runtime.kernels import kernel, part
from cubesolve.spaces.tables import UNREACHABLE

_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_LOW = np.uint64(0x5555555555555555)  # the lower bit of every entry of a word
_ONE = np.uint64(1)
_LINE_WORDS = 8  # words that are prefetched at once


class Entries(NamedTuple):
    """The entries of a table: its bytes, and if an entry has two bits, the same memory as words."""

    table: Array1[np.uint8]
    words: Array1[np.uint64]


class Look(NamedTuple):
    """What is looked for in a step of a search."""

    near: int  # the entry of nearer states
    there: int  # the entry of the states that are found
    cost: int  # the cost of the moves between them
    rows: Read1[np.bool_]  # if states are pulled, whether each row may have nearer ones


@part
def _entry(bits: int, table: NDArray[np.uint8], rank: np.int64) -> Any:
    return table[rank] if bits == 8 else table[rank >> 2] >> np.uint8(2 * (rank & 3)) & np.uint8(3)


@part
def _mark(words: NDArray[np.uint64], rank: np.int64, entry: int) -> Any:
    """Replace an entry of two bits if it is unseen, also where several threads do; return whether it was unseen."""
    shift = np.uint64(2 * (rank & 31))
    before = fetch_and(words, rank >> 5, ~(np.uint64(3 ^ entry) << shift)) >> shift
    return before & before >> _ONE & _ONE


@part
def list_entries(
    bits: int, entries: Entries, entry: int, first: int, last: int, offsets: NDArray[np.uint32]
) -> np.int64:
    """List the ranks `first` to `last` with an entry, as offsets from `first`; return their number."""
    table, words = entries
    count = np.int64(0)
    if bits == 8:
        row, byte, some = table[first:last], np.uint8(entry), False
        for b in range(len(row)):
            some |= row[b] == byte
        for b in range(len(row) if some else 0):
            offsets[count] = b
            count += np.int64(row[b] == byte)
        return count
    pattern = _LOW * np.uint64(entry)
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


@part
def _begin_to_load(words: NDArray[np.uint64], steps: NDArray[np.int64], width: int) -> None:
    """Prefetch the entries after the moves from a row."""
    for m in range(len(steps)):
        if steps[m, 0] >= 0:
            for w in range(steps[m, 0] >> 5, min((steps[m, 0] + width) >> 5, len(words)), _LINE_WORDS):
                prefetch(words, w)


@kernel(at_start=True)
def find_rows(
    bits: int, entries: Entries, entry: int, width: int, rows: Array1[np.bool_], first: int, last: int
) -> int:
    """Find which of the rows `first` to `last` have an entry; return their number."""
    listed, total = np.empty(width, np.uint32), 0
    for a in range(first, last):
        rows[a] = list_entries(bits, entries, entry, a * width, (a + 1) * width, listed) > 0
        total += rows[a]
    return total


@part
def _push(bits: int, space: SpaceArrays, entries: Entries, look: Look, first: int, last: int) -> int:
    """Find the unseen states to which moves of a cost lead from nearer ones in rows `first` to `last`."""
    # The arrays must be those of the reversed space. With two bits, states that are nearer by more than the cost can
    # have the same entry, but all their neighbours have been seen. If several threads find the same state, one counts
    # it. Bytes are not counted here.
    (table, words), near, there, cost = entries, look.near, look.there, look.cost
    base, fibre, costs, counts = space.base, space.fibre, space.costs, space.counts
    steps, width = np.empty((len(base), 2), np.int64), fibre.shape[1]
    newest, reached, images = np.empty(width, np.uint32), np.empty(width, np.uint32), np.empty(width, np.uint32)
    total = np.int64(0)
    for a in range(first, last):
        count = list_entries(bits, entries, near, a * width, (a + 1) * width, newest)
        if count == 0:
            continue
        read_row(space, a, steps)
        if bits == 2:
            _begin_to_load(words, steps, width)
        for m in range(base.shape[0]):
            if base[m, a] < 0 or costs[m] != cost:
                continue
            start, act = steps[m, 0], fibre[steps[m, 1]]
            states = acted_on(space.symmetries, m, a, newest, count, images)
            if bits == 8:  # threads may write the same value to one place
                target = table[start:]
                for i in range(count):
                    b = act[states[i]]
                    target[b] = min(target[b], np.uint8(there))
                continue
            unseen, new = np.int64(0), np.int64(0)
            for i in range(count):
                step = act[states[i]]
                reached[unseen] = step
                unseen += np.int64(_entry(bits, table, start + np.int64(step)) == UNREACHED)
            for i in range(unseen):
                new += np.int64(_mark(words, start + np.int64(reached[i]), there))
            total += new * np.int64(counts[base[m, a]])
    return int(total)


@kernel(at_start=True)
def push_bytes(space: SpaceArrays, entries: Entries, look: Look, first: int, last: int) -> int:
    """Find states from nearer ones in some rows, with a byte per entry; return 0."""
    return _push(8, space, entries, look, first, last)


@kernel(at_start=True)
def push_mod3(space: SpaceArrays, entries: Entries, look: Look, first: int, last: int) -> int:
    """Find states from nearer ones in some rows, with two bits per entry; return their number."""
    return _push(2, space, entries, look, first, last)


@part
def _pull(bits: int, space: SpaceArrays, entries: Entries, look: Look, first: int, last: int) -> int:
    """Find the unseen states in rows `first` to `last` from which moves of a cost lead to nearer ones."""
    (table, words), near, there, cost, rows = entries, look.near, look.there, look.cost, look.rows
    base, fibre, costs, counts = space.base, space.fibre, space.costs, space.counts
    steps, width, wanted = np.empty((len(base), 2), np.int64), fibre.shape[1], np.uint8(near)
    unseen, reached, images = np.empty(width, np.uint32), np.empty(width, np.uint32), np.empty(width, np.uint32)
    total = np.int64(0)
    for a in range(first, last):
        leads = False
        for m in range(base.shape[0]):
            leads |= base[m, a] >= 0 and costs[m] == cost and rows[base[m, a]]
        count = np.int64(0)
        if leads:
            count = list_entries(bits, entries, (1 << bits) - 1, a * width, (a + 1) * width, unseen)
        if count == 0:
            continue
        read_row(space, a, steps)
        if bits == 2:
            _begin_to_load(words, steps, width)
        number = np.int64(0)
        for m in range(base.shape[0]):
            if base[m, a] < 0 or costs[m] != cost or not rows[base[m, a]]:
                continue
            start, act = steps[m, 0], fibre[steps[m, 1]]
            states = acted_on(space.symmetries, m, a, unseen, count, images)
            left = np.int64(0)
            for i in range(count):
                b = unseen[i]
                is_near = _entry(bits, table, start + np.int64(act[states[i]])) == wanted
                reached[number] = b
                number += np.int64(is_near)
                unseen[left] = b
                left += np.int64(not is_near)
            count = left
            if count == 0:
                break
        for i in range(number):
            rank = a * width + np.int64(reached[i])
            if bits == 8:
                table[rank] = there
            else:
                _mark(words, rank, there)
        total += number * np.int64(counts[a])
    return int(total)


@kernel(at_start=True)
def pull_bytes(space: SpaceArrays, entries: Entries, look: Look, first: int, last: int) -> int:
    """Find states in some rows that lead to nearer ones, with a byte per entry; return their number."""
    return _pull(8, space, entries, look, first, last)


@kernel(at_start=True)
def pull_mod3(space: SpaceArrays, entries: Entries, look: Look, first: int, last: int) -> int:
    """Find states in some rows that lead to nearer ones, with two bits per entry; return their number."""
    return _pull(2, space, entries, look, first, last)


@kernel(at_start=True)
def write_depth(
    entries: Entries,
    first_rows: Read1[np.int64],
    least: Array1[np.uint8],
    width: int,
    depth: int,
    first: int,
    last: int,
) -> int:
    """Write the current depth for sets `first` to `last`, where nothing is written yet and a row has a state there."""
    # States of smaller depth can have the same entry, but the depths of their sets are written already.
    states = np.empty(width, np.uint32)
    for a in range(first, last):
        for row in range(first_rows[a], first_rows[a + 1]):
            for i in range(list_entries(2, entries, depth % 3, row * width, (row + 1) * width, states)):
                b = a * width + np.int64(states[i])
                if least[b] == UNREACHABLE:
                    least[b] = depth
    return 0
