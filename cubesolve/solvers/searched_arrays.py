"""Answers about many states of a puzzle without a table of all states: each is searched for (numpy)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cubesolve.definition.state import StateT
from cubesolve.errors import InvalidMoveError, InvalidStateError, SearchLimitError
from cubesolve.runtime.arguments import Keywords
from cubesolve.search.limits import SearchOptions
from cubesolve.solvers.arrays import MOST_MOVES, NO_DEPTH, Solutions
from cubesolve.solvers.faults import InvalidState, is_masking, read_each
from cubesolve.solvers.questions import Accepted
from cubesolve.solvers.state_arrays import StateArrays, States
from cubesolve.spaces.batches import as_array

if TYPE_CHECKING:
    from cubesolve.solvers.solver import Solver, Source

AnswerT = TypeVar("AnswerT")


class SearchedArrays(Generic[StateT]):
    """Answers about arrays of states, with the methods of `GraphArrays` that need no ranks.

    States are rows of labels, as those of `StateArrays`, or a list in any form that the puzzle reads.
    """

    def __init__(self, solver: Solver[StateT], question: Keywords) -> None:
        self._solver, self._question = solver, question

    @property
    def _arrays(self) -> StateArrays:
        return self._solver.state_arrays(self._question.get("metric"))

    # -- Questions about distances -------------------------------------------------------------------------------------

    def depths(self, batch: object, invalid: str, workers: int | None) -> NDArray[np.uint8]:
        return np.array(self._each(batch, invalid, workers, self._solver.depth, NO_DEPTH), np.uint8)

    def count_solutions(self, batch: object, invalid: str, workers: int | None) -> NDArray[np.int64]:
        return np.array(self._each(batch, invalid, workers, self._solver.count_solutions, 0), np.int64)

    def optimal_moves(self, batch: object, invalid: str, workers: int | None) -> NDArray[np.bool_]:
        best = self._each(batch, invalid, workers, self._solver.optimal_numbers, list[int]())
        leads = np.zeros((len(best), len(self._arrays.moves)), np.bool_)
        for row, moves in enumerate(best):
            leads[row, moves] = True
        return leads

    def solve(
        self, batch: object, invalid: str, workers: int | None, accepts: Accepted, search: SearchOptions
    ) -> Solutions:
        def solve(state: object, **question: Any) -> Any:
            try:
                return self._solver.solve_in_time(state, **accepts.named, **search, **question)
            except SearchLimitError:
                if not is_masking(invalid):
                    raise
                return None

        algs = self._each(batch, invalid, workers, solve, None)
        try:
            numbers = [None if alg is None else self._arrays.numbers_of_solution(alg) for alg in algs]
        except InvalidMoveError as error:  # other moves do the same up to a rotation
            raise ValueError(f"the solution of `solve` has other moves than `state_arrays().moves`: {error}") from None
        dtype = np.uint8 if len(self._arrays.moves) <= MOST_MOVES else np.uint16
        longest = max((len(alg) for alg in numbers if alg), default=0)
        moves = np.full((len(algs), longest), np.iinfo(dtype).max, dtype)
        lengths = np.full(len(algs), NO_DEPTH, np.uint8)
        for row, alg in enumerate(numbers):
            if alg is not None:
                moves[row, : len(alg)], lengths[row] = alg, len(alg)
        return Solutions(moves, lengths)

    def _each(
        self, batch: object, invalid: str, workers: int | None, ask: Callable[..., AnswerT], blank: AnswerT
    ) -> list[AnswerT]:
        """Return the answers of a search for each state, and a blank for invalid ones."""
        named = self._question if workers is None else {**self._question, "workers": workers}

        def answer(state: object) -> Any:
            return state if isinstance(state, Exception) else ask(state, **named)

        states = self._solver.read_batch(batch, invalid)  # all, before the first search
        results = read_each(states, answer, invalid)
        return [blank if isinstance(result, Exception) else result for result in results]

    def bounds(
        self, batch: object, invalid: str, bounds_of: Callable[[Sequence[StateT]], ArrayLike]
    ) -> NDArray[np.uint8]:
        """Return the lower bound of each state of a batch by a function, uint8 (N, 1); 255 if the state is invalid."""
        states = self._solver.read_batch(batch, invalid)
        valid = {row: state for row, state in enumerate(states) if not isinstance(state, Exception)}
        bounds = np.full((len(states), 1), NO_DEPTH, np.uint8)
        bounds[[*valid], 0] = bounds_of([*valid.values()])
        return bounds

    # -- Questions about states ----------------------------------------------------------------------------------------

    def read(self, batch: object, invalid: str) -> list[StateT | InvalidState]:
        """Return the states of a batch; see `Solver.read_batch`."""
        solver = self._solver
        if isinstance(batch, (str, bytes, Mapping)):
            raise InvalidStateError("a batch is a list or an array of states", "type")
        if isinstance(batch, (list, tuple)) and not any(isinstance(state, (list, np.ndarray)) for state in batch):
            return read_each(batch, solver.rules.read, invalid)
        array = as_array(batch)
        if array.dtype.kind in "US" and array.ndim == 1:
            return read_each(map(str, array.astype(np.str_)), solver.rules.read, invalid)
        arrays = solver.state_arrays(None)
        return read_each(arrays.read(array), arrays.state, invalid)

    def neighbors(self, batch: object, invalid: str, workers: int | None) -> States:
        if is_masking(invalid):
            raise ValueError("invalid='mask' is supported for ranks, not for rows of labels")
        return self._arrays.neighbors(self._arrays.read(batch), workers=workers)

    def sample(self, number: int, depth: ArrayLike | None, rng: Source) -> States:
        if depth is not None:
            what = f"a random state of the {self._solver.rules.title} at a depth"
            raise ValueError(f"not supported: {what}; `state_arrays().walks` draws states by a number of random moves")
        return self._arrays.random(number, rng)
