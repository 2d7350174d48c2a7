"""The table of solvers, by the kind of puzzle."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, cast

from cubesolve.definition.state import StateT
from cubesolve.solvers.solver import Solver
from cubesolve.spaces.rules import Rules
from cubesolve.store.tables import Tables

if TYPE_CHECKING:
    from cubesolve.solvers.isomorphic import KnownPuzzle
    from cubesolve.spaces.defined import DerivedGraph, DerivedRules
    from cubesolve.spaces.variants import GoalRules


def solver_of(rules: Rules[StateT], tables: Tables) -> Solver[StateT]:
    """Return the solver of a puzzle, which answers from some tables.

    >>> from cubesolve.catalog import rules_named
    >>> solver_of(rules_named("pocket"), Tables(None)).depth("WWWW BBRR RRGG YYYY GGOO OOBB")
    1
    """
    if rules.kind in {"goal", "goals"}:
        from cubesolve.catalog.solvers.goals import goal_solver  # noqa: PLC0415  # loaded on use

        return goal_solver(cast("GoalRules", rules), tables, solver_of)
    if rules.kind == "derived":
        from cubesolve.solvers.derived import DerivedSolver  # noqa: PLC0415  # loaded on use

        return DerivedSolver(cast("DerivedRules", rules), tables, functools.partial(_known, tables))
    return _kind_of_solver(rules)(rules, tables)


def _known(tables: Tables, graph: DerivedGraph) -> KnownPuzzle | None:
    from cubesolve.catalog.solvers.known import known_puzzle  # noqa: PLC0415  # loaded on use

    return known_puzzle(tables, graph, solver_of)


def _kind_of_solver(rules: Rules) -> type[Solver]:  # one for each kind
    # A process is mostly asked about one puzzle, and would wait up to 50 ms for the modules of the others.
    match rules.kind:
        case "ranked":
            from cubesolve.solvers.table import TableSolver  # noqa: PLC0415  # loaded on use

            return TableSolver
        case "phased":
            from cubesolve.solvers.phased import PhasedSolver  # noqa: PLC0415  # loaded on use

            return PhasedSolver
    return _own_solver(rules)


def _own_solver(rules: Rules) -> type[Solver]:
    match rules.name:
        case "clock":
            from cubesolve.catalog.clock.solver import ClockSolver  # noqa: PLC0415  # loaded on use

            return ClockSolver
        case "rolling":
            from cubesolve.catalog.rolling.solver import TraySolver  # noqa: PLC0415  # loaded on use

            return TraySolver
        case "rubik":
            from cubesolve.catalog.rubik.solver import RubikSolver  # noqa: PLC0415  # loaded on use

            return RubikSolver
        case "square1":
            from cubesolve.catalog.square1.solver import Square1Solver  # noqa: PLC0415  # loaded on use

            return Square1Solver
    raise NotImplementedError(f"no solver for the puzzle {rules.name}")
