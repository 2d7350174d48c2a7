"""Puzzles that are the same under other names, found by comparing their moves (pure Python).

Moves correspond if they have the same cycles, and if the products of two of them have. A correspondence of the moves
leaves few choices for that of the points: that of one point decides about all others that moves take it to. So moves
are chosen one after the other, as long as points can correspond.
"""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from cubesolve.errors import UnsolvableStateError
from cubesolve.group.moves import Move, are_plain
from cubesolve.group.permutations import (
    Arrangement,
    Permutation,
    after,
    arrangement,
    cycles,
    followed,
    orbits,
    order,
    power,
    support,
)
from cubesolve.runtime.deadline import check

_MOST_CHOICES = 200  # correspondences of moves that are tried; mostly the first one will do

_Shape = frozenset[tuple[tuple[int, int], ...]]


class Isomorphism(NamedTuple):
    """How to look at the states of a puzzle as those of a known one."""

    size: int  # the number of points of the known puzzle
    orbits: Sequence[Mapping[int, int]]  # for each of its orbits that moves change, its points by those of the puzzle
    # for each of its moves, the names of the moves that do the same: one, or the same one several times, where a power
    # of it is not a move
    moves: Mapping[str, Sequence[str]]

    def of(self, change: Permutation) -> Permutation:
        """Return the change that an alg makes of the known puzzle, given the change that it makes of the puzzle."""
        sources = list(range(self.size))
        for orbit in self.orbits:
            for place, point in orbit.items():
                if change[place] not in orbit:
                    raise UnsolvableStateError("a piece is in a place of other pieces")
                sources[point] = orbit[change[place]]
        return arrangement(sources)


def isomorphism(
    moves: Sequence[Move], solved: Arrangement, known_moves: Sequence[Move], known_solved: Arrangement
) -> Isomorphism | None:
    """Compare a puzzle with a known one; it must have all moves of that up to powers, and may have more; None if not.

    Several points of one puzzle may show what one of the other shows, such as two stickers of an edge that never flips.
    Pieces that look alike in the known puzzle must look alike in the other one, where more of them may.
    """
    if not are_plain([*moves, *known_moves]):
        return None
    known_changes, changes = ([move.effects[0].sources for move in of_puzzle] for of_puzzle in (known_moves, moves))
    generators, exponents = _generators(known_changes)
    for chosen in _corresponding(generators, changes):
        together = _orbits(generators, chosen, known_solved, solved)
        if together is not None:
            written = _powers(moves)
            words = [written.get(power(chosen[number], exponent)) for number, exponent in exponents]
            algs = {move.name: word for move, word in zip(known_moves, words, strict=True) if word is not None}
            if len(algs) == len(known_changes):
                return Isomorphism(len(known_solved), together, algs)
    return None


def _powers(moves: Sequence[Move]) -> dict[Permutation, tuple[str, ...]]:
    """Return the fewest names of one move that make each power of one."""
    word_of = dict[Permutation, tuple[str, ...]]()
    for move in moves:
        change = move.effects[0].sources
        for exponent in range(1, order(change)):
            word = (move.name,) * exponent
            word_of[power(change, exponent)] = min(word_of.get(power(change, exponent), word), word, key=len)
    return word_of


def _generators(changes: Sequence[Permutation]) -> tuple[list[Permutation], list[tuple[int, int]]]:
    """Return those that are not powers of others before them; and for each, the number of one and the exponent."""
    generators, exponents = list[Permutation](), dict[Permutation, tuple[int, int]]()
    for change in changes:
        if change not in exponents:
            for exponent in range(1, order(change)):
                exponents.setdefault(power(change, exponent), (len(generators), exponent))
            generators.append(change)
    return generators, [exponents[change] for change in changes]


def _moved(changes: Sequence[Permutation]) -> frozenset[int]:
    return frozenset[int]().union(*map(support, changes))


# -- Moves -------------------------------------------------------------------------------------------------------------


def _corresponding(known: Sequence[Permutation], changes: Sequence[Permutation]) -> Iterator[list[Permutation]]:
    """Yield changes, one for each known one, with the same cycles, also in products of two, and with points alike."""
    known_shapes, shapes = _Shapes(known), _Shapes(changes)
    alike = dict[_Shape, list[int]]()
    for number, change in enumerate(changes):
        alike.setdefault(shapes.of(change), []).append(number)
    candidates = [alike.get(known_shapes.of(change), []) for change in known]
    firsts = [orbit[0] for orbit in orbits(len(known[0]), known) if len(orbit) > 1]
    chosen, moved = list[int](), _moved(changes)
    left, latest = _MOST_CHOICES, dict[int, int]()  # images of the first points, which mostly remain possible

    def corresponds(number: int) -> bool:
        return number not in chosen and all(
            known_shapes.of_product(place, len(chosen)) == shapes.of_product(earlier, number)
            for place, earlier in enumerate(chosen)
        )

    def extended() -> Iterator[list[Permutation]]:
        nonlocal left
        check()
        candidate = [changes[number] for number in chosen]
        pairs = [*zip(known, candidate, strict=False)]  # of those that are chosen so far
        for first in firsts:
            points = itertools.chain([latest[first]] if first in latest else [], moved)
            image = next((point for point in points if followed(first, point, pairs)), None)
            if image is None:
                return
            latest[first] = image
        if len(chosen) == len(known):
            left -= 1
            yield candidate
            return
        for number in candidates[len(chosen)]:
            if left and corresponds(number):
                chosen.append(number)
                yield from extended()
                chosen.pop()

    return extended() if all(candidates) else iter(())


