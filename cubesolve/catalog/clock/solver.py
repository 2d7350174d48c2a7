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
from cubesolve.runtime.arguments import Keywords
from cubesolve.runtime.deadline import current
from cubesolve.search.limits import SearchOptions, proving, require_within, split
from cubesolve.solvers.answers import Distribution
from cubesolve.solvers.questions import Answers, Asked
from cubesolve.solvers.solver import Solver
from cubesolve.solvers.sources import random_source

if TYPE_CHECKING:
    from cubesolve.catalog.clock.arrays import ClockArrays
    from cubesolve.catalog.clock.optimal import ClockSearch
    from cubesolve.solvers.keywords import DrawQuestion, Question, StatesQuestion
    from cubesolve.solvers.solver import Source

_SCRAMBLED = ([*PINS][:SIDE], [name for name in PINS if name in {"U", "R", "D", "L", "ALL"}])
"""The moves of a scramble, before and after turning around; their hours determine the state, and it determines them."""

_MOVES = tuple(str(Turn(name, hours)) for name in PINS for hours in range(1, HOURS))
_LEAST_MOVES = 2  # of an official scramble, regulation 4b3


class ClockSolver(Solver[ClockState]):
    """Answers about Rubik's Clock."""

    rules: ClockRules
    moves = _MOVES
    states = STATES
    lists_longer = True

    def toward(self, state: object, target: object, question: Keywords) -> tuple[ClockSolver, Asked]:
        return self, Asked(self.rules.read(state), state, self.rules, {}, target=self.rules.read(target))

    def _optimal(self, asked: Asked, *, every: bool) -> Answers:  # all are found
        return _Optimal(self._left(asked), asked.search)

    def distribution(self, **question: Unpack[StatesQuestion]) -> Distribution:
        if question.get("count"):
            self.space_to_count(question, None)
        self.require_known({name: value for name, value in question.items() if value is not None}, ("metric", "count"))
        self.rules.require_metric(question.get("metric"))
        return Distribution(DISTRIBUTION)

    def space_to_count(self, question: Mapping[str, object], memory: int | None) -> NoReturn:
        raise self.unsupported("a count of all states, whose numbers are known; leave count (--count) out")

    def count(self, **question: Unpack[StatesQuestion]) -> NoReturn:
        self.space_to_count(question, None)

    # -- Arrays --------------------------------------------------------------------------------------------------------

    def _make_state_arrays(self, metric: str | None) -> ClockArrays:
        from cubesolve.catalog.clock.arrays import ClockArrays  # noqa: PLC0415  # needs numpy

        self.rules.require_metric(metric)
        return ClockArrays(self, metric)

    def optimal_numbers(self, state: object, **question: Unpack[Question]) -> list[int]:
        numbers, first = self.state_arrays(None).numbers_by_name, set[str]()
        asked = self._asked(state, question)
        for _, front, back in _Optimal(self._left(asked), asked.search).ways():
            first |= {*map(str, front), *(f"{AROUND} {turn} {AROUND}" for turn in back)}
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
        self, rng: Source = None, depth: int | None = None, length: int | None = None, **question: Unpack[DrawQuestion]
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

    def _left(self, asked: Asked) -> Sequence[_Left]:
        """Return what is left from a state to the solved state, or to a target, however that is held."""
        self._metric(asked.named)
        hours = self.rules.read(asked.state).hours
        self._tables.require_open()
        require_within(0, asked.search)
        target = (0,) * DIALS if asked.target is None else asked.target.hours
        around = turned_around(target)
        ends = [(target, None)] if around == target else [(target, False), (around, True)]
        return [_Left(tuple((a - b) % HOURS for a, b in zip(hours, end, strict=True)), turned) for end, turned in ends]


class _Optimal(Answers):
    """The optimal solutions of a state; they lead to a target however it is held, and turn it around."""

    def __init__(self, left: Sequence[_Left], search: SearchOptions) -> None:
        self._solved = [way for way in left if way.is_around is None and not any(way.hours)]
        self._searches = [] if self._solved else [(way, way.search()) for way in left]
        self._depth, self._nearest = self._fewest(search) if self._searches else (0, [])

    def _fewest(self, search: SearchOptions) -> tuple[int, list[tuple[_Left, ClockSearch]]]:
        """Return the number of moves of optimal solutions, and the searches that find them."""
        deadline, progress = current(), search.get("progress")
        while True:
            bounds = [(entry, *entry[1].bound()) for entry in self._searches]
            least = min(bound for _, bound, _ in bounds)
            require_within(least, search)
            if progress:
                progress(least, 0, deadline.elapsed)
            sides = [side for _, bound, side in bounds if bound == least and side]
            if not sides:
                return least, [entry for entry, bound, _ in bounds if bound == least]
            with proving(least):
                sides[0].try_more()

    @property
    def depth(self) -> int:
        return self._depth

    def ways(self) -> Iterator[tuple[_Left, list[Turn], list[Turn]]]:
        """Yield the optimal moves of the front and of the back, each with the difference that they make."""
        yield from ((way, [], []) for way in self._solved)
        yield from ((way, front, back) for way, search in self._nearest for front, back in search.optimal())

    def algs(self) -> Iterator[str]:
        return (way.alg(front, back) for way, front, back in self.ways())

    def first_moves(self) -> list[str]:
        ways = [*self.ways()]
        first = {str(turn) for _, front, _ in ways for turn in front}
        around = any(back for _, _, back in ways)
        return [*(move for move in _MOVES if move in first), *([AROUND] if around else [])]

    def longer(self, costs: range) -> Iterator[str]:
        ends = {way.hours for way, _ in self._searches}
        for length, (way, search) in itertools.product(costs, self._searches):
            for front, back in search.of_length(length):
                *before, _ = itertools.accumulate(_changes(front, back), _sum, initial=(0,) * DIALS)
                if not ends.intersection(before):
                    yield way.alg(front, back)


class _Left(NamedTuple):
    """The difference between two states."""

    hours: tuple[int, ...]  # the difference of their dials
    is_around: bool | None  # whether the puzzle must end turned around; None if it does not matter

    def search(self) -> ClockSearch:
        from cubesolve.catalog.clock.optimal import ClockSearch  # noqa: PLC0415  # needs numpy

        return ClockSearch(self.hours)

    def alg(self, front: list[Turn], back: list[Turn]) -> str:
        """Return the alg with moves of the front and of the back that make the difference."""
        around, is_around = Turn(AROUND), bool(back) if self.is_around is None else self.is_around
        turns = [*front, *([around, *back] if back else []), *([around] if is_around != bool(back) else [])]
        return " ".join(map(str, turns))


def _changes(front: list[Turn], back: list[Turn]) -> Iterator[tuple[int, ...]]:
    """Yield the hours by which each move turns the dials back, as seen from the front."""
    for is_behind, turns in enumerate((front, back)):
        for turn in turns:
            hours = (*(-turn.hours * moved % HOURS for moved in beside(turn.name)), *(0 for _ in CROSS))
            yield turned_around(hours) if is_behind else hours


def _sum(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...]:
    return tuple((a + b) % HOURS for a, b in zip(first, second, strict=True))
