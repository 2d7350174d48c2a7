"""Answers about puzzles that are given by a definition: from a table, or from a search if there are too many states."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from cubesolve.definition.state import StateT
from cubesolve.encodings.distances import Distances, FreeDistances
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
from cubesolve.group.permutations import Arrangement, after, arrangement, inverse
from cubesolve.runtime.arguments import Keywords, integer
from cubesolve.runtime.deadline import check, current
from cubesolve.runtime.machine import half_of_memory
from cubesolve.runtime.notices import notifying
from cubesolve.runtime.prepared import Cached, Prepared
from cubesolve.search.limits import SearchOptions, require_room, require_within, split
from cubesolve.solvers.answers import COUNTING, Distribution, Solution
from cubesolve.solvers.questions import Accepted, Answers, Asked
from cubesolve.solvers.solver import ALGS_IN_SECONDS
from cubesolve.solvers.sources import random_source
from cubesolve.solvers.table import RankedTarget, TableSolver
from cubesolve.spaces import space_of
from cubesolve.spaces.defined import DerivedRules
from cubesolve.spaces.defined_graph import DerivedGraph
from cubesolve.spaces.tables import AT_ONCE, UNREACHABLE, UP_TO_SYMMETRY
from cubesolve.store.folders import find_table
from cubesolve.store.tables import Tables

if TYPE_CHECKING:
    import random

    from cubesolve.solvers.anything import Anything
    from cubesolve.solvers.arrays import GraphArrays
    from cubesolve.solvers.beams import Beams
    from cubesolve.solvers.counting import Counted
    from cubesolve.solvers.isomorphic import KnownPuzzle
    from cubesolve.solvers.keywords import DrawQuestion, GraphQuestion, StatesQuestion
    from cubesolve.solvers.loops import Loops
    from cubesolve.solvers.searched import FoundAlgs, Searched
    from cubesolve.solvers.searched_arrays import SearchedArrays
    from cubesolve.solvers.solver import Solver, Source
    from cubesolve.solvers.state_arrays import StateArrays
    from cubesolve.solvers.workbench import Workbench
    from cubesolve.spaces.tables import TableEntry


_WITHOUT_TABLE = "without a table, count (--count) and levels (--levels) count more"
_MOST_DRAWN = 100_000  # states until one is at a depth
_MOST_TARGETS = 16  # whose solvers are kept
_MOST_ROUNDS = 4  # in which solutions are shortened, if no time is given
_NEAR = 10**15  # states of a puzzle whose random states are solved optimally

_ONLY_COUNTED = "where moves cost 0, states of so large a puzzle are counted (tables distribution), and not solved"


class DerivedSolver(TableSolver[StateT]):
    """Answers about a puzzle that is given by a definition; missing tables are built if that takes only a moment."""

    rules: DerivedRules[StateT]

    def __init__(
        self,
        rules: DerivedRules[StateT],
        tables: Tables,
        find_known: Callable[[DerivedGraph], KnownPuzzle | None] = lambda _: None,
    ) -> None:
        """Take a puzzle and its tables, and a function that returns a known puzzle which is the same."""
        super().__init__(rules, tables)
        self._known_as = functools.cache(find_known)
        self._searched: dict[DerivedGraph, Searched] = {}
        self._any_solver = functools.cache(self._newly_any_solver)
        self._toward = Cached(functools.partial(_TargetSolver, self), _MOST_TARGETS)
        self._distances_to = Cached(self._newly_distances_to, 1)
        self._tabled: dict[DerivedGraph, bool] = {}
        self._too_large = set[DerivedGraph]()
        self._small: dict[DerivedGraph, Prepared[TooLargeError | None]] = {}

    @property
    def states(self) -> int:
        graph = self.graph_asked({})
        number = self._number(graph)
        if number is None and (limit := graph.most_states) > AT_ONCE:
            raise CubesolveError(f"the number of states of {self.rules.title} is not known: at most {counted(limit)}")
        return number or self.graph({}).states

    @property
    def order(self) -> int | None:
        order = super().order
        limit = None if order else self.rules.most_order
        if limit is not None:
            what = f"the order of the group that the moves of {self.rules.title} make"
            raise CubesolveError(f"{what} is not known: at most {counted(limit)}")
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
        if self._tabled.get(graph):
            return True
        is_tabled = self._looks_for_table(graph)
        if not is_tabled and graph not in self._tabled:
            self._report_table_up_to_symmetry(graph)
        self._tabled[graph] = is_tabled
        return is_tabled

    def _report_table_up_to_symmetry(self, graph: DerivedGraph) -> None:
        """Warn of a table of a kind that is not read, where that of all states is missing."""
        digest = hashlib.sha256(f"{graph.digest} {UP_TO_SYMMETRY}".encode()).hexdigest()
        with contextlib.suppress(MissingTableError):
            path = find_table(f"custom-{digest[:16]}", self._tables.directory)
            command = building(graph.built_by, self._tables.directory)
            reason = f"tables up to symmetry are not supported; build the table of all states with: {command}"
            warnings.warn(CubesolveWarning(f"{path}: {reason}"), stacklevel=2)

    def _require_there(self, question: Keywords) -> None:
        """Require a table, or that one can be built at once, before coordinates are derived, which can take long."""
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
            from cubesolve.spaces.derived import require_derivable  # noqa: PLC0415  # needs numpy

            require_derivable(graph)  # the error of the limit that applies
            raise

    def require_table(self, question: Mapping[str, object], advice: str = "") -> None:
        named, _ = split(question)
        graph = self.graph_asked(named)
        if self.has_table(graph):
            return
        try:
            self._require_there(question)
        except TooLargeError as error:
            raise TooLargeError(error.states, error.most, error.exact, advice or error.advice, error.what) from None
        raise TooLargeError(self._number(graph) or AT_ONCE, AT_ONCE, advice=advice)

    def _looks_for_table(self, graph: DerivedGraph) -> bool:
        if graph.pinned is None and not graph.is_ready:
            if not self._tables.has(graph.coordinates_entry):
                return self._is_small(graph)
            graph = self.graph({"metric": graph.metric})
        return (self._number(graph) or 0) <= AT_ONCE or self._tables.has(graph.entry)

    def _is_small(self, graph: DerivedGraph) -> bool:
        from cubesolve.spaces.derived import make_ready, refused, require_derivable  # noqa: PLC0415  # needs numpy

        graph.prepare_search()
        number = self._number(graph)
        if number is not None:
            return number <= AT_ONCE and refused(require_derivable, graph) is None
        if graph not in self._small:
            self._small[graph] = Prepared(functools.partial(refused, make_ready, graph, AT_ONCE))
        return self._small[graph].result() is None

    def _optimal(self, asked: Asked, *, every: bool) -> Answers:
        graph = self.graph_asked(asked.named)
        if self.has_table(graph):
            return super()._optimal(asked, every=every)
        searched = self._searching(graph)
        home = searched.home(asked.state)
        algs = None if every else self._found_as_known(graph, home, asked.search)
        if algs is None or isinstance(algs, int):
            algs = searched.solve(home, asked.search, every, algs)
        return searched.answers(asked, home, algs)

    def _near(self, asked: Asked) -> Answers | int:
        graph = self.graph_asked(asked.named)
        if self.has_table(graph):
            return super()._near(asked)
        searched = self._searching(graph)
        home = searched.home(asked.state)
        near = searched.near(home, asked.search, every=False)
        return near if isinstance(near, int) else searched.answers(asked, home, near)

    def _found_as_known(self, graph: DerivedGraph, home: Arrangement, search: SearchOptions) -> FoundAlgs | int | None:
        """Return an optimal alg of the puzzle of the catalog that is the same, if that has a search of its own.

        If it has no table, this is the number of moves that a short search has ruled out; None if it is not used.
        """
        has_one_end = len(graph.reduction.solved) == 1 and not self.rules.definition.rotations
        puzzle = self._known_as(graph) if has_one_end and not graph.costs else None
        if puzzle is None or not puzzle.has_own_search or self._number(graph) != puzzle.solver.states:
            return None
        near = self._searching(graph).near(home, search, every=False)
        if not isinstance(near, int):
            require_within(near.depth, search)
            return near
        group, solved = self.rules.group, graph.reduction.solved[0]
        change = None if group is None else change_between(group, solved, home, random_source(None))
        with contextlib.suppress(MissingTableError, NoMemoryError):
            return near if change is None else puzzle.optimal(change, search, self.rules, graph.reduction.moves)
        return near

    def _searching(self, graph: DerivedGraph) -> Searched:
        if graph.has_free_moves:
            self.require_table({"metric": graph.metric}, _ONLY_COUNTED)
        if graph not in self._searched:
            from cubesolve.solvers.searched import Searched  # noqa: PLC0415  # few puzzles are so large

            self._searched[graph] = Searched(graph, self._tables, self.require_table)
        return self._searched[graph]

    def toward(self, state: object, target: object, question: Keywords) -> tuple[Solver[StateT], Asked]:
        """Return the question about the algs that lead from a state to a target, and the solver that answers it.

        Labels are renamed so that few targets differ: where all do, to the solved state itself. Depths of other targets
        are those from their ranks, where a table has these, or those of a definition that the target solves.
        """
        rules = self.rules
        begin, end = (rules.labelling.arrangement(rules.read(given)) for given in (state, target))
        names = rules.renamed(end)
        renamed, aim = (arrangement(names.get(label, label) for label in place) for place in (begin, end))
        finish = functools.partial(rules.finished, begin=begin, end=end) if rules.definition.rotations else str
        if aim == rules.definition.solved[0] and len(rules.definition.solved) == 1:
            return self, Asked(rules.labelling.state(renamed), state, rules, {}, finish=finish)
        named = {"metric": question.get("metric")}
        if self.has_table(self.graph_asked(named)):
            graph = self.graph(named)
            with contextlib.suppress(UnsolvableStateError):
                distances = functools.partial(self._distances_to, graph, graph.target_ranks(state, target))
                return RankedTarget(self, distances), Asked(state, state, rules, {}, finish=finish)
        return self._toward(aim), Asked(rules.labelling.state(renamed), state, rules, {}, finish=finish)

    # -- Solutions that need not be optimal ----------------------------------------------------------------------------

    def _short(self, asked: Asked, enough: int) -> Iterator[Solution[StateT]]:
        graph = self.graph_asked(asked.named)
        current().prove(self._any_solver(graph).at_least(self._place(asked.state)))
        require_within(current().at_least, SearchOptions(max_depth=asked.most))
        for alg in self._short_algs(graph, asked.state, enough, asked.search.get("memory")):
            yield asked.solution(alg, current().at_least)

    def _require_longer(self, asked: Asked) -> None:
        graph = self.graph_asked(asked.named)
        if graph.has_free_moves:
            reason = "where moves cost 0, which make any solution longer without end"
            raise CubesolveError(f"longer solutions are not supported {reason}; optimal ones need no slack")

    def _short_algs(
        self, graph: DerivedGraph, state: object, enough: int = 0, memory: int | None = None
    ) -> Iterator[str]:
        """Yield shorter and shorter solutions, until the time ends, or one of `enough` moves; without a limit, some."""
        rounds = shortest = 0
        for moves in self._any_solver(graph).solutions(self._place(state), memory):
            if moves is not None:
                shortest = len(moves)
                yield " ".join(moves)
                continue
            rounds += 1
            if shortest <= enough or (rounds == _MOST_ROUNDS and not current().is_limited):
                return

    def _place(self, state: object) -> Arrangement:
        return self.rules.labelling.arrangement(self.rules.read(state))

    def _newly_any_solver(self, graph: DerivedGraph) -> Anything | Beams | Loops:
        """Return the search for solutions that need not be optimal."""
        from cubesolve.solvers.anything import Anything, makes_group  # noqa: PLC0415  # needs numpy

        if makes_group(graph):
            return Anything(graph, self._known_as(graph))
        from cubesolve.solvers.loops import blocked_solver  # noqa: PLC0415  # needs numpy

        return blocked_solver(self, graph)

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
        self, rng: Source = None, depth: int | None = None, length: int | None = None, **question: Unpack[DrawQuestion]
    ) -> str:
        accepted = Accepted.of(question)
        named, _ = split(question)
        graph = self.graph_asked(named)
        if depth is not None or length is not None or self.has_table(graph) or graph.random_state is None:
            if not accepted.is_optimal:
                names = " and ".join(accepted.named)
                raise ValueError(f"{names} is not supported for this scramble of the {self.rules.title}")
            has_way_back = not self.rules.is_directed and len(self.rules.definition.solved) == 1
            if depth is not None and length is None and has_way_back and self._is_searched_at(depth, graph):
                state, alg = self._drawn_at(integer("depth", depth, 0), graph, random_source(rng), question)
                return self._leading_to(state, alg, named)
            if length is not None:
                reason = "a scramble of exactly so many moves (--length) needs a table of all states"
                self.require_table(named, reason)
            else:
                self._require_there(named)
            return super().scramble(rng, depth=depth, length=length, **named)
        source = random_source(rng)
        if not (accepted.is_optimal and self._is_near(graph)):
            return self._far_scramble(graph, source, accepted, question)
        while True:
            state = self.random_state(source, **named)
            try:
                answers = self._optimal(self._asked(state, question), every=False)
            except NoMemoryError:
                return self._far_scramble(graph, source, accepted, question)
            if answers.depth >= self.rules.scramble_depth:
                return self._leading_to(state, answers.first(), named)

    def state_at(
        self, depth: int, solved: Callable[[random.Random], StateT], source: random.Random, question: DrawQuestion
    ) -> StateT | None:
        """Return a uniformly random state at a depth of a goal, all pieces drawn; None if it is not found by search."""
        graph = self.graph_asked(split(question)[0])
        is_searched = self._is_searched_at(depth, graph) and self._is_drawn_by_algs(depth, graph)
        return self._drawn_at(depth, graph, source, question, solved)[0] if is_searched else None

    def _is_searched_at(self, depth: int, graph: DerivedGraph) -> bool:
        """Return whether random states at a depth are found by search, without a table."""
        if self.has_table(graph) or graph.joined is None or graph.has_free_moves or self.rules.definition.illegal:
            return False
        is_low = integer("depth", depth) <= graph.moves_within(ALGS_IN_SECONDS) * max(graph.costs or (1,))
        return is_low and graph.number_of_algs(depth) <= ALGS_IN_SECONDS

    def _is_drawn_by_algs(self, depth: int, graph: DerivedGraph) -> bool:
        """Return whether there are fewer states that canonical algs of a length solve than states in all."""
        number = self._number(graph)
        return number is None or graph.number_of_algs(depth) * len(self._searching(graph).solved) <= number

    def _drawn_at(
        self,
        depth: int,
        graph: DerivedGraph,
        source: random.Random,
        question: Keywords,
        solved: Callable[[random.Random], StateT] | None = None,
    ) -> tuple[StateT, str]:
        """Return a uniformly random state at a depth, found by search, and a solution.

        If there are fewer canonical algs of this cost than states, a random one is tried: the state that it solves is
        accepted less often if others solve it, too. Otherwise random states are tried.
        An alg ends with a solved state, or with one that `solved` returns.
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
                optimal = searched.solve(searched.home(state), {**search, "max_depth": depth}, every=draw is None)
            except SearchLimitError as error:
                if error.at_least <= depth:
                    raise
                continue
            ways = sum(map(graph.canonical.accepts, optimal.algs)) if draw is None else 1
            if optimal.depth == depth and source.randrange(ways) == 0:
                return state, " ".join(graph.names(optimal.algs[0], state))
        raise ValueError(f"no state at depth {depth} was found among {_MOST_DRAWN:,} states")

    def _solved_by(
        self, graph: DerivedGraph, cost: int, source: random.Random, solved: Callable[[random.Random], StateT] | None
    ) -> StateT:
        """Return the state that a random canonical alg solves, or leads to a state that is drawn."""
        moves, alg = graph.reduction.moves, graph.random_alg(cost, source)
        if alg is None:
            raise ValueError(f"no state has depth {cost}: no moves cost as much together")
        if solved is not None:
            back = self.rules.view.invert(" ".join(moves[move].name for move in alg))
            return self.rules.view.after(solved(source), back)
        place = source.choice(self._searching(graph).solved)
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
        if any(question.get(name) is not None for name in ("levels", "from_goal", *COUNTING)):
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
        places = (labelling.arrangement(state) for state in states)
        rows = [[*map(labelling.numbers.__getitem__, place)] for place in places]
        depths = self.arrays(named).depths(rows, "mask", None)
        return (-1 if depth == UNREACHABLE else depth for depth in depths.tolist())

    def space_to_count(self, question: Mapping[str, object], memory: int | None) -> Counted:
        from cubesolve.solvers.counts import all_states  # noqa: PLC0415  # needs numba

        return all_states(self, question, memory)

    def antipodes(self, **question: Unpack[StatesQuestion]) -> list[StateT]:
        self._require_there(question)
        return super().antipodes(**question)

    def arrays(self, question: Mapping[str, object], *, distances: bool = False) -> GraphArrays:
        if distances:
            self._require_there(question)
        return super().arrays(question)

    def in_arrays(self, question: Keywords, *, distances: bool) -> GraphArrays | SearchedArrays:
        graph = self.graph_asked(split(question)[0])
        if graph not in self._too_large:
            try:
                return super().in_arrays(question, distances=distances)
            except TooLargeError:
                self._too_large.add(graph)
        return self.searched_arrays(question)

    def workbench(self, metric: str | None) -> Workbench:
        self._require_costs({"metric": metric}, "heuristics")
        return super().workbench(metric)

    def state_arrays(self, metric: str | None) -> StateArrays:
        self._require_costs({"metric": metric}, "states as arrays")
        return super().state_arrays(metric)

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

    # -- Other starts --------------------------------------------------------------------------------------------------

    def _newly_distances_to(self, graph: DerivedGraph, targets: tuple[int, ...]) -> Distances:
        """Return the distances to the nearest of some states that are not solved."""
        from cubesolve.encodings.enumeration import enumerate_depths  # noqa: PLC0415  # needs numpy

        require_room(graph.states, half_of_memory() // 2)  # depths, and a copy that can be searched
        with notifying(f"reading the depths of all {graph.states:,} states, once"):
            body = enumerate_depths(space_of(graph), targets).tobytes()
            return FreeDistances(graph, body, targets) if graph.has_free_moves else Distances(graph, body)


class _TargetSolver(DerivedSolver[StateT]):
    """Answers about a puzzle that is solved in another state."""

    def __init__(self, whole: DerivedSolver[StateT], target: Arrangement) -> None:
        super().__init__(whole.rules.toward(target), whole._tables, whole._known_as)
        self._whole, self._target = whole, whole.rules.labelling.state(target)

    def _is_small(self, graph: DerivedGraph) -> bool:
        # Where nothing tells the number of states, listing them to see that they are many can take minutes.
        is_known = self._number(graph) is not None
        return (
            is_known
            and self._whole.has_table(self._whole.graph_asked({"metric": graph.metric}))
            and super()._is_small(graph)
        )

    def _short(self, asked: Asked, enough: int) -> Iterator[Solution[StateT]]:
        shortest, metric = math.inf, asked.named.get("metric")
        usual = self._whole.rules.usual_length_in(metric)
        if usual is not None:  # then two solutions are found at once, and lead from one state to the other
            solved = functools.partial(self._whole.solve_as_held, max_length=usual, metric=metric)
            ways, definition = [solved(state) for state in (asked.state, self._target)], self.rules.definition
            ends = [definition.apply(self._place(way.start), definition.parse(way)) for way in ways]
            alg = f"{ways[0]} {self.rules.rotations_between(*ends) or ''} {self.rules.view.invert(ways[1])}"
            through = asked.solution(" ".join(alg.split()), current().at_least)
            if asked.most is None or through.length <= asked.most:
                shortest = through.length
                yield through
        for solution in super()._short(asked, enough):
            if solution.length < shortest:
                yield solution
