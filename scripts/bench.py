"""Measure the figures of docs/performance.md, and compare with a small C++ program if g++ is installed.

Run it as `make bench`. Times are the best of several runs; only the ratios of one run are meaningful.
"""

from __future__ import annotations

import os
import platform
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cubesolve import catalog, lookup
from cubesolve.catalog.pocket import cube as pocket
from cubesolve.catalog.pocket.cube import PocketCube
from cubesolve.catalog.rolling.goal import unrank_pattern
from cubesolve.catalog.rolling.model import Shape
from cubesolve.catalog.rolling.tray import Tray
from cubesolve.encodings.enumeration import enumerate_depths
from cubesolve.encodings.proof import find_fault
from cubesolve.judge import judge
from cubesolve.spaces import space_of
from cubesolve.spaces.defined import DerivedRules
from cubesolve.spaces.defined_graph import DerivedGraph
from cubesolve.spaces.derived import make_ready
from cubesolve.spaces.rules import Rules
from cubesolve.spaces.variants import restricted

FACELETS = "UUUUBBRRRRFFDDDDFFLLLLBB"


def seconds(task: Callable[[], object], runs: int = 7) -> float:
    """Return the best time of several runs."""
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
    """Print the conditions of the measurement."""
    print(f"{machine_text()}\n")


def machine_text() -> str:
    """Return the machine, the versions, the commit and the day."""
    about = Path("/proc/cpuinfo")
    names = re.findall("model name.*: (.*)", about.read_text()) if about.exists() else []
    model = names[0] if names else platform.processor()
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "numba", "click"))
    where = f"{model}, {os.cpu_count()} processors, {platform.system()}"
    return f"{where}\nPython {platform.python_version()}, {packages}\n{commit()}, {datetime.now(UTC):%Y-%m-%d}"


