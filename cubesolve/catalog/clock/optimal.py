"""Optimal solutions of Rubik's Clock: the fewest moves of both sides together (numpy; needs numba)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.catalog.clock.dials import CORNERS, CROSS, HOURS, OPPOSITE, PINS, SIDE, Turn, turned_around
from cubesolve.catalog.clock.sums import ALL_CORNERS, MOST_JOINED, UNKNOWN, Way, Ways, all_ways, fewest, numbered, ways
from cubesolve.runtime.deadline import current
from cubesolve.search.limits import SearchOptions, proving, require_within


class _Side:
    """The fewest moves of a side with a cross, for each position of the corners."""

    def __init__(self, hours: Sequence[int]) -> None:
        self.cross = numbered([*(-hours[dial] for dial in CROSS), 0, 0, 0, 0])[0]
        self.tried = -1
        self.moves: NDArray[np.uint8] = np.full(ALL_CORNERS, UNKNOWN, np.uint8)
        self._ways = dict[int, Ways]()

    def try_more(self) -> None:
        """Add the corners that need one move more."""
        fewest(self.cross, self.tried + 1, self.moves)
        self.tried += 1

    def is_known(self) -> NDArray[np.bool_]:
        """Return for which corners the number is known."""
        known: NDArray[np.bool_] = self.moves != UNKNOWN
        return known

    def at_least(self) -> NDArray[np.int64]:
        """Return a lower bound for each position of the corners."""
        bounds: NDArray[np.int64] = np.where(self.is_known(), self.moves, self.tried + 1).astype(np.int64)
        return bounds

    def with_moves(self, number: int) -> NDArray[np.bool_]:
        """Return which corners so many moves may make with the cross; all, if these are not quickly found."""
        found: NDArray[np.bool_] = np.full(ALL_CORNERS, number > MOST_JOINED)
        if number <= MOST_JOINED:
            found[self._joined(number).corners] = True
        return found

    def ways(self, corners: int, number: int | None = None) -> Iterator[list[Turn]]:
        """Yield all so many moves that make the cross with some corners, by default the optimal ones."""
        moves = int(self.moves[corners]) if number is None else number
        found = all_ways(self.cross, corners, moves) if moves > MOST_JOINED else self._joined(moves).of(corners)
        return map(_turns, found)

    def _joined(self, number: int) -> Ways:
        if number not in self._ways:
            self._ways[number] = ways(self.cross, number)
        return self._ways[number]


def _turns(way: Way) -> list[Turn]:
    names = [*PINS]
    return [Turn(names[number], hours) for number, hours in way]


class Optimal(NamedTuple):
    """The optimal solutions of a state.

    Attributes:
        depth: their number of moves.
        front: the front.
        back: the back.
        corners: the corners that the moves of the front make, and those that the moves of the back make.
    """

    depth: int
    front: _Side
    back: _Side
    corners: list[tuple[int, int]]

    def algs(self) -> Iterator[tuple[list[Turn], list[Turn]]]:
        """Yield the moves of the front and of the back, each in one order; all moves commute."""
        for in_front, behind in self.corners:
            for first in self.front.ways(in_front):
                yield from ((first, second) for second in self.back.ways(behind))


class ClockSearch:
    """Finds the solutions of a state."""

    def __init__(self, hours: tuple[int, ...]) -> None:
        """Take the dials of the state."""
        self._front, self._back = _Side(hours[:SIDE]), _Side(turned_around(hours)[:SIDE])
        self._needed = _corners_in_front(hours)

    def optimal(self, search: SearchOptions) -> Optimal:
        """Return the optimal solutions.

        Raises:
            SearchLimitError: they have too many moves.
        """
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
                return Optimal(least, front, back, [(int(needed[each]), int(each)) for each in np.flatnonzero(nearest)])
            with proving(least):
                (front if fronts and (not backs or front.tried <= back.tried) else back).try_more()

    def of_length(self, moves: int) -> Iterator[tuple[list[Turn], list[Turn]]]:
        """Yield all algs of a number of moves; those of a side have different pins."""
        front, back, needed = self._front, self._back, self._needed
        for number in sorted(range(moves + 1), key=lambda number: abs(moves - 2 * number)):  # the quickest first
            both = front.with_moves(moves - number)[needed] & back.with_moves(number)
            for behind in np.flatnonzero(both).tolist():
                for first in front.ways(int(needed[behind]), moves - number):
                    yield from ((first, second) for second in back.ways(behind, number))


def _corners_in_front(hours: tuple[int, ...]) -> NDArray[np.int64]:
    """Return the corners that the moves of the front must make, for each that the moves of the back make."""
    behind = np.indices((HOURS,) * len(CORNERS)).reshape(len(CORNERS), -1)
    needed = np.zeros(behind.shape[1], np.int64)
    for corner in CORNERS:
        needed = needed * HOURS + (behind[CORNERS.index(OPPOSITE[corner])] - hours[corner]) % HOURS
    return needed
