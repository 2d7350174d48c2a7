"""Counts of states without a table: of all, of some among them, and of the farthest (numpy).

A finished enumeration also gives optimal solutions of its states.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings.enumeration import has_mod3
from cubesolve.encodings.kernels import Entries, write_depth
from cubesolve.group.permutations import Arrangement
from cubesolve.runtime.deadline import check
from cubesolve.runtime.kernel_arrays import Array1, Read1
from cubesolve.runtime.kernels import kernel
from cubesolve.runtime.workers import Workers
from cubesolve.spaces.members import Members
from cubesolve.spaces.space import Checkpointer, Levels, StateSpace
from cubesolve.spaces.tables import UNREACHABLE

if TYPE_CHECKING:
    from cubesolve.spaces.symmetric import Walk


def bits_to_count(space: StateSpace) -> int:
    """Return the bits of memory per state with which a space is counted."""
    is_small = space.is_small and space.counts is None  # numpy enumerates it before a kernel would be loaded
    return 8 if is_small or not has_mod3(space) else 2


def bytes_to_count(space: StateSpace, bits: int) -> int:
    """Return the bytes of memory that counting takes: the arrays of the space, maybe also reversed, and the entries."""
    is_reversed = not space.mutual and not space.leads_to_images
    return (1 + is_reversed) * space.nbytes + -(-space.states * bits // 8)


FEW = 1_000_000
"""The number of remaining states of which a list is kept."""

_FEW_AMONG = 100_000  # likewise, of some states
_PART = 1 << 20  # bytes that are processed at a time

MOST_KEPT = 255
"""The maximum number of numbers in a checkpoint."""


@kernel(at_start=True)
def _count(
    table: Array1[np.uint8],
    bits: int,
    width: int,
    rows: Read1[np.int64],
    lists: Read1[np.int64],
    ends: Read1[np.int64],
    places: Read1[np.uint32],
    left: Array1[np.int64],
    first: int,
    last: int,
) -> int:
    """Write how many entries of the lists `first` to `last` are not reached."""
    full = (1 << bits) - 1
    for i in range(first, last):
        begin = ends[lists[i] - 1] if lists[i] else 0
        origin, number = rows[i] * width, np.int64(0)
        for place in places[begin : ends[lists[i]]]:
            at = (origin + np.int64(place)) * bits
            number += np.int64(np.int64(table[at >> 3]) >> (at & 7) & full == full)
        left[i] = number
    return 0


class _Watcher(ABC):
    """Watches some states: a checkpointer, which an enumeration calls after each level, and which calls another one."""

    left: int  # the number of states that are not reached
    # those that the last level with any of them has reached; none if there were too many, or if they were reached
    # before the checkpoint from which the enumeration continues
    newest: NDArray[np.int64] = np.empty(0, np.int64)
    counts: tuple[int, ...] = ()  # the number of these states at each depth, unless all are watched
    _left: NDArray[np.int64] | None = None  # the states that are not reached, when there are few

    def __init__(self, checkpointer: Checkpointer | None = None) -> None:
        self._checkpointer = checkpointer

    @abstractmethod
    def watch(self, table: NDArray[np.uint8], counts: tuple[int, ...]) -> None:
        """Follow the states after a level, given the number of all states at each depth."""

    def kept(self, counts: tuple[int, ...]) -> tuple[int, ...]:
        """Return the numbers of a checkpoint, given the number of all states at each depth."""
        return counts

    def resumed(self, counts: tuple[int, ...]) -> tuple[int, ...]:
        """Continue after the numbers of a checkpoint; return those of all states."""
        self._left = None  # the newest of those reached so far are not known
        return counts

    def begun(self) -> Levels | None:
        """Return the levels to continue from, in memory of their own; None if there is no checkpoint."""
        levels = self._checkpointer.begun() if self._checkpointer else None
        return levels and (levels[0], self.resumed(levels[1]))

    def keep(self, table: NDArray[np.uint8], counts: tuple[int, ...]) -> None:
        """Follow the states after a level, and write a checkpoint; the entries change as soon as this returns."""
        self.watch(table, counts)
        kept = self.kept(counts)
        # When all are reached, the newest could not be listed from a checkpoint.
        if self._checkpointer and self.left and len(kept) <= MOST_KEPT:
            self._checkpointer.keep(table, kept)

    def _follow(self, left: NDArray[np.int64], is_left: NDArray[np.bool_]) -> None:
        """Keep those of a list that are not reached yet."""
        self._left = left[is_left]
        if len(self._left) < len(left):
            self.newest = left[~is_left]


class Among(_Watcher):
    """Counts those of some states that an enumeration reaches at each depth."""

    def __init__(self, members: Members, width: int, bits: int, checkpointer: Checkpointer | None = None) -> None:
        super().__init__(checkpointer)
        self._members, self._width, self._bits = members, width, bits
        sizes = np.diff(members.ends, prepend=0)[members.lists]  # the number of entries in each list
        self._total = members.number(sizes)
        self._left = self._entries(sizes) if sizes.sum() <= _FEW_AMONG else None

    def kept(self, counts: tuple[int, ...]) -> tuple[int, ...]:  # noqa: D102  # that of `_Watcher`
        return *counts, *self.counts

    def resumed(self, counts: tuple[int, ...]) -> tuple[int, ...]:  # noqa: D102  # likewise
        half = len(counts) // 2
        self.counts = counts[half:]
        return super().resumed(counts[:half])

    def watch(self, table: NDArray[np.uint8], counts: tuple[int, ...]) -> None:
        """Count the states that a level has reached."""
        left = np.zeros(len(self._members.rows), np.int64)
        rows, lists, ends, places = self._members.rows, self._members.lists, self._members.ends, self._members.places

        def count(first: int, last: int) -> int:
            return _count(table, self._bits, self._width, rows, lists, ends, places, left, first, last)

        with Workers(len(left), entries=len(left) * self._width) as pool:
            pool.run(count)
        before = self.counts[: len(counts) - 1]  # a level is passed again after a checkpoint
        before += (0,) * (len(counts) - 1 - len(before))  # levels without any state
        self.left = self._members.number(left)
        self.counts = (*before, self._total - sum(before) - self.left)
        if self._left is not None:
            self._follow(self._left, self._are_left(table, self._left))
        elif left.sum() <= _FEW_AMONG:
            self._left = self._entries(left, table)

    def farthest(self) -> list[Arrangement]:
        """Return the newest, some perhaps several times."""
        about = self._members
        return [
            about.states.image(int(about.symmetries[number]), int(about.rows[number]), place)
            for number, place in self.newest.tolist()
        ]

    def _entries(self, left: NDArray[np.int64], table: NDArray[np.uint8] | None = None) -> NDArray[np.int64]:
        """Return the number among the rows of members, and the place, of each entry that is not reached."""
        about, parts = self._members, [np.empty((0, 2), np.int64)]
        for number in np.flatnonzero(left).tolist():
            last = about.lists[number]
            places = about.places[about.ends[last - 1] if last else 0 : about.ends[last]].astype(np.int64)
            entries = np.stack([np.full(len(places), number), places], axis=1)
            parts.append(entries if table is None else entries[self._are_left(table, entries)])
        return np.concatenate(parts)

    def _are_left(self, table: NDArray[np.uint8], entries: NDArray[np.int64]) -> NDArray[np.bool_]:
        return _are_left(table, self._bits, self._members.rows[entries[:, 0]] * self._width + entries[:, 1])


def _are_left(table: NDArray[np.uint8], bits: int, ranks: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return whether each of some entries is not reached."""
    full = (1 << bits) - 1
    left: NDArray[np.bool_] = table[ranks * bits >> 3] >> (ranks * bits & 7) & full == full
    return left


