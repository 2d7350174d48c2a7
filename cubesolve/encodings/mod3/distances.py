"""Distances of single states from a table of depths modulo 3 (pure Python)."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from cubesolve.encodings.byte.distances import Distances, wrong_distances
from cubesolve.encodings.mod3 import UNREACHED
from cubesolve.spaces.tables import UNREACHABLE

if TYPE_CHECKING:
    import mmap
    import random
    from collections.abc import Iterator, Sequence

    from cubesolve.spaces.rules import Graph

RARE = 1000
"""If fewer than one in this many states are wanted, looking at all takes no longer than drawing."""

AS_OFTEN = 30
"""If drawing this many times the expected number of states finds none at a depth, there is none."""


class Mod3Distances(Distances):
    """The distances of a graph's states, by depths modulo 3.

    An optimal move leads to an entry that is one less modulo 3. Only starts have no optimal move, so a depth is the
    length of a descent. Questions about states at a given depth go through all states, or draw states until enough have
    the depth.
    """

    def __init__(self, graph: Graph, body: bytes | mmap.mmap) -> None:
        """Take the body of a table.

        Raises:
            CorruptTableError: moves of the graph have different costs, so the table cannot be its own.
        """
        if graph.costs is not None:
            raise wrong_distances(graph)
        super().__init__(graph, body)

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

    def step(self, rank: int) -> tuple[int, int] | None:
        """Return the first of the moves that `first_steps` lists, with the state after it; None for a solved state."""
        return next(iter(self.first_steps(rank)), None)

    def solution(self, rank: int) -> list[int]:
        """Return the first optimal solution, in the order of the moves.

        Entries that lead in a circle raise an error.
        """
        if self[rank] == UNREACHABLE:
            raise wrong_distances(self.graph)
        return super().solution(rank)

    def at(self, depth: int) -> Iterator[int]:
        """Yield the ranks at a depth, in ascending order. Every state is looked up."""
        from cubesolve.encodings.mod3.batch import Mod3Steps, ranks_at  # noqa: PLC0415  # needs numpy
        from cubesolve.spaces import space_of  # noqa: PLC0415  # likewise

        return ranks_at(Mod3Steps.of(space_of(self.graph)), self.body, self.graph.states, depth)

    def random_at(self, depth: int, counts: Sequence[int], source: random.Random) -> int:
        """Return a uniformly random rank at a depth."""
        if counts[depth] * RARE < self.graph.states:
            found = next(itertools.islice(self.at(depth), source.randrange(counts[depth]), None), None)
        else:
            drawn = (source.randrange(self.graph.states) for _ in range(AS_OFTEN * RARE))
            found = next((rank for rank in drawn if self[rank] == depth), None)
        if found is None:
            raise wrong_distances(self.graph)
        return found
