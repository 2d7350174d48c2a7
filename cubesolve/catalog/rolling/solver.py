"""Answers about rolling cubes: from tables for uniform starts, by bidirectional search for others."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar, Unpack

from cubesolve.catalog.rolling import RollingRules, TrayGraph, graph_from, read_question
from cubesolve.catalog.rolling.goal import ON_CORNERS, ON_FACES, ON_LINES, Goal, Mark, pattern_under, unrank_pattern
from cubesolve.catalog.rolling.model import DIRECTIONS, Shape
from cubesolve.catalog.rolling.tray import Tray
from cubesolve.encodings import encoding_of
from cubesolve.errors import InvalidStateError, SearchLimitError, TooLargeError, UnsolvableStateError
from cubesolve.runtime.arguments import Keywords
from cubesolve.runtime.deadline import current
from cubesolve.runtime.machine import half_of_memory
from cubesolve.runtime.prepared import cached
from cubesolve.search.limits import SearchOptions, proving, require_going_on, require_within, split
from cubesolve.search.near import ShortestPaths, between, descending_levels
from cubesolve.solvers.answers import COUNTING, Distribution, existing_depth, require_no_count
from cubesolve.solvers.questions import Answers, Asked
from cubesolve.solvers.solver import Solver
from cubesolve.solvers.sources import random_source
from cubesolve.spaces.tables import UNREACHABLE

if TYPE_CHECKING:
    from cubesolve.encodings.distances import Distances
    from cubesolve.search.ida_star import ProjectedSolver
    from cubesolve.solvers.arrays import GraphArrays
    from cubesolve.solvers.counting import Count, Counted
    from cubesolve.solvers.keywords import DrawQuestion, Question, StatesQuestion
    from cubesolve.solvers.solver import Source
    from cubesolve.store.tables import Tables

T = TypeVar("T")

Levels = Sequence[Collection[Tray]]  # trays on shortest paths, by their distance from one end

_NEAR = 2_000  # trays of a bidirectional search before numpy is loaded,
_FEW = 1 << 18  # and before tables are made that take seconds
# Sets of marks of each model, the best first, and the largest number of states of a table; ranks have 31 bits.
_FOLLOWED: dict[str, list[tuple[tuple[Mark, ...], int]]] = {
    "full": [(ON_CORNERS, 1 << 26), (ON_FACES, 1 << 31)],
    "axis": [(ON_LINES, 1 << 31)],
}
_COPIES = 2  # of the tables of marks, while they are joined in one array
_MOST_SOLVERS = 2  # solvers that are kept
_BYTES_A_STATE = 40  # of a search by levels
_MOST_STATES = 1 << 62  # whose ranks are 64-bit integers
_SHAPE = 3, 3  # default rows and columns of a tray
_START = 1, 1  # default column and row of the vacancy
_MEMORY = 1 << 31  # default limit in bytes for a search


class Route(NamedTuple):
    """A start and a goal."""

    begin: Tray
    goal: Goal

    @property
    def backwards(self) -> Route | None:
        """The route from the goal to the start, as rolls are invertible; None if several trays match the goal."""
        end = self.goal.tray
        return Route(end, Goal.only(self.begin)) if end else None

    def unreachable(self) -> UnsolvableStateError:
        """Return the error that explains why no rolls lead to the goal."""
        plus = self.begin.plus
        kept = f": rolls preserve the number of cubes of the class '+', which is {plus}"
        return UnsolvableStateError(
            f"no rolls lead to the goal from {self.begin}{'' if self.goal.allows(plus) else kept}"
        )


class TrayPaths(ShortestPaths[Tray], Answers):
    """The shortest paths from a tray to a goal."""

    def algs(self) -> Iterator[str]:
        """Return the shortest sequences of rolls."""
        return map("".join, self)


class TraySolver(Solver[Tray]):
    """Answers about rolling cubes. A question has a start and a goal."""

    rules: RollingRules
    has_ranks = True
    moves = tuple(DIRECTIONS)
    states = Shape(*_SHAPE).states(4)  # from a corner, the usual start

    def graph(self, question: Keywords) -> TrayGraph:
        """Return the trays that can be rolled to the uniform 3x3 tray with a given vacancy."""
        self.require_known(question, ("goal", "model"))
        goal, model = question.get("goal"), question.get("model")
        if goal is None:
            raise ValueError("arrays of trays require a goal, the vacancy of a uniform 3x3 tray: goal=(2, 1)")
        graph = graph_from(Tray.start(goal, model=_model(model)))
        if graph is None or not encoding_of(graph.entry.header).has_bytes:
            raise ValueError(f"arrays are not supported for the model {model}")
        return self._with_tables(graph)

    def toward(self, state: object, target: object, question: Keywords) -> tuple[TraySolver, Asked]:
        return self, Asked(state, state, self.rules, {}, target=target)

    def depth(self, state: object, **question: Unpack[Question]) -> int:
        asked = self._asked(state, question)
        begin, goal = asked.state
        graph = self._table(begin)
        if graph and graph.patterns and goal.by_tops:
            body = self._tables.body(graph.patterns)
            depth: int = min(body[rank] for rank in goal.image_under(graph.symmetry).ranks(0))
            require_within(depth, asked.search)
            return depth
        return self._paths(asked, every=False).depth

    def _asked(self, state: object, question: Keywords, *, has_lengths: bool = False) -> Asked:
        asked = super()._asked(state, question, has_lengths=has_lengths)
        self.require_known(asked.named, ("goal", "model"))
        require_within(0, asked.search)
        self._tables.require_open()
        route = Route(*read_question(asked.state, asked.target, _model(asked.named.get("model"))))
        return asked._replace(state=route, given=route.begin, target=None)

    def answers_at_once(self, state: object, **question: Unpack[Question]) -> bool:
        begin, goal = self._asked(state, question).state
        graph = self._table(begin) or self._table(goal.tray)
        if graph is None or goal.number > _NEAR:
            return False
        return self._tables.is_open(graph.patterns if graph.patterns and goal.by_tops else graph.entry)

    def distribution(self, **question: Unpack[StatesQuestion]) -> Distribution:
        patterns, begin = question.get("patterns", False), self._uniform(question)
        graph = graph_from(begin)
        entry = (graph.patterns if patterns else graph.entry) if graph else None
        if entry is not None and entry.header.distribution and not question.get("count"):
            require_no_count(question)
            return Distribution(entry.header.distribution)
        if patterns:
            raise ValueError("counts of top patterns are only supported for a 3x3 tray of the model axis")
        return self.count(**question).distribution

    def _uniform(self, question: Keywords) -> Tray:
        """Return the uniform tray of a question about all states."""
        self.require_known(question, ("start", "tray", "model", "patterns", *COUNTING))
        try:
            rows, cols = question.get("tray", _SHAPE)
        except (TypeError, ValueError):
            raise InvalidStateError("the size of a tray must be its rows and columns", "size") from None
        return Tray.start(question.get("start", _START), rows, cols, question.get("model", "axis"))

    def count(self, **question: Unpack[StatesQuestion]) -> Count:
        self._uniform(question)  # rejects other keywords
        return super().count(**question)

    def space_to_count(self, question: Keywords, memory: int | None) -> Counted:
        from cubesolve.catalog.rolling.searching import to_count  # noqa: PLC0415  # needs numba

        return to_count(self._uniform(question), memory)

    def antipodes(self, **question: Unpack[StatesQuestion]) -> list[Tray] | list[str]:
        self.require_known(question, ("start", "patterns"))
        graph, patterns = self.graph({"goal": question.get("start", _START)}), question.get("patterns", False)
        if not patterns:
            distances = self._distances(graph)
            deepest = len(self._tables.header(graph.entry).distribution) - 1
            trays = (distances.graph.unrank(rank).image_under(graph.back) for rank in distances.at(deepest))
            return sorted(trays, key=lambda tray: tray.rank)
        assert graph.patterns is not None  # every uniform start of the model axis has them
        body = self._tables.body(graph.patterns)
        deepest = max(body)
        farthest = (unrank_pattern(rank, graph.shape) for rank, depth in enumerate(body) if depth == deepest)
        hardest = sorted(pattern_under(graph.back, pattern) for pattern in farthest)
        return [unrank_pattern(rank, graph.shape) for rank in hardest]

    def random_state(self, rng: Source = None, depth: int | None = None, **question: Unpack[DrawQuestion]) -> Tray:
        self.require_known(question, ("depth", "start", "model"))
        graph = self.graph({"goal": question.get("start", _START), "model": question.get("model")})
        source = random_source(rng)
        if depth is None:
            return graph.unrank(source.randrange(graph.states))
        counts, distances = self._tables.header(graph.entry).distribution, self._distances(graph)
        drawn: Tray = distances.graph.unrank(distances.random_at(existing_depth(depth, counts), counts, source))
        return drawn.image_under(graph.back)

    def scramble(
        self, rng: Source = None, depth: int | None = None, length: int | None = None, **question: Unpack[DrawQuestion]
    ) -> str:
        if length is not None and depth is not None and depth != length:
            raise ValueError("length is not supported for scrambles of rolling cubes")
        named, search = split(question)
        self.require_known(named, ("depth", "length", "start", "model"))
        begin = Tray.start(named.get("start", _START), model=_model(named.get("model")))
        state = self.random_state(rng, depth if length is None else length, **named)
        return self.solve(self.toward(begin, state, named)[1], **search)

    def arrays(self, question: Keywords, *, distances: bool = False) -> GraphArrays:
        return self._arrays_about(self.graph(question))

    # -- Shortest paths ------------------------------------------------------------------------------------------------

    def _table(self, begin: Tray | None) -> TrayGraph | None:
        """Return the graph of a tray with a table of the distances from it, if there is one."""
        graph = graph_from(begin) if begin else None
        if graph is None or not (graph.entry.by_default or self._tables.has(graph.entry)):
            return None
        return self._with_tables(graph)

    def _with_tables(self, found: TrayGraph) -> TrayGraph:
        """Return a graph whose tables, if they are missing and have few entries, are built when they are needed."""
        for entry in (found.entry, found.patterns):
            if entry is not None:
                self.offered(entry)
        return found

    def _optimal(self, asked: Asked, *, every: bool) -> TrayPaths:  # the first of all is the answer
        return self._paths(asked)

    def _paths(self, asked: Asked, *, every: bool = True) -> TrayPaths:
        """Return the shortest paths; some of them, unless `every` one is needed."""
        route: Route = asked.state
        begin, goal = route
        if goal.matches(begin):
            return TrayPaths([{begin}], Tray.rolls)
        if not goal.allows(begin.plus):
            raise route.unreachable()
        graph, back = self._table(begin), route.backwards
        if graph and (encoding_of(graph.entry.header).has_bytes or goal.number <= _NEAR):
            paths = TrayPaths(self._look_up(graph, route)[::-1], graph.rolls)
        elif back and (graph := self._table(back.begin)):
            paths = TrayPaths(self._look_up(graph, back), graph.rolls)
        else:
            with self.kept.about(route) as bound:
                paths = TrayPaths(self._search(route, asked.search, every, bound - 1), Tray.rolls)
        require_within(paths.depth, asked.search)
        return paths

    def _look_up(self, found: TrayGraph, route: Route) -> Levels:
        """Return the images of the trays on shortest paths to the start of a table, by their distance from a goal."""
        plus, goal = route.begin.plus, route.goal.image_under(found.symmetry)
        distances = self._distances(found)
        graph = distances.graph
        if encoding_of(found.entry.header).has_bytes:
            depth, ranks = _least((distances[rank], rank) for rank in self._fitting(found, goal, plus))
            nearest = [*map(graph.unrank, ranks)]
        else:
            depth, nearest = _least((distances[graph.rank(tray)], tray) for tray in goal.trays(plus))
        return descending_levels(
            nearest, depth, lambda tray, depth: distances.is_at(graph.rank(tray), depth), Tray.rolls
        )

    def _distances(self, found: TrayGraph) -> Distances:
        """Return the distances from the start of a table."""
        graph, body = self.rules.graph_of(found.entry), self._tables.body(found.entry)
        return encoding_of(found.entry.header).distances(graph, body)

    def _fitting(self, found: TrayGraph, goal: Goal, plus: int) -> Iterator[int]:
        """Yield ranks of states that match a goal, including all nearest ones."""
        if not (goal.by_tops and found.patterns):
            yield from goal.ranks(plus)
            return
        body, row, subsets = self._tables.body(found.patterns), goal.shape.row, math.comb(goal.shape.slots, plus)
        _, patterns = _least((body[rank], rank) for rank in goal.ranks(0))
        for vacancy, number in (divmod(pattern, row) for pattern in patterns):
            yield from ((vacancy * subsets + subset) * row + number for subset in range(subsets))

    # -- Search ----------------------------------------------------------------------------------------------------

    def _search(self, route: Route, search: SearchOptions, every: bool, ruled_out: int) -> Levels:
        begin, goal = route
        plus, back, deadline = begin.plus, route.backwards, current()
        memory = search.get("memory") or min(_MEMORY, half_of_memory())
        marks = _marks(begin, memory)

        def after_level(ruled_out: int, seen: int) -> None:
            require_going_on(ruled_out, search)
            if progress := search.get("progress"):
                progress(ruled_out, seen, deadline.elapsed)

        def end_with(has: Callable[..., bool]) -> Route | None:
            """Return the route to the end whose tables of marks are there."""
            return next((way for way in (route, back) if way and has(way.goal, plus, marks, self._tables)), None)

        end = end_with(mark_solver.has)
        if end is None and goal.number <= _NEAR:
            paths = between(begin, goal.trays(plus), Tray.rolls, most=_NEAR, after_level=after_level)
            if paths is None:
                raise route.unreachable()
            if not isinstance(paths, int):
                return paths.levels
            ruled_out = max(ruled_out, paths)
        from cubesolve.catalog.rolling.searching import are_kept, meet_by_levels  # noqa: PLC0415  # needs numba

        end = end or (end_with(are_kept) if marks else None)
        if end is None:
            if begin.shape.states(plus) > _MOST_STATES:
                raise TooLargeError(begin.shape.states(plus), _MOST_STATES)
            room = memory // _BYTES_A_STATE
            outcome = meet_by_levels(route, min(room, _FEW) if marks else room, after_level)
            if not isinstance(outcome, int):
                return outcome
            if not marks:
                limit = f"within {memory:,} bytes of memory (memory= sets the limit)"
                raise SearchLimitError(outcome + 1, limit)
            end, ruled_out = back if back and begin.is_uniform else route, max(outcome, ruled_out)
        # Between two trays all shortest paths are found, so the first one does not depend on the direction.
        levels = _levels_by_marks(end, search, marks, ruled_out, every or back is not None, self._tables)
        return levels if end is route else levels[::-1]


def _model(given: str | None) -> str:
    """Return the model of a question."""
    return "axis" if given is None else given


def _least(numbered: Iterable[tuple[int, T]]) -> tuple[int, list[T]]:
    """Return the least of some depths, and the items that have it."""
    least, nearest = UNREACHABLE, list[T]()
    for depth, item in numbered:
        if depth < least:
            least, nearest = depth, []
        if depth == least:
            nearest.append(item)
    return least, nearest


# -- Search with tables of marks ---------------------------------------------------------------------------------------


def _marks(begin: Tray, memory: int) -> tuple[Mark, ...]:
    """Return the marks whose tables fit into the memory; none unless all states are connected.

    The states of a 2x3 tray with a given number of cubes of the class "+" are connected, and so are those of larger
    trays. In other trays, a search for an unreachable goal would not end.
    """
    shape = begin.shape
    if min(shape.rows, shape.cols) >= 2 and shape.cells >= 6:
        for marks, limit in _FOLLOWED.get(shape.model_name, []):
            states = [tray.shape.states(tray.plus) for tray in (mark.of_tray(begin) for mark in marks)]
            if _COPIES * sum(states) <= memory and max(states) <= limit:
                return marks
    return ()


def _levels_by_marks(
    route: Route, search: SearchOptions, marks: tuple[Mark, ...], ruled_out: int, every: bool, tables: Tables
) -> list[set[Tray]]:
    """Return the trays on shortest paths by their distance from the start, found with the tables of the goal."""
    begin, goal = route
    with proving(ruled_out + 1):
        solver = mark_solver(goal, begin.plus, marks, tables)
    ranks = [mark.of_tray(begin).rank for mark in marks]
    if solver.bounds(ranks).max() == UNREACHABLE:
        raise route.unreachable()
    algs = solver.solve(
        ranks,
        every=every,
        accept=lambda alg: goal.matches(begin.apply(_written(alg))),
        max_depth=search.get("max_depth"),
        ruled_out=ruled_out,
        workers=search.get("workers"),
        progress=search.get("progress"),
    )
    paths = (itertools.accumulate(_written(alg), Tray.roll, initial=begin) for alg in algs)
    return [*map(set, zip(*paths, strict=True))]


def _written(alg: Sequence[int]) -> str:
    return "".join(list(DIRECTIONS)[move] for move in alg)


@cached(_MOST_SOLVERS)
def mark_solver(goal: Goal, plus: int, marks: tuple[Mark, ...], tables: Tables) -> ProjectedSolver:
    """Return the search for paths to a goal, which is kept for the next question."""
    from cubesolve.catalog.rolling.searching import make_mark_solver  # noqa: PLC0415  # needs numba

    return make_mark_solver(goal, plus, marks, tables)
