"""Pictures and scenes of trays; in a scene, cubes of length 1 are on a floor, the first row away from the viewer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from cubesolve.catalog.rolling.model import DIRECTIONS, NONE, VACANCY, Shape
from cubesolve.picture.pictures import EMPTY, PLAIN, USUAL, Cell, Colour, Picture, square
from cubesolve.picture.scenes import Motion, Part, Plane, Scene, brick

if TYPE_CHECKING:
    from cubesolve.catalog.rolling.tray import Tray

_COLOURS: Mapping[str, Mapping[str, Colour]] = {
    "axis": {"W": USUAL["U"], "B": USUAL["B"], "R": USUAL["R"]},
    "face": dict.fromkeys("UX", USUAL["D"]),
    "full": USUAL,
}
"""For each model the colours of faces, by their marks and by the text of a cell; others are plain."""

_ARROWS = {"N": "\u2191", "S": "\u2193", "W": "\u2190", "E": "\u2192", "U": "\u25cf", "D": "\u25cb"}
_RIGHT_UP_FRONT_LEFT_DOWN_AWAY = (2, 0, 4, 3, 1, 5)  # in the order of marks
_EDGE = 0.2  # width of the tray's border


def of_cells(shape: Shape, cells: Sequence[str], title: str) -> Picture:
    """Return the picture of a tray from above, or of a goal, given the text of each cell.

    >>> print(of_cells(Shape(2, 2), ["W", VACANCY, "B", "R"], "W E/B R").text())
    W .
    B R
    """
    return Picture([_square(shape, number, cell) for number, cell in enumerate(cells)], title)


def _square(shape: Shape, number: int, cell: str) -> Cell:
    colour = EMPTY if cell == VACANCY else _COLOURS[shape.model_name].get(cell[0], PLAIN)
    mark = _ARROWS.get(cell, "") if shape.model_name == "face" else cell * (len(cell) > 1)
    return square(number % shape.cols, number // shape.cols, cell, colour, mark)


def of_tray(tray: Tray) -> Scene:
    """Return the scene of a tray."""
    shape = tray.shape
    cubes = (_cube(shape, cell, turned) for cell, turned in enumerate(tray.orientations) if turned != NONE)
    x, z = shape.cols / 2 + _EDGE, shape.rows / 2 + _EDGE
    floor = brick((-x, -_EDGE, -z), (x, 0, z), (EMPTY,) * 6)
    return Scene(tuple(cubes), floor=floor)


def _cube(shape: Shape, cell: int, orientation: int) -> Part:
    marks, colours = shape.model.marks[orientation], _COLOURS[shape.model_name]
    x, z = _place(shape, cell)
    sides = [colours.get(marks[side], PLAIN) for side in _RIGHT_UP_FRONT_LEFT_DOWN_AWAY]
    return brick((x, 0, z), (x + 1, 1, z + 1), sides)


def _place(shape: Shape, cell: int) -> tuple[float, float]:
    """Return the place of a cell."""
    row, column = divmod(cell, shape.cols)
    return column - shape.cols / 2, row - shape.rows / 2


def of_roll(tray: Tray, direction: str) -> Motion:
    """Return the motion of a roll: the cube turns about its lower edge next to the vacancy."""
    shape, (down, right) = tray.shape, DIRECTIONS[direction]
    column, row = tray.vacancy
    x, z = _place(shape, (row - 1 - down) * shape.cols + column - 1 - right)
    through = (x + (1 + right) / 2, 0, z + (1 + down) / 2)
    beyond = (Plane((1, 0, 0), x), Plane((-1, 0, 0), -x - 1), Plane((0, 0, 1), z), Plane((0, 0, -1), -z - 1))
    return Motion((-down, 0, right), through, -90, beyond)
