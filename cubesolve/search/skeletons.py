"""Algs that solve many pieces, though not all: a beam search that counts the pieces that are not solved."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cubesolve.kernels import kernel, read_only, types
from cubesolve.search.slots import MOVES, Moves


@kernel(
    MOVES,
    read_only(types.uint16),
    read_only(types.uint16, 1),
    read_only(types.int16, 1),
    read_only(types.int64, 1),
    types.int32[:, ::1],
    types.uint64[:, ::1],
)
def look_ahead(
    moves: Moves,
    states: NDArray[np.uint16],
    target: NDArray[np.uint16],
    last: NDArray[np.int16],
    worth: NDArray[np.int64],
    wrong: NDArray[np.int32],
    keys: NDArray[np.uint64],
) -> int:
    """Weigh the unsolved pieces after each move from each state, and compute a key of the state there.

    Args:
        moves: the moves.
        states: uint16 (states, slots): the states.
        target: uint16 (slots,): the solved state.
        last: int16 (states,): the move that led to each state, -1 for none.
        worth: int64 (kinds,): the weight of a piece of each kind.
        wrong: int32 (states, moves): the sums of weights; -1 for a move that can be joined with the last one.
        keys: uint64 (states, moves): the keys.

    Returns:
        0.
    """
    for i in range(len(states)):
        for move in range(len(moves.sources)):
            if last[i] >= 0 and moves.products[last[i], move] != -1:
                wrong[i, move] = -1
                continue
            number, key = 0, np.uint64(0)
            for place in moves.firsts:
                look = states[i, moves.sources[move, place]]
                if look != target[place]:
                    number += worth[moves.kinds[place, 2]]
                x = np.uint64(place) << np.uint64(32) | np.uint64(look) + np.uint64(1)
                x *= np.uint64(0x9E3779B97F4A7C15)
                x ^= x >> np.uint64(29)
                x *= np.uint64(0xBF58476D1CE4E5B9)
                key += x ^ x >> np.uint64(32)
            wrong[i, move], keys[i, move] = number, key
    return 0
