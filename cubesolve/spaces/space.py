"""State spaces as base times fibre: what every enumeration runs over.

A state is a pair (a, b) of a small graph, the *base*, and a small array, the *fibre*; its rank is
``a * len(fibre) + b``. Move ``m`` takes it to the rank ``base[m, a] + fibre[action[m, a], b]``, or nowhere where
``base[m, a]`` is -1. In the plain case ``base[m, a]`` is the rank of a row's first state and ``fibre[...]`` a
permutation of one row; where a fibre is cut into rows because it is large, ``fibre[...]`` may reach into other rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

LARGEST_SPACE = 2**30
"""The number of states up to which a space is enumerated: an array of that many bytes."""

SMALL_SPACE = 1_000_000
"""The number of states times that of moves below which numpy is done before a kernel is loaded, let alone compiled."""

Progress = Callable[[int, int, int], None]
"""Called once a depth with the depth, the number of states there, and the number of states so far."""

Levels = tuple[NDArray[np.uint8], tuple[int, ...]]
"""What an enumeration has found after a level: the entries, and how many states there are at each depth so far."""


class Checkpointer(Protocol):
    """What keeps an enumeration between two levels, so that another one can go on from there."""

    def begun(self) -> Levels | None:
        """What there is to go on from, in memory that is not used otherwise; none if there is nothing."""

    def keep(self, table: NDArray[np.uint8], counts: tuple[int, ...]) -> None:
        """Called after each level, and the entries change as soon as this returns."""


class SpaceArrays(NamedTuple):
    """The arrays of a `StateSpace` as kernels read them, all of them contiguous.

    Attributes:
        base: int64 (moves, A)
        action: int32 (moves, A)
        fibre: uint32 (actions, B)
        costs: uint8 (moves,)
        counts: uint8 (A,)
    """

    base: NDArray[np.int64]
    action: NDArray[np.int32]
    fibre: NDArray[np.uint32]
    costs: NDArray[np.uint8]
    counts: NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class StateSpace:
    """A puzzle as three arrays.

    Attributes:
        base: int64 (moves, A): the rank from which a move counts in each base state, or -1 where it is not possible.
        action: int32 (moves, A): the row of `fibre` with which it acts.
        fibre: uint32 (actions, B): what each fibre state adds to that rank.
        mutual: whether neighbours are always each other's: no move leads where none that counts the same leads back.
        costs: what each move counts; 1 each, if nothing is said.
        counts: uint8 (A,): how many states of the puzzle each entry of a row stands for, where symmetries make them of
            one another; 1 each, if nothing is said. All rows to which a move leads from one row have the same.
        parity: uint8 (A,): 0 or 1 for each row, where every move leads to rows of the other; None, if nothing is said.

    >>> ring = StateSpace(np.array([[1, 2, 0]]), np.zeros((1, 3), np.int32), np.array([[0]], np.uint32))
    >>> ring.states, list(ring.neighbours(2)), list(ring.reversed().neighbours(2))
    (3, [0], [1])
    """

    base: NDArray[np.int64]
    action: NDArray[np.int32]
    fibre: NDArray[np.uint32]
    mutual: bool = False
    costs: tuple[int, ...] = ()
    counts: NDArray[np.uint8] | None = None
    parity: NDArray[np.uint8] | None = None

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

    @property
    def count_of_rows(self) -> NDArray[np.uint8]:
        """How many states of the puzzle each entry of a row stands for, uint8 (A,)."""
        return np.ones(self.rows, np.uint8) if self.counts is None else self.counts

    @property
    def is_small(self) -> bool:
        """Whether what is done with each state and each move takes numpy only a moment."""
        return self.states * len(self.base) < SMALL_SPACE

    @property
    def counted(self) -> int:
        """The number of states of the puzzle."""
        return self.states if self.counts is None else int(self.counts.sum(dtype=np.int64)) * self.width

    def neighbours(self, rank: int) -> Iterator[int]:
        """The ranks that the possible moves lead to, in the order of the moves."""
        a, b = divmod(rank, self.width)
        for first, action in zip(self.base[:, a], self.action[:, a], strict=True):
            if first >= 0:
                yield int(first) + int(self.fibre[action, b])

    def side_by_side(self) -> tuple[NDArray[np.int64], NDArray[np.integer], NDArray[np.uint32]]:
        """Return the moves with what belongs to one state side by side, for kernels that follow single states.

        A move that is not possible leads from a state to itself, by an action added for that.

        Returns:
            base (A, moves), action (A, moves) and fibre (B, actions + 1): views that are not contiguous.
        """
        rows, stay = np.arange(self.rows) * self.width, len(self.fibre)
        possible = self.base >= 0
        fibre = np.concatenate([self.fibre, np.arange(self.width, dtype=np.uint32)[None]])
        return np.where(possible, self.base, rows).T, np.where(possible, self.action, stay).T, fibre.T

    def neighbours_of(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        """The ranks that the moves lead to from many states at once.

        Args:
            ranks: int64 (N,).

        Returns:
            int64 (N, moves): -1 where a move is not possible.

        >>> ring = StateSpace(np.array([[1, 2, 0], [-1, 0, 1]]), np.zeros((2, 3), np.int32), np.array([[0]], np.uint32))
        >>> ring.neighbours_of(np.array([0, 2])).tolist()
        [[1, -1], [0, 1]]
        """
        a, b = np.divmod(ranks, self.width)
        first = self.base.T[a]
        return np.where(first >= 0, first + self.fibre[self.action.T[a], b[:, None]], -1)

    def reversed(self) -> StateSpace:
        """The same space with every move undone instead of made; itself, where neighbours are mutual.

        Raises:
            ValueError: neighbours are not mutual, and a move does not keep rows together.
        """
        if self.mutual:
            return self
        if self.fibre.max() >= self.width or np.any(self.base[self.base >= 0] % self.width):
            raise ValueError("cannot undo moves that take a row apart")
        base, action = np.full_like(self.base, -1), np.zeros_like(self.action)
        for m, targets in enumerate(self.base):
            possible = np.flatnonzero(targets >= 0)
            base[m, targets[possible] // self.width] = possible * self.width
            action[m, targets[possible] // self.width] = self.action[m, possible]
        fibre = np.argsort(self.fibre, axis=1).astype(np.uint32)
        return StateSpace(base, action, fibre, False, self.costs)

    @property
    def cost_of_moves(self) -> NDArray[np.uint8]:
        """What each move counts, uint8 (moves,)."""
        return np.array(self.costs or [1] * len(self.base), np.uint8)

    def of_cost(self, cost: int) -> StateSpace:
        """The same space with those moves alone that count so much."""
        chosen = self.cost_of_moves == cost
        return StateSpace(self.base[chosen], self.action[chosen], self.fibre, self.mutual)


@dataclass(frozen=True, slots=True, eq=False)
class RefinedSpace:
    """A state space whose base is itself a base, of *classes*, times *labels*.

    The two are kept apart, for the whole base can be too large. Row ``a * labels + l`` is the class `a` with the label
    `l`; moves are always possible, and keep rows together.

    Attributes:
        base: int32 (moves, C): the class that a move leads to.
        action: uint16 (moves, C): the row of `fibre` with which it acts.
        relabel: int32 (moves, C): the row of `labels` with which it acts.
        labels: uint8 (relabellings, L): the label that becomes of each.
        fibre: uint16 (actions, B): the fibre state that becomes of each.
    """

    base: NDArray[np.int32]
    action: NDArray[np.uint16]
    relabel: NDArray[np.int32]
    labels: NDArray[np.uint8]
    fibre: NDArray[np.uint16]

    @property
    def rows(self) -> int:
        """The number of rows, C * L."""
        return int(self.base.shape[1] * self.labels.shape[1])

    def whole(self) -> StateSpace:
        """The same space as one base and one fibre.

        A state that a symmetry takes to another of its row counts twice there, but moves may lead to one of the two
        only: neighbours are not mutual, and depths are found by looking from a state to its neighbours, never the other
        way.
        """
        count, width = self.labels.shape[1], self.fibre.shape[1]
        rows = self.base[:, :, None].astype(np.int64) * count + self.labels[self.relabel]
        action = np.repeat(self.action.astype(np.int32), count, axis=1)
        return StateSpace(rows.reshape(len(rows), -1) * width, action, self.fibre.astype(np.uint32))
