"""Coordinates of both phases, and what moves do to them (numpy).

Those of the first phase are the ones of the pattern databases; see `rubik.projections`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cubesolve.catalog.rubik.projections import (
    CORNERS,
    EDGES,
    PieceKind,
    Pieces,
    layer_masks,
    numbered,
    slice_masks,
    slice_number,
    with_orientations,
    with_slices,
)
from cubesolve.notation import FACES, metric_moves

MOVES = metric_moves("htm", FACES)
"""The moves of the first phase; three in a row turn one face, and opposite faces are three faces apart."""

SECOND = tuple(number for number, move in enumerate(MOVES) if move.letter in "UD" or move.turns == 2)
"""The numbers of the moves of the second phase."""

FLIPS, SLICES = 2**11, len(slice_masks())
"""The number of edge orientations, and of sets of positions of the four slice edges."""

ORDERS, SLICE_ORDERS, HALVES = math.factorial(8), math.factorial(4), len(layer_masks())
"""The number of orders of eight pieces, of four pieces, and of sets of four among eight positions."""

_U_EDGES = frozenset(range(4))


# -- The first phase ---------------------------------------------------------------------------------------------------


def twist_moves() -> NDArray[np.uint16]:
    """uint16 (2187, 18): the corner orientation after each move."""
    return _columns(with_orientations(CORNERS).after(move).orientation() for move in MOVES)


def flip_moves() -> NDArray[np.uint16]:
    """uint16 (2048, 18): the edge orientation after each move."""
    return _columns(with_orientations(EDGES).after(move).orientation() for move in MOVES)


def slice_moves() -> NDArray[np.uint16]:
    """uint16 (495, 18): the set of positions of the slice edges after each move."""
    return _columns(slice_number(with_slices([(0, 1, 2, 3)]).after(move)) for move in MOVES)


# -- The second phase --------------------------------------------------------------------------------------------------


def corner_moves() -> NDArray[np.uint16]:
    """uint16 (40320, 10): the order of the corners after each move of the second phase."""
    return _columns(_rank(each) for each in _after_second(CORNERS, _orders(8)))


def edge_moves() -> NDArray[np.uint16]:
    """uint16 (40320, 10): the order of the edges of both outer layers after each move of the second phase."""
    outer = _orders(8)
    edges = np.hstack([outer, np.tile(np.arange(8, 12), (len(outer), 1))])
    return _columns(_rank(each[:, :8]) for each in _after_second(EDGES, edges))


def slice_order_moves() -> NDArray[np.uint16]:
    """uint16 (24, 10): the order of the slice edges after each move of the second phase."""
    orders = _orders(4)
    edges = np.hstack([np.tile(np.arange(8), (len(orders), 1)), 8 + orders])
    return _columns(_rank(each[:, 8:]) for each in _after_second(EDGES, edges))


def half_moves() -> NDArray[np.uint16]:
    """uint16 (70, 10): the set of positions of the four edges of the layer U after each move of the second phase."""
    inside = layer_masks()[:, None] >> np.arange(8) & 1
    # The edges in some order: those of U where the set says, the others in the other positions.
    edges = np.hstack([np.argsort(np.argsort(-inside, stable=True)), np.tile(np.arange(8, 12), (len(inside), 1))])
    return _columns(_half(each[:, :8]) for each in _after_second(EDGES, edges))


def halves() -> NDArray[np.uint8]:
    """uint8 (40320,): the set of positions of the edges of the layer U, for each order of the edges of both layers."""
    return _half(_orders(8)).astype(np.uint8)


def _after_second(kind: PieceKind, at: NDArray[np.int64]) -> Iterable[NDArray[np.int64]]:
    """The pieces at each position after each move of the second phase."""
    states = Pieces(kind, at, np.zeros_like(at))
    return (states.after(MOVES[number]).at for number in SECOND)


def _half(outer: NDArray[np.int64]) -> NDArray[np.int64]:
    return numbered(layer_masks(), 8)[np.isin(outer, list(_U_EDGES)) @ (1 << np.arange(8))]


def _orders(pieces: int) -> NDArray[np.int64]:
    """int64 (factorial, pieces): all orders, by rank."""
    return np.array(list(itertools.permutations(range(pieces))))


def _rank(orders: NDArray[np.int64]) -> NDArray[np.int64]:
    """The rank of orders among all in lexicographic order."""
    pieces, ranks = orders.shape[1], np.zeros(len(orders), np.int64)
    for place in range(pieces):
        ranks = ranks * (pieces - place) + (orders[:, place + 1 :] < orders[:, place, None]).sum(axis=1)
    return ranks


def _columns(columns: Iterable[NDArray[Any]]) -> NDArray[np.uint16]:
    return np.ascontiguousarray(np.array(list(columns), np.uint16).T)
