"""The table of solvers, by the kind of puzzle."""

from __future__ import annotations

from cubesolve.solvers.solver import Solver
from cubesolve.spaces.rules import Rules
from cubesolve.store.tables import Tables


def solver_of(rules: Rules, tables: Tables) -> Solver:
    """Return the solver of a puzzle, which answers from some tables.

    >>> from cubesolve.catalog import rules_named
    >>> solver_of(rules_named("pocket"), Tables(None)).depth("WWWW BBRR RRGG YYYY GGOO OOBB")
    1
    """
    return _kind_of_solver(rules)(rules, tables)


def _kind_of_solver(rules: Rules) -> type[Solver]:  # one for each kind
    # A process is mostly asked about one puzzle, and would wait up to 50 ms for the modules of the others.
    match rules.kind:
        case "ranked":
            from cubesolve.solvers.table import TableSolver  # noqa: PLC0415  # loaded on use

            return TableSolver
        case "derived":
            from cubesolve.solvers.derived import DerivedSolver  # noqa: PLC0415  # loaded on use

            return DerivedSolver
        case "phased":
            from cubesolve.solvers.phased import PhasedSolver  # noqa: PLC0415  # loaded on use

            return PhasedSolver
        case "free":
            from cubesolve.solvers.free import FreeSolver  # noqa: PLC0415  # loaded on use

            return FreeSolver
        case "goal" | "goals":
            return _goal_solver(rules)
    return _own_solver(rules)


def _goal_solver(rules: Rules) -> type[Solver]:
    if rules.kind == "goal":
        from cubesolve.solvers.goals import GoalSolver  # noqa: PLC0415  # loaded on use

        return GoalSolver
    from cubesolve.solvers.nearest import NearestSolver  # noqa: PLC0415  # loaded on use

    return NearestSolver


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
