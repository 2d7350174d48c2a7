"""Enumeration of whole state spaces, breadth-first, with a byte or two bits per entry (numpy).

A byte is the depth of a state, or 255 if no start can be reached. Two bits are the depth modulo 3, or 3; they are in
the order of ranks, and unused entries of the last word are 3.

Two bits determine all distances if every move has an inverse and costs 1. Then the depths of neighbours differ by at
most one, so an entry shows which neighbours are nearer; a path of such moves that cannot be extended is an optimal
solution, and its length is the depth. Tables of other spaces are rejected.

During an enumeration, 3 is the entry of an unseen state. A move of cost k leads from a state that is not nearer than
the depth d to one not nearer than d - k. If k is at most 2, only one of the depths with the entry of d - k is possible
for it: no memory is needed besides the table. So states are counted where moves cost 0, 1 or 2, with inverses or not.

Small spaces are enumerated with bytes by numpy, with the same result, before a kernel would be loaded.
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings.entries import WORD_BYTES, WORD_ENTRIES
from cubesolve.encodings.kernels import Entries, Look, find_rows, pull_bytes, pull_mod3, push_bytes, push_mod3
from cubesolve.encodings.space_arrays import arrays_of
from cubesolve.runtime.workers import Workers
from cubesolve.spaces.space import DEAREST, Checkpointer, Levels, Progress, StateSpace
from cubesolve.spaces.tables import UNREACHABLE

Depths = NDArray[np.uint8]
"""Depths by rank, 255 if no start can be reached."""

Ranks = Sequence[int] | NDArray[np.int64]
"""Some states by their ranks."""

DEEPEST = UNREACHABLE - 1
"""The largest depth in a table."""

KERNELS = (push_mod3, pull_mod3)
"""The kernels of an enumeration with two bits, in the order of their first calls."""

_PART = 1 << 18  # entries at a time, of which numpy makes eight bytes each


class Search(ABC):
    """A breadth-first search, one depth at a time: it pushes from the newest states, or pulls to the unseen ones."""

    table: NDArray[np.uint8]  # (bytes,): the entries found so far
    # of states of the puzzle at each depth so far; 0 is possible before the end if moves cost more than 1
    counts: list[int]

    def __init__(self, space: StateSpace, *, can_push: bool, bits: int = 2) -> None:
        """Take the space, whether its moves can be followed backwards, and the bits of an entry."""
        if bits == 2 and not has_mod3(space):
            raise ValueError(f"two bits a state are enough where moves cost at most {DEAREST}")
        costs = set(space.cost_of_moves.tolist())
        self._space, self._costs, self._is_free = space, sorted(costs - {0}), 0 in costs
        self._can_push, self._bits = can_push, bits
        self.counts = []

    @abstractmethod
    def push(self, depth: int, cost: int) -> int:
        """Find unseen states at a depth from which moves of a cost lead to nearer ones; return their number.

        From rows that symmetries map to themselves, only some of these moves are followed.
        """

    @abstractmethod
    def pull(self, depth: int, cost: int, *, everywhere: bool) -> int:
        """Find all such states, everywhere or in the rows that symmetries map to themselves; return their number."""

    def look(self, costs: Sequence[int], depth: int, here: int) -> int:
        """Find unseen states at a depth from which moves of some costs lead to nearer ones; return their number.

        Args:
            here: the number of states that are known at this depth; those of `counts` are nearer.
        """
        unseen, number = self._space.counted - self.total - here, 0
        for cost in costs:
            near = [*self.counts, here][: depth - cost + 1]
            if not near[-1]:
                continue
            alike = near[-1] if self._bits == 8 else number_alike(near)
            if not self._can_push or unseen < alike or depth > DEEPEST:  # expand the side with fewer states
                number += self.pull(depth, cost, everywhere=True)
            else:
                number += self.push(depth, cost)
                number += self.pull(depth, cost, everywhere=False) if self._space.symmetric else 0
        return number

    @property
    def total(self) -> int:
        """The number of states found so far."""
        return sum(self.counts)

    @property
    def finished(self) -> bool:
        """Whether the search has found all states: so many levels are empty as a move can cost."""
        return not any(self.counts[-max(self._costs, default=1) :])

    def begin(self, starts: int) -> None:
        """Find the states that moves of cost 0 connect with a number of starts."""
        self.counts = [starts + (self._follow_free_moves(0, starts) if self._is_free else 0)]

    def advance(self) -> None:
        """Find the states at the next depth."""
        depth = len(self.counts)
        number = self.look([cost for cost in self._costs if cost <= depth], depth, 0)
        number += self._follow_free_moves(depth, number) if self._is_free else 0
        if number and depth > DEEPEST:
            raise ValueError(f"some states are deeper than {DEEPEST}, the greatest depth that a table can have")
        self.counts.append(number)

    def _follow_free_moves(self, depth: int, here: int) -> int:
        """Find the states that moves of cost 0 connect with `here` states at a depth; return their number."""
        number = new = self.look([0], depth, here)
        while new:
            new = self.look([0], depth, here + number)
            number += new
        return number


def each_level(
    search: Search,
    progress: Progress | None = None,
    end: Callable[[NDArray[np.uint8], tuple[int, ...]], object] | None = None,
) -> Levels:
    """Advance level by level to the end; `end` is called after each with the entries and all counts so far."""
    while not search.finished:
        if progress and search.counts[-1]:
            progress(len(search.counts) - 1, search.counts[-1], search.total)
        if end and search.counts[-1]:
            end(search.table, tuple(search.counts))
        search.advance()
    return search.table, tuple(np.trim_zeros(search.counts, "b"))


class Searcher(Search):
    """A breadth-first search by threads. An entry may stand for several states."""

    def __init__(
        self, space: StateSpace, starts: Ranks, workers: int | None = None, begun: Levels | None = None, bits: int = 8
    ) -> None:
        """Start from the states at depth 0, given by their ranks, or continue from the levels of a checkpoint."""
        # Moves that lead to images of states cannot be reversed: the unseen states look for nearer ones.
        super().__init__(space, can_push=space.mutual or not space.leads_to_images, bits=bits)
        ranks = start_ranks(space, starts)
        self.table = begun[0] if begun else unseen_table(space, ranks, bits)
        self._entries = Entries(self.table, self.table.view(np.uint64) if bits == 2 else np.empty(0, np.uint64))
        self._is_small = bits == 8 and space.is_small and not space.leads_to_images
        self._backward = space if space.mutual or not self._can_push else space.reversed()
        self._arrays = functools.cache(functools.partial(arrays_of, symmetries=True))
        self._pool = Workers(space.rows, workers, entries=space.states)
        self._symmetric = Workers(space.symmetric, workers, entries=space.symmetric * space.width)
        self._rows, self._is_counted = np.ones(space.rows, np.bool_), True
        if begun:
            self.counts = list(begun[1])
        else:
            self.begin(space.number_of(ranks))

    def look(self, costs: Sequence[int], depth: int, here: int) -> int:
        """Find unseen states at a depth from which moves of some costs lead to nearer ones; return their number."""
        self._is_counted = True
        number = super().look(costs, depth, here)
        return number if self._is_counted else self._number_at(depth) - here

    def _number_at(self, depth: int) -> int:
        """Return the number of states of the puzzle at a depth, of which the entries are bytes."""
        space, rows = self._space, self.table.reshape(-1, self._space.width)
        counts = None if space.counted == space.states else space.counts  # by rows, it takes as long as a search
        step = max(1, _PART // self._space.width)  # a comparison of all would take as much memory again
        number = 0
        for first in range(0, len(rows), step):
            part = rows[first : first + step] == depth
            weights = 1 if counts is None else counts[first : first + step].astype(np.int64)
            number += int(np.dot(np.count_nonzero(part, axis=None if counts is None else 1), weights))
        return number

    def push(self, depth: int, cost: int) -> int:  # noqa: D102  # that of `Search`
        if self._is_small:
            return self._follow(depth, cost)
        self._is_counted &= self._bits == 2  # threads may find the same bytes
        kernel, look = push_mod3 if self._bits == 2 else push_bytes, self._look(depth, cost)
        arrays = self._arrays(self._backward)
        return sum(self._pool.run(lambda first, last: kernel(arrays, self._entries, look, first, last)))

    def pull(self, depth: int, cost: int, *, everywhere: bool) -> int:  # noqa: D102  # likewise
        if self._is_small:
            return self._follow(depth, cost)
        kernel, look = pull_mod3 if self._bits == 2 else pull_bytes, self._look(depth, cost)
        if not self._can_push:
            about = self._bits, self._entries, look.near, self._space.width, look.rows
            self._pool.run(lambda first, last: find_rows(*about, first, last))
        arrays, pool = self._arrays(self._space), self._pool if everywhere else self._symmetric
        return sum(pool.run(lambda first, last: kernel(arrays, self._entries, look, first, last)))

    def _look(self, depth: int, cost: int) -> Look:
        """Return the entries of states at a depth, and at the one before a move of a cost."""
        near, there = depth - cost, min(depth, UNREACHABLE)
        return Look(near, there, cost, self._rows) if self._bits == 8 else Look(near % 3, depth % 3, cost, self._rows)

    def _follow(self, depth: int, cost: int) -> int:
        """Find unseen states as `push` does, by numpy."""
        space, depths = self._backward, self.table
        a, b = np.divmod(np.flatnonzero(depths == depth - cost), space.width)
        is_found = np.zeros(len(depths), np.bool_)
        for move in np.flatnonzero(space.cost_of_moves == cost).tolist():
            ranks, action = space.of_move(move)
            first = ranks[a]
            is_found[(first + space.fibre[action[a], b])[first >= 0]] = True
        newest = np.flatnonzero(is_found & (depths == UNREACHABLE))
        depths[newest] = min(depth, UNREACHABLE)
        return space.number_of(newest)

    def __enter__(self) -> Searcher:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.__exit__()
        self._symmetric.__exit__()


def enumerate_levels(
    space: StateSpace,
    starts: int | Ranks = 0,
    progress: Progress | None = None,
    workers: int | None = None,
    checkpointer: Checkpointer | None = None,
    *,
    bits: int = 8,
) -> Levels:
    """Return the entry of every state, and the number of states of the puzzle at each depth, from 0.

    The depth of a state is the least cost of moves that lead to a start.

    Args:
        space: the state space; its moves need not be closed under inversion. With two bits, they cost at most 2.
        starts: ranks of the states at depth 0, or the rank if there is one.
        progress: called once a depth, from this thread.
        workers: number of threads; by default one for each processor. The result does not depend on it.
        bits: 8 for depths, 2 for depths modulo 3, from which distances follow only if every move has an inverse and
            costs 1.

    Returns:
        uint8 (bytes,): depths by rank, 255 if no start can be reached; or 8 bytes for every 32 entries of two bits.

    >>> ring = StateSpace(np.array([[1, 2, 3, 0], [2, 3, 0, 1]]), np.zeros((2, 4), np.int32),
    ...     np.array([[0]], np.uint32), costs=(2, 1))
    >>> enumerate_levels(ring)[1], enumerate_levels(ring, bits=2)[1]
    ((1, 1, 1, 1), (1, 1, 1, 1))
    """
    begun = checkpointer.begun() if checkpointer else None
    with Searcher(space, np.atleast_1d(starts), workers, begun, bits) as search:
        return each_level(search, progress, checkpointer.keep if checkpointer else None)


def enumerate_depths(space: StateSpace, starts: int | Ranks = 0, workers: int | None = None) -> Depths:
    """Return the depth of every state, uint8 (states,); see `enumerate_levels`."""
    return enumerate_levels(space, starts, workers=workers)[0]


def has_mod3(space: StateSpace) -> bool:
    """Return whether the states of a space can be counted with two bits each."""
    return bool((space.cost_of_moves <= DEAREST).all())


def require_recoverable(space: StateSpace) -> None:
    """Reject spaces whose distances do not follow from depths modulo 3."""
    if not space.mutual or space.leads_to_images or not space.has_unit_costs:
        raise ValueError("entries of two bits require moves with inverses and cost 1: choose 8 bits")


def unseen_table(space: StateSpace, ranks: NDArray[np.int64], bits: int = 2) -> NDArray[np.uint8]:
    """Return the table before the first level: all bits are 1 but those of states at depth 0."""
    table = np.full(space.states if bits == 8 else -(-space.states // WORD_ENTRIES) * WORD_BYTES, UNREACHABLE, np.uint8)
    np.bitwise_and.at(table, ranks * bits >> 3, ~(((1 << bits) - 1) << (bits * ranks & 7)).astype(np.uint8))
    return table


def number_alike(counts: Sequence[int]) -> int:
    """Return the number of states with the entry of the current depth.

    >>> number_alike([1, 2, 3, 4, 5])
    7
    """
    return sum(counts[(len(counts) - 1) % 3 :: 3])


def start_ranks(space: StateSpace, starts: int | Ranks) -> NDArray[np.int64]:
    """Return the starts in ascending order, without duplicates."""
    ranks = np.sort(np.atleast_1d(np.asarray(starts, np.int64)))
    ranks = ranks[np.diff(ranks, prepend=ranks[:1] - 1) > 0]  # np.unique would import numpy.ma
    if space.base.max(initial=-1) >= space.rows:
        raise ValueError(f"a move leads to row {space.base.max()}, which is not in 0..{space.rows - 1}")
    wrong = ranks[(ranks < 0) | (ranks >= space.states)]
    if len(wrong):
        raise ValueError(f"start {wrong[0]} is not in 0..{space.states - 1}")
    return ranks


def distribution(depths: Depths) -> tuple[int, ...]:
    """Return the number of entries at each depth, from 0, without those from which no start can be reached."""
    counts = np.zeros(UNREACHABLE + 1, np.int64)
    for first in range(0, len(depths), _PART):
        counts += np.bincount(depths[first : first + _PART], minlength=len(counts))
    return tuple(np.trim_zeros(counts[:UNREACHABLE], "b").tolist())
