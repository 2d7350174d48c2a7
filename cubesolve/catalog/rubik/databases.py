"""Opens pattern databases of the 3x3x3, and returns lower bounds from them (needs numba)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cubesolve.catalog.rubik.batches import read_batch
from cubesolve.catalog.rubik.bounds import read_cubes
from cubesolve.catalog.rubik.cube import RubikCube
from cubesolve.catalog.rubik.kernels import deepen
from cubesolve.catalog.rubik.optimal import OptimalSolver
from cubesolve.catalog.rubik.projections import projection
from cubesolve.catalog.rubik.rules import FACELET_SHAPES, FACELETS
from cubesolve.encodings.packed import base_of
from cubesolve.encodings.packed.enumeration import enumerate_packed
from cubesolve.jobs import kept
from cubesolve.kernels import compile_meanwhile
from cubesolve.metrics import changes_parity
from cubesolve.notation import FACES, metric_moves
from cubesolve.solvers.faults import NAMED, invalid_rows
from cubesolve.spaces.tables import UNREACHABLE, TableEntry

if TYPE_CHECKING:
    from cubesolve.catalog.rubik.rules import RubikRules
    from cubesolve.store.tables import Body

_COLOURS = 256  # numbers from 0 that an array may have as colours


def open_solver(entry: TableEntry, body: Body) -> OptimalSolver:
    """A solver that uses a pattern database."""
    assert entry.label is not None  # as it is a pattern database
    table = np.frombuffer(body, np.uint8)
    return OptimalSolver(entry.header.metric, projection(entry.label), table, base_of(entry.header))


@kept(2)
def near_solver(metric: str) -> OptimalSolver:
    """A solver for cubes that need few moves; its table is made in no time."""
    base = 5
    compile_meanwhile(deepen)  # takes longer than the kernels that make the table
    slices = projection("none", with_flips=False)
    table, _ = enumerate_packed(slices.space(metric_moves(metric, FACES)), base)
    return OptimalSolver(metric, slices, table, base)


def bounds(
    solver: OptimalSolver, rules: RubikRules, batch: Any, masking: bool, workers: int | None
) -> NDArray[np.uint8]:
    """Return the six lower bounds of each cube of a batch; see `Puzzle.bounds`.

    Args:
        solver: the pattern database.
        rules: the puzzle.
        batch: the cubes.
        masking: whether invalid cubes get 255 instead of an error.
        workers: number of threads.

    Raises:
        InvalidStateError: some cubes are invalid and not masked.
    """
    pairs, parities, valid = read_cubes(_facelets(rules, batch, "mask" if masking else "raise"), workers)
    wrong = [] if masking else (~valid).nonzero()[0].tolist()
    if wrong:
        faults = read_batch(rules, batch[wrong[:NAMED]], "mask")
        raise invalid_rows(list(zip(wrong, faults, strict=False)), len(wrong), len(valid))
    found = solver.bounds_of(pairs, workers)
    if changes_parity(solver.metric):  # distances are odd or even with the permutation of the corners
        found += found & 1 ^ parities[:, None]
    found[~valid] = UNREACHABLE
    return found


def _facelets(rules: RubikRules, batch: Any, invalid: str) -> NDArray[np.uint8]:
    """uint8 (N, 54): the facelets of a batch; nothing that is a cube, where something is none and is to be masked."""
    if isinstance(batch, np.ndarray) and batch.dtype.kind in "iu" and batch.shape[1:] in FACELET_SHAPES:
        rows = batch.reshape(len(batch), FACELETS)
        if batch.dtype != np.uint8:
            rows = np.where((rows >= 0) & (rows < _COLOURS), rows, 0)
        return np.ascontiguousarray(rows, np.uint8)
    cubes = read_batch(rules, batch, invalid)
    facelets = [each.facelets if isinstance(each, RubikCube) else " " * FACELETS for each in cubes]
    numbers = [[text[4::9].find(symbol) for symbol in text] for text in facelets]
    return np.array(numbers, np.uint8).reshape(-1, FACELETS)
