"""Coordinates of both phases, their move tables, and the endings of first phases: all ways of few moves into H (numpy).

The first phase uses the coordinates of the pattern databases; see `rubik.projections`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from cubesolve.catalog.rubik.projections import (
    CORNERS,
    EDGES,
    SYMMETRIES,
    TWISTS,
    PieceKind,
    Pieces,
    axis_symmetries,
    layer_masks,
    numbered,
    slice_masks,
    slice_number,
    with_orientations,
    with_slices,
)
from cubesolve.definition.notation import FACES, metric_moves
from cubesolve.runtime.kernel_arrays import Read1, Read2
from cubesolve.runtime.kernels import part
from cubesolve.spaces.rows import order_ranks

MOVES = metric_moves("htm", FACES)
"""The moves of the first phase; three in a row turn one face, and opposite faces are three faces apart."""

SECOND = tuple(number for number, move in enumerate(MOVES) if move.letter in "UD" or move.turns == 2)
"""The numbers of the moves of the second phase."""

FLIPS, SLICES = 2**11, len(slice_masks())
"""The number of edge orientations, and of sets of positions of the four slice edges."""

ORDERS, SLICE_ORDERS, HALVES = math.factorial(8), math.factorial(4), len(layer_masks())
"""The number of orders of eight pieces, of four pieces, and of sets of four among eight positions."""

_UPPER = 4  # the pieces of layer U have the smallest numbers


# -- The first phase ---------------------------------------------------------------------------------------------------


def twist_moves() -> NDArray[np.uint16]:
    """Return the corner orientation after each move: uint16 (2187, 18)."""
    return _columns(with_orientations(CORNERS).after(move).orientation() for move in MOVES)


def flip_moves() -> NDArray[np.uint16]:
    """Return the edge orientation after each move: uint16 (2048, 18)."""
    return _columns(with_orientations(EDGES).after(move).orientation() for move in MOVES)


def slice_moves() -> NDArray[np.uint16]:
    """Return the set of positions of the slice edges after each move: uint16 (495, 18)."""
    return _columns(slice_number(with_slices([(0, 1, 2, 3)]).after(move)) for move in MOVES)


# -- The second phase --------------------------------------------------------------------------------------------------


def corner_moves() -> NDArray[np.uint16]:
    """Return the order of the corners after each move of phase two: uint16 (40320, 10)."""
    return _columns(order_ranks(each) for each in _after_second(CORNERS, _orders(8)))


def edge_moves() -> NDArray[np.uint16]:
    """Return the order of the edges of both outer layers after each move of phase two: uint16 (40320, 10)."""
    return _columns(order_ranks(each[:, :8]) for each in _after_second(EDGES, _with_all(EDGES, _orders(8))))


def slice_order_moves() -> NDArray[np.uint16]:
    """Return the order of the slice edges after each move of phase two: uint16 (24, 10)."""
    return _columns(order_ranks(each[:, 8:]) for each in _after_second(EDGES, _with_slice_orders()))


def half_moves(kind: PieceKind) -> NDArray[np.uint16]:
    """Return the set of positions of four pieces, those of layer U, after each move of phase two: uint16 (70, 10)."""
    return _columns(_half(each[:, :8]) for each in _after_second(kind, _with_halves(kind)))


def halves() -> NDArray[np.uint8]:
    """Return the set of positions of the pieces of layer U, for each order of eight pieces: uint8 (40320,)."""
    return _half(_orders(8)).astype(np.uint8)


def inverses() -> NDArray[np.uint16]:
    """Return the inverse of each order of eight pieces: uint16 (40320,)."""
    return order_ranks(np.argsort(_orders(8), axis=1)).astype(np.uint16)


# -- Symmetries of the second phase ------------------------------------------------------------------------------------


class OrderClasses(NamedTuple):
    """The classes, under the symmetries, of the orders of the corners or of the edges of both outer layers.

    Attributes:
        shown: for each order 16 times its class, plus the number of a symmetry that maps it to the first order of the
            class; uint16 (40320,).
        first: the first order of each class; int64 (2768,).
    """

    shown: NDArray[np.uint16]
    first: NDArray[np.int64]


def classes(kind: PieceKind) -> OrderClasses:
    """Return the classes of the orders of the corners or of the edges."""
    images = _seen(kind, _with_all(kind, _orders(8)), lambda at: order_ranks(at[:, :8]))
    first, numbers = np.unique(images.min(axis=0), return_inverse=True)
    return OrderClasses((numbers.reshape(-1) * SYMMETRIES + images.argmin(axis=0)).astype(np.uint16), first)


def half_images(kind: PieceKind) -> NDArray[np.uint8]:
    """Return the image of each set of positions of four pieces under each symmetry: uint8 (16, 70)."""
    return _seen(kind, _with_halves(kind), lambda at: _half(at[:, :8])).astype(np.uint8)


def slice_order_images() -> NDArray[np.uint8]:
    """Return the image of each order of the slice edges under each symmetry: uint8 (16, 24)."""
    return _seen(EDGES, _with_slice_orders(), lambda at: order_ranks(at[:, 8:])).astype(np.uint8)


def _seen(
    kind: PieceKind, at: NDArray[np.int64], number: Callable[[NDArray[np.int64]], NDArray[np.int64]]
) -> NDArray[np.int64]:
    """Return the number of the image of each state under each symmetry: int64 (16, states)."""
    states = Pieces(kind, at, np.zeros_like(at))
    return np.array([number(states.image_under(symmetry).at) for symmetry in axis_symmetries()])


# -- States of the second phase ----------------------------------------------------------------------------------------


def _with_all(kind: PieceKind, outer: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return states with eight pieces in the given orders; for edges, the slice edges are at home."""
    return np.hstack([outer, np.tile(np.arange(8, kind.pieces), (len(outer), 1))])


