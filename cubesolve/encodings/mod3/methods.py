"""Building, proving and probing tables of depths modulo 3 (needs numpy)."""

from __future__ import annotations

from cubesolve.encodings.methods import ExactMethods
from cubesolve.encodings.mod3.enumeration import enumerate_mod3, require_recoverable
from cubesolve.encodings.mod3.probe import Mod3Probe
from cubesolve.encodings.mod3.proof import find_mod3_fault

METHODS = ExactMethods(
    enumerate_mod3,
    lambda space, starts, body, workers: find_mod3_fault(space, body, starts, workers=workers),
    Mod3Probe,
    require_recoverable,
)
