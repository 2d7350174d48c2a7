"""Coordinates of both phases, and what moves and symmetries do to them (numpy).

Arrays are gathered from the cubies at each position, so a move acts on a whole coordinate at once.
"""

from __future__ import annotations

import functools
import itertools
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.catalog.rubik.cube import CORNERS, EDGES, turn_cubies
from cubesolve.notation import FACES, metric_moves

MOVES = metric_moves("htm", FACES)
"""The moves of the first phase; three in a row turn one face, and opposite faces are three faces apart."""

SECOND = tuple(number for number, move in enumerate(MOVES) if move.letter in "UD" or move.turns == 2)
"""The numbers of the moves of the second phase."""

TWISTS, FLIPS, SLICES = 3**7, 2**11, math.comb(12, 4)
"""The number of corner orientations, of edge orientations, and of sets of positions of the four slice edges."""

ORDERS, SLICE_ORDERS, HALVES = math.factorial(8), math.factorial(4), math.comb(8, 4)
"""The number of orders of eight pieces, of four pieces, and of sets of four among eight positions."""

SYMMETRIES = 16
"""The number of symmetries of the cube that keep the axis through U and D."""

_SLICE = np.arange(12) >= 8  # the positions, and the pieces, of the middle layer


class Symmetry(NamedTuple):
    """A rotation or reflection of the cube.

    Attributes:
        faces: the face that each of U R F D L B comes to.
        corners: the position that each corner position comes to.
        edges: the position that each edge position comes to.
    """

    faces: str
    corners: tuple[int, ...]
    edges: tuple[int, ...]

    @property
    def is_mirrored(self) -> bool:
        """Whether it is a reflection: the faces next to U then follow each other the other way round."""
        around = "RFLB"
        right, front = (self.faces[FACES.index(face)] for face in "RF")
        if right not in around or front not in around:
            raise ValueError("only for symmetries that keep the axis through U and D")
        is_reversed = around[(around.index(right) + 1) % 4] != front
        return is_reversed != (self.faces[0] == "D")

    @property
    def is_quarter(self) -> bool:
        """Whether it exchanges the axes of R and F."""
        return self.faces[1] in "FB"


def symmetry(faces: str) -> Symmetry:
    """The symmetry with which U R F D L B come to these faces.

    >>> symmetry("UFLDBR").corners
    (1, 2, 3, 0, 5, 6, 7, 4)
    """
    image = dict(zip(FACES, faces, strict=True))
    corners, edges = ({frozenset(name): number for number, name in enumerate(names)} for names in (CORNERS, EDGES))
    return Symmetry(
        faces,
        tuple(corners[frozenset(map(image.__getitem__, name))] for name in CORNERS),
        tuple(edges[frozenset(map(image.__getitem__, name))] for name in EDGES),
    )


@functools.cache
def axis_symmetries() -> tuple[Symmetry, ...]:
    """The symmetries that keep the axis through U and D, the identity first.

    >>> len(axis_symmetries()), axis_symmetries()[0].faces
    (16, 'URFDLB')
    """
    opposite = dict(zip(FACES, FACES[3:] + FACES[:3], strict=True))
    found = [
        up + right + front + opposite[up] + opposite[right] + opposite[front]
        for up in "UD"
        for right, front in itertools.permutations("RFLB", 2)
        if opposite[right] != front
    ]
    return tuple(map(symmetry, sorted(found, key=lambda faces: faces != FACES)))


def _digits(number: int, base: int, places: int) -> NDArray[np.int64]:
    """int64 (number, places + 1): the digits of all numbers, and one more: their sum is a multiple of the base."""
    digits = np.arange(number)[:, None] // base ** np.arange(places) % base
    return np.concatenate([digits, -digits.sum(axis=1, keepdims=True) % base], axis=1)


def _value(digits: NDArray[Any], base: int) -> NDArray[np.int64]:
    values: NDArray[np.int64] = digits[:, :-1] @ base ** np.arange(digits.shape[1] - 1)
    return values


def _orders(pieces: int) -> NDArray[np.int64]:
    """int64 (factorial, pieces): all orders, by rank."""
    return np.array(list(itertools.permutations(range(pieces))))


def _rank(orders: NDArray[Any]) -> NDArray[np.int64]:
    """The rank of orders among all in lexicographic order."""
    pieces, ranks = orders.shape[1], np.zeros(len(orders), np.int64)
    for place in range(pieces):
        ranks = ranks * (pieces - place) + (orders[:, place + 1 :] < orders[:, place, None]).sum(axis=1)
    return ranks


