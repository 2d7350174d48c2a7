"""What a mark on each rolling cube does: what is left of a model when no more is followed (pure Python).

Of the model ``full`` a mark on a face makes a tray of the model ``face``, one on a corner a tray of the model
``corner``; of the model ``axis`` a mark on two opposite faces makes a tray of the model ``line``. These roll along. Two
marks that are not on one line through the middle of a cube tell everything.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

from cubesolve.catalog.rolling.goal import Goal
from cubesolve.catalog.rolling.model import DIRECTIONS, Shape, model_named
from cubesolve.catalog.rolling.tray import NONE, Tray


class Mark(NamedTuple):
    """A mark on each cube that is followed alone.

    Attributes:
        model_name: ``face``, ``corner`` or ``line``, on which it is.
        at_start: where it looks at the start, as the model writes it.
    """

    model_name: str
    at_start: str


ON_LINES = (Mark("line", "UD"), Mark("line", "EW"), Mark("line", "SN"))
"""The three pairs of opposite faces, which look alike in the model ``axis``."""

ON_FACES = (Mark("face", "U"), Mark("face", "E"), Mark("face", "S"))
"""Three faces that meet in a corner."""

ON_CORNERS = (Mark("corner", "UES"), Mark("corner", "UWN"), Mark("face", "U"))
"""Two corners of a face across from each other, and that face. Corners tell more, since signs go along."""


@functools.cache
def _looks(model_name: str, mark: Mark) -> tuple[int, ...]:
    """Where a mark looks, for each orientation of a model that tells it."""
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
    """Where the mark of each cube looks.

    Args:
        tray: a tray of a model that tells where the mark looks: ``full``, or ``axis`` for lines.
        mark: which mark.

    >>> print(follow(Tray("UR RD/. UR", "full"), Mark("face", "E")))
    EU/.E
    >>> print(follow(Tray("UR RD/. UR", "full"), Mark("corner", "UES")))
    UES UWS/E UES
    """
    looks = _looks(tray.shape.model_name, mark)
    orientations = (NONE if i == NONE else looks[i] for i in tray.orientations)
    return Tray.of(_shape(tray.shape, mark), tuple(orientations))


def follow_goal(goal: Goal, mark: Mark) -> Goal:
    """What a goal says of where a mark looks.

    >>> follow_goal(Goal.parse("UR */. UR", "full"), Mark("face", "E")).matches(Tray("EU/.E", "face"))
    True
    """
    looks = _looks(goal.shape.model_name, mark)
    allowed = tuple(tuple(sorted({looks[i] for i in each})) for each in goal.allowed)
    return Goal(_shape(goal.shape, mark), goal.vacancies, allowed, False)


def _shape(shape: Shape, mark: Mark) -> Shape:
    return shape._replace(model_name=mark.model_name)
