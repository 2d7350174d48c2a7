"""States of Rubik's Clock: the hours of its 14 independent dials; moves, algs and pictures (pure Python).

The dials of a side are numbered row by row, 0 to 8. A state has those of the side in front, then those of the back that
are not in a corner, as one sees the back after turning the puzzle around so that 12 o'clock stays on top. The dials in
the corners of the back turn with those in front of them, the other way. A move turns a wheel beside a pin that is up,
and with it all dials beside pins that are up. The pins are down again afterwards.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from cubesolve.definition.notation import PRIMES, expand_alg
from cubesolve.errors import InvalidMoveError, InvalidStateError, quoted
from cubesolve.picture.immutable import Drawn
from cubesolve.picture.pictures import Cell, Colour, Picture, Point

HOURS = 12  # number of positions of a dial
SIDE = 9  # number of dials on a side
CORNERS = (0, 2, 6, 8)  # dials of a side in its corners, beside the pins UL, UR, DL and DR
CROSS = (1, 3, 4, 5, 7)  # other dials of a side
DIALS = SIDE + len(CROSS)  # number of independent dials
OPPOSITE = {0: 2, 2: 0, 6: 8, 8: 6}  # corner behind each corner, as numbered on its own side

_BESIDE = {0: (0, 1, 3, 4), 2: (1, 2, 4, 5), 6: (3, 4, 6, 7), 8: (4, 5, 7, 8)}

PINS: Mapping[str, tuple[int, ...]] = dict(
    zip(
        ("UR", "DR", "DL", "UL", "U", "R", "D", "L", "ALL", "/", "\\", "dr", "dl", "ur", "ul"),
        ((2,), (8,), (6,), (0,), (0, 2), (2, 8), (6, 8), (0, 6), CORNERS, (2, 6), (0, 8), *combinations(CORNERS, 3)),
        strict=True,
    )
)
"""The pins that are up, by the name of a move: the nine of the regulations (12g2), two diagonals, and all pins but one,
which is named in small letters."""

AROUND = "y2"  # name of turning the puzzle around

_COLOURS: tuple[tuple[Colour, Colour], ...] = (((17, 51, 102), (255, 255, 255)), ((204, 221, 238), (0, 0, 0)))
"""The colours of the dials and of the hands on each side."""

_CORNERS = 24  # of a polygon that is drawn for a circle

_NAMES = "|".join(sorted(map(re.escape, PINS), key=len, reverse=True))
_MOVE = re.compile(rf"({_NAMES})(\d{{1,2}})([+-])")
_AROUND = re.compile(rf"{AROUND}[{PRIMES}]?")
_UP_AT_THE_END = re.compile(r"(?<=\S)(\s+(UR|DR|DL|UL))+\s*$")
_EXPECTED = f"is not a move: expected {' '.join([*PINS][:SIDE])} with hours, such as UR3+ or ALL2-, or {AROUND}"


class Turn(NamedTuple):
    """A move, or turning the puzzle around."""

    name: str  # a name in `PINS`, or `AROUND`
    hours: int = 0  # the hours clockwise, 0 to 11

    def __str__(self) -> str:
        if self.name == AROUND:
            return AROUND
        return f"{self.name}{HOURS - self.hours}-" if 2 * self.hours > HOURS else f"{self.name}{self.hours}+"

    def undone(self) -> Turn:
        """Return the inverse."""
        return self._replace(hours=-self.hours % HOURS)


def parse(alg: str) -> list[Turn]:
    """Read an alg; pins that are up at its end, as in `UR3+ y2 U1- UR DL`, change nothing."""

    def read(alg: str, position: int) -> tuple[list[Turn], int]:
        around = _AROUND.match(alg, position)
        if around:
            return [Turn(AROUND)], around.end()
        move = _MOVE.match(alg, position)
        if move is None:
            raise InvalidMoveError(alg[position:].split(maxsplit=1)[0], position, _EXPECTED)
        return [Turn(move[1], int(move[2]) * (1 if move[3] == "+" else -1) % HOURS)], move.end()

    moves = _UP_AT_THE_END.sub("", alg) if isinstance(alg, str) else alg
    return expand_alg(moves, read, Turn.undone)


def beside(name: str) -> tuple[int, ...]:
    """Return 1 for each dial of a side that turns in a move, 0 for the others."""
    moved = {dial for pin in PINS[name] for dial in _BESIDE[pin]}
    return tuple(int(dial in moved) for dial in range(SIDE))


def turned_around(hours: tuple[int, ...]) -> tuple[int, ...]:
    """Return the hours of a state after turning the puzzle around."""
    front = dict(zip(CROSS, hours[SIDE:], strict=True))
    front |= {corner: -hours[behind] % HOURS for corner, behind in OPPOSITE.items()}
    return (*(front[dial] for dial in range(SIDE)), *(hours[dial] for dial in CROSS))


class ClockState(Drawn):
    """A state of Rubik's Clock, as it is held.

    Its text has the hours of the front, row by row, then those of the back as one sees it after ``y2``.

    >>> print(ClockState().apply("UR3+ y2 L1-"))
    8 11 12 / 11 11 12 / 11 11 12 ; 12 3 4 / 12 3 3 / 12 12 1
    """

    __slots__ = ("_hours",)
    _hours: tuple[int, ...]

    def __init__(self, hours: Iterable[int] = (0,) * DIALS) -> None:
        """Take the hours of the independent dials; those of the solved state by default."""
        object.__setattr__(self, "_hours", tuple(hour % HOURS for hour in hours))

    @classmethod
    def of(cls, text: str) -> ClockState:
        """Return the state that a text describes."""
        words = text.replace("/", " ").replace(";", " ").split()
        if len(words) != 2 * SIDE:
            raise InvalidStateError(f"a clock has {2 * SIDE} dials, not {len(words)}", "length")
        for word in words:
            if not (word.isascii() and word.isdigit() and int(word) <= HOURS):
                raise InvalidStateError(f"{quoted(word)} is not an hour: expected 1 to 12", "symbol")
        hours = [int(word) % HOURS for word in words]
        return cls.of_sides(hours[:SIDE], hours[SIDE:])

    @classmethod
    def of_sides(cls, front: Sequence[int], back: Sequence[int]) -> ClockState:
        """Return the state with some hours on each side, as one sees it."""
        for corner, behind in OPPOSITE.items():
            if (front[corner] + back[behind]) % HOURS:
                message = (
                    f"corner dials show {front[corner] or 12} in front and {back[behind] or 12} behind: no clock does"
                )
                raise InvalidStateError(message, "unreachable")
        return cls([*front, *(back[dial] for dial in CROSS)])

    @property
    def hours(self) -> tuple[int, ...]:
        """The hours of the dials of the front, then of those of the back that are not in a corner, 0 to 11."""
        return self._hours

    @property
    def back(self) -> tuple[int, ...]:
        """The hours of the dials of the back, as one sees it."""
        return turned_around(self._hours)[:SIDE]

    @property
    def is_solved(self) -> bool:
        """Whether all dials show 12."""
        return not any(self._hours)

    def apply(self, alg: str) -> ClockState:
        """Return the state after an alg."""
        hours = self._hours
        for name, amount in parse(alg):
            if name == AROUND:
                hours = turned_around(hours)
            else:
                moved = beside(name)
                hours = (*((hour + amount * by) % HOURS for hour, by in zip(hours, moved, strict=False)), *hours[SIDE:])
        return type(self)(hours)

    def __eq__(self, other: object) -> bool:
        return self._hours == other._hours if isinstance(other, ClockState) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._hours)

    def __reduce__(self) -> tuple[type[ClockState], tuple[tuple[int, ...]]]:
        return type(self), (self._hours,)

    def __str__(self) -> str:
        sides = (self._hours[:SIDE], self.back)
        rows = ([" ".join(str(hour or HOURS) for hour in side[row : row + 3]) for row in (0, 3, 6)] for side in sides)
        return " ; ".join(" / ".join(row) for row in rows)

    def __repr__(self) -> str:
        return f"<clock: {self}>"

    def _drawn(self) -> Picture:
        return drawn(self)


def drawn(state: ClockState) -> Picture:
    """Return the picture of a state: the front, and beside it the back after turning the puzzle around."""
    sides = (state.hours[:SIDE], state.back)
    return Picture([cell for side, hours in enumerate(sides) for cell in _side(side, hours)], str(state))


def _side(side: int, hours: tuple[int, ...]) -> Iterator[Cell]:
    for dial, hour in enumerate(hours):
        row, column = divmod(dial, 3)
        column += 4 * side
        middle = (1.2 * column + 0.55, 1.2 * row + 0.55)
        face, hand = _COLOURS[side]
        rim = [_point(middle, 0.5, HOURS * corner / _CORNERS) for corner in range(_CORNERS)]
        yield Cell(column, row, "", face, rim)
        tip, *back = (_point(middle, radius, hour + turn) for radius, turn in ((0.45, 0), (0.2, 4), (0.2, 8)))
        yield Cell(column, row, str(hour or HOURS), hand, [tip, *back])


def _point(middle: Point, radius: float, hour: float) -> Point:
    angle = math.tau * hour / HOURS
    return middle[0] + radius * math.sin(angle), middle[1] - radius * math.cos(angle)
