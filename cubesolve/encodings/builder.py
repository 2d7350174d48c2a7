"""The interface of what enumerates and proves the tables of an encoding (needs numpy, most also numba)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from cubesolve.encodings.encoding import Ranks
    from cubesolve.encodings.faults import Fault
    from cubesolve.spaces.space import Checkpointer, Levels, Progress, StateSpace


class Builder(ABC):
    """Enumerates state spaces, and proves bodies of tables. `ExactEncoding` describes the methods."""

    @abstractmethod
    def enumerate(
        self,
        space: StateSpace,
        starts: Ranks,
        progress: Progress | None,
        workers: int | None,
        checkpointer: Checkpointer | None,
    ) -> Levels:
        """Enumerate a space from its starts."""

    @abstractmethod
    def prove(
        self, space: StateSpace, starts: Ranks, body: NDArray[np.uint8], workers: int | None
    ) -> tuple[Fault | None, tuple[int, ...]]:
        """Prove that a body is right; the proof shares no code with `enumerate`."""

    def require_suited(self, space: StateSpace, starts: Ranks) -> None:  # noqa: B027  # most suit all spaces
        """Reject a space of which the encoding cannot give the distances."""
