"""Goals with don't-cares, and the masks that follow from them (pure Python).

A goal says for some points which labels may lie there. Labels that fit the same places are alike for it: so a state
becomes an arrangement of fewer labels, and the goal is some of these arrangements, often one alone.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from typing import NamedTuple

from cubesolve.definitions.pieces import PieceOrbit, kinds_of
from cubesolve.errors import TooLargeError, UnsolvableStateError
from cubesolve.permutations import Arrangement, Permutation, arrangement

Allowed = Mapping[int, frozenset[int]]
"""For points that matter, the labels that may lie there."""

MOST_FULFILLED = 1 << 16
"""The number of arrangements that may fulfil a goal."""

_MOST_TRIED = 1 << 20  # pieces that are put in their places


class NamedGoal(NamedTuple):
    """A goal that has a name in the room of its puzzle.

    Attributes:
        pieces: the names of pieces that are to be at home.
        alike: the names of facelets, and on these any of the same may come to lie.
    """

    pieces: str = ""
    alike: tuple[str, ...] = ()


class Mask(NamedTuple):
    """The labels that goals distinguish, and the states that fulfil the goals.

    Attributes:
        start: the labels on all points, before any move.
        kinds: the pieces.
        goals: the goals, without those that need another label where no move changes it.
        looks: what each label becomes.
    """

    start: Arrangement
    kinds: Sequence[PieceOrbit]
    goals: Sequence[Allowed]
    looks: Mapping[int, int]

    def masked(self, state: Arrangement) -> Arrangement:
        """Return a state with the labels masked."""
        return arrangement(map(self.looks.__getitem__, state))

    def fulfilled(self) -> tuple[Arrangement, ...]:
        """The arrangements that fulfil one of the goals; that which the start is, if it does, comes first.

        Raises:
            InvalidStateError: there is none.
            TooLargeError: there are too many to be listed.
        """
        found = dict.fromkeys(each for goal in self.goals for each in _fulfilled(self, goal))
        if not found:
            raise UnsolvableStateError("no moves lead to this goal: the pieces cannot come to lie so")
        seen = self.masked(self.start)
        return tuple(sorted(found, key=lambda each: each != seen))


def mask_of(
    start: Arrangement,
    changes: Sequence[Permutation],
    goals: Sequence[Allowed],
    always: Collection[int] = (),
) -> Mask:
    """Return the mask of goals.

    Args:
        start: the labels on all points, before any move.
        changes: what moves do.
        goals: the goals, one of which is to be fulfilled.
        always: labels that are always distinguished.

    >>> swaps = [bytes([1, 0, 2, 3]), bytes([0, 2, 1, 3]), bytes([0, 1, 3, 2])]
    >>> found = mask_of(b"\\0\\1\\2\\3", swaps, [{0: frozenset({0})}])
    >>> list(found.masked(b"\\3\\2\\0\\1")), [list(each) for each in found.fulfilled()]
    ([1, 1, 0, 1], [[0, 1, 1, 1]])
    """
    kinds = kinds_of(len(start), changes, lambda _labels: None)
    moved = {point for kind in kinds for along in kind.along.values() for point in along}
    possible = [goal for goal in goals if all(start[point] in goal[point] for point in goal.keys() - moved)]
    first = dict[Hashable, int]()
    looks = {label: first.setdefault(key, label) for label, key in _keys(start, kinds, possible, always).items()}
    return Mask(start, kinds, possible, looks)


def _keys(
    start: Arrangement, kinds: Sequence[PieceOrbit], goals: Sequence[Allowed], always: Collection[int]
) -> dict[int, Hashable]:
    """Something for each label that is the same for labels that are alike: for each goal, where it does not fit."""
    found: dict[int, set[tuple[frozenset[int], ...]]] = {}
    for kind in kinds:
        for source, along in kind.along.items():
            misfits = [[point for point in kind.along if not _fits(start, kind, goal, point, source)] for goal in goals]
            for number, point in enumerate(along):
                places = tuple(frozenset(kind.along[misfit][number] for misfit in each) for each in misfits)
                found.setdefault(start[point], set()).add(places)
    keys = dict[int, Hashable]()
    for label in sorted(set(start)):
        known = found.get(label, set())
        keys[label] = next(iter(known)) if len(known) == 1 and label not in always else label
    return keys


def _fits(start: Arrangement, kind: PieceOrbit, goal: Allowed, point: int, source: int) -> bool:
    """Whether a piece may come to lie so that the label of one point is on another."""
    pairs = zip(kind.along[point], kind.along[source], strict=True)
    return all(start[there] in goal[here] for here, there in pairs if here in goal)


def _fulfilled(about: Mask, goal: Allowed) -> Iterator[Arrangement]:
    """The arrangements that fulfil a goal."""
    ways = [_placements(about, kind, goal) for kind in about.kinds]
    number = math.prod(map(len, ways))
    if number > MOST_FULFILLED:
        raise TooLargeError(number, MOST_FULFILLED)
    for parts in itertools.product(*ways):
        state = list(about.masked(about.start))
        for part in parts:
            for point, look in part.items():
                state[point] = look
        yield arrangement(state)


def _placements(about: Mask, kind: PieceOrbit, goal: Allowed) -> list[dict[int, int]]:
    """The ways in which the pieces of a kind can lie so that a goal is fulfilled: what is then on each point."""
    pieces = kind.pieces()
    shown = {source: tuple(about.looks[about.start[point]] for point in along) for source, along in kind.along.items()}
    left = Counter(_type(piece, shown) for piece in pieces)
    choices = list[tuple[int, list[tuple[_Type, tuple[int, ...]]]]]()
    for place, *_ in pieces:
        sources = [source for source in kind.along if _fits(about.start, kind, goal, place, source)]
        types = {_type(piece, shown): piece for piece in pieces}
        fitting = {(which, shown[source]) for which, piece in types.items() for source in piece if source in sources}
        choices.append((place, sorted(fitting)))
    choices.sort(key=lambda choice: len(choice[1]))
    tried = itertools.count()

    def ways(number: int) -> Iterator[dict[int, int]]:
        if next(tried) > _MOST_TRIED:
            raise TooLargeError(_MOST_TRIED, MOST_FULFILLED)
        if number == len(choices):
            yield {}
            return
        place, fitting = choices[number]
        for which, look in fitting:
            if left[which]:
                left[which] -= 1
                for rest in ways(number + 1):
                    yield rest | dict(zip(kind.along[place], look, strict=True))
                left[which] += 1

    found = list(itertools.islice(ways(0), MOST_FULFILLED + 1))
    if len(found) > MOST_FULFILLED:
        raise TooLargeError(len(found), MOST_FULFILLED)
    return found


_Type = tuple[tuple[int, ...], ...]


def _type(piece: Sequence[int], shown: Mapping[int, tuple[int, ...]]) -> _Type:
    """What is the same for pieces that look alike."""
    return tuple(sorted(shown[point] for point in piece))
