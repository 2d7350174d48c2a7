"""Pictures of trays."""

from __future__ import annotations

from collections.abc import Sequence

from cubesolve.catalog.rolling.model import VACANCY, Shape
from cubesolve.picture.pictures import EMPTY, PLAIN, USUAL, Colour, Picture, square

PAINTS: dict[str, Colour] = {"W": USUAL["U"], "B": USUAL["B"], "R": USUAL["R"]}
MARKED = USUAL["D"]
_ARROWS = {"N": "\u2191", "S": "\u2193", "W": "\u2190", "E": "\u2192", "U": "\u25cf", "D": "\u25cb"}


def of_cells(shape: Shape, cells: Sequence[str], title: str) -> Picture:
    """Return the picture of a tray from above, given the text of each cell.

    >>> print(of_cells(Shape(2, 2), ["W", VACANCY, "B", "R"], "W E/B R").text())
    W .
    B R
    """
    squares = [
        square(i % shape.cols, i // shape.cols, text, _colour(shape, text), _mark(shape, text))
        for i, text in enumerate(cells)
    ]
    return Picture(squares, title)


def _colour(shape: Shape, cell: str) -> Colour:
    if cell == VACANCY:
        return EMPTY
    if shape.model_name == "face":
        return MARKED if cell == "U" else PLAIN
    return (PAINTS if shape.model_name == "axis" else USUAL).get(cell[0], PLAIN)


def _mark(shape: Shape, cell: str) -> str:
    if shape.model_name == "face":
        return _ARROWS.get(cell, "")
    return cell if len(cell) > 1 else ""
