"""Measure environments: many puzzles at once, and the same with Gymnasium's vector environment of single ones.

Run it as `python scripts/bench_envs.py`, which takes some minutes; with `--rows`, it measures puzzles without a table
alone, by turns with a gather in numpy, and with cayleypy if it is installed. Actions are random, and everything is done
by one thread. Times are the best of several runs, of the processor; only the ratios of one run are meaningful.
"""

from __future__ import annotations

import argparse
import functools
import importlib.util
import time
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from bench import machine, row

import cubesolve.learn.envs
from cubesolve import puzzle
from cubesolve.solvers.state_arrays import StateArrays, States
from cubesolve.spaces.defined import derived

STEPS, RUNS = 20, 20  # of each environment in a run, and how many of these


def seconds(task: Callable[[], object], runs: int) -> float:
    """Return the least processor time of several runs."""
    best = float("inf")
    for _ in range(runs):
        begun = time.process_time()
        task()
        best = min(best, time.process_time() - begun)
    return best


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


def repeat(run: Callable[[], object]) -> None:
    """Run a task several times, so that its arrays are in the processor's cache as in a loop of a user."""
    for _ in range(STEPS):
        run()


def by_cayleypy(arrays: StateArrays, rows: States) -> Callable[[], object]:
    """Return a function that finds the neighbours of states with cayleypy, which agree with ours."""
    import torch  # noqa: PLC0415  # only where it is installed
    from cayleypy import CayleyGraph, CayleyGraphDef  # noqa: PLC0415

    torch.set_num_threads(1)
    solved = arrays.solved.tolist()
    definition = CayleyGraphDef.create(arrays.permutations.tolist(), list(arrays.moves), solved)
    graph = CayleyGraph(definition, device="cpu")
    encoded = graph.encode_states(torch.tensor(rows.astype(np.int64)))
    found = graph.decode_states(graph.get_neighbors(encoded)).numpy().reshape(-1, *rows.shape)  # by move
    assert (found.swapaxes(0, 1) == arrays.neighbors(rows)).all()
    return lambda: graph.get_neighbors(encoded)


def measure_rows(name: str, many: int) -> None:
    """Print how many moves of rows of labels are made a second, by turns with numpy."""
    asked = puzzle(name)
    arrays = asked.state_arrays()
    rows, numbers = (
        arrays.walks(many, 20, rng=1).states,
        np.random.default_rng(1).integers(len(arrays.moves), size=many),
    )
    sources = np.array([list(move.effects[0].sources) for move in derived(asked.rules).graph().unrotated_moves])
    tasks: dict[str, tuple[int, Callable[[], object]]] = {
        "numpy's gather": (1, lambda: np.take_along_axis(rows, sources[numbers], axis=1)),
        "apply": (1, lambda: arrays.apply(rows, numbers, workers=1)),
        "neighbors": (len(arrays.moves), lambda: arrays.neighbors(rows, workers=1)),
        "walks of 20 moves": (20, lambda: arrays.walks(many, 20, rng=1)),
    }
    if importlib.util.find_spec("cayleypy") is not None:
        tasks["cayleypy's get_neighbors"] = (len(arrays.moves), by_cayleypy(arrays, rows))
    best = dict.fromkeys(tasks, float("inf"))
    for _ in range(RUNS):
        for task, (_, run) in tasks.items():
            best[task] = min(best[task], seconds(functools.partial(repeat, run), 1) / STEPS)
    print(f"{name}, {many:,} rows of {arrays.points} labels, moves a second")
    for task, (moves, _) in tasks.items():
        row(task, f"{many * moves / best[task] / 1e6:.1f} M/s")
    row("random states", f"{many / seconds(lambda: arrays.random(many, rng=1), 3) / 1e6:.2f} M/s")
    for observation, copy in (("labels", True), ("one-hot", True), ("one-hot", False)):
        envs = cubesolve.learn.envs.PuzzleVectorEnv(asked, many, observation=observation, walk=20, copy=copy)
        which = observation if copy else f"{observation}, copy=False"
        row(f"environments, {which}", f"{speed(envs, STEPS, RUNS, warm=2) / 1e6:.1f} M/s")


def main() -> None:
    """Print the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--num-envs", type=int, default=4096)
    parser.add_argument("--rows", action="store_true", help="measure only puzzles without a table")
    options = parser.parse_args()
    many = options.num_envs
    machine()
    for name in ("rubik", "4x4x4", "megaminx"):
        measure_rows(name, many)
    if options.rows:
        return
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
