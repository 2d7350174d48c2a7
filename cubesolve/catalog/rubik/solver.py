"""Answers about the 3x3x3: bidirectional search for small depths, then IDA* with the largest pattern database."""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, Unpack

from cubesolve.catalog.rubik import FACELET_SHAPES, METRICS, STATES, TWO_PHASE, RubikRules, batches
from cubesolve.catalog.rubik.cube import RubikCube, named_by_centres, random_cube
from cubesolve.catalog.rubik.improving import Narrowing, every_cube_has, report, searched, spelled
from cubesolve.definition.facelets import turning
from cubesolve.definition.metrics import changes_parity
from cubesolve.definition.notation import FACES, metric_moves
from cubesolve.encodings import body_bytes
from cubesolve.errors import NoMemoryError, SearchLimitError, building
from cubesolve.group.permutations import Arrangement, after
from cubesolve.runtime.arguments import Keywords, integer
from cubesolve.runtime.deadline import Deadline, check, current, running
from cubesolve.runtime.notices import notify
from cubesolve.search.limits import (
    LONGEST_SCRAMBLE,
    SearchOptions,
    proving,
    require_going_on,
    require_within,
    split,
    within_limits,
)
from cubesolve.search.near import ShortestPaths, between_bytes
from cubesolve.solvers.answers import Distribution, Solution
from cubesolve.solvers.faults import is_masking
from cubesolve.solvers.questions import Accepted, Answers, Asked
from cubesolve.solvers.solver import ALGS_IN_SECONDS, Solver
from cubesolve.solvers.sources import random_source
from cubesolve.spaces.defined import derived
from cubesolve.spaces.tables import TableEntry
from cubesolve.store.tables import Tables

if TYPE_CHECKING:
    import random

    import numpy as np
    from numpy.typing import NDArray

    from cubesolve.catalog.rubik.optimal import Deepening, OptimalSolver
    from cubesolve.catalog.rubik.two_phase.tables import PruningTables
    from cubesolve.solvers.arrays import Solutions
    from cubesolve.solvers.faults import InvalidState
    from cubesolve.solvers.keywords import (
        BoundsQuestion,
        DrawQuestion,
        Question,
        ScrambleQuestion,
        SolveBatchQuestion,
        SolveQuestion,
        StatesQuestion,
    )
    from cubesolve.solvers.many import Answer
    from cubesolve.solvers.solver import Source

_IN_PYTHON = 10_000  # states of a bidirectional search before numpy is loaded,
_NEAR = 250_000  # with numpy, before kernels are loaded: up to 9 moves, or 11 quarter turns,
_NEARLY = 1_200_000  # and while kernels are compiled: one move more
_FEW = 2_000  # states of a bidirectional search after kernels are loaded
_PATIENCE = 5.0  # seconds of a search before a larger table is advised
_SCRAMBLE_LENGTH = 21  # moves
_SCRAMBLES_AT_ONCE = 1 << 8
_DEEPEST = 12  # moves of a random cube of a given depth
_FEWEST = 16  # moves; fewer solve less than one in a hundred of all states
_LONG = {"htm": 20, "qtm": 27}  # moves of scrambles that two phases find; nearly all cubes have shorter solutions
_ENDS = 100  # random moves at the end of such a scramble, until it is as long as was asked for
_MANY = 100  # cubes whose depths are counted, for which a pattern database is worth building
_KEPT = 16  # folders whose tables stay open for unpickled solvers
_PADDING = bytes(range(256))


