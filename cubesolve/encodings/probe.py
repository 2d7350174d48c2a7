"""Answers about arrays of states from tables of all distances (numpy)."""

from __future__ import annotations

import functools
import itertools
import mmap
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings import batch, descent
from cubesolve.encodings.batch import Steps, WideSteps
from cubesolve.encodings.distances import AS_OFTEN, RARE, Mod3Distances, wrong_distances
from cubesolve.encodings.enumeration import distribution
from cubesolve.encodings.proof import find_fault
from cubesolve.errors import CubesolveError
from cubesolve.spaces import space_of
from cubesolve.spaces.batches import SMALL
from cubesolve.spaces.rules import Graph
from cubesolve.spaces.tables import UNREACHABLE

Descend = Callable[[NDArray[np.int64], NDArray[np.uint8], NDArray[np.uint8]], object]
"""Fills the moves and the lengths of solutions, from ranks."""

LeadDown = Callable[[NDArray[np.int64], NDArray[np.bool_]], object]
"""Fills the optimal moves, from ranks."""

_CHUNK = 1 << 16
_DRAWN = 1 << 14  # ranks that are drawn at a time
_MOST_FIRST_MOVES = 1 << 27  # bytes
_WORTH_FIRST_MOVES = 16  # descending from a state takes longer than finding the first moves of this many


