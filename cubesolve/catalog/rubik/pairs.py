"""Pairs of pieces: the representation of the 3x3x3 in the search for optimal solutions."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from cubesolve.catalog.rubik import RubikRules
from cubesolve.catalog.rubik.cube import Cubies, RubikCube
from cubesolve.catalog.rubik.kernels import (
    AXES,
    CODE_BITS,
    CORNER_STATE_BITS,
    EDGE_STATE_BITS,
    EDGES_BITS,
    LABEL_BITS,
    MOVE_BITS,
    SLICE_BIT,
    SUM_WORDS,
    TWIST_BITS,
    CubeDatabase,
    MoveTables,
    PairSums,
)
from cubesolve.catalog.rubik.projections import (
    CORNERS,
    EDGES,
    SYMMETRIES,
    TETRADS,
    TWISTS,
    Coordinate,
    Label,
    PieceKind,
    Pieces,
    RubikProjection,
    axis_turns,
    images,
    label_named,
    layer_masks,
    numbered,
    orientation_weights,
    orientations,
    pairing,
    place_moves,
    tetrads_number,
    with_slices,
)
from cubesolve.definition.notation import FACES, FaceTurn, metric_moves
from cubesolve.encodings.packed import slots
from cubesolve.group.canonical import CanonicalAutomaton
from cubesolve.spaces.defined import derived

# -- The cube as pairs of pieces ---------------------------------------------------------------------------------------
# The state of a pair is the positions and orientations of its two pieces. The summands of a pair depend only on its
# state, for the cube as for its inverse: the position of a piece in the one is the piece at its position in the other.


class PairStates(NamedTuple):
    """All states of a pair."""

    places: NDArray[np.int64]  # (states, 2): the places of its pieces, as `projections.place_moves` numbers them
    numbers: NDArray[np.int64]  # (places, places): the number of the state with two places


@functools.cache
def states_of_pairs(kind: PieceKind) -> PairStates:
    """Return all states of a pair of pieces of a kind."""
    count = kind.pieces * kind.orientations
    both = itertools.product(range(count), repeat=2)
    places = [(p, q) for p, q in both if p // kind.orientations != q // kind.orientations]
    numbers = np.full((count, count), -1)
    for number, (first, second) in enumerate(places):
        numbers[first, second] = number
    return PairStates(np.array(places), numbers)


def steps(kind: PieceKind, moves: tuple[FaceTurn, ...]) -> NDArray[np.uint16]:
    """Return uint16 (moves, states): the state of a pair after each move."""
    pairs, after = states_of_pairs(kind), place_moves(kind, moves)
    return np.array([pairs.numbers[step[pairs.places[:, 0]], step[pairs.places[:, 1]]] for step in after], np.uint16)


def pair_states(cubies: Cubies) -> NDArray[np.uint16]:
    """Return the states of all pairs: edges 0 and 1, 2 and 3, ..., then corners."""
    states = []
    for kind, at, how in ((EDGES, cubies.edges, cubies.flips), (CORNERS, cubies.corners, cubies.twists)):
        places = {piece: kind.orientations * i + how[i] for i, piece in enumerate(at)}
        numbers = states_of_pairs(kind).numbers
        states += [numbers[places[piece], places[piece + 1]] for piece in range(0, kind.pieces, 2)]
    return np.array(states, np.uint16)


UnsignedT = TypeVar("UnsignedT", bound=np.unsignedinteger)

HOME = pair_states(RubikCube.solved().cubies)  # uint16 (pairs,): the pairs of the solved cube


def pieces_of(kind: PieceKind, pairs: NDArray[np.uint16]) -> Pieces:
    """The pieces of cubes whose pairs of these pieces have some states, uint16 (N, pairs)."""
    positions, how = np.divmod(states_of_pairs(kind).places[pairs].reshape(-1, kind.pieces), kind.orientations)
    pieces = Pieces(kind, np.empty_like(positions), np.empty_like(how))
    np.put_along_axis(pieces.at, positions, np.arange(kind.pieces)[None], axis=1)
    np.put_along_axis(pieces.how, positions, how, axis=1)
    return pieces


def _sums(
    kind: PieceKind, bits: int, part: Callable[[int, int, int], int], code: Callable[[int, int], int] | None = None
) -> NDArray[np.uint64]:
    """Return the summands of each pair in the coordinates along the axes, and in the code: see `PairSums`; padded."""
    pairs = states_of_pairs(kind)
    sums = np.zeros((2, kind.pieces // 2, 1 << bits, 2 * SUM_WORDS), np.uint32)
    states = slice(len(pairs.places))
    for axis, turn in enumerate(axis_turns()):
        pieces, places = images(kind, turn)
        for piece in range(kind.pieces):
            here, state = int(pieces[piece]), pairs.places[:, piece % 2]
            cube = [(here, *divmod(place, kind.orientations)) for place in places[piece].tolist()]
            # In the inverse, the piece at home here is at the position at which this piece is at home.
            inverse = [(at, number, -how % kind.orientations) for number, at, how in cube]
            for which, seen in enumerate((cube, inverse)):
                sums[which, piece // 2, states, axis] += np.array([part(*entry) for entry in seen], np.uint32)[state]
                if code and axis == 0:  # one code serves all axes
                    adds = np.array([code(number, at) for number, at, _ in seen], np.uint32)
                    sums[which, piece // 2, states, AXES] += adds[state]
    return sums.view(np.uint64).reshape(-1)


def _code(corner: int, at: int) -> int:
    """The positions of the corners of the first tetrad as octal digits, then of the second."""
    return at << 3 * (corner // 2) + CODE_BITS * (corner in TETRADS[1])


def _codes_of(label: Label) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the values of the halves of a code, and the labels along each axis; see `PairSums`."""
    if label.corners.number == 1:
        return np.zeros((2, 1 << CODE_BITS), np.int64), np.zeros((3, 1), np.int64)
    places = np.array(list(itertools.permutations(range(8), 4)))
    numbers = places @ 8 ** np.arange(4)
    pairings = pairing(np.argsort(places, axis=1))
    codes = np.zeros((2, 1 << CODE_BITS), np.int64)
    codes[0, numbers] = 36 * numbered(layer_masks(), 8)[(1 << places).sum(axis=1)] + 6 * pairings
    codes[1, numbers] = pairings
    masks, first, second = (grid.reshape(-1) for grid in np.meshgrid(layer_masks(), range(6), range(6), indexing="ij"))
    raw = tetrads_number(masks, first, second)
    tetrads, corners = label_named("tetrads").corners, label.corners
    return codes, np.array([corners.raw(tetrads.states.image_under(turn))[raw] for turn in axis_turns()])


