"""Answers about puzzles with more states than a table can hold: near ones from both ends, others by projections."""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
import math
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from cubesolve.deadline import Deadline, current
from cubesolve.definitions.canonical import beginnings
from cubesolve.definitions.reach import undone
from cubesolve.definitions.sliding import Sliding, sliding
from cubesolve.encodings import encoding_of
from cubesolve.errors import CorruptTableError, CubesolveWarning, SearchLimitError, TableError, UnsolvableStateError
from cubesolve.jobs import Job
from cubesolve.notices import notifying
from cubesolve.permutations import Arrangement, Permutation
from cubesolve.search.limits import Proved, SearchOptions, proving, require_going_on, require_within
from cubesolve.search.near import Neighbours, ShortestPaths, between, between_bytes
from cubesolve.spaces.defined import DerivedGraph
from cubesolve.spaces.projections import Distinguished, Projection
from cubesolve.spaces.rules import Rules
from cubesolve.spaces.tables import ARRAYS, BYTE_DEPTHS, TableEntry, TableHeader
from cubesolve.store.tablefile import digest
from cubesolve.store.tables import Tables

if TYPE_CHECKING:
    from cubesolve.search.hashed import HashedSolver
    from cubesolve.search.ida_star import ProjectedSolver
    from cubesolve.store.checkpoint import Checkpoint
    from cubesolve.store.tables import Body

MEMORY = 1 << 27
"""The bytes of tables that a search uses, if nothing else is said; they are made within seconds."""

_NEAR = 30_000  # states that are looked at from both ends, before tables are made;
_IN_PYTHON = 2_000  # so many of them before numpy is loaded;
_NEAR_SLIDING = 2_000  # fewer of a sliding puzzle, whose tables take a second to make, and a search less,
_NEAR_OPEN = 50  # and hardly any where tables are open, by which a search finds the same sooner

_HASHED = 1 << 27  # states that a round by a hashed table may look at, before tables of projections are made,
_HASHED_OPEN = 1 << 22  # and where these are open

_SOONER = (1 << 20, 1 << 23, 1 << 25)  # bytes of tables made before others, where there may be no time for those
_MOMENTS = 4  # parts of the time that is left, of which a search by them takes one

_LEVEL = 1  # of the compression of tables that a question waits for: in a tenth of the time, a fifteenth larger

_MARGIN = 2  # times as many algs as states, as some lead to the same

Alg = tuple[int, ...]


class FoundAlgs(NamedTuple):
    """The shortest algs that solve a state; one of them, if only one was asked for.

    Attributes:
        depth: what each counts.
        algs: moves by number.
    """

    depth: int
    algs: list[Alg]


class _Opened(NamedTuple):
    """A search whose tables are there.

    Attributes:
        ranks: what it knows a state by; one is negative where no moves lead.
        solver: the search.
    """

    ranks: Callable[[Arrangement], list[int]]
    solver: ProjectedSolver


def built(rules: Rules, entry: TableEntry, directory: str | None) -> tuple[TableHeader, Body]:
    """Make a table that is missing, and keep it for the next time, if that can be."""
    from cubesolve.store.build import make  # noqa: PLC0415  # needs numpy

    checkpointer = _checkpoint(entry, directory)
    found = _built(entry, directory, lambda: make(rules, entry, checkpointer=checkpointer))
    if checkpointer:
        checkpointer.remove()
    return found


def _checkpoint(entry: TableEntry, directory: str | None) -> Checkpoint | None:
    """What keeps an enumeration that may not end in time."""
    if not current().is_limited or not encoding_of(entry.header).has_levels(entry):
        return None
    from cubesolve.store.checkpoint import QuestionCheckpoint  # noqa: PLC0415  # needs numpy

    try:
        return QuestionCheckpoint(entry, directory)
    except TableError:  # there is no folder
        return None


def _built(
    entry: TableEntry, directory: str | None, made: Callable[[], tuple[TableHeader, memoryview]]
) -> tuple[TableHeader, Body]:
    with notifying(f"building {entry.name}, once"):
        header, body = made()
    keep(entry, directory, header, body)
    return header, bytes(body)


