"""Measure the search by projections: the tables, the nodes per second, and the time of random states.

    python scripts/bench_search.py [--states N] [--timeout SECONDS] [--workers N] [--max-depth N] [NAME ...]

Names are those of `PUZZLES`; without any, all are measured. Tables are written to a new folder, so building them is
measured, too; with ``CUBESOLVE_TABLES`` they are those of that folder. With ``--max-depth``, a state that needs more
moves is searched until these are ruled out, so that two versions of the search do the same work.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from bench import compiled

from cubesolve import lookup
from cubesolve.ask import Puzzle
from cubesolve.catalog.rolling.goal import ON_CORNERS, Goal
from cubesolve.catalog.rolling.solver import mark_solver
from cubesolve.catalog.rolling.tray import Tray
from cubesolve.errors import SearchLimitError
from cubesolve.store.tables import Tables


class _Measured(NamedTuple):
    """One question.

    Attributes:
        depth: the depth of the state, or the least that was not ruled out up to the largest depth that was asked for;
            None if the search ended at its time limit.
        nodes: the number of states expanded.
        seconds: the time.
        processor: the processor time of all threads, which hardly depends on other programs.
    """

    depth: int | None
    nodes: int
    seconds: float
    processor: float


def _scrambled(puzzle: Puzzle, moves: int, source: random.Random) -> Any:
    """Return a state after a number of random moves."""
    definition = puzzle.rules.definition  # type: ignore[attr-defined]  # of those that are asked for so
    place = definition.solved[0]
    for _ in range(moves):
        place = source.choice(definition.moves()).apply(place) or place
    return puzzle.rules.labelling.state(place)  # type: ignore[attr-defined]


_BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


def _restricted(moves: str, metric: str = "htm") -> tuple[str, str | None, dict[str, Any], int | None]:
    return "rubik", moves, {"metric": metric}, None


PUZZLES: dict[str, tuple[str, str | None, dict[str, Any], int | None]] = {
    "<R, U, F>": _restricted("R U F"),
    "<R, U, L>": _restricted("R U L"),
    "<M, U, R>": _restricted("M U R"),
    "<R, U, F>, quarter turns": _restricted("R U F", "qtm"),
    "TopSpin 20-4, 12 random moves": ("topspin-20-4", None, {}, 12),
    "TopSpin 16-4, random": ("topspin-16-4", None, {}, None),
    "20 pancakes": ("pancake-20", None, {}, None),
    "30 pancakes": ("pancake-30", None, {}, None),
    "40 pancakes": ("pancake-40", None, {}, None),
    "60 pancakes": ("pancake-60", None, {}, None),
    "Kilominx, 10 random moves": (str(_BENCHMARKS / "kilominx.gap"), None, {}, 10),
    "15-puzzle, Korf's positions": ("15-puzzle", None, {"goal": " ".join(map(str, range(16)))}, None),
    "24-puzzle, Korf and Felner's positions": ("24-puzzle", None, {"goal": " ".join(map(str, range(25)))}, None),
    "rolling cubes, six colours": ("rolling", None, {"goal": Tray.start((1, 1), model="full")}, None),
    "rolling cubes in a 4x4 tray": ("rolling", None, {"goal": Tray.start((1, 1), 4, 4)}, None),
    "rolling cubes in a 3x5 tray": ("rolling", None, {"goal": Tray.start((1, 1), 3, 5)}, None),
}
"""For each the puzzle, the moves, further keywords, and the number of random moves; random states without one."""

_LONG = 1  # seconds of a question that is reported by itself

_DATA = Path(__file__).parents[1] / "tests" / "data"
_POSITIONS = {"tiles-4x4": _DATA / "korf100.json", "tiles-5x5": _DATA / "korf50.json"}


def _states(puzzle: Puzzle, name: str, number: int) -> list[Any]:
    """Return a number of states; of published positions, all."""
    _, _, question, moves = PUZZLES[name]
    if path := _POSITIONS.get(puzzle.rules.name):
        return [" ".join(map(str, tiles)) for tiles in json.loads(path.read_text())["instances"]]
    source = random.Random(2026)
    return [_state(puzzle, moves, question, source) for _ in range(number)]


def _state(puzzle: Puzzle, moves: int | None, question: dict[str, Any], source: random.Random) -> Any:
    goal = question.get("goal")
    if isinstance(goal, Tray):
        return Tray.unrank(source.randrange(goal.shape.states(goal.plus)), goal.plus, goal.shape)
    return puzzle.random_state(source) if moves is None else _scrambled(puzzle, moves, source)


def _measure(solve: Callable[..., str], state: Any, question: dict[str, Any]) -> _Measured:
    nodes = [0]
    began, busy = time.perf_counter(), time.process_time()
    try:
        alg = solve(state, progress=lambda _, looked_at, __: nodes.append(looked_at), **question)
        depth = len(alg if isinstance(question.get("goal"), Tray) else alg.split())
    except SearchLimitError as error:
        depth = error.at_least
        if depth <= question.get("max_depth", math.inf):
            print(f"    {error}")
            return _Measured(None, nodes[-1], math.inf, math.inf)
    seconds, processor = time.perf_counter() - began, time.process_time() - busy
    found = _Measured(depth, nodes[-1], seconds, processor)
    if seconds > _LONG:
        print(
            f"    {found.depth} moves, {found.nodes:,} nodes, {seconds:.1f} s, processor {processor:.1f} s", flush=True
        )
    return found


def _compare(states: list[Tray], goal: Tray) -> None:
    """Solve trays by `search.cpp` as well, in one thread, with the same tables."""
    solver = mark_solver(Goal.only(goal), goal.plus, ON_CORNERS, Tables(None))
    roots = np.array([[mark.of_tray(tray).rank for mark in ON_CORNERS] for tray in states], np.int32)
    steps, fibre, tables, layout, _, _, following, _, _ = solver.problem
    solved = np.array([mark.of_tray(goal).rank for mark in ON_CORNERS], np.int32)
    sizes = [len(layout), following.shape[1], len(following), len(roots), len(steps), len(fibre), len(tables)]
    with tempfile.TemporaryDirectory() as folder:
        program = compiled("search.cpp", folder)
        if program is None:
            print("    not compared: no g++")
            return
        path = Path(folder, "search")
        with path.open("wb") as file:
            for array in (sizes, layout, following, solved, roots, steps, fibre):
                file.write(np.asarray(array, np.int32).tobytes())
            file.write(tables.tobytes())
        result = subprocess.run([program, str(path)], capture_output=True, text=True, check=True)
    seconds, nodes, length = result.stdout.split()
    found, before, began = 0, solver.nodes, time.perf_counter()
    for ranks in roots:
        found += len(solver.solve(ranks, workers=1)[0])
    own, nodes_of_own = time.perf_counter() - began, solver.nodes - before
    if found != int(length):
        raise SystemExit(f"search.cpp finds {length} moves in all, not {found}")
    for name, elapsed, number in (("one thread, first alg", own, nodes_of_own), ("C++", float(seconds), int(nodes))):
        print(f"    {name}: {1e3 * elapsed / len(roots):.1f} ms, {number / elapsed / 1e6:.1f} M/s")
    print(f"    {own / float(seconds):.2f} times the time of C++", flush=True)


def main() -> None:
    """Measure, and print a line for each puzzle."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--states", type=int, default=20)
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("--workers", type=int, default=None)
    parser.add_argument("--memory", type=int, default=None)
    parser.add_argument("--max-depth", type=int, default=None)
    parser.add_argument("names", nargs="*", metavar="NAME")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        tables = lookup.open_tablebase(os.environ.get("CUBESOLVE_TABLES") or made)
        for name in arguments.names or PUZZLES:
            about, moves, question, _ = PUZZLES[name]
            puzzle = tables.puzzle(about)
            puzzle = puzzle.restrict(moves) if moves else puzzle
            asked = {**question, "timeout": arguments.timeout, "workers": arguments.workers}
            if arguments.memory:
                asked["memory"] = arguments.memory
            if arguments.max_depth is not None:
                asked["max_depth"] = arguments.max_depth
            states = _states(puzzle, name, arguments.states + 1)
            began = time.perf_counter()
            first = _measure(puzzle.solve, states[0], asked)
            build = time.perf_counter() - began
            found = [_measure(puzzle.solve, state, asked) for state in states[1:]]
            _report(name, build, first, [each for each in found if each.depth is not None], len(found))
            if name == "rolling cubes, six colours":
                _compare(states, question["goal"])


def _report(name: str, build: float, first: _Measured, found: list[_Measured], asked: int) -> None:
    print(f"{name}: first answer after {build:.1f} s ({first.nodes:,} nodes); {len(found)} of {asked} others answered")
    if len(found) > 1:
        seconds = [each.seconds for each in found]
        error = statistics.stdev(seconds) / math.sqrt(len(seconds))
        nodes = sum(each.nodes for each in found)
        depths = [each.depth for each in found if each.depth is not None]
        print(
            f"    {1e3 * statistics.mean(seconds):,.0f} ms +- {1e3 * error:,.0f}, largest {1e3 * max(seconds):,.0f} ms"
        )
        busy = [each.processor for each in found]
        error = statistics.stdev(busy) / math.sqrt(len(busy))
        print(f"    processor time {1e3 * statistics.mean(busy):,.0f} ms +- {1e3 * error:,.0f}, ", end="")
        print(f"largest {1e3 * max(busy):,.0f} ms")
        print(f"    {nodes / len(found):,.0f} nodes each, {nodes / sum(seconds) / 1e6:.1f} M/s", end="")
        print(f", depths {min(depths)} to {max(depths)}", flush=True)


if __name__ == "__main__":
    main()
