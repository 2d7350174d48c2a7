"""Answers about puzzles with several goals that distinguish too much for one table: the nearest goal is taken."""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from cubesolve.arguments import integer
from cubesolve.deadline import Deadline, check, current, running
from cubesolve.encodings.byte.distances import Depths, Distances
from cubesolve.errors import SearchLimitError, UnsolvableStateError
from cubesolve.search.limits import split
from cubesolve.solvers.distribution import Distribution
from cubesolve.solvers.goals import GoalSolver, refuse_other
from cubesolve.solvers.solution import Solution
from cubesolve.solvers.solver import Solver
from cubesolve.solvers.sources import random_source
from cubesolve.spaces.variants import NearestRules

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from cubesolve.solvers.counting import Count
    from cubesolve.solvers.keywords import BoundsQuestion, DrawQuestion, Question, SolveQuestion, StatesQuestion
    from cubesolve.solvers.solver import Source
    from cubesolve.solvers.state_arrays import StateArrays
    from cubesolve.spaces.tables import TableEntry
    from cubesolve.store.tables import Tables


class NearestSolver(Solver):
    """Answers about a puzzle with several goals, any of which will do; its states at each depth are not known."""

    rules: NearestRules
    lists_longer = True

    def __init__(self, rules: NearestRules, tables: Tables) -> None:
        super().__init__(rules, tables)
        self.parts = [GoalSolver(part, tables) for part in rules.parts]

    @property
    def moves(self) -> Sequence[str]:
        return self.parts[0].moves

    @property
    def states(self) -> int:
        number = self.rules.reach.number if self.rules.reach else None
        if number is None:
            raise self._unknown("the number of states")
        return number

    @property
    def moves_in_seconds(self) -> int | None:
        return self.parts[0].moves_in_seconds

    def depth(self, state: Any, goal: Any = None, **question: Unpack[Question]) -> int:
        return self._nearest(state, goal, question)[0]

    def solve(self, state: Any, goal: Any = None, **question: Unpack[SolveQuestion]) -> Solution:
        _, nearest = self._nearest(state, goal, question)
        return nearest[0].solve(state, **question)

    def solutions(self, state: Any, goal: Any = None, *, slack: int = 0, **question: Unpack[Question]) -> Iterator[str]:
        more = integer("slack", slack, 0)
        least, shortest = self._shortest(state, goal, question)
        return itertools.chain(shortest, self._longer(state, least, more, question) if least and more else ())

    def _shortest(self, state: Any, goal: Any, question: Mapping[str, Any]) -> tuple[int, Collection[str]]:
        """Return the least depth, and all solutions of that cost."""
        least, nearest = self._nearest(state, goal, question, every=True)
        return least, dict.fromkeys(alg for part in nearest for alg in part.solutions(state, **question))

    def _longer(self, state: Any, least: int, slack: int, question: Mapping[str, Any]) -> Iterator[str]:
        """Yield the solutions of a larger cost, up to a limit."""
        named, _ = split(question)
        near = [part for part in self.parts if self._is_within(part, state, least + slack, question)]
        graphs = [part.graph(named) for part in near]
        distances = _ToNearest([part.distances(graph) for part, graph in zip(near, graphs, strict=True)])
        ways = distances.longer(tuple(graph.rank(state) for graph in graphs), slack)
        return (distances.graph.written(way, state) for way in ways)

    def _is_within(self, part: GoalSolver, state: Any, most: int, question: Mapping[str, Any]) -> bool:
        """Return whether a goal, which must have a table, is within a cost."""
        try:
            self._depth(part, state, {**question, "max_depth": most})
        except UnsolvableStateError:
            return False
        except SearchLimitError as limit:
            if limit.at_least <= most:
                raise
            return False
        part.require_table(question)
        return True

    def _depth(self, part: GoalSolver, state: Any, question: Mapping[str, Any]) -> int:
        """Return the depth for one goal; a bound that is proved about it is not one about the nearest goal."""
        with running(Deadline(within=current())):
            return part.depth(state, **question)

    def count_solutions(self, state: Any, goal: Any = None, **question: Unpack[Question]) -> int:
        return len(self._shortest(state, goal, question)[1])

    def optimal_moves(self, state: Any, goal: Any = None, **question: Unpack[Question]) -> list[str]:
        _, shortest = self._shortest(state, goal, question)
        named, _ = split(question)
        return sorted({alg.split()[0] for alg in shortest if alg}, key=self.rules.graph(**named).moves.index)

    def _nearest(
        self, state: Any, goal: Any, question: Mapping[str, Any], *, every: bool = False
    ) -> tuple[int, list[GoalSolver]]:
        """Return the least depth, and the puzzles with the goals at that depth.

        Args:
            state: the state.
            goal: must be None.
            question: the keywords.
            every: whether all of these goals are needed, and not only one.
        """
        refuse_other(goal)
        least, nearest = question.get("max_depth"), list[GoalSolver]()
        faults = list[SearchLimitError | UnsolvableStateError]()
        for part in self.parts:
            try:
                depth = self._depth(part, state, {**question, "max_depth": least})
            except (SearchLimitError, UnsolvableStateError) as error:
                check()
                faults.append(error)
                continue
            nearest = [*nearest, part] if depth == least and nearest else [part]
            least = depth
        limits = [fault for fault in faults if isinstance(fault, SearchLimitError)]
        lowest = min(limits, key=lambda limit: limit.at_least, default=None)
        if least is None or not nearest:
            raise lowest or faults[0]
        if lowest and lowest.at_least < least + every:  # that goal may be nearer, or equally near
            raise lowest
        return least, nearest

    def bounds(
        self, batch: Any, *, invalid: str = "raise", workers: int | None = None, **question: Unpack[BoundsQuestion]
    ) -> NDArray[np.uint8]:
        from cubesolve.solvers.heuristics import least_bounds  # noqa: PLC0415  # needs numba

        def ask(part: GoalSolver, states: Sequence[Any]) -> NDArray[np.uint8]:
            return part.bounds(states, invalid="mask", workers=workers, **question)

        return least_bounds([functools.partial(ask, part) for part in self.parts], self.read_batch(batch, invalid))

    def state_arrays(self, question: Mapping[str, Any]) -> StateArrays:  # noqa: ARG002
        raise self._unknown("states as arrays, because its goals ignore different pieces")

    def count(self, **question: Unpack[StatesQuestion]) -> Count:
        return super().count(**question) if question.get("from_goal") is None else self._count_from(question)

    def _digest(self, question: Mapping[str, Any]) -> str:
        return " ".join(part.graph(**question).digest for part in self.rules.parts)

    def _depth_from(self, state: Any, question: Mapping[str, Any]) -> int:
        """Return the least depth of the masked states of all goals."""
        depths = list[int]()
        for part, masked in zip(self.parts, state, strict=True):
            with contextlib.suppress(UnsolvableStateError):
                depths.append(part._depth_from(masked, question))
        if not depths:
            raise UnsolvableStateError(f"no moves lead to these goals of the {self.rules.whole.title}")
        return min(depths)

    def distribution(self, **question: Unpack[StatesQuestion]) -> Distribution:
        if question.get("from_goal") is not None:
            return self.count(**question).distribution
        rules, metric = self.rules, question.get("metric")
        known = rules.view.named_steps.distributions.get(rules.goal)
        is_usual = rules.whole.definition == rules.view.definition and not rules.costs
        if (
            known is None
            or not is_usual
            or metric not in {None, rules.metrics[0]}
            or question.get("levels") is not None
        ):
            raise self._unknown("the number of states at each depth")
        return Distribution(known)

    def random_state(self, rng: Source = None, depth: int | None = None, **question: Unpack[DrawQuestion]) -> Any:
        if depth is not None:
            raise self._unknown("a random state at a depth")
        return self.parts[0].random_state(random_source(rng), **question)

    def scramble(
        self,
        rng: Source = None,  # noqa: ARG002
        *,
        depth: int | None = None,  # noqa: ARG002
        length: int | None = None,  # noqa: ARG002
        **question: Unpack[DrawQuestion],  # noqa: ARG002
    ) -> str:
        several = f"the {self.rules.title}, has several goals, which ignore different pieces"
        raise ValueError(f"{several}: draw all pieces (--random-rest)")

    def usual_tables(self, metric: str | None = None) -> Sequence[TableEntry]:
        return [entry for part in self.parts for entry in part.usual_tables(metric)]

    def usual_table(self) -> TableEntry:
        raise self._unknown("one table of all states, as each goal has its own")


class _ToNearest(Depths[tuple[int, ...]]):
    """Distances to the nearest of several goals; the key of a state is the tuple of its ranks in all tables."""

    def __init__(self, parts: Sequence[Distances]) -> None:
        """Take the distances to each goal; the moves are the same."""
        super().__init__(parts[0].graph)
        self._parts = parts

    def __getitem__(self, ranks: tuple[int, ...]) -> int:
        return min(part[rank] for part, rank in zip(self._parts, ranks, strict=True))

    def following(self, ranks: tuple[int, ...]) -> list[tuple[int, tuple[int, ...]]]:
        """See `Depths.following`: a move is possible for all goals, or for none."""
        places = zip(*(part.graph.neighbours(rank) for part, rank in zip(self._parts, ranks, strict=True)), strict=True)
        return [way for way in enumerate(places) if min(way[1]) >= 0]
