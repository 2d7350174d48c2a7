"""States as input of networks: the labels on their points counted from 0, also one-hot (numpy)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cubesolve.errors import InvalidStateError
from cubesolve.spaces.batches import SMALL, ArrayForm
from cubesolve.spaces.defined import DerivedRules
from cubesolve.spaces.onehot import read_hot


class LabelEncoding:
    """A map from the numbers in written states to labels.

    Attributes:
        points: the number of points of a state.
        labels: the number of labels.
        dtype: the type of a label.

    >>> encoding = LabelEncoding(2, b"URFDLB")
    >>> encoding.read(np.frombuffer(b"UF", np.uint8)[None]).tolist(), encoding.one_hot(np.array([[0, 2]])).shape
    ([[0, 2]], (1, 2, 6))
    """

    def __init__(self, points: int, numbers: Sequence[int]) -> None:
        """Take the number of points, and the numbers in the order of their labels."""
        self.points, self.labels = points, len(numbers)
        self.dtype = np.dtype(np.uint8 if self.labels <= 1 << 8 else np.uint16)
        self._numbers = np.array(list(numbers), np.min_scalar_type(max(numbers)))
        self._index = np.zeros(max(numbers) + 1, self.dtype)
        self._index[self._numbers] = np.arange(self.labels)
        self._eye = np.eye(self.labels, dtype=np.int8)

    @classmethod
    def of(cls, form: ArrayForm) -> LabelEncoding:
        """Return the encoding of the states of a graph."""
        return cls(form.dtype.itemsize // _number_of(form).itemsize, form.numbers)

    @classmethod
    def of_looks(cls, rules: DerivedRules) -> LabelEncoding:
        """Return the encoding of states without ranks, by the looks of their labels."""
        return cls(rules.definition.points, sorted(set(rules.labelling.looks.values())))

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
        """Return the labels of states that are given as labels or one-hot.

        Args:
            given: integers (N, points); or (N, points, labels) or (N, points * labels), of any type of number, in
                which each point has a single 1, and 0 beside it.

        Returns:
            (N, points).
        """
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
        if len(given) > SMALL and self.dtype == np.uint8 and (found := read_hot(given)) is not None:
            return found
        ones = given == 1
        wrong = (ones.sum(axis=2) != 1) | (~ones & (given != 0)).any(axis=2)
        if wrong.any():
            row, point = np.argwhere(wrong)[0].tolist()
            raise InvalidStateError(f"row {row}, point {point}: one-hot is a single 1, and 0 beside it", rows=[row])
        labels: NDArray[np.int64] = ones.argmax(axis=2)
        return labels


def numbers_of(form: ArrayForm, ranks: NDArray[np.int64]) -> NDArray[np.integer]:
    """Return (N, points): the numbers in the written states of ranks."""
    written, number = np.ascontiguousarray(form.written(ranks)), _number_of(form)
    return written.view(number).reshape(len(ranks), form.dtype.itemsize // number.itemsize)


def _number_of(form: ArrayForm) -> np.dtype[Any]:
    return np.dtype(np.uint8) if form.dtype.kind == "S" else form.dtype.base
