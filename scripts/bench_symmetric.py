"""Measure tables up to symmetry beside those of all states: ``python scripts/bench_symmetric.py ivy topspin-10-4``.

Names are puzzles or files of definitions. Both kinds are built with a byte an entry, each in a process of its own. All
times are processor times: of building by `tables build`, and for each of some random states, of `depth`, `solve`, and
by one thread of `depths` and `solve_batch`. States of single questions are not asked twice.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from bench import machine
from bench_count import run

from cubesolve import puzzle
from cubesolve.ask import Puzzle
from cubesolve.encodings import encoding_of
from cubesolve.spaces.defined import derived
from cubesolve.store.tables import Tables

_OPENING, _SINGLE, _BATCH = 100, 1_000, 20_000  # states
_NO_LINES = r"(x)x"


def seconds(do: Callable[[], object]) -> float:
    """Return the processor time of a function."""
    before = time.process_time()
    do()
    return time.process_time() - before


def measured(name: str, folder: Path, *, symmetric: bool) -> list[str]:
    """Build tables, ask about random states, and return the cells of a row."""
    os.environ["CUBESOLVE_TABLES"] = str(folder)
    command = [sys.executable, "-m", "cubesolve", "tables", "build", name, *["--symmetric"] * symmetric]
    building = run(command, _NO_LINES).processors
    rules = derived(puzzle(name).rules)
    asked = Puzzle(rules, Tables(folder))
    entries = asked.usual_tables(symmetric=symmetric)
    sizes = [(folder / f"{entry.name}.zst").stat().st_size for entry in entries]
    number = next(entry.header.entries for entry in entries if encoding_of(entry.header).bits)
    source, draw = random.Random(1), rules.graph().random_state
    assert draw is not None  # puzzles with symmetries have random states
    places = [draw(source) for _ in range(_BATCH)]
    labelling = rules.labelling
    rows = np.array([[labelling.numbers[label] for label in place] for place in places])
    some = iter([labelling.state(place) for place in places])  # no state is asked about twice

    def single(ask: Callable[[Any], object]) -> float:
        for state in itertools.islice(some, _OPENING):
            ask(state)
        asked_about = [*itertools.islice(some, _SINGLE)]
        return 1e6 / _SINGLE * seconds(lambda: [*map(ask, asked_about)])

    def batch(ask: Callable[..., object]) -> float:
        ask(rows, workers=1)
        return 1e6 / _BATCH * seconds(lambda: ask(rows, workers=1))

    depth, solve, depths, solutions = (
        single(asked.depth),
        single(asked.solve),
        batch(asked.depths),
        batch(asked.solve_batch),
    )
    answers = [f"{depth:.0f} us", f"{solve:.0f} us", f"{depths:.1f} and {solutions:.1f} us"]
    kind = "up to symmetry" if symmetric else "all states"
    return [name, kind, f"{number:,}", *(f"{size:,}" for size in sizes), f"{building:.1f} s", *answers]


def main() -> None:
    """Print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="+", metavar="PUZZLE")
    options = parser.parse_args()
    machine()
    print("| puzzle | table | entries | coordinates | distances | building | `depth` | `solve` | batches |")
    print("|---|---|" + "--:|" * 7)
    for name in options.names:
        for symmetric in (False, True):
            with tempfile.TemporaryDirectory() as folder:
                print("| " + " | ".join(measured(name, Path(folder), symmetric=symmetric)) + " |", flush=True)


if __name__ == "__main__":
    main()
