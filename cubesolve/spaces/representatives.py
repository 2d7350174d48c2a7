"""Patterns up to symmetry: the least image of each represents it (numpy, numba).

A pattern has a class of labels on each point. A symmetry maps patterns to patterns if it maps classes to classes. If
whole-puzzle rotations determine the places of reference pieces, each symmetry is followed by the rotation that brings
these home. Their labels are classes of their own, so the pattern determines the rotation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.definitions.definition import Move
from cubesolve.definitions.rotations import RotationReduction
from cubesolve.definitions.symmetries import Symmetry, symmetries
from cubesolve.kernels import kernel, named, read_only, types
from cubesolve.permutations import Arrangement, Permutation, arrangement, identity, inverse
from cubesolve.spaces.rows import Rows
from cubesolve.workers import Workers

MOST_CLASSES = 255
"""The maximum number of classes."""


class SymmetryGroup(NamedTuple):
    """Symmetries of the states up to rotation.

    Attributes:
        symmetries: the symmetries.
        rotations: each symmetry is followed by one of these, which brings reference pieces home.
        reference: the labels of reference pieces; none if the symmetries leave them where they are.
    """

    symmetries: Sequence[Symmetry]
    rotations: Sequence[Permutation]
    reference: Sequence[int] = ()


def groups_of(
    reduction: RotationReduction, moves: Sequence[Move], illegal: frozenset[tuple[int, int]]
) -> Iterator[SymmetryGroup]:
    """Yield groups of symmetries.

    The smaller group is that of the moves up to rotation, which leave reference pieces at home. The larger one needs
    more rows, because the labels of these pieces and their images must be classes of their own.
    """
    solved = reduction.solved
    yield SymmetryGroup(symmetries(solved, reduction.moves, illegal), [identity(len(solved[0]))])
    if reduction.reference is not None:
        labels, rotations, *_ = reduction.reference
        whole = symmetries(solved, moves, illegal)
        if all(_is_symmetric(each, rotations) for each in whole):
            yield SymmetryGroup(whole, rotations, labels)


def _is_symmetric(symmetry: Symmetry, rotations: Sequence[Permutation]) -> bool:
    """Return whether a symmetry takes rotations to rotations."""
    points, back = symmetry.points, inverse(symmetry.points)
    known = set(rotations)
    return all(arrangement(points[rotation[back[i]]] for i in range(len(points))) in known for rotation in rotations)


class _Maps(NamedTuple):
    """The symmetries, each followed by each rotation, as a kernel reads them.

    Attributes:
        sources: uint16 (maps, points): the point from which each point gets its label.
        classes: uint8 (symmetries, classes): the image of each class.
        home: int64 (labels,): the points of reference labels that must be at home.
        labels: uint8 (labels,): their classes.
        found: uint8 (symmetries,): the class whose image is that of the first reference label; any without references.
        first: int64 (symmetries, points + 1): the number of the first map of a symmetry with a rotation that brings
            this class home from a point; the others follow. Without reference pieces, the point does not matter.
    """

    sources: NDArray[np.uint16]
    classes: NDArray[np.uint8]
    home: NDArray[np.int64]
    labels: NDArray[np.uint8]
    found: NDArray[np.uint8]
    first: NDArray[np.int64]


@kernel(
    named(
        _Maps,
        sources=read_only(types.uint16),
        classes=read_only(types.uint8),
        home=read_only(types.int64, 1),
        labels=read_only(types.uint8, 1),
        found=read_only(types.uint8, 1),
        first=read_only(types.int64),
    ),
    types.uint8[:, ::1],
    types.int32[:, ::1],
    types.int64,
    types.int64,
)
def _list(maps: _Maps, patterns: NDArray[np.uint8], listed: NDArray[np.int32], first: int, last: int) -> int:
    """Replace patterns `first` to `last` by their least images; write the first map to each, and how many maps are."""
    sources, classes, home, labels, found, firsts = maps
    width = patterns.shape[1]
    least, image, place = np.empty(width, np.uint8), np.empty(width, np.uint8), np.zeros(256, np.int64)
    for row in range(first, last):
        pattern = patterns[row]
        if len(home):
            for point in range(width):
                place[pattern[point]] = point
        number, ties = -1, 0
        for symmetry in range(len(found)):
            renamed, there = classes[symmetry], place[found[symmetry]]
            for each in range(firsts[symmetry, there], firsts[symmetry, there + 1]):
                source = sources[each]
                order = -1 if number < 0 else 0
                for i in range(1, len(home)):
                    if renamed[pattern[source[home[i]]]] != labels[i]:
                        order = 1
                for point in range(width):
                    if order > 0:
                        break
                    label = renamed[pattern[source[point]]]
                    if order == 0 and label != least[point]:
                        order = 1 if label > least[point] else -1
                    image[point] = label
                if order < 0:
                    least[:] = image
                    number, ties = each, 0
                ties += order <= 0
        pattern[:] = least
        listed[0, row], listed[1, row] = number, ties
    return 0


class Representatives:
    """The least image of each pattern under symmetries.

    Attributes:
        labels: uint16 (symmetries, labels): the image of each label under each symmetry.
        points: uint16 (symmetries, points): likewise of each point.
    """

    def __init__(self, start: Arrangement, group: SymmetryGroup, classes: NDArray[np.uint8]) -> None:
        """Take the start, the symmetries, and the class of each label, which they preserve."""
        home = [start.index(label) for label in group.reference]
        labels, number = np.array(list(start)), len(group.symmetries)
        self._rotations = len(group.rotations)
        self.points: Rows = np.array([list(each.points) for each in group.symmetries], np.uint16)
        self.labels: Rows = np.array([list(each.labels) for each in group.symmetries], np.uint16)
        renamed = np.zeros((number, int(classes.max()) + 1), np.uint8)
        renamed[:, classes[labels]] = classes[self.labels[:, labels]]
        sources = np.argsort(self.points, axis=1)[:, np.array([list(each) for each in group.rotations])]
        places = sources[:, :, home[0]] if home else np.zeros(sources.shape[:2], np.int64)
        order = np.argsort(places, axis=1, kind="stable")
        places = np.take_along_axis(places, order, axis=1)
        firsts = [np.searchsorted(each, np.arange(len(start) + 1)) for each in places]
        at_home = classes[labels[home]]
        self._maps = _Maps(
            np.take_along_axis(sources, order[:, :, None], axis=1).reshape(-1, len(start)).astype(np.uint16),
            renamed,
            np.array(home, np.int64),
            at_home,
            (renamed == at_home[0]).argmax(axis=1).astype(np.uint8) if home else np.zeros(number, np.uint8),
            np.array(firsts) + self._rotations * np.arange(number)[:, None],
        )

    def listed(self, patterns: Rows) -> tuple[Rows, NDArray[np.int32]]:
        """Return the least images of patterns.

        Args:
            patterns: uint8 (N, points).

        Returns:
            uint8 (N, points); and int32 (2, N): the number of a map to each, and how many there are.
        """
        images, found = np.array(patterns, np.uint8, order="C"), np.zeros((2, len(patterns)), np.int32)
        with Workers(len(images)) as pool:
            pool.run(lambda first, last: _list(self._maps, images, found, first, last))
        return images, found

    def symmetry(self, maps: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the numbers of the symmetries of some maps."""
        return maps // self._rotations

    def sources(self, maps: NDArray[np.int32]) -> Rows:
        """Return the points from which some maps take the label of each point: uint16 (N, points)."""
        return self._maps.sources[maps]


class PatternMoves:
    """The effect of moves on patterns.

    Attributes:
        cases: the number of the move of each case, and the case.
    """

    def __init__(self, moves: Sequence[Move], illegal: frozenset[tuple[int, int]], classes: NDArray[np.uint8]) -> None:
        """Take moves, and the class of each label; those that decide which moves are possible have one each."""
        self.cases = [(number, case) for number, move in enumerate(moves) for case in move.cases]
        self._illegal, self._classes = illegal, classes

    def after(self, patterns: Rows, case: int) -> tuple[NDArray[np.int64], Rows]:
        """Return the numbers of the patterns for which a case is possible, and these after it."""
        _, (sources, needs) = self.cases[case]
        possible = np.ones(len(patterns), np.bool_)
        for point, label in needs:
            possible &= patterns[:, point] == self._classes[label]
        for point, label in self._illegal:
            possible &= patterns[:, sources[point]] != self._classes[label]
        here = np.flatnonzero(possible)
        return here, patterns[here[:, None], list(sources)]
