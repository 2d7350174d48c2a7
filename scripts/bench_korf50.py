#!/usr/bin/env python3
"""Solve the fifty positions of the 24-puzzle of Korf and Felner (2002), and print them beside published nodes.

    python scripts/bench_korf50.py RESULTS [--seconds N] [--memory BYTES] [--workers N] [NUMBER ...]

RESULTS is a file with one JSON object per position. Positions that it contains are not searched again, unless they were
not solved and more seconds are allowed now; so the script can be ended and started again. Without numbers, the
positions are searched in the order of their published lengths. Tables are kept where `cubesolve` keeps them. The time
of the first position that is searched includes opening the tables, and building them where they are missing.

Nodes are all generated states, of all iterations. Korf and Felner generated 360,892,479,671 on average, with sets of
six pieces and their mirror images. The nodes of single positions are those of
https://domslee.com/2021/11/25/solving-the-24-puzzle, without the last iteration.

Where a position is not solved, its nodes are predicted: the mean growth of the last two iterations is continued to the
published length, and half of the last iteration counts. So some seconds for each position tell which of them an hour
solves.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import cubesolve
from cubesolve.errors import SearchLimitError

_POSITIONS = Path(__file__).parents[1] / "tests" / "data" / "korf50.json"
_FEWEST = 3  # iterations that tell how fast their nodes grow
_GOAL = " ".join(map(str, range(25)))
_PUBLISHED = {
    1: 3_949_323_558,
    2: 373_302_608_938,
    3: 68_097_975_369,
    4: 75_528_769_943,
    5: 6_508_216_548,
    6: 127_858_033_287,
    7: 330_453_737_334,
    8: 74_382_671_211,
    9: 492_114_567_189,
    10: 10_172_974_643_392,
}


def _positions() -> tuple[list[str], list[int]]:
    """Return the positions and their lengths."""
    data = json.loads(_POSITIONS.read_text())
    return [" ".join(map(str, tiles)) for tiles in data["instances"]], data["optimal"]


def _solved(puzzle: Any, state: str, options: argparse.Namespace) -> dict[str, Any]:
    """Search a position."""
    iterations: dict[int, int] = {}  # the number of nodes when each ended, or of all so far
    question = {"goal": _GOAL, "memory": options.memory, "workers": options.workers}
    began, busy = time.perf_counter(), time.process_time()
    found: dict[str, Any]
    try:
        alg = puzzle.solve(
            state,
            timeout=options.seconds,
            progress=lambda limit, nodes, _: iterations.update({limit: nodes}),
            **question,
        )
        found = {"moves": len(alg.split())}
    except SearchLimitError as error:
        found = {"at_least": error.at_least, "limit": options.seconds}
    seconds, processor = time.perf_counter() - began, time.process_time() - busy
    return {
        **found,
        "nodes": max(iterations.values(), default=0),
        "iterations": iterations,
        "seconds": round(seconds, 1),
        "processor": round(processor, 1),
    }


def _predicted(iterations: dict[str, int], length: int) -> float:
    """Return the number of nodes of a search that ends in the middle of the iteration of a length; NaN if unknown."""
    ended = sorted((int(limit), nodes) for limit, nodes in iterations.items())[:-1]  # the last one did not
    own = [(limit, nodes - before) for (limit, nodes), (_, before) in zip(ended[1:], ended, strict=False)]
    if len(own) < _FEWEST or own[-_FEWEST][1] <= 0:
        return float("nan")
    growth = (own[-1][1] / own[-_FEWEST][1]) ** (2 / (own[-1][0] - own[-_FEWEST][0]))  # limits differ by two moves
    total, nodes = float(ended[-1][1]), float(own[-1][1])
    for limit in range(own[-1][0] + 2, length + 1, 2):
        nodes *= growth
        total += nodes if limit < length else nodes / 2
    return total


def _print(found: dict[int, dict[str, Any]], lengths: list[int]) -> None:
    """Print the results as a table."""
    print("| position | published length | moves | nodes | published nodes ", end="")
    print("| elapsed s | processor s | M nodes/s | predicted nodes |")
    print("|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for number, each in sorted(found.items()):
        moves = each.get("moves", f"at least {each.get('at_least')}")
        published = f"{_PUBLISHED[number]:,}" if number in _PUBLISHED else "-"
        rate = each["nodes"] / max(each["processor"], 0.1) / 1e6
        print(f"| {number} | {lengths[number - 1]} | {moves} | {each['nodes']:,} | {published} ", end="")
        print(f"| {each['seconds']:,} | {each['processor']:,} | {rate:.1f} ", end="")
        print("| |" if "moves" in each else f"| {_predicted(each['iterations'], lengths[number - 1]):.1e} |")
    solved = sum("moves" in each for each in found.values())
    print(f"\n{solved} of {len(found)} positions solved; {len(lengths) - len(found)} not searched")


def main() -> None:
    """Search what is left, and print all results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--memory", type=int, default=4_000_000_000)
    parser.add_argument("--workers", type=int, default=None)
    parser.add_argument("numbers", nargs="*", type=int, metavar="NUMBER")
    options = parser.parse_intermixed_args()
    states, lengths = _positions()
    found: dict[int, dict[str, Any]] = {}
    for line in options.results.read_text().splitlines() if options.results.exists() else ():
        each = json.loads(line)
        found[each.pop("position")] = each
    order = options.numbers or sorted(range(1, len(states) + 1), key=lambda number: lengths[number - 1])
    known = {number for number, each in found.items() if "moves" in each or each["limit"] >= options.seconds}
    left = [number for number in order if number not in known]
    puzzle = cubesolve.puzzle("24-puzzle")
    for number in left:
        each = _solved(puzzle, states[number - 1], options)
        if each.get("moves", lengths[number - 1]) != lengths[number - 1]:
            raise SystemExit(f"position {number}: {each['moves']} moves instead of {lengths[number - 1]}")
        found[number] = each
        with options.results.open("a") as file:
            file.write(json.dumps({"position": number, **each}) + "\n")
        print(f"position {number}: {each}", flush=True)
    _print(found, lengths)


if __name__ == "__main__":
    main()
