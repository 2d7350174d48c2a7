"""Distances of arrays of states from a table of depths modulo 3."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings.mod3.distances import Mod3Distances
from cubesolve.encodings.residue_batch import ResidueTable
from cubesolve.encodings.residue_probe import ResidueProbe


class Mod3Probe(ResidueProbe):
    """Answers about arrays of states by depths modulo 3."""

    @functools.cached_property
    def table(self) -> ResidueTable:
        """The table, for kernels."""
        return ResidueTable(self.body, 2)

    def count_solutions(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of optimal solutions of each state."""
        return self._counted(Mod3Distances(self.graph, self.given), ranks)
