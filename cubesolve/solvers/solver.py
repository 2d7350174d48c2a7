"""The interface of solvers; `cubesolve.ask.Puzzle` documents the questions, and applies the limits."""

from __future__ import annotations

import functools
import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Unpack

from cubesolve.definition.state import StateT
from cubesolve.definition.view import DefinedView
from cubesolve.errors import CubesolveError, SearchLimitError, UnsolvableStateError, did_you_mean, in_moves
from cubesolve.runtime.arguments import Keywords, integer
from cubesolve.runtime.deadline import Deadline, EndedError, check, current, running
from cubesolve.search.limits import (
    NAMES,
    WITHIN_SECONDS,
    SearchOptions,
    iterated,
    longer_lengths,
    require_within,
    split,
    within_limits,
)
from cubesolve.solvers.answers import COUNTING, OTHER_GOAL, Distribution, Solution
from cubesolve.solvers.questions import Accepted, Answers, Asked, Kept, accepted_at_end, solved_in_time
from cubesolve.spaces.rules import Graph, Rules
from cubesolve.spaces.tables import AT_ONCE, TableEntry
from cubesolve.store.tables import Tables

if TYPE_CHECKING:
    import random

    import numpy as np
    from numpy.typing import NDArray

    from cubesolve.definition.cases import Case, Cases
    from cubesolve.solvers.arrays import GraphArrays, Solutions
    from cubesolve.solvers.case_algs import CaseAlgs, Wanted
    from cubesolve.solvers.counting import Count, Counted
    from cubesolve.solvers.faults import InvalidState
    from cubesolve.solvers.keywords import (
        BoundsQuestion,
        DrawQuestion,
        GraphQuestion,
        Question,
        ScrambleQuestion,
        SolveBatchQuestion,
        SolveQuestion,
        StatesQuestion,
    )
    from cubesolve.solvers.many import Answer
    from cubesolve.solvers.searched_arrays import SearchedArrays
    from cubesolve.solvers.state_arrays import StateArrays
    from cubesolve.solvers.workbench import Workbench
    from cubesolve.spaces.defined import DerivedRules
    from cubesolve.spaces.defined_graph import DerivedGraph
    from cubesolve.spaces.tables import TableHeader
    from cubesolve.store.tables import Body

    Source = random.Random | np.random.Generator | int | None


ALGS_IN_SECONDS = 1 << 50
"""The number of algs of a length that a bidirectional search tries in seconds."""

_MOMENT = 2.0  # seconds of a search that narrows the bounds of a solution
_FAR = 4  # times as many moves as the lower bound: a solution is shortened before an optimal one is searched for

_WITHOUT_DEFINITION = "because no permutations define it; `sample`, `neighbors` and `depths` have arrays of ranks"


