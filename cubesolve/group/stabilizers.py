"""Uniformly random members of a group that leave given points where they are (pure Python)."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterable, Sequence

from cubesolve.group.group import Group
from cubesolve.group.permutations import Arrangement, Permutation, after, arrangement, identity, inverse

_GENERATING = 12  # random members, which generate a stabilizer but for one time in thousands


class Stabilizer:
    """The members of a group that fix some points: a chain of transversals, one for each point.

    A uniformly random member of the group, multiplied by members of the transversals until all points are fixed, is a
    uniformly random member of the stabilizer.

    >>> swaps = [bytes([1, 0, 2, 3]), bytes([0, 2, 1, 3]), bytes([0, 1, 3, 2])]
    >>> fixing = Stabilizer(4, swaps, [1, 2])
    >>> sorted({bytes(fixing.random_member(random.Random(seed))) for seed in range(9)})
    [b'\\x00\\x01\\x02\\x03', b'\\x03\\x01\\x02\\x00']
    """

    def __init__(self, points: int, changes: Iterable[Permutation], fixed: Iterable[int]) -> None:
        """Take the number of points, generators of the group, and the points to fix.

        Raises:
            TooLargeGroupError: the group is too large.
        """
        self._group, chosen = Group(points, changes), sorted(fixed)
        hidden = next((point for point in range(points) if point not in chosen), 0)
        self._shown = arrangement(point if point in chosen else hidden for point in range(points))
        number = self._group.arrangements(self._shown)
        for seed in itertools.count():
            self._chain = list[tuple[int, dict[int, Permutation]]]()
            self._build(chosen, identity(points), random.Random(seed))  # only the running time depends on the seed
            if number in {None, math.prod(len(backs) for _, backs in self._chain)}:
                break

    def _build(self, fixed: Sequence[int], unchanged: Permutation, source: random.Random) -> None:
        """Add a transversal for each point, from random members of the stabilizer of those before it."""
        for point in fixed:
            members = [self.random_member(source) for _ in range(_GENERATING)]
            backs = {point: unchanged}
            for place in (reached := [point]):
                for member in members:
                    if member[place] not in backs:
                        backs[member[place]] = after(backs[place], inverse(member))
                        reached.append(member[place])
            if len(backs) > 1:
                self._chain.append((point, backs))

    @property
    def base(self) -> list[int]:
        """Points that a member of the group fixes only if it fixes all."""
        return [point for point, _ in self._chain]

    def random_member(self, source: random.Random) -> Permutation:
        """Return a uniformly random member."""
        member = self._group.random_member(source)
        for point, backs in self._chain:
            member = after(backs[member[point]], member)
        return member

    def arrangements(self, labels: Arrangement) -> int | None:
        """Return the number of arrangements of some labels that the members make; those of the fixed points differ.

        Returns:
            None if it would take too long.
        """
        together, fixed = self._group.arrangements(labels), self._group.arrangements(self._shown)
        return None if together is None or fixed is None else together // fixed
