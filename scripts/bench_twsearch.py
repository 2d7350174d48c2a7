#!/usr/bin/env python3
"""Measure searches without tables beside twsearch: the same puzzles, scrambles, threads and memory, by turns.

    python scripts/bench_twsearch.py TWSEARCH SAMPLES [--rows TEXT] [--rounds N] [--threads N] [--memory MIB]

TWSEARCH is the program (https://github.com/cubing/twsearch, `make build/bin/twsearch`), SAMPLES its folder
`samples/main`. Both solve the scrambles of a row in a new process, which includes the start of Python; of ours,
compiled kernels and Python's bytecode are kept, and nothing else. The first of our processes has neither. *Warm* is the
processor time to solve the same scrambles again in the same process: the difference between solving them twice and
once.

Printed are the least seconds of all rounds (elapsed, and of processors), the states looked at, and the resident memory.
All solutions are applied, and must have the same lengths.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import cubesolve
from cubesolve.ask import Puzzle


class Row(NamedTuple):
    """Scrambles of a puzzle.

    Attributes:
        file: the name of its file, without the ending.
        length: the number of random moves of each.
        moves: those that are allowed; all, if nothing is said.
    """

    file: str
    length: int
    moves: str = ""

    @property
    def name(self) -> str:
        """How it is printed."""
        return f"{self.file} <{self.moves}>, {self.length} moves" if self.moves else f"{self.file}, {self.length} moves"


ROWS = [
    Row("kilominx", 9),
    Row("megaminx", 6),
    Row("4x4x4", 6),
    Row("FTO", 8),
    Row("master_skewb", 9),
    Row("FTO", 11),
    Row("kilominx", 10),
    Row("master_skewb", 11),
    Row("helicopter", 8),
    Row("curvy_copter", 6),
    Row("pyraminx_crystal", 7),
    Row("5x5x5", 6),
    Row("icosamate", 7),
    Row("3x3x3", 30, "R U F"),
    Row("3x3x3", 30, "R U L"),
]
SCRAMBLES = 5


class Run(NamedTuple):
    """What a process took."""

    elapsed: float
    processor: float
    resident: int
    nodes: int
    algs: list[str]


CHILD = """
import json, sys
import cubesolve
file, moves, threads, memory, algs = json.load(sys.stdin)
puzzle = cubesolve.puzzle(file)
puzzle = puzzle.restrict(moves) if moves else puzzle
definition = puzzle.rules.definition
for alg in algs:
    nodes = [0]
    place = definition.apply(definition.solved[0], definition.parse(alg))
    found = puzzle.solve(
        puzzle.rules.labelling.state(place), workers=threads, memory=memory, progress=lambda _, n, __: nodes.append(n)
    )
    print(json.dumps([nodes[-1], found]), flush=True)
"""


def run(command: list[str], given: str, env: dict[str, str]) -> tuple[Run, str]:
    """Run a process to its end."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as into:
        into.write(given)
        into.seek(0)
        began = time.perf_counter()
        process = subprocess.Popen(command, stdin=into, stdout=out, stderr=subprocess.DEVNULL, env=env)
        _, status, used = os.wait4(process.pid, 0)
        elapsed = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        if process.returncode:
            raise SystemExit(f"{command[0]} ended with {process.returncode}:\n{out.read()}")
        return Run(elapsed, used.ru_utime + used.ru_stime, used.ru_maxrss >> 10, 0, []), out.read()


def ours(row: Row, algs: list[str], options: argparse.Namespace, env: dict[str, str]) -> Run:
    """Solve scrambles in a new process."""
    file = str(Path(options.samples, f"{row.file}.tws"))
    asked = json.dumps([file, row.moves, options.threads, options.memory << 20, algs])
    used, out = run([sys.executable, "-c", CHILD], asked, env)
    found = [json.loads(line) for line in out.splitlines()]
    return used._replace(nodes=sum(nodes for nodes, _ in found), algs=[alg for _, alg in found])


def theirs(row: Row, algs: list[str], options: argparse.Namespace, env: dict[str, str]) -> Run:
    """Solve scrambles by twsearch."""
    file = str(Path(options.samples, f"{row.file}.tws"))
    command = [options.twsearch, "--nowrite", "-t", str(options.threads), "-M", str(options.memory), "-s"]
    command += ["--moves", row.moves.replace(" ", ",")] if row.moves else []
    used, out = run([*command, file], "\n".join(algs) + "\n", env)
    nodes = sum(int(number) for number in re.findall(r"(?:lookups|probes) (\d+)", out))
    # Two threads can print a solution each; the first is taken.
    solved = [re.search(r"^ .*", part, re.MULTILINE) for part in out.split("\nSolving")[1:]]
    return used._replace(nodes=nodes, algs=[found[0].strip() for found in solved if found])


