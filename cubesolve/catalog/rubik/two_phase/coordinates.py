"""Coordinates of both phases, and the endings of first phases: all ways of few moves into H (numpy).

The first phase uses the coordinates of the pattern databases; see `rubik.projections`.
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from cubesolve.catalog.rubik.projections import (
    EDGES,
    TWISTS,
    Coordinate,
    PieceKind,
    Pieces,
    layer_masks,
    numbered,
    orders,
    outer_pieces,
)
from cubesolve.definition.notation import FACES, metric_moves
from cubesolve.runtime.kernel_arrays import Read1, Read2
from cubesolve.runtime.kernels import part
from cubesolve.spaces.rows import order_ranks

MOVES = metric_moves("htm", FACES)
"""The moves of the first phase; three in a row turn one face, and opposite faces are three faces apart."""

SECOND = tuple(number for number, move in enumerate(MOVES) if move.letter in "UD" or move.turns == 2)
"""The numbers of the moves of the second phase."""

FLIPS = 2**11
"""The number of edge orientations."""

_UPPER = 4  # the pieces of layer U have the smallest numbers


# -- The second phase --------------------------------------------------------------------------------------------------


def slice_orders() -> Coordinate:
    """Return the order of the slice edges."""
    at = np.hstack([np.tile(np.arange(8), (24, 1)), 8 + orders(4)])
    return Coordinate(len(at), Pieces(EDGES, at, np.zeros_like(at)), lambda pieces: order_ranks(pieces.at[:, 8:]))


def halves(kind: PieceKind) -> Coordinate:
    """Return the set of positions of the corners, or of the edges, of layer U."""
    inside = layer_masks()[:, None] >> np.arange(8) & 1
    states = outer_pieces(kind, np.argsort(np.argsort(-inside, stable=True)))
    masks = numbered(layer_masks(), 8)
    return Coordinate(len(inside), states, lambda pieces: masks[(pieces.at[:, :8] < _UPPER) @ (1 << np.arange(8))])


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
    """All ways of at most `LONGEST_ENDING` moves that lead into H and do not pass through H."""

    starts: Read1[np.int32]  # the index of the first ending of each place; see `place_of`
    entries: Read1[np.int64]  # the state at the beginning of each ending
    moves: Read2[np.uint8]  # the moves of each ending, (endings, 4)
    # the position that the corner at each position comes from, and 8 plus the position that the edge at each position
    # of the slice comes from, (endings, 12)
    sources: Read2[np.uint8]


@part
def place_of(entry: EntryT, moves: int) -> EntryT:
    """Return the place of an entry for a number of moves; each further move has 8 times as many places."""
    return ((1 << 3 * moves) - 1) // 7 * 8 + ((entry * 2654435769 & 0xFFFFFFFF) >> (29 - 3 * moves))


def endings(
    coordinate_moves: tuple[NDArray[np.uint16], ...], corners: NDArray[np.uint8], edges: NDArray[np.uint8]
) -> Endings:
    """Return all endings, given twist, flip and slice after each move, and the piece that comes to each position."""
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
