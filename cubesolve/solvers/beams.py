"""Solutions where moves are not always possible or have no inverses: some at once, then shorter ones (needs numba).

A beam search keeps the most promising states after each move; wider beams find shorter solutions. Each solution is then
shortened in a tunnel: a shortest way from its start to a solved state through the states near those that it passes
(Furcy, *ITSA\\*: Iterative tunneling search with A\\**, 2006).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.definition.sliding import Sliding, sliding
from cubesolve.errors import CubesolveError, NoMemoryError, SearchLimitError, UnsolvableStateError
from cubesolve.runtime.deadline import check
from cubesolve.search.ida_star import ProjectedSolver
from cubesolve.solvers.beam import BeamSearch, MovedStates, RankRows
from cubesolve.spaces.rows import RowSet

if TYPE_CHECKING:
    from cubesolve.group.permutations import Arrangement
    from cubesolve.solvers.solver import Solver
    from cubesolve.spaces.defined_graph import DerivedGraph

_NARROWEST, _WIDER = 1 << 7, 4  # states of the first beam, and the factor from each to the next
_WIDEST = 1 << 30  # bytes of a beam
_LONGEST = 8  # moves of a solution for each move of the lower bound, before a wider beam is tried
_TUNNEL = 1 << 13  # states of the first tunnel
_DATABASES = 1 << 23  # bytes of pattern databases, which are made in seconds
_SUM = 1 << 16  # more than the sum of all bounds of a state


class _Problem(NamedTuple):
    """A puzzle as beams take it."""

    states: MovedStates
    row: Callable[[Arrangement], NDArray[Any]]
    values: Callable[[NDArray[Any]], NDArray[Any]]  # divided by `bound`, a lower bound of the depth
    bound: int
    named: Callable[[Sequence[int], Arrangement], list[str]]  # moves that solve a row, in the orientation of its state


class Beams:
    """Finds solutions of any states of a puzzle."""

    def __init__(self, solver: Solver, graph: DerivedGraph) -> None:
        self._solver, self._graph = solver, graph

    def at_least(self, state: Arrangement) -> int:
        """Return a lower bound of the depth of a state."""
        return int(self._problem.values(self._problem.row(state))[0]) // self._problem.bound

    def solutions(
        self,
        state: Arrangement,
        memory: int | None = None,  # noqa: ARG002
    ) -> Iterator[list[str] | None]:
        """Yield shorter and shorter solutions, until the widest beam; None ends the work of each."""
        problem, start = self._problem, self._problem.row(state)
        if problem.states.is_solved(start)[0]:
            yield problem.named([], state)
            return
        best, width, room = list[int](), _NARROWEST, _TUNNEL
        longest = _LONGEST * max(self.at_least(state), 1)
        while True:
            search = BeamSearch(problem.states, problem.values, width, len(best) - 1 if best else longest)
            try:
                best = search.solve(start)
            except SearchLimitError:
                has_all = search.is_whole and (bool(best) or search.at_least <= longest)
                is_last = has_all or width * _WIDER * len(problem.states.moves) * start.nbytes > _WIDEST
                if has_all and not best:
                    raise UnsolvableStateError(f"no moves of the {self._graph.rules.title} solve this state") from None
                if is_last and not best:
                    raise
                if is_last:
                    return
            else:
                yield problem.named(best, state)
            while best and (shorter := tunnelled(problem.states, start, best, room)) is not None:
                best = shorter
                yield problem.named(best, state)
            if best:
                yield None
            width, room, longest = width * _WIDER, room * _WIDER, longest * _WIDER

    @property
    def _only(self) -> str:
        return f"only optimal solutions are supported for the {self._graph.rules.title}"

    @functools.cached_property
    def _problem(self) -> _Problem:
        puzzle = sliding(self._graph.reduction.solved, self._graph.definition_moves)
        if puzzle is not None and not self._graph.rules.definition.illegal:
            return self._by_distances(puzzle)
        return self._by_databases()

    def _by_distances(self, puzzle: Sliding) -> _Problem:
        """Return a sliding puzzle with the sum of the distances of all pieces: in a rectangle, Manhattan distances."""
        arrays, labelling = self._solver.state_arrays(self._graph.metric), self._graph.rules.labelling
        points, apart = np.arange(arrays.points), np.array(puzzle.distances, np.uint8)
        home = {label: point for point, label in enumerate(arrays.solved.tolist())}
        gap = int(arrays.solved[puzzle.solved.index(puzzle.gap)])
        table = np.stack([apart[:, home[label]] * (label != gap) for label in range(arrays.labels)], axis=1)
        return _Problem(
            arrays,
            lambda state: arrays.read([labelling.state(state)]),
            lambda rows: table[points, rows].sum(axis=1),
            1,
            lambda alg, _state: [arrays.moves[move] for move in alg],
        )

    def _by_databases(self) -> _Problem:
        """Return a puzzle with the largest bound of its pattern databases, and then with their sum."""
        workbench, graph = self._solver.workbench(self._graph.metric), self._graph
        labelling, searched = graph.rules.labelling, workbench.searched
        try:
            opened = searched.opening.open(_DATABASES)
        except NoMemoryError as error:
            raise CubesolveError(f"{self._only}: {error}") from None
        solver = opened.solver
        if not (opened.spaces and isinstance(solver, ProjectedSolver)):
            raise CubesolveError(self._only)

        def row(state: Arrangement) -> NDArray[np.int64]:
            return np.array([opened.ranks(searched.home(labelling.state(state)))], np.int64)

        def named(alg: Sequence[int], state: Arrangement) -> list[str]:
            given = labelling.state(state)
            if not searched.is_solved_by(searched.home(given), tuple(alg)):
                raise CubesolveError(f"{self._only}: pattern databases do not distinguish all of its states")
            return graph.names(alg, given)

        def values(ranks: NDArray[np.int64]) -> NDArray[np.int64]:
            bounds = solver.bounds(ranks)
            combined: NDArray[np.int64] = bounds.max(axis=1) * _SUM + bounds.sum(axis=1)
            return combined

        return _Problem(RankRows(opened.spaces, graph.moves, solver.problem.solved), row, values, _SUM, named)


def tunnelled(states: MovedStates, start: NDArray[Any], alg: Sequence[int], room: int) -> list[int] | None:
    """Return a shortest alg through the states near those that an alg passes; None if it is not shorter."""
    path = [start]
    for move in alg:
        after = states.successors(path[-1])
        path.append(after.states[after.moves == move])
    edge = np.concatenate(path)
    near = RowSet(edge)
    while len(near) < room and len(edge):
        check()
        after = states.successors(edge)
        edge = after.states[near.add(after.states)]
    search = BeamSearch(states, lambda rows: np.where(near.has(rows), 0, math.inf), len(near), len(alg) - 1)
    try:
        return search.solve(start)
    except SearchLimitError:
        return None
