"""Answers about Rubik's Clock: the fewest moves of both sides together, for each position of the corners."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from cubesolve.arguments import integer
from cubesolve.catalog.clock.dials import AROUND, DIALS, HOURS, PINS, SIDE, ClockState, Turn, turned_around
from cubesolve.catalog.clock.rules import DISTRIBUTION, STATES, ClockRules
from cubesolve.errors import SearchLimitError
from cubesolve.search.limits import require_within, split
from cubesolve.solvers.distribution import Distribution
from cubesolve.solvers.solution import Solution
from cubesolve.solvers.solver import Solver
from cubesolve.solvers.sources import random_source

if TYPE_CHECKING:
    from cubesolve.solvers.keywords import DrawQuestion, Question, SolutionsQuestion, SolveQuestion, StatesQuestion
    from cubesolve.solvers.solver import Source

SCRAMBLED = ([*PINS][:SIDE], [name for name in PINS if name in {"U", "R", "D", "L", "ALL"}])
"""The moves of a scramble, before and after turning around; their hours determine the state, and it determines them."""

_LEAST_MOVES = 2  # of an official scramble, regulation 4b3


class ClockSolver(Solver):
    """Answers about Rubik's Clock."""

    rules: ClockRules

    @property
    def moves(self) -> Sequence[str]:
        return tuple(str(Turn(name, hours)) for name in PINS for hours in range(1, HOURS))

    @property
    def states(self) -> int:
        return STATES

    def depth(self, state: Any, goal: Any = None, **question: Unpack[Question]) -> int:
        return self._found(state, goal, question)[0]

    def solve(self, state: Any, goal: Any = None, **question: Unpack[SolveQuestion]) -> Solution:
        depth, found = self._found(state, goal, question)
        return Solution(next(_written(found)), depth, self.rules, state)

    def solutions(self, state: Any, goal: Any = None, **question: Unpack[SolutionsQuestion]) -> Iterator[str]:
        named = dict[str, Any](question)
        if integer("slack", named.pop("slack", 0), 0):
            raise ValueError(f"slack is not supported for the {self.rules.title}")
        return _written(self._found(state, goal, named)[1])

    def count_solutions(self, state: Any, goal: Any = None, **question: Unpack[Question]) -> int:
        return sum(1 for _ in _written(self._found(state, goal, question)[1]))

    def optimal_moves(self, state: Any, goal: Any = None, **question: Unpack[Question]) -> list[str]:
        found = [way for way in self._found(state, goal, question)[1] if way.front or way.back]
        first = {str(turn) for way in found for turn in way.front}
        around = any(way.back for way in found)
        return [*(move for move in self.moves if move in first), *([AROUND] if around else [])]

    def distribution(self, **question: Unpack[StatesQuestion]) -> Distribution:
        if question.get("count"):
            return super().distribution(**question)
        self._refuse({name: value for name, value in question.items() if value is not None}, ("metric", "count"))
        self.rules.require_metric(question.get("metric"))
        return Distribution(DISTRIBUTION)

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
            front, back = ([str(Turn(name, source.randrange(HOURS))) for name in names] for names in SCRAMBLED)
            alg = " ".join([*front, AROUND, *back])
            try:
                self.depth(alg, **named, max_depth=_LEAST_MOVES - 1)  # which takes no table of sums
            except SearchLimitError as error:
                if error.at_least < _LEAST_MOVES:  # the time is over
                    raise
                return alg

    # -- Solving -------------------------------------------------------------------------------------------------------

    def _metric(self, named: Mapping[str, Any]) -> str:
        self._refuse(named, ("metric",))
        return self.rules.require_metric(named.get("metric"))

    def _found(self, state: Any, goal: Any, question: Mapping[str, Any]) -> tuple[int, Iterator[_Way]]:
        """Return the depth and the optimal solutions; they lead to the goal however it is held, and turn it around."""
        named, search = split(question)
        self._metric(named)
        given = self.rules.read(state).hours
        target = None if goal is None else self.rules.read(goal).hours
        self._tables.require_open()
        require_within(0, search)
        if target is None and not any(given):
            return 0, iter([_Way([], [], is_around=False)])
        from cubesolve.catalog.clock.optimal import optimal  # noqa: PLC0415  # needs numpy

        if target is None:
            found = optimal(given, search)
            return found.depth, (_Way(front, back, is_around=bool(back)) for front, back in found.algs())
        both = [
            (optimal(tuple((a - b) % HOURS for a, b in zip(given, there, strict=True)), search), around)
            for there, around in ((target, False), (turned_around(target), True))
        ]
        depth = min(found.depth for found, _ in both)
        nearest = [(found, around) for found, around in both if found.depth == depth]
        return depth, (_Way(front, back, is_around) for found, is_around in nearest for front, back in found.algs())


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
