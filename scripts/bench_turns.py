"""Compare two commits by turns, and print how long the new one takes in units of the old one.

Run it as `python scripts/bench_turns.py OLD NEW`, where both are commits of this repository. Each is checked out into a
temporary folder, with tables and compiled kernels of its own, and measured with the same interpreter: once to warm up,
then by turns, OLD NEW OLD NEW. A ratio below 1 means that NEW is faster. Measures that a commit does not support are
listed.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]


class Measure(NamedTuple):
    """A measure.

    Attributes:
        what: its description.
        prepare: Python code that is run once in a process.
        ask: Python code that is repeated and measured.
        number: the number of repetitions in one process.
        tables: the arguments of `cubesolve tables build` before.
    """

    what: str
    prepare: str
    ask: str
    number: int
    tables: Sequence[str] = ("pocket-htm",)


_CUBES = """
import random
from cubesolve import PocketCube, lookup
source = random.Random(1)
cubes = [str(PocketCube.unrank(source.randrange(3674160))) for _ in range(500)]
"""
_RANKS = """
import numpy as np
from cubesolve import PocketCube, lookup
ranks = np.random.default_rng(1).integers(0, 3674160, 200000)
"""
_SKEWB = """
from cubesolve import lookup
puzzle = lookup.puzzle("skewb")
states = [str(puzzle.random_state(seed)) for seed in range(300)]
"""
_DEPTHS = """
try:
    from cubesolve.encodings.enumeration import enumerate_depths
except ImportError:
    from cubesolve.encodings.byte.enumeration import enumerate_depths
"""
_ENUMERATE = f"""{_DEPTHS}from cubesolve.catalog.pocket.spaces import pocket_space
try:
    from cubesolve.definition.notation import metric_moves
except ImportError:
    from cubesolve.notation import metric_moves
space = pocket_space(metric_moves("htm", "URF"))
"""
_DERIVED = f"""{_DEPTHS}from cubesolve.catalog import rules_named
from cubesolve.spaces import space_of
space = space_of(rules_named("skewb").graph())
"""
_TRAYS = f"""{_DEPTHS}from cubesolve.catalog import entry_named
from cubesolve.spaces import space_of
rules, entry = entry_named("rolling-corner")
space, starts = space_of(rules.graph_of(entry)), rules.graph_of(entry).starts
"""
_RUBIK = """
from cubesolve import RubikCube, lookup
algs = ["U F2 L' D B U2 R' F L2 D' B' U L", "R U2 B' L F D2 R' U B2 L' D F'", "F R' D2 B U' L2 F' R U B2 D' L"]
cubes = [RubikCube.from_alg(alg) for alg in algs]
"""

MEASURES = {
    "depth": Measure("depth of a pocket cube, from facelets", _CUBES, "for cube in cubes: lookup.depth(cube)", 5),
    "solve": Measure("solution of a pocket cube", _CUBES, "for cube in cubes: lookup.solve(cube)", 5),
    "skewb-depth": Measure(
        "depth of a Skewb, from text", _SKEWB, "for state in states: puzzle.depth(state)", 5, ("skewb",)
    ),
    "skewb-solve": Measure(
        "solution of a Skewb, from text", _SKEWB, "for state in states: puzzle.solve(state)", 5, ("skewb",)
    ),
    "ranks": Measure("depths of 200,000 ranks", _RANKS, "lookup.depths(ranks)", 20),
    "facelets": Measure(
        "depths of 200,000 cubes, from facelets",
        _RANKS + "rows = lookup.facelets(ranks, colours=range(6))",
        "lookup.depths(rows)",
        10,
    ),
    "batch": Measure("solve_batch of 200,000 ranks", _RANKS, "lookup.solve_batch(ranks)", 5),
    "process": Measure("`cubesolve depth`, the whole process", "", "", 5),
    "enumerate": Measure("enumerating the pocket cube, warm", _ENUMERATE, "enumerate_depths(space)", 5, ()),
    "enumerate-skewb": Measure("enumerating the Skewb, warm", _DERIVED, "enumerate_depths(space)", 5, ()),
    "enumerate-trays": Measure("enumerating rolling cubes, warm", _TRAYS, "enumerate_depths(space, starts)", 5, ()),
    "rubik": Measure(
        "three fixed 3x3x3 cubes",
        _RUBIK,
        "for cube in cubes: lookup.solve(cube, max_depth=13)",
        1,
        ("rubik-htm-small",),
    ),
}
_PROCESS = ("-m", "cubesolve", "depth", "UUUUBBRRRRFFDDDDFFLLLLBB")
_TIMED = """
import sys, time
exec(sys.argv[1])
exec(sys.argv[2])
code = compile(sys.argv[2], "ask", "exec")
begun = time.perf_counter()
for _ in range(int(sys.argv[3])):
    exec(code)
