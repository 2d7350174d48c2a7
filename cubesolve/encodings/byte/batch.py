"""Solutions of many states at once, by descending to the start (numba)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings.byte.descent import NO_MOVE
from cubesolve.runtime.kernels import kernel, named, read_only, types
from cubesolve.runtime.workers import Workers
from cubesolve.spaces.space import StateSpace
from cubesolve.spaces.tables import UNREACHABLE

_TOGETHER = 64  # states that descend together: while one waits for memory, the others go on

_BYTES = read_only(types.uint8, 1)


class ByteSteps(NamedTuple):
    """The moves of a space, with the data of one state side by side.

    An impossible move leads from a state to itself.

    Attributes:
        base: int32 (A, moves)
        action: int32 (A, moves)
        fibre: int32 (B, actions): the transpose of that of `StateSpace`.
        costs: uint8 (moves,): the cost of each move.
    """

    base: NDArray[np.int32]
    action: NDArray[np.int32]
    fibre: NDArray[np.int32]
    costs: NDArray[np.uint8]

    @classmethod
    def of(cls, space: StateSpace) -> ByteSteps:
        """Return the steps of a space."""
        base, action, fibre = (np.ascontiguousarray(each, np.int32) for each in space.side_by_side())
        return cls(base, action, fibre, space.cost_of_moves)


_STEPS = named(
    ByteSteps,
    base=read_only(types.int32),
    action=read_only(types.int32),
    fibre=read_only(types.int32),
    costs=read_only(types.uint8, 1),
)


@kernel(_STEPS, _BYTES, read_only(types.int64, 1), types.uint8[:, ::1], types.uint8[::1])
def _descend(
    steps: ByteSteps,
    depths: NDArray[np.uint8],
    ranks: NDArray[np.int64],
    moves: NDArray[np.uint8],
    lengths: NDArray[np.uint8],
) -> int:
    """Find the first optimal move repeatedly, down to the start."""
    base, action, fibre, costs = steps
    width = np.uint32(len(fibre))
    at, left = np.empty(_TOGETHER, np.uint32), np.empty(_TOGETHER, np.uint8)
    for first in range(0, len(ranks), _TOGETHER):
        count = min(_TOGETHER, len(ranks) - first)
        for i in range(count):
            at[i] = ranks[first + i]
            depth = depths[ranks[first + i]]
            left[i] = depth if depth != UNREACHABLE else np.uint8(0)
            lengths[first + i] = 0
        for step in range(moves.shape[1]):
            for i in range(count):
                move = np.uint8(NO_MOVE)
                if left[i]:
                    a, b = at[i] // width, at[i] % width
                    there, rest = at[i], np.int32(left[i])
                    for m in range(base.shape[1] - 1, -1, -1):
                        target = np.uint32(base[a, m] + fibre[b, action[a, m]])
                        nearer = np.int32(depths[target]) == rest - np.int32(costs[m])
                        move = np.uint8(m) if nearer else move
                        there = target if nearer else there
                    at[i] = there
                    left[i] = np.uint8(rest - np.int32(costs[move])) if move != NO_MOVE else np.uint8(0)
                    lengths[first + i] += np.uint8(1)
                moves[first + i, step] = move
    return 0


def descend(
    steps: ByteSteps,
    depths: NDArray[np.uint8],
    ranks: NDArray[np.int64],
    moves: NDArray[np.uint8],
    lengths: NDArray[np.uint8],
) -> None:
    """Find for many states the first optimal solution in the order of the moves.

    Args:
        depths: uint8 (states,): depths by rank.
        ranks: int64 (N,): the states; each must be a rank.
        moves: uint8 (N, width): the output, NO_MOVE after the last move; wide enough for the longest solution.
        lengths: uint8 (N,): the output: the number of moves of each solution.
    """
    _descend(steps, depths, ranks, moves, lengths)


@kernel(_STEPS, _BYTES, types.int64, types.int64, types.uint8[::1])
def _first_moves(steps: ByteSteps, depths: NDArray[np.uint8], first: int, last: int, found: NDArray[np.uint8]) -> int:
    """Find the first optimal move of each state in rows `first` to `last`."""
    base, action, fibre, costs = steps
    width = len(fibre)
    for a in range(first, last):
        for b in range(width):
            rank, move = np.uint32(a * width + b), np.uint8(NO_MOVE)
            depth = np.int32(depths[rank])
            for m in range(base.shape[1] - 1, -1, -1):
                target = np.uint32(base[a, m] + fibre[b, action[a, m]])
                move = np.uint8(m) if np.int32(depths[target]) + np.int32(costs[m]) == depth else move
            found[rank] = move
    return 0


def first_moves(steps: ByteSteps, depths: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the first optimal move of every state of a space, uint8 (states,): NO_MOVE where there is none.

    Args:
        depths: uint8 (states,): depths by rank.
    """
    found = np.empty_like(depths)
    with Workers(len(steps.base), entries=depths.size) as pool:
        pool.run(lambda first, last: _first_moves(steps, depths, first, last, found))
    return found


