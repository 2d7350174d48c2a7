"""Build the table of the fully coloured 3x3 tray, and print the trays that need the most rolls.

Run it as `python scripts/record.py centre`; docs/record.md has the memory that it takes. `--resume` continues an
interrupted run. `cubesolve tables distribution --count` counts the states without a table.
"""

from __future__ import annotations

import argparse
import time

from cubesolve import Tablebase, Tray
from cubesolve.catalog import entry_named
from cubesolve.catalog.rolling.model import fixing
from cubesolve.encodings.counting import Farthest
from cubesolve.spaces import space_of
from cubesolve.store import build
from cubesolve.store.checkpoint import Checkpoint

PLACES = {"corner": (1, 1), "edge": (2, 1), "centre": (2, 2)}


def main() -> None:
    """Build the table, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("place", choices=PLACES)
    parser.add_argument("--resume", action="store_true")
    options = parser.parse_args()
    begun = time.monotonic()
    rules, entry = entry_named(f"rolling-full-3x3-{options.place}")
    graph, start = rules.graph_of(entry), Tray.start(PLACES[options.place], model="full")

    def show(depth: int, found: int, so_far: int) -> None:
        print(f"{depth:4}{found:18,}{so_far:19,}{time.monotonic() - begun:8.0f} s", flush=True)

    checkpoint = Checkpoint(entry, resume=options.resume)
    last = Farthest(space_of(graph), 2, checkpoint)
    path = build.write(entry, None, *build.make(rules, entry, show, checkpointer=last))
    print(f"proved and written after {time.monotonic() - begun:.0f} s: {path}")
    checkpoint.remove()
    classes, fixed = {}, start.shape.vacancy_cell(start.vacancy)
    for rank in last.newest.tolist():
        tray = graph.unrank(rank)
        likes = {tray.image_under(symmetry) for symmetry in fixing(tray.shape, fixed)}
        classes[min(likes, key=str)] = len(likes)
    with Tablebase() as tables:
        for tray, number in classes.items():
            solution = tables.puzzle("rolling").solve(start, tray)
            print(f"{number} like {tray}: {len(solution)} rolls, {solution}")


if __name__ == "__main__":
    main()
