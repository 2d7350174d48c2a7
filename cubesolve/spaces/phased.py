"""Puzzles with phases: long solutions are found at once, optimal ones by other searches (pure Python)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from cubesolve.definitions.definition import Definition
from cubesolve.definitions.options import MAX_LENGTH, Option
from cubesolve.definitions.phases import Phase
from cubesolve.definitions.view import DefinedView
from cubesolve.spaces.defined import DerivedRules
from cubesolve.spaces.rules import SolverKind


class PhasedRules(DerivedRules):
    """A puzzle whose states are solved through a chain of subgroups; see `search.phases`.

    Attributes:
        usual_length: the number of moves within which nearly all states are solved at once.
        scramble_nodes: the number of nodes of the search that makes a scramble short.
        rotations: algs of rotations that take the groups of the phases to others, and the solved puzzle to others than
            those in which the last phase may end; by default all rotations are tried.
    """

    kind: SolverKind = "phased"

    def __init__(
        self,
        view: DefinedView,
        phases: Callable[[Definition], Sequence[Phase]],
        *,
        usual_length: int,
        scramble_depth: int = 0,
        scramble_nodes: int = 1 << 21,
        rotations: Sequence[str] = (),
    ) -> None:
        """Take a view, a function of a module that returns the phases, and facts about scrambles."""
        super().__init__(view, scramble_depth=scramble_depth)
        self._make_phases, self.usual_length = phases, usual_length
        self.scramble_nodes, self.rotations = scramble_nodes, rotations

    @functools.cached_property
    def phases(self) -> Sequence[Phase]:
        """The phases."""
        return self._make_phases(self.definition)

    @property
    def options(self) -> Sequence[Option]:
        """The options of questions about it on the command line."""
        text = f"Accept any solution of at most N moves; one of {self.usual_length} is found at once."
        return [*super().options, MAX_LENGTH._replace(help=text)]

    def __reduce__(self) -> tuple[Any, ...]:
        names = ("usual_length", "scramble_depth", "scramble_nodes", "rotations")
        made = functools.partial(type(self), **{name: getattr(self, name) for name in names})
        return made, (self.view, self._make_phases)
