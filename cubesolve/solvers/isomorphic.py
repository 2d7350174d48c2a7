"""Solutions of a puzzle that is the same as a known one under other names, by the solver of that (pure Python)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from cubesolve.definitions.isomorphism import Isomorphism
from cubesolve.spaces.defined import derived

if TYPE_CHECKING:
    from cubesolve.permutations import Arrangement
    from cubesolve.solvers.solver import Solver


class KnownPuzzle(NamedTuple):
    """A known puzzle, and how to look at the states of another one as those of it.

    Attributes:
        solver: its solver.
        isomorphism: how to look at the states.
    """

    solver: Solver
    isomorphism: Isomorphism

    def solutions(self, state: Arrangement) -> Iterator[list[str]]:
        """Yield shorter and shorter solutions of a state of the other puzzle, which take some seconds.

        They may end in another orientation of the solved puzzle.

        Raises:
            EndedError: the current deadline has passed.
            UnsolvableStateError: no moves of the known puzzle solve it.
        """
        rules = derived(self.solver.rules)
        names = [move.name for move in rules.graph().definition_moves]
        written = dict(zip(names, self.isomorphism.moves, strict=True))
        for found in self.solver.in_seconds(rules.labelling.state(self.isomorphism.of(state))):
            yield [written[move] for move in found.split()]
