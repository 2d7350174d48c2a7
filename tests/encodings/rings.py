"""Spaces of one state per row, which are built quickly, also without compiled kernels."""

from __future__ import annotations

import dataclasses

import numpy as np

from cubesolve.spaces.space import StateSpace


def ring(length: int) -> StateSpace:
    """One state per row, and two moves in a circle."""
    numbers = np.arange(length)
    base = np.stack([np.roll(numbers, -1), np.roll(numbers, 1)])
    return StateSpace(base, np.zeros((2, length), np.int32), np.zeros((1, 1), np.uint32), mutual=True)


def of_both_parities(space: StateSpace) -> StateSpace:
    """Each state twice, once for each parity, which every move changes."""
    there = np.where(space.base < 0, -1, space.base + space.rows)
    parity = np.repeat(np.arange(2, dtype=np.uint8), space.rows)
    return dataclasses.replace(
        space, base=np.hstack([there, space.base]), action=np.hstack([space.action] * 2), parity=parity
    )
