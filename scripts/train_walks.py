"""Learn a heuristic from random walks, search with it, and compare with optimal lengths: docs/learning.md.

No distance is used for training: the labels are the lengths of the walks. Needs only numpy: ``python
scripts/train_walks.py [STEPS]``.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from train import RATE, ROWS, Network

from cubesolve import SearchLimitError, puzzle

STEPS, LONGEST, STATES, MOST = 1200, 14, 100, 30
SEARCHES = (("beam", 1), ("beam", 10), ("beam", 100), ("bwas", 100))
PATTERN = "UFL URF UBR"


def main(steps: int) -> None:
    """Train, search, and print a table."""
    pocket, source = puzzle("pocket"), np.random.default_rng(7)
    arrays, network = pocket.state_arrays(), Network(source)
    start = time.perf_counter()
    for step in range(steps):
        lengths = source.integers(0, LONGEST + 1, ROWS)
        walks = arrays.walks(ROWS, lengths, rng=source)
        onehot = arrays.one_hot(walks.states).astype(np.float32)
        network.learn(onehot, walks.lengths.astype(np.uint8), RATE * (1 - step / steps))
    print(f"{steps:,} steps of {ROWS:,} walks in {time.perf_counter() - start:.0f} s")
    states = arrays.states(arrays.random(STATES, rng=source))
    optimal = np.array([pocket.depth(state) for state in states])
    print(f"{STATES} random states, {optimal.mean():.2f} moves on average")
    heuristics: dict[str, tuple[str, Callable[[Any], Any]]] = {
        "network": ("onehot", network),
        "pattern database": ("labels", pocket.pdb(PATTERN)),
    }
    print(f"{'heuristic':16}  method  width  solved  moves  optimal  ms each")
    for name, (takes, heuristic) in heuristics.items():
        for method, width in SEARCHES:
            begun, costs = time.process_time(), np.zeros(STATES)
            for number, state in enumerate(states):
                try:
                    found = pocket.search(
                        state, heuristic=heuristic, takes=takes, method=method, width=width, max_depth=MOST, timeout=10
                    )
                    costs[number] = found.length
                except SearchLimitError:
                    costs[number] = np.nan
            solved, each = np.isfinite(costs), (time.process_time() - begun) / STATES
            mean = f"{costs[solved].mean():.2f}" if solved.any() else ""
            best = f"{(costs == optimal).mean():.0%}"
            print(
                f"{name:16}  {method:6}  {width:5}  {solved.mean():6.0%}  {mean:>5}  {best:>7}  {1000 * each:7.0f}",
                flush=True,
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else STEPS)
