"""Count the states of a puzzle at each depth on a cluster, and print the figures of docs/mathematicians.md.

Run it as `python scripts/cluster_count.py --tray 2x4 --model full` for rolling cubes, or with ``--puzzle`` and a name
or a file. Many states are counted up to symmetry. Workers are processes of this machine, by default three
(``--workers``), or those of the cluster with the scheduler ``--scheduler``.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import resource
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench import machine
from distributed import Client, LocalCluster

from cubesolve import Puzzle, puzzle
from cubesolve.catalog.rolling import read_size, read_vacancy
from cubesolve.counting import cluster
from cubesolve.definition.options import read_bytes
from cubesolve.errors import CubesolveError
from cubesolve.runtime import notices


def arguments() -> argparse.Namespace:
    """Return the arguments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--puzzle", help="a name or a file, instead of a tray")
    parser.add_argument("--cost", help="costs of moves, as for the command")
    parser.add_argument("--tray", default="2x3", help="rows and columns")
    parser.add_argument("--model", default="full")
    parser.add_argument("--start", default="1,1", help="the vacancy of the uniform start: column and row")
    parser.add_argument("--workers", type=int, default=3, help="processes of this machine")
    parser.add_argument("--scheduler", help="the address of a scheduler, instead of processes of this machine")
    parser.add_argument("--folder", help="where checkpoints are written between two levels")
    parser.add_argument("--resume", action="store_true", help="continue from the checkpoints there")
    parser.add_argument("--at-once", type=int, default=cluster.AT_ONCE, help="entries of packets in transit")
    parser.add_argument("--memory", type=read_bytes, help="memory limit of a worker, as 12GB")
    parser.add_argument("--out", type=Path, help="write a record to this .json file")
    return parser.parse_args()


@contextlib.contextmanager
def client_of(scheduler: str | None, workers: int) -> Iterator[Client]:
    """Start a cluster; dask does not limit the memory of its workers."""
    if scheduler:
        with Client(scheduler) as client:
            yield client
        return
    settings = {"n_workers": workers, "threads_per_worker": 1, "memory_limit": 0, "dashboard_address": ":0"}
    with LocalCluster(**settings) as processes, Client(processes) as client:
        yield client


def asked_of(given: argparse.Namespace) -> tuple[Puzzle, dict[str, Any]]:
    """Return the puzzle and the keywords of the question."""
    if given.puzzle:
        asked = puzzle(given.puzzle)
        return asked.restrict(cost=given.cost) if given.cost else asked, {}
    named = {"tray": read_size(given.tray), "model": given.model, "start": read_vacancy(given.start)}
    return puzzle("rolling"), named


def used() -> tuple[float, int]:
    """Return the processor time of this process, and its largest memory."""
    return time.process_time(), 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main() -> None:
    """Print the report."""
    given = arguments()
    machine()
    notices.listen(lambda message: print(message, flush=True), to_all=False)
    levels = list[cluster.DepthStatistics]()

    def show(level: cluster.DepthStatistics) -> None:
        levels.append(level)
        print(f"{level.depth:>5} {level.states:>17,} {level.sent:>17,} bytes {level.seconds:>9.1f} s", flush=True)

    asked, named = asked_of(given)
    with client_of(given.scheduler, given.workers) as client:
        before = time.perf_counter()
        how = {name: getattr(given, name) for name in ("folder", "resume", "at_once", "memory")}
        try:
            found = cluster.record(client, asked, progress=show, **how, **named)
        except CubesolveError as error:
            sys.exit(str(error))
        seconds = time.perf_counter() - before
        workers = client.run(used)
    if given.out:
        given.out.write_text(json.dumps(found, indent=1) + "\n")
    counts = found["distribution"]
    print(f"{sum(counts):,} states, {found['entries']:,} entries up to {found['symmetries']} symmetries")
    print(f"the greatest depth is {len(counts) - 1} with {counts[-1]:,}")
    largest = max(levels, key=lambda level: level.sent)
    print(f"sent: {sum(level.sent for level in levels):,} bytes, at most {largest.sent:,} for depth {largest.depth}")
    print(f"{seconds:.0f} s; processor time, and the most memory, of each worker:")
    for processor, memory in workers.values():
        print(f"  {processor:.0f} s, {memory:,} bytes")


if __name__ == "__main__":
    main()
