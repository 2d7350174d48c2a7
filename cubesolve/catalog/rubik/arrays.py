"""Many 3x3x3 cubes, read from facelets, and their short solutions, which are those of `solve` (numba)."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.catalog.rubik import FACELET_SHAPES, FACELETS, LONGEST_TWO_PHASE
from cubesolve.catalog.rubik.batches import read_batch
from cubesolve.catalog.rubik.cube import CORNER_FACELETS, CORNER_LOOKS, EDGE_FACELETS, EDGE_LOOKS, Cubies, RubikCube
from cubesolve.catalog.rubik.kernels import CORNER_PAIRS, EDGE_PAIRS
from cubesolve.catalog.rubik.pairs import pieces_of, states_of_pairs
from cubesolve.catalog.rubik.projections import CORNERS, EDGES
from cubesolve.catalog.rubik.two_phase.search import NOT_FOUND, find, rows_of
from cubesolve.definition.metrics import changes_parity
from cubesolve.definition.notation import FACES, metric_moves
from cubesolve.runtime.arguments import Keywords
from cubesolve.runtime.instructions import count_ones
from cubesolve.runtime.kernel_arrays import Array1, Array2, Read1, Read2
from cubesolve.runtime.kernels import kernel
from cubesolve.runtime.workers import Workers
from cubesolve.solvers.arrays import Solutions
from cubesolve.solvers.faults import NAMED, invalid_rows
from cubesolve.solvers.many import solve_many
from cubesolve.spaces.batches import as_bytes

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from cubesolve.catalog.rubik import RubikRules
    from cubesolve.catalog.rubik.solver import RubikSolver

_NONE = 255  # the code of two or three faces that are not a piece: in the kernel, a piece 15
_OTHER = 7  # a colour that no centre has
_AT_ONCE = 1 << 14


class _Readings(NamedTuple):
    """The arrays of the kernel that reads facelets."""

    corners: Read2[np.int64]  # (8, 3): the facelets of each corner position
    edges: Read2[np.int64]  # (12, 2): the facelets of each edge position
    # (512,): for three faces as octal digits, the corner, and in the two lowest bits its twist
    corner_looks: Read1[np.uint8]
    edge_looks: Read1[np.uint8]  # (64,): for two faces, the edge, and in the lowest bit its flip
    corner_numbers: Read2[np.int64]  # (24, 24): the number of the state of a pair of corners with two places
    edge_numbers: Read2[np.int64]  # (24, 24): likewise


def _looks(known: dict[str, tuple[int, int]], faces: int) -> NDArray[np.uint8]:
    looks = np.full(8**faces, _NONE, np.uint8)
    for shown, (piece, turned) in known.items():
        looks[int("".join(str(FACES.index(face)) for face in shown), 8)] = piece << faces - 1 | turned
    return looks


@functools.cache
def _readings() -> _Readings:
    return _Readings(
        np.array(CORNER_FACELETS, np.int64),
        np.array(EDGE_FACELETS, np.int64),
        _looks(CORNER_LOOKS, 3),
        _looks(EDGE_LOOKS, 2),
        states_of_pairs(CORNERS).numbers,
        states_of_pairs(EDGES).numbers,
    )


class CubeArrays(NamedTuple):
    """Cubes read from facelets."""

    # (N, pairs), as `pairs.pair_states` numbers them; invalid cubes have those of the solved cube
    pairs: Array2[np.uint16]
    # (N,): the parity of the permutation of the corners, that of the number of quarter turns
    parities: Array1[np.uint8]
    valid: Array1[np.bool_]  # (N,): whether each row is a cube


@kernel()
def _read(rows: Read2[np.uint8], readings: _Readings, read: CubeArrays) -> int:
    """Read cubes into `read`; invalid ones become solved cubes."""
    corners, edges, corner_looks, edge_looks, corner_numbers, edge_numbers = readings
    pairs, parities, valid = read
    faces = np.full(256, _OTHER, np.uint64)
    corner_places, edge_places = np.empty(16, np.uint64), np.empty(16, np.uint64)
    for n in range(len(rows)):
        row = rows[n]
        for face in range(6):
            faces[row[4 + 9 * face]] = face
        right = True
        for face in range(6):
            right &= faces[row[4 + 9 * face]] == face
        seen, odd = np.uint64(0), np.uint64(0)
        twists = flips = 0
        for i in range(8):
            first, second, third = faces[row[corners[i, 0]]], faces[row[corners[i, 1]]], faces[row[corners[i, 2]]]
            look = corner_looks[first << np.uint64(6) | second << np.uint64(3) | third]
            piece, twist = np.uint64(look >> 2 & 15), look & 3
            odd ^= np.uint64(count_ones(seen >> piece))
            seen |= np.uint64(1) << piece
            twists += twist
            corner_places[piece] = 3 * i + twist
        right &= seen == np.uint64(0xFF) and twists % 3 == 0
        parities[n] = odd & np.uint64(1)
        seen = np.uint64(0)
        for i in range(12):
            look = edge_looks[faces[row[edges[i, 0]]] << np.uint64(3) | faces[row[edges[i, 1]]]]
            piece, flip = np.uint64(look >> 1 & 15), look & 1
            odd ^= np.uint64(count_ones(seen >> piece))
            seen |= np.uint64(1) << piece
            flips += flip
            edge_places[piece] = 2 * i + flip
        right &= seen == np.uint64(0xFFF) and flips % 2 == 0 and odd & np.uint64(1) == 0
        for face in range(6):
            faces[row[4 + 9 * face]] = _OTHER
        if not right:
            parities[n] = 0
            for i in range(8):
                corner_places[i] = 3 * i
            for i in range(12):
                edge_places[i] = 2 * i
        for p in range(EDGE_PAIRS):
            pairs[n, p] = edge_numbers[edge_places[2 * p], edge_places[2 * p + 1]]
        for p in range(CORNER_PAIRS):
            pairs[n, EDGE_PAIRS + p] = corner_numbers[corner_places[2 * p], corner_places[2 * p + 1]]
        valid[n] = right
    return 0


def read_cubes(facelets: NDArray[np.uint8], workers: int | None = None) -> CubeArrays:
    """Read cubes from facelets, uint8 (N, 54), in any six colours and any orientation."""
    count = len(facelets)
    read = CubeArrays(
        np.empty((count, EDGE_PAIRS + CORNER_PAIRS), np.uint16), np.empty(count, np.uint8), np.empty(count, bool)
    )
    with Workers(count, workers, _AT_ONCE) as threads:
        threads.run(
            lambda i, j: _read(
                facelets[i:j], _readings(), CubeArrays(read.pairs[i:j], read.parities[i:j], read.valid[i:j])
            )
        )
    return read


def read_rows(rules: RubikRules, batch: Any, masking: bool, workers: int | None) -> CubeArrays:
    """Read the cubes of a batch; with `masking`, invalid cubes are accepted."""
    facelets, sound = _facelets(rules, batch, "mask" if masking else "raise")
    read = read_cubes(facelets, workers)
    read.valid[:] &= sound
    wrong = [] if masking else (~read.valid).nonzero()[0].tolist()
    if wrong:
        faults = read_batch(rules, batch[wrong[:NAMED]], "mask")
        raise invalid_rows(list(zip(wrong, faults, strict=False)), len(wrong), len(read.valid))
    return read


def _facelets(rules: RubikRules, batch: object, invalid: str) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """Return the facelets of a batch, uint8 (N, 54), and which rows have colours; rows of masked cubes are no cube."""
    if isinstance(batch, np.ndarray) and batch.dtype.kind in "iu" and batch.shape[1:] in FACELET_SHAPES:
        return as_bytes(batch.reshape(len(batch), FACELETS))
    cubes = read_batch(rules, batch, invalid)
    facelets = [cube.facelets if isinstance(cube, RubikCube) else " " * FACELETS for cube in cubes]
    numbers = [[text[4::9].find(symbol) for symbol in text] for text in facelets]
    return as_bytes(np.array(numbers, np.uint8).reshape(-1, FACELETS))


# -- Short solutions ---------------------------------------------------------------------------------------------------


def solve_short(
    solver: RubikSolver, batch: object, masking: bool, executor: Executor | None, question: Keywords
) -> Solutions:
    """Return short solutions of a batch; with `masking`, 255 for cubes that are invalid or not solved."""
    metric = question.get("metric") or solver.rules.metrics[0]
    read = read_rows(solver.rules, batch, masking, question.get("workers"))
    edges, corners = (
        pieces_of(kind, pairs)
        for kind, pairs in zip((EDGES, CORNERS), np.split(read.pairs, [EDGE_PAIRS], axis=1), strict=True)
    )
    rows = rows_of(np.hstack([corners.at, corners.how, edges.at, edges.how]).astype(np.uint8))
    if executor is None:
        find(solver, rows, question)
    width = LONGEST_TWO_PHASE * (2 if changes_parity(metric) else 1)
    moves, lengths = np.full((len(rows.cubes), width), NOT_FOUND, np.uint8), rows.lengths
    moves[:, :LONGEST_TWO_PHASE] = rows.moves
    numbers = {str(move): number for number, move in enumerate(metric_moves(metric, FACES))}
    left = (read.valid & (lengths == NOT_FOUND)).nonzero()[0].tolist()
    pieces = (np.split(row, [8, 16, 28]) for row in rows.cubes[left])
    cubes = [RubikCube.from_cubies(Cubies(*(tuple(values.tolist()) for values in cube))) for cube in pieces]
    for row, answer in zip(left, solve_many(solver, cubes, executor, question), strict=True):
        if isinstance(answer, str):
            alg = [numbers[move] for move in answer.split()]
            moves[row, : len(alg)], lengths[row] = alg, len(alg)
        elif not masking:
            raise answer
    moves[~read.valid], lengths[~read.valid] = NOT_FOUND, NOT_FOUND
    return Solutions(moves, lengths)