class Probe:
    """Answers about arrays of a graph's states. Ranks are int64 (N,), and must be valid."""

    counts_all = True  # whether `count_all_solutions` is possible
    _solved = 0  # states, of large batches

    def __init__(self, graph: Graph, body: bytes | mmap.mmap, counts: tuple[int, ...]) -> None:
        """Take the body of a table, and the distribution in its header."""
        self.graph, self.given, self.counts = graph, body, counts
        self.body = np.frombuffer(body, np.uint8)

    def find_depths(self, ranks: NDArray[np.int64], depths: NDArray[np.uint8]) -> None:
        """Fill depths, uint8 (N,); 255 if no start can be reached."""
        np.take(self.body, ranks, out=depths, mode="clip")  # all are in range, but the other modes are slower

    def descend(self, rows: int) -> Descend:
        """Return a function that finds the first optimal solution of each of a number of states.

        Lengths exceed `longest` if the table is not that of the graph.
        """
        if rows <= SMALL or self.graph.has_free_moves:
            return functools.partial(descent.descend, space_of(self.graph), self._entries)
        self._solved += rows
        if self.graph.states <= min(_MOST_FIRST_MOVES, self._solved * _WORTH_FIRST_MOVES):
            return functools.partial(batch.follow, steps_of(self.graph), self._first_moves)
        return functools.partial(batch.descend, steps_of(self.graph), self.depths)

    def lead_down(self, rows: int) -> LeadDown:
        """Return a function that finds the optimal moves of each of a number of states."""
        if rows <= SMALL or self.graph.has_free_moves:
            return functools.partial(descent.lead_down, space_of(self.graph), self._entries)
        return functools.partial(batch.lead_down, steps_of(self.graph), self.depths)

    def count_solutions(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of optimal solutions of each state."""
        pieces = (ranks[start : start + SMALL] for start in range(0, max(len(ranks), 1), SMALL))
        space = space_of(self.graph)
        counts = np.concatenate([descent.count_solutions(space, self._entries, piece) for piece in pieces])
        if ((counts == 0) & (self.body[ranks] != UNREACHABLE)).any():
            raise wrong_distances(self.graph)
        return counts

    def count_all_solutions(self, workers: int | None) -> NDArray[np.int64]:
        """Return the number of optimal solutions of every state, int64 (states,)."""
        space = space_of(self.graph)
        depths = self.depths
        if self.graph.has_free_moves or space.is_small:
            return descent.count_all_solutions(space, self._entries)
        return batch.count_solutions(steps_of(self.graph), depths, workers)

    @functools.cached_property
    def longest(self) -> int:
        """The largest number of moves of a solution that `descend` finds, or an upper bound of it."""
        if not self.graph.has_free_moves:
            return len(self.counts) - 1
        length = descent.most_moves(space_of(self.graph), self._entries)
        if length >= UNREACHABLE:
            raise self._too_long()
        return length

    @functools.cached_property
    def _entries(self) -> descent.Entries:
        if not self.graph.has_free_moves:
            return self.body
        entries = descent.with_free_moves(space_of(self.graph), self.depths, list(self.graph.starts))
        if entries is None:
            raise self._too_long()
        return entries

    def _too_long(self) -> CubesolveError:
        message = f"{self.graph.entry.name} has solutions of more than {UNREACHABLE - 1} moves, as some cost 0"
        return CubesolveError(f"{message}: solve the states one by one")

    def at_depths(self, wanted: NDArray[np.integer], source: np.random.Generator) -> NDArray[np.integer]:
        """Return random ranks at depths, each of which has states."""
        counts = np.array(self.counts)
        firsts = np.cumsum(counts) - counts
        ranks, by_depth = np.empty(len(wanted), np.int32), self.by_depth
        for start in range(0, len(wanted), _CHUNK):
            piece = wanted[start : start + _CHUNK]
            ranks[start : start + _CHUNK] = by_depth[firsts[piece] + source.integers(counts[piece])]
        if (self.body[ranks] != wanted).any():
            raise wrong_distances(self.graph)
        return ranks

    @functools.cached_property
    def by_depth(self) -> NDArray[np.int32]:
        """Int32 (states,): the ranks, those of the smallest depth first."""
        return np.argsort(self.body, kind="stable").astype(np.int32)

    @functools.cached_property
    def _first_moves(self) -> NDArray[np.uint8]:
        return batch.first_moves(steps_of(self.graph), self.depths)

    @functools.cached_property
    def depths(self) -> NDArray[np.uint8]:
        """The depths of all states by rank, proved, so that kernels can follow them without checks."""
        if not self.graph.entry.header.sha256:
            fault = find_fault(space_of(self.graph), self.body, self.graph.starts)
            if fault or distribution(self.body) != self.counts:
                raise wrong_distances(self.graph)
        return self.body


@functools.lru_cache(maxsize=4)
def steps_of(graph: Graph) -> Steps:
    """Return the moves of a graph for kernels, which read tables with a byte per entry."""
    return Steps.of(space_of(graph))


class Mod3Probe(Probe):
    """Answers from depths modulo 3, found by descending to a start. Entries that lead nowhere show a wrong table."""

    counts_all = False

    @functools.cached_property
    def _steps(self) -> WideSteps:
        return WideSteps.of(space_of(self.graph))

    def find_depths(self, ranks: NDArray[np.int64], depths: NDArray[np.uint8]) -> None:
        """Fill depths, uint8 (N,); 255 if no start can be reached."""
        batch.find_mod3_depths(self._steps, self.body, ranks, depths)

    def descend(self, rows: int) -> Descend:  # noqa: ARG002  # kernels for few rows, too
        """Return a function that finds the first optimal solution of each of a number of states."""
        return functools.partial(batch.descend_mod3, self._steps, self.body)

    def lead_down(self, rows: int) -> LeadDown:  # noqa: ARG002  # likewise
        """Return a function that finds the optimal moves of each of a number of states."""
        return functools.partial(batch.lead_down_mod3, self._steps, self.body)

    def count_solutions(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of optimal solutions of each state."""
        distances = Mod3Distances(self.graph, self.given)
        return np.fromiter((distances.number(rank) for rank in ranks.tolist()), np.int64, len(ranks))

    def count_all_solutions(self, workers: int | None) -> NDArray[np.int64]:  # noqa: ARG002
        """Return the number of optimal solutions of every state, int64 (states,)."""
        states = f"{self.graph.states:,}"
        raise ValueError(f"{self.graph.entry.name} has {states} states, too many to count the solutions of all")

    def at_depths(self, wanted: NDArray[np.integer], source: np.random.Generator) -> NDArray[np.integer]:
        """Return random ranks at depths, each of which has states."""
        ranks = np.empty(len(wanted), np.int64)
        for depth in np.unique(wanted).tolist():
            asked = np.flatnonzero(wanted == depth)
            ranks[asked] = self._drawn(depth, len(asked), source)
        return ranks

    def _drawn(self, depth: int, number: int, source: np.random.Generator) -> NDArray[np.int64]:
        """Return random ranks at a depth."""
        if self.counts[depth] * RARE < self.graph.states:
            ranks = np.fromiter(batch.mod3_ranks_at(self._steps, self.body, self.graph.states, depth), np.int64)
            if len(ranks) != self.counts[depth]:
                raise wrong_distances(self.graph)
            return source.choice(ranks, number)
        chosen, depths = np.empty(0, np.int64), np.empty(_DRAWN, np.uint8)
        for drawn in itertools.count(1):
            ranks = source.integers(self.graph.states, size=_DRAWN)
            self.find_depths(ranks, depths)
            chosen = np.concatenate([chosen, ranks[depths == depth]])
            if len(chosen) >= number:
                break
            if not len(chosen) and drawn * _DRAWN > AS_OFTEN * RARE:
                raise wrong_distances(self.graph)
        return chosen[:number]
