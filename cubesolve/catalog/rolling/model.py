"""Models of rolling cubes, and shapes of trays (pure Python).

Cubes lie in a tray with one vacancy, into which a neighbour rolls. The letter of a roll is the direction in which the
*cube* moves: ``U D L R``, where U is towards the first row. Columns and rows are counted from 1; row 1 is written
first.

The three models differ in what is visible of a cube's orientation:

- ``axis`` (POJ 3131): opposite faces have the same colour, W, B or R. A cube is written as the colour on top and the
  colour on its left and right: ``WB``. At the start every cube is ``WB``.
- ``face`` (Harris): one face is marked. A cube is written as the direction of the mark: ``U`` up, ``D`` down,
  ``N E S W``, where N is towards the first row. At the start every cube is ``U``.
- ``full``: all 24 orientations. A cube is written as the faces, of ``U R F D L B``, that are on top and on the right.
  At the start every cube is ``UR``.

``docs/coordinates.md`` defines the ranks, and proves the invariants of rolling.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from cubesolve.errors import InvalidStateError, counted, quoted

DIRECTIONS = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}
"""The rolls, in the order in which ties are broken, and the rows and columns by which the cube moves."""

NONE = -1  # orientation in the vacancy
VACANCY = "."  # text of the vacancy in every model
ANYTHING = "*"  # text of a cell of a goal in which anything is allowed

# The sides that come to the top, bottom, right, left, front and back of a cube that rolls.
_SIDES = ("top", "bottom", "right", "left", "front", "back")
_ROLLED_FROM = {
    "R": ("left", "right", "top", "bottom", "front", "back"),
    "L": ("right", "left", "bottom", "top", "front", "back"),
    "D": ("back", "front", "right", "left", "top", "bottom"),
    "U": ("front", "back", "right", "left", "bottom", "top"),
}


class Model(NamedTuple):
    """The orientations of a cube that are distinguished.

    An orientation has a *sign*, which every roll changes, and a *digit*, which distinguishes it from others of its
    sign: as a number it is ``sign * base + digit``. The model ``face`` has no such sign: there all are 0. Searches have
    two more models: ``corner``, the position of one corner, and ``line``, the line through two opposite faces.

    Attributes:
        name: ``axis``, ``face``, ``full``, ``corner`` or ``line``.
        names: the text of each orientation; the first is the one at the start.
        base: the number of digits.
        rolls: for each direction, the orientation after each.
        marks: the letters of each on top, at the bottom, right, left, in front and behind.
    """

    name: str
    names: tuple[str, ...]
    base: int
    rolls: dict[str, tuple[int, ...]]
    marks: tuple[str, ...]

    @property
    def vacancy(self) -> str:
        """The text of the vacancy: ``E``, or ``.`` if E is a direction."""
        return VACANCY if "E" in self.names else "E"

    @property
    def has_signs(self) -> bool:
        """Whether rolls change a sign."""
        return self.base < len(self.names)

    def matching(self, text: str) -> tuple[int, ...]:
        """Return the orientations that a cell of a goal allows: one, several, or all; none if it is invalid."""
        return _matching(self.name, text)

    def carried(self, first: int, rolls: Mapping[str, Sequence[int]]) -> tuple[int, ...]:
        """Return the image of each orientation under a map of rolls, given the image of that at the start.

        Args:
            first: the image of the orientation at the start.
            rolls: for each direction, the image after it for each image.
        """
        images = {0: first}
        for orientation in (reached := [0]):
            for direction, after in self.rolls.items():
                if after[orientation] not in images:
                    images[after[orientation]] = rolls[direction][images[orientation]]
                    reached.append(after[orientation])
        return tuple(images[orientation] for orientation in range(len(self.names)))


@functools.lru_cache(1 << 10)
def _matching(name: str, text: str) -> tuple[int, ...]:
    names = _model(name).names
    if text in names:
        return (names.index(text),)
    return tuple(i for i, label in enumerate(names) if text == ANYTHING or (len(label) > 1 and label[0] == text))


ModelName = Literal["axis", "face", "full"]
"""The name of a model."""

MODELS: tuple[ModelName, ...] = ("axis", "face", "full")

# The marks on top, bottom, right, left, front and back at the start, and the sides that are written.
_MARKS = {
    "axis": ("WWBBRR", ("top", "right")),
    "face": ("X     ", ("X",)),
    "full": ("UDRLFB", ("top", "right")),
    "corner": ("X X X ", ("X",)),
    "line": ("XX    ", ("X",)),
}


def model_named(name: str) -> Model:
    """Return the model with a name.

    Raises:
        InvalidStateError: there is no such model.

    >>> model_named("axis").names
    ('WB', 'BR', 'RW', 'WR', 'BW', 'RB')
    """
    if not isinstance(name, str) or name not in _MARKS:
        raise InvalidStateError(f"unknown model {quoted(str(name))}: expected {', '.join(MODELS)}")
    return _model(name)


@functools.cache
def _model(name: str) -> Model:
    faces, written = _MARKS[name]
    start = tuple(faces)
    signs = {start: 0}
    rolls: dict[str, dict[tuple[str, ...], tuple[str, ...]]] = {direction: {} for direction in DIRECTIONS}
    reached = [start]
    for marks in reached:
        for direction, sources in _ROLLED_FROM.items():
            rolled = tuple(marks[_SIDES.index(side)] for side in sources)
            rolls[direction][marks] = rolled
            if rolled not in signs:
                signs[rolled] = 1 - signs[marks]
                reached.append(rolled)
    has_signs = all(signs[marks] != signs[rolled] for table in rolls.values() for marks, rolled in table.items())

    def named(marks: tuple[str, ...]) -> str:
        if len(written) == 1:  # the sides with a mark
            return "".join(side for side, mark in zip("UDEWSN", marks, strict=True) if mark == written[0])
        return "".join(marks[_SIDES.index(side)] for side in written)

    order = reached
    if has_signs:  # the same tops in the same order for both signs
        order = sorted(reached, key=lambda marks: (signs[marks], faces.index(marks[0]), reached.index(marks)))
    return Model(
        name,
        tuple(map(named, order)),
        len(order) // (1 + has_signs),
        {d: tuple(order.index(table[marks]) for marks in order) for d, table in rolls.items()},
        tuple(map("".join, order)),
    )


class Shape(NamedTuple):
    """The size of a tray and the model of its cubes, which determine the ranks.

    Cells are numbered row by row from 0. A state lists its cubes by *slot*: slot `i` holds the cube of cell `i`, unless
    that is the vacancy; then it holds the cube of the last cell, which has no slot of its own.
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
        """Return the colour of a cell on the checkerboard, 0 for the first."""
        return (cell // self.cols + cell % self.cols) % 2

    def in_slots(self, vacancy: int) -> list[int]:
        """Return the cells in the order of their slots."""
        return [slot if slot != vacancy else self.slots for slot in range(self.slots)]

    def subset_rank(self, subset: int) -> int:
        """Return the index of a set of slots among those of its size."""
        chosen = (slot for slot in range(self.slots) if subset >> slot & 1)
        return sum(math.comb(slot, i + 1) for i, slot in enumerate(chosen))

    def subset(self, rank: int, plus: int) -> int:
        """Return the set of `plus` slots with an index; the inverse of `subset_rank`."""
        subset = 0
        for slot in reversed(range(self.slots)):
            if plus and rank >= math.comb(slot, plus):
                rank -= math.comb(slot, plus)
                plus -= 1
                subset |= 1 << slot
        return subset

    @property
    def row(self) -> int:
        """The number of states with one vacancy and one set of "+" slots."""
        return int(self.model.base**self.slots)

    def states(self, plus: int) -> int:
        """Return the number of states with this many cubes of the class "+"."""
        return self.cells * math.comb(self.slots, plus) * self.row

    def source(self, vacancy: int, direction: str) -> int | None:
        """Return the cell whose cube can roll into the vacancy in a direction; None if there is none."""
        rows, cols = DIRECTIONS[direction]
        row, col = vacancy // self.cols - rows, vacancy % self.cols - cols
        return row * self.cols + col if 0 <= row < self.rows and 0 <= col < self.cols else None

    def vacancy_cell(self, vacancy: tuple[int, int]) -> int:
        """Return the number of a cell from its column and row; an `InvalidStateError` if the tray has no such cell."""
        try:
            x, y = map(operator.index, vacancy)
        except (TypeError, ValueError):
            message = f"a cell is its column and row, two integers, not {quoted(str(vacancy))}"
            raise InvalidStateError(message, "cell") from None
        if not (1 <= x <= self.cols and 1 <= y <= self.rows):
            outside = (
                f"column {counted(x)}, row {counted(y)} is outside a tray of {self.rows} rows and {self.cols} columns"
            )
            raise InvalidStateError(outside, "cell", cells=[(x, y)])
        return (y - 1) * self.cols + x - 1


@functools.lru_cache(maxsize=1024)
def rolls_from(shape: Shape, vacancy: int) -> tuple[tuple[str, int, tuple[int, ...]], ...]:
    """Return the rolls for a vacancy, in order: each with the cell of the cube, and the orientations after it."""
    sources = ((direction, shape.source(vacancy, direction)) for direction in DIRECTIONS)
    return tuple((d, source, shape.model.rolls[d]) for d, source in sources if source is not None)


class TraySymmetry(NamedTuple):
    """A symmetry of a tray that keeps the start orientation: the images of rolls, cells and orientations."""

    directions: dict[str, str]
    cells: tuple[int, ...]
    orientations: tuple[int, ...]


@functools.cache
def symmetries(shape: Shape) -> tuple[TraySymmetry, ...]:
    """Return the eight symmetries of a square tray, or the four of another one, the identity first.

    Those that exchange rows and columns also exchange the colours of the axes they exchange.
    """
    exchanges = (False, True) if shape.rows == shape.cols else (False,)
    elements = []
    for exchange, flip_rows, flip_cols in itertools.product(exchanges, (False, True), (False, True)):
        steps = {step: name for name, step in DIRECTIONS.items()}

        def moved(row: int, col: int, last_row: int, last_col: int) -> tuple[int, int]:
            row, col = (last_row - row if flip_rows else row), (last_col - col if flip_cols else col)  # noqa: B023
            return (col, row) if exchange else (row, col)  # noqa: B023

        directions = {name: steps[moved(*step, 0, 0)] for name, step in DIRECTIONS.items()}
        places = (moved(*divmod(cell, shape.cols), shape.rows - 1, shape.cols - 1) for cell in range(shape.cells))
        cells = tuple(row * shape.cols + col for row, col in places)
        turned = {name: shape.model.rolls[other] for name, other in directions.items()}
        elements.append(TraySymmetry(directions, cells, shape.model.carried(0, turned)))
    return tuple(elements)


def fixing(shape: Shape, cell: int) -> tuple[TraySymmetry, ...]:
    """Return the symmetries of a tray that fix a cell, the identity first."""
    return tuple(symmetry for symmetry in symmetries(shape) if symmetry.cells[cell] == cell)
