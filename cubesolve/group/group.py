"""The group that permutations generate: its order, its members, and numbers of arrangements (pure Python).

The method is that of Schreier and Sims. Each point of a base belongs to a *level*: a stabilizer of all points before
it, with one member for each point from which this point can get its label (a transversal). Every member is the product
of one from each level in exactly one way, so the order is the product of the sizes of the levels.

Levels are made of random products of the generators, and may be incomplete. Completeness is proved: either the order is
the largest that a group with these pieces can have, or all Schreier generators of the level are sifted. So neither the
order nor a test of membership is ever wrong, whatever was drawn.

Most puzzles need no levels: their groups are proved to contain all that the parities and twists of their pieces allow
(`full_group`).
"""

from __future__ import annotations

import functools
import itertools
import math
import random
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from cubesolve.group.full_group import is_full
from cubesolve.group.permutations import (
    Arrangement,
    Permutation,
    after,
    arrangement,
    identity,
    inverse,
    power,
    transversal,
)
from cubesolve.group.pieces import IdenticalPieces, Totals, between, identical_pieces, kinds_of
from cubesolve.runtime.deadline import check

MOST_LABOUR = 1 << 28
"""The number of labels that are moved before the computation is given up."""

MOST_KEPT = 1 << 24
"""The maximum number of labels of members in memory."""

_TUPLE = 4  # labels of bytes are moved in the time that it takes to move one of a tuple
_CHECK_EVERY = 1 << 16  # labels that are moved between two checks of the deadline
_DRAWN = 3  # members that a level begins with
_SLOTS = 10  # products that are multiplied with each other, at least
_MIXED = 20  # times that this is done for each before one is used
_CALM = 10  # random members in a row for which nothing is missing
_MOST_POWERS = 1 << 12  # of permutations, that are looked for among the others
_MOST_LISTED = 1 << 15  # arrangements of pieces that look alike
_TRIED = 500  # members after which a search for one starts anew
_STABILIZING = 20  # random members that generate the stabilizer of an arrangement, more often than not


class TooLargeGroupError(Exception):
    """The computation would take too long, or too much memory; there are at least some members, or states."""

    def __init__(self, least: int = 1) -> None:
        super().__init__(least)
        self.least = least


class Budget:
    """An amount of work that can be spent."""

    def __init__(self, amount: int) -> None:
        self._left, self._check_at = amount, amount

    def spend(self, amount: int) -> None:
        """Spend a part of the budget; raise `TooLargeGroupError` if less is left."""
        self._left -= amount
        if self._left < self._check_at:
            self._check_at = self._left - _CHECK_EVERY
            check()
        if self._left < 0:
            raise TooLargeGroupError


class _Level(NamedTuple):
    """A stabilizer of the base points of all earlier levels."""

    point: int  # the base point of this level
    members: list[Permutation]  # generators
    inverses: list[Permutation]  # their inverses
    # for each point from which the base point gets its label in a member: the inverse of such a member
    backs: dict[int, Permutation]
    # for each of `members`, the number of `backs` whose products with it are known to be in the levels
    checked: list[int]


