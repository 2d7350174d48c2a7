"""Solved states that moves alone do not lead to from each other (pure Python).

A puzzle counts as solved in every orientation. If face turns do not take its centres elsewhere, they lead from a state
to one of these orientations only. The state, rotated as a whole, is then solved as the first one by the rotated moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cubesolve.definition.rotations import conjugated
from cubesolve.group.permutations import Arrangement, Permutation, after, inverse, orbits

Class = tuple[tuple[int, ...], ...]
"""The labels on each orbit of points, in order: no move changes them."""


class Apart(NamedTuple):
    """The classes of states that moves do not connect, where rotations take each to the first.

    Attributes:
        solved: the solved states of the class of the first one.
        orbits: the points that moves exchange.
        rotations: for each class, a rotation that takes its states to the class of the first solved state.
        changes: the permutations of the moves.
    """

    solved: list[Arrangement]
    orbits: list[list[int]]
    rotations: dict[Class, Permutation]
    changes: Sequence[Permutation]

    def image(self, state: Arrangement) -> tuple[Arrangement, list[Permutation]] | None:
        """Return a state rotated to the class of the first solved state, and the permutations of the rotated moves.

        Returns:
            None if moves lead to no solved state.
        """
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
    found, known = dict[Class, Permutation](), {*changes}
    for rotation in rotations:
        if not known.issuperset(conjugated(change, rotation) for change in changes):
            return None
        found.setdefault(class_of(after(solved[0], inverse(rotation)), together), rotation)
    of_first = [state for state, each in zip(solved, classes, strict=True) if each == classes[0]]
    return Apart(of_first, together, found, changes) if found.keys() >= {*classes} else None


def class_of(state: Arrangement, together: Sequence[Sequence[int]]) -> Class:
    """Return the labels on each orbit of points, in order."""
    return tuple(tuple(sorted(state[point] for point in orbit)) for orbit in together)
