"""Going down to a start from many states at once, by a table of depths modulo 3.

`encodings.byte.batch` does the same by depths; there the functions have the same names and give the same results.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings.byte.descent import NO_MOVE
from cubesolve.encodings.mod3.enumeration import Entries
from cubesolve.instructions import prefetch
from cubesolve.kernels import kernel, read_only, types
from cubesolve.spaces.space import StateSpace
from cubesolve.spaces.tables import UNREACHABLE, UNREACHED

_TOGETHER = 64  # states that go down together: while one waits for memory, others do not


class Steps(NamedTuple):
    """The moves of a space, with what belongs to one state side by side, however many states there are.

    A move that is not possible leads from a state to itself.

    Attributes:
        base: int64 (A, moves)
        action: int32 (A, moves)
        fibre: uint32 (B, actions): as in `StateSpace`, the other way round.
    """

    base: NDArray[np.int64]
    action: NDArray[np.int32]
    fibre: NDArray[np.uint32]

    @classmethod
    def of(cls, space: StateSpace) -> Steps:
        """The steps of a space."""
        rows, stay = np.arange(space.rows) * space.width, len(space.fibre)
        possible = space.base >= 0
        fibre = np.concatenate([space.fibre, np.arange(space.width, dtype=np.uint32)[None]])
        return cls(
            np.ascontiguousarray(np.where(possible, space.base, rows).T, np.int64),
            np.ascontiguousarray(np.where(possible, space.action, stay).T, np.int32),
            np.ascontiguousarray(fibre.T, np.uint32),
        )


_STEPS = (read_only(types.int64), read_only(types.int32), read_only(types.uint32))


@numba.njit(inline="always")
def _entry(table: Entries, rank: np.int64) -> np.uint8:
    return np.uint8(table[rank >> 2] >> 2 * (rank & 3) & 3)


@numba.njit(inline="always")
def _nearer(entry: np.uint8) -> np.uint8:
    """The entry of neighbours that are nearer; what cannot reach a start has none, as all of its neighbours are 3."""
    return np.uint8((entry + 2) % 3)


@kernel(*_STEPS, read_only(types.uint8, 1), read_only(types.int64, 1), types.uint8[:, ::1], types.uint8[::1])
def _descend(
    base: NDArray[np.int64],
    action: NDArray[np.int32],
    fibre: NDArray[np.uint32],
    table: Entries,
    ranks: NDArray[np.int64],
    moves: NDArray[np.uint8],
    lengths: NDArray[np.uint8],
) -> int:
    """The first moves that lead down, all the way; only their number, where `moves` has no room.

    No way is as long as 255: where entries lead on and on, they are not the depths of this space.
    """
    width = len(fibre)
    at, wanted = np.empty(_TOGETHER, np.int64), np.empty(_TOGETHER, np.uint8)
    targets = np.empty((_TOGETHER, base.shape[1]), np.int64)
    for first in range(0, len(ranks), _TOGETHER):
        going = min(_TOGETHER, len(ranks) - first)
        on_the_way = np.arange(going)
        for i in range(going):
            at[i] = ranks[first + i]
            wanted[i] = _nearer(_entry(table, at[i]))
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
                move = np.int64(NO_MOVE)
                for m in range(base.shape[1] - 1, -1, -1):
                    move = np.int64(m) if _entry(table, targets[i, m]) == wanted[i] else move
                if move != NO_MOVE:
                    at[i], wanted[i] = targets[i, move], _nearer(wanted[i])
                    lengths[first + i] += np.uint8(1)
                    if step < moves.shape[1]:
                        moves[first + i, step] = move
                    on_the_way[left] = i
                    left += 1
            going = left
            step += 1
    return 0


def descend(
    steps: Steps,
    table: Entries,
    ranks: NDArray[np.int64],
    moves: NDArray[np.uint8],
    lengths: NDArray[np.uint8],
) -> None:
    """Find the first of the shortest ways to a start, in the order of the moves, for many states.

    Args:
        steps: the moves.
        table: uint8 (bytes,): depths modulo 3 by rank; see `encodings.mod3.enumeration`.
        ranks: int64 (N,): the states; each must be a rank.
        moves: uint8 (N, width): where the moves go, NO_MOVE after the last; as many as there is room for.
        lengths: uint8 (N,): where it goes how many they are, 255 where entries lead nowhere.
    """
    _descend(*steps, table, ranks, moves, lengths)


def find_depths(steps: Steps, table: Entries, ranks: NDArray[np.int64], depths: NDArray[np.uint8]) -> None:
    """Find the depths of many states.

    Args:
        steps: the moves.
        table: uint8 (bytes,): depths modulo 3 by rank; see `encodings.mod3.enumeration`.
        ranks: int64 (N,): the states; each must be a rank.
        depths: uint8 (N,): where the answers go, 255 where no start can be reached.
    """
    _descend(*steps, table, ranks, np.empty((len(ranks), 0), np.uint8), depths)
    depths[table[ranks >> 2] >> (2 * (ranks & 3)).astype(np.uint8) & 3 == UNREACHED] = UNREACHABLE


@kernel(*_STEPS, read_only(types.uint8, 1), read_only(types.int64, 1), types.boolean[:, ::1])
def _lead_down(
    base: NDArray[np.int64],
    action: NDArray[np.int32],
    fibre: NDArray[np.uint32],
    table: Entries,
    ranks: NDArray[np.int64],
    leads: NDArray[np.bool_],
) -> int:
    """Whether each move leads down."""
    for i in range(len(ranks)):
        a, b = divmod(ranks[i], len(fibre))
        wanted = _nearer(_entry(table, ranks[i]))
        for m in range(base.shape[1]):
            leads[i, m] = _entry(table, base[a, m] + np.int64(fibre[b, action[a, m]])) == wanted
    return 0


def lead_down(steps: Steps, table: Entries, ranks: NDArray[np.int64], leads: NDArray[np.bool_]) -> None:
    """Find for many states the moves with which a shortest way to a start begins.

    Args:
        steps: the moves.
        table: uint8 (bytes,): depths modulo 3 by rank; see `encodings.mod3.enumeration`.
        ranks: int64 (N,): the states; each must be a rank.
        leads: bool (N, moves): where the answers go.
    """
    _lead_down(*steps, table, ranks, leads)
