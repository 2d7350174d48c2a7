"""Walks of an exact length without moves that cancel or join with the one before."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import random

_AT_A_TIME = 1 << 12  # states whose moves are compared at once
_MOST_COMPARED = 1 << 32  # states times moves times moves that are processed in a few seconds
_MOST_BYTES = 1 << 30
_MOST_MOVES = 64


class TooManyWalksError(Exception):
    """The computation would take too long, or too much memory."""


class ExactWalks:
    """States from which walks of an exact length lead to a start, computed exactly from the starts backwards.

    Two consecutive moves are allowed if they lead neither back to the state before them, nor to a neighbour of that
    state.

    >>> ring = np.array([[1, 3], [2, 0], [3, 1], [0, 2]])  # one step forwards, one back
    >>> ExactWalks(ring, [0]).possible(2).tolist()
    [False, False, True, False]
    """

    def __init__(self, neighbours: NDArray[np.integer], starts: Sequence[int]) -> None:
        """Compute which moves may follow which."""
        self._neighbours = neighbours
        self._following = _following(neighbours)
        self._ended = np.zeros(len(neighbours), np.bool_)
        self._ended[list(starts)] = True
        self._first = [self._leading(lambda _, there: self._ended[there])]
        self._seen: dict[bytes, int] = {}
        self._period = 0

    @staticmethod
    def can_be_found(states: int, moves: int) -> bool:
        """Return whether a number of states and moves can be processed in a few seconds.

        >>> ExactWalks.can_be_found(3_674_160, 9), ExactWalks.can_be_found(1 << 30, 18)
        (True, False)
        """
        return moves <= _MOST_MOVES and states * moves**3 <= _MOST_COMPARED

    def possible(self, length: int) -> NDArray[np.bool_]:
        """Return bool (states,): whether there is a walk of an exact length from each."""
        return self._first_moves(length) != 0 if length else self._ended

    def draw(self, rank: int, length: int, source: random.Random) -> list[int]:
        """Return a random walk from a state that has one, as moves by number."""
        moves, allowed = list[int](), -1
        for left in range(length, 0, -1):
            leading = int(self._first_moves(left)[rank]) & allowed
            moves.append(source.choice([move for move in range(leading.bit_length()) if leading >> move & 1]))
            allowed = int(self._following[rank, moves[-1]])
            rank = int(self._neighbours[rank, moves[-1]])
        return moves

    def _first_moves(self, length: int) -> NDArray[np.unsignedinteger]:
        """Return, for each state, the moves that begin a walk of a length, as bits."""
        while len(self._first) < length and not self._period:
            self._go_on()
        if length > len(self._first):
            length -= -(-(length - len(self._first)) // self._period) * self._period
        return self._first[length - 1]

    def _go_on(self) -> None:
        """Compute the walks that are one move longer; if the result occurred before, it repeats from there."""
        last = self._first[-1]
        self._seen[_digest(last)] = len(self._first)
        if (len(self._first) + 1) * last.nbytes > _MOST_BYTES:
            raise TooManyWalksError
        longer = self._leading(lambda move, there: (last[there] & self._following[:, move]) != 0)
        before = self._seen.get(_digest(longer))
        if before is None:
            self._first.append(longer)
        else:
            self._period = len(self._first) + 1 - before

    def _leading(self, is_way: Callable[[int, NDArray[np.integer]], NDArray[np.bool_]]) -> NDArray[np.unsignedinteger]:
        """Return the moves, as bits, that lead to states with the rest of a walk."""
        leading = np.zeros(len(self._neighbours), self._following.dtype)
        for move, ends in enumerate(self._neighbours.T):
            leading |= (is_way(move, ends) & (ends >= 0)).astype(leading.dtype) << leading.dtype.type(move)
        return leading


def _following(neighbours: NDArray[np.integer]) -> NDArray[np.unsignedinteger]:
    """Return for each state and move, as bits, the moves that may come next."""
    states, moves = neighbours.shape
    kind = next(kind for kind in (np.uint16, np.uint32, np.uint64) if moves <= 8 * kind().nbytes)
    bits = np.left_shift(kind(1), np.arange(moves, dtype=kind))
    following = np.zeros((states, moves), kind)
    for first in range(0, states, _AT_A_TIME):
        here = np.ascontiguousarray(neighbours[first : first + _AT_A_TIME].T)  # (moves, states): compared much faster
        ranks = np.arange(first, first + here.shape[1], dtype=here.dtype)
        for move in range(moves):
            ends = np.ascontiguousarray(neighbours[here[move]].T)
            free = (ends >= 0) & (ends != ranks) & (here[move] >= 0)
            for other in here:
                free &= ends != other
            following[first : first + len(ranks), move] = bits @ free
    return following


def _digest(array: NDArray[Any]) -> bytes:
    return hashlib.sha256(array.tobytes()).digest()
