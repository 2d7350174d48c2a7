"""Answers about puzzles with moves of cost 0: how many states are at each distance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from cubesolve.errors import CubesolveError
from cubesolve.solvers.derived import DerivedSolver
from cubesolve.solvers.distribution import Distribution
from cubesolve.solvers.solver import Solver
from cubesolve.spaces.defined import DerivedRules

if TYPE_CHECKING:
    from cubesolve.solvers.counting import Count, Counted
    from cubesolve.solvers.keywords import Question, SolutionsQuestion, SolveQuestion, StatesQuestion
    from cubesolve.solvers.solution import Solution
    from cubesolve.solvers.state_arrays import StateArrays
    from cubesolve.solvers.workbench import Workbench
    from cubesolve.store.tables import Tables


class FreeSolver(Solver):
    """Answers about a puzzle some moves of which cost nothing, whose states are counted.

    Searches and tables need moves with costs, since moves without any lead round in circles at one depth.
    """

    rules: DerivedRules

    def __init__(self, rules: DerivedRules, tables: Tables) -> None:
        super().__init__(rules, tables)
        self._derived = DerivedSolver(rules, tables)

    @property
    def moves(self) -> Sequence[str]:
        return self._derived.moves

    @property
    def states(self) -> int:
        return self._derived.states

    def distribution(self, **question: Unpack[StatesQuestion]) -> Distribution:
        return self.count(**question).distribution

    def count(self, **question: Unpack[StatesQuestion]) -> Count:
        return self._derived.count(**question)

    def space_to_count(self, question: Mapping[str, Any], memory: int | None) -> Counted:
        return self._derived.space_to_count(question, memory)

    def workbench(self, metric: str | None) -> Workbench:  # noqa: ARG002
        raise self._unknown("heuristics")

    def state_arrays(self, question: Mapping[str, Any]) -> StateArrays:  # noqa: ARG002
        raise self._unknown("states as arrays")

    # -- Questions that searches and tables answer ---------------------------------------------------------------------

    def depth(self, state: object, goal: object = None, **question: Unpack[Question]) -> int:  # noqa: ARG002
        raise self._unsearched()

    def solve(self, state: object, goal: object = None, **question: Unpack[SolveQuestion]) -> Solution:  # noqa: ARG002
        raise self._unsearched()

    def solutions(self, state: object, goal: object = None, **question: Unpack[SolutionsQuestion]) -> Iterator[str]:  # noqa: ARG002
        raise self._unsearched()

    def count_solutions(self, state: object, goal: object = None, **question: Unpack[Question]) -> int:  # noqa: ARG002
        raise self._unsearched()

    def _unsearched(self) -> CubesolveError:
        return CubesolveError(f"{self.rules.title}: where moves cost 0, states are counted, and not solved")
