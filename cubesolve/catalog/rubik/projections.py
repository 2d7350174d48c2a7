"""Projections of the 3x3x3: the coordinates of its pattern databases, reduced by symmetry.

For the axis U-D, *slice* is the set of positions of the edges FR FL BL BR, *flip* the orientation of all edges, *twist*
that of all corners. Sixteen symmetries of the cube keep the axis; under them the pairs of flip and slice fall into
64,430 *classes*. A row of a table is a class, or a class with a *label*, a further coordinate; its entries are the
2,187 twists. All of it is computed from the turns of facelets; ``docs/coordinates.md`` defines the ranks.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.catalog.rubik.cube import CORNER_FACELETS, EDGE_FACELETS, turn_cubies
from cubesolve.definition.facelets import Rearrange, cube_rotations, symmetries, turning
from cubesolve.definition.notation import FACES, FaceTurn
from cubesolve.spaces.rows import all_orders, odd_orders, order_ranks
from cubesolve.spaces.space import RefinedSpace

TWISTS = 2187  # number of twists of the corners: 3**7
SYMMETRIES = 16  # number of symmetries of the cube, with reflections, that keep the axis U-D
TETRADS = (0, 2, 5, 7), (1, 3, 4, 6)  # corners, as two sets of four; half turns exchange those of each in two pairs

_UPPER = frozenset(range(4))  # the corners, or the edges, of layer U
_SLICE_EDGES = frozenset(range(8, 12))


# -- Symmetries as maps of faces and pieces --------------------------------------------------------------------------


class CubeSymmetry(NamedTuple):
    """A symmetry of the cube: the images of the faces U, R, F, D, L, B, and whether it is a reflection."""

    faces: str
    reflection: bool

    def image(self, move: FaceTurn) -> FaceTurn:
        """Return the image of a move."""
        return FaceTurn(self.faces[FACES.index(move.letter)], 4 - move.turns if self.reflection else move.turns)


@functools.cache
def axis_symmetries() -> tuple[CubeSymmetry, ...]:
    """Return the 16 symmetries that keep the axis U-D, the identity first."""
    kept = [faces for _, faces in symmetries(3) if faces[0] in "UD"]
    kept.sort(key=lambda faces: ("UD".index(faces[0]), "RFLB".index(faces[1]), "FRBL".index(faces[2])))
    return tuple(CubeSymmetry(faces, faces not in cube_rotations()) for faces in kept)


@functools.cache
def axis_turns() -> tuple[CubeSymmetry, ...]:
    """Return the rotations about the corner URF that bring each axis to U-D."""
    return CubeSymmetry("URFDLB", False), CubeSymmetry("RFULBD", False), CubeSymmetry("FURBDL", False)


class PieceKind(NamedTuple):
    """A kind of pieces, corners or edges, with the data that the code below needs."""

    pieces: int
    orientations: int  # of each piece
    facelets: tuple[tuple[int, ...], ...]  # of each position


CORNERS = PieceKind(8, 3, CORNER_FACELETS)
EDGES = PieceKind(12, 2, EDGE_FACELETS)


@functools.cache
def place_moves(kind: PieceKind, moves: tuple[FaceTurn, ...]) -> NDArray[np.int64]:
    """Return int64 (moves, places): the place of a piece, ``orientations * position + orientation``, after moves."""
    return np.array([_carried(kind, turning(3, move)).reshape(-1) for move in moves])


def _carried(kind: PieceKind, arrange: Rearrange) -> NDArray[np.int64]:
    """Return int64 (pieces, orientations): the place on whose facelet that of each place is after a rearrangement."""
    facelets, places = np.array(kind.facelets), np.zeros(54, np.int64)
    places[facelets] = np.arange(facelets.size).reshape(facelets.shape)
    carried: NDArray[np.int64] = places[np.argsort(arrange(range(54)))[facelets]]
    return carried


@functools.cache
def images(kind: PieceKind, symmetry: CubeSymmetry) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the images of pieces under a symmetry: each piece maps to the home of the image of its home.

    Returns:
        int64 (pieces,): the image of each piece, and int64 (pieces, places): its place, for each place of the piece.
    """
    count = kind.orientations
    seen = _carried(kind, next(arrange for arrange, faces in symmetries(3) if faces == symmetry.faces))
    pieces = seen[:, 0] // count
    shows = (seen % count).argmin(axis=1)  # the sticker of each piece whose image shows the orientation of the image
    stickers = (shows[:, None, None] + np.arange(count)) % count
    places = seen[np.arange(kind.pieces)[None, :, None], stickers].reshape(kind.pieces, -1)
    return pieces, places


