"""The notation and pictures of the Square-1 (pure Python)."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

from cubesolve.catalog.square1.cases import NAMED_STEPS
from cubesolve.catalog.square1.definition import FIRST, HALF, LAYER, PIECES, SECOND_WEDGES, TWIST, WEDGES, square1
from cubesolve.catalog.square1.scene import SIDES, of_move, of_state
from cubesolve.definition.goals import Allowed, NamedGoal
from cubesolve.definition.piece_view import PieceView
from cubesolve.definition.state import State
from cubesolve.definition.texts import PieceTexts
from cubesolve.definition.view import Form
from cubesolve.errors import InvalidStateError, quoted
from cubesolve.group.permutations import Arrangement, arrangement
from cubesolve.picture.pictures import PLAIN, USUAL, Cell, Picture, Point
from cubesolve.picture.scenes import Motion, Scene

LETTERS = "A1B2C3D45E6F7G8H"
"""The letter or digit of each piece, in the order of their homes."""

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
        has_letters = re.search("[A-Za-z]", text) is not None and not {*"(,"} & {*text}
        return has_letters or super().looks_like_one(text, begins_with_move=begins_with_move)


def _require_layers(wedges: Arrangement) -> None:
    """Reject wedges that are no layers, or layers that no twist is possible with."""
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

    def __init__(self) -> None:
        """Take the definition."""
        super().__init__(square1("square1"), "Square-1", named_steps=NAMED_STEPS)

    def __reduce__(self) -> tuple[type[Square1View], tuple[()]]:
        return type(self), ()

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

    def allowed(self, goal: NamedGoal) -> Allowed:
        """Return the labels on the points of a goal."""
        found = dict(super().allowed(goal))
        for names in goal.alike:
            firsts = [first for piece, first in zip(PIECES, FIRST, strict=True) if piece in names.split()]
            if firsts[0] + 1 in SECOND_WEDGES:
                found |= {first + 1: frozenset(first + 1 for first in firsts) for first in firsts}
            found |= dict.fromkeys(firsts, frozenset(firsts))
        for piece, first in zip(PIECES, FIRST, strict=True):
            if piece in goal.pieces.split():
                found |= {wedge: frozenset({wedge}) for wedge in range(first, first + len(piece) - 1)}
        return found

    def split(self, alg: str) -> list[str]:
        """Return the moves of an alg: turns of both layers, and twists."""
        return self.definition.written(self.definition.parse(alg)).split()

    def is_free(self, move: str) -> bool:
        """Return whether a move is not counted: a turn of the layers."""
        return move != TWIST

    def draw(self, state: State) -> Picture:
        """Return the picture of a state: the top layer from above, the bottom layer from below, the middle in front.

        >>> view = Square1View()
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
        """Return the scene of a state."""
        return of_state(state.arrangement)

    def motion(self, state: State, move: str) -> Motion:  # noqa: ARG002
        """Return the motion of a move in the scene of a state."""
        return of_move(self.alg_reader(move))


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
        yield Cell(column, row, "", USUAL[side], [_point(layer, *each) for each in outline])
    yield Cell(column, row, _LETTER_AT[wedge], USUAL[face], [_point(layer, *each) for each in [(0, 0), *rim]])


def _outside(at: tuple[float, float]) -> tuple[float, float]:
    return at[0], at[1] * _THICK


def _point(layer: int, angle: float, radius: float) -> Point:
    """Return a point of a layer, at an angle clockwise from the front face."""
    across, down = radius * math.sin(math.radians(angle)), radius * math.cos(math.radians(angle))
    return (_WIDE - across, _WIDE + down) if layer == 0 else (3 * _WIDE + across, _WIDE - down)


def _box(left: float, right: float) -> list[Point]:
    top = 2 * _WIDE
    return [(left, top), (right, top), (right, top + 0.5), (left, top + 0.5)]
