"""State spaces as base times fibre: the input of every enumeration.

A state is a pair (a, b) of a state of a small graph, the *base*, and an index of a small array, the *fibre*, of the
width B; its rank is ``a * B + b``. Move ``m`` leads to the rank ``base[m, a] * B + fibre[action[m, a], b]``; it is
impossible if ``base[m, a]`` is -1. In the plain case ``fibre[...]`` is a permutation of one row. If a large fibre is
cut into rows, ``fibre[...]`` may lead into other rows, and ``offsets[m, a]`` is added. Up to symmetry, a symmetry may
act on the fibre before: then `b` is replaced by ``images[numbers[m, a], b]``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from cubesolve.runtime.kernel_arrays import Read2

LARGEST_SPACE = 2**30
"""The maximum number of states of an enumeration: an array of that many bytes."""

SMALL_SPACE = 1_000_000
"""The number of states times moves below which numpy finishes before a kernel is loaded, let alone compiled."""

DEAREST = 2
"""The largest cost of a move with which two bits a state are enough for counting: depths are compared modulo 3."""

Progress = Callable[[int, int, int], None]
"""Called after each depth with the depth, the number of states there, and the number of states so far."""

Levels = tuple[NDArray[np.uint8], tuple[int, ...]]
"""The result of an enumeration up to a level: the entries, and the number of states at each depth so far."""


class Checkpointer(Protocol):
    """Writes and reads checkpoints of an enumeration between two levels."""

    def begun(self) -> Levels | None:
        """Return the levels to continue from, in memory of their own; None if there is no checkpoint."""

    def keep(self, table: NDArray[np.uint8], counts: tuple[int, ...]) -> None:
        """Write a checkpoint after a level; the entries change as soon as this returns."""


class FibreSymmetries(NamedTuple):
    """Symmetries that act on the fibre before the action of a move does."""

    numbers: Read2[np.uint8]  # (moves, A): the row of `images` that is used for each move of each base state
    images: Read2[np.uint32]  # (symmetries, B): the image of each fibre state under each symmetry, the identity first


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class StateSpace:
    """A puzzle as three arrays.

    >>> ring = StateSpace(np.array([[1, 2, 0]]), np.zeros((1, 3), np.int32), np.array([[0]], np.uint32))
    >>> [space.neighbours_of(np.arange(3)).tolist() for space in (ring, ring.reversed())]
    [[[1], [2], [0]], [[2], [0], [1]]]
    """

    base: NDArray[np.integer]  # int32 (moves, A): the base state after each move, or -1 if the move is impossible
    action: NDArray[np.integer]  # uint16 or int32 (moves, A): the row of `fibre` that is used
    # uint32 (actions, B): the numbers that are added for each fibre state; one action, the identity, if no move is
    # possible and there are none
    fibre: NDArray[np.uint32]
    mutual: bool = False  # whether every move has an inverse of the same cost
    costs: tuple[int, ...] = ()  # the cost of each move; none if all are 1
    # uint8 (A,): the number of states of the puzzle in the symmetry class of each entry of a row; 1 each by default.
    # All rows to which a move leads from one row have the same.
    counts: NDArray[np.uint8] | None = None
    # the number of rows, the first, that symmetries map to themselves. A state of such a row may be a neighbour of
    # states from which no move leads to it, but to an image of it under a symmetry.
    symmetric: int = 0
    symmetries: FibreSymmetries | None = None  # the symmetries that act on the fibre; None if none do
    # (moves, A): the numbers that are added to the ranks after each move; None if all are 0
    offsets: NDArray[np.uint32] | None = None

    def __post_init__(self) -> None:
        """Store numbers in few bytes; add the identity to no actions, since impossible moves have an action, too."""
        short = np.uint16 if len(self.fibre) <= 1 << 16 else np.int32
        object.__setattr__(self, "base", self.base.astype(np.int32, copy=False))
        object.__setattr__(self, "action", self.action.astype(short, copy=False))
        object.__setattr__(self, "costs", self.costs if set(self.costs) - {1} else ())
        if not len(self.fibre) and (self.base < 0).all():
            object.__setattr__(self, "fibre", np.arange(self.width, dtype=np.uint32)[None])

    @classmethod
    def of_pair(cls, base: NDArray[np.integer], fibre: NDArray[np.integer], *, mutual: bool = False) -> StateSpace:
        """Return the space of two coordinates after each move, (moves, A) and (moves, B), which do not interact.

        >>> StateSpace.of_pair(np.array([[1, 0]]), np.array([[2, 0, 1]])).neighbours_of(np.array([0])).tolist()
        [[5]]
        """
        action = np.repeat(np.arange(len(base))[:, None], base.shape[1], axis=1)
        return cls(base, action, np.ascontiguousarray(fibre, np.uint32), mutual)

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
    def nbytes(self) -> int:
        """The size of the arrays in bytes."""
        optional = (self.counts, *(self.symmetries or ()), self.offsets)
        return sum(array.nbytes for array in (self.base, self.action, self.fibre, *optional) if array is not None)

    @property
    def count_of_rows(self) -> NDArray[np.uint8]:
        """The number of states of the puzzle for each entry of a row, uint8 (A,)."""
        return np.ones(self.rows, np.uint8) if self.counts is None else self.counts

    def number_of(self, ranks: NDArray[np.int64]) -> int:
        """Return the number of states of the puzzle for which some entries stand: int64 (N,)."""
        return len(ranks) if self.counts is None else int(self.counts[ranks // self.width].sum(dtype=np.int64))

    @property
    def is_small(self) -> bool:
        """Whether numpy takes only a moment to process every state and every move."""
        return self.states * len(self.base) < SMALL_SPACE

    @property
    def keeps_rows(self) -> bool:
        """Whether every move takes all states of a row to states of one row."""
        return self.offsets is None

    @property
    def leads_to_images(self) -> bool:
        """Whether moves lead to images of states under symmetries, so that the space of reversed moves is not known."""
        return self.symmetric > 0 or self.symmetries is not None

    def of_move(self, move: int) -> tuple[NDArray[np.int64], NDArray[np.integer]]:
        """Return the ranks to which a move adds numbers of the fibre, -1 if it is impossible, and its action: (A,)."""
        return self._first_ranks(move), self.action[move]

    def _first_ranks(self, at: Any) -> NDArray[np.int64]:
        """Return the ranks to which numbers of the fibre are added after some moves, given by an index of `base`."""
        return first_ranks(self.base[at], self.width, None if self.offsets is None else self.offsets[at])

    @property
    def counted(self) -> int:
        """The number of states of the puzzle."""
        return self.states if self.counts is None else int(self.counts.sum(dtype=np.int64)) * self.width

    def side_by_side(self) -> tuple[NDArray[np.int64], NDArray[np.integer], NDArray[np.uint32]]:
        """Return the arrays with the data of one state side by side, for kernels that follow single states.

        An impossible move leads from a state to itself, by an extra action: base (A, moves), action (A, moves), fibre
        (B, actions + 1) are views that are not contiguous.
        """
        rows, stay = np.arange(self.rows) * self.width, len(self.fibre)
        possible, base = self.base >= 0, self._first_ranks(...)
        fibre = np.concatenate([self.fibre, np.arange(self.width, dtype=np.uint32)[None]])
        return np.where(possible, base, rows).T, np.where(possible, self.action, stay).T, fibre.T

    def neighbours_of(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the ranks after the moves, -1 if one is impossible: int64 (N,) to int64 (N, moves).

        >>> ring = StateSpace(np.array([[1, 2, 0], [-1, 0, 1]]), np.zeros((2, 3), np.int32), np.array([[0]], np.uint32))
        >>> ring.neighbours_of(np.array([0, 2])).tolist()
        [[1, -1], [0, 1]]
        """
        a, b = np.divmod(ranks, self.width)
        first, b = self._first_ranks((slice(None), a)).T, b[:, None]
        if self.symmetries is not None:
            b = self.symmetries.images[self.symmetries.numbers.T[a], b]
        return np.where(first >= 0, first + self.fibre[self.action.T[a], b], -1)

    def reversed(self) -> StateSpace:
        """Return the space with every move inverted; itself if neighbours are mutual. Moves must keep rows together."""
        if self.mutual:
            return self
        if self.fibre.max() >= self.width or not self.keeps_rows:
            raise ValueError("cannot undo moves that take a row apart")
        base, action = np.full_like(self.base, -1), np.zeros_like(self.action)
        for m, targets in enumerate(self.base):
            possible = np.flatnonzero(targets >= 0)
            base[m, targets[possible]] = possible
            action[m, targets[possible]] = self.action[m, possible]
        fibre, every = np.empty_like(self.fibre), np.arange(self.width, dtype=np.uint32)
        for images, sources in zip(self.fibre, fibre, strict=True):  # one by one: ranks of all would take more memory
            sources[images] = every
        return StateSpace(base, action, fibre, False, self.costs)

    @property
    def cost_of_moves(self) -> NDArray[np.uint8]:
        """The cost of each move, uint8 (moves,)."""
        return np.array(self.costs or [1] * len(self.base), np.uint8)

    @property
    def has_free_moves(self) -> bool:
        """Whether some moves cost 0."""
        return 0 in self.costs

    @property
    def has_unit_costs(self) -> bool:
        """Whether every move costs 1."""
        return {*self.costs} <= {1}


def first_ranks(rows: NDArray[np.integer], width: int, offsets: NDArray[np.uint32] | None = None) -> NDArray[np.int64]:
    """Return the ranks of the first states of rows of a width, plus offsets; -1 for -1."""
    ranks = rows.astype(np.int64)
    ranks *= width
    if offsets is not None:
        ranks += offsets
    ranks[rows < 0] = -1
    return ranks


@dataclass(frozen=True, slots=True, eq=False)
class RefinedSpace:
    """A state space whose base is itself a base, of *classes*, times *labels*.

    The two are kept apart, because their product can be too large for memory. Row ``a * labels + l`` is the class `a`
    with the label `l`; moves are always possible, and keep rows together.
    """

    base: NDArray[np.int32]  # (moves, C): the class after a move
    action: NDArray[np.uint16]  # (moves, C): the row of `fibre` that is used
    relabel: NDArray[np.int32]  # (moves, C): the row of `labels` that is used
    labels: NDArray[np.uint8]  # (relabellings, L): the image of each label
    fibre: NDArray[np.uint16]  # (actions, B): the image of each fibre state

    @property
    def rows(self) -> int:
        """The number of rows, C * L."""
        return int(self.base.shape[1] * self.labels.shape[1])
