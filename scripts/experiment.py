"""A whole experiment of docs/researchers.md: define a puzzle, learn from random walks, search, compare with optima.

No distance is used for training: the labels are the lengths of the walks. The network is one of PyTorch if that is
installed, otherwise one of numpy (scripts/train.py): ``OPENBLAS_NUM_THREADS=1 python scripts/experiment.py [STEPS]``.
"""

from __future__ import annotations

import importlib.util
import itertools
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from train import RATE, Network

from cubesolve import SearchLimitError, puzzle

PUZZLE = """
U := (1,2,4,3)(5,9,17,21)(6,10,18,22);
R := (2,23,14,10)(4,21,16,12)(5,6,8,7);
F := (3,5,14,20)(4,7,13,18)(9,10,12,11);
"""
"""The pocket cube: three faces, and the 21 stickers that their turns move."""

STEPS, LONGEST, STATES, MOST, ROWS = 1200, 14, 100, 30, 1_000
SEARCHES: tuple[tuple[str, int, bool], ...] = (
    ("beam", 1, False),
    ("beam", 10, False),
    ("beam", 100, False),
    ("beam", 100, True),
    ("bwas", 100, False),
)
PATTERN_PIECES = 3


def network(inputs: int, source: np.random.Generator) -> tuple[Callable[[Any], Any], Callable[[Any, Any, float], None]]:
    """Return a network, and a function that improves it by a step: from one-hot states, lengths, and a rate."""
    layers = (inputs, 256, 64, 1)
    if importlib.util.find_spec("torch") is None:
        own = Network(source, layers)
        return own, own.learn
    import torch  # noqa: PLC0415

    torch.set_num_threads(1)
    torch.manual_seed(int(source.integers(1 << 31)))
    parts = (torch.nn.Sequential(torch.nn.Linear(a, b), torch.nn.ReLU()) for a, b in itertools.pairwise(layers[:-1]))
    model = torch.nn.Sequential(torch.nn.Flatten(), *parts, torch.nn.Linear(*layers[-2:]))
    steps = torch.optim.Adam(model.parameters())

    def values(onehot: Any) -> Any:
        with torch.no_grad():
            return model(torch.from_numpy(onehot))

    def learn(onehot: Any, lengths: Any, rate: float) -> None:
        steps.param_groups[0]["lr"] = rate
        steps.zero_grad()
        wanted = torch.from_numpy(lengths.astype(np.float32))
        torch.nn.functional.mse_loss(model(torch.from_numpy(onehot))[:, 0], wanted).backward()
        steps.step()

    return values, learn


def main(steps: int) -> None:
    """Define, walk, train, search, and print a table."""
    with tempfile.NamedTemporaryFile("w", suffix=".gap") as file:
        file.write(PUZZLE)
        file.flush()
        asked = puzzle(file.name)
    arrays, source = asked.state_arrays(), np.random.default_rng(7)
    values, learn = network(arrays.points * arrays.labels, source)
    begun = time.process_time()
    for step in range(steps):
        walks = arrays.walks(ROWS, source.integers(0, LONGEST + 1, ROWS), rng=source)
        onehot = arrays.one_hot(walks.states).astype(np.float32)
        learn(onehot, walks.lengths, RATE * (1 - step / steps))
    made = "torch" if importlib.util.find_spec("torch") else "numpy"
    print(f"{steps:,} steps of {ROWS:,} walks with {made} in {time.process_time() - begun:.0f} s")
    states = arrays.states(arrays.random(STATES, rng=source))
    optimal = asked.depths(states)
    print(f"{STATES} random states of {asked.states:,}, {optimal.mean():.2f} moves on average")
    pieces = str(asked.parse("")).split()[:PATTERN_PIECES]
    heuristics: dict[str, tuple[str, Callable[[Any], Any]]] = {
        "network": ("onehot", values),
        "pattern database": ("labels", asked.pdb(" ".join(pieces))),
    }
    print(f"{'heuristic':16}  method  width  symmetric  solved  moves  optimal  ms each")
    for name, (takes, heuristic) in heuristics.items():
        for method, width, symmetric in SEARCHES:
            begun, lengths = time.process_time(), np.full(STATES, np.nan)
            for number, state in enumerate(states):
                options: dict[str, Any] = {"method": method, "width": width, "symmetric": symmetric}
                try:
                    found = asked.search(state, heuristic=heuristic, takes=takes, max_depth=MOST, timeout=10, **options)
                except SearchLimitError:
                    continue
                lengths[number] = found.length
            solved, each = np.isfinite(lengths), (time.process_time() - begun) / STATES
            mean = f"{lengths[solved].mean():.2f}" if solved.any() else ""
            best, folded = f"{(lengths == optimal).mean():.0%}", "yes" if symmetric else ""
            print(
                f"{name:16}  {method:6}  {width:5}  {folded:9}  {solved.mean():6.0%}  {mean:>5}  {best:>7}  "
                f"{1000 * each:7.0f}",
                flush=True,
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else STEPS)
