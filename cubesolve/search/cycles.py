"""Cycles of three pieces, and twists of two, by number; and algs as lists of moves.

Each cycle of a puzzle has a number, whatever the alg that makes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.runtime.kernel_arrays import Array1, Read2
from cubesolve.runtime.kernels import part
from cubesolve.search.slots import MoveArrays, Row

Alg = list[int]
"""Moves by number."""

LONGEST = 250
"""Moves of an alg of the table."""

NONE = 255
"""The length where there is no alg."""


class Cycles(NamedTuple):
    """The algs of all cycles.

    A cycle a -> b -> c of slots has the number ``start + (place of a * slots + b) * slots + c``, where slots count from
    the first of the kind, a is the first slot of its place, and this place is the first of the three. A twist of two
    pieces is such a cycle, too: the place of a is twisted by t, b is the slot a + t, and the place of which c is the
    first slot is twisted by -t.
    """

    starts: Read2[np.int64]  # (kinds, 3): the number `start`, and the numbers of places and of orientations
    lengths: Array1[np.uint8]  # (cycles,): the number of moves of the alg; `NONE` if there is none
    parents: Array1[np.int32]  # (cycles,): the cycle of which this is a conjugate; or the number of its alg in `algs`
    # (cycles,): the first move of the alg, whose inverse is the last; -1 for the algs in `algs`
    setups: Array1[np.int16]
    algs: Read2[np.int16]  # (algs, LONGEST): the algs of some cycles
    # (kinds,): for each kind, ten times the moves that solving a piece by insertions mostly costs
    worth: Array1[np.int64]

    def has(self, kind: int) -> bool:
        """Return whether some cycle of three pieces of a kind has an alg."""
        return bool((of_three(self.lengths, *self.starts[kind]) != NONE).any())


def of_three(values: NDArray[Any], start: int, places: int, turns: int) -> NDArray[Any]:
    """Return the values of the cycles of three pieces of a kind, of those of all cycles: twists are left out."""
    slots = places * turns
    kind = values[start : start + places * slots**2].reshape(places, places, turns * slots)
    values_of_three: NDArray[Any] = kind[~np.eye(places, dtype=np.bool_)].ravel()
    return values_of_three


@part
def cycle_number(
    moves: MoveArrays, starts: NDArray[np.int64], a: int | np.int64, b: int | np.int64, c: int | np.int64
) -> int:
    """Return the number of a cycle of three slots; or of a twist, if the first two are of one place."""
    first, turns, kind = moves.kinds[a, 0], moves.kinds[a, 1], moves.kinds[a, 2]
    a, b, c = a - first, b - first, c - first
    if a // turns == b // turns:
        turn = (b - a) % turns
        if c < a:
            a, c, turn = c, a, -turn
        b, c = a - a % turns + turn % turns, c - c % turns
    else:
        if b // turns < a // turns and b // turns < c // turns:
            a, b, c = b, c, a
        elif c // turns < a // turns and c // turns < b // turns:
            a, b, c = c, a, b
        turn = a % turns
        b = b - b % turns + (b % turns - turn) % turns
        c = c - c % turns + (c % turns - turn) % turns
    slots = starts[kind, 1] * turns
    return int(starts[kind, 0] + (a // turns * slots + b) * slots + c)


@part
def drawn(random: NDArray[np.uint64], number: int) -> int:
    """Return a random number below a number (xorshift)."""
    x = random[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    random[0] = x
    return int((x >> np.uint64(33)) % np.uint64(number))


@part
def alg_of(moves: MoveArrays, cycles: Cycles, number: int, alg: NDArray[np.int16]) -> int:
    """Write the alg of a cycle, and return its length."""
    size = 0
    while cycles.setups[number] >= 0:
        alg[size] = cycles.setups[number]
        size += 1
        number = cycles.parents[number]
    setups = size
    for move in cycles.algs[cycles.parents[number]]:
        if move < 0:
            break
        alg[size] = move
        size += 1
    for i in range(setups - 1, -1, -1):
        alg[size] = moves.inverses[alg[i]]
        size += 1
    return size


@part
def push(moves: MoveArrays, alg: NDArray[np.int16], size: int, move: int) -> int:
    """Append a move to an alg, join it with an earlier one if possible, and return the new length."""
    i = size - 1
    while i >= 0:
        joined = moves.products[alg[i], move]
        if joined >= 0:
            alg[i] = joined
            return size
        if joined == -2:
            for j in range(i, size - 1):
                alg[j] = alg[j + 1]
            return size - 1
        if not moves.commute[alg[i], move]:
            break
        i -= 1
    alg[size] = move
    return size + 1


def alg_by_number(moves: MoveArrays, cycles: Cycles, number: int) -> Alg:
    """Return the alg of a cycle."""
    alg = np.zeros(LONGEST, np.int16)
    return list(map(int, alg[: alg_of(moves, cycles, number, alg)]))


def joined(moves: MoveArrays, alg: Sequence[int]) -> Alg:
    """Return an alg in which moves are joined where possible."""
    room, size = np.zeros(len(alg) + 1, np.int16), 0
    for move in alg:
        size = push(moves, room, size, move)
    return list(map(int, room[:size]))


def applied(moves: MoveArrays, state: Row, alg: Sequence[int]) -> Row:
    """Return the looks after an alg."""
    for move in alg:
        state = state[moves.sources[move]]
    return state


def inverted(moves: MoveArrays, alg: Sequence[int]) -> Alg:
    """Return the inverse of an alg."""
    return [int(moves.inverses[move]) for move in reversed(alg)]
