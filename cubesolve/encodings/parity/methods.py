"""Building, proving and probing tables of one bit per entry (needs numpy)."""

from __future__ import annotations

import mmap
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings.faults import Fault
from cubesolve.encodings.methods import ExactMethods, Ranks
from cubesolve.encodings.parity.enumeration import enumerate_bits, require_parity
from cubesolve.encodings.parity.proof import find_bit_fault
from cubesolve.spaces.rules import Graph
from cubesolve.spaces.space import Checkpointer, Levels, Progress, StateSpace

if TYPE_CHECKING:
    from cubesolve.encodings.residue_probe import ResidueProbe


class ParityMethods(ExactMethods):
    """Methods for tables of one bit per entry."""

    def enumerate(
        self,
        space: StateSpace,
        starts: Ranks,
        progress: Progress | None,
        workers: int | None,
        checkpointer: Checkpointer | None,
    ) -> Levels:
        """Enumerate a space from its starts."""
        return enumerate_bits(space, starts, progress, workers, checkpointer)

    def prove(
        self, space: StateSpace, starts: Ranks, body: NDArray[np.uint8], workers: int | None
    ) -> tuple[Fault | None, tuple[int, ...]]:
        """Prove that a body is right; the proof shares no code with `enumerate`."""
        return find_bit_fault(space, body, starts, workers)

    def require_suited(self, space: StateSpace, starts: Ranks) -> None:
        """Reject a space of which this encoding cannot give the distances."""
        require_parity(space, starts)

    def probe(self, graph: Graph, body: bytes | mmap.mmap, counts: tuple[int, ...]) -> ResidueProbe:
        """Return the distances of arrays of states."""
        from cubesolve.encodings.parity.probe import ParityProbe  # noqa: PLC0415  # needs numba

        return ParityProbe(graph, body, counts)


METHODS = ParityMethods()
