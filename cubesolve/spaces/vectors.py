"""States as input of networks: the labels on their points counted from 0, also one-hot (needs numba)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from cubesolve.errors import InvalidStateError
from cubesolve.runtime.kernel_arrays import Array1, Array2, Read1, Read2
from cubesolve.runtime.kernels import kernel
from cubesolve.spaces.batches import SMALL, ArrayForm

_NONE = np.empty(0, np.uint8)
_BLOCK = 1 << 13  # numbers that are cleared before the ones among them are set: they stay in the innermost cache


class LabelEncoding:
    """A map from the numbers in written states to labels, of which there are as many as numbers.

    >>> encoding = LabelEncoding(2, b"URFDLB")
    >>> encoding.read(np.frombuffer(b"UF", np.uint8)[None]).tolist(), encoding.one_hot(np.array([[0, 2]])).shape
    ([[0, 2]], (1, 2, 6))
    """

    def __init__(self, points: int, numbers: Sequence[int]) -> None:
        self.points, self.labels = points, len(numbers)
        self.dtype = np.dtype(np.uint8 if self.labels <= 1 << 8 else np.uint16)
        self._numbers = np.array(list(numbers), np.min_scalar_type(max(numbers)))
        self._index = np.zeros(max(numbers) + 1, self.dtype)
        self._index[self._numbers] = np.arange(self.labels)
        self._eye = np.eye(self.labels, dtype=np.int8)

    @classmethod
    def of(cls, form: ArrayForm) -> LabelEncoding:
        """Return the encoding of the states of a graph."""
        return cls(form.dtype.shape[0] if form.dtype.shape else form.dtype.itemsize, form.numbers)  # text has bytes

    @classmethod
    def of_looks(cls, points: int, looks: Mapping[int, int]) -> LabelEncoding:
        """Return the encoding of states without ranks, by the looks of their labels."""
        return cls(points, sorted(set(looks.values())))

    def read(self, numbers: NDArray[np.integer]) -> NDArray[np.integer]:
        """Return the labels (N, points) of states that are given as numbers."""
        labels: NDArray[np.integer] = self._index[numbers]
        return labels

    def written(self, labels: NDArray[np.integer]) -> NDArray[np.integer]:
        """Return the numbers (N, points) of states that are given as labels."""
        numbers: NDArray[np.integer] = self._numbers[labels]
        return numbers

    def one_hot(self, labels: NDArray[np.integer]) -> NDArray[np.int8]:
        """Return int8 (N, points, labels): 1 for the label of a point."""
        return np.take(self._eye, labels, axis=0, mode="clip")  # all are in range, but the other modes are slower

    def labels_of(self, given: NDArray[np.integer]) -> NDArray[np.integer]:
        """Return the labels (N, points) of states that are given as labels, or one-hot: (N, points, labels) or flat."""
        shape = given.shape[1:]
        if shape == (self.points,) and given.dtype.kind in "iu":
            if given.size and (int(given.max()) >= self.labels or int(given.min()) < 0):
                wrong = (given < 0) | (given >= self.labels)
                row, point = np.argwhere(wrong)[0].tolist()
                fault = f"{given[row, point]} is not a label: 0..{self.labels - 1}"
                raise InvalidStateError(f"row {row}, point {point}: {fault}", "symbol", rows=[row])
            return given
        if shape in {(self.points, self.labels), (self.points * self.labels,)} and given.dtype.kind in "biuf":
            return self._hot(given.reshape(len(given), self.points, self.labels))
        sizes = f"({self.points}), or one-hot ({self.points}, {self.labels}) or ({self.points * self.labels})"
        raise InvalidStateError(f"states must be N times integers {sizes}, not {given.dtype} {given.shape}", "type")

    def _hot(self, given: NDArray[np.integer]) -> NDArray[np.integer]:
        if len(given) > SMALL and self.dtype == np.uint8 and (hot_labels := read_hot(given)) is not None:
            return hot_labels
        ones = given == 1
        wrong = (ones.sum(axis=2) != 1) | (~ones & (given != 0)).any(axis=2)
        if wrong.any():
            row, point = np.argwhere(wrong)[0].tolist()
            raise InvalidStateError(f"row {row}, point {point}: one-hot is a single 1, and 0 beside it", rows=[row])
        labels: NDArray[np.int64] = ones.argmax(axis=2)
        return labels


@kernel()
def _write_hot(before: Read1[np.uint8], numbers: Read1[np.uint8], flat: Array1[np.int8], labels: np.uint64) -> int:
    last, step = np.uint64(len(numbers)), max(np.uint64(_BLOCK) // labels, np.uint64(1))
    first, at = np.uint64(0), np.uint64(0)
    for i in range(len(before)):
        if before[i] != numbers[i]:
            flat[at + np.uint64(before[i])], flat[at + np.uint64(numbers[i])] = 0, 1
        at += labels
    while first < last and not len(before):
        end = min(first + step, last)
        for k in range(first * labels, end * labels):
            flat[k] = 0
        at = first * labels
        for i in range(first, end):
            flat[at + np.uint64(numbers[i])] = 1
            at += labels
        first = end
    return 0


def write_hot(rows: NDArray[np.uint8], hot: NDArray[np.int8], before: NDArray[np.uint8] | None = None) -> None:
    """Write labels, uint8 (N, points), one-hot, int8 (N, points, labels).

    Args:
        before: the labels that are there, which saves time if there are many, of which few change.

    >>> hot = np.empty((1, 2, 3), np.int8)
    >>> write_hot(np.array([[2, 0]], np.uint8), hot)
    >>> hot.tolist()
    [[[0, 0, 1], [1, 0, 0]]]
    """
    there = _NONE if before is None else before.reshape(-1)
    _write_hot(there, rows.reshape(-1), hot.reshape(-1), np.uint64(hot.shape[2]))


@kernel()
def _read_hot(given: Read2[np.uint8], one: Read1[np.uint8], mark: int, rows: Array2[np.uint8]) -> int:
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
    """Return the labels of (N, points, labels); None if some rows may not be one-hot, as where a zero has a sign.

    If every point has a 1, and there are no more bytes other than 0 than those of these, all other numbers are 0.

    >>> read_hot(np.eye(3)[[[2, 0]]]), read_hot(np.ones((1, 2, 3)))
    (array([[2, 0]], dtype=uint8), None)
    """
    number, points, _ = given.shape
    one = np.ones(1, given.dtype).view(np.uint8)
    flat = np.ascontiguousarray(given).reshape(number, -1).view(np.uint8)
    rows = np.empty((number, points), np.uint8)
    return rows if _read_hot(flat, one, int(one.nonzero()[0][0]), rows) == number else None
