"""Stored machine code of kernels, which is called without Numba."""

from __future__ import annotations

import os
import time
from pathlib import Path
from types import FunctionType

import pytest
from llvmlite import binding  # type: ignore[import-untyped]

from cubesolve.runtime import stored_code
from cubesolve.runtime.stored_code import BUNDLED_FOR
from tests.processes import ROOT, run_python

PARTS = """
from typing import NamedTuple
import numpy as np
from cubesolve.runtime.kernel_arrays import Read2
from cubesolve.runtime.kernels import part

FACTOR = 3

class Line(NamedTuple):
    weights: Read2[np.uint16]
    offset: int

@part
def weighted(number):
    return 100 * number
"""
KERNELS = """
from typing import NamedTuple
import numpy as np
from cubesolve.runtime.kernel_arrays import Array1, Read1
from cubesolve.runtime.kernels import kernel
from parts import FACTOR, Line, weighted

class Lines(NamedTuple):
    first: Line
    flags: Array1[np.uint8]

@kernel(at_start=True)
def total(lines: Lines, is_negative: bool, shift: np.uint64):
    line = lines.first
    lines.flags[1] = line.weights.shape[0]
    found = weighted(line.weights[1, 2]) + FACTOR * line.offset + np.int64(shift >> np.uint64(60))
    return -found if is_negative else found

@kernel(at_start=True)
def quotient(number: int):
    return 6 // number

@kernel(at_start=True)
def allocating(number: int):
    total, kept = -1, np.empty(1 << 20, np.uint8)
    for size in range(number):
        block = np.empty(1 << 20, np.uint8)  # a megabyte, which is freed
        for page in range(0, len(block), 4096):
            block[page] = 1
            total += block[page] * size
        kept = block[1:] if size % 2 else kept
    return total + kept[4095]

@kernel(at_start=True)
def chosen(flags: Read1[np.bool_]):
    return np.int64(flags[0]) + np.int64(flags[2])

@kernel(at_start=True)
def listing(number: int):
    found = [number]
    found.append(number)
    return len(found)
"""
ASK = """
import contextlib, sys
import numpy as np
import kernels
from kernels import Line, Lines
weights, flags = np.arange(6, dtype=np.uint16).reshape(2, 3), np.zeros(2, np.uint8)
fixed = weights.view()
fixed.flags.writeable = False
print([kernels.total(Lines(Line(each, offset=-4), flags), each is fixed, 5 << 61) for each in (weights, fixed)], flags)
print(kernels.quotient(2), "numba" in sys.modules)
for wrong in (weights[:, ::2], weights.T, weights.astype(np.int16), weights[0], weights.tolist(), None):
    with contextlib.suppress(TypeError):
        print(kernels.total(Lines(Line(wrong, offset=0), flags), False, 0))
flags.flags.writeable = False
for line, wrong in ((Line(weights, 0), flags), ((weights, 0), np.zeros(2, np.uint8)), (Line(weights, "1"), b"12")):
    with contextlib.suppress(TypeError):
        print(kernels.total(Lines(line, wrong), False, 0))
with contextlib.suppress(ZeroDivisionError, RuntimeError):
    print(kernels.quotient(0))
"""


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """Write the modules; return the environment of processes that import them, and have an empty cache."""
    (tmp_path / "parts.py").write_text(PARTS)
    (tmp_path / "kernels.py").write_text(KERNELS)
    paths, cache = f"{tmp_path}{os.pathsep}{ROOT}", str(tmp_path / "cache")
    return {"CUBESOLVE_CACHE": cache, "NUMBA_CACHE_DIR": "", "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}


def stored(cache: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in (cache / "kernels").glob("*.o")}


def test_stored_code_is_called_without_numba(tmp_path: Path, env: dict[str, str]) -> None:
    cache = tmp_path / "cache"

    def asked(code: str, expected: str, *, fresh: bool = False) -> None:
        result = run_python(ASK + code, env, fresh=fresh)
        assert (result.stdout, result.stderr) == (f"[498, -498] [0 2]\n3 {not fresh}\n{expected}", "")

    total = 256 * sum(range(1000))
    more = "print(kernels.allocating(1000), kernels.chosen(np.array([True, False, True])), 'numba' in sys.modules)\n"
    more += "about = open('/proc/self/status').read() if sys.platform == 'linux' else 'VmHWM: 0'\n"
    more += "print(int(about.partition('VmHWM:')[2].split()[0]) < 700_000)\n"  # kilobytes at the most
    listing = "try:\n    kernels.listing(4)\nexcept TypeError as error:\n    print(str(error)[:36])"
    asked(more + listing, f"{total} 2 True\nTrue\nthe kernel kernels.listing needs NRT\n")
    codes = stored(cache)
    names = ["allocating", "chosen", "quotient", "total"]  # a list needs more of Numba's runtime
    assert sorted(path.name.partition("-")[0] for path in codes) == [f"kernels.{name}" for name in names]
    asked(more, f"{total} 2 False\nTrue\n", fresh=True)
    for number, (path, code) in enumerate(codes.items()):
        path.write_bytes(code[:-1] if number else b"")
    asked("", "")  # damage is noticed, and repaired
    assert stored(cache).keys() == codes.keys()


def test_code_is_compiled_again_when_a_part_a_constant_or_a_class_changes(tmp_path: Path, env: dict[str, str]) -> None:
    def total() -> int:
        code = "import numpy as np, kernels\nweights = np.arange(6, dtype=np.uint16).reshape(2, 3)\n"
        code += "lines = kernels.Lines(kernels.Line(weights=weights, offset=-4), np.zeros(2, np.uint8))\n"
        code += "print(kernels.total(lines, False, 0))"
        return int(run_python(code, env).stdout)

    path = tmp_path / "parts.py"
    status = path.stat()
    assert total() == 500 - 12
    fields = "    weights: Read2[np.uint16]\n", "    offset: int\n"
    changes = (
        ("100", "200", 1000 - 12),
        ("FACTOR = 3", "FACTOR = 7", 1000 - 28),
        ("".join(fields), "".join(reversed(fields)), 1000 - 28),
    )
    for change, (old, new, expected) in enumerate(changes, 1):
        path.write_text(path.read_text().replace(old, new))
        os.utime(path, times=(status.st_mtime + 10 * change,) * 2)  # so that Python itself sees the change
        assert total() == expected
    assert len(stored(tmp_path / "cache")) == 4


def test_old_code_of_other_versions_is_removed(tmp_path: Path, env: dict[str, str]) -> None:
    folder = tmp_path / "cache" / "kernels"
    folder.mkdir(parents=True, mode=0o700)
    for name, days in (("quotient-0.o", 31), ("quotient-1.o", 1), ("total-0.o", 31)):
        path = folder / f"kernels.{name}"
        path.touch()
        os.utime(path, times=(time.time() - days * 86_400,) * 2)
    assert run_python("import kernels\nprint(kernels.quotient(2))", env).stdout == "3\n"
    kept = {path.name for path in folder.iterdir()}
    assert len(kept) == 3
    assert {"kernels.quotient-1.o", "kernels.total-0.o"} < kept


def test_executable_memory_that_is_denied_is_named(env: dict[str, str]) -> None:
    code = (
        "import mmap\nfrom cubesolve.errors import CubesolveError\n"
        "def denied(*_, **__):\n    raise PermissionError(13, 'Permission denied')\n"
        "mmap.mmap = denied\nimport kernels\n"
        "try:\n    kernels.quotient(2)\nexcept CubesolveError as error:\n    print(error)"
    )
    assert run_python(code, env).stdout.startswith(
        "this process may not have executable memory, which compiled code needs (Permission denied): allow it"
    )


@pytest.mark.exhaustive
def test_a_wheel_has_stored_code(tmp_path: Path, env: dict[str, str]) -> None:
    folder = tmp_path / "bundle"
    folder.mkdir()
    make = "import kernels as ours\nfrom cubesolve.runtime import kernels\nkernels.KERNELS.pop()\n"
    make += f"import sys\nsys.path.append({str(ROOT / 'scripts')!r})\nimport bundle, pathlib\n"
    make += "from cubesolve.cli import about\nabout.import_kernels = lambda: None\n"
    make += f"bundle.main(pathlib.Path({str(folder)!r}))"
    choice = {"NUMBA_CPU_NAME": BUNDLED_FOR, "NUMBA_CPU_FEATURES": "", "CUBESOLVE_CACHE": str(tmp_path / "builder")}
    made = run_python(make, {**env, **choice}, fresh=True)
    assert (made.stdout.partition(" ")[0], len([*folder.iterdir()])) == ("4", 4)
    ask = f"from cubesolve.runtime import stored_code\nstored_code.BUNDLE = {str(folder)!r}\n"
    ask += "import sys\nimport kernels\n"
    first = ask + "print(kernels.quotient.is_ready(), kernels.quotient(2), 'numba' in sys.modules)"
    first = run_python(first, env, fresh=True).stdout
    runs = stored_code._runs_bundled()
    assert first == ("True 3 False\n" if runs else "False 3 True\n")
    assert len(stored(tmp_path / "cache")) == (0 if runs else 1)
    assert run_python(ask + "kernels.quotient.load(uses_bundle=False)", env).stderr == ""
    names = {path.name.partition("-")[0] for path in stored(tmp_path / "cache")}
    assert "kernels.quotient" in names  # for this processor, which may have more instructions


def test_code_of_a_wheel_is_for_some_processors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_code, "folder", lambda: None)
    monkeypatch.setattr(stored_code, "BUNDLE", str(tmp_path))
    monkeypatch.setattr(stored_code, "_runs_bundled", lambda: True)
    key, other = stored_code.key_of(_kernel), FunctionType(_kernel.__code__, globals(), "_kernel")
    other.__annotations__ = {"number": "bool"}
    assert stored_code.stored(key) is None
    (tmp_path / f"{key}.o").write_bytes(stored_code.with_digest(b"code"))
    assert stored_code.stored(key) == b"code"
    assert stored_code.stored(key, uses_bundle=False) is None
    monkeypatch.setattr(stored_code, "folder", lambda: __file__)  # no folder, or not any more
    assert stored_code.stored(key) == b"code"
    assert stored_code.stored(stored_code.key_of(other)) is None
    monkeypatch.setattr(stored_code, "_runs_bundled", lambda: False)
    assert stored_code.stored(key) is None
    monkeypatch.setattr(stored_code, "_runs_bundled", lambda: True)
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:-1])
    assert stored_code.stored(key) is None
    monkeypatch.undo()
    features = "fma avx2 bmi bmi2 cx16 f16c lzcnt movbe popcnt sahf sse4.2 avx512f"
    for more, runs in (("xsave", True), ("xsaveopt", False)):
        has = binding.FeatureMap(dict.fromkeys([*features.split(), more], True))
        monkeypatch.setattr(binding, "get_host_cpu_features", lambda has=has: has)
        assert stored_code._runs_bundled() == runs
        has["bmi"] = False
        assert not stored_code._runs_bundled()


def test_code_is_stored_for_a_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    stored_code._machine.cache_clear()
    names = [stored_code._machine()]
    for function, value in (
        ("get_host_cpu_name", "another"),
        ("get_host_cpu_features", binding.FeatureMap({"x": True})),
    ):
        monkeypatch.setattr(binding, function, lambda value=value: value)
        stored_code._machine.cache_clear()
        names.append(stored_code._machine())
    stored_code._machine.cache_clear()
    assert len(set(names)) == len(names)


def _kernel(number: int) -> int:
    return number


def test_a_count_for_which_all_code_is_stored_loads_no_numba() -> None:
    """Numba takes longer to import than most searches, and most of the memory of a small count or proof."""
    code = "from cubesolve import puzzle\nfrom cubesolve.solvers import counts\ncounts._MANY = 0\n"
    code += "print(puzzle('ivy').distribution(count=True)[-1])\nimport sys\nprint('numba' in sys.modules)"
    assert run_python(code, {}).stdout == "110\nTrue\n"  # code is stored, unless it was
    assert run_python(code, {}, fresh=True).stdout == "110\nFalse\n"
