"""Optimal solutions of Rubik's Clock: the sums that moves make, and the fewest moves of both sides (needs numba).

A side has 15 moves, each by 1 to 11 hours. A sum of moves is a *cross*, the hours of its five inner dials as a number
with base 12, and *corners*, those of the other four. Sums of at most four moves are listed by their cross. The fewest
moves that make a given cross with each of the 20,736 corners follow from pairs of these lists.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.catalog.clock.dials import CORNERS, CROSS, HOURS, OPPOSITE, PINS, SIDE, Turn, beside, turned_around
from cubesolve.runtime.deadline import check, current
from cubesolve.runtime.kernel_arrays import Array1, Array2, Read1, Read2
from cubesolve.runtime.kernels import kernel, part
from cubesolve.search.limits import SearchOptions, proving, require_within

CROSSES = HOURS ** len(CROSS)  # the number of crosses
ALL_CORNERS = HOURS ** len(CORNERS)  # the number of positions of the corners
_CROSSES, _CORNERS = (HOURS,) * len(CROSS), (HOURS,) * len(CORNERS)

MOST_LISTED = 4  # moves of a listed sum
_KEPT = 3  # the largest number of moves of a sum that is listed with its moves
MOST_JOINED = 2 * _KEPT  # moves of `ways`
UNKNOWN = 255  # the entry of an unknown number of moves

_ROOM = 1 << 16  # ways
_SLICE = 1 << 13  # crosses between two checks of the deadline

VECTORS = np.array([[*(beside(name)[dial] for dial in (*CROSS, *CORNERS))] for name in PINS], np.int64)
"""The dials that each move turns: those of the cross, then the corners."""


Way = tuple[tuple[int, int], ...]
"""Moves, each a number of `VECTORS` and its hours."""


class Sums(NamedTuple):
    """The sums of a number of moves.

    Attributes:
        first: the index of the first sum with each cross, int64 (248833,).
        corners: their corners, int32.
        moves: their moves, int32: eight bits for each, 16 times its number in `VECTORS` plus its hours, the first
            move in the highest bits; empty if there are more than three.
    """

    first: Read1[np.int64]
    corners: Read1[np.int32]
    moves: Read1[np.int32]


@functools.cache
def sums(moves: int) -> Sums:
    """Return the sums of a number of moves, 0 to `MOST_LISTED`."""
    first = np.zeros(CROSSES + 1, np.int64)
    number = _list(VECTORS, moves, first, np.empty(0, np.int32), np.empty(0, np.int32))
    first = np.concatenate([[0], np.cumsum(first[:-1])])
    corners, codes = np.empty(number, np.int32), np.empty(number if moves <= _KEPT else 0, np.int32)
    _list(VECTORS, moves, first[:-1].copy(), corners, codes)
    check()
    return Sums(first, corners, codes)


@kernel(at_start=True)
def _list(
    vectors: Read2[np.int64], moves: int, places: Array1[np.int64], corners: Array1[np.int32], made: Array1[np.int32]
) -> int:
    """List the sums of a number of moves: count those of each cross, or, if there is room, write corners and moves.

    Args:
        corners: the corners of the sums; empty to count.
        made: the moves of the sums, as in `Sums`; empty if they are not wanted.
    """
    dials = vectors.shape[1]
    total = np.zeros((moves + 1, dials), np.int64)
    move, hours = np.zeros(moves + 1, np.int64), np.zeros(moves + 1, np.int64)
    number, level = 0, 0
    while level >= 0:
        if level == moves:
            cross, corner = 0, 0
            for dial in range(5):
                cross = cross * 12 + total[level, dial]
            for dial in range(5, dials):
                corner = corner * 12 + total[level, dial]
            if len(corners):
                corners[places[cross]] = corner
            if len(made):
                code = 0
                for step in range(moves):
                    code = 256 * code + 16 * move[step] + hours[step]
                made[places[cross]] = code
            places[cross] += 1
            number += 1
            level -= 1
            continue
        hours[level] += 1
        if hours[level] == 12:
            hours[level] = 1
            move[level] += 1
        if move[level] >= len(vectors):
            level -= 1
            continue
        for dial in range(dials):
            total[level + 1, dial] = (total[level, dial] + hours[level] * vectors[move[level], dial]) % 12
        level += 1
        move[level], hours[level] = move[level - 1] + 1, 0
    return number


def fewest(cross: int, moves: int, known: NDArray[np.uint8]) -> None:
    """Set the corners that a number of moves makes with a cross, or moves with the same pins among them, if unknown.

    Args:
        moves: the number of moves; to find the fewest, after all smaller ones.
        known: the number of moves for each position of the corners, `UNKNOWN` if it is larger; uint8 (20736,).
    """
    if moves > 2 * MOST_LISTED:
        known[known == UNKNOWN] = moves  # the nine moves of the regulations lead to all positions of a side
        return
    first, second = sums((moves + 1) // 2), sums(moves // 2)
    for begin in range(0, CROSSES, _SLICE):
        check()
        _pairs(first, second, cross, begin, min(begin + _SLICE, CROSSES), moves, known)


@part
def _added(one: int, other: int, times: int, digits: int) -> int:
    """Return a number plus some times another, digit by digit modulo 12."""
    total, unit = 0, 1
    for _ in range(digits):
        total += (one + times * other) % 12 * unit
        unit, one, other = unit * 12, one // 12, other // 12
    return total


@kernel(at_start=True)
def _pairs(first: Sums, second: Sums, cross: int, begin: int, end: int, moves: int, known: Array1[np.uint8]) -> int:
    """Set the corners of the pairs whose first sum has a cross in a range."""
    for here in range(begin, end):
        if first.first[here] == first.first[here + 1]:
            continue
        rest = _added(cross, here, -1, 5)
        for a in range(first.first[here], first.first[here + 1]):
            one = first.corners[a]
            for b in range(second.first[rest], second.first[rest + 1]):
                total = _added(one, second.corners[b], 1, 4)
                known[total] = min(known[total], moves)
    return 0


class Ways(NamedTuple):
    """All ways to make sums with a cross with a number of moves that have different pins, sorted by their corners."""

    number: int  # the number of moves
    corners: NDArray[np.int64]  # the corners of each sum, int64
    moves: NDArray[np.int64]  # the moves of each way, int64: eight bits for each as in `Sums`

    def of(self, corners: int) -> Iterator[Way]:
        """Yield the ways that make some corners, in ascending order of the moves."""
        begin, end = np.searchsorted(self.corners, [corners, corners + 1]).tolist()
        for moves in self.moves[begin:end].tolist():
            codes = moves.to_bytes(self.number)
            yield tuple(divmod(code, 16) for code in codes)


def ways(cross: int, moves: int) -> Ways:
    """Return all ways to make a cross with a number of moves, at most `MOST_JOINED`."""
    behind = moves // 2
    first, second = sums(moves - behind), sums(behind)
    pairs = np.empty((_ROOM, 2), np.int64)
    number = _join(first, second, cross, behind, pairs)
    if number > len(pairs):
        pairs = np.empty((number, 2), np.int64)
        _join(first, second, cross, behind, pairs)
    check()
    corners, codes = pairs[:number].T
    order = np.lexsort((codes, corners))
    return Ways(moves, corners[order], codes[order])


@kernel(at_start=True)
def _join(first: Sums, second: Sums, cross: int, behind: int, found: Array2[np.int64]) -> int:
    """List the corners and the moves of pairs with a cross, where the moves of the first sum have smaller numbers.

    Of more pairs than there is room for, only the number is returned.
    """
    number = 0
    for here in range(len(first.first) - 1):
        if first.first[here] == first.first[here + 1]:
            continue
        rest = _added(cross, here, -1, 5)
        for a in range(first.first[here], first.first[here + 1]):
            last = first.moves[a] % 256 // 16
            for b in range(second.first[rest], second.first[rest + 1]):
                if behind and second.moves[b] >> (8 * behind - 4) <= last:
                    continue
                if number < len(found):
                    found[number, 0] = _added(first.corners[a], second.corners[b], 1, 4)
                    found[number, 1] = (first.moves[a] << (8 * behind)) + second.moves[b]
                number += 1
    return number


def all_ways(cross: int, corners: int, moves: int) -> Iterator[Way]:
    """Yield all ways to make a sum with a number of moves that have different pins, in ascending order of the moves.

    The time does not depend on the number of moves.

    The nine moves of the regulations lead to each position of a side in one way, so the hours of the other six moves
    can be chosen freely.
    """
    check()
    inverse, others = _completing()
    wanted = np.array([*np.unravel_index(cross, _CROSSES), *np.unravel_index(corners, _CORNERS)]) @ inverse % HOURS
    rows = np.empty((_ROOM, len(VECTORS)), np.uint8)
    number = _complete(wanted, others, moves, rows)
    if number > len(rows):
        rows = np.empty((number, len(VECTORS)), np.uint8)
        _complete(wanted, others, moves, rows)
    for row in rows[:number].tolist():
        yield tuple((move, hours) for move, hours in enumerate(row) if hours)


@functools.cache
def _completing() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the inverse modulo 12 of the moves of the regulations, and their change by an hour of each other move."""
    matrix = VECTORS[:SIDE]
    determinant = round(float(np.linalg.det(matrix)))
    adjugate = np.rint(np.linalg.inv(matrix) * determinant).astype(np.int64)
    inverse = adjugate * pow(determinant, -1, HOURS) % HOURS
    return inverse, np.ascontiguousarray(-VECTORS[SIDE:] @ inverse % HOURS)


