"""Symmetries of a puzzle: maps of its points that take moves to moves and the solved state to itself (pure Python).

A symmetry maps points to points by `points`, and labels to labels by `labels`: the image of a state has the label
``labels[s[x]]`` on the point ``points[x]``. If every move becomes a move of the same cost, and solved states become
solved states, then a state and its image have the same depth. Rotations and mirror images of a cube are symmetries, if
they preserve the set of moves; so is every exchange of parts that move alike.

The search assigns moves to moves. Once the images of a few moves are chosen, a point of an orbit and its image
determine those of the whole orbit. The number of orders and cycles of products of moves rules out most choices early.
"""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from cubesolve.group.group import Budget, TooLargeGroupError
from cubesolve.group.moves import Move
from cubesolve.group.permutations import (
    Arrangement,
    Permutation,
    after,
    arrangement,
    cycles,
    followed,
    identity,
    inverse,
    orbits,
    relabelling,
    renaming,
    support,
)
from cubesolve.runtime.deadline import check

MOST_SYMMETRIES = 255
"""The maximum number of symmetries; a puzzle with more counts as one that has only the identity."""

_MOST_LABOUR = 1 << 21  # products of moves that are compared
_MOST_CHOICES = 1 << 12  # combinations of images of several orbits with labels in common


class Symmetry(NamedTuple):
    """A symmetry of a puzzle."""

    points: Permutation  # the image of each point
    labels: Arrangement  # the image of each label; a label that occurs nowhere is its own image
    moves: tuple[int, ...]  # the number of the image of each move

    def image(self, state: Arrangement) -> Arrangement:
        """Return the image of a state."""
        return after(after(self.labels, state), inverse(self.points))

    def then(self, other: Symmetry) -> Symmetry:
        """Return the symmetry that has the effect of this one and then of another.

        >>> turned = Symmetry(b"\\1\\2\\0", b"\\1\\2\\0", (1, 2, 0))
        >>> turned.then(turned)
        Symmetry(points=b'\\x02\\x00\\x01', labels=b'\\x02\\x00\\x01', moves=(2, 0, 1))
        """
        moves = tuple(other.moves[image] for image in self.moves)
        return Symmetry(after(other.points, self.points), after(other.labels, self.labels), moves)


def symmetries(
    solved: Sequence[Arrangement], moves: Sequence[Move], illegal: frozenset[tuple[int, int]] = frozenset()
) -> list[Symmetry]:
    """Return all symmetries that leave the first solved state as it is, the identity first.

    Symmetries with the same effect on moves have the same effect on states, and only one of them is returned.
    """
    points, illegal = len(solved[0]), _on_some_point(solved[0], illegal)
    same = Symmetry(identity(points), arrangement(range(max(solved[0]) + 1)), tuple(range(len(moves))))
    try:
        return _Puzzle(solved, moves, illegal).symmetries(same)
    except TooLargeGroupError:
        return [same]


def symmetries_up_to(
    free: Sequence[Permutation],
    solved: Sequence[Arrangement],
    moves: Sequence[Move],
    illegal: frozenset[tuple[int, int]] = frozenset(),
) -> list[Symmetry]:
    """Return the symmetries of states up to free permutations that leave the first solved state as it is.

    Each is a map of points that takes moves to moves, followed by a free permutation. If a layer turns freely, one of
    its turns is a symmetry that renames its pieces.

    Returns:
        A group, the identity first; the identity alone if there are more than `MOST_SYMMETRIES`.

    >>> from cubesolve.group.moves import Effect
    >>> from cubesolve.spaces.representatives import free_permutations
    >>> turn, swap = Move("T", (Effect(bytes([1, 2, 3, 0])),), 0), Move("S", (Effect(bytes([1, 0, 2, 3])),))
    >>> free = free_permutations(4, [turn, swap], blocked=False)
    >>> [list(each.labels) for each in symmetries_up_to(free, [bytes(range(4))], [turn, swap])]
    [[0, 1, 2, 3], [1, 2, 3, 0], [2, 3, 0, 1], [3, 0, 1, 2]]
    """
    by_points, illegal = dict[tuple[Permutation, Arrangement], Symmetry](), _on_some_point(solved[0], illegal)
    ends = {after(state, change) for state in solved for change in free}
    for of_moves in symmetries((identity(len(solved[0])),), moves):
        for change in free:
            points = arrangement(change[point] for point in of_moves.points)
            labels = relabelling(solved[0], points)
            if labels is None or {(of_moves.points[point], labels[label]) for point, label in illegal} != illegal:
                continue
            symmetry = Symmetry(points, labels, of_moves.moves)
            if {symmetry.image(state) for state in solved} <= ends:
                by_points.setdefault((of_moves.points, labels), symmetry)
    whole = [*by_points.values()]
    return whole if len(whole) <= MOST_SYMMETRIES else whole[:1]


