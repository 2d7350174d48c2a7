"""Puzzles with several solved states, as ones with a single solved state or a class of them (pure Python).

A search from one solved state can use the symmetries that keep it, and fills a table once. There are two ways:

- Each solved state is the first with other names of the labels. The images of a state have the names of each.
- Pieces that look alike are solved in some places, and may lie anywhere otherwise: three of a colour, of which a goal
  requires one. Each image of a state names those that are to come to these places.

Moves alone may not lead from each solved state to the others. A puzzle counts as solved in every orientation. If face
turns do not take its centres elsewhere, they lead from a state to one of these orientations only. The state, rotated as
a whole, is then solved as the first one by the rotated moves.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from cubesolve.definition.rotations import conjugated
from cubesolve.group.permutations import Arrangement, Permutation, after, arrangement, inverse, orbits, renaming

Class = tuple[tuple[int, ...], ...]
"""The labels on each orbit of points, in order: no move changes them."""


class Apart(NamedTuple):
    """The classes of states that moves do not connect, where rotations take each to the first."""

    solved: list[Arrangement]  # the solved states of the class of the first one
    orbits: list[list[int]]  # the points that moves exchange
    # for each class, a rotation that takes its states to the class of the first solved state
    rotations: dict[Class, Permutation]
    changes: Sequence[Permutation]  # the permutations of the moves

    def image(self, state: Arrangement) -> tuple[Arrangement, list[Permutation]] | None:
        """Return a state in the class of the first solved state, and the rotated moves; None without a rotation."""
        rotation = self.rotations.get(class_of(state, self.orbits))
        if rotation is None:
            return None
        back = inverse(rotation)
        return after(state, rotation), [conjugated(change, back) for change in self.changes]


def apart(
    solved: Sequence[Arrangement], changes: Sequence[Permutation], rotations: Sequence[Permutation]
) -> Apart | None:
    """Return the classes of states; None if there is one class, or rotations do not take moves to moves.

    >>> swaps = [bytes([1, 0, 2, 3]), bytes([0, 1, 3, 2])]
    >>> found = apart([bytes([0, 0, 1, 2]), bytes([1, 2, 0, 0])], swaps, [bytes(range(4)), bytes([2, 3, 0, 1])])
    >>> image, moves = found.image(bytes([2, 1, 0, 0]))
    >>> len(found.solved), list(image), [list(move) for move in moves]
    (1, [0, 0, 2, 1], [[0, 1, 3, 2], [1, 0, 2, 3]])
    """
    if len(solved) == 1:
        return None
    together = orbits(len(solved[0]), changes)
    classes = [class_of(state, together) for state in solved]
    if len({*classes}) == 1:
        return None
    rotation_of, change_set = dict[Class, Permutation](), {*changes}
    for rotation in rotations:
        if not change_set.issuperset(conjugated(change, rotation) for change in changes):
            return None
        rotation_of.setdefault(class_of(after(solved[0], inverse(rotation)), together), rotation)
    of_first = [state for state, of_state in zip(solved, classes, strict=True) if of_state == classes[0]]
    return Apart(of_first, together, rotation_of, changes) if rotation_of.keys() >= {*classes} else None


def class_of(state: Arrangement, together: Sequence[Sequence[int]]) -> Class:
    """Return the labels on each orbit of points, in order."""
    return tuple(tuple(sorted(state[point] for point in orbit)) for orbit in together)


class Single(NamedTuple):
    """A puzzle with one solved state instead of several."""

    solved: Arrangement  # this state
    number: int  # the number of images of a state
    images: Callable[[Arrangement], Iterator[Arrangement]]  # returns the images of a state


def single(solved: Sequence[Arrangement], changes: Sequence[Permutation]) -> Single | None:
    """Return a puzzle with one solved state instead of several; None if there is neither of the ways.

    >>> swaps = [bytes([1, 0, 2]), bytes([0, 2, 1])]
    >>> found = single([bytes([0, 0, 1]), bytes([0, 1, 0])], swaps)  # one of two alike in the first place
    >>> list(found.solved), [list(each) for each in found.images(bytes([1, 0, 0]))]
    ([0, 2, 2], [[2, 0, 2], [2, 2, 0]])
    """
    return _chosen(solved, changes) or _renamed(solved)


def _renamed(solved: Sequence[Arrangement]) -> Single | None:
    names = [renamed for state in solved if (renamed := renaming(state, solved[0])) is not None]
    if len(names) < len(solved):
        return None

    def images(state: Arrangement) -> Iterator[Arrangement]:
        return (arrangement(map(renamed.__getitem__, state)) for renamed in names)

    return Single(solved[0], len(solved), images)


class _Alike(NamedTuple):
    """Pieces that look alike, on the points of an orbit."""

    points: list[int]
    needed: Mapping[int, int]  # for each label, how many of its pieces have a place of their own in all solved states
    other: int  # the label of those that may lie anywhere else

    def choices(self, state: Arrangement) -> Iterator[Iterator[list[int]]]:
        """Yield, for each label, the points of those that are not chosen, in each way to choose the needed ones."""
        for label, number in self.needed.items():
            points = [point for point in self.points if state[point] == label]
            yield (sorted({*points}.difference(chosen)) for chosen in itertools.combinations(points, number))


def _chosen(solved: Sequence[Arrangement], changes: Sequence[Permutation]) -> Single | None:
    """Return the puzzle in which the pieces with places of their own are named, if all others may lie anywhere."""
    together = orbits(len(solved[0]), changes)
    if len({class_of(state, together) for state in solved}) > 1:
        return None
    first, kinds, number, expected = solved[0], list[_Alike](), 1, 1
    free = {point for point, labels in enumerate(zip(*solved, strict=True)) if len({*labels}) > 1}
    for orbit in together:
        counts = Counter(first[point] for point in orbit)
        others = Counter(first[point] for point in orbit if point in free)
        needed = {label: counts[label] - others[label] for label in others}
        kinds.append(_Alike(orbit, needed, max(first) + 1 + len(kinds)))
        number *= math.prod(math.comb(counts[label], few) for label, few in needed.items())
        expected *= math.factorial(others.total()) // math.prod(map(math.factorial, others.values()))
    if expected != len({*solved}):
        return None

    def named(state: Arrangement, others: Iterable[tuple[int, Iterable[int]]]) -> Arrangement:
        labels = list(state)
        for label, points in others:
            for point in points:
                labels[point] = label
        return arrangement(labels)

    def images(state: Arrangement) -> Iterator[Arrangement]:
        options = [[(kind.other, points) for points in choice] for kind in kinds for choice in kind.choices(state)]
        return (named(state, others) for others in itertools.product(*options))

    return Single(named(first, ((kind.other, free.intersection(kind.points)) for kind in kinds)), number, images)
