"""Distances of single states from a table with one bit a state (pure Python)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cubesolve.encodings.byte.distances import wrong_distances
from cubesolve.encodings.residues import ResidueDistances
from cubesolve.spaces.tables import UNREACHABLE

if TYPE_CHECKING:
    import mmap

    from cubesolve.spaces.rules import Graph

_Way = list[tuple[int, int]]  # moves by number, with the states after them


class ParityDistances(ResidueDistances):
    """The distances of a graph's states, by the higher bits of depths modulo 4.

    The lower bit of a depth, the parity of the state, need not be known. With the right one the descent ends at a
    start. With the wrong one it leads away from all starts, and soon stops; so both are tried, move by move.
    """

    bits = 1

    def __init__(self, graph: Graph, body: bytes | mmap.mmap) -> None:
        """Take the body of a table."""
        super().__init__(graph, body)
        self._starts = frozenset(graph.starts)

    def _entry(self, rank: int) -> int:
        return self.body[rank >> 3] >> (rank & 7) & 1

    def __getitem__(self, rank: int) -> int:
        return len(self._way(rank))

    def is_at(self, rank: int, depth: int) -> bool:
        """Return whether a neighbour of a state at `depth` + 1 is at `depth`."""
        return self._entry(rank) == depth >> 1 & 1

    def step(self, rank: int) -> tuple[int, int] | None:
        """Return the first of the moves that `first_steps` lists, with the state after it; None for a solved state."""
        return next(iter(self._way(rank)), None)

    def solution(self, rank: int) -> list[int]:
        """Return the first optimal solution, in the order of the moves."""
        return [move for move, _ in self._way(rank)]

    def _first_steps(self, rank: int, left: int) -> list[tuple[int, int]]:
        wanted = (left + 3) >> 1 & 1
        ways = enumerate(self.graph.neighbours(rank))
        return [way for way in ways if left and way[1] >= 0 and self._entry(way[1]) == wanted]

    def _first(self, rank: int, left: int) -> tuple[int, int] | None:
        body, wanted = self.body, (left + 3) >> 1 & 1
        for move, there in enumerate(self.graph.neighbours(rank)):
            if there >= 0 and body[there >> 3] >> (there & 7) & 1 == wanted:
                return move, there
        return None

    def _way(self, rank: int) -> _Way:
        """Return the first optimal solution, in the order of the moves.

        Raises:
            CorruptTableError: entries lead to no start.
        """
        if rank in self._starts:
            return []
        even: _Way = []
        odd: _Way = []
        residue, at_even, at_odd = 2 * self._entry(rank), rank, rank
        for length in range(UNREACHABLE):
            step = self._first(at_even, residue - length)
            if step is None:
                return self._ended(even, at_even) or self._followed(odd, at_odd, residue + 1)
            even.append(step)
            at_even = step[1]
            step = self._first(at_odd, residue + 1 - length)
            if step is None:
                return self._ended(odd, at_odd) or self._followed(even, at_even, residue)
            odd.append(step)
            at_odd = step[1]
        raise wrong_distances(self.graph)

    def _ended(self, way: _Way, at: int) -> _Way | None:
        return way if at in self._starts else None

    def _followed(self, way: _Way, at: int, residue: int) -> _Way:
        """Return a descent at its end, if it ends at a start; the other one did not."""
        while len(way) < UNREACHABLE and (step := self._first(at, residue - len(way))) is not None:
            way.append(step)
            at = step[1]
        if at not in self._starts:
            raise wrong_distances(self.graph)
        return way
