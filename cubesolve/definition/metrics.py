"""The metrics: which powers of a generator, or turns of a face, are one move."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from cubesolve.runtime.arguments import one_of

Metric = Literal["htm", "qtm"]
"""The name of a metric."""


class Powers(NamedTuple):
    """A metric of all puzzles."""

    # returns the powers of a generator that are one move, given the smallest power that may be made, which all others
    # are multiples of, and the order of the generator
    of: Callable[[int, int], Sequence[int]]
    help: str  # the rule
    faces: str  # the same for cubes


METRICS: dict[str, Powers] = {
    "htm": Powers(
        lambda smallest, order: sorted({smallest * number % order for number in range(order)} - {0}),
        "every power of a move counts one",
        "every turn of a face counts one",
    ),
    "qtm": Powers(
        lambda smallest, order: sorted({smallest % order, -smallest % order} - {0}),
        "only a move and its inverse are moves",
        "quarter turns do",
    ),
}
"""The metrics by name, the usual one first: half-turn and quarter-turn metric."""

FACE_RULES = {name: metric.faces for name, metric in METRICS.items()}
"""The rules of the metrics for cubes, by name."""


def powers(metric: str, smallest: int, order: int) -> Sequence[int]:
    """Return the powers of a generator that are one move; all are multiples of the smallest.

    >>> powers("htm", 1, 4), powers("qtm", 1, 4)
    ([1, 2, 3], [1, 3])
    """
    return METRICS[one_of("metric", metric, METRICS)].of(smallest, order)


def changes_parity(metric: str) -> bool:
    """Return whether every move of a cube is an odd number of quarter turns, so that lengths are odd or even."""
    return all(amount % 2 for amount in powers(metric, 1, 4))
