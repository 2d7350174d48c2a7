#!/usr/bin/env python3
"""Measure the time to the first answer after installation, without tables and compiled kernels.

    python scripts/bench_first.py [--rounds N] [--reuse-venv] [CHECKOUT]...

A wheel without tables is built from the last commit of each checkout, by default this one, with the machine code that
its `scripts/bundle.py` compiles. For each question it is installed in a fresh virtual environment, or with
`--reuse-venv` run with a fresh home; several checkouts take turns.
The output is the medians of the seconds, of the processor seconds, which are more reliable on a busy machine, and of
the largest memory in MB. The script needs only the standard library; pip installs the dependencies of the wheel.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RINGS = "docs/rings.tws"
CLOCK = "UR3+ DR2+ DL1+ UL4- U5+ R6+ D2- L3+ ALL4+ y2 U1- R2+ D3+ L4- ALL5+"
TILES = "2 13 12 9 / 7 15 1 14 / 8 4 6 10 / 11 5 3 0"
QUESTIONS = {
    "Ivy cube, 29,160 states": ["depth", "--puzzle", "ivy", "L R"],
    "Pyraminx Duo, 324 states": ["depth", "--puzzle", "pyraminx-duo", "R U"],
    "Floppy cube, 192 states": ["solve", "--puzzle", "floppy", "R2 F2"],
    "6 pancakes, 720 states": ["depth", "--puzzle", "pancake-6", "f3 f5"],
    "a definition of 282 states": ["depth", "--puzzle", RINGS, "L R L' R'"],
    "3x3x3, 8 moves": ["depth", "--puzzle", "rubik", "--format", "alg", "R U F D L B R U"],
    "3x3x3, 9 moves": ["depth", "--puzzle", "rubik", "--format", "alg", "R U2 F D L B R U2 F'"],
    "3x3x3, 10 moves": ["depth", "--puzzle", "rubik", "--format", "alg", "F2 R2 B2 R2 F U' B2 L2 U2 D"],
    "10 pancakes, 5 moves": ["solve", "--puzzle", "pancake-10", "f3 f10 f4 f7 f9"],
    "Skewb Diamond, 138,240 states": ["solve", "--puzzle", "skewb-diamond", "URF DBL' DLF DFR' ULB DLF' UBR"],
    "Clock, random": ["solve", "--puzzle", "clock", CLOCK],
    "Square-1, 6 twists": ["solve", "--puzzle", "square1", "(1,0) / (3,0) / (0,3) / (-3,-3) / (3,0) / (0,-3) /"],
    "15-puzzle, random": ["solve", "--puzzle", "tiles-4x4", TILES],
}


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts", nargs="*", type=Path, default=[Path(__file__).parents[1]], metavar="CHECKOUT")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--reuse-venv", action="store_true")
    arguments = parser.parse_args()
    checkouts = [path.resolve() for path in arguments.checkouts]
    with tempfile.TemporaryDirectory() as name:
        folders = [Path(name) / str(number) for number in range(len(checkouts))]
        for checkout, folder in zip(checkouts, folders, strict=True):
            _make_wheel(checkout, folder)
        print("".join([f"{'question':32}", *(f"{checkout.name:>24}" for checkout in checkouts)]))
        print(" " * 32 + f"{'s':>7}{'s of cpu':>9}{'MB':>8}" * len(checkouts))
        for what, question in QUESTIONS.items():
            times: list[list[tuple[float, float, float]]] = [[] for _ in folders]
            for _ in range(arguments.rounds):
                for folder, seconds in zip(folders, times, strict=True):
                    if not arguments.reuse_venv:
                        _install(folder)
                    seconds.append(_ask(folder, question))
            medians = [[statistics.median(each) for each in zip(*seconds, strict=True)] for seconds in times]
            print(f"{what:32}" + "".join(f"{s:7.2f}{used:9.2f}{mb:8.0f}" for s, used, mb in medians), flush=True)


def _run(*command: str | Path, cwd: Path) -> None:
    subprocess.run(command, cwd=cwd, check=True, stdout=subprocess.DEVNULL)


def _make_wheel(checkout: Path, folder: Path) -> None:
    """Build the wheel of the last commit, without tables, and install it once."""
    source = folder / "source"
    source.mkdir(parents=True)
    _run("git", "archive", "--output", folder / "source.tar", "HEAD", cwd=checkout)
    _run("tar", "-xf", folder / "source.tar", cwd=source)
    build = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, source)
    _run(*build, cwd=folder)
    _install(folder)
    if (source / "scripts" / "bundle.py").exists():  # it needs the dependencies, which are installed now
        _run(folder / "empty" / "bin" / "python", "scripts/bundle.py", "cubesolve/bundle", cwd=source)
        _run(*build, cwd=folder)
        _install(folder)


def _install(folder: Path) -> None:
    _run(sys.executable, "-m", "venv", "--clear", "empty", cwd=folder)
    (wheel,) = folder.glob("*.whl")
    _run(folder / "empty" / "bin" / "python", "-m", "pip", "install", "--quiet", wheel, cwd=folder)


def _ask(folder: Path, question: list[str]) -> tuple[float, float, float]:
    """Return the seconds that an answer takes, the processor seconds, and the largest memory of a process in MB."""
    with tempfile.TemporaryDirectory() as home:
        began, env = time.perf_counter(), {"HOME": home, "PATH": os.environ["PATH"]}
        command = [str(folder / "empty" / "bin" / "cubesolve"), *question]
        with subprocess.Popen(command, cwd=folder / "source", env=env, stdout=subprocess.DEVNULL) as asked:
            _, status, usage = os.wait4(asked.pid, 0)
            asked.returncode = os.waitstatus_to_exitcode(status)
        if asked.returncode:
            raise SystemExit(f"{' '.join(command)} ended with status {asked.returncode}")
    return time.perf_counter() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000


if __name__ == "__main__":
    main()
