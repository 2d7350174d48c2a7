"""Answers about arrays of states from a table that has two bits for each."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings.byte.distances import wrong_distances
from cubesolve.encodings.mod3 import batch as modulo_batch
from cubesolve.encodings.mod3.distances import AS_OFTEN, RARE, ModuloDistances
from cubesolve.solvers.arrays import GraphArrays
from cubesolve.spaces import space_of

_CHUNK = 1 << 14


class ModuloArrays(GraphArrays):
    """Answers about arrays of the states of a large graph."""

    @functools.cached_property
    def _going_down(self) -> modulo_batch.Steps:
        return modulo_batch.Steps.of(space_of(self.graph))

    def _find_depths(self) -> Callable[..., None]:
        return functools.partial(modulo_batch.find_depths, self._going_down, self.body)

    def _descend(self, rows: int) -> Callable[..., None]:  # noqa: ARG002  # kernels for few rows, too
        return functools.partial(modulo_batch.descend, self._going_down, self.body)

    def _lead_down(self, rows: int) -> Callable[..., None]:  # noqa: ARG002  # likewise
        return functools.partial(modulo_batch.lead_down, self._going_down, self.body)

    def _count_ways(self, rows: int, workers: int | None) -> Callable[[NDArray[np.int64]], NDArray[np.int64]]:  # noqa: ARG002
        distances = self._distances()
        return lambda ranks: np.fromiter((distances.number(rank) for rank in ranks.tolist()), np.int64, len(ranks))

    def _distances(self) -> ModuloDistances:
        return ModuloDistances(self.graph, self._tables.body(self.graph.entry))

    def ways(self, workers: int | None) -> NDArray[np.int64]:  # noqa: ARG002
        """Eight bytes a state would not fit where a byte a state does not.

        Raises:
            ValueError: always.
        """
        states = f"{self.graph.states:,}"
        raise ValueError(f"{self.graph.entry.name} has {states} states, too many to count the solutions of all")

    def _at_depths(
        self, wanted: NDArray[np.integer], counts: NDArray[np.int64], source: np.random.Generator
    ) -> NDArray[np.integer]:
        ranks = np.empty(len(wanted), np.int64)
        for depth in np.unique(wanted).tolist():
            asked = np.flatnonzero(wanted == depth)
            ranks[asked] = self._drawn(depth, len(asked), int(counts[depth]), source)
        return ranks

    def _drawn(self, depth: int, number: int, there: int, source: np.random.Generator) -> NDArray[np.int64]:
        """Random ranks of those at a depth."""
        if there * RARE < self.graph.states:
            ranks = np.fromiter(self._distances().at(depth), np.int64)
            if len(ranks) != there:
                raise wrong_distances(self.graph)
            return source.choice(ranks, number)
        find_depths, found = self._find_depths(), np.empty(0, np.int64)
        for drawn in itertools.count(1):
            ranks = source.integers(self.graph.states, size=_CHUNK)
            depths = np.empty(_CHUNK, np.uint8)
            find_depths(ranks, depths)
            found = np.concatenate([found, ranks[depths == depth]])
            if len(found) >= number:
                break
            if not len(found) and drawn * _CHUNK > AS_OFTEN * RARE:
                raise wrong_distances(self.graph)
        return found[:number]
