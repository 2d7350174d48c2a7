"""Scrambles for practising a step, which needs a given number of moves, or a case; all else is random.

>>> from cubesolve import puzzle
>>> pocket = puzzle("pocket")
>>> scrambled = [pocket.parse(alg, "alg") for alg in step_scrambles(pocket, 2, 7, goal="first-layer", depth=3)]
>>> [pocket.towards("first-layer").depth(state) for state in scrambled]
[3, 3]
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cubesolve.arguments import integer
from cubesolve.deadline import check
from cubesolve.definitions.definition import Move, is_plain
from cubesolve.errors import MissingTableError, SearchLimitError, TooLargeError
from cubesolve.permutations import Arrangement, after
from cubesolve.solvers.sources import random_source
from cubesolve.spaces.variants import GoalRules

if TYPE_CHECKING:
    import random

    from cubesolve.ask import Puzzle
    from cubesolve.solvers.solver import Source

_MOST_DRAWN = 100_000  # states
_MOST_NEAR = 1 << 16  # listed arrangements of a step at a depth


def step_scrambles(
    puzzle: Puzzle[Any],
    number: int,
    rng: Source = None,
    *,
    goal: str | None = None,
    depth: int | None = None,
    solved: str | None = None,
    **question: Any,
) -> Iterator[str]:
    """Yield scrambles that lead to uniformly random states at a depth of a step.

    Args:
        puzzle: the puzzle as a whole.
        number: the number of scrambles.
        rng: a source of random numbers, or a seed for one; by default the system's randomness.
        goal: the step, as for `Puzzle.towards`.
        depth: the number of moves that it needs; by default any.
        solved: another step that is solved already. With a cross, for example, the pairs remain.
        **question: the keywords of the question about the step, such as its metric.

    Raises:
        ValueError: a goal is invalid, a depth is given without one, or no state at the depth was found.

    >>> from cubesolve import puzzle
    >>> pocket = puzzle("pocket")
    >>> (alg,) = step_scrambles(pocket, 1, 7, solved="first-layer")
    >>> pocket.towards("first-layer").depth(pocket.parse(alg, "alg"))
    0
    """
    if depth is not None and goal is None:
        raise ValueError("a depth requires a goal")
    source = random_source(rng)
    step = None if goal is None or depth is None else puzzle.towards(goal)
    done = None if solved is None else puzzle.towards(solved)
    wanted = 0 if depth is None else integer("depth", depth, 0)
    states = _Drawing(puzzle, step, wanted, done, question)
    return (setups(puzzle, [states.drawn(source)])[0] for _ in range(number))


def case_scrambles(
    puzzle: Puzzle[Any], number: int, rng: Source = None, *, cases: str, which: str | None = None
) -> list[str]:
    """Return scrambles that lead to uniformly random states of a set of cases, or of one of its cases.

    Pieces that the set ignores are random, too.

    Args:
        puzzle: the puzzle.
        number: the number of scrambles.
        rng: a source of random numbers, or a seed for one; by default the system's randomness.
        cases: the name of the set, one of `Puzzle.case_sets`.
        which: the name or number of the case; by default any.

    Raises:
        KeyError: there is no such case.
        ValueError: there is no such set.

    >>> from cubesolve import puzzle
    >>> pocket = puzzle("pocket")
    >>> (alg,) = case_scrambles(pocket, 1, 7, cases="cll", which="22")
    >>> pocket.cases("cll").find(alg).name
    '22'
    """
    source, found = random_source(rng), puzzle.cases(cases)
    return setups(puzzle, [found.random_state(source, which) for _ in range(number)])


def setups(puzzle: Puzzle[Any], states: Sequence[Any]) -> list[str]:
    """Return an alg that leads from the solved state to each of some states, in their orientation.

    The algs are shortest ones, but for puzzles of which any solution is found at once.

    >>> from cubesolve import puzzle
    >>> setups(puzzle("pyraminx"), ["U L'"])
    ["U L'"]
    """
    question: dict[str, Any] = {"max_length": puzzle.rules.usual_length}
    if question["max_length"] is None:
        return [puzzle.alg(state) for state in states]
    together = puzzle.solver.solve_together(states, **question)
    algs = (alg or puzzle.solve(state, **question) for state, alg in zip(states, together, strict=True))
    return [puzzle.rules.view.invert(alg) for alg in algs]


class _Drawing:
    """The states at a depth of a step, or all states, in which another step is solved.

    All arrangements of the pieces of a step leave the others equally many arrangements. So a random state, in which the
    step is then solved and an optimal alg for it undone, is uniformly random if the arrangement of this alg is.
    """

    def __init__(
        self,
        puzzle: Puzzle[Any],
        step: Puzzle[Any] | None,
        depth: int,
        done: Puzzle[Any] | None,
        question: dict[str, Any],
    ) -> None:
        self._puzzle, self._step, self._depth, self._done, self._question = puzzle, step, depth, done, question

    def drawn(self, source: random.Random) -> Any:
        """Return a uniformly random state.

        Raises:
            ValueError: none was found.
        """
        if self._step is None:
            return self._any(source)
        if self._done is None and self._has_one_solved_state(self._step):
            state, alg = self._puzzle.random_state(source), self._alg(self._step, source)
            if alg is not None:
                return self._after(self._solving(self._step, state), alg)
        for _ in range(_MOST_DRAWN):
            state = self._any(source)
            if self._is_at_depth(self._step, state):
                return state
        raise ValueError(f"no state at depth {self._depth} was found among {_MOST_DRAWN:,} states")

    def _alg(self, step: Puzzle[Any], source: random.Random) -> str | None:
        """Return an alg to a random arrangement of a step at the depth; None if there are too many."""
        if self._depth == 0:
            return ""
        try:
            return step.scramble(source, depth=self._depth, **self._question)
        except (MissingTableError, TooLargeError):
            return self._walk(source) if self._levels else None

    def _walk(self, source: random.Random) -> str | None:
        """Return an alg to a random arrangement at the depth, by a random move from a random one at the depth before.

        An arrangement that is reached from several is accepted less often, so that all are equally likely.
        """
        *_, before, level = self._levels
        places = list(level)
        for _ in range(_MOST_DRAWN):
            move = source.choice(self._moves)
            there = after(place := source.choice(places), move.cases[0].sources)
            if there not in level and there not in before:
                ways = sum(after(there, each.cases[0].sources) in level for each in self._moves)
                if source.randrange(ways) == 0:
                    return f"{level[place]} {move.name}"
        return None

    @property
    def _rules(self) -> GoalRules:
        assert self._step is not None
        assert isinstance(self._step.rules, GoalRules)
        return self._step.rules

    @functools.cached_property
    def _moves(self) -> Sequence[Move]:
        return self._rules.definition.moves(self._question.get("metric") or self._rules.metrics[0])

    @functools.cached_property
    def _levels(self) -> Sequence[Mapping[Arrangement, str]]:
        """The arrangements of the step at each lower depth, with an alg to each; none if there are too many."""
        levels: list[dict[Arrangement, str]] = [{}, {self._rules.definition.solved[0]: ""}]
        if self._rules.costs or not all(is_plain(move.cases) for move in self._moves):
            return ()
        while len(levels) <= self._depth:
            level = dict[Arrangement, str]()
            for place, alg in levels[-1].items():
                check()
                for move in self._moves:
                    there = after(place, move.cases[0].sources)
                    if there not in levels[-1] and there not in levels[-2]:
                        level.setdefault(there, f"{alg} {move.name}")
                if len(level) > _MOST_NEAR:
                    return ()
            levels.append(level)
        return levels

    def _any(self, source: random.Random) -> Any:
        state = self._puzzle.random_state(source)
        return state if self._done is None else self._solving(self._done, state)

    def _solving(self, step: Puzzle[Any], state: Any) -> Any:
        return self._after(state, str(step.solve(state)))

    def _after(self, state: Any, alg: str) -> Any:
        for move in self._puzzle.rules.view.split(alg):
            state = self._puzzle.rules.view.after(state, move)
        return state

    def _is_at_depth(self, step: Puzzle[Any], state: Any) -> bool:
        try:
            return step.depth(state, max_depth=self._depth, **self._question) == self._depth
        except SearchLimitError as error:
            if error.at_least <= self._depth:
                raise
            return False

    @staticmethod
    def _has_one_solved_state(step: Puzzle[Any]) -> bool:
        rules = step.rules
        return isinstance(rules, GoalRules) and rules.kind == "goal" and len(rules.definition.solved) == 1
