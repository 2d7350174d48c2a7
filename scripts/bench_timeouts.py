"""Measure how late questions with a time-out end: each in a process of its own, without tables.

    python scripts/bench_timeouts.py [--timeout SECONDS] [--cold] [QUESTION ...]

Each question takes long for its puzzle. `--cold` empties the cache of kernels before each, so that they are compiled.
The output is the seconds from question to answer or error, and the excess over the time-out. A cancelled question is
one whose `cancel` is set after the same time.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cubesolve
from cubesolve.errors import SearchLimitError

POINTS, GENERATORS, CYCLE = 90, 21, 4  # 63 moves
FAR = "F2 R2 B2 R2 F U' B2 L2 U2 D F' U2 R' F' B2 R' D"
SKEWBS = 1 << 16
HARD_15 = "15 14 8 12/10 11 9 13/2 6 5 1/3 7 4 0"


def write_large(folder: str) -> str:
    """Return a puzzle of random permutations, whose group has about 10^138 members."""
    source = random.Random(24)
    path = Path(folder, "large.gap")
    orders = [source.sample(range(1, POINTS + 1), POINTS) for _ in range(GENERATORS)]
    cycles = [[order[i : i + CYCLE] for i in range(0, POINTS - CYCLE, CYCLE)] for order in orders]
    path.write_text(";\n".join("".join(f"({','.join(map(str, cycle))})" for cycle in each) for each in cycles))
    return str(path)


def _cycles(change: list[int]) -> str:
    text, seen = "", set[int]()
    for first in range(len(change)):
        cycle, point = list[int](), first
        while point not in seen:
            seen.add(point)
            cycle.append(point + 1)
            point = change[point]
        if len(cycle) > 1:
            text += f"({','.join(map(str, cycle))})"
    return text


def write_cube(folder: str) -> str:
    """Return the 4x4x4 with all stickers distinguished."""
    path = Path(folder, "cube.gap")
    path.write_text(";\n".join(f"{name} := {_cycles(change)}" for name, change in cube_turns(4).items()))
    return str(path)


def cube_turns(size: int) -> dict[str, list[int]]:
    """Return, for each turn of the outer half of the layers of a cube, the image of each point."""
    top, found = size - 1, {}
    stickers = {
        (face, position): number
        for number, (face, position) in enumerate(
            (face, tuple(p if axis != a else (top if sign > 0 else 0) for axis, p in enumerate(where)))
            for face in range(6)
            for a, sign in [(face // 2, 1 if face % 2 == 0 else -1)]
            for where in _places(size, a)
        )
    }
    for face, name in enumerate("RLUDFB"):
        axis, sign = face // 2, 1 if face % 2 == 0 else -1
        for layers in range(1, size // 2 + 1):
            change = list(range(len(stickers)))
            for (of, where), number in stickers.items():
                if (where[axis] > top - layers) if sign > 0 else (where[axis] < layers):
                    change[number] = stickers[_turned(of, axis, sign), _moved(where, axis, sign, top)]
            found[name if layers == 1 else f"{name}w"] = change
    return found


def _places(size: int, axis: int) -> list[tuple[int, ...]]:
    pairs = [(i, j) for i in range(size) for j in range(size)]
    return [(*pair[:axis], -1, *pair[axis:]) for pair in pairs]


def _moved(where: tuple[int, ...], axis: int, sign: int, top: int) -> tuple[int, ...]:
    a, b = (axis + 1) % 3, (axis + 2) % 3
    place = list(where)
    place[a], place[b] = (where[b], top - where[a]) if sign > 0 else (top - where[b], where[a])
    return tuple(place)


def _turned(face: int, axis: int, sign: int) -> int:
    direction = [0, 0, 0]
    direction[face // 2] = 1 if face % 2 == 0 else -1
    a, b = (axis + 1) % 3, (axis + 2) % 3
    turned = list(direction)
    turned[a], turned[b] = (direction[b], -direction[a]) if sign > 0 else (-direction[b], direction[a])
    at = next(i for i in range(3) if turned[i])
    return 2 * at + (turned[at] < 0)


def _walk(puzzle: Any, length: int = 60) -> str:
    source = random.Random(7)
    return " ".join(source.choice(puzzle.moves) for _ in range(length))


def _asked(name: str, puzzle: Callable[[], Any]) -> Callable[..., Any]:
    """Return a question about a state that is made beforehand."""
    made = puzzle()
    state = _walk(made)
    return lambda **limits: getattr(made, name)(state, **limits)


def questions(folder: str) -> dict[str, Callable[[], Callable[..., Any]]]:
    """The preparation of each question, which returns a function that takes the limits."""

    def large() -> Any:
        return cubesolve.puzzle(write_large(folder))

    def cube() -> Any:
        return cubesolve.puzzle(write_cube(folder))

    def skewb() -> Any:
        return cubesolve.puzzle("skewb").restrict(cost="R=2")  # without a stored table

    def of(make: Callable[[], Any], name: str, *given: Any, **question: Any) -> Callable[[], Callable[..., Any]]:
        def ready() -> Callable[..., Any]:
            puzzle = make()
            return lambda **limits: getattr(puzzle, name)(*given, **question, **limits)

        return ready

    def rolling() -> Any:
        return cubesolve.puzzle("rolling")

    def rubik() -> Any:
        return cubesolve.puzzle("rubik")

    def tiles() -> Any:
        return cubesolve.puzzle("tiles-4x4")

    far = rubik().parse(FAR, "alg")
    one = ["depth", "solve", "solutions", "count_solutions", "optimal_moves"]
    found: dict[str, Callable[[], Callable[..., Any]]] = {}
    for name in one:
        for title, make in (("large", large), ("4x4x4", cube)):
            found[f"{title} {name}"] = lambda name=name, make=make: _asked(name, make)  # type: ignore[misc]
        found[f"3x3x3 {name}"] = of(rubik, name, far)
        found[f"2x6 tray {name}"] = of(rolling, name, (1, 1), "WRWRWRWRWRWR/RWRWRWRWRWRE")
        found[f"15-puzzle {name}"] = of(tiles, name, tiles().random_state(7))
    found |= {
        "large scramble": of(large, "scramble", 1),
        "large random_state": of(large, "random_state", 1),
        "large distribution": of(large, "distribution"),
        "large depths": of(large, "depths", ["A B"]),
        "large restrict": of(large, "restrict", "(A B C)99 " * 300),
        "large towards": of(large, "towards", "1 * " + "* " * (POINTS - 2)),
        "large path": of(large, "path", "A B", "C D"),
        "4x4x4 scramble": of(cube, "scramble", 1),
        "4x4x4 two moves' depths": lambda: _asked("depths", lambda: cube().restrict("R Uw")),
        "4x4x4 parse": of(cube, "parse", "((R U)999)49", "alg"),
        "skewb whole": of(skewb, "whole"),
        "skewb open": of(lambda: cubesolve.puzzle("skewb"), "open"),
        "skewb table": of(lambda: cubesolve.puzzle("skewb"), "table", cubesolve.puzzle("skewb").usual_table()),
        "4x4x4 long alg": of(cube, "depth", "((R U)999)49"),
        "3x3x3 scramble": of(rubik, "scramble", 1),
        "3x3x3 scramble of a length": of(rubik, "scramble", 1, length=20),
        "3x3x3 within": of(rubik, "solve", far, within=0),
        "3x3x3 improvements": of(rubik, "improvements", far),
        "3x3x3 write": of(rubik, "write", far, "alg"),
        "3x3x3 bounds": of(rubik, "bounds", [far]),
        "3x3x3 cases": of(rubik, "cases", "ll"),
        "3x3x3 algs": of(rubik, "algs", "zbll"),
        "3x3x3 search": of(rubik, "search", far, heuristic=lambda states: (states == states[:, :1]).sum(axis=1)),
        "15-puzzle pdb": of(tiles, "pdb", "1 2 3 4 5"),
        "15-puzzle heuristic": of(tiles, "heuristic"),
        "3x3x3 towards": of(rubik, "towards", "cross"),
        "3x3x3 R U F depth": of(lambda: rubik().restrict("R U F"), "depth", rubik().parse("R U F" * 20, "alg")),
        "3x3x3 R U distribution": of(lambda: rubik().restrict("R U"), "distribution"),
        "2x10 tray depth": of(rolling, "depth", (1, 1), "WRWRWRWRWR/RWRWRWRWRE"),
        "4x5 tray depth": of(rolling, "depth", (1, 1), "WRWRW/RWRWR/WRWRW/RWRWE"),
        "4x4 tray depth, any": of(rolling, "depth", (1, 1), "****/****/****/***E"),
        "3x4 tray distribution": of(rolling, "distribution", tray=(3, 4)),
        "skewb depths": of(skewb, "depths", list(range(SKEWBS))),
        "skewb solve_batch": of(skewb, "solve_batch", list(range(SKEWBS))),
        "skewb optimal_moves_batch": of(skewb, "optimal_moves_batch", list(range(SKEWBS))),
        "skewb count_solutions_batch": of(skewb, "count_solutions_batch", list(range(SKEWBS))),
        "skewb neighbors": of(skewb, "neighbors", list(range(SKEWBS))),
        "skewb ranks": of(skewb, "ranks", list(range(SKEWBS))),
        "skewb sample": of(skewb, "sample", 100),
        "skewb transition_table": of(skewb, "transition_table"),
        "skewb solution_counts": of(skewb, "solution_counts"),
        "skewb antipodes": of(skewb, "antipodes"),
        "skewb scramble of a length": of(skewb, "scramble", 1, length=9),
        "skewb path": of(skewb, "path", "R U", "U R"),
    }
    return found


with tempfile.TemporaryDirectory() as _folder:
    NAMES = [*questions(_folder)]


def measure(name: str, timeout: float, cancelled: bool) -> dict[str, Any]:
    """Measure one question, in this process."""
    with tempfile.TemporaryDirectory() as folder:
        ask = questions(folder)[name]()
        event = threading.Event()
        limits: dict[str, Any] = {"cancel": event} if cancelled else {"timeout": timeout}
        timer = threading.Timer(timeout, event.set)
        timer.start()
        began = time.perf_counter()
        try:
            answer = ask(**limits)
            said = type(answer).__name__ if not hasattr(answer, "__next__") else f"{len(list(answer))} answers"
        except SearchLimitError as error:
            said = str(error)
        except (ValueError, LookupError) as error:
            said = f"{type(error).__name__}: {error}"
        seconds = time.perf_counter() - began
        timer.cancel()
    return {"seconds": seconds, "said": said}


def main() -> None:
    """Measure every question, or the named ones."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("questions", nargs="*")
    parser.add_argument("--timeout", type=float, default=0.5)
    parser.add_argument("--cold", action="store_true")
    parser.add_argument("--cancel", action="store_true")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.here:
        print(json.dumps(measure(arguments.questions[0], arguments.timeout, arguments.cancel)))
        return
    names = arguments.questions or NAMES
    latest = 0.0
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "CUBESOLVE_TABLES": folder}
            if arguments.cold:
                environment["CUBESOLVE_CACHE"] = folder
            command = [sys.executable, __file__, "--here", "--timeout", str(arguments.timeout), name]
            command += ["--cancel"] if arguments.cancel else []
            result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=600)
        if result.returncode:
            print(f"{name:32} {result.stderr.strip().splitlines()[-1]}")
            continue
        found = json.loads(result.stdout)
        late = 1000 * max(0.0, found["seconds"] - arguments.timeout)
        latest = max(latest, late)
        print(f"{name:32} {found['seconds']:7.2f} s {late:6.0f} ms late  {found['said'][:70]}", flush=True)
    print(f"at most {latest:.0f} ms late")


if __name__ == "__main__":
    main()
