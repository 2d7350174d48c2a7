"""Goals with don't-cares, and the masks that follow from them (pure Python).

A goal is the set of labels allowed on each of some points. Labels that are allowed on the same points are not
distinguished. A state so becomes an arrangement of fewer labels, and the goal some of these arrangements, often one.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from cubesolve.errors import InvalidStateError, TooLargeError, UnsolvableStateError, quoted
from cubesolve.group.permutations import Arrangement, Permutation, after, arrangement
from cubesolve.group.pieces import PieceOrbit, between, identical_pieces, kinds_of

if TYPE_CHECKING:
    from cubesolve.definition.reach import ReachableStates

Allowed = Mapping[int, frozenset[int]]
"""For each point that matters, the labels allowed on it."""

MOST_FULFILLED = 1 << 16
"""The maximum number of arrangements that may fulfil a goal."""

_MOST_TRIED = 1 << 18  # sets of pieces that are left to place


class NamedGoal(NamedTuple):
    """A goal with a name, in the module of its puzzle."""

    pieces: str = ""  # the names of pieces that must be at home
    # sets of facelets by name, for other puzzles of pieces; any label of a set may be on any of its points
    alike: tuple[str, ...] = ()
    setup: str = ""  # an alg to a state that fulfils the goal, if its pieces are elsewhere than at home
    # for other puzzles, points that must have their labels; some pieces have no name of their own
    points: frozenset[int] = frozenset()


def fulfils(place: Arrangement, goals: Iterable[Allowed]) -> bool:
    """Return whether an arrangement fulfils any of some goals."""
    return any(all(place[point] in labels for point, labels in goal.items()) for goal in goals)


def without_alternatives(goals: Sequence[Allowed], text: str) -> Allowed:
    """Return the only one of the goals that a text stands for, for questions that take a pattern."""
    if len(goals) > 1:
        raise InvalidStateError(f"{quoted(text)} has alternatives, so it is not a pattern")
    return goals[0]


class Mask(NamedTuple):
    """The labels that goals distinguish, and the states that fulfil the goals."""

    start: Arrangement  # the labels on all points, before any move
    kinds: Sequence[PieceOrbit]  # the pieces
    goals: Sequence[Allowed]  # the goals, without those that require another label on a point that no move changes
    looks: Mapping[int, int]  # the masked label of each label

    def masked(self, state: Arrangement) -> Arrangement:
        """Return a state with the labels masked."""
        return arrangement(map(self.looks.__getitem__, state))

    def possible(self, seen: Arrangement) -> list[frozenset[int]]:
        """Return the labels that may be on each point of a masked state."""
        looks = self.looks
        return [frozenset(label for label in looks if looks[label] == look) for look in seen]

    def completed(self, seen: Arrangement) -> Arrangement:
        """Return a state that is equal to a masked one when it is masked."""
        before, now = (identical_pieces(self.kinds, state) for state in (self.masked(self.start), seen))
        change = between(before, now, len(seen))
        assert change is not None  # the goal has the pieces of the start
        return after(self.start, change)

    def fulfilled(self, most: int = MOST_FULFILLED, reached: ReachableStates | None = None) -> tuple[Arrangement, ...]:
        """Return the arrangements that fulfil one of the goals; the start comes first if it fulfils one."""
        # If labels are not masked, those in which the pieces of one kind alone cannot lie so can be left out.
        states = dict.fromkeys(state for goal in self.goals for state in self._fulfilled(goal, most, reached))
        if not states:
            raise UnsolvableStateError("no moves lead to this goal: its pieces cannot be in these places together")
        seen = self.masked(self.start)
        return tuple(sorted(states, key=lambda each: each != seen))

    def placements(self, goal: Allowed, most: int) -> list[list[dict[int, int]]]:
        """Return the ways to place the pieces of each kind that fulfil a goal: the masked label on each point."""
        return [[*_placements(self, kind, goal, most)[1]] for kind in self.kinds]

    def _fulfilled(self, goal: Allowed, most: int, reached: ReachableStates | None) -> Iterator[Arrangement]:
        placements = [_placements(self, kind, goal, most) for kind in self.kinds]
        ways: list[list[dict[int, int]]] = [[] for _ in placements]
        number = 1
        # Those of few ways first: of the others, only as many are listed as show that all together are too many.
        for kind in sorted(range(len(ways)), key=lambda kind: placements[kind][0]):
            while some := [*itertools.islice(placements[kind][1], most // max(number, 1) + 1)]:
                ways[kind] += some if reached is None else reached.possible(self.start, some)
                if number * len(ways[kind]) > most:
                    raise TooLargeError(number * len(ways[kind]), most)
            number *= len(ways[kind])
        masked = list(self.masked(self.start))
        for parts in itertools.product(*ways):
            state = masked.copy()
            for part in parts:
                for point, look in part.items():
                    state[point] = look
            yield arrangement(state)


def mask_of(
    start: Arrangement,
    changes: Sequence[Permutation],
    goals: Sequence[Allowed],
    always: Mapping[int, Hashable] | None = None,
) -> Mask:
    """Return the mask of goals; it also distinguishes labels for which `always` has different values.

    >>> swaps = [bytes([1, 0, 2, 3]), bytes([0, 2, 1, 3]), bytes([0, 1, 3, 2])]
    >>> found = mask_of(b"\\0\\1\\2\\3", swaps, [{0: frozenset({0})}])
    >>> list(found.masked(b"\\3\\2\\0\\1")), [list(each) for each in found.fulfilled()]
    ([1, 1, 0, 1], [[0, 1, 1, 1]])
    """
    kinds = _kinds_of(len(start), tuple(changes))
    moved = {point for kind in kinds for along in kind.along.values() for point in along}
    possible = [goal for goal in goals if all(start[point] in goal[point] for point in goal.keys() - moved)]
    keys = _keys(start, kinds, possible)
    pieces = ([start[point] for point in along] for kind in kinds for along in kind.along.values())
    if any(len(set(labels)) < len(labels) for labels in pieces):  # a piece with a label several times, in any order
        by_points: dict[int, Hashable] = {
            label: tuple(frozenset(point for point, labels in goal.items() if label in labels) for goal in possible)
            for label in keys
        }
        keys = min(keys, by_points, key=lambda each: len(set(each.values())))
    first = dict[Hashable, int]()
    looks = {label: first.setdefault((key, (always or {}).get(label)), label) for label, key in keys.items()}
    return Mask(start, kinds, possible, looks)


_kinds_of = functools.lru_cache(8)(kinds_of)  # many goals of one puzzle follow each other


def _keys(start: Arrangement, kinds: Sequence[PieceOrbit], goals: Sequence[Allowed]) -> dict[int, Hashable]:
    """Return a key for each label, equal for labels that no goal distinguishes."""
    places_of: dict[int, set[tuple[frozenset[int], ...]]] = {}
    for kind in kinds:
        fitting = [_fitting(start, kind, goal) for goal in goals]
        for source, along in kind.along.items():
            for number, point in enumerate(along):
                if number and point in kind.along:
                    continue  # the same follows for this point as a source
                places = tuple(  # where the label may not be placed with its piece
                    frozenset(kind.along[place][number] for place, sources in each.items() if source not in sources)
                    for each in fitting
                )
                places_of.setdefault(start[point], set()).add(places)
    keys = dict[int, Hashable]()
    for label in sorted(set(start)):
        possible = places_of.get(label, set())
        keys[label] = next(iter(possible)) if len(possible) == 1 else label
    return keys


def _fitting(start: Arrangement, kind: PieceOrbit, goal: Allowed) -> dict[int, set[int]]:
    """Return, for each point of pieces of a kind, the points whose labels may be placed on it with their pieces."""
    fitting = {point: set(kind.along) for point in kind.along}
    having: list[dict[int, set[int]]] = [{} for _ in next(iter(kind.along.values()))]
    for source, along in kind.along.items():
        for sources, place in zip(having, along, strict=True):
            sources.setdefault(start[place], set()).add(source)
    for point, along in kind.along.items():
        for sources, here in zip(having, along, strict=True):
            if here in goal:
                fitting[point] &= set[int]().union(*(sources.get(label, ()) for label in goal[here]))
    return fitting


def _placements(about: Mask, kind: PieceOrbit, goal: Allowed, most: int) -> tuple[int, Iterator[dict[int, int]]]:
    """Return the placements of the pieces of a kind that fulfil a goal: their number, and the label on each point."""
    pieces = kind.pieces()
    shown = {source: tuple(about.looks[about.start[point]] for point in along) for source, along in kind.along.items()}
    alike = [(each.looks, each.points) for each in identical_pieces([kind], about.masked(about.start))]
    left, counts = {looks: len(points) for looks, points in alike}, dict[tuple[int, ...], int]()
    choices = list[tuple[int, list[tuple[tuple[int, ...], tuple[int, ...]]]]]()
    sources_of = _fitting(about.start, kind, goal)
    for place, *_ in pieces:
        sources = ((looks, source) for looks, points in alike for source in kind.along[points[0]])
        fitting = {(looks, shown[source]) for looks, source in sources if source in sources_of[place]}
        choices.append((place, sorted(fitting)))
    choices.sort(key=lambda choice: len(choice[1]))

    def number_of_ways(number: int) -> int:
        """Return the number of ways to fill the places from a number on, or one that is larger than the most."""
        if number == len(choices):
            return 1
        key = number, *left.values()
        if len(counts) > _MOST_TRIED:
            raise TooLargeError(_MOST_TRIED, most)
        if key not in counts:
            counts[key] = 0
            for which, _ in choices[number][1]:
                if left[which] and counts[key] <= most:
                    left[which] -= 1
                    counts[key] += number_of_ways(number + 1)
                    left[which] += 1
        return counts[key]

    def ways(number: int) -> Iterator[dict[int, int]]:
        if number == len(choices):
            yield {}
        if number == len(choices) or not number_of_ways(number):
            return
        place, fitting = choices[number]
        for which, look in fitting:
            if left[which]:
                left[which] -= 1
                for rest in ways(number + 1):
                    yield rest | dict(zip(kind.along[place], look, strict=True))
                left[which] += 1

    number = number_of_ways(0)
    if number > most:
        raise TooLargeError(most + 1, most)
    return number, ways(0)
