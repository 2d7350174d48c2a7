"""Enumeration of mod-3 tables, with two bits per entry.

An entry is the depth of a state modulo 3, or 3 if no start can be reached. Entries are in the order of ranks, 32 in a
word of 64 bits, the first in its lowest bits; unused entries of the last word are 3.

Such a table determines all distances if every move has an inverse and costs 1. Then the depths of neighbours differ by
at most one, so an entry shows which neighbours are nearer; a path of such moves that cannot be extended is an optimal
solution, and its length is the depth. Tables of other spaces are rejected.

During an enumeration, 3 is the entry of an unseen state. A move of cost k leads from a state that is not nearer than
the depth d to one not nearer than d - k. If k is at most 2, only one of the depths with the entry of d - k is possible
for it: no memory is needed besides the table. So states are counted where moves cost 0, 1 or 2, with inverses or not.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings import UNREACHED, WORD_ENTRIES
from cubesolve.encodings.enumeration import DEEPEST, require_ranks
from cubesolve.encodings.space_arrays import SPACE, SpaceArrays, acted_on, arrays_of, read_row
from cubesolve.runtime.instructions import fetch_and, prefetch, trailing_zeros
from cubesolve.runtime.kernels import inlined, kernel, read_only, types
from cubesolve.runtime.workers import Workers
from cubesolve.spaces.space import DEAREST, Checkpointer, Levels, Progress, StateSpace
from cubesolve.spaces.tables import UNREACHABLE

Entries = NDArray[np.uint8]
"""The bytes of a table."""

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


@kernel(
    read_only(types.uint64, 1), types.int64, types.int64, types.boolean[::1], types.int64, types.int64, at_start=True
)
def find_rows(words: _Words, entry: int, width: int, rows: NDArray[np.bool_], first: int, last: int) -> int:
    """Find which of the rows `first` to `last` have an entry; return their number."""
    listed, total = np.empty(width, np.uint32), 0
    for a in range(first, last):
        rows[a] = list_entries(words, entry, a * width, (a + 1) * width, listed) > 0
        total += rows[a]
    return total


@kernel(SPACE, types.uint64[::1], types.int64, types.int64, types.int64, types.int64, at_start=True)
def _push(
    space: SpaceArrays,
    words: _Words,
    depth: int,
    cost: int,
    first: int,
    last: int,
) -> int:
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


@kernel(
    SPACE, types.uint64[::1], read_only(types.boolean, 1), types.int64, types.int64, types.int64, types.int64,
    at_start=True,
)  # fmt: skip
def _pull(
    space: SpaceArrays,
    words: _Words,
    near: NDArray[np.bool_],
    depth: int,
    cost: int,
    first: int,
    last: int,
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


KERNELS = (_push, _pull)
"""The kernels of an enumeration, in the order of their first calls; `find_rows` is for spaces up to symmetry."""


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

    Returns:
        uint8 (bytes,): the table, 8 bytes for every 32 entries; and the number of states of the puzzle at each depth,
        from 0.

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
    return count_mod3(space, starts, progress, workers, checkpointer)


def count_mod3(
    space: StateSpace,
    starts: int | Sequence[int] | NDArray[np.int64] = 0,
    progress: Progress | None = None,
    workers: int | None = None,
    checkpointer: Checkpointer | None = None,
) -> Levels:
    """Return the depth modulo 3 of every state, where depth is the least cost of moves to a start.

    Args:
        space: the state space; every move must cost 0, 1 or 2, and need not have an inverse.

    Returns:
        As `enumerate_mod3`; distances follow from the entries only if every move has an inverse and costs 1.

    >>> ring = StateSpace(np.array([[1, 2, 3, 0], [2, 3, 0, 1]]), np.zeros((2, 4), np.int32),
    ...     np.array([[0]], np.uint32), costs=(2, 1))
    >>> count_mod3(ring)[1]
    (1, 1, 1, 1)
    """
    require_mod3(space)
    ranks, levels = start_ranks(space, starts), checkpointer.begun() if checkpointer else None
    table, counts = levels or (unseen_table(space, ranks), ())
    with _Counting(space, table.view(np.uint64), workers) as count:
        begun = table, counts or (count.first(space.number_of(ranks)),)
        return each_level(begun, count.advance, progress, checkpointer, int(space.cost_of_moves.max(initial=1)))


def has_mod3(space: StateSpace) -> bool:
    """Return whether the states of a space can be counted with two bits each."""
    return bool((space.cost_of_moves <= DEAREST).all())


def require_mod3(space: StateSpace) -> None:
    """Reject spaces whose states cannot be counted with two bits each.

    Raises:
        ValueError: a move costs more.
    """
    if not has_mod3(space):
        raise ValueError(f"two bits a state are enough where moves cost at most {DEAREST}")


class Advance(ABC):
    """An enumeration that advances level by level: it pushes from the newest states, or pulls to the unseen ones."""

    def __init__(self, space: StateSpace, *, can_push: bool) -> None:
        """Take the space, and whether its moves can be followed backwards."""
        costs = set(space.cost_of_moves.tolist())
        self._space, self._can_push = space, can_push
        self._costs, self._is_free = sorted(costs - {0}), 0 in costs

    @abstractmethod
    def push(self, depth: int, cost: int) -> int:
        """Find unseen states at a depth from which moves of a cost lead to nearer ones; return their number.

        From rows that symmetries map to themselves, only some of these moves are followed.
        """

    @abstractmethod
    def pull(self, depth: int, cost: int, *, everywhere: bool) -> int:
        """Find all such states, everywhere or in the rows that symmetries map to themselves; return their number."""

    def first(self, starts: int) -> int:
        """Find the states that moves of cost 0 connect with some starts; return the number of all of these."""
        return starts + (self._follow_free_moves([], starts) if self._is_free else 0)

    def advance(self, counts: Sequence[int]) -> int:
        """Find the states at the next depth, given the numbers of states so far; return their number."""
        found = sum(self._look(cost, counts, 0) for cost in self._costs if cost <= len(counts))
        return found + (self._follow_free_moves(counts, found) if self._is_free else 0)

    def _follow_free_moves(self, counts: Sequence[int], here: int) -> int:
        """Find the states that moves of cost 0 connect with `here` states at a depth; return their number."""
        found = new = self._look(0, counts, here)
        while new:
            new = self._look(0, counts, here + found)
            found += new
        return found

    def _look(self, cost: int, counts: Sequence[int], here: int) -> int:
        """Find states at a depth by moves of a cost; `here` of them are known, and those of `counts` are nearer."""
        depth = len(counts)
        unseen, alike = self._space.counted - sum(counts) - here, number_alike([*counts, here][: depth - cost + 1])
        if not self._can_push or unseen < alike:  # expand the side with fewer states
            return self.pull(depth, cost, everywhere=True)
        return self.push(depth, cost) + (self.pull(depth, cost, everywhere=False) if self._space.symmetric else 0)


class _Counting(Advance):
    """An enumeration by threads."""

    def __init__(self, space: StateSpace, words: _Words, workers: int | None) -> None:
        # Moves that lead to images of states cannot be reversed: the unseen states look for nearer ones.
        super().__init__(space, can_push=space.mutual or not space.leads_to_images)
        self._words, self._arrays = words, arrays_of(space, symmetries=True)
        self._backward = self._arrays if space.mutual or not self._can_push else arrays_of(space.reversed())
        self._pool = Workers(space.rows, workers, entries=space.states)
        self._symmetric = Workers(space.symmetric, workers, entries=space.symmetric * space.width)
        self._near = np.ones(space.rows, np.bool_)

    def push(self, depth: int, cost: int) -> int:
        return sum(self._pool.run(lambda first, last: _push(self._backward, self._words, depth, cost, first, last)))

    def pull(self, depth: int, cost: int, *, everywhere: bool) -> int:
        near, entry, width = self._near, (depth - cost) % 3, self._space.width
        if not self._can_push:
            self._pool.run(lambda first, last: find_rows(self._words, entry, width, near, first, last))
        pool = self._pool if everywhere else self._symmetric
        return sum(pool.run(lambda first, last: _pull(self._arrays, self._words, near, depth, cost, first, last)))

    def __enter__(self) -> _Counting:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.__exit__()
        self._symmetric.__exit__()


def each_level(
    levels: Levels,
    advance: Callable[[Sequence[int]], int],
    progress: Progress | None,
    checkpointer: Checkpointer | None,
    dearest: int = 1,
) -> Levels:
    """Advance level by level until so many are empty as a move can cost.

    Args:
        levels: the initial levels; progress has not been called for the last one.
        advance: finds the next level, given the numbers of states so far; returns its number of states.
        progress: called once a depth that states have.

    Raises:
        ValueError: a depth is over 254.
    """
    table, (*counts, found) = levels
    while found or any(counts[max(len(counts) + 1 - dearest, 0) :]):
        if found and len(counts) > DEEPEST:
            raise ValueError(f"some states are deeper than {DEEPEST}, the greatest depth that a table can have")
        counts.append(found)
        if progress and found:
            progress(len(counts) - 1, found, sum(counts))
        if checkpointer and found:
            checkpointer.keep(table, tuple(counts))
        found = advance(counts)
    return table, tuple(np.trim_zeros(counts, "b"))


def unseen_table(space: StateSpace, ranks: NDArray[np.int64]) -> Entries:
    """Return the table before the first level: 3 for all states but those at depth 0."""
    table = np.full(-(-space.states // WORD_ENTRIES), _ALL, np.uint64).view(np.uint8)
    np.bitwise_and.at(table, ranks >> 2, ~(UNREACHED << 2 * (ranks & 3)).astype(np.uint8))
    return table


def number_alike(counts: Sequence[int]) -> int:
    """Return the number of states with the entry of the current depth.

    >>> number_alike([1, 2, 3, 4, 5])
    7
    """
    return sum(counts[(len(counts) - 1) % 3 :: 3])


def require_recoverable(space: StateSpace) -> None:
    """Reject spaces whose distances do not follow from depths modulo 3.

    Raises:
        ValueError: a move has no inverse, or costs other than 1.
    """
    if not space.mutual or not space.has_unit_costs:
        raise ValueError("entries of two bits require moves with inverses and cost 1: choose 8 bits")


def start_ranks(space: StateSpace, starts: int | Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the starts in ascending order, without duplicates.

    Raises:
        ValueError: one is not a rank.
    """
    ranks = np.sort(np.atleast_1d(np.asarray(starts, np.int64)))
    ranks = ranks[np.diff(ranks, prepend=ranks[:1] - 1) > 0]  # np.unique would import numpy.ma
    require_ranks(space, ranks)
    return ranks