class RubikSolver(Solver[RubikCube]):
    """Answers about the 3x3x3."""

    rules: RubikRules
    lists_longer = True
    limits_each = True
    states = STATES

    def __init__(self, rules: RubikRules, tables: Tables) -> None:
        super().__init__(rules, tables)
        self._has_advised = False
        self._searched = set[str]()  # metrics whose search is loaded; it is then faster than a bidirectional one

    def __reduce__(self) -> tuple[Callable[..., RubikSolver], tuple[str | None]]:
        self._tables.require_open()
        return _opened_again, (self._tables.directory,)

    @property
    def moves(self) -> Sequence[str]:
        return [str(move) for move in metric_moves(self.rules.metrics[0], FACES)]

    def short(self, state: object, **search: Unpack[SearchOptions]) -> Solution[RubikCube]:
        solutions: list[Solution] = []
        without: SearchOptions = {**search, "memory": 0}  # the answer does not depend on tables that there are
        with contextlib.suppress(SearchLimitError, NoMemoryError):
            solutions.extend(self.improvements(state, within=0, **without))
        return solutions[-1]

    @property
    def moves_in_seconds(self) -> int:
        return derived(self.rules).graph().moves_within(ALGS_IN_SECONDS)

    def depth(self, state: object, **question: Unpack[Question]) -> int:
        *_, last = self._solutions(self._asked(state, question), is_patient=False)
        return last.at_least

    def solve(self, state: object, **question: Unpack[SolveQuestion]) -> Solution[RubikCube]:
        *_, last = self.improvements(state, **question)
        return last

    def improvements(self, state: object, **question: Unpack[SolveQuestion]) -> Iterator[Solution[RubikCube]]:
        return self._solutions(self._asked(state, question, has_lengths=True))

    def _optimal(self, asked: Asked, *, every: bool) -> Answers:  # all are found
        return _Optimal(self, self._about_cube(asked))

    def distribution(self, **question: Unpack[StatesQuestion]) -> Distribution:
        return self.count(**question).distribution

    def space_to_count(self, question: Mapping[str, object], memory: int | None) -> NoReturn:
        what = f"the {self.rules.title} has too many states to count at each depth"
        raise ValueError(f"{what}: choose levels (--levels)")

    def listed_classes(self, states: Sequence[Any], question: Keywords) -> tuple[Sequence[tuple[Any, int]], int]:
        classes = batches.classes_of(states)
        if len(classes) >= _MANY:
            self._for_many(question)
        return classes, 96  # the symmetries of a cube, each also with the inverse

    def _for_many(self, question: Keywords) -> OptimalSolver:
        """Return the search with the largest pattern database; if none exists, the one worth building is built."""
        named, search = split(question)
        metric, memory = self._metric(named), search.get("memory")
        return self._open(self._largest(metric, memory) or self._offered(self._worth_building(metric, memory)))

    def depths_from(self, states: Sequence[Any], question: Keywords) -> Iterable[int]:
        named, search = split(question)
        if len(states) < _MANY and self._largest(self._metric(named), search.get("memory")) is None:
            return super().depths_from(states, question)
        return batches.depths_of(states, self._for_many(question))

    def random_state(self, rng: Source = None, depth: int | None = None, **question: Unpack[DrawQuestion]) -> RubikCube:
        if depth is not None:
            return RubikCube.from_alg(self._at_depth(random_source(rng), depth, question))
        if question:
            raise ValueError(f"{', '.join(sorted(question))} requires a depth")
        return random_cube(random_source(rng))

    def scramble(
        self, rng: Source = None, depth: int | None = None, length: int | None = None, **question: Unpack[DrawQuestion]
    ) -> str:
        source, named = random_source(rng), dict[str, Any](question)
        if depth is not None and length is not None:
            raise ValueError(f"depth and length cannot be combined for scrambles of the {self.rules.title}")
        if depth is not None:
            return self._at_depth(source, depth, named)
        if length is None and named.get("within") is None and named.get("max_length") is None:
            return next(self.scrambles(1, source, **named))
        if length is not None and integer("length", length, 0, LONGEST_SCRAMBLE) < _FEWEST:
            raise ValueError(f"{length} moves are too few for a random 3x3x3: use at least {_FEWEST}")
        while True:
            check()
            cube = random_cube(source)
            if cube in _nearly_solved():
                continue
            if length is None:
                return self.rules.view.invert(self.solve(cube, **named))
            try:
                with running(Deadline(within=current())):
                    alg = self._in_moves(cube, length, named, source)
            except SearchLimitError as error:  # that a cube has no alg of a length is no bound of the scramble
                raise SearchLimitError(0, error.limit) from None
            if alg is not None:
                return alg

    def scrambles(self, number: int, rng: Source, **question: Unpack[ScrambleQuestion]) -> Iterator[str]:
        named: dict[str, Any] = {name: value for name, value in question.items() if value is not None}
        if not named.keys().isdisjoint(("depth", "length", "within", "max_length")):
            yield from super().scrambles(number, rng, **named)
            return
        self._metric(split(named)[0])
        source = random_source(rng)
        named |= {"metric": "htm", "max_length": _SCRAMBLE_LENGTH}
        while number > 0:
            drawn = [random_cube(source) for _ in range(min(number, _SCRAMBLES_AT_ONCE))]
            cubes = [cube for cube in drawn if cube not in _nearly_solved()]
            for cube, solution in zip(cubes, self.solve_together(cubes, **named), strict=True):
                alg = within_limits(self.solve, cube, **named) if solution is None else solution
                yield self.rules.view.invert(alg)
            number -= len(cubes)

    def _in_moves(self, cube: RubikCube, length: int, question: Keywords, source: random.Random) -> str | None:
        """Return an alg of a number of moves that leads to a cube, if one is found; long ones end in random moves."""
        named, search = split(question)
        metric, invert = self._metric(named), self.rules.view.invert
        if length < _LONG[metric]:
            deepening = self._for_many(question).deepening(cube.cubies, workers=search.get("workers"))
            algs = deepening.algs(length, current())
            return invert(" ".join(algs[0])) if algs else None
        begin, graph = min(_LONG[metric], length - 1), self.derived_rules.graph(metric=metric)
        for _ in range(_ENDS):
            end = [graph.moves[move] for move in graph.random_alg(length - begin, source) or []]
            rest = cube.apply(invert(" ".join(end)))
            with contextlib.suppress(SearchLimitError):  # there may be none that is so short
                solution = self.solve(rest, **search, max_length=min(begin, _LONG["htm"]))
                moves = spelled(invert(solution).split(), metric)
                # Moves about different axes in the middle do not join.
                if len(moves) == begin and (FACES.index(moves[-1][0]) - FACES.index(end[0][0])) % 3:
                    return " ".join([*moves, *end])
            check()
        return None

    def _at_depth(self, source: random.Random, depth: int, question: Keywords) -> str:
        """Return an optimal alg to a uniformly random cube: one to which n of them lead is accepted once in n times."""
        graph = self.derived_rules.graph(metric=self._metric(split(question)[0]))
        numbers = {name: number for number, name in enumerate(graph.moves)}
        while True:
            alg = graph.random_alg(integer("depth", depth, 0, _DEEPEST), source) or []
            named = " ".join(graph.moves[move] for move in alg)
            answers = self._optimal(self._asked(RubikCube.from_alg(named), question), every=True)
            if answers.depth == depth:
                ways = ([numbers[move] for move in way.split()] for way in answers.algs())
                if source.randrange(sum(map(graph.canonical.accepts, map(tuple, ways)))) == 0:
                    return named

    def solves_together(self, question: Keywords) -> bool:
        metric = self.rules.require_metric(question.get("metric"))
        is_any = every_cube_has(metric, question.get("max_length"), question.get("max_depth"))
        return is_any and not changes_parity(metric) and question.get("goal") is None

    def solve_together(
        self, states: Sequence[object], **question: Unpack[SolveQuestion]
    ) -> Sequence[Solution[RubikCube] | None]:
        from cubesolve.catalog.rubik.two_phase.search import solve_together  # noqa: PLC0415  # needs numpy

        self._tables.require_open()
        answers = solve_together(self, [self.rules.read(state).cubies for state in states], question)
        return [
            None if answer is None else Solution(*answer, self.rules, state)
            for state, answer in zip(states, answers, strict=True)
        ]

    def solve_batch(
        self, batch: object, invalid: str, workers: int | None, question: SolveBatchQuestion
    ) -> Solutions | list[Answer]:
        from cubesolve.solvers.many import solve_many  # noqa: PLC0415  # loads what executors need

        masking = is_masking(invalid)
        executor = question.pop("executor", None)
        accepted = Accepted.of(question)
        self._metric(split(question)[0])
        asked: dict[str, Any] = {**accepted.named, **question}
        if workers is not None:
            asked["workers"] = workers
        if not accepted.is_optimal:
            from cubesolve.catalog.rubik.arrays import solve_short  # noqa: PLC0415  # needs numba

            self._tables.require_open()
            return solve_short(self, batch, masking, executor, asked)
        cubes = batches.read_batch(self.rules, batch, invalid)
        answers = solve_many(self, [cube for cube in cubes if isinstance(cube, RubikCube)], executor, asked)
        return [next(answers) if isinstance(cube, RubikCube) else cube for cube in cubes]

    def read_batch(self, batch: object, invalid: str) -> list[RubikCube | InvalidState]:
        dtype, shape = getattr(batch, "dtype", None), getattr(batch, "shape", ())
        if dtype is not None and dtype.kind not in "US" and shape[1:] not in FACELET_SHAPES:  # one-hot
            return super().read_batch(batch, invalid)
        return batches.read_batch(self.rules, batch, invalid)

    def bounds(self, batch: object, invalid: str, workers: int | None, question: BoundsQuestion) -> NDArray[np.uint8]:
        _, search = split({"memory": question.pop("memory", None)})
        masking, metric, memory = is_masking(invalid), self._metric(question), search.get("memory")
        self._tables.require_open()
        entry = self._largest(metric, memory) or self._smallest_built(metric, memory)
        solver = self._open(entry or self._worth_building(metric, memory))
        return solver.bounds(self.rules, batch, masking, workers)

    # -- One solution --------------------------------------------------------------------------------------------------

    def _about_cube(self, asked: Asked) -> Asked:
        """Return a question with its cube and its metric."""
        metric, cube = self._metric(asked.named), self.rules.read(asked.state)
        require_within(0, asked.search)
        self._tables.require_open()
        return asked._replace(state=cube, named={"metric": metric})

    def _solutions(self, asked: Asked, *, is_patient: bool = True) -> Iterator[Solution[RubikCube]]:
        about = self._about_cube(asked)
        return self._keeping(about, Narrowing(self, about, is_patient=is_patient).solutions())

    def deepening(self, asked: Asked, length: int) -> Deepening:
        """Return a search for all algs of a length."""
        rounds = self.rounds(asked, min(length, METRICS[asked.named["metric"]].gods_number), every=True)
        return next(deepening for _, deepening, _ in rounds if deepening)

    def two_phase_tables(self) -> PruningTables:
        """Return the pruning tables of the two-phase algorithm; missing ones are made and kept."""
        from cubesolve.catalog.rubik.two_phase.tables import opened  # noqa: PLC0415  # needs numpy

        return self._tables.made(self._offered(TWO_PHASE), opened)

    # -- Searching -----------------------------------------------------------------------------------------------------

    def near_paths(self, asked: Asked) -> ShortestPaths[bytes] | int:
        """Return the shortest paths, found bidirectionally; or the number of moves that is ruled out."""
        many = asked.accepted.is_optimal and asked.named["metric"] not in self._searched
        paths = _near(asked, _NEAR if many else _FEW)
        if many and isinstance(paths, int):
            from cubesolve.catalog.rubik.optimal import is_compiling  # noqa: PLC0415  # needs numba

            require_going_on(paths, asked.search)
            # Before tables are made or while kernels are compiled, both once, the search goes one move farther.
            if is_compiling() or not self._tables.has(TWO_PHASE):
                return _near(asked, _NEARLY, paths)
        return paths

    def rounds(
        self, asked: Asked, least: int, *, every: bool = False
    ) -> Iterator[tuple[int, Deepening | None, int | None]]:
        """Yield each length, a search for algs of this length, and the size of its table.

        Both are None if the memory is too small for a table.

        Raises:
            NoMemoryError: a table is needed for all further lengths.
        """
        metric, memory = asked.named["metric"], asked.search.get("memory")
        entry = self._largest(metric, memory) or self._smallest_built(metric, memory)
        if entry is None:
            yield least, None, None
            raise self._needs_memory(metric, memory)
        self._searched.add(metric)
        with proving(least):
            solver = self._open(entry)
        deepening = solver.deepening(asked.state.cubies, every=every, workers=asked.search.get("workers"))
        for length in deepening.lengths(least):
            if current().elapsed > _PATIENCE:
                self._advise(entry, self._worth_building(metric, memory))
            yield length, deepening, solver.table_bytes

    def _advise(self, entry: TableEntry, better: TableEntry) -> None:
        """Say once how a long search gets shorter, if the table to build is larger than the one that is used."""
        if not self._has_advised and body_bytes(entry.header) < body_bytes(better.header):
            self._has_advised = True
            command = building(better.name, self._tables.directory)
            notify(f"a larger table is faster: {command} ({better.effort})")

    def _largest(self, metric: str, memory: int | None) -> TableEntry | None:
        """Return the largest pattern database that exists and fits into the memory, if any."""
        return next(filter(self._tables.has, self._usable(metric, memory)), None)

    def _smallest_built(self, metric: str, memory: int | None) -> TableEntry | None:
        """Return the smallest pattern database, which is built in seconds if it is missing."""
        usable = self._usable(metric, memory)
        return self._offered(usable[-1]) if usable else None

    def _worth_building(self, metric: str, memory: int | None) -> TableEntry:
        """Return the pattern database to build if none exists that fits, or raise `NoMemoryError` if none can."""
        usable = self._usable(metric, memory)
        if not usable:
            raise self._needs_memory(metric, memory)
        return next((entry for entry in usable if entry.name == METRICS[metric].worth_building), usable[0])

    def _needs_memory(self, metric: str, memory: int | None) -> NoMemoryError:
        least = body_bytes(self._usable(metric, None)[-1].header)
        return NoMemoryError(f"{memory:,} bytes are not enough for a pattern database of the 3x3x3: {least:,} are")

    def _usable(self, metric: str, memory: int | None) -> list[TableEntry]:
        """Return the pattern databases that fit into the memory, the largest first."""
        databases = [
            entry for entry in self.rules.tables() if entry.label is not None and entry.header.metric == metric
        ]
        databases.sort(key=lambda entry: -body_bytes(entry.header))
        return [entry for entry in databases if memory is None or body_bytes(entry.header) <= memory]

    def _open(self, entry: TableEntry) -> OptimalSolver:
        from cubesolve.catalog.rubik.optimal import open_solver  # noqa: PLC0415  # needs numba

        return self._tables.made(entry, functools.partial(open_solver, entry))


