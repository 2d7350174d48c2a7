"""Spaces of one state per row, which are built quickly, also without compiled kernels; and states of any space."""

from __future__ import annotations

import numpy as np

from cubesolve.encodings.enumeration import distribution, enumerate_depths
from cubesolve.spaces import space_of
from cubesolve.spaces.defined_graph import DerivedGraph
from cubesolve.spaces.derived import make_ready
from cubesolve.spaces.space import StateSpace


def ring(length: int) -> StateSpace:
    """One state per row, and two moves in a circle."""
    numbers = np.arange(length)
    base = np.stack([np.roll(numbers, -1), np.roll(numbers, 1)])
    return StateSpace(base, np.zeros((2, length), np.int32), np.zeros((1, 1), np.uint32), mutual=True)


def counts_of(graph: DerivedGraph) -> tuple[int, ...]:
    """Count the states at each depth one by one."""
    make_ready(graph)
    return distribution(enumerate_depths(space_of(graph), list(graph.starts)))
