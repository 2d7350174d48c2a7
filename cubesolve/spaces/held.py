"""Moves of states that are listed in another orientation of the puzzle than the one in which they are held (numpy).

Where states that differ by a rotation are one, a table lists one of them, and its moves are those of the listed state.
A state that is held otherwise takes other moves for the same effect.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cubesolve.definition.rotations import Reference
from cubesolve.group.permutations import Permutation, after, inverse
from cubesolve.spaces.defined import DerivedGraph
from cubesolve.spaces.rows import Rows

_NO_MOVE = 255


def homing_rotations(reference: Reference, rows: Rows) -> NDArray[np.intp]:
    """Return for each state the number of the rotation that brings the reference pieces home; 0 if none does."""
    places = np.stack([(rows == label).argmax(axis=1) for label in reference.labels], axis=1)
    return np.array([reference.homing.get(tuple(row), 0) for row in places.tolist()], np.intp)


class HeldMoves:
    """Translates moves of listed states into moves of the same states as they are held.

    Both are numbers of the graph's moves. What they lead to may differ by a rotation.
    """

    def __init__(self, graph: DerivedGraph, ranks: Callable[[Rows], NDArray[np.int64]]) -> None:
        """Take a graph whose states are one up to rotation, and the function that ranks listed states."""
        self._reference, self._ranks = graph.reduction.reference, ranks
        rotations, changes = graph.reduction.merged, [move.effects[0].sources for move in graph.unrotated_moves]

        def numbers(rotation: Permutation) -> list[int]:
            back = inverse(rotation)
            return [graph.numbers_of_moves[after(after(rotation, change), back)] for change in changes]

        self._held = np.array([numbers(rotation) for rotation in rotations], np.uint8)
        self._rotations = np.array([list(rotation) for rotation in rotations])
        self._changes = np.array([list(change) for change in changes])

    def moves(self, rows: Rows, moves: NDArray[np.uint8]) -> None:
        """Translate algs in place.

        Args:
            moves: uint8 (N, longest): algs of the listed states, 255 after the last move.
        """
        for step in moves.T:
            going = np.flatnonzero(step != _NO_MOVE)
            if not len(going):
                return
            step[going] = self._held[self._rotations_of(rows[going]), step[going]]
            rows[going] = np.take_along_axis(rows[going], self._changes[step[going]], axis=1)

    def leads(self, rows: Rows, leads: NDArray[np.bool_]) -> None:
        """Translate sets of moves in place, bool (N, moves); see `moves`."""
        found = np.flatnonzero(leads.any(axis=1))
        held, listed = self._held[self._rotations_of(rows[found])], leads[found]
        np.put_along_axis(listed, held.astype(np.intp), leads[found], axis=1)
        leads[found] = listed

    def _rotations_of(self, rows: Rows) -> NDArray[np.intp]:
        """Return the number of the rotation that leads from each state to the listed one."""
        if self._reference is not None:
            return homing_rotations(self._reference, rows)
        numbers = np.zeros(len(rows), np.intp)
        missing = np.flatnonzero(self._ranks(rows) < 0)
        for number, rotation in enumerate(self._rotations[1:], 1):
            is_listed = self._ranks(rows[missing][:, rotation]) >= 0
            numbers[missing[is_listed]] = number
            missing = missing[~is_listed]
        return numbers
