"""Batches of states: input and output."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cubesolve.errors import CubesolveError, InvalidStateError

if TYPE_CHECKING:
    from cubesolve.spaces.vectors import LabelEncoding

COLOURS = "the colours of the facelets as letters, each that of the face where it is at home, in the order U R F D L B"
"""The encoding of facelets as text."""

CHANGED = "it was changed while it was read"
"""The error of a row that was invalid, and no longer is."""

SMALL = 1000
"""The number of rows up to which answers do not need Numba."""


def as_array(given: object) -> NDArray[Any]:
    """Return input as an array; empty input can have any type.

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


def as_bytes(rows: NDArray[Any]) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """Return rows of integers as contiguous bytes, and whether the numbers of each row are bytes.

    >>> [each.tolist() for each in as_bytes(np.array([[1, 2], [3, 256]]))]
    [[[1, 2], [3, 0]], [True, False]]
    """
    if rows.dtype == np.uint8:
        return np.ascontiguousarray(rows), np.ones(len(rows), np.bool_)
    return rows.astype(np.uint8, order="C"), np.asarray(((rows >= 0) & (rows < 256)).all(axis=1))


def taken(given: object) -> tuple[NDArray[Any], Callable[[NDArray[Any]], Any]]:
    """Return an array of any library as one of numpy, and a function that converts the answer back, without copies.

    >>> array, convert = taken(np.arange(3))
    >>> convert(array + 1)
    array([1, 2, 3])
    """
    if isinstance(given, np.ndarray) or not hasattr(given, "__dlpack__"):
        return as_array(given), lambda answer: answer
    try:
        array = np.from_dlpack(given)
    except (AttributeError, BufferError, RuntimeError, TypeError, ValueError) as error:
        kind = type(given)
        message = f"{kind.__module__}.{kind.__qualname__}: numpy cannot read this array ({error})"
        advice = "copy it to main memory, with a type that numpy has"
        raise InvalidStateError(f"{message}; {advice}", "type") from None
    return array, _library_of(given).from_dlpack


def _library_of(given: object) -> Any:
    """Return the functions of an array's library: its array API namespace, or the package of its type."""
    if hasattr(given, "__array_namespace__"):
        return given.__array_namespace__()
    return sys.modules[type(given).__module__.partition(".")[0]]


class Batch(ABC):
    """A batch of states as it was given."""

    shape: tuple[int, ...]  # the shape of an answer of one number a state: (N,), or () for a single state

    def __init__(self, given: NDArray[np.generic], dimensions: int) -> None:
        self.shape = given.shape[: given.ndim - dimensions]
        self._given: NDArray[Any] = given.reshape(-1, *given.shape[given.ndim - dimensions :])

    def __len__(self) -> int:
        return len(self._given)

    @abstractmethod
    def ranks(self, part: slice) -> NDArray[np.int64]:
        """Return the ranks of some rows, -1 for invalid ones."""

    @abstractmethod
    def fault(self, row: int) -> str:
        """Return the error of an invalid row."""

    def hold(self, part: slice, moves: NDArray[Any]) -> None:  # noqa: B027  # most are held as listed
        """Translate moves of listed states into those of some rows as they are held, in place.

        Args:
            moves: algs, uint8 (N, longest), 255 after the last move; or sets of moves, bool (N, moves).
        """


class RankBatch(Batch):
    """Ranks of any integer type."""

    def __init__(self, given: NDArray[np.generic], states: int) -> None:
        super().__init__(given, 0)
        self._states = states

    def ranks(self, part: slice) -> NDArray[np.int64]:
        """Return the ranks of some rows, -1 for invalid ones."""
        # A copy, so the checked values are used; numbers that are too large become negative.
        ranks = np.array(self._given[part], np.int64)
        outside = ranks.view(np.uint64) >= self._states
        return np.where(outside, -1, ranks) if outside.any() else ranks

    def fault(self, row: int) -> str:
        """Return the error of an invalid row."""
        return f"rank {self._given[row]} is not in 0..{self._states - 1}"


class EachBatch(Batch):
    """States in any form, one by one."""

    def __init__(self, given: Sequence[Any], rank: Callable[[Any], int]) -> None:
        """Take the states, and a function that returns the rank of one, or raises an error."""
        super().__init__(np.empty(len(given), np.int8), 0)
        self._states, self._rank = given, rank

    def ranks(self, part: slice) -> NDArray[np.int64]:
        """Return the ranks of some rows, -1 for invalid ones."""
        return np.array([self._rank_of(state) for state in self._states[part]], np.int64)

    def _rank_of(self, state: object) -> int:
        try:
            return self._rank(state)
        except (CubesolveError, ValueError):
            return -1

    def fault(self, row: int) -> str:
        """Return the error of an invalid row."""
        try:
            self._rank(self._states[row])
        except CubesolveError as error:
            return str(error)
        return CHANGED


def ranks_only(given: ArrayLike, states: int) -> RankBatch:
    """Return a batch that must consist of ranks."""
    array = as_array(given)
    if array.dtype.kind not in "iu" or array.ndim > 1:
        raise InvalidStateError(f"ranks must be integers (N,), not {array.dtype} {array.shape}")
    return RankBatch(array, states)


class ArrayForm(ABC):
    """The form in which arrays of a graph's states are given, besides ranks, and written."""

    column: str  # the name of the column in exports
    dtype: np.dtype[Any]  # the type of a written state
    numbers: Sequence[int]  # the numbers in a written state, one per point
    numbering: str  # the meaning of these numbers
    looks: LabelEncoding | None = None  # of `state_arrays`, where some numbers look alike; such rows are read, too

    @abstractmethod
    def batch(self, given: object, *, at_home: bool = False) -> Batch:
        """Return states given as ranks, text, arrays, or states; at home, ranks do not depend on the orientation."""

    @abstractmethod
    def written(self, ranks: NDArray[np.int64]) -> NDArray[np.generic]:
        """Return the states with some ranks, of the type `dtype`."""

    @abstractmethod
    def texts(self, written: NDArray[np.generic]) -> Sequence[str]:
        """Return the states with some ranks as text."""
