"""Answers about Rubik's Clock: the fewest moves of both sides together, for each position of the corners."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, Unpack

from cubesolve.catalog.clock import DISTRIBUTION, STATES, ClockRules
from cubesolve.catalog.clock.dials import (
    AROUND,
    CROSS,
    DIALS,
    HOURS,
    PINS,
    SIDE,
    ClockState,
    Turn,
    beside,
    turned_around,
)
from cubesolve.errors import SearchLimitError
from cubesolve.runtime.arguments import Keywords, integer
from cubesolve.runtime.locks import load_numpy
from cubesolve.search.limits import longer_lengths, require_within, split
from cubesolve.solvers.answers import Distribution, Solution
from cubesolve.solvers.solver import Solver
from cubesolve.solvers.sources import random_source

if TYPE_CHECKING:
    from cubesolve.catalog.clock.arrays import ClockArrays
    from cubesolve.catalog.clock.optimal import ClockSearch
    from cubesolve.solvers.keywords import DrawQuestion, GraphQuestion, Question, SolveQuestion, StatesQuestion
    from cubesolve.solvers.solver import Source

_SCRAMBLED = ([*PINS][:SIDE], [name for name in PINS if name in {"U", "R", "D", "L", "ALL"}])
"""The moves of a scramble, before and after turning around; their hours determine the state, and it determines them."""

_LEAST_MOVES = 2  # of an official scramble, regulation 4b3


class ClockSolver(Solver[ClockState]):
    """Answers about Rubik's Clock."""

    rules: ClockRules
    lists_longer = True

    @property
    def moves(self) -> Sequence[str]:
        return tuple(str(Turn(name, hours)) for name in PINS for hours in range(1, HOURS))

    @property
    def states(self) -> int:
        return STATES

    def depth(self, state: object, goal: object = None, **question: Unpack[Question]) -> int:
        return self._found(state, goal, question)[0]

    def solve(self, state: object, goal: object = None, **question: Unpack[SolveQuestion]) -> Solution[ClockState]:
        depth, found = self._found(state, goal, question)
        return Solution(next(_written(found)), depth, self.rules, state)

    def solutions(
        self, state: object, goal: object = None, *, slack: int = 0, **question: Unpack[Question]
    ) -> Iterator[str]:
        more = integer("slack", slack, 0)
        depth, found = self._found(state, goal, question)
        longer = self._longer(state, goal, depth, more, question) if more and depth else ()
        return _written(itertools.chain(found, longer))

    def count_solutions(self, state: object, goal: object = None, **question: Unpack[Question]) -> int:
        return sum(1 for _ in _written(self._found(state, goal, question)[1]))

    def optimal_moves(self, state: object, goal: object = None, **question: Unpack[Question]) -> list[str]:
        found = [way for way in self._found(state, goal, question)[1] if way.front or way.back]
        first = {str(turn) for way in found for turn in way.front}
        around = any(way.back for way in found)
        return [*(move for move in self.moves if move in first), *([AROUND] if around else [])]

    def distribution(self, **question: Unpack[StatesQuestion]) -> Distribution:
        if question.get("count"):
            self.space_to_count(question, None)
        self.require_known({name: value for name, value in question.items() if value is not None}, ("metric", "count"))
        self.rules.require_metric(question.get("metric"))
        return Distribution(DISTRIBUTION)

    def space_to_count(self, question: Mapping[str, object], memory: int | None) -> NoReturn:  # noqa: ARG002
        raise self.unsupported("a count of all states, whose numbers are known; leave count (--count) out")

    def count(self, **question: Unpack[StatesQuestion]) -> NoReturn:
        self.space_to_count(question, None)

    # -- Arrays --------------------------------------------------------------------------------------------------------

    def _make_state_arrays(self, question: GraphQuestion) -> ClockArrays:
        from cubesolve.catalog.clock.arrays import ClockArrays  # noqa: PLC0415  # needs numpy

        self._metric(question)
        return ClockArrays(self)

    def optimal_numbers(self, state: object, goal: object = None, **question: Unpack[Question]) -> list[int]:
        numbers, first = self.state_arrays({}).numbers_by_name, set[str]()
        for way in self._found(state, goal, question)[1]:
            first |= {*map(str, way.front), *(f"{AROUND} {turn} {AROUND}" for turn in way.back)}
        return sorted(numbers[move] for move in first)

    def _bound(self, question: Keywords) -> Callable[[ClockState], int]:
        return lambda state: self.depth(state, **question)

    # -- Drawing -------------------------------------------------------------------------------------------------------

    def random_state(
        self, rng: Source = None, depth: int | None = None, **question: Unpack[DrawQuestion]
    ) -> ClockState:
        self._refuse_choice("random states", depth=depth)
        self._metric(split(question)[0])
        source = random_source(rng)
        return ClockState(source.randrange(HOURS) for _ in range(DIALS))

    def scramble(
        self,
        rng: Source = None,
        *,
        depth: int | None = None,
        length: int | None = None,
        **question: Unpack[DrawQuestion],
    ) -> str:
        self._refuse_choice("scrambles", depth=depth, length=length)
        source, named = random_source(rng), dict[str, Any](question)
        while True:
            front, back = ([str(Turn(name, source.randrange(HOURS))) for name in names] for names in _SCRAMBLED)
            alg = " ".join([*front, AROUND, *back])
            try:
                self.depth(alg, **named, max_depth=_LEAST_MOVES - 1)  # which takes no table of sums
            except SearchLimitError as error:
                if error.at_least < _LEAST_MOVES:  # the time is over
                    raise
                return alg

    # -- Solving -------------------------------------------------------------------------------------------------------

    def _metric(self, named: Keywords) -> str:
        self.require_known(named, ("metric",))
        return self.rules.require_metric(named.get("metric"))

    def _found(self, state: object, goal: object, question: Keywords) -> tuple[int, Iterator[_Way]]:
        """Return the depth and the optimal solutions; they lead to the goal however it is held, and turn it around."""
        named, search = split(question)
        self._metric(named)
        left = self._left(state, goal)
        self._tables.require_open()
        require_within(0, search)
        if goal is None and not any(left[0].hours):
            return 0, iter([_Way([], [], is_around=False)])
        each = [(way.search().optimal(search), way) for way in left]
        depth = min(found.depth for found, _ in each)
        nearest = [(found, way) for found, way in each if found.depth == depth]
        return depth, (way.by(front, back) for found, way in nearest for front, back in found.algs())

    def _longer(self, state: object, goal: object, depth: int, slack: int, question: Keywords) -> Iterator[_Way]:
        """Yield the solutions that are up to some moves longer than the optimal ones, the shortest first."""
        left = self._left(state, goal)
        ends, searches = {way.hours for way in left}, [(way, way.search()) for way in left]
        for length in longer_lengths(depth, slack, question.get("max_depth")):
            for each, search in searches:
                for front, back in search.of_length(length):
                    *before, _ = itertools.accumulate(_changes(front, back), _sum, initial=(0,) * DIALS)
                    if not ends.intersection(before):
                        yield each.by(front, back)

    def _left(self, state: object, goal: object) -> list[_Left]:
        """Return what is left from a state to the solved state, or to a goal, however that is held."""
        given = self.rules.read(state).hours
        if goal is None:
            return [_Left(given, None)]
        target = self.rules.read(goal).hours
        return [
            _Left(tuple((a - b) % HOURS for a, b in zip(given, there, strict=True)), is_around)
            for there, is_around in ((target, False), (turned_around(target), True))
        ]


