"""Pseudo-random functions of numbers, with the same results on every machine."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

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
    """Return a number that depends on all arguments.

    >>> int(key(7, "split") ^ key(7, "split"))
    0
    """
    return np.uint64(int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:8], "big"))


def fractions(numbers: Numbers) -> NDArray[np.float64]:
    """Return a pseudo-random number in [0, 1) for each number.

    >>> fractions(np.arange(2, dtype=np.uint64)).round(3).tolist()
    [0.883, 0.567]
    """
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

    found = once(numbers.astype(np.uint64))
    while (outside := found >= size).any():
        found[outside] = once(found[outside])
    return found.astype(np.int64)
