"""Distances of single states where some moves cost nothing (pure Python)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cubesolve.encodings.byte.distances import Distances, wrong_distances
from cubesolve.runtime.deadline import check

if TYPE_CHECKING:
    import mmap
    from collections.abc import Collection

    from cubesolve.spaces.rules import Graph


def distances_of(graph: Graph, body: bytes | mmap.mmap) -> Distances:
    """Return the distances of single states from a table with a byte per entry."""
    return FreeDistances(graph, body) if graph.has_free_moves else Distances(graph, body)


class FreeDistances(Distances):
    """The distances of a graph's states, from a table with a byte per entry, where some moves cost 0.

    These moves connect states at one depth, so depths do not show which of them lead on. Optimal are those that lead,
    in as few of them as possible, to a solved state or to one from which another move decreases the depth.
    """

    def __init__(self, graph: Graph, body: bytes | mmap.mmap, starts: Collection[int] | None = None) -> None:
        """Take the body of a table, and the ranks from which depths count; by default those of the solved states."""
        super().__init__(graph, body)
        self._starts = frozenset(graph.starts if starts is None else starts)

    def is_solved(self, rank: int) -> bool:
        """Return whether a state is solved."""
        return rank in self._starts

    def step(self, rank: int) -> tuple[int, int] | None:
        """Return the first of the moves that `first_steps` lists, with the state after it; None for a solved state."""
        return next(iter(self.first_steps(rank)), None)

    def _first_steps(self, rank: int, left: int) -> list[tuple[int, int]]:
        """Return the same for a state whose depth is known."""
        return self.steps_left(rank, left)[1]

    def steps_left(self, rank: int, left: int) -> tuple[int, list[tuple[int, int]]]:
        """Return the number of moves of cost 0 before the next one that costs, or the end, and the optimal moves."""
        if self.is_solved(rank):
            return 0, []
        decreasing = self._steps(rank, left, is_free=False)
        if decreasing:
            return 0, decreasing
        beside = self._steps(rank, left, is_free=True)
        # The states at one distance, each with the first moves, a bit each, of the shortest paths that lead there.
        level, seen, length = dict[int, int](), {rank}, 1
        for move, there in beside:
            level[there] = level.get(there, 0) | 1 << move
        while level:
            check()
            first = 0
            for state, moves in level.items():
                if self.is_solved(state) or self._steps(state, left, is_free=False):
                    first |= moves
            if first:
                return length, [(move, there) for move, there in beside if first >> move & 1]
            seen |= level.keys()
            following = dict[int, int]()
            for state, moves in level.items():
                for _, there in self._steps(state, left, is_free=True):
                    if there not in seen:
                        following[there] = following.get(there, 0) | moves
            level, length = following, length + 1
        raise wrong_distances(self.graph)

    def _steps(self, rank: int, left: int, *, is_free: bool) -> list[tuple[int, int]]:
        """Return the moves of cost 0, or all others, by number, that change the depth by no more than their cost."""
        assert self._costs is not None  # some are 0
        ways = zip(self._costs, enumerate(self.graph.neighbours(rank)), strict=True)
        return [way for cost, way in ways if way[1] >= 0 and (not cost) == is_free and self[way[1]] == left - cost]
