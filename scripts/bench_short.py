#!/usr/bin/env python3
"""Measure the two-phase search: short solutions of random 3x3x3 cubes, one cube after the other in one thread.

    python scripts/bench_short.py [--cubes N] [--seed N] [--long N]

The output is the times until a solution has at most 22, 21 and 20 moves, and the moves of the best one after 0.1 s and,
for fewer cubes, after 1 s; each mean with its standard error. Times are processor times. The solutions are applied to
the cubes.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import time
from collections.abc import Sequence

from cubesolve.catalog.rubik.cube import RubikCube, random_cube
from cubesolve.catalog.rubik.two_phase.search import TwoPhaseSearch
from cubesolve.catalog.rubik.two_phase.tables import PruningTables, make, opened

_SLICE = 20_000  # nodes between two readings of the clock


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cubes", type=int, default=1000)
    parser.add_argument("--long", type=int, default=100, help="number of cubes that are searched for 1 s")
    parser.add_argument("--seed", type=int, default=2026)
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
    for longest in (22, 21, 20):
        report(f"at most {longest} moves", [1e3 * first(tables, cube, longest) for cube in cubes], "ms")
    for seconds, number in ((0.1, len(cubes)), (1.0, arguments.long)):
        lengths = [best(tables, cube, seconds) for cube in cubes[:number]]
        report(f"after {seconds:g} s", lengths, "moves")


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
