"""Spaces and arrays of rolling cubes (numpy).

``catalog.rolling`` defines the ranks of single trays; this module has the same for arrays.
"""

from __future__ import annotations

import itertools
import mmap
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cubesolve.catalog.rolling.goal import Goal
from cubesolve.catalog.rolling.model import DIRECTIONS, NONE, Shape, TraySymmetry, fixing, symmetries
from cubesolve.catalog.rolling.tray import Tray
from cubesolve.errors import InvalidStateError, TooLargeError
from cubesolve.runtime.deadline import check
from cubesolve.spaces.batches import ArrayForm, Batch, as_array, of_ranks
from cubesolve.spaces.space import LARGEST_SPACE, StateSpace
from cubesolve.spaces.vectors import LabelEncoding

VACANCY = 255  # vacancy in an array of cells; -1 in signed integers

_WIDEST_ROW = 1 << 15  # entries, so that rows stay in an inner cache


def rolling_space(shape: Shape, plus: int, most: int = LARGEST_SPACE, fixed: int | None = None) -> StateSpace:
    """Return the space of `TrayRanks`, up to symmetry if a cell is fixed; a `TooLargeError` if it is too large."""
    alike = 1 if fixed is None else len(fixing(shape, fixed))
    if shape.states(plus) > most * alike:
        raise TooLargeError(shape.states(plus), most * alike, exact=True)
    trays = TrayRanks(shape, plus, fixed)
    if trays.states > most:
        raise TooLargeError(trays.states, most, exact=True)
    digits = shape.model.base
    low = max(n for n in range(shape.slots + 1) if digits**n <= _WIDEST_ROW)  # slots whose digits are the fibre
    block = digits ** (shape.slots - low)
    ways = _ways(trays)
    base = np.full((1 + max(map(max, ways)), len(ways) * block), -1, np.int32)
    action, offsets = np.zeros(base.shape, np.uint16), np.zeros(base.shape, np.uint32)
    fibre: dict[bytes, int] = {}
    actions = []
    for number, rolls in enumerate(ways):
        here = slice(number * block, (number + 1) * block)
        check()
        for m, (target, parts) in rolls.items():
            high, rest = parts[: shape.slots - low], parts[shape.slots - low :]
            rows, offsets[m, here] = np.divmod(_sums(high), digits**low)
            base[m, here] = target * block + rows
            if rest.tobytes() not in fibre:
                fibre[rest.tobytes()] = len(fibre)
                actions.append(_sums(rest).astype(np.uint32))
            action[m, here] = fibre[rest.tobytes()]
    counts = np.repeat(trays.sizes.astype(np.uint8), block)
    are_apart = offsets if offsets.any() else None
    return StateSpace(base, action, np.array(actions), True, counts=counts, offsets=are_apart)


def _ways(trays: TrayRanks) -> list[dict[int, tuple[int, NDArray[np.int64]]]]:
    """Return the rolls from each row by number: the row after it and the summands of `TrayRanks.apart`.

    If symmetries take the row after a roll to itself, each of them has an edge with a number of its own: a tray is a
    neighbour of all symmetric trays there.
    """
    cells = trays.cells(trays.with_one_digit())
    ways: list[dict[int, tuple[int, NDArray[np.int64]]]] = [{} for _ in trays.sizes]
    further = [itertools.count(len(DIRECTIONS)) for _ in ways]
    for m, direction in enumerate(DIRECTIONS):
        check()
        seen: list[set[bytes]] = [set() for _ in ways]
        possible, after = trays.rolled(cells, direction)
        ranks = np.full(len(cells), -1)
        for ranks[possible] in trays.images(after):
            for rolls, earlier, numbers, (target, parts) in zip(ways, seen, further, trays.apart(ranks), strict=True):
                if target >= 0 and parts.tobytes() not in earlier:
                    rolls[next(numbers) if earlier else m] = target, parts
                    earlier.add(parts.tobytes())
    return ways


