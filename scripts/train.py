"""Train a small network on the pocket cube, evaluate it on all states, and solve with it: docs/learning.md.

Needs only numpy: ``python scripts/train.py [STEPS]``. On a busy machine, one thread for matrix products is faster than
several: ``OPENBLAS_NUM_THREADS=1``.
"""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cubesolve import lookup
from cubesolve.learn.research import evaluate

Array = NDArray[np.float32]

LAYERS = (144, 256, 64, 1)
ROWS, STEPS = 1000, 5000
RATE, KEPT = 2e-3, (0.9, 0.999)  # of Adam


class Network:
    """A network that estimates depths from facelets, each of which is one of six numbers."""

    def __init__(self, source: np.random.Generator, layers: Sequence[int] = LAYERS) -> None:
        """Start with random weights; layers have the given numbers of neurons."""
        pairs = list(itertools.pairwise(layers))
        self.weights = [source.normal(0, (2 / a) ** 0.5, (a, b)).astype(np.float32) for a, b in pairs]
        self.shifts = [np.zeros(b, np.float32) for _, b in pairs]
        self.steps = 0
        self.means = [np.zeros_like(each) for each in self.weights + self.shifts]
        self.squares = [np.zeros_like(each) for each in self.weights + self.shifts]

    def layers(self, onehot: Array) -> list[Array]:
        """Return the output of each layer, the input first."""
        found = [onehot.reshape(len(onehot), -1)]
        for weights, shifts in zip(self.weights[:-1], self.shifts[:-1], strict=True):
            found.append(np.maximum(found[-1] @ weights + shifts, 0))
        return [*found, found[-1] @ self.weights[-1] + self.shifts[-1]]

    def __call__(self, onehot: Array) -> Array:
        """Return the estimates, float32 (N,)."""
        return self.layers(onehot)[-1][:, 0]

    def learn(self, onehot: Array, depths: NDArray[np.uint8], rate: float) -> None:
        """Reduce the mean squared error by a step."""
        layers = self.layers(onehot)
        error = (layers[-1] - depths[:, None].astype(np.float32)) * np.float32(2 / len(depths))
        of_weights: list[Array] = []
        of_shifts: list[Array] = []
        for number in range(len(self.weights) - 1, -1, -1):
            of_weights.insert(0, layers[number].T @ error)
            of_shifts.insert(0, error.sum(axis=0))
            error = (error @ self.weights[number].T) * (layers[number] > 0)
        self.steps += 1
        scale = np.float32(rate * (1 - KEPT[1] ** self.steps) ** 0.5 / (1 - KEPT[0] ** self.steps))
        for number, gradient in enumerate(of_weights + of_shifts):
            self.means[number] += (1 - KEPT[0]) * (gradient - self.means[number])
            self.squares[number] += (1 - KEPT[1]) * (gradient**2 - self.squares[number])
            step = scale * self.means[number] / (np.sqrt(self.squares[number]) + np.float32(1e-8))
            (self.weights + self.shifts)[number][...] -= step


def train(steps: int, seed: int = 7) -> Network:
    """Return a network trained on a number of batches: one half random states, the other half random depths."""
    source = np.random.default_rng(seed)
    network, symbols = Network(source), np.eye(6, dtype=np.float32)
    for step in range(steps):
        ranks = lookup.sample(ROWS, rng=source)
        ranks[: ROWS // 2] = lookup.sample(ROWS // 2, depth=source.integers(12, size=ROWS // 2), rng=source)
        onehot = symbols[lookup.facelets(ranks, colours=range(6))]
        network.learn(onehot, lookup.depths(ranks), RATE * (1 - step / steps))
    return network


if __name__ == "__main__":
    start = time.perf_counter()
    trained = train(int(sys.argv[1]) if len(sys.argv) > 1 else STEPS)
    print(f"{trained.steps:,} steps of {ROWS:,} states in {time.perf_counter() - start:.0f} s")
    start = time.perf_counter()
    judged = evaluate(trained, "pocket", takes="onehot")
    print(judged)
    print(f"judged in {time.perf_counter() - start:.0f} s")
