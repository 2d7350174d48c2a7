"""Sources of random numbers: generators of all types, and seeds."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from cubesolve.runtime.arguments import integer

if TYPE_CHECKING:
    import random


def random_source(rng: Any) -> random.Random:
    """Return a source of random numbers: a `random.Random` as it is, or from one of numpy, a seed, or None for any."""
    import random  # noqa: PLC0415  # costs every start 3 ms, and few need it

    if isinstance(rng, random.Random):
        return rng
    draw = None if isinstance(rng, type) else getattr(rng, "integers", None)
    try:
        if draw is not None:
            return random.Random(int(draw(1 << 62)))
        return random.Random(operator.index(rng) if hasattr(rng, "__index__") else rng)
    except (TypeError, ValueError):
        raise no_source(rng) from None


def seeded(rng: Any, seed: int | None) -> Any:
    """Return the source of random numbers of a question that takes it by either keyword; reject both."""
    if seed is None:
        try:
            return abs(operator.index(rng))
        except TypeError:
            return rng
    if rng is not None:
        raise ValueError("rng and seed cannot be combined")
    return abs(integer("seed", seed))


def no_source(rng: object) -> ValueError:
    """Return the error of an invalid source of random numbers."""
    return ValueError(f"rng must be a source of random numbers or a seed, not of the type {type(rng).__name__}")
