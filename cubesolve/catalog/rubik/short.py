"""Short solutions of many 3x3x3 cubes, found in parallel; they are the solutions that `solve` returns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from cubesolve.catalog.rubik import LONGEST_TWO_PHASE
from cubesolve.catalog.rubik.arrays import CubeArrays, read_rows
from cubesolve.catalog.rubik.cube import Cubies, RubikCube
from cubesolve.catalog.rubik.kernels import EDGE_PAIRS
from cubesolve.catalog.rubik.pairs import pieces_of
from cubesolve.catalog.rubik.projections import CORNERS, EDGES
from cubesolve.catalog.rubik.two_phase.kernels import Rows
from cubesolve.catalog.rubik.two_phase.search import NOT_FOUND, find, rows_of
from cubesolve.definition.metrics import changes_parity
from cubesolve.definition.notation import FACES, metric_moves
from cubesolve.runtime.arguments import Keywords
from cubesolve.solvers.arrays import Solutions
from cubesolve.solvers.many import Answer, solve_elsewhere, solve_here

if TYPE_CHECKING:
    from cubesolve.catalog.rubik.solver import RubikSolver


def solve_batch(
    solver: RubikSolver, batch: object, masking: bool, workers: int | None, question: Keywords
) -> Solutions:
    """Return short solutions of a batch; see `Puzzle.solve_batch`.

    Args:
        masking: whether cubes that are invalid or not solved get 255 instead of an error.

    Raises:
        SearchLimitError: a cube was not solved within its limits, and this is not masked.
    """
    asked = dict(question)
    executor, metric = asked.pop("executor", None), asked.get("metric") or solver.rules.metrics[0]
    read = read_rows(solver.rules, batch, masking, workers)
    rows = _rows_of(read)
    if executor is None:
        find(solver, rows, {**asked, "workers": workers})
    width = LONGEST_TWO_PHASE * (2 if changes_parity(metric) else 1)
    moves, lengths = np.full((len(rows.cubes), width), NOT_FOUND, np.uint8), rows.lengths
    moves[:, :LONGEST_TWO_PHASE] = rows.moves
    numbers = {str(move): number for number, move in enumerate(metric_moves(metric, FACES))}
    left = (read.valid & (lengths == NOT_FOUND)).nonzero()[0].tolist()
    cubes = [RubikCube.from_cubies(_cubies(rows.cubes[row].tolist())) for row in left]
    if workers is not None:
        asked["workers"] = workers
    answers: Iterable[Answer] = (
        (solve_here(solver, cube, asked) for cube in cubes)
        if executor is None
        else solve_elsewhere(solver, cubes, executor, asked)
    )
    for row, answer in zip(left, answers, strict=True):
        if isinstance(answer, str):
            alg = [numbers[move] for move in answer.split()]
            moves[row, : len(alg)], lengths[row] = alg, len(alg)
        elif not masking:
            raise answer
    moves[~read.valid], lengths[~read.valid] = NOT_FOUND, NOT_FOUND
    return Solutions(moves, lengths)


def _rows_of(read: CubeArrays) -> Rows:
    edges, corners = (
        pieces_of(kind, pairs)
        for kind, pairs in zip((EDGES, CORNERS), np.split(read.pairs, [EDGE_PAIRS], axis=1), strict=True)
    )
    return rows_of(np.hstack([corners.at, corners.how, edges.at, edges.how]).astype(np.uint8))


def _cubies(numbers: list[int]) -> Cubies:
    return Cubies(*(tuple(numbers[i:j]) for i, j in ((0, 8), (8, 16), (16, 28), (28, 40))))
