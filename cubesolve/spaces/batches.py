"""Many states at once: how a batch of them is given, and how it is written."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cubesolve.errors import InvalidStateError

COLOURS = "the colours of the facelets as letters, each that of the face where it is at home, in the order U R F D L B"
"""What facelets mean that are text."""

SMALL = 1000
"""The number of rows up to which nothing waits for Numba."""


def as_array(given: ArrayLike) -> NDArray[Any]:
    """What the user gave, as an array; what is empty can be of any type.

    Raises:
        InvalidStateError: a masked array, or rows of different lengths.

    >>> as_array([]).dtype, as_array([[1, 2]]).shape
    (dtype('int64'), (1, 2))
    """
    if isinstance(given, np.ma.MaskedArray):
        raise InvalidStateError("masked arrays are not supported: fill or compress them")
    try:
        array = np.asarray(given)
    except (ValueError, OverflowError) as error:
        raise InvalidStateError(f"this is not an array: {error}") from None
    return array if array.shape != (0,) else np.empty(0, np.int64)


class Batch(ABC):
    """States as they were given.

    Attributes:
        shape: the shape of an answer of one number a state: (N,), or () for a single state.
    """

    shape: tuple[int, ...]

    def __init__(self, given: NDArray[Any], dimensions: int) -> None:
        """Take an array of whose dimensions the last ones are those of a state."""
        self.shape = given.shape[: given.ndim - dimensions]
        self._given = given.reshape(-1, *given.shape[given.ndim - dimensions :])

    def __len__(self) -> int:
        return len(self._given)

    @abstractmethod
    def ranks(self, part: slice) -> NDArray[np.int64]:
        """The ranks of some rows, -1 for what is no state."""

    @abstractmethod
    def fault(self, row: int) -> str:
        """What is wrong with a row that is no state."""


class RankBatch(Batch):
    """Ranks of any integer type."""

    def __init__(self, given: NDArray[Any], states: int) -> None:
        """Take numbers that should be less than a number of states."""
        super().__init__(given, 0)
        self._states = states

    def ranks(self, part: slice) -> NDArray[np.int64]:
        """See `Batch.ranks`."""
        # A copy, so that what is checked is what is used; numbers that are too large become negative.
        ranks = np.array(self._given[part], np.int64)
        outside = ranks.view(np.uint64) >= self._states
        return np.where(outside, -1, ranks) if outside.any() else ranks

    def fault(self, row: int) -> str:
        """See `Batch.fault`."""
        return f"rank {self._given[row]} is not in 0..{self._states - 1}"


def ranks_only(given: ArrayLike, states: int) -> RankBatch:
    """A batch that must be ranks.

    Raises:
        InvalidStateError: something else.
    """
    array = as_array(given)
    if array.dtype.kind not in "iu" or array.ndim > 1:
        raise InvalidStateError(f"ranks must be integers (N,), not {array.dtype} {array.shape}")
    return RankBatch(array, states)


class ArrayForm(ABC):
    """How arrays of a graph's states are given, beside their ranks, and how they are written.

    Attributes:
        column: what one calls them.
        dtype: the type of a written state.
        numbers: those that a written state is made of, one a point.
        numbering: what these mean.
    """

    column: str
    dtype: np.dtype[Any]
    numbers: Sequence[int]
    numbering: str

    @abstractmethod
    def batch(self, given: Any, *, at_home: bool = False) -> Batch:
        """States however they were given: as ranks, as text, as arrays, as states.

        Args:
            given: what the user gave.
            at_home: for what can be held in several ways, whether the rank shall be the same in all.

        Raises:
            InvalidStateError: an array of another shape or type.
        """

    @abstractmethod
    def written(self, ranks: NDArray[np.int64]) -> NDArray[Any]:
        """States with these ranks, of the type `dtype`."""

    @abstractmethod
    def texts(self, written: NDArray[Any]) -> Sequence[str]:
        """The same as text."""
