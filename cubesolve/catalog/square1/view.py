"""The notation, the named steps, the pictures and the scenes of the Square-1 (pure Python)."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Mapping
from itertools import pairwise

from cubesolve.catalog.square1.definition import FIRST, HALF, LAYER, PIECES, SECOND_WEDGES, TOP, TWIST, WEDGES, square1
from cubesolve.definition.definition import Power
from cubesolve.definition.goals import NamedGoal
from cubesolve.definition.named_steps import CaseSet, NamedSteps
from cubesolve.definition.piece_view import PieceView
from cubesolve.definition.state import State
from cubesolve.definition.texts import PieceTexts
from cubesolve.definition.view import Form
from cubesolve.errors import InvalidStateError, quoted
from cubesolve.group.permutations import Arrangement, arrangement
from cubesolve.picture.pictures import PLAIN, USUAL, Cell, Colour, Picture, Point
from cubesolve.picture.scenes import Motion, Part, Plane, Scene, prism, turned_part
from cubesolve.picture.vectors import image, rotation

WCA = "wca"
"""The metric in which turns of the layers between two twists count one, too, regulation 12c4."""

# -- Steps and cases ---------------------------------------------------------------------------------------------------

_LAYERS = PIECES[:8], PIECES[8:]
_FIRSTS, _SECONDS = (
    tuple(" ".join(f"{piece}{wedge}" for piece in layer if len(piece) > 2) for layer in _LAYERS) for wedge in (1, 2)
)
"""The names of both wedges of the corners of each layer."""

_CORNERS = (*_FIRSTS, *_SECONDS)
_EDGES = tuple(" ".join(piece for piece in layer if len(piece) == 2) for layer in _LAYERS)

_SHAPE, _CO, _EO, _CP, _EP = (
    NamedGoal(alike=(" ".join(_FIRSTS), " ".join(_SECONDS), " ".join(_EDGES))),
    NamedGoal(alike=(*_CORNERS, " ".join(_EDGES))),
    NamedGoal(alike=(*_CORNERS, *_EDGES)),
    NamedGoal(" ".join(_CORNERS), _EDGES),
    NamedGoal(" ".join([*_CORNERS, *_EDGES])),
)

GOALS: Mapping[str, tuple[NamedGoal, ...]] = {"cubeshape": (_SHAPE,), "co": (_CO,), "eo": (_EO,), "cp": (_CP,)}
"""The steps of the method of Lars Vandenbergh before the last one: the cube shape, the corners in their layers, the
edges in theirs, and the corners in their places. The middle layer is ignored."""

STEP_TITLES = {"cubeshape": "both layers square"}  # titles of the steps that are not sets of cases

_TURNS = ("(3,0)", "(0,3)")
_HALVES = ("(1,0) / (-1,0)", "(0,-1) / (0,1)")  # exchange halves of the layers, in the cube shape
_CORNER_SWAPS = (
    "(0,3) / (3,3) / (-1,-4) / (1,-5) / (-1,1) / (4,-2) / (-4,2) / (-2,2) / (0,3) / (3,3) / (0,3)",
    "(0,3) / (3,3) / (-1,-4) / (2,-4) / (0,-2) / (2,-4) / (-2,4) / (0,-4) / (-4,-1) / (3,3) / (0,-3)",
)
_EDGE_SWAPS = (
    "(0,2) / (0,1) / (-3,0) / (-2,-1) / (4,-3) / (3,-2) / (0,2) / (-3,4) / (0,4) / (0,2) / (3,-2) / (-3,0) / (0,-3)",
    "(0,2) / (0,1) / (3,0) / (3,-4) / (-2,0) / (0,-4) / (2,-3) / (-2,0) / (-4,3) / (2,-3) / (2,1) / (3,0) / (0,-3)",
)
"""Algs that exchange two neighbours in the upper layer, or in the lower one."""

CASE_SETS: Mapping[str, CaseSet] = {
    "co": CaseSet("corner orientation, in the cube shape", _SHAPE, _CO, "(3,3)", group=(*_TURNS, *_HALVES)),
    "eo": CaseSet("edge orientation, the corners being in their layers", _CO, _EO, "(3,3)", group=(*_TURNS, *_HALVES)),
    "cp": CaseSet(
        "corner permutation, all pieces being in their layers", _EO, _CP, "(3,3)", group=(*_TURNS, *_CORNER_SWAPS)
    ),
    "ep": CaseSet(
        "edge permutation, with parity; the corners are solved", _EO, _EP, "(3,3)", group=(*_TURNS, *_EDGE_SWAPS)
    ),
}

NAMED_STEPS = NamedSteps(GOALS, STEP_TITLES, CASE_SETS)


# -- Notation and pictures ---------------------------------------------------------------------------------------------

LETTERS = "A1B2C3D45E6F7G8H"  # letter or digit of each piece, in the order of their homes

_SQUARE, _TWISTED = "-", "/"
_WEDGES_OF = {
    letter: (first, first + 1) if letter.isalpha() else (first,) for letter, first in zip(LETTERS, FIRST, strict=True)
}
_LETTER_AT = {wedges[0]: letter for letter, wedges in _WEDGES_OF.items()}
_ANGLE = 30.0  # degrees of a wedge
_BEGIN = (_ANGLE / 2, -_ANGLE / 2)  # degrees from the middle of the front face to the cut, clockwise, for each layer
_RIM, _CUT = 1 / math.cos(math.radians(15)), math.tan(math.radians(15))  # of a layer whose square has sides of length 2
_THICK = 1.25  # the rim of a piece, in proportion to its face
_WIDE = math.sqrt(2) * _THICK  # half the width of a layer, whose corners may point anywhere


class Square1Texts(PieceTexts):
    """States as letters of corners and digits of edges: ``A1B2C3D4 5E6F7G8H -``.

    Both layers are read clockwise as one looks at them, from the cut in the front face on: the corners UFL, UBL, UBR,
    UFR, DFR, DBR, DBL and DFL are A to H, the edges UL, UB, UR, UF, DF, DR, DB and DL are 1 to 8. Then follows ``-``
    if the middle layer is a square, ``/`` if not. Jaap Scherphuis's solver has the same notation.
    """

    def write(self, state: Arrangement) -> str:
        """Return the text of a state."""
        layers = (state[:LAYER], state[LAYER:WEDGES])
        words = ["".join(_LETTER_AT[wedge] for wedge in layer if wedge not in SECOND_WEDGES) for layer in layers]
        return f"{words[0]} {words[1]} {_SQUARE if state[WEDGES] == WEDGES else _TWISTED}"

    def read(self, text: str) -> Arrangement:
        """Return the state that a text describes, in letters or as the names of all wedges."""
        if ";" in text or len(text.split()) > len(PIECES):
            return super().read(text)
        symbols = "".join(text.split()).upper()
        if not symbols.endswith((_SQUARE, _TWISTED)):
            raise InvalidStateError(f"{quoted(text)} must end with {_SQUARE} or {_TWISTED}, for the middle", "length")
        pieces, middle = symbols[:-1], symbols[-1]
        for piece in pieces:
            if piece not in _WEDGES_OF:
                raise InvalidStateError(f"{quoted(piece)} is not a piece: expected A to H and 1 to 8", "symbol")
        if sorted(pieces) != sorted(LETTERS):
            raise InvalidStateError(f"{quoted(text)} must have each of {LETTERS} once", "repeated")
        wedges = [wedge for piece in pieces for wedge in _WEDGES_OF[piece]]
        turned = middle == _TWISTED
        return arrangement([*wedges, WEDGES + turned, WEDGES + 1 - turned])

    def looks_like_one(self, text: str, *, begins_with_move: bool) -> bool:
        """Return whether an invalid text is probably a state."""
        symbols = "".join(text.split()).upper()
        most_are = sum(map(LETTERS.__contains__, symbols)) * 2 > len(symbols)
        has_letters = not {*"ABCDEFGH"}.isdisjoint(symbols) and {*"(,"}.isdisjoint(symbols)
        return (most_are and has_letters) or super().looks_like_one(text, begins_with_move=begins_with_move)


def _require_layers(wedges: Arrangement) -> None:
    for place, wedge in enumerate(wedges):
        if wedge not in SECOND_WEDGES:
            continue
        layer = place // LAYER * LAYER
        piece = PIECES[FIRST.index(wedge - 1)]
        if wedges[layer + (place - 1) % LAYER] != wedge - 1:
            raise InvalidStateError(f"the wedges of the corner {piece} are not side by side", "piece", facelets=[piece])
        if place % HALF == 0:
            message = f"the corner {piece} lies across the cut, so no twist is possible: turn its layer"
            raise InvalidStateError(message, "piece", facelets=[piece])


class Square1View(PieceView):
    """The notation and pictures of the Square-1."""

    numbering = "the wedge at each of 24 places, counted from 0, then the middle layer"

    @functools.cached_property
    def texts(self) -> PieceTexts:
        """The reader and writer of its states."""
        return Square1Texts(self.definition)

    @functools.cached_property
    def forms(self) -> Mapping[str, Form]:
        """The notations of states: any, pieces, algs, and KPuzzle patterns."""
        pieces = super().forms["pieces"]._replace(help="A1B2C3D4 5E6F7G8H -, from the cut in front on")
        return {**super().forms, "pieces": pieces}

    def state(self, place: Arrangement) -> State:
        """Return the state that an arrangement represents."""
        _require_layers(place[:WEDGES])
        return super().state(place)

    def split(self, alg: str) -> list[str]:
        """Return the moves of an alg: turns of both layers, and twists."""
        return self.definition.written(self.definition.parse(alg)).split()

    def parse(self, moves: str) -> list[Power]:
        """Return the moves that a text names: the turns of each layer, which are not combined, and twists."""
        return [step for step, _ in square1().placed(moves) if step.amount]

    def is_free(self, move: str) -> bool:
        """Return whether a move is not counted: a turn of the layers."""
        return move != TWIST

    def left(self, alg: str, metric: str | None = None) -> list[int]:
        """Return the number of moves that are left; turns of the layers count in one of its metrics."""
        return [*reversed(range(len(self.split(alg)) + 1))] if metric == WCA else super().left(alg)

    def draw(self, state: State) -> Picture:
        """Return the picture of a state: the top layer from above, the bottom layer from below, the middle in front.

        >>> from cubesolve.catalog import rules_named
        >>> view = rules_named("square1").view
        >>> print(view.picture(view.read("(1,0) /")).text())
        4 A A 1 B B   2 C C 3 D D
        5 E E 6 F F   7 G G 8 H H
        /
        """
        place = state.arrangement
        cells = [cell for number in range(WEDGES) for cell in _cells(place, number)]
        is_square = place[WEDGES] == WEDGES
        left, cut, right = _WIDE - 1, _WIDE - _CUT, _WIDE + (1 if is_square else _CUT)
        symbol = _SQUARE if is_square else _TWISTED
        middle = Cell(0, 2, "", USUAL["F" if is_square else "B"], _box(cut, right))
        return Picture([*cells, middle, Cell(0, 2, symbol, USUAL["F"], _box(left, cut))], str(state))

    def build(self, state: State) -> Scene:
        """Return the scene of a state: the pieces of both layers, then the halves of the middle layer."""
        place = state.arrangement
        pieces = [_piece(place[number], number) for number in range(WEDGES) if place[number] not in SECOND_WEDGES]
        left = prism(_LEFT_HALF, -_MIDDLE, _MIDDLE, _colours("F", "L", "B", None))
        right = prism(_RIGHT_HALF, -_MIDDLE, _MIDDLE, _colours("B", "R", "F", None))
        if place[WEDGES] != WEDGES:
            right = turned_part(right, _TWIST)
        cuts = (Plane(image(rotation(_UP, -30 * turn), _CUT_NORMAL), 0) for turn in range(HALF))
        return Scene((*pieces, left, right), (Plane(_UP, _MIDDLE), Plane(_UP, -_MIDDLE), *cuts))

    def motion(self, state: State, move: str) -> Motion:  # noqa: ARG002
        """Return the motion of a move in the scene of a state: a twist, or turns of one or both layers."""
        first, *others = map(_motion, self.alg_reader(move))
        return first._replace(also=tuple(others))


def _cells(place: Arrangement, number: int) -> Iterator[Cell]:
    """Yield the faces of the piece that begins at a place; the last has its letter in the text."""
    layer, turned = divmod(number, LAYER)
    column, row = turned % HALF + (HALF + 1) * layer, turned // HALF
    wedge = place[number]
    if wedge in SECOND_WEDGES:
        yield Cell(column, row, _LETTER_AT[wedge - 1], PLAIN, [_point(layer, 0, 0)])  # drawn with the first wedge
        return
    sides, face = SIDES[FIRST.index(wedge)], "UD"[wedge >= LAYER]
    begin = _BEGIN[layer] + _ANGLE * turned
    end = begin + _ANGLE * len(sides)
    rim = [(begin, _RIM), *[(begin + _ANGLE, math.sqrt(2))] * (len(sides) - 1), (end, _RIM)]
    for side, (here, there) in zip(sides, pairwise(rim), strict=True):
        outline = (here, _outside(here), _outside(there), there)
        yield Cell(column, row, "", USUAL[side], [_point(layer, *point) for point in outline])
    yield Cell(column, row, _LETTER_AT[wedge], USUAL[face], [_point(layer, *point) for point in [(0, 0), *rim]])


def _outside(at: tuple[float, float]) -> tuple[float, float]:
    return at[0], at[1] * _THICK


def _point(layer: int, angle: float, radius: float) -> Point:
    """Return a point of a layer, at an angle clockwise from the front face."""
    across, down = radius * math.sin(math.radians(angle)), radius * math.cos(math.radians(angle))
    return (_WIDE - across, _WIDE + down) if layer == 0 else (3 * _WIDE + across, _WIDE - down)


def _box(left: float, right: float) -> list[Point]:
    top = 2 * _WIDE
    return [(left, top), (right, top), (right, top + 0.5), (left, top + 0.5)]


# -- The scene: a cube of edge length 2, whose layers turn by 30 degrees -----------------------------------------------

SIDES = ("FL", "L", "LB", "B", "BR", "R", "RF", "F", "F", "FR", "R", "RB", "B", "BL", "L", "LF")
"""The colours on the rim of each piece, clockwise."""

_MIDDLE = 1 / 3  # the height of the middle layer is twice that
_TAN_15 = 2 - math.sqrt(3)

_UP = (0, 1, 0)
_CUT_NORMAL = (1, 0, _TAN_15)  # the normal of the cut, to the right
_TWIST, _UPSIDE_DOWN = rotation(_CUT_NORMAL, 180), rotation((0, 0, 1), 180)

_FRONT, _BACK = (-_TAN_15, 1), (_TAN_15, -1)  # the ends of the cut, from the left to the right and from the back
_LEFT_HALF, _RIGHT_HALF = (_FRONT, (-1, 1), (-1, -1), _BACK), (_BACK, (1, -1), (1, 1), _FRONT)


def _motion(step: Power) -> Motion:
    if step.name == TWIST:
        return Motion(_CUT_NORMAL, (0, 0, 0), 180, (Plane(_CUT_NORMAL, 0),))
    turn = step.amount if step.name == TOP else -step.amount  # clockwise as seen from above
    turn = (turn + HALF - 1) % LAYER - HALF + 1
    layer = Plane(_UP, _MIDDLE) if step.name == TOP else Plane((0, -1, 0), _MIDDLE)
    return Motion(_UP, (0, 0, 0), -30 * turn, (layer,))


def _piece(wedge: int, number: int) -> Part:
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
    x, _, z = image(rotation(_UP, -30 * turn), (point[0], 0, point[1]))
    return x, z