@kernel(at_start=True)
def _complete(wanted: Array1[np.int64], others: Array2[np.int64], moves: int, found: Array2[np.uint8]) -> int:
    """List the hours of all moves of sums with a number of moves; return their number, see `_splits`."""
    size, number, used = len(wanted), 0, 0
    hours, first = np.zeros(len(others), np.int64), wanted.copy()
    while True:
        count = used
        for move in range(size):
            count += first[move] > 0
        if count == moves:
            if number < len(found):
                for move in range(size):
                    found[number, move] = first[move]
                for other in range(len(others)):
                    found[number, size + other] = hours[other]
            number += 1
        other = 0
        while other < len(others):
            for move in range(size):  # twelve hours change nothing
                first[move] += others[other, move]
                if first[move] >= 12:
                    first[move] -= 12
            hours[other] += 1
            used += hours[other] == 1
            if hours[other] < 12:
                break
            hours[other] = 0
            used -= 1
            other += 1
        if other == len(others):
            return number


def numbered(hours: list[int]) -> tuple[int, int]:
    """Return the cross and the corners of hours in the order of `VECTORS`."""
    digits = [hour % HOURS for hour in hours]
    cross, corners = digits[: len(CROSS)], digits[len(CROSS) :]
    return int(np.ravel_multi_index(cross, _CROSSES)), int(np.ravel_multi_index(corners, _CORNERS))