def _sums(parts: Iterable[Sequence[int] | NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the sums for the digits of some slots, for every number that they make."""
    total = np.zeros(1, np.int64)
    for part in parts:
        total = np.add.outer(total, part).reshape(-1)
    return total


def matching(goal: Goal) -> Callable[[NDArray[np.integer]], NDArray[np.bool_]]:
    """Return a function that returns whether trays, given by their cells, fulfil a goal."""
    cells = np.arange(goal.shape.cells)
    fits = np.zeros((len(cells), VACANCY + 1), np.bool_)
    for cell, orientations in enumerate(goal.allowed):
        fits[cell, list(orientations)] = True
        fits[cell, VACANCY] = cell in goal.vacancies
    return lambda trays: np.asarray(fits[cells, trays].all(axis=1))


def goal_ranks(goal: Goal, plus: int) -> NDArray[np.int64]:
    """Return the ranks of the states that fulfil a goal, as `rolling.Goal.ranks` lists them."""
    ranks = [first + _sums(choices) for first, choices in goal.choices(plus)]
    return np.concatenate(ranks) if ranks else np.empty(0, np.int64)


# -- Ranks of many trays -----------------------------------------------------------------------------------------------


class TrayRanks:
    """The ranks of trays of one shape with a number of cubes of the class "+", as arrays; also up to symmetry.

    A *row* is the set of trays with one vacancy and one set of cubes of the class "+". Symmetries that fix a cell take
    whole rows to rows, so the first row of a class represents it; ranks up to symmetry are those of trays in such rows.
    If a symmetry takes a row to itself, symmetric trays of it have different ranks: a row is stored as a whole.

    Up to symmetry, the digits of a rank are those of the cubes on cells of one colour of the checkerboard and then
    those on the other. Neither these symmetries nor rolls mix them, except for the cube that rolls, so neighbours in a
    table stay neighbours.

    >>> [len(TrayRanks(Shape(3, 3), 4, fixed).sizes) for fixed in (None, 0, 4)]
    [630, 324, 89]
    """

    def __init__(self, shape: Shape, plus: int, fixed: int | None = None) -> None:
        """Take a shape, a number of cubes, and for ranks up to symmetry the cell that the symmetries fix."""
        self.shape, self.plus = shape, plus
        self._subsets = np.flatnonzero(np.bitwise_count(np.arange(1 << shape.slots, dtype=np.uint32)) == plus)
        self._subset_ranks = np.full(1 << shape.slots, -1)
        self._subset_ranks[self._subsets] = np.arange(len(self._subsets))
        self._weights: NDArray[np.int64] = shape.model.base ** np.arange(shape.slots)[::-1]
        self._parity = np.array([shape.parity(cell) for cell in range(shape.cells)])
        cells = sorted(range(shape.cells), key=lambda cell: (shape.parity(cell), cell))
        by_parity = [[cell for cell in cells if cell != vacancy] for vacancy in range(shape.cells)]
        # the cells in the order of the digits of ranks, for each vacancy
        self._order = np.array([*map(shape.in_slots, range(shape.cells))] if fixed is None else by_parity)
        self._symmetries = symmetries(shape)[:1]
        self._rows = np.arange(shape.cells * len(self._subsets))  # those that represent classes,
        self._numbers = self._rows  # and for each row its number among them, or -1
        self.sizes = np.ones_like(self._rows)  # for each row of ranks, the number of rows that it represents
        if fixed is not None:
            group, trays = fixing(shape, fixed), self.cells(self._rows * shape.row)
            images = np.array([self.of(image_of(trays, symmetry)) // shape.row for symmetry in group])
            self._rows = np.flatnonzero(images.min(axis=0) == self._rows)
            self._numbers = np.full_like(self._numbers, -1)
            self._numbers[self._rows] = np.arange(len(self._rows))
            self.sizes = len(group) // (images[:, self._rows] == self._rows).sum(axis=0)
            self._symmetries = group
        self.states = len(self._rows) * shape.row  # the number of ranks

    def of(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the ranks of trays, int64 (N, cells): the orientation in each cell; -1 for invalid ones."""
        first, *others = self.images(cells)
        for ranks in others:
            first = np.where(first >= 0, first, ranks)
        return first

    def rank(self, tray: Tray) -> int:
        """Return the rank of a tray."""
        return int(self.of(np.array([tray.orientations]) % (VACANCY + 1))[0])

    def unrank(self, rank: int) -> Tray:
        """Return the tray with a rank."""
        return self.tray(self.cells(np.array([rank]))[0])

    def tray(self, cells: NDArray[np.integer]) -> Tray:
        """Return the tray with some orientations in its cells."""
        return Tray.of(self.shape, tuple(NONE if cell == VACANCY else cell for cell in cells.tolist()))

    def images(self, cells: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        """Return the ranks of the images of trays under each symmetry, -1 for those in rows that represent no class."""
        others = (image_of(cells, symmetry) for symmetry in self._symmetries[1:])
        return [self._ranked(cells), *map(self._ranked, others)]

    def _ranked(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        shape, model, vacant = self.shape, self.shape.model, cells == VACANCY
        vacancy = vacant.argmax(axis=1)
        valid = (vacant.sum(axis=1) == 1) & ((cells >= 0) & (cells < len(model.names)) | vacant).all(axis=1)
        rows, digits = vacancy * len(self._subsets), cells
        if model.has_signs:
            signs = cells >= model.base
            plus = (signs == self._parity) @ (1 << np.arange(shape.cells)) & ~(1 << vacancy)
            subset_ranks = self._subset_ranks[plus & ~(1 << shape.slots) | (plus >> shape.slots) << vacancy]
            valid &= subset_ranks >= 0
            rows, digits = rows + subset_ranks, cells - signs * model.base
        rows = np.where(valid, self._numbers[rows], -1)
        numbers = np.take_along_axis(digits, self._order[vacancy], axis=1) @ self._weights
        return np.where(rows >= 0, rows * shape.row + numbers, -1)

    def cells(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the trays with some ranks; the inverse of `of`."""
        shape, model = self.shape, self.shape.model
        rows, numbers = np.divmod(ranks, shape.row)
        vacancy, subset_ranks = np.divmod(self._rows[rows], len(self._subsets))
        cell = self._order[vacancy]
        digits = numbers[:, None] // self._weights % model.base
        slots = self._subsets[subset_ranks]
        plus = slots & ~(1 << vacancy) | (slots >> vacancy & 1) << shape.slots  # by cell instead of slot
        is_plus = plus[:, None] >> cell & 1
        signs = (is_plus == self._parity[cell]) & model.has_signs
        trays = np.full((len(ranks), shape.cells), VACANCY, np.int64)
        np.put_along_axis(trays, cell, signs * model.base + digits, axis=1)
        return trays

    def rolled(self, trays: NDArray[np.int64], direction: str) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
        """Return the indices of the trays in which a roll is possible, and these trays after it."""
        shape = self.shape
        sources = [shape.source(vacancy, direction) for vacancy in range(shape.cells)]
        source = np.array([-1 if source is None else source for source in sources])[(trays == VACANCY).argmax(axis=1)]
        possible = np.flatnonzero(source >= 0)
        after, every, source = trays[possible], np.arange(len(possible)), source[possible]
        after[trays[possible] == VACANCY] = np.array(shape.model.rolls[direction])[after[every, source]]
        after[every, source] = VACANCY
        return possible, after

    def with_one_digit(self) -> NDArray[np.int64]:
        """Return the ranks of the trays in which at most one digit is not 0, for each row, slot and digit."""
        digits = np.arange(self.shape.model.base) * self._weights[:, None]
        return (np.arange(len(self._rows))[:, None, None] * self.shape.row + digits).reshape(-1)

    def apart(self, ranks: NDArray[np.int64]) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Yield what a map of whole rows that moves and renames digits one by one does to each row.

        Args:
            ranks: the images of the trays of `with_one_digit`, -1 for rows that have none.

        Yields:
            The image of the row, and int64 (slots, digits), the summand of each digit of each slot in the number there.
        """
        images = ranks.reshape(-1, self.shape.slots, self.shape.model.base)
        rows = images[:, 0, 0] // self.shape.row
        yield from zip(
            rows.tolist(), images - images.min(axis=2, keepdims=True), strict=True
        )  # digits become all digits

    def table_under(self, table: bytes | mmap.mmap, symmetry: TraySymmetry) -> bytes:
        """Return a table of a byte for each rank before a symmetry, given the table for those after it."""
        images = self.apart(self.of(image_of(self.cells(self.with_one_digit()), symmetry)))
        entries = np.frombuffer(table, np.uint8)
        return b"".join([entries[row * self.shape.row + _sums(parts)].tobytes() for row, parts in images])

    def fault(self, cells: NDArray[np.int64]) -> str:
        """Return the error of an invalid tray."""
        shape, model = self.shape, self.shape.model
        vacancies = int((cells == VACANCY).sum())
        if vacancies != 1:
            return f"a tray has one vacancy ({VACANCY}), not {vacancies}"
        for i, orientation in enumerate(cells.tolist()):
            if orientation != VACANCY and not 0 <= orientation < len(model.names):
                place = f"column {i % shape.cols + 1}, row {i // shape.cols + 1}"
                orientations = f"the model {model.name}: 0..{len(model.names) - 1}"
                return f"{orientation} at {place} is not an orientation of {orientations}"
        return f"no rolls lead from it to a tray with {self.plus} cubes of the class '+'"


def image_of(trays: NDArray[np.int64], symmetry: TraySymmetry) -> NDArray[np.int64]:
    """Return some trays after a symmetry."""
    images = np.empty_like(trays)
    turned = np.full(VACANCY + 1, VACANCY)
    turned[: len(symmetry.orientations)] = symmetry.orientations
    images[:, list(symmetry.cells)] = turned[trays]
    return images


# -- Batches -----------------------------------------------------------------------------------------------------------


def _cells(given: NDArray[Any]) -> NDArray[np.int64]:
    return np.where(given == -1, VACANCY, given.astype(np.int64))


class CellForm(ArrayForm):
    """Trays as the orientations in their cells."""

    column = "cells"
    numbering = f"the orientation of the cube in each cell, row by row, as a number; {VACANCY} is the vacancy"

    def __init__(self, trays: TrayRanks) -> None:
        self.trays = trays
        self.dtype = np.dtype(("u1", (trays.shape.cells,)))
        self.encoding = LabelEncoding(trays.shape.cells, len(trays.shape.model.names) + 1)  # the last is the vacancy

    def batch(self, given: Any, *, at_home: bool = False) -> Batch:  # noqa: ARG002  # a tray has no holding
        """Read ranks (N,), cells as integers (N, cells) or (N, rows, columns), or a list of trays."""
        shape = self.trays.shape
        if isinstance(given, (list, tuple)) and any(isinstance(tray, Tray) for tray in given):
            given = np.array([self._orientations(tray) for tray in given])
        array = as_array(given)
        one_tray = array.shape == (shape.rows, shape.cols) or (
            array.dtype == np.uint8 and array.shape == (shape.cells,)
        )
        if array.dtype.kind in "iu" and array.ndim <= 1 and not one_tray:
            return of_ranks(array, self.trays.states)
        if array.dtype.kind in "iu" and array.shape[1:] in {(shape.cells,), (shape.rows, shape.cols)}:
            rows = array.reshape(len(array), shape.cells)
            return Batch(rows, self._ranks, lambda row: self.trays.fault(_cells(row)), array.shape[:1])
        size = f"(N, {shape.cells}) or (N, {shape.rows}, {shape.cols})"
        hint = f": one tray is reshape(1, {shape.cells})" if one_tray else ""
        message = f"trays are ranks (N,), or cells {size}, all integers, not {array.dtype} {array.shape}{hint}"
        raise InvalidStateError(message)

    def _ranks(self, rows: NDArray[Any]) -> NDArray[np.int64]:
        return self.trays.of(_cells(rows))

    def _orientations(self, tray: object) -> tuple[int, ...]:
        if isinstance(tray, Tray) and tray.shape == self.trays.shape:
            return tray.orientations
        return (-2,) * self.trays.shape.cells  # an invalid orientation

    def written(self, ranks: NDArray[np.int64]) -> NDArray[np.generic]:
        """Return the states with some ranks, of the type `dtype`."""
        return self.trays.cells(ranks).astype(np.uint8)

    def labels(self, ranks: NDArray[np.int64]) -> NDArray[np.integer]:
        """Return the states with some ranks as labels, (N, points)."""
        return np.minimum(self.trays.cells(ranks), self.encoding.labels - 1).astype(np.uint8)

    def of_labels(self, labels: NDArray[np.integer]) -> NDArray[np.integer]:
        """Return the numbers of states that are given as labels, (N, points)."""
        return np.where(labels == self.encoding.labels - 1, VACANCY, labels)

    def texts(self, written: NDArray[np.generic]) -> list[str]:
        """Return the states with some ranks as `Tray` writes them."""
        shape, model = self.trays.shape, self.trays.shape.model
        names = [*model.names, *[""] * (VACANCY - len(model.names)), model.vacancy]
        between = " " if max(map(len, names)) > 1 else ""
        form = "/".join([between.join(["%s"] * shape.cols)] * shape.rows)
        return [form % tuple([names[i] for i in row]) for row in written.tolist()]
