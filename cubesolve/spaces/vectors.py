"""States as input of networks: the labels on their points counted from 0, also one-hot (needs numba)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.errors import InvalidStateError
from cubesolve.runtime.kernel_arrays import Array1, Read1
from cubesolve.runtime.kernels import kernel
from cubesolve.spaces.rows import slices

_AT_ONCE = 1 << 18  # numbers of one-hot states that are read at a time: arrays of this size stay in a cache
_NONE = np.empty(0, np.uint8)
_BLOCK = 1 << 13  # numbers that are cleared before the ones among them are set: they stay in the innermost cache


class LabelEncoding(NamedTuple):
    """Rows of labels, which are counted from 0: as they are, or one-hot.

    >>> LabelEncoding(2, 6).one_hot(np.array([[0, 2]])).shape
    (1, 2, 6)
    """

    points: int  # the number of labels of a state
    labels: int  # the number of different ones

    @property
    def dtype(self) -> np.dtype[np.unsignedinteger]:
        """The type of labels."""
        return np.dtype(np.uint8 if self.labels <= 1 << 8 else np.uint16)

    def one_hot(self, labels: NDArray[np.integer]) -> NDArray[np.int8]:
        """Return int8 (N, points, labels): 1 for the label of a point."""
        # All are in range, but the other modes are slower.
        return np.take(np.eye(self.labels, dtype=np.int8), labels, axis=0, mode="clip")

    def labels_of(self, given: NDArray[np.integer]) -> NDArray[np.integer]:
        """Return the labels (N, points) of states that are given as labels, or one-hot: (N, points, labels) or flat."""
        shape = given.shape[1:]
        if shape == (self.points,) and given.dtype.kind in "iu":
            if given.size and (int(given.max()) >= self.labels or (given.dtype.kind == "i" and int(given.min()) < 0)):
                wrong = (given < 0) | (given >= self.labels)
                row, point = np.argwhere(wrong)[0].tolist()
                fault = f"{given[row, point]} is not a label: 0..{self.labels - 1}"
                raise InvalidStateError(f"row {row}, point {point}: {fault}", "symbol", rows=[row])
            return given
        if shape in {(self.points, self.labels), (self.points * self.labels,)} and given.dtype.kind in "biuf":
            return self._hot(given.reshape(len(given), self.points, self.labels))
        sizes = f"({self.points}), or one-hot ({self.points}, {self.labels}) or ({self.points * self.labels})"
        raise InvalidStateError(f"states must be N times integers {sizes}, not {given.dtype} {given.shape}", "type")

    def _hot(self, given: NDArray[np.generic]) -> NDArray[np.integer]:
        found, width = np.empty(given.shape[:2], self.dtype), self.points * self.labels
        for rows in slices(len(given), width, _AT_ONCE):
            part = given[rows].view(np.int8) if given.dtype == np.bool_ else given[rows]
            ones, others = part == 1, part != 0
            places, size = np.flatnonzero(ones), found[rows].size
            if len(places) == size == np.count_nonzero(others):
                labels = places - self.labels * np.arange(size)  # in range if there is a 1 for each point
                if labels.min(initial=0) >= 0 and labels.max(initial=0) < self.labels:
                    found[rows] = labels.reshape(-1, self.points)
                    continue
            wrong = (ones.sum(axis=2) != 1) | (others & ~ones).any(axis=2)
            row, point = np.argwhere(wrong)[0].tolist()
            row += rows.start
            raise InvalidStateError(f"row {row}, point {point}: one-hot is a single 1, and 0 beside it", rows=[row])
        return found


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
