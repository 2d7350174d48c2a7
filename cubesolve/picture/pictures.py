"""Pictures of states as coloured outlines, the source of text and SVG drawings (pure Python)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isqrt
from typing import NamedTuple

Colour = tuple[int, int, int]  # red, green and blue, 0 to 255
Point = tuple[float, float]  # distances from the left and from the top


class Cell(NamedTuple):
    """A sticker, a tile or a cube of a picture."""

    column: int  # the column of its text, from the left
    row: int  # the row of its text, from the top
    text: str  # its letters in a text
    colour: Colour
    outline: Sequence[Point]  # the corners of its drawing; squares have sides of length 1
    mark: str = ""  # the letters on it in a drawing


class Picture(NamedTuple):
    """A state as cells."""

    cells: Sequence[Cell]
    title: str  # a description

    def text(self, paint: Callable[[str, Colour], str] | None = None) -> str:
        """Return the picture as text, one line per row of cells; `paint` colours the text of a cell.

        >>> print(Picture([square(1, 0, "U", (0, 0, 0)), square(0, 1, "L", (0, 0, 0))], "").text())
          U
        L
        """
        by_place = {(cell.column, cell.row): cell for cell in self.cells}
        columns, rows = (1 + max(place) for place in zip(*by_place, strict=True))
        width = max(len(cell.text) for cell in self.cells)

        def shown(cell: Cell | None) -> str:
            text = f"{cell.text if cell else '':{width}} "
            return paint(text, cell.colour) if paint and cell else text

        lines = ("".join(shown(by_place.get((column, row))) for column in range(columns)) for row in range(rows))
        return "\n".join(line.rstrip() for line in lines)


APART = 0.3  # distance between faces in a net


def square(column: int, row: int, text: str, colour: Colour, mark: str = "", group: int = 0) -> Cell:
    """Return the cell of a square in a grid, which has a gap after each group of columns and rows."""
    x, y = (index + (index // group * APART if group else 0.0) for index in (column, row))
    return Cell(column, row, text, colour, ((x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)), mark)


_FACE_COLOURS = ((255, 255, 255), (200, 30, 45), (0, 155, 75), (255, 213, 0), (255, 120, 0), (0, 90, 200))
_LETTER_COLOURS = dict(zip("WRGYOB", _FACE_COLOURS, strict=True))

USUAL: Mapping[str, Colour] = dict(zip("URFDLB", _FACE_COLOURS, strict=True))
"""The usual colours of the faces of a cube, in the order in which facelets are listed."""

PLAIN, EMPTY = (235, 225, 205), (90, 90, 90)  # colours of an unmarked cell and of a gap
PURPLE, SILVER = (128, 50, 160), (150, 155, 160)  # two further colours, for an octahedron

LIME, CREAM, SKY, PINK = (113, 230, 0), (255, 255, 179), (136, 221, 255), (255, 153, 255)
"""Four more, for a dodecahedron."""

LETTERS: Mapping[Colour, str] = {colour: letter for letter, colour in _LETTER_COLOURS.items()} | {
    PURPLE: "P",
    SILVER: "S",
    EMPTY: ".",
    LIME: "L",
    CREAM: "C",
    SKY: "T",
    PINK: "M",
}
"""The letters of colours, for puzzles whose colours have no symbols."""


# The cross net: the place of each face U R F D L B, in faces from the top left.
_NET = ((1, 0), (2, 1), (1, 1), (1, 2), (0, 1), (3, 1))


def paints_of(colours: str) -> Mapping[str, Colour]:
    """Return the colours of symbols: those that the letters W R G Y O B name, otherwise the usual ones in order."""
    usual = set(colours) == set(_LETTER_COLOURS)
    return _LETTER_COLOURS if usual else dict(zip(colours, _FACE_COLOURS, strict=True))


def net(facelets: str, colours: str) -> Picture:
    """Return the net of a cube, given the symbols of U R F D L B when it is solved; others are drawn in grey."""
    size = isqrt(len(facelets) // 6)
    paints = paints_of(colours)
    cells = []
    for index, symbol in enumerate(facelets):
        column, row = _NET[index // size**2]
        down, along = divmod(index % size**2, size)
        colour = paints.get(symbol, EMPTY)
        cells.append(square(size * column + along, size * row + down, symbol, colour, group=size))
    return Picture(cells, facelets)


_STRIP = 0.4  # width of a sticker seen from the side


def from_above(facelets: str, colours: str) -> Picture:
    """Return the face U of a cube, with the stickers around it, given the symbols of U R F D L B when it is solved.

    >>> print(from_above("UUUURRRRFFFFDDDDLLLLBBBB", "URFDLB").text())
      B B
    L U U R
    L U U R
      F F
    """
    size, paints, cells = isqrt(len(facelets) // 6), paints_of(colours), list[Cell]()

    def add(face: str, number: int, column: int, row: int) -> None:
        symbol = facelets[tuple(USUAL).index(face) * size**2 + number]
        (left, right), (top, bottom) = (_extent(place, size) for place in (column, row))
        outline = ((left, top), (right, top), (right, bottom), (left, bottom))
        cells.append(Cell(column, row, symbol, paints.get(symbol, EMPTY), outline))

    for number in range(size**2):
        add("U", number, number % size + 1, number // size + 1)
    for number in range(size):
        add("F", number, number + 1, size + 1)
        add("B", number, size - number, 0)
        add("L", number, 0, number + 1)
        add("R", number, size + 1, size - number)
    return Picture(cells, facelets)


def _extent(place: int, size: int) -> tuple[float, float]:
    """Return where a column or row begins and ends, the first and the last of which are narrow."""
    begin = place - 1 + _STRIP if place else 0.0
    return begin, begin + (_STRIP if place in {0, size + 1} else 1)
