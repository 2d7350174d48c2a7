"""A puzzle whose moves are permutations, as arrays of pieces with orientations (numpy).

A *slot* is an orientation of a place. A state has the look of a piece on each slot: the look of the piece there as seen
from this orientation. Moves permute the slots, and pieces of one kind have consecutive slots, those of a place in the
order in which turning the piece takes one to the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.group.permutations import Arrangement, Permutation, after, identity, inverse
from cubesolve.group.pieces import PieceOrbit
from cubesolve.runtime.kernel_arrays import Read1, Read2

Row = NDArray[np.uint16]
"""A slot, or a look, for each slot."""

ROOM = np.iinfo(np.uint16).max
"""The largest number of slots."""


class Kind(NamedTuple):
    """Pieces that can take each other's place."""

    first: int  # the first slot
    pieces: int  # the number of pieces
    turns: int  # the number of orientations
    is_cyclic: bool  # whether turning a piece repeatedly gives all of them

    @property
    def slots(self) -> int:
        """The number of slots."""
        return self.pieces * self.turns


class MoveArrays(NamedTuple):
    """The moves as arrays for kernels."""

    sources: Read2[np.uint16]  # (moves, slots): the slot that each slot gets its look from
    inverses: Read1[np.int16]  # (moves,): the inverse of each move
    products: Read2[np.int16]  # (moves, moves): the move that has the effect of two, -1 for none, -2 if they cancel
    commute: Read2[np.uint8]  # (moves, moves): whether two moves can be exchanged
    firsts: Read1[np.uint16]  # (places,): the first slot of each place
    # (slots, 3): the first slot, the number of orientations, and the number of the kind of each slot
    kinds: Read2[np.int64]


class Slots:
    """A puzzle as slots."""

    def __init__(self, points: int, kinds: Sequence[PieceOrbit], changes: Sequence[Permutation]) -> None:
        """Take the kinds of pieces, and the moves; each has an inverse among them."""
        self._points, self._along = list[int](), list[Sequence[int]]()
        self.kinds = list[Kind]()
        for kind in kinds:
            pieces = kind.pieces()
            self.kinds.append(Kind(len(self._points), len(pieces), len(pieces[0]), kind.turn is not None))
            for point in (point for piece in pieces for point in piece):
                self._points.append(point)
                self._along.append(kind.along[point])
        self._slot_of = np.zeros(points, np.uint16)
        self._slot_of[self._points] = np.arange(len(self._points))
        self.moves = self._moves(changes)

    def rows(self, states: Sequence[Arrangement]) -> list[Row]:
        """Return the looks of some states, as numbers."""
        numbers = dict[tuple[int, ...], int]()
        rows = [
            [numbers.setdefault(tuple([state[point] for point in along]), len(numbers)) for along in self._along]
            for state in states
        ]
        return [np.array(row, np.uint16) for row in rows]

    def change(self, change: Permutation) -> Row:
        """Return the slot that each slot gets its look from, for a permutation of points."""
        slots: Row = self._slot_of[np.array([*change])[self._points]]
        return slots

    def of(self, kinds: Sequence[int]) -> MoveArrays:
        """Return the moves, with only the places of some kinds, by number."""
        owners = self.moves.kinds[self.moves.firsts, 2]
        return self.moves._replace(firsts=self.moves.firsts[np.isin(owners, kinds)])

    def _moves(self, changes: Sequence[Permutation]) -> MoveArrays:
        numbers = {change: number for number, change in enumerate(changes)} | {identity(len(changes[0])): -2}
        pairs = [[after(a, b) for b in changes] for a in changes]
        owners = np.array([[k.first, k.turns, i] for i, k in enumerate(self.kinds) for _ in range(k.slots)], np.int64)
        return MoveArrays(
            np.array([self.change(change) for change in changes]),
            np.array([numbers[inverse(change)] for change in changes], np.int16),
            np.array([[numbers.get(both, -1) for both in row] for row in pairs], np.int16),
            np.array(
                [[pairs[i][j] == pairs[j][i] for j in range(len(changes))] for i in range(len(changes))], np.uint8
            ),
            np.array([slot for k in self.kinds for slot in range(k.first, k.first + k.slots, k.turns)], np.uint16),
            owners,
        )
