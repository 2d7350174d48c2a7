"""Solutions of many states at once, by descending in a table of depths modulo 3 or 4 (numba).

`encodings.byte.batch` does the same for depths, with the same names and results.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings.byte.descent import NO_MOVE
from cubesolve.runtime.instructions import prefetch
from cubesolve.runtime.kernels import kernel, named, read_only, types
from cubesolve.spaces.space import StateSpace
from cubesolve.spaces.tables import UNREACHABLE

_TOGETHER = 64  # states that descend together: while one waits for memory, the others go on


class ResidueSteps(NamedTuple):
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
    def of(cls, space: StateSpace) -> ResidueSteps:
        """Return the steps of a space."""
        base, action, fibre = space.side_by_side()
        return cls(
            np.ascontiguousarray(base, np.int64),
            np.ascontiguousarray(action, np.int32),
            np.ascontiguousarray(fibre, np.uint32),
        )


class ResidueTable(NamedTuple):
    """A table of depths modulo 3, or modulo 4 without their lowest bit.

    Attributes:
        entries: uint8 (bytes,): the entries by rank, from the lowest bits.
        bits: the bits of an entry: 2 for depths modulo 3, where 3 means that no start can be reached; 1 for the higher
            bit of depths modulo 4.
        parities: returns the lower bits of the depths of states, uint8 (N,), for int64 (N,) ranks; None if entries have
            them.
    """

    entries: NDArray[np.uint8]
    bits: int
    parities: Callable[[NDArray[np.int64]], NDArray[np.uint8]] | None = None

    def residues(self, ranks: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Return the depths modulo 4 of states; an empty array if entries are residues themselves."""
        if self.parities is None:
            return _NONE
        bits: NDArray[np.uint8] = self.entries[ranks >> 3] >> (ranks & 7).astype(np.uint8) & 1
        return 2 * bits + self.parities(ranks)


_NONE = np.empty(0, np.uint8)
_STEPS = named(ResidueSteps, base=read_only(types.int64), action=read_only(types.int32), fibre=read_only(types.uint32))
_TABLE = (read_only(types.uint8, 1), types.int64, read_only(types.uint8, 1))


@numba.njit(inline="always")
def _entry(table: NDArray[np.uint8], bits: int, rank: np.int64) -> np.uint8:
    shift = 4 - bits  # a byte has 4 entries of two bits, or 8 of one
    return np.uint8(table[rank >> shift] >> ((rank & (1 << shift) - 1) << (bits - 1)) & (1 << bits) - 1)


@numba.njit(inline="always")
def _one_less(residue: np.uint8, bits: int) -> np.uint8:
    """Return the residue of nearer neighbours: modulo 3 in two bits, modulo 4 in one and the parity.

    Modulo 3, states that cannot reach a start have the entry 3 and only such neighbours, so none is nearer.
    """
    return np.uint8(residue - 1 if residue else 4 - bits)  # a division would be slow


@numba.njit(inline="always")
def _stored(residue: np.uint8, bits: int) -> np.uint8:
    """Return the entry of a state with a residue."""
    return np.uint8(residue >> (2 - bits))


@numba.njit(inline="always")
def _go_down(
    steps: ResidueSteps,
    table: NDArray[np.uint8],
    bits: int,
    residues: NDArray[np.uint8],
    ranks: NDArray[np.int64],
    moves: NDArray[np.uint8],
    lengths: NDArray[np.uint8],
) -> int:
    """Find optimal solutions of many states, with `bits` as a constant for the compiler."""
    base, action, fibre = steps
    width = len(fibre)
    at, wanted = np.empty(_TOGETHER, np.int64), np.empty(_TOGETHER, np.uint8)
    targets = np.empty((_TOGETHER, base.shape[1]), np.int64)
    for first in range(0, len(ranks), _TOGETHER):
        going = min(_TOGETHER, len(ranks) - first)
        on_the_way = np.arange(going)
        for i in range(going):
            at[i] = ranks[first + i]
            wanted[i] = _one_less(_entry(table, bits, at[i]) if bits == 2 else residues[first + i], bits)
            lengths[first + i] = 0
            moves[first + i, :] = NO_MOVE
        step = 0
        while going and step < UNREACHABLE:
            for n in range(going):
                i = on_the_way[n]
                a, b = divmod(at[i], width)
                for m in range(base.shape[1]):
                    targets[i, m] = base[a, m] + np.int64(fibre[b, action[a, m]])
                    prefetch(table, targets[i, m] >> (4 - bits))
            left = 0
            for n in range(going):
                i = on_the_way[n]
                move, nearer = np.int64(NO_MOVE), _stored(wanted[i], bits)
                for m in range(base.shape[1] - 1, -1, -1):
                    # An impossible move leads to the state itself, which one bit cannot distinguish from a nearer one.
                    leads = _entry(table, bits, targets[i, m]) == nearer and (bits == 2 or targets[i, m] != at[i])
                    move = np.int64(m) if leads else move
                if move != NO_MOVE:
                    at[i], wanted[i] = targets[i, move], _one_less(wanted[i], bits)
                    lengths[first + i] += np.uint8(1)
                    if step < moves.shape[1]:
                        moves[first + i, step] = move
                    on_the_way[left] = i
                    left += 1
            going = left
            step += 1
    return 0


