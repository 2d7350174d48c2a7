"""The moves of the Square-1 as arrays, and lower bounds of the number of twists (numpy; needs numba).

A state up to turns of the layers is a class of shapes, the rank of the permutation of the corners in the order of their
places, and that of the edges. One table has the least number of twists for each class and permutation of the
corners, another for the edges. They are exact for the puzzle whose other pieces look alike.
"""

from __future__ import annotations

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
from cubesolve.runtime.kernel_arrays import Array1, Read1, Read2
from cubesolve.runtime.kernels import kernel

RANKS = 40_320
"""The number of permutations of eight pieces."""

NOT_REACHED = 255
"""The value of a bound that has not been found."""

MOST_FEW = 1 << 25
"""The maximum number of moves, times looks, that are listed."""

STEPS = 3
"""The number of changes of a move: turns, a twist, turns."""


class ClassMoves(NamedTuple):
    """The moves of all classes, one class after the other.

    Attributes:
        first: the number of the first move of each class, then the number of all moves, int32 (171,).
        there: the class that each move leads to, int32 (moves,).
        back: the number of the move that undoes each, int32 (moves,).
        changes: three changes of the corners, then of the edges, as rows of `after`, int32 (moves, 6).
        symmetries: for turns that leave a standard shape as it is, its class, and the changes of the corners and of the
            edges, int32 (symmetries, 3).
        after: the rank after each change of a permutation, uint16 (changes, 40320).
    """

    first: Read1[np.int32]
    there: Read1[np.int32]
    back: Read1[np.int32]
    changes: Read2[np.int32]
    symmetries: Read2[np.int32]
    after: Read2[np.uint16]


class Permutations:
    """The permutations of eight pieces in lexicographic order, and how changes act on their ranks."""

    def __init__(self) -> None:
        self.all = np.array(list(itertools.permutations(range(PIECES))))
        self._weights = PIECES ** np.arange(PIECES)[::-1]
        self._keys = self.all @ self._weights  # in ascending order

    def rank(self, permutation: list[int]) -> int:
        """Return the rank of a permutation."""
        return int(np.searchsorted(self._keys, np.array(permutation) @ self._weights))

    def relabelled(self, rank: int) -> NDArray[np.uint16]:
        """Return the rank of each permutation after its pieces get new numbers: those of a permutation, by rank."""
        return self._ranks(self.all[rank][self.all])

    def after(self, sources: Sources) -> NDArray[np.uint16]:
        """Return the rank of each permutation after a change."""
        return self._ranks(self.all[:, list(sources)])

    def _ranks(self, permutations: NDArray[np.int64]) -> NDArray[np.uint16]:
        ranks: NDArray[np.uint16] = np.searchsorted(self._keys, permutations @ self._weights).astype(np.uint16)
        return ranks


class Looks:
    """How the permutations of eight pieces look, of which some are alike.

    Attributes:
        of: the number of the look of each permutation, int64 (40320,).
        first: a permutation with each look, int64 (looks,).
    """

    def __init__(self, permutations: Permutations, alike: list[int]) -> None:
        """Take the permutations, and for each piece the number of the first one that looks alike."""
        seen = np.array(alike)[permutations.all] @ (PIECES ** np.arange(PIECES))
        _, self.first, self.of = np.unique(seen, return_index=True, return_inverse=True)


def arrays_of_moves(permutations: Permutations) -> ClassMoves:
    """Return the moves of all classes."""
    by_class = moves()
    first = np.cumsum([0, *map(len, by_class)]).astype(np.int32)
    listed: list[ClassMove] = list(itertools.chain.from_iterable(by_class))
    numbers = dict[Sources, int]()
    rows = [[numbers.setdefault(each, len(numbers)) for kind in move.changes for each in kind] for move in listed]
    symmetric = [
        (number, *(numbers.setdefault(each, len(numbers)) for (each,) in changes(start, turned(start, turns))))
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
        np.stack([permutations.after(sources) for sources in numbers]),
    )


