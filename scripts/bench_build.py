"""Measure how long tables take to build: whole processes, each in an empty folder, kernels compiled beforehand.

Run it with names of tables, such as ``python scripts/bench_build.py rubik-htm-medium``; without names it
builds the tables that `make tables` builds.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from bench import machine

from cubesolve.store.folders import FOLDER_VARIABLE


class Build(NamedTuple):
    """What one build took.

    Attributes:
        wall: seconds until the process ended.
        processors: seconds of all processors together.
        memory: bytes of memory at the most.
        file: bytes of the files that were written.
    """

    wall: float
    processors: float
    memory: int
    file: int


def build(names: list[str]) -> Build:
    """Build tables in an empty folder, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "cubesolve", "tables", "build", *names]
        started = time.perf_counter()
        process = subprocess.Popen(command, env={**os.environ, FOLDER_VARIABLE: folder}, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(process.returncode)
        file = sum(path.stat().st_size for path in Path(folder).iterdir())
    return Build(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, file)


def main() -> None:
    """Print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="tables; those that make tables builds by default")
    parser.add_argument("--cold", action="store_true", help="do not compile kernels beforehand")
    options = parser.parse_args()
    machine()
    print("| tables | seconds | seconds of processors | memory at the most | files |")
    print("|---|--:|--:|--:|--:|")
    for group in [[name] for name in options.names] or [[]]:
        if not options.cold:
            build(group)
        wall, processors, memory, file = build(group)
        title = " ".join(group) or "all that `make tables` builds"
        print(
            f"| {title} | {wall:.1f} | {processors:.1f} | {memory / 1e6:,.0f} MB | {file / 1e6:,.1f} MB |", flush=True
        )


if __name__ == "__main__":
    main()
