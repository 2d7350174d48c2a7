"""Answers about puzzles with too many states for a table: bidirectional search, then IDA* with pattern databases."""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from cubesolve.definition.reach import undone
from cubesolve.definition.several import Apart, Single, apart, single
from cubesolve.definition.sliding import sliding
from cubesolve.encodings.distances import Depths
from cubesolve.errors import NoMemoryError, SearchLimitError, UnsolvableStateError
from cubesolve.group.canonical import Alg, beginnings
from cubesolve.group.permutations import Arrangement, Permutation, after, inverse
from cubesolve.runtime.arguments import Keywords
from cubesolve.runtime.deadline import Deadline, check, current, running
from cubesolve.runtime.prepared import Cached, Prepared
from cubesolve.search.limits import MEMORY, SearchOptions, proving, require_going_on, require_within
from cubesolve.search.near import ShortestPaths, between_bytes, cheapest, costs_within
from cubesolve.search.statistics import predicted_nodes, sequences
from cubesolve.solvers.questions import Answers, Asked, Kept
from cubesolve.spaces.defined_graph import DerivedGraph
from cubesolve.store.tables import Tables

if TYPE_CHECKING:
    from cubesolve.search.gaps import Gaps
    from cubesolve.search.hashed import HashedSolver
    from cubesolve.search.ida_star import Opened
    from cubesolve.solvers.opening import Opening

_NEAR = 30_000  # states of a bidirectional search before tables are made,
_WHILE_COMPILING = 4  # times as many while the kernel of the next search is compiled, which happens once,
_IN_PYTHON = 2_000  # before numpy is loaded,
_NEAR_SLIDING = 2_000  # for sliding puzzles, whose tables are made in a second and solve a state in less,
_MOST_SLIDING = 16  # points of a sliding puzzle whose random states are solved in seconds
_NEAR_OPEN = 50  # and if tables are open, because a search with them is faster

_HASHED = 1 << 27  # states of a round with a hashed table before pattern databases are made,
_HASHED_OPEN = 1 << 22  # if these are open,
_HASHED_SOLVED = 128  # solved states or images; with more of them, a round takes longer than these are made,
_HASHED_SOON = 1 << 18  # and before gaps are looked for, which takes as long as a million states
_FASTER = 4  # states that a search with hashed tables generates while one with pattern databases generates one: 4 to 7
_SAMPLE, _APART = 500, 40  # states whose bounds predict the work with pattern databases, and random moves between them

_SOONER = (1 << 20, 1 << 23, 1 << 25)  # bytes of tables that are made first if time is limited
_MOMENTS = 4  # a search with these takes one of so many parts of the remaining time

_HALVES = 1 << 17  # of longer algs, which are all tried before tables are opened
_LONGER = 1 << 20  # algs for each byte of tables that find all algs of a length

_ONLY_BY_TABLE = "so much longer solutions need a table of all states where some moves are not always possible"

_MARGIN = 2  # algs for each state, because some lead to the same state


class FoundAlgs(NamedTuple):
    """The optimal algs of a state; one of them if only one was requested."""

    depth: int  # their cost
    algs: list[Alg]  # moves by number


