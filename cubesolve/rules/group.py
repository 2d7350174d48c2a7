"""The group that permutations generate: its order, its members, how many arrangements they make (pure Python).

The method is Schreier's and Sims'. Points are taken one after the other, until only the identity leaves all of them. To
each belongs a *level*: of the members that leave all points before, one for each point from which this one can get its
label. Every member is just one product of such, one from each level; so the order is the product of how many there are.

Levels are made of random products of the permutations, and may have too few members. That they have all of them is
proved: the order is the largest that a group with these pieces can have, or else all that generates a level by the
theorem of Schreier is looked at. So neither the order nor what is in the group is ever wrong, whatever was drawn.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from cubesolve.deadline import check
from cubesolve.permutations import Arrangement, Permutation, after, identity, inverse, power
from cubesolve.rules.pieces import Alike, Totals, alike, kinds_of

MOST_LABOUR = 1 << 28
"""The number of labels that are moved before a group is given up."""

MOST_KEPT = 1 << 24
"""The number of labels of members that are kept."""

_CHECK_EVERY = 1 << 16  # labels that are moved between two looks at the deadline
_DRAWN = 3  # members that a level begins with
_SLOTS = 10  # products that are multiplied with each other, at least
_MIXED = 20  # times that this is done for each before one is used
_CALM = 10  # random members in a row for which nothing is missing


class TooLargeGroupError(Exception):
    """It would take too long to find out, or too much memory."""


class _Budget:
    """Something that can be spent until there is no more."""

    def __init__(self, amount: int) -> None:
        self._left, self._check_at = amount, amount

    def spend(self, amount: int) -> None:
        """Take a part of it.

        Raises:
            TooLargeGroupError: so much is not left.
            EndedError: the current deadline came.
        """
        self._left -= amount
        if self._left < self._check_at:
            self._check_at = self._left - _CHECK_EVERY
            check()
        if self._left < 0:
            raise TooLargeGroupError


class _Level(NamedTuple):
    """Some members that leave the points of all levels before.

    Attributes:
        point: the point of this level.
        members: members that generate all.
        inverses: what undoes them.
        backs: for each point from which the point of this level gets its label in a member: the inverse of one.
        checked: for each of `members`, with how many of `backs` its products are in the levels.
    """

    point: int
    members: list[Permutation]
    inverses: list[Permutation]
    backs: dict[int, Permutation]
    checked: list[int]


class Group:
    """All that permutations make, one after the other.

    Attributes:
        order: how many members there are.

    >>> turn, flip = bytes([3, 0, 1, 2]), bytes([3, 2, 1, 0])
    >>> square = Group(4, [turn, flip])
    >>> square.order, flip in square, bytes([1, 0, 2, 3]) in square
    (8, True, False)
    >>> square.random_member(random.Random(7)) in square
    True
    """

    order: int

    def __init__(self, points: int, changes: Iterable[Permutation]) -> None:
        """Take permutations of so many points.

        Raises:
            TooLargeGroupError: the group is too large.
        """
        self._labour, self._room = _Budget(MOST_LABOUR), _Budget(MOST_KEPT)
        self._points = points
        self._identity = identity(points)
        self._changes = [change for change in dict.fromkeys(changes) if change != self._identity]
        self._kinds = kinds_of(points, self._changes, self._labour.spend)
        self._totals = Totals(self._kinds) if all(kind.turn is not None for kind in self._kinds) else None
        self._span = self._totals.span(map(self._totals.of, self._changes)) if self._totals else 1
        self._levels: list[_Level] = []
        source = random.Random(points)  # only how long it takes depends on what is drawn
        self._begin(source)
        self._complete(source)
        if not self._is_full:
            self._prove()
        self.order = self._members()

    def __contains__(self, change: Permutation) -> bool:
        return self._sifted(change)[0] == self._identity

    def random_member(self, source: random.Random) -> Permutation:
        """A member, each as likely as any other."""
        member = self._identity
        for level in self._levels:
            member = after(source.choice([*level.backs.values()]), member)
        return member

    # -- Levels --------------------------------------------------------------------------------------------------------

    def _begin(self, source: random.Random) -> None:
        """Make a level for every point, of random members of the one before."""
        members = self._changes
        for point in itertools.chain(*sorted((kind.along for kind in self._kinds), key=len)):
            if any(member[point] != point for member in members):
                level = self._new_level(point)
                for member in members:
                    self._extend([level], member)
                products = itertools.islice(self._products(members, source), _DRAWN)
                found = dict.fromkeys(after(level.backs[product[point]], product) for product in products)
                members = [member for member in found if member != self._identity]

    def _complete(self, source: random.Random) -> None:
        """Extend the levels by random members until nothing seems to be missing."""
        calm = 0
        for product in self._products(self._changes, source):
            rest, number = self._sifted(product)
            self._labour.spend(number * self._points)
            calm = calm + 1 if rest == self._identity else 0
            if calm == _CALM:
                return
            if not calm:
                self._take(rest, 1, number)

    def _prove(self) -> None:
        """Extend the levels by all that is missing."""
        number = len(self._levels) - 1
        while number >= 0:
            number = self._check(number)

    def _check(self, number: int) -> int:
        """See that what leaves a level's point is a product of later levels' members.

        Returns:
            The number of the level to look at next: the one before; or, where something was missing, a later one.
        """
        level = self._levels[number]
        for i, (point, back) in enumerate(level.backs.items()):
            there = inverse(back)
            for j, member in enumerate(level.members):
                if level.checked[j] == i:
                    level.checked[j] += 1
                    product = after(level.backs[member[point]], after(member, there))
                    rest, last = self._sifted(product, number + 1)
                    self._labour.spend((last - number) * self._points)
                    if rest != self._identity:
                        self._take(rest, number + 1, last)
                        return last
        return number - 1

    def _sifted(self, change: Permutation, first: int = 0) -> tuple[Permutation, int]:
        """What is left of a permutation when members were taken from it, and the first level that has none to take."""
        for number in range(first, len(self._levels)):
            level = self._levels[number]
            source = change[level.point]
            if source not in level.backs:
                return change, number
            if source != level.point:
                change = after(level.backs[source], change)
        return change, len(self._levels)

    def _take(self, member: Permutation, first: int, last: int) -> None:
        """Extend levels by a member that leaves the points of all before the last."""
        if last == len(self._levels):
            self._new_level(next(point for point, source in enumerate(member) if source != point))
        self._extend(self._levels[first : last + 1], member)

    def _new_level(self, point: int) -> _Level:
        self._levels.append(_Level(point, [], [], {point: self._identity}, []))
        return self._levels[-1]

    def _extend(self, levels: Iterable[_Level], member: Permutation) -> None:
        back = inverse(member)
        self._room.spend(2 * self._points)
        for level in levels:
            known = len(level.backs)
            level.members.append(member)
            level.inverses.append(back)
            level.checked.append(0)
            for number, point in enumerate(reached := [*level.backs]):
                pairs = zip(level.members, level.inverses, strict=True) if number >= known else ((member, back),)
                for change, undo in pairs:
                    source = change[point]
                    if source not in level.backs:
                        level.backs[source] = after(level.backs[point], undo)
                        reached.append(source)
                        self._room.spend(self._points)

    def _products(self, members: Sequence[Permutation], source: random.Random) -> Iterator[Permutation]:
        """Random products of members, without end."""
        slots = [*itertools.islice(itertools.cycle(members), max(_SLOTS, len(members) + 1))] or [self._identity] * 2
        product = self._identity
        for number in itertools.count():
            i, j = source.sample(range(len(slots)), 2)
            slots[i] = after(slots[i], slots[j]) if source.random() < 0.5 else after(slots[j], slots[i])
            product = after(product, slots[i])
            self._labour.spend(self._points)
            if number >= _MIXED + len(members):
                yield product

    def _members(self) -> int:
        return math.prod(len(level.backs) for level in self._levels)

    @property
    def _is_full(self) -> bool:
        """Whether everything is a member that has the totals of one."""
        totals = self._totals
        return totals is not None and self._members() == totals.most // totals.number * self._span

    # -- Arrangements --------------------------------------------------------------------------------------------------

    def arrangements(self, labels: Arrangement) -> int | None:
        """How many arrangements of some labels the members make of one.

        Returns:
            None if it cannot be told, since pieces that look alike cannot be exchanged at will, or takes too long.

        >>> group = Group(5, [bytes([1, 2, 3, 4, 0]), bytes([0, 2, 4, 1, 3])])
        >>> group.order, group.arrangements(b"abcde"), group.arrangements(b"aabcd"), group.arrangements(b"aaabb")
        (20, 20, 20, None)
        """
        found = list(alike(self._kinds, labels))
        try:
            unseen = self._unseen_if_full(found) if self._is_full else self._unseen(found, _Budget(MOST_LABOUR))
        except TooLargeGroupError:
            return None
        return None if unseen is None else self.order // unseen

    def _unseen_if_full(self, found: Sequence[Alike]) -> int:
        """How many members change nothing that can be seen, where all are members that have the totals of one."""
        assert self._totals is not None  # or else it could not be full
        unseen = (self._totals.of(change) for pieces in found for change, _ in pieces.not_at_will(self._points))
        whole = math.prod(pieces.ways for pieces in found)
        return whole * self._span // self._totals.span([*map(self._totals.of, self._changes), *unseen])

    def _unseen(self, found: Sequence[Alike], labour: _Budget) -> int | None:
        """Likewise, if what pieces that look alike can be exchanged with at will are members; else None."""
        others = list[tuple[Permutation, int]]()
        for pieces in found:
            if pieces.turn is None:
                return None
            if not all(self._has(change, labour) for change in pieces.at_will(self._points)):
                return None
            others += pieces.not_at_will(self._points)
        whole = math.prod(pieces.ways for pieces in found)
        return whole // math.prod(times for _, times in others) * self._members_among(others, labour)

    def _members_among(self, changes: Iterable[tuple[Permutation, int]], labour: _Budget) -> int:
        """How many members there are among the products of permutations and their powers, whose order does not matter.

        Args:
            changes: the permutations, each with how often it must be made to do nothing.
            labour: what may be spent.
        """
        number, cosets = 1, [self._identity]
        for change, times in changes:
            powers = [self._identity]
            for exponent in range(1, times + 1):
                there = power(change, exponent)
                if times % exponent == 0 and any(self._has(after(there, other), labour) for other in cosets):
                    break
                powers.append(there)
            number *= times // len(powers)
            cosets = [after(there, other) for there in powers for other in cosets]
        return number

    def _has(self, change: Permutation, labour: _Budget) -> bool:
        labour.spend(len(self._levels) * self._points)
        return change in self
