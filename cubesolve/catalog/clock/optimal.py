"""Optimal solutions of Rubik's Clock: the sums that moves make, and the fewest moves of both sides (needs numba).

A side has 15 moves, each by 1 to 11 hours. A sum of moves is a *cross*, the hours of its five inner dials as a number
with base 12, and *corners*, those of the other four. Sums of at most four moves are listed by their cross. The fewest
moves that make a given cross with each of the 20,736 corners follow from pairs of these lists, the first of which has
the moves with smaller numbers: each set of moves is then met once.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.catalog.clock.dials import CORNERS, CROSS, HOURS, OPPOSITE, PINS, SIDE, Turn, beside, turned_around
from cubesolve.runtime.deadline import check
from cubesolve.runtime.kernel_arrays import Array1, Array2, Read1, Read2
from cubesolve.runtime.kernels import kernel

CROSSES = HOURS ** len(CROSS)  # the number of crosses
ALL_CORNERS = HOURS ** len(CORNERS)  # the number of positions of the corners
_CROSSES, _CORNERS = (HOURS,) * len(CROSS), (HOURS,) * len(CORNERS)
_UNITS = [HOURS**place for place in reversed(range(len(CROSS)))]

MOST_LISTED = 4  # moves of a listed sum
_CODED = 3  # the largest number of moves of a sum that is listed with its moves
MOST_JOINED = 2 * _CODED  # moves of ways that are found from pairs of sums
_KEPT = 64  # lists of these
UNKNOWN = 255  # the entry of an unknown number of moves

_FIRST = 16  # a number that is larger than that of each move
_AT_ONCE = 1 << 17  # sums between two checks of the deadline

VECTORS = np.array([[*(beside(name)[dial] for dial in (*CROSS, *CORNERS))] for name in PINS], np.int64)
"""The dials that each move turns: those of the cross, then the corners."""

_EACH = 64**SIDE // 63  # the hours of all dials as a number, six bits each, where every dial has one
_STEPS = VECTORS[:, None] * np.arange(HOURS)[:, None] % HOURS @ (1 << 6 * np.arange(SIDE)[::-1])
"""The hours by which each move turns the dials, as such a number, by the hours of the move; (15, 12)."""


Way = tuple[tuple[int, int], ...]  # moves, each a number of `VECTORS` and its hours


class Sums(NamedTuple):
    """The sums of a number of moves that have different pins, by their cross, then by their moves."""

    crosses: NDArray[np.int64]  # the crosses of sums, in ascending order
    rows: NDArray[np.int32]  # the number of each cross in `crosses`, from 1, or 0 if no sum has it, (248832,)
    begins: NDArray[np.int32]  # the index of the first sum of each row; row 0 has none
    before: NDArray[np.uint16]  # the sums of a row whose first move has a smaller number than a given one, (rows, 16)
    corners: NDArray[np.uint16]  # the corners of each
    after: NDArray[np.uint8]  # the number after that of its last move
    # its moves: eight bits for each, 16 times its number in `VECTORS` plus its hours, the first move in the highest
    # bits; empty if there are more than `_CODED`
    moves: NDArray[np.int32]


@functools.cache
def sums(moves: int) -> Sums:
    """Return the sums of a number of moves, 0 to `MOST_LISTED`."""
    number = math.comb(len(VECTORS), moves) * (HOURS - 1) ** moves
    corners, after = np.empty(number, np.uint16), np.empty(number, np.uint8)
    codes = np.empty(number if moves <= _CODED else 0, np.int32)
    rows, numbers = np.arange(CROSSES, dtype=np.int32), np.zeros(CROSSES, np.int32)
    _list(_STEPS, moves, rows, numbers, np.empty((0, _FIRST), np.uint16), corners, after, codes)
    check()
    crosses = np.flatnonzero(numbers)
    rows[:], rows[crosses] = 0, np.arange(1, 1 + len(crosses))
    begins, before = np.zeros(len(crosses) + 2, np.int32), np.zeros((len(crosses) + 1, _FIRST), np.uint16)
    np.cumsum(numbers[crosses], dtype=begins.dtype, out=begins[2:])
    _list(_STEPS, moves, rows, begins[:-1].copy(), before, corners, after, codes)
    check()
    np.cumsum(before, axis=1, dtype=before.dtype, out=before)
    return Sums(crosses, rows, begins, before, corners, after, codes)


@kernel(at_start=True)
def _list(
    steps: Read2[np.int64],
    moves: int,
    rows: Read1[np.int32],  # the row of each cross
    places: Array1[np.int32],  # where the next sum of each row is written, or how many there are
    numbers: Array2[np.uint16],  # of sums whose first move has the number before a given one, by row; empty to count
    corners: Array1[np.uint16],
    after: Array1[np.uint8],
    made: Array1[np.int32],
) -> int:
    """List the sums of a number of moves: count them, or write corners and moves."""
    total = np.zeros(moves + 1, np.int64)
    move, hours = np.zeros(moves + 1, np.int64), np.zeros(moves + 1, np.int64)
    level = 0
    while level >= 0:
        if level == moves:
            cross, corner = 0, 0
            for dial in range(5):
                cross = 12 * cross + (total[level] >> (48 - 6 * dial) & 63)
            row = rows[cross]
            if len(numbers):
                for dial in range(5, 9):
                    corner = 12 * corner + (total[level] >> (48 - 6 * dial) & 63)
                code = 0
                for step in range(moves):
                    code = 256 * code + 16 * move[step] + hours[step]
                numbers[row, move[0] + 1 if moves else 15] += 1
                corners[places[row]], after[places[row]] = corner, code // 16 % 16 + 1 if moves else 0
                if len(made):
                    made[places[row]] = code
            places[row] += 1
            level -= 1
            continue
        hours[level] += 1
        if hours[level] == 12:
            hours[level] = 1
            move[level] += 1
        if move[level] >= len(steps):
            level -= 1
            continue
        turned = total[level] + steps[move[level], hours[level]]
        over = turned + 20 * _EACH & 32 * _EACH  # the dials with 12 hours or more
        total[level + 1] = turned - ((over >> 2) + (over >> 3))
        level += 1
        move[level], hours[level] = move[level - 1] + 1, 0
    return 0


@functools.lru_cache(2)
def _rest(cross: int) -> NDArray[np.int32]:
    """Return what each cross lacks of another one."""
    rest = np.zeros(1, np.int32)
    for digit, unit in zip(np.unravel_index(cross, _CROSSES), _UNITS, strict=True):
        rest = np.add.outer(rest, (digit - np.arange(HOURS)) % HOURS * unit).reshape(-1).astype(np.int32)
    return rest


def _pairs(first: Sums, second: Sums, cross: int) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Yield the indices of sums that make a cross together, where the moves of the first have smaller numbers."""
    rows = second.rows[_rest(cross)[first.crosses]]
    step = len(rows) * _AT_ONCE // max(len(first.corners), _AT_ONCE)
    for begin in range(0, len(rows), step):
        check()
        begins = first.begins[1 + begin :][: step + 1]
        row = np.repeat(rows[begin : begin + step], np.diff(begins))
        start = second.begins[row] + second.before[row, first.after[begins[0] : begins[-1]]]
        number = second.begins[row + 1] - start
        one = np.flatnonzero(number)
        number, start = number[one], start[one]
        other = np.arange(number.sum()) + np.repeat(start - (np.cumsum(number) - number), number)
        yield np.repeat(one + begins[0], number), other


