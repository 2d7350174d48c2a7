"""Distances of single states from a table of depths modulo 3 (pure Python)."""

from __future__ import annotations

from cubesolve.encodings.mod3 import UNREACHED
from cubesolve.encodings.residues import ResidueDistances
from cubesolve.spaces.tables import UNREACHABLE


class Mod3Distances(ResidueDistances):
    """The distances of a graph's states, by depths modulo 3.

    An optimal move leads to an entry that is one less modulo 3. Only starts have no optimal move.
    """

    bits = 2

    def _entry(self, rank: int) -> int:
        return self.body[rank >> 2] >> 2 * (rank & 3) & 3

    def __getitem__(self, rank: int) -> int:
        body, at, neighbours = self.body, rank, self.graph.neighbours
        entry = body[rank >> 2] >> 2 * (rank & 3) & 3
        if entry == UNREACHED:
            return UNREACHABLE
        for depth in range(UNREACHABLE):
            entry = (entry + 2) % 3
            for target in neighbours(at):
                if target >= 0 and body[target >> 2] >> 2 * (target & 3) & 3 == entry:
                    at = target
                    break
            else:
                return depth
        return UNREACHABLE

    def is_at(self, rank: int, depth: int) -> bool:
        """Return whether a neighbour of a state at `depth` + 1 is at `depth`."""
        return self._entry(rank) == depth % 3

    def first_steps(self, rank: int) -> list[tuple[int, int]]:
        """Return the optimal moves of a state, by number, with the states after them. The depth need not be known."""
        return self._first_steps(rank, self._entry(rank))

    def _first_steps(self, rank: int, left: int) -> list[tuple[int, int]]:
        wanted = (left + 2) % 3  # states that cannot reach a start have only neighbours with 3
        ways = enumerate(self.graph.neighbours(rank))
        return [(move, target) for move, target in ways if target >= 0 and self._entry(target) == wanted]
