"""Arrays of states as they are written, and their ranks (numpy).

``pocket`` and ``rolling`` define the ranks for one state; here are the same definitions for many.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve import pocket
from cubesolve.notation import FACES
from cubesolve.rolling import Shape, Symmetry

VACANCY = 255
"""What the vacancy is in an array of cells; -1 in signed integers."""

_MOVING = 7  # corners of the pocket cube beside DBL


# -- Pocket cubes ----------------------------------------------------------------------------------------------------


@functools.cache
def _corner_parts() -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8]]:
    """Three times the pieces of each permutation, the twists of each twist rank, the faces of each twisted piece."""
    pieces = [(*permutation, _MOVING) for permutation in itertools.permutations(range(_MOVING))]
    twists = [(*pocket.twists_of(rank), 0) for rank in range(pocket.TWISTS)]
    looks = [
        [FACES.index(corner[(k - twist) % 3]) for k in range(3)] for corner in pocket.CORNERS for twist in range(3)
    ]
    return 3 * np.array(pieces, np.uint8), np.array(twists, np.uint8), np.array(looks, np.uint8)


def pocket_facelets(ranks: NDArray[np.int64], colours: Sequence[int]) -> NDArray[np.uint8]:
    """The facelets of pocket cubes, the corner DBL at home.

    Args:
        ranks: int64 (N,).
        colours: the colours of U R F D L B.

    Returns:
        uint8 (N, 24).

    >>> pocket_facelets(np.array([0]), b"URFDLB").tobytes()
    b'UUUURRRRFFFFDDDDLLLLBBBB'
    """
    pieces, twists, looks = _corner_parts()
    facelets = np.empty((len(ranks), 24), np.uint8)
    corners = np.array(list(colours), np.uint8)[looks][pieces[ranks // pocket.TWISTS] + twists[ranks % pocket.TWISTS]]
    facelets[:, np.ravel(pocket.CORNER_FACELETS)] = corners.reshape(-1, 24)
    return facelets


def pocket_inverses() -> NDArray[np.int32]:
    """The rank of the inverse of each pocket cube.

    >>> int(pocket_inverses()[pocket.PocketCube.from_alg("R U").rank]) == pocket.PocketCube.from_alg("U' R'").rank
    True
    """
    pieces = np.array(list(itertools.permutations(range(_MOVING))))
    place_values = _MOVING ** np.arange(_MOVING)[::-1]
    order = np.argsort(pieces, axis=1)  # where each piece is
    permutations = np.searchsorted(pieces @ place_values, order @ place_values)
    # The piece at a position takes its twist, undone, to its home; the last home's twist follows from the others.
    weights = np.append(3 ** np.arange(_MOVING - 1)[::-1], 0)[pieces]
    twists = _corner_parts()[1][:, :_MOVING].astype(np.int64)
    inverses = pocket.TWISTS * permutations[:, None] + weights @ (-twists % 3).T
    return np.asarray(inverses, np.int32).reshape(-1)


# -- Rolling cubes ---------------------------------------------------------------------------------------------------


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
        """The ranks of trays given as the orientations in their cells, -1 where `fault` says what is wrong.

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
        return np.where(valid & (subset_ranks >= 0), rows * model.base**shape.slots + digits, -1)

    def cells(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        """The trays with these ranks; undoes `of`."""
        shape, model = self.shape, self.shape.model
        rows, numbers = np.divmod(ranks, model.base**shape.slots)
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

    def seen_by(self, ranks: NDArray[np.int64], symmetry: Symmetry) -> NDArray[np.int64]:
        """The trays with these ranks after a symmetry."""
        before = self.cells(ranks)
        after = np.empty_like(before)
        turned = np.append(symmetry.orientations, np.full(VACANCY + 1 - len(symmetry.orientations), VACANCY))
        after[:, list(symmetry.cells)] = turned[before]
        return after

    def seen_from(self, table: NDArray[np.uint8], symmetry: Symmetry) -> NDArray[np.uint8]:
        """A table by the ranks that trays have before a symmetry, where it is by those after it.

        Args:
            table: uint8 (states,).
            symmetry: what takes these trays to those of the table.

        Returns:
            uint8 (states,).
        """
        base, slots = self.shape.model.base, self.shape.slots
        # Digits are moved and renamed one by one, so what each adds to a rank can be added up.
        rows = np.arange(len(table) // base**slots)[:, None, None] * base**slots
        digits = np.arange(base) * self._weights()[:, None]
        after = self.of(self.seen_by((rows + digits).reshape(-1), symmetry)).reshape(-1, slots, base)
        parts = []
        for first in after:
            ranks = first[:1, 0]
            for slot in first:
                ranks = np.add.outer(ranks, slot - slot[0]).reshape(-1)
            parts.append(table[ranks])
        return np.concatenate(parts)

    def fault(self, cells: NDArray[np.int64]) -> str:
        """What is wrong with one tray that has no rank."""
        shape, model = self.shape, self.shape.model
        vacancies = int((cells == VACANCY).sum())
        if vacancies != 1:
            return f"a tray has one vacancy ({VACANCY}), not {vacancies}"
        for i, orientation in enumerate(cells.tolist()):
            if orientation != VACANCY and not 0 <= orientation < len(model.names):
                place = f"column {i % shape.cols + 1}, row {i // shape.cols + 1}"
                return (
                    f"{orientation} at {place} is no orientation of the model {model.name}: 0..{len(model.names) - 1}"
                )
        return f"rolling never makes it a tray with {self.plus} cubes of the class '+'"

    def _cells_of_slots(self, vacancy: NDArray[np.int64]) -> NDArray[np.int64]:
        """The cell of each slot, by the vacancy."""
        table = [[self.shape.cell(slot, cell) for slot in range(self.shape.slots)] for cell in range(self.shape.cells)]
        return np.array(table)[vacancy]

    def _weights(self) -> NDArray[np.int64]:
        weights: NDArray[np.int64] = self.shape.model.base ** np.arange(self.shape.slots)[::-1]
        return weights

    def _subset_ranks(self) -> NDArray[np.int64]:
        """The rank of each set of "+" slots, -1 for those of another size."""
        ranks = np.full(1 << self.shape.slots, -1)
        for rank, subset in enumerate(self.shape.subsets(self.plus)):
            ranks[subset] = rank
        return ranks