def commit() -> str:
    """Return the commit that is measured, with a + if files were changed since; without git, the version."""
    root = Path(__file__).parents[1]
    describe = ["git", "describe", "--always", "--exclude=*", "--dirty=+"]
    try:
        return "commit " + subprocess.run(describe, cwd=root, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return f"cubesolve {version('cubesolve')}"


def compiled(source: str, folder: str) -> str | None:
    """Return the path of a C++ program; None without a compiler."""
    compiler = shutil.which("g++")
    if compiler is None:
        return None
    program = str(Path(folder) / "program")
    subprocess.run([compiler, "-O3", "-march=native", "-o", program, Path(__file__).with_name(source)], check=True)
    return program


def cpp_seconds(source: str, distribution: tuple[int, ...], *arguments: str) -> float | None:
    """Return the time of a C++ program, which must find the same distribution; None without a compiler."""
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(source, folder)
        if program is None:
            return None
        output = subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout.split()
    if tuple(map(int, output[1:])) != distribution:
        raise SystemExit(f"{source} counts other states")
    return float(output[0])


def cpp_batches(ranks: NDArray[np.int64], facelets: NDArray[np.uint8]) -> dict[str, float]:
    """Return the times of plain C++ loops, which must find the same; empty without a compiler."""
    with tempfile.TemporaryDirectory() as folder:
        program = compiled("batch.cpp", folder)
        if program is None:
            return {}
        permutations, twists = pocket.neighbour_rows("htm")
        for name, data in (
            ("body", lookup.table("pocket-htm").as_array()),
            ("permutation", np.array(permutations, np.int32) // pocket.TWISTS),
            ("twist", np.array(twists, np.int32)),
            ("ranks", ranks),
            ("facelets", facelets),
        ):
            data.tofile(Path(folder) / name)
        lines = subprocess.run([program, folder], capture_output=True, text=True, check=True).stdout.splitlines()
        for name, ours in (
            ("depths", lookup.depths(ranks)),
            ("facelet_depths", lookup.depths(facelets)),
            ("moves", lookup.solve_batch(ranks).moves),
        ):
            if not np.array_equal(np.fromfile(Path(folder) / name, np.uint8), ours.reshape(-1)):
                raise SystemExit(f"batch.cpp finds other {name}")
    return {name: float(time) for name, time in map(str.split, lines)}


def batches() -> None:
    """Measure many states at once, with compiled kernels."""
    ranks = lookup.sample(4_000_000, rng=1).astype(np.int64)
    facelets = lookup.facelets(ranks[:1_000_000], colours=range(6))
    print("\nPocket cubes, arrays of random states: 4,000,000 ranks, 1,000,000 cubes as facelets, kernels warm")
    reference = cpp_batches(ranks, facelets)
    asks: list[tuple[str, str, int, Callable[[int], object]]] = [
        ("depth by rank", "depths", len(ranks), lambda workers: lookup.depths(ranks, workers=workers)),
        ("depth from facelets", "facelets", len(facelets), lambda workers: lookup.depths(facelets, workers=workers)),
        ("one shortest solution", "solve", len(ranks), lambda workers: lookup.solve_batch(ranks, workers=workers)),
        ("all optimal moves", "", len(ranks), lambda workers: lookup.optimal_moves_batch(ranks, workers=workers)),
        ("rank from facelets", "", len(facelets), lambda workers: lookup.ranks(facelets, workers=workers)),
        ("facelets from ranks", "", len(facelets), lambda workers: lookup.facelets(ranks[:1_000_000], workers=workers)),
    ]
    for what, name, number, ask in asks:
        alone = seconds(lambda: ask(1), 5)  # noqa: B023
        together = seconds(lambda: ask(2), 5)  # noqa: B023
        ratio = f"{alone / reference[name]:.2f} of C++; " if name in reference else ""
        rate = number / alone / 1e6
        figure = f"{alone / number * 1e6:.3f} us" if name == "solve" else f"{rate:,.0f} M/s"
        row(f"{what}, 1 thread", figure, f"{ratio}2 threads {alone / together:.2f} x as fast")
    for what, whole in (
        ("symmetry classes, 2 threads", lambda: lookup.symmetry_classes("pocket")),
        ("transition table, 2 threads", lambda: lookup.transition_table("pocket")),
    ):
        row(what, f"{seconds(whole, 3):.2f} s")
    code = "import numpy as np; from cubesolve import lookup; lookup.{}(np.arange({}))"
    for what, name, number in (
        ("", "depths", 1_000),
        ("", "solve_batch", 1_000),
        (" with kernels", "solve_batch", 10**6),
    ):
        command = [sys.executable, "-c", code.format(name, number)]
        started = seconds(lambda: subprocess.run(command, check=True), 5)  # noqa: B023
        row(f"whole process: {name} of {number:,}{what}", f"{started:.2f} s")


def enumeration(name: str, source: str, *arguments: str) -> None:
    """Measure one whole space, with compiled kernels."""
    rules, entry = catalog.entry_named(name)
    graph = rules.graph_of(entry)
    print(f"Enumerating {name}, {entry.header.entries:,} states, kernels warm")
    reference = cpp_seconds(source, entry.header.distribution, *arguments)
    if reference is not None:
        row("C++, queue breadth-first search, -O3", f"{reference * 1e3:.1f} ms", "1.00")
    space = space_of(graph)
    row("cubesolve, the arrays of the space", f"{seconds(lambda: space_of.__wrapped__(graph)) * 1e3:.1f} ms")
    for workers in (1, 2):
        enumerate_depths(space, graph.starts, workers=workers)
        best = seconds(lambda: enumerate_depths(space, graph.starts, workers=workers))  # noqa: B023
        ratio = f"{best / reference:.2f} of C++" if reference else ""
        row(f"cubesolve, {workers} thread{'s' * (workers > 1)}", f"{best * 1e3:.1f} ms", ratio)
    depths = enumerate_depths(space, graph.starts)
    proof = seconds(lambda: find_fault(space, depths, graph.starts, workers=1))
    row("proving the result right, 1 thread", f"{proof * 1e3:.1f} ms")
    print()


def derived_puzzles() -> None:
    """Measure puzzles that are given by their moves."""
    print("Puzzles that are only defined: their spaces are derived from their moves, kernels warm")
    for name in ("skewb", "pyraminx", "tiles-3x3"):
        rules = catalog.rules_named(name)
        graph = prepared(rules)
        space = space_of(graph)
        deriving = seconds(lambda: space_of(prepared(rules)))  # noqa: B023
        enumerating = seconds(lambda: enumerate_depths(space, graph.starts))  # noqa: B023
        parts = f"deriving {deriving * 1e3:.1f} ms, enumerating {enumerating * 1e3:.1f} ms"
        row(f"{name}, {graph.states:,} states", f"{(deriving + enumerating) * 1e3:.1f} ms", parts)
    pocket_rules = catalog.rules_named("pocket")
    derived = prepared(restricted(pocket_rules, "U R F"))
    _, entry = catalog.entry_named("pocket-htm")
    graphs = (pocket_rules.graph_of(entry), derived)
    by_hand, found = (seconds(lambda: enumerate_depths(space_of(graph), graph.starts)) for graph in graphs)  # noqa: B023
    row("the pocket cube's space, derived, enumerated", f"{found * 1e3:.1f} ms", f"{found / by_hand:.2f} of by hand")
    for name in ("skewb", "pyraminx", "tiles-3x3"):
        puzzle, rng = lookup.puzzle(name), random.Random(3)
        new = iter([[str(puzzle.random_state(rng)) for _ in range(300)] for _ in range(7)])
        best = seconds(lambda: [puzzle.depth(state) for state in next(new)], 7)  # noqa: B023
        row(f"{name}, depth of a state given as text", f"{best / 300 * 1e6:.1f} us")
    print()


def prepared(rules: Rules) -> DerivedGraph:
    """Return the states of a puzzle, derived anew."""
    assert isinstance(rules, DerivedRules)
    graph = DerivedGraph(rules, "htm")
    make_ready(graph)
    return graph


def tray_questions() -> None:
    """Measure rolling cubes, one question at a time."""
    rng = random.Random(2)
    shape = Shape(3, 3)
    patterns = [unrank_pattern(rng.randrange(9 * 3**8), shape) for _ in range(300)]
    starts = [(rng.randint(1, 3), rng.randint(1, 3)) for _ in patterns]
    print("\nRolling cubes, one question at a time: mean over 300 random patterns from random uniform starts")
    asks: list[tuple[str, Callable[[tuple[int, int], str], object]]] = [
        ("depth", lookup.depth),
        ("one shortest solution", lookup.solve),
        ("how many shortest solutions", lookup.count_solutions),
    ]
    for what, ask in asks:
        best = seconds(lambda: [ask(*pair) for pair in zip(starts, patterns, strict=True)], 3)  # noqa: B023
        row(what, f"{best / len(patterns) * 1e6:.0f} us")
    cases = "".join(
        f"{x} {y}\n" + pattern.replace("/", "\n") + "\n" for (x, y), pattern in zip(starts, patterns, strict=True)
    )
    row("300 cases of poj-3131, reading and all", f"{seconds(lambda: list(judge('poj-3131', cases))) * 1e3:.1f} ms")
    axis = Tray.start((2, 2))
    for _ in range(200):
        axis = rng.choice(list(axis.rolls()))[1]
    row("depth from any start, by searching", f"{seconds(lambda: lookup.depth(axis, 'BRB/BEB/BRB'), 5) * 1e3:.0f} ms")
    face = Tray.start((2, 2), model="face").roll("L")
    row("the same with one marked face", f"{seconds(lambda: lookup.depth(face, 'DDD/D.D/DDD'), 5) * 1e3:.0f} ms")


def questions() -> None:
    """Measure one state at a time, in Python."""
    rng = random.Random(1)
    states = [str(lookup.random_state(rng)) for _ in range(300)]
    print("Pocket cubes, one state at a time: mean over 300 random states, given as facelets")
    asks: list[tuple[str, Callable[[str], object]]] = [
        ("depth", lookup.depth),
        ("one shortest solution", lookup.solve),
        ("all shortest solutions, half turns", lambda state: list(lookup.solutions(state))),
        ("all shortest solutions, quarter turns", lambda state: list(lookup.solutions(state, metric="qtm"))),
        ("how many shortest solutions", lookup.count_solutions),
        ("PocketCube and its rank", lambda state: PocketCube(state).rank),
    ]
    for what, ask in asks:
        best = seconds(lambda: [ask(state) for state in states])  # noqa: B023
        row(what, f"{best / len(states) * 1e6:.1f} us")
    row("a scramble", f"{seconds(lambda: [lookup.scramble(rng) for _ in range(100)]) * 1e4:.1f} us")


def starting() -> None:
    """Measure whole processes."""
    command = shutil.which("cubesolve", path=str(Path(sys.executable).parent)) or "cubesolve"
    python = [sys.executable, "-c"]
    processes = {
        'python -c "import click"': [*python, "import click"],
        "cubesolve.lookup, and one answer": [*python, f"from cubesolve import lookup; lookup.depth({FACELETS!r})"],
        "cubesolve depth FACELETS": [command, "depth", FACELETS],
    }
    times: dict[str, list[float]] = {name: [] for name in processes}
    for _ in range(20):  # by turns, under equal conditions
        for name, arguments in processes.items():
            times[name].append(seconds(lambda: subprocess.run(arguments, check=True, capture_output=True), 1))  # noqa: B023
    print("\nStarting: median of 20 processes")
    bare = next(iter(times.values()))
    for name, each in times.items():
        ratio = statistics.median(a / b for a, b in zip(each, bare, strict=True))
        row(name, f"{statistics.median(each) * 1e3:.0f} ms", f"{ratio:.2f}")


def building() -> None:
    """Measure `cubesolve tables build`, with and without compiled kernels."""
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
    enumeration("pocket-htm", "bfs.cpp")
    for number, kind in enumerate(("corner", "edge", "centre")):
        enumeration(f"rolling-{kind}", "rolling.cpp", "axis", "014"[number])
    enumeration("rolling-face-centre", "rolling.cpp", "face", "4")
    derived_puzzles()
    questions()
    batches()
    tray_questions()
    starting()
    building()
