"""Answers about the Square-1: iterative deepening over the number of twists, pruned by exact bounds."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from cubesolve.catalog.square1 import BOUNDS, EVERY_STATE, STATES, Square1Rules
from cubesolve.catalog.square1.definition import TURNS, TWIST, Target, exact, turned, twisted, with_free_turns, written
from cubesolve.catalog.square1.shapes import random_arrangement, shape_of
from cubesolve.catalog.square1.view import WCA
from cubesolve.definition.state import State
from cubesolve.errors import SearchLimitError
from cubesolve.group.permutations import Arrangement
from cubesolve.runtime.arguments import Keywords
from cubesolve.runtime.deadline import current
from cubesolve.runtime.notices import notifying
from cubesolve.search.limits import SearchOptions, proving, require_within, split
from cubesolve.solvers.answers import COUNTING, Distribution, Solution
from cubesolve.solvers.case_algs import CaseAlg, CaseAlgs
from cubesolve.solvers.questions import Answers, Asked
from cubesolve.solvers.solver import Solver
from cubesolve.solvers.sources import random_source
from cubesolve.spaces.defined import DerivedRules
from cubesolve.spaces.defined_graph import DerivedGraph
from cubesolve.store.tables import Tables

if TYPE_CHECKING:
    from cubesolve.catalog.square1.coordinates import Path, TargetCoordinates
    from cubesolve.catalog.square1.definition import Turns
    from cubesolve.catalog.square1.shapes import Layers
    from cubesolve.definition.cases import Case, Cases
    from cubesolve.solvers.case_algs import Wanted
    from cubesolve.solvers.counting import Count, Counted
    from cubesolve.solvers.keywords import DrawQuestion, StatesQuestion
    from cubesolve.solvers.solver import Source
    from cubesolve.solvers.state_arrays import StateArrays

_AT_ONCE = 14  # twists, or one more; so many solve every state in many ways, of which one is soon found
_NEAR = 9  # moves that are ruled out in milliseconds
_LEAST_MOVES = 11  # of an official scramble, regulation 4b3d
_LONGEST = 2 * (_AT_ONCE + 1) + 1  # moves of a solution that is found at once, in any metric
_COMPARED = 1_000  # algs of each length whose costs are compared
_KEPT = 4  # shapes of goals whose bounds are kept


_MOVES = (*(f"({top},{bottom})" for top, bottom in TURNS), TWIST)


class _Question(NamedTuple):
    state: Arrangement
    target: Target
    metric: str
    search: SearchOptions

    def fewest(self, twists: int) -> int:
        return max(2 * twists - 1, 0) if self.metric == WCA else twists

    def cost(self, turns: Sequence[Turns]) -> int:
        return len(turns) - 1 + (sum(map(any, turns)) if self.metric == WCA else 0)

    def is_proper(self, turns: Sequence[Turns]) -> bool:
        """Return whether an alg solves the state with its last move only, and twists never follow twists."""
        place, last = self.state, len(turns) - 1
        for number, turn in enumerate(turns):
            solving = self.target.aligning(place)
            if number == last:
                if turn not in solving:
                    raise AssertionError(f"{written(turns)} does not solve the state")
                return self.metric != WCA or not any(turn) or (0, 0) not in solving
            if (number > 0 and not any(turn)) or (solving if self.metric != WCA else {(0, 0), turn} & {*solving}):
                return False
            place = twisted(turned(place, turn))
        raise AssertionError("unreachable")


class _Optimal(Answers):
    """The optimal solutions of a state; if turns do not count, those that differ only in the last turns are one."""

    def __init__(
        self, solver: Square1Solver, asked: _Question, twists: int, aligning: Sequence[Turns], paths: Iterator[Path]
    ) -> None:
        """Take the least number of twists and its paths; or the turns that solve the state, the smallest first."""
        self.asked, self.twists, self.aligning = asked, twists, aligning
        self._solver, self._paths = solver, paths

    @property
    def paths(self) -> Iterator[Path]:
        self._paths, paths = itertools.tee(self._paths)  # each is found once
        return paths

    @functools.cached_property
    def best(self) -> list[Turns]:
        """The turns of an optimal alg, unless it has too many moves."""
        asked, paths = self.asked, self.paths
        with proving(asked.fewest(self.twists)):
            turns = [self.aligning[0]] if self.aligning else next(paths).shortest().turns
            if asked.metric == WCA:
                # A path with two more twists has more moves than any with these.
                for path in paths:
                    if asked.cost(turns) == asked.fewest(self.twists):
                        break
                    turns = min(turns, path.shortest().turns, key=asked.cost)
        require_within(asked.cost(turns), asked.search)
        return turns

    @property
    def depth(self) -> int:
        return self.asked.cost(self.best) if self.asked.metric == WCA else self.twists

    def algs(self) -> Iterator[str]:
        """Return the optimal solutions; the order of the others is that of the search."""
        asked, least, paths, counts_turns = self.asked, self.depth, self.paths, self.asked.metric == WCA
        if asked.target.ignores_middle and least == asked.fewest(self.twists + 1):
            coordinates = self._solver.coordinates(asked.target)
            paths = itertools.chain(paths, coordinates.paths(asked.state, self.twists + 1, [0]))
        aligning = ([turns] for turns in self.aligning if counts_turns)
        every = (turns for path in paths for turns in path.algs(with_all_ends=counts_turns))
        others = (turns for turns in itertools.chain(aligning, every) if asked.cost(turns) == least)
        return map(written, itertools.chain([self.best], (turns for turns in others if turns != self.best)))

    def number(self) -> int:
        if self.asked.metric == WCA or self.aligning:
            return super().number()
        return sum(1 for _ in self.paths) << self.twists - 1

    def first_moves(self) -> list[str]:
        if self.asked.metric == WCA or self.aligning:
            return super().first_moves()
        first = (turns for path in self.paths for turns in path.first())
        return sorted({written([turns, (0, 0)]).split()[0] for turns in first}, key=_MOVES.index)

    def longer(self, costs: range) -> Iterator[str]:
        asked, step = self.asked, 1 if self.asked.target.ignores_middle else 2
        for cost in costs:
            fewest, longest = (1, (cost + 1) // 2) if asked.metric == WCA else (cost, cost)
            for twists in range(fewest, longest + 1):
                if (twists + asked.target.parity(asked.state)) % step:
                    continue
                for path in self._solver.coordinates(asked.target).paths(asked.state, twists, [0], with_loops=True):
                    every = path.algs(with_all_ends=asked.metric == WCA)
                    proper = (turns for turns in every if asked.cost(turns) == cost and asked.is_proper(turns))
                    yield from map(written, proper)


class Square1Solver(Solver[State]):
    """Answers about the Square-1."""

    rules: Square1Rules
    moves = _MOVES
    states = STATES
    lists_longer = True

    def __init__(self, rules: Square1Rules, tables: Tables) -> None:
        super().__init__(rules, tables)
        self._goals: dict[Layers | Target, TargetCoordinates] = {}

    def toward(self, state: object, target: object, question: Keywords) -> tuple[Square1Solver, Asked]:
        return self, Asked(self.rules.read(state), state, self.rules, {}, target=self.rules.read(target))

    def _optimal(self, asked: Asked, *, every: bool) -> Answers:  # others are found on demand
        answers = self.found(self._about(asked))
        require_within(answers.depth, asked.search)
        return answers

    def _near(self, asked: Asked) -> Answers | int:
        return self._optimal_within(asked, _NEAR)

    def _short(self, asked: Asked, enough: int) -> Iterator[Solution[State]]:  # one is found
        about, most = self._about(asked), _LONGEST if asked.most is None else asked.most
        odd = about.target.parity(about.state)
        twists = min(most if about.metric != WCA else (most - 1) // 2, _AT_ONCE + odd)
        twists -= (twists - odd) % 2
        if twists < EVERY_STATE + odd or about.target.aligning(about.state):
            return
        coordinates = self.coordinates(about.target)
        at_least = about.fewest(coordinates.at_least(about.state))
        with proving(at_least):
            turns = next(coordinates.paths(about.state, twists, [0])).shortest().turns
        yield asked.solution(written(turns), at_least)

    def algs(self, cases: Cases, listed: Sequence[Case], wanted: Wanted) -> list[CaseAlgs]:
        if wanted.moves is not None:
            raise ValueError(f"moves are not supported for algs of the {self.rules.title}")
        solver = self if cases.aim is None else Square1Solver(self.rules.towards(cases.aim), self._tables)
        results: list[CaseAlgs] = []
        for case in listed:
            results.append(solver._algs_of(case, wanted))
            wanted.report([entry for entry in results if entry.algs])
        return results

    def _algs_of(self, case: Case, wanted: Wanted) -> CaseAlgs:
        """Return the best algs of a case; without a cost, the first of each length are the best."""
        asked, cost = self._about(self._asked(case.state, {"max_depth": wanted.most})), wanted.cost
        try:
            answer = self.found(asked)
        except SearchLimitError as limit:
            if limit.at_least <= wanted.most:
                raise
            return CaseAlgs(case, None, [])
        compared, algs = wanted.number if cost is None else _COMPARED, list[CaseAlg]()
        for turns in self._each_length(answer, min(answer.twists + wanted.slack, wanted.most), compared):
            alg, twists = written(turns), len(turns) - 1
            if asked.is_proper(turns):
                priced = twists if cost is None else cost(self.rules.view.split(alg))
                algs.append(CaseAlg(alg, twists, priced, "", ""))
        return CaseAlgs(case, answer.twists, sorted(algs, key=lambda each: (each.cost, each.length))[: wanted.number])

    def _each_length(self, found: _Optimal, longest: int, most: int) -> Iterator[list[Turns]]:
        """Yield some algs of each number of twists, from the fewest on; of those with the same moves, the shortest."""
        if found.aligning:
            yield [found.aligning[0]]
            return
        asked, paths = found.asked, found.paths
        coordinates, step = self.coordinates(asked.target), 1 if asked.target.ignores_middle else 2
        for twists in range(found.twists, longest + 1, step):
            yield from itertools.islice((path.shortest().turns for path in paths), most)
            paths = coordinates.paths(asked.state, twists + step, [0])

    def distribution(self, **question: Unpack[StatesQuestion]) -> Distribution:
        levels = question.get("levels")
        if self.rules.has_goal and levels is None:
            self._require_twists(question)
            return Distribution(self.coordinates(self.rules.target).distribution())
        if levels is None and not question.get("count"):
            self._require_twists(question)
            message = f"the {self.rules.title} has too many states to count at each depth in a moment"
            raise ValueError(f"{message}: choose levels, or count, which takes some minutes")
        return self.count(**question).distribution

    def count(self, **question: Unpack[StatesQuestion]) -> Count:
        self._require_twists(question)
        return super().count(**question)

    def graph_of_levels(self, question: Mapping[str, object]) -> tuple[DerivedGraph, bool]:
        self._require_count(question, "levels")
        return self._free_graph, True

    def space_to_count(self, question: Mapping[str, object], memory: int | None) -> Counted:
        from cubesolve.solvers import counting  # noqa: PLC0415  # needs numba

        self._require_count(question, "a count of all states")
        what = "states with turned layers"
        about = counting.up_to_symmetry(self._free_graph, self.rules.view.state, memory, what, up_to_free=True)
        assert about is not None  # it has symmetries
        return about

    def _require_count(self, question: Keywords, what: str) -> None:
        self._require_twists(question)
        if self.rules.has_goal:
            raise self.unsupported(f"{what} with a goal; leave count (--count), levels (--levels) and out (--out) out")

    def _require_twists(self, question: Keywords) -> None:
        named = {name: value for name, value in question.items() if name not in COUNTING and value is not None}
        named.pop("levels", None)
        if self._metric(named) == WCA:
            what = "the number of states at each depth with turns counted"
            raise self.unsupported(f"{what}; choose the metric {self.rules.metrics[0]}")

    @property
    def _free_graph(self) -> DerivedGraph:
        """The states and moves if turns of the layers cost nothing."""
        return DerivedRules(self.rules.view, with_free_turns()).graph()

    def alg(self, state: object) -> Solution[State]:
        solution = self.solve(state)
        return Solution(self.rules.view.invert(solution), solution.at_least, self.rules, self.rules.view.solved(None))

    # -- Arrays --------------------------------------------------------------------------------------------------------

    def _bound(self, question: Keywords) -> Callable[[State], int]:
        def bound(state: State) -> int:
            asked = self._about(self._asked(state, question))
            return asked.fewest(self.coordinates(asked.target).at_least(asked.state))

        return bound

    def state_arrays(self, metric: str | None) -> StateArrays:
        if self.rules.has_goal:
            raise self.unsupported("states as arrays, which the Square-1 without a goal has")
        return super().state_arrays(metric)

    # -- Drawing -------------------------------------------------------------------------------------------------------

    def random_state(self, rng: Source = None, depth: int | None = None, **question: Unpack[DrawQuestion]) -> State:
        self._refuse_choice("random states", depth=depth)
        self._metric(split(question)[0])
        return self.rules.view.state(random_arrangement(random_source(rng)))

    def scramble(
        self, rng: Source = None, depth: int | None = None, length: int | None = None, **question: Unpack[DrawQuestion]
    ) -> str:
        self._refuse_choice("scrambles", depth=depth, length=length)
        source, named = random_source(rng), dict[str, Any](question)
        while True:
            state = self.random_state(source)
            if self._is_official(state):
                return self.rules.view.invert(self.solve(state, **named))

    def _is_official(self, state: State) -> bool:
        """Return whether a state needs so many moves that it may be the state of an official scramble."""
        if self.rules.has_goal:
            return True
        asked = self._about(self._asked(state, {"metric": WCA, "max_depth": _LEAST_MOVES - 1}))
        try:
            return self.found(asked).depth >= _LEAST_MOVES
        except SearchLimitError:  # six twists, and the turns between them
            return True

    # -- Searching -----------------------------------------------------------------------------------------------------

    def _about(self, asked: Asked) -> _Question:
        target = self.rules.target if asked.target is None else exact(asked.target.arrangement)
        metric, given = self._metric(asked.named), self.rules.read(asked.state).arrangement
        require_within(0, asked.search)
        self._tables.require_open()
        return _Question(given, target, metric, asked.search)

    def coordinates(self, target: Target) -> TargetCoordinates:
        """Return the numbers of states for a target; the bounds depend only on its shape and on what looks alike."""
        from cubesolve.catalog.square1.coordinates import TargetCoordinates  # noqa: PLC0415  # needs numpy

        solved = exact(self.rules.view.definition.solved[0])
        shape, table, hashed = shape_of(target.state).standard()[0], None, None
        if shape == shape_of(solved.state).standard()[0]:
            usual: TargetCoordinates = self._tables.made(
                self._offered(BOUNDS), functools.partial(TargetCoordinates, solved)
            )
            if target == solved:
                return usual
            table, hashed = usual.table, usual.hashed
        key = shape if target.looks == solved.looks else target
        if key not in self._goals:
            with notifying("computing lower bounds for a goal of this shape"):
                coordinates = TargetCoordinates(target, table, hashed)
            while len(self._goals) >= _KEPT:
                self._goals.pop(next(iter(self._goals)))
            self._goals[key] = coordinates
        kept = self._goals[key]
        return kept if kept.target == target else TargetCoordinates(target, kept.table, kept.hashed)

    def found(self, asked: _Question) -> _Optimal:
        """Return the optimal solutions."""
        aligning = asked.target.aligning(asked.state)
        if aligning:
            return _Optimal(self, asked, 0, aligning, iter(()))
        target, deadline, nodes = asked.target, current(), [0]
        coordinates = self.coordinates(target)
        progress = asked.search.get("progress")
        step = 1 if target.ignores_middle else 2
        least = max(coordinates.at_least(asked.state), step - target.parity(asked.state))
        for twists in itertools.count(least, step):
            fewest = asked.fewest(twists)
            require_within(fewest, asked.search)
            with proving(fewest):
                paths = coordinates.paths(asked.state, twists, nodes)
                first = next(paths, None)
            if progress:
                progress(twists, nodes[-1], deadline.elapsed)
            if first is not None:
                return _Optimal(self, asked, twists, [], itertools.chain([first], paths))
        raise AssertionError("unreachable")
