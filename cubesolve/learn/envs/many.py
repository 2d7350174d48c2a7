"""Many states of a puzzle that are moved together: ranks of a table, or rows of labels."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings.batch import go, lead_down
from cubesolve.encodings.probe import steps_of
from cubesolve.learn.envs.states import AnyStates, Depths, Lengths, RankedStates, SearchedStates
from cubesolve.spaces.vectors import LabelEncoding, rewrite_hot, write_hot

_MANY_LABELS = 32  # of which only those that change are written, if the array is kept


class Many(ABC):
    """Many states, which are moved together."""

    def __init__(self, encoding: LabelEncoding, copy: bool) -> None:
        """Take the encoding of labels, and whether each observation of all states is a new array."""
        self._encoding, self._copy = encoding, copy
        self._hot: tuple[NDArray[np.uint8], NDArray[np.int8]] | None = None  # labels, and their observation

    @abstractmethod
    def begin(self, chosen: NDArray[np.bool_], rng: np.random.Generator, depth: Depths, walk: Lengths) -> None:
        """Replace some states by random ones that are not solved.

        Args:
            chosen: bool (N,): which states.
            depth: the depth of all, or of each of the chosen; None for any.
            walk: the number of random moves to all, or to each of the chosen, from the solved state, or a range from
                which each is drawn; None for a state of this depth.

        Raises:
            ValueError: no state has such a depth, or no walk of this length leads away from the solved state.
        """

    @abstractmethod
    def move(self, moves: NDArray[np.int64]) -> None:
        """Make a move in each state; one that is not possible changes nothing."""

    @property
    @abstractmethod
    def distances(self) -> NDArray[np.uint8]:
        """The distance of each state from solved: uint8 (N,)."""

    @property
    @abstractmethod
    def solved(self) -> NDArray[np.bool_]:
        """Which states are solved: bool (N,)."""

    @abstractmethod
    def optimal_moves(self) -> NDArray[np.int8]:
        """Return int8 (N, moves): 1 for the moves that begin an optimal solution."""

    @abstractmethod
    def possible(self) -> NDArray[np.int8]:
        """Return int8 (N, moves): 1 for the possible moves."""

    def shown(self, observation: str, chosen: NDArray[np.bool_] | None = None) -> NDArray[np.integer]:
        """Return all states, or some, as observations."""
        if observation == "rank":
            return self._as_ranks(chosen)
        labels = self._as_labels(chosen)
        if observation == "labels":
            return labels
        if self._encoding.dtype != np.uint8:
            return self._encoding.one_hot(labels)
        rows, is_kept = labels.astype(np.uint8, copy=False), not self._copy and chosen is None
        kept = self._hot if is_kept else None
        if is_kept:
            self._hot = None  # until it is written: an interrupt may leave a part of it
        if kept is not None and self._encoding.labels >= _MANY_LABELS:
            before, hot = kept
            rewrite_hot(before, rows, hot)
        else:
            hot = np.empty((*rows.shape, self._encoding.labels), np.int8) if kept is None else kept[1]
            write_hot(rows, hot)
        if is_kept:
            self._hot = rows, hot
        return hot

    @abstractmethod
    def _as_labels(self, chosen: NDArray[np.bool_] | None) -> NDArray[np.integer]:
        """Return all states, or some, as labels (N, points)."""

    def _as_ranks(self, chosen: NDArray[np.bool_] | None) -> NDArray[np.int64]:
        """Return all states, or some, as ranks (N,); only where there are ranks."""
        raise NotImplementedError


class ManyRanks(Many):
    """The states of a table with a byte per state, as ranks."""

    def __init__(self, states: RankedStates, number: int, copy: bool) -> None:
        """Take the states of the puzzle, how many there are to be, and `copy`.

        Raises:
            ValueError: the table does not have a byte per state.
        """
        super().__init__(states.encoding, copy)
        self._states, self._ranks = states, np.zeros(number, np.int32)
        self._distances = np.zeros(number, np.uint8)
        self._open()

    def _open(self) -> None:
        arrays = self._states.arrays
        self._steps, self._body = steps_of(arrays.graph), arrays.probe.depths

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name not in {"_steps", "_body"}}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._open()

    def begin(self, chosen: NDArray[np.bool_], rng: np.random.Generator, depth: Depths, walk: Lengths) -> None:
        """Replace some states by random ones that are not solved."""
        if walk is None:
            ranks = self._states.draw_many(rng, int(chosen.sum()), depth)
        else:
            ranks = self._states.walked(rng, int(chosen.sum()), walk)
        self._ranks[chosen], self._distances[chosen] = ranks, self._body[ranks]

    def move(self, moves: NDArray[np.int64]) -> None:
        """Make a move in each state; one that is not possible changes nothing."""
        self._distances = np.empty_like(self._distances)  # a caller may have those before
        go(self._steps, self._body, self._ranks, moves, self._distances)

    @property
    def distances(self) -> NDArray[np.uint8]:
        """The distance of each state from solved: uint8 (N,)."""
        return self._distances

    @property
    def solved(self) -> NDArray[np.bool_]:
        """Which states are solved: bool (N,)."""
        solved: NDArray[np.bool_] = self._distances == 0
        return solved

    def optimal_moves(self) -> NDArray[np.int8]:
        """Return int8 (N, moves): 1 for the moves that begin an optimal solution."""
        leads = np.empty((len(self._ranks), len(self._states.moves)), np.bool_)
        lead_down(self._steps, self._body, self._ranks.astype(np.int64), leads)
        return leads.view(np.int8)

    def possible(self) -> NDArray[np.int8]:
        """Return int8 (N, moves): 1 for the possible moves."""
        return self._states.possible(self._ranks)

    def _as_labels(self, chosen: NDArray[np.bool_] | None) -> NDArray[np.integer]:
        return self._states.labels_fast(self._ranks if chosen is None else self._ranks[chosen])

    def _as_ranks(self, chosen: NDArray[np.bool_] | None) -> NDArray[np.int64]:
        return (self._ranks if chosen is None else self._ranks[chosen]).astype(np.int64)


class ManyRows(Many):
    """States as rows of labels, without a table; distances and optimal moves are searched for on request."""

    def __init__(self, states: SearchedStates, number: int, copy: bool) -> None:
        """Take the states of the puzzle, how many there are to be, and `copy`."""
        super().__init__(states.encoding, copy)
        self._states, self._arrays = states, states.state_arrays
        self._rows = np.tile(self._arrays.solved, (number, 1))
        self._distances: NDArray[np.uint8] | None = None

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "_arrays"}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._arrays = self._states.state_arrays

    def begin(self, chosen: NDArray[np.bool_], rng: np.random.Generator, depth: Depths, walk: Lengths) -> None:
        """Replace some states by random ones that are not solved."""
        number = int(chosen.sum())
        rows = self._states.draw_rows(rng, number, depth) if walk is None else self._states.walked(rng, number, walk)
        self._rows, self._distances = self._rows.copy(), None  # what was shown does not change
        self._rows[chosen] = rows

    def move(self, moves: NDArray[np.int64]) -> None:
        """Make a move in each state; one that is not possible changes nothing."""
        self._rows, self._distances = self._arrays.apply(self._rows, moves), None

    @property
    def solved(self) -> NDArray[np.bool_]:
        """Which states are solved: bool (N,)."""
        return self._arrays.is_solved(self._rows)

    @property
    def distances(self) -> NDArray[np.uint8]:
        """The distance of each state from solved: uint8 (N,)."""
        if self._distances is None:
            self._distances = np.array([self._states.distance(each) for each in self._rows], np.uint8)
        return self._distances

    def optimal_moves(self) -> NDArray[np.int8]:
        """Return int8 (N, moves): 1 for the moves that begin an optimal solution."""
        return np.array([self._states.optimal_moves(each) for each in self._rows])

    def possible(self) -> NDArray[np.int8]:
        """Return int8 (N, moves): 1 for the possible moves."""
        return self._arrays.possible(self._rows).view(np.int8)

    def _as_labels(self, chosen: NDArray[np.bool_] | None) -> NDArray[np.integer]:
        return self._rows if chosen is None else self._rows[chosen]


def many_of(states: AnyStates, number: int, copy: bool) -> Many:
    """Return many states of a puzzle.

    Args:
        copy: whether each observation of all is a new array.

    Raises:
        ValueError: the table does not have a byte per state.
    """
    if isinstance(states, RankedStates):
        return ManyRanks(states, number, copy)
    return ManyRows(states, number, copy)