def _on_some_point(start: Arrangement, illegal: frozenset[tuple[int, int]]) -> frozenset[tuple[int, int]]:
    """Return the illegal pairs of labels that occur; others are on no point."""
    return frozenset((point, label) for point, label in illegal if label in start)


class _Puzzle:
    """The moves of a puzzle as permutations, with what every symmetry preserves about them."""

    def __init__(
        self, solved: Sequence[Arrangement], moves: Sequence[Move], illegal: frozenset[tuple[int, int]]
    ) -> None:
        self.solved, self.illegal = solved, illegal
        # The order of effects does not matter, because at most one fits a state.
        self._moves = {
            (move.cost, frozenset((sources, frozenset(needs)) for sources, needs in move.effects)): number
            for number, move in enumerate(moves)
        }
        about = dict[Permutation, Counter[tuple[int, int]]]()
        for move in moves:
            for effect in move.effects:
                about.setdefault(effect.sources, Counter())[move.cost, len(effect.needs)] += 1
        self.changes = [*about]
        self._numbers = {change: number for number, change in enumerate(self.changes)}
        self._kinds = [(frozenset(about[change].items()), _cycle_type(change)) for change in self.changes]
        self._product = functools.cache(
            lambda *numbers: _cycle_type(functools.reduce(after, (self.changes[index] for index in numbers)))
        )
        kinds = {move: frozenset(_cycle_type(sources) for sources, _ in move[1]) for move in self._moves}
        alike = Counter(kinds.values())
        self._rarest = sorted(self._moves.items(), key=lambda item: alike[kinds[item[0]]])  # they rule out most
        self._orbits = [orbit for orbit in orbits(len(solved[0]), self.changes) if len(orbit) > 1]
        self._moved = [*map(support, self.changes)]
        self._few = self._spanning()
        self._labour = Budget(_MOST_LABOUR)

    def _spanning(self) -> list[int]:
        """Return the numbers of a few changes that have the same orbits as all."""
        # Each but the first of an orbit moves points that those before it move, so these leave it few images.
        few, reached = list[int](), set[int]()
        parts, left = len(self.solved[0]), dict.fromkeys(range(len(self.changes)))
        while left:
            number = next((index for index in left if not reached.isdisjoint(self._moved[index])), min(left))
            del left[number]
            joined = len(orbits(len(self.solved[0]), [self.changes[index] for index in (*few, number)]))
            if joined < parts:
                few.append(number)
                parts = joined
                reached |= self._moved[number]
        return few

    def symmetries(self, same: Symmetry) -> list[Symmetry]:
        """Return the group of the symmetries, given the identity, which comes first."""
        group, generators = self._group(same)
        effects = {symmetry.moves for symmetry in group}
        if all(symmetry.then(generator).moves in effects for symmetry in group for generator in generators):
            return group
        self._few += sorted({*range(len(self.changes))}.difference(self._few))  # the few do not determine the others
        return self._group(same)[0]

    def _group(self, same: Symmetry) -> tuple[list[Symmetry], list[Symmetry]]:
        """Return a symmetry for each choice of images of the few changes, and generators (Schreier, Sims)."""
        # For each of the few changes, the last first, a symmetry is found for each image that it can have while the
        # changes before it stay as they are.
        group, generators = [same], list[Symmetry]()
        for level in reversed(range(len(self._few))):
            reached = self._reached(self._few[level], same, generators)
            for image in range(len(self.changes)):
                if image not in reached:
                    assignments = self._assignments([*self._few[:level], image])
                    symmetry = next(filter(None, map(self._symmetry, assignments)), None)
                    if symmetry is not None:
                        generators.append(symmetry)
                        reached = self._reached(self._few[level], same, generators)
            if len(group) * len(reached) > MOST_SYMMETRIES:
                raise TooLargeGroupError
            group = [first.then(then) for then in reached.values() for first in group]
        return group, generators

    def _reached(self, number: int, same: Symmetry, generators: Sequence[Symmetry]) -> dict[int, Symmetry]:
        """Return the images of a change, and for each a symmetry that takes the change there."""
        reached = {number: same}
        for index in (queue := [number]):
            for generator in generators:
                image = self._numbers[_conjugate(self.changes[index], generator.points)]
                if image not in reached:
                    reached[image] = reached[index].then(generator)
                    queue.append(image)
        return reached

    def _assignments(self, chosen: list[int]) -> Iterator[list[int]]:
        """Yield the images of the few changes that begin with some, as far as products do not exclude them."""
        if not self._is_possible(chosen):
            return
        if len(chosen) == len(self._few):
            yield chosen
            return
        for image in range(len(self.changes)):
            yield from self._assignments([*chosen, image])

    def _is_possible(self, chosen: Sequence[int]) -> bool:
        """Return whether the last of some images has the same products with those before it as its change."""
        *before, image = chosen
        number = self._few[len(before)]
        if self._kinds[image] != self._kinds[number] or image in before:
            return False
        self._labour.spend(1 + len(chosen))
        return all(
            self._product(number, earlier) == self._product(image, other)
            and self._product(earlier, number) == self._product(other, image)
            for earlier, other in zip(self._few, before, strict=False)
        ) and self._product(*self._few[: len(chosen)]) == self._product(*chosen)

    def _symmetry(self, images: Sequence[int]) -> Symmetry | None:
        """Return the symmetry with some images of the few changes; None if there is none among those looked at."""
        pairs = [(self.changes[number], self.changes[image]) for number, image in zip(self._few, images, strict=True)]
        options = [[*self._maps(orbit, pairs)] for orbit in self._orbits]
        for maps in itertools.islice(itertools.product(*options), _MOST_CHOICES):
            check()
            points = list(range(len(self.solved[0])))
            for mapping in maps:
                for point, image in mapping.items():
                    points[point] = image
            symmetry = self._found(arrangement(points))
            if symmetry is not None:
                return symmetry
        return None

    def _maps(
        self, orbit: Sequence[int], pairs: Sequence[tuple[Permutation, Permutation]]
    ) -> Iterator[Mapping[int, int]]:
        """Yield the maps of an orbit that take changes to their images, and equal labels to equal labels."""
        for image in itertools.chain.from_iterable(self._orbits):
            mapping = followed(orbit[0], image, pairs)
            looks = (map(self.solved[0].__getitem__, points) for points in (mapping, mapping.values()))
            if mapping and renaming(*looks) is not None:
                yield mapping

    def _found(self, points: Permutation) -> Symmetry | None:
        """Return the symmetry with some images of points, if moves, solved states and illegal labels have images."""
        labels = relabelling(self.solved[0], points)
        if labels is None:
            return None
        moves = dict[int, int]()
        for (cost, effects), number in self._rarest:
            images = frozenset(
                (_conjugate(sources, points), frozenset((points[point], labels[label]) for point, label in needs))
                for sources, needs in effects
            )
            image = self._moves.get((cost, images))
            if image is None:
                return None
            moves[number] = image
        symmetry = Symmetry(points, labels, tuple(moves[number] for number in sorted(moves)))
        is_symmetry = {symmetry.image(state) for state in self.solved} == set(self.solved) and {
            (points[point], labels[label]) for point, label in self.illegal
        } == self.illegal
        return symmetry if is_symmetry else None


def _conjugate(change: Permutation, points: Permutation) -> Permutation:
    return after(after(points, change), inverse(points))


def _cycle_type(change: Permutation) -> tuple[int, ...]:
    return tuple(sorted(map(len, cycles(change))))
