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
from cubesolve.runtime.prepared import cached
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


@part
def _added(one: int, other: int, times: int, digits: int) -> int:
    """Return a number plus some times another, digit by digit modulo 12."""
    total, unit = 0, 1
    for _ in range(digits):
        total += (one + times * other) % 12 * unit
        unit, one, other = unit * 12, one // 12, other // 12
    return total


@kernel(at_start=True)
def _join(
    first: Sums,
    second: Sums,
    cross: int,
    begin: int,
    end: int,
    moves: int,
    known: Array1[np.uint8],
    found: Array2[np.int64],
) -> int:
    """Join sums to those of a number of moves with a cross, where the first sum has a cross in a range.

    Args:
        known: the number of moves for each position of the corners, which is set for those of all pairs; or empty.
        found: the corners and the moves of the pairs where the moves of the first sum have smaller numbers, if `known`
            is empty. Of more pairs than there is room for, only the number is returned.
    """
    behind, number = 8 * (moves // 2), 0
    for here in range(begin, end):
        if first.first[here] == first.first[here + 1]:
            continue
        rest = _added(cross, here, -1, 5)
        for a in range(first.first[here], first.first[here + 1]):
            if len(known):
                for b in range(second.first[rest], second.first[rest + 1]):
                    total = _added(first.corners[a], second.corners[b], 1, 4)
                    known[total] = min(known[total], moves)
                continue
            last = first.moves[a] % 256 // 16
            for b in range(second.first[rest], second.first[rest + 1]):
                if behind and second.moves[b] >> (behind - 4) <= last:
                    continue
                if number < len(found):
                    found[number, 0] = _added(first.corners[a], second.corners[b], 1, 4)
                    found[number, 1] = (first.moves[a] << behind) + second.moves[b]
                number += 1
    return number


def fewest(cross: int, moves: int, known: NDArray[np.uint8]) -> None:
    """Set the corners that a number of moves makes with a cross, if unknown, after all smaller numbers.

    Args:
        known: the number of moves for each position of the corners, `UNKNOWN` if it is larger; uint8 (20736,).
    """
    if moves > 2 * MOST_LISTED:
        known[known == UNKNOWN] = moves  # the nine moves of the regulations lead to all positions of a side
    elif moves <= MOST_JOINED:
        made = ways(cross, moves).corners
        known[made] = np.minimum(known[made], moves)
    else:  # also moves with the same pins, which fewer moves replace
        first, second, unlisted = sums((moves + 1) // 2), sums(moves // 2), np.empty((0, 2), np.int64)
        for begin in range(0, CROSSES, _SLICE):
            check()
            _join(first, second, cross, begin, min(begin + _SLICE, CROSSES), moves, known, unlisted)


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


@cached(16)
def ways(cross: int, moves: int) -> Ways:
    """Return all ways to make a cross with a number of moves, at most `MOST_JOINED`; the last ones are kept."""
    first, second, unmarked, room = sums((moves + 1) // 2), sums(moves // 2), np.empty(0, np.uint8), _ROOM
    while True:
        pairs = np.empty((room, 2), np.int64)
        number = _join(first, second, cross, 0, CROSSES, moves, unmarked, pairs)
        if number <= room:
            break
        room = number
    check()
    corners, codes = pairs[:number].T
    order = np.lexsort((codes, corners))
    return Ways(moves, corners[order], codes[order])


def all_ways(cross: int, corners: int, moves: int) -> Iterator[Way]:
    """Yield all ways to make a sum with a number of moves that have different pins.

    The time does not depend on the number of moves.

    The nine moves of the regulations lead to each position of a side in one way, so the hours of the other six moves
    can be chosen freely.
    """
    check()
    inverse, changes, used = _completing()
    wanted = np.array([*np.unravel_index(cross, _CROSSES), *np.unravel_index(corners, _CORNERS)]) @ inverse % HOURS
    number = used.copy()
    for change, hours in zip(changes, wanted.tolist(), strict=True):
        number += change != -hours % HOURS
    choices = np.flatnonzero(number == moves)
    firsts = (changes[:, choices].T + wanted) % HOURS
    others = np.stack(np.unravel_index(choices, (HOURS,) * (len(VECTORS) - SIDE), order="F"), axis=1)
    for row in np.hstack([firsts, others]).tolist():
        yield tuple((move, hours) for move, hours in enumerate(row) if hours)


@functools.cache
def _completing() -> tuple[NDArray[np.int64], NDArray[np.uint8], NDArray[np.uint8]]:
    """Return the inverse modulo 12 of the moves of the regulations, and two arrays about the hours of the others.

    For each choice of these: how it changes the hours of the former, uint8 (9, 12^6), and how many of the others move,
    uint8 (12^6,).
    """
    matrix = VECTORS[:SIDE]
    determinant = round(float(np.linalg.det(matrix)))
    adjugate = np.rint(np.linalg.inv(matrix) * determinant).astype(np.int64)
    inverse = adjugate * pow(determinant, -1, HOURS) % HOURS
    hours, changes, used = np.arange(HOURS, dtype=np.uint8), np.zeros((SIDE, 1), np.uint8), np.zeros(1, np.uint8)
    for other in (-VECTORS[SIDE:] @ inverse % HOURS).astype(np.uint8)[::-1]:
        added = np.multiply.outer(other, hours) % np.uint8(HOURS)
        changes = ((changes[:, :, None] + added[:, None]) % np.uint8(HOURS)).reshape(SIDE, -1)
        used = np.add.outer(used, (hours > 0).astype(np.uint8)).reshape(-1)
    return inverse, changes, used


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
            mask[ways(self.cross, number).corners] = True
        return mask

    def ways(self, corners: int, number: int | None = None) -> Iterator[list[Turn]]:
        """Yield all so many moves that make the cross with some corners, by default the optimal ones."""
        moves = int(self.moves[corners]) if number is None else number
        choices = all_ways(self.cross, corners, moves) if moves > MOST_JOINED else ways(self.cross, moves).of(corners)
        names = [*PINS]
        return ([Turn(names[pins], hours) for pins, hours in way] for way in choices)


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
