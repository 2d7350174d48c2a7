"""Machine instructions for kernels: prefetch, bit counts, atomic changes of bits.

These are plain Python functions, which run with ``NUMBA_DISABLE_JIT``. In compiled kernels, Numba generates
instructions instead (`intrinsics`).
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from cubesolve.kernels import before_compiling

_alone = threading.Lock()


def prefetch(array: Any, index: Any) -> None:
    """Start to load the element of an array at a valid index into the cache."""


def trailing_zeros(bits: Any) -> Any:
    """Return the number of trailing zero bits of a uint64 other than 0."""
    return np.uint64((int(bits) & -int(bits)).bit_length() - 1)


def count_ones(bits: Any) -> Any:
    """Return the number of set bits of a uint64."""
    return np.uint64(int(bits).bit_count())


def fetch_and(array: Any, index: Any, bits: Any) -> Any:
    """Replace a uint64 of an array by its bitwise AND with another, atomically, and return the old value."""
    with _alone:
        before = array[index]
        array[index] = before & bits
        return before


def fetch_or(array: Any, index: Any, bits: Any) -> Any:
    """Replace a uint64 of an array by its bitwise OR with another, atomically, and return the old value."""
    with _alone:
        before = array[index]
        array[index] = before | bits
        return before


@before_compiling
def _generate() -> None:
    import cubesolve.intrinsics  # noqa: F401, PLC0415  # needs numba
