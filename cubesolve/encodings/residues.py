"""Distances of single states from a table that stores residues of depths (pure Python).

A depth is computed as the length of a descent to a start. Questions about states at a given depth go through all
states, or draw states until enough have the depth.
"""

from __future__ import annotations

import itertools
from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar, cast

from cubesolve.encodings import BY_BITS
from cubesolve.encodings.byte.distances import Distances, wrong_distances
from cubesolve.spaces.tables import UNREACHABLE

if TYPE_CHECKING:
    import mmap
    import random
    from collections.abc import Iterator, Sequence

    from cubesolve.encodings.residue_probe import ResidueProbe
    from cubesolve.spaces.rules import Graph

RARE = 1000
"""If fewer than one in this many states are wanted, looking at all takes no longer than drawing."""

AS_OFTEN = 30
"""If drawing this many times the expected number of states finds none at a depth, there is none."""


class ResidueDistances(Distances):
    """The distances of a graph's states, found by descending to a start.

    Attributes:
        bits: the bits of an entry.
    """

    bits: ClassVar[int]

    def __init__(self, graph: Graph, body: bytes | mmap.mmap) -> None:
        """Take the body of a table.

        Raises:
            CorruptTableError: moves of the graph have different costs, so the table cannot be its own.
        """
        if graph.costs is not None:
            raise wrong_distances(graph)
        super().__init__(graph, body)

    @abstractmethod
    def is_at(self, rank: int, depth: int) -> bool:
        """Return whether a neighbour of a state at `depth` + 1 is at `depth`."""

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
        probe = cast("ResidueProbe", BY_BITS[self.bits].probe(self.graph, self.body, ()))
        return probe.at(depth)

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
