"""Solutions by insertions: cycles of three pieces are inserted into an alg where they cost the fewest moves.

An alg leaves some pieces unsolved. A cycle that solves two or three of them at its end is another cycle, a conjugate,
anywhere within it, and many of these have shorter algs, or moves that cancel with those around them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cubesolve.runtime.kernels import kernel, part
from cubesolve.search.annealing import LENGTH, Work, follow, length_of, replace, unbalanced
from cubesolve.search.cycles import LONGEST, NONE, Cycles, alg_of, cycle_number, drawn
from cubesolve.search.slots import MoveArrays

_MOST = 6  # moves that may cancel
_NOISE = 8  # tenths of a move, below which differences do not matter
_DENSE = 400  # moves of an alg of which every place is compared
_UNKNOWN = 1 << 30


@part
def _turned(moves: MoveArrays, slot: int, turn: int) -> int:
    """Return a slot of the same place, some turns further."""
    first, turns = moves.kinds[slot, 0], moves.kinds[slot, 1]
    turned = slot - first
    return int(first + turned - turned % turns + (turned % turns + turn) % turns)


@part
def _choose(moves: MoveArrays, cycles: Cycles, work: Work, at: int, cycle: int) -> None:
    """Choose an empty window at a place of the alg, which a cycle replaces."""
    work.window[0], work.window[1], work.window[2] = at, at, alg_of(moves, cycles, cycle, work.made[0])


@part
def _find_wrong(moves: MoveArrays, work: Work, state: NDArray[np.uint16]) -> int:
    """List the slots of the places that are not solved, and return their number."""
    kinds, number = moves.kinds, 0
    work.spans[:] = 0
    for place in moves.firsts:
        if state[place] != work.target[place]:
            kind = kinds[place, 2]
            if work.spans[kind, 1] == 0:
                work.spans[kind, 0] = number
            for i in range(kinds[place, 1]):
                work.wrong[number] = place + i
                number += 1
            work.spans[kind, 1] = number
    return number


@part
def _gain(moves: MoveArrays, work: Work, state: NDArray[np.uint16], a: int, b: int, c: int) -> int:
    """Return how many more pieces are solved by a cycle at the end, or a twist; -1 if there is none of these slots."""
    target, kinds = work.target, moves.kinds
    turns = kinds[a, 1]
    if 0 <= c - a < turns:
        return -1
    gain = 1 - (state[c] == target[c])
    if 0 <= b - a < turns:
        if (c - kinds[c, 0]) % turns:
            return -1
        return int(gain + (target[_turned(moves, c, a - b)] == state[c]))
    if (c - kinds[c, 0]) // turns == (b - kinds[b, 0]) // turns:
        return -1
    return int(gain + (target[c] == state[b]) + (target[a] == state[c]))


@part
def _compare(moves: MoveArrays, cycles: Cycles, work: Work, a: int, b: int, c: int, worth: int) -> int:
    """Compare the insertions of a cycle at all places of an alg with the best one; return their number."""
    after, best, number, size = work.after, work.insertion, 0, work.numbers[LENGTH]
    step = 1 if size < _DENSE else size // (_DENSE // 2)
    for at in range(size - (drawn(work.random, step) if step > 1 else 0), -1, -step):
        x, y, z = np.int64(after[size - at, a]), np.int64(after[size - at, b]), np.int64(after[size - at, c])
        cycle = cycle_number(moves, cycles.starts, x, y, z)
        number += 1
        length = np.int64(cycles.lengths[cycle])
        if length != NONE and 10 * (length - _MOST) - worth < best[0]:
            _choose(moves, cycles, work, at, cycle)
            value = 10 * (length_of(moves, work) - size) - worth + drawn(work.random, _NOISE)
            if value < best[0]:
                best[0], best[1], best[2] = value, at, cycle
    return number


@part
def _find_insertion(moves: MoveArrays, cycles: Cycles, work: Work, most: int) -> bool:
    """Find the best insertion of a cycle into an alg, of those that solve most pieces; return whether there is one."""
    kinds, starts, state, target = moves.kinds, cycles.starts, work.before[work.numbers[LENGTH]], work.target
    wrong = _find_wrong(moves, work, state)
    work.insertion[0] = _UNKNOWN
    for least in (2, 1):
        left, start = most, drawn(work.random, max(wrong, 1))
        for i in range(wrong):
            a = work.wrong[(start + i) % wrong]
            turns, kind = kinds[a, 1], kinds[a, 2]
            if (a - kinds[a, 0]) % turns:
                continue
            if left < 0:
                break
            for j in range(work.spans[kind, 0], work.spans[kind, 1]):
                b = work.wrong[j]
                if target[b] != state[a]:
                    continue
                for c in range(kinds[a, 0], kinds[a, 0] + starts[kind, 1] * turns):
                    gain = _gain(moves, work, state, a, b, c)
                    if gain >= least:
                        left -= _compare(moves, cycles, work, a, b, c, cycles.worth[kind] * gain)
        if work.insertion[0] < _UNKNOWN:
            return True
    return False


@kernel(at_start=True)
def insert(moves: MoveArrays, cycles: Cycles, work: Work, number: int, most: int) -> int:
    """Insert up to a number of cycles into an alg, each at the best of about `most` places; return how many."""
    slots = work.after[0]  # all
    follow(moves, work, slots, 0, work.numbers[LENGTH])
    for made in range(number):
        if work.numbers[LENGTH] > len(work.alg) - LONGEST or not _find_insertion(moves, cycles, work, most):
            return made
        _choose(moves, cycles, work, work.insertion[1], work.insertion[2])
        unbalanced(work)
        replace(moves, work, slots)
    return number
