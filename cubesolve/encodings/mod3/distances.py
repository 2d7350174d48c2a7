"""Distances from a table that has two bits for each state."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from cubesolve.encodings.byte.distances import Distances, wrong_distances
from cubesolve.encodings.mod3.scalar import ModuloDepths
from cubesolve.spaces.tables import UNREACHABLE

if TYPE_CHECKING:
    import mmap
    import random

    from cubesolve.spaces.rules import Graph

_AT_A_TIME = 1 << 20
RARE = 1000
"""If fewer than one in so many states are wanted, looking at all does not take longer than drawing."""

AS_OFTEN = 30
"""If so many times as many states are drawn as it takes on average to find one, there is none."""


class ModuloDistances(Distances):
    """The distances of a graph's states, found by going down to a start."""

    def __init__(self, graph: Graph, body: bytes | mmap.mmap) -> None:
        """Take a table's body."""
        super().__init__(graph, body)
        self._depths = ModuloDepths(body, graph.states)

    def __getitem__(self, rank: int) -> int:
        return self._depths.depth(rank, self.graph.neighbours)

    def is_at(self, rank: int, depth: int) -> bool:
        """Whether a neighbour of a state at `depth` + 1 is at `depth`."""
        return self._depths.is_at(rank, depth)

    def nearer(self, rank: int) -> list[tuple[int, int]]:
        """See `Distances.nearer`."""
        return self._depths.nearer(rank, self.graph.neighbours)

    def step(self, rank: int) -> tuple[int, int] | None:
        """See `Distances.step`."""
        return next(iter(self.nearer(rank)), None)

    def solution(self, rank: int) -> list[int]:
        """See `Distances.solution`; where entries lead round in a circle, there is none."""
        if self[rank] == UNREACHABLE:
            raise wrong_distances(self.graph)
        return super().solution(rank)

    def at(self, depth: int) -> Iterator[int]:
        """See `Distances.at`: every state is asked."""
        import numpy as np  # noqa: PLC0415  # few questions are about all states

        from cubesolve.encodings.mod3.batch import Steps, find_depths  # noqa: PLC0415  # needs numba
        from cubesolve.spaces import space_of  # noqa: PLC0415

        steps, table = Steps.of(space_of(self.graph)), np.frombuffer(self.body, np.uint8)
        for first in range(0, self.graph.states, _AT_A_TIME):
            ranks = np.arange(first, min(first + _AT_A_TIME, self.graph.states))
            depths = np.empty(len(ranks), np.uint8)
            find_depths(steps, table, ranks, depths)
            yield from (first + np.flatnonzero(depths == depth)).tolist()

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
