"""A chain of stabilizers with short algs: it solves every state of a group (Minkwitz 1998).

The places of all pieces are a base. A *level* belongs to each; it has, for each slot from which the place can get its
piece, an alg that does so and leaves the places of all earlier levels alone. An alg that leaves these alone is kept if
it is shorter than the one known; what it does besides is passed on to later levels as the alg times the inverse of the
one known. Products of two algs of a level are algs for the same or later levels, so the chain improves itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.runtime.deadline import check
from cubesolve.runtime.kernel_arrays import Array1, Array2, Array3, Read1
from cubesolve.runtime.kernels import kernel, part
from cubesolve.search.cycles import NONE, Alg, Cycles, alg_by_number, applied, drawn, joined, push
from cubesolve.search.slots import MoveArrays, Row, Slots

_ROOM = 1 << 10  # moves of an alg
_WORD = 40  # moves of a random alg, which is nearly a random member
_AT_ONCE = 200  # algs that are added between two checks of the deadline
_ROUNDS = 20_000  # algs that are added after the chain is complete
_MOST = 400_000  # algs after which an incomplete chain is given up
_SHORT_WORD = 10  # moves of a random alg that shortens the others
_GIVEN = 2_000  # cycles whose algs a chain begins with
_MOST_MEMORY = 1 << 27  # moves of all algs


class Levels(NamedTuple):
    """The algs of all levels."""

    base: Read1[np.int64]  # (levels,): the first slot of the place of each level
    algs: Array3[np.int16]  # (levels, slots, room): the algs by the slot from which the piece comes
    sizes: Array2[np.int64]  # (levels, slots): their numbers of moves; 0 where there is none
    found: Array2[np.uint8]  # (levels, slots): whether there is one
    room: Array2[np.int16]  # (2, 4 * room): room for algs
    random: Array1[np.uint64]  # (1,): the state of the random numbers


@part
def _sources(moves: MoveArrays, alg: NDArray[np.int16], size: int, slot: int) -> int:
    """Return the slot from which an alg takes the look of a slot."""
    for i in range(size - 1, -1, -1):
        slot = int(moves.sources[alg[i], slot])
    return slot


@part
def _divided(
    moves: MoveArrays, by: NDArray[np.int16], length: int, alg: NDArray[np.int16], size: int, room: NDArray[np.int16]
) -> int:
    """Write the product of the inverse of an alg and another alg over the latter, and return its length."""
    count = 0
    for i in range(length - 1, -1, -1):
        count = push(moves, room, count, moves.inverses[by[i]])
    for i in range(size):
        count = push(moves, room, count, alg[i])
    for i in range(count):
        alg[i] = room[i]
    return count


@part
def _add(moves: MoveArrays, levels: Levels, size: int) -> int:
    """Add the alg in the first row of the room to the levels; return how many algs became shorter."""
    alg, room, limit = levels.room[0], levels.room[1], levels.algs.shape[2]
    changed = 0
    for level in range(len(levels.base)):
        place = levels.base[level]
        source = _sources(moves, alg, size, place)
        if source == place:
            continue
        if size > limit:
            return changed
        stored = levels.sizes[level, source]
        is_new = not levels.found[level, source]
        if is_new or size < stored:
            changed += 1
            for i in range(max(stored, size)):
                alg[i], levels.algs[level, source, i] = levels.algs[level, source, i], alg[i]
            levels.sizes[level, source], size = size, stored
            levels.found[level, source] = 1
            if is_new:
                return changed
        size = _divided(moves, levels.algs[level, source], levels.sizes[level, source], alg, size, room)
    return changed


@kernel(at_start=True)
def improve(moves: MoveArrays, levels: Levels, number: int, longest: int) -> int:
    """Add random algs, and products of two algs of a level, to a chain.

    Args:
        longest: the largest number of moves of the random algs; 0 for products alone.
    """
    changed, alg = 0, levels.room[0]
    slots, count = levels.found.shape[1], len(levels.base)
    listed = np.zeros(slots, np.int64)
    for _ in range(number):
        size = 0
        if longest and drawn(levels.random, 2):
            for _ in range(1 + drawn(levels.random, longest)):
                size = push(moves, alg, size, drawn(levels.random, len(moves.sources)))
        else:
            level, some = drawn(levels.random, count), 0
            for slot in range(slots):
                if levels.found[level, slot]:
                    listed[some] = slot
                    some += 1
            if some == 0:
                continue
            for _ in range(2):
                slot = listed[drawn(levels.random, some)]
                is_undone = drawn(levels.random, 2)
                length = levels.sizes[level, slot]
                for i in range(length):
                    move = levels.algs[level, slot, length - 1 - i if is_undone else i]
                    size = push(moves, alg, size, moves.inverses[move] if is_undone else move)
        changed += _add(moves, levels, size)
    return changed


@kernel(at_start=True)
def add(moves: MoveArrays, levels: Levels, alg: Read1[np.int16]) -> int:
    """Add an alg to a chain; return how many algs became shorter."""
    for i in range(len(alg)):
        levels.room[0, i] = alg[i]
    return int(_add(moves, levels, len(alg)))


class Chain:
    """A chain of stabilizers."""

    def __init__(self, slots: Slots, algs: Iterable[Sequence[int]], seed: int) -> None:
        """Begin a chain with some algs."""
        kinds = sorted(slots.kinds, key=lambda kind: kind.slots)
        base = [slot for kind in kinds for slot in range(kind.first, kind.first + kind.slots, kind.turns)]
        shape = len(base), slots.moves.sources.shape[1]
        self._moves = slots.moves
        self._levels = Levels(
            np.array(base, np.int64),
            np.zeros((*shape, _ROOM), np.int16),
            np.zeros(shape, np.int64),
            np.zeros(shape, np.uint8),
            np.zeros((2, 4 * _ROOM), np.int16),
            np.array([seed], np.uint64),
        )
        for alg in algs:
            add(self._moves, self._levels, np.array(alg, np.int16))

    @property
    def order(self) -> int:
        """The number of members that it has algs for."""
        return math.prod(1 + some for some in self._levels.found.sum(axis=1).tolist())

    def improve(self, longest: int) -> None:
        """Add some algs; see the kernel."""
        check()
        improve(self._moves, self._levels, _AT_ONCE, longest)

    def alg(self, change: Row) -> Alg | None:
        """Return an alg with the effect of a permutation; None if an alg is missing, or it is not in the group."""
        levels, solved = self._levels, np.arange(len(change), dtype=np.uint16)
        rest, alg = change.astype(np.int64), list[int]()
        for place, algs, sizes in zip(levels.base, levels.algs, levels.sizes, strict=True):
            listed = algs[rest[place], : sizes[rest[place]]].tolist()
            alg += listed
            rest = np.argsort(applied(self._moves, solved, listed))[rest]
        return joined(self._moves, alg) if (rest == solved).all() else None


def complete_chain(slots: Slots, cycles: Cycles | None, order: int, seed: int) -> Chain | None:
    """Return a chain that has algs for all members of a group.

    Args:
        cycles: algs of cycles, if there are some.

    Returns:
        None if it would take too much memory, or some algs were not found.
    """
    if len(slots.moves.firsts) * slots.moves.sources.shape[1] * _ROOM > _MOST_MEMORY:
        return None
    algs = [[move] for move in range(len(slots.moves.sources))]
    if cycles is not None:
        shortest = np.argsort(cycles.lengths, kind="stable")[:_GIVEN]
        shortest = shortest[cycles.lengths[shortest] != NONE]
        algs += [alg_by_number(slots.moves, cycles, cycle) for cycle in shortest]
    chain = Chain(slots, algs, seed)
    for _ in range(_MOST // _AT_ONCE):
        if chain.order == order:
            break
        chain.improve(_WORD)
    if chain.order != order:
        return None
    for _ in range(_ROUNDS // _AT_ONCE):
        chain.improve(_SHORT_WORD)
    return chain
