"""Arrays of labels as one-hot arrays (numba)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cubesolve.runtime.kernels import kernel, read_only, types

_BLOCK = 1 << 13  # numbers that are cleared before the ones among them are set: they stay in the innermost cache


@kernel(read_only(types.uint8, 1), types.int8[::1], types.uint64)
def _write_hot(numbers: NDArray[np.uint8], flat: NDArray[np.int8], labels: np.uint64) -> int:
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
    _write_hot(rows.reshape(-1), hot.reshape(-1), np.uint64(hot.shape[2]))


@kernel(read_only(types.uint8), read_only(types.uint8), types.int8[:, :, ::1])
def _rewrite_hot(before: NDArray[np.uint8], rows: NDArray[np.uint8], hot: NDArray[np.int8]) -> int:
    for i in range(len(rows)):
        for point in range(rows.shape[1]):
            old, new = before[i, point], rows[i, point]
            if old != new:
                hot[i, point, old], hot[i, point, new] = 0, 1
    return 0


def rewrite_hot(before: NDArray[np.uint8], rows: NDArray[np.uint8], hot: NDArray[np.int8]) -> None:
    """Write labels one-hot where others are written; faster than `write_hot` where few points change.

    Args:
        before: uint8 (N, points): the labels that are written.
        rows: uint8 (N, points): those to write.
        hot: int8 (N, points, labels): the output.

    >>> before, rows, hot = np.array([[2, 0]], np.uint8), np.array([[1, 0]], np.uint8), np.empty((1, 2, 3), np.int8)
    >>> write_hot(before, hot)
    >>> rewrite_hot(before, rows, hot)
    >>> hot.tolist()
    [[[0, 1, 0], [1, 0, 0]]]
    """
    _rewrite_hot(before, rows, hot)


@kernel(read_only(types.uint8), read_only(types.uint8, 1), types.int64, types.uint8[:, ::1])
def _read_hot(given: NDArray[np.uint8], one: NDArray[np.uint8], mark: int, rows: NDArray[np.uint8]) -> int:
    """Find the ones, and return the number of the first row that is not surely one-hot; the number of rows if none."""
    size, points = len(one), rows.shape[1]
    labels = given.shape[1] // (size * points)
    few = 0
    for k in range(size):
        few += one[k] != 0
    for i in range(len(rows)):
        count = 0
        for k in range(given.shape[1]):
            count += given[i, k] != 0
        is_sound, at = count == few * points, mark
        for point in range(points):
            label = 0
            for k in range(labels):
                label = k if given[i, at] == one[mark] else label
                at += size
            item = (point * labels + label) * size
            for k in range(size):
                is_sound &= given[i, item + k] == one[k]
            rows[i, point] = label
        if not is_sound:
            return i
    return len(rows)


def read_hot(given: NDArray[np.generic]) -> NDArray[np.uint8] | None:
    """Return the labels of a one-hot array; None if some rows may not be one-hot, as where a zero has a sign.

    If every point has a 1, and there are no more bytes other than 0 than those of these, all other numbers are 0.

    Args:
        given: (N, points, labels) of any type of number.

    Returns:
        uint8 (N, points).

    >>> read_hot(np.eye(3)[[[2, 0]]]), read_hot(np.ones((1, 2, 3)))
    (array([[2, 0]], dtype=uint8), None)
    """
    number, points, _ = given.shape
    one = np.ones(1, given.dtype).view(np.uint8)
    flat = np.ascontiguousarray(given).reshape(number, -1).view(np.uint8)
    rows = np.empty((number, points), np.uint8)
    return rows if _read_hot(flat, one, int(one.nonzero()[0][0]), rows) == number else None
