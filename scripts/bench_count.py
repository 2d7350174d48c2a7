"""Measure counting states by depth, whole processes: ``python scripts/bench_count.py domino topspin-13-4``.

Names are puzzles or files of definitions, also with options of the command: ``"lrx-12.tws --metric qtm"``. With
``--twsearch PROGRAM`` (https://github.com/cubing/twsearch), files are counted by ``twsearch -g`` as well, by turns.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
import time
from typing import NamedTuple

from bench import machine


class Counted(NamedTuple):
    """The result of a process.

    Attributes:
        levels: the number of states at each depth.
        seconds: wall time.
        processors: processor time in seconds.
        memory: the largest number of bytes of memory.
    """

    levels: list[int]
    seconds: float
    processors: float
    memory: int


# The largest memory of a process includes that of the process that started it, which is therefore a small one.
MEASURE = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print("used", used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)
sys.exit(code)
"""


def run(command: list[str], line: str) -> Counted:
    """Run a process whose output has the number of states of each depth in the last group of a pattern of lines.

    Raises:
        SystemExit: the process failed.
    """
    started = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", MEASURE, *command], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.returncode)
    seconds = time.perf_counter() - started
    *lines, used = done.stdout.splitlines()
    _, processors, memory = used.split()
    levels = [int(match[match.re.groups]) for text in lines if (match := re.match(line, text))]
    return Counted(levels, seconds, float(processors), int(memory))


def main() -> None:
    """Print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="+", metavar="PUZZLE")
    parser.add_argument("--twsearch", metavar="PROGRAM")
    options = parser.parse_args()
    machine()
    print("| puzzle | states | greatest depth | program | seconds | processor seconds | peak memory |")
    print("|---|--:|--:|---|--:|--:|--:|")
    for name in options.names:
        count = [sys.executable, "-m", "cubesolve", "tables", "distribution", "--count"]
        ours = [*count, "--puzzle", *shlex.split(name)]
        commands = {"cubesolve": (ours, r"(\d+) (\d+)$")}
        if options.twsearch and os.path.isfile(name):
            commands["twsearch -g"] = ([options.twsearch, "--nowrite", "-g", name], r"Dist (\d+) cnt (\d+)")
        found = {program: run(*command) for program, command in commands.items()}
        deepest = len(found["cubesolve"].levels) - 1
        for program, took in found.items():
            if [each for each in took.levels if each] != found["cubesolve"].levels:
                raise SystemExit(f"{program} has other numbers for {name}: {took.levels}")
            figures = f"{took.seconds:.1f} | {took.processors:.1f} | {took.memory / 1e6:,.0f} MB"
            print(f"| {name} | {sum(took.levels):,} | {deepest} | {program} | {figures} |", flush=True)


if __name__ == "__main__":
    main()
