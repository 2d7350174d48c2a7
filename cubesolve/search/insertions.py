"""Solutions by insertions: cycles of three pieces are inserted into an alg where they cost the fewest moves.

An alg leaves some pieces unsolved. A cycle that solves two or three of them at its end is another cycle, a conjugate,
anywhere within it, and many of these have shorter algs, or moves that cancel with those around them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.runtime.kernel_arrays import Array1, Array2, Read1
from cubesolve.runtime.kernels import kernel, part
from cubesolve.search.cycles import LONGEST, NONE, Alg, Cycles, alg_of, cycle_number, drawn, joined, push
from cubesolve.search.slots import MoveArrays

_AROUND = 12  # moves before and after an insertion that may cancel with it
_MOST = 6  # moves that may cancel
_ROOM = LONGEST + 2 * _AROUND
_NOISE = 8  # tenths of a move, below which differences do not matter
_DENSE = 400  # moves of an alg of which every place is compared
_UNKNOWN = 1 << 30


class Work(NamedTuple):
    """An alg into which cycles are inserted."""

    alg: Array1[np.int16]  # (room,): its moves
    start: Read1[np.uint16]  # (slots,): the looks before it
    target: Read1[np.uint16]  # (slots,): the looks of the solved state
    state: Array1[np.uint16]  # (slots,): the looks at its end
    tracks: Array2[np.uint16]  # (room, slots): for each slot at the end, the slot where its piece is before each move
    wrong: Array1[np.int64]  # (slots,): the slots of the places that are not solved
    spans: Array2[np.int64]  # (kinds, 2): where those of each kind begin and end
    best: Array1[np.int64]  # (3,): the best insertion: its value, the place in the alg, and the number of the cycle
    room: Array1[np.int16]  # (moves,): room for algs
    random: Array1[np.uint64]  # (1,): the state of the random numbers

    @classmethod
    def of(
        cls, moves: MoveArrays, start: NDArray[np.uint16], target: NDArray[np.uint16], longest: int, seed: int
    ) -> Work:
        """Return room for algs of up to a number of moves that lead from a state to a solved one."""
        slots, kinds = len(start), 1 + int(moves.kinds[:, 2].max(initial=0))
        return cls(
            np.zeros(longest, np.int16),
            start,
            target,
            np.zeros(slots, np.uint16),
            np.zeros((longest + 1, slots), np.uint16),  # most is never used, and takes no memory
            np.zeros(slots, np.int64),
            np.zeros((kinds, 2), np.int64),
            np.zeros(3, np.int64),
            np.zeros(2 * _ROOM, np.int16),
            np.array([seed | 1], np.uint64),
        )


@part
def _turned(moves: MoveArrays, slot: int, turn: int) -> int:
    """Return a slot of the same place, some turns further."""
    first, turns = moves.kinds[slot, 0], moves.kinds[slot, 1]
    turned = slot - first
    return int(first + turned - turned % turns + (turned % turns + turn) % turns)


@part
def _extra(moves: MoveArrays, cycles: Cycles, work: Work, size: int, at: int, number: int) -> int:
    """Return how many moves longer an alg becomes by the insertion of a cycle."""
    room = work.room
    count = alg_of(moves, cycles, number, room[_ROOM:])
    begin, end = max(at - _AROUND, 0), min(at + _AROUND, size)
    length = 0
    for i in range(begin, at):
        length = push(moves, room, length, work.alg[i])
    for i in range(count):
        length = push(moves, room, length, room[_ROOM + i])
    for i in range(at, end):
        length = push(moves, room, length, work.alg[i])
    return length - (end - begin)


@part
def _find_wrong(moves: MoveArrays, work: Work) -> int:
    """List the slots of the places that are not solved, and return their number."""
    kinds, number = moves.kinds, 0
    work.spans[:] = 0
    for place in moves.firsts:
        if work.state[place] != work.target[place]:
            kind = kinds[place, 2]
            if work.spans[kind, 1] == 0:
                work.spans[kind, 0] = number
            for i in range(kinds[place, 1]):
                work.wrong[number] = place + i
                number += 1
            work.spans[kind, 1] = number
    return number


@part
def _track(moves: MoveArrays, work: Work, size: int) -> None:
    """Follow all pieces back through an alg, and compute the looks at its end."""
    tracks, slots = work.tracks, len(work.state)
    for slot in range(slots):
        tracks[size, slot] = slot
    for i in range(size - 1, -1, -1):
        for slot in range(slots):
            tracks[i, slot] = moves.sources[work.alg[i], tracks[i + 1, slot]]
    for slot in range(slots):
        work.state[slot] = work.start[tracks[0, slot]]


@part
def _gain(moves: MoveArrays, work: Work, a: int, b: int, c: int) -> int:
    """Return how many more pieces are solved by a cycle at the end, or a twist; -1 if there is none of these slots."""
    state, target, kinds = work.state, work.target, moves.kinds
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
def _compare(moves: MoveArrays, cycles: Cycles, work: Work, size: int, a: int, b: int, c: int, worth: int) -> int:
    """Compare the insertions of a cycle at all places of an alg with the best one; return their number."""
    tracks, best, number = work.tracks, work.best, 0
    step = 1 if size < _DENSE else size // (_DENSE // 2)
    for at in range(size - (drawn(work.random, step) if step > 1 else 0), -1, -step):
        x, y, z = np.int64(tracks[at, a]), np.int64(tracks[at, b]), np.int64(tracks[at, c])
        cycle = cycle_number(moves, cycles.starts, x, y, z)
        number += 1
        length = np.int64(cycles.lengths[cycle])
        if length != NONE and 10 * (length - _MOST) - worth < best[0]:
            value = 10 * _extra(moves, cycles, work, size, at, cycle) - worth + drawn(work.random, _NOISE)
            if value < best[0]:
                best[0], best[1], best[2] = value, at, cycle
    return number


@kernel(at_start=True)
def find_insertion(moves: MoveArrays, cycles: Cycles, work: Work, size: int, most: int) -> bool:
    """Find the best insertion of a cycle into an alg, of those that solve most pieces; return whether there is one.

    Args:
        most: a number of insertions; about so many are compared.
    """
    kinds, starts, state, target = moves.kinds, cycles.starts, work.state, work.target
    _track(moves, work, size)
    wrong = _find_wrong(moves, work)
    work.best[0] = _UNKNOWN
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
                    gain = _gain(moves, work, a, b, c)
                    if gain >= least:
                        left -= _compare(moves, cycles, work, size, a, b, c, cycles.worth[kind] * gain)
        if work.best[0] < _UNKNOWN:
            return True
    return False


def inserted(moves: MoveArrays, alg: Alg, at: int, more: Alg) -> Alg:
    """Return an alg with another one inserted, joined with the moves around it."""
    begin, end = max(at - _AROUND, 0), at + _AROUND
    return [*alg[:begin], *joined(moves, [*alg[begin:at], *more, *alg[at:end]]), *alg[end:]]
