#!/usr/bin/env python3
"""Measure the memory of questions with `memory=`, each in a process of its own (Linux).

    python scripts/bench_memory.py [--seconds N] [--kept FOLDER] [NAME ...]

Names are parts of those of `ROWS`; without any, all are measured. A process imports cubesolve, numpy and Numba, and
solves a random state, or one after some random moves, from an empty folder of tables; so tables are chosen, built,
proved, written and opened. A search that takes longer than N seconds is ended, and the process asks again, now with
open tables, for a tenth of the time. With FOLDER, tables are kept there: a second run measures opening them.

Printed are the memory that is asked for; the resident memory after the imports; and the largest resident memory after
that, without the memory after the imports: *private* memory, and all, which includes mapped files (of tables,
whose pages the system shares between processes and takes back, and of libraries).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple


class Row(NamedTuple):
    """A question.

    Attributes:
        puzzle: the name of a puzzle, or a file of `benchmarks`.
        memory: bytes.
        restricted: the moves, if some are left out.
        moves: the number of random moves of the scramble; a random state without it.
        table: a table to build first, in another process.
        goal: what the states lead to, if not to the solved one.
    """

    puzzle: str
    memory: int
    restricted: str = ""
    moves: int | None = None
    table: str = ""
    goal: str = ""

    @property
    def name(self) -> str:
        """How it is printed."""
        spoken = f"{self.puzzle} <{self.restricted}>" if self.restricted else self.puzzle
        more = self.table or self.goal.replace("|", " or ")
        return f"{spoken}, {more}" if more else spoken


MB = 1_000_000
ROWS = [
    Row("15-puzzle", 128 * MB),
    Row("15-puzzle", 1_000 * MB),
    Row("24-puzzle", 256 * MB),
    Row("24-puzzle", 1_000 * MB),
    Row("rubik", 128 * MB, "R U F"),
    Row("rubik", 500 * MB, "R U F"),
    Row("rubik", 128 * MB, "M U R"),
    Row("rubik", 128 * MB, "U D F B R"),
    Row("megaminx", 128 * MB),
    Row("fto", 128 * MB, moves=14),
    Row("4x4x4", 128 * MB, moves=12),
    Row("kilominx", 128 * MB, moves=12),
    Row("kilominx", 500 * MB, moves=12),
    Row("pancake-20", 128 * MB),
    Row("rubik", 64 * MB, goal="htr|roux-blocks"),
    Row("rubik", 50 * MB, table="rubik-htm-small"),
    Row("rubik", 300 * MB, table="rubik-htm-medium"),
]

CHILD = """
import json, sys
import numba, numpy
import cubesolve
from cubesolve.errors import SearchLimitError

print("ready", flush=True)
name, memory, restricted, moves, seconds, goal = json.loads(sys.stdin.readline())
puzzle = cubesolve.puzzle(name)
puzzle = puzzle.restrict(restricted) if restricted else puzzle
state = puzzle.random_state(2 if goal else 1)  # the first is near a goal
puzzle = puzzle.towards(goal) if goal else puzzle
if moves is not None:
    import random
    definition, source = puzzle.rules.definition, random.Random(1)
    place = definition.solved[0]
    for _ in range(moves):
        place = source.choice(definition.moves()).apply(place) or place
    state = puzzle.rules.labelling.state(place)
for limit in (seconds, seconds / 10):
    try:
        found = len(puzzle.solve(state, memory=memory, timeout=limit).split())
    except SearchLimitError as error:
        found = f"at least {error.at_least}"
print(found, flush=True)
"""


class Resident(NamedTuple):
    """Resident memory of a process, in bytes: its own, and all."""

    private: int
    all: int


def resident(process: int) -> Resident:
    """Return the resident memory of a process."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    sizes = {line.split(":")[0]: int(line.split()[1]) << 10 for line in lines if line.startswith("Rss")}
    return Resident(sizes["RssAnon"], sum(sizes.values()))


def measure(row: Row, seconds: float, folder: str) -> None:
    """Print the memory of a question."""
    env: Mapping[str, str] = {**os.environ, "CUBESOLVE_TABLES": folder}
    if row.table:
        build = [sys.executable, "-m", "cubesolve", "tables", "build", row.table]
        subprocess.run(build, env=env, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    file = Path(__file__).parents[1] / "benchmarks" / row.puzzle
    question = [str(file) if file.suffix else row.puzzle, row.memory, row.restricted, row.moves, seconds, row.goal]
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdin
    assert child.stdout
    child.stdout.readline()
    before = most = resident(child.pid)
    began = time.perf_counter()
    child.stdin.write(json.dumps(question) + "\n")
    child.stdin.flush()
    when = 0.0
    while child.poll() is None:
        try:
            now = resident(child.pid)
        except (OSError, KeyError):  # it has just ended
            break
        if now.private > most.private:
            when = time.perf_counter() - began
        most = Resident(max(most.private, now.private), max(most.all, now.all))
        time.sleep(0.01)
    found = child.stdout.read().strip()
    if child.wait():
        raise SystemExit(f"{row.name} failed")
    asked, base, private, all_ = (
        size / MB for size in (row.memory, before.all, most.private - before.private, most.all - before.all)
    )
    print(
        f"| {row.name} | {asked:,.0f} | {base:,.0f} | {private:,.0f} | {all_:,.0f} | {private - asked:+,.0f} "
        f"| {found} | {when:.0f} s of {time.perf_counter() - began:.0f} s |",
        flush=True,
    )


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--kept", help="a folder for the tables")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    rows = [row for row in ROWS if not options.names or any(name in row.name for name in options.names)]
    print("| MB | asked | after imports | private | all | private - asked | moves | largest after |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    for row in rows:
        with tempfile.TemporaryDirectory() as folder:
            measure(row, options.seconds, options.kept or folder)


if __name__ == "__main__":
    main()