@functools.lru_cache(_KEPT)
def _opened_again(directory: str | None) -> RubikSolver:
    """Return an unpickled solver; all solvers of a folder share their open tables."""
    return RubikSolver(RubikRules(), Tables(directory))


@functools.cache
def _nearly_solved() -> frozenset[RubikCube]:
    """Return the cubes that less than two moves solve, which are not scrambled: Regulations, 4b3."""
    return frozenset(map(RubikCube.from_alg, ["", *map(str, metric_moves("htm", FACES))]))


# -- Bidirectional search ----------------------------------------------------------------------------------------------


@functools.cache
def _turns(metric: str) -> list[tuple[str, bytes]]:
    return [(str(move), bytes(turning(3, move)(range(54)))) for move in metric_moves(metric, FACES)]


def _placed(cube: RubikCube) -> bytes:
    """Return the facelets of a cube, named by the centres."""
    return named_by_centres(cube.facelets).encode()


def _near(asked: Asked, most: int, known: int = -1) -> ShortestPaths[bytes] | int:
    """Return the shortest paths, found bidirectionally; or the number of moves that is ruled out."""
    turns = _turns(asked.named["metric"])

    def neighbours(facelets: bytes) -> list[tuple[str, bytes]]:
        state = facelets + _PADDING[len(facelets) :]
        return [(name, sources.translate(state)) for name, sources in turns]

    def after_level(ruled_out: int, seen: int) -> None:
        if ruled_out <= known:
            return
        require_going_on(ruled_out, asked.search)
        if ruled_out:
            report(asked, ruled_out, seen)

    paths = between_bytes(
        _placed(asked.state),
        [_placed(RubikCube.solved())],
        neighbours,
        [sources for _, sources in turns],
        in_python=_IN_PYTHON,
        most=most,
        after_level=after_level,
    )
    assert paths is not None  # every cube can be solved
    if not isinstance(paths, int):
        report(asked, paths.depth, 0)
    return paths


