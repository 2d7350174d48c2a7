"""The notation and pictures of Rubik's Clock (pure Python)."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Mapping

from cubesolve.catalog.clock.dials import AROUND, HOURS, SIDE, ClockState, parse
from cubesolve.catalog.clock.scene import of_move, of_state
from cubesolve.definition.view import Form, View
from cubesolve.errors import InvalidStateError
from cubesolve.picture.pictures import Cell, Colour, Picture, Point
from cubesolve.picture.scenes import Motion, Scene

_COLOURS: tuple[tuple[Colour, Colour], ...] = (((17, 51, 102), (255, 255, 255)), ((204, 221, 238), (0, 0, 0)))
"""The colours of the dials and of the hands on each side."""

_CORNERS = 24  # of a polygon that is drawn for a circle


class ClockView(View[ClockState]):
    """The notation and pictures of Rubik's Clock."""

    name = "clock"
    title = "Rubik's Clock"
    free_moves = (AROUND,)

    @functools.cached_property
    def forms(self) -> Mapping[str, Form[ClockState]]:
        """The notations of states: any, hours, algs."""
        return {
            "any": Form(self.read, str, "an alg or hours, detected by its form", empty=True),
            "hours": Form(ClockState.of, str, "the hours of the front, then of the back, row by row"),
            "alg": Form(ClockState().apply, None, "moves from the solved puzzle", empty=True),
        }

    def read(self, given: object) -> ClockState:
        """Return a state that is given as one, as its hours, or as an alg."""
        if isinstance(given, ClockState):
            return given
        if not isinstance(given, str):
            raise InvalidStateError(f"expected a state or text, not {type(given).__name__}", "type")
        is_state = any(word.isdigit() for word in given.split()) or ";" in given
        return ClockState.of(given) if is_state else ClockState().apply(given)

    def solved(self, like: ClockState | None) -> ClockState:  # noqa: ARG002  # there is only one
        """Return the solved state."""
        return ClockState()

    def invert(self, alg: str) -> str:
        """Return the inverse of an alg."""
        return " ".join(str(turn.undone()) for turn in reversed(parse(alg)))

    def split(self, alg: str) -> list[str]:
        """Return the moves of an alg, each as it is written by itself."""
        return [str(turn) for turn in parse(alg)]

    def is_free(self, move: str) -> bool:
        """Return whether a move turns the puzzle around, or nothing."""
        return all(turn.name == AROUND or not turn.hours for turn in parse(move))

    def draw(self, state: ClockState) -> Picture:
        """Return the picture of a state: the front, and beside it the back after turning the puzzle around.

        >>> print(ClockView().draw(ClockState().apply("UR3+")).text())
        12 3  3     9  12 12
        12 3  3     12 12 12
        12 12 12    12 12 12
        """
        sides = (state.hours[:SIDE], state.back)
        return Picture([cell for side, hours in enumerate(sides) for cell in _side(side, hours)], str(state))

    def build(self, state: ClockState) -> Scene:
        """Return the scene of a state."""
        return of_state(state)

    def motion(self, state: ClockState, move: str) -> Motion:  # noqa: ARG002
        """Return the motion of a move in the scene of a state."""
        (turn,) = parse(move)
        return of_move(turn)


def _side(side: int, hours: tuple[int, ...]) -> Iterator[Cell]:
    for dial, hour in enumerate(hours):
        row, column = divmod(dial, 3)
        column += 4 * side
        middle = (1.2 * column + 0.55, 1.2 * row + 0.55)
        face, hand = _COLOURS[side]
        rim = [_around(middle, 0.5, HOURS * corner / _CORNERS) for corner in range(_CORNERS)]
        yield Cell(column, row, "", face, rim)
        tip, *back = (_around(middle, radius, hour + turn) for radius, turn in ((0.45, 0), (0.2, 4), (0.2, 8)))
        yield Cell(column, row, str(hour or HOURS), hand, [tip, *back])


def _around(middle: Point, radius: float, hour: float) -> Point:
    """Return the point at an hour of a dial."""
    angle = math.tau * hour / HOURS
    return middle[0] + radius * math.sin(angle), middle[1] - radius * math.cos(angle)
