"""Building tables of depths modulo 3."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings.builder import Builder
from cubesolve.encodings.faults import Fault
from cubesolve.encodings.mod3.enumeration import enumerate_mod3, require_recoverable
from cubesolve.encodings.mod3.proof import find_mod3_fault
from cubesolve.spaces.space import Checkpointer, Levels, Progress, StateSpace

if TYPE_CHECKING:
    from cubesolve.encodings.encoding import Ranks


class Mod3Builder(Builder):
    """Enumerates and proves depths modulo 3."""

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
        """Reject a space of which the encoding cannot give the distances."""
        require_recoverable(space)
