"""Building, proving and probing tables of depths modulo 3 (needs numpy)."""

from __future__ import annotations

import mmap
from typing import TYPE_CHECKING

from cubesolve.encodings.methods import ExactMethods
from cubesolve.encodings.mod3.enumeration import enumerate_mod3, require_recoverable
from cubesolve.encodings.mod3.proof import find_mod3_fault
from cubesolve.spaces.rules import Graph

if TYPE_CHECKING:
    from cubesolve.encodings.residue_probe import ResidueProbe


def _probe(graph: Graph, body: bytes | mmap.mmap, counts: tuple[int, ...]) -> ResidueProbe:
    from cubesolve.encodings.mod3.probe import Mod3Probe  # noqa: PLC0415  # needs numba

    return Mod3Probe(graph, body, counts)


METHODS = ExactMethods(
    enumerate_mod3,
    lambda space, starts, body, workers: find_mod3_fault(space, body, starts, workers=workers),
    _probe,
    lambda space, _starts: require_recoverable(space),
)
