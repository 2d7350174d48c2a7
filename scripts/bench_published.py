#!/usr/bin/env python3
"""Solve sets of states that others publish, and compare each length with the published one.

    python scripts/bench_published.py SET [--short SECONDS] [--seconds SECONDS] [--states N ...] [--workers N]
    python scripts/bench_published.py

Sets are `cube3`, `puzzle15` and `puzzle24` of DeepCubeA, `korf100` and `korf50`, which are in `tests/data` with their
sources, and `random:PUZZLE:N:SEED`, random states of any puzzle. Each state is solved optimally, with `--seconds` for
at most so long; `--short` takes the shortest solution that is found in so many seconds instead. The script ends with an
error if a solution is not as long as published, or with `--short` if it is shorter.

The results are a file in `benchmarks/published`, or in `--folder`, with a line of JSON for each state. A state that is
in the file is not solved again, unless it was not solved and more seconds are allowed now; so the script can be
interrupted and started again. The order is that of the published nodes, or else of the published lengths, so that most
states of a set are solved soon; `--short` takes them in the order of the set. Tables are kept where `cubesolve` keeps
them, and opened before any time is taken.

Without a set, the script prints a table of all files, as docs/published.md has it. Means have their standard errors.
Processor time is that of all threads. Nodes are all states that the search generated, in all iterations; for the 3x3x3,
those that it expanded.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import random
import statistics
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bench import machine_text
from bench_samples import DATA, korf

import cubesolve
from cubesolve.ask import Puzzle
from cubesolve.errors import SearchLimitError

_FOLDER = Path(__file__).resolve().parents[1] / "benchmarks" / "published"
_FEW = 10  # lengths that have a line each
_WARM = 3_000_000  # nodes after which a search has opened its tables


class State(NamedTuple):
    """A state of a set, with what is published about it."""

    text: str
    length: int | None = None  # of an optimal solution
    nodes: int | None = None  # that another search generated


class Set(NamedTuple):
    """A set of states, in the order in which they are solved."""

    puzzle: str
    states: Mapping[int, State]  # by number, from 1 on
    options: Mapping[str, Any]


def _deepcubea(name: str) -> list[State]:
    """Return the states of a set of DeepCubeA."""
    states = json.loads((DATA / "deepcubea.json").read_text())[name]
    if name == "cube3":
        return [State(each["alg"], each["qtm"]) for each in states]
    return [State(" ".join(map(str, each["tiles"])), each["moves"], each.get("nodes")) for each in states]


def _korf(name: str) -> list[State]:
    """Return the positions of a set of Korf's."""
    return list(map(State, *korf(name)))


_SETS: Mapping[str, tuple[str, Callable[[str], list[State]], Mapping[str, Any]]] = {
    "cube3": ("rubik", _deepcubea, {"metric": "qtm"}),
    "puzzle15": ("15-puzzle", _deepcubea, {"memory": 1_000_000_000}),
    "puzzle24": ("24-puzzle", _deepcubea, {"memory": 4_000_000_000}),
    "korf100": ("15-puzzle", _korf, {"memory": 1_000_000_000}),
    "korf50": ("24-puzzle", _korf, {"memory": 4_000_000_000}),
}


def read_set(name: str, *, is_ordered: bool) -> Set:
    """Return a set by name."""
    if name.startswith("random:"):
        puzzle, number, seed = name.removeprefix("random:").rsplit(":", 2)
        rng, opened = random.Random(int(seed)), cubesolve.puzzle(puzzle)
        states = [State(str(opened.random_state(rng))) for _ in range(int(number))]
        return Set(puzzle, dict(enumerate(states, 1)), {})
    puzzle, read, options = _SETS[name]
    numbered = list(enumerate(read(name), 1))
    if is_ordered:
        numbered.sort(key=lambda each: each[1].nodes or each[1].length or 0)
    return Set(puzzle, dict(numbered), options)


