#!/usr/bin/env python3
"""Solve random states of each of some puzzles in files: the first solution, and the shortest after some time.

    python scripts/bench_anything.py FILE... [--states N] [--seconds N] [--patience N] [--memory MIB] [--metric NAME]
        [--seed N] [--keep FILE]

Each puzzle is solved in a new process. Times are processor times, and include its start, reading the file, and all
preparation except compiling kernels, which the first process does. Solutions are applied. A table is printed, in
Markdown; for several states, with their means, standard errors and maxima. With `--keep`, results are kept in a file,
and puzzles that it has are not solved again.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

_COMPILING = 120  # seconds of the processor more, for all kernels

CHILD = """
import json, resource, sys, time
import cubesolve
from cubesolve.errors import CubesolveError, SearchLimitError
file, seconds, patience, memory, seed, metric = json.load(sys.stdin)
resource.setrlimit(resource.RLIMIT_DATA, (memory << 20, memory << 20))
resource.setrlimit(resource.RLIMIT_CPU, (patience, patience))  # which kills the process
found = []
try:
    puzzle = cubesolve.puzzle(file)
    state = puzzle.random_state(seed)
    # Without a time limit, it ends after some rounds; the limit of processor time comes first.
    for alg in puzzle.improvements(state, within=0, metric=metric, timeout=86_400):
        assert state.apply(alg).is_solved
        found.append([alg.length, alg.at_least, time.process_time()])
        print(json.dumps(found[-1]), flush=True)
        if found[-1][2] > seconds:
            break
except (CubesolveError, ValueError, MemoryError) as error:
    if not found:
        print(json.dumps(str(error) or type(error).__name__), flush=True)
"""


def solved(file: str, options: argparse.Namespace, number: int = 0, more: int = 0) -> list[Any]:
    """Return the lengths, lower bounds and times of the solutions of a random state; or an error."""
    seed, patience = options.seed + number, options.patience + more
    given = json.dumps([file, options.seconds, patience, options.memory, seed, options.metric])
    command = [sys.executable, "-c", CHILD]
    process = subprocess.run(command, check=False, input=given, stdout=subprocess.PIPE, text=True)
    return [json.loads(line) for line in process.stdout.splitlines()]  # those before it was killed, too


def kept_in(file: Path | None) -> dict[str, list[Any]]:
    """Return the results in a file, by puzzle."""
    lines = file.read_text().splitlines() if file and file.exists() else []
    return {kept["file"]: kept["found"] for kept in map(json.loads, lines)}


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--states", type=int, default=1, help="how many states of each, with the seeds from --seed on")
    parser.add_argument("--seconds", type=float, default=0, help="processor time to shorten the first solution")
    parser.add_argument("--patience", type=int, default=300, help="limit of a puzzle, in seconds of the processor")
    parser.add_argument("--memory", type=int, default=2048, help="limit of the data of a process, in MiB")
    parser.add_argument("--metric", help="htm, qtm: how moves are counted")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--keep", type=Path, help="a file of results, of a JSON object a line; it is appended to")
    options = parser.parse_args()
    solved(options.files[0], options, more=_COMPILING)
    print("| puzzle | first solution | after | shortest | after | at least |\n|---|--:|--:|--:|--:|--:|")
    kept = kept_in(options.keep)
    for file in options.files:
        name, states = Path(file).stem, [kept[file]] if file in kept else []
        for number in range(len(states), options.states):
            states.append(solved(file, options, number))
            if options.keep and not number:
                with options.keep.open("a") as results:
                    results.write(json.dumps({"file": file, "found": states[0]}) + "\n")
        for found in states:
            if found and isinstance(found[0], list):
                first, last = found[0], found[-1]
                row = f"{first[0]} | {first[2]:.1f} s | {last[0]} | {last[2]:.1f} s | {last[1]}"
            else:
                row = f"{found[0] if found else 'none in time'} | | | |"
            print(f"| {name} | {row} |", flush=True)
        ends = [(found[0], found[-1]) for found in states if found and isinstance(found[0], list)]
        if len(ends) > 1:
            firsts, lasts = ([each[which] for each in ends] for which in (0, 1))
            row = f"{_mean(firsts)} | {max(each[2] for each in firsts):.1f} s at most | {_mean(lasts)} | |"
            print(f"| {name}, {len(ends)} states | {row} |")


def _mean(found: list[list[float]]) -> str:
    """Return the mean of lengths, its standard error, and the largest."""
    lengths = [length for length, *_ in found]
    error = statistics.stdev(lengths) / len(lengths) ** 0.5
    return f"{statistics.mean(lengths):.1f} +- {error:.1f}, at most {max(lengths)}"


if __name__ == "__main__":
    main()
