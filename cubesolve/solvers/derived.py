"""Answers about puzzles that are given by a definition: from a table, or from a search if there are too many states."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import itertools
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Unpack

from cubesolve.definition.sliding import sliding
from cubesolve.definition.state import StateT
from cubesolve.encodings import BY_BITS
from cubesolve.encodings.byte.distances import Distances, FreeDistances
from cubesolve.errors import (
    CubesolveError,
    CubesolveWarning,
    MissingTableError,
    NoMemoryError,
    SearchLimitError,
    TooLargeError,
    UnsolvableStateError,
    building,
    counted,
)
from cubesolve.group.elements import change_between
from cubesolve.group.permutations import Arrangement, after, inverse
from cubesolve.runtime.arguments import Keywords, integer
from cubesolve.runtime.deadline import check, current
from cubesolve.runtime.locks import load_numpy
from cubesolve.runtime.machine import half_of_memory
from cubesolve.runtime.notices import notifying
from cubesolve.runtime.prepared import Prepared
from cubesolve.search.limits import WITHIN_SECONDS, SearchOptions, longer_lengths, require_room, require_within, split
from cubesolve.solvers.accepted import Accepted, Shortened, shortened, solved_in_time
from cubesolve.solvers.answers import COUNTING, Distribution, Solution
from cubesolve.solvers.solver import ALGS_IN_SECONDS
from cubesolve.solvers.sources import random_source
from cubesolve.solvers.table import StateQuestion, TableSolver
from cubesolve.spaces import space_of
from cubesolve.spaces.defined import AT_ONCE, DerivedGraph, DerivedRules
from cubesolve.spaces.tables import UNREACHABLE, UP_TO_SYMMETRY
from cubesolve.store.folders import find_table
from cubesolve.store.tables import Tables

if TYPE_CHECKING:
    import random

    from cubesolve.solvers.anything import Anything
    from cubesolve.solvers.arrays import GraphArrays
    from cubesolve.solvers.beams import Beams
    from cubesolve.solvers.counting import Counted
    from cubesolve.solvers.isomorphic import KnownPuzzle
    from cubesolve.solvers.keywords import DrawQuestion, GraphQuestion, Question, SolveQuestion, StatesQuestion
    from cubesolve.solvers.loops import Loops
    from cubesolve.solvers.searched import FoundAlgs, Searched
    from cubesolve.solvers.searched_arrays import SearchedArrays
    from cubesolve.solvers.solver import Source
    from cubesolve.solvers.state_arrays import StateArrays
    from cubesolve.solvers.workbench import Workbench
    from cubesolve.spaces.tables import TableEntry


_WITHOUT_TABLE = "without a table, count (--count) and levels (--levels) count more"  # likewise
_MOST_DRAWN = 100_000  # states until one is at a depth
_NEAR = 10**15  # states of a puzzle whose random states are solved optimally

_FAR = 4  # times as many moves as the lower bound: a solution is shortened before an optimal one is searched for

_ONLY_COUNTED = "where moves cost 0, states of so large a puzzle are counted (tables distribution), and not solved"

_ONLY_BY_TABLE = "longer solutions need a table of all states where some moves are not always possible"


MOST_ROUNDS = 4
"""The number of times that solutions are shortened, if no time is given."""


class _Answer(NamedTuple):
    """The result of a search for a question."""

    asked: StateQuestion
    graph: DerivedGraph
    found: FoundAlgs

    @property
    def depth(self) -> int:
        return self.found.depth

    @property
    def algs(self) -> list[str]:
        return [*map(self.written, self.found.algs)]

    def written(self, alg: Sequence[int]) -> str:
        return self.asked.finished(" ".join(self.graph.names(alg, self.asked.state)))

    @property
    def first_moves(self) -> list[str]:
        first = dict.fromkeys(alg[0] for alg in self.found.algs if alg)
        return [self.graph.names([move], self.asked.state)[0] for move in first]


class DerivedSolver(TableSolver[StateT]):
    """Answers about a puzzle that is given by a definition; missing tables are built if that takes only a moment.

    Attributes:
        accepts_any: whether solutions that need not be optimal can be requested.
        last_part: one of so many parts of a limited time is for solutions that may be longer.
    """

    rules: DerivedRules[StateT]
    accepts_any: ClassVar[bool] = True
    last_part: ClassVar[int] = 4

    def __init__(
        self,
        rules: DerivedRules[StateT],
        tables: Tables,
        find_known: Callable[[DerivedGraph], KnownPuzzle | None] = lambda _: None,
    ) -> None:
        """Take a puzzle and its tables, and a function that returns a known puzzle which is the same."""
        super().__init__(rules, tables)
        self._find_known = find_known
        self._known: dict[DerivedGraph, KnownPuzzle | None] = {}
        self._searched: dict[DerivedGraph, Searched] = {}
        self._tabled, self._untabled, self._too_large = (set[DerivedGraph]() for _ in range(3))
        self._small: dict[DerivedGraph, Prepared[TooLargeError | None]] = {}
        self._ends: dict[Arrangement, DerivedRules] = {}
        self._anything: dict[DerivedGraph, Anything | Beams | Loops] = {}

    @property
    def states(self) -> int:
        graph = self.graph_asked({})
        number = self._number(graph)
        if number is None and (most := graph.most_states) > AT_ONCE:
            raise CubesolveError(f"the number of states of {self.rules.title} is not known: at most {counted(most)}")
        return number or self.graph({}).states

    @property
    def order(self) -> int | None:
        order = super().order
        most = None if order else self.rules.most_order
        if most is not None:
            what = f"the order of the group that the moves of {self.rules.title} make"
            raise CubesolveError(f"{what} is not known: at most {counted(most)}")
        return order

    @property
    def moves_in_seconds(self) -> int | None:
        graph = self.graph_asked({})
        is_quick = not self.rules.searches or graph.has_free_moves or self._searching(graph).is_quick
        return None if is_quick else graph.moves_within(ALGS_IN_SECONDS)

    def graph(self, question: Mapping[str, object]) -> DerivedGraph[StateT]:
        graph = self.graph_asked(question)
        if not graph.is_ready:
            self._offered(graph.coordinates_entry)
            graph.use(self._tables.body(graph.coordinates_entry))
        if graph.states <= AT_ONCE:
            self._offered(graph.entry)
        return graph

    # -- Large puzzles -------------------------------------------------------------------------------------------------

    def _number(self, graph: DerivedGraph) -> int | None:
        """Return the number of states, if it is known without deriving them."""
        if graph.pinned:
            return sum(graph.pinned.distribution)
        if graph.is_ready:
            return graph.states
        return graph.number_of_states

    def has_table(self, graph: DerivedGraph) -> bool:
        """Return whether there is a table of all states, or one can be built at once."""
        if graph not in self._tabled and self._looks_for_table(graph):
            self._tabled.add(graph)
        if graph not in self._tabled and graph not in self._untabled:
            self._untabled.add(graph)
            self._report_table_up_to_symmetry(graph)
        return graph in self._tabled

    def _report_table_up_to_symmetry(self, graph: DerivedGraph) -> None:
        """Warn of a table of a kind that is not read, where that of all states is missing."""
        digest = hashlib.sha256(f"{graph.digest} {UP_TO_SYMMETRY}".encode()).hexdigest()
        with contextlib.suppress(MissingTableError):
            path = find_table(f"custom-{digest[:16]}", self._tables.directory)
            command = building(graph.built_by, self._tables.directory)
            reason = f"tables up to symmetry are not supported; build the table of all states with: {command}"
            warnings.warn(CubesolveWarning(f"{path}: {reason}"), stacklevel=2)

    def _require_there(self, question: Keywords) -> None:
        """Require a table before coordinates are derived, which can take long.

        Raises:
            MissingTableError: there is none, and it cannot be built at once.
        """
        graph = self.graph_asked(split(question)[0])
        if graph.is_ready or self.has_table(graph):
            return
        number = self._number(graph)
        if number is None:
            if graph in self._small and (error := self._small[graph].result()) and error.most < AT_ONCE:
                raise error
            return
        try:
            self._tables.path(graph.entry_of(number))
        except (MissingTableError, TooLargeError):
            load_numpy()
            from cubesolve.spaces.derived import require_derivable  # noqa: PLC0415  # needs numpy

            require_derivable(graph)  # the error of the limit that applies
            raise

    def require_table(self, question: Mapping[str, object]) -> None:
        """Reject a question that only a table answers, if there is none and none can be built at once.

        Raises:
            MissingTableError: a table can be built, but not at once.
        """
        named, _ = split(question)
        graph = self.graph_asked(named)
        if not self.has_table(graph):
            self._require_there(question)
            raise TooLargeError(self._number(graph) or AT_ONCE, AT_ONCE)

    def _looks_for_table(self, graph: DerivedGraph) -> bool:
        if graph.pinned is None and not graph.is_ready:
            if not self._tables.has(graph.coordinates_entry):
                return self._is_small(graph)
            graph = self.graph({"metric": graph.metric})
        return (self._number(graph) or 0) <= AT_ONCE or self._tables.has(graph.entry)

    def _is_small(self, graph: DerivedGraph) -> bool:
        load_numpy()
        from cubesolve.spaces.derived import is_derivable, refused  # noqa: PLC0415  # needs numpy

        number = self._number(graph)
        if number is not None:
            return number <= AT_ONCE and is_derivable(graph)
        if graph not in self._small:
            self._small[graph] = Prepared(functools.partial(refused, graph, AT_ONCE))
        return self._small[graph].result() is None

    def _found(self, state: object, goal: object, question: Keywords, every: bool = True) -> _Answer | None:
        """Return the result of a search; None if a table has the answer."""
        if not question and self._usual is not None:  # as it had before
            return None
        named, search = split(question)
        graph = self.graph_asked(named)
        if self.has_table(graph):
            return None
        if goal is not None and not self.rules.is_relabelled:
            state, graph = self._slid(graph, state, goal)
            asked = StateQuestion(state, None)
        else:
            asked = StateQuestion(state, None) if goal is None else StateQuestion(*self.rules.relative(state, goal))
        searched = self._searching(graph)
        home = searched.home(asked.state)
        found = None if every else self._found_as_known(graph, home, search)
        if found is None or isinstance(found, int):
            found = searched.solve(home, search, every, found)
        return _Answer(asked, graph, found)

    def _found_as_known(self, graph: DerivedGraph, home: Arrangement, search: SearchOptions) -> FoundAlgs | int | None:
        """Return an optimal alg of the puzzle of the catalog that is the same, if that has a search of its own.

        Returns:
            None if it is not used; the number of moves that a short search has ruled out if it has no table.
        """
        has_one_end = len(graph.reduction.solved) == 1 and not self.rules.definition.rotations
        known = self._known_as(graph) if has_one_end and not graph.costs else None
        if known is None or not known.has_own_search or self._number(graph) != known.solver.states:
            return None
        near = self._searching(graph).near(home, search, every=False)
        if not isinstance(near, int):
            require_within(near.depth, search)
            return near
        group, solved = self.rules.group, graph.reduction.solved[0]
        change = None if group is None else change_between(group, solved, home, random_source(None))
        with contextlib.suppress(MissingTableError, NoMemoryError):
            return near if change is None else known.optimal(change, search, self.rules, graph.reduction.moves)
        return near

    def _known_as(self, graph: DerivedGraph) -> KnownPuzzle | None:
        if graph not in self._known:
            self._known[graph] = self._find_known(graph)
        return self._known[graph]

    def _searching(self, graph: DerivedGraph) -> Searched:
        if graph.has_free_moves:
            self._require_searched(graph)
        if graph not in self._searched:
            from cubesolve.solvers.searched import Searched  # noqa: PLC0415  # few puzzles are so large

            self._searched[graph] = Searched(graph, self._tables)
        return self._searched[graph]

    def _require_searched(self, graph: DerivedGraph) -> None:
        """Reject a puzzle whose states are not searched for, as some moves cost 0, and which has no table."""
        try:
            self.require_table({"metric": graph.metric})
        except TooLargeError as error:
            raise TooLargeError(error.states, error.most, error.exact, _ONLY_COUNTED, error.what) from None

    def _slid(self, graph: DerivedGraph, state: object, goal: object) -> tuple[Any, DerivedGraph]:
        """Return a state and a graph whose solutions lead from a state of a sliding puzzle to another."""
        rules, definition = self.rules, self.rules.definition
        puzzle = sliding(graph.reduction.solved, graph.definition_moves)
        ends = [rules.read(each) for each in (state, goal)]
        if puzzle is None or definition.illegal or definition.rotations:
            raise TooLargeError(self._number(graph) or AT_ONCE, AT_ONCE)
        begin, end = (next(iter(rules.labelling.arrangements(each))) for each in ends)
        begin, end = puzzle.relabelled(begin, end)
        if end == puzzle.solved:
            return rules.labelling.state(begin), graph
        if end not in self._ends:
            retargeted = definition._replace(solved=(end,))
            title = f"{rules.title}, to another state"
            self._ends[end] = DerivedRules(rules.view, retargeted, title=title, spoken=rules.spoken)
        return self._ends[end].labelling.state(begin), self._ends[end].graph(metric=graph.metric)

    def depth(self, state: object, goal: object = None, **question: Unpack[Question]) -> int:
        found = self._found(state, goal, question, every=False)
        return super().depth(state, goal, **question) if found is None else found.depth

    def solve(self, state: object, goal: object = None, **question: Unpack[SolveQuestion]) -> Solution[StateT]:
        if self.accepts_any and ("max_length" in question or "within" in question):
            *_, last = self.improvements(state, goal, **question)
            return last
        found = self._found_in_time(state, goal, question)
        if found is None:
            return super().solve(state, goal, **question)
        if isinstance(found, Solution):
            return found
        return Solution(found.algs[0], found.depth, self.rules, state)

    def _found_in_time(self, state: object, goal: object, question: Keywords) -> _Answer | Solution | None:
        """Return an optimal solution, as `_found`; some other one is looked for as in `solved_in_time`."""
        find = functools.partial(self._found, state, goal, question, every=False)
        if goal is not None or question.get("max_depth") is not None:
            return find()
        return solved_in_time(find, lambda: self._some_solutions(state, question), part=self.last_part)

    def _some_solutions(self, state: object, question: Keywords) -> Iterator[Solution[StateT]]:
        """Yield shorter and shorter solutions until the time ends."""
        given, search = split(question)
        algs = self._short_algs(
            self.graph_asked(given), state, workers=search.get("workers"), memory=search.get("memory")
        )
        for alg in algs:
            yield Solution(alg, current().at_least, self.rules, state)

    def solutions(
        self, state: object, goal: object = None, *, slack: int = 0, **question: Unpack[Question]
    ) -> Iterator[str]:
        more = integer("slack", slack, 0)
        if more and self.graph_asked(split(question)[0]).has_free_moves:
            reason = "where moves cost 0, which make any solution longer without end"
            raise CubesolveError(f"longer solutions are not supported {reason}; optimal ones need no slack")
        if more and self.graph_asked(split(question)[0]).joined is None:
            try:
                self.require_table(question)
            except TooLargeError as error:
                raise TooLargeError(error.states, error.most, error.exact, _ONLY_BY_TABLE, error.what) from None
        found = self._found(state, goal, question)
        if found is None:
            return super().solutions(state, goal, slack=more, **question)
        longer = self._longer(found, more, split(question)[1]) if more and found.depth else ()
        return itertools.chain(found.algs, longer)

    def _longer(self, answer: _Answer, slack: int, search: SearchOptions) -> Iterator[str]:
        searched = self._searched[answer.graph]
        costs = longer_lengths(answer.depth, slack, search.get("max_depth"))
        return map(answer.written, searched.longer(searched.home(answer.asked.state), costs, search))

    def count_solutions(self, state: object, goal: object = None, **question: Unpack[Question]) -> int:
        found = self._found(state, goal, question)
        return super().count_solutions(state, goal, **question) if found is None else len(found.algs)

    def optimal_moves(self, state: object, goal: object = None, **question: Unpack[Question]) -> list[str]:
        found = self._found(state, goal, question)
        return super().optimal_moves(state, goal, **question) if found is None else found.first_moves

    # -- Solutions that need not be optimal ----------------------------------------------------------------------------

    def improvements(
        self, state: object, goal: object = None, **question: Unpack[SolveQuestion]
    ) -> Iterator[Solution[StateT]]:
        named = dict[str, Any](question)
        accepted = Accepted.of(named) if self.accepts_any else Accepted()
        is_patient = self.accepts_any and current().is_limited and named.get("max_depth") is None
        if accepted.is_optimal and not is_patient:
            return iter([self.solve(state, goal, **named)])
        given, search = split(named)
        graph, most = self.graph_asked(given), accepted.most(search.get("max_depth"))
        if self.has_table(graph) or not (goal is None or self.rules.is_relabelled):
            return iter([self.solve(state, goal, **{**named, "max_depth": most})])
        return self._improved(graph, state, goal, accepted, named)

    def _improved(
        self, graph: DerivedGraph, given: object, goal: object, accepted: Accepted, question: dict[str, Any]
    ) -> Iterator[Solution[StateT]]:
        """Yield shorter and shorter solutions until one is accepted, or the time ends.

        If only an optimal solution is accepted, it is searched for as soon as some solution is known.

        Raises:
            SearchLimitError: none was accepted in time, or none can be.
        """
        asked = StateQuestion(given, None) if goal is None else StateQuestion(*self.rules.relative(given, goal))
        (_, search), searched = split(question), self._searching(graph)
        most = accepted.most(search.get("max_depth"))
        near = searched.near(searched.home(asked.state), search, every=False)
        if not isinstance(near, int):
            require_within(near.depth, SearchOptions(max_depth=most))
            yield Solution(_Answer(asked, graph, near).algs[0], near.depth, self.rules, given)
            return
        at_least, ended = near + 1, Shortened(None, is_accepted=False)
        try:
            finder = self._any_solver(graph)
            at_least = max(at_least, finder.at_least(self._place(asked.state)))
            require_within(at_least, SearchOptions(max_depth=most))
            current().prove(at_least)
            enough = _FAR * at_least if accepted.is_optimal else 0
            algs = self._short_algs(graph, asked.state, enough, search.get("workers"), search.get("memory"))
            solutions = (Solution(asked.finished(alg), at_least, self.rules, given) for alg in algs)
            ended = yield from shortened(solutions, accepted, most, at_least)
        except (SearchLimitError, UnsolvableStateError):
            raise
        except CubesolveError:  # only optimal solutions are found
            if not accepted.is_optimal:
                raise
        if ended.is_accepted:
            return
        if accepted.is_optimal:
            yield self.solve(given, goal, **question)
            return
        if most is None:
            raise SearchLimitError(at_least, f"after {MOST_ROUNDS} rounds of shortening", ended.found)
        yield self._optimal_soon(given, goal, {**question, "max_depth": most}, ended.found)

    def _optimal_soon(
        self, state: object, goal: object, question: dict[str, Any], found: Solution | None
    ) -> Solution[StateT]:
        """Return an optimal solution, after another search has found none that is short enough.

        Raises:
            SearchLimitError: there is none, or without a time limit, none is found in seconds.
        """
        most, affordable = question.get("max_depth"), self.moves_in_seconds
        if current().is_limited or most is None or affordable is None or most <= affordable:
            return self.solve(state, goal, **question)
        try:
            return self.solve(state, goal, **{**question, "max_depth": affordable})
        except SearchLimitError as error:
            raise SearchLimitError(error.at_least, f"in {most} moves {WITHIN_SECONDS}", found) from None

    def _short_algs(
        self,
        graph: DerivedGraph,
        state: object,
        enough: int = 0,
        workers: int | None = None,
        memory: int | None = None,
    ) -> Iterator[str]:
        """Yield shorter and shorter solutions, until the time ends, or one of `enough` moves; without a limit, some."""
        rounds = shortest = 0
        for moves in self._any_solver(graph).solutions(self._place(state), workers, memory=memory):
            if moves is not None:
                shortest = len(moves)
                yield " ".join(moves)
                continue
            rounds += 1
            if shortest <= enough or (rounds == MOST_ROUNDS and not current().is_limited):
                return

    def _place(self, state: object) -> Arrangement:
        return next(iter(self.rules.labelling.arrangements(self.rules.read(state))))

    def _any_solver(self, graph: DerivedGraph) -> Anything | Beams | Loops:
        """Return the search for solutions that need not be optimal.

        Raises:
            CubesolveError: some moves cost more than one.
        """
        if graph not in self._anything:
            if graph.costs:
                title = self.rules.title
                reason = "some moves cost more than one"
                raise CubesolveError(f"only optimal solutions are supported for the {title}: {reason}")
            self._anything[graph] = self._newly_any_solver(graph)
        return self._anything[graph]

    def _newly_any_solver(self, graph: DerivedGraph) -> Anything | Beams | Loops:
        from cubesolve.solvers.anything import Anything, makes_group  # noqa: PLC0415  # needs numpy

        return Anything(graph, self._known_as(graph)) if makes_group(graph) else self._blocked_solver(graph)

    def _blocked_solver(self, graph: DerivedGraph) -> Beams | Loops:
        from cubesolve.solvers.loops import blocked_solver  # noqa: PLC0415  # needs numpy

        return blocked_solver(self, graph)

    def answers_at_once(self, state: object, goal: object = None, **question: Unpack[Question]) -> bool:
        return (goal is None or self.rules.is_relabelled) and super().answers_at_once(state, goal, **question)

    def random_state(self, rng: Source = None, depth: int | None = None, **question: Unpack[DrawQuestion]) -> StateT:
        graph = self.graph_asked(question)
        draw = None if depth is not None or self.has_table(graph) else graph.random_state
        if draw is None:
            if depth is not None and self._is_searched_at(depth, graph):
                return self._drawn_at(integer("depth", depth, 0), graph, random_source(rng), question)[0]
            if depth is not None:
                self._require_there(question)
            return super().random_state(rng, depth, **question)
        return self.rules.labelling.state(draw(random_source(rng)))

    def scramble(
        self,
        rng: Source = None,
        *,
        depth: int | None = None,
        length: int | None = None,
        **question: Unpack[DrawQuestion],
    ) -> str:
        accepted = Accepted.of(question) if self.accepts_any else Accepted()
        named, _ = split(question)
        graph = self.graph_asked(named)
        if depth is not None or length is not None or self.has_table(graph) or graph.random_state is None:
            if not accepted.is_optimal:
                names = " and ".join(accepted.named)
                raise ValueError(f"{names} is not supported for this scramble of the {self.rules.title}")
            if depth is not None and length is None and self._is_searched_at(depth, graph):
                state, alg = self._drawn_at(integer("depth", depth, 0), graph, random_source(rng), question)
                return self._leading_to(state, alg, named)
            self._require_there(named)
            return super().scramble(rng, depth=depth, length=length, **named)
        source = random_source(rng)
        if self.accepts_any and not (accepted.is_optimal and self._is_near(graph)):
            return self._far_scramble(graph, source, accepted, question)
        while True:
            state = self.random_state(source, **named)
            try:
                found = self._found(state, None, question, every=False)
            except NoMemoryError:
                if not self.accepts_any:
                    raise
                return self._far_scramble(graph, source, accepted, question)
            assert found is not None  # there is no table
            if found.depth >= self.rules.scramble_depth:
                return self._leading_to(state, found.algs[0], named)

    def state_at(
        self, depth: int, solved: Callable[[random.Random], StateT], source: random.Random, question: DrawQuestion
    ) -> StateT | None:
        graph = self.graph_asked(split(question)[0])
        is_searched = self._is_searched_at(depth, graph, with_one_end=False) and self._is_drawn_by_algs(depth, graph)
        return self._drawn_at(depth, graph, source, question, solved)[0] if is_searched else None

    def _is_searched_at(self, depth: int, graph: DerivedGraph, *, with_one_end: bool = True) -> bool:
        """Return whether random states at a depth are found by search, without a table."""
        if self.has_table(graph) or graph.joined is None or graph.costs:
            return False
        if with_one_end and len(graph.reduction.solved) > 1:
            return False
        if self.rules.is_directed or self.rules.definition.illegal:
            return False
        return depth <= graph.moves_within(ALGS_IN_SECONDS)

    def _is_drawn_by_algs(self, depth: int, graph: DerivedGraph) -> bool:
        """Return whether there are fewer states that canonical algs of a length solve than states in all."""
        number = self._number(graph)
        return number is None or graph.number_of_algs(depth) * len(graph.reduction.solved) <= number

    def _drawn_at(
        self,
        depth: int,
        graph: DerivedGraph,
        source: random.Random,
        question: Keywords,
        solved: Callable[[random.Random], StateT] | None = None,
    ) -> tuple[StateT, str]:
        """Return a uniformly random state at a depth, found by search, and a solution.

        If there are fewer canonical algs of this length than states, a random one is tried: the state that it solves is
        accepted less often if others solve it, too. Otherwise random states are tried.

        Args:
            solved: returns a random state with which such an alg ends; by default the solved one.

        Raises:
            ValueError: none was found.
        """
        (_, search), searched = split(question), self._searching(graph)
        draw = None if self._is_drawn_by_algs(depth, graph) else graph.random_state
        for _ in range(_MOST_DRAWN):
            check()
            if draw is None:
                state = self._solved_by(graph, depth, source, solved)
            else:
                state = self.rules.labelling.state(draw(source))
            try:
                found = searched.solve(searched.home(state), {**search, "max_depth": depth}, every=draw is None)
            except SearchLimitError as error:
                if error.at_least <= depth:
                    raise
                continue
            ways = sum(map(graph.canonical.accepts, found.algs)) if draw is None else 1
            if found.depth == depth and source.randrange(ways) == 0:
                return state, " ".join(graph.names(found.algs[0], state))
        raise ValueError(f"no state at depth {depth} was found among {_MOST_DRAWN:,} states")

    def _solved_by(
        self,
        graph: DerivedGraph,
        length: int,
        source: random.Random,
        solved: Callable[[random.Random], StateT] | None,
    ) -> StateT:
        """Return the state that a random canonical alg solves, or leads to a state that is drawn."""
        moves, alg = graph.reduction.moves, graph.random_alg(length, source) or ()
        if solved is not None:
            back = self.rules.view.invert(" ".join(moves[move].name for move in alg))
            return self.rules.view.after(solved(source), back)
        place = graph.reduction.solved[0]
        for move in reversed(alg):
            place = after(place, inverse(moves[move].effects[0].sources))
        return self.rules.labelling.state(place)

    def _is_near(self, graph: DerivedGraph) -> bool:
        """Return whether random states are solved optimally in seconds or minutes."""
        number = self._number(graph)
        return self._searching(graph).is_quick or (number is not None and number <= _NEAR)

    def _far_scramble(self, graph: DerivedGraph, source: random.Random, accepted: Accepted, question: Keywords) -> str:
        """Return the inverse of a solution of a random state, which need not be optimal."""
        named, searched = split(question)[0], self._searching(graph)
        while True:
            state = self.random_state(source, **named)
            near = searched.near(searched.home(state), {}, every=False)
            if isinstance(near, int) or near.depth >= self.rules.scramble_depth:
                break
        if accepted.is_optimal and isinstance(near, int):
            alg = next(self._short_algs(graph, state))
        else:
            alg = self.solve(state, **{**question, **accepted.named})
        return self._leading_to(state, alg, named)

    def distribution(self, **question: Unpack[StatesQuestion]) -> Distribution:
        if question.get("levels") is not None or question.get("from_goal") is not None:
            return self.count(**question).distribution
        if not COUNTING.isdisjoint(name for name, value in question.items() if value):
            return super().distribution(**question)
        graph = self.graph_asked(question)
        if graph.pinned:
            return Distribution(graph.pinned.distribution)
        try:
            self._require_there(question)
        except TooLargeError as error:
            raise TooLargeError(error.states, error.most, error.exact, _WITHOUT_TABLE) from None
        return super().distribution(**question)

    def depths_from(self, states: Sequence[Any], question: Keywords) -> Iterable[int]:
        named, _ = split(question)
        if not self.has_table(self.graph_asked(named)):
            return super().depths_from(states, question)
        labelling = self.rules.labelling
        places = (next(iter(labelling.arrangements(state))) for state in states)
        rows = [[*map(labelling.numbers.__getitem__, place)] for place in places]
        depths = self.arrays(named).depths(rows, "mask", None)
        return (-1 if depth == UNREACHABLE else depth for depth in depths.tolist())

    def space_to_count(self, question: Mapping[str, object], memory: int | None) -> Counted:
        from cubesolve.solvers.counts import all_states  # noqa: PLC0415  # needs numba

        return all_states(self, question, memory)

    def antipodes(self, **question: Unpack[StatesQuestion]) -> list[StateT]:
        self._require_there(question)
        return super().antipodes(**question)

    def arrays_with_distances(self, question: GraphQuestion) -> GraphArrays:
        self._require_there(question)
        return super().arrays_with_distances(question)

    def in_arrays(self, question: GraphQuestion, *, distances: bool) -> GraphArrays | SearchedArrays:
        named = dict(question)
        Accepted.of(named)  # which a search takes
        graph = self.graph_asked(split(named)[0])
        if graph not in self._too_large:
            try:
                return super().in_arrays(question, distances=distances)
            except TooLargeError:
                self._too_large.add(graph)
        return self.searched_arrays(question)

    def workbench(self, metric: str | None) -> Workbench:
        self._require_costs({"metric": metric}, "heuristics")
        return super().workbench(metric)

    def state_arrays(self, question: GraphQuestion) -> StateArrays:
        self._require_costs(question, "states as arrays")
        return super().state_arrays(question)

    def _require_costs(self, question: Keywords, what: str) -> None:
        if self.graph_asked(question).has_free_moves:
            raise self.unsupported(
                f"{what}, where moves cost 0; the puzzle without `cost` has the same states and moves"
            )

    def whole(self, **question: Unpack[GraphQuestion]) -> GraphArrays | None:
        self._require_costs(question, "states and distances for learning")
        return self.arrays(question) if self.has_table(self.graph_asked(question)) else None

    def arrays_of(self, entry: TableEntry) -> GraphArrays:
        return self._arrays_about(self.graph({"metric": entry.header.metric}))

    def usual_tables(self, metric: str | None = None) -> Sequence[TableEntry]:
        graph = self.graph({"metric": metric})
        return [graph.coordinates_entry, graph.entry]

    # -- Other goals ---------------------------------------------------------------------------------------------------

    def locate(self, state: object, goal: object, question: Keywords) -> tuple[StateQuestion, Distances, int]:
        if goal is None or self.rules.is_relabelled:
            return super().locate(state, goal, question)
        named, search = split(question)
        graph = self.graph(named)
        start, targets = graph.target_ranks(state, goal)
        distances = self._distances_to(graph, targets)
        if distances[start] == UNREACHABLE:
            raise UnsolvableStateError(f"{self.rules.title}: no moves lead from one state to the other")
        require_within(distances[start], search)
        return StateQuestion(state, functools.partial(self._finish, state, goal)), distances, start

    def _finish(self, state: object, goal: object, alg: str) -> str:
        begin, end = (next(iter(self.rules.labelling.arrangements(self.rules.read(each)))) for each in (state, goal))
        return self.rules.finished(alg, begin, end)

    def _distances_to(self, graph: DerivedGraph, targets: Sequence[int]) -> Distances:
        """Return the distances to the nearest of some states that are not solved."""
        key = graph.metric, tuple(targets)

        def enumerated() -> Distances:
            with notifying(f"reading the depths of all {graph.states:,} states, once"):
                body = BY_BITS[8].enumerate(space_of(graph), targets)[0].tobytes()
                return FreeDistances(graph, body, targets) if graph.has_free_moves else Distances(graph, body)

        if self._other is None or self._other[0] != key:
            require_room(graph.states, half_of_memory() // 2)  # depths, and a copy that can be searched
            self._other = key, Prepared(enumerated)
        return self._other[1].result()

    _other: tuple[tuple[str, tuple[int, ...]], Prepared[Distances]] | None = None

    def forget(self) -> None:
        super().forget()
        self._other = None
        self._searched.clear()
        self._anything.clear()
        self._tabled.clear()
        self._untabled.clear()
        self._too_large.clear()
        self._small.clear()