@kernel(
    read_only(types.uint64, 1),
    read_only(types.int64, 1),
    types.uint8[::1],
    types.int64,
    types.int64,
    types.int64,
    types.int64,
    at_start=True,
)
def write_depth(
    words: NDArray[np.uint64],
    first_rows: NDArray[np.int64],
    least: NDArray[np.uint8],
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


class LeastDepths:
    """The least depth of each set of rows: a `space.Checkpointer`, which is called after each level.

    Attributes:
        depths: uint8 (sets * width,): for each set and each fibre state; 255 if no start can be reached.
    """

    def __init__(self, first_rows: NDArray[np.int64], width: int) -> None:
        """Begin before the first level.

        Args:
            first_rows: int64 (sets + 1,): the first row of each set, and the number of all rows.
        """
        self._first_rows, self._width = first_rows, width
        self.depths = np.full((len(first_rows) - 1) * width, UNREACHABLE, np.uint8)

    def begun(self) -> Levels | None:
        """Return the levels to continue from, in memory of their own; None if there is no checkpoint."""
        return None

    def keep(self, table: Entries, counts: tuple[int, ...]) -> None:
        """Write a checkpoint after a level; the entries change as soon as this returns."""
        words, depth = table.view(np.uint64), len(counts) - 1
        with Workers(len(self._first_rows) - 1, entries=int(self._first_rows[-1]) * self._width) as pool:
            pool.run(
                lambda first, last: write_depth(words, self._first_rows, self.depths, self._width, depth, first, last)
            )
