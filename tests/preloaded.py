"""The imports of the processes of `tests.processes`."""

from __future__ import annotations

import importlib

import numba

for name in (
    *("hypothesis", "pytest"),  # of test modules
    *("cubesolve.cli", "cubesolve.runtime.compiler", "cubesolve.lookup", "cubesolve.catalog.rubik.solver"),
    *("cubesolve.encodings.batch", "cubesolve.encodings.enumeration", "cubesolve.web.serving"),
):
    importlib.import_module(name)
numba.njit("int64(int64)")(lambda number: number)  # Numba loads its compiler with the first function
