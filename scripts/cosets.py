"""Solve whole cosets of the 3x3x3, and print the cubes that are solved in each number of moves.

    python scripts/cosets.py kociemba "R U F"
    python scripts/cosets.py urf "R U F" --search-to 17
    python scripts/cosets.py urf --cosets 0-999 --out first.csv

The first command takes 6.9 GB of memory, the others 0.5 GB. `kociemba` are cosets of the subgroup that U, D, R2, L2, F2
and B2 generate; `urf` are cosets of the oriented cubes among those that U, R and F generate. Up to `--search-to` moves,
all algs are tried, and the numbers are exact; beyond it, they are lower bounds.

The last command solves the cosets of `urf` whose numbers, of 0 to 186,623, are in a range. It appends a line for each
to a file, and omits those that the file has: the same command continues an interrupted run. Processes and machines can
share the work, with a range and a file for each. With `--cover 1`, only cosets are solved from which at most one move
leads to all others, and so on: if their cubes are solved in d moves, all are solved in d + 1. With `--at-most d`, those
that take more are solved again, with a search that goes a move further; the last line of a coset counts.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from cubesolve.catalog.rubik.coset_coordinates import SUBGROUPS
from cubesolve.catalog.rubik.cosets import CosetLevel, CosetSolver
from cubesolve.catalog.rubik.cube import RubikCube
from cubesolve.errors import CubesolveError

SEARCH_TO = {"kociemba": 15, "urf": 16}
SCRAMBLES = {
    "kociemba": "D2 R F' U L2 B' R2 D' F L U2 B D2 R' F2 U' L B2 R D",
    "urf": "R U2 F' R2 U F2 R' U F R2 U' F' R U' F2 R' U2 F R F2",
}
COSETS = 186_624  # of urf
COLUMNS = ["coset", "searched to", "moves", "cubes solved in 0, 1, ... moves"]


def shown(levels: Iterator[CosetLevel]) -> Iterator[CosetLevel]:
    """Print the levels of a coset."""
    before, begun = 0, (time.monotonic(), time.process_time())
    print(f"{'moves':>5}{'cubes':>16}{'so far':>16}{'seconds':>9}{'processor s':>15}")
    for level in levels:
        now = time.monotonic(), time.process_time()
        new = f"{level.reached - before:,}" if level.searched else f"({level.reached - before:,})"
        print(
            f"{level.depth:5}{new:>16}{level.reached:16,}{now[0] - begun[0]:9.2f}{now[1] - begun[1]:15.2f}", flush=True
        )
        before, begun = level.reached, now
        yield level


def solve_one(solver: CosetSolver, alg: str, search_to: int) -> None:
    """Solve the coset of a cube, and print it."""
    cubies = RubikCube.from_alg(alg).cubies
    print(f"coset {solver.number(cubies):,} of {solver.cosets:,}, with {solver.cubes:,} cubes: {alg}")
    begun = time.monotonic(), time.process_time()
    *_, last = shown(solver.levels(cubies, search_to))
    took, processors = time.monotonic() - begun[0], time.process_time() - begun[1]
    print(f"All cubes are solved in at most {last.depth} moves; all algs of up to {search_to} were tried.")
    print(f"{solver.cubes / took:,.0f} cubes a second, {solver.cubes / processors:,.0f} a processor second")


def solved_in(path: Path) -> dict[int, list[str]]:
    """Return the lines of a file by coset; an incomplete last line is removed."""
    text = path.read_text("utf-8") if path.exists() else ""
    complete = text[: text.rfind("\n") + 1]
    if complete != text:
        os.truncate(path, len(complete.encode()))
    rows = list(csv.reader(complete.splitlines()))
    if rows and rows[0] != COLUMNS:
        sys.exit(f"{path} is not a file of this script: its first line is {','.join(rows[0])!r}")
    return {int(row[0]): row for row in rows[1:]}


def solve_range(
    solver: CosetSolver, chosen: Sequence[int], number: int, path: Path, search_to: int, at_most: int | None
) -> None:
    """Solve those of some cosets that a file does not have, append them to it, and print a summary.

    Args:
        solver: the solver.
        chosen: the numbers of the cosets.
        number: the number of all cosets that have to be solved, with those of other ranges.
        path: the file.
        search_to: see `CosetSolver.levels`.
        at_most: if the cubes of a coset take more moves, it is solved again, with a search that goes one move further.
    """
    done = solved_in(path)

    def is_done(coset: int) -> bool:
        if coset not in done:
            return False
        searched, moves = int(done[coset][1]), int(done[coset][2])
        return at_most is None or moves <= max(at_most, searched)  # with all algs of so many moves, it is exact

    remaining = [coset for coset in chosen if not is_done(coset)]
    begun = time.monotonic(), time.process_time()
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if not file.tell():
            writer.writerow(COLUMNS)
        for coset in remaining:
            while not is_done(coset):
                to = int(done[coset][1]) + 1 if coset in done else search_to
                levels = list(solver.levels(solver.representative(coset), to))
                reached = " ".join(str(level.reached) for level in levels)
                done[coset] = [str(each) for each in (coset, to, levels[-1].depth, reached)]
                writer.writerow(done[coset])
                file.flush()
                print(f"coset {coset}: at most {levels[-1].depth} moves", file=sys.stderr)
    bounds = [int(done[coset][2]) for coset in chosen]
    shown = ", ".join(f"{bounds.count(bound):,} at most {bound}" for bound in sorted(set(bounds)))
    print(f"{len(chosen):,} cosets, and the moves in which all of their cubes are solved: {shown}")
    if remaining:
        each = (time.monotonic() - begun[0]) / len(remaining)
        of_processors = (time.process_time() - begun[1]) / len(remaining)
        print(f"{each:.2f} seconds a coset, {of_processors:.2f} of processor time")
        days = number * each / 86400, number * of_processors / 86400
        print(f"all {number:,} would take {days[0]:.2f} days, {days[1]:.2f} of processor time")


def numbers(text: str) -> range:
    """Read a range of cosets."""
    first, _, last = text.partition("-")
    if not (first.isdecimal() and last.isdecimal() and int(first) <= int(last) < COSETS):
        raise argparse.ArgumentTypeError(f"expected two numbers up to {COSETS - 1} such as 0-999, not {text!r}")
    return range(int(first), int(last) + 1)


def main() -> None:
    """Solve the coset of an alg, or a range of cosets."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("subgroup", choices=SUBGROUPS)
    parser.add_argument("alg", nargs="?", help="leads to a cube of the coset; by default a scramble, always the same")
    parser.add_argument("--search-to", type=int, metavar="MOVES", help="try all algs of at most so many moves")
    parser.add_argument("--threads", type=int, metavar="N", help="by default one for each processor")
    parser.add_argument("--cosets", type=numbers, metavar="A-B", help="solve these cosets of urf")
    parser.add_argument(
        "--cover", type=int, metavar="MOVES", help="only so many that at most MOVES lead from them to all others"
    )
    parser.add_argument(
        "--at-most", type=int, metavar="MOVES", help="search further in cosets that take more than MOVES"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="the file for them, as CSV")
    options = parser.parse_args()
    if options.cosets and (options.subgroup != "urf" or options.alg is not None or not options.out):
        parser.error("--cosets goes with urf and --out, and without an alg")
    if not options.cosets and {options.out, options.cover, options.at_most} != {None}:
        parser.error("--out, --cover and --at-most go with --cosets")
    if options.cover is not None and options.cover < 1:
        parser.error("--cover is at least 1")
    search_to = SEARCH_TO[options.subgroup] if options.search_to is None else options.search_to
    try:
        solver = CosetSolver(options.subgroup, options.threads)
        if options.cosets:
            every = range(COSETS) if options.cover is None else solver.covering(options.cover)
            chosen = [coset for coset in every if coset in options.cosets]
            solve_range(solver, chosen, len(every), options.out, search_to, options.at_most)
        else:
            solve_one(solver, SCRAMBLES[options.subgroup] if options.alg is None else options.alg, search_to)
    except (CubesolveError, ValueError, OSError) as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
