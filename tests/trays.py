"""The distances of all states of a tray from a start, for tests and scripts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.catalog.rolling.spaces import rolling_space
from cubesolve.catalog.rolling.tray import Tray
from cubesolve.encodings.enumeration import distribution, enumerate_depths


class Enumeration(NamedTuple):
    start: Tray
    depths: NDArray[np.uint8]  # by rank, 255 for states that the start cannot reach

    @property
    def distribution(self) -> tuple[int, ...]:
        return distribution(self.depths)

    def depth(self, tray: Tray) -> int:
        return int(self.depths[tray.rank])

    def hardest(self) -> list[Tray]:
        """Return the states at the largest depth, in the order of their ranks."""
        ranks = np.flatnonzero(self.depths == len(self.distribution) - 1).tolist()
        return [Tray.unrank(rank, self.start.plus, self.start.shape) for rank in ranks]


def enumerated(start: Tray) -> Enumeration:
    """Return the distances from a start."""
    return Enumeration(start, enumerate_depths(rolling_space(start.shape, start.plus), [start.rank]))
