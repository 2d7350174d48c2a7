"""Projections of rolling cubes to a mark on each cube (pure Python).

A mark on a face projects the model ``full`` to the model ``face``, a mark on a corner to the model ``corner``, and a
mark on two opposite faces the model ``axis`` to the model ``line``. Rolls act on these. Two marks that are not on one
line through the centre of a cube determine its orientation.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

from cubesolve.catalog.rolling.goal import Goal
from cubesolve.catalog.rolling.model import DIRECTIONS, Shape, model_named
from cubesolve.catalog.rolling.tray import NONE, Tray


class Mark(NamedTuple):
    """A mark on each cube.

    Attributes:
        model_name: the model: ``face``, ``corner`` or ``line``.
        at_start: its position at the start, as the model writes it.
    """

    model_name: str
    at_start: str


ON_LINES = (Mark("line", "UD"), Mark("line", "EW"), Mark("line", "SN"))
"""The three pairs of opposite faces, which look alike in the model ``axis``."""

ON_FACES = (Mark("face", "U"), Mark("face", "E"), Mark("face", "S"))
"""Three faces that meet in a corner."""

ON_CORNERS = (Mark("corner", "UES"), Mark("corner", "UWN"), Mark("face", "U"))
"""Two corners of a face across from each other, and that face. Corners are worth more, since they have signs."""


@functools.cache
def _looks(model_name: str, mark: Mark) -> tuple[int, ...]:
    """Return the position of a mark for each orientation of a model that determines it."""
    whole, model = model_named(model_name), model_named(mark.model_name)
    found = {0: model.names.index(mark.at_start)}
    for orientation in (reached := [0]):
        for direction in DIRECTIONS:
            rolled = whole.rolls[direction][orientation]
            if rolled not in found:
                found[rolled] = model.rolls[direction][found[orientation]]
                reached.append(rolled)
    return tuple(found[orientation] for orientation in range(len(whole.names)))


def follow(tray: Tray, mark: Mark) -> Tray:
    """Return the tray of the marks of the cubes.

    >>> print(follow(Tray("UR RD/. UR", "full"), Mark("face", "E")))
    EU/.E
    >>> print(follow(Tray("UR RD/. UR", "full"), Mark("corner", "UES")))
    UES UWS/E UES
    """
    looks = _looks(tray.shape.model_name, mark)
    orientations = (NONE if i == NONE else looks[i] for i in tray.orientations)
    return Tray.of(_shape(tray.shape, mark), tuple(orientations))


def follow_goal(goal: Goal, mark: Mark) -> Goal:
    """Return the goal for a mark that follows from a goal.

    >>> follow_goal(Goal.parse("UR */. UR", "full"), Mark("face", "E")).matches(Tray("EU/.E", "face"))
    True
    """
    looks = _looks(goal.shape.model_name, mark)
    allowed = tuple(tuple(sorted({looks[i] for i in each})) for each in goal.allowed)
    return Goal(_shape(goal.shape, mark), goal.vacancies, allowed, False)


def _shape(shape: Shape, mark: Mark) -> Shape:
    return shape._replace(model_name=mark.model_name)
