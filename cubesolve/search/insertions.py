"""Solutions by insertions: cycles of three pieces are inserted into an alg where they cost the fewest moves.

An alg leaves some pieces unsolved. A cycle that solves two or three of them at its end is another cycle, a conjugate,
anywhere within it, and many of these have shorter algs, or moves that cancel with those around them.

The cheapest insertion leaves others that cost more, so a beam search extends several algs at once, by the insertions
after which they are expected to become shortest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.deadline import check
from cubesolve.kernels import kernel, named, part, read_only, types
from cubesolve.search.cycles import CYCLES, LONGEST, NONE, Alg, Cycles, alg_of, cycle_number, drawn, push, twist_number
from cubesolve.search.slots import MOVES, Moves, Row

_AROUND = 12  # moves before and after an insertion that may cancel with it
_PLAIN = 2  # moves after it that do not cancel; then others are taken not to
_MOST = 6  # moves that may cancel
_ROOM = LONGEST + 2 * _AROUND
_DENSE = 400  # moves of an alg of which every place is compared
_ROWS = 64  # insertions into an alg that are kept
_PLACES = 4  # of these, places of the same cycle
_ALIKE = 4  # algs of a beam that lead to the same state
_HOPED = 2  # pieces cost at least this part of what they are expected to cost
_UNKNOWN = 1 << 30
_JOINS, _CANCELS = 1, 2  # moves that are saved where a move meets another one
_SIZE, _STATE, _ALG = range(3)  # places of `Work.sizes`
_HALF, _COUNT, _SHORTEST, _LIMIT, _IS_LIMITED = range(5)  # and of `Work.numbers`
_FACTOR = 0x5851F42D4C957F2D  # of numbers by which algs and states are compared


class Work(NamedTuple):
    """An alg that is being extended, and a beam of others.

    Attributes:
        alg: int16 (room,): its moves.
        state: uint16 (slots,): the looks at its end.
        target: uint16 (slots,): the looks of the solved state.
        tracks: uint16 (room, slots): for each slot at the end, the slot where its piece is before each move.
        saved: uint8 (2, room, moves): how many moves are saved where a move meets those before or after each place.
        wrong: int64 (slots,): the slots of the places that are not solved.
        spans: int64 (kinds, 2): where those of each kind begin and end.
        places: int64 (_PLACES, 3): the best insertions of a cycle; see the first columns of `found`.
        found: int64 (_ROWS, 6): the best insertions in order: the value, the place in the alg, the number of the cycle,
            and its slots at the end of the alg; of a twist, the last one as -1 minus the slot.
        candidates: int64 (algs * _ROWS, 7): those of all algs of the beam, and the alg of each.
        algs: int16 (2, algs, room): the algs of the beam, before and after an insertion.
        states: uint16 (2, algs, slots): the looks at their ends.
        sizes: int64 (2, algs, 3): their numbers of moves; and numbers by which states and algs are compared.
        shortest: int16 (room,): the shortest solution.
        numbers: int64 (5,): which half of `algs` is the beam, the number of its algs, that of moves of `shortest`, -1
            if there is none, the number of moves from which on a solution is too long, and whether algs were left out
            because theirs would be.
        room: int16 (moves,): room for algs.
        random: uint64 (1,): the state of the random numbers.
    """

    alg: NDArray[np.int16]
    state: NDArray[np.uint16]
    target: NDArray[np.uint16]
    tracks: NDArray[np.uint16]
    saved: NDArray[np.uint8]
    wrong: NDArray[np.int64]
    spans: NDArray[np.int64]
    places: NDArray[np.int64]
    found: NDArray[np.int64]
    candidates: NDArray[np.int64]
    algs: NDArray[np.int16]
    states: NDArray[np.uint16]
    sizes: NDArray[np.int64]
    shortest: NDArray[np.int16]
    numbers: NDArray[np.int64]
    room: NDArray[np.int16]
    random: NDArray[np.uint64]

    @classmethod
    def of(cls, moves: Moves, target: Row, longest: int, widest: int, seed: int) -> Work:
        """Return room for algs of up to a number of moves that lead to a solved state, and beams of up to a width."""
        slots, kinds, room = len(target), 1 + int(moves.kinds[:, 2].max(initial=0)), longest + LONGEST
        return cls(
            np.zeros(2 * room, np.int16),
            target.copy(),
            target,
            np.zeros((room, slots), np.uint16),  # most is never used, and takes no memory
            np.zeros((2, room, len(moves.sources)), np.uint8),
            np.zeros(slots, np.int64),
            np.zeros((kinds, 2), np.int64),
            np.zeros((_PLACES, 3), np.int64),
            np.zeros((_ROWS, 6), np.int64),
            np.zeros((widest * _ROWS, 7), np.int64),
            np.zeros((2, widest, room), np.int16),
            np.zeros((2, widest, slots), np.uint16),
            np.zeros((2, widest, 3), np.int64),
            np.zeros(room, np.int16),
            np.zeros(5, np.int64),
            np.zeros(2 * _ROOM, np.int16),
            np.array([seed | 1], np.uint64),
        )


WORK = named(
    Work,
    alg=types.int16[::1],
    state=types.uint16[::1],
    target=read_only(types.uint16, 1),
    tracks=types.uint16[:, ::1],
    saved=types.uint8[:, :, ::1],
    wrong=types.int64[::1],
    spans=types.int64[:, ::1],
    places=types.int64[:, ::1],
    found=types.int64[:, ::1],
    candidates=types.int64[:, ::1],
    algs=types.int16[:, :, ::1],
    states=types.uint16[:, :, ::1],
    sizes=types.int64[:, :, ::1],
    shortest=types.int16[::1],
    numbers=types.int64[::1],
    room=types.int16[::1],
    random=types.uint64[::1],
)


@part
def _turned(moves: Moves, slot: int, turn: int) -> int:
    """Return a slot of the same place, some turns further."""
    first, turns = moves.kinds[slot, 0], moves.kinds[slot, 1]
    turned = slot - first
    return int(first + turned - turned % turns + (turned % turns + turn) % turns)


@part
def _extra(moves: Moves, cycles: Cycles, work: Work, size: int, at: int, number: int) -> int:
    """Return how many moves longer an alg becomes by the insertion of a cycle."""
    room = work.room
    count = alg_of(moves, cycles, number, room[_ROOM:])
    begin, end, plain = max(at - _AROUND, 0), at, 0
    made = at - begin
    for i in range(made):
        room[i] = work.alg[begin + i]
    for i in range(count):
        made = push(moves, room, made, room[_ROOM + i])
    while end < min(at + _AROUND, size) and plain < _PLAIN:
        before = made
        made = push(moves, room, made, work.alg[end])
        plain = plain + 1 if made > before else 0
        end += 1
    return made - (end - begin)


@part
def _find_wrong(moves: Moves, work: Work) -> int:
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
def _track(moves: Moves, work: Work, size: int) -> None:
    """Follow all pieces back through an alg."""
    tracks, slots = work.tracks, len(work.state)
    for slot in range(slots):
        tracks[size, slot] = slot
    for i in range(size - 1, -1, -1):
        for slot in range(slots):
            tracks[i, slot] = moves.sources[work.alg[i], tracks[i + 1, slot]]


@part
def _find_saved(moves: Moves, work: Work, size: int, at: int) -> None:
    """Compute how many moves are saved where each move meets those around a place."""
    alg, saved = work.alg, work.saved
    for move in range(len(moves.sources)):
        saved[0, at, move] = saved[1, at, move] = 0
        i = at - 1
        while i >= 0 and moves.commute[alg[i], move] and moves.products[alg[i], move] == -1:
            i -= 1
        if i >= 0 and moves.products[alg[i], move] != -1:
            saved[0, at, move] = _CANCELS if moves.products[alg[i], move] < 0 else _JOINS
        i = at
        while i < size and moves.commute[alg[i], move] and moves.products[move, alg[i]] == -1:
            i += 1
        if i < size and moves.products[move, alg[i]] != -1:
            saved[1, at, move] = _CANCELS if moves.products[move, alg[i]] < 0 else _JOINS


@part
def _gain(moves: Moves, work: Work, a: int, b: int, c: int, is_twist: bool) -> int:
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
def _kept(rows: NDArray[np.int64], count: int, most: int, value: int, at: int, cycle: int) -> int:
    """Make room for a row in order of values, and write its first columns; return its number."""
    row = min(count, most - 1)
    while row > 0 and rows[row - 1, 0] > value:
        for column in range(rows.shape[1]):
            rows[row, column] = rows[row - 1, column]
        row -= 1
    rows[row, 0], rows[row, 1], rows[row, 2] = value, at, cycle
    return int(row)


@part
def _compare(
    moves: Moves,
    cycles: Cycles,
    work: Work,
    size: int,
    a: int,
    b: int,
    c: int,
    worth: int,
    at: int,
    step: int,
    count: int,
    most: int,
) -> int:
    """Compare the insertions of a cycle, at places of an alg, with the best ones; return the number of these."""
    tracks, starts, saved, places, found = work.tracks, cycles.starts, work.saved, work.places, work.found
    is_twist, here = 0 <= b - a < moves.kinds[a, 1], 0
    limit = np.int64(_UNKNOWN) if count < most else found[most - 1, 0]
    while at <= size:
        x, y, z = np.int64(tracks[at, a]), np.int64(tracks[at, b]), np.int64(tracks[at, c])
        cycle = twist_number(moves, starts, x, z, b - a) if is_twist else cycle_number(moves, starts, x, y, z)
        length = np.int64(cycles.lengths[cycle])
        if length != NONE and 10 * (length - _MOST) - worth < limit:
            first, row = np.int64(cycles.setups[cycle]), cycles.parents[cycle]
            last = np.int64(moves.inverses[first])
            if first < 0:
                first, last = np.int64(cycles.algs[row, 0]), np.int64(cycles.algs[row, length - 1])
            before, after = np.int64(saved[0, at, first]), np.int64(saved[1, at, last])
            extra = length - before - after
            if _CANCELS in (before, after):  # others may then cancel, too
                extra = np.int64(_extra(moves, cycles, work, size, at, cycle))
            if 10 * extra - worth < limit:
                _kept(places, here, _PLACES, 10 * extra - worth, at, cycle)
                here = min(here + 1, _PLACES)
                if here == _PLACES:
                    limit = min(limit, places[_PLACES - 1, 0])
        at += step
    for i in range(here):
        if count == most and places[i, 0] >= found[most - 1, 0]:
            break
        row = _kept(found, count, most, places[i, 0], places[i, 1], places[i, 2])
        found[row, 3], found[row, 4], found[row, 5] = a, b, -1 - c if is_twist else c
        count = min(count + 1, most)
    return count


@part
def _find(moves: Moves, cycles: Cycles, work: Work, size: int, most: int, labour: int) -> int:
    """Find the best insertions into an alg: those that solve two pieces or three, or one if there are no others."""
    kinds, starts, state, target = moves.kinds, cycles.starts, work.state, work.target
    wrong, count = _find_wrong(moves, work), 0
    if wrong == 0 or 2 * (size + LONGEST) > len(work.alg):
        return 0
    _track(moves, work, size)
    step = max(size // (_DENSE // 2), 1) if size >= _DENSE else 1
    at, begin = np.int64(drawn(work.random, step)), np.int64(drawn(work.random, wrong))
    for place in range(at, size + 1, step):
        _find_saved(moves, work, size, place)
    for least in (2, 1):
        left = labour
        for i in range(wrong):
            a = work.wrong[(begin + i) % wrong]
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
                        left -= 1 + size // step
                        worth = cycles.worth[kind] * gain
                        count = _compare(moves, cycles, work, size, a, b, c, worth, at, step, count, most)
        if count:
            break
    return int(count)


@part
def _make(moves: Moves, cycles: Cycles, work: Work, size: int, at: int, cycle: int) -> int:
    """Insert a cycle into an alg, and return the length of the alg."""
    alg = work.alg
    count = alg_of(moves, cycles, cycle, work.room)
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
def _solve(moves: Moves, work: Work, a: int, b: int, c: int) -> None:
    """Move the pieces of a cycle."""
    state = work.state
    for i in range(moves.kinds[a, 1] if c >= 0 else 0):
        x, y, z = _turned(moves, a, i), _turned(moves, b, i), _turned(moves, c, i)
        state[y], state[z], state[x] = state[x], state[y], state[z]
    if c < 0:
        _twist(moves, state, a, b - a)
        _twist(moves, state, -1 - c, a - b)


@part
def _twist(moves: Moves, state: NDArray[np.uint16], slot: int, turn: int) -> None:
    """Twist the piece of a slot, which is the first one of its place."""
    turns = moves.kinds[slot, 1]
    shown = state[slot : slot + turns].copy()
    for i in range(turns):
        state[_turned(moves, slot + i, turn)] = shown[i]


# -- A beam of algs ----------------------------------------------------------------------------------------------------


@part
def _begin(work: Work, number: int) -> int:
    """Begin with an alg of the beam, and return its length."""
    half = work.numbers[_HALF]
    size = work.sizes[half, number, _SIZE]
    for i in range(size):  # assigning a slice would need Numba's runtime; see `linking`
        work.alg[i] = work.algs[half, number, i]
    for slot in range(len(work.state)):
        work.state[slot] = work.states[half, number, slot]
    return int(size)


@part
def _left(moves: Moves, cycles: Cycles, work: Work) -> int:
    """Return ten times the moves that solving the remaining pieces is expected to cost."""
    left = np.int64(0)
    for place in moves.firsts:
        if work.state[place] != work.target[place]:
            left += cycles.worth[moves.kinds[place, 2]]
    return int(left)


@part
def _keep(work: Work, size: int, number: int) -> bool:
    """Write an alg into the next beam if this has no equal one and few with the same state; return whether it does."""
    sizes, there = work.sizes, 1 - work.numbers[_HALF]
    state, alg, alike = np.int64(0), np.int64(size), 0
    for slot in range(len(work.state)):
        state = state * np.int64(_FACTOR) + work.state[slot] + 1
    for i in range(size):
        alg = alg * np.int64(_FACTOR) + work.alg[i] + 1
    for i in range(number):
        alike += sizes[there, i, _STATE] == state
        if sizes[there, i, _ALG] == alg:
            return False
    if alike >= _ALIKE:
        return False
    sizes[there, number, _SIZE], sizes[there, number, _STATE], sizes[there, number, _ALG] = size, state, alg
    for i in range(size):
        work.algs[there, number, i] = work.alg[i]
    for slot in range(len(work.state)):
        work.states[there, number, slot] = work.state[slot]
    return True


@part
def _collect(moves: Moves, cycles: Cycles, work: Work, width: int, labour: int) -> int:
    """Find the best insertions into all algs of the beam; return their number."""
    candidates, count = work.candidates, 0
    for number in range(work.numbers[_COUNT]):
        size = _begin(work, number)
        expected = 10 * size + _left(moves, cycles, work)
        for row in range(_find(moves, cycles, work, size, 1 if width == 1 else _ROWS, labour)):
            candidates[count, 0], candidates[count, 6] = work.found[row, 0] + expected, number
            for column in range(1, 6):
                candidates[count, column] = work.found[row, column]
            count += 1
    return count


@kernel(MOVES, CYCLES, WORK, types.int64, types.int64, types.int64, at_start=True)
def insert(moves: Moves, cycles: Cycles, work: Work, width: int, labour: int, steps: int) -> int:
    """Insert cycles into the algs of the beam.

    Args:
        moves: the moves, with the places to solve.
        cycles: the algs of cycles.
        work: the algs.
        width: the number of algs that are kept after each insertion.
        labour: the number of insertions to compare for each alg.
        steps: the largest number of insertions.

    Returns:
        The number of algs of the beam; 0 at the end.
    """
    candidates, numbers = work.candidates, work.numbers
    for _ in range(steps):
        count, kept = _collect(moves, cycles, work, width, labour), 0
        while kept < width:
            best = 0
            for i in range(1, count):
                if candidates[i, 0] < candidates[best, 0]:
                    best = i
            if count == 0 or candidates[best, 0] == _UNKNOWN:
                break
            candidates[best, 0] = _UNKNOWN
            row = candidates[best]
            size = _make(moves, cycles, work, _begin(work, row[6]), row[1], row[2])
            _solve(moves, work, row[3], row[4], row[5])
            left = _left(moves, cycles, work)
            if size >= numbers[_LIMIT] or 10 * size + left // _HOPED >= 10 * numbers[_LIMIT]:
                numbers[_IS_LIMITED] = 1
            elif left == 0:
                numbers[_SHORTEST] = numbers[_LIMIT] = size
                for i in range(size):
                    work.shortest[i] = work.alg[i]
            elif _keep(work, size, kept):
                kept += 1
        if kept == 0:
            return 0
        numbers[_HALF], numbers[_COUNT] = 1 - numbers[_HALF], kept
    return int(numbers[_COUNT])


def completed(
    moves: Moves,
    cycles: Cycles,
    work: Work,
    alg: Alg,
    state: Row,
    width: int,
    labour: int,
    steps: int,
    most: int | None = None,
) -> Alg | None:
    """Return a short alg that begins as another and solves all places, or one in which no cycle solves another place.

    Args:
        moves: the moves, with the places to solve.
        cycles: the algs of cycles.
        work: room for algs and beams.
        alg: an alg.
        state: the looks at its end.
        width: the number of algs that are extended at once.
        labour: the largest number of insertions to compare for each.
        steps: the number of insertions between two checks of the deadline.
        most: the largest number of moves.

    Returns:
        The alg; None if it has more than `most` moves, or all are expected to.

    Raises:
        EndedError: the current deadline has passed.
    """
    numbers, room = work.numbers, work.algs.shape[2]
    if not len(cycles.lengths) or (state == work.target)[moves.firsts].all():
        return alg
    work.algs[0, 0, : len(alg)], work.states[0, 0], work.sizes[0, 0, _SIZE] = alg, state, len(alg)
    numbers[:] = 0, 1, -1, room if most is None else min(room, most + 1), 0
    check()
    while insert(moves, cycles, work, width, labour, steps):
        check()
    if numbers[_SHORTEST] >= 0:
        found = work.shortest[: numbers[_SHORTEST]]
    elif most is not None and numbers[_IS_LIMITED]:
        return None
    else:
        found = work.algs[numbers[_HALF], 0, : work.sizes[numbers[_HALF], 0, _SIZE]]
    made: Alg = found.tolist()
    return made
