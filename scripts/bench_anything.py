#!/usr/bin/env python3
"""Solve a random state of each of some puzzles in files: the first solution, and the shortest after some time.

    python scripts/bench_anything.py FILE... [--seconds N] [--patience N] [--seed N]

Each puzzle is solved in a new process. Times are processor times, and include its start, reading the file, and all
preparation except compiling kernels, which the first process does. Solutions are applied. A table is printed, in
Markdown.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

CHILD = """
import json, sys, time
import cubesolve
from cubesolve.errors import CubesolveError, SearchLimitError
file, seconds, patience, seed = json.load(sys.stdin)
found = []
try:
    puzzle = cubesolve.puzzle(file)
    state = puzzle.random_state(seed)
    for alg in puzzle.improvements(state, within=0, timeout=patience):
        assert state.apply(alg).is_solved
        found.append([alg.length, alg.at_least, time.process_time()])
        print(json.dumps(found[-1]), flush=True)
        if found[-1][2] > seconds:
            break
except (CubesolveError, ValueError) as error:
    if not found:
        print(json.dumps(str(error)), flush=True)
"""


def solved(file: str, options: argparse.Namespace) -> list[Any]:
    """Return the lengths, lower bounds and times of the solutions of a random state; or an error."""
    given = json.dumps([file, options.seconds, max(options.seconds, options.patience), options.seed])
    command = [sys.executable, "-c", CHILD]
    limit = max(options.seconds, options.patience) + 30
    try:
        out = subprocess.run(command, input=given, capture_output=True, text=True, timeout=limit, check=True).stdout
    except subprocess.TimeoutExpired as late:
        out = late.stdout.decode() if isinstance(late.stdout, bytes) else late.stdout or ""
    return [json.loads(line) for line in out.splitlines()]


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--seconds", type=float, default=0, help="processor time to shorten the first solution")
    parser.add_argument("--patience", type=float, default=300, help="time limit of a puzzle, not of the processor")
    parser.add_argument("--seed", type=int, default=2026)
    options = parser.parse_args()
    solved(options.files[0], options)  # compiles the kernels
    print("| puzzle | first solution | after | shortest | after | at least |\n|---|--:|--:|--:|--:|--:|")
    for file in options.files:
        found = solved(file, options)
        name = Path(file).stem
        if found and isinstance(found[0], list):
            first, last = found[0], found[-1]
            row = f"{first[0]} | {first[2]:.1f} s | {last[0]} | {last[2]:.1f} s | {last[1]}"
        else:
            row = f"{found[0] if found else 'none in time'} | | | |"
        print(f"| {name} | {row} |", flush=True)


if __name__ == "__main__":
    main()
