"""Answers about puzzles with a goal."""

from __future__ import annotations

import contextlib
import functools
import itertools
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, Unpack

from cubesolve.definition.state import StateT
from cubesolve.errors import UnsolvableStateError
from cubesolve.runtime.arguments import Keywords, integer
from cubesolve.runtime.deadline import current
from cubesolve.search.limits import split
from cubesolve.solvers.beginnings import alg_within, algs_within, aside, beginnings, included_steps, shortened
from cubesolve.solvers.derived import DerivedSolver
from cubesolve.solvers.questions import Answers, Asked
from cubesolve.solvers.sources import random_source
from cubesolve.spaces.defined_graph import DerivedGraph
from cubesolve.spaces.variants import GoalRules

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from cubesolve.definition.state import MaskedState
    from cubesolve.encodings.distances import Distances
    from cubesolve.group.permutations import Arrangement
    from cubesolve.solvers.answers import Solution
    from cubesolve.solvers.beams import Beams
    from cubesolve.solvers.beginnings import AlgsWithin
    from cubesolve.solvers.keywords import DrawQuestion, StatesQuestion
    from cubesolve.solvers.nearest import NearestSolver, Part
    from cubesolve.solvers.solver import Solver, Source
    from cubesolve.store.tables import Tables

_Found = TypeVar("_Found")

_MOST_STARTS = 32  # which are kept
_STEP_MEMORY = 1 << 24  # bytes beside the tables of the goal; larger tables are not filled in the time for steps


