"""Groups that are recognized as full, compared with the same groups by their stabilizer chains."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence
from typing import NamedTuple

import pytest

from cubesolve.group import group as groups
from cubesolve.group.group import Group
from cubesolve.group.permutations import Permutation, arrangement


class _Kind(NamedTuple):
    """Pieces of a random puzzle: their number, orientations, and the kind that moves with them, if any."""

    pieces: int
    orientations: int = 1
    along: int | None = None
    same_twist: bool = False


def _change(kinds: Sequence[_Kind], source: random.Random) -> Permutation:
    """A random permutation of the orientations of all pieces."""
    sources: list[int] = []
    orders: list[list[int]] = []
    for kind in kinds:
        order = source.sample(range(kind.pieces), kind.pieces) if kind.along is None else orders[kind.along]
        orders.append(order)
        twists = [source.randrange(kind.orientations) for _ in order]
        first = len(sources)
        sources += [
            first
            + origin * kind.orientations
            + (turned + (twists[0] if kind.same_twist else twist)) % kind.orientations
            for origin, twist in zip(order, twists, strict=True)
            for turned in range(kind.orientations)
        ]
    return arrangement(sources)


PUZZLES = {
    "one kind": [_Kind(9)],
    "few pieces": [_Kind(5), _Kind(6, 2), _Kind(7, 3)],
    "fewer pieces": [_Kind(4, 3), _Kind(8)],
    "three kinds with orientations": [_Kind(8, 3), _Kind(12, 2), _Kind(1, 4)],
    "orientations that are no prime number": [_Kind(8, 4), _Kind(6, 6)],
    "a kind that goes along": [_Kind(8, 3), _Kind(8, 2, along=0), _Kind(9)],
    "one that goes along without orientation": [_Kind(8, 3), _Kind(8, 1, along=0)],
    "pieces that all turn the same way": [_Kind(8, 3, same_twist=True), _Kind(10, 2)],
    "large and small": [_Kind(20, 3), _Kind(24), _Kind(24), _Kind(5, 2)],
}


@pytest.mark.parametrize("name", PUZZLES)
@pytest.mark.parametrize("seed", range(3))
def test_proved_orders_are_those_of_levels(name: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    source = random.Random(f"{name} {seed}")
    changes = [_change(PUZZLES[name], source) for _ in range(2 + seed)]
    points = len(changes[0])
    found = Group(points, changes)
    monkeypatch.setattr(groups, "is_full", lambda *_: False)
    levels = Group(points, changes)
    assert found.order == levels.order
    for _ in range(10):
        assert found.random_member(source) in levels
        assert levels.random_member(source) in found
        other = _change(PUZZLES[name], source)
        assert (other in found) == (other in levels)
        shuffled = arrangement(source.sample(range(points), points))
        assert (shuffled in found) == (shuffled in levels)


def test_six_pieces_can_be_arranged_as_other_six_by_the_outer_automorphism() -> None:
    """Six points, and the six ways to join them in pairs fifteen times: the same group acts on both (Sylvester)."""
    duads = [(a, b) for a in range(6) for b in range(a + 1, 6)]
    synthemes = [
        frozenset((x, y, z)) for x in duads for y in duads for z in duads if x < y < z and len({*x, *y, *z}) == 6
    ]

    six = [
        total
        for total in map(frozenset, itertools.combinations(synthemes, 5))
        if len(frozenset[tuple[int, int]]().union(*total)) == len(duads)
    ]
    assert len(six) == 6

    def both(change: Sequence[int]) -> Permutation:
        def moved(duad: tuple[int, int]) -> tuple[int, int]:
            a, b = sorted(change[point] for point in duad)
            return a, b

        there = [frozenset(frozenset(map(moved, syntheme)) for syntheme in total) for total in six]
        return arrangement([*change, *(6 + six.index(total) for total in there)])

    group = Group(12, [both([1, 2, 3, 4, 5, 0]), both([1, 0, 2, 3, 4, 5])])
    assert group.order == math.factorial(6)
    other = Group(12, [both([1, 2, 3, 4, 5, 0]), arrangement([1, 0, *range(2, 12)])])
    assert other.order == math.factorial(6) * 6  # beside all of the one, the powers of the first move on the other


def test_a_hundred_kinds_take_a_moment() -> None:
    source = random.Random(1)
    kinds = [_Kind(24)] * 100
    group = Group(2400, [_change(kinds, source) for _ in range(5)])
    assert group.order == math.factorial(24) ** 100 // 2 ** (100 - 5)
    assert group.random_member(source) in group
