"""Compare heuristics: mean values, nodes and effective branching factors, as in docs/heuristics.md.

    python scripts/bench_heuristics.py [--states N] [--bounds NAME...]

Each heuristic of a puzzle searches for the same random states, in one thread. With `--bounds`, the time of a lower
bound in an array of 10,000 states is measured instead, with 8 MB of pattern databases.
"""

from __future__ import annotations

import argparse
import functools
import operator
import random
import time
from collections.abc import Callable, Mapping

import cubesolve
from cubesolve.ask import Puzzle
from cubesolve.solvers.heuristics import Heuristic, PatternHeuristic

_DATABASES = 1 << 23  # bytes

_Make = Callable[[Puzzle], Heuristic]


def _sum(*patterns: str) -> Callable[[Puzzle], PatternHeuristic]:
    return lambda puzzle: functools.reduce(operator.add, map(puzzle.pdb, patterns))


def _with_mirror(*patterns: str) -> _Make:
    return lambda puzzle: _sum(*patterns)(puzzle).symmetric()


HEURISTICS: Mapping[str, Mapping[str, _Make]] = {
    "tiles-3x3": {
        "one piece each (Manhattan distance)": _sum(*"12345678"),
        "1 2 3 4 and the gap": _sum("1 2 3 4 0"),
        "1 2 3 4 + 5 6 7 8": _sum("1 2 3 4", "5 6 7 8"),
        "the same, and its mirror image": _with_mirror("1 2 3 4", "5 6 7 8"),
    },
    "tiles-3x4": {
        "one piece each (Manhattan distance)": _sum(*map(str, range(1, 12))),
        "1 2 3 4 + 5 6 7 8 + 9 10 11": _sum("1 2 3 4", "5 6 7 8", "9 10 11"),
        "1 2 5 6 9 10 + 3 4 7 8 11": _sum("1 2 5 6 9 10", "3 4 7 8 11"),
    },
    "pancake-10": {
        "pancakes 7 to 10": _sum("7 8 9 10"),
        "pancakes 5 to 10": _sum("5 6 7 8 9 10"),
        "gap heuristic": lambda puzzle: puzzle.heuristic(),
    },
}
"""For each puzzle, heuristics by name."""


def main() -> None:
    """Measure, and print a table for each puzzle."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--states", type=int, default=100)
    parser.add_argument(
        "--bounds", nargs="+", metavar="NAME", help="measure bounds of arrays of states of these puzzles"
    )
    options = parser.parse_args()
    for name in options.bounds or ():
        _measure_bounds(name)
    if options.bounds:
        return
    for name, heuristics in HEURISTICS.items():
        puzzle, source = cubesolve.puzzle(name), random.Random(2026)
        states = [puzzle.random_state(source) for _ in range(options.states)]
        print(f"\n{puzzle.title}, {options.states} random states\n")
        print("| heuristic | mean value | mean depth | nodes | effective branching | ms |")
        print("|---|--:|--:|--:|--:|--:|")
        for title, make in heuristics.items():
            _measure(title, make(puzzle), states)


def _measure(title: str, heuristic: Heuristic, states: list[object]) -> None:
    heuristic.search(states[0])  # opens the tables
    began = time.process_time()
    searches = [heuristic.search(state) for state in states]
    each = 1e3 * (time.process_time() - began) / len(states)
    value, depth, nodes, branching = (
        sum(getattr(search, name) for search in searches) / len(states)
        for name in ("value", "cost", "nodes", "branching")
    )
    print(f"| {title} | {value:.2f} | {depth:.2f} | {nodes:,.0f} | {branching:.3f} | {each:.2f} |", flush=True)


def _measure_bounds(name: str) -> None:
    puzzle = cubesolve.puzzle(name)
    states = puzzle.state_arrays().walks(10_000, 40, rng=2026).states
    puzzle.bounds(states[:100], memory=_DATABASES)  # opens the tables
    began = time.process_time()
    mean = puzzle.bounds(states, memory=_DATABASES).max(axis=1).mean()
    each = 1e6 * (time.process_time() - began) / len(states)
    print(f"{puzzle.title}: mean bound {mean:.2f}, {each:.1f} us a state", flush=True)


if __name__ == "__main__":
    main()