print(time.perf_counter() - begun)
"""


class AbsentError(Exception):
    """A commit does not support a measure."""


class Commit(NamedTuple):
    """A commit that is checked out.

    Attributes:
        name: the name of the commit.
        folder: the folder of the checkout.
    """

    name: str
    folder: Path

    @property
    def environment(self) -> Mapping[str, str]:
        """Return the environment of its processes: its code, its tables, its kernels."""
        own = {"PYTHONPATH": self.folder, "CUBESOLVE_TABLES": self.folder / "built", "CUBESOLVE_CACHE": self._cache}
        kernels = {"NUMBA_CACHE_DIR": self._cache / "kernels", "PYTHONSAFEPATH": "1"}
        # As after an installation: a process that compiles the sources anew spends half of its time on that.
        bytecode = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": self._cache / "bytecode"}
        return {**os.environ, **{name: str(value) for name, value in {**own, **kernels, **bytecode}.items()}}

    @property
    def _cache(self) -> Path:
        return self.folder.parent / f"{self.folder.name}-cache"

    def run(self, *arguments: str) -> str:
        """Return the output of a process.

        Raises:
            AbsentError: the process failed.
        """
        result = subprocess.run(
            [sys.executable, *arguments], env=self.environment, cwd=self.folder.parent, text=True, capture_output=True,
            check=False,
        )  # fmt: skip
        if result.returncode:
            raise AbsentError(result.stderr.strip().splitlines()[-1])
        return result.stdout

    def build(self, tables: Sequence[str]) -> None:
        """Build tables.

        Raises:
            AbsentError: it has no such tables.
        """
        if tables:
            self.run("-m", "cubesolve", "tables", "build", *tables)

    def seconds(self, name: str) -> float:
        """Return the seconds of one run of a measure.

        Raises:
            AbsentError: the commit does not support it.
        """
        measure = MEASURES[name]
        if not measure.ask:
            begun = time.perf_counter()
            for _ in range(measure.number):
                self.run(*_PROCESS)
            return time.perf_counter() - begun
        return float(self.run("-c", _TIMED, measure.prepare, measure.ask, str(measure.number)))


def checked_out(name: str, folder: Path) -> Commit:
    """Check a commit out into a folder."""
    folder.mkdir(parents=True)
    archive = subprocess.run(["git", "-C", str(ROOT), "archive", name], stdout=subprocess.PIPE, check=True)
    subprocess.run(["tar", "-x", "-C", str(folder)], input=archive.stdout, check=True)
    (folder / "built").mkdir()
    (folder.parent / f"{folder.name}-cache" / "kernels").mkdir(parents=True, mode=0o700)
    return Commit(name, folder)


def ratios(old: Commit, new: Commit, name: str, rounds: int) -> list[float]:
    """Return the ratios of the times of a measure, new to old, by turns.

    Raises:
        AbsentError: one of the commits does not support it.
    """
    for commit in (old, new):
        try:
            commit.build(MEASURES[name].tables)
            commit.seconds(name)  # warms up
        except AbsentError as error:
            raise AbsentError(f"not with {commit.name} ({error})") from None
    turns = [(old.seconds(name), new.seconds(name)) for _ in range(rounds)]
    return [after / before for before, after in turns]


def row(name: str, found: Sequence[float]) -> str:
    """A row of the table.

    >>> row("ranks", [1.0, 0.9, 1.1])
    '| depths of 200,000 ranks | 1.00 | 0.90 to 1.10 |'
    """
    first, _, third = statistics.quantiles(found, n=4) if len(found) > 1 else [*found] * 3
    return f"| {MEASURES[name].what} | {statistics.median(found):.2f} | {first:.2f} to {third:.2f} |"


def options() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", metavar="OLD")
    parser.add_argument("new", metavar="NEW")
    parser.add_argument("--rounds", type=int, default=7, help="how often each is measured; 7 without")
    parser.add_argument("--only", metavar="NAME", action="append", choices=list(MEASURES), help=", ".join(MEASURES))
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare, and print a Markdown table."""
    parser = options()
    said = parser.parse_args(arguments)
    if said.rounds < 1:
        parser.error("--rounds must be 1 or more")
    for name in (said.old, said.new):
        known = subprocess.run(
            ["git", "-C", str(ROOT), "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}"],
            stdout=subprocess.DEVNULL,
            check=False,
        )
        if known.returncode:
            parser.error(f"{name} is no commit of this repository")
    with tempfile.TemporaryDirectory(prefix="bench-turns-") as folder:
        old, new = (checked_out(name, Path(folder, which)) for which, name in (("old", said.old), ("new", said.new)))
        print(f"| {said.new} / {said.old}, {said.rounds} rounds | median | quartiles |\n|---|--:|---|", flush=True)
        for name in said.only or MEASURES:
            try:
                print(row(name, ratios(old, new, name, said.rounds)), flush=True)
            except AbsentError as error:
                print(f"| {MEASURES[name].what} | - | {error} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
