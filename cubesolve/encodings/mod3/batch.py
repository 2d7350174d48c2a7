"""Solutions of many states at once, by descending in a table of depths modulo 3 (numba).

`encodings.byte.batch` does the same for depths, with the same names and results.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings.byte.descent import NO_MOVE
from cubesolve.encodings.mod3 import UNREACHED
from cubesolve.runtime.instructions import prefetch
from cubesolve.runtime.kernels import inlined, kernel, named, read_only, types
from cubesolve.spaces.space import StateSpace
from cubesolve.spaces.tables import UNREACHABLE

_AT_A_TIME = 1 << 20  # ranks whose depths are found before those at one are listed
_TOGETHER = 64  # states that descend together: while one waits for memory, the others go on


class Mod3Steps(NamedTuple):
    """The moves of a space, with the data of one state side by side, for any number of states.

    An impossible move leads from a state to itself.

    Attributes:
        base: int64 (A, moves)
        action: int32 (A, moves)
        fibre: uint32 (B, actions): the transpose of that of `StateSpace`.
    """

    base: NDArray[np.int64]
    action: NDArray[np.int32]
    fibre: NDArray[np.uint32]

    @classmethod
    def of(cls, space: StateSpace) -> Mod3Steps:
        """Return the steps of a space."""
        base, action, fibre = space.side_by_side()
        return cls(
            np.ascontiguousarray(base, np.int64),
            np.ascontiguousarray(action, np.int32),
            np.ascontiguousarray(fibre, np.uint32),
        )


_STEPS = named(Mod3Steps, base=read_only(types.int64), action=read_only(types.int32), fibre=read_only(types.uint32))
_TABLE, _RANKS = read_only(types.uint8, 1), read_only(types.int64, 1)


@inlined
def _entry(table: NDArray[np.uint8], rank: np.int64) -> np.uint8:
    return np.uint8(table[rank >> 2] >> 2 * (rank & 3) & 3)


@inlined
def _one_less(entry: np.uint8) -> np.uint8:
    """Return the entry of nearer neighbours; states that cannot reach a start have only neighbours with the entry 3."""
    return np.uint8(0b10_01_00_10 >> 2 * entry & 3)  # from the table 2, 0, 1, 2, as a division would be slow


@kernel(_STEPS, _TABLE, _RANKS, types.uint8[:, ::1], types.uint8[::1])
def _descend(
    steps: Mod3Steps,
    table: NDArray[np.uint8],
    ranks: NDArray[np.int64],
    moves: NDArray[np.uint8],
    lengths: NDArray[np.uint8],
) -> int:
    """Find the first optimal move repeatedly, down to a start; beyond the width of `moves`, only their number.

    No solution has length 255: a descent that long shows that the entries are not the depths of this space.
    """
    base, action, fibre = steps
    width = len(fibre)
    at, wanted = np.empty(_TOGETHER, np.int64), np.empty(_TOGETHER, np.uint8)
    targets = np.empty((_TOGETHER, base.shape[1]), np.int64)
    for first in range(0, len(ranks), _TOGETHER):
        going = min(_TOGETHER, len(ranks) - first)
        on_the_way = np.arange(going)
        for i in range(going):
            at[i] = ranks[first + i]
            wanted[i] = _one_less(_entry(table, at[i]))
            lengths[first + i] = 0
            moves[first + i, :] = NO_MOVE
        step = 0
        while going and step < UNREACHABLE:
            for n in range(going):
                i = on_the_way[n]
                a, b = divmod(at[i], width)
                for m in range(base.shape[1]):
                    targets[i, m] = base[a, m] + np.int64(fibre[b, action[a, m]])
                    prefetch(table, targets[i, m] >> 2)
            left = 0
            for n in range(going):
                i = on_the_way[n]
                move, nearer = np.int64(NO_MOVE), wanted[i]
                for m in range(base.shape[1] - 1, -1, -1):
                    move = np.int64(m) if _entry(table, targets[i, m]) == nearer else move
                if move != NO_MOVE:
                    at[i], wanted[i] = targets[i, move], _one_less(nearer)
                    lengths[first + i] += np.uint8(1)
                    if step < moves.shape[1]:
                        moves[first + i, step] = move
                    on_the_way[left] = i
                    left += 1
            going = left
            step += 1
    return 0


def descend(
    steps: Mod3Steps,
    table: NDArray[np.uint8],
    ranks: NDArray[np.int64],
    moves: NDArray[np.uint8],
    lengths: NDArray[np.uint8],
) -> None:
    """Find for many states the first optimal solution in the order of the moves.

    Args:
        table: uint8 (bytes,): the entries.
        ranks: int64 (N,): the states; each must be a rank.
        moves: uint8 (N, width): the output, NO_MOVE after the last move; longer solutions are cut off.
        lengths: uint8 (N,): the output: the number of moves, 255 if the entries lead to no start.
    """
    _descend(steps, table, ranks, moves, lengths)


def find_depths(
    steps: Mod3Steps, table: NDArray[np.uint8], ranks: NDArray[np.int64], depths: NDArray[np.uint8]
) -> None:
    """Find the depths of many states.

    Args:
        table: uint8 (bytes,): the entries.
        ranks: int64 (N,): the states; each must be a rank.
        depths: uint8 (N,): the output, 255 if no start can be reached.
    """
    descend(steps, table, ranks, np.empty((len(ranks), 0), np.uint8), depths)
    depths[table[ranks >> 2] >> (2 * (ranks & 3)).astype(np.uint8) & 3 == UNREACHED] = UNREACHABLE


@kernel(_STEPS, _TABLE, _RANKS, types.boolean[:, ::1])
def _lead_down(steps: Mod3Steps, table: NDArray[np.uint8], ranks: NDArray[np.int64], leads: NDArray[np.bool_]) -> int:
    """Determine which moves lead down."""
    base, action, fibre = steps
    for i in range(len(ranks)):
        a, b = divmod(ranks[i], len(fibre))
        nearer = _one_less(_entry(table, ranks[i]))
        for m in range(base.shape[1]):
            target = base[a, m] + np.int64(fibre[b, action[a, m]])
            leads[i, m] = _entry(table, target) == nearer
    return 0


def lead_down(steps: Mod3Steps, table: NDArray[np.uint8], ranks: NDArray[np.int64], leads: NDArray[np.bool_]) -> None:
    """Find the optimal moves of many states.

    Args:
        table: uint8 (bytes,): the entries.
        ranks: int64 (N,): the states; each must be a rank.
        leads: bool (N, moves): the output.
    """
    _lead_down(steps, table, ranks, leads)


def ranks_at(steps: Mod3Steps, body: NDArray[np.uint8] | bytes | mmap.mmap, states: int, depth: int) -> Iterator[int]:
    """Yield the ranks at a depth, in ascending order."""
    table = np.frombuffer(body, np.uint8)
    for first in range(0, states, _AT_A_TIME):
        ranks = np.arange(first, min(first + _AT_A_TIME, states))
        depths = np.empty(len(ranks), np.uint8)
        find_depths(steps, table, ranks, depths)
        yield from (first + np.flatnonzero(depths == depth)).tolist()