def environment(folder: str) -> dict[str, str]:
    """Return the environment of processes that keep compiled kernels and bytecode in a folder."""
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**inherited, "CUBESOLVE_CACHE": folder, "PYTHONPYCACHEPREFIX": folder}


def scrambles(row: Row, definition: Any) -> list[str]:
    """Random algs, none of whose moves is a turn of what was turned before."""
    source = random.Random(2026)
    names = row.moves.split() or list(definition.generators)
    algs = []
    for _ in range(SCRAMBLES):
        moves = [source.choice(names)]
        while len(moves) < row.length:
            moves.append(source.choice([name for name in names if name != moves[-1]]))
        signs = [source.choice(["", "'"]) for _ in moves]
        # twsearch has no name for the inverse of a move that is its own.
        algs.append(
            " ".join(name + sign * (definition.order(name) > 2) for name, sign in zip(moves, signs, strict=True))
        )
    return algs


def require_solved(puzzle: Puzzle, algs: list[str], found: list[str]) -> list[int]:
    """Apply solutions; return their lengths."""
    definition = puzzle.rules.definition  # type: ignore[attr-defined]  # of those that are read from files
    for alg, solution in zip(algs, found, strict=True):
        place = definition.apply(definition.solved[0], definition.parse(f"{alg} {solution}"))
        if place not in definition.solved:
            raise SystemExit(f"{solution} does not solve {alg}")
    return [len(solution.split()) for solution in found]


def measure(row: Row, options: argparse.Namespace, folder: str) -> None:
    """Print how long a row takes."""
    puzzle = cubesolve.puzzle(str(Path(options.samples, f"{row.file}.tws")))
    algs = scrambles(row, puzzle.rules.definition)  # type: ignore[attr-defined]  # as above
    env = environment(folder)
    runs: dict[str, list[tuple[Run, Run]]] = {"cubesolve": [], "twsearch": []}
    for _ in range(options.rounds):
        for name, solve in (("cubesolve", ours), ("twsearch", theirs)):
            pair = []
            for times in (1, 2):
                with tempfile.TemporaryDirectory() as tables:
                    env["CUBESOLVE_TABLES"] = tables
                    pair.append(solve(row, algs * times, options, env))
            runs[name].append((pair[0], pair[1]))
    lengths = {name: require_solved(puzzle, algs, pairs[0][0].algs) for name, pairs in runs.items()}
    if len(set(map(tuple, lengths.values()))) > 1:
        raise SystemExit(f"{row.name}: {lengths}")
    print(f"| {row.name} ({', '.join(map(str, lengths['twsearch']))}) |", end="")
    for pairs in runs.values():
        elapsed, processor = (min(getattr(once, name) for once, _ in pairs) for name in ("elapsed", "processor"))
        warm = min(max(twice.processor - once.processor, 0) for once, twice in pairs)
        nodes = max(0, pairs[0][1].nodes - pairs[0][0].nodes)
        rate = f"{nodes / warm / 1e6:.1f}" if warm > 0.05 else "-"
        resident = max(twice.resident for _, twice in pairs)
        print(f" {elapsed:.2f} | {processor:.2f} | {warm:.2f} | {nodes:,} | {rate} | {resident} |", end="")
    print(flush=True)


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("twsearch")
    parser.add_argument("samples")
    parser.add_argument("--rows", default="", help="only rows whose names contain this")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--memory", type=int, default=128)
    options = parser.parse_args()
    columns = ["elapsed", "processor", "warm", "states, warm", "M/s", "MiB"]
    names = [f"{name}: {column}" for name in ("cubesolve", "twsearch") for column in columns]
    rows = [row for row in ROWS if options.rows in row.name]
    with tempfile.TemporaryDirectory() as folder:
        puzzle = cubesolve.puzzle(str(Path(options.samples, f"{rows[0].file}.tws")))
        algs = scrambles(rows[0], puzzle.rules.definition)  # type: ignore[attr-defined]  # as above
        env = {**environment(folder), "CUBESOLVE_TABLES": folder}
        first = ours(rows[0], algs, options, env)
        print(f"without compiled kernels: {rows[0].name} in {first.elapsed:.2f} s ({first.processor:.2f} s)\n")
        print(f"| puzzle (lengths) | {' | '.join(names)} |")
        print("|---|" + "--:|" * len(names))
        for row in rows:
            measure(row, options, folder)


if __name__ == "__main__":
    main()
