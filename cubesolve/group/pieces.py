"""The pieces of a puzzle of which only permutations are known: points that always move together (pure Python).

Two points move together if the origin of the one always determines the origin of the other. The points of a piece that
can take each other's place are its orientations. So permutations make at most every arrangement of the pieces of each
kind, in all of their orientations; and fewer if the twists (the sums of the orientations of each kind) and the parities
of the arrangements depend on each other.
"""

from __future__ import annotations

import itertools
import math
import operator
import random
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from cubesolve.group.permutations import (
    Arrangement,
    Permutation,
    after,
    arrangement,
    cycles,
    followed,
    inverse,
    is_odd,
    orbits,
)

Origins = tuple[Sequence[int], Sequence[int], int]
"""For each place of a kind the piece that comes there, and its twist; and the number of orientations."""

Spend = Callable[[int], None]
"""Called with a number of labels that are moved; raises an error if the budget is exceeded."""

_LOOK_UP = 16  # labels are moved in the time that it takes to look up a point
_KEEP = 4  # points are looked up in the time that it takes to keep one


class PieceOrbit(NamedTuple):
    """Pieces that can take each other's place."""

    # for each orientation of each piece, which is a point, all points that move along, itself first
    along: Mapping[int, Sequence[int]]
    turn: int | None  # the index of the next orientation among these; None if they are not all multiples of one

    def pieces(self) -> list[list[int]]:
        """Return the orientations of each piece; each is the one before it turned once, if they are cyclic."""
        all_pieces, seen = [], set[int]()
        for point, along in self.along.items():
            if point not in seen:
                own = [other for other in along if other in self.along]
                all_pieces.append(own if self.turn is None else self.turned(point, self.turn))
                seen.update(own)
        return all_pieces

    @property
    def arrangements(self) -> int:
        """The number of arrangements of pieces of this kind, with orientations."""
        pieces = self.pieces()
        return math.factorial(len(pieces)) * int(len(pieces[0]) ** len(pieces))

    def turned(self, point: int, turn: int) -> list[int]:
        """Return an orientation, the next one, and so on, until the first comes again."""
        turned_points = [point]
        while (point := self.along[point][turn]) != turned_points[0]:
            turned_points.append(point)
        return turned_points

    def next_of(self, first: int, points: Container[int]) -> int | None:
        """Return the index of the next of some orientations among those of a piece, from the first one, in a cycle."""
        numbers = [number for number, point in enumerate(self.along[first]) if point in points]
        return next((number for number in numbers if len(self.turned(first, number)) == len(numbers)), None)

    def change(self, points: int, sources: Mapping[int, int]) -> Permutation:
        """Return the permutation that moves pieces from given orientations, and nothing else."""
        origins = list(range(points))
        for to, source in sources.items():
            for target, here in zip(self.along[to], self.along[source], strict=True):
                origins[target] = here
        return arrangement(origins)


def kinds_of(points: int, changes: Sequence[Permutation], spend: Spend = lambda _labels: None) -> list[PieceOrbit]:
    """Return the pieces that permutations of a number of points move.

    >>> turn, swap = bytes([1, 2, 0, 3, 4, 5, 6]), bytes([3, 4, 5, 0, 1, 2, 6])
    >>> [kind.pieces() for kind in kinds_of(7, [turn, swap])]
    [[[0, 1, 2], [3, 4, 5]]]
    """
    groups = [group for group in orbits(points, changes) if len(group) > 1]
    looks, pairs = _looks(points, changes), [*zip(changes, changes, strict=True)]
    kinds: list[PieceOrbit] = []
    covered = set[int]()

    labour = (len(changes) + _KEEP) * _LOOK_UP  # of a point
    for group in groups:
        first = group[0]
        if first not in covered:
            others = [point for other in groups if len(other) == len(group) for point in other]
            alike = [point for point in others if looks[point] == looks[first]]
            maps = [*filter(None, [followed(first, point, pairs, lambda n: spend(labour * n)) for point in alike])]
            kind = PieceOrbit({point: [*map(operator.itemgetter(point), maps)] for point in group}, None)
            kinds.append(kind._replace(turn=kind.next_of(first, kind.along)))
            covered.update(*map(dict.values, maps))
    return kinds


def _looks(points: int, changes: Sequence[Permutation]) -> list[list[int]]:
    """Return the lengths of the cycles of each point: equal for points that move together."""
    looks: list[list[int]] = [[] for _ in range(points)]
    for number, change in enumerate(changes):
        for cycle in cycles(change):
            for point in cycle:
                looks[point] += number, len(cycle)
    return looks