def warm(puzzle: Puzzle[Any], options: Mapping[str, Any]) -> None:
    """Search for solutions of a random state, until all tables are open and all code is compiled."""
    enough = threading.Event()

    def watch(_: int, nodes: int, __: float) -> None:
        if nodes > _WARM:
            enough.set()

    state = puzzle.random_state(random.Random(0))
    with contextlib.suppress(SearchLimitError):
        puzzle.solve(state, cancel=enough, progress=watch, **options)


def solve(puzzle: Puzzle[Any], state: State, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the line of the results of a state."""
    iterations: dict[int, int] = {}
    began, busy = time.perf_counter(), time.process_time()
    solution, at_least = None, 0
    try:
        solution = puzzle.solve(
            state.text, progress=lambda limit, nodes, _: iterations.update({limit: nodes}), **options
        )
        at_least = solution.at_least
    except SearchLimitError as error:
        at_least = error.at_least
    seconds, processor = time.perf_counter() - began, time.process_time() - busy
    length = None
    if solution is not None:
        length = solution.length
        if not puzzle.parse(state.text).apply(solution).is_solved:
            raise SystemExit(f"{solution} does not solve {state.text}")
    return {
        "length": length,
        "published": state.length,
        "at_least": at_least,
        "seconds": round(seconds, 3),
        "processor": round(processor, 3),
        "nodes": max(iterations.values(), default=0),
        **({"published_nodes": state.nodes} if state.nodes else {}),
    }


def require_right(number: int, found: Mapping[str, Any], *, is_short: bool) -> None:
    """Reject a length that contradicts the published one."""
    length, published, at_least = found["length"], found["published"], found["at_least"]
    if length is not None and (length < at_least or (not is_short and length != at_least)):
        raise SystemExit(f"state {number}: {length} moves, and a proof of {at_least}")
    if published is None:
        return
    if at_least > published:
        raise SystemExit(f"state {number}: at least {at_least} moves instead of {published}")
    if length is not None and (length < published or (not is_short and length > published)):
        raise SystemExit(f"state {number}: {length} moves instead of {published}")


def read_results(path: Path) -> dict[int, dict[str, Any]]:
    """Return the lines of a file by the number of the state."""
    lines = map(json.loads, path.read_text().splitlines()) if path.exists() else ()
    return {each.pop("state"): each for each in lines if "state" in each}


def run(options: argparse.Namespace) -> Path:
    """Solve what is left of a set; return the file of the results."""
    is_short, limit = options.short is not None, options.short or options.seconds
    chosen = read_set(options.set, is_ordered=not is_short)
    if unknown := set(options.states or ()) - chosen.states.keys():
        raise SystemExit(f"{options.set} has no state {min(unknown)}")
    suffix = f"-{options.short:g}s" if is_short else ""
    path: Path = options.folder / f"{options.set.replace(':', '-')}{suffix}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    question = {**chosen.options, "workers": options.workers}
    found = read_results(path)
    left = [
        number
        for number in options.states or chosen.states
        if number not in found or (found[number]["length"] is None and found[number]["limit"] < (limit or math.inf))
    ]
    if not left:
        return path
    puzzle = cubesolve.puzzle(chosen.puzzle)
    warm(puzzle, question)
    if limit is not None:
        question["timeout"] = limit
    if is_short:
        question["within"] = 0
        solve(puzzle, State(str(puzzle.random_state(random.Random(1)))), question)  # opens its tables
    with path.open("a") as file:
        _write(file, {"machine": machine_text().split("\n"), "workers": options.workers, "load": os.getloadavg()})
        for number in left:
            line = {"state": number, **solve(puzzle, chosen.states[number], question)}
            if limit is not None:
                line["limit"] = limit
            print(line, flush=True)
            require_right(number, line, is_short=is_short)
            _write(file, line)
    return path


def _write(file: Any, line: Mapping[str, Any]) -> None:
    file.write(json.dumps(line) + "\n")
    file.flush()


def _figure(value: float) -> str:
    """Return a number with three digits."""
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value:.3g}"


def _mean(values: Sequence[float]) -> str:
    """Return a mean with its standard error."""
    mean = _figure(statistics.mean(values))
    return f"{mean} ± {_figure(statistics.stdev(values) / math.sqrt(len(values)))}" if len(values) > 1 else mean


def table(paths: Iterable[Path]) -> str:
    """Return a table with a line for each file, and for each length if there are few."""
    lines = [
        "| set | solved | moves | optimal | processor seconds: median | mean | largest | elapsed, mean "
        "| nodes: median | mean | largest | published nodes, mean |",
        f"|---|{'--:|' * 11}",
    ]
    for path in sorted(paths, key=lambda path: path.stem):
        found = list(read_results(path).values())
        solved = [each for each in found if each["length"] is not None]
        if not solved:
            continue
        if path.stem not in _SETS:  # random, or short
            lines.append(_row(path.stem, solved, len(found)))
            continue
        published = read_set(path.stem, is_ordered=False).states.values()
        lines.append(_row(path.stem, solved, len(published)))
        lines += _by_length(path.stem, solved, Counter(state.length or 0 for state in published))
    return "\n".join(lines)


def _by_length(title: str, solved: Sequence[Mapping[str, Any]], numbers: Mapping[int, int]) -> list[str]:
    """Return a line for each length if there are few, and one for the whole set as far as it can be estimated."""
    if len(numbers) > _FEW:
        return []
    strata = {length: [each for each in solved if each["published"] == length] for length in sorted(numbers)}
    lines = [_row(f"{title}, {length} moves", rows, numbers[length]) for length, rows in strata.items() if rows]
    every = sum(numbers.values())
    if len(solved) < every and all(min(2, numbers[length]) <= len(rows) for length, rows in strata.items()):
        processor, seconds, nodes = (_estimate(strata, numbers, name) for name in ("processor", "seconds", "nodes"))
        lines.append(f"| {title}, estimated | {every} | | | | {processor} | | {seconds} | | {nodes} | | |")
    return lines


def _estimate(strata: Mapping[int, Sequence[Mapping[str, Any]]], numbers: Mapping[int, int], name: str) -> str:
    """Return the mean of a whole set of which some states of each length are solved, with its standard error."""
    total, variance = 0.0, 0.0
    for length, rows in strata.items():
        values, number = [each[name] for each in rows], numbers[length]
        total += number * statistics.mean(values)
        if len(values) < number:
            variance += number * (number - len(values)) * statistics.variance(values) / len(values)
    every = sum(numbers.values())
    return f"{_figure(total / every)} ± {_figure(math.sqrt(variance) / every)}"


def _row(title: str, solved: Sequence[Mapping[str, Any]], number: int) -> str:
    processor, seconds, nodes = ([each[name] for each in solved] for name in ("processor", "seconds", "nodes"))
    optimal = sum(each["length"] == (each["published"] or each["at_least"]) for each in solved)
    theirs = [each["published_nodes"] for each in solved if "published_nodes" in each and "limit" not in each]
    cells = [
        title,
        f"{len(solved)} of {number}",
        f"{statistics.mean(each['length'] for each in solved):.2f}",
        f"{optimal / len(solved):.1%}",
        *(_figure(statistics.median(processor)), _mean(processor), _figure(max(processor))),
        _mean(seconds),
        *(_figure(statistics.median(nodes)), _mean(nodes), _figure(max(nodes))),
        _figure(statistics.mean(theirs)) if theirs else "",
    ]
    return f"| {' | '.join(cells)} |"


def _set_name(text: str) -> str:
    """Accept the name of a set."""
    if text in _SETS:
        return text
    kind, *rest = text.split(":")
    if kind != "random" or len(rest) < 3 or not (rest[-1].isdecimal() and rest[-2].isdecimal() and int(rest[-2])):
        raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(_SETS)}, random:PUZZLE:N:SEED")
    return text


def main() -> None:
    """Solve a set, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", nargs="?", type=_set_name, metavar="SET")
    parser.add_argument("--short", type=float, metavar="SECONDS")
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--states", type=int, nargs="+", metavar="N", help="only these states, by number from 1 on")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), metavar="N")
    parser.add_argument("--folder", type=Path, default=_FOLDER)
    options = parser.parse_args()
    print(table([run(options)] if options.set else options.folder.glob("*.jsonl")))


if __name__ == "__main__":
    main()
