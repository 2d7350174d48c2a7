"""Partitions of the labels that symmetries preserve, and the choice of the one for which a space is smallest (numpy).

A partition gives a *pattern* for every state: the class of the label on each point; see `symmetric`.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.definition.reach import ReachableStates
from cubesolve.definition.rotations import rotations_change
from cubesolve.group.moves import Move
from cubesolve.group.permutations import Arrangement, arrangement, closure, orbits
from cubesolve.group.symmetries import Symmetry
from cubesolve.spaces.representatives import SymmetryGroup
from cubesolve.spaces.space import DEAREST

_WIDEST = 8192  # states in a row: 32 kB of an action
_WIDEST_WHOLE = 1 << 18  # if a row has all arrangements, so that there are fewer actions, or if others are too small
_MOST_BYTES = 1 << 32  # of the arrays of a space, without the states
_MOST_COMBINED = 250  # partitions of labels that are compared
_EDGE_BYTES = 13  # of a move of a row

Partition = tuple[frozenset[int], ...]
"""Some labels, divided into classes; all others are one class."""


class Pattern(NamedTuple):
    """A partition of labels."""

    classes: NDArray[np.uint8]  # the class of each label
    width: int  # the number of states in a row
    size: int  # the expected size of the arrays of the space and of its entries, in bytes
    is_whole: bool  # whether a row has all arrangements of the labels of each class


class PatternChoice:
    """Compares partitions of the labels by the memory that the space and its entries take.

    A choice of partitions has one for each kind of labels, those that symmetries map to one another.
    """

    def __init__(
        self,
        start: Arrangement,
        group: SymmetryGroup,
        fixed: set[int],
        reached: ReachableStates,
        moves: Sequence[Move],
        turning: Sequence[Move],
        images: Counter[int],
    ) -> None:
        assert reached.number is not None  # callers ensure this
        self._start, self._group, self._fixed = start, group, fixed
        self._reached, self._number = reached, reached.number
        self._moves, self._turning, self._images = moves, turning, images
        self._coarsest, self._options = list[Partition](), list[list[Partition]]()
        labels = set(start)
        for orbit in orbits(max(start) + 1, [symmetry.labels for symmetry in group.symmetries]):
            if not labels.isdisjoint(orbit):
                single = tuple(frozenset([label]) for label in orbit)
                self._coarsest.append(single if fixed.intersection(orbit) else ())
                self._options.append([*blocks(orbit, group.symmetries), single])

    def best(self, *, of_part: bool) -> Pattern | None:
        """Return the best partition; None if the arrays of all are too large.

        The first partition has as few classes as possible. Step by step, the finer one with the longest rows follows,
        if possible one that every free permutation but the identity changes. Others hide all pieces of a kind.

        Args:
            of_part: whether the symmetries are a part of others. Then all partitions are compared, if these are few.
        """
        patterns = [*self._patterns(self._hiding()), *self._patterns(self._every() if of_part else self._refined())]
        narrow = [pattern for pattern in patterns if pattern.width <= _WIDEST or pattern.is_whole]
        return min(narrow if of_part else narrow or patterns, key=lambda each: each.size, default=None)

    def _every(self) -> Iterator[Sequence[Partition]]:
        """Return all partitions, or none if they are many."""
        possible = [
            [parts, *(option for option in options if _is_finer(option, parts))]
            for parts, options in zip(self._coarsest, self._options, strict=True)
        ]
        return itertools.product(*possible if math.prod(map(len, possible)) <= _MOST_COMBINED else [()])

    def _hiding(self) -> Iterator[list[Partition]]:
        """Yield the finest partitions in which all pieces of a kind are one class."""
        for points in orbits(len(self._start), [effect.sources for move in self._moves for effect in move.effects]):
            hidden = {self._start[point] for point in points}.difference(self._fixed)
            yield [
                () if hidden.issuperset(itertools.chain.from_iterable(option[-1])) else option[-1]
                for option in self._options
            ]

    def _refined(self) -> Iterator[list[Partition]]:
        """Yield finer and finer partitions, while a row has several states."""
        chosen = self._coarsest
        while True:
            yield chosen
            finer = [
                [*chosen[:number], option, *chosen[number + 1 :]]
                for number, parts in enumerate(self._options)
                for option in parts
                if _is_finer(option, chosen[number])
            ]
            rated = ((self._has_all_images(partition), self._width(partition), partition) for partition in finer)
            _, width, chosen = max(rated, default=(True, 0, chosen), key=lambda each: each[:2])
            if width <= 1:
                return

    def _patterns(self, partitions: Iterable[Sequence[Partition]]) -> Iterator[Pattern]:
        """Yield those of some partitions whose rows and arrays are not too large."""
        for parts in partitions:
            width = self._width(parts)
            if 0 < width <= _WIDEST_WHOLE and self._has_all_images(parts):
                pattern = self._pattern(self._classes(parts), width)
                if pattern is not None:
                    yield pattern

    def _classes(self, parts: Sequence[Partition]) -> NDArray[np.uint8]:
        classes = np.zeros(max(self._start) + 1, np.uint8)
        for name, block in enumerate(itertools.chain.from_iterable(parts), 1):
            classes[list(block)] = name
        return classes

    def _width(self, parts: Sequence[Partition]) -> int:
        """Return the number of states in a row; 0 if it is not known."""
        patterns = self._placed(self._classes(parts))
        return self._number // patterns if patterns else 0

    def _placed(self, classes: NDArray[np.uint8]) -> int:
        """Return the number of patterns; 0 if it is not known."""
        number = self._reached.loops.arrangements(self._of_start(classes))
        return number * len(self._reached.ways) if number else 0

    def _has_all_images(self, parts: Sequence[Partition]) -> bool:
        """Return whether no free permutation but the identity leaves a pattern as it is."""
        if not self._group.is_free:
            return True
        return rotations_change(self._of_start(self._classes(parts)), self._group.rotations, self._moves)

    def _of_start(self, classes: NDArray[np.uint8]) -> Arrangement:
        return arrangement(classes[list(self._start)].tolist())

    def _pattern(self, classes: NDArray[np.uint8], width: int) -> Pattern | None:
        """Return a pattern with its size: arrays, and two bits or a byte an entry; None if the arrays are too large."""
        turning, symmetries = self._turning, len(self._group.symmetries)
        is_whole = width == _whole_width(self._start, classes)
        edges = max(self._number // width // symmetries, 1) * len(turning)  # expected moves of rows
        # The action depends on the points of the classes, if a row has all arrangements.
        actions = max(self._placed(_repeated(self._start, classes)), 1) * len(turning) if is_whole else width
        states = number_up_to_free(self._number, self._images) // symmetries
        arrays = _EDGE_BYTES * edges + 4 * width * min(edges, actions)
        bits = 2 if all(move.cost <= DEAREST for move in turning) else 8
        size = arrays + states * bits // 8
        return Pattern(classes, width, size, is_whole) if arrays < _MOST_BYTES else None


def number_up_to_free(number: int, images: Counter[int]) -> int:
    """Return the number of states up to free moves, given that of all states; for `images` see `PatternChoice`."""
    return sum(number * placed // (of_state * images.total()) for of_state, placed in images.items())


def are_mixed(start: Sequence[int], classes: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return whether each class, bool (256,), has several of the labels of the start."""
    mixed: NDArray[np.bool_] = np.bincount(classes[sorted(set(start))], minlength=256) > 1
    return mixed


