"""Spaces and arrays of rolling cubes (numpy).

``catalog.rolling`` defines the ranks of single trays; this module has the same for arrays.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.catalog.rolling.classes import Row, TrayClasses, classes_of
from cubesolve.catalog.rolling.goal import Goal
from cubesolve.catalog.rolling.model import DIRECTIONS, Shape, TraySymmetry, fixing, model_named
from cubesolve.catalog.rolling.tray import Tray
from cubesolve.errors import InvalidStateError, TooLargeError
from cubesolve.runtime.deadline import check
from cubesolve.spaces.batches import ArrayForm, Batch, RankBatch, as_array
from cubesolve.spaces.space import LARGEST_SPACE, StateSpace

VACANCY = 255
"""The vacancy in an array of cells; -1 in signed integers."""

_WIDEST_ROW = 1 << 15  # entries, so that rows stay in an inner cache


def rolling_space(shape: Shape, plus: int, most: int = LARGEST_SPACE, fixed: int | None = None) -> StateSpace:
    """Return the space of rolling cubes with `plus` cubes of the class "+"; ranks are those of `rolling.Tray`.

    Args:
        shape: the tray and the model.
        plus: the number of cubes of the class "+".
        most: the maximum number of states.
        fixed: count trays up to the symmetries that fix this cell; ranks are those of `classes.TrayClasses`.

    Raises:
        TooLargeError: the tray has more than `most` states.

    >>> rolling_space(Shape(3, 3, "axis"), 4).states, rolling_space(Shape(3, 3, "axis"), 4, fixed=4).states
    (4133430, 583929)
    """
    alike = 1 if fixed is None else len(fixing(shape, fixed))
    if shape.states(plus) > most * alike:
        raise TooLargeError(shape.states(plus), most * alike, exact=True)
    classes = classes_of(shape, plus, fixed)
    if classes.entries > most:
        raise TooLargeError(classes.entries, most, exact=True)
    digits = shape.model.base
    low = max(n for n in range(shape.slots + 1) if digits**n <= _WIDEST_ROW)  # slots whose digits are the fibre
    block = digits ** (shape.slots - low)
    ways = []
    for row in classes.rows:
        check()
        ways.append(_ways_from(classes, row))
    base = np.full((1 + max(map(max, ways)), len(classes.rows) * block), -1, np.int32)
    action, offsets = np.zeros(base.shape, np.uint16), np.zeros(base.shape, np.uint32)
    fibre: dict[bytes, int] = {}
    actions = []
    for number, found in enumerate(ways):
        here = slice(number * block, (number + 1) * block)
        check()
        for m, (target, parts) in found.items():
            high, rest = parts[: shape.slots - low], parts[shape.slots - low :]
            rows, offsets[m, here] = np.divmod(_sums(high), digits**low)
            base[m, here] = target * block + rows
            if rest.tobytes() not in fibre:
                fibre[rest.tobytes()] = len(fibre)
                actions.append(_sums(rest).astype(np.uint32))
            action[m, here] = fibre[rest.tobytes()]
    counts = np.repeat(np.array(classes.sizes, np.uint8), block)
    are_apart = offsets if offsets.any() else None
    return StateSpace(base, action, np.array(actions), True, counts=counts, offsets=are_apart)


def table_space(shape: Shape, plus: int, entries: int, fixed: int | None) -> StateSpace:
    """Return the same for a table with a number of entries, which may exceed that of other spaces."""
    return rolling_space(shape, plus, max(LARGEST_SPACE, entries), fixed)


def _ways_from(classes: TrayClasses, row: Row) -> dict[int, tuple[int, NDArray[np.int64]]]:
    """Return the rolls from the row that represents a class.

    If symmetries take the row after a roll to itself, each of them has an edge of its own: a tray is a neighbour of all
    symmetric trays there.

    Returns:
        By the number of the roll, or a number of its own for further edges of a roll: the class, and int64 (slots,
        digits), the summand of each digit of each slot in the number there.
    """
    shape, model = classes.shape, classes.shape.model
    cells = classes.cells(row.vacancy)
    ways: dict[int, tuple[int, NDArray[np.int64]]] = {}
    further = itertools.count(len(DIRECTIONS))
    for direction, source, _ in shape.rolls_from(row.vacancy):
        number, symmetries = classes.of_row[row.rolled(source)]
        seen: set[bytes] = set()
        for symmetry in symmetries:
            places = classes.cells(symmetry.cells[source])
            parts = np.empty((shape.slots, model.base), np.int64)
            for slot, cell in enumerate(cells):
                there = symmetry.cells[row.vacancy if cell == source else cell]
                weight = model.base ** (shape.slots - 1 - places.index(there))
                sign = shape.sign(cell, row.plus >> cell & 1)
                roll = direction if cell == source else None
                parts[slot] = _turned(model.name, roll, symmetry.orientations)[sign] * weight
            if parts.tobytes() not in seen:
                ways[next(further) if seen else list(DIRECTIONS).index(direction)] = number, parts
            seen.add(parts.tobytes())
    return ways


@functools.cache
def _turned(model_name: str, roll: str | None, turned: tuple[int, ...]) -> list[NDArray[np.int64]]:
    """Return, for each sign, the image of each digit when a cube rolls, or stays, under a map of orientations."""
    model = model_named(model_name)
    rolled = model.rolls[roll] if roll else range(len(model.names))
    signs = sorted(set(model.signs))
    return [
        np.array([model.digits[turned[rolled[model.orientation(sign, digit)]]] for digit in range(model.base)])
        for sign in signs
    ]


def _sums(parts: Iterable[Sequence[int] | NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the sums for the digits of some slots, for every number that they make."""
    total = np.zeros(1, np.int64)
    for part in parts:
        total = np.add.outer(total, part).reshape(-1)
    return total


