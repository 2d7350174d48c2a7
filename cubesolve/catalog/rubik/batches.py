"""Batches of 3x3x3 cubes: reading them, and solving one cube after the other or by an executor."""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any

from cubesolve.catalog.rubik.cube import RubikCube
from cubesolve.errors import InvalidStateError
from cubesolve.runtime.arguments import Keywords
from cubesolve.solvers.faults import InvalidState, read_each
from cubesolve.solvers.many import Answer, solve_elsewhere, solve_here

if TYPE_CHECKING:
    from cubesolve.catalog.rubik import RubikRules
    from cubesolve.catalog.rubik.solver import RubikSolver

_SYMBOLS = 0x20000  # the first of a range of characters that stand for numbers


def read_batch(rules: RubikRules, batch: object, invalid: str) -> list[RubikCube | InvalidState]:
    """Return the cubes of a batch, with an error in the place of each invalid one."""
    return read_each(_listed(batch), rules.view.read_row, invalid)


def solve_each(
    solver: RubikSolver, cubes: Sequence[RubikCube], executor: Executor | None, question: Keywords
) -> list[Answer]:
    """Return a solution of each cube, found here or by an executor, or the error that explains why there is none."""
    if executor is not None:
        return solve_elsewhere(solver, cubes, executor, question)
    return [solve_here(solver, cube, question) for cube in cubes]


def _listed(batch: Any) -> list[object]:
    """Yield the states of a batch one by one; numbers as colours become symbols."""
    kind = getattr(getattr(batch, "dtype", None), "kind", "O")
    if isinstance(batch, type) or not hasattr(batch, "__iter__") or getattr(batch, "shape", None) == ():
        raise InvalidStateError(f"cubes must be a list or an array, not of the type {type(batch).__name__}", "type")
    states = list(batch.reshape(len(batch), math.prod(batch.shape[1:])).tolist()) if kind in "iu" else list(batch)
    if kind not in "iu":
        return [each.decode("latin-1") if isinstance(each, bytes) else each for each in states]
    return ["".join(str(n) if 0 <= n < 10 else chr(_SYMBOLS + n % 0x10000) for n in facelets) for facelets in states]
