"""Enumeration in shards: one shard of the rows here, the others elsewhere.

Entries are those of mod-3 tables. Shards send each other which entries of a *window*, a range of ranks within one
shard, are neighbours of some states of another shard: these are *marked* by one bit for each. A word of marks is about
two words of the table: the bit is at the position of the lower bit of the entry, for the second word shifted by one.

If the states are the newest ones, their neighbours are seen. If they are unseen, their neighbours are *asked about*:
the reply has those that are new, and the states that have such a neighbour are seen.
"""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings.entries import UNREACHED, WORD_ENTRIES
from cubesolve.encodings.enumeration import unseen_table
from cubesolve.encodings.kernels import Entries, find_rows, list_entries
from cubesolve.encodings.space_arrays import SpaceArrays, acted_on, arrays_of, read_row
from cubesolve.encodings.zstd import zstd
from cubesolve.runtime.instructions import count_ones, fetch_and, trailing_zeros
from cubesolve.runtime.kernel_arrays import Array1, Read1
from cubesolve.runtime.kernels import kernel
from cubesolve.spaces.rows import slices
from cubesolve.spaces.space import FibreSymmetries, StateSpace

_WORD = 64  # entries about which a word of marks is
_ONE = np.uint64(1)
_LOW = np.uint64(0x5555555555555555)  # the lower bit of every entry of a word
_AT_ONCE = 1 << 14  # words of marks

_Words = NDArray[np.uint64]


class Window(NamedTuple):
    """A range of ranks within one shard."""

    shard: int  # the number of the shard
    first: int  # the first rank
    last: int  # the rank after the last


