#!/usr/bin/env python3
"""Compare the multi-phase search for any puzzle with the two-phase search of the 3x3x3; measure scrambles by phases.

    python scripts/bench_phases.py [--cubes N] [--scrambles N] [--seed N] [--rounds N]
    python scripts/bench_phases.py --puzzle 5x5x5 [--states N] [--seconds S] [--seed N]

Both solve the same cubes by turns, in at most 24, 22 and 21 moves. The search for any puzzle has the coordinates of
Kociemba's phases and searches along each of the three axes, but not the inverse of the cube. Times are processor times
of `Puzzle.solve` and `Puzzle.scramble`; solutions are applied. With a puzzle, the script prints the first solutions of
random states and the shortest ones after some seconds.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Any

from bench_short import report

from cubesolve import SearchLimitError, puzzle
from cubesolve.ask import Puzzle
from cubesolve.catalog.rubik.cube import CORNERS, EDGES, random_cube
from cubesolve.definition.definition import Definition
from cubesolve.definition.facelets import facelet_names, piece_facelets
from cubesolve.definition.phases import Coordinate, Phase
from cubesolve.search.phased import PhasedRules, phases_entry
from cubesolve.spaces.defined import derived
from cubesolve.store.tables import Tables

_LONGEST = (24, 22, 21)
_LAYERS, _SLICE = EDGES[:8], EDGES[8:]


def kociemba(definition: Definition) -> list[Phase]:
    """Return the phases of Kociemba's algorithm: all moves, then U, D, R2, L2, F2 and B2."""
    names = facelet_names(3)

    def labels(pieces: Sequence[str]) -> list[int]:
        return [i for piece in pieces for i in piece_facelets(3, piece)]

    twists = Coordinate.alike([i for i in labels(CORNERS) if names[i][0] in "UD"])
    flips = Coordinate.alike([piece_facelets(3, piece)[0] for piece in EDGES])
    first_phase = [twists, Coordinate.alike(labels(_SLICE)), flips]
    second_phase = [Coordinate.of(labels(pieces)) for pieces in (CORNERS, _SLICE, _LAYERS)]
    return [
        Phase.of(definition, "U R F D L B", first_phase, [(0, 1), (2, 1)]),
        Phase.of(definition, "U D R2 L2 F2 B2", second_phase, [(0, 1), (2, 1)]),
    ]


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cubes", type=int, default=200)
    parser.add_argument("--scrambles", type=int, default=100)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--rounds", type=int, default=2, help="number of turns that each search has")
    parser.add_argument("--puzzle", help="a puzzle with phases, whose random states are solved instead")
    parser.add_argument("--states", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=15)
    arguments = parser.parse_args()
    if arguments.puzzle:
        measure_improvements(puzzle(arguments.puzzle), arguments.states, arguments.seconds, arguments.seed)
        return
    own = puzzle("rubik")
    rules = PhasedRules(derived(own.rules).view, kociemba, phases_entry("kociemba"), usual_length=24)
    folder = tempfile.TemporaryDirectory()
    searches: dict[str, Puzzle[Any]] = {"3x3x3": own, "any puzzle": Puzzle(rules, Tables(folder.name))}
    for name, search in searches.items():
        prepared(name, functools.partial(search.solve, "R U F", max_length=24))
    source = random.Random(arguments.seed)
    cubes = [random_cube(source) for _ in range(arguments.cubes)]
    for _ in range(arguments.rounds):
        for longest in _LONGEST:
            for name, search in searches.items():
                times = [solved(search, cube, longest) for cube in cubes]
                report(f"{name}, at most {longest} moves", times, "ms")
    for name in ("fto", "4x4x4"):
        measure_scrambles(name, arguments.scrambles, source)


def measure_scrambles(name: str, number: int, source: random.Random) -> None:
    """Print the times and lengths of scrambles of a puzzle with phases."""
    drawn = puzzle(name)
    prepared(name, lambda: drawn.scramble(source))
    scrambles, times = [], []
    for _ in range(number):
        began = time.process_time()
        scrambles.append(drawn.scramble(source))
        times.append(1e3 * (time.process_time() - began))
    report(f"{name}, scrambles", times, "ms")
    report(f"{name}, scrambles", [len(scramble.split()) for scramble in scrambles], "moves")


def measure_improvements(asked: Puzzle[Any], number: int, seconds: float, seed: int) -> None:
    """Print the first solutions of random states, when they are found, and the shortest ones after some seconds."""
    prepared(asked.title, lambda: next(iter(asked.improvements(asked.random_state(seed), timeout=600))))
    first, times, last = list[float](), list[float](), list[float]()
    for state in (asked.random_state(seed + 1 + k) for k in range(number)):
        began, lengths = time.perf_counter(), list[int]()
        with contextlib.suppress(SearchLimitError):
            for solution in asked.improvements(state, timeout=seconds):
                if not lengths:
                    times.append(time.perf_counter() - began)
                lengths.append(solution.length)
        if lengths:
            first.append(lengths[0])
            last.append(lengths[-1])
    print(f"{len(first)} of {number} states were solved: first solutions of {min(first)} to {max(first)} moves, after")
    print(f"{min(times):.1f} to {max(times):.1f} s, and of {min(last)} to {max(last)} moves after {seconds:g} s")
    for what, values, unit in (("first", first, "moves"), ("first", times, "s"), ("last", last, "moves")):
        report(f"{asked.title}, {what}", values, unit)


def prepared(name: str, first: Callable[[], object]) -> None:
    """Print how long the first question takes."""
    began = time.process_time()
    first()
    print(f"{name}: the first answer after {time.process_time() - began:.1f} s of processor time")


def solved(search: Puzzle[Any], cube: Any, longest: int) -> float:
    """Return the milliseconds until a cube is solved."""
    began = time.process_time()
    alg = search.solve(cube, max_length=longest)
    elapsed = time.process_time() - began
    assert alg.length <= longest
    assert cube.apply(alg).is_solved
    return 1e3 * elapsed


if __name__ == "__main__":
    main()
