"""Rows of small numbers: sets of distinct rows, lookup in them, and the ranks of orders and sets (numpy)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cubesolve.runtime.deadline import check

Rows = NDArray[Any]
"""Rows of numbers: uint8 or uint16 (N, width)."""

AT_ONCE = 1 << 22
"""The number of numbers that are processed at a time."""

_HALF = np.uint64(32)
_LARGEST_TABLE = 1 << 22


def _odd_words(shape: tuple[int, int]) -> NDArray[np.uint64]:
    """Return odd random numbers from 2^62 to 2^63, always the same."""
    # They are those of ``numpy.random.default_rng(20260601)``, which is PCG64 (M. O'Neill, 2014). Importing
    # `numpy.random` takes 2.5 MB, of a count that may take no more than that otherwise.
    state, step = 0x35663D37ABF8AFDB8CD1839D68BA2E5, 0xB2344B6AF2DC4C222F43BCE85B4F5F33
    words = []
    for _ in range(math.prod(shape)):
        state = (state * 0x2360ED051FC65DA44385DF649FCCF645 + step) & (1 << 128) - 1
        mixed, turn = (state >> 64 ^ state) & (1 << 64) - 1, state >> 122
        words.append((mixed >> turn | mixed << 64 - turn) & (1 << 64) - 1)
    return (np.array(words, np.uint64).reshape(shape) >> np.uint64(2)) | np.uint64(1 << 62 | 1)


_FACTORS = _odd_words((2, 4096))


def hashed(rows: Rows) -> NDArray[np.uint64]:
    """Return a hash of each row, almost surely another for other rows: (..., width) to uint64 (...).

    >>> bool(hashed(np.array([[1, 2]], np.uint8))[0] == hashed(np.array([[2, 1]], np.uint8))[0])
    False
    """
    per_word = 8 // rows.dtype.itemsize
    width = -(-rows.shape[-1] // per_word) * per_word
    if width != rows.shape[-1]:
        padded = np.zeros((*rows.shape[:-1], width), rows.dtype)
        padded[..., : rows.shape[-1]] = rows
        rows = padded
    words = np.ascontiguousarray(rows).view(np.uint64)
    total = np.zeros(words.shape[:-1], np.uint64)
    for i in range(words.shape[-1]):
        mixed = words[..., i] * _FACTORS[0, i]
        mixed ^= mixed >> _HALF
        mixed *= _FACTORS[1, i]
        total += mixed
    return total


def slices(rows: int, width: int, numbers: int = 0) -> Iterator[slice]:
    """Yield slices of rows of a width, each of at most a number of numbers, by default `AT_ONCE`."""
    step = max(1, (numbers or AT_ONCE) // max(width, 1))
    for first in range(0, rows, step):
        check()
        yield slice(first, min(first + step, rows))


def ascending(rows: Rows) -> NDArray[np.int64]:
    """Return the order in which rows ascend.

    >>> ascending(np.array([[1, 0], [0, 2], [0, 1]], np.uint8)).tolist()
    [2, 1, 0]
    """
    return np.lexsort(rows.T[::-1]) if rows.shape[1] else np.arange(len(rows))


class RowIndex:
    """The index of rows in an array of distinct rows.

    >>> index = RowIndex(np.array([[0, 1], [1, 0]], np.uint8))
    >>> index.find(np.array([[1, 0], [1, 1]], np.uint8)).tolist()
    [1, -1]
    """

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        values = [np.flatnonzero(np.bincount(column)) for column in rows.T]
        # the summands of the numbers of each column in an index, and the row of each index; None if these are too many
        self.tables: tuple[NDArray[np.int64], NDArray[np.int32]] | None = None
        if 0 < math.prod(map(len, values)) <= _LARGEST_TABLE:
            # Each number in a column adds to an index of a table; numbers that are in no row lead below its beginning.
            parts = np.full((len(values), int(rows.max(initial=0)) + 2), -_LARGEST_TABLE * len(values), np.int64)
            size = 1
            for part, numbers in zip(parts, values, strict=True):
                part[numbers] = size * np.arange(len(numbers))
                size *= len(numbers)
            table = np.full(size, -1, np.int32)
            table[_indices(parts, rows)] = np.arange(len(rows))
            self.tables = parts, table
            return
        hashes = hashed(rows)
        self._order = np.argsort(hashes, kind="stable")
        self._hashes = hashes[self._order]
        if (self._hashes[1:] == self._hashes[:-1]).any():
            raise AssertionError("two different rows have the same number")
        # A binary search misses the cache many times. About one hash has the first bits of another.
        bits = len(rows).bit_length()
        self._shift = np.uint64(64 - bits)
        firsts = np.arange(1 << bits, dtype=np.uint64) << self._shift
        self._begins = np.searchsorted(self._hashes, firsts).astype(np.int32)

    def find(self, rows: Rows) -> NDArray[np.signedinteger]:
        """Return the numbers of rows (..., width), -1 for unknown ones: int32 from a table, or int64."""
        if self.tables is not None:
            parts, table = self.tables
            numbers = _indices(parts, rows)
            return np.where(numbers < 0, -1, table[np.maximum(numbers, 0)])
        hashes = hashed(rows)
        places = self._searched(hashes.ravel()).reshape(hashes.shape)
        candidates = self._order[places]
        same = self._hashes[places] == hashes
        same &= (self._rows[candidates] == rows).all(axis=-1)
        return np.where(same, candidates, -1)

    def _searched(self, hashes: NDArray[np.uint64]) -> NDArray[np.int32]:
        """Return the places of the first hashes that are not less than others, or of the last one."""
        last = len(self._hashes) - 1
        places: NDArray[np.int32] = np.minimum(self._begins[hashes >> self._shift], last)
        less = np.flatnonzero(self._hashes[places] < hashes)
        while len(less := less[places[less] < last]):
            places[less] += 1
            less = less[self._hashes[places[less]] < hashes[less]]
        return places


def _indices(parts: NDArray[np.int64], rows: Rows) -> NDArray[np.int64]:
    indices = np.zeros(rows.shape[:-1], np.int64)
    for column, part in enumerate(parts):
        indices += part.take(rows[..., column], mode="clip")
    return indices


class RowSet:
    """A set of rows.

    >>> seen = RowSet(np.array([[1], [2]], np.uint8))
    >>> seen.add(np.array([[3], [2], [3]], np.uint8)).tolist(), len(seen)
    ([0], 3)
    >>> seen.has(np.array([[3], [4]], np.uint8)).tolist()
    [True, False]
    """

    def __init__(self, rows: Rows) -> None:
        self.hashes = np.sort(hashed(rows))  # in ascending order

    def __len__(self) -> int:
        return len(self.hashes)

    def has(self, rows: Rows) -> NDArray[np.bool_]:
        """Return which rows are in the set."""
        return self._found(hashed(rows))[1]

    def add(self, rows: Rows) -> NDArray[np.int64]:
        """Add rows; return the index of the first occurrence of each new one, in order."""
        hashes, first = np.unique(hashed(rows), return_index=True)
        places, is_known = self._found(hashes)
        new = ~is_known
        self.hashes = np.insert(self.hashes, places[new], hashes[new])
        return np.sort(first[new])

    def _found(self, hashes: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return the places of hashes in the order of the others, and whether they are there."""
        places = np.searchsorted(self.hashes, hashes)
        return places, (places < len(self.hashes)) & (np.append(self.hashes, 0)[places] == hashes)


