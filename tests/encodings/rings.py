"""Spaces of one state per row, which are built quickly, also without compiled kernels."""

from __future__ import annotations

import numpy as np

from cubesolve.spaces.space import StateSpace


def ring(length: int) -> StateSpace:
    """One state per row, and two moves in a circle."""
    numbers = np.arange(length)
    base = np.stack([np.roll(numbers, -1), np.roll(numbers, 1)])
    return StateSpace(base, np.zeros((2, length), np.int32), np.zeros((1, 1), np.uint32), mutual=True)
