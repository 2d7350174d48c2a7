#!/usr/bin/env python3
"""Measure searches without tables beside twsearch: the same puzzles, scrambles, threads and memory, by turns.

    python scripts/bench_twsearch.py TWSEARCH SAMPLES [--rows TEXT] [--rounds N] [--threads N] [--memory MIB]

TWSEARCH is the program (https://github.com/cubing/twsearch, `make build/bin/twsearch`), SAMPLES its folder
`samples/main`; the slices are in `benchmarks`. Both solve the scrambles of a row in a new process, which includes the
start of Python; of ours, compiled kernels and Python's bytecode are kept, and nothing else. *Without kernels* is the
time of a process that has the bytecode only, as after installing. The process then solves the scrambles ten times
more (Linux). *All* is the processor time of all eleven times. Both programs fill tables as long as that pays, at last
rarely and for long; so *warm* is the mean of the last five times without the longest.

Printed are the least elapsed and processor seconds of all rounds, the states generated, and the resident memory.
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
    Row("slices", 30, "M U"),
    Row("slices", 20, "M U R"),
]
SCRAMBLES = 5
BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
SHORT = 0.05  # seconds that are too few for a number of states a second
FILLING, WARM = 6, 5  # times that the scrambles are solved


class Run(NamedTuple):
    """What a process took to solve scrambles."""

    elapsed: float
    processor: float
    nodes: int
    algs: list[str]


CHILD = """
import json, sys
import cubesolve
file, moves, threads, memory = json.loads(sys.stdin.readline())
puzzle = cubesolve.puzzle(file)
puzzle = puzzle.restrict(moves) if moves else puzzle
definition = puzzle.rules.definition
for alg in sys.stdin:
    nodes = [0]
    place = definition.apply(definition.solved[0], definition.parse(alg.strip()))
    found = puzzle.solve(
        puzzle.rules.labelling.state(place), workers=threads, memory=memory, progress=lambda _, n, __: nodes.append(n)
    )
    print(json.dumps([nodes[-1], found]), flush=True)
