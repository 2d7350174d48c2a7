"""Scrambles for practising a step: the step needs a given number of moves, and all else is random.

>>> from cubesolve import puzzle
>>> pocket = puzzle("pocket")
>>> scrambled = [pocket.parse(alg, "alg") for alg in step_scrambles(pocket, 2, 7, goal="first-layer", depth=3)]
>>> [pocket.towards("first-layer").depth(state) for state in scrambled]
[3, 3]
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cubesolve.arguments import integer
from cubesolve.errors import SearchLimitError
from cubesolve.solvers.sources import random_source
from cubesolve.spaces.variants import GoalRules

if TYPE_CHECKING:
    import random

    from cubesolve.ask import Puzzle
    from cubesolve.solvers.solver import Source

_MOST_DRAWN = 100_000  # states
_LONGEST = 21  # moves of a scramble of a puzzle that need not be solved optimally


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
    return (_leading_to(puzzle, states.drawn(source)) for _ in range(number))


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
            state = self._solving(self._step, self._puzzle.random_state(source))
            return self._after(state, self._step.scramble(source, depth=self._depth, **self._question))
        for _ in range(_MOST_DRAWN):
            state = self._any(source)
            if self._is_at_depth(self._step, state):
                return state
        raise ValueError(f"no state at depth {self._depth} was found among {_MOST_DRAWN:,} states")

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


def _leading_to(puzzle: Puzzle[Any], state: Any) -> str:
    """Return an alg from the solved state, as short as is quick."""
    solved = puzzle.rules.view.solved(state)
    is_quick = any(option.name == "max_length" for option in puzzle.rules.options)
    return str(puzzle.solve(solved, state, max_length=_LONGEST) if is_quick else puzzle.solve(solved, state))
