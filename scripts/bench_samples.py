"""Measure solvers on published samples whose optimal lengths are known: solution length, nodes, time.

Run it as `python scripts/bench_samples.py`, which takes some minutes. It prints a table for each solver: IDA* and beam
search with pattern databases on Korf's hundred positions of the 15-puzzle, and short and optimal solutions of twenty
3x3x3 cubes at each depth from 15 to 19. Optimal solutions are searched for with the largest pattern database of the
3x3x3 that is built, up to `--optimal` moves; `cubesolve tables build rubik-htm-medium` builds one in some seconds.
Other tables are made before.
"""

from __future__ import annotations

import argparse
import functools
import json
from pathlib import Path

from bench import machine

from cubesolve import puzzle
from cubesolve.learn.research import evaluate_solver

DATA = Path(__file__).resolve().parents[1] / "tests" / "data"


def korf(name: str = "korf100") -> tuple[list[str], list[int]]:
    """Return a set of Korf's positions, turned so that the gap is last in the goal, and their optimal lengths."""
    sample = json.loads((DATA / f"{name}.json").read_text())
    turned = ([len(tiles) - tile if tile else 0 for tile in reversed(tiles)] for tiles in sample["instances"])
    return [" ".join(map(str, tiles)) for tiles in turned], sample["optimal"]


def cubes(each: int) -> tuple[list[str], list[int]]:
    """Return some scrambles of cubes of each depth, and the depths."""
    by_depth = json.loads((DATA / "rubik_by_depth.json").read_text())["by_depth_htm"]
    pairs = [(scramble, int(depth)) for depth, scrambles in by_depth.items() for scramble in scrambles[:each]]
    return [scramble for scramble, _ in pairs], [depth for _, depth in pairs]


def main() -> None:
    """Print the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--number", type=int, default=100, help="positions of the 15-puzzle")
    parser.add_argument("--cubes", type=int, default=20, help="cubes of each depth")
    parser.add_argument("--optimal", type=int, default=15, help="the largest depth of cubes that are solved optimally")
    options = parser.parse_args()
    machine()
    tiles, rubik = puzzle("15-puzzle"), puzzle("rubik")
    states, depths = korf()
    heuristic = tiles.heuristic()
    heuristic.search(states[0])  # compiles
    print("\nIDA* with the usual heuristic, one thread")
    states, depths = states[: options.number], depths[: options.number]
    print(evaluate_solver(heuristic.search, tiles, states, depths))
    for width in (100, 1000):
        print(f"\nbeam search with the same heuristic, width {width:,}")
        search = functools.partial(tiles.search, heuristic=heuristic, width=width)
        print(evaluate_solver(search, tiles, states, depths))
    scrambles, known = cubes(options.cubes)
    for most in (22, 21):
        rubik.solve(scrambles[0], max_length=most)
        print(f"\nthe first solution of at most {most} moves")
        print(evaluate_solver(lambda cube: rubik.solve(cube, max_length=most), rubik, scrambles, known))  # noqa: B023
    near = [(scramble, depth) for scramble, depth in zip(scrambles, known, strict=True) if depth <= options.optimal]
    if near:
        scrambles, known = map(list, zip(*near, strict=True))
        rubik.solve(scrambles[0])  # opens the table
        print("\nthe optimal search of the 3x3x3, all threads")
        print(evaluate_solver(rubik.solve, rubik, scrambles, known))


if __name__ == "__main__":
    main()
