"""Enumeration of whole state spaces, breadth-first, with a byte per state.

A kernel runs over the arrays of a `StateSpace`. Small spaces are enumerated by numpy instead, with the same result,
before a kernel would be loaded.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings.space_arrays import SPACE, SpaceArrays, arrays_of, read_row
from cubesolve.runtime.kernels import kernel, read_only, types
from cubesolve.runtime.workers import Workers
from cubesolve.spaces.space import Checkpointer, Levels, Progress, StateSpace
from cubesolve.spaces.tables import UNREACHABLE

Depths = NDArray[np.uint8]
"""Depths by rank, 255 if no start can be reached."""

Ranks = Sequence[int] | NDArray[np.int64]
"""Some states by their ranks."""

DEEPEST = UNREACHABLE - 1
"""The largest depth in a byte."""

_PART = 1 << 18  # entries at a time, of which numpy makes eight bytes each


@kernel(
    SPACE,
    types.uint8[::1],
    types.int64,
    types.int64,
    types.int64,
    types.boolean,
    types.int64,
    types.int64,
    at_start=True,
)
def _advance(  # noqa: PLR0912  # one loop over rows, which pushes or pulls
    space: SpaceArrays, depths: Depths, next_depth: int, cheapest: int, dearest: int, pull: bool, first: int, last: int
) -> int:
    """Find states at `next_depth` from nearer ones, by moves of costs in a range, for rows `first` to `last`.

    If pushing, the neighbours of the states of these rows are marked: the arrays must be those of the reversed space.
    If pulling, the unseen states of these rows with such a neighbour are marked. Several threads may process different
    rows at once: if two of them write to one place, they write the same value.

    The costs are at most `next_depth`. The states of a row are listed once for all of them, and copied where the cost
    of a move differs from that of the one before.
    """
    base, fibre, costs = space.base, space.fibre, space.costs
    steps = np.empty((len(base), 2), np.int64)
    width, there = fibre.shape[1], np.uint8(next_depth)
    lists = 0 if pull or cheapest == dearest else dearest + 1  # of states, one for each cost
    chosen, of_cost = np.empty(width, np.uint16), np.empty((lists, width), np.uint16)
    count_of = np.empty(lists, np.int64)
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
            if steps[m, 0] < 0 or cost < cheapest or cost > dearest:
                continue
            if lists and cost != listed:
                listed, count = cost, count_of[cost]
                for i in range(count):
                    chosen[i] = of_cost[cost, i]
            target, act = depths[steps[m, 0] :], fibre[steps[m, 1]]
            if pull:
                left, here = np.int64(0), np.uint8(next_depth - cost)
                for i in range(count):
                    b = chosen[i]
                    found = target[act[b]] == here
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


@kernel(
    SPACE,
    types.uint8[::1],
    read_only(types.boolean, 1),
    types.int64,
    types.int64,
    types.int64,
    types.int64,
    types.int64,
    at_start=True,
)
def _pull_up_to_symmetry(
    space: SpaceArrays,
    depths: Depths,
    near: NDArray[np.bool_],
    depth: int,
    cost: int,
    next_depth: int,
    first: int,
    last: int,
) -> int:
    """Find the unseen states in rows `first` to `last` that a move of a cost leads from to a state at `depth`.

    Only `near` rows have states at this depth. Symmetries may act on the fibre before the action of a move.
    """
    base, fibre, costs = space.base, space.fibre, space.costs
    numbers, images = space.symmetries
    steps = np.empty((len(base), 2), np.int64)
    width = fibre.shape[1]
    unseen, here, there = np.empty(width, np.uint32), np.uint8(depth), np.uint8(next_depth)
    for a in range(first, last):
        row, count = depths[a * width : (a + 1) * width], np.int64(-1)
        for m in range(base.shape[0]):
            if base[m, a] < 0 or costs[m] != cost or not near[base[m, a]]:
                continue
            if count < 0:
                read_row(space, a, steps)
                count = np.int64(0)
                for b in range(width):
                    unseen[count] = b
                    count += np.int64(row[b] == UNREACHABLE)
            target, act = depths[steps[m, 0] :], fibre[steps[m, 1]]
            left, is_imaged = np.int64(0), len(images) > 0 and numbers[m, a] > 0
            image = images[numbers[m, a] if is_imaged else 0] if len(images) > 0 else act
            for i in range(count):
                b = unseen[i]
                found = target[act[image[b] if is_imaged else b]] == here
                if found:
                    row[b] = there
                unseen[left] = b
                left += np.int64(not found)
            count = left
    return 0


def _push(space: StateSpace, depths: Depths, depth: int, cost: int, next_depth: int) -> None:
    """Mark the neighbours of the states at `depth`, as `_advance` does: the space must be the reversed one."""
    a, b = np.divmod(np.flatnonzero(depths == depth), space.width)
    for move in np.flatnonzero(space.cost_of_moves == cost).tolist():
        ranks, action = space.of_move(move)
        first = ranks[a]
        there = (first + space.fibre[action[a], b])[first >= 0]
        depths[there] = np.minimum(depths[there], np.uint8(next_depth))


class Searcher:
    """A breadth-first search, one depth at a time.

    An entry may stand for several states. If moves lead to images of states under symmetries, they cannot be reversed:
    the unseen states look for neighbours at every depth.

    Attributes:
        depths: uint8 (entries,): the depths found so far, 255 elsewhere.
        depth: the current depth.
        found: the number of states of the puzzle at that depth; 0 is possible before the end if moves cost more than 1.
        total: the number of states found so far.
        counts: the number of states at each depth so far.
    """

    def __init__(
        self,
        space: StateSpace,
        starts: Sequence[int] | NDArray[np.int64],
        workers: int | None = None,
        begun: Levels | None = None,
    ) -> None:
        """Start from the states at depth 0, given by their ranks, or continue from the levels of a checkpoint.

        Raises:
            ValueError: a start or the number of workers is invalid.
        """
        ranks = np.asarray(starts, np.int64)
        require_ranks(space, ranks)
        self._space = space
        self._backward = space if space.mutual or space.leads_to_images else space.reversed()
        costs = sorted({int(cost) for cost in space.cost_of_moves})
        self._costs = [cost for cost in costs if cost]
        self._is_free = 0 in costs
        self._is_plain = space.counted == space.states  # counting each row takes as long as a search
        self._arrays = functools.cache(functools.partial(arrays_of, symmetries=True))
        self._workers = Workers(space.rows, workers, entries=space.states)
        if begun:
            self.depths, self.counts = begun[0], list(begun[1])
        else:
            self.depths = np.full(space.states, UNREACHABLE, np.uint8)
            self.depths[ranks] = 0
            self.counts = [self._number_at(0)]
        self.depth = len(self.counts) - 1
        self.found, self.total = self.counts[-1], sum(self.counts)
        self._recent = self.counts[-max([1, *self._costs]) :]
        if begun is None and self._is_free:
            self._follow_free_moves()
            self.counts = [self.found]

    @property
    def finished(self) -> bool:
        """Whether the search has found all states."""
        return not any(self._recent)

    def advance(self) -> None:
        """Find the states at the next depth.

        Raises:
            ValueError: a depth is over 254.
        """
        if self.depth == DEEPEST:
            self._end_at_deepest()
            return
        self._look(self._costs, self.depth + 1)
        self.depth += 1
        self.found = self._number_at(self.depth)
        self.total += self.found
        if self._is_free:
            self._follow_free_moves()
        self.counts.append(self.found)
        self._recent = self.counts[-max([1, *self._costs]) :]

    def _follow_free_moves(self) -> None:
        """Find the states that moves of cost 0 connect with those of the current depth."""
        before = -1
        while before < self.found:
            before = self.found
            self._look([0], self.depth)
            self.found = self._number_at(self.depth)
            self.total += self.found - before

    def _look(self, costs: Sequence[int], after: int) -> None:
        """Find states at a depth from those before it, by moves of given costs, in ascending order."""
        possible = [cost for cost in costs if cost <= after]
        if possible and not self._space.leads_to_images and not self._space.is_small:
            pull = max(self._recent) > self._space.counted - self.total  # expand the side with fewer states
            arrays, least, most = self._arrays(self._space if pull else self._backward), possible[0], possible[-1]
            self._workers.run(lambda first, last: _advance(arrays, self.depths, after, least, most, pull, first, last))
            return
        for cost in possible:
            self._look_from(after - cost, cost, after)

    def _look_from(self, before: int, cost: int, after: int) -> None:
        """Find states at the depth `after` from those at `before`, by moves of a given cost."""
        if not self._space.leads_to_images:
            _push(self._backward, self.depths, before, cost, after)
            return
        near, arrays = self._entries_at(before) > 0, self._arrays(self._space)
        self._workers.run(
            lambda first, last: _pull_up_to_symmetry(arrays, self.depths, near, before, cost, after, first, last)
        )

    def _number_at(self, depth: int) -> int:
        """Return the number of states of the puzzle at a depth."""
        if self._is_plain:
            return _number_of(self.depths, depth)
        return int(self._entries_at(depth) @ self._space.count_of_rows.astype(np.int64))

    def _entries_at(self, depth: int) -> NDArray[np.int64]:
        """Return the number of entries at a depth in each row."""
        rows = self.depths.reshape(-1, self._space.width)
        step = max(1, _PART // self._space.width)  # a comparison of all would take as much memory again
        parts = (rows[first : first + step] == depth for first in range(0, len(rows), step))
        return np.concatenate([np.count_nonzero(part, axis=1) for part in parts])

    def _end_at_deepest(self) -> None:
        """Require that no move leads from an unseen state to the depths that are seen.

        Raises:
            ValueError: one does.
        """
        for first in range(0, len(self.depths), _PART):
            unseen = first + np.flatnonzero(self.depths[first : first + _PART] == UNREACHABLE)
            there = self._space.neighbours_of(unseen)
            if ((there >= 0) & (self.depths[there] <= DEEPEST)).any():
                raise ValueError(f"some states are deeper than {DEEPEST}, the greatest depth that a byte can hold")
        self.found, self._recent = 0, []

    def __enter__(self) -> Searcher:
        return self

    def __exit__(self, *_: object) -> None:
        self._workers.__exit__()


def _number_of(depths: Depths, depth: int) -> int:
    """Return the number of entries with a depth."""
    parts = range(0, len(depths), _PART)
    return sum(int(np.count_nonzero(depths[first : first + _PART] == depth)) for first in parts)


def enumerate_depths(
    space: StateSpace,
    starts: int | Sequence[int] | NDArray[np.int64] = 0,
    progress: Progress | None = None,
    workers: int | None = None,
    checkpointer: Checkpointer | None = None,
) -> Depths:
    """Return the depth of every state: the least cost of moves that lead to a start.

    Args:
        space: the state space; its moves need not be closed under inversion.
        starts: ranks of the states at depth 0, or the rank if there is one.
        progress: called once a depth, from this thread.
        workers: number of threads; by default one for each processor. The result does not depend on it.

    Returns:
        uint8 (states,): depths by rank, 255 if no start can be reached.

    Raises:
        ValueError: a start is not a rank, the number of workers is invalid, or a depth is over 254.

    >>> ring = StateSpace(np.array([[1, 2, 0]]), np.zeros((1, 3), np.int32), np.array([[0]], np.uint32))
    >>> enumerate_depths(ring).tolist()
    [0, 2, 1]
    """
    return enumerate_levels(space, starts, progress, workers, checkpointer)[0]


def enumerate_levels(
    space: StateSpace,
    starts: int | Sequence[int] | NDArray[np.int64] = 0,
    progress: Progress | None = None,
    workers: int | None = None,
    checkpointer: Checkpointer | None = None,
) -> Levels:
    """Return the depth of every entry, as `enumerate_depths` does, and the number of states of the puzzle at each.

    >>> ring = StateSpace(np.array([[1, 2, 0]]), np.zeros((1, 3), np.int32), np.array([[0]], np.uint32))
    >>> enumerate_levels(ring)[1]
    (1, 1, 1)
    """
    begun = checkpointer.begun() if checkpointer else None
    with Searcher(space, np.atleast_1d(np.asarray(starts, np.int64)), workers, begun) as search:
        while not search.finished:
            if progress and search.found:
                progress(search.depth, search.found, search.total)
            if checkpointer and search.found:  # the last level has states
                checkpointer.keep(search.depths, tuple(search.counts))
            search.advance()
        return search.depths, tuple(np.trim_zeros(search.counts, "b"))


def require_ranks(space: StateSpace, ranks: NDArray[np.int64]) -> None:
    """Reject numbers that are not ranks, and moves that lead nowhere, which kernels would follow.

    Raises:
        ValueError: a number is out of range.
    """
    if space.base.max(initial=-1) >= space.rows:
        raise ValueError(f"a move leads to row {space.base.max()}, which is not in 0..{space.rows - 1}")
    wrong = ranks[(ranks < 0) | (ranks >= space.states)]
    if len(wrong):
        raise ValueError(f"start {wrong[0]} is not in 0..{space.states - 1}")


def distribution(depths: Depths, space: StateSpace | None = None) -> tuple[int, ...]:
    """Return the number of reachable states at each depth, from 0.

    Args:
        depths: uint8 (entries,): the depths.
        space: the space of the entries, which may stand for several states; by default each stands for one.

    >>> distribution(np.array([0, 1, 1, 255], np.uint8))
    (1, 2)
    """
    counts = np.zeros(UNREACHABLE + 1, np.int64)
    for number, entries in _alike(depths, space):
        for first in range(0, len(entries), _PART):
            counts += number * np.bincount(entries[first : first + _PART], minlength=len(counts))
    return tuple(np.trim_zeros(counts[:UNREACHABLE], "b").tolist())


def _alike(depths: Depths, space: StateSpace | None) -> Iterator[tuple[int, Depths]]:
    """Yield parts of the depths, with the number of states for which each entry of a part stands."""
    if space is None or space.counts is None:
        yield 1, depths
        return
    ends = [*(1 + np.flatnonzero(np.diff(space.counts))).tolist(), space.rows]
    for first, last in itertools.pairwise([0, *ends]):
        yield int(space.counts[first]), depths[first * space.width : last * space.width]
