"""Goals of rolling cubes: trays with cells that allow several orientations, and their projections (pure Python)."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator
from typing import NamedTuple

from cubesolve.catalog.rolling.model import ANYTHING, NONE, VACANCY, Shape, TraySymmetry, model_named
from cubesolve.catalog.rolling.tray import Tray, parse_cells


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

    def image_under(self, symmetry: TraySymmetry) -> Goal:
        """Return the goal after a symmetry."""
        allowed = dict(zip(symmetry.cells, self.allowed, strict=True))
        return self._replace(
            vacancies=tuple(symmetry.cells[cell] for cell in self.vacancies),
            allowed=tuple(tuple(symmetry.orientations[i] for i in allowed[cell]) for cell in range(self.shape.cells)),
        )

    def allows(self, plus: int) -> bool:
        """Return whether a state with this many cubes of the class "+" fulfils it."""
        return next(self.choices(plus), None) is not None

    def trays(self, plus: int) -> Iterator[Tray]:
        """Yield the states that fulfil it and have this many cubes of the class "+".

        >>> [str(tray) for tray in Goal.parse("WW/WE").trays(2)]
        ['WB WR/WB E', 'WB WB/WR E', 'WR WR/WR E']
        """
        return (Tray.unrank(rank, plus, self.shape) for rank in self.ranks(plus))

    def ranks(self, plus: int) -> Iterator[int]:
        """Yield the ranks of the states that fulfil it and have this many cubes of the class "+"."""
        for first, choices in self.choices(plus):
            yield from (first + sum(choice) for choice in itertools.product(*choices))

    def choices(self, plus: int) -> Iterator[tuple[int, list[list[int]]]]:
        """Yield the same ranks as sums: a first number, and for each slot several to choose from."""
        shape, base = self.shape, self.shape.model.base
        for vacancy in self.vacancies:
            slots = [
                _by_class(self.allowed[cell], shape.parity(cell), base ** (shape.slots - 1 - slot), shape.model_name)
                for slot, cell in enumerate(shape.in_slots(vacancy))
            ]
            needed = {slot for slot, (others, _) in enumerate(slots) if not others}
            free = [slot for slot, (others, of_class) in enumerate(slots) if others and of_class]
            for chosen in itertools.combinations(free, plus - len(needed)) if plus >= len(needed) else ():
                subset = needed.union(chosen)
                row = vacancy * math.comb(shape.slots, plus) + shape.subset_rank(sum(1 << slot for slot in subset))
                yield row * shape.row, [choices[slot in subset] for slot, choices in enumerate(slots)]


@functools.lru_cache(1 << 10)
def _by_class(allowed: tuple[int, ...], parity: int, weight: int, model_name: str) -> tuple[list[int], list[int]]:
    """Return the digits of orientations on cells of a colour, times a weight: for cubes of the class "-", and "+"."""
    digits: tuple[list[int], list[int]] = [], []
    model = model_named(model_name)
    for sign, digit in (divmod(orientation, model.base) for orientation in allowed):
        digits[model.has_signs and sign == parity].append(digit * weight)
    return digits


def unrank_pattern(rank: int, shape: Shape) -> str:
    """Return the top pattern with a rank, which is that of its state without cubes of the class "+"."""
    return Tray.unrank(rank, 0, shape).pattern


def pattern_under(symmetry: TraySymmetry, pattern: str) -> int:
    """Return the rank of the image of a top pattern."""
    return next(Goal.parse(pattern).image_under(symmetry).ranks(0))


# -- Projections to a mark on each cube --------------------------------------------------------------------------------
# A mark on a face projects the model ``full`` to the model ``face``, a mark on a corner to the model ``corner``, and a
# mark on two opposite faces the model ``axis`` to the model ``line``. Rolls act on these. Two marks that are not on one
# line through the centre of a cube determine its orientation.


class Mark(NamedTuple):
    """A mark on each cube: a model, ``face``, ``corner`` or ``line``, and its name of the position at the start."""

    model_name: str
    at_start: str

    def of_tray(self, tray: Tray) -> Tray:
        """Return the tray of the marks of the cubes."""
        shape, positions = tray.shape, _positions(tray.shape.model_name, self)
        orientations = (NONE if i == NONE else positions[i] for i in tray.orientations)
        return Tray.of(shape._replace(model_name=self.model_name), tuple(orientations))

    def of_goal(self, goal: Goal) -> Goal:
        """Return the goal for the mark that follows from a goal."""
        shape, positions = goal.shape, _positions(goal.shape.model_name, self)
        allowed = tuple(tuple(sorted({positions[i] for i in orientations})) for orientations in goal.allowed)
        return Goal(shape._replace(model_name=self.model_name), goal.vacancies, allowed, False)


@functools.cache
def _positions(model_name: str, mark: Mark) -> tuple[int, ...]:
    """Return the position of a mark for each orientation of a model that determines it."""
    model = model_named(mark.model_name)
    return model_named(model_name).carried(model.names.index(mark.at_start), model.rolls)


ON_LINES = (Mark("line", "UD"), Mark("line", "EW"), Mark("line", "SN"))
"""The three pairs of opposite faces, which look alike in the model ``axis``."""

ON_FACES = (Mark("face", "U"), Mark("face", "E"), Mark("face", "S"))  # three faces that meet in a corner

ON_CORNERS = (Mark("corner", "UES"), Mark("corner", "UWN"), Mark("face", "U"))
"""Two corners of a face across from each other, and that face. Corners are worth more, since they have signs."""
