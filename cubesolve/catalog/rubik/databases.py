"""Pattern databases of the 3x3x3: opening them (needs numpy)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cubesolve.catalog.rubik.kernels import deepen
from cubesolve.catalog.rubik.optimal import OptimalSolver
from cubesolve.catalog.rubik.projections import projection
from cubesolve.definition.notation import FACES, metric_moves
from cubesolve.encodings import base_of
from cubesolve.encodings.packed import enumerate_packed
from cubesolve.runtime.kernels import compile_meanwhile, is_ready
from cubesolve.runtime.prepared import cached
from cubesolve.spaces.tables import TableEntry

if TYPE_CHECKING:
    from cubesolve.store.tables import Body


def open_solver(entry: TableEntry, body: Body) -> OptimalSolver:
    """Return a solver that uses a pattern database."""
    assert entry.label is not None  # it is a pattern database
    table = np.frombuffer(body, np.uint8)
    return OptimalSolver(entry.header.metric, projection(entry.label), table, base_of(entry.header))


def is_compiling() -> bool:
    """Begin to compile the search in another process if necessary; return whether a search has to wait for it."""
    compile_meanwhile(deepen)
    return not is_ready(deepen)


@cached(2)
def near_solver(metric: str) -> OptimalSolver:
    """Return a solver for cubes of small depth; its table is made within a second."""
    base = 5
    compile_meanwhile(deepen)  # the table itself takes less time than its kernels
    slices = projection("none", with_flips=False)
    table, _ = enumerate_packed(slices.space(metric_moves(metric, FACES)), base)
    return OptimalSolver(metric, slices, table, base)