class _Left(NamedTuple):
    """The difference between two states.

    Attributes:
        hours: the difference of their dials.
        is_around: whether the puzzle must end turned around; None if it does not matter.
    """

    hours: tuple[int, ...]
    is_around: bool | None

    def search(self) -> ClockSearch:
        """Return the search for the moves that make it."""
        load_numpy()
        from cubesolve.catalog.clock.optimal import ClockSearch  # noqa: PLC0415  # needs numpy

        return ClockSearch(self.hours)

    def by(self, front: list[Turn], back: list[Turn]) -> _Way:
        """Return the alg with the moves of both sides."""
        return _Way(front, back, bool(back) if self.is_around is None else self.is_around)


def _changes(front: list[Turn], back: list[Turn]) -> Iterator[tuple[int, ...]]:
    """Yield the hours by which each move turns the dials back, as seen from the front."""
    for is_behind, turns in enumerate((front, back)):
        for turn in turns:
            hours = (*(-turn.hours * moved % HOURS for moved in beside(turn.name)), *(0 for _ in CROSS))
            yield turned_around(hours) if is_behind else hours


def _sum(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...]:
    return tuple((a + b) % HOURS for a, b in zip(first, second, strict=True))


class _Way(NamedTuple):
    """An alg: moves of the front, and then of the back.

    Attributes:
        front: the moves of the front.
        back: the moves of the back.
        is_around: whether the puzzle ends turned around.
    """

    front: list[Turn]
    back: list[Turn]
    is_around: bool


def _written(found: Iterator[_Way]) -> Iterator[str]:
    around = Turn(AROUND)
    for front, back, is_around in found:
        turns = [*front, *([around, *back] if back else []), *([around] if is_around != bool(back) else [])]
        yield " ".join(map(str, turns))
