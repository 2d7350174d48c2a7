"""Rolling cubes: cubes in a tray with one vacancy, into which a neighbour rolls (pure Python).

Rolls are named by the direction in which the *cube* moves: ``U D L R``, where U is towards the first row. Columns and
rows are counted from 1; row 1 is written first.

Three models say what can be told of a cube's orientation:

- ``axis`` (POJ 3131): opposite faces have the same colour, W, B or R. A cube is written as the colour on top and the
  colour on its left and right: ``WB``. At the start every cube is ``WB``.
- ``face`` (Harris): one face is marked. A cube is written as the direction the mark looks to: ``U`` up, ``D`` down,
  ``N E S W``, where N is towards the first row. At the start every cube is ``U``.
- ``full``: all 24 orientations. A cube is written as the faces, of ``U R F D L B``, that are on top and on the right.
  At the start every cube is ``UR``.

``docs/coordinates.md`` defines the ranks, and proves what rolling never changes.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from cubesolve.errors import InvalidMoveError, InvalidStateError, UnsolvableStateError, quoted
from cubesolve.immutable import Immutable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_numbered = enumerate  # this module has an `enumerate` of its own

DIRECTIONS = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}
"""The rolls, in the order in which ties are broken, and the rows and columns by which the cube moves."""

_OPPOSITE = {"U": "D", "D": "U", "L": "R", "R": "L"}

VACANCY = "."
"""How the vacancy may be written in every model."""

ANYTHING = "*"
"""How a cell of a goal that may hold anything is written."""

_NONE = -1
_NO_ROLL = "is not a roll: expected U D L R"
_MOST_CELLS = 10_000
_MOST_NAMED = 6  # cells in a message
_UNREACHABLE = 255

# What comes to the top, bottom, right, left, front and back of a cube that rolls.
_SIDES = ("top", "bottom", "right", "left", "front", "back")
_ROLLED_FROM = {
    "R": ("left", "right", "top", "bottom", "front", "back"),
    "L": ("right", "left", "bottom", "top", "front", "back"),
    "D": ("back", "front", "right", "left", "top", "bottom"),
    "U": ("front", "back", "right", "left", "bottom", "top"),
}


class Model(NamedTuple):
    """What can be told of a cube's orientation.

    An orientation has a *sign*, which every roll changes, and a *digit*, which tells it from the others of its sign.
    The model ``face`` has no such sign: there all are 0.

    Attributes:
        name: ``axis``, ``face`` or ``full``.
        names: how each orientation is written; the first is the one at the start.
        signs: the sign of each, 0 or 1.
        digits: the digit of each.
        rolls: for each direction, the orientation that each becomes.
    """

    name: str
    names: tuple[str, ...]
    signs: tuple[int, ...]
    digits: tuple[int, ...]
    rolls: dict[str, tuple[int, ...]]

    @property
    def vacancy(self) -> str:
        """How the vacancy is written: ``E``, or ``.`` where E is a direction."""
        return VACANCY if "E" in self.names else "E"

    @property
    def base(self) -> int:
        """The number of digits."""
        return max(self.digits) + 1

    @property
    def has_signs(self) -> bool:
        """Whether rolls change a sign."""
        return max(self.signs) == 1

    def orientation(self, sign: int, digit: int) -> int:
        """The orientation with this sign and digit."""
        return _by_sign_and_digit(self.name)[sign, digit]

    def matching(self, text: str) -> tuple[int, ...]:
        """The orientations that a cell of a goal allows: one, all with a colour on top, or all; none if it is none."""
        if text == ANYTHING:
            return tuple(range(len(self.names)))
        if text in self.names:
            return (self.names.index(text),)
        return tuple(i for i, name in _numbered(self.names) if len(name) > 1 and name[0] == text)


MODELS = ("axis", "face", "full")
"""The names of the models."""

# The marks on top, bottom, right, left, front and back at the start, and the sides that are written.
_MARKS = {"axis": ("WWBBRR", ("top", "right")), "face": ("X     ", ("X",)), "full": ("UDRLFB", ("top", "right"))}


@functools.cache
def model_named(name: str) -> Model:
    """The model with a name.

    Raises:
        InvalidStateError: there is no such model.

    >>> model_named("axis").names
    ('WB', 'BR', 'RW', 'WR', 'BW', 'RB')
    """
    if name not in MODELS:
        raise InvalidStateError(f"unknown model {quoted(str(name))}: expected {', '.join(MODELS)}")
    faces, written = _MARKS[name]
    start = tuple(faces)
    found = {start: 0}
    rolls: dict[str, dict[tuple[str, ...], tuple[str, ...]]] = {direction: {} for direction in DIRECTIONS}
    reached = [start]
    for marks in reached:
        for direction, sources in _ROLLED_FROM.items():
            rolled = tuple(marks[_SIDES.index(side)] for side in sources)
            rolls[direction][marks] = rolled
            if rolled not in found:
                found[rolled] = 1 - found[marks]
                reached.append(rolled)
    has_signs = all(found[marks] != found[rolled] for table in rolls.values() for marks, rolled in table.items())

    def named(marks: tuple[str, ...]) -> str:
        if len(written) == 1:  # the side that shows a mark
            return dict(zip(_SIDES, "UDEWSN", strict=True))[_SIDES[marks.index(written[0])]]
        return "".join(marks[_SIDES.index(side)] for side in written)

    order = reached
    if has_signs:  # the same tops in the same order for both signs
        order = sorted(reached, key=lambda marks: (found[marks], faces.index(marks[0]), reached.index(marks)))
    half = len(order) // 2 if has_signs else len(order)
    return Model(
        name,
        tuple(map(named, order)),
        tuple(i // half for i in range(len(order))),
        tuple(i % half for i in range(len(order))),
        {d: tuple(order.index(table[marks]) for marks in order) for d, table in rolls.items()},
    )


@functools.cache
def _by_sign_and_digit(name: str) -> dict[tuple[int, int], int]:
    model = model_named(name)
    return {key: i for i, key in _numbered(zip(model.signs, model.digits, strict=True))}


class Shape(NamedTuple):
    """A tray's size and its cubes' model: what ranks depend on.

    Cells are numbered row by row from 0. A state lists its cubes by *slot*: slot `i` holds the cube of cell `i`, but
    where that is the vacancy it holds the cube of the last cell, which has no slot of its own.

    >>> Shape(3, 3, "axis").states(4)
    4133430
    """

    rows: int
    cols: int
    model_name: str = "axis"

    @property
    def model(self) -> Model:
        """The cubes' model."""
        return model_named(self.model_name)

    @property
    def cells(self) -> int:
        """The number of cells."""
        return self.rows * self.cols

    @property
    def slots(self) -> int:
        """The number of cubes."""
        return self.cells - 1

    def parity(self, cell: int) -> int:
        """The colour of a cell on the checkerboard, 0 for the first."""
        return (cell // self.cols + cell % self.cols) % 2

    def sign(self, cell: int, plus: int) -> int:
        """The sign of the orientation of a cube in a cell, from whether it is of the class "+" (1) or not (0)."""
        return (1 - plus) ^ self.parity(cell) if self.model.has_signs else 0

    def slot(self, cell: int, vacancy: int) -> int:
        """The slot of the cube in a cell."""
        return cell if cell < self.slots else vacancy

    def cell(self, slot: int, vacancy: int) -> int:
        """The cell of the cube in a slot."""
        return slot if slot != vacancy else self.slots

    def subsets(self, plus: int) -> list[int]:
        """The sets of `plus` slots, as bits with slot 0 the lowest, in ascending order."""
        return _subsets(self.slots, plus)

    def subset_rank(self, subset: int) -> int:
        """The place of a set of slots among those of its size."""
        chosen = (slot for slot in range(self.slots) if subset >> slot & 1)
        return sum(math.comb(slot, i + 1) for i, slot in _numbered(chosen))

    def subset(self, rank: int, plus: int) -> int:
        """The set of `plus` slots at a place; undoes `subset_rank`.

        >>> shape = Shape(3, 3)
        >>> [shape.subset(i, 4) for i in range(70)] == shape.subsets(4)
        True
        """
        subset = 0
        for slot in reversed(range(self.slots)):
            if plus and rank >= math.comb(slot, plus):
                rank -= math.comb(slot, plus)
                plus -= 1
                subset |= 1 << slot
        return subset

    def states(self, plus: int) -> int:
        """The number of states with this many cubes of the class "+"."""
        return self.cells * math.comb(self.slots, plus) * int(self.model.base**self.slots)

    def ranks_with_pattern(self, pattern: int, plus: int) -> Iterator[int]:
        """The ranks of the states with a top pattern, given by its rank, in ascending order."""
        fibre = self.model.base**self.slots
        vacancy, number = divmod(pattern, fibre)
        subsets = math.comb(self.slots, plus)
        return ((vacancy * subsets + subset) * fibre + number for subset in range(subsets))

    def source(self, vacancy: int, direction: str) -> int | None:
        """The cell whose cube can roll into the vacancy in a direction, if there is one."""
        rows, cols = DIRECTIONS[direction]
        row, col = vacancy // self.cols - rows, vacancy % self.cols - cols
        return row * self.cols + col if 0 <= row < self.rows and 0 <= col < self.cols else None

    def vacancy_cell(self, vacancy: tuple[int, int]) -> int:
        """The number of a cell from its column and row.

        Raises:
            InvalidStateError: the tray has no such cell.
        """
        x, y = map(operator.index, vacancy)
        if not (1 <= x <= self.cols and 1 <= y <= self.rows):
            outside = f"column {x}, row {y} is outside a tray of {self.rows} rows and {self.cols} columns"
            raise InvalidStateError(outside, "cell", cells=[(x, y)])
        return (y - 1) * self.cols + x - 1


@functools.cache
def _subsets(slots: int, plus: int) -> list[int]:
    return sorted(sum(1 << i for i in chosen) for chosen in itertools.combinations(range(slots), plus))


def parse_cells(text: str, *, model: str = "axis", goal: bool = False) -> tuple[Shape, list[str]]:
    """Read the rows of a tray: its shape, and what is written in each cell.

    Rows are separated by ``/`` or by new lines. Within a row, cells are separated by blanks, or else each is a single
    character (but rows that are single cubes of two letters make a tray of one column). The vacancy is ``.``, or ``E``
    where that is no direction.

    Args:
        text: the tray.
        model: the cubes' model.
        goal: allow what matches more than one orientation: a colour on top, ``*``.

    Raises:
        InvalidStateError: no tray, ragged rows, no or two vacancies (a goal need not have one), an unknown cube.

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
    for number, row in _numbered(written, start=1):
        if len(row) != len(written[0]):
            raise InvalidStateError(f"row {number} has {len(row)} cells, and row 1 has {len(written[0])}", "size")
    cells = [VACANCY if cell == shape.model.vacancy else cell for row in written for cell in row]
    for i, cell in _numbered(cells):
        known = shape.model.matching(cell) if goal else cell in shape.model.names
        if cell != VACANCY and not known:
            message = f"{quoted(cell)} at {_place(shape, i)} is {_expected(shape.model, goal)}"
            raise InvalidStateError(message, "cell", cells=[_column_and_row(shape, i)])
    vacancies = [i for i, cell in _numbered(cells) if cell == VACANCY]
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
        raise InvalidStateError(f"a tray has at most {_MOST_CELLS:,} cells, not {shape.cells:,}", "size")


def _column_and_row(shape: Shape, cell: int) -> tuple[int, int]:
    return cell % shape.cols + 1, cell // shape.cols + 1


def _place(shape: Shape, cell: int) -> str:
    column, row = _column_and_row(shape, cell)
    return f"column {column}, row {row}"


def _expected(model: Model, goal: bool) -> str:
    tops = sorted({name[0] for name in model.names if len(name) > 1}) if goal else []
    known = [*tops, *model.names, *([ANYTHING] if goal else [])]
    return f"no cube of the model {model.name}: expected {' '.join(known)}, or {model.vacancy} for the vacancy"


class Tray(Immutable):
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
            InvalidStateError: this is no tray.
        """
        shape, cells = parse_cells(text, model=model)
        names = shape.model.names
        self._set(shape, tuple(_NONE if cell == VACANCY else names.index(cell) for cell in cells))

    def _set(self, shape: Shape, orientations: tuple[int, ...]) -> None:
        object.__setattr__(self, "_shape", shape)
        object.__setattr__(self, "_orientations", orientations)

    @classmethod
    def _of(cls, shape: Shape, orientations: tuple[int, ...]) -> Tray:
        tray = object.__new__(cls)
        tray._set(shape, orientations)
        return tray

    @classmethod
    def start(cls, vacancy: tuple[int, int], rows: int = 3, cols: int = 3, model: str = "axis") -> Tray:
        """The uniform start: every cube as at the start of its model.

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
        shape = Shape(rows, cols, model_named(model).name)
        _require_size(shape)
        cell = shape.vacancy_cell(vacancy)
        return cls._of(shape, tuple(_NONE if i == cell else 0 for i in range(shape.cells)))

    @classmethod
    def unrank(cls, rank: int, plus: int, shape: Shape) -> Tray:
        """The state with a rank.

        Args:
            rank: the rank.
            plus: the number of cubes of the class "+", which rolling never changes (0 for the model ``face``).
            shape: the tray's size and model.

        Raises:
            ValueError: there is no such rank, or no such number of cubes.

        >>> start = Tray.start((2, 2))
        >>> Tray.unrank(start.rank, start.plus, start.shape) == start
        True
        """
        model = shape.model
        most = shape.slots if model.has_signs else 0
        if not 0 <= plus <= most:
            raise ValueError(f"{plus} cubes of the class '+' are not in 0..{most}")
        if not 0 <= rank < shape.states(plus):
            raise ValueError(f"rank {rank} is not in 0..{shape.states(plus) - 1}")
        row, number = divmod(rank, model.base**shape.slots)
        vacancy, subset_rank = divmod(row, math.comb(shape.slots, plus))
        subset = shape.subset(subset_rank, plus)
        orientations = [_NONE] * shape.cells
        for slot in reversed(range(shape.slots)):
            number, digit = divmod(number, model.base)
            cell = shape.cell(slot, vacancy)
            orientations[cell] = model.orientation(shape.sign(cell, subset >> slot & 1), digit)
        return cls._of(shape, tuple(orientations))

    @property
    def shape(self) -> Shape:
        """The tray's size and its cubes' model."""
        return self._shape

    @property
    def orientations(self) -> tuple[int, ...]:
        """The orientation in each cell, as an index of the model's names; -1 in the vacancy."""
        return self._orientations

    @property
    def vacancy(self) -> tuple[int, int]:
        """The vacancy's column and row, from 1."""
        return _column_and_row(self._shape, self._orientations.index(_NONE))

    @property
    def pattern(self) -> str:
        """What is on top in each cell, rows separated by ``/``."""
        names = self._shape.model.names
        tops = [self._shape.model.vacancy if i == _NONE else names[i][0] for i in self._orientations]
        return "/".join("".join(tops[i : i + self._shape.cols]) for i in range(0, len(tops), self._shape.cols))

    @property
    def plus(self) -> int:
        """The number of cubes of the class "+": that of their orientation's sign and their cell's colour together.

        No roll changes it. Without signs (model ``face``) it is 0.
        """
        return self._subset().bit_count()

    @property
    def rank(self) -> int:
        """The index of the state among those with the same shape and the same `plus`."""
        shape, model = self._shape, self._shape.model
        vacancy = self._orientations.index(_NONE)
        number = 0
        for slot in range(shape.slots):
            number = number * model.base + model.digits[self._orientations[shape.cell(slot, vacancy)]]
        subset = self._subset()
        row = vacancy * math.comb(shape.slots, subset.bit_count()) + shape.subset_rank(subset)
        return row * int(model.base**shape.slots) + number

    def _subset(self) -> int:
        """The slots of the cubes of the class "+", as bits."""
        shape, model = self._shape, self._shape.model
        if not model.has_signs:
            return 0
        vacancy = self._orientations.index(_NONE)
        subset = 0
        for slot in range(shape.slots):
            cell = shape.cell(slot, vacancy)
            subset |= (1 - (model.signs[self._orientations[cell]] ^ shape.parity(cell))) << slot
        return subset

    def rolls(self) -> Iterator[tuple[str, Tray]]:
        """Every possible roll, in the order ``U D L R``, and where it leads."""
        shape = self._shape
        vacancy = self._orientations.index(_NONE)
        for direction in DIRECTIONS:
            source = shape.source(vacancy, direction)
            if source is not None:
                orientations = list(self._orientations)
                orientations[vacancy] = shape.model.rolls[direction][orientations[source]]
                orientations[source] = _NONE
                yield direction, Tray._of(shape, tuple(orientations))

    def roll(self, direction: str) -> Tray:
        """The tray after one roll; the direction is that in which the cube moves.

        Raises:
            InvalidMoveError: no such roll, or no cube that could make it.

        >>> Tray.start((1, 1)).roll("R")
        Traceback (most recent call last):
            ...
        cubesolve.errors.InvalidMoveError: 'R' (character 1) is not possible: no cube left of column 1, row 1
        """
        if direction not in DIRECTIONS:
            raise InvalidMoveError(str(direction), 0, _NO_ROLL)
        return self.apply(direction)

    def apply(self, alg: str | Iterable[str]) -> Tray:
        """The tray after a sequence of rolls ``U D L R``, text or a list; white space between them is ignored.

        Raises:
            InvalidMoveError: a letter is no roll, or the roll is not possible there; which one, and where.

        >>> Tray.start((2, 2)).apply("L DR").vacancy
        (2, 1)
        """
        if not isinstance(alg, Iterable):
            raise InvalidMoveError(str(alg), 0, f"is of the type {type(alg).__name__}: rolls are text")
        tray = self
        for position, direction in _numbered(alg):
            if isinstance(direction, str) and direction.isspace():
                continue
            if direction not in DIRECTIONS:
                raise InvalidMoveError(str(direction), position, _NO_ROLL)
            possible = dict(tray.rolls())
            if direction not in possible:
                x, y = tray.vacancy
                side = {"U": "below", "D": "above", "L": "right of", "R": "left of"}[direction]
                reason = f"is not possible: no cube {side} column {x}, row {y}"
                raise InvalidMoveError(direction, position, reason)
            tray = possible[direction]
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
        cells = [self._shape.model.vacancy if i == _NONE else names[i] for i in self._orientations]
        between = "" if max(map(len, names)) == 1 else " "
        return "/".join(between.join(cells[i : i + self._shape.cols]) for i in range(0, len(cells), self._shape.cols))

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __repr__(self) -> str:
        return f"Tray({str(self)!r}, {self._shape.model_name!r})"


def invert_rolls(alg: str) -> str:
    """The rolls that undo a sequence of rolls.

    >>> invert_rolls("UL")
    'RD'
    """
    return "".join(_OPPOSITE[direction] for direction in reversed(alg))


class Symmetry(NamedTuple):
    """A symmetry of a square tray that leaves the start orientation of every cube alone.

    Attributes:
        directions: the roll that each roll becomes.
        cells: the cell to which each cell goes.
        orientations: the orientation that each becomes.
    """

    directions: dict[str, str]
    cells: tuple[int, ...]
    orientations: tuple[int, ...]


@functools.cache
def symmetries(shape: Shape) -> tuple[Symmetry, ...]:
    """The eight symmetries of a square tray, the identity first.

    Those that exchange rows and columns also exchange the colours of the axes they exchange.

    Raises:
        ValueError: the tray is not square.

    >>> len(symmetries(Shape(3, 3, "axis")))
    8
    """
    if shape.rows != shape.cols:
        raise ValueError("only square trays have these symmetries")
    found = []
    for exchange, flip_rows, flip_cols in itertools.product((False, True), repeat=3):
        steps = {step: name for name, step in DIRECTIONS.items()}

        def moved(row: int, col: int, greatest: int) -> tuple[int, int]:
            row, col = (greatest - row if flip_rows else row), (greatest - col if flip_cols else col)  # noqa: B023
            return (col, row) if exchange else (row, col)  # noqa: B023

        directions = {name: steps[moved(*step, 0)] for name, step in DIRECTIONS.items()}
        places = (moved(*divmod(cell, shape.cols), shape.rows - 1) for cell in range(shape.cells))
        cells = tuple(row * shape.cols + col for row, col in places)
        found.append(Symmetry(directions, cells, _turned_orientations(shape.model, directions)))
    return tuple(found)


def _turned_orientations(model: Model, directions: dict[str, str]) -> tuple[int, ...]:
    """What becomes of each orientation when rolls become others and the start orientation stays."""
    turned = {0: 0}
    reached = [0]
    for orientation in reached:
        for direction, other in directions.items():
            rolled = model.rolls[direction][orientation]
            if rolled not in turned:
                turned[rolled] = model.rolls[other][turned[orientation]]
                reached.append(rolled)
    return tuple(turned[i] for i in range(len(model.names)))


class Goal(NamedTuple):
    """The states that a goal allows.

    Attributes:
        shape: the tray's size and model.
        vacancies: the cells where the vacancy may be.
        allowed: for each cell the orientations that its cube may have.
        by_tops: whether the model is ``axis`` and the tops alone decide: then there are tables of top patterns.
    """

    shape: Shape
    vacancies: tuple[int, ...]
    allowed: tuple[tuple[int, ...], ...]
    by_tops: bool

    @classmethod
    def parse(cls, text: str, model: str = "axis") -> Goal:
        """Read a goal: a tray in whose cells a single colour allows all orientations with it on top, ``*`` all.

        Where no vacancy is written, it may be at any ``*``.

        Raises:
            InvalidStateError: see `parse_cells`.

        >>> Goal.parse("W*/WE").matches(Tray.start((2, 2), 2, 2))
        True
        """
        shape, cells = parse_cells(text, model=model, goal=True)
        vacancy = VACANCY if VACANCY in cells else ANYTHING
        return cls(
            shape,
            tuple(i for i, cell in _numbered(cells) if cell == vacancy),
            tuple(shape.model.matching(ANYTHING if cell == VACANCY else cell) for cell in cells),
            model == "axis" and not any(cell in shape.model.names for cell in cells),
        )

    @classmethod
    def only(cls, tray: Tray) -> Goal:
        """The goal that one state alone fulfils."""
        vacancy = tray.orientations.index(_NONE)
        return cls(tray.shape, (vacancy,), tuple((max(i, 0),) for i in tray.orientations), False)

    def matches(self, tray: Tray) -> bool:
        """Whether a state fulfils the goal."""
        return tray.shape == self.shape and all(
            cell in self.vacancies if i == _NONE else i in self.allowed[cell]
            for cell, i in _numbered(tray.orientations)
        )

    def seen_by(self, symmetry: Symmetry) -> Goal:
        """The goal after a symmetry."""
        allowed = dict(zip(symmetry.cells, self.allowed, strict=True))
        return self._replace(
            vacancies=tuple(symmetry.cells[cell] for cell in self.vacancies),
            allowed=tuple(tuple(symmetry.orientations[i] for i in allowed[cell]) for cell in range(self.shape.cells)),
        )

    def ranks(self, plus: int) -> Iterator[int]:
        """The ranks of the states that fulfil the goal and have this many cubes of the class "+"."""
        for first, choices in self.choices(plus):
            yield from (first + sum(choice) for choice in itertools.product(*choices))

    def choices(self, plus: int) -> Iterator[tuple[int, list[list[int]]]]:
        """The same ranks as sums: a first number, and for each slot several to choose from."""
        shape, model = self.shape, self.shape.model
        subsets = shape.subsets(plus)
        weights = [model.base ** (shape.slots - 1 - slot) for slot in range(shape.slots)]
        for vacancy in self.vacancies:
            for subset_rank, subset in _numbered(subsets):
                choices = []
                for slot, weight in _numbered(weights):
                    cell = shape.cell(slot, vacancy)
                    sign = shape.sign(cell, subset >> slot & 1)
                    choices.append([model.digits[i] * weight for i in self.allowed[cell] if model.signs[i] == sign])
                if all(choices):
                    yield (vacancy * len(subsets) + subset_rank) * model.base**shape.slots, choices

    def pattern_ranks(self) -> Iterator[int]:
        """The ranks of the top patterns that fulfil the goal, where the tops alone decide.

        A pattern's rank is that of a state without the set of "+" slots.
        """
        shape, model = self.shape, self.shape.model
        for vacancy in self.vacancies:
            cells = [shape.cell(slot, vacancy) for slot in range(shape.slots)]
            for digits in itertools.product(*(sorted({model.digits[i] for i in self.allowed[c]}) for c in cells)):
                yield functools.reduce(lambda number, digit: number * model.base + digit, digits, vacancy)


def unrank_pattern(rank: int, shape: Shape) -> str:
    """The top pattern with a rank.

    >>> unrank_pattern(0, Shape(3, 3, "axis"))
    'EWW/WWW/WWW'
    """
    vacancy, number = divmod(rank, shape.model.base**shape.slots)
    orientations = [_NONE] * shape.cells
    for slot in reversed(range(shape.slots)):
        number, digit = divmod(number, shape.model.base)
        orientations[shape.cell(slot, vacancy)] = shape.model.orientation(0, digit)
    return Tray._of(shape, tuple(orientations)).pattern


class Enumeration(NamedTuple):
    """The distances of all states from a start.

    Attributes:
        start: the start.
        depths: uint8 (states,): depths by rank, 255 where the start cannot be reached.
    """

    start: Tray
    depths: NDArray[np.uint8]

    @property
    def distribution(self) -> tuple[int, ...]:
        """The number of states at each depth, from 0."""
        from cubesolve.generate import distribution  # noqa: PLC0415  # see `enumerate`

        return distribution(self.depths)

    def depth(self, tray: Tray) -> int:
        """The least number of rolls between the start and a state.

        Raises:
            UnsolvableStateError: no rolls connect the two.
        """
        if tray.shape != self.start.shape or tray.plus != self.start.plus or self.depths[tray.rank] == _UNREACHABLE:
            raise UnsolvableStateError(f"no rolls lead from {self.start} to {tray}", "unreachable")
        return int(self.depths[tray.rank])

    def hardest(self) -> list[Tray]:
        """The states at the largest depth, in the order of their ranks."""
        deepest = len(self.distribution) - 1
        ranks = (self.depths == deepest).nonzero()[0].tolist()
        return [Tray.unrank(rank, self.start.plus, self.start.shape) for rank in ranks]


def enumerate(  # noqa: A001  # rolling.enumerate is what it does
    start: Tray, progress: Callable[[int, int, int], None] | None = None, workers: int | None = None
) -> Enumeration:
    """Enumerate every state that rolling reaches from a start, of any tray that fits in memory.

    Args:
        start: the state at depth 0.
        progress: called once a depth with the depth, the number of states there, and the number so far.
        workers: number of threads; by default one for each processor.

    Raises:
        InvalidStateError: there are more than 2**30 states.

    >>> found = enumerate(Tray.start((1, 1), 2, 2))
    >>> len(found.distribution) - 1, sum(found.distribution)
    (18, 36)
    """
    # Enumerating needs numpy and numba, which the model itself does not load.
    from cubesolve import generate, space  # noqa: PLC0415

    arrays = space.rolling_space(start.shape, start.plus)
    return Enumeration(start, generate.enumerate_depths(arrays, start.rank, progress, workers))
