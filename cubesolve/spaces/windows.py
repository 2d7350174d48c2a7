"""Spaces of some pieces of a ring, up to rotation (numpy).

A state is the places of the pieces, as seen from the first of them, and their orientations. The rank has a digit for
each place, which counts the places before it that no earlier piece has taken, and then one for each orientation, the
first piece first.

One table serves for all *windows*: renaming the pieces along the ring makes any of them the first.
"""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.deadline import check
from cubesolve.definitions.rings import Ring
from cubesolve.spaces.space import StateSpace

_WIDEST = 1 << 16  # states of a row of the space
_STEP_BYTES = 12  # of a row and a move: its target and its action

_Numbers = NDArray[np.int64]


class Windows(NamedTuple):
    """The windows of a ring, which have equally many pieces.

    Attributes:
        ring: the ring.
        pieces: the number of pieces of a window.
        step: their distance along the ring, which leads to all places.
    """

    ring: Ring
    pieces: int
    step: int

    @property
    def numbers(self) -> _Numbers:
        """The numbers of the pieces of each window: (windows, pieces)."""
        places = len(self.ring.places)
        found: _Numbers = (np.arange(places)[:, None] + self.step * np.arange(self.pieces)) % places
        return found

    @property
    def states(self) -> int:
        """The number of states of a window."""
        return states_of(self.ring, self.pieces)

    @property
    def weights(self) -> NDArray[np.uint64]:
        """The weight of the place of each piece in a rank: uint64 (pieces,); 0 for the first piece."""
        states = [states_of(self.ring, self.pieces, based) for based in range(self.pieces)]
        return np.array([0, *states[1:]], np.uint64)

    @property
    def start(self) -> int:
        """The rank of the solved state."""
        return int(self.ranks(self.numbers[0] * len(self.ring.places[0])))

    def ranks(self, points: _Numbers) -> _Numbers:
        """Return the ranks of windows: (..., pieces) to (...).

        Args:
            points: the points of the pieces of a window, see `Ring.points_of`.
        """
        number, turns = len(self.ring.places), len(self.ring.places[0])
        places, turned = np.divmod(points, turns)
        seen = (places - places[..., :1]) % number - 1
        ranks: _Numbers = partial_ranks(seen[..., 1:], number - 1)
        ranks *= turns**self.pieces
        ranks += _digits(turned, turns)
        return ranks

    def space(self) -> StateSpace:
        """Return the space of a window."""
        number, turns, pieces = len(self.ring.places), len(self.ring.places[0]), self.pieces
        some = _based(self.ring, pieces)
        rows = np.array([(0, *each) for each in itertools.permutations(range(1, number), some)])
        is_free = np.ones((len(rows), number), np.bool_)
        np.put_along_axis(is_free, rows, False, axis=1)
        free = np.nonzero(is_free)[1].reshape(len(rows), -1)
        slot = np.cumsum(is_free, axis=1) - 1  # of a free place
        forward = np.array([self.ring.forward(move) for move in self.ring.moves])  # (moves, places, turns, 2)
        kinds, kind = np.unique(forward[..., 1].reshape(-1, turns), axis=0, return_inverse=True)
        kind = kind.reshape(forward.shape[:2])
        base, action = np.empty((2, len(forward), len(rows)), np.int32)
        known = dict[bytes, int]()
        for move, to in enumerate(forward[..., 0, 0]):
            check()
            after = (to[rows] - to[0]) % number
            base[move] = partial_ranks(after[:, 1:] - 1, number - 1)
            slots = np.take_along_axis(slot[base[move]], (to[free] - to[0]) % number, axis=1)
            acts = np.hstack([slots, kind[move, free], kind[move, rows]]).astype(np.uint8)
            different, which = np.unique(
                acts.view(f"V{acts.shape[1]}"), return_inverse=True
            )  # `axis` takes much longer
            numbers = [known.setdefault(each.tobytes(), len(known)) for each in different]
            action[move] = np.array(numbers)[which.reshape(-1)]
        act = _Act(number - 1 - some, 1 + some, pieces - 1 - some, kinds)
        fibre = np.stack([act.images(np.frombuffer(each, np.uint8).astype(np.int64)) for each in known])
        return StateSpace(base, action, fibre, True)


class _Act:
    """Actions on the slots of the pieces that are not in the base, and on the orientations of all."""

    def __init__(self, slots: int, based: int, free: int, kinds: _Numbers) -> None:
        """Take the numbers of slots, of pieces in the base and of others, and the changes of orientations by kind."""
        self._places, self._based, self._kinds = slots, based, kinds
        self._slots = np.array([*itertools.permutations(range(slots), free)])
        turns = kinds.shape[1]
        self._turned = np.array([*itertools.product(range(turns), repeat=based + free)])

    def images(self, act: _Numbers) -> NDArray[np.uint32]:
        """Return the image of each state of the fibre: uint32 (states,).

        Args:
            act: the slot to which each slot goes, the kind of change there, and the kinds of the pieces in the base.
        """
        to, kind, base = np.split(act, [self._places, 2 * self._places])
        ranks, turns = partial_ranks(to[self._slots], self._places), self._kinds.shape[1]
        kinds = np.hstack([np.broadcast_to(base, (len(self._slots), self._based)), kind[self._slots]])
        turned = np.zeros((len(self._slots), len(self._turned)), np.int64)
        for piece, before in enumerate(self._turned.T):
            turned = turned * turns + self._kinds[kinds[:, piece, None], before]
        return (ranks[:, None] * len(self._turned) + turned).astype(np.uint32).reshape(-1)


def bytes_of_space(ring: Ring, pieces: int) -> int:
    """Return about how many bytes the arrays of the space of some pieces take."""
    rows = math.perm(len(ring.places) - 1, _based(ring, pieces))
    return rows * len(ring.moves) * _STEP_BYTES


def _based(ring: Ring, pieces: int) -> int:
    """Return the number of pieces after the first whose places are in the base."""
    return next(number for number in range(pieces) if states_of(ring, pieces, number) <= _WIDEST)


def states_of(ring: Ring, pieces: int, based: int = 0) -> int:
    """Return the number of states of some pieces up to rotation, the places of some after the first being known."""
    number = len(ring.places)
    return math.prod(range(number - pieces + 1, number - based)) * int(len(ring.places[0]) ** pieces)


def partial_ranks(places: _Numbers, number: int) -> _Numbers:
    """Return the ranks of lists of different places, of a number of places, in lexicographic order."""
    ranks = np.zeros(places.shape[:-1], np.int64)
    for i in range(places.shape[-1]):
        earlier = (places[..., :i] < places[..., i : i + 1]).sum(axis=-1)
        ranks = ranks * (number - i) + places[..., i] - earlier
    return ranks


def _digits(digits: _Numbers, base: int) -> _Numbers:
    """Return the numbers with some digits, the highest first."""
    numbers: _Numbers = digits @ base ** np.arange(digits.shape[-1])[::-1]
    return numbers