# -- Coordinates of pieces, and states that have them ----------------------------------------------------------------


class Pieces(NamedTuple):
    """Many states of the corners or of the edges, one per row: the piece at each position, and its orientation."""

    kind: PieceKind
    at: NDArray[np.int64]
    how: NDArray[np.int64]

    def after(self, move: FaceTurn) -> Pieces:
        """Return the states after a move."""
        cubies = turn_cubies(move)
        origin, change = cubies[:2] if self.kind is CORNERS else cubies[2:]
        return Pieces(self.kind, self.at[:, origin], (self.how[:, origin] + change) % self.kind.orientations)

    def image_under(self, symmetry: CubeSymmetry) -> Pieces:
        """Return the images of the states under a symmetry."""
        pieces, places = images(self.kind, symmetry)
        here = self.kind.orientations * np.arange(self.kind.pieces) + self.how
        positions, how = np.divmod(places[self.at, here], self.kind.orientations)
        seen = Pieces(self.kind, np.empty_like(self.at), np.empty_like(self.how))
        np.put_along_axis(seen.at, positions, pieces[self.at], axis=1)
        np.put_along_axis(seen.how, positions, how, axis=1)
        return seen

    def orientation(self) -> NDArray[np.int64]:
        """Return all orientations but the last as one number: twist, or flip."""
        return self.how[:, :-1] @ orientation_weights(self.kind)[:-1]

    def subset(self, pieces: frozenset[int]) -> NDArray[np.int64]:
        """Return the set of positions of some pieces, as bits."""
        return np.isin(self.at, list(pieces)) @ (1 << np.arange(self.kind.pieces))


def orientation_weights(kind: PieceKind) -> NDArray[np.int64]:
    """Return the summand of an orientation 1 at each position in `Pieces.orientation`."""
    last = kind.pieces - 1
    return np.array([kind.orientations ** (last - 1 - i) if i < last else 0 for i in range(kind.pieces)])


@functools.cache
def slice_masks() -> NDArray[np.int64]:
    """Return the sets of four of twelve positions, as bits; the first one is the home of the slice edges."""
    masks = [sum(1 << i for i in places) for places in itertools.combinations(range(12), 4)]
    return np.array(sorted(masks, reverse=True))


@functools.cache
def layer_masks() -> NDArray[np.int64]:
    """Return the sets of four of eight positions, as bits; the first one is the home of the corners of the layer U."""
    return np.array(sorted(sum(1 << i for i in places) for places in itertools.combinations(range(8), 4)))


def numbered(masks: NDArray[np.int64], bits: int) -> NDArray[np.int64]:
    """Return the index of each mask of a number of bits among the given ones; 0 for others."""
    numbers = np.zeros(1 << bits, np.int64)
    numbers[masks] = np.arange(len(masks))
    return numbers


def with_slices(orders: Sequence[tuple[int, ...]]) -> Pieces:
    """Return states with the slice edges at each set of four positions, there in each of some orders."""
    at = np.empty((len(slice_masks()) * len(orders), 12), np.int64)
    for row, (mask, order) in enumerate(itertools.product(slice_masks().tolist(), orders)):
        inside, outside = iter(order), iter(range(8))
        at[row] = [8 + next(inside) if mask >> i & 1 else next(outside) for i in range(12)]
    return Pieces(EDGES, at, np.zeros_like(at))


class Coordinate(NamedTuple):
    """A number that moves and symmetries permute; for a part of a label, perhaps only together with the slice."""

    number: int  # of values
    states: Pieces  # a state for each *raw* number, which contains both
    # returns the raw numbers of states: ``number * slice + value`` if they contain both
    raw: Callable[[Pieces], NDArray[np.int64]]

    @property
    def with_slice(self) -> bool:
        """Whether raw numbers contain the slice."""
        return len(self.states.at) > self.number

    def seen(self) -> NDArray[np.int64]:
        """Return int64 (symmetries, raw numbers): the image of each under each symmetry."""
        return np.array([self.raw(self.states.image_under(s)) % self.number for s in axis_symmetries()])

    def after(self, moves: Sequence[FaceTurn]) -> NDArray[np.int64]:
        """Return int64 (moves, raw numbers): the raw number of each after each move."""
        return np.array([self.raw(self.states.after(move)) for move in moves])


