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
    """A puzzle whose states are solved through a chain of subgroups; see `search.phases`."""

    kind: SolverKind = "phased"
    usual_length: int

    def __init__(
        self,
        view: DefinedView,
        phases: Callable[[Definition], Sequence[Phase]],
        *,
        usual_length: int,
        scramble_depth: int = 0,
    ) -> None:
        """Take a view, a function of a module that returns the phases, and facts about scrambles."""
        super().__init__(view, scramble_depth=scramble_depth)
        self._make_phases, self.usual_length = phases, usual_length

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
        made = functools.partial(type(self), usual_length=self.usual_length, scramble_depth=self.scramble_depth)
        return made, (self.view, self._make_phases)
