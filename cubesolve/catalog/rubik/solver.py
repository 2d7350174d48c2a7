"""Answers about 3x3x3 cubes: near ones from both ends, the others with the largest pattern database there is."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from cubesolve.arguments import integer
from cubesolve.catalog.rubik.cube import RubikCube, named_by_centres, random_cube
from cubesolve.catalog.rubik.rules import METRICS, STATES, TWO_PHASE, RubikRules
from cubesolve.deadline import Deadline, EndedError, current
from cubesolve.encodings import body_bytes
from cubesolve.errors import MissingTableError, SearchLimitError
from cubesolve.facelets import turning
from cubesolve.metrics import changes_parity
from cubesolve.notation import FACES, FaceTurn, format_alg, metric_moves
from cubesolve.search.limits import (
    LONGEST_SCRAMBLE,
    Proved,
    SearchOptions,
    proving,
    require_going_on,
    require_within,
    split,
)
from cubesolve.search.near import ShortestPaths, between_bytes
from cubesolve.solvers.faults import is_masking
from cubesolve.solvers.searched import built
from cubesolve.solvers.solution import Solution
from cubesolve.solvers.solver import Solver
from cubesolve.solvers.sources import random_source
from cubesolve.spaces.tables import TableEntry
from cubesolve.store.tables import Tables

if TYPE_CHECKING:
    import random

    import numpy as np
    from numpy.typing import NDArray

    from cubesolve.catalog.rubik.optimal import OptimalSolver
    from cubesolve.catalog.rubik.two_phase.search import TwoPhaseSearch
    from cubesolve.catalog.rubik.two_phase.tables import PruningTables
    from cubesolve.solvers.keywords import (
        DrawQuestion,
        GraphQuestion,
        Question,
        SolutionsQuestion,
        SolveBatchQuestion,
        SolveQuestion,
    )
    from cubesolve.solvers.solver import Source

_IN_PYTHON = 10_000  # states that are looked at from both ends, before anything is loaded,
_NEAR = 250_000  # and then by numpy, before kernels are compiled or loaded: up to 9 moves, or 11 quarter turns
_FEW = 2_000  # those that are looked at where the search is loaded
_NODES_AT_ONCE = 1 << 22  # nodes of the search for a short solution, before an optimal one is searched for: 0.2 s
_LONGEST_TWO_PHASE = 30  # moves; its first solution has about 22
_SCRAMBLE_LENGTH = 21  # moves
_DEEPEST_WALK = 12  # moves of a scramble of a given depth
_FEWEST = 16  # moves that lead to more than one in a hundred of all states
_KEPT = 16  # folders whose tables stay open for solvers that come again
_PADDING = bytes(range(256))


class RubikSolver(Solver):
    """Answers about the 3x3x3."""

    rules: RubikRules
    limits_each = True

    def __init__(self, rules: RubikRules, tables: Tables) -> None:
        super().__init__(rules, tables)
        self._proved = Proved()
        self._searched = set[str]()  # metrics whose search is loaded, which is faster then than to look from both ends

    def __reduce__(self) -> tuple[Callable[..., RubikSolver], tuple[str | None]]:
        self._tables.require_open()
        return _opened_again, (self._tables.directory,)

    @property
    def moves(self) -> Sequence[str]:
        return [str(move) for move in metric_moves(self.rules.metrics[0], FACES)]

    @property
    def states(self) -> int:
        return STATES

    def depth(self, state: Any, goal: Any = None, **question: Unpack[Question]) -> int:
        return self._paths(state, goal, question)[0].depth

    def solve(self, state: Any, goal: Any = None, **question: Unpack[SolveQuestion]) -> Solution:
        accepted = _Accepted.of(question)
        if accepted is not None:
            return self._short_solution(state, goal, accepted, question)
        paths, finish = self._paths(state, goal, question)
        return Solution(finish(" ".join(next(iter(paths)))), paths.depth, self.rules, state)

    def solutions(self, state: Any, goal: Any = None, **question: Unpack[SolutionsQuestion]) -> Iterator[str]:
        paths, finish = self._paths(state, goal, question, every=True)
        return (finish(" ".join(way)) for way in paths)

    def count_solutions(self, state: Any, goal: Any = None, **question: Unpack[Question]) -> int:
        return self._paths(state, goal, question, every=True)[0].number()

    def random_state(self, rng: Source = None, depth: int | None = None, **question: Unpack[DrawQuestion]) -> RubikCube:
        if depth is not None:
            raise ValueError("depth is not supported for random states of the 3x3x3")
        if question:
            raise ValueError(f"{', '.join(sorted(question))} requires a depth")
        return random_cube(random_source(rng))

    def scramble(
        self,
        rng: Source = None,
        *,
        depth: int | None = None,
        length: int | None = None,
        **question: Unpack[DrawQuestion],
    ) -> str:
        source, named = random_source(rng), dict[str, Any](question)
        if depth is not None:
            return self._walk(source, integer("depth", depth, 0, _DEEPEST_WALK), named)
        if length is None:
            if named.get("within") is None and named.get("max_length") is None:
                named = {**named, "metric": "htm", "max_length": _SCRAMBLE_LENGTH}
        elif integer("length", length, 0, LONGEST_SCRAMBLE) < _FEWEST:
            raise ValueError(f"{length} moves are too few for a random 3x3x3: use at least {_FEWEST}")
        while True:
            cube = random_cube(source)
            solution = self.solve(cube, **named) if length is None else self._solve_in(cube, length, named)
            if solution is not None and not _is_nearly_solved(cube):
                return self.rules.view.invert(solution)

    def _walk(self, source: random.Random, depth: int, question: dict[str, Any]) -> str:
        """Return a random alg of as many moves as the state that it leads to needs; states are not equally likely."""
        from cubesolve.catalog.rubik.pairs import canonical_moves  # noqa: PLC0415  # needs numpy

        automaton = canonical_moves(self._metric(split(question)[0]))
        while True:
            alg, state = list[FaceTurn](), 0
            while len(alg) < depth:
                move = source.randrange(len(automaton.moves))
                if automaton.following[state, move] >= 0:
                    alg, state = [*alg, automaton.moves[move]], int(automaton.following[state, move])
            if self.depth(RubikCube.from_alg(alg), **question) == depth:
                return format_alg(alg)

    def solve_batch(
        self, batch: Any, *, invalid: str = "raise", workers: int | None = None, **question: Unpack[SolveBatchQuestion]
    ) -> list[Any]:
        from cubesolve.catalog.rubik.batches import solve_each  # noqa: PLC0415  # loads what executors need

        executor = question.pop("executor", None)
        accepted = _Accepted.of(question)
        self._metric(split(question)[0])
        asked: dict[str, Any] = {**question} if workers is None else {"workers": workers, **question}
        if accepted is not None:
            asked = {**accepted.named, **asked}
        return solve_each(self, batch, invalid, executor, asked)

    def bounds(
        self, batch: Any, *, invalid: str = "raise", workers: int | None = None, **question: Unpack[GraphQuestion]
    ) -> NDArray[np.uint8]:
        from cubesolve.catalog.rubik.databases import bounds  # noqa: PLC0415  # needs numba

        masking, metric = is_masking(invalid), self._metric(question)
        self._tables.require_open()
        solver = self._open(self._largest(metric, None) or self._worth_building(metric))
        return bounds(solver, self.rules, batch, masking, workers)

    # -- Short solutions -----------------------------------------------------------------------------------------------

    def _short_solution(self, state: Any, goal: Any, accepted: _Accepted, question: Mapping[str, Any]) -> Solution:
        named, search = split(question)
        metric, deadline = self._metric(named), current()
        cube, finish = self._asked(state, goal)
        require_within(0, search)
        self._tables.require_open()
        # Where any cube has a solution that is accepted, near ones need not be found first.
        is_any = accepted.max_length is not None and accepted.max_length >= METRICS[metric].gods_number
        near = -1 if is_any else _near(cube, metric, search, deadline, _FEW)
        if isinstance(near, int):
            alg, at_least = self._short(cube, metric, search, near + 1, accepted)
        else:
            alg, at_least = next(iter(near)), near.depth
        for most in (search.get("max_depth"), accepted.max_length):
            if most is not None and len(alg) > most:
                raise SearchLimitError(at_least, f"in {most} moves")
        return Solution(finish(" ".join(alg)), at_least, self.rules, state)

    def _short(
        self, cube: RubikCube, metric: str, search: SearchOptions, at_least: int, accepted: _Accepted
    ) -> tuple[Sequence[str], int]:
        """A short alg that solves a cube, and how many moves are needed at least."""
        from cubesolve.catalog.rubik.two_phase.search import TwoPhaseSearch  # noqa: PLC0415  # needs numba

        deadline, has_table = current(), self._largest(metric, search.get("memory")) is not None
        most = accepted.max_length
        # A solution of at most God's number of moves, or of any length, is found by this search alone; but since it
        # makes face turns fewer, not quarter turns, a table is the surer way to so few of these.
        is_any = most is None or (most >= METRICS[metric].gods_number and not changes_parity(metric))
        is_found_here = is_any or not has_table
        with proving(at_least):
            longest = _LONGEST_TWO_PHASE if most is None or changes_parity(metric) else most
            phases = TwoPhaseSearch(self._two_phase_tables(), cube.cubies, longest)
            at_least, best = max(at_least, phases.at_least), _Best(phases, metric)
            enough = accepted.enough(at_least)
            best.improve(enough, _NODES_AT_ONCE)
            if is_found_here and (best.alg is None or most is not None):
                best.improve(enough, None)
        if best.alg is not None and len(best.alg) <= enough:
            return best.alg, at_least
        if most is not None and is_found_here:
            raise SearchLimitError(at_least, f"in {most} moves")
        if most is None:
            assert best.alg is not None  # as it may have any length
            most = len(best.alg) - (accepted.within or 0) - 1
        limit = min(most, search.get("max_depth") or most)
        if best.alg is not None and limit < at_least:
            return best.alg, at_least
        try:
            alg = self._search(cube, metric, {**search, "max_depth": limit}, deadline, at_least - 1, every=False)[0]
        except SearchLimitError as error:
            if best.alg is None:
                raise
            return best.alg, error.at_least
        except MissingTableError:
            assert best.alg is not None  # without a table, it is found here
            at_least = METRICS[metric].reach + 1
            if deadline.timeout is not None:
                with contextlib.suppress(EndedError):
                    best.improve(accepted.enough(at_least), None)
            return best.alg, at_least
        return list(map(str, alg)), len(alg)

    def _two_phase_tables(self) -> PruningTables:
        """The pruning tables of the two-phase algorithm, which are made and kept where they are missing."""
        from cubesolve.catalog.rubik.two_phase.tables import opened  # noqa: PLC0415  # needs numba

        self._tables.offer(TWO_PHASE, lambda: built(self.rules, TWO_PHASE, self._tables.directory))
        return self._tables.made(TWO_PHASE, opened)

    # -- Searching -----------------------------------------------------------------------------------------------------

    def _paths(
        self, state: Any, goal: Any, question: Mapping[str, Any], *, every: bool = False
    ) -> tuple[ShortestPaths[bytes] | _Found, Callable[[str], str]]:
        """The shortest ways to solve a cube, or to make another of it; and what is added to each.

        Args:
            state: the cube.
            goal: what it is to become; nothing for solved.
            question: what else was said.
            every: whether all ways are needed, and not only one.
        """
        named, search = split(question)
        metric, deadline = self._metric(named), current()
        cube, finish = self._asked(state, goal)
        with self._proved.about((cube, metric)) as known:
            require_within(0, search)
            self._tables.require_open()
            paths = _near(cube, metric, search, deadline, _FEW if metric in self._searched else _NEAR)
            if isinstance(paths, int):
                ruled_out = max(paths, known - 1)
                return _Found(self._search(cube, metric, search, deadline, ruled_out, every), metric, every), finish
            require_within(paths.depth, search)
            return paths, finish

    def _asked(self, state: Any, goal: Any) -> tuple[RubikCube, Callable[[str], str]]:
        """The cube to be solved, and what makes the answer of its solution."""
        return (self.rules.read(state), str) if goal is None else self.rules.relative(state, goal)

    def _metric(self, named: Mapping[str, Any]) -> str:
        self._refuse(named, ("metric",))
        return self.rules.require_metric(named.get("metric"))

    def _search(
        self, cube: RubikCube, metric: str, search: SearchOptions, deadline: Deadline, ruled_out: int, every: bool
    ) -> list[list[FaceTurn]]:
        """Canonical algs that solve a cube that is not near."""
        from cubesolve.catalog.rubik.databases import near_solver  # noqa: PLC0415  # needs numba

        entry = self._largest(metric, search.get("memory"))
        max_depth, near = search.get("max_depth"), None
        if entry is None:
            near = METRICS[metric].reach
            max_depth = near if max_depth is None else min(near, max_depth)
        with proving(ruled_out + 1):
            solver = near_solver(metric) if entry is None else self._open(entry)
        self._searched.add(metric)
        try:
            return solver.solve(
                cube.cubies,
                every=every,
                max_depth=max_depth,
                ruled_out=ruled_out,
                deadline=deadline,
                workers=search.get("workers"),
                progress=search.get("progress"),
            )
        except SearchLimitError as error:
            if near is None or error.at_least <= near or search.get("max_depth") == max_depth:
                raise
        self._tables.path(self._worth_building(metric))  # says that it is missing, if it has not just been built
        return self._search(cube, metric, search, deadline, max(near, ruled_out), every)

    def _solve_in(self, cube: RubikCube, length: int, question: Mapping[str, Any]) -> str | None:
        named, search = split(question)
        metric, deadline = self._metric(named), current()
        entry = self._largest(metric, search.get("memory"))
        if entry is None:
            self._tables.path(self._worth_building(metric))
            return self._solve_in(cube, length, question)
        alg = self._open(entry).solve_in(cube.cubies, length, deadline, search.get("workers"))
        return None if alg is None else format_alg(alg)

    def _largest(self, metric: str, memory: int | None) -> TableEntry | None:
        """The largest pattern database there is, of those that may be used."""
        usable = [
            entry
            for entry in self.rules.tables()
            if entry.label is not None
            and entry.header.metric == metric
            and (memory is None or body_bytes(entry.header) <= memory)
        ]
        usable.sort(key=lambda entry: -body_bytes(entry.header))
        return next((entry for entry in usable if self._tables.has(entry)), None)

    def _worth_building(self, metric: str) -> TableEntry:
        return next(entry for entry in self.rules.tables() if entry.name == METRICS[metric].worth_building)

    def _open(self, entry: TableEntry) -> OptimalSolver:
        from cubesolve.catalog.rubik.databases import open_solver  # noqa: PLC0415  # needs numba

        return self._tables.made(entry, functools.partial(open_solver, entry))


@functools.lru_cache(_KEPT)
def _opened_again(directory: str | None) -> RubikSolver:
    """Return a solver that was pickled; its tables are opened once, however often it is unpickled."""
    return RubikSolver(RubikRules(), Tables(directory))


class _Accepted(NamedTuple):
    """Which solutions are accepted that need not be optimal: exactly one of both is given.

    Attributes:
        within: how much longer than the proved lower bound they may be.
        max_length: how many moves they may have.
    """

    within: int | None
    max_length: int | None

    @classmethod
    def of(cls, question: SolveQuestion | SolveBatchQuestion) -> _Accepted | None:
        """Take both keywords from a question; None if it has neither."""
        named = {name: question.pop(name, None) for name in cls._fields}  # type: ignore[misc]  # which it may have
        given = {name: integer(name, value, least=0) for name, value in named.items() if value is not None}
        if len(given) > 1:
            raise ValueError("within and max_length cannot be combined")
        return cls(given.get("within"), given.get("max_length")) if given else None

    @property
    def named(self) -> dict[str, int]:
        """The keyword that was given."""
        return {name: value for name, value in self._asdict().items() if value is not None}

    def enough(self, at_least: int) -> int:
        """The number of moves that is accepted, given a lower bound."""
        return at_least + (self.within or 0) if self.max_length is None else self.max_length


class _Best:
    """The shortest solution that a search has found so far.

    Attributes:
        alg: its moves in a metric; None if there is none yet.
    """

    def __init__(self, search: TwoPhaseSearch, metric: str) -> None:
        self.alg: Sequence[str] | None = None
        self._search, self._metric = search, metric

    def improve(self, enough: int, nodes: int | None) -> None:
        """Search on, until a solution has few enough moves or the search has looked at so many nodes."""
        while self.alg is None or len(self.alg) > enough:
            found = self._search.improve(nodes)
            if found is None:
                return
            alg = _equivalent_algs(list(map(str, found)), self._metric)
            if self.alg is None or len(alg) < len(self.alg):
                self.alg = alg


@functools.cache
def _nearly_solved() -> frozenset[str]:
    solved = RubikCube.solved()
    return frozenset([solved.facelets, *(solved.apply(move).facelets for move in metric_moves("htm", FACES))])


def _is_nearly_solved(cube: RubikCube) -> bool:
    """Whether less than `SCRAMBLE_DEPTH` moves solve a cube in face letters."""
    return cube.facelets in _nearly_solved()


def _equivalent_algs(alg: Sequence[str], metric: str) -> Sequence[str]:
    """An alg of face turns in the moves of a metric: half turns are two quarter turns in one of these."""
    if not changes_parity(metric):
        return alg
    return [move for turn in alg for move in ([turn[0]] * 2 if turn[1:] == "2" else [turn])]


# -- Near cubes --------------------------------------------------------------------------------------------------------


@functools.cache
def _turns(metric: str) -> list[tuple[str, bytes]]:
    return [(str(move), bytes(turning(3, move)(range(54)))) for move in metric_moves(metric, FACES)]


def _near(
    cube: RubikCube, metric: str, search: SearchOptions, deadline: Deadline, most: int
) -> ShortestPaths[bytes] | int:
    """The ways to solve a cube, from both ends; or a number of moves that is not enough.

    Args:
        cube: the cube.
        metric: the metric.
        search: how far to search.
        deadline: when to end.
        most: how many cubes to look at.
    """
    turns, progress = _turns(metric), search.get("progress")

    def neighbours(facelets: bytes) -> list[tuple[str, bytes]]:
        state = facelets + _PADDING[len(facelets) :]
        return [(name, sources.translate(state)) for name, sources in turns]

    def after_level(ruled_out: int, seen: int) -> None:
        require_going_on(ruled_out, search)
        if progress and ruled_out:
            progress(ruled_out, seen, deadline.elapsed)

    start, solved = (named_by_centres(each.facelets).encode() for each in (cube, RubikCube.solved()))
    paths = between_bytes(
        start,
        [solved],
        neighbours,
        [sources for _, sources in turns],
        in_python=_IN_PYTHON,
        most=most,
        after_level=after_level,
    )
    assert paths is not None  # every cube can be solved
    if progress and not isinstance(paths, int):
        progress(paths.depth, 0, deadline.elapsed)
    return paths


# -- The others --------------------------------------------------------------------------------------------------------


class _Found:
    """The canonical algs that a search found, as `ShortestPaths` are."""

    def __init__(self, algs: list[list[FaceTurn]], metric: str, every: bool) -> None:
        self._algs, self._metric, self._every = algs, metric, every

    @property
    def depth(self) -> int:
        """The number of moves."""
        return len(self._algs[0])

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        """The moves of every way, in order; of the first that was found, if only one was asked for."""
        if not self._every:
            return iter([tuple(map(str, self._algs[0]))])
        return (tuple(map(str, alg)) for alg in self._equivalent_algs())

    def number(self) -> int:
        """How many there are."""
        return len(self._equivalent_algs())

    def _equivalent_algs(self) -> list[tuple[FaceTurn, ...]]:
        """All that differ from canonical algs by the order of opposite faces."""
        from cubesolve.catalog.rubik.pairs import equivalent_algs  # noqa: PLC0415  # needs numpy, which near cubes do not

        order = {move: number for number, move in enumerate(metric_moves(self._metric, FACES))}
        found = [each for alg in self._algs for each in equivalent_algs(alg, self._metric)]
        return sorted(found, key=lambda alg: [order[move] for move in alg])
