"""Building, proving and probing tables of depths modulo 3 (needs numpy)."""

from __future__ import annotations

import mmap
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings.faults import Fault
from cubesolve.encodings.methods import ExactMethods, Ranks
from cubesolve.encodings.mod3.enumeration import enumerate_mod3, require_recoverable
from cubesolve.encodings.mod3.proof import find_mod3_fault
from cubesolve.spaces.rules import Graph
from cubesolve.spaces.space import Checkpointer, Levels, Progress, StateSpace

if TYPE_CHECKING:
    from cubesolve.encodings.residue_probe import ResidueProbe


class Mod3Methods(ExactMethods):
    """Methods for tables of depths modulo 3."""

    def enumerate(
        self,
        space: StateSpace,
        starts: Ranks,
        progress: Progress | None,
        workers: int | None,
        checkpointer: Checkpointer | None,
    ) -> Levels:
        """Enumerate a space from its starts."""
        return enumerate_mod3(space, starts, progress, workers, checkpointer)

    def prove(
        self, space: StateSpace, starts: Ranks, body: NDArray[np.uint8], workers: int | None
    ) -> tuple[Fault | None, tuple[int, ...]]:
        """Prove that a body is right; the proof shares no code with `enumerate`."""
        return find_mod3_fault(space, body, starts, workers=workers)

    def require_suited(self, space: StateSpace, starts: Ranks) -> None:  # noqa: ARG002
        """Reject a space of which this encoding cannot give the distances."""
        require_recoverable(space)

    def probe(self, graph: Graph, body: bytes | mmap.mmap, counts: tuple[int, ...]) -> ResidueProbe:
        """Return the distances of arrays of states."""
        from cubesolve.encodings.mod3.probe import Mod3Probe  # noqa: PLC0415  # needs numba

        return Mod3Probe(graph, body, counts)


METHODS = Mod3Methods()