# -- How many arrangements there can be --------------------------------------------------------------------------------


class Totals:
    """The total twists of permutations on each kind of pieces, and the parities of the exchanges.

    >>> turn, swap = bytes([1, 2, 0, 3, 4, 5]), bytes([4, 5, 3, 0, 1, 2])
    >>> totals = Totals(kinds_of(6, [turn, swap]))
    >>> totals.most, totals.number, totals.of(turn), totals.of(swap), totals.span([totals.of(swap)])
    (18, 6, (1, 0), (1, 1), 6)
    """

    def __init__(self, kinds: Sequence[PieceOrbit]) -> None:
        """Take kinds whose orientations are cyclic."""
        self._kinds = kinds
        self._pieces = [kind.pieces() for kind in kinds]
        self._places = [
            {point: (number, turned) for number, piece in enumerate(pieces) for turned, point in enumerate(piece)}
            for pieces in self._pieces
        ]
        self._firsts = [[piece[0] for piece in pieces] for pieces in self._pieces]
        # For each kind the number of orientations, and 2 or, of a single piece, 1.
        self.moduli = [number for pieces in self._pieces for number in (len(pieces[0]), min(len(pieces), 2))]
        self.most = math.prod(kind.arrangements for kind in kinds)  # arrangements if all totals were possible
        self.number = math.prod(self.moduli)  # of totals

    def of(self, change: Permutation) -> tuple[int, ...]:
        """Return the totals of a permutation."""
        return tuple([total for origins in self.origins(change) for total in _twist_and_parity(*origins)])

    def of_kind(self, number: int, change: Permutation) -> tuple[int, ...]:
        """Return the totals of a permutation that moves pieces of one kind alone."""
        totals = [0] * len(self.moduli)
        totals[2 * number : 2 * number + 2] = _twist_and_parity(*self._origins(number, change))
        return tuple(totals)

    def origins(self, change: Permutation) -> list[Origins]:
        """Return for each kind the piece that comes to each place, its twist, and the number of orientations."""
        return [self._origins(number, change) for number in range(len(self._pieces))]

    def _origins(self, number: int, change: Permutation) -> Origins:
        places = self._places[number]
        origins, turned = zip(*[places[change[first]] for first in self._firsts[number]], strict=True)
        return origins, turned, len(self._pieces[number][0])

    def random_sum(self, vectors: Iterable[Sequence[int]], source: random.Random) -> list[int]:
        """Return a uniformly random sum of some totals and their multiples."""
        total = [0] * len(self.moduli)
        for vector in vectors:
            self._add(total, source.randrange(math.lcm(*self.moduli)), vector)
        return total

    def arrange(self, totals: Sequence[int], change: list[int], source: random.Random) -> None:
        """Arrange all pieces of a change in place, uniformly at random among the arrangements with these totals."""
        for number, (kind, pieces) in enumerate(zip(self._kinds, self._pieces, strict=True)):
            twist, parity = totals[2 * number : 2 * number + 2]
            origins, modulus = list(range(len(pieces))), len(pieces[0])
            source.shuffle(origins)
            turned = [source.randrange(modulus) for _ in pieces]
            turned[0] = (turned[0] + twist - sum(turned)) % modulus
            if _twist_and_parity(origins, turned, modulus)[1] != parity:
                origins[:2], turned[:2] = origins[1::-1], turned[1::-1]
            for piece, origin, turns in zip(pieces, origins, turned, strict=True):
                for target, here in zip(kind.along[piece[0]], kind.along[pieces[origin][turns]], strict=True):
                    change[target] = here

    def span(self, vectors: Iterable[Sequence[int]]) -> int:
        """Return the number of totals that are sums of some and their multiples."""
        return math.prod(times for _, times in self._echelon(vectors))

    def basis(self, vectors: Iterable[Sequence[int]]) -> list[list[int]]:
        """Return a few totals that generate the same sums."""
        return [vector for vector, _ in self._echelon(vectors)]

    def _echelon(self, vectors: Iterable[Sequence[int]]) -> Iterator[tuple[list[int], int]]:
        """Return totals in echelon form, and the factor that makes the leading entry of each 0."""
        left = list(map(list, vectors))
        for column, modulus in enumerate(self.moduli):
            while len(some := [vector for vector in left if vector[column]]) > 1:
                least = min(some, key=operator.itemgetter(column))
                for vector in some:
                    if vector is not least:
                        self._add(vector, -(vector[column] // least[column]), least)
            for vector in some:
                times = modulus // math.gcd(vector[column], modulus)
                yield list(vector), times
                self._add(vector, times - 1, vector)

    def _add(self, vector: list[int], times: int, other: Sequence[int]) -> None:
        vector[:] = [(x + times * y) % m for x, y, m in zip(vector, other, self.moduli, strict=True)]


def _twist_and_parity(origins: Sequence[int], turned: Sequence[int], modulus: int) -> tuple[int, int]:
    return sum(turned) % modulus, int(is_odd(origins))


# -- Pieces that look alike --------------------------------------------------------------------------------------------


class IdenticalPieces(NamedTuple):
    """Identical pieces of a kind, or a single one."""

    kind: PieceOrbit  # their kind
    points: Sequence[int]  # for each an orientation in which it looks like the others
    turns: int  # the number of orientations in which it looks so
    turn: int | None  # the index in `PieceOrbit.along` of the next of these; None if they are not all multiples of one
    looks: tuple[int, ...] = ()  # a number for the kind, and the labels of the piece from this orientation on

    @property
    def ways(self) -> int:
        """The number of exchanges and turns that have no visible effect."""
        return math.factorial(len(self.points)) * int(self.turns ** len(self.points))

    def at_will(self, points: int) -> Iterator[Permutation]:
        """Return generators, on a number of points, of these that change no totals."""
        for a, b, c in zip(self.points, self.points[1:], self.points[2:], strict=False):
            yield self.kind.change(points, {a: b, b: c, c: a})
        if self.turns > 1:
            for a, b in itertools.pairwise(self.points):
                yield after(self._turned(points, a), inverse(self._turned(points, b)))

    def not_at_will(self, points: int) -> list[tuple[Permutation, int]]:
        """Return the other generators, each with its order."""
        a, *others = self.points
        swaps = [(self.kind.change(points, {a: b, b: a}), 2) for b in others[:1]]
        return [*swaps, (self._turned(points, a), self.turns)] if self.turns > 1 else swaps

    def in_random_order(self, source: random.Random) -> list[int]:
        """Return the points in random order, each turned at random if that has no visible effect."""
        order = source.sample(self.points, len(self.points))
        turns = ([point] if self.turn is None else self.kind.turned(point, self.turn) for point in order)
        return [*map(source.choice, turns)]

    def _turned(self, points: int, point: int) -> Permutation:
        assert self.turn is not None  # the caller has checked that
        return self.kind.change(points, {point: self.kind.along[point][self.turn]})


def identical_pieces(kinds: Sequence[PieceOrbit], labels: Arrangement) -> Iterator[IdenticalPieces]:
    """Yield the pieces of all kinds with labels on their points, identical ones together.

    >>> kinds = kinds_of(6, [bytes([1, 2, 0, 3, 4, 5]), bytes([3, 4, 5, 0, 1, 2])])
    >>> [(found.points, found.turns) for found in identical_pieces(kinds, b"cabbca")]
    [([1, 5], 1)]
    """
    for which, kind in enumerate(kinds):
        shown = {point: tuple([labels[other] for other in along]) for point, along in kind.along.items()}
        by_look: dict[tuple[int, ...], list[list[int]]] = {}
        for piece in kind.pieces():
            least = min(map(shown.__getitem__, piece))
            by_look.setdefault(least, []).append([point for point in piece if shown[point] == least])
        for look, same in by_look.items():
            turn = kind.next_of(same[0][0], same[0])
            yield IdenticalPieces(kind, [piece[0] for piece in same], len(same[0]), turn, (which, *look))


def between(
    before: Iterable[IdenticalPieces], now: Iterable[IdenticalPieces], points: int, source: random.Random | None = None
) -> Permutation | None:
    """Return a permutation that makes one arrangement of pieces of another; None if they have other pieces.

    It exchanges and turns identical pieces at random if there is a source of random numbers.
    """
    origin_of = {pieces.looks: pieces for pieces in before}
    sources = list(range(points))
    for pieces in now:
        origin, along = origin_of.get(pieces.looks), pieces.kind.along
        if origin is None or len(origin.points) != len(pieces.points):
            return None
        origins = origin.in_random_order(source) if source else origin.points
        for to, here in zip(pieces.points, origins, strict=True):
            for a, b in zip(along[to], along[here], strict=True):
                sources[a] = b
    return arrangement(sources)
