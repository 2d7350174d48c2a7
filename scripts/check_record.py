"""Check a record of counts: ``python scripts/check_record.py ivy.json [ivy.csv]``.

The record is that of ``cubesolve tables distribution --count --out ivy.json``. Checked are the sum of the counts; the
first levels, which are found without the space that was counted; and the solutions of the farthest states, which are
made move by move. A CSV file must have the same counts, as lines of a depth and a number, such as those of
``scripts/cayley.py`` or a b-file of the OEIS. ``--csv`` prints the counts as CSV instead.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cubesolve import Puzzle, puzzle
from cubesolve.errors import CubesolveError

NEEDED = {"puzzle", "question", "states", "distribution", "farthest"}
"""The keys of a record that are checked."""


def asked_about(spoken: str) -> Puzzle:
    """Return the puzzle that a command line names, with its other moves, costs and goal."""
    parser = argparse.ArgumentParser()
    parser.add_argument("name")
    for option in ("--moves", "--cost", "--goal"):
        parser.add_argument(option)
    parser.add_argument("--no-inverses", action="store_true")
    named = parser.parse_args(shlex.split(spoken))
    found = puzzle(named.name)
    if named.moves or named.cost or named.no_inverses:
        found = found.restrict(named.moves, named.cost, inverses=not named.no_inverses)
    return found.towards(named.goal) if named.goal else found


def counts_in(path: Path) -> list[int]:
    """Return the counts of a CSV file or a b-file, in the order of depths from 0.

    Raises:
        SystemExit: the depths are others.
    """
    rows = [list(map(int, re.findall(r"\d+", line))) for line in text_of(path).splitlines() if line[:1].isdigit()]
    if not rows or {len(row) for row in rows} != {2}:
        raise SystemExit(f"{path} has no lines of a depth and a number")
    if [depth for depth, _ in rows] != list(range(len(rows))):
        raise SystemExit(f"{path}: the depths are not 0, 1, 2 and so on")
    return [number for _, number in rows]


def text_of(path: Path) -> str:
    """Return the text of a file.

    Raises:
        SystemExit: it cannot be read.
    """
    try:
        return path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise SystemExit(f"{path} cannot be read: {reason}") from None


def record_in(path: Path) -> dict[str, Any]:
    """Return a record.

    Raises:
        SystemExit: the file cannot be read, or has no record.
    """
    try:
        record = json.loads(text_of(path))
    except ValueError:
        record = None
    if not isinstance(record, dict) or not record.keys() >= NEEDED:
        raise SystemExit(f"{path} is not a record of tables distribution --out")
    return record


def faults(record: dict[str, Any], levels: int) -> Iterator[str]:
    """Yield what is wrong with a record, and print what is right."""
    counts, farthest = record["distribution"], record["farthest"]
    if sum(counts) != record["states"]:
        yield f"the counts sum to {sum(counts):,} states, not {record['states']:,}"
    if farthest and sum(each["states"] for each in farthest) != counts[-1]:
        yield f"the farthest states are not {counts[-1]:,}"
    if record["question"].keys() - {"metric", "orientation"}:
        print("not checked: the first levels, and solutions, of a question with a tray, levels or another goal")
        return
    about = asked_about(record["puzzle"])
    if any(option.name == "levels" for option in about.rules.options):
        named = {name: value for name, value in record["question"].items() if name == "metric"}
        found = about.distribution(levels=levels, **named)
        print(f"first levels, from the moves alone: {', '.join(map(str, found))}")
        if list(found) != counts[: levels + 1]:
            yield f"the first counts are {counts[: levels + 1]}"
    yield from wrong_solutions(about, farthest or [], len(counts) - 1)


def wrong_solutions(about: Puzzle, farthest: list[dict[str, Any]], depth: int) -> Iterator[str]:
    """Yield which solutions do not solve their states in a number of moves."""
    solved = [each for each in farthest if "solution" in each and "*" not in each["state"]]
    for each in solved:
        if not about.parse(each["state"]).apply(each["solution"]).is_solved:
            yield f"{each['solution']} does not solve {each['state']}"
        if not about.rules.costs and about.rules.view.count(each["solution"]) != depth:
            yield f"{each['solution']} has not {depth} moves"
    print(f"solutions of farthest states, made move by move: {len(solved)} of {len(farthest)}")


def main() -> None:
    """Check a record, or print its counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("record", type=Path)
    parser.add_argument("counts", type=Path, nargs="?", help="a CSV file or a b-file")
    parser.add_argument("--csv", action="store_true")
    parser.add_argument("--levels", type=int, default=4, help="the number of first levels that are counted again")
    options = parser.parse_args()
    record = record_in(options.record)
    if options.csv:
        print("depth,states", *(f"{depth},{states}" for depth, states in enumerate(record["distribution"])), sep="\n")
        return
    try:
        found = list(faults(record, options.levels))
    except CubesolveError as error:  # as if the file of a definition is in another folder
        raise SystemExit(f"{options.record} cannot be checked: {error}") from None
    if options.counts and counts_in(options.counts) != record["distribution"]:
        found.append(f"{options.counts} has other counts")
    if found:
        raise SystemExit("\n".join(found))
    print(f"{record['states']:,} states, at most {len(record['distribution']) - 1} moves: no fault found")


if __name__ == "__main__":
    main()
