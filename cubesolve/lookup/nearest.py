"""Answers about puzzles with several goals that tell too much together for one table: the nearest is taken."""

from __future__ import annotations

import contextlib
import heapq
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from cubesolve.arguments import integer
from cubesolve.deadline import check
from cubesolve.errors import SearchLimitError, UnsolvableStateError
from cubesolve.lookup.goals import GoalPuzzle, refuse_other
from cubesolve.lookup.questions import Puzzle
from cubesolve.lookup.solution import Solution
from cubesolve.lookup.sources import random_source
from cubesolve.rules.towards import NearestRules

if TYPE_CHECKING:
    from cubesolve.lookup.questions import Source
    from cubesolve.lookup.tables import Tables
    from cubesolve.rules.tables import TableEntry


class NearestPuzzle(Puzzle):
    """A puzzle with several goals, any of which will do; which states there are at each depth is not known."""

    rules: NearestRules
    lists_longer = True

    def __init__(self, rules: NearestRules, tables: Tables) -> None:
        super().__init__(rules, tables)
        self.parts = [GoalPuzzle(part, tables) for part in rules.parts]

    @property
    def moves(self) -> Sequence[str]:
        """See `Puzzle.moves`."""
        return self.parts[0].moves

    @property
    def states(self) -> int:
        """See `Puzzle.states`: all of the puzzle, held in all ways to which moves lead.

        Raises:
            ValueError: it is not known how many these are.
        """
        number = self.rules.reach.number if self.rules.reach else None
        if number is None:
            raise self._unknown("how many states there are", {})
        return number

    def depth(self, state: Any, goal: Any = None, **question: Any) -> int:
        """See `Puzzle.depth`."""
        return self._nearest(state, goal, question)[0]

    def solve(self, state: Any, goal: Any = None, **question: Any) -> Solution:
        """See `Puzzle.solve`: of the first of the nearest goals."""
        _, nearest = self._nearest(state, goal, question)
        return nearest[0].solve(state, **question)

    def solutions(self, state: Any, goal: Any = None, *, slack: int = 0, **question: Any) -> Iterator[str]:
        """See `Puzzle.solutions`: of those that count the same, the ones that reach one goal come after another's."""
        most = integer("slack", slack, 0) + self._nearest(state, goal, question)[0]
        found = []
        for part in self.parts:
            with contextlib.suppress(SearchLimitError, UnsolvableStateError):
                depth = part.depth(state, **{**question, "max_depth": most})
                found.append(part.solutions(state, slack=most - depth, **question))
            check()
        return _once(heapq.merge(*found, key=self._counted))

    def _counted(self, alg: str) -> int:
        return sum(self.rules.costs.get(move, 1) for move in self.rules.split(alg))

    def count_solutions(self, state: Any, goal: Any = None, **question: Any) -> int:
        """See `Puzzle.count_solutions`."""
        return sum(1 for _ in self.solutions(state, goal, **question))

    def _nearest(self, state: Any, goal: Any, question: dict[str, Any]) -> tuple[int, list[GoalPuzzle]]:
        """The least depth, and the puzzles with the goals that are so near."""
        refuse_other(goal)
        least, nearest = question.get("max_depth"), list[GoalPuzzle]()
        faults = list[SearchLimitError | UnsolvableStateError]()
        for part in self.parts:
            try:
                depth = part.depth(state, **{**question, "max_depth": least})
            except (SearchLimitError, UnsolvableStateError) as error:
                check()
                faults.append(error)
                continue
            nearest = [*nearest, part] if depth == least and nearest else [part]
            least = depth
        if least is not None and nearest:
            return least, nearest
        limits = [fault for fault in faults if isinstance(fault, SearchLimitError)]
        raise min(limits, key=lambda limit: limit.at_least) if limits else faults[0]

    def random_state(self, rng: Source = None, depth: int | None = None, **question: Any) -> Any:
        """See `Puzzle.random_state`; without a depth."""
        if depth is not None:
            raise self._unknown("a random state at a depth", question)
        return self.parts[0].random_state(random_source(rng), **question)

    def usual_tables(self) -> Sequence[TableEntry]:
        """See `Puzzle.usual_tables`: each goal has its own.

        Raises:
            ValueError: always.
        """
        raise self._unknown("one table", {})


def _once(algs: Iterable[str]) -> Iterator[str]:
    """Each alg when it comes first."""
    seen = set[str]()
    for alg in algs:
        if alg not in seen:
            seen.add(alg)
            yield alg


ANSWERS = NearestPuzzle
"""What answers questions about the puzzles that name this module."""
