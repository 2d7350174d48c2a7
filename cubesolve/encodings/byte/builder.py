"""Building tables with one byte per entry (needs numpy)."""

from __future__ import annotations

from cubesolve.encodings.builder import Builder
from cubesolve.encodings.byte.enumeration import distribution, enumerate_levels
from cubesolve.encodings.byte.proof import find_fault

BUILDER = Builder(
    enumerate_levels,
    lambda space, starts, body, workers: (find_fault(space, body, starts, workers), distribution(body, space)),
)
