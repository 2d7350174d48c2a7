"""Proofs that the depths of a whole state space are right; they share no code with the enumeration."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings.entries import Fault
from cubesolve.encodings.enumeration import DEEPEST, Depths, start_ranks
from cubesolve.encodings.space_arrays import SpaceArrays, arrays_of, read_row
from cubesolve.runtime.instructions import fetch_or
from cubesolve.runtime.kernel_arrays import Array1, Read1
from cubesolve.runtime.kernels import kernel, part
from cubesolve.runtime.notices import following
from cubesolve.runtime.workers import Workers
from cubesolve.spaces.space import StateSpace
from cubesolve.spaces.tables import UNREACHABLE

_FAULTS_KEPT = 64
_RANGES = 64  # of rows, for progress
_NOWHERE = 512  # more than the sum of any depth and cost


@part
def _find_nearest(
    space: SpaceArrays, steps: NDArray[np.int64], depths: Depths, cost: int, nearest: NDArray[np.uint8]
) -> None:
    """Find the least depths to which moves of a cost lead from the states of a row, given its moves."""
    fibre, costs = space.fibre, space.costs
    for b in range(len(nearest)):
        nearest[b] = UNREACHABLE
    for m in range(len(steps)):
        if steps[m, 0] >= 0 and costs[m] == cost:
            target, act = depths[steps[m, 0] :], fibre[steps[m, 1]]
            for b in range(len(nearest)):
                nearest[b] = min(nearest[b], target[act[b]])


@part
def _sum_up(
    space: SpaceArrays,
    steps: NDArray[np.int64],
    depths: Depths,
    most: int,  # the largest cost
    nearest: NDArray[np.uint8],
    least: NDArray[np.uint16],
) -> None:
    """Compute the depths that the states of a row should have unless they are starts; 256 if none is right."""
    # Loops are plain, because array expressions in a kernel take long to compile.
    width = len(least)
    for b in range(width):
        least[b] = _NOWHERE
    for cost in range(1, most + 1):
        _find_nearest(space, steps, depths, cost, nearest)
        for b in range(width):
            if nearest[b] != UNREACHABLE:
                least[b] = min(least[b], nearest[b] + cost)
    for b in range(width):
        if least[b] > DEEPEST:
            least[b] = UNREACHABLE if least[b] == _NOWHERE else UNREACHABLE + 1


@kernel(at_start=True)
def _check(
    space: SpaceArrays,
    depths: Read1[np.uint8],
    starts: Read1[np.int64],  # in ascending order
    supported: Array1[np.uint64],
    first: int,
    last: int,
    faults: Array1[np.int64],
) -> int:
    """Count the states in rows `first` to `last` whose depth contradicts those of their neighbours; list the first."""
    # Where some moves cost 0, `supported` has a bit for each state. It is set if another move has the least sum for its
    # depth. A depth below this sum is then accepted, and one above that of a state to which a free move leads is not.
    costs, width, has_free = space.costs, space.fibre.shape[1], len(supported) > 0
    nearest, least = np.empty(width, np.uint8), np.empty(width, np.uint16)
    steps, dearest = np.empty((len(costs), 2), np.int64), 0
    for m in range(len(costs)):
        dearest = max(dearest, costs[m])
    count = next_start = 0
    while next_start < len(starts) and starts[next_start] < first * width:
        next_start += 1
    for a in range(first, last):
        read_row(space, a, steps)
        _sum_up(space, steps, depths, dearest, nearest, least)
        while next_start < len(starts) and starts[next_start] < (a + 1) * width:
            least[starts[next_start] - a * width] = 0
            next_start += 1
        row = depths[a * width :]
        if has_free:
            _find_nearest(space, steps, depths, 0, nearest)
        for b in range(width):
            if row[b] == least[b] and has_free:
                fetch_or(supported, (a * width + b) >> 6, np.uint64(1) << np.uint64((a * width + b) & 63))
            is_below = has_free and row[b] < least[b] and row[b] != UNREACHABLE
            if (row[b] != least[b] and not is_below) or (has_free and row[b] > nearest[b]):
                if count < len(faults):
                    faults[count] = a * width + b
                count += 1
    return count


@kernel()
def _support(space: SpaceArrays, depths: Read1[np.uint8], supported: Array1[np.uint64], first: int, last: int) -> int:
    """Set the bits of states in rows `first` to `last` from which a free move leads to one at their depth with it."""
    fibre, costs = space.fibre, space.costs
    steps, width, count = np.empty((len(costs), 2), np.int64), fibre.shape[1], 0
    for a in range(first, last):
        read_row(space, a, steps)
        for m in range(len(steps)):
            if steps[m, 0] < 0 or costs[m] > 0:
                continue
            start, act = steps[m, 0], fibre[steps[m, 1]]
            for b in range(width):
                here = a * width + b
                if supported[here >> 6] >> np.uint64(here & 63) & np.uint64(1):
                    continue
                there = start + act[b]
                if depths[there] == depths[here] and supported[there >> 6] >> np.uint64(there & 63) & np.uint64(1):
                    fetch_or(supported, here >> 6, np.uint64(1) << np.uint64(here & 63))
                    count += 1
    return count


def _without_bit(words: NDArray[np.uint64], states: int) -> NDArray[np.int64]:
    """Return the ranks whose bit is not set."""
    some = np.flatnonzero(~words)
    rows, bits = np.nonzero(np.unpackbits(~words[some, None].view(np.uint8), axis=1, bitorder="little"))
    ranks: NDArray[np.int64] = 64 * some[rows] + bits
    return ranks[ranks < states]


def _faulty(space: StateSpace, depths: Depths, starts: NDArray[np.int64], first: int, last: int) -> NDArray[np.int64]:
    """Return the ranks of the states that `_check` counts, found by numpy."""
    ranks = np.arange(first * space.width, last * space.width)
    neighbours = space.neighbours_of(ranks)
    near = np.where(neighbours >= 0, depths[neighbours], np.uint8(UNREACHABLE))
    sums = np.where(near == UNREACHABLE, _NOWHERE, near + space.cost_of_moves.astype(np.int64))
    least = sums.min(axis=1, initial=_NOWHERE)
    least = np.where(least > DEEPEST, np.where(least == _NOWHERE, UNREACHABLE, UNREACHABLE + 1), least)
    least[np.isin(ranks, starts)] = 0
    faulty: NDArray[np.int64] = ranks[depths[ranks] != least]
    return faulty


def find_fault(
    space: StateSpace, depths: Depths, starts: int | Sequence[int] | NDArray[np.int64] = 0, workers: int | None = None
) -> Fault | None:
    """Prove that depths are right, or return a state with a wrong one.

    Depths are right if and only if the starts have 0 and every other state has the least sum of a neighbour's depth and
    the cost of the move there (one more than the least depth of a neighbour, if moves cost 1), or 255 if all neighbours
    have 255: the moves with the least sums are a path of that cost, and along any path to a start the depth decreases
    by at most the costs of the moves.

    States that moves of cost 0 connect could support one another in a circle. There, no sum may be less than the depth;
    and moves of cost 0 between states at one depth must lead from every state to a start or to a state whose depth is
    the sum for a move that costs more.

    Returns:
        None if every depth is right. If a single one is wrong, the fault is about that state, or about one that moves
        of cost 0 connect with it.

    >>> ring = StateSpace(np.array([[1, 2, 0]]), np.zeros((1, 3), np.int32), np.array([[0]], np.uint32))
    >>> find_fault(ring, np.array([0, 2, 1], np.uint8))
    >>> find_fault(ring, np.array([0, 3, 1], np.uint8))
    Fault(rank=1, depth=3, expected=2, conflicts=1)
    """
    ranks = start_ranks(space, starts)
    if depths.shape != (space.states,) or depths.dtype != np.uint8:
        raise ValueError(f"depths must be uint8 ({space.states},), not {depths.dtype} {depths.shape}")
    arrays, contiguous = arrays_of(space), np.ascontiguousarray(depths)
    supported = np.zeros(-(-space.states // 64) if space.has_free_moves else 0, np.uint64)
    conflicts: list[int] = []

    def check(first: int, last: int) -> int:
        if space.is_small and not space.has_free_moves:
            faults = _faulty(space, depths, ranks, first, last)
            count = len(faults)
        else:
            faults = np.empty(_FAULTS_KEPT, np.int64)
            count = _check(arrays, contiguous, ranks, supported, first, last, faults)
        conflicts.extend(faults[: min(count, _FAULTS_KEPT)].tolist())
        advance(last - first)
        return count

    at_most = -(-space.rows // _RANGES)
    with following("proving", space.rows) as advance, Workers(space.rows, workers, at_most, space.states) as pool:
        count = sum(pool.run(check))
        if space.has_free_moves and not count:
            while sum(pool.run(lambda first, last: _support(arrays, contiguous, supported, first, last))):
                pass
            circular = _without_bit(supported, space.states)
            conflicts, count = circular[:_FAULTS_KEPT].tolist(), len(circular)
    return _culprit(space, depths, set(ranks.tolist()), sorted(conflicts), count) if count else None


def _culprit(space: StateSpace, depths: Depths, starts: set[int], conflicts: list[int], count: int) -> Fault:
    """Return the one state whose depth explains all conflicts, if there is one, or else the first in conflict."""
    costs = space.cost_of_moves.tolist()

    def expected(rank: int, changed: int, depth: int, cheapest: int = 0) -> int:
        if rank in starts:
            return 0
        sums = []
        for neighbour, cost in zip(space.neighbours_of(np.array([rank]))[0].tolist(), costs, strict=True):
            near = depth if neighbour == changed else int(depths[neighbour])
            if neighbour >= 0 and near != UNREACHABLE and cost >= cheapest:
                sums.append(near + cost if near + cost <= DEEPEST else UNREACHABLE + 1)
        return min(sums, default=UNREACHABLE)

    for rank in conflicts:
        right = expected(rank, rank, int(depths[rank]))
        others = (r for r in conflicts if r != rank)
        if all(expected(r, rank, right) == depths[r] for r in others):
            break
    else:
        rank = conflicts[0]
        right = expected(rank, rank, int(depths[rank]))
    if right == depths[rank]:  # in a circle of moves of cost 0
        right, rank = min((expected(state, state, UNREACHABLE, cheapest=1), state) for state in conflicts)
    return Fault(rank, int(depths[rank]), right, count)
