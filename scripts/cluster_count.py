"""Count the states of a puzzle at each depth on a cluster, and print the figures of docs/cluster.md.

Run it as `python scripts/cluster_count.py --tray 2x4 --model full` for rolling cubes, or with ``--puzzle`` and a name
or a file. Workers are processes of this machine, by default three (``--workers``), or those of the cluster with the
scheduler ``--scheduler``.
"""

from __future__ import annotations

import argparse
import contextlib
import resource
import time
from collections.abc import Iterator, Sequence

from bench import machine
from distributed import Client, LocalCluster

from cubesolve import cluster, puzzle
from cubesolve.catalog.rolling.classes import classes_of
from cubesolve.catalog.rolling.rules import read_size, read_vacancy
from cubesolve.catalog.rolling.spaces import rolling_space
from cubesolve.rolling import Tray
from cubesolve.spaces import space_of
from cubesolve.spaces.defined import derived
from cubesolve.spaces.derived import make_ready
from cubesolve.spaces.space import StateSpace
from cubesolve.spaces.symmetric import space_up_to_symmetry

MOST = 1 << 40  # states


def arguments() -> argparse.Namespace:
    """Return the arguments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--puzzle", help="a name or a file, instead of a tray")
    parser.add_argument("--cost", help="costs of moves, as for the command")
    parser.add_argument("--tray", default="2x3", help="rows and columns")
    parser.add_argument("--model", default="full")
    parser.add_argument("--start", default="1,1", help="the vacancy of the uniform start: column and row")
    parser.add_argument("--symmetric", action="store_true", help="up to symmetry; in trays, the vacancy stays")
    parser.add_argument("--workers", type=int, default=3, help="processes of this machine")
    parser.add_argument("--scheduler", help="the address of a scheduler, instead of processes of this machine")
    parser.add_argument("--folder", help="where shares are kept between two levels")
    parser.add_argument("--resume", action="store_true", help="go on from what is there")
    parser.add_argument("--at-once", type=int, default=1 << 30, help="entries that are told about at once")
    return parser.parse_args()


@contextlib.contextmanager
def client_of(scheduler: str | None, workers: int) -> Iterator[Client]:
    """Start a cluster; the memory of its workers is only limited by the machine."""
    if scheduler:
        with Client(scheduler) as client:
            yield client
        return
    settings = {"n_workers": workers, "threads_per_worker": 1, "memory_limit": 0, "dashboard_address": ":0"}
    with LocalCluster(**settings) as processes, Client(processes) as client:
        yield client


def derived_space(given: argparse.Namespace) -> tuple[StateSpace, Sequence[int]]:
    """Return the space of a puzzle, and the ranks of its solved states."""
    asked = puzzle(given.puzzle)
    graph = derived(asked.restrict(cost=given.cost).rules if given.cost else asked.rules).graph()
    found = space_up_to_symmetry(graph) if given.symmetric else None
    if found:
        return found.space, found.starts
    make_ready(graph)
    return space_of(graph), graph.starts


def tray_space(given: argparse.Namespace) -> tuple[StateSpace, Sequence[int]]:
    """Return the space of a tray, and the rank of its start."""
    start = Tray.start(read_vacancy(given.start), *read_size(given.tray), given.model)
    fixed = start.shape.vacancy_cell(start.vacancy) if given.symmetric else None
    rank = classes_of(start.shape, start.plus, fixed).rank(start)
    return rolling_space(start.shape, start.plus, MOST, fixed), [rank]


def used() -> tuple[float, int]:
    """Return the processor time of this process, and its largest memory."""
    return time.process_time(), 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main() -> None:
    """Print the report."""
    given = arguments()
    machine()
    space, starts = derived_space(given) if given.puzzle else tray_space(given)
    print(f"{space.states:,} entries, {space.counted:,} states; the starts are {starts}")
    levels = list[cluster.Level]()

    def show(level: cluster.Level) -> None:
        levels.append(level)
        print(f"{level.depth:>5} {level.states:>17,} {level.sent:>17,} bytes {level.seconds:>9.1f} s", flush=True)

    with client_of(given.scheduler, given.workers) as client:
        before = time.perf_counter()
        asked = {"folder": given.folder, "resume": given.resume, "at_once": given.at_once}
        counts = cluster.distribution(client, space, starts, progress=show, **asked)
        seconds = time.perf_counter() - before
        workers = client.run(used)
    print(f"{sum(counts):,} states, the greatest depth is {len(counts) - 1} with {counts[-1]:,}")
    largest = max(levels, key=lambda level: level.sent)
    print(f"sent: {sum(level.sent for level in levels):,} bytes, at most {largest.sent:,} for depth {largest.depth}")
    print(f"{seconds:.0f} s; processor time, and the most memory, of each worker:")
    for processor, memory in workers.values():
        print(f"  {processor:.0f} s, {memory:,} bytes")


if __name__ == "__main__":
    main()