def _whole_width(start: Arrangement, classes: NDArray[np.uint8]) -> int:
    """Return the number of arrangements of the labels of each class on its points."""
    of_classes, of_labels = (Counter(labels).values() for labels in (classes[list(start)].tolist(), start))
    return math.prod(map(math.factorial, of_classes)) // math.prod(map(math.factorial, of_labels))


def _repeated(start: Arrangement, classes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the classes of several labels, and one class for all other labels."""
    mixed = are_mixed(start, classes)
    repeated: NDArray[np.uint8] = np.where(mixed[classes], classes, np.flatnonzero(~mixed)[0]).astype(np.uint8)
    return repeated


def _is_finer(partition: Partition, other: Partition) -> bool:
    """Return whether a partition divides the classes of another."""
    return partition != other and all(any(part <= whole for whole in other) for part in partition if other)


def blocks(orbit: Sequence[int], group: Sequence[Symmetry]) -> list[Partition]:
    """Return the partitions of an orbit of labels into more than one label each that symmetries preserve."""
    first, *others = orbit
    least = dict.fromkeys(_joined([frozenset([first, other])], group) for other in others)
    return closure(least, lambda each: [_joined([*each, *other], group) for other in least])


def _joined(blocks: Sequence[frozenset[int]], group: Sequence[Symmetry]) -> Partition:
    """Return the finest partition that symmetries preserve in which the labels of each block are together."""
    parts, left = list[frozenset[int]](), [*blocks]
    while left:
        block = left.pop()
        if any(block <= part for part in parts):
            continue
        block = block.union(*(part for part in parts if not part.isdisjoint(block)))
        parts = [*(part for part in parts if part.isdisjoint(block)), block]
        left += {frozenset(symmetry.labels[label] for label in block) for symmetry in group}
    return tuple(sorted(parts, key=min))