# -- All solutions -----------------------------------------------------------------------------------------------------


class _Optimal(Answers):
    """The optimal solutions of a cube."""

    def __init__(self, solver: RubikSolver, asked: Asked) -> None:
        self._solver, self._asked, self._metric = solver, asked, asked.named["metric"]
        with solver.kept.about((asked.state, self._metric)) as bound:
            paths = solver.near_paths(asked)
            if isinstance(paths, int):
                self._paths: ShortestPaths[bytes] | list[tuple[str, ...]] = self._search(max(paths + 1, bound))
            else:
                require_within(paths.depth, asked.search)
                self._paths = paths

    def _search(self, least: int) -> list[tuple[str, ...]]:
        """Return all optimal algs, found with a pattern database."""
        for length, deepening, _ in self._solver.rounds(self._asked, least, every=True):
            require_within(length, self._asked.search)
            if deepening and (algs := searched(deepening, self._asked, length)):
                return algs
        raise AssertionError("no alg within God's number: the table is for another metric")

    @property
    def depth(self) -> int:
        """The depth of the cube."""
        return len(self._paths[0]) if isinstance(self._paths, list) else self._paths.depth

    def algs(self) -> Iterator[str]:
        """Return the optimal solutions, in the order of the moves."""
        return map(" ".join, self._paths)

    def number(self) -> int:
        """Return the number of optimal solutions."""
        return len(self._paths) if isinstance(self._paths, list) else self._paths.number()

    def longer(self, costs: range) -> Iterator[str]:
        """Return the solutions of given lengths, which are larger than the depth, the shortest first."""
        asked, turns = self._asked, dict(_turns(self._metric))
        start, solved = _placed(asked.state), _placed(RubikCube.solved())

        def ends_there(way: tuple[str, ...]) -> bool:
            before: list[Arrangement] = [start, *(turns[move] for move in way[:-1])]
            return solved not in itertools.accumulate(before, after)

        for length in costs:
            if changes_parity(self._metric) and (length - self.depth) % 2:
                continue
            try:
                algs = self._solver.deepening(asked, length).algs(length, current(), asked.search.get("progress"))
            except SearchLimitError as error:
                raise SearchLimitError(0, error.limit) from None  # a lower bound of longer solutions alone
            yield from map(" ".join, filter(ends_there, algs))