# -- Coordinates along an axis -----------------------------------------------------------------------------------------
# Along each axis, a cube has four coordinates, each of which moves permute: that of its edges (the slice, and the order
# of its edges where the label of a row has it), the flip, the twist, and the label of its corners.


def _padded(rows: NDArray[np.integer], bits: int, dtype: type[UnsignedT]) -> NDArray[UnsignedT]:
    """Return the rows of an array one after the other, each padded to a length of a power of two."""
    padded = np.zeros((len(rows), 1 << bits), dtype)
    padded[:, : rows.shape[1]] = rows
    return padded.reshape(-1)


def _pair_sums(projection: RubikProjection) -> PairSums:
    label = projection.label
    flip_weights = orientation_weights(EDGES).tolist() if projection.flips > 1 else [0] * EDGES.pieces
    twist_weights = orientation_weights(CORNERS).tolist()
    # With the order of the slice edges, each has a digit of its own; otherwise the positions are bits.
    orders = list(itertools.permutations(range(4))) if label.edges.with_slice else [(0, 1, 2, 3)]

    def slice_weight(edge: int, place: int) -> int:
        return int(place * 12**edge) if label.edges.with_slice else 1 << place

    def edge_part(piece: int, at: int, flip: int) -> int:
        return flip * int(flip_weights[at]) + (slice_weight(piece - 8, at) << SLICE_BIT if piece >= 8 else 0)

    def corner_part(_piece: int, at: int, twist: int) -> int:
        return twist * int(twist_weights[at])

    states = with_slices(orders)
    where = np.argsort(states.at, axis=1)[:, 8:]
    weights = np.array([[slice_weight(edge, at) for at in range(12)] for edge in range(4)])
    places = np.zeros(12**4 if label.edges.with_slice else 1 << 12, np.uint16)
    places[sum(weights[edge][where[:, edge]] for edge in range(4))] = projection.edges.raw(states)
    codes, raw_labels = _codes_of(label)
    return PairSums(
        _sums(EDGES, EDGE_STATE_BITS, edge_part),
        _sums(CORNERS, CORNER_STATE_BITS, corner_part, _code if label.corners.number > 1 else None),
        places,
        np.ascontiguousarray(codes, np.uint16),
        np.ascontiguousarray(raw_labels, np.uint8),
    )