@functools.cache
def orientations(kind: PieceKind) -> Coordinate:
    """Return the twist of the corners, or the flip of the edges."""
    count = kind.orientations ** (kind.pieces - 1)
    how = np.zeros((count, kind.pieces), np.int64)
    how[:, :-1] = np.arange(count)[:, None] // orientation_weights(kind)[:-1] % kind.orientations
    how[:, -1] = -how.sum(axis=1) % kind.orientations
    return Coordinate(count, Pieces(kind, np.tile(np.arange(kind.pieces), (count, 1)), how), Pieces.orientation)


@functools.cache
def slices() -> Coordinate:
    """Return the positions of the slice edges, as an index of `slice_masks`."""
    numbers = numbered(slice_masks(), 12)
    return Coordinate(
        len(slice_masks()), with_slices([(0, 1, 2, 3)]), lambda edges: numbers[edges.subset(_SLICE_EDGES)]
    )


def outer_orders(kind: PieceKind) -> Coordinate:
    """Return the order of the corners, or of the edges of both outer layers."""
    states = outer_pieces(kind, all_orders(8))
    return Coordinate(len(states.at), states, lambda pieces: order_ranks(pieces.at[:, :8]))


def halves(kind: PieceKind) -> Coordinate:
    """Return the set of positions of the corners, or of the edges, of layer U."""
    inside = layer_masks()[:, None] >> np.arange(8) & 1
    states, masks = outer_pieces(kind, np.argsort(np.argsort(-inside, stable=True))), numbered(layer_masks(), 8)
    return Coordinate(len(inside), states, lambda pieces: masks[pieces.subset(_UPPER)])


def outer_pieces(kind: PieceKind, outer: NDArray[np.int64]) -> Pieces:
    """Return states with eight pieces in the given orders; for edges, the slice edges are at home."""
    at = np.hstack([outer, np.tile(np.arange(8, kind.pieces), (len(outer), 1))])
    return Pieces(kind, at, np.zeros_like(at))


# -- Labels: further coordinates of a row ----------------------------------------------------------------------------


class Label(NamedTuple):
    """A further coordinate of a row: ``corners.number * edges + corners``."""

    edges: Coordinate
    corners: Coordinate

    @property
    def number(self) -> int:
        """The number of labels."""
        return self.edges.number * self.corners.number


def _nothing(kind: PieceKind) -> Coordinate:
    home = np.arange(kind.pieces)[None]
    return Coordinate(1, Pieces(kind, home, np.zeros_like(home)), lambda states: np.zeros(len(states.at), np.int64))


_ORDERS = tuple(itertools.permutations(range(3)))


