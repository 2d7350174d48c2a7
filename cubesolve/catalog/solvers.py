"""Which solver answers for which kind of puzzle."""

from __future__ import annotations

from cubesolve.solvers.solver import Solver
from cubesolve.spaces.rules import Rules
from cubesolve.store.tables import Tables


def solver_of(rules: Rules, tables: Tables) -> Solver:
    """Return what answers questions about a puzzle from its tables.

    >>> from cubesolve.catalog import rules_named
    >>> solver_of(rules_named("pocket"), Tables(None)).depth("WWWW BBRR RRGG YYYY GGOO OOBB")
    1
    """
    return _kind_of_solver(rules)(rules, tables)


def _kind_of_solver(rules: Rules) -> type[Solver]:
    # A process is asked about one puzzle; the modules of all kinds would take up to 50 ms.
    match rules.kind:
        case "ranked":
            from cubesolve.solvers.table import TableSolver  # noqa: PLC0415  # one kind

            return TableSolver
        case "derived":
            from cubesolve.solvers.derived import DerivedSolver  # noqa: PLC0415  # one kind

            return DerivedSolver
        case "goal":
            from cubesolve.solvers.goals import GoalSolver  # noqa: PLC0415  # one kind

            return GoalSolver
        case "goals":
            from cubesolve.solvers.nearest import NearestSolver  # noqa: PLC0415  # one kind

            return NearestSolver
    match rules.name:
        case "rolling":
            from cubesolve.catalog.rolling.solver import TraySolver  # noqa: PLC0415  # one kind

            return TraySolver
        case "rubik":
            from cubesolve.catalog.rubik.solver import RubikSolver  # noqa: PLC0415  # one kind

            return RubikSolver
    raise NotImplementedError(f"no solver for the puzzle {rules.name}")
