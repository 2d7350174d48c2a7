"""Scenes of trays: cubes of length 1 on a floor, the first row away from the viewer."""

from __future__ import annotations

from cubesolve.catalog.rolling.model import DIRECTIONS, Shape
from cubesolve.catalog.rolling.picture import MARKED, PAINTS
from cubesolve.catalog.rolling.tray import NONE, Tray
from cubesolve.definition.geometry import clockwise
from cubesolve.picture.pictures import EMPTY, PLAIN, USUAL, Colour
from cubesolve.picture.scenes import Motion, Part, Plane, Scene, brick

_RIGHT_UP_FRONT_LEFT_DOWN_AWAY = (2, 0, 4, 3, 1, 5)  # in the order of marks
_EDGE = 0.2  # width of the tray's border

_AXES = {"U": (1, 0, 0), "D": (-1, 0, 0), "L": (0, 0, -1), "R": (0, 0, 1)}
"""The axis of a roll, clockwise as seen from its direction."""


def of_tray(tray: Tray) -> Scene:
    """Return the scene of a tray."""
    shape = tray.shape
    cubes = (_cube(shape, cell, turned) for cell, turned in enumerate(tray.orientations) if turned != NONE)
    x, z = shape.cols / 2 + _EDGE, shape.rows / 2 + _EDGE
    floor = brick((-x, -_EDGE, -z), (x, 0, z), (EMPTY,) * 6)
    return Scene(tuple(cubes), floor=floor)


def _cube(shape: Shape, cell: int, orientation: int) -> Part:
    marks = shape.model.marks[orientation]
    colours = [_colour(shape.model_name, marks[side]) for side in _RIGHT_UP_FRONT_LEFT_DOWN_AWAY]
    x, z = _place(shape, cell)
    return brick((x, 0, z), (x + 1, 1, z + 1), colours)


def _place(shape: Shape, cell: int) -> tuple[float, float]:
    """Return the place of a cell."""
    row, column = divmod(cell, shape.cols)
    return column - shape.cols / 2, row - shape.rows / 2


def _colour(model: str, mark: str) -> Colour:
    if model == "face":
        return PLAIN if mark.isspace() else MARKED
    return (PAINTS if model == "axis" else USUAL)[mark]


def of_roll(tray: Tray, direction: str) -> Motion:
    """Return the motion of a roll: the cube turns about its lower edge next to the vacancy."""
    shape, (down, right) = tray.shape, DIRECTIONS[direction]
    column, row = tray.vacancy
    x, z = _place(shape, (row - 1 - down) * shape.cols + column - 1 - right)
    axis = _AXES[direction]
    through = (x + (1 + right) / 2, 0, z + (1 + down) / 2)
    beyond = (Plane((1, 0, 0), x), Plane((-1, 0, 0), -x - 1), Plane((0, 0, 1), z), Plane((0, 0, -1), -z - 1))
    return Motion(axis, through, -90, clockwise(axis, 4), beyond)