def goal_ranks(goal: Goal, plus: int) -> NDArray[np.int64]:
    """Return the ranks of the states that fulfil a goal, as `rolling.Goal.ranks` lists them.

    >>> goal_ranks(Goal.parse("W*/WE"), 2).tolist() == list(Goal.parse("W*/WE").ranks(2))
    True
    """
    parts = []
    for first, choices in goal.choices(plus):
        check()
        parts.append(first + _sums(choices))
    return np.concatenate(parts) if parts else np.empty(0, np.int64)


class TrayRanks(NamedTuple):
    """Ranks of the trays with a shape and a number of cubes of the class "+".

    >>> ranks = TrayRanks(Shape(3, 3), 4)
    >>> cells = np.array([[0, 0, 0, 0, VACANCY, 0, 0, 0, 0]])
    >>> ranks.of(cells).tolist(), ranks.cells(ranks.of(cells)).tolist() == cells.tolist()
    ([1968300], True)
    """

    shape: Shape
    plus: int

    def of(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the ranks of trays given as the orientations in their cells, -1 for invalid ones; see `fault`.

        Args:
            cells: int64 (N, cells): indices of `Model.names`, VACANCY for the vacancy.
        """
        shape, model = self.shape, self.shape.model
        vacant = cells == VACANCY
        known = (cells >= 0) & (cells < len(model.names)) | vacant
        vacancy = vacant.argmax(axis=1)
        cell = self._cells_of_slots(vacancy)
        valid = known.all(axis=1) & (vacant.sum(axis=1) == 1)
        orientations = np.where(valid[:, None], np.take_along_axis(cells, cell, axis=1), 0)
        subsets = np.zeros(len(cells), np.int64)
        if model.has_signs:
            parities = np.array([shape.parity(i) for i in range(shape.cells)])
            is_plus = 1 - (np.array(model.signs)[orientations] ^ parities[cell])
            subsets = is_plus @ (1 << np.arange(shape.slots))
        subset_ranks = self._subset_ranks()[subsets]
        digits = np.array(model.digits)[orientations] @ self._weights()
        rows = vacancy * len(shape.subsets(self.plus)) + subset_ranks
        return np.where(valid & (subset_ranks >= 0), rows * shape.row + digits, -1)

    def cells(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the trays with some ranks; the inverse of `of`."""
        shape, model = self.shape, self.shape.model
        rows, numbers = np.divmod(ranks, shape.row)
        subsets = np.array(shape.subsets(self.plus))
        vacancy, subset_ranks = np.divmod(rows, len(subsets))
        cell = self._cells_of_slots(vacancy)
        digits = numbers[:, None] // self._weights() % model.base
        is_plus = subsets[subset_ranks][:, None] >> np.arange(shape.slots) & 1
        signs = np.array([[shape.sign(i, plus) for plus in (0, 1)] for i in range(shape.cells)])[cell, is_plus]
        orientation = np.full((2, model.base), -1)
        orientation[list(model.signs), list(model.digits)] = range(len(model.names))
        trays = np.full((len(ranks), shape.cells), VACANCY, np.int64)
        np.put_along_axis(trays, cell, orientation[signs, digits], axis=1)
        return trays

    def neighbours(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the ranks after the rolls U D L R for many ranks, int64 (N, 4): -1 if a roll is impossible."""
        shape = self.shape
        trays = self.cells(ranks)
        vacancy = (trays == VACANCY).argmax(axis=1)
        everyone = np.arange(len(ranks))
        found = np.full((len(ranks), len(DIRECTIONS)), -1)
        for m, direction in enumerate(DIRECTIONS):
            sources = np.array(
                [-1 if s is None else s for s in (shape.source(v, direction) for v in range(shape.cells))]
            )
            source = sources[vacancy]
            possible = source >= 0
            rolled = trays[possible]
            here, there, rows = vacancy[possible], source[possible], everyone[: len(rolled)]
            rolled[rows, here] = np.array(shape.model.rolls[direction])[rolled[rows, there]]
            rolled[rows, there] = VACANCY
            found[possible, m] = self.of(rolled)
        return found

    def matching(self, goal: Goal) -> Callable[[NDArray[np.int64]], NDArray[np.bool_]]:
        """Return a function that returns whether trays, given by their ranks, fulfil a goal."""
        fits = np.zeros((self.shape.cells, VACANCY + 1), np.bool_)
        for cell, orientations in enumerate(goal.allowed):
            fits[cell, list(orientations)] = True
            fits[cell, VACANCY] = cell in goal.vacancies
        cells = np.arange(self.shape.cells)

        def fulfil(ranks: NDArray[np.int64]) -> NDArray[np.bool_]:
            return np.asarray(fits[cells, self.cells(ranks)].all(axis=1))

        return fulfil

    def image_under(self, ranks: NDArray[np.int64], symmetry: TraySymmetry) -> NDArray[np.int64]:
        """Return the trays with some ranks after a symmetry."""
        before = self.cells(ranks)
        after = np.empty_like(before)
        turned = np.append(symmetry.orientations, np.full(VACANCY + 1 - len(symmetry.orientations), VACANCY))
        after[:, list(symmetry.cells)] = turned[before]
        return after

    def table_under(self, table: NDArray[np.uint8], symmetry: TraySymmetry) -> NDArray[np.uint8]:
        """Return a table for the ranks before a symmetry, given the table for those after it.

        Args:
            table: uint8 (states,).
            symmetry: the symmetry that takes these trays to those of the table.

        Returns:
            uint8 (states,).
        """
        base, slots = self.shape.model.base, self.shape.slots
        # Digits are moved and renamed one by one, so their summands can be computed separately.
        rows = np.arange(len(table) // self.shape.row)[:, None, None] * self.shape.row
        digits = np.arange(base) * self._weights()[:, None]
        after = self.of(self.image_under((rows + digits).reshape(-1), symmetry)).reshape(-1, slots, base)
        return np.concatenate([table[first[0, 0] + _sums(first - first[:, :1])] for first in after])

    def fault(self, cells: NDArray[np.int64]) -> str:
        """Return the error of an invalid tray."""
        shape, model = self.shape, self.shape.model
        vacancies = int((cells == VACANCY).sum())
        if vacancies != 1:
            return f"a tray has one vacancy ({VACANCY}), not {vacancies}"
        for i, orientation in enumerate(cells.tolist()):
            if orientation != VACANCY and not 0 <= orientation < len(model.names):
                place = f"column {i % shape.cols + 1}, row {i // shape.cols + 1}"
                known = f"the model {model.name}: 0..{len(model.names) - 1}"
                return f"{orientation} at {place} is not an orientation of {known}"
        return f"no rolls lead from it to a tray with {self.plus} cubes of the class '+'"

    def _cells_of_slots(self, vacancy: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the cell of each slot, by the vacancy."""
        table = [self.shape.in_slots(cell) for cell in range(self.shape.cells)]
        return np.array(table)[vacancy]

    def _weights(self) -> NDArray[np.int64]:
        weights: NDArray[np.int64] = self.shape.model.base ** np.arange(self.shape.slots)[::-1]
        return weights

    def _subset_ranks(self) -> NDArray[np.int64]:
        """Return the rank of each set of "+" slots, -1 for those of another size."""
        ranks = np.full(1 << self.shape.slots, -1)
        for rank, subset in enumerate(self.shape.subsets(self.plus)):
            ranks[subset] = rank
        return ranks


# -- Batches -----------------------------------------------------------------------------------------------------------


class CellBatch(Batch):
    """Trays, the orientations in their cells."""

    def __init__(self, given: NDArray[np.generic], trays: TrayRanks) -> None:
        """Take integers (..., cells) or (..., rows, columns)."""
        super().__init__(given, given.ndim - 1)
        self._trays = trays

    def _cells(self, part: slice) -> NDArray[np.int64]:
        cells = self._given[part].reshape(-1, self._trays.shape.cells)
        return np.where(cells == -1, VACANCY, cells.astype(np.int64))

    def ranks(self, part: slice) -> NDArray[np.int64]:
        """Return the ranks of some rows, -1 for invalid ones."""
        return self._trays.of(self._cells(part))

    def fault(self, row: int) -> str:
        """Return the error of an invalid row."""
        return self._trays.fault(self._cells(slice(row, row + 1))[0])


class CellForm(ArrayForm):
    """Trays as the orientations in their cells."""

    column = "cells"
    numbering = f"the orientation of the cube in each cell, row by row, as a number; {VACANCY} is the vacancy"

    def __init__(self, trays: TrayRanks) -> None:
        """Take the trays of one shape."""
        self.trays = trays
        self.dtype = np.dtype(("u1", (trays.shape.cells,)))
        self.numbers = [*range(len(trays.shape.model.names)), VACANCY]

    def batch(self, given: Any, *, at_home: bool = False) -> Batch:  # noqa: ARG002  # a tray has no holding
        """Read ranks (N,), cells as integers (N, cells) or (N, rows, columns), or a list of trays.

        Raises:
            InvalidStateError: an array has another shape or type.
        """
        shape = self.trays.shape
        if isinstance(given, (list, tuple)) and any(isinstance(each, Tray) for each in given):
            given = np.array([self._orientations(tray) for tray in given])
        array = as_array(given)
        one_tray = array.shape == (shape.rows, shape.cols) or (
            array.dtype == np.uint8 and array.shape == (shape.cells,)
        )
        if array.dtype.kind in "iu" and array.ndim <= 1 and not one_tray:
            return RankBatch(array, shape.states(self.trays.plus))
        if array.dtype.kind in "iu" and array.shape[1:] in {(shape.cells,), (shape.rows, shape.cols)}:
            return CellBatch(array, self.trays)
        size = f"(N, {shape.cells}) or (N, {shape.rows}, {shape.cols})"
        hint = f": one tray is reshape(1, {shape.cells})" if one_tray else ""
        message = f"trays are ranks (N,), or cells {size}, all integers, not {array.dtype} {array.shape}{hint}"
        raise InvalidStateError(message)

    def _orientations(self, tray: object) -> tuple[int, ...]:
        if isinstance(tray, Tray) and tray.shape == self.trays.shape:
            return tray.orientations
        return (-2,) * self.trays.shape.cells  # an invalid orientation

    def written(self, ranks: NDArray[np.int64]) -> NDArray[np.generic]:
        """Return the states with some ranks, of the type `dtype`."""
        return self.trays.cells(ranks).astype(np.uint8)

    def texts(self, written: NDArray[np.generic]) -> list[str]:
        """Return the states with some ranks as `Tray` writes them."""
        shape, model = self.trays.shape, self.trays.shape.model
        names = [*model.names, *[""] * (VACANCY - len(model.names)), model.vacancy]
        between = " " if max(map(len, names)) > 1 else ""
        form = "/".join([between.join(["%s"] * shape.cols)] * shape.rows)
        return [form % tuple([names[i] for i in row]) for row in written.tolist()]
