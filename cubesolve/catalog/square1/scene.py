"""The Square-1 in space: a cube of edge length 2, whose layers turn by 30 degrees (pure Python)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from cubesolve.catalog.square1.definition import FIRST, HALF, LAYER, SECOND_WEDGES, TOP, TWIST, WEDGES
from cubesolve.definition.definition import Power
from cubesolve.group.permutations import Arrangement
from cubesolve.picture.pictures import USUAL, Colour
from cubesolve.picture.scenes import Matrix, Motion, Part, Plane, Point, Scene, clockwise, prism, turned, turned_part

SIDES = ("FL", "L", "LB", "B", "BR", "R", "RF", "F", "F", "FR", "R", "RB", "B", "BL", "L", "LF")
"""The colours on the rim of each piece, clockwise."""

_MIDDLE = 1 / 3  # the height of the middle layer is twice that
_TAN_15 = 2 - math.sqrt(3)

_UP: Point = (0, 1, 0)
_CUT: Point = (1, 0, _TAN_15)  # the normal of the cut, to the right
_SINE, _COSINE = 1 / 2, math.sqrt(3) / 2  # of 30 degrees
_TWIST: Matrix = ((_COSINE, 0, _SINE), (0, -1, 0), (_SINE, 0, -_COSINE))
_UPSIDE_DOWN: Matrix = ((-1, 0, 0), (0, -1, 0), (0, 0, 1))

_FRONT, _BACK = (-_TAN_15, 1), (_TAN_15, -1)  # the ends of the cut, from the left to the right and from the back
_LEFT_HALF, _RIGHT_HALF = (_FRONT, (-1, 1), (-1, -1), _BACK), (_BACK, (1, -1), (1, 1), _FRONT)


def of_state(place: Arrangement) -> Scene:
    """Return the scene of a state: the pieces of both layers, then the halves of the middle layer.

    >>> from cubesolve.catalog.square1.definition import square1
    >>> len(of_state(square1("square1").solved[0]).parts)
    18
    """
    pieces = [_piece(place[number], number) for number in range(WEDGES) if place[number] not in SECOND_WEDGES]
    left = prism(_LEFT_HALF, -_MIDDLE, _MIDDLE, _colours("F", "L", "B", None))
    right = prism(_RIGHT_HALF, -_MIDDLE, _MIDDLE, _colours("B", "R", "F", None))
    if place[WEDGES] != WEDGES:
        right = turned_part(right, _TWIST)
    return Scene((*pieces, left, right), tuple(_planes()))


def of_move(steps: Sequence[Power]) -> Motion:
    """Return the motion of a twist, or of turns of one or both layers.

    >>> motion = of_move([Power("U", 1), Power("D", 11)])
    >>> motion.degrees, [other.degrees for other in motion.also]
    (-30, [-30])
    """
    first, *others = (_motion(step) for step in steps)
    return first._replace(also=tuple(others))


def _motion(step: Power) -> Motion:
    if step.name == TWIST:
        return Motion(_CUT, (0, 0, 0), 180, _TWIST, (Plane(_CUT, 0),))
    turn = step.amount if step.name == TOP else -step.amount  # clockwise as seen from above
    turn = (turn + HALF - 1) % LAYER - HALF + 1
    layer = Plane(_UP, _MIDDLE) if step.name == TOP else Plane((0, -1, 0), _MIDDLE)
    return Motion(_UP, (0, 0, 0), -30 * turn, clockwise(turn), (layer,))


def _planes() -> Iterator[Plane]:
    yield from (Plane(_UP, _MIDDLE), Plane(_UP, -_MIDDLE))
    yield from (Plane(turned(clockwise(turn), _CUT), 0) for turn in range(HALF))


def _piece(wedge: int, number: int) -> Part:
    """Return the piece that begins at a place."""
    layer, turn = divmod(number, LAYER)
    sides = SIDES[FIRST.index(wedge)]
    ends = [_turned(_FRONT, turn - layer + end) for end in (0, len(sides))]
    rim = (ends[0], *[_turned((-1, 1), turn - layer)] * (len(sides) - 1), ends[1])
    outline = ((0, 0), *rim)
    part = prism(outline, _MIDDLE, 1, _colours(None, *sides, None), USUAL["UD"[wedge >= LAYER]])
    return turned_part(part, _UPSIDE_DOWN) if layer else part


def _colours(*faces: str | None) -> list[Colour | None]:
    return [USUAL[face] if face else None for face in faces]


def _turned(point: tuple[float, float], turn: int) -> tuple[float, float]:
    x, _, z = turned(clockwise(turn), (point[0], 0, point[1]))
    return x, z
