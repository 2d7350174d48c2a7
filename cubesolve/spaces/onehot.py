"""Arrays of labels as one-hot arrays (numba)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cubesolve.kernels import kernel, read_only, types

_BLOCK = 1 << 13  # numbers that are cleared before the ones among them are set: they stay in the innermost cache


@kernel(read_only(types.uint8), types.int8[:, :, ::1])
def _write_hot(rows: NDArray[np.uint8], hot: NDArray[np.int8]) -> int:
    numbers, flat, labels = rows.reshape(-1), hot.reshape(-1), np.uint64(hot.shape[2])
    last, step = np.uint64(len(numbers)), max(np.uint64(_BLOCK) // labels, np.uint64(1))
    first = np.uint64(0)
    while first < last:
        end = min(first + step, last)
        for k in range(first * labels, end * labels):
            flat[k] = 0
        at = first * labels
        for i in range(first, end):
            flat[at + np.uint64(numbers[i])] = 1
            at += labels
        first = end
    return 0


def write_hot(rows: NDArray[np.uint8], hot: NDArray[np.int8]) -> None:
    """Write labels one-hot.

    Args:
        rows: uint8 (N, points): labels.
        hot: int8 (N, points, labels): the output: 1 for the label of a point, and 0 elsewhere.

    >>> hot = np.empty((1, 2, 3), np.int8)
    >>> write_hot(np.array([[2, 0]], np.uint8), hot)
    >>> hot.tolist()
    [[[0, 0, 1], [1, 0, 0]]]
    """
    _write_hot(rows, hot)
