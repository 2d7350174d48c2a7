"""Where single faces of rolling cubes look: what is left of the model ``full`` in the model ``face`` (pure Python).

Three faces that meet in a corner, each followed alone, make three trays of the model ``face``, which roll along. Two
of them together tell everything.
"""

from __future__ import annotations

import functools

from cubesolve.catalog.rolling.goal import Goal
from cubesolve.catalog.rolling.model import DIRECTIONS, Shape, model_named
from cubesolve.catalog.rolling.tray import NONE, Tray

FACES = ("U", "E", "S")
"""Where the three faces look at the start: up, to the right, and towards the last row."""


@functools.cache
def _looks() -> dict[int, tuple[int, ...]]:
    """Where each of the faces looks, for each orientation of the model ``full``."""
    full, face = model_named("full"), model_named("face")
    found = {0: tuple(map(face.names.index, FACES))}
    for orientation in (reached := [0]):
        for direction in DIRECTIONS:
            rolled = full.rolls[direction][orientation]
            if rolled not in found:
                found[rolled] = tuple(face.rolls[direction][look] for look in found[orientation])
                reached.append(rolled)
    return found


def face_of(tray: Tray, number: int) -> Tray:
    """Where one of the faces of each cube looks.

    Args:
        tray: a tray of the model ``full``.
        number: which face.

    >>> print(face_of(Tray("UR RD/. UR", "full"), 1))
    EU/.E
    """
    looks = _looks()
    orientations = (NONE if i == NONE else looks[i][number] for i in tray.orientations)
    return Tray.of(_shape(tray.shape), tuple(orientations))


def goal_of(goal: Goal, number: int) -> Goal:
    """What a goal says of where one of the faces looks.

    >>> goal_of(Goal.parse("UR */. UR", "full"), 1).matches(Tray("EU/.E", "face"))
    True
    """
    looks = _looks()
    allowed = tuple(tuple(sorted({looks[i][number] for i in each})) for each in goal.allowed)
    return Goal(_shape(goal.shape), goal.vacancies, allowed, False)


def _shape(shape: Shape) -> Shape:
    return shape._replace(model_name="face")
