"""Permutations of points as lists of sources: ``after[i] = before[p[i]]`` (pure Python).

A permutation of up to 256 points is `bytes`, which the standard library translates at C speed; a larger one is a
tuple. An *arrangement*, the label on each point, has the same form.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

from cubesolve.runtime.deadline import check

Item = TypeVar("Item", bound=Hashable)

Arrangement = bytes | tuple[int, ...]
"""The label on each point."""

Permutation = Arrangement
"""The source of each point: the point whose label it gets."""

_BYTES = 256
_ALL_BYTES = bytes(range(_BYTES))
_KEPT = 256  # orders and powers; reading and applying algs needs those of their moves


def arrangement(labels: Iterable[int]) -> Arrangement:
    """Return labels as an arrangement: bytes, or a tuple if they do not fit.

    >>> arrangement([1, 0]), len(arrangement(range(300)))
    (b'\\x01\\x00', 300)
    """
    listed = tuple(labels)
    try:
        return bytes(listed) if len(listed) <= _BYTES else listed
    except ValueError:  # a label that is no byte
        return listed


def identity(points: int) -> Permutation:
    """Return the identity on a number of points."""
    return arrangement(range(points))


def after(before: Arrangement, change: Permutation) -> Arrangement:
    """Apply a permutation to an arrangement; of two permutations, return the product, first to last.

    >>> list(after(arrangement([7, 8, 9]), arrangement([2, 0, 1])))
    [9, 7, 8]
    """
    if isinstance(change, bytes) and isinstance(before, bytes):
        return change.translate(before + _ALL_BYTES[len(before) :])
    if len(change) > _BYTES:
        arranged: tuple[int, ...] = operator.itemgetter(*change)(before)
        return arranged
    return arrangement([before[i] for i in change])


def inverse(change: Permutation) -> Permutation:
    """Return the inverse of a permutation."""
    sources = [0] * len(change)
    for to, source in enumerate(change):
        sources[source] = to
    return bytes(sources) if isinstance(change, bytes) else tuple(sources)


@functools.lru_cache(_KEPT)
def power(change: Permutation, exponent: int) -> Permutation:
    """Return a power of a permutation; negative exponents are powers of the inverse.

    >>> list(power(arrangement([2, 0, 1]), -2)), power(b"\\1\\0", 10**9) == identity(2)
    ([2, 0, 1], True)
    """
    sources = list(change)
    for cycle in cycles(change):
        for i, point in enumerate(cycle):
            sources[point] = cycle[(i + exponent) % len(cycle)]
    return arrangement(sources)


@functools.lru_cache(_KEPT)
def relabelling(labels: Arrangement, change: Permutation) -> Arrangement | None:
    """Return what each label becomes if labels are permuted like their points; None if equal ones become different.

    >>> list(relabelling(b"\\0\\0\\2\\2", b"\\3\\2\\1\\0")), relabelling(b"\\0\\0\\2", b"\\1\\2\\0")
    ([2, 1, 0], None)
    """
    names = renaming(labels, after(labels, change))
    return None if names is None else arrangement(names.get(label, label) for label in range(max(labels) + 1))


@functools.lru_cache(_KEPT)
def order(change: Permutation) -> int:
    """Return the order of a permutation."""
    return math.lcm(*map(len, cycles(change)))


def least_exponent(change: Permutation, start: Arrangement, target: Arrangement) -> int | None:
    """Return the least exponent, at least 0, of a power that leads from one arrangement to another, if any does.

    >>> least_exponent(arrangement([1, 2, 0, 4, 3]), b"\\0\\0\\1\\2\\3", b"\\1\\0\\0\\2\\3")
    2
    """
    least, modulus = 0, 1
    for cycle in cycles(change):
        labels, wanted = ("".join(chr(state[point]) for point in cycle) for state in (start, target))
        first, period = (labels * 2).find(wanted), (labels * 2).find(labels, 1)
        steps, remainder = divmod(first - least, math.gcd(modulus, period))
        if first < 0 or remainder:
            return None
        others = period // math.gcd(modulus, period)
        least += modulus * (steps * pow(modulus // math.gcd(modulus, period), -1, others) % others)
        modulus *= others
    return least if after(start, power(change, least)) == target else None


def is_prime(number: int) -> bool:
    """Return whether a number is a prime."""
    return number > 1 and all(number % divisor for divisor in range(2, math.isqrt(number) + 1))


def support(change: Sequence[int]) -> frozenset[int]:
    """Return the points that a permutation moves."""
    return frozenset(point for point, source in enumerate(change) if point != source)


def cycles(change: Sequence[int]) -> list[list[int]]:
    """Return the cycles of more than one point; each point gets the label of the next one.

    >>> cycles(arrangement([1, 2, 0, 4, 3, 5]))
    [[0, 1, 2], [3, 4]]
    """
    all_cycles, seen = [], bytearray(len(change))
    for start, point in enumerate(change):
        if point != start and not seen[start]:
            cycle = [start]
            while point != start:
                cycle.append(point)
                seen[point] = True
                point = change[point]  # noqa: PLW2901
            all_cycles.append(cycle)
    return all_cycles


def renaming(labels: Iterable[int], images: Iterable[int]) -> dict[int, int] | None:
    """Return what each label becomes if labels become some images; None if no renaming does that.

    >>> renaming(b"\\1\\1\\2", b"\\2\\2\\1"), renaming(b"\\1\\1", b"\\2\\1"), renaming(b"\\1\\2", b"\\1\\1")
    ({1: 2, 2: 1}, None, None)
    """
    pairs = set(zip(labels, images, strict=True))
    names = dict(sorted(pairs))
    return names if len(pairs) == len(names) == len(set(names.values())) else None


def from_cycles(given: Iterable[Sequence[int]], points: int) -> Permutation:
    """Return the permutation with some cycles, of different points: the label of each point goes to the next one.

    >>> list(from_cycles([[0, 1, 2]], 4))
    [2, 0, 1, 3]
    """
    sources = list(range(points))
    for cycle in given:
        for source, to in zip(cycle, [*cycle[1:], *cycle[:1]], strict=True):
            sources[to] = source
    return arrangement(sources)


def is_odd(change: Sequence[int]) -> bool:
    """Return whether a permutation consists of an odd number of exchanges."""
    all_cycles = cycles(change)
    return (sum(map(len, all_cycles)) - len(all_cycles)) % 2 == 1


def orbits(points: int, changes: Sequence[Permutation]) -> list[list[int]]:
    """Return the orbits of points under permutations, each in order."""
    all_orbits, seen = list[list[int]](), bytearray(points)
    for start in range(points):
        if not seen[start]:
            seen[start] = True
            for point in (orbit := [start]):
                for change in changes:
                    source = change[point]
                    if not seen[source]:
                        seen[source] = True
                        orbit.append(source)
            all_orbits.append(sorted(orbit))
    return all_orbits


def closure(starts: Iterable[Item], images: Callable[[Item], Iterable[Item]], most: float = math.inf) -> list[Item]:
    """Return what images lead to, breadth-first with the starts first; no more once these exceed `most`."""
    items = dict.fromkeys(starts)
    for item in (reached := [*items]):
        for image in images(item):
            if image not in items:
                items[image] = None
                reached.append(image)
        if len(items) > most:
            break
    return reached


def transversal(
    start: Arrangement, members: Sequence[Permutation], most: float = math.inf
) -> dict[Arrangement, Permutation]:
    """Return the images of an arrangement under permutations, each with a product of these that leads to it."""
    elements = {start: identity(len(start))}
    for here in (reached := [start]):
        check()
        way = elements[here]
        for member in members:
            image = after(here, member)
            if image not in elements:
                elements[image] = after(way, member)
                reached.append(image)
        if len(elements) > most:
            break
    return elements


def followed(
    point: int,
    image: int,
    pairs: Sequence[tuple[Permutation, Permutation]],
    at_end: Callable[[int], object] = lambda _number: None,  # called with the number of points that were looked up
) -> dict[int, int]:
    """Return the images by point of an orbit, given that of one; none if they contradict each other or coincide.

    >>> turn, back = arrangement([1, 2, 0]), arrangement([2, 0, 1])
    >>> followed(0, 2, [(turn, back)]), followed(0, 2, [(turn, back), (turn, turn)])
    ({0: 2, 1: 1, 2: 0}, {})
    """
    image_of = {point: image}
    for number, place in enumerate(reached := [point], 1):
        for change, other in pairs:
            source, expected = change[place], other[image_of[place]]
            if source not in image_of:
                image_of[source] = expected
                reached.append(source)
            elif image_of[source] != expected:
                at_end(number)
                return {}
    at_end(len(reached))
    return image_of if len(set(image_of.values())) == len(image_of) else {}


def composed(changes: Iterable[Permutation], points: int) -> Permutation:
    """Return the product of permutations, first to last."""
    return functools.reduce(after, changes, identity(points))
