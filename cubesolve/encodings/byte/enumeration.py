"""Enumeration of whole state spaces, breadth-first, with a byte per state.

A kernel runs over the arrays of a `StateSpace`. Small spaces are enumerated by numpy instead, with the same result,
before a kernel would be loaded.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cubesolve.kernels import kernel, named, read_only, types
from cubesolve.spaces.space import Checkpointer, FibreSymmetries, Levels, Progress, SpaceArrays, StateSpace
from cubesolve.spaces.tables import UNREACHABLE
from cubesolve.workers import Workers

Depths = NDArray[np.uint8]
"""Depths by rank, 255 if no start can be reached."""

SPACE = named(
    SpaceArrays,
    base=read_only(types.int64),
    action=read_only(types.int32),
    fibre=read_only(types.uint32),
    costs=read_only(types.uint8, 1),
    counts=read_only(types.uint8, 1),
    symmetries=named(FibreSymmetries, numbers=read_only(types.uint8), images=read_only(types.uint32)),
)
"""The type of the arrays of a space, for kernels."""

DEEPEST = UNREACHABLE - 1
"""The largest depth in a byte."""

_NO_SYMMETRIES = FibreSymmetries(np.empty((0, 0), np.uint8), np.empty((0, 0), np.uint32))
_PART = 1 << 20


@kernel(SPACE, types.uint8[::1], types.int64, types.int64, types.boolean, types.int64, types.int64)
def _advance(space: SpaceArrays, depths: Depths, depth: int, next_depth: int, pull: bool, first: int, last: int) -> int:
    """Find states at `next_depth` from those at `depth`, for rows `first` to `last`.

    If pushing, the neighbours of the states of these rows at `depth` are marked: the arrays must be those of the
    reversed space. If pulling, the unseen states of these rows with a neighbour at `depth` are marked. Several threads
    may process
    different rows at once: if two of them write to one place, they write the same value.
    """
    base, action, fibre = space.base, space.action, space.fibre
    width = fibre.shape[1]
    chosen = np.empty(width, np.uint16)
    here, there = np.uint8(depth), np.uint8(next_depth)
    wanted = np.uint8(UNREACHABLE) if pull else here
    for a in range(first, last):
        row = depths[a * width : (a + 1) * width]
        any_wanted = np.uint8(0)
        for b in range(width):
            any_wanted |= np.uint8(row[b] == wanted)
        if not any_wanted:
            continue
        count = np.int64(0)
        for b in range(width):
            chosen[count] = b
            count += np.int64(row[b] == wanted)
        for m in range(base.shape[0]):
            if base[m, a] < 0:
                continue
            target = depths[base[m, a] :]
            act = fibre[action[m, a]]
            if pull:
                left = np.int64(0)
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


def _push(space: StateSpace, depths: Depths, depth: int, next_depth: int) -> None:
    """Mark the neighbours of the states at `depth`, as `_advance` does: the space must be the reversed one."""
    a, b = np.divmod(np.flatnonzero(depths == depth), space.width)
    for base, action in zip(space.base, space.action, strict=True):
        first = base[a]
        there = (first + space.fibre[action[a], b])[first >= 0]
        depths[there] = np.minimum(depths[there], np.uint8(next_depth))


class Searcher:
    """A breadth-first search, one depth at a time.

    Attributes:
        depths: uint8 (states,): the depths found so far, 255 elsewhere.
        depth: the current depth.
        found: the number of states at that depth; 0 is possible before the end if moves cost more than 1.
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
            ValueError: a start is not a rank, the number of workers is invalid, or symmetries act on the fibre.
        """
        ranks = np.asarray(starts, np.int64)
        require_ranks(space, ranks)
        _require_plain(space)
        self._space = space
        forward, backward = space, space if space.mutual else space.reversed()
        costs = sorted({int(cost) for cost in space.cost_of_moves})
        self._forward = {cost: forward.of_cost(cost) for cost in costs}
        self._backward = {cost: backward.of_cost(cost) for cost in costs}
        self._costs = [cost for cost in costs if cost]
        self._is_free = 0 in costs
        self._arrays = functools.cache(arrays_of)
        self._workers = Workers(space.rows, workers)
        self.depths, counts = begun or _first_level(space, ranks)
        self.counts = list(counts)
        self.depth = len(counts) - 1
        self.found, self.total = counts[-1], sum(counts)
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
        for cost in self._costs:
            if cost <= self.depth + 1:
                self._look(cost, self.depth + 1 - cost, self.depth + 1)
        self.depth += 1
        self.found = _number_at(self.depths, self.depth)
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
            self._look(0, self.depth, self.depth)
            self.found = _number_at(self.depths, self.depth)
            self.total += self.found - before

    def _look(self, cost: int, before: int, after: int) -> None:
        """Find states at the depth `after` from those at `before`, by moves of a given cost."""
        if self._space.is_small:
            _push(self._backward[cost], self.depths, before, after)
            return
        pull = max(self._recent) > len(self.depths) - self.total  # expand the side with fewer states
        arrays = self._arrays((self._forward if pull else self._backward)[cost])
        self._workers.run(lambda first, last: _advance(arrays, self.depths, before, after, pull, first, last))

    def _end_at_deepest(self) -> None:
        backward = self._space.reversed()
        for cost in self._costs:
            for state in np.flatnonzero((self.depths > DEEPEST - cost) & (self.depths <= DEEPEST)).tolist():
                if any(self.depths[rank] == UNREACHABLE for rank in backward.of_cost(cost).neighbours(state)):
                    raise ValueError(f"some states are deeper than {DEEPEST}, the greatest depth that a byte can hold")
        self.found, self._recent = 0, []

    def __enter__(self) -> Searcher:
        return self

    def __exit__(self, *_: object) -> None:
        self._workers.__exit__()


def _first_level(space: StateSpace, ranks: NDArray[np.int64]) -> Levels:
    depths = np.full(space.states, UNREACHABLE, np.uint8)
    depths[ranks] = 0
    return depths, (_number_at(depths, 0),)


def _number_at(depths: Depths, depth: int) -> int:
    """The number of states at a depth."""
    parts = range(0, len(depths), _PART)  # a comparison of all would take as much memory again
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
        checkpointer: writes checkpoints between levels. The result does not depend on it.

    Returns:
        uint8 (states,): depths by rank, 255 if no start can be reached.

    Raises:
        ValueError: a start is not a rank, the number of workers is invalid, or a depth is over 254.

    >>> ring = StateSpace(np.array([[1, 2, 0]]), np.zeros((1, 3), np.int32), np.array([[0]], np.uint32))
    >>> enumerate_depths(ring).tolist()
    [0, 2, 1]
    """
    begun = checkpointer.begun() if checkpointer else None
    with Searcher(space, np.atleast_1d(np.asarray(starts, np.int64)), workers, begun) as search:
        while not search.finished:
            if progress and search.found:
                progress(search.depth, search.found, search.total)
            if checkpointer and search.found:  # the last level has states
                checkpointer.keep(search.depths, tuple(search.counts))
            search.advance()
        return search.depths


