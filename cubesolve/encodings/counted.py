"""Optimal solutions from the entries of a finished enumeration (numpy)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cubesolve.runtime.deadline import check
from cubesolve.spaces.space import StateSpace

if TYPE_CHECKING:
    from cubesolve.spaces.symmetric import Walk


_AT_ONCE = 1 << 16  # moves that are tried at a time


class CountedEntries:
    """The entries of a finished enumeration: depths, or depths modulo 3.

    >>> ring = StateSpace(np.array([[1, 2, 0]]), np.zeros((1, 3), np.int32), np.array([[0]], np.uint32))
    >>> [*CountedEntries(ring, 8, np.array([0, 2, 1], np.uint8)).solutions(np.array([1]), 2)]
    [[0, 0]]
    """

    def __init__(self, space: StateSpace, bits: int, table: NDArray[np.uint8]) -> None:
        """Take the space, the bits of an entry, which is a byte or has two, and the entries."""
        self._space, self._bits, self._table = space, bits, table

    @staticmethod
    def have_solutions(space: StateSpace, bits: int) -> bool:
        """Return whether entries of a number of bits determine optimal moves.

        Bytes do if no move is free: then each optimal move leads to a smaller depth. Depths modulo 3 do if every move
        has an inverse and costs 1: then the depths of neighbours differ by at most one.
        """
        if bits == 8:
            return not space.has_free_moves
        return bits == 2 and space.mutual and space.has_unit_costs

    def solutions(
        self, ranks: NDArray[np.int64], depth: int, walk: Callable[[NDArray[np.int64]], Walk] | None = None
    ) -> Iterator[list[int]]:
        """Yield an optimal solution of the state of each entry: the first in the order of moves, given by number.

        A solution ends early if the entries are wrong.

        Args:
            walk: begins at the states of some entries; None if moves lead to states of entries.
        """
        step = max(1, _AT_ONCE // max(len(self._space.base), 1))
        for first in range(0, len(ranks), step):
            part = ranks[first : first + step]
            yield from self._solutions(part, depth, walk(part) if walk else None)

    def _solutions(self, entries: NDArray[np.int64], depth: int, walk: Walk | None) -> list[list[int]]:
        found, going, costs = [list[int]() for _ in entries], np.arange(len(entries)), self._space.cost_of_moves
        left = np.full(len(entries), depth)
        while left.any():
            check()
            there = walk.neighbours(self._space, entries) if walk else self._space.neighbours_of(entries)
            leads = self._lead(there, left)
            some = np.flatnonzero(leads.any(axis=1))
            moves = leads[some].argmax(axis=1)
            going, entries, left = going[some], there[some, moves], left[some] - costs[moves]
            for number, move in zip(going.tolist(), moves.tolist(), strict=True):
                found[number].append(move)
            if walk:
                walk.go(some, moves)
        return found

    def _lead(self, there: NDArray[np.int64], left: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which moves are optimal, given the entries after each, (N, moves), and the depths before."""
        wanted = left[:, None] - self._space.cost_of_moves
        at = np.maximum(there, 0) * self._bits
        entries = self._table[at >> 3] >> (at & 7) & (1 << self._bits) - 1
        lead: NDArray[np.bool_] = entries == (wanted % 3 if self._bits == 2 else wanted)
        return lead & (there >= 0) & (wanted >= 0)
