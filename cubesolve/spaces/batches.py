"""Batches of states: input and output."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

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


class Batch(NamedTuple):
    """A batch of states as it was given.

    Attributes:
        rows: the states.
        ranks: returns the ranks of some of them, int64 (N,), -1 for invalid ones.
        fault: returns the error of an invalid one.
        shape: the shape of an answer of one number a state: (N,), or () for a single state.
        hold: translates moves of listed states into those of some of these as they are held, in place: algs, uint8 (N,
            longest), 255 after the last move; or sets of moves, bool (N, moves). None if all are held as listed.
    """

    rows: Any
    ranks: Callable[[Any], NDArray[np.int64]]
    fault: Callable[[Any], str]
    shape: tuple[int, ...]
    hold: Callable[[Any, NDArray[Any]], object] | None = None


def of_ranks(given: ArrayLike, states: int) -> Batch:
    """Return a batch that must consist of ranks, of any integer type."""
    array = as_array(given)
    if array.dtype.kind not in "iu" or array.ndim > 1:
        raise InvalidStateError(f"ranks must be integers (N,), not {array.dtype} {array.shape}")

    def fault(rank: object) -> str:
        return f"rank {rank} is not in 0..{states - 1}"

    return Batch(array.reshape(-1), lambda part: checked_ranks(part, states), fault, array.shape)


def checked_ranks(given: NDArray[np.generic], states: int) -> NDArray[np.int64]:
    """Return a copy of ranks, so that the checked values are used; -1 for those outside of 0..states - 1.

    >>> checked_ranks(np.array([2, 3, -4]), 3)
    array([ 2, -1, -1])
    """
    ranks = np.array(given, np.int64)
    outside = ranks.view(np.uint64) >= states  # numbers that are too large became negative
    return np.where(outside, -1, ranks) if outside.any() else ranks


def one_by_one(
    given: Sequence[Any],
    rank: Callable[[Any], int],
    shape: tuple[int, ...] | None = None,
    hold: Callable[[Any, NDArray[Any]], object] | None = None,
) -> Batch:
    """Return a batch of states in any form, and a function that returns the rank of one, or raises an error."""

    def rank_of(state: object) -> int:
        try:
            return rank(state)
        except (CubesolveError, ValueError):
            return -1

    def ranks(states: Sequence[Any]) -> NDArray[np.int64]:
        return np.array([*map(rank_of, states)], np.int64)

    def fault(state: object) -> str:
        try:
            rank(state)
        except CubesolveError as error:
            return str(error)
        return CHANGED

    return Batch(given, ranks, fault, (len(given),) if shape is None else shape, hold)


class ArrayForm(ABC):
    """The form in which arrays of a graph's states are given, besides ranks, and written."""

    column: str  # the name of the column in exports
    dtype: np.dtype[Any]  # the type of a written state
    numbering: str  # the meaning of the numbers in it
    encoding: LabelEncoding  # of its labels
    looks: LabelEncoding | None = None  # of `state_arrays`, where some labels look alike; such rows are read, too

    @abstractmethod
    def batch(self, given: object, *, at_home: bool = False) -> Batch:
        """Return states given as ranks, text, arrays, or states; at home, ranks do not depend on the orientation."""

    @abstractmethod
    def written(self, ranks: NDArray[np.int64]) -> NDArray[np.generic]:
        """Return the states with some ranks, of the type `dtype`."""

    def labels(self, ranks: NDArray[np.int64]) -> NDArray[np.integer]:
        """Return the states with some ranks as labels, (N, points); by default the numbers are labels."""
        return np.asarray(self.written(ranks), self.encoding.dtype)

    def of_labels(self, labels: NDArray[np.integer]) -> NDArray[np.integer]:
        """Return the numbers of states that are given as labels, (N, points)."""
        return labels

    @abstractmethod
    def texts(self, written: NDArray[np.generic]) -> Sequence[str]:
        """Return the states with some ranks as text."""
