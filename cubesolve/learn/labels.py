"""Exact labels for learning: distances, bounds and optimal moves, for arrays of any library.

States are arrays as networks use them: the labels on their points, or the same one-hot. An array in main memory that
supports DLPack is read in place, and the answer is an array of the same library, without a copy.

>>> import numpy as np
>>> from cubesolve import lookup
>>> oracle = Oracle("pocket")
>>> facelets = lookup.facelets([0, 1574640], colours=range(6))
>>> oracle.distances(facelets), oracle.distances(np.eye(6)[facelets])
(array([0, 1], dtype=uint8), array([0, 1], dtype=uint8))
"""

from __future__ import annotations

import functools
from typing import Any, TypeVar, Unpack, overload

import numpy as np
from numpy.typing import NDArray

from cubesolve.ask import Puzzle
from cubesolve.lookup import puzzle_of
from cubesolve.solvers.arrays import GraphArrays
from cubesolve.solvers.keywords import GraphQuestion
from cubesolve.solvers.searched_arrays import SearchedArrays
from cubesolve.spaces import form_of
from cubesolve.spaces.batches import taken

__all__ = ["Oracle"]

Tensor = TypeVar("Tensor")
"""An array of any library that supports DLPack."""


class Oracle:
    """Answers exactly about arrays of states of a puzzle.

    Attributes:
        puzzle: the puzzle.

    >>> from cubesolve import lookup
    >>> oracle = Oracle("pocket", metric="qtm")
    >>> oracle.distances(lookup.facelets([0, 1574640], colours=range(6))).tolist()
    [0, 1]
    """

    def __init__(self, puzzle: str | Puzzle, **question: Unpack[GraphQuestion]) -> None:
        """Create an oracle.

        Args:
            puzzle: the name of a puzzle, the path of a file that defines one, or the puzzle itself.
            **question: `metric` and other options of the puzzle; for rolling cubes the `goal`.

        Raises:
            UnknownPuzzleError, InvalidDefinitionError: there is no such puzzle.
            ValueError: the puzzle does not support an option, or its value is invalid.
        """
        self.puzzle, self._question = puzzle_of(puzzle), question

    def __getstate__(self) -> dict[str, object]:
        return {"puzzle": self.puzzle, "_question": self._question}

    @functools.cached_property
    def _arrays(self) -> GraphArrays | None:
        return self.puzzle.whole(**self._question)

    @functools.cached_property
    def _answers(self) -> GraphArrays | SearchedArrays:
        return self._arrays or self.puzzle.solver.searched_arrays(self._question)

    @overload
    def distances(self, states: NDArray[np.generic]) -> NDArray[np.uint8]: ...
    @overload
    def distances(self, states: Tensor) -> Tensor: ...
    def distances(self, states: NDArray[np.generic] | Tensor) -> object:
        """Return the distance of each state, from the table, or by searching if there is none.

        Args:
            states: integers (N, points); one-hot of any type (N, points, labels) or (N, points * labels); or, for a
                puzzle with a table, ranks, integers (N,). Any library that supports DLPack will do.

        Returns:
            uint8 (N,), of the same library.

        Raises:
            InvalidStateError: an array of another shape or type, one on another device, or invalid rows: the error
                lists the first of them.
            TableError: the table is missing or damaged.
        """
        array, given_back = taken(states)
        return given_back(self._answers.depths(self._batch(array), "raise", None))

    @overload
    def bounds(
        self, states: NDArray[np.generic], *, memory: int | None = None, timeout: float | None = None
    ) -> NDArray[np.uint8]: ...
    @overload
    def bounds(self, states: Tensor, *, memory: int | None = None, timeout: float | None = None) -> Tensor: ...
    def bounds(
        self, states: NDArray[np.generic] | Tensor, *, memory: int | None = None, timeout: float | None = None
    ) -> object:
        """Return a lower bound of the distance of each state, without a search; see `distances`.

        It is the distance itself for a puzzle with a table, and otherwise the largest of `Puzzle.bounds`, whose first
        question makes pattern databases: for puzzles as large as the megaminx this takes minutes, once.

        Args:
            states: as for `distances`.
            memory: the bytes of the pattern databases.
            timeout: seconds after which to give up.

        Returns:
            uint8 (N,), of the same library.

        >>> oracle = Oracle("pancake-12")
        >>> states = oracle.puzzle.state_arrays().walks(3, [1, 4, 400], rng=1).states
        >>> oracle.bounds(states).tolist()
        [1, 4, 9]
        """
        array, given_back = taken(states)
        question: dict[str, Any] = {**self._question, "memory": memory}
        if timeout is not None:
            question["timeout"] = timeout
        bounds = self.puzzle.bounds(self._batch(array), **question)
        return given_back(bounds.max(axis=1, initial=0))

    @overload
    def optimal_moves(self, states: NDArray[np.generic]) -> NDArray[np.bool_]: ...
    @overload
    def optimal_moves(self, states: Tensor) -> Tensor: ...
    def optimal_moves(self, states: NDArray[np.generic] | Tensor) -> object:
        """Return the moves that begin an optimal solution of each state; see `distances`.

        Returns:
            bool (N, moves), of the same library: none for a solved state. `puzzle.moves` has their names.

        >>> Oracle("pocket").optimal_moves(np.array([1574640])).tolist()
        [[False, False, True, False, False, False, False, False, False]]
        """
        array, given_back = taken(states)
        return given_back(self._answers.optimal_moves(self._batch(array), "raise", None))

    def _batch(self, array: NDArray[Any]) -> NDArray[Any]:
        """Convert labels or one-hot to the numbers that the puzzle reads."""
        if self._arrays is None:
            return self.puzzle.state_arrays(metric=self._question.get("metric")).encoding.labels_of(array)
        if array.ndim < 2:
            return array
        form, shape = form_of(self._arrays.graph), array.shape[1:]
        looks = form.looks  # labels are looks if they can be, see `DerivedForm.batch`
        is_hot = looks is not None and shape in {(looks.points, looks.labels), (looks.points * looks.labels,)}
        encoding = looks if looks is not None and is_hot else form.encoding
        return form.of_labels(encoding.labels_of(array))