class Farthest(_Watcher):
    """Watches all states; `newest` are their ranks."""

    def __init__(
        self,
        space: StateSpace,
        bits: int,
        checkpointer: Checkpointer | None = None,
        first: int = 0,
        number: int | None = None,
    ) -> None:
        """Watch an enumeration of a space, which may begin at a rank of a space with a number of states."""
        super().__init__(checkpointer)
        self._space, self._bits, self._first = space, bits, first
        self._number = space.counted if number is None else number
        self._left = np.arange(space.states) if self._number <= FEW else None

    def watch(self, table: NDArray[np.uint8], counts: tuple[int, ...]) -> None:
        """List the states that are not reached, if they are few."""
        self.left = self._number - sum(counts)
        if self._left is not None:
            self._follow(self._left, _are_left(table, self._bits, self._left))
        elif self.left <= FEW:
            self._left = self._all_left(table)

    def farthest(self) -> NDArray[np.int64]:
        """Return the ranks of the newest."""
        return self._first + self.newest

    def _all_left(self, table: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Return the ranks that are not reached, from the bytes that have some."""
        per_byte, parts = 8 // self._bits, []
        for first in range(0, len(table), _PART):
            part = table[first : first + _PART]
            some = part & part >> self._bits - 1 & 0xFF // ((1 << self._bits) - 1)
            ranks = np.add.outer(per_byte * (first + np.flatnonzero(some)), np.arange(per_byte)).reshape(-1)
            ranks = ranks[ranks < self._space.states]
            parts.append(ranks[_are_left(table, self._bits, ranks)])
        return np.concatenate(parts)


_AT_ONCE = 1 << 16  # moves that are tried at a time


def have_solutions(space: StateSpace, bits: int) -> bool:
    """Return whether the entries of a finished enumeration, of a number of bits, determine optimal moves."""
    # Without free moves, each optimal move leads to a smaller depth. For two bits see `enumeration`.
    return not space.has_free_moves if bits == 8 else space.mutual and space.has_unit_costs


def solutions(
    space: StateSpace,
    bits: int,
    table: NDArray[np.uint8],
    ranks: NDArray[np.int64],
    walk: Callable[[NDArray[np.int64]], Walk] | None = None,
) -> Iterator[list[int]]:
    """Yield an optimal solution of the state of each entry: the first in the order of moves, given by number.

    Args:
        walk: begins at the states of some entries; None if moves lead to states of entries.

    >>> ring = StateSpace(np.array([[1, 2, 0]]), np.zeros((1, 3), np.int32), np.array([[0]], np.uint32))
    >>> [*solutions(ring, 8, np.array([0, 2, 1], np.uint8), np.array([1]))]
    [[0, 0]]
    """
    size, costs = max(1, _AT_ONCE // max(len(space.base), 1)), space.cost_of_moves.astype(np.int64)

    def read(entries: NDArray[np.int64]) -> NDArray[np.int64]:
        found: NDArray[np.int64] = table[entries * bits >> 3].astype(np.int64) >> (entries * bits & 7) & (1 << bits) - 1
        return found

    for first in range(0, len(ranks), size):
        at = ranks[first : first + size]
        walking, going, algs = walk(at) if walk else None, np.arange(len(at)), [list[int]() for _ in at]
        for _ in range(UNREACHABLE):  # wrong entries could lead in a circle
            check()
            there = walking.neighbours() if walking else space.neighbours_of(at)
            wanted = (read(at) + 2)[:, None] % 3 if bits == 2 else read(at)[:, None] - costs
            leads = (there >= 0) & (read(np.maximum(there, 0)) == wanted)
            some = np.flatnonzero(leads.any(axis=1))
            if not len(some):
                break
            moves = leads[some].argmax(axis=1)
            going, at = going[some], there[some, moves]
            for number, move in zip(going.tolist(), moves.tolist(), strict=True):
                algs[number].append(move)
            if walking:
                walking.go(some, moves)
        yield from algs


class LeastDepths:
    """The least depth of each set of rows: a `space.Checkpointer`, which is called after each level."""

    def __init__(self, first_rows: NDArray[np.int64], width: int) -> None:
        """Take the first row of each set, and the number of all rows."""
        self._first_rows, self._width = first_rows, width
        # for each set and each fibre state; 255 if no start can be reached
        self.depths = np.full((len(first_rows) - 1) * width, UNREACHABLE, np.uint8)

    def begun(self) -> None:
        """Return None: there is no checkpoint."""

    def keep(self, table: NDArray[np.uint8], counts: tuple[int, ...]) -> None:
        """Write the depth of a level."""
        entries, depth = Entries(table, table.view(np.uint64)), len(counts) - 1
        with Workers(len(self._first_rows) - 1, entries=int(self._first_rows[-1]) * self._width) as pool:
            pool.run(
                lambda first, last: write_depth(entries, self._first_rows, self.depths, self._width, depth, first, last)
            )