@kernel(_STEPS, _BYTES, read_only(types.int64, 1), types.uint8[:, ::1], types.uint8[::1])
def _follow(
    steps: ByteSteps,
    first_moves: NDArray[np.uint8],
    ranks: NDArray[np.int64],
    moves: NDArray[np.uint8],
    lengths: NDArray[np.uint8],
) -> int:
    """Make the first optimal move repeatedly, down to the start."""
    base, action, fibre, width = steps.base, steps.action, steps.fibre, np.uint32(len(steps.fibre))
    at = np.empty(_TOGETHER, np.uint32)
    for first in range(0, len(ranks), _TOGETHER):
        count = min(_TOGETHER, len(ranks) - first)
        for i in range(count):
            at[i] = ranks[first + i]
            lengths[first + i] = 0
        for step in range(moves.shape[1]):
            for i in range(count):
                move = first_moves[at[i]]
                moves[first + i, step] = move
                if move != NO_MOVE:
                    a, b = at[i] // width, at[i] % width
                    at[i] = base[a, move] + fibre[b, action[a, move]]
                    lengths[first + i] += np.uint8(1)
    return 0


def follow(
    steps: ByteSteps,
    first_moves: NDArray[np.uint8],
    ranks: NDArray[np.int64],
    moves: NDArray[np.uint8],
    lengths: NDArray[np.uint8],
) -> None:
    """Do what `descend` does, from the first optimal move of every state, uint8 (states,)."""
    _follow(steps, first_moves, ranks, moves, lengths)


@kernel(_STEPS, _BYTES, read_only(types.int64, 1), types.boolean[:, ::1])
def _lead_down(
    steps: ByteSteps,
    depths: NDArray[np.uint8],
    ranks: NDArray[np.int64],
    leads: NDArray[np.bool_],
) -> int:
    """Determine which moves lead down."""
    base, action, fibre, costs = steps
    width = np.uint32(len(fibre))
    for i in range(len(ranks)):
        rank = np.uint32(ranks[i])
        a, b = rank // width, rank % width
        for m in range(base.shape[1]):
            there = np.uint32(base[a, m] + fibre[b, action[a, m]])
            leads[i, m] = np.int64(depths[there]) + costs[m] == depths[rank]
    return 0


def lead_down(steps: ByteSteps, depths: NDArray[np.uint8], ranks: NDArray[np.int64], leads: NDArray[np.bool_]) -> None:
    """Find the optimal moves of many states.

    Args:
        depths: uint8 (states,): depths by rank.
        ranks: int64 (N,): the states; each must be a rank.
        leads: bool (N, moves): the output.
    """
    _lead_down(steps, depths, ranks, leads)


@kernel(*[read_only(types.int32)] * 3, _BYTES, types.int32[::1], read_only(types.int64, 1), types.uint8[::1])
def _go(
    base: NDArray[np.int32],
    action: NDArray[np.int32],
    fibre: NDArray[np.int32],
    depths: NDArray[np.uint8],
    ranks: NDArray[np.int32],
    moves: NDArray[np.int64],
    found: NDArray[np.uint8],
) -> int:
    """Apply a move to each state."""
    width = np.uint32(len(fibre))
    for i in range(len(ranks)):
        rank, move = np.uint32(ranks[i]), np.uint32(moves[i])
        a, b = rank // width, rank % width
        there = np.uint32(base[a, move] + fibre[b, action[a, move]])
        ranks[i] = there
        found[i] = depths[there]
    return 0


def go(
    steps: ByteSteps,
    depths: NDArray[np.uint8],
    ranks: NDArray[np.int32],
    moves: NDArray[np.int64],
    found: NDArray[np.uint8],
) -> None:
    """Apply one move to each of many states.

    Args:
        depths: uint8 (states,): depths by rank.
        ranks: int32 (N,): the states; each must be a rank; replaced by those after the moves.
        moves: int64 (N,): the number of a possible move for each.
        found: uint8 (N,): the output: the depths after the moves.
    """
    _go(steps.base, steps.action, steps.fibre, depths, ranks, moves, found)


@kernel(_STEPS, _BYTES, types.int64[::1], types.int64, types.int64, types.int64)
def _count_solutions(
    steps: ByteSteps,
    depths: NDArray[np.uint8],
    counts: NDArray[np.int64],
    depth: int,
    first: int,
    last: int,
) -> int:
    """Count the optimal solutions of the states at a depth in rows `first` to `last`, from those one move nearer."""
    base, action, fibre, costs = steps
    width = len(fibre)
    for a in range(first, last):
        for b in range(width):
            if depths[a * width + b] == depth:
                total = 0
                for m in range(base.shape[1]):
                    target = np.uint32(base[a, m] + fibre[b, action[a, m]])
                    if depths[target] + costs[m] == depth:
                        total += counts[target]
                counts[a * width + b] = total
    return 0


def count_solutions(steps: ByteSteps, depths: NDArray[np.uint8], workers: int | None = None) -> NDArray[np.int64]:
    """Return the number of optimal solutions of every state of a space.

    Args:
        depths: uint8 (states,): depths by rank.
        workers: number of threads; by default one for each processor.

    Returns:
        int64 (states,): 1 for the start itself.
    """
    counts: NDArray[np.int64] = (depths == 0).astype(np.int64)
    with Workers(len(steps.base), workers, entries=depths.size) as pool:
        for depth in range(1, int(depths.max()) + 1):
            pool.run(lambda first, last: _count_solutions(steps, depths, counts, depth, first, last))  # noqa: B023
    return counts