def _with_slice_orders() -> NDArray[np.int64]:
    orders = _orders(4)
    return np.hstack([np.tile(np.arange(8), (len(orders), 1)), 8 + orders])


def _with_halves(kind: PieceKind) -> NDArray[np.int64]:
    """Return a state for each set of positions: it has the pieces of layer U there, and the others elsewhere."""
    inside = layer_masks()[:, None] >> np.arange(8) & 1
    return _with_all(kind, np.argsort(np.argsort(-inside, stable=True)))


def _after_second(kind: PieceKind, at: NDArray[np.int64]) -> Iterable[NDArray[np.int64]]:
    """Return the pieces at each position after each move of the second phase."""
    states = Pieces(kind, at, np.zeros_like(at))
    return (states.after(MOVES[number]).at for number in SECOND)


def _half(outer: NDArray[np.int64]) -> NDArray[np.int64]:
    return numbered(layer_masks(), 8)[(outer < _UPPER) @ (1 << np.arange(8))]


def _orders(pieces: int) -> NDArray[np.int64]:
    """Return all orders, by rank: int64 (factorial, pieces)."""
    return np.array(list(itertools.permutations(range(pieces))))


def _columns(columns: Iterable[NDArray[Any]]) -> NDArray[np.uint16]:
    return np.ascontiguousarray(np.array(list(columns), np.uint16).T)


# -- The endings of first phases ---------------------------------------------------------------------------------------
# The last moves of a first phase are looked up here instead of being searched for. Of two endings that differ by the
# direction of the last move, which is always a quarter turn, the table has the one that turns clockwise.

EntryT = TypeVar("EntryT", int, np.int64, NDArray[np.int64])

LONGEST_ENDING = 4
"""The number of moves of the longest endings."""

_NUMBERS = np.arange(len(MOVES))
_INVERSES = np.array([MOVES.index(move.inverse()) for move in MOVES])
_LAST = (_NUMBERS % 3 == 0) & ~np.isin(_NUMBERS, SECOND)


class Endings(NamedTuple):
    """All ways of at most `LONGEST_ENDING` moves that lead into H and do not pass through H.

    Attributes:
        starts: the index of the first ending of each place; see `ending_place`. int32.
        entries: the state at the beginning of each ending; see `ending_entry`. int64.
        moves: the moves of each ending, uint8 (endings, 4).
        sources: the position that the corner at each position comes from, and 8 plus the position that the edge at each
            position of the slice comes from; uint8 (endings, 12).
    """

    starts: Read1[np.int32]
    entries: Read1[np.int64]
    moves: Read2[np.uint8]
    sources: Read2[np.uint8]


@part
def place_of(entry: EntryT, moves: int) -> EntryT:
    """Return the place of an entry for a number of moves; each further move has 8 times as many places."""
    return ((1 << 3 * moves) - 1) // 7 * 8 + ((entry * 2654435769 & 0xFFFFFFFF) >> (29 - 3 * moves))


def endings(
    coordinate_moves: tuple[NDArray[np.uint16], ...], corners: NDArray[np.uint8], edges: NDArray[np.uint8]
) -> Endings:
    """Return all endings.

    Args:
        coordinate_moves: twist, flip and slice after each move; see `tables.FirstPhase`.
        corners: the corner that comes to each position, uint8 (18, 8).
        edges: the edge that comes to each position, uint8 (18, 12).
    """
    states, moves = np.zeros((3, 1), np.int64), np.zeros((1, LONGEST_ENDING), np.uint8)
    corner, edge, levels = np.arange(8, dtype=np.uint8)[None], np.arange(12, dtype=np.uint8)[None], []
    for length in range(LONGEST_ENDING + 1):
        if length:
            before = np.array([each[state][:, _INVERSES] for each, state in zip(coordinate_moves, states, strict=True)])
            allowed = _LAST if length == 1 else _may_precede(moves[:, 0])
            rows, numbers = (allowed & before.any(axis=0)).nonzero()
            states, moves = before[:, rows, numbers], np.column_stack([numbers, moves[rows, :-1]]).astype(np.uint8)
            corner, edge = (at[numbers[:, None], each[rows]] for at, each in ((corners, corner), (edges, edge)))
        twist, flip, slices = states.astype(np.int64)
        entries = (slices * FLIPS + flip) * TWISTS + twist
        levels.append((place_of(entries, length), entries, moves, np.hstack([corner, 8 + edge[:, 8:]])))
    places, *columns = (np.concatenate(each) for each in zip(*levels, strict=True))
    order = places.argsort(kind="stable")
    starts = np.searchsorted(places[order], np.arange(place_of(0, LONGEST_ENDING + 1) + 1)).astype(np.int32)
    return Endings(starts, *(np.ascontiguousarray(column[order]) for column in columns))


def _may_precede(following: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return whether each move may precede the given ones in a canonical sequence: bool (moves, 18)."""
    face, after = _NUMBERS // 3, following[:, None] // 3
    allowed: NDArray[np.bool_] = (after != face) & (after + 3 != face)
    return allowed