def orbit_of(start: Rows, images: Callable[[Rows], Iterable[Rows]], most: int) -> Rows:
    """Return the rows to which images lead from one, level by level, up to the first level with more than `most`."""
    newest = start[None]
    parts, seen = [newest], RowSet(newest)
    while len(newest) and len(seen) <= most:
        check()
        level = len(parts)
        for rows in images(newest):
            parts.append(rows[seen.add(rows)])
        newest = np.concatenate(parts[level:])
    return np.concatenate(parts)


class Numbering:
    """Numbers values, equal ones alike, in the order of their first occurrences.

    >>> [each.tolist() for each in Numbering().add(np.array([7, 5, 7]))]
    [[0, 1], [0, 1, 0]]
    """

    def __init__(self) -> None:
        self._numbers = dict[int, int]()

    def __len__(self) -> int:
        return len(self._numbers)

    def add(self, values: NDArray[np.unsignedinteger]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return where each new value first occurs, and the numbers of all: int32 (N,)."""
        distinct, first, which = np.unique(values, return_index=True, return_inverse=True)
        order, number_of = np.argsort(first), self._numbers
        before, numbers = len(number_of), np.empty(len(distinct), np.int32)
        numbers[order] = [number_of.setdefault(value, len(number_of)) for value in distinct[order].tolist()]
        return first[order][numbers[order] >= before], numbers[which]


def distinguishing_columns(rows: Rows) -> list[int]:
    """Return a few columns that determine each of some distinct rows.

    >>> distinguishing_columns(np.array([[0, 3, 1], [0, 2, 1], [0, 2, 2]], np.uint8))
    [2, 1]
    """
    chosen: list[int] = []

    def distinguished(column: int) -> int:
        hashes = np.sort(hashed(rows[:, [*chosen, column]]))
        return 1 + int(np.count_nonzero(hashes[1:] != hashes[:-1]))

    while True:
        number, column = max((distinguished(column), column) for column in range(rows.shape[1]))
        chosen.append(column)
        if number == len(rows):
            return chosen


def all_orders(pieces: int) -> NDArray[np.int64]:
    """Return all orders of numbers from 0, by rank: int64 (factorial, pieces)."""
    return np.array(list(itertools.permutations(range(pieces))))


def order_ranks(orders: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the ranks of orders of any numbers, in the order of `itertools.permutations`: (N, pieces) to (N,).

    >>> order_ranks(np.array([[3, 5, 8], [8, 5, 3], [2, 9, 4]])).tolist()
    [0, 5, 1]
    """
    columns, ranks = np.ascontiguousarray(orders.T), np.zeros(len(orders), np.int64)
    for place, column in enumerate(columns):
        ranks *= len(columns) - place
        for later in columns[place + 1 :]:
            ranks += later < column
    return ranks


def odd_orders(orders: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the parities of orders of any numbers: (N, pieces) to (N,), 1 if an order is odd.

    >>> odd_orders(np.array([[3, 5, 8], [8, 5, 3], [9, 2, 4]])).tolist()
    [0, 1, 0]
    """
    odd = np.zeros(len(orders), np.int64)
    for i, j in itertools.combinations(range(orders.shape[1]), 2):
        odd ^= orders[:, i] > orders[:, j]
    return odd


def set_numbers(sets: NDArray[np.integer], points: int) -> NDArray[np.int64]:
    """Return the numbers of sets of points, each in ascending order: (N, pieces) to (N,).

    >>> set_numbers(np.array([[0, 1], [0, 2], [1, 2], [0, 3]]), 4).tolist()
    [0, 1, 2, 3]
    """
    sizes = range(1, sets.shape[1] + 1)
    choose = np.array([[math.comb(point, size) for size in sizes] for point in range(points)])
    numbers: NDArray[np.int64] = np.take_along_axis(choose, sets, axis=0).sum(axis=1)
    return numbers