def bounds_of(space: StateSpace, shards: int) -> list[int]:
    """Return the first row of each shard, and the number of rows; no shard is empty.

    Words of the table belong to one shard only.

    >>> bounds_of(StateSpace(np.zeros((1, 10), np.int64), np.zeros((1, 10), np.int32), np.zeros((1, 16), np.uint32)), 3)
    [0, 4, 8, 10]
    """
    step = _WORD // math.gcd(_WORD, space.width)
    steps = -(-space.rows // step)
    shards = min(shards, steps)
    return [steps * shard // shards * step for shard in range(shards)] + [space.rows]


def windows_of(space: StateSpace, bounds: list[int], entries: int) -> list[Window]:
    """Return all windows, each with at most a number of entries: the first of each shard, then the second of each."""
    size, width = max(entries // _WORD, 1) * _WORD, space.width
    firsts = itertools.zip_longest(
        *(range(first * width, last * width, size) for first, last in itertools.pairwise(bounds))
    )
    return [
        Window(shard, first, min(first + size, bounds[shard + 1] * width))
        for by_shard in firsts
        for shard, first in enumerate(by_shard)
        if first is not None
    ]


def part_of(space: StateSpace, first: int, last: int) -> StateSpace:
    """Return the rows of a shard; moves lead to the rows of the whole space."""
    base, action, counts = space.base[:, first:last], space.action[:, first:last], space.count_of_rows[first:last]
    offsets = None if space.offsets is None else space.offsets[:, first:last].copy()
    symmetric, symmetries = min(max(space.symmetric - first, 0), last - first), space.symmetries
    if symmetries is not None:
        symmetries = FibreSymmetries(symmetries.numbers[:, first:last].copy(), symmetries.images)
    return StateSpace(
        base.copy(), action.copy(), space.fibre, space.mutual, space.costs, counts, symmetric, symmetries, offsets
    )


# -- Kernels -----------------------------------------------------------------------------------------------------------


class _Sources(NamedTuple):
    """The states of a shard whose neighbours are to be found."""

    entries: Entries  # those of the shard
    rows: Array1[np.bool_]  # (rows,): the rows with any
    spans: Read1[np.int64]  # (actions,): one more than the largest number that each action adds to a rank
    entry: int  # their entry
    cost: int  # the cost of the moves to neighbours


@kernel()
def _look(space: SpaceArrays, sources: _Sources, first: int, last: int, marks: Array1[np.uint64], depth: int) -> int:
    """Mark neighbours of sources in a window, or give a depth from 0 to those with a marked one; return the number."""
    fibre, costs, counts, steps = space.fibre, space.costs, space.counts, np.empty((len(space.base), 2), np.int64)
    rows, spans, cost = sources.rows, sources.spans, sources.cost
    width, words, clear = fibre.shape[1], sources.entries.words, np.uint64(3 ^ depth % 3)
    listed, images, total = np.empty(width, np.uint32), np.empty(width, np.uint32), np.int64(0)
    for a in range(len(rows)):
        if not rows[a]:
            continue
        count = np.int64(-1)
        read_row(space, a, steps)
        for m in range(len(steps)):
            start, number = steps[m, 0], steps[m, 1]
            if start < 0 or costs[m] != cost or start >= last or start + spans[number] <= first:
                continue
            if count < 0:
                count = list_entries(2, sources.entries, sources.entry, a * width, (a + 1) * width, listed)
            act, states = fibre[number], acted_on(space.symmetries, m, a, listed, count, images)
            for i in range(count):
                place = start + np.int64(act[states[i]]) - first
                if not 0 <= place < last - first:
                    continue
                mark = _ONE << np.uint64(2 * (place & 31) + (place >> 5 & 1))
                is_marked = marks[place >> 6] & mark != 0
                if depth < 0:
                    total += np.int64(not is_marked)
                    marks[place >> 6] |= mark
                elif is_marked:
                    rank = a * width + np.int64(listed[i])
                    shift = np.uint64(2 * (rank & 31))
                    before = fetch_and(words, rank >> 5, ~(clear << shift)) >> shift
                    total += np.int64(before & before >> _ONE & _ONE) * np.int64(counts[a])
    return int(total)


@kernel()
def _see(
    marks: Read1[np.uint64], counts: Read1[np.uint8], words: Array1[np.uint64], depth: int, width: int, start: int
) -> int:
    """Assign a depth to the unseen entries from word `start` on that are marked; return their number."""
    clear = np.uint64(3 ^ depth % 3)
    total = np.int64(0)
    for w in range(start, min(start + 2 * len(marks), len(words))):
        new = words[w] & words[w] >> _ONE & marks[(w - start) >> 1] >> np.uint64(w & 1) & _LOW
        if new == 0:
            continue
        words[w] ^= new * clear
        a = 32 * w // width
        if 32 * w + 32 <= (a + 1) * width:
            total += np.int64(count_ones(new)) * np.int64(counts[a])
        else:
            while new:
                total += np.int64(counts[(32 * w + np.int64(trailing_zeros(new) >> _ONE)) // width])
                new &= new - _ONE
    return int(total)


# -- Packets -----------------------------------------------------------------------------------------------------------


def pack(marks: _Words, count: int) -> bytes:
    """Return a packet with the marks of a window, of which there are a number: nothing if there are none.

    >>> marks = np.zeros(1000, np.uint64)
    >>> marks[7] = 5
    >>> again = np.zeros(1000, np.uint64)
    >>> unpack(pack(marks, 2), again)
    >>> bool((again == marks).all()), pack(again, 0)
    (True, b'')
    """
    return zstd.compress(marks.view(np.uint8).data, level=1) if count else b""


def unpack(packet: bytes, marks: _Words) -> None:
    """Add the marks of a packet."""
    if packet:
        marks |= np.frombuffer(zstd.decompress(packet), np.uint64)


# -- Shards ------------------------------------------------------------------------------------------------------------


class Shard:
    """The entries of some rows.

    Threads may process different windows at once: entries change only from unseen to the depth that is looked for.

    Attributes:
        table: uint8 (bytes,): the entries; the tables of all shards side by side are one table.
        first: the rank of the first entry.
    """

    def __init__(self, part: StateSpace, first: int, windows: list[Window], starts: NDArray[np.int64]) -> None:
        """Start from depth 0."""
        self._arrays = arrays_of(part, symmetries=True)
        self._counts, self._width, self.first = part.count_of_rows, part.width, first
        own = starts[(starts >= first) & (starts < first + part.states)] - first
        self.table = unseen_table(part, own)
        self._words = self.table.view(np.uint64)
        self._windows, self._symmetric = windows, part.symmetric
        spans, rows = part.fibre.max(axis=1).astype(np.int64) + 1, np.zeros(part.rows, np.bool_)
        self._sources = _Sources(Entries(self.table, self._words), rows, spans, 0, 0)

    def look_from(self, depth: int, cost: int, seen: bool, everywhere: bool) -> int:
        """Select the sources: the newest states at a depth, or those unseen that may have it; return their rows.

        Args:
            seen: whether the states are seen.
            everywhere: whether all rows have sources, or those only that symmetries map to themselves.
        """
        entry, rows = depth % 3 if seen else UNREACHED, self._sources.rows
        self._sources = self._sources._replace(entry=entry, cost=cost)
        rows[:] = False
        last = len(rows) if everywhere else self._symmetric
        return find_rows(2, self._sources.entries, entry, self._width, rows, 0, last)

    def send(self, number: int) -> bytes:
        """Return which entries of a window are neighbours of the sources, as a packet."""
        marks = self._no_marks(number)
        return pack(marks, self._look(number, marks))

    def see(self, number: int, packets: list[bytes], depth: int) -> tuple[int, int]:
        """Assign a depth to states of a window that are reached, here or in packets; return their number, and bytes."""
        marks = self._no_marks(number)
        self._look(number, marks)
        for packet in packets:
            unpack(packet, marks)
        count = _see(marks, self._counts, self._words, depth, self._width, self._first_word(number))
        return count, sum(map(len, packets))

    def answer(self, number: int, packet: bytes, depth: int) -> tuple[bytes, int]:
        """Return as a packet the entries that another asks about, if seen at a depth; and the bytes of that packet."""
        marks = self._no_marks(number)
        unpack(packet, marks)
        return pack(marks, self._keep(number, marks, depth)), len(packet)

    def see_sources(self, number: int, reply: tuple[bytes, int], depth: int) -> tuple[int, int]:
        """Assign a depth to the sources with a neighbour that the reply about a window has; return as `see`."""
        marks = self._no_marks(number)
        unpack(reply[0], marks)
        return self._look(number, marks, depth), len(reply[0]) + reply[1]

    def see_own_sources(self, number: int, near: int, depth: int) -> tuple[int, int]:
        """Assign a depth to the sources with a neighbour in a window of this shard that is seen at the depth `near`."""
        marks = ~self._no_marks(number)
        self._keep(number, marks, near)
        return self._look(number, marks, depth), 0

    def _keep(self, number: int, marks: _Words, depth: int) -> int:
        """Keep the marks of the entries of a window that are seen at a depth; return their number."""
        start, pattern = self._first_word(number), _LOW * np.uint64(depth % 3)
        for part in slices(len(marks), 1, _AT_ONCE):
            different = self._words[start + 2 * part.start : start + 2 * part.stop] ^ pattern
            same = ~(different | different >> _ONE) & _LOW
            kept = same[::2].copy()
            kept[: len(same) // 2] |= same[1::2] << _ONE
            marks[part] &= kept
        return int(np.bitwise_count(marks).sum())

    def _look(self, number: int, marks: _Words, depth: int = -1) -> int:
        window = self._windows[number]
        return _look(self._arrays, self._sources, window.first, window.last, marks, depth)

    def _first_word(self, number: int) -> int:
        """Return the place of the first word of a window of this shard."""
        return (self._windows[number].first - self.first) // WORD_ENTRIES

    def _no_marks(self, number: int) -> _Words:
        window = self._windows[number]
        return np.zeros(-(-(window.last - window.first) // _WORD), np.uint64)