class GoalSolver(DerivedSolver[StateT]):
    """Answers about a puzzle with a goal.

    A state is any of the puzzle. A random state, for example, is made from a masked state by an optimal solution of
    that, applied backwards to the solved state.
    """

    rules: GoalRules[StateT]
    has_usual = False  # states that are reached from other orientations have tables of their own
    last_part = 3  # algs through a step take two searches

    def __init__(
        self, rules: GoalRules[StateT], tables: Tables, whole: Callable[[], Solver[StateT]] | None = None
    ) -> None:
        super().__init__(rules, tables)
        self._whole = whole
        self._otherwise: dict[Arrangement, GoalSolver] = {}
        self._is_reached = functools.cache(self._newly_reached)

    def graph(self, question: Mapping[str, object]) -> DerivedGraph:
        return self._required(super().graph(question))

    def graph_to_count(self, question: Keywords, derive: Callable[[DerivedGraph], object]) -> DerivedGraph:
        return self._required(super().graph_to_count(question, derive))

    def _required(self, graph: DerivedGraph) -> DerivedGraph:
        """Return a graph in which the goal is reachable."""
        if not graph.starts:
            raise self._unreachable()
        return graph

    def toward(self, state: object, target: object, question: Keywords) -> NoReturn:
        raise refused()

    def _optimal(self, asked: Asked, *, every: bool) -> Answers:
        return self._in_any_orientation(
            asked.state, lambda each: DerivedSolver._optimal(each._reaching(asked), asked, every=every)
        )

    def _near(self, asked: Asked) -> Answers | int:
        return self._in_any_orientation(asked.state, lambda each: DerivedSolver._near(each._reaching(asked), asked))

    def _reaching(self, asked: Asked) -> GoalSolver:
        """Return the solver itself, if the goal is reachable or a table will tell."""
        if not self._is_surely_reached(asked.named):
            self.require_table(asked.named)
        return self

    def _newly_any_solver(self, graph: DerivedGraph) -> Beams:
        from cubesolve.solvers.beams import Beams  # noqa: PLC0415  # needs numba

        return Beams(self, graph)  # cycles would solve the pieces that the goal ignores, too

    def _short(self, asked: Asked, enough: int) -> Iterator[Solution]:  # until the time ends
        return (asked.solution(alg, current().at_least) for alg in short_algs(self, [self], asked))

    def to_steps(self, question: Mapping[str, object]) -> Iterator[AlgsWithin]:
        """Yield functions that return optimal algs to the steps that the goal includes; see `algs_within`."""

        def to_step(rules: GoalRules[StateT], state: object, most: int) -> Iterator[str]:
            # The solver and its tables are not kept, as the memory is for those of the goal.
            return algs_within(GoalSolver(rules, self._tables), {**question, "memory": _STEP_MEMORY}, state, most)

        return (functools.partial(to_step, rules) for rules in included_steps(self.rules))

    def _is_surely_reached(self, question: Keywords) -> bool:
        """Return whether the goal is certainly reachable, although its states have not been listed."""
        solved = self.rules.definition.solved
        if self.rules.origin is None or len(set(solved[0])) == len(solved[0]):
            return True
        is_reached = self._is_reached(self.graph_asked(split(question)[0]))
        if is_reached is False:
            raise self._unreachable()
        return is_reached is not None

    def _newly_reached(self, graph: DerivedGraph) -> bool | None:
        """Return whether the goal is reachable; None if finding out takes too long."""
        reach, is_unknown = graph.reach, False
        for place in self.rules.definition.solved:
            is_reached = None if reach is None else reach.has(place)
            if is_reached:
                return True
            is_unknown |= is_reached is None
        return None if is_unknown else False

    def _unreachable(self) -> UnsolvableStateError:
        return UnsolvableStateError(f"no moves lead to this goal of the {self.rules.whole.title}")

    def _in_any_orientation(self, state: object, ask: Callable[[GoalSolver], _Found]) -> _Found:
        """Ask about a state, and if needed, with other starts; see `GoalRules.restarted`."""
        try:
            return ask(self)
        except UnsolvableStateError:
            given = self.rules.read(state)
            for solver in itertools.chain([*self._otherwise.values()], self._restarted(given)):
                with contextlib.suppress(UnsolvableStateError):
                    return ask(solver)
            raise

    def _restarted(self, state: Any) -> Iterator[GoalSolver]:
        """Yield solvers with other starts."""
        for rules in self.rules.restarted(state):
            if rules.start not in self._otherwise:
                if len(self._otherwise) >= _MOST_STARTS:
                    self._otherwise.pop(next(iter(self._otherwise)))
                self._otherwise[rules.start] = GoalSolver(rules, self._tables)
                yield self._otherwise[rules.start]

    def alg(self, state: object) -> Solution[StateT]:
        return DerivedSolver(self.rules.whole, self._tables).alg(state)

    # -- Questions about all states ------------------------------------------------------------------------------------

    def depth_from(self, state: Any, question: Keywords) -> int:
        reach = self.graph_asked(split(question)[0]).reach
        if reach is not None and not reach.may_have(state.arrangement):
            raise self._unreachable()
        return super().depth_from(state, question)

    def antipodes(self, **question: Unpack[StatesQuestion]) -> list[StateT]:
        distances = self.distances(self.graph(question))
        ranks = distances.at(len(self.distribution(**question)) - 1)
        return [self._state(self._alg(distances, rank)) for rank in ranks]

    def masked_states(self, depth: int) -> Iterator[MaskedState]:
        """Yield the masked states at a depth, in the order of their ranks."""
        graph = self.graph({})
        return map(graph.unrank, self.distances(graph).at(depth))

    def setup(self, state: MaskedState) -> str:
        """Return an optimal alg from the solved state to a masked state."""
        distances = self.distances(self.graph({}))
        return self._alg(distances, distances.graph.rank(state))

    def random_state(self, rng: Source = None, depth: int | None = None, **question: Unpack[DrawQuestion]) -> StateT:
        source, reach = random_source(rng), self.rules.reach
        if depth is None and reach is not None:
            self.graph_asked(question)
            return self.rules.whole.labelling.state(reach.random_state(source))
        return self._state(self.scramble(source, depth=depth, **question))

    def scramble(
        self, rng: Source = None, depth: int | None = None, length: int | None = None, **question: Unpack[DrawQuestion]
    ) -> str:
        self._require_inverses()
        named, _ = split(question)
        if self.rules.origin is None and len(self.rules.definition.solved) == 1:
            return super().scramble(rng, depth=depth, length=length, **question)
        graph = self.graph_asked(named)
        if depth is not None and not self.has_table(graph) and self._is_searched_at(depth, graph):
            reason = "several arrangements of pieces that look alike fulfil its goal"
            raise ValueError(f"a scramble of the {self.rules.title}, draws all pieces (--random-rest): {reason}")
        self.require_table(named)
        if length is not None:
            raise ValueError("length is not supported for a goal that several states fulfil")
        chosen = None if depth is None else integer("depth", depth)
        rank = self._random_rank(random_source(rng), chosen, named)
        return self._alg(self.distances(self.graph(named)), rank)

    def alg_from_goal(self, depth: int, source: random.Random, question: DrawQuestion) -> str:
        """Return an optimal alg from the only goal to a uniformly random masked state at a depth."""
        self._require_inverses()
        return super().scramble(source, depth=depth, **question)

    def _require_inverses(self) -> None:
        if self.rules.is_directed:
            raise ValueError("scrambles are not supported for goals of puzzles whose moves have no inverses")
        if self.rules.start != self.rules.whole.definition.solved[0]:
            raise self._unreachable()

    def _alg(self, distances: Distances, rank: int) -> str:
        """Return an optimal alg from the solved state to what the goal distinguishes of a state."""
        graph = distances.graph
        assert isinstance(graph, DerivedGraph)  # its rules have no other graphs
        if list(graph.starts) != [0]:
            distances = self._distances_to(graph, (0,))  # the rank of the solved state
        return self.rules.view.invert(graph.written(distances.solution(rank), rank))

    def _state(self, alg: str) -> StateT:
        whole = self.rules.whole
        return whole.labelling.state(whole.definition.solved[0]).apply(alg)


def short_algs(
    solver: GoalSolver | NearestSolver, parts: Sequence[GoalSolver | Part], asked: Asked, first: str | None = None
) -> Iterator[str]:
    """Yield algs that lead to one of some goals: any, or a known one, then shorter ones through steps and by ends."""
    shortest, question = first, {**asked.named, **asked.search}
    if solver._whole is not None:
        for shortest in beginnings(solver.rules, solver._whole(), asked.state, question):
            yield shortest
    if shortest is not None:
        steps = itertools.chain.from_iterable(part.to_steps(question) for part in parts)
        within = functools.partial(alg_within, solver, question)
        yield from aside(shortened(solver.rules.view, asked.state, shortest, steps, within))


def refused() -> ValueError:
    """Return the error of a target for a puzzle with a goal."""
    return ValueError("goal is not supported for a puzzle with a goal: use towards instead")
