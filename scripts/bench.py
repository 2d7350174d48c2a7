"""Measure what docs/performance.md quotes, and compare with a small C++ program where g++ is there.

Run it as `make bench`. Times are the best of several runs; what matters are the ratios of one run.
"""

from __future__ import annotations

import os
import platform
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from cubesolve import generate, lookup
from cubesolve.catalog import CATALOG
from cubesolve.notation import metric_moves
from cubesolve.pocket import PocketCube
from cubesolve.space import pocket_space

FACELETS = "UUUUBBRRRRFFDDDDFFLLLLBB"


def seconds(task: Callable[[], object], runs: int = 7) -> float:
    """The best time of several runs."""
    best = float("inf")
    for _ in range(runs):
        started = time.perf_counter()
        task()
        best = min(best, time.perf_counter() - started)
    return best


def row(what: str, figure: str, against: str = "") -> None:
    """Print one line of the report."""
    print(f"  {what:<58} {figure:>12}  {against}")


def machine() -> None:
    """Print what the figures were measured on."""
    model = platform.processor()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line.split(":", 1)[1].strip() for line in cpuinfo.read_text().splitlines() if "model name" in line]
        model = names[0] if names else model
    print(f"{model}, {os.cpu_count()} processors, {platform.system()}")
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "numba", "zstandard", "click"))
    print(f"Python {platform.python_version()}, {packages}\n")


def cpp_enumeration() -> float | None:
    """The time of the C++ program; None without a compiler."""
    compiler = shutil.which("g++")
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "bfs"
        source = Path(__file__).with_name("bfs.cpp")
        subprocess.run([compiler, "-O3", "-march=native", "-o", program, source], check=True)
        output = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
    if tuple(map(int, output[1:])) != CATALOG["pocket-htm"].header.distribution:
        raise SystemExit("the C++ program counts other states")
    return float(output[0])


def enumeration() -> None:
    """The whole space, kernels warm."""
    space = pocket_space(metric_moves("htm", "URF"))
    reference = cpp_enumeration()
    print("Enumerating 3,674,160 states (half turns), kernels warm")
    if reference is not None:
        row("C++, queue breadth-first search, -O3", f"{reference * 1e3:.1f} ms", "1.00")
    for workers in (1, 2):
        generate.enumerate_depths(space, workers=workers)
        best = seconds(lambda: generate.enumerate_depths(space, workers=workers))  # noqa: B023
        ratio = f"{best / reference:.2f} of C++" if reference else ""
        row(f"cubesolve, {workers} thread{'s' * (workers > 1)}", f"{best * 1e3:.1f} ms", ratio)
    depths = generate.enumerate_depths(space)
    row(
        "proving the result right, 1 thread",
        f"{seconds(lambda: generate.find_fault(space, depths, workers=1)) * 1e3:.1f} ms",
    )


def questions() -> None:
    """One state at a time, in Python."""
    rng = random.Random(1)
    states = [str(lookup.random_state(rng)) for _ in range(300)]
    print("\nOne state at a time: mean over 300 random states, given as facelets")
    asks: list[tuple[str, Callable[[str], object]]] = [
        ("depth", lookup.depth),
        ("one shortest solution", lookup.solve),
        ("all shortest solutions, half turns", lambda state: list(lookup.solutions(state))),
        ("all shortest solutions, quarter turns", lambda state: list(lookup.solutions(state, "qtm"))),
        ("how many shortest solutions", lookup.count_solutions),
        ("PocketCube and its rank", lambda state: PocketCube(state).rank),
    ]
    for what, ask in asks:
        best = seconds(lambda: [ask(state) for state in states])  # noqa: B023
        row(what, f"{best / len(states) * 1e6:.1f} us")
    row("a scramble", f"{seconds(lambda: [lookup.scramble(rng) for _ in range(100)]) * 1e4:.1f} us")


def starting() -> None:
    """Whole processes."""
    command = shutil.which("cubesolve", path=str(Path(sys.executable).parent)) or "cubesolve"
    bare = [sys.executable, "-c", "import click, zstandard"]
    depth = [command, "depth", FACELETS]
    times: dict[str, list[float]] = {"bare": [], "depth": []}
    for _ in range(20):  # in turns, so that both see the same machine
        for name, arguments in (("bare", bare), ("depth", depth)):
            times[name].append(seconds(lambda: subprocess.run(arguments, check=True, capture_output=True), 1))  # noqa: B023
    medians = {name: sorted(each)[len(each) // 2] for name, each in times.items()}
    print("\nStarting: median of 20 processes")
    row('python -c "import click, zstandard"', f"{medians['bare'] * 1e3:.0f} ms", "1.00")
    ratio = sorted(a / b for a, b in zip(times["depth"], times["bare"], strict=True))[10]
    row("cubesolve depth FACELETS", f"{medians['depth'] * 1e3:.0f} ms", f"{ratio:.2f}")


def building() -> None:
    """`cubesolve tables build`, with and without compiled kernels."""
    command = [sys.executable, "-m", "cubesolve", "tables", "build"]
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "CUBESOLVE_TABLES": folder, "NUMBA_CACHE_DIR": folder}
        cold = seconds(lambda: subprocess.run(command, env=env, check=True, capture_output=True), 1)
        warm = seconds(lambda: subprocess.run(command, env=env, check=True, capture_output=True), 3)
    print("\nBuilding every default table: whole process")
    row("kernels to be compiled", f"{cold:.1f} s")
    row("kernels in the cache", f"{warm:.1f} s")


if __name__ == "__main__":
    machine()
    enumeration()
    questions()
    starting()
    building()