def arrays_of(space: StateSpace, *, symmetries: bool = False) -> SpaceArrays:
    """Return the arrays of a space for kernels.

    Args:
        space: the space.
        symmetries: whether the kernels let symmetries act on the fibre.

    Raises:
        ValueError: symmetries act, but not in these kernels.
    """
    if not symmetries:
        _require_plain(space)
    return SpaceArrays(
        np.ascontiguousarray(space.base, np.int64),
        np.ascontiguousarray(space.action, np.int32),
        np.ascontiguousarray(space.fibre, np.uint32),
        space.cost_of_moves,
        np.ascontiguousarray(space.count_of_rows, np.uint8),
        space.symmetries or _NO_SYMMETRIES,
    )


def _require_plain(space: StateSpace) -> None:
    if space.symmetries is not None:
        raise ValueError("a space with symmetries that act on its fibre can only be counted")


def require_ranks(space: StateSpace, ranks: NDArray[np.int64]) -> None:
    """Reject numbers that are not ranks.

    Raises:
        ValueError: a number is out of range.
    """
    wrong = ranks[(ranks < 0) | (ranks >= space.states)]
    if len(wrong):
        raise ValueError(f"start {wrong[0]} is not in 0..{space.states - 1}")


def distribution(depths: Depths) -> tuple[int, ...]:
    """Return the number of reachable states at each depth, from 0.

    >>> distribution(np.array([0, 1, 1, 255], np.uint8))
    (1, 2)
    """
    counts = np.zeros(UNREACHABLE + 1, np.int64)
    for first in range(0, len(depths), _PART):  # numpy makes eight bytes of each before it counts
        counts += np.bincount(depths[first : first + _PART], minlength=len(counts))
    return tuple(np.trim_zeros(counts[:UNREACHABLE], "b").tolist())
