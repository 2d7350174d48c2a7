"""Machine instructions for kernels: prefetch, bit counts, atomic changes of bits.

These are plain Python functions, which run with ``NUMBA_DISABLE_JIT``. In compiled kernels, Numba generates
instructions instead (`compiler`).
"""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import NDArray

Index = int | np.integer

_alone = threading.Lock()


def prefetch(array: NDArray[np.generic], index: Index) -> None:
    """Start to load the element of an array at a valid index into the cache."""


def trailing_zeros(bits: np.uint64) -> np.uint64:
    """Return the number of trailing zero bits of a uint64 other than 0."""
    return np.uint64((int(bits) & -int(bits)).bit_length() - 1)


def count_ones(bits: np.uint64) -> np.uint64:
    """Return the number of set bits of a uint64."""
    return np.uint64(int(bits).bit_count())


def fetch_and(array: NDArray[np.uint64], index: Index, bits: np.uint64) -> np.uint64:
    """Replace a uint64 of an array by its bitwise AND with another, atomically, and return the old value."""
    with _alone:
        before: np.uint64 = array[index]
        array[index] = before & bits
        return before


def fetch_or(array: NDArray[np.uint64], index: Index, bits: np.uint64) -> np.uint64:
    """Replace a uint64 of an array by its bitwise OR with another, atomically, and return the old value."""
    with _alone:
        before: np.uint64 = array[index]
        array[index] = before | bits
        return before
