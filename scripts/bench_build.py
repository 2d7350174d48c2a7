"""Measure building and verifying tables: whole processes, each in an empty folder, with compiled kernels.

Run it with names of tables, such as ``python scripts/bench_build.py rubik-htm-medium``; without names it measures the
tables that `make tables` builds.
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

from cubesolve.catalog import tables_named
from cubesolve.store.folders import FOLDER_VARIABLE, find_table


class Took(NamedTuple):
    """The costs of a process.

    Attributes:
        seconds: wall time.
        processors: processor time in seconds.
        memory: the largest number of bytes of memory.
        files: the bytes of the files in its folder.
    """

    seconds: float
    processors: float
    memory: int
    files: int


def run(step: str, names: list[str]) -> Took:
    """Build tables in an empty folder, or verify existing ones, in a process of its own.

    Raises:
        SystemExit: the process failed.
    """
    with tempfile.TemporaryDirectory() as folder:
        if step == "verify":
            for name in tables_named(names):
                Path(folder, f"{name}.zst").symlink_to(os.path.abspath(find_table(name)))
        command = [sys.executable, "-m", "cubesolve", "tables", step, *names]
        started = time.perf_counter()
        process = subprocess.Popen(command, env={**os.environ, FOLDER_VARIABLE: folder}, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(process.returncode)
        files = sum(path.stat().st_size for path in Path(folder).iterdir())
    return Took(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, files)


def main() -> None:
    """Print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="tables; those that make tables builds by default")
    parser.add_argument("--verify", action="store_true", help="verify tables that are built instead of building them")
    parser.add_argument("--cold", action="store_true", help="do not compile kernels before")
    options = parser.parse_args()
    step = "verify" if options.verify else "build"
    machine()
    print(f"| cubesolve tables {step} | seconds | processor seconds | peak memory | files |")
    print("|---|--:|--:|--:|--:|")
    for names in [[name] for name in options.names] or [[]]:
        if not options.cold:
            run(step, names)
        took = run(step, names)
        memory, files = f"{took.memory / 1e6:,.0f} MB", f"{took.files / 1e6:,.1f} MB"
        figures = f"{took.seconds:.1f} | {took.processors:.1f} | {memory} | {files}"
        print(f"| {' '.join(names) or 'all default tables'} | {figures} |", flush=True)


if __name__ == "__main__":
    main()
