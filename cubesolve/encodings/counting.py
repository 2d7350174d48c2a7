"""Counts of states without a table: of all, of some among them, and of the farthest (numpy).

A finished enumeration also gives optimal solutions of its states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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
    """Return the bits of memory per state with which a space is counted: 2 if no move costs more than 2, else 8.

    Small spaces without symmetries have bytes, which numpy enumerates before a kernel would be loaded.
    """
    is_small = space.is_small and space.counts is None
    return 8 if is_small or not has_mod3(space) else 2


def bytes_to_count(space: StateSpace, bits: int) -> int:
    """Return the bytes of memory that counting takes: the arrays of the space, and the entries.

    States are also found from the arrays of the reversed moves, unless these are the moves themselves.
    """
    is_reversed = not space.mutual and not space.leads_to_images
    return (1 + is_reversed) * space.nbytes + -(-space.states * bits // 8)


_FEW_AMONG = 100_000  # remaining states of which a list is kept

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


class _Watcher:
    """A checkpointer that is called after each level, and calls another one."""

    def __init__(self, checkpointer: Checkpointer | None = None) -> None:
        self._checkpointer = checkpointer

    def begun(self) -> Levels | None:
        """Return the levels to continue from, in memory of their own; None if there is no checkpoint."""
        return self._checkpointer.begun() if self._checkpointer else None


class Among(_Watcher):
    """Counts those of some states that an enumeration reaches at each depth.

    It is a checkpointer, which is called after each level. The numbers in its checkpoints are those of all states at
    each depth, then those of these states.
    """

    def __init__(self, members: Members, width: int, bits: int, checkpointer: Checkpointer | None = None) -> None:
        """Watch an enumeration."""
        super().__init__(checkpointer)
        self._members, self._width, self._bits = members, width, bits
        sizes = members.sizes[members.lists]
        self._total, self.counts = members.number(sizes), tuple[int, ...]()  # of these states at each depth
        self._left = self._entries(sizes) if sizes.sum() <= _FEW_AMONG else None
        self._newest: NDArray[np.int64] | None = None

    def begun(self) -> Levels | None:
        """Return the levels to continue from, in memory of their own; None if there is no checkpoint."""
        levels = super().begun()
        if levels is None:
            return None
        table, counts = levels
        return table, self.resumed(counts)

    def resumed(self, counts: tuple[int, ...]) -> tuple[int, ...]:
        """Continue after the numbers of a checkpoint; return those of all states."""
        half = len(counts) // 2
        self.counts, self._left = counts[half:], None  # the newest of those reached so far are not known
        return counts[:half]

    def keep(self, table: NDArray[np.uint8], counts: tuple[int, ...]) -> None:
        """Count the states of a level, and write a checkpoint after it; the entries change as soon as this returns.

        When all are reached, no checkpoints are written: the farthest could not be listed from one.
        """
        left = np.zeros(len(self._members.rows), np.int64)
        rows, lists, ends, places = self._members.rows, self._members.lists, self._members.ends, self._members.places

        def count(first: int, last: int) -> int:
            return _count(table, self._bits, self._width, rows, lists, ends, places, left, first, last)

        with Workers(len(left), entries=len(left) * self._width) as pool:
            pool.run(count)
        before = self.counts[: len(counts) - 1]  # a level is passed again after a checkpoint
        before += (0,) * (len(counts) - 1 - len(before))  # levels without any state
        self.counts = (*before, self._total - sum(before) - self._members.number(left))
        if self._left is not None:
            is_left = self._are_left(table, self._left)
            self._newest = self._newest if is_left.all() else self._left[~is_left]
            self._left = self._left[is_left]
        elif left.sum() <= _FEW_AMONG:
            self._left = self._entries(left, table)
        is_complete = sum(self.counts) == self._total
        if self._checkpointer and not is_complete and 2 * len(counts) <= MOST_KEPT:
            self._checkpointer.keep(table, (*counts, *self.counts))

    def farthest(self) -> list[Arrangement] | None:
        """Return those at the largest depth, some perhaps several times.

        Returns:
            None if there are too many to list, or if they were reached before the checkpoint from which this continues.
        """
        if self._newest is None:
            return None
        about = self._members
        return [
            about.states.image(int(about.symmetries[number]), int(about.rows[number]), place)
            for number, place in self._newest.tolist()
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


_FEW = 1_000_000  # remaining states for which a list is kept
_PART = 1 << 20  # bytes that are processed at a time


def few_remain(space: StateSpace, counts: Sequence[int]) -> bool:
    """Return whether few enough states are not reached to list them, given the numbers of those at each depth."""
    return 0 < space.counted - sum(counts) <= _FEW


class Farthest(_Watcher):
    """Lists the remaining states when there are few: in the end the ranks that are reached last.

    Attributes:
        ranks: int64, the ranks that remained before the last level; none if there were too many.
        table: the entries, which are complete when the enumeration has ended.
    """

    table: NDArray[np.uint8]

    def __init__(self, space: StateSpace, bits: int, checkpointer: Checkpointer | None = None) -> None:
        """Watch an enumeration."""
        self.ranks = np.empty(0, np.int64)
        super().__init__(checkpointer)
        self._space, self._bits = space, bits

    def keep(self, table: NDArray[np.uint8], counts: tuple[int, ...]) -> None:
        """Write a checkpoint after a level but the last; the entries change as soon as this returns.

        From one after the last level, the states that it reached could not be listed.
        """
        self.table = table
        if self._checkpointer and sum(counts) < self._space.counted:
            self._checkpointer.keep(table, counts)
        if few_remain(self._space, counts):
            self.watch(table)

    def watch(self, table: NDArray[np.uint8]) -> None:
        """List the states that are not reached, of which there are few."""
        self.ranks = self.ranks[_are_left(table, self._bits, self.ranks)] if len(self.ranks) else self._all_left(table)

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


class CountedEntries:
    """The entries of a finished enumeration: depths, or depths modulo 3.

    >>> ring = StateSpace(np.array([[1, 2, 0]]), np.zeros((1, 3), np.int32), np.array([[0]], np.uint32))
    >>> [*CountedEntries(ring, 8, np.array([0, 2, 1], np.uint8)).solutions(np.array([1]), 2)]
    [[0, 0]]
    """

    def __init__(self, space: StateSpace, bits: int, table: NDArray[np.uint8]) -> None:
        """Take the space, the bits of an entry, which is a byte or has two, and the entries."""
        self._space, self._bits, self._table = space, bits, table

    @staticmethod
    def have_solutions(space: StateSpace, bits: int) -> bool:
        """Return whether entries of a number of bits determine optimal moves.

        Bytes do if no move is free: then each optimal move leads to a smaller depth. Depths modulo 3 do if every move
        has an inverse and costs 1: then the depths of neighbours differ by at most one.
        """
        if bits == 8:
            return not space.has_free_moves
        return bits == 2 and space.mutual and space.has_unit_costs

    def solutions(
        self, ranks: NDArray[np.int64], depth: int, walk: Callable[[NDArray[np.int64]], Walk] | None = None
    ) -> Iterator[list[int]]:
        """Yield an optimal solution of the state of each entry: the first in the order of moves, given by number.

        A solution ends early if the entries are wrong.

        Args:
            walk: begins at the states of some entries; None if moves lead to states of entries.
        """
        step = max(1, _AT_ONCE // max(len(self._space.base), 1))
        for first in range(0, len(ranks), step):
            part = ranks[first : first + step]
            yield from self._solutions(part, depth, walk(part) if walk else None)

    def _solutions(self, entries: NDArray[np.int64], depth: int, walk: Walk | None) -> list[list[int]]:
        solutions, going, costs = [list[int]() for _ in entries], np.arange(len(entries)), self._space.cost_of_moves
        left = np.full(len(entries), depth)
        while left.any():
            check()
            neighbours = walk.neighbours() if walk else self._space.neighbours_of(entries)
            leads = self._lead(neighbours, left)
            some = np.flatnonzero(leads.any(axis=1))
            moves = leads[some].argmax(axis=1)
            going, entries, left = going[some], neighbours[some, moves], left[some] - costs[moves]
            for number, move in zip(going.tolist(), moves.tolist(), strict=True):
                solutions[number].append(move)
            if walk:
                walk.go(some, moves)
        return solutions

    def _lead(self, there: NDArray[np.int64], left: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which moves are optimal, given the entries after each, (N, moves), and the depths before."""
        wanted = left[:, None] - self._space.cost_of_moves
        at = np.maximum(there, 0) * self._bits
        entries = self._table[at >> 3] >> (at & 7) & (1 << self._bits) - 1
        lead: NDArray[np.bool_] = entries == (wanted % 3 if self._bits == 2 else wanted)
        return lead & (there >= 0) & (wanted >= 0)


class LeastDepths(_Watcher):
    """The least depth of each set of rows: a `space.Checkpointer`, which is called after each level."""

    def __init__(self, first_rows: NDArray[np.int64], width: int) -> None:
        """Take the first row of each set, and the number of all rows."""
        super().__init__()
        self._first_rows, self._width = first_rows, width
        # for each set and each fibre state; 255 if no start can be reached
        self.depths = np.full((len(first_rows) - 1) * width, UNREACHABLE, np.uint8)

    def keep(self, table: NDArray[np.uint8], counts: tuple[int, ...]) -> None:
        """Write a checkpoint after a level; the entries change as soon as this returns."""
        entries, depth = Entries(table, table.view(np.uint64)), len(counts) - 1
        with Workers(len(self._first_rows) - 1, entries=int(self._first_rows[-1]) * self._width) as pool:
            pool.run(
                lambda first, last: write_depth(entries, self._first_rows, self.depths, self._width, depth, first, last)
            )