def _together(first: NDArray[np.uint16], second: NDArray[np.uint16]) -> NDArray[np.uint16]:
    """Return the corners of pairs of sums."""
    total = np.zeros(len(first), np.uint16)
    for unit in _UNITS[1:]:
        total += (first // unit + second // unit) % HOURS * unit
    return total


def _split(moves: int) -> tuple[Sums, Sums]:
    """Return the sums of the first moves and of the others, which are not fewer."""
    return sums(moves // 2), sums(moves - moves // 2)


def fewest(cross: int, moves: int, known: NDArray[np.uint8]) -> None:
    """Set the number of moves of all corners that it makes with a cross, unless a smaller one is known."""
    if moves > 2 * MOST_LISTED:
        known[known == UNKNOWN] = moves  # the nine moves of the regulations lead to all positions of a side
        return
    if moves <= MOST_JOINED:
        corners: Iterable[NDArray[np.uint16]] = [_joined(cross, moves)[0]]
    else:
        first, second = _split(moves)
        corners = (_together(first.corners[one], second.corners[other]) for one, other in _pairs(first, second, cross))
    for made in corners:
        known[made] = np.minimum(known[made], moves)


@functools.lru_cache(_KEPT)
def _joined(cross: int, moves: int) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
    """Return the corners of all ways to make a cross with a number of moves, and their moves, sorted by both.

    Moves are numbers as in `Sums`; there are at most `MOST_JOINED`.
    """
    first, second = _split(moves)
    one, other = (np.concatenate(indices) for indices in zip(*_pairs(first, second, cross), strict=True))
    corners = _together(first.corners[one], second.corners[other])
    codes = (first.moves[one].astype(np.int64) << 8 * (moves - moves // 2)) + second.moves[other]
    order = np.lexsort((codes, corners))
    return corners[order], codes[order]


def ways(cross: int, corners: int, moves: int) -> Iterator[Way]:
    """Yield all ways to make a sum with a number of moves that have different pins."""
    if moves > MOST_JOINED:
        yield from all_ways(cross, corners, moves)
        return
    listed, codes = _joined(cross, moves)
    begin, end = np.searchsorted(listed, [corners, corners + 1]).tolist()
    for code in codes[begin:end].tolist():
        yield tuple(divmod(number, 16) for number in code.to_bytes(moves))


def all_ways(cross: int, corners: int, moves: int) -> Iterator[Way]:
    """Yield all ways to make a sum with a number of moves that have different pins, in a time that is always the same.

    The nine moves of the regulations lead to each position of a side in one way, so the hours of the other six moves
    can be chosen freely: three by three, and a move of the nine is needed where the two choices do not cancel.
    """
    check()
    inverse, others = _completing()
    wanted = np.array([*np.unravel_index(cross, _CROSSES), *np.unravel_index(corners, _CORNERS)]) @ inverse
    hours = np.indices((HOURS,) * 3).reshape(3, -1)[::-1].T
    near, far = (wanted + hours @ others[:3]) % HOURS, -hours @ others[3:] % HOURS
    used = np.count_nonzero(hours, axis=1).astype(np.uint8)
    number = used[:, None] + used
    for left, there in zip(far.T.astype(np.uint8), near.T.astype(np.uint8), strict=True):
        number += left[:, None] != there
    last, first = np.divmod(np.flatnonzero(number == moves), len(used))
    for row in np.hstack([(near[first] - far[last]) % HOURS, hours[first], hours[last]]).tolist():
        yield tuple((move, amount) for move, amount in enumerate(row) if amount)


@functools.cache
def _completing() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the inverse modulo 12 of the moves of the regulations, and their change by an hour of each other move."""
    matrix = VECTORS[:SIDE]
    determinant = round(float(np.linalg.det(matrix)))
    adjugate = np.rint(np.linalg.inv(matrix) * determinant).astype(np.int64)
    inverse = adjugate * pow(determinant, -1, HOURS) % HOURS
    return inverse, -VECTORS[SIDE:] @ inverse % HOURS


# -- Both sides --------------------------------------------------------------------------------------------------------


class _Side:
    """The fewest moves of a side with a cross, for each position of the corners."""

    def __init__(self, hours: Sequence[int]) -> None:
        self.cross = int(np.ravel_multi_index([-hours[dial] % HOURS for dial in CROSS], _CROSSES))
        self.tried = -1
        self.moves: NDArray[np.uint8] = np.full(ALL_CORNERS, UNKNOWN, np.uint8)

    def try_more(self) -> None:
        fewest(self.cross, self.tried + 1, self.moves)
        self.tried += 1

    def is_known(self) -> NDArray[np.bool_]:
        mask: NDArray[np.bool_] = self.moves != UNKNOWN
        return mask

    def at_least(self) -> NDArray[np.int64]:
        bounds: NDArray[np.int64] = np.where(self.is_known(), self.moves, self.tried + 1).astype(np.int64)
        return bounds

    def with_moves(self, number: int) -> NDArray[np.bool_]:
        """Return which corners so many moves may make with the cross; all, if these are not quickly found."""
        mask: NDArray[np.bool_] = np.full(ALL_CORNERS, number > MOST_JOINED)
        if number <= MOST_JOINED:
            mask[_joined(self.cross, number)[0]] = True
        return mask

    def ways(self, corners: int, number: int | None = None) -> Iterator[list[Turn]]:
        """Yield all so many moves that make the cross with some corners, by default the optimal ones."""
        moves = int(self.moves[corners]) if number is None else number
        names = [*PINS]
        return ([Turn(names[pins], hours) for pins, hours in way] for way in ways(self.cross, corners, moves))


class ClockSearch:
    """Finds the solutions of a state: the moves of the front and of the back, each in one order; all moves commute."""

    def __init__(self, hours: tuple[int, ...]) -> None:
        self._front, self._back = _Side(hours[:SIDE]), _Side(turned_around(hours)[:SIDE])
        self._needed = _corners_in_front(hours)
        self._nearest = list[int]()  # the corners that moves of the back make in optimal solutions

    def bound(self) -> tuple[int, _Side | None]:
        """Return a lower bound, and the side that must try more moves; None if the bound is met."""
        front, back, needed = self._front, self._back, self._needed
        lower = front.at_least()[needed] + back.at_least()
        nearest = lower == lower.min()
        fronts, backs = ((nearest & ~known).any() for known in (front.is_known()[needed], back.is_known()))
        self._nearest = np.flatnonzero(nearest).tolist()
        side = (front if fronts and (not backs or front.tried <= back.tried) else back) if fronts or backs else None
        return int(lower.min()), side

    def optimal(self) -> Iterator[tuple[list[Turn], list[Turn]]]:
        """Yield the optimal solutions, after a search for their number of moves."""
        return self._with(self._nearest)

    def of_length(self, moves: int) -> Iterator[tuple[list[Turn], list[Turn]]]:
        """Yield all algs of a number of moves; those of a side have different pins."""
        for number in sorted(range(moves + 1), key=lambda number: abs(moves - 2 * number)):  # the quickest first
            both = self._front.with_moves(moves - number)[self._needed] & self._back.with_moves(number)
            yield from self._with(np.flatnonzero(both).tolist(), moves - number, number)

    def _with(
        self, corners: list[int], in_front: int | None = None, behind: int | None = None
    ) -> Iterator[tuple[list[Turn], list[Turn]]]:
        """Yield the algs whose moves of the back make some corners, with given numbers of moves or the fewest."""
        for position in corners:
            for first in self._front.ways(int(self._needed[position]), in_front):
                yield from ((first, second) for second in self._back.ways(position, behind))


def _corners_in_front(hours: tuple[int, ...]) -> NDArray[np.int64]:
    """Return the corners that the moves of the front must make, for each that the moves of the back make."""
    behind = np.indices(_CORNERS).reshape(len(CORNERS), -1)
    needed = [(behind[CORNERS.index(OPPOSITE[corner])] - hours[corner]) % HOURS for corner in CORNERS]
    numbers: NDArray[np.int64] = np.ravel_multi_index(needed, _CORNERS)
    return numbers
