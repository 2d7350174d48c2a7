"""Building, proving and probing tables of one bit per entry (needs numpy)."""

from __future__ import annotations

import mmap
from typing import TYPE_CHECKING

from cubesolve.encodings.methods import ExactMethods
from cubesolve.encodings.parity.enumeration import enumerate_bits, require_parity
from cubesolve.encodings.parity.proof import find_bit_fault
from cubesolve.spaces.rules import Graph

if TYPE_CHECKING:
    from cubesolve.encodings.residue_probe import ResidueProbe


def _probe(graph: Graph, body: bytes | mmap.mmap, counts: tuple[int, ...]) -> ResidueProbe:
    from cubesolve.encodings.parity.probe import ParityProbe  # noqa: PLC0415  # needs numba

    return ParityProbe(graph, body, counts)


METHODS = ExactMethods(
    enumerate_bits,
    lambda space, starts, body, workers: find_bit_fault(space, body, starts, workers),
    _probe,
    require_parity,
)
