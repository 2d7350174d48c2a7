"""Symmetries of a puzzle: maps of its points that take moves to moves and the solved state to itself (pure Python).

A symmetry maps points to points by `points`, and labels to labels by `labels`: the image of a state has the label
``labels[s[x]]`` on the point ``points[x]``. If every move becomes a move of the same cost, and solved states become
solved states, then a state and its image have the same depth. Rotations and mirror images of a cube are symmetries, if
they preserve the set of moves; so is every exchange of parts that move alike.

The search assigns moves to moves. Once the images of a few moves are chosen, a point of an orbit and its image
determine those of the whole orbit. The number of orders and cycles of products of moves rules out most choices early.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from cubesolve.deadline import check
from cubesolve.definitions.definition import Case, Move
from cubesolve.definitions.group import Budget, TooLargeGroupError
from cubesolve.permutations import Arrangement, Permutation, after, arrangement, cycles, identity, orbits

MOST_SYMMETRIES = 255
"""The maximum number of symmetries; a puzzle with more counts as one that has only the identity."""

_MOST_LABOUR = 1 << 21  # products of moves that are compared
_MOST_CHOICES = 1 << 12  # combinations of images of several orbits with labels in common


class Symmetry(NamedTuple):
    """A symmetry of a puzzle.

    Attributes:
        points: the image of each point.
        labels: the image of each label; a label that occurs nowhere is its own image.
        moves: the number of the image of each move.
    """

    points: Permutation
    labels: Arrangement
    moves: tuple[int, ...]

    def image(self, state: Arrangement) -> Arrangement:
        """Return the image of a state.

        >>> list(Symmetry(b"\\1\\2\\0", b"\\1\\2\\0", ()).image(b"\\0\\2\\1"))
        [2, 1, 0]
        """
        labels = [0] * len(state)
        for point, label in zip(self.points, state, strict=True):
            labels[point] = self.labels[label]
        return arrangement(labels)


def symmetries(
    solved: Sequence[Arrangement], moves: Sequence[Move], illegal: frozenset[tuple[int, int]] = frozenset()
) -> list[Symmetry]:
    """Return all symmetries that leave the first solved state as it is, the identity first.

    Symmetries with the same effect on moves have the same effect on states, and only one of them is returned.

    Args:
        solved: the states that count as solved.
        moves: the moves.
        illegal: pairs of a point and a label that must not be on it.

    Returns:
        A group of at most `MOST_SYMMETRIES`; the identity alone if there are more, or if finding them takes too long.

    Raises:
        EndedError: the current deadline has passed.

    >>> from cubesolve.catalog import rules_named
    >>> skewb = rules_named("skewb").graph()
    >>> len(symmetries(skewb.reduction.solved, skewb.reduction.moves))
    6
    """
    points = len(solved[0])
    same = Symmetry(identity(points), arrangement(range(max(solved[0]) + 1)), tuple(range(len(moves))))
    puzzle = _Puzzle(solved, moves, illegal)
    try:
        found = list(itertools.islice(puzzle.symmetries(), MOST_SYMMETRIES + 1))
    except TooLargeGroupError:
        return [same]
    if len(found) > MOST_SYMMETRIES:
        return [same]
    return sorted(found, key=lambda each: each.points != same.points)


class _Puzzle:
    """The moves of a puzzle as permutations, with what every symmetry preserves about them."""

    def __init__(
        self, solved: Sequence[Arrangement], moves: Sequence[Move], illegal: frozenset[tuple[int, int]]
    ) -> None:
        self.solved, self.illegal = solved, illegal
        self._moves = {_written(move.cost, move.cases): number for number, move in enumerate(moves)}
        about = dict[Permutation, Counter[tuple[int, int]]]()
        for move in moves:
            for case in move.cases:
                about.setdefault(case.sources, Counter())[move.cost, len(case.needs)] += 1
        self.changes = [*about]
        self._kinds = [(frozenset(about[each].items()), _cycle_type(each)) for each in self.changes]
        self._products = dict[tuple[int, int], tuple[int, ...]]()
        self._orbits = [orbit for orbit in orbits(len(solved[0]), self.changes) if len(orbit) > 1]
        self._moved = [{point for point, source in enumerate(each) if point != source} for each in self.changes]
        self._few = self._spanning()
        self._labour = Budget(_MOST_LABOUR)

    def _spanning(self) -> list[int]:
        """Return the numbers of a few changes that have the same orbits as all.

        Each but the first of an orbit moves points that those before it move, so these leave it few images.
        """
        few, reached = list[int](), set[int]()
        parts, left = len(self.solved[0]), dict.fromkeys(range(len(self.changes)))
        while left:
            number = next((each for each in left if not reached.isdisjoint(self._moved[each])), min(left))
            del left[number]
            joined = len(orbits(len(self.solved[0]), [self.changes[each] for each in (*few, number)]))
            if joined < parts:
                few.append(number)
                parts = joined
                reached |= self._moved[number]
        return few

    def symmetries(self) -> Iterator[Symmetry]:
        """Yield a symmetry for each assignment of moves to moves that has one.

        Raises:
            TooLargeGroupError: there are too many assignments.
        """
        for images in self._assignments([]):
            found = self._symmetry(images)
            if found is not None:
                yield found

    def _assignments(self, chosen: list[int]) -> Iterator[list[int]]:
        """Yield the images of the few changes, as far as products do not exclude them."""
        if len(chosen) == len(self._few):
            yield chosen
            return
        number = self._few[len(chosen)]
        for image, kind in enumerate(self._kinds):
            if kind != self._kinds[number] or image in chosen:
                continue
            pairs = zip(self._few, chosen, strict=False)
            self._labour.spend(1 + len(chosen))
            if all(
                self._product(number, each) == self._product(image, other)
                and self._product(each, number) == self._product(other, image)
                for each, other in pairs
            ):
                yield from self._assignments([*chosen, image])

    def _product(self, first: int, second: int) -> tuple[int, ...]:
        """Return the lengths of the cycles of a product of two changes."""
        found = self._products.get((first, second))
        if found is None:
            found = self._products[first, second] = _cycle_type(after(self.changes[first], self.changes[second]))
        return found

    def _symmetry(self, images: Sequence[int]) -> Symmetry | None:
        """Return the symmetry with some images of the few changes; None if there is none.

        Raises:
            TooLargeGroupError: there are too many combinations of maps, and none of those tried is a symmetry.
        """
        pairs = [(self.changes[each], self.changes[image]) for each, image in zip(self._few, images, strict=True)]
        options = [[*self._maps(orbit, pairs)] for orbit in self._orbits]
        for maps in itertools.islice(itertools.product(*options), _MOST_CHOICES):
            check()
            points = list(range(len(self.solved[0])))
            for each in maps:
                for point, image in each.items():
                    points[point] = image
            found = self._found(arrangement(points))
            if found is not None:
                return found
        if math.prod(map(len, options)) > _MOST_CHOICES:
            raise TooLargeGroupError
        return None

    def _maps(
        self, orbit: Sequence[int], pairs: Sequence[tuple[Permutation, Permutation]]
    ) -> Iterator[Mapping[int, int]]:
        """Yield the maps of an orbit that take changes to their images, and equal labels to equal labels."""
        for image in itertools.chain.from_iterable(self._orbits):
            found = _followed(orbit[0], image, pairs)
            if found and len(set(found.values())) == len(orbit) and self._labels(found.items()) is not None:
                yield found

    def _labels(self, points: Iterable[tuple[int, int]]) -> Arrangement | None:
        """Return the images of labels if points move so, and the solved state stays; None if equal labels differ."""
        start = self.solved[0]
        images = dict[int, int]()
        for point, image in points:
            if images.setdefault(start[point], start[image]) != start[image]:
                return None
        if len(set(images.values())) < len(images):
            return None
        return arrangement(images.get(label, label) for label in range(max(start) + 1))

    def _found(self, points: Permutation) -> Symmetry | None:
        """Return the symmetry with some images of points, if moves, solved states and illegal labels have images."""
        labels = self._labels(enumerate(points))
        if labels is None:
            return None
        moves = list[int]()
        for cost, cases in self._moves:
            images = [(_conjugate(sources, points), _images(needs, points, labels)) for sources, needs in cases]
            moves.append(self._moves.get((cost, frozenset(images)), -1))
        found = Symmetry(points, labels, tuple(moves))
        is_symmetry = (
            -1 not in moves
            and {found.image(state) for state in self.solved} == set(self.solved)
            and {(points[point], labels[label]) for point, label in self.illegal} == self.illegal
        )
        return found if is_symmetry else None


_Needs = frozenset[tuple[int, int]]
_Written = tuple[int, frozenset[tuple[Permutation, _Needs]]]


def _written(cost: int, cases: Sequence[Case]) -> _Written:
    """Return a move without its name; the order of cases does not matter, because at most one fits a state."""
    return cost, frozenset((sources, frozenset(needs)) for sources, needs in cases)


def _followed(point: int, image: int, pairs: Sequence[tuple[Permutation, Permutation]]) -> dict[int, int]:
    """Return the images of an orbit, given that of one point; empty if changes contradict each other."""
    found = {point: image}
    for each in (reached := [point]):
        for change, other in pairs:
            source, there = change[each], other[found[each]]
            if source not in found:
                found[source] = there
                reached.append(source)
            elif found[source] != there:
                return {}
    return found


def _images(needs: _Needs, points: Permutation, labels: Arrangement) -> _Needs:
    return frozenset((points[point], labels[label]) for point, label in needs)


def _conjugate(change: Permutation, points: Permutation) -> Permutation:
    """Return the permutation that does to the images of points what another does to the points."""
    sources = [0] * len(change)
    for point, source in enumerate(change):
        sources[points[point]] = points[source]
    return arrangement(sources)


def _cycle_type(change: Permutation) -> tuple[int, ...]:
    """Return the lengths of the cycles of a permutation, in ascending order."""
    return tuple(sorted(map(len, cycles(change))))
