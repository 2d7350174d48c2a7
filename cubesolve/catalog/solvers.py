"""The table of solvers, by the kind of puzzle. Each is imported when a puzzle of its kind is asked about."""

from __future__ import annotations

import contextlib
import functools
from collections import Counter
from typing import TYPE_CHECKING, cast

from cubesolve.catalog import rules_named
from cubesolve.definition.state import StateT
from cubesolve.errors import UnknownPuzzleError
from cubesolve.group.permutations import order
from cubesolve.solvers.solver import Solver
from cubesolve.spaces.rules import Rules
from cubesolve.store.tables import Tables

if TYPE_CHECKING:
    from cubesolve.solvers.isomorphic import KnownPuzzle
    from cubesolve.spaces.defined import DerivedGraph, DerivedRules
    from cubesolve.spaces.variants import GoalRules

_KNOWN = {"rubik": (12, 4), "fto": (16, 3), "4x4x4-layers": (24, 4), "4x4x4-blocks": (24, 4)}
"""Puzzles that files may define under other names, and whose long solutions are found at once; and the number of moves
of a certain order that all their definitions have, so that they are not loaded in vain."""


def solver_of(rules: Rules[StateT], tables: Tables) -> Solver[StateT]:
    """Return the solver of a puzzle, which answers from some tables."""
    if rules.kind in {"goal", "goals"}:
        return _goal_solver(cast("GoalRules", rules), tables)
    if rules.kind == "derived":
        from cubesolve.solvers.derived import DerivedSolver  # noqa: PLC0415  # loaded on use

        return DerivedSolver(cast("DerivedRules", rules), tables, functools.partial(_known, tables))
    return _kind_of_solver(rules)(rules, tables)


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


# -- Puzzles with other goals ------------------------------------------------------------------------------------------


def _goal_solver(rules: GoalRules, tables: Tables) -> Solver:
    from cubesolve.solvers.goals import GoalSolver  # noqa: PLC0415  # loaded on use
    from cubesolve.solvers.nearest import NearestSolver  # noqa: PLC0415  # loaded on use
    from cubesolve.spaces.variants import NearestRules  # noqa: PLC0415  # loaded on use

    whole = functools.partial(_whole_solver, rules, tables)
    if isinstance(rules, NearestRules):
        return NearestSolver(rules, tables, whole)
    return GoalSolver(rules, tables, whole)


def _whole_solver(rules: GoalRules, tables: Tables) -> Solver:
    """Return the solver of a puzzle without its goal: that which ships, unless its moves are others.

    Its solutions should not end in another orientation of the solved puzzle, which does not fulfil the goal.
    """
    from cubesolve.spaces.defined import DerivedRules, derived  # noqa: PLC0415  # loaded on use

    whole: Rules = rules.whole
    with contextlib.suppress(UnknownPuzzleError):
        shipped = rules_named(whole.name)
        if derived(shipped) == whole:
            whole = shipped
    if whole.kind == "derived" and rules.whole.definition.rotations:
        held = rules.whole.definition._replace(rotations={})
        whole = DerivedRules(rules.whole.view, held, title=whole.title, spoken=whole.spoken)
    return solver_of(whole, tables)


# -- Puzzles from files that are those of the catalog under other names ------------------------------------------------


def _known(tables: Tables, graph: DerivedGraph) -> KnownPuzzle | None:
    """Return the puzzle of the catalog that is the same as one from a file, if its long solutions are found at once."""
    from cubesolve.group.isomorphism import alike, isomorphism  # noqa: PLC0415  # loaded on use
    from cubesolve.group.moves import Effect, is_plain  # noqa: PLC0415  # loaded on use
    from cubesolve.solvers.isomorphic import KnownPuzzle  # noqa: PLC0415  # loaded on use
    from cubesolve.spaces.defined import derived  # noqa: PLC0415  # loaded on use

    definition, moves = graph.rules.definition, graph.definition_moves
    if not all(is_plain(move.effects) for move in moves):
        return None
    changes = [move.effects[0].sources for move in moves]
    orders = Counter(map(order, changes))
    names = [name for name, (number, times) in _KNOWN.items() if orders[times] >= number]
    if not names:
        return None
    points = alike([*changes, *definition.rotations.values()], definition.solved[0])
    moves = tuple(move._replace(effects=(Effect(points.change(move.effects[0].sources)),)) for move in moves)
    solved = points.labels(definition.solved[0])
    for name in names:
        known = derived(rules_named(name))
        found = isomorphism(moves, solved, known.graph().definition_moves, known.definition.solved[0])
        if found is not None:
            solver = solver_of(rules_named(name), tables)
            solver.builds_tables = True  # as those of other searches
            return KnownPuzzle(solver, found, points, moves, solved)
    return None
