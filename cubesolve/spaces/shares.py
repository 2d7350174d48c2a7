"""Spaces of some pieces of a ring that pay a share of each move (numpy).

A move costs 1, which the pieces that it carries to other places pay: each in proportion to how far it goes along the
ring. The distance of some pieces is the least that they pay until each is in its own place. No move is paid twice, so
the distances of disjoint sets of pieces can be added (Yang, Culberson, Holte, Zahavi and Felner, *A general theory of
additive state space abstractions*, 2008).

A row of a space is a set of places, whatever pieces are there: what a move costs depends on the row alone.
"""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.deadline import check
from cubesolve.definitions.rings import Ring
from cubesolve.spaces.orders import order_ranks, set_numbers
from cubesolve.spaces.space import StateSpace
from cubesolve.spaces.tables import UNREACHABLE

_MOST_SHARES = 48  # of a move, because distances are bytes
_PART = 1 << 16  # states whose numbers are computed together
_MOST_ENTRIES = 1 << 31  # of a table, so kernels number them by 32 bits
_STEP_BYTES = 12  # of a row and a move: its target and its action
_PIECE_BYTES = 64  # of a row and a piece, while the moves are computed

_Numbers = NDArray[np.int64]


class Partition(NamedTuple):
    """A ring whose adjacent pieces are divided into parts.

    Attributes:
        ring: the ring, whose pieces have no orientations.
        pieces: the number of pieces of a part; the last one may have fewer.
        extra: a number that is added to the distance that a piece goes, before the shares follow from it.
    """

    ring: Ring
    pieces: int
    extra: int

    @property
    def sizes(self) -> list[int]:
        """The number of pieces of each part."""
        whole, rest = divmod(len(self.ring.places), self.pieces)
        return [self.pieces] * whole + [rest] * (rest > 0)

    @property
    def firsts(self) -> _Numbers:
        """The first piece of each part of each partition, which differ by a rotation: (partitions, parts)."""
        number = len(self.ring.places)
        different = number if number % self.pieces else self.pieces
        return (np.arange(different)[:, None] + self.pieces * np.arange(len(self.sizes))) % number

    @property
    def goes(self) -> _Numbers:
        """The place to which each move leads from each place: (moves, places)."""
        found: _Numbers = np.array([self.ring.forward(move) for move in self.ring.moves])[:, :, 0, 0]
        return found

    @property
    def shares(self) -> _Numbers:
        """The share of a move that the piece in each place pays: (moves, places)."""
        return self._shares[0]

    @property
    def scale(self) -> int:
        """The number of shares that a move has at most."""
        return self._shares[1]

    @property
    def _shares(self) -> tuple[_Numbers, int]:
        goes = self.goes
        number = goes.shape[1]
        far = np.abs(goes - np.arange(number))
        far = np.minimum(far, number - far)
        weights = np.where(far > 0, far + self.extra, 0)
        weights //= max(int(np.gcd.reduce(weights, axis=None)), 1)
        sums = weights.sum(axis=1)
        scale = max(int(sums.max()), 1)
        return weights * (scale // np.maximum(sums, 1))[:, None], scale

    def space(self, size: int) -> StateSpace:
        """Return the space of a part. Rank 0 is the solved state.

        A move of the space is one of those with the same cost; a row has as many of them as it has moves.
        """
        number, goes, shares = len(self.ring.places), self.goes, self.shares
        occupied, arranged = self._sets(size), np.array([*itertools.permutations(range(size))])
        rows = np.arange(len(occupied))
        of_cost = np.zeros((self.scale + 1, len(rows)), np.uint8)  # the number of moves of each row
        for paid in shares:
            of_cost[paid[occupied].sum(axis=1), rows] += 1
        most = of_cost.max(axis=1).astype(np.int64)
        most[0] = 0  # such a move touches no piece
        first = np.cumsum(most) - most
        base = np.full((int(most.sum()), len(rows)), -1, np.int32)
        action = np.zeros(base.shape, np.int32)
        known = dict[bytes, int]()
        of_cost[:] = 0
        for leads, paid in zip(goes, shares, strict=True):
            check()
            costs = paid[occupied].sum(axis=1)
            some = np.flatnonzero(costs)
            costs = costs[some]
            slots = first[costs] + of_cost[costs, some]
            of_cost[costs, some] += 1
            to = leads[occupied[some]]
            order = to.argsort(axis=1)
            base[slots, some] = set_numbers(np.take_along_axis(to, order, axis=1), number)
            acts = order.argsort(axis=1).astype(np.uint8)
            different, which = np.unique(acts.view(f"V{size}"), return_inverse=True)
            numbers = [known.setdefault(act.tobytes(), len(known)) for act in different]
            action[slots, some] = np.array(numbers)[which.reshape(-1)]
        acts = np.array([np.frombuffer(act, np.uint8) for act in known]).astype(np.int64)
        fibre = np.stack([order_ranks(act[arranged]) for act in acts]).astype(np.uint32)
        return StateSpace(base, action, fibre, mutual=True, costs=tuple(np.repeat(range(len(most)), most).tolist()))

    def table(self, size: int, depths: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return the depths of a part by numbers that are computed faster than ranks; other entries are `UNREACHABLE`.

        The number of a state has a digit for each piece, the first piece first: how many places it is ahead of its own.

        Args:
            size: the number of pieces of the part.
            depths: uint8 (states,): the depths by the ranks of the space.
        """
        sets, arranged = self._sets(size), np.array([*itertools.permutations(range(size))])
        found, width = np.full(self.entries(size), UNREACHABLE, np.uint8), len(arranged)
        # What each piece adds to a number in each of the places of a row: (rows, pieces, places)
        digits = (sets[:, None] - np.arange(size)[:, None]) % len(self.ring.places)
        adds = (digits * self._weights(size)[:, None]).astype(np.uint32)
        step = max(1, _PART // width)
        for first in range(0, len(sets), step):
            check()
            some = adds[first : first + step]
            numbers = some[:, 0].take(arranged[:, 0], axis=1)
            for piece in range(1, size):
                numbers += some[:, piece].take(arranged[:, piece], axis=1)
            found[numbers.reshape(-1)] = depths[first * width : first * width + numbers.size]
        return found

    def numbers(self, places: _Numbers) -> _Numbers:
        """Return the numbers of states of a part, given by the places of its pieces: (..., pieces) to (...)."""
        places_of_ring, size = len(self.ring.places), places.shape[-1]
        digits = (places - np.arange(size)) % places_of_ring
        found: _Numbers = digits @ self._weights(size)
        return found

    def _weights(self, size: int) -> _Numbers:
        """Return what one place ahead adds to a number for each piece of a part."""
        found: _Numbers = len(self.ring.places) ** np.arange(size)[::-1]
        return found

    def _sets(self, size: int) -> _Numbers:
        """Return the places of each row of the space of a part, in ascending order."""
        sets = np.array([*itertools.combinations(range(len(self.ring.places)), size)])
        return sets[np.lexsort(sets.T)]  # as `set_numbers` numbers them

    def states(self, size: int) -> int:
        """Return the number of states of a part."""
        return math.perm(len(self.ring.places), size)

    def entries(self, size: int) -> int:
        """Return the number of entries of its table."""
        return int(len(self.ring.places) ** size)

    def bytes_of_space(self, size: int) -> int:
        """Return about how many bytes deriving the space of a part takes."""
        moved = int((self.shares > 0).sum(axis=0).max())
        return math.comb(len(self.ring.places), size) * size * (2 * moved * _STEP_BYTES + _PIECE_BYTES)

    @property
    def is_sound(self) -> bool:
        """Whether there are parts whose distances are bytes, and not too many."""
        has_parts = 1 < self.pieces < len(self.ring.places) and self.extra in (0, 1)
        are_few = has_parts and self.entries(self.pieces) <= _MOST_ENTRIES
        return are_few and len(self.ring.places[0]) == 1 and self.scale <= _MOST_SHARES