def keep(entry: TableEntry, directory: str | None, header: TableHeader, body: memoryview) -> None:
    """Write a table, if that can be."""
    from cubesolve.store.build import write  # noqa: PLC0415  # needs numpy

    try:
        write(entry, directory, header, body, _LEVEL)
    except TableError as error:
        warnings.warn(CubesolveWarning(f"{error}: it is made anew by every process"), stacklevel=2)


class Searched:
    """The states of a puzzle, each of which is searched for."""

    def __init__(self, graph: DerivedGraph, tables: Tables) -> None:
        """Take the states, and where the tables of projections are kept."""
        self.graph, self.reach = graph, graph.reach
        self._tables = tables
        self._moves, reduction = graph.reduction.moves, graph.reduction
        self._solved = [state for state in reduction.solved if self.reach is None or self.reach.may_have(state)]
        self._illegal = graph.rules.definition.illegal
        self._sliding = sliding(reduction.solved, self._moves) if not self._illegal else None
        self._opened: dict[int, Job[_Opened]] = {}
        self._hashing: dict[int, Job[HashedSolver | None]] = {}
        self._proved = Proved()

    def home(self, given: Any) -> Arrangement:
        """A state as it is held at home, if pieces tell where that is.

        Raises:
            InvalidStateError: this is no state of the puzzle, or no moves lead to it.
        """
        rules = self.graph.rules
        for place in rules.labelling.arrangements(rules.read(given)):
            home = self.graph.reduction.home(place)
            for image in self.graph.reduction.named(home[0]) if home else ():
                if self.reach is None or self.reach.may_have(image):
                    return image
        raise UnsolvableStateError(f"no moves of the {rules.title} lead from the solved state to this one")

    def solve(self, state: Arrangement, search: SearchOptions, every: bool) -> FoundAlgs:
        """Shortest algs that solve a state that is held at home.

        Raises:
            SearchLimitError: the search ended at its limit.
            UnsolvableStateError: no moves lead there.
        """
        with self._proved.about(state) as known:
            return self._solve(state, search, every, known - 1)

    def _solve(self, state: Arrangement, search: SearchOptions, every: bool, ruled_out: int) -> FoundAlgs:
        require_within(0, search)
        self._tables.require_open()
        deadline = current()
        near = self._near(state, search, deadline)
        if not isinstance(near, int):
            require_within(near.depth, search)
            # What leads to a state from both ends has names; here, these are numbers.
            paths = near if every else [next(iter(near))]
            return FoundAlgs(near.depth, [tuple(map(int, way)) for way in paths])
        ruled_out, memory, found = max(ruled_out, near), search.get("memory") or MEMORY, None
        hashed = self._found_hashed(state, search, every, ruled_out, deadline)
        if not isinstance(hashed, int):
            return hashed
        ruled_out = hashed
        try:
            for few in self._sooner(memory) if math.isfinite(deadline.left()) and not self._sliding else ():
                ruled_out, found = self._tried(state, few, search, every, ruled_out)
            with proving(ruled_out + 1):
                opened = self._open(memory)
            return self._found(opened, state, search, every, ruled_out, deadline)
        except SearchLimitError:
            if found is None:
                raise
            return found

    def _found(
        self,
        opened: _Opened,
        state: Arrangement,
        search: SearchOptions,
        every: bool,
        ruled_out: int,
        deadline: Deadline,
    ) -> FoundAlgs:
        """What a search finds by tables that are there; see `solve`."""
        ranks = opened.ranks(state)
        if min(ranks) < 0:
            raise UnsolvableStateError(f"no moves of the {self.graph.rules.title} solve this state")

        def accept(alg: Alg) -> bool:
            return self._after(state, alg) in self._solved

        algs = opened.solver.solve(
            ranks,
            every=every,
            accept=accept,
            max_depth=search.get("max_depth"),
            ruled_out=ruled_out,
            deadline=deadline,
            workers=search.get("workers"),
            progress=search.get("progress"),
        )
        depth = sum(self._moves[move].cost for move in algs[0])
        if not every and len(algs[0]) <= max(self._farthest_near, self._farthest_hashed(search)):
            # Without tables the first in the order of moves would have been found; a search by them finds any.
            with contextlib.suppress(SearchLimitError):  # there is one already
                again = opened.solver.solve(ranks, every=True, accept=accept, max_depth=depth, ruled_out=depth - 1)
                algs = self._equivalent_algs(state, again)[:1]
        elif every:
            algs = self._equivalent_algs(state, algs)
        return FoundAlgs(depth, algs)

    def _sooner(self, memory: int) -> list[int]:
        """How much memory tables are worth that are made before others, where there may be no time for those."""
        if self._is_kept(memory):
            return []
        sooner = [few for few in _SOONER if few < memory]
        while len(sooner) > 1 and self._is_kept(sooner[1]):
            sooner.pop(0)
        return sooner

    def _tried(
        self, state: Arrangement, memory: int, search: SearchOptions, every: bool, ruled_out: int
    ) -> tuple[int, FoundAlgs | None]:
        """Search for a moment by small tables.

        So a question that is asked again finds something to go on with, even where one large table takes longer than
        it may.

        Returns:
            What is ruled out by then, and what was found: large tables, if they are made in time, may find another.

        Raises:
            SearchLimitError: a limit of the question was reached.
        """
        from cubesolve.search.pattern_selection import NoMemoryError  # noqa: PLC0415  # needs numpy

        with proving(ruled_out + 1):
            try:
                opened = self._open(memory)
            except NoMemoryError:
                return ruled_out, None
            moment = Deadline(timeout=current().left() / _MOMENTS, within=current())
        try:
            found = self._found(opened, state, search, every, ruled_out, moment)
        except SearchLimitError as error:
            require_going_on(error.at_least - 1, search)
            return error.at_least - 1, None
        return found.depth - 1, found

    def _is_kept(self, memory: int) -> bool:
        """Whether all tables that are worth so much memory were made before."""
        return self._is_open(memory) or self._tables.has(self._choice("projections", memory))

    def _is_open(self, memory: int) -> bool:
        job = self._opened.get(memory)
        return job is not None and job.is_done

    @functools.cached_property
    def _farthest_near(self) -> int:
        """The number of moves up to which a way may be found from both ends, where no table is open."""
        following, most = self.graph.canonical.following, _MARGIN * _NEAR
        sides = [1, *(number for _, number in itertools.islice(beginnings(following), _NEAR.bit_length()))]
        totals = (sides[-(-moves // 2)] + sides[moves // 2] for moves in range(len(sides)))
        kept = sum(1 for _ in itertools.takewhile(lambda total: total <= most, totals)) - 1
        return kept + self._is_in_rows  # by rows, one more move is tried of which nothing is kept

    def _equivalent_algs(self, state: Arrangement, algs: list[Alg]) -> list[Alg]:
        """All algs that canonical ones stand for and that solve a state, in the order of the moves."""
        return [alg for alg in self.graph.canonical.equivalent_algs(algs) if self._after(state, alg) in self._solved]

    # -- Searching for algs of any length ------------------------------------------------------------------------------

    def open(self) -> None:
        """Open the tables; those that are missing are built."""
        self._open(MEMORY)

    def place(self, given: Any) -> Arrangement:
        """A state of a puzzle that is held in one way only."""
        rules = self.graph.rules
        home = self.graph.reduction.home(next(iter(rules.labelling.arrangements(rules.read(given)))))
        assert home is not None  # no other puzzles are asked so
        return home[0]

    def bound(self, state: Arrangement) -> int:
        """What solving a state counts at least, as tables say."""
        opened = self._open(MEMORY)
        return int(opened.solver.bounds(opened.ranks(state)).max())

    def algs(self, state: Arrangement, cost: int, deadline: Deadline, *, every: bool) -> list[list[str]]:
        """The canonical algs that solve a state and count just so much; the first, if not every one is needed.

        Raises:
            SearchLimitError: they were not found in time.
        """
        opened = self._open(MEMORY)
        try:
            algs = opened.solver.solve(
                opened.ranks(state),
                every=every,
                accept=lambda alg: self._after(state, alg) in self._solved,
                max_depth=cost,
                ruled_out=cost - 1,
                deadline=deadline,
            )
        except SearchLimitError as error:
            if error.at_least <= cost:
                raise
            return []
        return [[self._moves[move].name for move in alg] for alg in algs]

    def _after(self, state: Arrangement, alg: Alg) -> Arrangement | None:
        moved: Arrangement | None = state
        for move in alg:
            moved = self.graph.moved(moved, self._moves[move]) if moved is not None else None
        return moved

    # -- Near states ---------------------------------------------------------------------------------------------------

    def _near(self, state: Arrangement, search: SearchOptions, deadline: Deadline) -> ShortestPaths[Arrangement] | int:
        """The ways to solve a state, from both ends; or a number of moves that is not enough."""
        if not undone(self._moves):
            return -1

        def neighbours(state: Any) -> Iterator[tuple[str, Any]]:
            for index, move in enumerate(self._moves):
                moved = self.graph.moved(state, move)
                if moved is not None:
                    yield str(index), moved

        def after_level(ruled_out: int, seen: int) -> None:
            require_going_on(ruled_out, search)
            progress = search.get("progress")
            if progress and ruled_out:
                progress(ruled_out, seen, deadline.elapsed)

        most = min(_NEAR, _NEAR_SLIDING) if self._sliding else _NEAR
        memory = search.get("memory") or MEMORY
        if self._is_open(memory) or self._is_hashed(memory):
            most = min(most, _NEAR_OPEN)
        paths = self._between(state, neighbours, most, after_level)
        if paths is None:
            raise UnsolvableStateError(f"no moves of the {self.graph.rules.title} solve this state")
        return paths

    def _between(
        self, state: Any, neighbours: Neighbours[Any], most: int, after_level: Callable[[int, int], object]
    ) -> ShortestPaths[Any] | int | None:
        solved: Any = self._solved
        if not self._is_in_rows:
            return between(state, solved, neighbours, most=most, after_level=after_level)
        return between_bytes(
            state, solved, neighbours, self._sources or [], in_python=_IN_PYTHON, most=most, after_level=after_level
        )

    @property
    def _is_in_rows(self) -> bool:
        """Whether states are rows of bytes, and moves only permute them."""
        return self._sources is not None and isinstance(self._solved[0], bytes)

    @functools.cached_property
    def _sources(self) -> list[Permutation] | None:
        """For each move, the point that each label comes from, if that is all that moves do."""
        cases = [case for move in self._moves for case in move.cases]
        are_plain = len(cases) == len(self._moves) and not self._illegal and not any(case.needs for case in cases)
        return [case.sources for case in cases] if are_plain else None

    # -- Farther states, by a hashed table -----------------------------------------------------------------------------

    def _found_hashed(
        self, state: Arrangement, search: SearchOptions, every: bool, ruled_out: int, deadline: Deadline
    ) -> FoundAlgs | int:
        """What a search by a hashed table finds; or a number of moves that is not enough."""
        memory = search.get("memory") or MEMORY
        with proving(ruled_out + 1):
            solver = self._hashed(memory)
        if solver is None:
            return ruled_out
        algs = solver.solve(
            state,
            every=every,
            max_depth=search.get("max_depth"),
            ruled_out=ruled_out,
            most=_HASHED_OPEN if self._is_open(memory) else None,
            deadline=deadline,
            workers=search.get("workers"),
            progress=search.get("progress"),
        )
        if isinstance(algs, int):
            if not self._is_open(memory):
                solver.forget()  # for there is no more memory
            return algs
        if any(self._after(state, alg) not in self._solved for alg in algs):  # two states have the same key
            return len(algs[0]) - 1
        return FoundAlgs(len(algs[0]), self._equivalent_algs(state, algs) if every else algs)

    def _is_hashed(self, memory: int) -> bool:
        """Whether a search by a hashed table can begin at once."""
        return memory in self._hashing and self._hashing[memory].is_done and self._hashed(memory) is not None

    def _farthest_hashed(self, search: SearchOptions) -> int:
        solver = self._hashed(search.get("memory") or MEMORY)
        return solver.farthest if solver else 0

    def _hashed(self, memory: int) -> HashedSolver | None:
        """The search by a hashed table of at most so many bytes; None where moves are more than permutations."""
        if memory not in self._hashing:
            self._hashing = {memory: Job(functools.partial(self._newly_hashed, memory))}
        return self._hashing[memory].result()

    def _newly_hashed(self, memory: int) -> HashedSolver | None:
        if self._sources is None or not undone(self._moves):
            return None
        from cubesolve.search.hashed import HashedSolver  # noqa: PLC0415  # loads numba
        from cubesolve.search.packed import PackedPuzzle, TooManyLabelsError  # noqa: PLC0415  # needs numpy

        orbits, following = self.graph.rules.definition.orbits, self.graph.canonical.following
        try:
            puzzle = PackedPuzzle(self._sources, self._solved, orbits, following)
        except TooManyLabelsError:
            return None
        return HashedSolver(puzzle, memory, _HASHED)

    # -- The others ----------------------------------------------------------------------------------------------------

    def _open(self, memory: int) -> _Opened:
        """The tables that are worth so much memory, and what searches by them."""
        return self._opened.setdefault(memory, Job(functools.partial(self._newly_opened, memory))).result()

    def _newly_opened(self, memory: int) -> _Opened:
        puzzle = self._sliding
        return self._open_parts(puzzle, memory) if puzzle else self._open_projections(memory)

    def _open_projections(self, memory: int) -> _Opened:
        entry = self._choice("projections", memory)
        self._tables.offer(entry, lambda: self._choose(entry, memory))
        labels = set(self.graph.reduction.solved[0])
        choice = _read_sets(entry, self._tables.body(entry), depth=3)
        if not choice or any(_are_others(distinguished, labels) for distinguished in choice):
            raise _wrong_choice(entry)
        projections = [self._projection(frozenset(map(frozenset, distinguished))) for distinguished in choice]
        import numpy as np  # noqa: PLC0415  # near states do not need it

        from cubesolve.search.ida_star import Projected, ProjectedSolver  # noqa: PLC0415  # loads numba
        from cubesolve.spaces.derived import derived_space  # noqa: PLC0415

        groups = []
        for each in projections:
            graph = each.graph()
            self._ready(each)
            depths = np.frombuffer(self._tables.body(graph.entry), np.uint8)
            groups.append([Projected(derived_space(graph).arrays, depths)])

        def ranks(state: Arrangement) -> list[int]:
            return [each.graph().rank_of(each.image(state)) for each in projections]

        solved = [row for row in map(ranks, self._solved) if min(row) >= 0]
        costs = [move.cost for move in self._moves]
        solver = ProjectedSolver(groups, np.array(solved), self.graph.canonical.following, costs)
        for each in projections:
            self._tables.drop(each.graph().entry)  # the solver has its own
        return _Opened(ranks, solver)

    def _projection(self, distinguished: Distinguished) -> Projection:
        return Projection.of(self.graph, distinguished, self._solved)

    def _ready(self, projection: Projection) -> None:
        """See that the tables of a projection can be opened, and that it is known what ranks stand for."""
        graph = projection.graph()
        self._offer(projection, graph.coordinates_entry)
        body = self._tables.body(graph.coordinates_entry)  # also where they are known: those are to be kept
        if not graph.is_ready:
            graph.use(body)
        self._offer(projection, graph.entry)

    def _offer(self, projection: Projection, entry: TableEntry) -> None:
        self._tables.offer(entry, lambda: built(projection, entry, self._tables.directory))

    def _choice(self, kind: str, memory: int) -> TableEntry:
        """The file that says which projections were chosen, or which sets of pieces."""
        return self._entry(f"{kind}-{memory}", f"{kind} {self.graph.digest} {memory}", ARRAYS)

    def _entry(self, name: str, scheme: str, encoding: int, entries: int = 0) -> TableEntry:
        name = f"custom-{self.graph.digest[:16]}-{name}"
        header = TableHeader(name, "custom", self.graph.metric, scheme, entries, (), "", encoding)
        return TableEntry(header, (), by_default=False, built_by=self.graph.built_by)

    def _choose(self, entry: TableEntry, memory: int) -> tuple[TableHeader, Body]:
        from cubesolve.search.pattern_selection import Candidates, choose  # noqa: PLC0415  # needs numpy

        candidates = Candidates(self._projection, self._ready, self._tables)
        with notifying(f"choosing projections of the {self.graph.rules.title} and building their tables, once"):
            distinguished = choose(self.graph, candidates, memory)
        return self._keep_choice(entry, [sorted(map(sorted, each)) for each in distinguished])

    def _keep_choice(self, entry: TableEntry, choice: Sequence[Any]) -> tuple[TableHeader, Body]:
        body = json.dumps(choice).encode()
        header = entry.header._replace(entries=len(body), sha256=digest(body))
        keep(entry, self._tables.directory, header, memoryview(body))
        return header, body

    # -- Sliding puzzles -----------------------------------------------------------------------------------------------

    def _open_parts(self, puzzle: Sliding, memory: int) -> _Opened:
        import numpy as np  # noqa: PLC0415

        from cubesolve.search.additive import fits, open_parts  # noqa: PLC0415

        choice = self._choice("parts", memory)
        self._tables.offer(choice, lambda: self._choose_parts(choice, puzzle, memory))
        parts = [tuple(part) for part in _read_sets(choice, self._tables.body(choice), depth=2)]
        if not fits(puzzle, parts, memory):
            raise _wrong_choice(choice)
        entries = [self._part(puzzle, part) for part in parts]
        tables = [np.frombuffer(self._tables.body(entry), np.uint8) for entry in entries]
        opened = open_parts(puzzle, parts, tables, self.graph.canonical)
        for entry in entries:
            self._tables.drop(entry)  # the solver has its own
        return _Opened(opened.ranks, opened.solver)

    def _choose_parts(self, entry: TableEntry, puzzle: Sliding, memory: int) -> tuple[TableHeader, Body]:
        from cubesolve.search.additive import choose_parts  # noqa: PLC0415

        with notifying(f"choosing a partition of the pieces of the {self.graph.rules.title}, once"):
            return self._keep_choice(entry, choose_parts(puzzle, memory))

    def _part(self, puzzle: Sliding, part: tuple[int, ...]) -> TableEntry:
        """The table of the moves of some pieces, which is made where it is missing."""
        from cubesolve.search.additive import known_pieces, start_of  # noqa: PLC0415
        from cubesolve.store.build import make_distances  # noqa: PLC0415

        space, labels = known_pieces(puzzle, len(part)).contracted, "-".join(map(str, part))
        scheme = f"moves of {labels} {self.graph.digest}"
        entry = self._entry(f"moves-of-{labels}", scheme, BYTE_DEPTHS, space.states)

        def made() -> tuple[TableHeader, memoryview]:
            return make_distances(entry, space, start_of(puzzle, part))

        self._tables.offer(entry, lambda: _built(entry, self._tables.directory, made))
        return entry


def _read_sets(entry: TableEntry, body: Body, depth: int) -> list[Any]:
    """What was chosen: sets of labels, in so many lists within one another.

    Raises:
        CorruptTableError: it is something else.
    """
    try:
        choice: list[Any] = json.loads(bytes(body))
    except (ValueError, RecursionError):
        raise _wrong_choice(entry) from None
    if not _is_nested(choice, depth):
        raise _wrong_choice(entry)
    return choice


def _is_nested(given: Any, depth: int) -> bool:
    if depth == 0:
        return type(given) is int
    return isinstance(given, list) and all(_is_nested(each, depth - 1) for each in given)


def _are_others(sets: Sequence[Sequence[int]], labels: Collection[int]) -> bool:
    """Whether a label is none of these, or in two sets, or a set is empty, or there is none."""
    listed = [label for some in sets for label in some]
    return not listed or not all(sets) or len(set(listed)) < len(listed) or not set(listed) <= set(labels)


def _wrong_choice(entry: TableEntry) -> CorruptTableError:
    return CorruptTableError(entry.name, "the choice does not match its puzzle")