class Solver(ABC, Generic[StateT]):
    """Answers the questions of `Puzzle`, by methods of the same names, without a time limit.

    Questions that a solver does not support raise the error that `unsupported` returns.
    """

    last_part: ClassVar[int] = 4  # one of so many parts of a limited time is for solutions that may be longer
    lists_longer: ClassVar[bool] = False  # `solutions` takes `slack`
    limits_each: ClassVar[bool] = False  # those of `solve_batch` apply to each state
    has_ranks: ClassVar[bool] = False  # arrays of states are ranks, as those of a table

    def __init__(self, rules: Rules[StateT], tables: Tables) -> None:
        self.rules = rules
        self._tables = tables
        self._by_graph: dict[Graph, GraphArrays] = {}
        self._workbenches: dict[Graph, Workbench] = {}
        self._state_arrays: dict[str | None, StateArrays[StateT]] = {}
        self.kept = Kept()

    def __repr__(self) -> str:
        return f"<solver of {self.rules.name}: {self.rules.title}>"

    @property
    @abstractmethod
    def moves(self) -> Sequence[str]: ...

    @property
    @abstractmethod
    def states(self) -> int: ...

    @property
    def order(self) -> int | None:
        return self.rules.order

    def open(self) -> None:
        for entry in self._there():
            self._tables.body(entry)

    def _there(self) -> list[TableEntry]:
        return [entry for entry in self.rules.tables() if entry.by_default and self._tables.has(entry)]

    # -- Questions about one state -------------------------------------------------------------------------------------

    def toward(self, state: object, target: object, question: Keywords) -> tuple[Solver[StateT], Asked]:
        """Return the question about the algs that lead from a state to a target, and the solver that answers it."""
        relative, finish = self.rules.view.relative(state, target)
        return self, Asked(relative, state, self.rules, {}, finish=finish)

    @abstractmethod
    def _optimal(self, asked: Asked, *, every: bool) -> Answers:
        """Return the optimal solutions of a state; some of them, unless every one is needed."""

    def _near(self, asked: Asked) -> Answers | int:
        """Return optimal solutions of a state if they are found soon; or a number of moves that is ruled out."""
        return self._optimal(asked, every=False)

    def _optimal_within(self, asked: Asked, most: int | None) -> Answers | int:
        """Return optimal solutions of at most a number of moves; or a number that is ruled out."""
        limits = [limit for limit in (asked.search.get("max_depth"), most) if limit is not None]
        try:
            return self._optimal(asked.optimal(min(limits, default=None)), every=False)
        except SearchLimitError as error:
            require_within(error.at_least, asked.search)
            return error.at_least - 1

    def _optimal_soon(self, asked: Asked) -> Answers | int:
        """Return optimal solutions if a search of seconds finds them; or a number of moves that is ruled out."""
        moment = Deadline(timeout=None if self._finds_soon(self.rules.gods_number) else _MOMENT, within=current())
        moment.known = current().known
        try:
            with running(moment):
                return self._optimal_within(asked, None)
        except EndedError:
            check()
        return current().at_least - 1

    def _short(self, asked: Asked, enough: int) -> Iterator[Solution[StateT]]:
        """Yield shorter and shorter solutions that need not be optimal, until the time ends or one is short enough."""
        return iter(())

    def _suboptimal(self, asked: Asked, enough: int) -> Iterator[Solution[StateT]]:
        """Yield the solutions of `_short`; none if moves have costs, as one of few moves may cost much."""
        return iter(()) if self.rules.costs else self._short(asked, enough)

    def depth(self, state: object, **question: Unpack[Question]) -> int:
        return self._optimal(self._asked(state, question), every=False).depth

    def solve(self, state: object, **question: Unpack[SolveQuestion]) -> Solution[StateT]:
        asked = self._asked(state, question, has_lengths=True)
        if asked.accepted.is_optimal:
            with self.kept.of(asked):
                return solved_in_time(self, asked)
        *_, last = self._keeping(asked, self._narrowed(asked))
        return last

    def improvements(self, state: object, **question: Unpack[SolveQuestion]) -> Iterator[Solution[StateT]]:
        asked = self._asked(state, question, has_lengths=True)
        is_patient = current().is_limited and asked.search.get("max_depth") is None
        if asked.accepted.is_optimal and not is_patient:
            return iter([self.solve(state, **question)])
        return self._keeping(asked, self._narrowed(asked))

    def solutions(self, state: object, *, slack: int = 0, **question: Unpack[Question]) -> Iterator[str]:
        more, asked = integer("slack", slack, 0), self._asked(state, question)
        if more:
            self._require_longer(asked)
        answers = self._optimal(asked, every=True)
        longer = more and longer_lengths(answers.depth, more, asked.search.get("max_depth"))
        algs = itertools.chain(answers.algs(), answers.longer(longer)) if longer and answers.depth else answers.algs()
        return map(asked.finish, algs)

    def count_solutions(self, state: object, **question: Unpack[Question]) -> int:
        return self._optimal(self._asked(state, question), every=True).number()

    def optimal_moves(self, state: object, **question: Unpack[Question]) -> list[str]:
        return self._optimal(self._asked(state, question), every=True).first_moves()

    def _asked(self, state: object, question: Keywords, *, has_lengths: bool = False) -> Asked:
        """Return a question about a state, whose keywords may accept longer solutions if it `has_lengths`."""
        named, search = split(question)
        accepted = Accepted.of(named) if has_lengths else Accepted()
        asked = state if isinstance(state, Asked) else Asked(state, state, self.rules, named)
        return asked._replace(named=named, search=search, accepted=accepted)

    def require_table(self, question: Mapping[str, object], advice: str = "") -> None:
        """Reject a question that only a table answers, if there is none and none can be built at once."""

    def _require_longer(self, asked: Asked) -> None:
        """Reject a question about longer solutions that is not supported."""

    def _narrowed(self, asked: Asked) -> Iterator[Solution[StateT]]:
        """Yield optimal solutions of near states, or shorter and shorter ones until one is accepted or the time ends.

        If only an optimal solution is accepted, it is searched for as soon as some solution is known.
        """
        accepted, limit = asked.accepted, asked.most
        near = self._near(asked)
        if not isinstance(near, int):
            require_within(near.depth, SearchOptions(max_depth=limit))
            yield asked.solution(near.first(), near.depth, near.graph)
            return
        at_least, longest, solution = near + 1, math.inf if limit is None else limit, None
        require_within(at_least, SearchOptions(max_depth=limit))
        current().prove(at_least)
        try:
            for solution in self._narrowing(asked, _FAR * at_least if accepted.is_optimal else 0):
                current().find(solution)
                yield solution
                if accepted.takes(solution.length, solution.at_least) and solution.length <= longest:
                    return
        except EndedError as end:
            if solution is None or accepted.within is None or solution.length > longest:
                raise SearchLimitError(max(at_least, current().at_least), end.limit, solution) from None
            return
        except (SearchLimitError, UnsolvableStateError):
            raise
        except CubesolveError:  # only optimal solutions are found
            if not accepted.is_optimal:
                raise
            solution = None
        if accepted.is_optimal:
            yield solved_in_time(self, asked, is_shortened=solution is not None)
        elif limit is not None or solution is None:
            yield self._solved_soon(asked, limit, solution)

    def _narrowing(self, asked: Asked, enough: int) -> Iterator[Solution[StateT]]:
        """Yield solutions as `_suboptimal`; after the first, the result of `_optimal_soon` narrows the bounds."""
        is_tried = asked.accepted.within is None
        for shorter in self._suboptimal(asked, enough):
            yield (solution := shorter.proved(current().at_least))
            if not is_tried:
                is_tried, optimal = True, self._optimal_soon(asked)
                if not isinstance(optimal, int):
                    yield asked.solution(optimal.first(), optimal.depth, optimal.graph)
                    return
                current().prove(optimal + 1)
                if (narrowed := solution.proved(current().at_least)) is not solution:
                    yield narrowed

    def _keeping(self, asked: Asked, solutions: Iterator[Solution[StateT]]) -> Iterator[Solution[StateT]]:
        """Yield the solutions of a question, which begins with what is known of its answer."""

        def kept() -> Iterator[Solution[StateT]]:
            with self.kept.of(asked):
                yield from solutions

        return iterated(kept(), current())  # without a limit, this is what has the bounds that are proved

    def _solved_soon(self, asked: Asked, most: int | None, found: Solution | None) -> Solution[StateT]:
        """Return an optimal solution, after a search has found none that is short enough."""
        if current().is_limited or most is None or self._finds_soon(most):
            return solved_in_time(self, asked.optimal(most))
        try:
            return solved_in_time(self, asked.optimal(self.moves_in_seconds))
        except SearchLimitError as error:
            raise SearchLimitError(error.at_least, f"in {in_moves(most)} {WITHIN_SECONDS}", found) from None

    def _finds_soon(self, moves: int | None) -> bool:
        """Return whether a search for so many moves takes seconds."""
        affordable = self.moves_in_seconds
        return affordable is None or (moves is not None and moves <= affordable)

    def solve_in_time(self, state: object, **question: Unpack[SolveQuestion]) -> Solution[StateT]:
        """Return the answer of `solve` within the limits of the question."""
        try:
            return within_limits(self.solve, state, **question)
        except SearchLimitError as error:
            return accepted_at_end(error, question)

    def short(self, state: object, **search: Unpack[SearchOptions]) -> Solution[StateT]:
        """Return a short solution that a fixed amount of work finds, in a second or so; see `Rules.usual_length`."""
        return self.solve(state, max_length=self.rules.usual_length, **search)

    def in_seconds(self, state: object) -> Iterator[Solution[StateT]]:
        """Yield shorter and shorter solutions that a fixed amount of work finds, in some seconds."""
        yield self.solve(state, max_length=self.rules.usual_length)

    def solve_as_held(self, state: object, **question: Unpack[SolveQuestion]) -> Solution[StateT]:
        """Return a solution that does not end in another orientation of the solved puzzle."""
        *_, last = self.improvements_as_held(state, **question)
        return last

    def improvements_as_held(self, state: object, **question: Unpack[SolveQuestion]) -> Iterator[Solution[StateT]]:
        """Yield shorter and shorter solutions, as `improvements`, that do not end so if the solver can avoid it."""
        return self.improvements(state, **question)

    @property
    def moves_in_seconds(self) -> int | None:
        """The number of moves up to which a search takes seconds; None if every state is solved so soon."""
        return None

    def answers_at_once(self, state: object, **question: Unpack[Question]) -> bool:
        return False

    def alg(self, state: object) -> Solution[StateT]:
        given = self.rules.read(state)
        solver, path = self.toward(self.rules.view.solved(given), given, {})
        return solver.solve(path)

    def algs(self, cases: Cases, listed: Sequence[Case], wanted: Wanted) -> list[CaseAlgs]:
        """Return the best algs of some cases of a set; see `best_algs`."""
        from cubesolve.solvers.case_search import best_algs  # noqa: PLC0415  # needs numpy

        assert isinstance(self.rules.view, DefinedView)  # it has cases
        return best_algs(self.rules.view, cases, listed, wanted)

    # -- Questions about several states --------------------------------------------------------------------------------

    def solves_together(self, question: Mapping[str, object]) -> bool:
        """Return whether several states are solved faster together than one after the other."""
        return False

    def solve_together(
        self, states: Sequence[object], **question: Unpack[SolveQuestion]
    ) -> Sequence[Solution[StateT] | None]:
        """Return the solution of `solve` for each state; None if only `solve` can find it."""
        return [None] * len(states)

    def scrambles(self, number: int, rng: Source, **question: Unpack[ScrambleQuestion]) -> Iterator[str]:
        """Yield a number of scrambles, the same as by repeated calls of `scramble` with this source."""
        for _ in range(number):
            yield within_limits(self.scramble, rng, **question)

    # -- Questions about all states ------------------------------------------------------------------------------------

    def distribution(self, **question: Unpack[StatesQuestion]) -> Distribution:
        raise self.unsupported("the number of states at each depth")

    def count(self, **question: Unpack[StatesQuestion]) -> Count:
        """Count the states of a question now: all, those up to a depth, or from another goal."""
        from cubesolve.solvers.counts import count  # noqa: PLC0415  # needs numba

        return count(self, question)

    def space_to_count(self, question: Mapping[str, object], memory: int | None) -> Counted:
        """Return the space whose states are counted without a table, in some memory."""
        raise self.unsupported("a count of all states")

    def count_unlisted(self, about: Keywords, question: Keywords, number: int) -> Count | None:
        """Count the states of a goal together with all others; None if a list of them takes less time."""
        from cubesolve.solvers.counts import count_unlisted  # noqa: PLC0415  # needs numba

        return count_unlisted(self, about, question, number)

    def among_to_count(self, question: Mapping[str, object], goal: object, memory: int | None) -> Counted:
        """Return the space of `space_to_count` and the states of another goal, which are counted among all others."""
        from cubesolve.solvers.counts import among_all  # noqa: PLC0415  # needs numba

        return among_all(self, self.with_free_orientation(question, OTHER_GOAL), goal, memory)

    def graph_asked(self, question: Keywords) -> DerivedGraph[StateT]:
        """Return the states and moves of the definition in the metric of a question, not made ready."""
        self.require_known(question, ("metric",))
        return self.derived_rules.graph(**question)

    def graph_to_count(self, question: Keywords, derive: Callable[[DerivedGraph], object]) -> DerivedGraph[StateT]:
        """Return the graph of a question, made ready by a function unless there is a table of its coordinates."""
        graph = self.graph_asked(question)
        if not graph.is_ready and self._tables.has(graph.coordinates_entry):
            graph.use(self._tables.body(graph.coordinates_entry))
        if graph.is_ready:
            return graph
        # Tables of other questions are written with the coordinates: their graph is not made ready without these.
        counted = type(graph)(graph.rules, graph.metric)
        derive(counted)
        return counted

    def has_table(self, graph: DerivedGraph) -> bool:
        """Return whether there is a table of all states, or one can be built at once."""
        return self.has_ranks

    def only_listed(self) -> ValueError:
        """Return the error of states of another goal that are only counted one by one, and not by a cluster."""
        return self.unsupported(
            f"{OTHER_GOAL} on a cluster, as they are only counted one by one; count them without one"
        )

    def with_free_orientation(self, question: Keywords, what: str) -> dict[str, Any]:
        """Return the keywords of a question about some states without the orientation, which must be free."""
        named = dict(question)
        if named.pop("orientation", "free") != "free":
            raise self.unsupported(f"{what} in a fixed orientation; choose a free one")
        return named

    def listed_classes(self, states: Sequence[Any], question: Keywords) -> tuple[Sequence[tuple[Any, int]], int]:
        """Prepare to find the depth of each of some states up to some symmetries, and return their number, too."""
        return [(state, 1) for state in states], 1

    def distances_digest(self, question: Keywords) -> str:
        """Return a digest of all that distances depend on."""
        return self.derived_rules.graph(**question).digest

    def depths_from(self, states: Sequence[Any], question: Keywords) -> Iterable[int]:
        """Return the depth of each of some states that fulfil another goal, -1 for those that no moves lead to."""
        for state in states:
            try:
                yield self.depth_from(state, question)
            except UnsolvableStateError:
                yield -1

    def depth_from(self, state: Any, question: Keywords) -> int:
        """Return the depth of a state that fulfils another goal."""
        return self.depth(state, **question)

    def graph_of_levels(self, question: Keywords) -> tuple[DerivedGraph, bool]:
        """Return the graph whose first levels are counted, and whether states that free moves connect count as one."""
        asked = {name: value for name, value in question.items() if name not in {"levels", *COUNTING}}
        named = self.with_free_orientation(asked, "the first levels")
        self.require_known(named, ("metric",))
        return self.derived_rules.graph(**named), False

    def antipodes(self, **question: Unpack[StatesQuestion]) -> list[StateT] | list[str]:
        raise self.unsupported("the states that need the most moves")

    def random_state(self, rng: Source = None, depth: int | None = None, **question: Unpack[DrawQuestion]) -> StateT:
        raise self.unsupported("a random state")

    def scramble(
        self, rng: Source = None, depth: int | None = None, length: int | None = None, **question: Unpack[DrawQuestion]
    ) -> str:
        raise self.unsupported("a scramble")

    # -- Arrays --------------------------------------------------------------------------------------------------------

    def solve_batch(
        self, batch: object, invalid: str, workers: int | None, question: SolveBatchQuestion
    ) -> Solutions | list[Answer]:
        accepted, (named, search) = Accepted.of(question), split(question)
        return self.in_arrays(named, distances=True).solve(batch, invalid, workers, accepted, search)

    def bounds(self, batch: object, invalid: str, workers: int | None, question: BoundsQuestion) -> NDArray[np.uint8]:
        named = dict[str, Any](question)
        _, search = split({"memory": named.pop("memory", None)})
        bound = self._bound(named)
        if bound is not None:
            return self.searched_arrays({}).bounds(batch, invalid, lambda states: [*map(bound, states)])
        whole = self.whole(**named)
        if whole is None:
            metric = named.pop("metric", None)
            self.require_known(named, ("metric", "memory"))
            heuristic = self.workbench(metric).usual(search.get("memory"))
            return heuristic.bounds(batch, invalid=invalid, workers=workers)
        return whole.depths(batch, invalid, workers)[:, None]

    def _bound(self, question: Keywords) -> Callable[[StateT], int] | None:
        """Return a function that returns the lower bound of a state; None if tables have several bounds of each."""
        return None

    @functools.cached_property
    def derived_rules(self) -> DerivedRules[StateT]:
        """The puzzle with the moves of its definition."""
        from cubesolve.spaces.defined import derived  # noqa: PLC0415  # delays the start

        return derived(self.rules)

    def workbench(self, metric: str | None) -> Workbench:
        """Return the workbench for heuristics in a metric; it is kept."""
        from cubesolve.solvers.workbench import Workbench  # noqa: PLC0415  # needs numba

        if self.rules.kind == "goals" or not isinstance(self.rules.view, DefinedView):
            raise self.unsupported("heuristics")
        graph = self.derived_rules.graph(metric=metric)
        if graph not in self._workbenches:
            self._workbenches[graph] = Workbench(self, graph, self._tables)
        return self._workbenches[graph]

    def state_arrays(self, metric: str | None) -> StateArrays[StateT]:
        """Return the states as arrays of labels; they are kept."""
        if metric not in self._state_arrays:
            self._state_arrays[metric] = self._make_state_arrays(metric)
        return self._state_arrays[metric]

    def _make_state_arrays(self, metric: str | None) -> StateArrays[StateT]:
        from cubesolve.solvers.state_arrays import StateArrays  # noqa: PLC0415  # needs numpy

        if not isinstance(self.rules.view, DefinedView):
            raise self.unsupported(f"states as arrays of labels, {_WITHOUT_DEFINITION}")
        return StateArrays(self, metric)

    def optimal_numbers(self, state: object, **question: Unpack[Question]) -> list[int]:
        """Return the numbers in `state_arrays` of the moves that begin an optimal solution."""
        numbers = self.state_arrays(question.get("metric")).numbers_by_name
        return [numbers[move] for move in self.optimal_moves(state, **question)]

    def arrays(self, question: Mapping[str, object], *, distances: bool = False) -> GraphArrays:
        """Return the arrays of the states of a question, whose table is required for `distances`."""
        raise self.unsupported("ranks of states; `state_arrays` has states as arrays of labels")

    def in_arrays(self, question: Keywords, *, distances: bool) -> GraphArrays | SearchedArrays:
        """Return the answers about arrays of ranks, with their distances if needed; without ranks, of labels."""
        return self.arrays(question, distances=distances) if self.has_ranks else self.searched_arrays(question)

    def searched_arrays(self, question: Keywords) -> SearchedArrays[StateT]:
        """Return the answers about arrays of labels, by search."""
        from cubesolve.solvers.searched_arrays import SearchedArrays  # noqa: PLC0415  # needs numpy

        return SearchedArrays(self, question)

    def read_batch(self, batch: object, invalid: str) -> list[StateT | InvalidState]:
        """Return the states of a batch one by one, with an error in the place of each invalid one."""
        return self.searched_arrays({}).read(batch, invalid)

    def arrays_of(self, entry: TableEntry) -> GraphArrays:
        return self._arrays_about(self.rules.graph_of(entry))

    def whole(self, **question: Unpack[GraphQuestion]) -> GraphArrays | None:
        return self.arrays(question) if self.has_ranks else None

    def usual_tables(self, metric: str | None = None) -> Sequence[TableEntry]:
        """Return the tables that most questions need; see `Puzzle.usual_tables`."""
        return self.rules.usual_tables(metric)

    def offered(self, entry: TableEntry) -> TableEntry:
        """Return a table, which is built when it is opened if it is missing and has few entries."""
        return self._offered(entry) if entry.header.entries <= AT_ONCE else entry

    def _offered(self, entry: TableEntry) -> TableEntry:
        """Return a table, which is built when it is opened if it is missing."""
        self._tables.offer(entry, functools.partial(self._build, entry))
        return entry

    def _build(self, entry: TableEntry) -> tuple[TableHeader, Body]:
        from cubesolve.store.build import built  # noqa: PLC0415  # needs numpy

        header, body = built(self.rules, entry, self._tables.directory)
        return header, bytes(body)

    def _arrays_about(self, graph: Graph) -> GraphArrays:
        from cubesolve.solvers.arrays import GraphArrays  # noqa: PLC0415  # needs numpy

        if graph not in self._by_graph:
            self._by_graph[graph] = GraphArrays(graph, self._tables)
        return self._by_graph[graph]

    def require_known(self, given: Mapping[str, Any], known: Collection[str]) -> None:
        """Reject unknown keywords with a `ValueError`."""
        unknown = given.keys() - known
        if unknown:
            searching = () if unknown & NAMES else SearchOptions.__annotations__
            expected = [name for name in (*known, *searching) if name not in unknown]
            near = did_you_mean(min(unknown), expected)
            means = f"{', '.join(sorted(unknown))} is not supported for the {self.rules.title}"
            raise ValueError(f"{means}: {near}{' ' if near else ''}expected {', '.join(expected) or 'nothing'}")

    def _metric(self, named: Keywords) -> str:
        """Return the metric of a question that has no other keywords."""
        self.require_known(named, ("metric",))
        return self.rules.require_metric(named.get("metric"))

    def _refuse_choice(self, what: str, **chosen: int | None) -> None:
        """Reject a depth or a length of what is drawn."""
        given = [name for name, value in chosen.items() if value is not None]
        if given:
            verb = "are" if len(given) > 1 else "is"
            raise ValueError(f"{' and '.join(given)} {verb} not supported for {what} of the {self.rules.title}")

    def unsupported(self, what: str) -> ValueError:
        """Return the error of a question that is not supported for this puzzle."""
        return ValueError(f"not supported for the {self.rules.title}: {what}")
