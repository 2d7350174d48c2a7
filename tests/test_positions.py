"""The number of positions of the 3x3x3 at each depth, enumerated up to symmetry."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from numpy.typing import NDArray

from cubesolve.catalog.rubik.projections import CORNERS, EDGES, CubeSymmetry, PieceKind, images, place_moves
from cubesolve.definition.facelets import cube_rotations, symmetries
from cubesolve.definition.notation import FACES, metric_moves
from tests.facts import RUBIK

# A position is where each piece is, and how: for each kind of pieces an array with a row for each.
Positions = dict[PieceKind, NDArray[np.int64]]
Keys = NDArray[np.uint64]  # (2, positions): five bits a piece, edges and corners apart

KINDS = (EDGES, CORNERS)
SYMMETRIES = [CubeSymmetry(faces, faces not in cube_rotations()) for _, faces in symmetries(1)]
TOGETHER = 1 << 12  # positions whose neighbours and their images fit in a processor's cache


def solved() -> Positions:
    return {kind: kind.orientations * np.arange(kind.pieces)[:, None] for kind in KINDS}


def neighbours(positions: Positions, metric: str) -> Positions:
    moves = tuple(metric_moves(metric, FACES))
    return {
        kind: np.concatenate([move[places] for move in place_moves(kind, moves)], axis=1)
        for kind, places in positions.items()
    }


def shifts(kind: PieceKind) -> NDArray[np.uint64]:
    return 5 * np.arange(kind.pieces, dtype=np.uint64)[::-1]


def positions_of(keys: Keys) -> Positions:
    return {
        kind: (key >> shifts(kind)[:, None] & np.uint64(31)).astype(np.int64)
        for kind, key in zip(KINDS, keys, strict=True)
    }


@functools.cache
def parts_of_keys(kind: PieceKind, symmetry: CubeSymmetry) -> NDArray[np.uint64]:
    """Return the summands of a position's key for each piece and place."""
    pieces, places = images(kind, symmetry)
    return places.astype(np.uint64) << shifts(kind)[pieces][:, None]


def keys_of_images(kind: PieceKind, symmetry: CubeSymmetry, places: NDArray[np.int64]) -> NDArray[np.uint64]:
    keys = np.zeros(places.shape[1], np.uint64)
    for parts, piece in zip(parts_of_keys(kind, symmetry), places, strict=True):
        keys += parts.take(piece)
    return keys


def least_images(positions: Positions) -> tuple[Keys, NDArray[np.int64]]:
    """The least key of all images of each position, and how many positions are images of it.

    Of two keys that one is less whose corners have the lesser, or the same and then the edges, so edges need be looked
    at only after those symmetries that make the least of the corners.
    """
    corners = np.array([keys_of_images(CORNERS, symmetry, positions[CORNERS]) for symmetry in SYMMETRIES])
    least_corners = corners.min(axis=0)
    edges = np.full_like(corners, np.iinfo(np.uint64).max)
    for symmetry, own, least in zip(SYMMETRIES, edges, corners == least_corners, strict=True):
        own[least] = keys_of_images(EDGES, symmetry, positions[EDGES][:, least])
    least_edges = edges.min(axis=0)
    alike = (edges == least_edges).sum(axis=0)  # as many symmetries make the least as make the position itself
    return np.array([least_edges, least_corners]), len(SYMMETRIES) // alike


@pytest.mark.parametrize(
    ("metric", "deepest"),
    [("qtm", 6), *(pytest.param(metric, None, marks=pytest.mark.exhaustive) for metric in ("qtm", "htm"))],
)
def test_positions_at_each_depth(metric: str, deepest: int | None) -> None:
    assert len(SYMMETRIES) == 48
    expected = RUBIK["positions"][metric][:deepest]
    level = least_images(solved())[0]
    nearer, counts = level[:, :0], [1]
    for _ in expected[1:]:
        parts = np.array_split(level, -(-level.shape[1] // TOGETHER), axis=1)
        seen = [least_images(neighbours(positions_of(part), metric)) for part in parts]
        found, sizes = (np.concatenate(each, axis=-1) for each in zip(*seen, strict=True))
        # Sorted, those that are known come before their like; what is not the first of its like is not new.
        known = np.concatenate([nearer, level], axis=1)
        together = np.concatenate([known, found], axis=1)
        order = np.lexsort(together)
        ordered = together[:, order]
        first = np.append(True, (ordered[:, 1:] != ordered[:, :-1]).any(axis=0))
        new = order[first & (order >= known.shape[1])] - known.shape[1]
        nearer, level = level, found[:, new]
        counts.append(int(sizes[new].sum()))
    assert counts == expected
