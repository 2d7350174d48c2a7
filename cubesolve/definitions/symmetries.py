"""Symmetries of a puzzle whose moves are permutations, found from the moves alone (pure Python).

A symmetry permutes the points, and the labels, so that moves become moves and solved states solved states. States that
it maps to each other have the same depth.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from cubesolve.permutations import Arrangement, Permutation, after, cycles, identity, orbits

_LEVELS = 3  # moves whose images are looked for: a symmetry of a solid that keeps two faces and a third moves nothing
_TRIED = 16  # images of all moves that are tried for an image of one
_COMPARED = 100_000  # moves with possible images: a tenth of a second


class Symmetry(NamedTuple):
    """A symmetry.

    Attributes:
        points: the image of each point.
        labels: the image of each label of a solved state.
        moves: the image of each move, by number.
    """

    points: tuple[int, ...]
    labels: Mapping[int, int]
    moves: tuple[int, ...]


class Symmetries(NamedTuple):
    """A group of symmetries.

    Attributes:
        generators: symmetries that generate it.
        order: the number of all.
    """

    generators: tuple[Symmetry, ...]
    order: int


NO_SYMMETRIES = Symmetries((), 1)
"""Only the identity."""


def symmetries_of(sources: Sequence[Permutation], solved: Sequence[Arrangement]) -> Symmetries:
    """Return the symmetries of a puzzle, or a subgroup of them.

    Some moves are chosen of which all others are powers. For each of them, the earlier ones are left as they are, and a
    symmetry is looked for to each move that the known ones do not make of it (as for a strong generating set).

    Args:
        sources: for each move and point, the point that its label comes from.
        solved: the solved states.

    >>> swaps = [bytes([1, 0, 2]), bytes([0, 2, 1])]
    >>> found = symmetries_of(swaps, [bytes([0, 1, 2])])
    >>> found.order, found.generators[0].points
    (2, (2, 1, 0))
    """
    finder = _Finder(sources, solved)
    generators, order = list[Symmetry](), 1
    for level, chosen in enumerate(finder.chosen[:_LEVELS]):
        known = [each for each in generators if all(each.moves[move] == move for move in finder.chosen[:level])]
        reached = [chosen]
        for candidate in range(len(sources)):
            if candidate not in reached:
                found = finder.first([*finder.chosen[:level], candidate])
                if found:
                    generators.append(found)
                    known.append(found)
                    reached = _orbit(chosen, [each.moves for each in known])
        order *= len(reached)
    return Symmetries(tuple(generators), order)


def _orbit(first: int, images: Sequence[Sequence[int]]) -> list[int]:
    reached = [first]
    for each in reached:
        reached += {image[each] for image in images} - set(reached)
    return reached


class _Finder:
    """The search for symmetries.

    Attributes:
        chosen: the moves that others are powers of.
    """

    def __init__(self, moves: Sequence[Permutation], solved: Sequence[Arrangement]) -> None:
        self._moves, self._solved, self._identity = moves, solved, identity(len(solved[0]))
        self._compared = 0
        self._number = {move: number for number, move in enumerate(moves)}
        self._powers = dict[int, list[int]]()  # for each chosen move, the numbers of its powers; -1 if one is no move
        for number, move in enumerate(moves):
            if not any(number in powers for powers in self._powers.values()):
                self._powers[number] = self._powers_of(move)
        self.chosen = list(self._powers)
        self._areas = orbits(len(solved[0]), moves)

    def _powers_of(self, move: Permutation) -> list[int]:
        powers, power = list[int](), move
        while power != self._identity:
            powers.append(self._number.get(power, -1))
            power = after(power, move)
        return powers

    @functools.cache  # noqa: B019  # the finder lives as long as one call
    def _shape(self, one: int, other: int) -> list[int]:
        """Return the lengths of the cycles of two moves, one after the other."""
        return sorted(map(len, cycles(after(self._moves[one], self._moves[other]))))

    def first(self, images: Sequence[int]) -> Symmetry | None:
        """Return a symmetry for which the first of the chosen moves have some images."""
        for number, image in enumerate(images):
            if not self._suits(images[:number], image):
                return None
        completed = itertools.islice(self._completed(list(images)), _TRIED)
        return next(filter(None, map(self._symmetry, completed)), None)

    def _suits(self, images: Sequence[int], image: int) -> bool:
        """Return whether one more of the chosen moves may have an image."""
        move = self.chosen[len(images)]
        self._compared += 1
        return (
            self._compared <= _COMPARED
            and image not in images
            and self._shape(move, move) == self._shape(image, image)
            and all(
                self._shape(one, move) == self._shape(other, image)
                for one, other in zip(self.chosen, images, strict=False)
            )
        )

    def _completed(self, images: list[int]) -> Iterator[Sequence[int]]:
        if len(images) == len(self.chosen):
            yield images
            return
        for image in range(len(self._moves)):
            if self._suits(images, image):
                yield from self._completed([*images, image])

    def _symmetry(self, images: Sequence[int]) -> Symmetry | None:
        """Return a symmetry for which the chosen moves have some images."""
        moves = [-1] * len(self._moves)
        for chosen, image in zip(self.chosen, images, strict=True):
            powers = self._powers_of(self._moves[image])
            if len(powers) != len(self._powers[chosen]):
                return None
            for move, there in zip(self._powers[chosen], powers, strict=True):
                if (move < 0) != (there < 0):
                    return None
                if move >= 0:
                    moves[move] = there
        if sorted(moves) != list(range(len(moves))):
            return None
        points = dict[int, int]()
        for area in self._areas:
            carried = (self._carried(area[0], image, moves) for image in range(len(self._solved[0])))
            found = next((each for each in carried if each and self._labels({**points, **each})), None)
            if found is None:
                return None
            points |= found
        labels = self._labels(points)
        symmetry = Symmetry(tuple(points[point] for point in sorted(points)), labels or {}, tuple(moves))
        return symmetry if labels and self._keeps_solved(symmetry) else None

    def _carried(self, point: int, image: int, moves: Sequence[int]) -> dict[int, int] | None:
        """Return the images of the points that moves lead to from one with a given image."""
        points, waiting = {point: image}, [point]
        for here in waiting:
            for move, there in enumerate(moves):
                near, seen = self._moves[move][here], self._moves[there][points[here]]
                if near not in points:
                    waiting.append(near)
                if points.setdefault(near, seen) != seen:
                    return None
        return points if len(set(points.values())) == len(points) else None

    def _labels(self, points: Mapping[int, int]) -> dict[int, int] | None:
        """Return the images of the labels on some points in the first solved state, if each label has one."""
        solved, labels = self._solved[0], dict[int, int]()
        for point, image in points.items():
            if labels.setdefault(solved[point], solved[image]) != solved[image]:
                return None
        return labels if len(set(labels.values())) == len(labels) else None

    def _keeps_solved(self, found: Symmetry) -> bool:
        """Return whether a symmetry maps solved states to solved states."""
        seen = set[Arrangement]()
        for state in self._solved:
            if not set(state) <= found.labels.keys():
                return False
            image = {found.points[point]: found.labels[label] for point, label in enumerate(state)}
            seen.add(type(state)(image[point] for point in range(len(state))))
        return seen == set(self._solved)
