#!/usr/bin/env python3
"""Count canonical sequences for relations of up to one, two, three and four moves.

    python scripts/bench_canonical.py SAMPLES

SAMPLES is the folder `samples/main` of twsearch; puzzles, moves and lengths are those of scripts/bench_twsearch.py.
Printed are the number of algs that contain no alg with a shorter or earlier equivalent of so many moves, divided by
that for two moves, and the processor time of finding these relations.
"""

from __future__ import annotations

import argparse
import itertools
import time
from pathlib import Path

import cubesolve
from cubesolve.group import canonical
from cubesolve.solvers.derived import DerivedSolver

ROWS = [("3x3x3", "R U F", 17), ("3x3x3", "R U L", 19), ("FTO", "", 11), ("kilominx", "", 10), ("master_skewb", "", 11)]
LENGTHS = 1, 2, 3, 4
MOST = 150_000
"""The largest number of algs that are compared."""


def main() -> None:
    """Count, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("samples", type=Path)
    options = parser.parse_args()
    canonical._MOST_ALGS = MOST
    print(f"| puzzle | {' | '.join(f'{length} moves' for length in LENGTHS)} |")
    print("|---|" + "--:|" * len(LENGTHS))
    for file, allowed, length in ROWS:
        puzzle = cubesolve.puzzle(str(options.samples / f"{file}.tws"))
        solver = (puzzle.restrict(allowed) if allowed else puzzle).solver
        assert isinstance(solver, DerivedSolver)
        reduction = solver.rules.graph().reduction
        found: dict[int, tuple[int, float]] = {}
        for longest in LENGTHS:
            if len(reduction.moves) ** longest > MOST:
                break
            canonical._LONGEST = longest
            began = time.process_time()
            automaton = canonical.canonical.__wrapped__(tuple(reduction.moves), reduction.solved[0])
            seconds = time.process_time() - began
            *_, (_, number) = itertools.islice(canonical.beginnings(automaton.following), length)
            found[longest] = number, seconds
        cells = (f"{number / found[2][0]:,.4f}, {seconds:.3f} s" for number, seconds in found.values())
        print(f"| {file} {allowed}, {length} moves | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
