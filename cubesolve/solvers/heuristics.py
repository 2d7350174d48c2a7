"""Heuristics: pattern databases, their sums and maxima, and searches with them (needs numba)."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.definition.sliding import Sliding, SlidingSymmetry, symmetries
from cubesolve.errors import UnsolvableStateError
from cubesolve.group.moves import is_plain
from cubesolve.group.permutations import Arrangement
from cubesolve.runtime.arguments import integer
from cubesolve.runtime.deadline import check, current
from cubesolve.runtime.workers import Workers
from cubesolve.search.ida_star import Projected, ProjectedSolver
from cubesolve.search.limits import limited
from cubesolve.search.statistics import Iteration
from cubesolve.solvers.opening import Opened
from cubesolve.solvers.solution import Solution
from cubesolve.solvers.studies import Profile, Search, Study

if TYPE_CHECKING:
    import threading

    from cubesolve.solvers.solver import Source
    from cubesolve.solvers.workbench import Workbench
    from cubesolve.spaces.rows import Rows

NO_BOUND = 255
"""The bound of an invalid row."""

_SAMPLE = 10_000  # states of a profile
_TOGETHER = 1 << 12  # states whose bounds a thread finds together


class PatternDatabase(NamedTuple):
    """A table of a simplified puzzle.

    Attributes:
        name: its pattern.
        key: equal for databases with equal values.
        counted: the moves whose costs it counts: moves by number, or in a sliding puzzle the labels of the pieces.
        projected: the table and its space.
        ranks: returns the ranks of states at home: rows (N, points) to int64 (N,).
    """

    name: str
    key: Hashable
    counted: frozenset[int]
    projected: Projected
    ranks: Callable[[Rows], NDArray[np.int64]]


class Heuristic:
    """A heuristic of a puzzle: a lower bound of the depth of each state.

    `Puzzle.heuristic` returns the heuristic of the searches of a puzzle, and `Puzzle.pdb` a pattern database. Batches
    are lists of states in any form that the puzzle reads, arrays of states (`Puzzle.written`), or ranks if the puzzle
    has ranks. A heuristic cannot be pickled: other processes make it of the puzzle.
    """

    def __init__(self, workbench: Workbench, make: Callable[[], Opened]) -> None:
        """Take the puzzle, and a function that opens the tables."""
        self._workbench, self._make = workbench, make

    @functools.cached_property
    def _opened(self) -> Opened:
        return self._make()

    def __repr__(self) -> str:
        return f"<heuristic of the {self._workbench.graph.rules.title}>"

    def __call__(self, batch: object) -> NDArray[np.int64]:
        """Return the value for each state of a batch: int64 (N,)."""
        values: NDArray[np.int64] = self._bounds(self._workbench.rows(batch)[0]).max(axis=1)
        return values

    @limited
    def bounds(
        self,
        batch: object,
        *,
        invalid: str = "raise",
        workers: int | None = None,
        timeout: float | None = None,  # noqa: ARG002  # `limited` takes both
        cancel: threading.Event | None = None,  # noqa: ARG002
    ) -> NDArray[np.uint8]:
        """Return each of the lower bounds of which the value is the largest, for each state of a batch.

        Args:
            batch: the states.
            invalid: ``raise``, or ``mask`` to continue after invalid states.
            workers: number of threads, which work on large batches only; by default one for each processor.
            timeout: seconds after which to give up.
            cancel: an event that ends the question when another thread sets it.

        Returns:
            uint8 (N, bounds): 255 for invalid states.

        Raises:
            InvalidStateError: some states are invalid.
        """
        rows, valid = self._workbench.rows(batch, invalid)
        return np.where(valid[:, None], self._bounds(rows, workers), NO_BOUND).astype(np.uint8)

    def _bounds(self, rows: Rows, workers: int | None = None) -> NDArray[np.int64]:
        """Return the bounds of states at home: int64 (N, bounds)."""
        check()
        found = {0: self._bounds_of(rows[:0])}  # opens the tables

        def answer(first: int, last: int) -> int:
            found[first] = self._bounds_of(rows[first:last])
            return last - first

        with Workers(len(rows), workers, at_most=_TOGETHER) as pool:
            pool.run(answer)
        return np.concatenate([found[first] for first in sorted(found)])

    def _bounds_of(self, rows: Rows) -> NDArray[np.int64]:
        """Return the bounds of some states at home: int64 (N, bounds)."""
        opened = self._opened
        return opened.solver.bounds(opened.ranks_of_rows(rows)) if len(rows) else np.empty((0, 1), np.int64)

    def _ranks(self, state: Arrangement) -> list[int]:
        return self._opened.ranks(state)

    @limited
    def search(
        self,
        state: object,
        *,
        max_depth: int | None = None,
        workers: int = 1,
        timeout: float | None = None,  # noqa: ARG002  # `limited` takes both
        cancel: threading.Event | None = None,  # noqa: ARG002
    ) -> Search:
        """Solve a state by IDA* with this heuristic, and count the nodes of each iteration.

        Args:
            state: the state, in any form that the puzzle reads.
            max_depth: the largest cost to try.
            workers: number of threads. The solution does not depend on it, the nodes of the last iteration do.
            timeout: seconds after which to give up.
            cancel: an event that ends the search when another thread sets it.

        Raises:
            InvalidStateError: the state is invalid or unsolvable.
            SearchLimitError: the search ended at a limit.
        """
        read, home = self._workbench.state(state)
        return self._search(read, home, max_depth, workers)

    def _search(self, state: object, home: Arrangement, max_depth: int | None, workers: int) -> Search:
        graph, reports = self._workbench.graph, {0: (0, 0.0)}  # the last report of each cost
        ranks = self._ranks(home)
        (alg,) = self._opened.solver.solve(
            ranks,
            accept=functools.partial(self._workbench.searched.is_solved_by, home),
            max_depth=max_depth,
            deadline=current(),
            workers=workers,
            progress=lambda cost, *report: reports.update({cost: report}),
        )[:1]
        cost = sum(graph.reduction.moves[move].cost for move in alg)
        pairs = itertools.pairwise(reports.items())
        iterations = tuple(Iteration(at, now[0] - past[0], now[1] - past[1]) for (_, past), (at, now) in pairs)
        solution = Solution(" ".join(graph.names(alg, state)), cost, graph.rules, state)
        return Search(solution, cost, int(self._opened.solver.bounds(ranks).max()), iterations)

    @limited
    def study(
        self,
        batch: object,
        *,
        workers: int = 1,
        timeout: float | None = None,  # noqa: ARG002  # `limited` takes both
        cancel: threading.Event | None = None,  # noqa: ARG002
    ) -> Study:
        """Solve each state of a batch; see `search`.

        Returns:
            The searches. They show the mean value, error, nodes and effective branching factor for each depth.
        """
        states = map(self._workbench.state, self._workbench.states(batch))
        return Study(tuple(self._search(state, home, None, workers) for state, home in states))

    @limited
    def profile(
        self,
        number: int = _SAMPLE,
        rng: Source = None,
        *,
        timeout: float | None = None,  # noqa: ARG002  # `limited` takes both
        cancel: threading.Event | None = None,  # noqa: ARG002
    ) -> Profile:
        """Return the distribution of the values over random states, which predicts the nodes of searches.

        Args:
            number: the number of states.
            rng: a source of random numbers, or a seed for one; by default the system's randomness.
            timeout: seconds after which to give up.
            cancel: an event that ends the question when another thread sets it.
        """
        rows = self._workbench.random_rows(integer("number", number, 1), rng)
        values, classes = self._bounds(rows).max(axis=1), self._workbench.parities(rows)
        counts = [np.bincount(values[classes == each], minlength=1 + values.max()) for each in range(1 + classes.max())]
        graph, puzzle = self._workbench.graph, self._workbench.sliding
        always = not graph.rules.definition.illegal and all(is_plain(move.effects) for move in graph.reduction.moves)
        following = graph.canonical.following if puzzle or (always and not graph.costs) else ()
        return Profile(tuple(tuple(each.tolist()) for each in counts), following, puzzle)


class PatternHeuristic(Heuristic):
    """A heuristic of pattern databases: a maximum of sums of their entries.

    ``one + other`` is the sum, if no move is counted twice; ``one | other`` is the maximum.

    Attributes:
        groups: the databases of each sum.

    >>> from cubesolve import puzzle
    >>> tiles = puzzle("tiles-3x3")
    >>> one, other = tiles.pdb("1 2 3 4"), tiles.pdb("5 6 7 8")
    >>> states = ["8 6 7 2 5 4 3 0 1", "6 4 7 8 5 0 3 2 1"]
    >>> one(states), other(states), (one + other)(states), tiles.depth(states[0])
    (array([14, 14]), array([15, 15]), array([29, 29]), 31)
    """

    def __init__(self, workbench: Workbench, groups: Sequence[Sequence[PatternDatabase]]) -> None:
        """Take the puzzle, and the databases of each sum."""
        super().__init__(workbench, self._open)
        different = {frozenset(database.key for database in group): tuple(group) for group in reversed(groups)}
        self.groups = tuple(different.values())[::-1]

    def __repr__(self) -> str:
        sums = (" + ".join(repr(database.name) for database in group) for group in self.groups)
        return f"<heuristic of the {self._workbench.graph.rules.title}: {' | '.join(sums)}>"

    def __add__(self, other: PatternHeuristic) -> PatternHeuristic:
        """Return the sum, which is admissible if no move is counted by two databases.

        Raises:
            ValueError: the sum is not admissible, or the other heuristic is of another puzzle.
        """
        self._require_same(other)
        groups = [(*one, *more) for one, more in itertools.product(self.groups, other.groups)]
        for group in groups:
            _require_additive(group)
        return PatternHeuristic(self._workbench, groups)

    def __or__(self, other: PatternHeuristic) -> PatternHeuristic:
        """Return the maximum.

        Raises:
            ValueError: the other heuristic is of another puzzle.
        """
        self._require_same(other)
        return PatternHeuristic(self._workbench, (*self.groups, *other.groups))

    def symmetric(self) -> PatternHeuristic:
        """Return the maximum over the symmetries of the puzzle: each state is also looked up as its mirror images.

        Raises:
            ValueError: this is not a sliding puzzle; the symmetries of others are not known.

        >>> from cubesolve import puzzle
        >>> tiles = puzzle("tiles-3x3")
        >>> halves = tiles.pdb("1 2 3 4") + tiles.pdb("5 6 7 8")
        >>> halves(["0 1 2 7 5 6 4 8 3"]), halves.symmetric()(["0 1 2 7 5 6 4 8 3"])
        (array([14]), array([18]))
        """
        puzzle = self._workbench.sliding
        if puzzle is None:
            raise ValueError(f"symmetric is not supported for the {self._workbench.graph.rules.title}")
        views = symmetries(puzzle)
        return PatternHeuristic(
            self._workbench, [[_seen(each, puzzle, view) for each in group] for view in views for group in self.groups]
        )

    def _require_same(self, other: PatternHeuristic) -> None:
        if not isinstance(other, PatternHeuristic) or other._workbench.graph.digest != self._workbench.graph.digest:
            raise ValueError("heuristics can be combined if they are pattern databases of the same puzzle and metric")

    def _open(self) -> Opened:
        graph, solved = self._workbench.graph, self._workbench.solved
        costs = [move.cost for move in graph.reduction.moves]
        tables = [[database.projected for database in group] for group in self.groups]
        ends = self._rows_ranks(np.array([list(state) for state in solved]))
        solver = ProjectedSolver(tables, ends[(ends >= 0).all(axis=1)], graph.canonical.following, costs)
        return Opened(lambda state: self._rows_ranks(np.array([list(state)]))[0].tolist(), solver, self._rows_ranks)

    def _rows_ranks(self, rows: Rows) -> NDArray[np.int64]:
        """Return the ranks of states at home in all databases: (N, databases)."""
        same = rows.astype(self._workbench.dtype)
        return np.stack([database.ranks(same) for group in self.groups for database in group], axis=1)

    def _ranks(self, state: Arrangement) -> list[int]:
        ranks = self._opened.ranks(state)
        if min(ranks) < 0:
            raise UnsolvableStateError("no moves lead from the solved state to this one")
        return ranks

    def _bounds_of(self, rows: Rows) -> NDArray[np.int64]:
        solver = self._opened.solver
        assert isinstance(solver, ProjectedSolver)  # see `_open`
        ranks = self._rows_ranks(rows)
        if (ranks < 0).any():
            raise UnsolvableStateError("no moves lead from the solved state to some of these")
        return solver.bounds(ranks)


def _require_additive(group: Sequence[PatternDatabase]) -> None:
    for one, other in itertools.combinations(group, 2):
        if both := one.counted & other.counted:
            raise ValueError(
                f"the sum of {one.name!r} and {other.name!r} is not admissible: both count {len(both)} of the same "
                "moves; their maximum (|) is"
            )


def _seen(database: PatternDatabase, puzzle: Sliding, view: SlidingSymmetry) -> PatternDatabase:
    """Return a database whose states are looked up under a symmetry."""
    label = np.zeros(1 + max(puzzle.solved), np.int64)
    for point, here in enumerate(puzzle.solved):
        label[here] = puzzle.solved[view.points[point]]
    source = np.argsort(view.points)
    earlier, moves = database.ranks, database.projected.renamed or range(len(view.moves))
    seen = [here for here in puzzle.solved if label[here] in database.counted]
    return database._replace(
        key=(database.key, view.points),
        counted=frozenset(seen),
        projected=database.projected._replace(renamed=tuple(moves[move] for move in view.moves)),
        ranks=lambda states: earlier(label[states[:, source]].astype(states.dtype)),
    )