class _Shapes:
    """The numbers of cycles of each length that permutations have in each orbit; orbits alike count once."""

    def __init__(self, changes: Sequence[Permutation]) -> None:
        self.of_product = functools.cache(lambda one, other: self.of(after(changes[one], changes[other])))
        together = orbits(len(changes[0]), changes)
        self._orbit_of = {point: number for number, orbit in enumerate(together) for point in orbit}

    def of(self, change: Permutation) -> _Shape:
        lengths_of = dict[int, list[int]]()
        for cycle in cycles(change):
            lengths_of.setdefault(self._orbit_of[cycle[0]], []).append(len(cycle))
        return frozenset(tuple(sorted(Counter(lengths).items())) for lengths in lengths_of.values())


# -- Points ------------------------------------------------------------------------------------------------------------


def _orbits(
    known: Sequence[Permutation], changes: Sequence[Permutation], known_solved: Arrangement, solved: Arrangement
) -> list[Mapping[int, int]] | None:
    """Return the known points of each orbit by their images, so that moves and labels correspond; None if none do."""
    pairs, moved = [*zip(known, changes, strict=True)], _moved(changes)
    together = [orbit for orbit in orbits(len(known_solved), known) if len(orbit) > 1]

    def images(orbit: Sequence[int], starts: Iterable[int]) -> dict[int, int]:
        candidates = (followed(orbit[0], start, pairs) for start in starts)
        return next(
            (candidate for candidate in candidates if candidate and _look_alike(candidate, known_solved, solved)), {}
        )

    maps, left = list[Mapping[int, int]](), moved
    for orbit in together:
        mapping = images(orbit, left) or images(orbit, moved)
        if not mapping:
            return None
        maps.append({image: point for point, image in mapping.items()})
        left = left.difference(mapping.values())
    for orbit in together:  # several orbits of the puzzle may show the same
        while mapping := images(orbit, left):
            left = left.difference(mapping.values())
    return None if left else maps


def _look_alike(points: Mapping[int, int], known_solved: Arrangement, solved: Arrangement) -> bool:
    """Return whether points whose labels are alike in the known puzzle are alike in the other one."""
    pairs = {(known_solved[point], solved[image]) for point, image in points.items()}
    return len(pairs) == len(dict(pairs))


# -- Points that always look alike, such as the orientations of a centre that shows none -----------------------------
# They are the points of a piece whose labels are alike, and moves take all of them to those of one piece. So one point
# can stand for all.


class Alike(NamedTuple):
    """Points that always look alike, as one."""

    firsts: Sequence[int]  # the first point of each set of them
    numbers: Sequence[int]  # for each point, the number of its set

    def change(self, change: Permutation) -> Permutation:
        """Return what a permutation of the points does to the sets."""
        return arrangement(self.numbers[change[first]] for first in self.firsts)

    def labels(self, state: Arrangement) -> Arrangement:
        """Return the label of each set."""
        return arrangement(state[first] for first in self.firsts)


def alike(changes: Sequence[Permutation], labels: Arrangement) -> Alike:
    """Return the points that look alike after every product of some permutations.

    >>> turn, swap = bytes([1, 0, 2, 3]), bytes([2, 3, 0, 1])
    >>> found = alike([turn, swap], b"\\5\\5\\7\\7")
    >>> found.numbers, list(found.change(swap)), list(found.labels(b"\\5\\5\\7\\7"))
    ([0, 0, 1, 1], [1, 0], [5, 7])
    """
    together = {point: number for number, orbit in enumerate(orbits(len(labels), changes)) for point in orbit}
    looks: list[tuple[int, ...]] = [(together[point], label) for point, label in enumerate(labels)]
    sets = 0
    while len(known := {look: number for number, look in enumerate(dict.fromkeys(looks))}) > sets:
        check()
        sets, numbers = len(known), arrangement(known[look] for look in looks)
        looks = [*zip(numbers, *(after(numbers, change) for change in changes), strict=True)]
    return Alike([numbers.index(number) for number in range(sets)], [*numbers])
