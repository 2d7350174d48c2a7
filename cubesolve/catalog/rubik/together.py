"""Short solutions of several 3x3x3 cubes at once, by the two-phase search alone."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import TYPE_CHECKING

from cubesolve.catalog.rubik.cube import Cubies
from cubesolve.catalog.rubik.two_phase.kernels import Rows
from cubesolve.catalog.rubik.two_phase.search import NOT_FOUND, numbers_of, rows_of, solve_many
from cubesolve.definition.notation import FACES, metric_moves
from cubesolve.runtime.arguments import Keywords
from cubesolve.runtime.deadline import Deadline, EndedError, current, running

if TYPE_CHECKING:
    from cubesolve.catalog.rubik.solver import RubikSolver

_MOST_NODES = 1 << 22  # of a cube; `solve` searches the others, and applies the limits of each cube


def solve_together(solver: RubikSolver, cubes: Iterable[Cubies], question: Keywords) -> list[tuple[str, int] | None]:
    """Return the alg and the lower bound that `solve` finds for each cube; None if only `solve` can find them."""
    rows = rows_of(numbers_of(cubes))
    find(solver, rows, question)
    names = list(map(str, metric_moves("htm", FACES)))
    return [
        None if length == NOT_FOUND else (" ".join([names[move] for move in alg[:length]]), at_least)
        for alg, length, at_least in zip(*(each.tolist() for each in rows[1:]), strict=True)
    ]


def find(solver: RubikSolver, rows: Rows, question: Keywords) -> None:
    """Write the solutions of rows for which the two-phase search alone gives the answer of `solve`."""
    if not solver.solves_together(question):
        return
    deadline = Deadline(question.get("timeout"), question.get("cancel"), current())
    with contextlib.suppress(EndedError), running(deadline):
        solve_many(solver.two_phase_tables(), rows, question["max_length"], _MOST_NODES, question.get("workers"))