class Group:
    """The group that some permutations generate.

    >>> turn, flip = bytes([3, 0, 1, 2]), bytes([3, 2, 1, 0])
    >>> square = Group(4, [turn, flip])
    >>> square.order, flip in square, bytes([1, 0, 2, 3]) in square
    (8, True, False)
    >>> square.random_member(random.Random(7)) in square
    True
    """

    order: int
    is_full: bool  # whether it has every permutation of the pieces whose totals some member has (`full_group`)
    totals: Totals | None  # of permutations of the pieces; None if not all pieces turn in cycles
    given_totals: Sequence[Sequence[int]]  # totals whose sums are those of all members

    def __init__(self, points: int, changes: Iterable[Permutation]) -> None:
        """Take permutations of a number of points; raise `TooLargeGroupError` if they generate too many."""
        self._labour, self._room = Budget(MOST_LABOUR), Budget(MOST_KEPT)
        self._points = points
        self._identity = identity(points)
        self._effort = points if isinstance(self._identity, bytes) else _TUPLE * points
        self._changes = [change for change in _no_powers(changes) if change != self._identity]
        self.kinds = kinds_of(points, self._changes, self._labour.spend)
        self.totals = Totals(self.kinds) if all(kind.turn is not None for kind in self.kinds) else None
        self.given_totals = self.totals.basis(map(self.totals.of, self._changes)) if self.totals else []
        self._span = self.totals.span(self.given_totals) if self.totals else 1
        self._span_with = functools.cache(lambda totals: self.totals and self.totals.span([*self.given_totals, totals]))
        self._levels: list[_Level] = []
        source = random.Random(points)  # only the running time depends on the random numbers
        try:
            products = self._products(self._changes, source)
            self.is_full = self.totals is not None and is_full(
                self.kinds, self.totals, self._changes, products, self._labour.spend
            )
            self.order = self._most if self.is_full else self._counted(source)
        except TooLargeGroupError:
            raise TooLargeGroupError(self._members()) from None
        self.is_full = self.order == self._most

    def __contains__(self, change: Permutation) -> bool:
        if self._levels:
            return self._sifted(change)[0] == self._identity
        return self._has_pieces(change) and self._has_totals(change)

    def random_member(self, source: random.Random) -> Permutation:
        """Return a uniformly random member."""
        member = self._identity
        if not self._levels and self.totals:
            sources = list(member)
            self.totals.arrange(self.totals.random_sum(self.given_totals, source), sources, source)
            return arrangement(sources)
        for level in self._levels:
            member = after(source.choice([*level.backs.values()]), member)
        return member

    def member_between(self, before: Arrangement, now: Arrangement, source: random.Random) -> Permutation | None:
        """Return a member that makes one arrangement of another, found by backtracking; None if there is none.

        Members of a level are tried in random order, and after a number of them the search starts anew: where pieces of
        several kinds depend on each other, a wrong choice may show only late.

        >>> group = Group(4, [bytes([3, 0, 1, 2]), bytes([3, 2, 1, 0])])
        >>> change = group.member_between(b"aabc", b"baac", random.Random(7))
        >>> group.member_between(b"aabb", b"abab", random.Random(7)), change and after(b"aabc", change)
        (None, b'baac')
        """
        if not self._levels:
            raise TooLargeGroupError
        budget, number = Budget(MOST_LABOUR), _TRIED
        while True:
            member, left = self._tried(before, now, source, budget, number)
            if member is not None or left:
                return member
            number += number >> 4

    def _tried(
        self, before: Arrangement, now: Arrangement, source: random.Random, budget: Budget, number: int
    ) -> tuple[Permutation | None, int]:
        """Return a member that makes one arrangement of another, if found, and how many more might have been tried."""
        failed = set[Arrangement]()
        # For each level the arrangement, the product of members until there, and those of the level that may follow.
        path = [(before, self._identity, self._fitting(0, before, now, source))]
        while path and number:
            state, product, fitting = path[-1]
            if not fitting:
                failed.add(state)
                path.pop()
                continue
            number -= 1
            budget.spend(3 * self._effort)
            member = inverse(fitting.pop())
            state, product = after(state, member), after(product, member)
            if len(path) == len(self._levels):
                if state == now:
                    return product, number
            elif state not in failed:
                path.append((state, product, self._fitting(len(path), state, now, source)))
        return None, number

    def _fitting(self, number: int, state: Arrangement, now: Arrangement, source: random.Random) -> list[Permutation]:
        """Return the inverses of the members of a level that bring the right label to its point, in random order."""
        level = self._levels[number]
        backs = [back for place, back in level.backs.items() if state[place] == now[level.point]]
        source.shuffle(backs)
        return backs

    # -- Levels --------------------------------------------------------------------------------------------------------

    def _counted(self, source: random.Random) -> int:
        """Build the levels, and return the number of members."""
        self._begin(source)
        self._complete(source)
        if self._members() != self._most:
            self._prove()
        return self._members()

    def _begin(self, source: random.Random) -> None:
        """Build a level for every point, from random members of the one before."""
        members = self._changes
        for point in itertools.chain(*sorted((kind.along for kind in self.kinds), key=len)):
            if any(member[point] != point for member in members):
                level = self._new_level(point)
                for member in members:
                    self._extend([level], member)
                products = itertools.islice(self._products(members, source), _DRAWN)
                distinct = dict.fromkeys(after(level.backs[product[point]], product) for product in products)
                members = [member for member in distinct if member != self._identity]

    def _complete(self, source: random.Random) -> None:
        """Extend the levels by random members until none seems to be missing."""
        calm = 0
        for product in self._products(self._changes, source):
            rest, number = self._sifted(product)
            self._labour.spend(number * self._effort)
            calm = calm + 1 if rest == self._identity else 0
            if calm == _CALM:
                return
            if not calm:
                self._take(rest, 1, number)

    def _prove(self) -> None:
        """Extend the levels by all missing members."""
        number = len(self._levels) - 1
        while number >= 0:
            number = self._check(number)

    def _check(self, number: int) -> int:
        """Require that later levels make the Schreier generators of a level; return the level to check next."""
        level = self._levels[number]
        for i, (point, back) in enumerate(level.backs.items()):
            forward = inverse(back)
            for j, member in enumerate(level.members):
                if level.checked[j] == i:
                    level.checked[j] += 1
                    product = after(level.backs[member[point]], after(member, forward))
                    rest, last = self._sifted(product, number + 1)
                    self._labour.spend((last - number) * self._effort)
                    if rest != self._identity:
                        self._take(rest, number + 1, last)
                        return last
        return number - 1

    def _sifted(self, change: Permutation, first: int = 0) -> tuple[Permutation, int]:
        """Return the residue of a permutation after sifting, and the first level in which sifting failed."""
        for number in range(first, len(self._levels)):
            level = self._levels[number]
            source = change[level.point]
            if source not in level.backs:
                return change, number
            if source != level.point:
                change = after(level.backs[source], change)
        return change, len(self._levels)

    def _take(self, member: Permutation, first: int, last: int) -> None:
        """Extend levels by a member that fixes the base points of all levels before the last."""
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
            size = len(level.backs)
            level.members.append(member)
            level.inverses.append(back)
            level.checked.append(0)
            for number, point in enumerate(reached := [*level.backs]):
                pairs = zip(level.members, level.inverses, strict=True) if number >= size else ((member, back),)
                for change, undo in pairs:
                    source = change[point]
                    if source not in level.backs:
                        level.backs[source] = after(level.backs[point], undo)
                        reached.append(source)
                        self._room.spend(self._points)

    def _products(self, members: Sequence[Permutation], source: random.Random) -> Iterator[Permutation]:
        """Yield random products of members, without end."""
        slots = [*itertools.islice(itertools.cycle(members), max(_SLOTS, len(members) + 1))] or [self._identity] * 2
        product = self._identity
        for number in itertools.count():
            i, j = source.sample(range(len(slots)), 2)
            slots[i] = after(slots[i], slots[j]) if source.random() < 0.5 else after(slots[j], slots[i])
            product = after(product, slots[i])
            self._labour.spend(self._effort)
            if number >= _MIXED + len(members):
                yield product

    def _members(self) -> int:
        """Return the number of products of one member from each level; the group is larger if a level is incomplete."""
        return math.prod(len(level.backs) for level in self._levels)

    # -- Full groups ---------------------------------------------------------------------------------------------------

    @property
    def _most(self) -> int:
        """The largest order that a group with these pieces and totals can have; 0 if it is unknown."""
        return self.totals.most // self.totals.number * self._span if self.totals else 0

    def _has_pieces(self, change: Permutation) -> bool:
        """Return whether a permutation moves whole pieces, to places of their kind."""
        orbits, maps = self._pieces
        return after(orbits, change) == orbits and all(
            after(mapping, change) == after(change, mapping) for mapping in maps
        )

    @functools.cached_property
    def _pieces(self) -> tuple[Arrangement, list[Arrangement]]:
        """A number for each point, equal within orbits; and for points, others that move along with them."""
        # A permutation moves whole pieces if it leaves the numbers where they are, and commutes with going from
        # points to those that go along.
        numbers, maps = list(range(self._points)), []
        for kind in self.kinds:
            first = next(iter(kind.along))
            for which, other in enumerate(kind.along[first]):
                going = list(range(self._points))
                for point, along in kind.along.items():
                    going[point] = along[which]
                    numbers[along[which]] = first if other in kind.along else other
                if other != first:
                    maps.append(arrangement(going))
        return arrangement(numbers), maps

    def _has_totals(self, change: Permutation) -> bool:
        """Return whether a member has the totals of a permutation of pieces."""
        if self.totals is None:
            return True  # there are no pieces
        return self._span_with(self.totals.of(change)) == self._span

    # -- Arrangements --------------------------------------------------------------------------------------------------

    def arrangements(self, labels: Arrangement) -> int | None:
        """Return the number of arrangements of some labels that the members make of one.

        It is None if it would take too long: identical pieces can neither be exchanged at will nor be listed.

        >>> group = Group(5, [bytes([1, 2, 3, 4, 0]), bytes([0, 2, 4, 1, 3])])
        >>> group.order, group.arrangements(b"abcde"), group.arrangements(b"aabcd"), group.arrangements(b"aaabb")
        (20, 20, 20, 10)
        """
        identical = list(identical_pieces(self.kinds, labels))
        try:
            unseen = self._unseen(identical, Budget(MOST_LABOUR))
            return self._listed(labels, identical) if unseen is None else self.order // unseen
        except TooLargeGroupError:
            return None

    def least_arrangements(self, labels: Arrangement) -> int:
        """Return a lower bound of `arrangements`, found by listing some of those of the pieces of each kind.

        The product of what the members make of each kind is a group that contains this one. So the members make at
        least the product of the arrangements of all kinds, divided by the index.

        >>> group = Group(5, [bytes([1, 2, 3, 4, 0]), bytes([0, 2, 4, 1, 3])])
        >>> group.least_arrangements(b"aabcd"), group.least_arrangements(b"aaabb")
        (20, 10)
        """
        least = least_arrangements(self.order, identical_pieces(self.kinds, labels))
        number = whole = 1
        try:
            for here, part in self.parts:
                shown = arrangement(labels[point] for point in here)
                number *= part.arrangements(shown) or len(transversal(shown, part._changes, _MOST_LISTED))
                whole *= part.order
        except TooLargeGroupError:
            return least
        return max(least, -(-number * self.order // whole))

    @functools.cached_property
    def parts(self) -> list[tuple[list[int], Group]]:
        """For each kind of pieces, its points, and the group that the members make of them."""
        points = (sorted({point for along in kind.along.values() for point in along}) for kind in self.kinds)
        return [(here, _restricted(self._changes, here)) for here in points]

    def made(self, labels: Arrangement, others: Iterable[Arrangement]) -> list[bool] | None:
        """Return, for each of some arrangements of labels, whether a member makes it of one; None if unknown.

        >>> group = Group(5, [bytes([1, 2, 3, 4, 0]), bytes([1, 2, 0, 3, 4])])
        >>> group.made(b"abcde", [b"bacde", b"bcade"]), group.made(b"aacde", [b"caade", b"aaade"])
        ([False, True], [True, False])
        """
        where = {label: point for point, label in enumerate(labels)}
        if len(where) == self._points:
            origins, points = ([where.get(label, -1) for label in other] for other in others), {*where.values()}
            return [{*sources} == points and arrangement(sources) in self for sources in origins]
        if not self.is_full:
            return None
        identical = list(identical_pieces(self.kinds, labels))
        given = self.totals.basis([*self.given_totals, *self._totals_unseen(identical)]) if self.totals else []

        def is_made(other: Arrangement) -> bool:
            change = between(identical, identical_pieces(self.kinds, other), self._points)
            if change is None or after(labels, change) != other:
                return False
            assert self.totals is not None  # or else it could not be full
            return self.totals.span([*given, self.totals.of(change)]) == self.totals.span(given)

        return [is_made(other) for other in others]

    def _totals_unseen(self, found: Sequence[IdenticalPieces]) -> Iterable[tuple[int, ...]]:
        """Return the totals of permutations without a visible effect."""
        assert self.totals is not None  # the caller has checked that
        changes = ((pieces.looks[0], change) for pieces in found for change, _ in pieces.not_at_will(self._points))
        return dict.fromkeys(self.totals.of_kind(number, change) for number, change in changes)

    def _unseen(self, found: Sequence[IdenticalPieces], labour: Budget) -> int | None:
        """Return the number of members without a visible effect, if all exchanges at will are members; else None."""
        whole, others = math.prod(pieces.ways for pieces in found), list[tuple[Permutation, int]]()
        if self.is_full:
            assert self.totals is not None  # or else it could not be full
            return whole * self._span // self.totals.span([*self.given_totals, *self._totals_unseen(found)])
        for pieces in found:
            if pieces.turn is None:
                return None
            if not all(self._has(change, labour) for change in pieces.at_will(self._points)):
                return None
            others += pieces.not_at_will(self._points)
        return whole // math.prod(times for _, times in others) * self._members_among(others, labour)

    def _listed(self, labels: Arrangement, found: Sequence[IdenticalPieces]) -> int | None:
        """Count the arrangements of each kind of which few can be listed; None if there are too many."""
        # All of the first kind are listed, then those that its stabilizer makes of the next, and so on. Random members
        # generate the stabilizers; the known order of the group shows in the end whether these were enough.
        ways = {id(kind): math.prod(pieces.ways for pieces in found if pieces.kind is kind) for kind in self.kinds}
        kinds = [kind for kind in self.kinds if ways[id(kind)] > 1]
        kinds = [kind for kind in kinds if kind.arrangements // ways[id(kind)] <= _MOST_LISTED]
        source = random.Random(self._points)
        members = [self.random_member(source) for _ in range((len(kinds) + 1) * _STABILIZING)]
        number, rest = 1, set(range(self._points))
        for kind in kinds:
            here = {point for along in kind.along.values() for point in along}
            shown = _hidden(labels, here)
            orbit = transversal(shown, members[:_STABILIZING])
            ended = [(member, orbit.get(after(shown, member))) for member in members[_STABILIZING:]]
            members = [after(member, inverse(way)) for member, way in ended if way is not None]
            number *= len(orbit)
            rest -= here
        if not kinds or number * Group(self._points, members).order != self.order:
            return None
        others = sorted(rest)
        more = _restricted(members, others).arrangements(arrangement(labels[point] for point in others))
        return None if more is None else number * more

    def _members_among(self, changes: Iterable[tuple[Permutation, int]], labour: Budget) -> int:
        """Count the members among the products of powers of commuting permutations."""
        number, cosets = 1, [self._identity]
        for change, times in changes:
            powers = [self._identity]
            for exponent in range(1, times + 1):
                raised = power(change, exponent)
                if times % exponent == 0 and any(self._has(after(raised, other), labour) for other in cosets):
                    break
                powers.append(raised)
            number *= times // len(powers)
            cosets = [after(raised, other) for raised in powers for other in cosets]
        return number

    def _has(self, change: Permutation, labour: Budget) -> bool:
        labour.spend(len(self._levels) * self._effort)
        return change in self


def least_arrangements(order: int, pieces: Iterable[IdenticalPieces]) -> int:
    """Return a lower bound of the number of arrangements that a group makes."""
    return -(-order // math.prod(some.ways for some in pieces))


def _no_powers(changes: Iterable[Permutation]) -> Iterator[Permutation]:
    """Return some permutations without those that are powers of earlier ones, as far as a few points show."""
    seen, left = set[Permutation](), _MOST_POWERS
    for change in changes:
        if change not in seen:
            yield change
        product = change
        while product not in seen and left:
            seen.add(product)
            product, left = after(product, change), left - 1
        seen.add(change)


def _hidden(labels: Arrangement, points: Collection[int]) -> Arrangement:
    """Return the labels of some points, counted from 1, and 0 on all others."""
    numbers = {label: number for number, label in enumerate(sorted({labels[point] for point in points}), 1)}
    return arrangement(numbers[label] if point in points else 0 for point, label in enumerate(labels))


def _restricted(changes: Iterable[Permutation], points: Sequence[int]) -> Group:
    """Return the group that permutations generate on some points, which is a union of orbits."""
    number_of = {point: i for i, point in enumerate(points)}
    return Group(len(points), [arrangement(number_of[change[point]] for point in points) for change in changes])
