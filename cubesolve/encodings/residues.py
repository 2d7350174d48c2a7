"""Distances of single states from a table that stores residues of depths (pure Python).

A depth is then the number of moves that lead nearer, one after the other. Questions about states at a given depth go
through all states, or draw states until enough have the depth.
"""

from __future__ import annotations

import itertools
from abc import abstractmethod
from typing import TYPE_CHECKING

from cubesolve.encodings.byte.distances import Distances, wrong_distances
from cubesolve.spaces.tables import UNREACHABLE

if TYPE_CHECKING:
    import mmap
    import random
    from collections.abc import Iterator, Sequence

    from cubesolve.encodings.residue_probe import ResidueProbe
    from cubesolve.spaces.rules import Graph

RARE = 1000
"""If fewer than one in so many states are wanted, looking at all does not take longer than drawing."""

AS_OFTEN = 30
"""If so many times as many states are drawn as it takes on average to find one, there is none."""


class ResidueDistances(Distances):
    """The distances of a graph's states, found by going down to a start."""

    def __init__(self, graph: Graph, body: bytes | mmap.mmap) -> None:
        """Take a table's body.

        Raises:
            CorruptTableError: moves of the graph have different costs, so that no such table can be its.
        """
        if graph.costs is not None:
            raise wrong_distances(graph)
        super().__init__(graph, body)

    @abstractmethod
    def is_at(self, rank: int, depth: int) -> bool:
        """See `Distances.is_at`."""

    @abstractmethod
    def _probe(self) -> ResidueProbe:
        """What finds the depths of many states."""

    def step(self, rank: int) -> tuple[int, int] | None:
        """See `Distances.step`."""
        return next(iter(self.first_steps(rank)), None)

    def solution(self, rank: int) -> list[int]:
        """See `Distances.solution`; where entries lead round in a circle, there is none."""
        if self[rank] == UNREACHABLE:
            raise wrong_distances(self.graph)
        return super().solution(rank)

    def at(self, depth: int) -> Iterator[int]:
        """See `Distances.at`: every state is asked."""
        return self._probe().at(depth)

    def random_at(self, depth: int, counts: Sequence[int], source: random.Random) -> int:
        """See `Distances.random_at`."""
        if counts[depth] * RARE < self.graph.states:
            found = next(itertools.islice(self.at(depth), source.randrange(counts[depth]), None), None)
        else:
            drawn = (source.randrange(self.graph.states) for _ in range(AS_OFTEN * RARE))
            found = next((rank for rank in drawn if self[rank] == depth), None)
        if found is None:
            raise wrong_distances(self.graph)
        return found
