"""Patterns up to symmetry: the least image of each represents it (numpy, numba).

A pattern has a class of labels on each point. A symmetry maps patterns to patterns if it maps classes to classes. If
whole-puzzle rotations determine the places of reference pieces, each symmetry is followed by the rotation that brings
these home. Their labels are classes of their own, so the pattern determines the rotation.

Without reference pieces, a pattern is compared in every symmetry followed by every rotation. If these are many, the
least image is that with the least *kinds*: classes that symmetries map to one another are of one kind. There are few
patterns of kinds, so the maps to the least image of each are listed, and only these are tried.

States that free moves connect are one state, as the states of the Square-1 up to turns of its layers.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.definition.rotations import RotationReduction, rotations_change
from cubesolve.group.moves import Effect, Move, are_plain
from cubesolve.group.permutations import (
    Arrangement,
    Permutation,
    after,
    arrangement,
    closure,
    identity,
    orbits,
    support,
)
from cubesolve.group.symmetries import Symmetry, symmetries, symmetries_up_to
from cubesolve.runtime.kernel_arrays import Array2, Read1, Read2
from cubesolve.runtime.kernels import kernel
from cubesolve.runtime.workers import Workers
from cubesolve.spaces.rows import Rows, hashed

MOST_FREE = 1000
"""The maximum number of permutations that free moves make."""


def free_permutations(points: int, moves: Sequence[Move], *, blocked: bool) -> tuple[Permutation, ...] | None:
    """Return the permutations that free moves make, the identity first.

    Args:
        blocked: whether some labels must not be on some points. Then every permutation must be a product of free moves
            that move different points, so that these moves are possible in any order if the product is.

    Returns:
        None if there are more than `MOST_FREE`, if some free moves are not always possible, or if blocked moves can
        separate states that a permutation connects.

    >>> from cubesolve.group.moves import Effect
    >>> moves = [Move("T", (Effect(bytes([1, 2, 0])),), 0), Move("S", (Effect(bytes([1, 0, 2])),))]
    >>> [list(change) for change in free_permutations(3, moves, blocked=False)]
    [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
    """
    free = [move for move in moves if move.cost == 0]
    if not are_plain(free):
        return None
    changes = [move.effects[0].sources for move in free]
    permutations = closure([identity(points)], lambda change: [after(change, other) for other in changes], MOST_FREE)
    if len(permutations) > MOST_FREE:
        return None
    moved = {change: support(change) for change in changes}

    def apart(product: Permutation) -> list[Permutation]:
        return [after(product, change) for change in changes if moved[change].isdisjoint(support(product))]

    return None if blocked and len(closure([identity(points)], apart)) < len(permutations) else tuple(permutations)


MOST_CLASSES = 255
"""The maximum number of classes."""

_ROTATION = 10  # a cost that no move has
_MANY = 256  # maps; of more, those to the least kinds are listed


class SymmetryGroup(NamedTuple):
    """Symmetries of the states up to rotation."""

    symmetries: Sequence[Symmetry]
    rotations: Sequence[Permutation]  # each symmetry is followed by one of these, which brings reference pieces home
    reference: Sequence[int] = ()  # the labels of reference pieces; none if the symmetries leave them where they are
    is_free: bool = False  # whether the rotations are free moves, which may come before every move


def groups_of(
    reduction: RotationReduction, moves: Sequence[Move], illegal: frozenset[tuple[int, int]], *, up_to_free: bool
) -> Iterator[SymmetryGroup]:
    """Yield groups of symmetries.

    The smaller group is that of the moves up to rotation, which leave reference pieces at home. The larger one needs
    more rows, because the labels of these pieces and their images must be classes of their own. Up to free moves, the
    only group is that of the states up to these; there is none if these moves do not make few permutations, or if one
    of these may leave a state as it is.
    """
    solved = reduction.solved
    if up_to_free:
        free = free_permutations(len(solved[0]), reduction.moves, blocked=bool(illegal))
        if free is not None and rotations_change(solved[0], free, reduction.generators):
            yield SymmetryGroup(symmetries_up_to(free, solved, reduction.moves, illegal), free, is_free=True)
        return
    yield SymmetryGroup(symmetries(solved, reduction.moves, illegal), [identity(len(solved[0]))])
    if reduction.reference is not None:
        labels, rotations, *_ = reduction.reference
        turned = [Move("", (Effect(turn),), _ROTATION) for turn in rotations[1:]]  # symmetries take them to each other
        yield SymmetryGroup(symmetries(solved, [*moves, *turned], illegal), rotations, labels)


class _Maps(NamedTuple):
    """The symmetries, each followed by each rotation, as a kernel reads them."""

    # uint16 (maps, points): the point from which each point gets its label; the maps of a symmetry, one with each
    # rotation, follow one another
    sources: Read2[np.uint16]
    classes: Read2[np.uint8]  # (maps, classes): the image of each class
    home: Read1[np.int64]  # (labels,): the points of reference labels that must be at home
    labels: Read1[np.uint8]  # (labels,): their classes
    # uint8 (symmetries,): the class whose image is that of the first reference label; a single 0 without reference
    # pieces
    found: Read1[np.uint8]
    chosen: Read1[np.int32]  # numbers of maps
    # int64 (symmetries, points + 1): the place in `chosen` of the first map of a symmetry with a rotation that brings
    # this class home from a point; the others follow. Without reference pieces, a single row: the places of the first
    # maps for each key of a pattern.
    first: Read2[np.int64]


@kernel(at_start=True)
def _list(
    maps: _Maps, patterns: Array2[np.uint8], keys: Read1[np.int64], listed: Array2[np.int32], begin: int, end: int
) -> int:
    """Replace patterns `begin` to `end` by their least images; write the first map to each, and how many maps are."""
    sources, classes, home, labels, origins, chosen, first = maps
    width = patterns.shape[1]
    least, place = np.empty(width, np.uint8), np.zeros(256, np.int64)
    for row in range(begin, end):
        pattern = patterns[row]
        if len(home):
            for point in range(width):
                place[pattern[point]] = point
        number, ties = -1, 0
        for group in range(len(origins)):
            key = place[origins[group]] if len(home) else keys[row]
            for index in chosen[first[group, key] : first[group, key + 1]]:
                source, renamed = sources[index], classes[index]
                order = -1 if number < 0 else 0
                for i in range(1, len(home)):
                    if renamed[pattern[source[home[i]]]] != labels[i]:
                        order = 1
                for point in range(width if order == 0 else 0):
                    label = renamed[pattern[source[point]]]
                    if label != least[point]:
                        order = 1 if label > least[point] else -1
                        break
                if order < 0:
                    for point in range(width):
                        least[point] = renamed[pattern[source[point]]]
                    number, ties = int(index), 0
                ties += order <= 0
        pattern[:] = least
        listed[0, row], listed[1, row] = number, ties
    return 0


class Representatives:
    """The least image of each pattern under symmetries."""

    def __init__(self, start: Arrangement, group: SymmetryGroup, classes: NDArray[np.uint8]) -> None:
        home = [start.index(label) for label in group.reference]
        labels, number = np.array(list(start)), len(group.symmetries)
        self._rotations = len(group.rotations)
        # The image of each point, and of each label, under each symmetry.
        self.points: Rows = np.array([list(symmetry.points) for symmetry in group.symmetries], np.uint16)
        self.labels: Rows = np.array([list(symmetry.labels) for symmetry in group.symmetries], np.uint16)
        renamed = np.zeros((number, int(classes.max()) + 1), np.uint8)
        renamed[:, classes[labels]] = classes[self.labels[:, labels]]
        sources = np.argsort(self.points, axis=1)[:, np.array([list(rotation) for rotation in group.rotations])]
        at_home = classes[labels[home]]
        origins = (renamed == at_home[0]).argmax(axis=1) if home else np.zeros(1)
        if home:
            chosen, firsts = _by_place(sources[:, :, home[0]], len(start))
        else:
            maps = number * self._rotations
            chosen, firsts = np.arange(maps, dtype=np.int32), np.array([[0, maps]])
        self._maps = _Maps(
            np.ascontiguousarray(sources.reshape(-1, len(start)), np.uint16),
            np.repeat(renamed, self._rotations, axis=0),
            np.array(home, np.int64),
            at_home,
            origins.astype(np.uint8),
            chosen,
            firsts,
        )
        self._kinds: NDArray[np.uint8] | None = None
        if not home and len(chosen) > _MANY:
            self._kinds = np.zeros(len(renamed[0]), np.uint8)
            for kind, orbit in enumerate(orbits(len(renamed[0]), [arrangement(image) for image in renamed.tolist()])):
                self._kinds[list(orbit)] = kind
            self._keys = dict[bytes, int]()
            self._maps = self._maps._replace(chosen=chosen[:0], first=np.zeros((1, 1), np.int64))

    def listed(self, patterns: Rows) -> tuple[Rows, NDArray[np.int32]]:
        """Return the least images of patterns, uint8 (N, points); and int32 (2, N): a map to each, and how many."""
        images, maps = np.array(patterns, np.uint8, order="C"), np.zeros((2, len(patterns)), np.int32)
        keys = np.zeros(len(images), np.int64) if self._kinds is None else self._keys_of(self._kinds[images])
        with Workers(len(images), entries=images.size) as pool:
            pool.run(lambda first, last: _list(self._maps, images, keys, maps, first, last))
        return images, maps

    def _keys_of(self, kinds: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Return the key of each pattern of kinds; list the maps for new ones."""
        _, first, which = np.unique(hashed(kinds), return_index=True, return_inverse=True)
        distinct = {kinds[row].tobytes(): kinds[row] for row in first}
        new = [key for key in distinct if key not in self._keys]
        chosen = [_least_maps(distinct[key][self._maps.sources]) for key in new]
        self._keys |= {key: number for number, key in enumerate(new, len(self._keys))}
        ends = self._maps.first[0, -1] + np.cumsum([len(maps) for maps in chosen], dtype=np.int64)
        self._maps = self._maps._replace(
            chosen=np.concatenate([self._maps.chosen, *chosen]), first=np.append(self._maps.first, ends)[None]
        )
        keys: NDArray[np.int64] = np.array([self._keys[key] for key in distinct], np.int64)[which]
        return keys

    def symmetry(self, maps: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the numbers of the symmetries of some maps."""
        return maps // self._rotations

    def sources(self, maps: NDArray[np.int32]) -> Rows:
        """Return the points from which some maps take the label of each point: uint16 (N, points)."""
        return self._maps.sources[maps]


def _by_place(places: NDArray[np.int64], points: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the maps of each symmetry, ordered by the points from which they bring a label, as in `_Maps`."""
    number, rotations = places.shape
    order = np.argsort(places, axis=1, kind="stable")
    ordered, begins = np.take_along_axis(places, order, axis=1), rotations * np.arange(number)[:, None]
    firsts = np.array([np.searchsorted(row, np.arange(points + 1)) for row in ordered])
    return (order + begins).astype(np.int32).reshape(-1), firsts + begins


def _least_maps(images: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Return the numbers of the rows that are least."""
    numbers = np.arange(len(images), dtype=np.int32)
    for column in images.T:
        here = column[numbers]
        numbers = numbers[here == here.min()]
    return numbers


class PatternMoves:
    """The effect of moves on patterns."""

    def __init__(
        self,
        moves: Sequence[Move],
        illegal: frozenset[tuple[int, int]],
        classes: NDArray[np.integer],
        free: Sequence[Permutation] = (),
    ) -> None:
        """Take moves, the class of each label, and free permutations before a move.

        Labels that decide which moves are possible have a class each.
        """
        self._classes, self._illegal, self._free = classes, illegal, free
        self._blocked = [(point, int(classes[label])) for point, label in illegal]
        # The number of the move of each effect, or of the pair of a free permutation and a move; and the effect.
        self.effects = [(number, effect) for number, move in enumerate(moves) for effect in move.effects]
        self._turned = [[effect.sources] for _, effect in self.effects]  # what must be legal
        if free:
            pairs = [*itertools.product(free, moves)]
            self.effects = [(number, effect) for number, pair in enumerate(pairs) for effect in _effects_after(*pair)]
            self._turned = [[pairs[number][0], effect.sources] for number, effect in self.effects]

    def after(self, patterns: Rows, effect: int) -> tuple[NDArray[np.int64], Rows]:
        """Return the numbers of the patterns for which an effect is possible, and these after it."""
        here = np.flatnonzero(self.are_possible(patterns, effect))
        return here, patterns[here[:, None], list(self.effects[effect][1].sources)]

    def are_possible(self, patterns: Rows, effect: int) -> NDArray[np.bool_]:
        """Return whether an effect is possible for each of some patterns."""
        possible = np.ones(len(patterns), np.bool_)
        for point, label in self.effects[effect][1].needs:
            possible &= patterns[:, point] == self._classes[label]
        for turned in self._turned[effect]:
            possible &= _are_legal(patterns, turned, self._blocked)
        return possible

    def legal_images(self, patterns: Rows) -> NDArray[np.int64]:
        """Return how many free permutations lead from each of some patterns to a legal one."""
        images = np.zeros(len(patterns), np.int64)
        for change in self._free:
            images += _are_legal(patterns, change, self._blocked)
        return images

    def legal(self, states: Rows) -> Rows:
        """Return states, each after the first free permutation that leads to a legal one."""
        if not self._free:
            return states
        images, left = states.copy(), np.ones(len(states), np.bool_)
        for change in self._free:
            here = np.flatnonzero(left & _are_legal(states, change, self._illegal))
            images[here], left[here] = states[here][:, list(change)], False
        return images


def _are_legal(rows: Rows, change: Permutation, illegal: Iterable[tuple[int, int]]) -> NDArray[np.bool_]:
    """Return whether each of some rows, after a permutation, has none of some labels on a point."""
    legal = np.ones(len(rows), np.bool_)
    for point, label in illegal:
        legal &= rows[:, change[point]] != label
    return legal


def _effects_after(change: Permutation, move: Move) -> Iterator[Effect]:
    for sources, needs in move.effects:
        yield Effect(after(change, sources), tuple((change[point], label) for point, label in needs))
