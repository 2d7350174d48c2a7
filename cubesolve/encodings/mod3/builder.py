"""Building tables of depths modulo 3 (needs numba)."""

from __future__ import annotations

from cubesolve.encodings.builder import Builder
from cubesolve.encodings.mod3.enumeration import enumerate_mod3, require_recoverable
from cubesolve.encodings.mod3.proof import find_mod3_fault

BUILDER = Builder(
    enumerate_mod3,
    lambda space, starts, body, workers: find_mod3_fault(space, body, starts, workers=workers),
    lambda space, _starts: require_recoverable(space),
)
