"""Solvers of puzzles with other goals."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable

from cubesolve.catalog import rules_named
from cubesolve.errors import UnknownPuzzleError
from cubesolve.solvers.goals import GoalSolver
from cubesolve.solvers.nearest import NearestSolver
from cubesolve.solvers.solver import Solver
from cubesolve.spaces.defined import DerivedRules, derived
from cubesolve.spaces.rules import Rules
from cubesolve.spaces.variants import GoalRules, NearestRules
from cubesolve.store.tables import Tables


def goal_solver(rules: GoalRules, tables: Tables, solver_of: Callable[[Rules, Tables], Solver]) -> Solver:
    """Return the solver of a puzzle with another goal; `solver_of` returns that of any puzzle."""
    whole = functools.partial(_whole_solver, rules, tables, solver_of)
    if isinstance(rules, NearestRules):
        return NearestSolver(rules, tables, whole)
    return GoalSolver(rules, tables, whole)


def _whole_solver(rules: GoalRules, tables: Tables, solver_of: Callable[[Rules, Tables], Solver]) -> Solver:
    """Return the solver of a puzzle without its goal: that which ships, unless its moves are others.

    Its solutions should not end in another orientation of the solved puzzle, which does not fulfil the goal.
    """
    whole: Rules = rules.whole
    with contextlib.suppress(UnknownPuzzleError):
        shipped = rules_named(whole.name)
        if derived(shipped) == whole:
            whole = shipped
    if whole.kind == "derived" and rules.whole.definition.rotations:
        held = rules.whole.definition._replace(rotations={})
        whole = DerivedRules(rules.whole.view, held, title=whole.title, spoken=whole.spoken)
    return solver_of(whole, tables)
