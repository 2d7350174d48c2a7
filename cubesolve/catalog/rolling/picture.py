"""Pictures of trays."""

from __future__ import annotations

from cubesolve.catalog.rolling.model import VACANCY, Shape
from cubesolve.catalog.rolling.tray import Tray, parse_cells
from cubesolve.picture.pictures import EMPTY, PLAIN, USUAL, Colour, Picture, square

PAINTS: dict[str, Colour] = {"W": USUAL["U"], "B": USUAL["B"], "R": USUAL["R"]}
MARKED = USUAL["D"]
_ARROWS = {"N": "\u2191", "S": "\u2193", "W": "\u2190", "E": "\u2192", "U": "\u25cf", "D": "\u25cb"}


def of_tray(state: Tray | str, model: str) -> Picture:
    """Return the picture of a tray from above, or of a goal as it is written.

    >>> print(of_tray("W E R/B B B/W W W", "axis").text())
    W . R
    B B B
    W W W
    """
    shape, cells = parse_cells(state, model=model, goal=True) if isinstance(state, str) else _written(state)
    squares = [
        square(i % shape.cols, i // shape.cols, text, _colour(shape, text), _mark(shape, text))
        for i, text in enumerate(cells)
    ]
    return Picture(squares, str(state))


def _written(tray: Tray) -> tuple[Shape, list[str]]:
    names = tray.shape.model.names
    return tray.shape, [VACANCY if i < 0 else names[i] for i in tray.orientations]


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
