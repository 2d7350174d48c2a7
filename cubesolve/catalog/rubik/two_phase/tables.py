"""The pruning tables of both phases: 28 MB, made in about two seconds (numpy).

The first phase has 2,217,093,120 states. Symmetries that keep the axis through U and D reduce the pairs of edge
orientation and slice to 64,430 classes. One bit for each of 64,430 * 2,187 states is 1 if more than 8 moves are needed;
pruning with 8 moves left is exact. The few states that need fewer moves are marked for each number of moves by one bit,
at an index that is a hash of their number; some states share bits.

The second phase has 19,508,428,800 states. The same symmetries reduce the orders of the corners, and those of the edges
of both outer layers, to 2,768 classes; the tables have the distances of a class together with the order of the slice
edges, or with the positions of four pieces of the other kind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from cubesolve.catalog.rubik.cube import turn_cubies
from cubesolve.catalog.rubik.projections import (
    CORNERS,
    EDGES,
    SYMMETRIES,
    TWISTS,
    Coordinate,
    Pieces,
    halves,
    orientations,
    outer_orders,
    projection,
    slices,
    stabilizers,
)
from cubesolve.definition.notation import FACES, metric_moves
from cubesolve.encodings.enumeration import enumerate_depths
from cubesolve.runtime.kernel_arrays import Array1, Array2, Read1, Read2
from cubesolve.runtime.kernels import kernel, part
from cubesolve.spaces.rows import all_orders, order_ranks
from cubesolve.spaces.space import StateSpace

if TYPE_CHECKING:
    from cubesolve.store.tables import Body

MOVES = metric_moves("htm", FACES)
"""The moves of the first phase; three in a row turn one face, and opposite faces are three faces apart."""

SECOND = tuple(number for number, move in enumerate(MOVES) if move.letter in "UD" or move.turns == 2)
"""The numbers of the moves of the second phase."""

FLIPS = 2**11  # number of edge orientations
NEAR = 8  # number of moves at which one bit separates near states from far ones
CLASSES = 64430  # number of classes of pairs of edge orientation and slice: the rows of `projection("none")`
ORDER_CLASSES = 2768  # number of classes of orders of eight pieces

SLICES, ORDERS, SLICE_ORDERS, HALVES = 495, 40320, 24, 70
"""The number of sets of positions of the four slice edges, of orders of eight and of four pieces, and of sets of four
among eight positions."""

_MOST_LISTED = 1 << 20  # more than the states at any depth below `NEAR`


# -- The second phase --------------------------------------------------------------------------------------------------


def slice_orders() -> Coordinate:
    """Return the order of the slice edges."""
    at = np.hstack([np.tile(np.arange(8), (24, 1)), 8 + all_orders(4)])
    return Coordinate(len(at), Pieces(EDGES, at, np.zeros_like(at)), lambda pieces: order_ranks(pieces.at[:, 8:]))


# -- The endings of first phases ---------------------------------------------------------------------------------------
# The last moves of a first phase are looked up here instead of being searched for. Of two endings that differ by the
# direction of the last move, which is always a quarter turn, the table has the one that turns clockwise.

EntryT = TypeVar("EntryT", int, np.int64, NDArray[np.int64])

LONGEST_ENDING = 4  # number of moves of the longest endings

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
            before = np.array(
                [table[state][:, _INVERSES] for table, state in zip(coordinate_moves, states, strict=True)]
            )
            face, after = _NUMBERS // 3, moves[:, :1] // 3
            allowed = _LAST if length == 1 else (after != face) & (after + 3 != face)  # canonical sequences
            rows, numbers = (allowed & before.any(axis=0)).nonzero()
            states, moves = before[:, rows, numbers], np.column_stack([numbers, moves[rows, :-1]]).astype(np.uint8)
            corner, edge = (at[numbers[:, None], pieces[rows]] for at, pieces in ((corners, corner), (edges, edge)))
        twist, flip, slices = states.astype(np.int64)
        entries = (slices * FLIPS + flip) * TWISTS + twist
        levels.append((place_of(entries, length), entries, moves, np.hstack([corner, 8 + edge[:, 8:]])))
    places, *columns = (np.concatenate(column) for column in zip(*levels, strict=True))
    order = places.argsort(kind="stable")
    starts = np.searchsorted(places[order], np.arange(place_of(0, LONGEST_ENDING + 1) + 1)).astype(np.int32)
    return Endings(starts, *(np.ascontiguousarray(column[order]) for column in columns))


# -- Tables ------------------------------------------------------------------------------------------------------------


class FirstPhase(NamedTuple):
    """The tables of the first phase."""

    twist_moves: Read2[np.uint16]  # the corner orientation after each move, (2187, 18)
    flip_moves: Read2[np.uint16]  # the edge orientation after each move, (2048, 18)
    slice_moves: Read2[np.uint16]  # the positions of the slice edges after each move, (495, 18)
    classes: Read1[np.uint16]  # the class of each pair 2048 * slice + flip, (1013760,)
    shown_by: Read1[np.uint8]  # the symmetry that maps the pair to the representative of its class, (1013760,)
    twist_images: Read2[np.uint16]  # the image of the corner orientation under each symmetry, (2187, 16)
    far: Read1[np.uint8]  # a bit for each 2187 * class + twist: 1 if H is more than `NEAR` moves away
    # a bit at `place_of` of such a number and a number of moves: 1 if so many moves suffice to reach H. Because
    # bits are shared, a few are 1 although more moves are needed
    nearer: Read1[np.uint8]
    twist_slice: Read1[np.uint8]  # a bound for each 495 * twist + slice
    flip_slice: Read1[np.uint8]  # a bound for each 495 * flip + slice


class SecondPhase(NamedTuple):
    """The tables of the second phase."""

    corner_moves: Read2[np.uint16]  # the order of the corners after each move of the second phase, (40320, 10)
    edge_moves: Read2[np.uint16]  # that of the edges of the outer layers, (40320, 10)
    slice_order_moves: Read2[np.uint16]  # that of the slice edges, (24, 10)
    # for each order of corners 16 times its class, plus the number of a symmetry that maps it to the first order of the
    # class, (40320,)
    corner_classes: Read1[np.uint16]
    edge_classes: Read1[np.uint16]  # likewise for each order of edges, (40320,)
    halves: Read1[np.uint8]  # the positions of the pieces of U for each order of eight pieces, (40320,)
    inverses: Read1[np.uint16]  # the inverse of each order of eight pieces, (40320,)
    corner_halves: Read2[np.uint8]  # the image of the positions of the corners of U under each symmetry, (16, 70)
    edge_halves: Read2[np.uint8]  # likewise those of the edges of U, (16, 70)
    slice_orders: Read2[np.uint8]  # likewise the orders of the slice edges, (16, 24)
    corner_slice: Read1[np.uint8]  # a bound for each 24 * class of corners + order of slice edges
    edge_slice: Read1[np.uint8]  # a bound for each 24 * class of edges + order of slice edges
    corner_half: Read1[np.uint8]  # a bound for each 70 * class of corners + positions of the edges of U
    edge_half: Read1[np.uint8]  # a bound for each 70 * class of edges + positions of the corners of U


class PieceMoves(NamedTuple):
    """The moves of the pieces."""

    corners: Read2[np.uint8]  # the corner that comes to each position, (18, 8)
    edges: Read2[np.uint8]  # the edge that comes to each position, (18, 12)


class PruningTables(NamedTuple):
    """The tables of the search; each part of its kernel takes those that it needs."""

    first: FirstPhase
    second: SecondPhase
    pieces: PieceMoves
    endings: Endings  # the ways of few moves into H; not stored, but made when the tables are opened


_STORED = np.dtype(
    [
        ("twist_moves", "<u2", (TWISTS, 18)),
        ("flip_moves", "<u2", (FLIPS, 18)),
        ("slice_moves", "<u2", (SLICES, 18)),
        ("corner_moves", "<u2", (ORDERS, 10)),
        ("edge_moves", "<u2", (ORDERS, 10)),
        ("slice_order_moves", "<u2", (SLICE_ORDERS, 10)),
        ("corners", "u1", (18, 8)),
        ("edges", "u1", (18, 12)),
        ("classes", "<u2", (SLICES * FLIPS,)),
        ("shown_by", "u1", (SLICES * FLIPS,)),
        ("twist_images", "<u2", (TWISTS, 16)),
        ("far", "u1", (-(-CLASSES * TWISTS // 8),)),
        ("nearer", "u1", (place_of(0, NEAR) // 8,)),
        ("twist_slice", "u1", (TWISTS * SLICES,)),
        ("flip_slice", "u1", (FLIPS * SLICES,)),
        ("corner_classes", "<u2", (ORDERS,)),
        ("edge_classes", "<u2", (ORDERS,)),
        ("halves", "u1", (ORDERS,)),
        ("inverses", "<u2", (ORDERS,)),
        ("corner_halves", "u1", (SYMMETRIES, HALVES)),
        ("edge_halves", "u1", (SYMMETRIES, HALVES)),
        ("slice_orders", "u1", (SYMMETRIES, SLICE_ORDERS)),
        ("corner_slice", "u1", (ORDER_CLASSES * SLICE_ORDERS,)),
        ("edge_slice", "u1", (ORDER_CLASSES * SLICE_ORDERS,)),
        ("corner_half", "u1", (ORDER_CLASSES * HALVES,)),
        ("edge_half", "u1", (ORDER_CLASSES * HALVES,)),
    ]
)

SIZE = _STORED.itemsize  # number of bytes of all stored tables

_Tables = TypeVar("_Tables", FirstPhase, SecondPhase, PieceMoves)


def _of(tables: type[_Tables], stored: NDArray[Any]) -> _Tables:
    return tables(*(stored[name][0] for name in tables._fields))


def opened(body: Body) -> PruningTables:
    """Return the tables in a buffer of `SIZE` bytes, copied into memory that can have large pages."""
    stored = np.frombuffer(body, np.uint8).copy().view(_STORED)
    first, pieces = _of(FirstPhase, stored), _of(PieceMoves, stored)
    moves = first.twist_moves, first.flip_moves, first.slice_moves
    return PruningTables(first, _of(SecondPhase, stored), pieces, endings(moves, pieces.corners, pieces.edges))


def make() -> bytes:
    """Make all tables: `SIZE` bytes."""
    stored = np.zeros(1, _STORED)
    record: Any = stored[0]
    for name, coordinate in (("twist", orientations(CORNERS)), ("flip", orientations(EDGES)), ("slice", slices())):
        record[f"{name}_moves"] = coordinate.after(MOVES).T
    record["twist_images"] = orientations(CORNERS).seen().T
    record["corners"], record["edges"] = zip(*[turn_cubies(move)[::2] for move in MOVES], strict=True)
    second, order = [MOVES[number] for number in SECOND], slice_orders()
    record["slice_order_moves"], record["slice_orders"] = order.after(second).T, order.seen()
    record["halves"] = halves(CORNERS).raw(outer_orders(CORNERS).states)
    record["inverses"] = order_ranks(np.argsort(all_orders(8), axis=1))
    for name in ("twist", "flip"):
        record[f"{name}_slice"] = _pair_depths(record[f"{name}_moves"], record["slice_moves"])
    for kind, name, other in ((CORNERS, "corner", EDGES), (EDGES, "edge", CORNERS)):
        outer = outer_orders(kind)
        moves, images = outer.after(second).T, outer.seen()
        first, numbers = np.unique(images.min(axis=0), return_inverse=True)
        record[f"{name}_moves"] = moves
        record[f"{name}_classes"] = numbers.reshape(-1) * SYMMETRIES + images.argmin(axis=0)
        record[f"{name}_halves"] = halves(kind).seen()
        for of, by_move in (("slice", record["slice_order_moves"]), ("half", halves(other).after(second).T)):
            record[f"{name}_{of}"] = _pair_depths(moves, by_move).reshape(ORDERS, -1)[first].reshape(-1)
    _mark_first_phase(stored)
    return stored.tobytes()


def _pair_depths(first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.uint8]:
    """Return the depth of each pair ``len(second) * first + second`` of two coordinates: uint8."""
    return enumerate_depths(StateSpace.of_pair(first.T, second.T, mutual=True))


def _mark_first_phase(stored: NDArray[Any]) -> None:
    """Write the tables of the first phase about classes: `classes`, `shown_by`, `far` and `nearer`."""
    pairs, tables = projection("none"), _of(FirstPhase, stored)
    tables.classes[:], tables.shown_by[:] = np.divmod(pairs.classes, SYMMETRIES)
    tables.far[:] = 0xFF
    lists = np.empty((2, _MOST_LISTED), np.int32)
    _enumerate_near(tables, pairs.states.astype(np.int32), stabilizers(), tables.far, tables.nearer, lists, NEAR)


@part
def _mark_near(entry: int, depth: int, deepest: int, nearer: NDArray[np.uint8]) -> None:
    for moves in range(depth, deepest):
        place = place_of(entry, moves)
        nearer[place >> 3] |= np.uint8(1 << (place & 7))


@kernel(at_start=True)
def _enumerate_near(
    tables: FirstPhase,
    representatives: Read1[np.int32],
    stabilizers: Read1[np.uint16],
    far: Array1[np.uint8],
    nearer: Array1[np.uint8],
    lists: Array2[np.int32],
    deepest: int,
) -> int:
    """Clear the bits of all entries up to a depth in `far`, level by level, and set those of `nearer`.

    If a symmetry fixes the pair of a state but not its twist, the state has an entry for each such image; `stabilizers`
    has a bit for each symmetry that fixes the pair of each class.
    """
    here, deeper = lists[0], lists[1]
    here[0] = 0
    far[0] &= 0xFE
    _mark_near(0, 0, deepest, nearer)
    listed, cleared = 1, 1
    for depth in range(1, deepest + 1):
        count = 0
        for place in range(listed):
            number = here[place] // 2187
            twist = here[place] - number * 2187
            pair = representatives[number]
            flip, slices = pair & 2047, pair >> 11
            for move in range(18):
                after = tables.slice_moves[slices, move] * 2048 + tables.flip_moves[flip, move]
                group = np.int64(tables.classes[after])
                image = np.int64(tables.twist_images[tables.twist_moves[twist, move], tables.shown_by[after]])
                left = np.int64(stabilizers[group])
                symmetry = 0
                while left:
                    if left & 1:
                        entry = group * 2187 + tables.twist_images[image, symmetry]
                        if far[entry >> 3] >> (entry & 7) & 1:
                            far[entry >> 3] ^= np.uint8(1 << (entry & 7))
                            cleared += 1
                            _mark_near(entry, depth, deepest, nearer)
                            if depth < deepest:
                                deeper[count] = entry
                                count += 1
                    left >>= 1
                    symmetry += 1
        here, deeper = deeper, here
        listed = count
    return cleared
