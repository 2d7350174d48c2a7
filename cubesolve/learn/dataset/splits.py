"""Numbers that decide which rows a data set has, and which split has a row.

Pseudo-random functions of numbers have the same results on every machine.

Symmetry numbers are equal for all symmetric copies of a state, so a split keeps them together. The symmetries of a
puzzle need not be known. The numbers depend only on how moves connect states, and on which states are solved; a
symmetry preserves these, and so the numbers. This is colour refinement of graphs (Weisfeiler and Leman, 1968). Other
states may have equal numbers as well, and are then kept together without need.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from cubesolve.runtime.workers import Workers
from cubesolve.spaces.space import StateSpace

_MIX = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)  # of SplitMix64

Numbers = NDArray[np.uint64]


def mixed(numbers: NDArray[np.generic]) -> Numbers:
    """Return SplitMix64 of each number.

    >>> mixed(np.array([0])).tolist()  # the first number of the sequence with seed 0
    [16294208416658607535]
    """
    x = numbers.astype(np.uint64) + np.uint64(_MIX[0])
    x = (x ^ (x >> np.uint64(30))) * np.uint64(_MIX[1])
    x = (x ^ (x >> np.uint64(27))) * np.uint64(_MIX[2])
    return x ^ (x >> np.uint64(31))


def key(*parts: object) -> np.uint64:
    """Return a number that depends on all arguments."""
    return np.uint64(int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:8], "big"))


def fractions(numbers: Numbers) -> NDArray[np.float64]:
    """Return a pseudo-random number in [0, 1) for each number."""
    return (mixed(numbers) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def permuted(numbers: NDArray[np.generic], size: int, key: np.uint64) -> NDArray[np.int64]:
    """Return the images of numbers under a pseudo-random permutation of 0..size-1.

    It is a Feistel network with cycle walking: images of `size` or more are mapped again.

    >>> sorted(permuted(np.arange(10), 10, np.uint64(7)).tolist())
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    """
    half = np.uint64(max((size - 1).bit_length() + 1 >> 1, 1))
    mask = (np.uint64(1) << half) - np.uint64(1)
    keys = mixed(key + np.arange(8, dtype=np.uint64))

    def once(given: Numbers) -> Numbers:
        left, right = given >> half, given & mask
        for round_key in keys:
            left, right = right, left ^ (mixed(right ^ round_key) & mask)
        return left << half | right

    images = once(numbers.astype(np.uint64))
    while (outside := images >= size).any():
        images[outside] = once(images[outside])
    return images.astype(np.int64)


# -- Symmetry numbers --------------------------------------------------------------------------------------------------

_AT_ONCE = 1 << 16
_LEAST_GROWTH = 1.01  # of the number of classes in a round; refinement stops below


def symmetry_numbers(space: StateSpace, depths: NDArray[np.uint8]) -> Numbers:
    """Return a number for each state, refined repeatedly from its depth and the numbers of its neighbours.

    >>> moves = np.array([[1, 2, 3, 0], [3, 0, 1, 2]])
    >>> ring = StateSpace(moves, np.zeros((2, 4), np.int32), np.array([[0]], np.uint32))
    >>> numbers = symmetry_numbers(ring, np.array([0, 1, 2, 1], np.uint8))
    >>> [numbers.tolist().index(number) for number in numbers]
    [0, 1, 2, 1]
    """
    numbers, classes = mixed(depths), 0.0
    costs = mixed(space.cost_of_moves) | np.uint64(1)
    while (different := len(np.unique(numbers))) > classes * _LEAST_GROWTH:
        classes = different
        numbers = _refined(space, numbers, costs)
    return numbers


def _refined(space: StateSpace, numbers: Numbers, costs: Numbers) -> Numbers:
    padded = np.append(mixed(numbers), np.uint64(0))  # the last one for -1, an impossible move
    refined = np.empty_like(numbers)

    def refine(first: int, last: int) -> None:
        neighbours = space.neighbours_of(np.arange(first, last))
        refined[first:last] = mixed(numbers[first:last] + (padded[neighbours] * costs).sum(axis=1, dtype=np.uint64))

    with Workers(len(numbers), at_most=_AT_ONCE) as pool:
        pool.run(refine)
    return refined
