"""State spaces as base times fibre: what every enumeration runs over.

A state is a pair (a, b) of a small graph, the *base*, and a small array, the *fibre*. Move ``m`` takes it to
``(base[m, a], fibre[action[m, a], b])``, or nowhere where ``base[m, a]`` is -1. Its rank is ``a * len(fibre) + b``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cubesolve import pocket
from cubesolve.catalog import CatalogEntry
from cubesolve.notation import Move, metric_moves


@dataclass(frozen=True, slots=True, eq=False)
class StateSpace:
    """A puzzle as three arrays.

    Attributes:
        base: int32 (moves, A): where a move takes each base state, or -1 where it is not possible.
        action: int32 (moves, A): the row of `fibre` with which it acts.
        fibre: uint16 (actions, B): permutations of the fibre.
        describe: a state in words the puzzle's users know, from its rank.

    >>> ring = StateSpace(np.array([[1, 2, 0]], np.int32), np.zeros((1, 3), np.int32), np.array([[0]], np.uint16))
    >>> ring.states, list(ring.neighbours(2)), list(ring.reversed().neighbours(2))
    (3, [0], [1])
    """

    base: NDArray[np.int32]
    action: NDArray[np.int32]
    fibre: NDArray[np.uint16]
    describe: Callable[[int], str] = str

    @property
    def rows(self) -> int:
        """The number of base states, A."""
        return int(self.base.shape[1])

    @property
    def width(self) -> int:
        """The number of fibre states, B."""
        return int(self.fibre.shape[1])

    @property
    def states(self) -> int:
        """The number of states, A * B."""
        return self.rows * self.width

    def neighbours(self, rank: int) -> Iterator[int]:
        """The ranks that the possible moves lead to, in the order of the moves."""
        a, b = divmod(rank, self.width)
        for to, action in zip(self.base[:, a], self.action[:, a], strict=True):
            if to >= 0:
                yield int(to) * self.width + int(self.fibre[action, b])

    def reversed(self) -> StateSpace:
        """The same space with every move undone instead of made."""
        base, action = np.full_like(self.base, -1), np.zeros_like(self.action)
        for m, targets in enumerate(self.base):
            possible = np.flatnonzero(targets >= 0)
            base[m, targets[possible]] = possible
            action[m, targets[possible]] = self.action[m, possible]
        return StateSpace(base, action, np.argsort(self.fibre, axis=1).astype(np.uint16), self.describe)


def pocket_space(moves: Sequence[Move]) -> StateSpace:
    """The pocket cube with some turns of U, R and F; ranks are those of `pocket.PocketCube`.

    >>> pocket_space(metric_moves("qtm", "UR")).states
    3674160
    """
    tables = [pocket.turn_tables(move) for move in moves]
    base = np.array([permutation for permutation, _ in tables], np.int32)
    action = np.repeat(np.arange(len(moves), dtype=np.int32)[:, None], pocket.PERMUTATIONS, axis=1)
    fibre = np.array([twist for _, twist in tables], np.uint16)
    return StateSpace(base, action, fibre, lambda rank: str(pocket.PocketCube.unrank(rank)))


def table_space(entry: CatalogEntry) -> StateSpace:
    """The space that a table is about."""
    return pocket_space(metric_moves(entry.header.metric, pocket.TURNING_FACES))