def bounds(arrays: ClassMoves, kind: int, starts: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Return the least number of twists for each class and permutation of the pieces of a kind.

    Returns:
        uint8 (classes * 40320,).
    """
    found = np.full((len(arrays.first) - 1) * RANKS, NOT_REACHED, np.uint8)
    found[starts] = 0
    depth = 0
    while _advance(arrays, kind, found, depth):
        check()
        depth += 1
    return found


def few_bounds(arrays: ClassMoves, kinds: list[tuple[int, Looks]], starts: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Return the least number of twists for each class and look of the pieces of some kinds, which are few.

    Returns:
        uint8 (classes * looks,).
    """
    classes_ = np.repeat(np.arange(len(arrays.first) - 1), np.diff(arrays.first))
    there, images = (
        _after_changes(arrays, kinds, begins, changes)
        for begins, changes in (
            (arrays.there, [arrays.changes[:, STEPS * kind : STEPS * (kind + 1)] for kind, _ in kinds]),
            (arrays.symmetries[:, 0], [arrays.symmetries[:, 1 + kind, None] for kind, _ in kinds]),
        )
    )
    number = there.shape[1]
    found = np.full((len(arrays.first) - 1, number), NOT_REACHED, np.uint8)
    found.flat[starts] = 0
    for depth in itertools.count():
        check()
        reached = there[found[classes_] == depth]
        level = np.unique(reached[found.flat[reached] == NOT_REACHED])
        found.flat[level] = depth + 1
        found.flat[images[found[arrays.symmetries[:, 0]] == depth + 1]] = depth + 1
        if not len(level):
            return found.reshape(-1)
    raise AssertionError("unreachable")


def _after_changes(
    arrays: ClassMoves, kinds: list[tuple[int, Looks]], begins: NDArray[np.int32], changes: list[NDArray[np.int32]]
) -> NDArray[np.int64]:
    """Return the index after changes, for each row of changes and all looks of the kinds together."""
    number = math.prod(len(looks.first) for _, looks in kinds)
    if number * len(begins) > MOST_FEW:
        raise TooLargeError(number * (len(arrays.first) - 1), MOST_FEW // len(begins))
    index = np.asarray(begins, np.int64)[:, None]
    for (_, looks), columns in zip(kinds, changes, strict=True):
        after = looks.of[arrays.after[:, looks.first]]
        changed = np.broadcast_to(np.arange(len(looks.first)), (len(begins), len(looks.first)))
        for step in columns.T:
            changed = after[step[:, None], changed]
        index = (index[:, :, None] * len(looks.first) + changed[:, None, :]).reshape(len(begins), -1)
    return index


def different(arrays: ClassMoves, looks: list[Looks], found: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return whether each state is the first of those that turns of a standard shape lead to."""
    changes = [arrays.symmetries[:, 1 + kind, None] for kind in range(len(looks))]
    images = _after_changes(arrays, [*enumerate(looks)], arrays.symmetries[:, 0], changes)
    least = np.arange(len(found)).reshape(len(arrays.first) - 1, -1)
    np.minimum.at(least, arrays.symmetries[:, 0], images)
    is_first: NDArray[np.bool_] = least.reshape(-1) == np.arange(len(found))
    return is_first


@kernel(at_start=True)
def _advance(arrays: ClassMoves, kind: int, found: Array1[np.uint8], depth: int) -> int:
    """Set the bounds of the states one twist beyond a depth; return their number.

    A move leads to one of the positions in which a layer has its standard shape; turns lead to the others.
    """
    first, there, changes, after = arrays.first, arrays.there, arrays.changes, arrays.after
    first_change, number = STEPS * kind, 0
    for group in range(len(first) - 1):
        for move in range(first[group], first[group + 1]):
            turned = after[changes[move, first_change]]
            twisted = after[changes[move, first_change + 1]]
            settled = after[changes[move, first_change + 2]]
            base = there[move] * RANKS
            for rank in range(RANKS):
                if found[group * RANKS + rank] == depth:
                    index = base + settled[twisted[turned[rank]]]
                    if found[index] == NOT_REACHED:
                        found[index] = depth + 1
                        number += 1
    for symmetry in range(len(arrays.symmetries)):
        base = arrays.symmetries[symmetry, 0] * RANKS
        turned = after[arrays.symmetries[symmetry, 1 + kind]]
        for rank in range(RANKS):
            if found[base + rank] == depth + 1 and found[base + turned[rank]] == NOT_REACHED:
                found[base + turned[rank]] = depth + 1
                number += 1
    return number