def database(projection: RubikProjection, base: int, table: NDArray[np.uint8]) -> CubeDatabase:
    """Return a table with the maps of cubes to its entries."""
    edge_labels, corner_labels = projection.labels
    groups, symmetries = np.divmod(projection.classes, SYMMETRIES)
    edges = np.arange(len(projection.edges.states.at))
    return CubeDatabase(
        _pair_sums(projection),
        (edges // projection.label.edges.number * projection.flips).astype(np.uint32),
        (groups * projection.label.number * SYMMETRIES + symmetries).astype(np.uint32),
        _padded(edge_labels[:, edges % edge_labels.shape[1]], EDGES_BITS, np.uint8),
        _padded(corner_labels, LABEL_BITS, np.uint8),
        _padded(slots(TWISTS)[projection.twists], TWIST_BITS, np.uint16),
        base,
        table,
    )


def canonical_algs(metric: str) -> CanonicalAutomaton:
    """Return the automaton of canonical algs: U before D, R before L, F before B; half turns are clockwise."""
    return derived(RubikRules()).graph(metric=metric).canonical


def move_tables(projection: RubikProjection, metric: str) -> MoveTables:
    """Return the moves of a metric, and what they do to the coordinates of a projection."""
    moves = tuple(metric_moves(metric, FACES))
    numbers = {move: number for number, move in enumerate(moves)}
    turns = [[numbers[turn.image(move)] for move in moves] for turn in axis_turns()]

    def after(coordinate: Coordinate, dtype: type[UnsignedT], number: int) -> NDArray[UnsignedT]:
        return _padded(coordinate.after(moves).T % number, MOVE_BITS, dtype)

    return MoveTables(
        _padded(steps(EDGES, moves), EDGE_STATE_BITS, np.uint16),
        _padded(steps(CORNERS, moves), CORNER_STATE_BITS, np.uint16),
        _padded(np.array(turns), MOVE_BITS, np.uint8),
        after(projection.edges, np.uint16, len(projection.edges.states.at)),
        after(orientations(EDGES), np.uint16, projection.flips),
        after(orientations(CORNERS), np.uint16, TWISTS),
        after(projection.label.corners, np.uint8, projection.label.corners.number),
        np.array(canonical_algs(metric).following, np.int8),
        _keeping(projection, moves),
        HOME,
    )


def _keeping(projection: RubikProjection, moves: tuple[FaceTurn, ...]) -> NDArray[np.int64]:
    """Return for each axis of the inverse the moves, as bits, that do not change its bound.

    The bound of the inverse is invariant under the subgroup whose cosets the table distinguishes, and the moves of that
    subgroup leave a solved cube at entry 0.
    """
    keeping = np.zeros(AXES, np.int64)
    for axis, turn in enumerate(axis_turns()):
        space = projection.space([turn.image(move) for move in moves])
        label, twist = space.labels[space.relabel[:, 0], 0], space.fibre[space.action[:, 0], 0]
        kept = (space.base[:, 0] == 0) & (label == 0) & (twist == 0)
        keeping[axis] = kept @ (1 << np.arange(len(moves)))
    return keeping
