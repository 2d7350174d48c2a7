"""Sources of random numbers, of all kinds that are in use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import random


def random_source(rng: Any) -> random.Random:
    """A source of random numbers.

    Args:
        rng: a `random.Random`, which is taken as it is; a `numpy.random.Generator`, from which a seed is drawn; a seed;
            or None for one that nobody can repeat.

    Raises:
        TypeError: none of these.

    >>> random_source(7).random() == random_source(7).random()
    True
    """
    import random  # noqa: PLC0415  # costs every start 3 ms, and few need it

    if isinstance(rng, random.Random):
        return rng
    draw = getattr(rng, "integers", None)
    return random.Random(rng if draw is None else int(draw(1 << 62)))
