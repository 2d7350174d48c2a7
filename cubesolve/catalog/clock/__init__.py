"""Rubik's Clock, whose moves commute: its notation, its scenes, and the number of its states (pure Python)."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence

from cubesolve.catalog.clock.dials import (
    AROUND,
    CORNERS,
    DIALS,
    HOURS,
    PINS,
    SIDE,
    ClockState,
    Turn,
    beside,
    drawn,
    parse,
)
from cubesolve.definition.options import LIMITS, SOLVED_WITHIN, TARGET
from cubesolve.definition.view import Form, View
from cubesolve.errors import InvalidStateError
from cubesolve.picture.pictures import Colour, Picture
from cubesolve.picture.scenes import Motion, Part, Plane, Point, Scene, brick, prism, shifted_part, turned_part
from cubesolve.picture.vectors import image, rotation
from cubesolve.spaces.rules import Rules
from cubesolve.spaces.tables import TableEntry

NAMES = ("clock",)


def rules(name: str) -> ClockRules | None:
    """Return the rules of the puzzle."""
    return ClockRules() if name in NAMES else None


STATES: int = HOURS**DIALS  # number of states

DISTRIBUTION = (
    *(1, 330, 51_651, 4_947_912, 317_141_342, 14_054_473_232, 428_862_722_294, 8_621_633_953_202),
    *(101_600_180_118_726, 528_107_928_328_516, 613_251_601_892_918, 31_893_880_879_492, 39_248),
)
"""The number of states at each depth; Jakob Kogler and Tomas Rokicki, cube20.com/clock, 2014."""


class ClockView(View[ClockState]):
    """The notation and pictures of Rubik's Clock."""

    name = "clock"
    title = "Rubik's Clock"
    free_moves = (AROUND,)

    @functools.cached_property
    def forms(self) -> Mapping[str, Form[ClockState]]:
        """The notations of states: any, hours, algs."""
        return {
            "any": Form(self.read, str, "an alg or hours, detected by its form"),
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
        """Return the picture of a state."""
        return drawn(state)

    def build(self, state: ClockState) -> Scene:
        """Return the scene of a state: the copy on the left as it is held, the other turned around."""
        front, back = state.hours[:SIDE], state.back
        parts = [*_copy(front, back, -_APART), *_copy(back, front, _APART)]
        return Scene(tuple(parts), tuple(_planes()), up=(0, 1 / 3, -1), front=(-0.5, 1, 0))

    def motion(self, state: ClockState, move: str) -> Motion:  # noqa: ARG002
        """Return the motion of a move in the scene of a state."""
        (turn,) = parse(move)
        first, *others = _TURNED_AROUND if turn.name == AROUND else _turned_dials(turn)
        return first._replace(also=tuple(others))


class ClockRules(Rules[ClockState]):
    """Rubik's Clock."""

    view: ClockView
    options = (TARGET, *LIMITS, *SOLVED_WITHIN)
    searches = True
    number_of_states = order = STATES
    gods_number = len(DISTRIBUTION) - 1
    uncounted: Mapping[str, str] = {
        "levels": "the numbers at all depths are known; leave it out",
        "from": "only the numbers of all states are known; leave it out",
    }

    def __init__(self) -> None:
        super().__init__(ClockView())

    def tables(self) -> Sequence[TableEntry]:
        """Return no tables: none is needed."""
        return ()


_BOARD, _DIAL, _HAND = 0.25, 0.3, 0.35  # the heights of the upper faces
_FOOT, _PIN = 0.4, 0.6  # of both ends of a pin
# -- The scene ---------------------------------------------------------------------------------------------------------

_APART = 3.4  # from the middle of a board to the plane between both
_WIDE = 3.1  # half the width of a board
_STEP, _RADIUS = 2, 0.9  # between the middles of two dials; of a dial
_OUT = 0.4  # the way of a pin

_LIGHT: Colour = (204, 221, 238)
_DARK: Colour = (17, 51, 102)
_WHITE: Colour = (255, 255, 255)
_YELLOW: Colour = (255, 213, 0)

_UP: Point = (0, 1, 0)  # from the board to the viewer
_DOWN: Point = (0, -1, 0)
_AROUND = rotation((0, 0, 1), 180)
_MIDDLES = [(_STEP * (dial % 3 - 1), _STEP * (dial // 3 - 1)) for dial in range(SIDE)]
_HAND_OUTLINE = ((0, -_RADIUS * 0.9), (0.2, 0.2), (-0.2, 0.2))


_TURNED_AROUND = [Motion((0, 0, 1), (side * _APART, 0, 0), 180, (Plane((side, 0, 0), 0),)) for side in (-1, 1)]


def _turned_dials(turn: Turn) -> Iterator[Motion]:
    """Yield the motions of the dials, each with the one behind it if it is in a corner, and of pins."""
    for is_turned_around, board in ((False, -_APART), (True, _APART)):
        # Seen from the other face, the columns are exchanged, and hours go the other way.
        face, sense = (_DOWN, -1) if is_turned_around else (_UP, 1)
        hours = (sense * turn.hours + HOURS // 2 - 1) % HOURS - HOURS // 2 + 1
        for dial, moves in enumerate(beside(turn.name)):
            if moves:
                x, z = _MIDDLES[dial]
                middle = board + sense * x
                cell = (*_beside(middle, z), *(() if dial in CORNERS else (Plane(face, _BOARD),)))
                yield Motion(_UP, (middle, 0, z), -30 * hours, cell)
        for dial in PINS[turn.name]:
            x, z = _MIDDLES[dial]
            middle = board + sense * x / 2
            pin = (*_beside(middle, z / 2, 0.5), Plane(face, _HAND))
            yield Motion(_UP, (middle, 0, z / 2), 0, pin, out=(0, sense * _OUT, 0))


def _beside(x: float, z: float, near: float = 1) -> tuple[Plane, ...]:
    """Return the planes around the points that are near to a place on a board."""
    return (
        Plane((1, 0, 0), x - near),
        Plane((-1, 0, 0), -x - near),
        Plane((0, 0, 1), z - near),
        Plane((0, 0, -1), -z - near),
    )


def _planes() -> Iterator[Plane]:
    yield Plane((1, 0, 0), 0)
    for height in (_BOARD, (_DIAL + _HAND) / 2, (_HAND + _FOOT) / 2):
        yield from (Plane(_UP, height), Plane(_UP, -height))
    for place in (1, -1, 0):
        yield Plane((0, 0, 1), place)
        yield from (Plane((1, 0, 0), board + place) for board in (-_APART, _APART))


def _copy(upper: tuple[int, ...], lower: tuple[int, ...], board: float) -> Iterator[Part]:
    """Yield the parts of a copy, from the hours of both faces, each as one sees it, and the middle of its board."""
    yield from _fixed(board)
    for is_lower, hours in enumerate((upper, lower)):
        for dial, hour in enumerate(hours):
            yield from _turning(dial, hour, board, bool(is_lower))


@functools.cache
def _fixed(board: float) -> list[Part]:
    pin = prism(_circle(0.3), _FOOT, _PIN, top=_YELLOW)
    middles = (_MIDDLES[dial] for dial in CORNERS)
    pins = [shifted_part(pin, (x / 2, 0, z / 2)) for x, z in middles]
    body = brick((-_WIDE, -_BOARD, -_WIDE), (_WIDE, _BOARD, _WIDE), (None, _LIGHT, None, None, _LIGHT, None))
    return [shifted_part(part, (board, 0, 0)) for part in (body, *pins, *(turned_part(pin, _AROUND) for pin in pins))]


@functools.cache
def _turning(dial: int, hour: int, board: float, is_lower: bool) -> list[Part]:  # a key of the cache
    x, z = _MIDDLES[dial]
    hand = turned_part(_disc(_HAND_OUTLINE, _HAND, _WHITE), rotation(_UP, -30 * hour))
    parts = (shifted_part(part, (x, 0, z)) for part in (_disc(_circle(_RADIUS), _DIAL, _DARK), hand))
    return [shifted_part(turned_part(part, _AROUND) if is_lower else part, (board, 0, 0)) for part in parts]


def _disc(outline: Sequence[tuple[float, float]], height: float, colour: Colour) -> Part:
    return prism(outline, 0, height, top=colour)[-1:]


@functools.cache
def _circle(radius: float) -> list[tuple[float, float]]:
    """Return a regular polygon with twelve corners, clockwise as seen from above, the first one at 12 o'clock."""
    corners = (image(rotation(_UP, -30 * hour), (0, 0, -radius)) for hour in range(HOURS))
    return [(x, z) for x, _, z in corners]