@kernel(_STEPS, *_TABLE, read_only(types.int64, 1), types.uint8[:, ::1], types.uint8[::1])
def _descend(
    steps: ResidueSteps,
    table: NDArray[np.uint8],
    bits: int,
    residues: NDArray[np.uint8],
    ranks: NDArray[np.int64],
    moves: NDArray[np.uint8],
    lengths: NDArray[np.uint8],
) -> int:
    """Find the first optimal move repeatedly, down to a start; beyond the width of `moves`, only their number.

    No solution has length 255: a descent that long shows that the entries are not the depths of this space.
    """
    if bits == 2:
        return _go_down(steps, table, 2, residues, ranks, moves, lengths)
    return _go_down(steps, table, 1, residues, ranks, moves, lengths)


def descend(
    steps: ResidueSteps,
    table: ResidueTable,
    ranks: NDArray[np.int64],
    moves: NDArray[np.uint8],
    lengths: NDArray[np.uint8],
) -> None:
    """Find for many states the first optimal solution in the order of the moves.

    Args:
        ranks: int64 (N,): the states; each must be a rank.
        moves: uint8 (N, width): the output, NO_MOVE after the last move; longer solutions are cut off.
        lengths: uint8 (N,): the output: the number of moves, 255 if the entries lead to no start.
    """
    _descend(steps, table.entries, table.bits, table.residues(ranks), ranks, moves, lengths)


def find_depths(steps: ResidueSteps, table: ResidueTable, ranks: NDArray[np.int64], depths: NDArray[np.uint8]) -> None:
    """Find the depths of many states.

    Args:
        ranks: int64 (N,): the states; each must be a rank.
        depths: uint8 (N,): the output, 255 if no start can be reached.
    """
    descend(steps, table, ranks, np.empty((len(ranks), 0), np.uint8), depths)
    if table.parities is None:
        depths[table.entries[ranks >> 2] >> (2 * (ranks & 3)).astype(np.uint8) & 3 == 3] = UNREACHABLE


@numba.njit(inline="always")
def _look_down(
    steps: ResidueSteps,
    table: NDArray[np.uint8],
    bits: int,
    residues: NDArray[np.uint8],
    ranks: NDArray[np.int64],
    leads: NDArray[np.bool_],
) -> int:
    """Find the optimal moves of many states, with `bits` as a constant for the compiler."""
    base, action, fibre = steps
    for i in range(len(ranks)):
        a, b = divmod(ranks[i], len(fibre))
        nearer = _stored(_one_less(_entry(table, bits, ranks[i]) if bits == 2 else residues[i], bits), bits)
        for m in range(base.shape[1]):
            target = base[a, m] + np.int64(fibre[b, action[a, m]])
            leads[i, m] = _entry(table, bits, target) == nearer and (bits == 2 or target != ranks[i])
    return 0


@kernel(_STEPS, *_TABLE, read_only(types.int64, 1), types.boolean[:, ::1])
def _lead_down(
    steps: ResidueSteps,
    table: NDArray[np.uint8],
    bits: int,
    residues: NDArray[np.uint8],
    ranks: NDArray[np.int64],
    leads: NDArray[np.bool_],
) -> int:
    """Determine which moves lead down."""
    if bits == 2:
        return _look_down(steps, table, 2, residues, ranks, leads)
    return _look_down(steps, table, 1, residues, ranks, leads)


def lead_down(steps: ResidueSteps, table: ResidueTable, ranks: NDArray[np.int64], leads: NDArray[np.bool_]) -> None:
    """Find the optimal moves of many states.

    Args:
        ranks: int64 (N,): the states; each must be a rank.
        leads: bool (N, moves): the output.
    """
    _lead_down(steps, table.entries, table.bits, table.residues(ranks), ranks, leads)
