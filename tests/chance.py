"""Tests of frequencies against probabilities, and properties of permutations."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any


def agrees(seen: Counter[Any], expected: dict[Any, float]) -> bool:
    """Return whether frequencies are those of some probabilities, unless by a chance of about one in a thousand."""
    assert seen.keys() <= expected.keys()
    assert math.isclose(sum(expected.values()), 1)
    total, degrees = seen.total(), len(expected) - 1
    squares = math.fsum((seen[key] - total * share) ** 2 / (total * share) for key, share in expected.items())
    # Wilson and Hilferty: the cube root of a chi-squared variable is nearly normal.
    deviation: float = ((squares / degrees) ** (1 / 3) - 1 + 2 / (9 * degrees)) / math.sqrt(2 / (9 * degrees))
    return deviation < 3.1


def cycles(order: Sequence[int]) -> tuple[int, ...]:
    """Return the lengths of the cycles of a permutation, the longest first."""
    found, left = [], set(range(len(order)))
    while left:
        at, length = left.pop(), 1
        while (at := order[at]) in left:
            left.remove(at)
            length += 1
        found.append(length)
    return tuple(sorted(found, reverse=True))


def is_odd(order: Sequence[int]) -> bool:
    return (len(order) - len(cycles(order))) % 2 == 1