# -- Both sides --------------------------------------------------------------------------------------------------------


class _Side:
    """The fewest moves of a side with a cross, for each position of the corners."""

    def __init__(self, hours: Sequence[int]) -> None:
        self.cross = numbered([*(-hours[dial] for dial in CROSS), 0, 0, 0, 0])[0]
        self.tried = -1
        self.moves: NDArray[np.uint8] = np.full(ALL_CORNERS, UNKNOWN, np.uint8)
        self._ways = dict[int, Ways]()

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
            mask[self._joined(number).corners] = True
        return mask

    def ways(self, corners: int, number: int | None = None) -> Iterator[list[Turn]]:
        """Yield all so many moves that make the cross with some corners, by default the optimal ones."""
        moves = int(self.moves[corners]) if number is None else number
        choices = all_ways(self.cross, corners, moves) if moves > MOST_JOINED else self._joined(moves).of(corners)
        names = [*PINS]
        return ([Turn(names[pins], hours) for pins, hours in way] for way in choices)

    def _joined(self, number: int) -> Ways:
        if number not in self._ways:
            self._ways[number] = ways(self.cross, number)
        return self._ways[number]


class ClockSearch:
    """Finds the solutions of a state: the moves of the front and of the back, each in one order; all moves commute."""

    def __init__(self, hours: tuple[int, ...]) -> None:
        self._front, self._back = _Side(hours[:SIDE]), _Side(turned_around(hours)[:SIDE])
        self._needed = _corners_in_front(hours)
        self._nearest = list[int]()  # the corners that moves of the back make in optimal solutions

    def depth(self, search: SearchOptions) -> int:
        """Return the number of moves of optimal solutions."""
        deadline, progress = current(), search.get("progress")
        front, back, needed = self._front, self._back, self._needed
        for side in (front, back):
            side.try_more()
        while True:
            lower = front.at_least()[needed] + back.at_least()
            least = int(lower.min())
            require_within(least, search)
            nearest = lower == least
            fronts, backs = ((nearest & ~known).any() for known in (front.is_known()[needed], back.is_known()))
            if progress:
                progress(least, 0, deadline.elapsed)
            if not fronts and not backs:
                self._nearest = np.flatnonzero(nearest).tolist()
                return least
            with proving(least):
                (front if fronts and (not backs or front.tried <= back.tried) else back).try_more()

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