class Searched:
    """The solver of the states of a puzzle by search."""

    def __init__(self, graph: DerivedGraph, tables: Tables, require_table: Callable[[Keywords, str], None]) -> None:
        """Take the states and moves, their tables, and a function that rejects what only a table of all answers."""
        self.graph, self.reach = graph, graph.reach
        self._tables, self._require_table = tables, require_table
        self._moves, reduction = graph.reduction.moves, graph.reduction
        self.solved = [state for state in reduction.solved if self.reach is None or self.reach.may_have(state)]
        self._illegal = graph.rules.definition.illegal
        self.sliding = sliding(reduction.solved, self._moves) if not self._illegal else None
        self._opened: dict[int, Prepared[Opened]] = {}
        self._hashed = Cached(self._newly_hashed, 1)
        self._faster = dict[int, bool]()
        self._kept = Kept()

    def home(self, given: object) -> Arrangement:
        """Return a state at home, if there are reference pieces."""
        rules = self.graph.rules
        if not self.solved:
            raise UnsolvableStateError(f"no moves of the {rules.title} lead to a solved state")
        home = self.graph.reduction.home(rules.labelling.arrangement(rules.read(given)))
        images = [*self.graph.reduction.named(home[0])] if home else []
        if self.reach is not None:
            images = [*filter(self.reach.may_have, images)]
        if self.reach is not None and len(images) > 1:  # tables do not have the states of the other namings
            images = [image for image in images if self.reach.has(image) is not False]
        if not images:
            raise UnsolvableStateError(f"no moves of the {rules.title} lead from the solved state to this one")
        return images[0]

    def solve(
        self, state: Arrangement, search: SearchOptions, every: bool, near: FoundAlgs | int | None = None
    ) -> FoundAlgs:
        """Return an optimal alg that solves a state at home, or every one; `near` is the result of that, if known."""
        with self._kept.about(state) as at_least:
            require_within(0, search)
            self._tables.require_open()
            if near is None:
                near = self.near(state, search, every)
            if not isinstance(near, int):
                require_within(near.depth, search)
                return near
            return self._found_far(state, search, every, max(at_least - 1, near))

    def _found_far(self, state: Arrangement, search: SearchOptions, every: bool, ruled_out: int) -> FoundAlgs:
        """Return the result of searches with tables, which are made if a search without them would take longer."""
        memory, algs = search.get("memory") or MEMORY, None
        hashed = self._found_hashed(state, search, every, ruled_out)
        if not isinstance(hashed, int):
            return hashed
        ruled_out = hashed
        try:
            for few in self._sooner(memory) if math.isfinite(current().left()) else ():
                ruled_out, algs = self._tried(state, few, search, every, ruled_out)
                self._opened.pop(few, None)  # the next tables need the memory
            with proving(ruled_out + 1):
                is_hashed_faster = self._is_hashed_faster(memory)
            if is_hashed_faster:
                self._opened.pop(memory, None)  # hashed tables need the memory
                hashed = self._found_hashed(state, search, every, ruled_out)
                if not isinstance(hashed, int):
                    return hashed
                ruled_out = hashed
            return self._found(self._open(memory), state, search, every, ruled_out)
        except SearchLimitError:
            if algs is None:
                raise
            return algs

    def answers(self, asked: Asked, home: Arrangement, found: FoundAlgs) -> Answers:
        """Return the answers of a question, given the optimal algs that solve its state at home."""
        return SearchedAnswers(self, asked, home, found)

    def longer(self, state: Arrangement, costs: range, search: SearchOptions) -> Iterator[Alg]:
        """Yield the algs of given costs that solve a state, in the order of the moves; see `Depths.longer`."""
        joined, moves = self.graph.joined or (), range(len(self._moves))
        following = [[-1 if (last, move) in joined else 1 + move for move in moves] for last in (-1, *moves)]

        def ends_there(alg: Alg) -> bool:
            is_solved = [self._after(state, alg[:number]) in self.solved for number in range(len(alg) + 1)]
            return is_solved.pop() and not any(is_solved)

        for cost in costs:
            [(_, first_halves)] = itertools.islice(beginnings(following), -(-cost // 2) - 1, -(-cost // 2))
            if first_halves <= _HALVES:
                yield from _NearDepths(self, cost // 2).longer(state, range(cost, cost + 1))
                continue
            if self.graph.joined is None:
                self._require_table({"metric": self.graph.metric}, _ONLY_BY_TABLE)
            opened = self._open_for(cost, following, search.get("memory") or MEMORY)
            try:
                algs = opened.solver.following(following).solve(
                    opened.ranks(state),
                    every=True,
                    accept=ends_there,
                    max_depth=cost,
                    ruled_out=cost - 1,
                    workers=search.get("workers"),
                )
            except SearchLimitError as error:
                if error.at_least <= cost:
                    raise SearchLimitError(0, error.limit) from None  # a lower bound of longer solutions alone
            except UnsolvableStateError:
                return  # no alg is longer
            else:
                yield from sorted(algs)

    def _open_for(self, cost: int, following: Sequence[Sequence[int]], memory: int) -> Opened:
        """Open the smallest tables that find all algs of a cost soon; large ones can take minutes to build."""
        for few in self._sooner(memory):
            algs = itertools.islice(beginnings(following), cost)
            # A table divides the states that are generated by about the number of its entries.
            with contextlib.suppress(NoMemoryError):
                if all(number <= _LONGER * few for _, number in algs):
                    return self._open(few)
        return self._open(memory)

    def _found(
        self, opened: Opened, state: Arrangement, search: SearchOptions, every: bool, ruled_out: int
    ) -> FoundAlgs:
        """Return the result of a search with tables; see `solve`."""
        ranks = opened.ranks(state)
        if min(ranks) < 0:
            raise UnsolvableStateError(f"no moves of the {self.graph.rules.title} solve this state")
        accept = functools.partial(self.is_solved_by, state)
        algs = opened.solver.solve(
            ranks,
            every=every,
            accept=accept,
            max_depth=search.get("max_depth"),
            ruled_out=ruled_out,
            workers=search.get("workers"),
            progress=search.get("progress"),
            about=state,
        )
        depth = sum(self._moves[move].cost for move in algs[0])
        if not every and len(algs[0]) <= max(self._farthest_near, self._farthest_hashed(search)):
            # The first alg in the order of moves, as a search without tables would find it; with tables any is found.
            with contextlib.suppress(SearchLimitError):  # an alg is known already
                again = opened.solver.solve(ranks, every=True, accept=accept, max_depth=depth, ruled_out=depth - 1)
                algs = self._equivalent_algs(state, again)[:1]
        elif every:
            algs = self._equivalent_algs(state, algs)
        return FoundAlgs(depth, algs)

    def _sooner(self, memory: int) -> list[int]:
        """Return the memory for tables that are made first, if there may be no time for the others."""
        if self.sliding or self._gaps or self._is_kept(memory):
            return []
        sooner = [few for few in _SOONER if few < memory]
        while len(sooner) > 1 and self._is_kept(sooner[1]):
            sooner.pop(0)
        return sooner

    def _tried(
        self, state: Arrangement, memory: int, search: SearchOptions, every: bool, ruled_out: int
    ) -> tuple[int, FoundAlgs | None]:
        """Search briefly with small tables; return the cost that is ruled out, and the algs found.

        A repeated question can then use these tables, even if a large one takes longer to make than its time limit.
        With large tables, other algs may be found.
        """
        with proving(ruled_out + 1):
            try:
                opened = self._open(memory)
            except NoMemoryError:
                return ruled_out, None
            moment = Deadline(timeout=current().left() / _MOMENTS, within=current())
        try:
            with running(moment):
                algs = self._found(opened, state, search, every, ruled_out)
        except SearchLimitError as error:
            require_going_on(error.at_least - 1, search)
            return error.at_least - 1, None
        return algs.depth - 1, algs

    def _is_kept(self, memory: int) -> bool:
        """Return whether all tables for a memory were made before."""
        return self._is_open(memory) or self._tables.has(self.graph.choice_entry("projections", memory))

    def _is_open(self, memory: int) -> bool:
        prepared = self._opened.get(memory)
        return prepared is not None and prepared.is_made

    @functools.cached_property
    def _farthest_near(self) -> int:
        """The largest number of moves that a bidirectional search can find without tables."""
        following, states = self.graph.canonical.following, _NEAR * (_WHILE_COMPILING if self._is_in_rows else 1)
        sides = [1, *(number for _, number in itertools.islice(beginnings(following), states.bit_length()))]
        totals = (sides[-(-moves // 2)] + sides[moves // 2] for moves in range(len(sides)))
        kept = sum(1 for _ in itertools.takewhile(lambda total: total <= _MARGIN * states, totals)) - 1
        return kept + self._is_in_rows  # with numpy, one more level is compared without being kept

    def _equivalent_algs(self, state: Arrangement, algs: list[Alg]) -> list[Alg]:
        """Return all algs that canonical ones stand for and that solve a state, in the order of the moves."""
        return [alg for alg in self.graph.canonical.equivalent_algs(algs) if self.is_solved_by(state, alg)]

    def is_solved_by(self, state: Arrangement, alg: Alg) -> bool:
        """Return whether an alg, moves by number, leads from a state at home to a solved one."""
        return self._after(state, alg) in self.solved

    def _after(self, state: Arrangement, alg: Alg) -> Arrangement | None:
        moved: Arrangement | None = state
        for move in alg:
            moved = self.graph.moved(moved, self._moves[move]) if moved is not None else None
        return moved

    # -- Bidirectional search ------------------------------------------------------------------------------------------

    def _near_by_cost(self, state: Arrangement, search: SearchOptions, every: bool) -> FoundAlgs | int:
        """Return what `near` does, where moves have costs or no inverses."""

        def moved(here: Arrangement) -> Iterator[tuple[int, int, Arrangement]]:
            for number, move in enumerate(self._moves):
                if (end := self.graph.moved(here, move)) is not None:
                    yield number, move.cost, end

        found = cheapest(state, self.solved, moved, self.before, most=self._most_near(search))
        if found is None:
            raise UnsolvableStateError(f"no moves of the {self.graph.rules.title} solve this state")
        if isinstance(found, int):
            require_going_on(found, search)
            return found
        depth, ways = found
        return FoundAlgs(depth, [*ways] if every else [next(ways)])

    def before(self, here: Arrangement) -> Iterator[tuple[int, int, Arrangement]]:
        """Yield the moves that lead to a state, their costs, and the states that they lead from."""
        for number, move in enumerate(self._moves):
            for origin in {after(here, change) for change in self._backs[number]}:
                if self.graph.rules.definition.is_legal(origin) and self.graph.moved(origin, move) == here:
                    yield number, move.cost, origin

    @functools.cached_property
    def _backs(self) -> list[list[Permutation]]:
        """The changes that undo the effects of each move."""
        return [[inverse(effect.sources) for effect in move.effects] for move in self._moves]

    def _most_near(self, search: SearchOptions) -> int:
        """Return the number of states of a bidirectional search."""
        limit, memory = min(_NEAR, _NEAR_SLIDING) if self.sliding else _NEAR, search.get("memory") or MEMORY
        return min(limit, _NEAR_OPEN) if self._is_open(memory) or self._is_hashed(memory) else limit

    def near(self, state: Arrangement, search: SearchOptions, every: bool) -> FoundAlgs | int:
        """Return optimal algs if a short bidirectional search finds them; or a number that is ruled out."""
        if not undone(self._moves):
            return self._near_by_cost(state, search, every)
        deadline = current()

        names = [*map(str, range(len(self._moves)))]

        def permuted(state: Arrangement) -> Iterable[tuple[str, Arrangement]]:
            return zip(names, [after(state, change) for change in self._sources or ()], strict=True)

        def moved(state: Arrangement) -> Iterable[tuple[str, Arrangement]]:
            ends = ((name, self.graph.moved(state, move)) for name, move in zip(names, self._moves, strict=True))
            return ((name, end) for name, end in ends if end is not None)

        neighbours = moved if self._sources is None else permuted

        def after_level(ruled_out: int, seen: int) -> None:
            if isinstance(paths, int) and ruled_out <= paths:
                return
            require_going_on(ruled_out, search)
            progress = search.get("progress")
            if progress and ruled_out:
                progress(ruled_out, seen, deadline.elapsed)

        limit, sources = self._most_near(search), self._sources or []
        in_python = _IN_PYTHON if self._is_in_rows else limit
        meet = functools.partial(between_bytes, state, self.solved, neighbours, sources, in_python=in_python)
        paths: ShortestPaths[Arrangement] | int | None = None
        paths = meet(most=limit, after_level=after_level)
        if isinstance(paths, int) and limit == _NEAR and self._is_in_rows:
            require_going_on(paths, search)
            if _is_compiling():
                paths = meet(most=_WHILE_COMPILING * limit, after_level=after_level)
        if paths is None:
            raise UnsolvableStateError(f"no moves of the {self.graph.rules.title} solve this state")
        if isinstance(paths, int):
            return paths
        # Paths consist of names of moves, which are numbers here; see `neighbours`.
        return FoundAlgs(paths.depth, [tuple(map(int, way)) for way in (paths if every else [next(iter(paths))])])

    @property
    def is_quick(self) -> bool:
        """Whether a heuristic is known with which random states are solved optimally in seconds."""
        is_sliding = self.sliding is not None and len(self.sliding.solved) <= _MOST_SLIDING
        return is_sliding or self._gaps is not None

    @property
    def _is_in_rows(self) -> bool:
        """Whether states are rows of bytes, and moves only permute them."""
        return self._sources is not None and isinstance(self.solved[0], bytes)

    @functools.cached_property
    def _sources(self) -> list[Permutation] | None:
        """For each move, the point that each label comes from; None unless all moves are plain permutations."""
        effects = [effect for move in self._moves for effect in move.effects]
        are_plain = (
            len(effects) == len(self._moves) and not self._illegal and not any(effect.needs for effect in effects)
        )
        return [effect.sources for effect in effects] if are_plain else None

    # -- Search with a hashed table ------------------------------------------------------------------------------------

    def _found_hashed(self, state: Arrangement, search: SearchOptions, every: bool, ruled_out: int) -> FoundAlgs | int:
        """Return the result of a search with a hashed table; or the number of moves that is ruled out."""
        memory = search.get("memory") or MEMORY
        with proving(ruled_out + 1):
            solver = self._hashed(memory)
        if solver is None:
            return ruled_out
        algs: list[Alg] | int = ruled_out
        images, moves = self._images(state)
        for limit in self._hashed_rounds(memory):
            algs = solver.solve(
                *images,
                moves=moves,
                every=every,
                max_depth=search.get("max_depth"),
                ruled_out=ruled_out,
                most=limit,
                beyond=self._faster.get(memory, False),
                workers=search.get("workers"),
                progress=search.get("progress"),
            )
            if not isinstance(algs, int):
                break
            ruled_out = algs
        if isinstance(algs, int):
            if not self._is_open(memory):
                solver.forget()  # pattern databases need the memory
            return algs
        if not all(self.is_solved_by(state, alg) for alg in algs):  # a collision of keys
            return len(algs[0]) - 1
        return FoundAlgs(len(algs[0]), self._equivalent_algs(state, algs) if every else algs)

    def _hashed_rounds(self, memory: int) -> Iterator[int | None]:
        """Yield limits on the states of a round; the first, before gaps are looked for, solves most states sooner."""
        if "_gaps" not in self.__dict__:
            yield _HASHED_SOON
        if not self._gaps:
            yield _HASHED_OPEN if self._is_open(memory) else None

    def _is_hashed(self, memory: int) -> bool:
        """Return whether a search with a hashed table can begin at once."""
        return self._hashed.has(memory) and self._hashed(memory) is not None

    def _farthest_hashed(self, search: SearchOptions) -> int:
        solver = None if self._gaps else self._hashed(search.get("memory") or MEMORY)
        return solver.farthest if solver else 0

    def _newly_hashed(self, memory: int) -> HashedSolver | None:
        """Return the search with a hashed table of at most `memory` bytes; None if the puzzle does not support it."""
        if self._sources is None or not undone(self._moves):
            return None
        one = self._single
        solved, images = ([one.solved], one.number) if one else (self._of_one_class, 1)
        if max(len(solved), images) > _HASHED_SOLVED:
            return None
        from cubesolve.group.symmetries import symmetries  # noqa: PLC0415  # loaded on use
        from cubesolve.search.hashed import HashedSolver  # noqa: PLC0415  # needs numpy
        from cubesolve.search.packed import PackedPuzzle, TooManyLabelsError  # noqa: PLC0415  # needs numpy

        try:
            group, following = symmetries(solved, self._moves), self.graph.canonical.following
            solver = HashedSolver(PackedPuzzle(self._sources, solved, following, group), memory, _HASHED, images)
        except TooManyLabelsError:
            return None
        if _FASTER * solver.divisor >= memory:
            self._faster[memory] = True  # pattern databases divide states by less than their bytes
        return solver

    @functools.cached_property
    def _single(self) -> Single | None:
        """The puzzle with one solved state instead of several, if there is one."""
        solved = self._of_one_class
        return single(solved, self._sources) if self._sources and len(solved) > 1 else None

    @functools.cached_property
    def _apart(self) -> Apart | None:
        """The classes of states that moves do not connect, if rotations take each to the first."""
        return apart(self.solved, self._sources, self.graph.reduction.merged) if self._sources else None

    @property
    def _of_one_class(self) -> Sequence[Arrangement]:
        """The solved states, or those of the first class."""
        return self._apart.solved if self._apart else self.solved

    def _images(self, state: Arrangement) -> tuple[list[Arrangement], Sequence[Permutation] | None]:
        """Return the states of which the nearest to the solved state of the hashed tables is as near as a state."""
        moves = None
        if self._apart:
            image = self._apart.image(state)
            if image is None:
                raise UnsolvableStateError(f"no moves of the {self.graph.rules.title} solve this state")
            state, moves = image
        return [*self._single.images(state)] if self._single else [state], moves

    def _is_hashed_faster(self, memory: int) -> bool:
        """Return whether hashed tables rule out lengths that they have not been tried for sooner than open tables."""
        solver = None if self._gaps else self._hashed(memory)
        try:
            opened = self._open(memory)
        except NoMemoryError:
            if solver is None or memory < MEMORY:  # the error says how much is enough
                raise
            self._faster[memory] = True
        if solver is None:
            return False
        if memory not in self._faster:
            length, ranks = solver.farthest + 1, [opened.ranks(state) for state in self._random_states()]
            values = Counter(opened.solver.bounds(ranks).max(axis=-1).tolist())
            counts = [values[value] for value in range(1 + max(values))]
            following = self.graph.canonical.following
            nodes = predicted_nodes([counts], sequences(following, None, length), length)
            self._faster[memory] = solver.states(length) <= _FASTER * nodes
        return self._faster[memory]

    def _random_states(self) -> Iterator[Arrangement]:
        """Yield the states of a random walk; always the same ones."""
        source, state = random.Random(_SAMPLE), self.solved[0]
        for _ in range(_SAMPLE):
            for move in source.choices(self._moves, k=_APART):
                state = self.graph.moved(state, move) or state
            check()
            yield state

    # -- Search with pattern databases ---------------------------------------------------------------------------------

    def _open(self, memory: int) -> Opened:
        """Return the tables for a memory, and the search with them."""
        return self._opened.setdefault(memory, Prepared(lambda: self.opening.open(memory))).result()

    @functools.cached_property
    def opening(self) -> Opening:
        """What selects, makes and opens the tables."""
        from cubesolve.solvers.opening import Opening  # noqa: PLC0415  # needs numba

        return Opening(self.graph, self._tables, self.solved, self.sliding, self._gaps)

    @functools.cached_property
    def _gaps(self) -> Gaps | None:
        """The pairs of the gap heuristic, if it is better than tables."""
        if self._illegal:
            return None
        from cubesolve.search.gaps import gaps_of  # noqa: PLC0415  # needs numpy

        return gaps_of(self.graph, self.solved)


class _NearDepths(Depths[Arrangement]):
    """The depths of states near the solved ones, and of others a lower bound."""

    def __init__(self, searched: Searched, most: int) -> None:
        """List the states up to a depth."""
        super().__init__(searched.graph)
        self._graph, self._beyond, self._moves = searched.graph, most + 1, searched.graph.reduction.moves
        self._depths = costs_within(searched.solved, searched.before, most)

    def __getitem__(self, place: Arrangement) -> int:
        return min(self._depths.get(place, self._beyond), self._beyond)

    def following(self, place: Arrangement) -> list[tuple[int, Arrangement]]:
        ends = ((number, self._graph.moved(place, move)) for number, move in enumerate(self._moves))
        return [(number, end) for number, end in ends if end is not None]


class SearchedAnswers(Answers):
    """The optimal solutions of a state, which a search has found."""

    def __init__(self, searched: Searched, asked: Asked, home: Arrangement, found: FoundAlgs) -> None:
        self._searched, self._asked, self._home, self._found = searched, asked, home, found

    @property
    def depth(self) -> int:
        return self._found.depth

    def algs(self) -> Iterator[str]:
        """Return the optimal solutions that were found, in the order of the moves."""
        return map(self._written, self._found.algs)

    def longer(self, costs: range) -> Iterator[str]:
        return map(self._written, self._searched.longer(self._home, costs, self._asked.search))

    def _written(self, alg: Sequence[int]) -> str:
        return " ".join(self._searched.graph.names(alg, self._asked.state))


def _is_compiling() -> bool:
    """Begin to compile the search with hashed tables in another process; return whether it has to be waited for."""
    from cubesolve.runtime.kernels import compile_meanwhile  # noqa: PLC0415  # needs numpy
    from cubesolve.search.hashed import descend  # noqa: PLC0415  # needs numpy

    compile_meanwhile(descend)
    return not descend.is_ready()
