"""Building tables with one byte per entry."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings.builder import Builder
from cubesolve.encodings.byte.enumeration import distribution, enumerate_levels
from cubesolve.encodings.byte.proof import find_fault
from cubesolve.encodings.faults import Fault
from cubesolve.spaces.space import Checkpointer, Levels, Progress, StateSpace

if TYPE_CHECKING:
    from cubesolve.encodings.encoding import Ranks


class ByteBuilder(Builder):
    """Enumerates and proves depths, one byte each."""

    def enumerate(
        self,
        space: StateSpace,
        starts: Ranks,
        progress: Progress | None,
        workers: int | None,
        checkpointer: Checkpointer | None,
    ) -> Levels:
        """Enumerate a space from its starts."""
        return enumerate_levels(space, starts, progress, workers, checkpointer)

    def prove(
        self, space: StateSpace, starts: Ranks, body: NDArray[np.uint8], workers: int | None
    ) -> tuple[Fault | None, tuple[int, ...]]:
        """Prove that a body is right; the proof shares no code with `enumerate`."""
        return find_fault(space, body, starts, workers), distribution(body, space)
