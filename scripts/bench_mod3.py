"""Measure mod-3 tables and tables with a byte per entry.

Run it as `make bench-mod3`, which takes a minute; with ``--large`` it enumerates 982,102,968 states as well, in 2 GB.
Runs alternate and times are the best of each; only the ratios are meaningful.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
from bench import machine, row

from cubesolve.catalog.pocket.spaces import pocket_space
from cubesolve.catalog.rolling.model import Shape
from cubesolve.catalog.rolling.spaces import rolling_space
from cubesolve.definition.notation import metric_moves
from cubesolve.encodings import batch
from cubesolve.encodings.batch import find_mod3_depths
from cubesolve.encodings.distances import Mod3Distances
from cubesolve.encodings.enumeration import distribution, enumerate_depths, enumerate_levels
from cubesolve.encodings.mod3_proof import find_mod3_fault
from cubesolve.encodings.proof import find_fault
from cubesolve.spaces.rules import Graph, InArrays
from cubesolve.spaces.space import StateSpace
from cubesolve.spaces.tables import TableEntry, TableHeader

SAMPLE = 1_000_000
ONE_BY_ONE = 1000
_WORKERS = {"all processors": None, "1 thread": 1}  # one run suffices for the second


def alternating(tasks: dict[str, Callable[[], object]], runs: int) -> dict[str, float]:
    """Return the best time of each task."""
    best = dict.fromkeys(tasks, float("inf"))
    for _ in range(runs):
        for name, task in tasks.items():
            started = time.perf_counter()
            task()
            best[name] = min(best[name], time.perf_counter() - started)
    return best


def enumerating(space: StateSpace, runs: int) -> None:
    """Enumerate and prove."""
    depths = enumerate_depths(space)
    table, counts = enumerate_levels(space, bits=2)
    if counts != distribution(depths) or find_mod3_fault(space, table) != (None, counts):
        raise SystemExit("the two disagree")
    for name, workers in list(_WORKERS.items())[:runs]:
        times = alternating(
            {
                "a byte": lambda: enumerate_depths(space, workers=workers),  # noqa: B023
                "two bits": lambda: enumerate_levels(space, workers=workers, bits=2),  # noqa: B023
                "proving bytes": lambda: find_fault(space, depths, workers=workers),  # noqa: B023
                "proving two bits": lambda: find_mod3_fault(space, table, workers=workers),  # noqa: B023
            },
            runs,
        )
        for task, seconds in times.items():
            speed = f"{space.states / seconds / 1e6:.0f} M/s  {seconds / times['a byte']:.2f} of enumerating bytes"
            row(f"{task}, {name}", f"{1e3 * seconds:.1f} ms", speed)


def asking(space: StateSpace, runs: int) -> None:
    """Answer about many random states, and about one at a time."""
    depths = enumerate_depths(space)
    table, counts = enumerate_levels(space, bits=2)
    ranks = np.random.default_rng(1).integers(0, space.states, SAMPLE)
    steps, mod3_steps = batch.Steps.of(space), batch.WideSteps.of(space)
    moves, lengths = np.empty((SAMPLE, len(counts)), np.uint8), np.empty(SAMPLE, np.uint8)
    leads = np.empty((SAMPLE, len(space.base)), np.bool_)
    times = alternating(
        {
            "depths, by bytes": lambda: depths[ranks],
            "depths": lambda: find_mod3_depths(mod3_steps, table, ranks, lengths),
            "solutions, by bytes": lambda: batch.descend(steps, depths, ranks, moves, lengths),
            "solutions": lambda: batch.descend_mod3(mod3_steps, table, ranks, moves, lengths),
            "optimal moves, by bytes": lambda: batch.lead_down(steps, depths, ranks, leads),
            "optimal moves": lambda: batch.lead_down_mod3(mod3_steps, table, ranks, leads),
        },
        runs,
    )
    for task, seconds in times.items():
        row(f"{task}, 1 thread", f"{SAMPLE / seconds / 1e6:.2f} M/s")
    graph, some = SpaceInLists(space), ranks[:ONE_BY_ONE].tolist()
    asked = Mod3Distances(graph, table.tobytes())
    times = alternating(
        {
            "depth": lambda: [asked[rank] for rank in some],
            "one shortest solution": lambda: [asked.solution(rank) for rank in some],
            "neighbours alone": lambda: [graph.neighbours(rank) for rank in some],
        },
        runs,
    )
    for task, seconds in times.items():
        row(f"{task}, state by state", f"{1e6 * seconds / ONE_BY_ONE:.1f} us")


class SpaceInLists(Graph):
    """The states of a space, with the neighbours of one state in pure Python."""

    def __init__(self, space: StateSpace) -> None:
        self._space, self.states, self.moves = space, space.states, [str(move) for move in range(len(space.base))]
        self.entry = TableEntry(TableHeader("bench", "bench", "moves", "ranks", space.states, (), ""))
        ranks, action = (
            np.stack(each, axis=1) for each in zip(*map(space.of_move, range(len(space.base))), strict=True)
        )
        self._arrays = ranks.tolist(), action.tolist(), space.fibre.tolist()

    def rank(self, given: Any) -> int:
        """See `Graph.rank`."""
        return self.checked(given)

    def unrank(self, rank: int) -> int:
        """See `Graph.unrank`."""
        return rank

    def neighbours(self, rank: int) -> list[int]:
        """See `Graph.neighbours`."""
        base, action, fibre = self._arrays
        a, b = divmod(rank, self._space.width)
        return [
            first + fibre[change][b] if first >= 0 else -1 for first, change in zip(base[a], action[a], strict=True)
        ]

    def in_arrays(self) -> InArrays:
        """See `Graph.in_arrays`."""
        return InArrays(lambda: self._space, self._form)

    def _form(self) -> NoReturn:
        raise ValueError("these states are not written")


def main() -> None:
    """Print the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--large", action="store_true", help="also trays of 2 x 6 cells, for some minutes")
    large = parser.parse_args().large
    machine()
    spaces = {
        "pocket cubes, half turns": (pocket_space(metric_moves("htm", "URF")), 7),
        "trays of 2 x 3 cells, model full": (rolling_space(Shape(2, 3, "full"), 3), 3),
    }
    if large:
        spaces["trays of 2 x 6 cells, model axis"] = (rolling_space(Shape(2, 6, "axis"), 5), 1)
    for name, (space, runs) in spaces.items():
        print(f"\nEnumerating {name}, {space.states:,} states, kernels warm")
        enumerating(space, runs)
        if runs > 1:
            print(f"\nAsking about {name}, {SAMPLE:,} random states, kernels warm")
            asking(space, runs)


if __name__ == "__main__":
    main()
