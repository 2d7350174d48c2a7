"""Build a table of the fully coloured 3x3 tray, and print its distribution and the trays that need the most rolls.

Run it as `python scripts/record.py centre`; docs/record.md says what it takes. What was ended goes on with `--resume`.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from numpy.typing import NDArray

from cubesolve import Tablebase, Tray
from cubesolve.catalog import entry_named
from cubesolve.catalog.rolling.model import fixing
from cubesolve.rules.tables import UNREACHED, TableEntry
from cubesolve.store import build
from cubesolve.store.checkpoint import Checkpoint

PLACES = {"corner": (1, 1), "edge": (2, 1), "centre": (2, 2)}
FEW = 1_000_000  # states that are left, of which a list is kept
PART = 1 << 26  # bytes that are looked at at a time


class Last(Checkpoint):
    """Keeps the checkpoints of a build, and what is left when little is: in the end the last that are reached."""

    def __init__(self, entry: TableEntry, states: int, resume: bool) -> None:
        """Watch the build of a table."""
        super().__init__(entry, resume=resume)
        self.ranks: list[int] = []
        self._states = states

    def keep(self, table: NDArray[np.uint8], counts: tuple[int, ...]) -> None:
        """See `spaces.space.Keeper`."""
        super().keep(table, counts)
        if 0 < self._states - sum(counts) <= FEW:
            self.ranks = unseen(table)


def unseen(table: NDArray[np.uint8]) -> list[int]:
    """The ranks whose entries say that they have not been reached."""
    ranks = []
    for first in range(0, len(table), PART):
        part = table[first : first + PART]
        for byte in np.flatnonzero(part & part >> 1 & 0x55):
            number = 4 * (first + int(byte))
            ranks += [number + place for place in range(4) if part[byte] >> 2 * place & 3 == UNREACHED]
    return ranks  # the words of these tables have no room beyond the entries


def main() -> None:
    """Build, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("place", choices=PLACES)
    parser.add_argument("--resume", action="store_true")
    options = parser.parse_args()
    begun = time.monotonic()
    rules, entry = entry_named(f"rolling-full-3x3-{options.place}")
    start = Tray.start(PLACES[options.place], model="full")
    last = Last(entry, start.shape.states(start.plus), options.resume)

    def show(depth: int, found: int, so_far: int) -> None:
        print(f"{depth:4}{found:18,}{so_far:19,}{time.monotonic() - begun:8.0f} s", flush=True)

    path = build.write(entry, None, *build.make(rules, entry, show, keeper=last))
    last.remove()
    print(f"proved and written after {time.monotonic() - begun:.0f} s: {path}")
    graph, fixed = rules.graph_of(entry), start.shape.vacancy_cell(start.vacancy)
    classes = {}
    for rank in last.ranks:
        tray = graph.unrank(rank)
        likes = {tray.seen_by(symmetry) for symmetry in fixing(tray.shape, fixed)}
        classes[min(likes, key=str)] = len(likes)
    with Tablebase() as tables:
        for tray, number in classes.items():
            solution = tables.puzzle("rolling").solve(start, tray)
            print(f"{number} like {tray}: {len(solution)} rolls, {solution}")


if __name__ == "__main__":
    main()
