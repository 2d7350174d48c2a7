"""Stored machine code of kernels, which is called without Numba."""

from __future__ import annotations

import os
from pathlib import Path

from tests.processes import ROOT, run_python

PARTS = """
from cubesolve.kernels import part

FACTOR = 3

@part
def weighted(number):
    return 100 * number
"""
KERNELS = """
from typing import NamedTuple
import numpy as np
from cubesolve.kernels import kernel, named, read_only, types
from parts import FACTOR, weighted

class Line(NamedTuple):
    weights: object
    offset: int

LINE = named(Line, weights=read_only(types.uint16), offset=types.int64)

@kernel(LINE, types.uint8[::1], types.boolean, types.uint64, at_start=True)
def total(line, flags, is_negative, shift):
    flags[1] = line.weights.shape[0]
    found = weighted(line.weights[1, 2]) + FACTOR * line.offset + np.int64(shift >> np.uint64(60))
    return -found if is_negative else found

@kernel(types.int64, at_start=True)
def quotient(number):
    return 6 // number

@kernel(types.int64, at_start=True)
def allocating(number):
    return np.arange(number).sum()
"""
ASK = """
import contextlib, sys
import numpy as np
import kernels
from kernels import Line
weights, flags = np.arange(6, dtype=np.uint16).reshape(2, 3), np.zeros(2, np.uint8)
fixed = weights.view()
fixed.flags.writeable = False
print([kernels.total(Line(each, -4), flags, each is fixed, 5 << 61) for each in (weights, fixed)], flags)
print(kernels.quotient(2), "numba" in sys.modules)
for wrong in (weights[:, ::2], weights.T, weights.astype(np.int16), weights[0], weights.tolist(), None):
    with contextlib.suppress(TypeError):
        print(kernels.total(Line(wrong, 0), flags, False, 0))
flags.flags.writeable = False
for line, wrong in ((Line(weights, 0), flags), ((weights, 0), np.zeros(2, np.uint8)), (Line(weights, "1"), b"12")):
    with contextlib.suppress(TypeError):
        print(kernels.total(line, wrong, False, 0))
with contextlib.suppress(ZeroDivisionError, RuntimeError):
    print(kernels.quotient(0))
"""


def test_machine_code_is_called_without_numba(tmp_path: Path) -> None:
    (tmp_path / "parts.py").write_text(PARTS)
    (tmp_path / "kernels.py").write_text(KERNELS)
    cache = tmp_path / "cache"
    paths = f"{tmp_path}{os.pathsep}{ROOT}"
    env = {"CUBESOLVE_CACHE": str(cache), "NUMBA_CACHE_DIR": "", "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}

    def asked(code: str = "", *, fresh: bool = False) -> str:
        result = run_python(ASK + code, env, fresh=fresh)
        assert result.stderr == ""
        return result.stdout

    def stored() -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in (cache / "kernels").glob("*.o")}

    answer = "[498, -498] [0 2]\n{} {}\n".format
    assert asked("print(kernels.allocating(4))") == answer(3, True) + "6\n"
    codes = stored()
    assert sorted(path.name.rpartition("-")[0] for path in codes) == ["kernels.quotient", "kernels.total"]
    assert asked(fresh=True) == answer(3, False)
    for number, (path, code) in enumerate(codes.items()):
        path.write_bytes(code[:-1] if number else b"")
    assert asked() == answer(3, True)  # damage is noticed, and repaired
    assert stored().keys() == codes.keys()