def _sets(places: int, chosen: tuple[int, ...]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The sets of as many places as are chosen: which places each has, and the number of each by its bits.

    The chosen one is number 0.
    """
    found = sorted(itertools.combinations(range(places), len(chosen)), key=lambda each: (each != chosen, each))
    members = np.array([[place in each for place in range(places)] for each in found], np.int64)
    numbers = np.full(1 << places, -1)
    numbers[members @ (1 << np.arange(places))] = np.arange(len(found))
    return members, numbers


def _numbered(members: NDArray[np.int64], numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    return numbers[members @ (1 << np.arange(members.shape[1]))]


# -- The first phase ---------------------------------------------------------------------------------------------------


@functools.cache
def slice_numbers() -> NDArray[np.int64]:
    """int64 (4096,): the number of a set of positions of the slice edges, by its bits; 0 is the middle layer itself."""
    return _sets(12, (8, 9, 10, 11))[1]


def twist_moves() -> NDArray[np.uint16]:
    """uint16 (2187, 18): the corner orientation after each move."""
    twists, after = _digits(TWISTS, 3, 7), map(turn_cubies, MOVES)
    return _columns(_value((twists[:, each.corners] + each.twists) % 3, 3) for each in after)


def flip_moves() -> NDArray[np.uint16]:
    """uint16 (2048, 18): the edge orientation after each move."""
    flips, after = _digits(FLIPS, 2, 11), map(turn_cubies, MOVES)
    return _columns(_value((flips[:, each.edges] + each.flips) % 2, 2) for each in after)


def slice_moves() -> NDArray[np.uint16]:
    """uint16 (495, 18): the set of positions of the slice edges after each move."""
    members, numbers = _sets(12, (8, 9, 10, 11))
    return _columns(_numbered(members[:, turn_cubies(move).edges], numbers) for move in MOVES)


def twist_images() -> NDArray[np.uint16]:
    """uint16 (2187, 16): the corner orientation as each symmetry shows it."""
    twists = _digits(TWISTS, 3, 7)
    found = []
    for each in axis_symmetries():
        image = np.empty_like(twists)
        image[:, each.corners] = -twists % 3 if each.is_mirrored else twists
        found.append(_value(image, 3))
    return _columns(found)


def flip_slice_images() -> NDArray[np.int32]:
    """int32 (16, 495 * 2048): the pair 2048 * slice + flip as each symmetry shows it."""
    flips, (members, numbers) = _digits(FLIPS, 2, 11), _sets(12, (8, 9, 10, 11))
    weights = np.append(1 << np.arange(11), 0)
    found = np.empty((SYMMETRIES, SLICES * FLIPS), np.int32)
    for number, each in enumerate(axis_symmetries()):
        image = np.empty_like(members)
        image[:, each.edges] = members
        here = weights[list(each.edges)]
        # A quarter turn exchanges the two ways to look at the middle layer: an edge that is in it and does not belong
        # there, or the other way round, looks flipped.
        changed = (members != _SLICE) @ here if each.is_quarter else np.zeros(SLICES, np.int64)
        pairs = FLIPS * _numbered(image, numbers)[:, None] + (flips @ here ^ changed[:, None])
        found[number] = pairs.reshape(-1)
    return found


# -- The second phase --------------------------------------------------------------------------------------------------


def corner_moves() -> NDArray[np.uint16]:
    """uint16 (40320, 10): the order of the corners after each move of the second phase."""
    return _columns(_rank(_orders(8)[:, turn_cubies(MOVES[number]).corners]) for number in SECOND)


def edge_moves() -> NDArray[np.uint16]:
    """uint16 (40320, 10): the order of the edges of both outer layers after each move of the second phase."""
    return _columns(_rank(_orders(8)[:, turn_cubies(MOVES[number]).edges[:8]]) for number in SECOND)


def slice_order_moves() -> NDArray[np.uint16]:
    """uint16 (24, 10): the order of the slice edges after each move of the second phase."""
    orders = _orders(4)
    return _columns(_rank(orders[:, np.array(turn_cubies(MOVES[number]).edges[8:]) - 8]) for number in SECOND)


def half_moves() -> NDArray[np.uint16]:
    """uint16 (70, 10): the set of positions of the four edges of the U layer after each move of the second phase."""
    members, numbers = _sets(8, (0, 1, 2, 3))
    return _columns(_numbered(members[:, turn_cubies(MOVES[number]).edges[:8]], numbers) for number in SECOND)


def halves() -> NDArray[np.uint8]:
    """uint8 (40320,): the set of positions of the first four of eight pieces, for each order of them."""
    return _numbered((_orders(8) < 4).astype(np.int64), _sets(8, (0, 1, 2, 3))[1]).astype(np.uint8)


def _columns(columns: Any) -> NDArray[np.uint16]:
    return np.ascontiguousarray(np.array(list(columns), np.uint16).T)
