"""Solutions by insertions: cycles of three pieces are inserted into an alg where they cost the fewest moves.

An alg leaves some pieces unsolved. A cycle that solves two or three of them at its end is another cycle, a conjugate,
anywhere within it, and many of these have shorter algs, or moves that cancel with those around them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.kernels import kernel, named, part, read_only, types
from cubesolve.search.slots import MOVES, Moves
from cubesolve.search.three_cycles import CYCLES, LONGEST, NONE, Cycles, alg_of, cycle_number, drawn, push, twist_number

_AROUND = 12  # moves before and after an insertion that may cancel with it
_MOST = 6  # moves that may cancel
_ROOM = LONGEST + 2 * _AROUND


class Work(NamedTuple):
    """An alg that is being extended.

    Attributes:
        alg: int16 (room,): its moves.
        state: uint16 (slots,): the looks at its end.
        target: uint16 (slots,): the looks of the solved state.
        tracks: uint16 (room, slots): for each slot at the end, the slot where its piece is before each move.
        random: uint64 (1,): the state of the random numbers.
    """

    alg: NDArray[np.int16]
    state: NDArray[np.uint16]
    target: NDArray[np.uint16]
    tracks: NDArray[np.uint16]
    random: NDArray[np.uint64]


WORK = named(
    Work,
    alg=types.int16[::1],
    state=types.uint16[::1],
    target=read_only(types.uint16, 1),
    tracks=types.uint16[:, ::1],
    random=types.uint64[::1],
)


@part
def _turned(moves: Moves, slot: int, turn: int) -> int:
    """Return a slot of the same place, some turns further."""
    first, turns = moves.kinds[slot, 0], moves.kinds[slot, 1]
    turned = slot - first
    return int(first + turned - turned % turns + (turned % turns + turn) % turns)


@part
def _extra(moves: Moves, cycles: Cycles, work: Work, size: int, at: int, number: int, room: NDArray[np.int16]) -> int:
    """Return how many moves longer an alg becomes by the insertion of a cycle."""
    count = alg_of(moves, cycles, number, room[_ROOM:])
    begin, end = max(at - _AROUND, 0), min(at + _AROUND, size)
    made = 0
    for i in range(begin, at):
        made = push(moves, room, made, work.alg[i])
    for i in range(count):
        made = push(moves, room, made, room[_ROOM + i])
    for i in range(at, end):
        made = push(moves, room, made, work.alg[i])
    return made - (end - begin)


@kernel(MOVES, CYCLES, WORK, types.int64, types.int64, types.int64)
def insert(moves: Moves, cycles: Cycles, work: Work, size: int, steps: int, most: int) -> int:  # noqa: PLR0912, PLR0915
    """Insert cycles into an alg until it solves the state, or for a number of steps.

    Args:
        moves: the moves.
        cycles: the algs of cycles.
        work: the alg.
        size: its length.
        steps: the largest number of insertions.
        most: the number of insertions to compare in a step.

    Returns:
        The length of the alg; or -1 minus this length if no cycle solves another piece, or there is no room.
    """
    kinds, starts, state, target, alg, tracks = (
        moves.kinds,
        cycles.starts,
        work.state,
        work.target,
        work.alg,
        work.tracks,
    )
    slots = len(state)
    wrong = np.zeros(slots, np.int64)
    room = np.zeros(2 * _ROOM, np.int16)
    shown = np.zeros(2 * slots, np.uint16)
    best = np.zeros(6, np.int64)
    begins = np.zeros(len(starts) + 1, np.int64)
    ends = np.zeros(len(starts) + 1, np.int64)
    for _ in range(steps):
        number = 0
        for place in moves.firsts:
            if state[place] != target[place]:
                if number == 0 or kinds[wrong[number - 1], 2] != kinds[place, 2]:
                    begins[kinds[place, 2]] = number
                for i in range(kinds[place, 1]):
                    wrong[number] = place + i
                    number += 1
                ends[kinds[place, 2]] = number
        if number == 0:
            return size
        if 2 * (size + LONGEST) > len(alg):
            break
        for slot in range(slots):
            tracks[size, slot] = slot
        for i in range(size - 1, -1, -1):
            for slot in range(slots):
                tracks[i, slot] = moves.sources[alg[i], tracks[i + 1, slot]]
        best[0] = 1 << 30
        for least in (2, 1):
            left, start = most, drawn(work.random, number)
            for i in range(number):
                a = wrong[(start + i) % number]
                turns = kinds[a, 1]
                if (a - kinds[a, 0]) % turns:
                    continue
                if left < 0:
                    break
                worth = cycles.worth[kinds[a, 2]]
                for j in range(begins[kinds[a, 2]], ends[kinds[a, 2]]):
                    b = wrong[j]
                    if target[b] != state[a]:
                        continue
                    is_twist = 0 <= b - a < turns
                    for c in range(kinds[a, 0], kinds[a, 0] + starts[kinds[a, 2], 2] * turns):
                        if 0 <= c - a < turns:
                            continue
                        gain = 1 - (state[c] == target[c])
                        if is_twist:
                            if (c - kinds[c, 0]) % turns:
                                continue
                            gain += target[_turned(moves, c, a - b)] == state[c]
                        else:
                            if (c - kinds[c, 0]) // turns == (b - kinds[b, 0]) // turns:
                                continue
                            gain += (target[c] == state[b]) + (target[a] == state[c])
                        if gain < least:
                            continue
                        step = 1 if size < 400 else size // 200
                        for at in range(size - (drawn(work.random, step) if step > 1 else 0), -1, -step):
                            x, y, z = np.int64(tracks[at, a]), np.int64(tracks[at, b]), np.int64(tracks[at, c])
                            if is_twist:
                                cycle = twist_number(moves, starts, x, z, b - a)
                            else:
                                cycle = cycle_number(moves, starts, x, y, z)
                            left -= 1
                            length = np.int64(cycles.lengths[cycle])
                            if length == NONE or 10 * (length - _MOST) - worth * gain >= best[0]:
                                continue
                            extra = _extra(moves, cycles, work, size, at, cycle, room)
                            value = 10 * extra - worth * gain + drawn(work.random, 8)
                            if value < best[0]:
                                best[0], best[1], best[2] = value, at, cycle
                                best[3], best[4], best[5] = a, b, -1 - c if is_twist else c
            if best[0] < 1 << 30:
                break
        if best[0] == 1 << 30:
            break
        at, a, b, c = best[1], best[3], best[4], best[5]
        count = alg_of(moves, cycles, best[2], room)
        tail = size - at
        for i in range(tail):  # in the free part of the room
            alg[len(alg) - tail + i] = alg[at + i]
        size = at
        for i in range(count):
            size = push(moves, alg, size, room[i])
        for i in range(tail):
            size = push(moves, alg, size, alg[len(alg) - tail + i])
        turns = kinds[a, 1]
        if c < 0:
            c = -1 - c
            for i in range(turns):
                shown[i], shown[turns + i] = state[a + i], state[c + i]
            for i in range(turns):
                state[_turned(moves, a + i, b - a)] = shown[i]
                state[_turned(moves, c + i, a - b)] = shown[turns + i]
        else:
            for i in range(turns):
                x, y, z = _turned(moves, a, i), _turned(moves, b, i), _turned(moves, c, i)
                state[y], state[z], state[x] = state[x], state[y], state[z]
    for place in moves.firsts:
        if state[place] != target[place]:
            return -1 - size
    return size
