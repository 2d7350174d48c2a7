"""Measure environments: many puzzles at once, and the same with Gymnasium's vector environment of single ones.

Run it as `python scripts/bench_envs.py`, which takes some minutes. Actions are random, and everything is done by one
thread. Times are the best of several runs; only the ratios of one run are meaningful.
"""

from __future__ import annotations

import argparse
import functools
from typing import Any

import gymnasium
import numpy as np
from bench import machine, row, seconds

import cubesolve.envs  # noqa: F401  # registers what is measured

STEPS, RUNS = 20, 50  # of each environment in a run, and how many of these


def speed(envs: Any, steps: int, runs: int, warm: int) -> float:
    """Return the number of moves per second."""
    rng, most = np.random.default_rng(1), envs.single_action_space.n
    actions = [rng.integers(most, size=envs.num_envs) for _ in range(16)]
    envs.reset(seed=1)

    def run(times: int) -> None:
        for number in range(times):
            envs.step(actions[number % len(actions)])

    run(warm)
    moves: float = envs.num_envs * steps / seconds(functools.partial(run, steps), runs)
    return moves


def main() -> None:
    """Print the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--num-envs", type=int, default=4096)
    many = parser.parse_args().num_envs
    machine()
    for name in ("Pocket", "Skewb", "Rolling3x3"):
        print(f"{name}, {many:,} environments, moves a second")
        for observation in ("rank", "labels", "one-hot"):
            for answers in ("distance", ("distance", "optimal_moves")):
                named: dict[str, Any] = {"observation": observation, "answers": answers}
                native = gymnasium.make_vec(f"cubesolve/{name}-v0", many, **named)
                fast = speed(native, STEPS, RUNS, warm=1200)  # the labels of all states have been listed
                plain = gymnasium.make_vec(f"cubesolve/{name}-v0", many, vectorization_mode="sync", **named)
                slow = speed(plain, 1, 5, warm=1)
                what = f"{observation}, {answers if isinstance(answers, str) else ' and '.join(answers)}"
                row(what, f"{fast / 1e6:.1f} M/s", f"SyncVectorEnv {slow / 1e3:.1f} k/s, {fast / slow:,.0f} times")


if __name__ == "__main__":
    main()