"""


COMPILE = "from cubesolve.search.hashed import descend; descend.keep()"


class Solver:
    """A process that solves scrambles, the first of them from its start."""

    def __init__(self, command: list[str], given: str, env: dict[str, str]) -> None:
        """Start the process.

        Args:
            command: what to run.
            given: what it reads first.
            env: its environment.
        """
        self._began, self._used = time.perf_counter(), 0.0
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env, text=True
        )
        self._send(given)

    def solve(self, algs: list[str]) -> Run:
        """Solve scrambles."""
        began, self._began = self._began or time.perf_counter(), 0.0
        self._send("".join(f"{alg}\n" for alg in algs))
        answers = [self._answer() for _ in algs]
        used, before = self._processor(), self._used
        self._used = used
        nodes, found = zip(*answers, strict=True)
        return Run(time.perf_counter() - began, used - before, sum(nodes), list(found))

    def end(self) -> int:
        """End the process; return the largest number of MiB that it has used."""
        assert self._process.stdin
        self._process.stdin.close()
        _, status, used = os.wait4(self._process.pid, 0)
        self._process.returncode = os.waitstatus_to_exitcode(status)
        return used.ru_maxrss >> 10

    def _send(self, text: str) -> None:
        assert self._process.stdin
        self._process.stdin.write(text)
        self._process.stdin.flush()

    def _processor(self) -> float:
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def _line(self) -> str:
        assert self._process.stdout
        line: str = self._process.stdout.readline()
        if not line:
            raise SystemExit("a process ended before its answer")
        return line

    def _answer(self) -> tuple[int, str]:
        """Return the number of states of the next answer, and the solution."""
        nodes, alg = json.loads(self._line())
        return nodes, alg


class Twsearch(Solver):
    """A process of twsearch."""

    def _answer(self) -> tuple[int, str]:
        alg = ""
        while not (found := re.match(r"Found .*(?:lookups|probes) (\d+)", line := self._line())):
            if line.startswith(" ") and not alg:  # two threads can print a solution each; the first is taken
                alg = line.strip()
        return int(found[1]), alg


def file_of(row: Row, options: argparse.Namespace) -> str:
    """Return the path of the puzzle."""
    folder = BENCHMARKS if Path(BENCHMARKS, f"{row.file}.tws").exists() else options.samples
    return str(Path(folder, f"{row.file}.tws"))


def ours(row: Row, options: argparse.Namespace, env: dict[str, str]) -> Solver:
    """Return a process of this package."""
    asked = json.dumps([file_of(row, options), row.moves, options.threads, options.memory << 20])
    return Solver([sys.executable, "-c", CHILD], f"{asked}\n", env)


def theirs(row: Row, options: argparse.Namespace, env: dict[str, str]) -> Solver:
    """Return a process of twsearch."""
    command = [options.twsearch, "--nowrite", "-t", str(options.threads), "-M", str(options.memory), "-s"]
    command += ["--moves", row.moves.replace(" ", ",")] if row.moves else []
    return Twsearch([*command, file_of(row, options)], "", env)


def environment(kernels: str, bytecode: str) -> dict[str, str]:
    """Return the environment of processes that keep compiled kernels and bytecode in folders."""
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**inherited, "CUBESOLVE_CACHE": kernels, "PYTHONPYCACHEPREFIX": bytecode}


def once(row: Row, algs: list[str], options: argparse.Namespace, env: dict[str, str]) -> Run:
    """Solve scrambles in a new process of this package, which has no tables."""
    with tempfile.TemporaryDirectory() as tables:
        process = ours(row, options, {**env, "CUBESOLVE_TABLES": tables})
        run = process.solve(algs)
        process.end()
    return run


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


class Measured(NamedTuple):
    """One process: solving the scrambles for the first time, one of the last times, and the seconds of all times."""

    cold: Run
    warm: Run
    all: float
    resident: int


def measured(solver: Solver, algs: list[str]) -> Measured:
    """Solve scrambles several times."""
    cold, *others = [solver.solve(algs) for _ in range(FILLING + WARM)]
    warm = sorted(others[-WARM:], key=lambda run: run.processor)[:-1]
    elapsed, processor = (sum(getattr(each, name) for each in warm) / len(warm) for name in ("elapsed", "processor"))
    total = cold.processor + sum(run.processor for run in others)
    return Measured(cold, Run(elapsed, processor, warm[0].nodes, warm[0].algs), total, solver.end())


def measure(row: Row, options: argparse.Namespace, bytecode: str) -> None:
    """Print how long a row takes."""
    puzzle = cubesolve.puzzle(file_of(row, options))
    algs = scrambles(row, puzzle.rules.definition)  # type: ignore[attr-defined]  # as above
    with tempfile.TemporaryDirectory() as kernels:
        env = environment(kernels, bytecode)
        first = once(row, algs, options, env)
        subprocess.run([sys.executable, "-c", COMPILE], env=env, check=True)
        once(row, algs, options, env)  # it compiles all other kernels
        print_row(row, puzzle, algs, first, options, env)


def print_row(
    row: Row, puzzle: Puzzle, algs: list[str], first: Run, options: argparse.Namespace, env: dict[str, str]
) -> None:
    """Measure a row by turns, and print it beside its first run."""
    runs: dict[str, list[Measured]] = {"cubesolve": [], "twsearch": []}
    for _ in range(options.rounds):
        for name, start in (("cubesolve", ours), ("twsearch", theirs)):
            with tempfile.TemporaryDirectory() as tables:
                env["CUBESOLVE_TABLES"] = tables
                runs[name].append(measured(start(row, options, env), algs))
    lengths = {
        name: {tuple(require_solved(puzzle, algs, run.algs)) for each in found for run in (each.cold, each.warm)}
        for name, found in runs.items()
    }
    if len(set.union(*lengths.values())) > 1:
        raise SystemExit(f"{row.name}: {lengths}")
    print(f"| {row.name} ({', '.join(map(str, *lengths['twsearch']))}) |", end="")
    print(f" {first.elapsed:.2f} | {first.processor:.2f} |", end="")
    for found in runs.values():
        elapsed, processor = (min(getattr(each.cold, name) for each in found) for name in ("elapsed", "processor"))
        warm, total = min(each.warm.processor for each in found), min(each.all for each in found)
        nodes = found[0].warm.nodes
        rate = f"{nodes / warm / 1e6:.1f}" if warm > SHORT else "-"
        resident = max(each.resident for each in found)
        print(f" {elapsed:.2f} | {processor:.2f} | {total:.2f} | {warm:.3f} |", end="")
        print(f" {nodes:,} | {rate} | {resident} |", end="")
    totals = [min(each.all for each in found) for found in runs.values()]
    warm_ours, warm_theirs = (min(each.warm.processor for each in found) for found in runs.values())
    print(f" {totals[0] / totals[1]:.2f} |", end="")
    print(f" {warm_ours / warm_theirs:.2f} |" if warm_theirs else " - |", flush=True)  # too short to be measured


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
    columns = ["elapsed", "processor", "all", "warm", "states, warm", "M/s", "MiB"]
    names = [f"without kernels: {column}" for column in columns[:2]]
    names += [f"{name}: {column}" for name in ("cubesolve", "twsearch") for column in columns]
    rows = [row for row in ROWS if options.rows in row.name]
    print(f"| puzzle (lengths) | {' | '.join(names)} | all, ratio | warm, ratio |")
    print("|---|" + "--:|" * (len(names) + 2))
    with tempfile.TemporaryDirectory() as bytecode:
        with tempfile.TemporaryDirectory() as kernels:
            env = environment(kernels, bytecode)
            subprocess.run([sys.executable, "-c", COMPILE], env=env, check=True)  # writes the bytecode of Numba, too
            puzzle = cubesolve.puzzle(file_of(rows[0], options))
            once(rows[0], scrambles(rows[0], puzzle.rules.definition), options, env)  # type: ignore[attr-defined]
        for row in rows:
            measure(row, options, bytecode)


if __name__ == "__main__":
    main()
