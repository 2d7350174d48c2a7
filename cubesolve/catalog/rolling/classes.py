"""Trays up to the symmetries that fix the vacancy of a start (pure Python).

The distance from a uniform start is the same for all trays in a symmetry class. A *row* is the set of trays with one
vacancy and one set of cubes of the class "+". Symmetries take whole rows to rows, so one row represents its class;
ranks count the trays of these, class by class. If a symmetry takes a row to itself, symmetric trays of it have
different ranks: a row is stored as a whole.

The digits of a rank are those of the cubes on cells of one colour of the checkerboard and then those on the other.
Neither these symmetries nor rolls mix them, except for the cube that rolls, so neighbours in a table stay neighbours.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

from cubesolve.catalog.rolling.model import Shape, TraySymmetry, fixing
from cubesolve.catalog.rolling.tray import NONE, Tray


class Row(NamedTuple):
    """The trays with one vacancy and one set of cubes of the class "+".

    Attributes:
        vacancy: the cell of the vacancy.
        plus: the cells of these cubes, as bits.
    """

    vacancy: int
    plus: int

    def rolled(self, source: int) -> Row:
        """Return the row after the cube in a cell rolls into the vacancy; no roll changes its class."""
        stays = self.plus & ~(1 << source)
        return Row(source, stays | (self.plus >> source & 1) << self.vacancy)

    def image_under(self, symmetry: TraySymmetry) -> Row:
        """Return the row after a symmetry, which fixes a cell and so keeps every cube in its class."""
        moved = sum(1 << there for cell, there in enumerate(symmetry.cells) if self.plus >> cell & 1)
        return Row(symmetry.cells[self.vacancy], moved)


class RowClass(NamedTuple):
    """The class of a row.

    Attributes:
        number: the number of the class.
        symmetries: those that take the row to the representative; several if that is symmetric.
    """

    number: int
    symmetries: tuple[TraySymmetry, ...]


class TrayClasses(NamedTuple):
    """The classes of the trays of one shape with a number of cubes of the class "+".

    Attributes:
        shape: the shape.
        plus: the number.
        fixed: the cell that the symmetries fix; None for no symmetries, when ranks are those of trays.
        rows: for each class its representative.
        sizes: for each class, its number of rows.
        of_row: for each row, its class.
    """

    shape: Shape
    plus: int
    fixed: int | None
    rows: list[Row]
    sizes: list[int]
    of_row: dict[Row, RowClass]

    def cells(self, vacancy: int) -> list[int]:
        """Return the cells in the order of the digits of ranks.

        >>> classes_of(Shape(3, 3), 4, 0).cells(4)
        [0, 2, 6, 8, 1, 3, 5, 7]
        """
        if self.fixed is None:
            return self.shape.in_slots(vacancy)
        return sorted({*range(self.shape.cells)} - {vacancy}, key=lambda cell: (self.shape.parity(cell), cell))

    @property
    def entries(self) -> int:
        """The number of ranks."""
        return len(self.rows) * self.shape.row

    def rank(self, tray: Tray) -> int:
        """Return the rank of a tray, up to symmetry.

        >>> start = Tray.start((2, 2), 2, 2)
        >>> classes = classes_of(start.shape, start.plus, 3)
        >>> classes.rank(start.roll("D")) == classes.rank(start.roll("R")) != classes.rank(start)
        True
        """
        vacancy = tray.orientations.index(NONE)
        found = self.of_row[Row(vacancy, self.shape.cells_of(tray.subset, vacancy))]
        seen = tray.image_under(found.symmetries[0]).orientations
        cells = self.cells(seen.index(NONE))
        return found.number * self.shape.row + self.shape.model.number([seen[cell] for cell in cells])

    def unrank(self, rank: int) -> Tray:
        """Return the tray with a rank.

        >>> classes = classes_of(Shape(2, 2), 2, 3)
        >>> all(classes.rank(classes.unrank(rank)) == rank for rank in range(classes.entries))
        True
        """
        model, number = self.shape.model, rank // self.shape.row
        vacancy, plus = self.rows[number]
        orientations = [NONE] * self.shape.cells
        for cell in reversed(self.cells(vacancy)):
            rank, digit = divmod(rank, model.base)
            orientations[cell] = model.orientation(self.shape.sign(cell, plus >> cell & 1), digit)
        return Tray.of(self.shape, tuple(orientations))


@functools.cache
def classes_of(shape: Shape, plus: int, fixed: int | None) -> TrayClasses:
    """Return the classes of trays under the symmetries that fix a cell.

    Args:
        fixed: the cell; with None, each row is a class of its own.

    >>> [len(classes_of(Shape(3, 3), 4, fixed).rows) for fixed in (None, 0, 4)]
    [630, 324, 89]
    """
    group = fixing(shape, 0)[:1] if fixed is None else fixing(shape, fixed)
    classes = TrayClasses(shape, plus, fixed, [], [], {})
    for vacancy in range(shape.cells):
        for subset in shape.subsets(plus):
            row = Row(vacancy, shape.cells_of(subset, vacancy))
            if row in classes.of_row:
                continue
            images = {row.image_under(symmetry): None for symmetry in group}
            for image in images:
                back = tuple(symmetry for symmetry in group if image.image_under(symmetry) == row)
                classes.of_row[image] = RowClass(len(classes.rows), back)
            classes.rows.append(row)
            classes.sizes.append(len(images))
    return classes
