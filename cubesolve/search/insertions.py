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
from cubesolve.search.cycles import LONGEST, NONE, Cycles, alg_of, cycle_number, drawn, push, twist_number
from cubesolve.search.slots import MoveArrays

MOST_WAYS = 64
"""The largest number of insertions that are found at once."""

_AROUND = 12  # moves before and after an insertion that may cancel with it
_MOST = 6  # moves that may cancel
_ROOM = LONGEST + 2 * _AROUND
_NOISE = 8  # tenths of a move, below which differences do not matter
_DENSE = 400  # moves of an alg of which every place is compared
_UNKNOWN = 1 << 30


class Work(NamedTuple):
    """An alg that is being extended."""

    alg: Array1[np.int16]  # (room,): its moves
    state: Array1[np.uint16]  # (slots,): the looks at its end
    target: Read1[np.uint16]  # (slots,): the looks of the solved state
    tracks: Array2[np.uint16]  # (room, slots): for each slot at the end, the slot where its piece is before each move
    wrong: Array1[np.int64]  # (slots,): the slots of the places that are not solved
    spans: Array2[np.int64]  # (kinds, 2): where those of each kind begin and end
    # (MOST_WAYS, 6): the best insertions, the best first: its value, the place in the alg, the number of the cycle, and
    # its slots at the end of the alg; of a twist, the last one as -1 minus the slot
    best: Array2[np.int64]
    room: Array1[np.int16]  # (moves,): room for algs
    random: Array1[np.uint64]  # (1,): the state of the random numbers

    @classmethod
    def of(
        cls, moves: MoveArrays, state: NDArray[np.uint16], target: NDArray[np.uint16], longest: int, seed: int
    ) -> Work:
        """Return room for algs of up to a number of moves that lead from a state to a solved one."""
        slots, kinds = len(state), 1 + int(moves.kinds[:, 2].max(initial=0))
        return cls(
            np.zeros(2 * (longest + LONGEST), np.int16),
            state.copy(),
            target,
            np.zeros((longest + LONGEST, slots), np.uint16),  # most is never used, and takes no memory
            np.zeros(slots, np.int64),
            np.zeros((kinds, 2), np.int64),
            np.zeros((MOST_WAYS, 6), np.int64),
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
    made = 0
    for i in range(begin, at):
        made = push(moves, room, made, work.alg[i])
    for i in range(count):
        made = push(moves, room, made, room[_ROOM + i])
    for i in range(at, end):
        made = push(moves, room, made, work.alg[i])
    return made - (end - begin)


@part
def find_wrong(moves: MoveArrays, work: Work) -> int:
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
    """Follow all pieces back through an alg."""
    tracks, slots = work.tracks, len(work.state)
    for slot in range(slots):
        tracks[size, slot] = slot
    for i in range(size - 1, -1, -1):
        for slot in range(slots):
            tracks[i, slot] = moves.sources[work.alg[i], tracks[i + 1, slot]]


@part
def _gain(moves: MoveArrays, work: Work, a: int, b: int, c: int, is_twist: bool) -> int:
    """Return how many more pieces are solved by a cycle at the end, or a twist; -1 if there is none of these slots."""
    state, target, kinds = work.state, work.target, moves.kinds
    turns = kinds[a, 1]
    if 0 <= c - a < turns:
        return -1
    gain = 1 - (state[c] == target[c])
    if is_twist:
        if (c - kinds[c, 0]) % turns:
            return -1
        return int(gain + (target[_turned(moves, c, a - b)] == state[c]))
    if (c - kinds[c, 0]) // turns == (b - kinds[b, 0]) // turns:
        return -1
    return int(gain + (target[c] == state[b]) + (target[a] == state[c]))


@part
def _kept(work: Work, ways: int, value: int, at: int, cycle: int) -> int:
    """Keep an insertion, once, if it is one of the best; return its row, or -1."""
    best, row = work.best, ways - 1
    for known in range(ways):
        if best[known, 1] == at and best[known, 2] == cycle:
            row = known
            break
    if best[row, 0] <= value:
        return -1
    while row and best[row - 1, 0] > value:
        for column in range(best.shape[1]):
            best[row, column] = best[row - 1, column]
        row -= 1
    best[row, 0], best[row, 1], best[row, 2] = value, at, cycle
    return row


@part
def _compare(
    moves: MoveArrays, cycles: Cycles, work: Work, size: int, ways: int, a: int, b: int, c: int, worth: int
) -> int:
    """Compare the insertions of a cycle at all places of an alg with the best ones; return their number."""
    tracks, starts, best, number = work.tracks, cycles.starts, work.best, 0
    is_twist = 0 <= b - a < moves.kinds[a, 1]
    step = 1 if size < _DENSE else size // (_DENSE // 2)
    for at in range(size - (drawn(work.random, step) if step > 1 else 0), -1, -step):
        x, y, z = np.int64(tracks[at, a]), np.int64(tracks[at, b]), np.int64(tracks[at, c])
        cycle = twist_number(moves, starts, x, z, b - a) if is_twist else cycle_number(moves, starts, x, y, z)
        number += 1
        length = np.int64(cycles.lengths[cycle])
        if length == NONE or 10 * (length - _MOST) - worth >= best[ways - 1, 0]:
            continue
        value = 10 * _extra(moves, cycles, work, size, at, cycle) - worth + drawn(work.random, _NOISE)
        row = _kept(work, ways, value, at, cycle)
        if row >= 0:
            best[row, 3], best[row, 4], best[row, 5] = a, b, -1 - c if is_twist else c
    return number


@part
def _find(moves: MoveArrays, cycles: Cycles, work: Work, size: int, ways: int, wrong: int, most: int) -> None:
    """Find the best insertions that solve a piece."""
    kinds, starts, state, target = moves.kinds, cycles.starts, work.state, work.target
    for row in range(ways):
        work.best[row, 0] = _UNKNOWN
    for least in (2, 1):
        left, start = most, drawn(work.random, wrong)
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
                for c in range(kinds[a, 0], kinds[a, 0] + starts[kind, 2] * turns):
                    gain = _gain(moves, work, a, b, c, 0 <= b - a < turns)
                    if gain >= least:
                        left -= _compare(moves, cycles, work, size, ways, a, b, c, cycles.worth[kind] * gain)
        if work.best[0, 0] < _UNKNOWN:
            break


@part
def _make(moves: MoveArrays, cycles: Cycles, work: Work, size: int) -> int:
    """Insert the best cycle into an alg, and return the length of the alg."""
    alg, best = work.alg, work.best[0]
    at = best[1]
    count = alg_of(moves, cycles, best[2], work.room)
    tail = size - at
    for i in range(tail):  # in the free part of the room
        alg[len(alg) - tail + i] = alg[at + i]
    size = at
    for i in range(count):
        size = push(moves, alg, size, work.room[i])
    for i in range(tail):
        size = push(moves, alg, size, alg[len(alg) - tail + i])
    return int(size)


@part
def _solve(moves: MoveArrays, work: Work) -> None:
    """Move the pieces of the best cycle."""
    state = work.state
    a, b, c = work.best[0, 3], work.best[0, 4], work.best[0, 5]
    for i in range(moves.kinds[a, 1] if c >= 0 else 0):
        x, y, z = _turned(moves, a, i), _turned(moves, b, i), _turned(moves, c, i)
        state[y], state[z], state[x] = state[x], state[y], state[z]
    if c < 0:
        _twist(moves, state, a, b - a)
        _twist(moves, state, -1 - c, a - b)


@part
def _twist(moves: MoveArrays, state: NDArray[np.uint16], slot: int, turn: int) -> None:
    """Twist the piece of a slot, which is the first one of its place."""
    turns = moves.kinds[slot, 1]
    shown = state[slot : slot + turns].copy()
    for i in range(turns):
        state[_turned(moves, slot + i, turn)] = shown[i]


@kernel(at_start=True)
def list_insertions(moves: MoveArrays, cycles: Cycles, work: Work, size: int, ways: int, most: int) -> int:
    """List the best insertions of a cycle into an alg, of those that solve most pieces.

    Returns:
        The number of insertions in `Work.best`; 0 if no cycle solves another piece, or if there is no room.
    """
    wrong, number = find_wrong(moves, work), 0
    if wrong == 0 or 2 * (size + LONGEST) > len(work.alg):
        return 0
    _track(moves, work, size)
    _find(moves, cycles, work, size, ways, wrong, most)
    while number < ways and work.best[number, 0] < _UNKNOWN:
        number += 1
    return number


@kernel(at_start=True)
def make_insertion(moves: MoveArrays, cycles: Cycles, work: Work, size: int) -> int:
    """Make the first of the insertions that are listed, and return the length of the alg."""
    size = _make(moves, cycles, work, size)
    _solve(moves, work)
    return size
