"""Building, proving and probing tables of depths modulo 3 (numpy)."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings.byte.distances import wrong_distances
from cubesolve.encodings.methods import Descend, ExactMethods, LeadDown, Probe
from cubesolve.encodings.mod3 import batch
from cubesolve.encodings.mod3.batch import Mod3Steps
from cubesolve.encodings.mod3.distances import AS_OFTEN, RARE, Mod3Distances
from cubesolve.encodings.mod3.enumeration import enumerate_mod3, require_recoverable
from cubesolve.encodings.mod3.proof import find_mod3_fault
from cubesolve.spaces import space_of

_CHUNK = 1 << 14


class Mod3Probe(Probe):
    """Answers about arrays of states by depths modulo 3, found by descending to a start."""

    @functools.cached_property
    def _steps(self) -> Mod3Steps:
        return Mod3Steps.of(space_of(self.graph))

    def find_depths(self, ranks: NDArray[np.int64], depths: NDArray[np.uint8]) -> None:
        """Fill depths, uint8 (N,); 255 if no start can be reached."""
        batch.find_depths(self._steps, self.body, ranks, depths)

    def descend(self, rows: int) -> Descend:  # noqa: ARG002  # kernels for few rows, too
        """Return a function that finds the first optimal solution of each of a number of states."""
        return functools.partial(batch.descend, self._steps, self.body)

    def lead_down(self, rows: int) -> LeadDown:  # noqa: ARG002  # likewise
        """Return a function that finds the optimal moves of each of a number of states."""
        return functools.partial(batch.lead_down, self._steps, self.body)

    def count_solutions(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of optimal solutions of each state."""
        distances = Mod3Distances(self.graph, self.given)
        return np.fromiter((distances.number(rank) for rank in ranks.tolist()), np.int64, len(ranks))

    def at(self, depth: int) -> Iterator[int]:
        """Yield the ranks at a depth, in ascending order."""
        return batch.ranks_at(self._steps, self.body, self.graph.states, depth)

    def at_depths(self, wanted: NDArray[np.integer], source: np.random.Generator) -> NDArray[np.integer]:
        """Return random ranks at depths, each of which has states."""
        ranks = np.empty(len(wanted), np.int64)
        for depth in np.unique(wanted).tolist():
            asked = np.flatnonzero(wanted == depth)
            ranks[asked] = self._drawn(depth, len(asked), source)
        return ranks

    def _drawn(self, depth: int, number: int, source: np.random.Generator) -> NDArray[np.int64]:
        """Return random ranks at a depth.

        Raises:
            CorruptTableError: there are none.
        """
        if self.counts[depth] * RARE < self.graph.states:
            ranks = np.fromiter(self.at(depth), np.int64)
            if len(ranks) != self.counts[depth]:
                raise wrong_distances(self.graph)
            return source.choice(ranks, number)
        found, depths = np.empty(0, np.int64), np.empty(_CHUNK, np.uint8)
        for drawn in itertools.count(1):
            ranks = source.integers(self.graph.states, size=_CHUNK)
            self.find_depths(ranks, depths)
            found = np.concatenate([found, ranks[depths == depth]])
            if len(found) >= number:
                break
            if not len(found) and drawn * _CHUNK > AS_OFTEN * RARE:
                raise wrong_distances(self.graph)
        return found[:number]


METHODS = ExactMethods(
    enumerate_mod3,
    lambda space, starts, body, workers: find_mod3_fault(space, body, starts, workers=workers),
    Mod3Probe,
    require_recoverable,
)
