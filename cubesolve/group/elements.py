"""Elements of a group: random ones that fix points, and those that lead from one colouring to another (pure Python).

Where pieces look alike, parities and twists decide whether there is such an element: its `Balance`.
"""

from __future__ import annotations

import heapq
import itertools
import math
import random
from collections.abc import Iterable, Sequence

from cubesolve.group.group import Group
from cubesolve.group.permutations import Arrangement, Permutation, after, arrangement, identity, inverse
from cubesolve.group.pieces import between, identical_pieces
from cubesolve.runtime.deadline import check

# -- Elements that fix points ------------------------------------------------------------------------------------------

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
        self._group, chosen = Group(points, changes), sorted(fixed)
        hidden = next((point for point in range(points) if point not in chosen), 0)
        self._shown = arrangement(point if point in chosen else hidden for point in range(points))
        number = self._group.arrangements(self._shown)
        for seed in itertools.count():
            source = random.Random(seed)  # only the running time depends on the seed
            # For each point a transversal, from random members of the stabilizer of those before it.
            self._chain = list[tuple[int, dict[int, Permutation]]]()
            for point in chosen:
                members = [self.random_member(source) for _ in range(_GENERATING)]
                backs = {point: identity(points)}
                for place in (reached := [point]):
                    for member in members:
                        if member[place] not in backs:
                            backs[member[place]] = after(backs[place], inverse(member))
                            reached.append(member[place])
                if len(backs) > 1:
                    self._chain.append((point, backs))
            if number in {None, math.prod(len(backs) for _, backs in self._chain)}:
                break

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
        """Return the number of arrangements that members make of labels; None if it would take too long."""
        together, fixed = self._group.arrangements(labels), self._group.arrangements(self._shown)
        return None if together is None or fixed is None else together // fixed


# -- From one arrangement to another, where pieces look alike ----------------------------------------------------------

_TRIES = 100  # ways to name the pieces that look alike
_MOST_TRIES = 2_000  # ways to combine those of all kinds


def change_between(group: Group, before: Arrangement, now: Arrangement, source: random.Random) -> Permutation | None:
    """Return a permutation of pieces that makes one arrangement of another, if a member of a group does; else None.

    It is a member itself; but where a group is full and many parities must be right, exchanges of pieces that look
    alike may be needed after it (`Balance`).

    Pieces that look alike are named at random until the permutation is a member: mostly half of all names or a third
    are possible, because a parity or a twist must be right. Otherwise a member is searched for, first of what the group
    makes of the pieces of each kind.

    >>> group = Group(5, [bytes([1, 2, 3, 4, 0]), bytes([1, 2, 0, 3, 4])])
    >>> change = change_between(group, b"aabcd", b"bacad", random.Random(7))
    >>> change and after(b"aabcd", change), change_between(group, b"abcde", b"bacde", random.Random(7))
    (b'bacad', None)
    """
    if group.made(before, [now]) == [False]:
        return None
    earlier, here = ([*identical_pieces(group.kinds, state)] for state in (before, now))
    is_unique, member = len(set(before)) == len(before), None
    for _ in range(1 if is_unique else _TRIES):
        check()
        change = between(earlier, here, len(before), source)
        if change is None:
            return None
        if after(before, change) == now:
            member = change
            if change in group:
                return change
    if group.is_full or is_unique:
        return member
    return (
        _between_parts(group, before, now, source)
        if len(group.kinds) > 1
        else group.member_between(before, now, source)
    )


def _between_parts(group: Group, before: Arrangement, now: Arrangement, source: random.Random) -> Permutation | None:
    """Return a member whose effects on the pieces of each kind are chosen at random until all fit together."""
    index = math.prod(part.order for _, part in group.parts) // group.order
    for _ in range(min(_TRIES * index, _MOST_TRIES, group.order)):  # a search of a small group takes less
        check()
        sources = list(range(len(before)))
        for here, part in group.parts:
            begin, end = (arrangement(state[point] for point in here) for state in (before, now))
            change = change_between(part, begin, end, source)
            if change is None:
                return None
            for point, origin in zip(here, change, strict=True):
                sources[point] = here[origin]
        if after(before, arrangement(sources)) != now:  # they differ on points that no member moves
            return None
        if arrangement(sources) in group:
            return arrangement(sources)
    return group.member_between(before, now, source)


# -- Parities and twists that an alg must have to solve a state --------------------------------------------------------
# The totals of a product are the sums of those of its factors (`pieces.Totals`). Exchanging or turning pieces that look
# alike changes totals without a visible effect; the *balance* of a permutation is what remains of its totals. An alg
# can be completed by cycles of three pieces and twists of two, which have no totals, if and only if its balance is
# right.

Vector = tuple[int, ...]

_MOST_BALANCES = 50_000  # balances that are looked at


class Balance:
    """The balances of the permutations of a full group.

    >>> group = Group(5, [bytes([1, 2, 3, 4, 0]), bytes([1, 0, 2, 3, 4])])
    >>> group.is_full, Balance(group, b"abcde").of(bytes([1, 0, 2, 3, 4])), Balance(group, b"aabcd").moduli
    (True, (0, 1), [1, 1])
    """

    def __init__(self, group: Group, labels: Arrangement) -> None:
        assert group.totals is not None  # it is full
        self._totals = group.totals
        self.moduli = list(self._totals.moduli)
        for pieces in identical_pieces(group.kinds, labels):
            for change, _ in pieces.not_at_will(len(labels)):
                # The totals of a change without a visible effect are ignored; those of several columns are not.
                totals = self._totals.of_kind(pieces.looks[0], change)
                columns = [column for column, total in enumerate(totals) if total % self.moduli[column]]
                if len(columns) == 1:
                    self.moduli[columns[0]] = math.gcd(self.moduli[columns[0]], totals[columns[0]])

    def of(self, change: Permutation) -> Vector:
        """Return the balance of a permutation."""
        return self._reduced(self._totals.of(change))

    def sum(self, vectors: Iterable[Vector]) -> Vector:
        """Return the balance of a product."""
        return self._reduced(map(sum, zip(*vectors, strict=True)))

    def _reduced(self, totals: Iterable[int]) -> Vector:
        return tuple(total % modulus for total, modulus in zip(totals, self.moduli, strict=True))

    def completed(self, start: Vector, moves: Sequence[Vector]) -> list[int] | None:
        """Return the fewest moves, in any order, whose balances add to another to nothing (A*); None if not found."""
        widest = max((sum(map(bool, move)) for move in moves), default=0) or 1

        def bound(balance: Vector) -> float:
            return sum(map(bool, balance)) / widest

        queue: list[tuple[float, Vector, list[int]]] = [(bound(start), start, [])]
        seen = {start}
        distinct = {move: number for number, move in reversed([*enumerate(moves)]) if any(move)}
        while queue and len(seen) < _MOST_BALANCES:
            check()
            _, balance, alg = heapq.heappop(queue)
            if not any(balance):
                return alg
            for move, number in distinct.items():
                total = self.sum([balance, move])
                if total not in seen:
                    seen.add(total)
                    heapq.heappush(queue, (len(alg) + 1 + bound(total), total, [*alg, number]))
        return None
