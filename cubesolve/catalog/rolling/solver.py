"""Answers about rolling cubes: from tables for uniform starts, by bidirectional search for others."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, Unpack

from cubesolve.catalog.rolling import (
    FromUniform,
    RollingRules,
    TrayGraph,
    read_question,
    table_from,
)
from cubesolve.catalog.rolling.goal import ON_CORNERS, ON_FACES, ON_LINES, Goal, Mark, follow, unrank_pattern
from cubesolve.catalog.rolling.model import DIRECTIONS
from cubesolve.catalog.rolling.tray import Tray
from cubesolve.encodings import encoding_of
from cubesolve.errors import InvalidStateError, SearchLimitError, TooLargeError, UnsolvableStateError
from cubesolve.runtime.arguments import Keywords
from cubesolve.runtime.deadline import Deadline, current
from cubesolve.runtime.locks import load_numpy
from cubesolve.runtime.machine import half_of_memory
from cubesolve.runtime.prepared import cached
from cubesolve.search.limits import (
    Proved,
    SearchOptions,
    proving,
    require_going_on,
    require_within,
    split,
)
from cubesolve.search.near import ShortestPaths, between, descending_levels
from cubesolve.solvers.answers import COUNTING, Distribution, existing_depth
from cubesolve.solvers.questions import Answers, Asked, Retargeted
from cubesolve.solvers.solver import Solver
from cubesolve.solvers.sources import random_source
from cubesolve.spaces.tables import UNREACHABLE

if TYPE_CHECKING:
    from cubesolve.catalog.rolling.searching import TrayArrays
    from cubesolve.encodings.distances import Distances
    from cubesolve.search.ida_star import ProjectedSolver
    from cubesolve.solvers.arrays import GraphArrays
    from cubesolve.solvers.counting import Count, Counted
    from cubesolve.solvers.keywords import (
        DrawQuestion,
        GraphQuestion,
        Question,
        StatesQuestion,
    )
    from cubesolve.solvers.solver import Source
    from cubesolve.store.tables import Tables

T = TypeVar("T")

_NEAR = 2_000  # trays of a bidirectional search before numpy is loaded,
_FEW = 1 << 18  # and before tables are made that take seconds
_MOST_WHOLE = 1 << 27  # states of a tray whose distances are all kept
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


class TrayQuestion(NamedTuple):
    """A question about two trays, and its limits.

    Attributes:
        begin: the start.
        goal: the goal.
        search: the limits of the search.
        deadline: when to end.
    """

    begin: Tray
    goal: Goal
    search: SearchOptions
    deadline: Deadline

    @property
    def memory(self) -> int:
        return self.search.get("memory") or min(_MEMORY, half_of_memory())

    def after_level(self, ruled_out: int, seen: int) -> None:
        """Check the limits of the search, and report progress.

        Raises:
            SearchLimitError: a limit was reached.
        """
        require_going_on(ruled_out, self.search)
        progress = self.search.get("progress")
        if progress:
            progress(ruled_out, seen, self.deadline.elapsed)

    @property
    def backwards(self) -> TrayQuestion | None:
        """The question from the goal to the start, as rolls are invertible; None if several trays match the goal."""
        end = self.goal.tray
        return self._replace(begin=end, goal=Goal.only(self.begin)) if end else None

    def unreachable(self) -> UnsolvableStateError:
        """Return the error that explains why no rolls lead to the goal."""
        reason = ""
        if self.goal.number <= _NEAR and next(self.goal.trays(self.begin.plus), None) is None:
            reason = f": rolls preserve the number of cubes of the class '+', which is {self.begin.plus}"
        return UnsolvableStateError(f"no rolls lead to the goal from {self.begin}{reason}")


class _Between(NamedTuple):
    """A start, and a goal."""

    start: Any
    goal: Any


class _Paths(Answers):
    """The shortest paths from a tray to a goal."""

    def __init__(self, paths: ShortestPaths[Tray]) -> None:
        self._paths = paths

    @property
    def depth(self) -> int:
        """The number of rolls."""
        return self._paths.depth

    def algs(self) -> Iterator[str]:
        """Return the shortest sequences of rolls."""
        return map("".join, self._paths)

    def number(self) -> int:
        """Return the number of shortest sequences of rolls."""
        return self._paths.number()

    def first_moves(self) -> list[str]:
        """Return the rolls with which they begin."""
        return self._paths.first_moves()


class TraySolver(Solver[Tray]):
    """Answers about rolling cubes. A question has a start and a goal."""

    rules: RollingRules
    has_ranks = True

    def __init__(self, rules: RollingRules, tables: Tables) -> None:
        super().__init__(rules, tables)
        self._by_start: dict[Tray, TrayArrays] = {}
        self._proved = Proved()

    @property
    def moves(self) -> Sequence[str]:
        return tuple(DIRECTIONS)

    @property
    def states(self) -> int:
        return self._from_uniform(_START).entry.header.entries

    def graph(self, question: Keywords) -> TrayGraph:
        """Return the trays that can be rolled to the uniform 3x3 tray with a given vacancy.

        Raises:
            ValueError: the vacancy is missing, the model has no table, or a keyword is not supported.
        """
        self.require_known(question, ("goal", "model"))
        goal, model = question.get("goal"), question.get("model")
        if goal is None:
            raise ValueError("arrays of trays require a goal, the vacancy of a uniform 3x3 tray: goal=(2, 1)")
        start = Tray.start(goal, model=_model(model))
        found = table_from(start)
        if found is None or not encoding_of(found.entry.header).has_bytes:
            raise ValueError(f"arrays are not supported for the model {model}")
        return TrayGraph(start.shape, start.plus, found.entry)

    def toward(self, state: object, target: object, question: Keywords) -> Retargeted:  # noqa: ARG002
        return Retargeted(self, _Between(state, target), state, self.rules)

    def depth(self, state: object, **question: Unpack[Question]) -> int:
        asked = self._read(self._asked(state, question))
        found = self._table(asked.begin)
        if found and found.patterns and asked.goal.by_tops:
            body = self._tables.body(found.patterns)
            depth = min(body[rank] for rank in asked.goal.image_under(found.symmetry).pattern_ranks())
            require_within(depth, asked.search)
            return depth
        return self._paths(asked, every=False).depth

    def _asked(self, state: object, question: Keywords, *, has_lengths: bool = False) -> Asked:
        asked = super()._asked(state, question, has_lengths=has_lengths)
        return asked._replace(given=self._read(asked).begin)

    def _optimal(self, asked: Asked, *, every: bool) -> Answers:  # noqa: ARG002  # the first of all is the answer
        return _Paths(self._paths(self._read(asked)))

    def answers_at_once(self, state: object, **question: Unpack[Question]) -> bool:
        asked = self._read(self._asked(state, question))
        found = self._table(asked.begin) or self._table(asked.goal.tray)
        if found is None or asked.goal.number > _NEAR:
            return False
        return self._tables.is_open(found.patterns if found.patterns and asked.goal.by_tops else found.entry)

    def distribution(self, **question: Unpack[StatesQuestion]) -> Distribution:
        patterns, begin = question.get("patterns", False), self._uniform(question)
        found = table_from(begin)
        entry = found and (found.patterns if patterns else found.entry)
        if entry is not None and entry.header.distribution and not question.get("count"):
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
        return self._counted(question)

    def space_to_count(self, question: Keywords, memory: int | None) -> Counted:
        load_numpy()
        from cubesolve.catalog.rolling.searching import to_count  # noqa: PLC0415  # needs numba

        return to_count(self._uniform(question), memory)

    def antipodes(self, **question: Unpack[StatesQuestion]) -> list[Tray] | list[str]:
        self.require_known(question, ("start", "patterns"))
        start, patterns = question.get("start", _START), question.get("patterns", False)
        found = self._from_uniform(start)
        if not patterns:
            distances = self._distances(found)
            deepest = len(self._tables.header(found.entry).distribution) - 1
            trays = (distances.graph.unrank(rank).image_under(found.back) for rank in distances.at(deepest))
            return sorted(trays, key=lambda tray: tray.rank)
        assert found.patterns is not None  # every uniform start of the model axis has them
        body = self._tables.body(found.patterns)
        deepest = max(body)
        shape = Tray.start(start).shape
        goals = (Goal.parse(unrank_pattern(rank, shape)) for rank, depth in enumerate(body) if depth == deepest)
        hardest = (next(goal.image_under(found.back).pattern_ranks()) for goal in goals)
        return [unrank_pattern(rank, shape) for rank in sorted(hardest)]

    def random_state(self, rng: Source = None, depth: int | None = None, **question: Unpack[DrawQuestion]) -> Tray:
        self.require_known(question, ("depth", "start", "model"))
        start, model = question.get("start", _START), _model(question.get("model"))
        graph, source = self.graph({"goal": start, "model": model}), random_source(rng)
        if depth is None:
            return graph.unrank(source.randrange(graph.states))
        found = table_from(Tray.start(start, model=model))
        assert found is not None  # the graph has a table
        counts = self._tables.header(found.entry).distribution
        distances = self._distances(found)
        drawn: Tray = distances.graph.unrank(distances.random_at(existing_depth(depth, counts), counts, source))
        return drawn.image_under(found.back)

    def scramble(
        self,
        rng: Source = None,
        *,
        depth: int | None = None,
        length: int | None = None,
        **question: Unpack[DrawQuestion],
    ) -> str:
        if length is not None and depth is not None and depth != length:
            raise ValueError("length is not supported for scrambles of rolling cubes")
        named, search = split(question)
        self.require_known(named, ("depth", "length", "start", "model"))
        begin = Tray.start(named.get("start", _START), model=_model(named.get("model")))
        state = self.random_state(rng, depth if length is None else length, **named)
        return self.solve(self.toward(begin, state, named), **search)

    def whole(self, **question: Unpack[GraphQuestion]) -> GraphArrays:
        return self.arrays(question)

    def arrays(self, question: Keywords) -> GraphArrays:
        from cubesolve.catalog.rolling.searching import TrayArrays  # noqa: PLC0415  # needs numpy

        graph = self.graph(question)
        start = Tray.start(question["goal"], model=graph.shape.model_name)
        if start not in self._by_start:
            found = table_from(start)
            assert found is not None  # the graph has a table
            self._by_start[start] = TrayArrays(graph, self._tables, found.symmetry)
        return self._by_start[start]

    def forget(self) -> None:
        super().forget()
        self._by_start.clear()

    # -- Shortest paths ------------------------------------------------------------------------------------------------

    def _read(self, asked: Asked) -> TrayQuestion:
        model = _model(asked.named.get("model"))
        self.require_known(asked.named, ("goal", "model"))
        require_within(0, asked.search)
        self._tables.require_open()
        start, goal = asked.state if isinstance(asked.state, _Between) else _Between(asked.state, None)
        return TrayQuestion(*read_question(start, goal, model), asked.search, current())

    def _table(self, begin: Tray | None) -> FromUniform | None:
        """Return the table of the distances from a tray, if there is one."""
        found = table_from(begin) if begin else None
        return found if found and (found.entry.by_default or self._tables.has(found.entry)) else None

    def _from_uniform(self, start: tuple[int, int]) -> FromUniform:
        found = table_from(Tray.start(start))
        assert found is not None  # every uniform start of the model axis has one
        return found

    def _paths(self, asked: TrayQuestion, *, every: bool = True) -> ShortestPaths[Tray]:
        """Return the shortest paths; some of them, unless `every` one is needed."""
        if asked.goal.matches(asked.begin):
            return ShortestPaths([{asked.begin}], Tray.rolls)
        found, back = self._table(asked.begin), asked.backwards
        if found and (encoding_of(found.entry.header).has_bytes or asked.goal.number <= _NEAR):
            paths = self._look_up(found, asked)
        elif back and (found := self._table(back.begin)):
            if asked.begin.plus != back.begin.plus:
                raise asked.unreachable()
            paths = self._look_up(found, back, backwards=True)
        else:
            paths = self._search(asked, every)
        require_within(paths.depth, asked.search)
        return paths

    def _look_up(self, found: FromUniform, asked: TrayQuestion, *, backwards: bool = False) -> ShortestPaths[Tray]:
        """Return the shortest paths from a uniform start, or backwards from a single tray to it."""
        plus, seen = asked.begin.plus, asked.goal.image_under(found.symmetry)
        distances = self._distances(found)
        graph = distances.graph
        if encoding_of(found.entry.header).has_bytes:
            depth, ranks = _least((distances[rank], rank) for rank in self._fitting(found, seen, plus))
            nearest = [graph.unrank(rank) for rank in sorted(ranks)]
        else:
            depth, nearest = _least((distances[graph.rank(tray)], tray) for tray in seen.trays(plus))
        if not nearest:
            raise asked.unreachable()
        levels = descending_levels(
            nearest, depth, lambda tray, depth: distances.is_at(graph.rank(tray), depth), Tray.rolls
        )
        directions = found.symmetry.directions.items()

        def rolls(tray: Tray) -> list[tuple[str, Tray]]:
            possible = dict(tray.rolls())
            return [(asked, possible[here]) for asked, here in directions if here in possible]

        return ShortestPaths(levels if backwards else levels[::-1], rolls)

    def _distances(self, found: FromUniform) -> Distances:
        """Return the distances from the start of a table."""
        graph, body = self.rules.graph_of(found.entry), self._tables.body(found.entry)
        return encoding_of(found.entry.header).distances(graph, body)

    def _fitting(self, found: FromUniform, goal: Goal, plus: int) -> Iterator[int]:
        """Yield ranks of states that match a goal, including all nearest ones."""
        if not (goal.by_tops and found.patterns):
            return goal.ranks(plus)
        body = self._tables.body(found.patterns)
        _, patterns = _least((body[rank], rank) for rank in goal.pattern_ranks())
        return (rank for pattern in patterns for rank in goal.shape.ranks_with_pattern(pattern, plus))

    def _search(self, asked: TrayQuestion, every: bool) -> ShortestPaths[Tray]:
        with self._proved.about((asked.begin, asked.goal)) as known:
            return self._searched(asked, every, known - 1)

    def _searched(self, asked: TrayQuestion, every: bool, ruled_out: int) -> ShortestPaths[Tray]:
        begin, plus = asked.begin, asked.begin.plus
        marks = _marks(begin, asked.memory)
        back = asked.backwards
        if any(each and mark_solver.has(each.goal, plus, marks, self._tables) for each in (asked, back)):
            return _by_marks(asked, marks, ruled_out, every, self._tables)
        if asked.goal.number <= _NEAR:
            goals = list(asked.goal.trays(plus))
            paths = between(begin, goals, Tray.rolls, most=_NEAR, after_level=asked.after_level)
            if paths is None:
                raise asked.unreachable()
            if not isinstance(paths, int):
                return paths
            ruled_out = max(ruled_out, paths)
        load_numpy()
        from cubesolve.catalog.rolling.searching import are_kept, meet_by_levels, meet_whole  # noqa: PLC0415  # needs numba

        if marks and any(each and are_kept(each.goal, plus, marks, self._tables) for each in (asked, back)):
            return _by_marks(asked, marks, ruled_out, every, self._tables)
        states = begin.shape.states(plus)
        if states <= _MOST_WHOLE and 2 * states <= asked.memory:
            return meet_whole(asked)
        if states > _MOST_STATES:
            raise TooLargeError(states, _MOST_STATES)
        most = asked.memory // _BYTES_A_STATE
        found = meet_by_levels(asked, min(most, _FEW) if marks else most)
        if not isinstance(found, int):
            return found
        if marks:
            return _by_marks(asked, marks, max(found, ruled_out), every, self._tables)
        raise SearchLimitError(found + 1, f"within {asked.memory:,} bytes of memory (memory= sets the limit)")


def _model(given: str | None) -> str:
    """Return the model of a question."""
    return "axis" if given is None else given


def _least(numbered: Iterable[tuple[int, T]]) -> tuple[int, list[T]]:
    """Return the least of some depths, and the items that have it."""
    least, nearest = UNREACHABLE, list[T]()
    for depth, each in numbered:
        if depth < least:
            least, nearest = depth, []
        if depth == least:
            nearest.append(each)
    return least, nearest


# -- Search with tables of marks ---------------------------------------------------------------------------------------


def _marks(begin: Tray, memory: int) -> tuple[Mark, ...]:
    """Return the marks whose tables fit into the memory; none unless all states are connected.

    The states of a 2x3 tray with a given number of cubes of the class "+" are connected, and so are those of larger
    trays. In other trays, a search for an unreachable goal would not end.
    """
    shape = begin.shape
    if min(shape.rows, shape.cols) >= 2 and shape.cells >= 6:
        for marks, most in _FOLLOWED.get(shape.model_name, []):
            states = [tray.shape.states(tray.plus) for tray in (follow(begin, mark) for mark in marks)]
            if _COPIES * sum(states) <= memory and max(states) <= most:
                return marks
    return ()


def _by_marks(
    asked: TrayQuestion, marks: tuple[Mark, ...], ruled_out: int, every: bool, tables: Tables
) -> ShortestPaths[Tray]:
    """Search with a table for each mark, which has distances from the goal, or else from the start.

    The tables of a uniform tray are used in both directions. Between two trays the search finds all shortest paths, so
    the first one does not depend on the direction.
    """
    plus, back = asked.begin.plus, asked.backwards
    if next(asked.goal.choices(plus), None) is None:
        raise asked.unreachable()
    if back is None:
        levels = _levels_by_marks(asked, marks, ruled_out, every, tables)
    elif mark_solver.has(asked.goal, plus, marks, tables) or not (
        mark_solver.has(back.goal, plus, marks, tables) or asked.begin.is_uniform
    ):
        levels = _levels_by_marks(asked, marks, ruled_out, True, tables)
    else:
        levels = _levels_by_marks(back, marks, ruled_out, True, tables)[::-1]
    return ShortestPaths(levels, Tray.rolls)


def _levels_by_marks(
    asked: TrayQuestion, marks: tuple[Mark, ...], ruled_out: int, every: bool, tables: Tables
) -> list[set[Tray]]:
    """Return the trays on shortest paths by their distance from the start, found with the tables of the goal."""
    workers = asked.search.get("workers")
    with proving(ruled_out + 1):
        solver = mark_solver(asked.goal, asked.begin.plus, marks, tables)
    ranks = [follow(asked.begin, mark).rank for mark in marks]
    if solver.bounds(ranks).max() == UNREACHABLE:
        raise asked.unreachable()
    algs = solver.solve(
        ranks,
        every=every,
        accept=lambda alg: asked.goal.matches(asked.begin.apply(_written(alg))),
        max_depth=asked.search.get("max_depth"),
        ruled_out=ruled_out,
        deadline=asked.deadline,
        workers=workers,
        progress=asked.search.get("progress"),
    )
    levels: list[set[Tray]] = [set() for _ in range(len(algs[0]) + 1)]
    for alg in algs:
        made = itertools.accumulate(_written(alg), Tray.roll, initial=asked.begin)
        for level, tray in zip(levels, made, strict=True):
            level.add(tray)
    return levels


def _written(alg: Sequence[int]) -> str:
    return "".join(list(DIRECTIONS)[move] for move in alg)


@cached(_MOST_SOLVERS)
def mark_solver(goal: Goal, plus: int, marks: tuple[Mark, ...], tables: Tables) -> ProjectedSolver:
    """Return the search for paths to a goal, which is kept for the next question."""
    load_numpy()
    from cubesolve.catalog.rolling.searching import make_mark_solver  # noqa: PLC0415  # needs numba

    return make_mark_solver(goal, plus, marks, tables)
