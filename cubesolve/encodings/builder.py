"""What enumerates and proves the tables of an encoding."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from cubesolve.encodings.encoding import Ranks
    from cubesolve.encodings.faults import Fault
    from cubesolve.spaces.space import Checkpointer, Levels, Progress, StateSpace


class Builder(NamedTuple):
    """Functions for builds of an encoding: those of `ExactEncoding` with the same names, which describes them."""

    enumerate: Callable[[StateSpace, Ranks, Progress | None, int | None, Checkpointer | None], Levels]
    prove: Callable[[StateSpace, Ranks, NDArray[np.uint8], int | None], tuple[Fault | None, tuple[int, ...]]]
    require_suited: Callable[[StateSpace, Ranks], object] = lambda _space, _starts: None
