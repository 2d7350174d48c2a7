"""Puzzles from files that are those of the catalog under other names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from cubesolve.catalog import rules_named
from cubesolve.group.alike import alike
from cubesolve.group.isomorphism import isomorphism
from cubesolve.group.moves import Effect, is_plain
from cubesolve.group.permutations import order
from cubesolve.solvers.isomorphic import KnownPuzzle
from cubesolve.solvers.solver import Solver
from cubesolve.spaces.defined import DerivedGraph, derived
from cubesolve.spaces.rules import Rules
from cubesolve.store.tables import Tables

_KNOWN = {"rubik": (12, 4), "fto": (16, 3), "4x4x4-layers": (24, 4), "4x4x4-blocks": (24, 4)}
"""Puzzles that files may define under other names, and whose long solutions are found at once; and the number of moves
of a certain order that all their definitions have, so that they are not loaded in vain."""


def known_puzzle(
    tables: Tables, graph: DerivedGraph, solver_of: Callable[[Rules, Tables], Solver]
) -> KnownPuzzle | None:
    """Return the puzzle of the catalog that is the same as one from a file, if its long solutions are found at once."""
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
