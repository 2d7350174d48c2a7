#!/usr/bin/env python3
"""Measure the two-phase search: short solutions of random 3x3x3 cubes, one cube after the other in one thread.

    python scripts/bench_short.py [--cubes N] [--seed N] [--long N] [--rounds N]
                                  [--min2phase FOLDER] [--kociemba PYTHON]

The output is the times until a solution has at most 22, 21 and 20 moves, and the moves of the best one after 0.1 s and,
for fewer cubes, after 1 s; each mean with its standard error. Times are processor times. The solutions are applied to
the cubes.

With the sources of min2phase (github.com/cs0x7f/min2phase) in a folder, and where kociemba (PyPI) is installed, both
solve the same cubes by turns with this search.
"""

from __future__ import annotations

import argparse
import importlib.util
import math
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from cubesolve.catalog.rubik.cube import RubikCube, random_cube
from cubesolve.catalog.rubik.two_phase.search import TwoPhaseSearch
from cubesolve.catalog.rubik.two_phase.tables import PruningTables, make, opened

_SLICE = 20_000  # nodes between two readings of the clock
_KOCIEMBA = """
import sys, time, kociemba
for cube in sys.stdin.read().split():
    began = time.process_time()
    alg = kociemba.solve(cube)
    print((time.process_time() - began) * 1e6, alg)
"""


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cubes", type=int, default=1000)
    parser.add_argument("--long", type=int, default=100, help="number of cubes that are searched for 1 s")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--rounds", type=int, default=2, help="number of turns that each program has")
    parser.add_argument("--min2phase", metavar="FOLDER", help="the sources of min2phase")
    parser.add_argument(
        "--kociemba",
        metavar="PYTHON",
        default=sys.executable if importlib.util.find_spec("kociemba") else None,
        help="the Python in which kociemba is installed",
    )
    arguments = parser.parse_args()
    make()  # compiles
    began = time.thread_time()
    body = make()
    print(f"tables of {len(body):,} bytes are made in {time.thread_time() - began:.1f} s of processor time")
    began = time.perf_counter()
    tables = opened(body)
    print(f"and opened in {time.perf_counter() - began:.3f} s")
    source = random.Random(arguments.seed)
    cubes = [random_cube(source) for _ in range(arguments.cubes)]
    TwoPhaseSearch(tables, cubes[0].cubies, 21).improve()
    compare(tables, cubes, arguments)


def compare(tables: PruningTables, cubes: Sequence[RubikCube], arguments: argparse.Namespace) -> None:
    """Print the times of all programs by turns."""
    with tempfile.TemporaryDirectory() as classes:
        if arguments.min2phase:
            sources = [
                *Path(arguments.min2phase, "src").glob("*.java"),
                Path(__file__).with_name("bench_min2phase.java"),
            ]
            subprocess.run(["javac", "-d", classes, *sources], check=True)
        java = ["java", "-XX:+UseSerialGC", "-cp", classes, "Bench"]
        for _ in range(arguments.rounds):
            for longest in (22, 21, 20):
                times = [1e3 * first(tables, cube, longest) for cube in cubes]
                report(f"at most {longest} moves", times, "ms")
                if arguments.min2phase:
                    report_other(f"at most {longest} moves by min2phase", [*java, str(longest)], cubes)
            if arguments.kociemba:
                report_other("by kociemba", [arguments.kociemba, "-c", _KOCIEMBA], cubes)
        for seconds, number in ((0.1, len(cubes)), (1.0, arguments.long)):
            lengths = [best(tables, cube, seconds) for cube in cubes[:number]]
            report(f"after {seconds:g} s", lengths, "moves")
            if arguments.min2phase:
                report_other(f"after {seconds:g} s by min2phase", [*java, "30", str(seconds)], cubes[:number])


def report_other(name: str, command: Sequence[str], cubes: Sequence[RubikCube]) -> None:
    """Print the times and the lengths of the solutions of another program, which are applied to the cubes."""
    given = "\n".join(cube.facelets for cube in cubes)
    lines = subprocess.run(command, input=given, capture_output=True, text=True, check=True).stdout.splitlines()
    answers = [line.split(maxsplit=1) for line in lines]
    assert all(cube.apply(alg).is_solved for cube, (_, alg) in zip(cubes, answers, strict=True))
    report(name, [float(microseconds) / 1e3 for microseconds, _ in answers], "ms")
    report(name, [len(alg.split()) for _, alg in answers], "moves")


def first(tables: PruningTables, cube: RubikCube, longest: int) -> float:
    """Return the seconds until there is a solution of at most a number of moves, from the cube to the alg."""
    began = time.thread_time()
    alg = TwoPhaseSearch(tables, cube.cubies, longest).improve()
    elapsed = time.thread_time() - began
    assert alg is not None
    assert len(alg) <= longest
    assert cube.apply(alg).is_solved
    return elapsed


def best(tables: PruningTables, cube: RubikCube, seconds: float) -> int:
    """Return the number of moves of the best solution after some seconds."""
    began = time.thread_time()
    search, length = TwoPhaseSearch(tables, cube.cubies, 30), 0
    while time.thread_time() - began < seconds and not search.is_exhausted:
        alg = search.improve(search.nodes + _SLICE)
        length = length if alg is None else len(alg)
    return length


def report(name: str, values: Sequence[float], unit: str) -> None:
    """Print a mean, its standard error, and the largest."""
    error = statistics.stdev(values) / math.sqrt(len(values))
    print(
        f"{name}: {statistics.mean(values):.2f} +- {error:.2f} {unit}, {max(values):.1f} at most ({len(values)} cubes)"
    )


if __name__ == "__main__":
    main()
