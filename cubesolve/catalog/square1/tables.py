"""The moves of the Square-1 as arrays, and lower bounds of the number of twists (numpy; needs numba).

A state up to turns of the layers is a class of shapes, the rank of the permutation of the corners in the order of their
places, and that of the edges. One table has the least number of twists for each class and permutation of the
corners, another for the edges. They are exact for the puzzle whose other pieces look alike.
"""

from __future__ import annotations

import functools
import itertools
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.catalog.square1.definition import turned
from cubesolve.catalog.square1.shapes import (
    PIECES,
    ClassMove,
    Sources,
    changes,
    classes,
    in_order_of,
    moves,
    symmetries,
)
from cubesolve.errors import TooLargeError
from cubesolve.runtime.deadline import check
from cubesolve.runtime.kernel_arrays import Array2, Read1, Read2
from cubesolve.runtime.kernels import kernel
from cubesolve.spaces.rows import all_orders, order_ranks

RANKS = 40_320  # number of permutations of eight pieces
NOT_REACHED = 255  # value of a bound that has not been found
MOST_LISTED = 1 << 28  # maximum number of moves, times looks, of bounds


class ClassMoves(NamedTuple):
    """The moves of all classes, one class after the other."""

    first: Read1[np.int32]  # the number of the first move of each class, then the number of all moves, (171,)
    there: Read1[np.int32]  # the class that each move leads to
    back: Read1[np.int32]  # the number of the move that undoes each
    changes: Read2[np.int32]  # three changes of the corners, then of the edges, as rows of `after`, (moves, 6)
    # For turns that leave a standard shape as it is, its class, and the changes of corners and edges, (symmetries, 3).
    symmetries: Read2[np.int32]
    after: Read2[np.uint16]  # the rank after each change of a permutation, (changes, 40320)


@functools.cache
def permutations() -> NDArray[np.int64]:
    """Return the permutations of eight pieces by rank, int64 (40320, 8)."""
    return all_orders(PIECES)


class Looks:
    """How the permutations of eight pieces look, of which some are alike.

    Attributes:
        of: the number of the look of each permutation, int64 (40320,).
        first: a permutation with each look, int64 (looks,).
    """

    def __init__(self, alike: list[int]) -> None:
        """Take for each piece the number of the first one that looks alike."""
        seen = np.array(alike)[permutations()] @ (PIECES ** np.arange(PIECES))
        _, self.first, self.of = np.unique(seen, return_index=True, return_inverse=True)

    def after(self, arrays: ClassMoves) -> NDArray[np.uint16]:
        """Return the look after each change, (changes, looks)."""
        return np.ascontiguousarray(self.of.astype(np.uint16)[arrays.after[:, self.first]])


@functools.cache
def all_moves() -> ClassMoves:
    """Return the moves of all classes."""
    by_class = moves()
    first = np.cumsum([0, *map(len, by_class)]).astype(np.int32)
    listed: list[ClassMove] = list(itertools.chain.from_iterable(by_class))
    numbers = dict[Sources, int]()
    rows = [[numbers.setdefault(sources, len(numbers)) for kind in move.changes for sources in kind] for move in listed]
    symmetric = [
        (number, *(numbers.setdefault(sources, len(numbers)) for (sources,) in changes(start, turned(start, turns))))
        for shape, number in classes().items()
        for start in [in_order_of(shape)]
        for turns in symmetries(shape)
    ]
    return ClassMoves(
        first,
        np.array([move.number for move in listed], np.int32),
        np.array([first[move.number] + move.back for move in listed], np.int32),
        np.array(rows, np.int32),
        np.array(symmetric, np.int32),
        np.stack([order_ranks(permutations()[:, list(sources)]).astype(np.uint16) for sources in numbers]),
    )


def bounds(arrays: ClassMoves, looks: list[Looks], starts: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Return the least number of twists for each class, look of the corners, and look of the edges.

    Args:
        looks: those of the corners, and those of the edges.
        starts: the class and both looks of each goal, (goals, 3).
    """
    shape = len(arrays.first) - 1, *(len(look.first) for look in looks)
    if math.prod(shape[1:]) * len(arrays.there) > MOST_LISTED:
        raise TooLargeError(math.prod(shape), MOST_LISTED // len(arrays.there))
    depths = np.full(shape, NOT_REACHED, np.uint8)
    depths[tuple(starts.T)] = 0
    corners, edges = (look.after(arrays) for look in looks)
    level, depth = np.empty((math.prod(shape[1:]), 2), np.int32), 0
    while _advance(arrays, corners, edges, depths.reshape(len(depths), -1), level, depth):
        check()
        depth += 1
    return depths


def different(arrays: ClassMoves, looks: list[Looks]) -> NDArray[np.bool_]:
    """Return whether each state of `bounds` is the first of those that turns of a standard shape lead to."""
    shape = len(arrays.first) - 1, *(len(look.first) for look in looks)
    states = np.arange(math.prod(shape), dtype=np.int32).reshape(shape)
    corners, edges = (look.after(arrays) for look in looks)
    least = states.copy()
    for group, by_corners, by_edges in arrays.symmetries:
        np.minimum(least[group], states[group][np.ix_(corners[by_corners], edges[by_edges])], out=least[group])
    is_first: NDArray[np.bool_] = least == states
    return is_first


@kernel(at_start=True)
def _advance(
    arrays: ClassMoves,
    corners: Read2[np.uint16],
    edges: Read2[np.uint16],
    found: Array2[np.uint8],
    level: Array2[np.int32],
    depth: int,
) -> int:
    """Set the bounds of the states one twist beyond a depth; return their number.

    A move leads to one of the positions in which a layer has its standard shape; turns lead to the others.
    """
    first, there, changes, symmetries = arrays.first, arrays.there, arrays.changes, arrays.symmetries
    looks, number = edges.shape[1], 0
    for group in range(len(first) - 1):
        listed = 0
        for state in range(found.shape[1]):
            if found[group, state] == depth:
                level[listed, 0], level[listed, 1] = state // looks, state % looks
                listed += 1
        for move in range(first[group], first[group + 1]):
            turned, twisted, settled = corners[changes[move, 0]], corners[changes[move, 1]], corners[changes[move, 2]]
            turning, twisting, settling = edges[changes[move, 3]], edges[changes[move, 4]], edges[changes[move, 5]]
            beyond = found[there[move]]
            for row in range(listed):
                corner, edge = settled[twisted[turned[level[row, 0]]]], settling[twisting[turning[level[row, 1]]]]
                state = corner * looks + edge
                if beyond[state] == NOT_REACHED:
                    beyond[state] = depth + 1
                    number += 1
    for symmetry in range(len(symmetries)):
        here = found[symmetries[symmetry, 0]]
        turned, turning = corners[symmetries[symmetry, 1]], edges[symmetries[symmetry, 2]]
        for corner in range(corners.shape[1]):
            for edge in range(looks):
                state = turned[corner] * looks + turning[edge]
                if here[corner * looks + edge] == depth + 1 and here[state] == NOT_REACHED:
                    here[state] = depth + 1
                    number += 1
    return number
