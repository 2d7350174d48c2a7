"""Evaluation of heuristics and policies against exact distances, and of solvers.

>>> import numpy as np
>>> from cubesolve import lookup
>>> depths = lookup.table("pocket").as_array()
>>> result = evaluate(lambda ranks: np.minimum(depths[ranks], 7), "pocket", number=10_000, rng=1)
>>> result.is_admissible, result.is_consistent, round(result.greedy, 2)
(True, True, 0.33)
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cubesolve import lookup
from cubesolve.ask import Puzzle
from cubesolve.definition.state import StateT
from cubesolve.definition.view import DefinedView
from cubesolve.errors import SearchLimitError, TooLargeError, quoted
from cubesolve.learn.export import puzzle_and_table
from cubesolve.learn.states import LabelledStates, LearnedStates, RankedStates
from cubesolve.lookup import puzzle_of
from cubesolve.runtime.arguments import one_of
from cubesolve.solvers.arrays import GraphArrays
from cubesolve.solvers.guided import read_values
from cubesolve.spaces.defined import derived

if TYPE_CHECKING:
    from cubesolve.ask.arrays import Batch, Given
    from cubesolve.solvers.solver import Source
    from cubesolve.spaces.tables import TableEntry

StateFunction = Callable[[NDArray[Any]], ArrayLike]
"""A heuristic or a policy: takes an array of states, and returns numbers."""


class SolverResult(Protocol):
    """The result of a solver for a state, such as a `Search`."""

    @property
    def solution(self) -> str | None:
        """The alg; None if it found none."""


TAKES = ("ranks", "labels", "onehot")
"""The forms in which a heuristic or a policy takes states."""

_CHUNK = 1 << 14


class Worst(NamedTuple):
    """The worst state of an evaluation."""

    state: str  # the state, as text
    rank: int | None  # its rank; None if the states were given
    depth: int
    value: float  # the value of the heuristic
    by: float  # the excess of the value over its bound


class AtDepth(NamedTuple):
    """The results for the states at a depth; for a policy, without values and errors."""

    depth: int
    states: int  # the number of evaluated states
    mean: float | None = None  # the mean of the values
    error: float | None = None  # the mean of the errors, value less depth
    absolute: float | None = None  # the mean of the absolute errors
    lowest: float | None = None  # the least error: below 0, the largest underestimate
    highest: float | None = None  # the largest error: above 0, the largest overestimate
    greedy: float | None = None  # the fraction of states whose greedy move is optimal; None for solved states
    solved: float | None = None  # the fraction of states that greedy moves solve; None if only a sample was evaluated
    excess: float | None = None  # the mean number of moves beyond an optimal solution, for the solved ones


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Evaluation:
    """The result of evaluating a heuristic or a policy.

    Its representation is a table with one row per depth.
    """

    table: str  # the table of distances; the puzzle if states with their depths were given
    states: int  # the number of evaluated states
    everything: bool  # whether these are all states
    by_depth: tuple[AtDepth, ...]  # the results for each depth
    # The number of states whose value exceeds the depth; None for a policy, like all of values.
    overestimated: int | None = None
    worst: Worst | None = None  # the state with the largest excess; None if there is none
    # The number of states whose value exceeds the cost of a move plus the value after it, or 0 if the state is solved.
    inconsistent: int | None = None
    least_consistent: Worst | None = None  # the state with the largest such excess; None if there is none
    correlation: float | None = None  # Pearson's, of values and depths; None if one of them is constant
    # The fraction of unsolved states whose greedy move is optimal. The greedy move of a heuristic has the least sum of
    # its cost and the value after it; ties go to the first move. None if it is not known which moves are optimal.
    greedy: float | None = None
    # The fraction of all states that repeated greedy moves solve; None if only a sample was evaluated.
    solved: float | None = None

    @property
    def is_admissible(self) -> bool:
        """Whether no value exceeds the depth."""
        return self.overestimated == 0

    @property
    def is_consistent(self) -> bool:
        """Whether no move decreases the value by more than its cost, and solved states have no value above 0."""
        return self.inconsistent == 0

    def __repr__(self) -> str:
        return "\n".join([*self._summary(), "", *_table(self.by_depth)])

    def _summary(self) -> list[str]:
        which = "all" if self.everything else "a sample of"
        lines = [f"{self.table}: {which} {self.states:,} states"]
        if self.overestimated is not None:
            lines.append(_verdict("admissible", self.overestimated, self.worst))
            lines.append(_verdict("consistent", self.inconsistent or 0, self.least_consistent))
            if self.correlation is not None:
                lines.append(f"correlation with depth: {self.correlation:.4f}")
        if self.greedy is not None:
            lines.append(f"greedy move optimal: {self.greedy:.2%}")
        if self.solved is not None:
            lines.append(f"solved greedily: {self.solved:.2%}")
        return lines


def evaluate(
    heuristic: StateFunction,
    puzzle: str | Puzzle[StateT] = "pocket",
    *,
    takes: str = "ranks",
    number: int | None = None,
    rng: Source = None,
    states: Batch[StateT] | None = None,
    depths: Sequence[int] | NDArray[np.integer] | None = None,
    metric: str | None = None,
    workers: int | None = None,
) -> Evaluation:
    """Evaluate a heuristic against the exact distances.

    For puzzles too large for a table, `states` is a sample, with `depths` if they are known. Otherwise these are
    searched for, as are the optimal moves, which show whether greedy moves are optimal.

    Args:
        heuristic: takes some thousand states at a time, and returns a number for each: (N,) or (N, 1). It must be
            deterministic.
        puzzle: the name of a table or of a puzzle, or a puzzle; with a table of all states, unless states are given.
        takes: the form of the states: ``ranks``, integers (N,); ``labels``, integers (N, entries) from 0 on: the
            colours of facelets, the orientations in cells, or the label in each place, as in environments; or
            ``onehot``, float32 (N, entries, symbols).
        number: evaluate this number of uniformly random states, with their neighbours, instead of all states.
        rng: a random number generator, or a seed for one.
        states: the states to evaluate instead, as `StateArrays.read` takes them; ``takes`` is ``labels`` or ``onehot``.
        depths: their depths.
        metric: the metric of the distances; by default the usual one of the puzzle.
        workers: number of threads for look-ups; the heuristic itself is called from one thread.

    Raises:
        ValueError: there is no such table or form, or the heuristic does not return one finite number per state.
        TableError: the table is missing or damaged.

    >>> def misplaced(tiles):
    ...     return ((tiles != [1, 2, 3, 4, 5, 0]) & (tiles != 0)).sum(axis=1)  # 0 is the gap
    >>> print(evaluate(misplaced, "tiles-2x3", takes="labels"))  # doctest: +ELLIPSIS
    tiles-2x3-htm: all 360 states
    admissible
    consistent
    correlation with depth: 0.1665
    greedy move optimal: 54.04%
    solved greedily: 5.56%...
    >>> solved = lookup.puzzle("15-puzzle").state_arrays().solved
    >>> found = evaluate(
    ...     lambda tiles: (tiles != solved).sum(axis=1) - 1,
    ...     "15-puzzle",
    ...     takes="labels",
    ...     states=lookup.puzzle("15-puzzle").state_arrays().walks(3, [1, 2, 3], rng=1).states,
    ...     depths=[1, 2, 3],
    ... )
    >>> found.is_admissible, found.greedy, [row.error for row in found.by_depth]
    (True, None, [0.0, 0.0, 0.0])
    """
    if states is not None:
        if number is not None:
            raise ValueError("number is not supported for given states")
        return _Evaluator.of_rows(puzzle, takes, states, depths, metric).heuristic(heuristic)
    if depths is not None:
        raise ValueError("depths are those of states, which are missing")
    return _Evaluator.of_table(puzzle, takes, number, rng, metric, workers).heuristic(heuristic)


def evaluate_policy(
    policy: StateFunction,
    puzzle: str | Puzzle = "pocket",
    *,
    takes: str = "ranks",
    number: int | None = None,
    rng: Source = None,
    metric: str | None = None,
    workers: int | None = None,
) -> Evaluation:
    """Evaluate a policy against the exact distances.

    Args:
        policy: returns a number for each move of each state: (N, moves). The greedy move is the possible move with the
            largest number; ties go to the first move.
        puzzle: as for `evaluate`, like the other arguments.

    Raises:
        ValueError: there is no such table or form, or the policy does not return one number per move.
        TableError: the table is missing or damaged.

    >>> from cubesolve import lookup
    >>> round(evaluate_policy(lambda ranks: np.ones((len(ranks), 9)), "pocket", number=1000, rng=1).greedy, 2)
    0.24
    >>> evaluate_policy(lookup.optimal_moves_batch, "pocket", number=1000, rng=1).greedy
    1.0
    """
    return _Evaluator.of_table(puzzle, takes, number, rng, metric, workers).policy(policy)


# -- Solvers -----------------------------------------------------------------------------------------------------------


class Attempt(NamedTuple):
    """The result of a solver for a state."""

    depth: int | None  # the known depth of the state; None if it is unknown
    # The number of moves of the solution, without rotations of the whole puzzle; None if there is none.
    length: int | None
    nodes: int | None  # the number of states that the solver generated, if it returned that
    seconds: float  # the time that it took


class SolvedAtDepth(NamedTuple):
    """The results of a solver for the states at a depth; lengths, nodes and seconds are means of the solved ones."""

    depth: int | None  # the depth; None for states whose depth is unknown
    states: int  # the number of states
    solved: float  # the fraction of states that were solved
    optimal: float | None  # the fraction of states that were solved in as many moves as their depth
    length: float | None  # the number of moves
    excess: float | None  # the number of moves beyond the depth
    nodes: float | None  # the number of generated states
    seconds: float | None  # the time


@dataclass(frozen=True, slots=True, repr=False)
class SolverEvaluation:
    """The result of evaluating a solver.

    Its representation is a table with one row per depth.
    """

    puzzle: str  # the puzzle, as the command line names it
    attempts: tuple[Attempt, ...]  # the results, in the order of the states

    @property
    def by_depth(self) -> tuple[SolvedAtDepth, ...]:
        """The results for each depth."""
        depths = sorted({attempt.depth for attempt in self.attempts}, key=lambda depth: -1 if depth is None else depth)
        return tuple(_solved_at([attempt for attempt in self.attempts if attempt.depth == depth]) for depth in depths)

    @property
    def overall(self) -> SolvedAtDepth:
        """The results for all states together; their depth is None."""
        return _solved_at(self.attempts)._replace(depth=None)

    def __repr__(self) -> str:
        every = self.overall
        parts = [f"{every.solved:.1%} solved"]
        parts += [] if every.optimal is None else [f"{every.optimal:.1%} optimally"]
        parts += [] if every.length is None else [f"{every.length:.2f} moves"]
        parts += [] if every.nodes is None else [f"{every.nodes:,.0f} nodes"]
        parts += [] if every.seconds is None else [f"{every.seconds:.3g} s"]
        return "\n".join([f"{self.puzzle}: {every.states:,} states: {', '.join(parts)}", "", *_table(self.by_depth)])


def evaluate_solver(
    solve: Callable[[StateT], str | SolverResult | None],
    puzzle: str | Puzzle[StateT],
    states: Iterable[Given[StateT]] | NDArray[np.integer],
    depths: Sequence[int] | NDArray[np.integer] | None = None,
) -> SolverEvaluation:
    """Measure the solutions of a solver: how long they are, and how many nodes and how much time they take.

    Each solution is applied to its state. The solver may use any table or network, or none.

    Args:
        solve: takes a state of the puzzle, and returns an alg as text, or None if it finds none; or an object with an
            attribute `solution`. An attribute `nodes` of what it returns is reported. `SearchLimitError` counts as no
            solution.
        puzzle: the name of a puzzle, the path of a file that defines one, or a puzzle.
        states: the states, each as the puzzle reads it; or an array of rows of labels, as those of `state_arrays`.
        depths: the depths of the states, if they are known.

    Raises:
        InvalidStateError: a state is invalid.
        InvalidMoveError: the solver returned something else than moves of the puzzle.
        ValueError: the numbers of states and depths differ, or a returned alg does not solve its state.

    >>> from cubesolve import puzzle
    >>> tiles = puzzle("tiles-2x3")
    >>> states = ["1 2 3 0 4 5", "0 2 3 1 4 5"]
    >>> result = evaluate_solver(tiles.heuristic().search, tiles, states, [2, 3])
    >>> [attempt.length for attempt in result.attempts], result.overall.optimal, result.overall.nodes > 0
    ([2, 3], 1.0, True)
    """
    asked = puzzle if isinstance(puzzle, Puzzle) else lookup.puzzle(puzzle)
    listed = asked.solver.read_batch(states, "raise") if isinstance(states, np.ndarray) else list(states)
    if depths is not None and len(depths) != len(listed):
        raise ValueError(f"there are {len(listed)} states, but {len(depths)} depths")
    expected: Sequence[int | None] = [None] * len(listed) if depths is None else [*map(int, depths)]
    attempts = (_attempt(solve, asked, state, depth) for state, depth in zip(listed, expected, strict=True))
    return SolverEvaluation(asked.rules.spoken, tuple(attempts))


def _attempt(
    solve: Callable[[StateT], str | SolverResult | None],
    puzzle: Puzzle[StateT],
    given: Given[StateT],
    depth: int | None,
) -> Attempt:
    rules, begun = puzzle.rules, time.perf_counter()
    state = rules.read(given)
    try:
        answer = solve(state)
    except SearchLimitError:
        answer = None
    seconds = time.perf_counter() - begun
    nodes = getattr(answer, "nodes", None)
    alg: Any = getattr(answer, "solution", answer)
    if alg is None:
        return Attempt(depth, None, nodes, seconds)
    if not _is_solved(puzzle, rules.view.after(state, alg)):
        raise ValueError(f"{quoted(str(alg))} does not solve {quoted(str(state))}")
    return Attempt(depth, rules.view.count(alg), nodes, seconds)


def _is_solved(puzzle: Puzzle[StateT], state: StateT) -> bool:
    if not isinstance(puzzle.rules.view, DefinedView):
        return puzzle.depth(state) == 0
    labelling = derived(puzzle.rules).labelling
    return labelling.is_solved(labelling.arrangement(state))


def _solved_at(attempts: Sequence[Attempt]) -> SolvedAtDepth:
    solved = [attempt for attempt in attempts if attempt.length is not None]
    excess = [
        attempt.length - attempt.depth for attempt in solved if attempt.length is not None and attempt.depth is not None
    ]
    has_depths = all(attempt.depth is not None for attempt in attempts)
    return SolvedAtDepth(
        depth=attempts[0].depth if attempts else None,
        states=len(attempts),
        solved=len(solved) / max(len(attempts), 1),
        optimal=excess.count(0) / len(attempts) if attempts and has_depths else None,
        length=_mean([attempt.length for attempt in solved]),
        excess=_mean(excess),
        nodes=_mean([attempt.nodes for attempt in solved]),
        seconds=_mean([attempt.seconds for attempt in solved]),
    )


def _mean(numbers: Sequence[float | None]) -> float | None:
    values = [number for number in numbers if number is not None]
    return sum(values) / len(values) if values and len(values) == len(numbers) else None


# -- Evaluating --------------------------------------------------------------------------------------------------------


def _table_of(name: str | Puzzle, metric: str | None) -> tuple[Puzzle, TableEntry, GraphArrays]:
    advice = "pass states, and their depths if they are known"
    try:
        puzzle, entry = puzzle_and_table(name, metric)
    except TooLargeError as error:
        raise ValueError(f"{error}; {advice}") from None
    try:
        return puzzle, entry, puzzle.arrays_of(entry)
    except ValueError as error:
        raise ValueError(f"{error}; {advice}") from None


class _Chosen(NamedTuple):
    optimal: NDArray[np.bool_] | None  # None if that is not known
    there: NDArray[np.integer]  # the state after the move; the state itself if it is solved or no move is possible
    costs: NDArray[np.int64]  # 0 if there is no move


class _Evaluator:
    def __init__(
        self, states: LearnedStates, title: str, takes: str, entries: NDArray[np.integer], depths: NDArray[np.integer]
    ) -> None:
        self._states, self._title, self._takes, self._entries = states, title, takes, entries
        self._depths = depths.astype(np.int64)
        self._everything, self._knows_optimal = False, True

    @classmethod
    def of_table(
        cls, name: str | Puzzle, takes: str, number: int | None, rng: Source, metric: str | None, workers: int | None
    ) -> _Evaluator:
        puzzle, entry, arrays = _table_of(name, metric)
        one_of("form of states", takes, TAKES)
        ranks = np.arange(arrays.graph.states) if number is None else arrays.sample(number, None, rng).astype(np.int64)
        if not len(ranks):
            raise ValueError("number must be at least 1, not 0")
        states = RankedStates(puzzle, {}, arrays, workers)
        evaluator = cls(states, entry.name, takes, ranks, states.distances(ranks))
        evaluator._everything = number is None
        return evaluator

    @classmethod
    def of_rows(
        cls,
        name: str | Puzzle,
        takes: str,
        given: object,
        depths: Sequence[int] | NDArray[np.integer] | None,
        metric: str | None,
    ) -> _Evaluator:
        """Return the evaluator for given states; without depths, these and the optimal moves are searched for."""
        puzzle = puzzle_of(name)
        if one_of("form of states", takes, TAKES) == "ranks":
            raise ValueError("given states have no ranks: choose labels or onehot")
        states = LabelledStates(puzzle, {} if metric is None else {"metric": metric})
        rows = puzzle.state_arrays(metric=metric).read(given)
        if not len(rows):
            raise ValueError("there are no states")
        distances = states.distances(rows) if depths is None else np.asarray(depths, np.int64)
        if distances.shape != (len(rows),):
            raise ValueError(f"there are {len(rows)} states, but {distances.size} depths")
        evaluator = cls(states, puzzle.rules.spoken, takes, rows, distances)
        evaluator._knows_optimal = depths is None
        return evaluator

    def heuristic(self, heuristic: StateFunction) -> Evaluation:
        values = self._values(heuristic, self._entries)
        drops = np.empty(len(values))

        def known(there: NDArray[np.integer]) -> NDArray[np.float64]:
            if self._everything:
                return np.asarray(values[there])
            if there.ndim > 2:
                return self._values(heuristic, there.reshape(-1, there.shape[2])).reshape(there.shape[:2])
            different, places = np.unique(there, return_inverse=True)  # each is asked about once
            return self._values(heuristic, different)[places].reshape(there.shape)

        def choose(part: slice, there: NDArray[np.integer], possible: NDArray[np.bool_]) -> NDArray[np.intp]:
            through = np.where(possible, self._states.costs + known(there), np.inf)
            least = through.min(axis=1)
            drops[part] = values[part] - np.where(self._depths[part] > 0, least, np.minimum(least, 0))
            return np.asarray(through.argmin(axis=1))

        chosen = self._chosen(choose)
        errors = values - self._depths
        varies = len(values) > 1 and values.std() > 0 and self._depths.std() > 0
        return self._evaluation(
            chosen,
            values,
            overestimated=int(np.count_nonzero(errors > 0)),
            worst=self._worst(values, errors),
            inconsistent=int(np.count_nonzero(drops > 0)),
            least_consistent=self._worst(values, drops),
            correlation=float(np.corrcoef(values, self._depths)[0, 1]) if varies else None,
        )

    def policy(self, policy: StateFunction) -> Evaluation:
        def choose(part: slice, _there: NDArray[np.integer], possible: NDArray[np.bool_]) -> NDArray[np.intp]:
            scores = np.asarray(policy(self._seen(self._entries[part])))
            if scores.dtype.kind not in "biuf" or scores.shape != possible.shape:
                raise ValueError(f"the policy returns {scores.dtype} {scores.shape}, not numbers {possible.shape}")
            scores = scores.astype(np.float64)
            self._refuse(np.isnan(scores).any(axis=1), "the policy returns nan", self._entries[part])
            return np.asarray(np.where(possible, scores, -np.inf).argmax(axis=1))

        return self._evaluation(self._chosen(choose), None)

    # -- Values and moves ----------------------------------------------------------------------------------------------

    def _seen(self, entries: NDArray[np.integer]) -> NDArray[Any]:
        if self._takes == "ranks":
            return entries.copy()
        labels = self._states.labels(entries)
        return self._states.encoding.one_hot(labels).astype(np.float32) if self._takes == "onehot" else labels.copy()

    def _values(self, heuristic: StateFunction, entries: NDArray[np.integer]) -> NDArray[np.float64]:
        values = np.empty(len(entries))
        for part in _parts(len(entries)):
            piece = entries[part]
            values[part] = read_values(heuristic(self._seen(piece)), len(piece))
            self._refuse(~np.isfinite(values[part]), "the heuristic returns no finite number", piece)
        return values

    def _refuse(self, wrong: NDArray[np.bool_], what: str, entries: NDArray[np.integer]) -> None:
        if wrong.any():
            rank, text = self._states.named(entries[wrong.argmax()])
            raise ValueError(f"{what} for {'' if rank is None else f'rank {rank}, '}{quoted(text)}")

    def _chosen(self, choose: Callable[[slice, NDArray[np.integer], NDArray[np.bool_]], NDArray[np.intp]]) -> _Chosen:
        states, number = self._states, len(self._entries)
        optimal = np.zeros(number, np.bool_) if self._knows_optimal else None
        leads, costs = self._entries.copy(), np.zeros(number, np.int64)
        for part in _parts(number):
            neighbours, possible = states.neighbors(self._entries[part]), states.possible(self._entries[part])
            rows, moves = np.arange(len(neighbours)), choose(part, neighbours, possible)
            if optimal is not None:
                optimal[part] = states.optimal_moves(self._entries[part])[rows, moves]
            goes = (self._depths[part] > 0) & possible[rows, moves]
            leads[part][goes] = neighbours[rows, moves][goes]
            costs[part] = np.where(goes, states.costs[moves], 0)
        return _Chosen(optimal, leads, costs)

    # -- Results -------------------------------------------------------------------------------------------------------

    def _evaluation(self, chosen: _Chosen, values: NDArray[np.float64] | None, **found: Any) -> Evaluation:
        counts = _counts(chosen, self._depths == 0) if self._everything else None
        unsolved, optimal = self._depths > 0, chosen.optimal

        def at_depth(depth: int) -> AtDepth:
            here = self._depths == depth
            number = int(here.sum())
            row: dict[str, Any] = {}
            if optimal is not None and depth:
                row["greedy"] = float(optimal[here].mean())
            if values is not None:
                errors = values[here] - depth
                row |= {"mean": float(values[here].mean()), "error": float(errors.mean())}
                row |= {"absolute": float(np.abs(errors).mean())}
                row |= {"lowest": float(errors.min()), "highest": float(errors.max())}
            if counts is not None:
                costs = counts[here & (counts >= 0)]
                row["solved"] = len(costs) / number
                row["excess"] = float(costs.mean()) - depth if len(costs) else None
            return AtDepth(depth, number, **row)

        greedy = None if optimal is None else float(optimal[unsolved].mean()) if unsolved.any() else 1.0
        return Evaluation(
            table=self._title,
            states=len(self._entries),
            everything=self._everything,
            by_depth=tuple(map(at_depth, np.unique(self._depths).tolist())),
            greedy=greedy,
            solved=None if counts is None else float((counts >= 0).mean()),
            **found,
        )

    def _worst(self, values: NDArray[np.float64], by: NDArray[np.float64]) -> Worst | None:
        place = int(by.argmax())
        if by[place] <= 0:
            return None
        rank, text = self._states.named(self._entries[place])
        return Worst(text, rank, int(self._depths[place]), float(values[place]), float(by[place]))


def _parts(number: int) -> Iterator[slice]:
    return (slice(start, min(start + _CHUNK, number)) for start in range(0, number, _CHUNK))


def _counts(chosen: _Chosen, solved: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the total cost of greedy moves from each state until it is solved; -1 if it never is."""
    targets, counts, before = chosen.there, chosen.costs, -1
    # Pointer doubling: after n rounds, 2**n moves are made. If any state needs more moves, states on its path need one
    # more, two more, and so on; so if a round solves no further state, no later one will.
    while (number := int(np.count_nonzero(solved[targets]))) > before:
        before, counts, targets = number, counts + counts[targets], targets[targets]
    return np.where(solved[targets], counts, -1)


def _table(rows: Sequence[AtDepth] | Sequence[SolvedAtDepth]) -> list[str]:
    names = rows[0]._fields if rows else ()
    heads = [name for name in names if any(getattr(row, name) is not None for row in rows)]
    lines = [heads, *([_cell(name, getattr(row, name)) for name in heads] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return ["  ".join(text.rjust(width) for text, width in zip(line, widths, strict=True)) for line in lines]


def _cell(name: str, value: float | None) -> str:
    if value is None:
        return ""
    if name in {"greedy", "solved", "optimal"}:
        return f"{value:.2%}"
    if name == "nodes":
        return f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else f"{value:.3f}"


def _verdict(word: str, number: int, worst: Worst | None) -> str:
    if worst is None:
        return word
    which = "a state" if worst.rank is None else f"rank {worst.rank}"
    about = f"{worst.value:.6g} for {which} at depth {worst.depth}, {worst.state}"
    return f"not {word}: too large for {number:,} states, the most by {worst.by:.3g}: {about}"
