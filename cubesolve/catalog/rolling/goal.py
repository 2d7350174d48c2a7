"""Goals of rolling cubes: trays with cells that allow several orientations, and their projections (pure Python)."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator
from typing import NamedTuple

from cubesolve.catalog.rolling.model import ANYTHING, DIRECTIONS, VACANCY, Shape, TraySymmetry, model_named
from cubesolve.catalog.rolling.tray import NONE, Tray, parse_cells


class Goal(NamedTuple):
    """The states that a goal allows.

    Attributes:
        shape: the size and model of the tray.
        vacancies: the cells where the vacancy may be.
        allowed: for each cell the orientations that its cube may have.
        by_tops: whether the model is ``axis`` and only the tops matter: then there are tables of top patterns.
    """

    shape: Shape
    vacancies: tuple[int, ...]
    allowed: tuple[tuple[int, ...], ...]
    by_tops: bool

    @classmethod
    def parse(cls, text: str, model: str = "axis") -> Goal:
        """Read a goal: a tray in whose cells a single colour allows all orientations with it on top, ``*`` all.

        If no vacancy is written, it may be at any ``*``.

        Raises:
            InvalidStateError: see `parse_cells`.

        >>> Goal.parse("W*/WE").matches(Tray.start((2, 2), 2, 2))
        True
        """
        shape, cells = parse_cells(text, model=model, goal=True)
        vacancy = VACANCY if VACANCY in cells else ANYTHING
        return cls(
            shape,
            tuple(i for i, cell in enumerate(cells) if cell == vacancy),
            tuple(shape.model.matching(ANYTHING if cell == VACANCY else cell) for cell in cells),
            model == "axis" and not any(cell in shape.model.names for cell in cells),
        )

    @classmethod
    def only(cls, tray: Tray) -> Goal:
        """Return the goal that only one state fulfils, as it is read from the text of that state.

        >>> Goal.only(Tray("WB WR/RW E")) == Goal.parse("WB WR/RW E")
        True
        """
        anything = tray.shape.model.matching(ANYTHING)  # the vacancy has no orientation
        allowed = tuple(anything if i == NONE else (i,) for i in tray.orientations)
        return cls(tray.shape, (tray.orientations.index(NONE),), allowed, False)

    def matches(self, tray: Tray) -> bool:
        """Return whether a state fulfils the goal."""
        return tray.shape == self.shape and all(
            cell in self.vacancies if i == NONE else i in self.allowed[cell] for cell, i in enumerate(tray.orientations)
        )

    @property
    def tray(self) -> Tray | None:
        """The only state that fulfils it; None if there are several.

        >>> print(Goal.parse("WB WR/RW E").tray)
        WB WR/RW E
        """
        if self.number != 1:
            return None
        return Tray.of(self.shape, tuple(NONE if i in self.vacancies else o[0] for i, o in enumerate(self.allowed)))

    @property
    def number(self) -> int:
        """The number of states that fulfil it, with any number of cubes of the class "+"."""
        return sum(
            math.prod(len(orientations) for cell, orientations in enumerate(self.allowed) if cell != vacancy)
            for vacancy in self.vacancies
        )

    def trays(self, plus: int) -> Iterator[Tray]:
        """Yield the states that fulfil it and have this many cubes of the class "+".

        >>> [str(tray) for tray in Goal.parse("WW/WE").trays(2)]
        ['WB WB/WR E', 'WB WR/WB E', 'WR WR/WR E']
        """
        for vacancy in self.vacancies:
            choices = [(NONE,) if cell == vacancy else chosen for cell, chosen in enumerate(self.allowed)]
            for orientations in itertools.product(*choices):
                tray = Tray.of(self.shape, orientations)
                if tray.plus == plus:
                    yield tray

    def image_under(self, symmetry: TraySymmetry) -> Goal:
        """Return the goal after a symmetry."""
        allowed = dict(zip(symmetry.cells, self.allowed, strict=True))
        return self._replace(
            vacancies=tuple(symmetry.cells[cell] for cell in self.vacancies),
            allowed=tuple(tuple(symmetry.orientations[i] for i in allowed[cell]) for cell in range(self.shape.cells)),
        )

    def ranks(self, plus: int) -> Iterator[int]:
        """Yield the ranks of the states that fulfil the goal and have this many cubes of the class "+"."""
        for first, choices in self.choices(plus):
            yield from (first + sum(choice) for choice in itertools.product(*choices))

    def choices(self, plus: int) -> Iterator[tuple[int, list[list[int]]]]:
        """Yield the same ranks as sums: a first number, and for each slot several to choose from."""
        shape, model = self.shape, self.shape.model
        subsets = shape.subsets(plus)
        weights = [model.base ** (shape.slots - 1 - slot) for slot in range(shape.slots)]
        for vacancy in self.vacancies:
            for subset_rank, subset in enumerate(subsets):
                choices = []
                for slot, weight in enumerate(weights):
                    cell = shape.cell(slot, vacancy)
                    sign = shape.sign(cell, subset >> slot & 1)
                    choices.append([model.digits[i] * weight for i in self.allowed[cell] if model.signs[i] == sign])
                if all(choices):
                    yield (vacancy * len(subsets) + subset_rank) * shape.row, choices

    def pattern_ranks(self) -> Iterator[int]:
        """Yield the ranks of the top patterns that fulfil the goal, if it only depends on the tops.

        The rank of a pattern is that of a state without the set of "+" slots.
        """
        shape, model = self.shape, self.shape.model
        for vacancy in self.vacancies:
            cells = shape.in_slots(vacancy)
            for digits in itertools.product(*(sorted({model.digits[i] for i in self.allowed[c]}) for c in cells)):
                yield functools.reduce(lambda number, digit: number * model.base + digit, digits, vacancy)


def unrank_pattern(rank: int, shape: Shape) -> str:
    """Return the top pattern with a rank.

    >>> unrank_pattern(0, Shape(3, 3, "axis"))
    'EWW/WWW/WWW'
    """
    vacancy, number = divmod(rank, shape.row)
    orientations = [NONE] * shape.cells
    for cell in reversed(shape.in_slots(vacancy)):
        number, digit = divmod(number, shape.model.base)
        orientations[cell] = shape.model.orientation(0, digit)
    return Tray.of(shape, tuple(orientations)).pattern


# -- Projections to a mark on each cube --------------------------------------------------------------------------------
# A mark on a face projects the model ``full`` to the model ``face``, a mark on a corner to the model ``corner``, and a
# mark on two opposite faces the model ``axis`` to the model ``line``. Rolls act on these. Two marks that are not on one
# line through the centre of a cube determine its orientation.


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
