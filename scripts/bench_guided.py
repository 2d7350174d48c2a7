"""Measure searches with a heuristic of one's own on Korf's hundred positions of the 15-puzzle, whose lengths are known.

Run it as ``python scripts/bench_guided.py [NUMBER]``. The heuristic is the Manhattan distance, written here with numpy,
so that lengths can be compared with those of other programs. Times are processor times. The output is kept in
benchmarks/output/guided.md.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np
from bench_samples import korf

from cubesolve import SearchLimitError, puzzle

SEARCHES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("greedy, without states seen before", {"method": "beam", "width": 1}),
    ("beam, width 10", {"method": "beam", "width": 10}),
    ("beam, width 100", {"method": "beam", "width": 100}),
    ("beam, width 1,000", {"method": "beam", "width": 1_000}),
    ("A*, weight 5, 1 at once", {"method": "bwas", "width": 1, "weight": 5.0}),
    ("A*, weight 3, 100 at once", {"method": "bwas", "width": 100, "weight": 3.0}),
    ("A*, weight 2, 1,000 at once", {"method": "bwas", "width": 1_000, "weight": 2.0}),
)
SECONDS, MOST = 60, 5_000
SIDE = 4


class Manhattan:
    """The Manhattan distance of the tiles.

    Attributes:
        states: the number of states for which it was computed.
    """

    def __init__(self) -> None:
        tiles, cells = np.arange(SIDE**2)[:, None] - 1, np.arange(SIDE**2)[None]
        self._distances = abs(tiles // SIDE - cells // SIDE) + abs(tiles % SIDE - cells % SIDE)
        self._distances[0] = 0
        self.states = 0

    def __call__(self, states: Any) -> Any:
        """Return the distances, integers (N,)."""
        self.states += len(states)
        return self._distances[states, np.arange(SIDE**2)].sum(axis=1)


def main(number: int) -> None:
    """Print the table."""
    tiles, (states, optimal) = puzzle("15-puzzle"), korf()
    states, optimal = states[:number], optimal[:number]
    print(f"{len(states)} positions, {np.mean(optimal):.2f} moves on average (Korf 1985), at most {SECONDS} s each\n")
    print("| search | solved | moves | of optimal | states | processor ms |\n|---|--:|--:|--:|--:|--:|")
    for name, options in SEARCHES:
        heuristic, lengths, begun = Manhattan(), list[int](), time.process_time()
        bests = list[int]()
        for state, best in zip(states, optimal, strict=True):
            try:
                found = tiles.search(state, heuristic=heuristic, max_depth=MOST, timeout=SECONDS, **options)
            except SearchLimitError:
                continue
            lengths.append(found.length)
            bests.append(best)
        each = 1000 * (time.process_time() - begun) / len(states)
        made = heuristic.states / len(states)
        mean = f"{np.mean(lengths):.2f} | {sum(lengths) / sum(bests):.3f}" if lengths else " | "
        print(f"| {name} | {len(lengths) / len(states):.0%} | {mean} | {made:,.0f} | {each:.0f} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
