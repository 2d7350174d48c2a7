"""Building tables of one bit per entry (needs numba)."""

from __future__ import annotations

from cubesolve.encodings.builder import Builder
from cubesolve.encodings.parity.enumeration import enumerate_bits, require_parity
from cubesolve.encodings.parity.proof import find_bit_fault

BUILDER = Builder(
    enumerate_bits,
    lambda space, starts, body, workers: find_bit_fault(space, body, starts, workers),
    require_parity,
)