def _order_number(orders: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers of orders of 0, 1 and 2, one per row: the first two determine the order."""
    numbers = np.zeros((3, 3), np.int64)
    for number, (a, b, _) in enumerate(_ORDERS):
        numbers[a, b] = number
    result: NDArray[np.int64] = numbers[orders[:, 0], orders[:, 1]]
    return result


def _order_class(edges: Pieces) -> NDArray[np.int64]:
    """Return the label of the order of the slice edges up to the four orders that exchange pairs of them.

    With the edges numbered 0 to 3, these four are `n -> n ^ c`; so one of them brings 3 to the last place.
    """
    order = edges.at[edges.at >= 8].reshape(-1, 4) - 8
    return _order_number(order[:, :3] ^ order[:, 3:] ^ 3)


def _order() -> Coordinate:
    states = with_slices([(*order, 3) for order in _ORDERS])
    return Coordinate(6, states, lambda edges: slices().raw(edges) * 6 + _order_class(edges))


# The four corners of a tetrad form pairs in three ways, one for each axis: those of a pair lie on one face. In both
# tetrads the exclusive or of the halves of two numbers, 1 to 3, is the number of the way in which they form a pair.


@functools.cache
def _tetrad_masks() -> list[int]:
    """Return the sets of four of eight positions with the first one, as bits; the home of the first tetrad is first."""
    home = sum(1 << i for i in TETRADS[0])
    return sorted((int(mask) for mask in layer_masks() if mask & 1), key=lambda mask: mask ^ home)


def pairing(halves: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the pairing of the corners of a tetrad, 0 to 5, given the halves of their numbers by position."""
    return _order_number((halves[:, 1:] ^ halves[:, :1]) - 1)


def tetrads_number(masks: NDArray[np.int64], first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the label ``tetrads``, given the positions of the first tetrad, as bits, and the `pairing` of the two."""
    exchanged = masks & 1 == 0
    sets = np.zeros(256, np.int64)
    sets[_tetrad_masks()] = np.arange(35)
    by_way = [[_ORDERS.index(tuple(b.index(way) for way in a)) for b in _ORDERS] for a in _ORDERS]
    here, there = np.where(exchanged, second, first), np.where(exchanged, first, second)
    numbers: NDArray[np.int64] = 6 * sets[np.where(exchanged, 255 ^ masks, masks)] + np.array(by_way)[here, there]
    return numbers


def _tetrads() -> Coordinate:
    def raw(corners: Pieces) -> NDArray[np.int64]:
        in_first = np.isin(corners.at, TETRADS[0])
        first, second = (pairing(corners.at[those].reshape(-1, 4) // 2) for those in (in_first, ~in_first))
        return tetrads_number(corners.subset(frozenset(TETRADS[0])), first, second)

    at = np.empty((35 * 6, 8), np.int64)
    for row, (mask, order) in enumerate(itertools.product(_tetrad_masks(), _ORDERS)):
        here, there = iter(TETRADS[0]), iter((0, *(order.index(i) + 1 for i in range(3))))
        at[row] = [next(here) if mask >> i & 1 else TETRADS[1][next(there)] for i in range(8)]
    return Coordinate(len(at), Pieces(CORNERS, at, np.zeros_like(at)), raw)


def quotient(part: Coordinate, values: Sequence[int]) -> Coordinate:
    """Return a coarser part of a label: a value for each number of the part.

    Args:
        values: the values, from 0 up; that of number 0 is 0. Moves and symmetries must permute them.
    """
    coarse = np.array(values)
    number = int(coarse.max()) + 1
    firsts = [values.index(value) for value in range(number)]
    rows = (np.arange(0, len(part.states.at), part.number)[:, None] + firsts).reshape(-1)
    states = Pieces(part.states.kind, part.states.at[rows], part.states.how[rows])

    def raw(pieces: Pieces) -> NDArray[np.int64]:
        slices, fine = np.divmod(part.raw(pieces), part.number)
        numbers: NDArray[np.int64] = number * slices + coarse[fine]
        return numbers

    return Coordinate(number, states, raw)


def _of_tetrads(kept: Sequence[int]) -> Coordinate:
    """Return the sets of the tetrads, with some number for each of the six permutations in ``tetrads``."""
    number = max(kept) + 1
    return quotient(_tetrads(), [number * of + value for of in range(35) for value in kept])


_LABELS: dict[str, tuple[Callable[[], Coordinate], Callable[[], Coordinate]]] = {
    "none": (lambda: _nothing(EDGES), lambda: _nothing(CORNERS)),
    "order": (_order, lambda: _nothing(CORNERS)),
    "sets": (lambda: _nothing(EDGES), lambda: _of_tetrads([0] * 6)),
    "parity": (lambda: _nothing(EDGES), lambda: _of_tetrads(odd_orders(np.array(_ORDERS)).tolist())),
    "tetrads": (lambda: _nothing(EDGES), _tetrads),
}


@functools.cache
def label_named(name: str) -> Label:
    """Return the label with a name: ``none``, ``order``, ``sets``, ``parity`` or ``tetrads``.

    ``order`` is the order of the slice edges up to exchanges in two pairs. ``tetrads`` is the permutation of the
    corners up to half turns, and up to an exchange of the two tetrads: the sets of four corners that half turns
    exchange. ``sets`` are the sets of positions of the tetrads alone, ``parity`` these with the parity of that
    permutation.
    """
    if name not in _LABELS:
        raise ValueError(f"no such label: {name}")
    edges, corners = _LABELS[name]
    return Label(edges(), corners())


# -- Projections -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class RubikProjection:
    """The map from cubes to the rows of a table."""

    label: Label  # the label of a row
    flips: int  # the number of flips: 2,048, or 1 if rows do not distinguish them
    states: NDArray[np.int64]  # the representatives of the classes, int64 (classes,): ``flips * slice + flip``
    # (slice-flips,): 16 times the class, plus the number of the symmetry to its representative
    classes: NDArray[np.int32]
    # int64 (symmetries, raw numbers), of the edges, times the number of those of the corners, and of the corners: the
    # image of a raw number under a symmetry. The sum of the two is a label
    labels: tuple[NDArray[np.int64], NDArray[np.int64]]
    twists: NDArray[np.int64]  # (symmetries, twists): the image of a twist under a symmetry

    @property
    def rows(self) -> int:
        """The number of rows of a table."""
        return len(self.states) * self.label.number

    @property
    def edges(self) -> Coordinate:
        """The slice, with the label of the edges."""
        return self.label.edges if self.label.edges.with_slice else slices()

    def space(self, moves: Sequence[FaceTurn]) -> RefinedSpace:
        """Return the space of such rows with some moves."""
        slice_of, flip_of = np.divmod(self.states, self.flips)
        after = self.flips * slices().after(moves)[:, slice_of]
        if self.flips > 1:
            after += orientations(EDGES).after(moves)[:, flip_of]
        base, symmetry = np.divmod(self.classes[after], SYMMETRIES)
        action = np.arange(len(moves))[:, None] * SYMMETRIES + symmetry
        fibre = self.twists[:, orientations(CORNERS).after(moves)].swapaxes(0, 1)
        # The raw labels of a class, and their images: a row of `labels` each.
        edges, corners = self.label.edges, self.label.corners
        of_edges = self.labels[0][:, edges.after(moves)].reshape(SYMMETRIES, len(moves), -1, edges.number, 1)
        of_corners = self.labels[1][:, corners.after(moves)][:, :, None, None]
        labels = (of_edges + of_corners).swapaxes(0, 1).reshape(-1, self.label.number)
        relabel = action * of_edges.shape[2] + (slice_of if edges.with_slice else 0)
        return RefinedSpace(
            np.ascontiguousarray(base, np.int32),
            np.ascontiguousarray(action, np.uint16),
            np.ascontiguousarray(relabel, np.int32),
            np.ascontiguousarray(labels, np.uint8),
            np.ascontiguousarray(fibre.reshape(-1, TWISTS), np.uint16),
        )


def _pair_images(flips: Pieces, symmetry: CubeSymmetry) -> NDArray[np.int32]:
    """Return int32 (slices, flips): the image of each pair ``flips * slice + flip`` under a symmetry."""
    # The image of a flip is the sum of its image at home and of a flip that depends on the slice.
    seen = slices().states.image_under(symmetry)
    flip = flips.image_under(symmetry).orientation()[None, :] ^ seen.orientation()[:, None] if len(flips.at) > 1 else 0
    return (slices().raw(seen)[:, None] * len(flips.at) + flip).astype(np.int32)


def stabilizers() -> NDArray[np.uint16]:
    """Return uint16 (64430,): the symmetries that fix the slice and flip of each class, as bits."""
    flips, states = orientations(EDGES).states, projection("none").states
    masks = np.zeros(len(states), np.uint16)
    for number, symmetry in enumerate(axis_symmetries()):
        image = _pair_images(flips, symmetry).reshape(-1)
        masks |= (image[states] == states).astype(np.uint16) << np.uint16(number)
    return masks


@functools.cache
def projection(label: str, with_flips: bool = True) -> RubikProjection:
    """Return the projection to classes and labels; without flips, the classes are those of slices alone."""
    return projection_with(label_named(label), with_flips)


def projection_with(label: Label, with_flips: bool = True) -> RubikProjection:
    """Return the projection of any label."""
    home, all_flips = slices().states, orientations(EDGES).states
    flips = all_flips if with_flips else Pieces(EDGES, home.at[:1], home.how[:1])
    least, by = np.full((slices().number, len(flips.at)), np.iinfo(np.int32).max, np.int32), np.zeros((1, 1), np.int32)
    for number, symmetry in enumerate(axis_symmetries()):
        image = _pair_images(flips, symmetry)
        by = np.where(image < least, np.int32(number), by)
        least = np.minimum(least, image)
    states, numbers = np.unique(least, return_inverse=True)
    return RubikProjection(
        label,
        len(flips.at),
        states.astype(np.int64),
        (numbers.reshape(-1) * SYMMETRIES + by.reshape(-1)).astype(np.int32),
        (label.edges.seen() * label.corners.number, label.corners.seen()),
        orientations(CORNERS).seen(),
    )
