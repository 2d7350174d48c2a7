"""The table of solvers, by the kind of puzzle. Each is imported when a puzzle of its kind is asked about."""

from __future__ import annotations

import contextlib
import functools
import importlib
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
    from cubesolve.spaces.defined_graph import DerivedGraph
    from cubesolve.spaces.variants import GoalRules

_KNOWN = {"rubik": (12, 4), "fto": (16, 3), "4x4x4-layers": (24, 4), "4x4x4-blocks": (24, 4)}
"""Puzzles that files may define under other names, and whose long solutions are found at once; and the number of moves
of a certain order that all their definitions have, so that they are not loaded in vain."""

# A process is mostly asked about one puzzle, and would wait up to 50 ms for the modules of the others.
_SOLVERS = {
    "ranked": "solvers.table:TableSolver",
    "derived": "solvers.derived:DerivedSolver",
    "phased": "solvers.phased:PhasedSolver",
    "goal": "solvers.goals:GoalSolver",
    "goals": "solvers.nearest:NearestSolver",
    "clock": "catalog.clock.solver:ClockSolver",
    "rolling": "catalog.rolling.solver:TraySolver",
    "rubik": "catalog.rubik.solver:RubikSolver",
    "square1": "catalog.square1.solver:Square1Solver",
}
"""The solvers by kind of puzzle, and those of puzzles that have their own by name."""


def solver_of(rules: Rules[StateT], tables: Tables) -> Solver[StateT]:
    """Return the solver of a puzzle, which answers from some tables."""
    kind = rules.name if rules.kind == "own" else rules.kind
    module, name = _SOLVERS[kind].split(":")
    make = getattr(importlib.import_module(f"cubesolve.{module}"), name)
    if kind in {"goal", "goals"}:
        make = functools.partial(make, whole=functools.partial(_whole_solver, cast("GoalRules", rules), tables))
    elif kind == "derived":
        make = functools.partial(make, find_known=functools.partial(_known, tables))
    return cast("Solver[StateT]", make(rules, tables))


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
        puzzle = derived(rules_named(name))
        mapping = isomorphism(moves, solved, puzzle.graph().definition_moves, puzzle.definition.solved[0])
        if mapping is not None:
            return KnownPuzzle(solver_of(rules_named(name), tables), mapping, points, moves, solved)
    return None
