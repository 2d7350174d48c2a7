#!/usr/bin/env python3
"""How short the solutions of random 3x3x3 are that `solve(..., within=)` finds at once, without a pattern database.

    python scripts/bench_short.py [--states N] [--seed N]

For each of so many random cubes solutions are improved for two seconds. Printed are the moves, with their standard
error, of the best after some times.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import time

from cubesolve.catalog import rules_named
from cubesolve.catalog.rubik.cube import random_cube
from cubesolve.catalog.rubik.rules import RubikRules
from cubesolve.catalog.rubik.two_phase import TwoPhases
from cubesolve.deadline import Deadline
from cubesolve.store.tables import Tables

TIMES = (0.5, 1.0, 2.0)


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--states", type=int, default=200)
    parser.add_argument("--seed", type=int, default=2026)
    arguments = parser.parse_args()
    rules = rules_named("rubik")
    assert isinstance(rules, RubikRules)
    began = time.perf_counter()
    phases = TwoPhases(rules, Tables(None))
    print(f"tables are there after {time.perf_counter() - began:.1f} s")
    source = random.Random(arguments.seed)
    firsts, found = list[float](), list[list[tuple[float, int]]]()
    for _ in range(arguments.states):
        cube, deadline = random_cube(source), Deadline(TIMES[-1])
        found.append([(deadline.elapsed, len(alg)) for alg in phases.solutions(cube, deadline)])
        firsts.append(found[-1][0][0])
    print(f"the first: after {statistics.mean(firsts):.2f} s, {max(firsts):.2f} s at most; ", end="")
    report([each[0][1] for each in found])
    for seconds in TIMES:
        best = [min((moves for after, moves in each if after <= seconds), default=None) for each in found]
        print(f"after {seconds:g} s, {best.count(None)} without any: ", end="")
        report([moves for moves in best if moves is not None])


def report(moves: list[int]) -> None:
    """Print a mean, its standard error, and the largest."""
    error = statistics.stdev(moves) / math.sqrt(len(moves))
    print(f"{statistics.mean(moves):.2f} +- {error:.2f} moves, {max(moves)} at most")


if __name__ == "__main__":
    main()
