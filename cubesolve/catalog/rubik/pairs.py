"""The 3x3x3 as the search for optimal solutions sees it: ten pairs of pieces, which lead to entries of a table."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.catalog.rubik.cube import Cubies
from cubesolve.catalog.rubik.kernels import CODE_BITS, LABEL_BIT, PROBES, SLICE_BIT, PairCoordinates
from cubesolve.catalog.rubik.projections import (
    CORNERS,
    EDGES,
    SYMMETRIES,
    TETRADS,
    TWISTS,
    Label,
    PieceKind,
    RubikProjection,
    axis_turns,
    images,
    layer_masks,
    numbered,
    orientation_weights,
    pairing,
    place_moves,
    slice_number,
    tetrads_number,
    with_slices,
)
from cubesolve.encodings.packed.enumeration import slots
from cubesolve.notation import FACES, FaceTurn, metric_moves

# -- Moves in a canonical order ----------------------------------------------------------------------------------------


class CanonicalMoves(NamedTuple):
    """Which moves may follow which, so that of algs that differ by the order of opposite faces only one is tried.

    Attributes:
        moves: the moves of the metric.
        following: int8 (states, moves): the state that a move leads to from each, or -1 where it must not come.
    """

    moves: tuple[FaceTurn, ...]
    following: NDArray[np.int8]


@functools.cache
def canonical_moves(metric: str) -> CanonicalMoves:
    """The canonical algs of a metric: U before D, R before L, F before B; a half turn is made clockwise.

    State 0 is the beginning; 1 to 6 are those after a turn of each face; in the quarter-turn metric 7 to 12 those after
    a turn that may be repeated.
    """
    moves = tuple(metric_moves(metric, FACES))
    following = np.full((13 if metric == "qtm" else 7, len(moves)), -1, np.int8)
    for state, (m, move) in itertools.product(range(len(following)), enumerate(moves)):
        face, last = FACES.index(move.letter), (state - 1) % 6 if state else None
        repeatable = metric == "qtm" and move.turns == 1
        if last is None or face not in {last, last - 3}:
            following[state, m] = 1 + face + 6 * repeatable
        elif state > 6 and face == last and repeatable:
            following[state, m] = 1 + face
    return CanonicalMoves(moves, following)


def equivalent_algs(alg: Sequence[FaceTurn], metric: str) -> list[tuple[FaceTurn, ...]]:
    """All algs of the same length that differ from a canonical one by the order of opposite faces, or in a half turn.

    In the quarter-turn metric, the two quarters of a half turn can go either way.

    >>> [" ".join(map(str, each)) for each in equivalent_algs([FaceTurn("U", 1), FaceTurn("D", 2)], "htm")]
    ['U D2', 'D2 U']
    >>> len(equivalent_algs([FaceTurn("U", 1), FaceTurn("U", 1), FaceTurn("D", 1)], "qtm"))
    6
    """
    order = metric_moves(metric, FACES)
    runs = [tuple(run) for _, run in itertools.groupby(alg, key=lambda move: FACES.index(move.letter) % 3)]
    choices = []
    for run in runs:
        turned_back = [run]
        for move in dict.fromkeys(run):
            if run.count(move) == 2:
                turned_back += [tuple(m.inverse() if m == move else m for m in other) for other in turned_back]
        spelled = {each for other in turned_back for each in itertools.permutations(other)}
        choices.append(sorted(spelled, key=lambda each: [order.index(move) for move in each]))
    return [tuple(itertools.chain(*parts)) for parts in itertools.product(*choices)]


# -- The cube as pairs of pieces ---------------------------------------------------------------------------------------
# The state of a pair says where its two pieces are, and how. What a pair adds to a coordinate depends on its state
# only, for the cube as for its inverse: where a piece is in the one is which piece is in its place in the other.


class _Pairs(NamedTuple):
    """All states of a pair.

    Attributes:
        places: int64 (states, 2): the places of its pieces, as `cosets.place_moves` numbers them.
        numbers: int64 (places, places): the number of the state with two places.
    """

    places: NDArray[np.int64]
    numbers: NDArray[np.int64]


@functools.cache
def _pairs(kind: PieceKind) -> _Pairs:
    count = kind.pieces * kind.orientations
    both = itertools.product(range(count), repeat=2)
    places = [(p, q) for p, q in both if p // kind.orientations != q // kind.orientations]
    numbers = np.full((count, count), -1)
    for number, (first, second) in enumerate(places):
        numbers[first, second] = number
    return _Pairs(np.array(places), numbers)


def steps(kind: PieceKind, moves: tuple[FaceTurn, ...]) -> NDArray[np.uint16]:
    """uint16 (moves, states): the state of a pair after each move."""
    pairs, after = _pairs(kind), place_moves(kind, moves)
    return np.array([pairs.numbers[step[pairs.places[:, 0]], step[pairs.places[:, 1]]] for step in after], np.uint16)


def pair_numbers(kind: PieceKind) -> NDArray[np.int64]:
    """int64 (places, places): the number of the state of a pair whose pieces are in two places; see `_Pairs`."""
    return _pairs(kind).numbers


def pair_states(cubies: Cubies) -> NDArray[np.uint16]:
    """The states of all pairs: edges 0 and 1, 2 and 3, ..., then corners."""
    states = []
    for kind, at, how in ((EDGES, cubies.edges, cubies.flips), (CORNERS, cubies.corners, cubies.twists)):
        places = {piece: kind.orientations * i + how[i] for i, piece in enumerate(at)}
        numbers = _pairs(kind).numbers
        states += [numbers[places[piece], places[piece + 1]] for piece in range(0, kind.pieces, 2)]
    return np.array(states, np.uint16)


Code = Callable[[int, int, int], int]
"""What a corner adds to a code, given its number, its position and the axis."""


def _sums(kind: PieceKind, part: Callable[[int, int, int], int], code: Code | None = None) -> NDArray[np.uint64]:
    """What each pair adds to the coordinates of the six probes, two probes in 64 bits, and then to the two codes.

    Args:
        kind: edges or corners.
        part: what one piece adds, given its number, position and orientation.
        code: what one corner adds to a code.

    Returns:
        uint64 (pairs, states, 3), or 4 with a code.
    """
    pairs = _pairs(kind)
    sums = np.zeros((kind.pieces // 2, len(pairs.places), PROBES + (2 if code else 0)), np.uint32)
    for axis, turn in enumerate(axis_turns()):
        pieces, places = images(kind, turn)
        for piece in range(kind.pieces):
            here, state = int(pieces[piece]), pairs.places[:, piece % 2]
            cube = [(here, *divmod(place, kind.orientations)) for place in places[piece].tolist()]
            # In the inverse, the piece that belongs where this one is lies where this one belongs.
            inverse = [(at, number, -how % kind.orientations) for number, at, how in cube]
            for which, seen in enumerate((cube, inverse)):
                adds = np.array([part(*each) for each in seen], np.uint32)
                sums[piece // 2, :, axis + 3 * which] += adds[state]
                if code:
                    adds = np.array([code(number, at, axis) for number, at, _ in seen], np.uint32)
                    sums[piece // 2, :, PROBES + which] += adds[state]
    packed: NDArray[np.uint64] = sums.view(np.uint64)
    return packed


class _Codes(NamedTuple):
    """How a code tells of corners what a label does.

    Attributes:
        add: what each corner adds.
        shifts: int64 (axes, 2): where it is read.
        codes: see `PairCoordinates`.
        raw: int64 (axes, sums): what the label tells of the corners as they are seen along each axis, raw.
    """

    add: Code
    shifts: NDArray[np.int64]
    codes: NDArray[np.int64]
    raw: NDArray[np.int64]


def _codes_of(label: Label) -> _Codes:
    if label.name == "layer":
        # For each axis the places of the corners of its layer U, as eight bits; four more are read, and mean nothing.
        codes = numbered(layer_masks(), 8)[np.arange(1 << CODE_BITS) & 255]
        return _Codes(
            lambda corner, at, axis: 1 << at + 8 * axis if corner < 4 else 0,
            np.array([[0, 0], [8, 0], [16, 0]]),
            np.stack([codes, np.zeros_like(codes)]),
            np.tile(np.arange(label.number), (3, 1)),
        )
    if label.name == "tetrads":
        return _codes_of_tetrads(label)
    nothing = np.zeros((2, 1 << CODE_BITS), np.int64)
    return _Codes(lambda *_: 0, np.zeros((3, 2), np.int64), nothing, np.zeros((3, 1), np.int64))


def _codes_of_tetrads(label: Label) -> _Codes:
    """The places of the corners of the first tetrad, as octal digits, then of the second: one code for all axes."""
    places = np.array(list(itertools.permutations(range(8), 4)))
    numbers = places @ 8 ** np.arange(4)
    pairings = pairing(np.argsort(places, axis=1))
    codes = np.zeros((2, 1 << CODE_BITS), np.int64)
    codes[0, numbers] = 36 * numbered(layer_masks(), 8)[(1 << places).sum(axis=1)] + 6 * pairings
    codes[1, numbers] = pairings
    masks, first, second = (each.reshape(-1) for each in np.meshgrid(layer_masks(), range(6), range(6), indexing="ij"))
    raw = tetrads_number(masks, first, second)
    corners = label.corners
    return _Codes(
        lambda corner, at, axis: at << 3 * (corner // 2) + CODE_BITS * (corner in TETRADS[1]) if axis == 0 else 0,
        np.tile([0, CODE_BITS], (3, 1)),
        codes,
        np.array([corners.raw(corners.states.image_under(turn))[raw] for turn in axis_turns()]),
    )


def _digit(edge: int, place: int) -> int:
    return int(place * 12**edge)


def _bit(_edge: int, place: int) -> int:
    return 1 << place


def coordinates(projection: RubikProjection) -> PairCoordinates:
    """The arrays that lead from pairs to the rows of a projection, and the slots in these."""
    flips, label = projection.flips, projection.label
    flip_weights = orientation_weights(EDGES).tolist() if flips > 1 else [0] * EDGES.pieces
    twist_weights = orientation_weights(CORNERS).tolist()
    # With the order of the slice edges, each has a digit of its own; otherwise the places are bits.
    with_slice = label.edges.with_slice
    slice_weight = _digit if with_slice else _bit

    def edge_part(piece: int, at: int, flip: int) -> int:
        return flip * int(flip_weights[at]) + (slice_weight(piece - 8, at) << SLICE_BIT if piece >= 8 else 0)

    def corner_part(_piece: int, at: int, twist: int) -> int:
        return twist * int(twist_weights[at])

    states = with_slices(list(itertools.permutations(range(4))) if with_slice else [(0, 1, 2, 3)])
    where = np.argsort(states.at, axis=1)[:, 8:]
    weights = [[slice_weight(edge, at) for at in range(12)] for edge in range(4)]
    slices = np.zeros(12**4 if with_slice else 1 << 12, np.uint32)
    slices[sum(np.array(weights[edge])[where[:, edge]] for edge in range(4))] = slice_number(states) * flips + (
        label.edges.raw(states) << LABEL_BIT
    )
    codes = _codes_of(label)
    windows = [(PROBES + k // 3, *codes.shifts[k % 3], SYMMETRIES * (k % 3)) for k in range(PROBES)]
    edge_labels, corner_labels = projection.labels
    return PairCoordinates(
        _sums(EDGES, edge_part),
        _sums(CORNERS, corner_part, codes.add),
        slices,
        projection.classes,
        np.ascontiguousarray(edge_labels, np.uint8),
        np.ascontiguousarray(slots(TWISTS)[projection.twists], np.uint16),
        np.array(windows, np.int64),
        np.ascontiguousarray(codes.codes, np.uint16),
        np.ascontiguousarray(np.concatenate([corner_labels[:, raw] for raw in codes.raw]), np.uint8),
    )
