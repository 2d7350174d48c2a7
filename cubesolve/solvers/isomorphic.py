"""Solutions of a puzzle that is the same as a known one under other names, by the solver of that (pure Python)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from cubesolve.deadline import Deadline, EndedError, current, running
from cubesolve.definitions.isomorphism import Isomorphism
from cubesolve.errors import SearchLimitError
from cubesolve.permutations import Permutation, after
from cubesolve.solvers.searched import FoundAlgs
from cubesolve.solvers.solution import Solution
from cubesolve.spaces.defined import DerivedRules, derived

if TYPE_CHECKING:
    from cubesolve.definitions.definition import Move
    from cubesolve.search.limits import SearchOptions
    from cubesolve.solvers.solver import Solver


class KnownPuzzle(NamedTuple):
    """A known puzzle, and how to look at the states of another one as those of it.

    Attributes:
        solver: its solver.
        isomorphism: how to look at the states.
    """

    solver: Solver
    isomorphism: Isomorphism

    @property
    def has_own_search(self) -> bool:
        """Whether optimal solutions of all states are found by a search for this puzzle alone."""
        return self.solver.rules.kind == "own" and all(len(word) == 1 for word in self.isomorphism.moves.values())

    def solutions(self, change: Permutation) -> Iterator[list[str]]:
        """Yield shorter and shorter solutions of the state of the other puzzle that a change makes, in some seconds.

        They may end in another orientation of the solved puzzle.

        Raises:
            EndedError: the current deadline has passed.
            UnsolvableStateError: no moves of the known puzzle solve it.
        """
        shortest: list[str] | None = None
        for found in map(self._renamed, self.solver.in_seconds(self._state(change))):
            if shortest is None or len(found) < len(shortest):
                shortest = found
                yield found

    def optimal(
        self, change: Permutation, search: SearchOptions, rules: DerivedRules, moves: Sequence[Move]
    ) -> FoundAlgs:
        """Return an optimal solution of the state of the other puzzle that a change makes of the solved one.

        Args:
            change: the change.
            search: the limits of the search.
            rules: the other puzzle, whose deadline gets the solutions that are found on the way.
            moves: its moves, by number.

        Raises:
            EndedError, SearchLimitError: the search ended at a limit.
            MissingTableError, NoMemoryError: there is no table for it.
        """
        deadline = current()
        moment = Deadline(within=deadline)
        try:
            with running(moment):
                found = self._renamed(self.solver.solve(self._state(change), **search))
        except (EndedError, SearchLimitError) as end:
            deadline.prove(moment.at_least)
            if moment.solution is not None:
                alg = " ".join(self._renamed(moment.solution))
                state = rules.labelling.state(after(rules.definition.solved[0], change))
                deadline.solution = Solution(alg, moment.at_least, rules, state)
            if isinstance(end, SearchLimitError):
                end.solution = deadline.solution
            raise
        numbers = {move.name: number for number, move in enumerate(moves)}
        return FoundAlgs(len(found), [tuple(numbers[name] for name in found)])

    def _state(self, change: Permutation) -> object:
        rules = derived(self.solver.rules)
        return rules.labelling.state(after(rules.definition.solved[0], self.isomorphism.of(change)))

    def _renamed(self, alg: str) -> list[str]:
        return [move for name in alg.split() for move in self.isomorphism.moves[name]]
