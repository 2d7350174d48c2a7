"""Reachable states, counted without listing them (pure Python).

Which moves are possible depends on the places of some labels, if on any. Their placements are listed, each with a
permutation that leads to it; the loops at the first placement generate a group (`group.group`), and every state
is a pair of a placement and an arrangement that this group makes. Labels that are illegal on the same points are alike
in placements: those of the Square-1 are its shapes.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
import random
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from cubesolve.group.elements import change_between
from cubesolve.group.group import MOST_LABOUR, Budget, Group, TooLargeGroupError, least_arrangements
from cubesolve.group.moves import Effect, Move
from cubesolve.group.permutations import Arrangement, Permutation, after, arrangement, identity, inverse, orbits
from cubesolve.group.pieces import identical_pieces, kinds_of
from cubesolve.runtime.deadline import check

MOST_EDGES = 1 << 19
"""The maximum number of moves between placements."""

_KEPT = 2  # puzzles whose placements and loops are kept
_FREE = 255  # stands for the labels that decide nothing, so that the placements of projections are equal
_FEW = 500  # loops that are used at once; if there are more,
_FIRST = 20  # so many of them mostly generate the group


class ReachableStates(NamedTuple):
    """The states that moves lead to."""

    start: Arrangement  # the state from which they lead
    looks: Arrangement  # the label that stands for each label in placements
    ways: dict[Arrangement, Permutation]  # for each placement the permutation that leads to it
    loops: Group  # the permutations that lead back to the first placement

    @property
    def number(self) -> int | None:
        """The number of states; None if identical pieces make it unknown."""
        number = self.loops.arrangements(self.start)
        return None if number is None else number * len(self.ways)

    @property
    def least(self) -> int:
        """A lower bound of `number`, which is never None."""
        return self.loops.least_arrangements(self.start) * len(self.ways)

    @property
    def placement(self) -> Callable[[Arrangement], Arrangement]:
        """A function that returns the placement of a state."""
        return functools.partial(after, self.looks)

    def placements(self, labels: Collection[int]) -> int | None:
        """Return the number of placements of some labels, the precondition labels among them; None as for `number`."""
        others = set(self.start).difference(labels)
        hidden = min(others, default=0)  # the label of all others
        number = self.loops.arrangements(arrangement(hidden if label in others else label for label in self.start))
        return None if number is None else number * len(self.ways)

    def may_have(self, state: Arrangement) -> bool:
        """Return False if a state is not reachable; True if it is, or if identical pieces make it unknown."""
        way = self.ways.get(self.placement(state))
        return way is not None and self.loops.made(self.start, [after(state, inverse(way))]) != [False]

    def has(self, state: Arrangement) -> bool | None:
        """Return whether a state is reachable, also if pieces are identical; None if finding out takes too long."""
        way = self.ways.get(self.placement(state))
        if way is None:
            return False
        source = random.Random(len(state))  # only the running time depends on the random numbers
        try:
            return change_between(self.loops, self.start, after(state, inverse(way)), source) is not None
        except TooLargeGroupError:
            return None

    def possible(self, start: Arrangement, ways: Sequence[dict[int, int]]) -> Sequence[dict[int, int]]:
        """Return those of some ways to place the pieces of a kind that moves make of a state, if these move alone."""
        if len(self.ways) > 1 or not ways:
            return ways
        points = sorted(ways[0])
        with contextlib.suppress(TooLargeGroupError):
            group = next((group for here, group in self.loops.parts if here == points), None)
            others = (arrangement(map(way.__getitem__, points)) for way in ways)
            generated = None if group is None else group.made(arrangement(map(start.__getitem__, points)), others)
            return ways if generated is None else [*itertools.compress(ways, generated)]
        return ways

    def random_state(self, source: random.Random) -> Arrangement:
        """Return a uniformly random state."""
        way = source.choice([*self.ways.values()])
        return after(after(self.start, self.loops.random_member(source)), way)


def reach(
    start: Arrangement, moves: Sequence[Move], illegal: frozenset[tuple[int, int]] = frozenset()
) -> ReachableStates:
    """Return the states that moves, each with an inverse among them, lead to; raise `TooLargeGroupError` if many."""
    effects = [effect for move in moves for effect in move.effects]
    looks = _looks(start, effects, illegal)
    shown = frozenset((point, looks[label]) for point, label in illegal)
    ways, loops = _placements(after(looks, start), tuple(effects), shown)
    try:
        return ReachableStates(start, looks, ways, group_of(len(start), loops))
    except TooLargeGroupError as error:
        raise TooLargeGroupError(_least_states(start, loops, error.least) * len(ways)) from None


@functools.lru_cache(_KEPT)
def _placements(
    start: Arrangement, effects: Sequence[Effect], illegal: frozenset[tuple[int, int]]
) -> tuple[dict[Arrangement, Permutation], tuple[Permutation, ...]]:
    """Return the placements, each with a way to it, and the loops at the first; projections mostly have the same."""
    ways = {start: identity(len(start))}
    backs = dict(ways)
    loops = dict[Permutation, None]()
    for place in (reached := [*ways]):
        check()
        way = ways[place]
        for effect in effects:
            if not effect.fits(place):
                continue
            moved = after(place, effect.sources)
            if any(moved[point] == label for point, label in illegal):
                continue
            product = after(way, effect.sources)
            if moved in ways:
                loops[after(product, backs[moved])] = None
            else:
                ways[moved], backs[moved] = product, inverse(product)
                reached.append(moved)
        if len(ways) * len(effects) > MOST_EDGES:
            raise TooLargeGroupError(len(ways))
    return ways, tuple(loops)


def _least_states(start: Arrangement, changes: Collection[Permutation], order: int) -> int:
    """Return a lower bound of the number of arrangements that a group of at least this order makes."""
    try:
        kinds = kinds_of(len(start), [*changes], Budget(MOST_LABOUR).spend)
    except TooLargeGroupError:
        return 1
    return least_arrangements(order, identical_pieces(kinds, start))


@functools.lru_cache(_KEPT)
def group_of(points: int, changes: tuple[Permutation, ...]) -> Group:
    """Return the group of permutations, of which a few mostly generate the group already."""
    source = random.Random(points)  # only the running time depends on the random numbers
    few = changes if len(changes) <= _FEW else source.sample(changes, _FIRST)
    while True:
        group = Group(points, few)
        missing = [change for change in changes if change not in group] if few is not changes else []
        if not missing:
            return group
        few = [*few, *source.sample(missing, min(len(few), len(missing)))]


def most_states(start: Arrangement, moves: Sequence[Move]) -> int:
    """Return an upper bound of the number of reachable states: all arrangements of the pieces with all orientations."""
    changes = [effect.sources for move in moves for effect in move.effects]
    try:
        kinds = kinds_of(len(start), changes, Budget(MOST_LABOUR).spend)
    except TooLargeGroupError:
        orbit_labels = ([start[point] for point in orbit] for orbit in orbits(len(start), changes))
        counts = (Counter(labels).values() for labels in orbit_labels)
        return math.prod(math.factorial(sum(parts)) // math.prod(map(math.factorial, parts)) for parts in counts)
    ways = math.prod(pieces.ways for pieces in identical_pieces(kinds, start))
    return math.prod(kind.arrangements for kind in kinds) // ways


def undone(moves: Sequence[Move]) -> bool:
    """Return whether every move costs one and has an inverse of cost one in every state."""
    return all(move.cost == 1 for move in moves) and undoing_costs(moves) is not None


def undoing_costs(moves: Sequence[Move]) -> list[int] | None:
    """Return the largest cost of undoing each move, by one move; None if some move has no inverse in some state."""
    cost_of = dict[object, int]()
    for move in moves:
        for effect in move.effects:
            done = effect.sources, frozenset(effect.needs)
            cost_of[done] = min(move.cost, cost_of.get(done, move.cost))
    costs = list[int]()
    for move in moves:
        greatest = 0
        for effect in move.effects:
            sources, needs = effect.undone()
            cost = cost_of.get((sources, frozenset(needs)))
            if cost is None:
                return None
            greatest = max(greatest, cost)
        costs.append(greatest)
    return costs


def _looks(start: Arrangement, effects: Sequence[Effect], illegal: Collection[tuple[int, int]]) -> Arrangement:
    """Return a label for each label of a state: equal ones for labels that never decide which moves are possible."""
    needed = {label for effect in effects for _, label in effect.needs}
    points: dict[int, set[int]] = {}
    for point, label in illegal:
        points.setdefault(label, set()).add(point)
    first = dict[object, int]({} if _FREE in start else {frozenset(): _FREE})
    kinds = [(label, label if label in needed else frozenset(points.get(label, ()))) for label in sorted(set(start))]
    looks = {label: first.setdefault(kind, label) for label, kind in kinds}
    return arrangement([looks.get(label, label) for label in range(1 + max((*start, *points)))])
