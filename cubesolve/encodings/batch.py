"""Solutions of many states at once, by descending to the start (numba).

A table has depths in bytes, or depths modulo 3 in two bits; the number of bits is a constant of each kernel. Every
optimal move of a state leads to an entry that is smaller by its cost, and only starts have no such neighbours.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings.descent import NO_MOVE
from cubesolve.encodings.entries import UNREACHED
from cubesolve.runtime.instructions import prefetch
from cubesolve.runtime.kernel_arrays import Array1, Array2, Read1, Read2
from cubesolve.runtime.kernels import kernel, part
from cubesolve.runtime.workers import Workers
from cubesolve.spaces.space import StateSpace
from cubesolve.spaces.tables import UNREACHABLE

_AT_A_TIME = 1 << 20  # ranks whose depths are found before those at one are listed
_TOGETHER = 64  # states that descend together: while one waits for memory, the others go on
_Table = Read1[np.uint8]
_Ranks = Read1[np.int64]
_Moves = Array2[np.uint8]
_Lengths = Array1[np.uint8]


class Steps(NamedTuple):
    """The moves of a space, with the data of one state side by side; see `StateSpace.side_by_side`."""

    base: Read2[np.int32]  # (A, moves)
    action: Read2[np.int32]  # (A, moves)
    fibre: Read2[np.int32]  # (B, actions): the transpose of that of `StateSpace`
    costs: Read1[np.uint8]  # (moves,): the cost of each move

    @classmethod
    def of(cls, space: StateSpace) -> Steps:
        """Return the moves of a space."""
        base, action, fibre = (np.ascontiguousarray(array, np.int32) for array in space.side_by_side())
        return cls(base, action, fibre, space.cost_of_moves)


class WideSteps(NamedTuple):
    """The moves of a space for tables of two bits, which may have more states; see `Steps`."""

    base: Read2[np.int64]
    action: Read2[np.int32]
    fibre: Read2[np.uint32]
    costs: Read1[np.uint8]

    @classmethod
    def of(cls, space: StateSpace) -> WideSteps:
        """Return the moves of a space."""
        base, action, fibre = space.side_by_side()
        wide, small = np.ascontiguousarray(base, np.int64), np.ascontiguousarray(fibre, np.uint32)
        return cls(wide, np.ascontiguousarray(action, np.int32), small, space.cost_of_moves)


_Steps = Steps | WideSteps


@part
def _entry(bits: int, table: _Table, rank: np.uint64) -> np.uint8:
    two, three = np.uint64(2), np.uint64(3)
    return table[rank] if bits == 8 else np.uint8(table[rank >> two] >> two * (rank & three) & three)


@part
def _row(bits: int, rank: np.uint64, width: np.uint64) -> np.uint64:
    # Dividing numbers of 32 bits is faster; there are fewer states than that with a byte each.
    return np.uint64(np.uint32(rank) // np.uint32(width)) if bits == 8 else rank // width


@part
def _less(bits: int, entry: np.uint8, cost: np.uint8) -> np.int32:
    """Return the entry of nearer neighbours, after a move of a cost; if there are two bits, it is 1."""
    # From the table 2, 0, 1, 2, as a division would be slow. States with 3 have only neighbours with 3.
    return np.int32(entry) - np.int32(cost) if bits == 8 else np.int32(0b10_01_00_10 >> 2 * entry & 3)


@part
def _descend(
    bits: int, steps: Steps | WideSteps, table: _Table, ranks: _Ranks, moves: _Moves, lengths: _Lengths
) -> int:
    """Find the first optimal move repeatedly, down to a start; beyond the width of `moves`, only their number."""
    base, action, fibre, costs = steps
    width = np.uint64(len(fibre))
    at, left = np.empty(_TOGETHER, np.uint64), np.empty(_TOGETHER, np.uint8)
    targets = np.empty((_TOGETHER, base.shape[1]), np.uint64)
    for first in range(0, len(ranks), _TOGETHER):
        going = min(_TOGETHER, len(ranks) - first)
        on_the_way = np.arange(going)
        for i in range(going):
            at[i] = ranks[first + i]
            left[i] = _entry(bits, table, at[i])
            lengths[first + i] = 0
            moves[first + i, :] = NO_MOVE
        step = 0
        while going and step < UNREACHABLE:  # longer descents show that the entries are not the depths of this space
            for n in range(going):
                i = on_the_way[n]
                a = _row(bits, at[i], width)  # unsigned, as others may count from the end of an array
                b = at[i] - a * width
                for m in range(base.shape[1]):
                    targets[i, m] = np.uint64(base[a, m] + np.int64(fibre[b, action[a, m]]))
                    prefetch(table, targets[i, m] if bits == 8 else targets[i, m] >> np.uint64(2))
            still = 0
            for n in range(going):
                i = on_the_way[n]
                move = np.int64(NO_MOVE)
                for m in range(base.shape[1] - 1, -1, -1):
                    is_nearer = np.int32(_entry(bits, table, targets[i, m])) == _less(bits, left[i], costs[m])
                    move = np.int64(m) if is_nearer else move
                if move != NO_MOVE:
                    at[i], left[i] = targets[i, move], np.uint8(_less(bits, left[i], costs[move]))
                    lengths[first + i] += np.uint8(1)
                    if step < moves.shape[1]:
                        moves[first + i, step] = move
                    on_the_way[still] = i
                    still += 1
            going = still
            step += 1
    return 0


@kernel()
def descend(steps: Steps, table: _Table, ranks: _Ranks, moves: _Moves, lengths: _Lengths) -> int:
    """Find the first optimal solution of many states, as `descent.descend` does; longer ones are cut off."""
    return _descend(8, steps, table, ranks, moves, lengths)


@kernel()
def descend_mod3(steps: WideSteps, table: _Table, ranks: _Ranks, moves: _Moves, lengths: _Lengths) -> int:
    """Find the first optimal solution of many states, as `descend` does, from entries of two bits."""
    return _descend(2, steps, table, ranks, moves, lengths)


@part
def _lead_down(bits: int, steps: _Steps, table: _Table, ranks: _Ranks, leads: Array2[np.bool_]) -> int:
    base, action, fibre, costs = steps
    for i in range(len(ranks)):
        rank, width = np.uint64(ranks[i]), np.uint64(len(fibre))
        a = _row(bits, rank, width)
        b, here = rank - a * width, _entry(bits, table, rank)
        for m in range(base.shape[1]):
            target = np.uint64(base[a, m] + np.int64(fibre[b, action[a, m]]))
            leads[i, m] = np.int32(_entry(bits, table, target)) == _less(bits, here, costs[m])
    return 0


@kernel()
def lead_down(steps: Steps, table: _Table, ranks: _Ranks, leads: Array2[np.bool_]) -> int:
    """Find the optimal moves of many states."""
    return _lead_down(8, steps, table, ranks, leads)


@kernel()
def lead_down_mod3(steps: WideSteps, table: _Table, ranks: _Ranks, leads: Array2[np.bool_]) -> int:
    """Find the optimal moves of many states, as `lead_down` does, from entries of two bits."""
    return _lead_down(2, steps, table, ranks, leads)


@kernel()
def _first_moves(steps: Steps, depths: _Table, first: int, last: int, found: Array1[np.uint8]) -> int:
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


def first_moves(steps: Steps, depths: _Table) -> _Table:
    """Return the first optimal move of every state of a space, uint8 (states,): NO_MOVE where there is none."""
    moves = np.empty_like(depths)
    with Workers(len(steps.base), entries=depths.size) as pool:
        pool.run(lambda first, last: _first_moves(steps, depths, first, last, moves))
    return moves


@kernel()
def follow(steps: Steps, first_moves: _Table, ranks: _Ranks, moves: _Moves, lengths: _Lengths) -> int:
    """Do what `descend` does, from the first optimal move of every state, uint8 (states,)."""
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


@kernel()
def go(steps: Steps, depths: _Table, ranks: Array1[np.int32], moves: _Ranks, found: Array1[np.uint8]) -> int:
    """Apply one move to each of many states: replace their ranks, and write the depths after the moves."""
    base, action, fibre, width = steps.base, steps.action, steps.fibre, np.uint32(len(steps.fibre))
    for i in range(len(ranks)):
        rank, move = np.uint32(ranks[i]), np.uint32(moves[i])
        a, b = rank // width, rank % width
        target = np.uint32(base[a, move] + fibre[b, action[a, move]])
        ranks[i] = target
        found[i] = depths[target]
    return 0


@kernel()
def _count_solutions(steps: Steps, depths: _Table, counts: Array1[np.int64], depth: int, first: int, last: int) -> int:
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


def count_solutions(steps: Steps, depths: _Table, workers: int | None = None) -> _Ranks:
    """Return the number of optimal solutions of every state of a space, int64 (states,): 1 for a start."""
    counts: _Ranks = (depths == 0).astype(np.int64)
    with Workers(len(steps.base), workers, entries=depths.size) as pool:
        for depth in range(1, int(depths.max()) + 1):
            pool.run(lambda first, last: _count_solutions(steps, depths, counts, depth, first, last))  # noqa: B023
    return counts


def find_mod3_depths(
    steps: WideSteps, table: NDArray[np.uint8], ranks: NDArray[np.int64], depths: NDArray[np.uint8]
) -> None:
    """Find the depths of many states from entries of two bits; 255 if no start can be reached."""
    descend_mod3(steps, table, ranks, np.empty((len(ranks), 0), np.uint8), depths)
    depths[table[ranks >> 2] >> (2 * (ranks & 3)).astype(np.uint8) & 3 == UNREACHED] = UNREACHABLE


def mod3_ranks_at(steps: WideSteps, body: _Table | bytes | mmap.mmap, states: int, depth: int) -> Iterator[int]:
    """Yield the ranks at a depth, in ascending order. Every state is looked up."""
    table = np.frombuffer(body, np.uint8)
    for first in range(0, states, _AT_A_TIME):
        ranks = np.arange(first, min(first + _AT_A_TIME, states))
        depths = np.empty(len(ranks), np.uint8)
        find_mod3_depths(steps, table, ranks, depths)
        yield from (first + np.flatnonzero(depths == depth)).tolist()
