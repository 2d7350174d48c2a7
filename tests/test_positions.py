"""The number of positions of the 3x3x3 at each depth, enumerated up to symmetry."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from cubesolve.cosets import CORNERS, EDGES, Kind, Symmetry, images, place_moves
from cubesolve.facelets import holdings, symmetries
from cubesolve.notation import FACES, metric_moves
from tests.facts import RUBIK

# A position is where each piece is, and how: for each kind of pieces an array with a column for each.
Positions = dict[Kind, NDArray[np.uint8]]
Keys = NDArray[np.uint64]  # (2, positions): five bits a piece, edges and corners apart

KINDS = (EDGES, CORNERS)
SYMMETRIES = [Symmetry(faces, faces not in holdings()) for _, faces in symmetries(1)]


def solved() -> Positions:
    return {kind: kind.orientations * np.arange(kind.pieces, dtype=np.uint8)[None] for kind in KINDS}


def neighbours(positions: Positions, metric: str) -> Positions:
    moves = tuple(metric_moves(metric, FACES))
    return {
        kind: np.concatenate([move[places] for move in place_moves(kind, moves).astype(np.uint8)])
        for kind, places in positions.items()
    }


def keys_of(positions: Positions) -> Keys:
    packed = []
    for kind in KINDS:
        key = np.zeros(len(positions[kind]), np.uint64)
        for piece in range(kind.pieces):
            key = key << np.uint64(5) | positions[kind][:, piece]
        packed.append(key)
    return np.array(packed)


def positions_of(keys: Keys) -> Positions:
    positions = {}
    for kind, key in zip(KINDS, keys, strict=True):
        shifts = 5 * np.arange(kind.pieces, dtype=np.uint64)[::-1]
        positions[kind] = (key[:, None] >> shifts & np.uint64(31)).astype(np.uint8)
    return positions


def seen_by(positions: Positions, symmetry: Symmetry) -> Positions:
    seen = {}
    for kind in KINDS:
        pieces, places = images(kind, symmetry)
        seen[kind] = np.empty_like(positions[kind])
        for piece in range(kind.pieces):
            seen[kind][:, pieces[piece]] = places[piece].astype(np.uint8)[positions[kind][:, piece]]
    return seen


def least_images(positions: Positions) -> tuple[Keys, NDArray[np.int64]]:
    """The least key of all images of each position, and how many positions are images of it."""
    own = keys_of(positions)
    least, alike = own.copy(), np.zeros(own.shape[1], np.int64)
    for symmetry in SYMMETRIES:
        seen = keys_of(seen_by(positions, symmetry))
        alike += (seen == own).all(axis=0)
        less = (seen[0] < least[0]) | ((seen[0] == least[0]) & (seen[1] < least[1]))
        least[:, less] = seen[:, less]
    return least, len(SYMMETRIES) // alike


@pytest.mark.parametrize("metric", ["htm", "qtm"])
def test_positions_at_each_depth(metric: str) -> None:
    assert len(SYMMETRIES) == 48
    level = keys_of(solved())
    nearer, counts = level[:, :0], [1]
    for _ in RUBIK["positions"][metric][1:]:
        found, sizes = least_images(neighbours(positions_of(level), metric))
        # Sorted, those that are known come before their like; what is not the first of its like is not new.
        known = np.concatenate([nearer, level], axis=1)
        together = np.concatenate([known, found], axis=1)
        order = np.lexsort(together)
        ordered = together[:, order]
        first = np.append(True, (ordered[:, 1:] != ordered[:, :-1]).any(axis=0))
        new = order[first & (order >= known.shape[1])] - known.shape[1]
        nearer, level = level, found[:, new]
        counts.append(int(sizes[new].sum()))
    assert counts == RUBIK["positions"][metric]
