"""Distances of arrays of states from a table with one bit a state."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings.byte.distances import wrong_distances
from cubesolve.encodings.parity.colouring import colouring_of
from cubesolve.encodings.parity.distances import ParityDistances
from cubesolve.encodings.residue_batch import ResidueTable
from cubesolve.encodings.residue_probe import ResidueProbe
from cubesolve.spaces import space_of


class ParityProbe(ResidueProbe):
    """Answers about arrays of states by the higher bits of depths modulo 4, and the parities of states."""

    @functools.cached_property
    def table(self) -> ResidueTable:
        """The table, for kernels.

        Raises:
            CorruptTableError: moves do not change a parity, so the table cannot be that of the graph.
        """
        colouring = colouring_of(space_of(self.graph))
        if colouring is None:
            raise wrong_distances(self.graph)
        of_depths = colouring.from_starts(np.array(self.graph.starts[:1], np.int64))
        return ResidueTable(self.body, 1, of_depths.parities)

    def count_solutions(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of optimal solutions of each state."""
        return self._counted(ParityDistances(self.graph, self.given), ranks)
