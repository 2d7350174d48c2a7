"""Parities and twists that an alg must have to solve a state (pure Python).

The totals of a product are the sums of those of its factors (`pieces.Totals`). Exchanging or turning pieces that look
alike changes totals without a visible effect; the *balance* of a permutation is what remains of its totals. An alg can
be completed by cycles of three pieces and twists of two, which have no totals, if and only if its balance is right.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Sequence

from cubesolve.group.group import Group
from cubesolve.group.permutations import Arrangement, Permutation
from cubesolve.group.pieces import identical_pieces
from cubesolve.runtime.deadline import check

Vector = tuple[int, ...]

_MOST = 50_000  # balances that are looked at


class Balance:
    """The balances of the permutations of a full group.

    >>> group = Group(5, [bytes([1, 2, 3, 4, 0]), bytes([1, 0, 2, 3, 4])])
    >>> group.is_full, Balance(group, b"abcde").of(bytes([1, 0, 2, 3, 4])), Balance(group, b"aabcd").moduli
    (True, (0, 1), [1, 1])
    """

    def __init__(self, group: Group, labels: Arrangement) -> None:
        """Take a full group, and the labels of the solved state."""
        assert group.totals is not None  # it is full
        self._totals = group.totals
        self.moduli = list(self._totals.moduli)
        for pieces in identical_pieces(group.kinds, labels):
            for change, _ in pieces.not_at_will(len(labels)):
                self._hide(self._totals.of_kind(pieces.looks[0], change))

    def _hide(self, totals: Sequence[int]) -> None:
        """Ignore the totals of a change without a visible effect; those of several columns are not ignored."""
        columns = [column for column, total in enumerate(totals) if total % self.moduli[column]]
        if len(columns) == 1:
            self.moduli[columns[0]] = math.gcd(self.moduli[columns[0]], totals[columns[0]])

    def of(self, change: Permutation) -> Vector:
        """Return the balance of a permutation."""
        return self._reduced(self._totals.of(change))

    def sum(self, vectors: Iterable[Vector]) -> Vector:
        """Return the balance of a product."""
        return self._reduced(map(sum, zip(*vectors, strict=True)))

    def _reduced(self, totals: Iterable[int]) -> Vector:
        return tuple(total % modulus for total, modulus in zip(totals, self.moduli, strict=True))

    def completed(self, start: Vector, moves: Sequence[Vector]) -> list[int] | None:
        """Return the fewest moves whose balances add to another to nothing (A*); the order of moves does not matter.

        Returns:
            The numbers of the moves; None if there are none, or too many balances to look at.
        """
        widest = max((sum(map(bool, move)) for move in moves), default=0) or 1

        def bound(balance: Vector) -> float:
            return sum(map(bool, balance)) / widest

        queue: list[tuple[float, Vector, list[int]]] = [(bound(start), start, [])]
        seen = {start}
        distinct = {move: number for number, move in reversed([*enumerate(moves)]) if any(move)}
        while queue and len(seen) < _MOST:
            check()
            _, balance, alg = heapq.heappop(queue)
            if not any(balance):
                return alg
            for move, number in distinct.items():
                there = self.sum([balance, move])
                if there not in seen:
                    seen.add(there)
                    heapq.heappush(queue, (len(alg) + 1 + bound(there), there, [*alg, number]))
        return None
