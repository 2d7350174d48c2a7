"""Trays of rolling cubes: states and their ranks (pure Python). `model` describes rolls and models."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from cubesolve.catalog.rolling.model import (
    ANYTHING,
    DIRECTIONS,
    NONE,
    VACANCY,
    Model,
    Shape,
    TraySymmetry,
    model_named,
    rolls_from,
)
from cubesolve.definition.state import rank_below
from cubesolve.errors import InvalidMoveError, InvalidStateError, counted, quoted
from cubesolve.picture.immutable import Drawn
from cubesolve.runtime.arguments import integer
from cubesolve.runtime.deadline import check

if TYPE_CHECKING:
    from cubesolve.picture.pictures import Picture

_OPPOSITE = {"U": "D", "D": "U", "L": "R", "R": "L"}
_NO_ROLL = "is not a roll: expected U D L R"
_MOST_CELLS = 1_000
_MOST_NAMED = 6  # cells shown in a message


def parse_cells(text: str, *, model: str = "axis", goal: bool = False) -> tuple[Shape, list[str]]:
    """Read the rows of a tray: its shape, and the text of each cell.

    Rows are separated by ``/`` or by new lines. Within a row, cells are separated by blanks, or else each is a single
    character (but rows that are single cubes of two letters make a tray of one column). The vacancy is ``.``, or ``E``
    where that is no direction.

    >>> parse_cells("UU/.N", model="face")
    (Shape(rows=2, cols=2, model_name='face'), ['U', 'U', '.', 'N'])
    """
    if not isinstance(text, str):
        raise InvalidStateError(f"a tray is its rows as text, not of the type {type(text).__name__}", "type")
    long_names = not goal and len(model_named(model).names[0]) > 1
    lines = [line.strip() for line in text.strip().replace("/", "\n").split("\n")]
    one_column = any(line in model_named(model).names for line in lines) and any(len(line) == 1 for line in lines)
    apart = long_names or one_column or any(len(line.split()) > 1 for line in lines)
    written = [line.split() if apart else list(line) for line in lines]
    shape = Shape(len(written), len(written[0]), model)
    _require_size(shape)
    for number, row in enumerate(written, start=1):
        if len(row) != len(written[0]):
            raise InvalidStateError(f"row {number} has {len(row)} cells, and row 1 has {len(written[0])}", "size")
    cells = [VACANCY if cell == shape.model.vacancy else cell for row in written for cell in row]
    for i, cell in enumerate(cells):
        matches = shape.model.matching(cell) if goal else cell in shape.model.names
        if cell != VACANCY and not matches:
            message = f"{quoted(cell)} at {_place(shape, i)} is {_expected(shape.model, goal)}"
            if goal and set(cell) == {ANYTHING}:
                message = f"{quoted(cell)} at {_place(shape, i)} is not a cell: {ANYTHING} is a whole cell"
            raise InvalidStateError(message, "cell", cells=[_column_and_row(shape, i)])
    vacancies = [i for i, cell in enumerate(cells) if cell == VACANCY]
    if len(vacancies) > 1:
        named = [_place(shape, i) for i in vacancies]
        if len(named) > _MOST_NAMED:
            named[_MOST_NAMED - 1 :] = [f"{len(named) - _MOST_NAMED + 1} more"]
        message = f"a tray has one vacancy, not {len(vacancies)}: {' and '.join(named)}"
        raise InvalidStateError(message, "vacancy", cells=[_column_and_row(shape, i) for i in vacancies])
    if not vacancies and not (goal and ANYTHING in cells):
        raise InvalidStateError("the tray has no vacancy", "vacancy")
    return shape, cells


def _require_size(shape: Shape) -> None:
    if shape.rows < 1 or shape.cols < 1 or shape.cells < 2:
        raise InvalidStateError("a tray has at least two cells", "size")
    if shape.cells > _MOST_CELLS:
        raise InvalidStateError(f"a tray has at most {_MOST_CELLS:,} cells, not {counted(shape.cells)}", "size")


def _number(what: str, given: object) -> int:
    try:
        return integer(f"the number of {what}", given)
    except ValueError as error:
        raise InvalidStateError(str(error), "size") from None


def _column_and_row(shape: Shape, cell: int) -> tuple[int, int]:
    return cell % shape.cols + 1, cell // shape.cols + 1


def _place(shape: Shape, cell: int) -> str:
    column, row = _column_and_row(shape, cell)
    return f"column {column}, row {row}"


def _expected(model: Model, goal: bool) -> str:
    tops = sorted({name[0] for name in model.names if len(name) > 1}) if goal else []
    expected = [*tops, *model.names, *([ANYTHING] if goal else [])]
    return f"not a cube of the model {model.name}: expected {' '.join(expected)}, or {model.vacancy} for the vacancy"


class Tray(Drawn):
    """A tray of cubes with one vacancy: immutable, hashable.

    >>> tray = Tray.start((2, 1))
    >>> print(tray)
    WB E WB/WB WB WB/WB WB WB
    >>> print(tray.roll("L"))
    WB BW E/WB WB WB/WB WB WB
    >>> tray.roll("L").pattern
    'WBE/WWW/WWW'
    """

    __slots__ = ("_orientations", "_shape")
    _orientations: tuple[int, ...]
    _shape: Shape

    def __init__(self, text: str, model: str = "axis") -> None:
        """Read the rows of a tray, each cube with its orientation; see `parse_cells`.

        Raises:
            InvalidStateError: it is not a tray.
        """
        shape, cells = parse_cells(text, model=model)
        names = shape.model.names
        self._set(shape, tuple(NONE if cell == VACANCY else names.index(cell) for cell in cells))

    def _set(self, shape: Shape, orientations: tuple[int, ...]) -> None:
        object.__setattr__(self, "_shape", shape)
        object.__setattr__(self, "_orientations", orientations)

    @classmethod
    def of(cls, shape: Shape, orientations: tuple[int, ...]) -> Tray:
        """Return the tray with orientations in its cells, -1 in the vacancy; they are not checked."""
        tray = object.__new__(cls)
        tray._set(shape, orientations)
        return tray

    @classmethod
    def start(cls, vacancy: tuple[int, int], rows: int = 3, cols: int = 3, model: str = "axis") -> Tray:
        """Return the uniform start: every cube as at the start of its model.

        Args:
            vacancy: the vacancy's column and row, from 1.
            rows: number of rows.
            cols: number of columns.
            model: the cubes' model.

        Raises:
            InvalidStateError: the tray is too small or has no such cell, or there is no such model.

        >>> print(Tray.start((1, 2), rows=2, cols=2, model="face"))
        UU/.U
        """
        shape = Shape(_number("rows", rows), _number("columns", cols), model_named(model).name)
        _require_size(shape)
        cell = shape.vacancy_cell(vacancy)
        return cls.of(shape, tuple(NONE if i == cell else 0 for i in range(shape.cells)))

    @classmethod
    def unrank(cls, rank: int, plus: int, shape: Shape) -> Tray:
        """Return the state with a rank.

        Args:
            rank: the rank.
            plus: the number of cubes of the class "+", which rolling never changes (0 for the model ``face``).
            shape: the tray's size and model.

        Raises:
            ValueError: the rank or the number of cubes is out of range.

        >>> start = Tray.start((2, 2))
        >>> Tray.unrank(start.rank, start.plus, start.shape) == start
        True
        """
        model = shape.model
        limit = shape.slots if model.has_signs else 0
        if not 0 <= operator.index(plus) <= limit:
            raise ValueError(f"{plus} cubes of the class '+' are not in 0..{limit}")
        row, number = divmod(rank_below(shape.states(plus), rank), shape.row)
        vacancy, subset_rank = divmod(row, math.comb(shape.slots, plus))
        subset = shape.subset(subset_rank, plus)
        orientations, cells = [NONE] * shape.cells, shape.in_slots(vacancy)
        for slot in reversed(range(shape.slots)):
            number, digit = divmod(number, model.base)
            sign = model.has_signs and subset >> slot & 1 == shape.parity(cells[slot])
            orientations[cells[slot]] = sign * model.base + digit
        return cls.of(shape, tuple(orientations))

    @property
    def shape(self) -> Shape:
        """The size of the tray and the model of its cubes."""
        return self._shape

    @property
    def orientations(self) -> tuple[int, ...]:
        """The orientation in each cell, as an index of the names of the model; -1 in the vacancy."""
        return self._orientations

    @property
    def is_uniform(self) -> bool:
        """Whether every cube is as at the start of its model.

        >>> Tray.start((2, 1)).is_uniform, Tray.start((2, 1)).roll("L").is_uniform
        (True, False)
        """
        return all(orientation <= 0 for orientation in self._orientations)

    @property
    def vacancy(self) -> tuple[int, int]:
        """The column and row of the vacancy, from 1."""
        return _column_and_row(self._shape, self._orientations.index(NONE))

    @property
    def pattern(self) -> str:
        """The letters on top in each cell, rows separated by ``/``."""
        return self._in_rows([name[0] for name in self._shape.model.names], "")

    @property
    def plus(self) -> int:
        """The number of cubes of the class "+": the sign of their orientation plus the colour of their cell.

        No roll changes it. Without signs (model ``face``) it is 0.
        """
        return self.subset.bit_count()

    @property
    def rank(self) -> int:
        """The index of the state among those with the same shape and the same `plus`."""
        shape, vacancy, subset, number = self._shape, self._orientations.index(NONE), self.subset, 0
        base = shape.model.base
        for cell in shape.in_slots(vacancy):
            number = number * base + self._orientations[cell] % base
        row = vacancy * math.comb(shape.slots, subset.bit_count()) + shape.subset_rank(subset)
        return row * shape.row + number

    @property
    def subset(self) -> int:
        """The slots of the cubes of the class "+", as bits; 0 without signs."""
        shape, model = self._shape, self._shape.model
        if not model.has_signs:
            return 0
        vacancy = self._orientations.index(NONE)
        subset = 0
        for slot, cell in enumerate(shape.in_slots(vacancy)):
            subset |= (self._orientations[cell] // model.base == shape.parity(cell)) << slot
        return subset

    def image_under(self, symmetry: TraySymmetry) -> Tray:
        """Return the tray after a symmetry.

        >>> from cubesolve.catalog.rolling.model import symmetries
        >>> tray = Tray("WR WB/WB E")
        >>> print(tray.image_under(symmetries(tray.shape)[1]))
        WB WR/E WB
        """
        moved = dict(zip(symmetry.cells, self._orientations, strict=True))
        turned = (*symmetry.orientations, NONE)  # the vacancy keeps its value
        return Tray.of(self._shape, tuple(turned[moved[cell]] for cell in range(self._shape.cells)))

    def rolls(self) -> Iterator[tuple[str, Tray]]:
        """Yield every possible roll, in the order ``U D L R``, and the tray after it."""
        vacancy = self._orientations.index(NONE)
        for direction, source, rolled in rolls_from(self._shape, vacancy):
            orientations = list(self._orientations)
            orientations[vacancy] = rolled[orientations[source]]
            orientations[source] = NONE
            yield direction, Tray.of(self._shape, tuple(orientations))

    def roll(self, direction: str) -> Tray:
        """Return the tray after one roll; the direction is that in which the cube moves.

        Raises:
            InvalidMoveError: there is no such roll, or no cube that could make it.

        >>> Tray.start((1, 1)).roll("R")
        Traceback (most recent call last):
            ...
        cubesolve.errors.InvalidMoveError: 'R' (character 1) is not possible: no cube left of column 1, row 1
        """
        if not isinstance(direction, str) or direction not in DIRECTIONS:
            raise InvalidMoveError(str(direction), 0, _NO_ROLL)
        return self.apply(direction)

    def apply(self, alg: str | Iterable[str]) -> Tray:
        """Return the tray after a sequence of rolls ``U D L R``, text or a list; white space between them is ignored.

        Raises:
            InvalidMoveError: a letter is not a roll, or the roll is not possible; the message says which, and where.

        >>> Tray.start((2, 2)).apply("L DR").vacancy
        (2, 1)
        """
        try:
            directions = list(alg)
        except TypeError:
            raise InvalidMoveError(str(alg), 0, f"is of the type {type(alg).__name__}: rolls are text") from None
        tray = self
        for position, direction in enumerate(directions):
            check()
            if isinstance(direction, str) and direction.isspace():
                continue
            if not isinstance(direction, str) or direction not in DIRECTIONS:
                raise InvalidMoveError(str(direction), position, _NO_ROLL)
            rolled = next((neighbour for possible, neighbour in tray.rolls() if possible == direction), None)
            if rolled is None:
                x, y = tray.vacancy
                side = {"U": "below", "D": "above", "L": "right of", "R": "left of"}[direction]
                reason = f"is not possible: no cube {side} column {x}, row {y}"
                raise InvalidMoveError(direction, position, reason)
            tray = rolled
        return tray

    def __reduce__(self) -> tuple[type[Tray], tuple[str, str]]:
        return Tray, (str(self), self._shape.model_name)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tray):
            return NotImplemented
        return (self._shape, self._orientations) == (other._shape, other._orientations)

    def __hash__(self) -> int:
        return hash((self._shape, self._orientations))

    def __str__(self) -> str:
        names = self._shape.model.names
        return self._in_rows(names, "" if max(map(len, names)) == 1 else " ")

    def _in_rows(self, names: Sequence[str], between: str) -> str:
        cells = [self._shape.model.vacancy if i == NONE else names[i] for i in self._orientations]
        return "/".join(between.join(cells[i : i + self._shape.cols]) for i in range(0, len(cells), self._shape.cols))

    def __repr__(self) -> str:
        return f"Tray({str(self)!r}, {self._shape.model_name!r})"

    def _drawn(self) -> Picture:
        from cubesolve.catalog.rolling.picture import of_cells  # noqa: PLC0415  # needed for pictures only

        text = str(self)
        return of_cells(*parse_cells(text, model=self._shape.model_name), text)


def invert_rolls(alg: str) -> str:
    """Return the inverse of a sequence of rolls; white space between them is ignored.

    Raises:
        InvalidMoveError: a letter is not a roll.

    >>> invert_rolls("UL")
    'RD'
    """
    try:
        return "".join(_OPPOSITE[direction] for direction in reversed(alg) if not direction.isspace())
    except KeyError as error:
        raise InvalidMoveError(error.args[0], alg.index(error.args[0]), _NO_ROLL) from None
