"""Rubik's Clock in space: two copies side by side, of which one is turned around, so both faces are seen (pure Python).

Each copy is a board with dials, hands and pins on both faces. The upper face looks at the viewer. A pin of this face
comes out while a move turns the dials beside it.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence

from cubesolve.catalog.clock.dials import AROUND, CORNERS, HOURS, PINS, SIDE, ClockState, Turn, beside
from cubesolve.picture.pictures import Colour
from cubesolve.picture.scenes import (
    Matrix,
    Motion,
    Part,
    Plane,
    Point,
    Scene,
    brick,
    clockwise,
    prism,
    shifted_part,
    turned,
    turned_part,
)

_BOARD, _DIAL, _HAND = 0.25, 0.3, 0.35  # the heights of the upper faces
_FOOT, _PIN = 0.4, 0.6  # of both ends of a pin
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
_AROUND: Matrix = ((-1, 0, 0), (0, -1, 0), (0, 0, 1))
_STILL: Matrix = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
_MIDDLES = [(_STEP * (dial % 3 - 1), _STEP * (dial // 3 - 1)) for dial in range(SIDE)]
_HAND_OUTLINE = ((0, -_RADIUS * 0.9), (0.2, 0.2), (-0.2, 0.2))


def of_state(state: ClockState) -> Scene:
    """Return the scene of a state: the copy on the left as it is held, the other turned around.

    >>> len(of_state(ClockState()).parts)
    90
    """
    front, back = state.hours[:SIDE], state.back
    parts = [*_copy(front, back, -_APART), *_copy(back, front, _APART)]
    return Scene(tuple(parts), tuple(_planes()), up=(0, 1 / 3, -1), front=(-0.5, 1, 0))


def of_move(turn: Turn) -> Motion:
    """Return the motion of a move.

    >>> [len(of_move(Turn(*move)).also) for move in [("UR", 3), ("y2", 0)]]
    [9, 1]
    """
    first, *others = _around() if turn.name == AROUND else _turned_dials(turn)
    return first._replace(also=tuple(others))


def _around() -> Iterator[Motion]:
    for middle in (-_APART, _APART):
        yield Motion((0, 0, 1), (middle, 0, 0), 180, _AROUND, (Plane((1 if middle > 0 else -1, 0, 0), 0),))


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
                yield Motion(_UP, (middle, 0, z), -30 * hours, clockwise(hours), cell)
        for dial in PINS[turn.name]:
            x, z = _MIDDLES[dial]
            middle = board + sense * x / 2
            pin = (*_beside(middle, z / 2, 0.5), Plane(face, _HAND))
            yield Motion(_UP, (middle, 0, z / 2), 0, _STILL, pin, out=(0, sense * _OUT, 0))


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
    """Return a board, and the pins of both faces."""
    pin = prism(_circle(0.3), _FOOT, _PIN, top=_YELLOW)
    middles = (_MIDDLES[dial] for dial in CORNERS)
    pins = [shifted_part(pin, (x / 2, 0, z / 2)) for x, z in middles]
    made = brick((-_WIDE, -_BOARD, -_WIDE), (_WIDE, _BOARD, _WIDE), (None, _LIGHT, None, None, _LIGHT, None))
    return [shifted_part(part, (board, 0, 0)) for part in (made, *pins, *(turned_part(pin, _AROUND) for pin in pins))]


@functools.cache
def _turning(dial: int, hour: int, board: float, is_lower: bool) -> list[Part]:  # a key of the cache
    """Return a dial and its hand."""
    x, z = _MIDDLES[dial]
    flat = (_disc(_circle(_RADIUS), _DIAL, _DARK), turned_part(_disc(_HAND_OUTLINE, _HAND, _WHITE), clockwise(hour)))
    parts = (shifted_part(part, (x, 0, z)) for part in flat)
    return [shifted_part(turned_part(part, _AROUND) if is_lower else part, (board, 0, 0)) for part in parts]


def _disc(outline: Sequence[tuple[float, float]], height: float, colour: Colour) -> Part:
    """Return a part that is only its upper side."""
    return prism(outline, 0, height, top=colour)[-1:]


@functools.cache
def _circle(radius: float) -> list[tuple[float, float]]:
    """Return a regular polygon with twelve corners, clockwise as seen from above, the first one at 12 o'clock."""
    corners = (turned(clockwise(hour), (0, 0, -radius)) for hour in range(HOURS))
    return [(x, z) for x, _, z in corners]
