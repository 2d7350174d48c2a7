"""Bidirectional search for the shortest paths between states that are not far apart (pure Python).

A state is any hashable object. The search is limited to few states, and needs no table and no compiled kernel. If moves
are permutations, numpy continues it with more states.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from cubesolve.group.permutations import closure
from cubesolve.runtime.deadline import check

if TYPE_CHECKING:
    from cubesolve.group.permutations import Arrangement

State = TypeVar("State")

_CHECK_EVERY = 64  # states expanded between two checks of the deadline

Neighbours = Callable[[State], Iterable[tuple[str, State]]]
"""Returns the possible moves of a state and the states they lead to. Their order breaks ties."""


class ShortestPaths(Generic[State]):
    """All shortest paths from a start to goals."""

    __slots__ = ("_neighbours", "levels")

    def __init__(self, levels: Sequence[Collection[State]], neighbours: Neighbours[State]) -> None:
        """Take the states on the paths, by their distance from the start."""
        self.levels, self._neighbours = levels, neighbours

    @property
    def depth(self) -> int:
        """The number of moves."""
        return len(self.levels) - 1

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        """Return an iterator over the moves of each path, in order."""
        (start,) = self.levels[0]
        return self._from(start, 1)

    def _from(self, state: State, level: int) -> Iterator[tuple[str, ...]]:
        if level == len(self.levels):
            yield ()
            return
        check()
        for move, neighbour in self._neighbours(state):
            if neighbour in self.levels[level]:
                for rest in self._from(neighbour, level + 1):
                    yield (move, *rest)

    def first_moves(self) -> list[str]:
        """Return the first moves of the paths, in order; none if the start is a goal."""
        (start,) = self.levels[0]
        return (
            [move for move, neighbour in self._neighbours(start) if neighbour in self.levels[1]] if self.depth else []
        )

    def number(self) -> int:
        """Return the number of paths."""
        ways = dict.fromkeys(self.levels[0], 1)
        for level in self.levels[1:]:
            check()
            further = dict.fromkeys(level, 0)
            for state, count in ways.items():
                for _, neighbour in self._neighbours(state):
                    if neighbour in level:
                        further[neighbour] += count
            ways = further
        return sum(ways.values())


class _Side(Generic[State]):
    """The states reached from one end."""

    def __init__(self, states: Iterable[State]) -> None:
        self.levels = [dict.fromkeys(states)]
        self.seen = dict(self.levels[0])

    def advance(self, neighbours: Neighbours[State]) -> None:
        """Find the states of the next level."""
        reached = dict[State, None]()
        for number, here in enumerate(self.levels[-1]):
            if number % _CHECK_EVERY == 0:
                check()
            for _, neighbour in neighbours(here):
                if neighbour not in self.seen:
                    reached[neighbour] = None
        self.levels.append(reached)
        self.seen |= reached

    def has(self, state: State, level: int) -> bool:
        """Return whether a state is on a level."""
        return state in self.levels[level]


def between(
    start: State,
    goals: Iterable[State],
    neighbours: Neighbours[State],
    *,
    most: int,
    after_level: Callable[[int, int], object] | None = None,
) -> ShortestPaths[State] | int | None:
    """Search from a start and from goals until the two searches meet.

    Args:
        most: the largest number of states; the search ends before a level that would probably exceed it.
        after_level: called with the number of moves that is ruled out and the number of states reached.

    Returns:
        The shortest paths; the number of moves that is ruled out if the search ended first; None if no goal is
        reachable.

    >>> def steps(number):
    ...     return [("+", number + 1), ("-", number - 1)]
    >>> ways = between(3, [0, 10], steps, most=100)
    >>> list(ways), ways.number(), between(0, [90], steps, most=20)
    ([('-', '-', '-')], 1, 9)
    """
    forward, backward = _Side([start]), _Side(goals)
    while True:
        common = forward.levels[-1].keys() & backward.levels[-1].keys()
        if common:
            before = descending_levels(common, len(forward.levels) - 1, forward.has, neighbours)
            after = descending_levels(common, len(backward.levels) - 1, backward.has, neighbours)
            return ShortestPaths(before[::-1] + after[1:], neighbours)
        fewer = min(forward, backward, key=lambda side: len(side.levels[-1]))
        if not fewer.levels[-1]:
            return None
        ruled_out = len(forward.levels) + len(backward.levels) - 2
        seen = len(forward.seen) + len(backward.seen)
        if after_level:
            after_level(ruled_out, seen)
        growth = len(fewer.levels[-1]) / len(fewer.levels[-2]) if len(fewer.levels) > 1 else 1
        if seen + growth * len(fewer.levels[-1]) > most:
            return ruled_out
        fewer.advance(neighbours)


def between_bytes(
    start: Arrangement,
    goals: Collection[Arrangement],
    neighbours: Neighbours[Any],
    sources: Sequence[Sequence[int]],
    *,
    in_python: int,
    most: int,
    after_level: Callable[[int, int], object],
) -> ShortestPaths[Any] | int | None:
    """Search as `between`, with up to `in_python` states; then with numpy, which is loaded if there may be more."""
    ways = between(start, goals, neighbours, most=min(most, in_python), after_level=after_level)
    if not isinstance(ways, int) or most <= in_python:
        return ways
    from cubesolve.search.bidirectional import between_arrangements  # noqa: PLC0415  # needs numpy

    bound = ways

    def after_new(ruled_out: int, seen: int) -> None:
        if ruled_out > bound:
            after_level(ruled_out, seen)

    levels = between_arrangements(start, goals, sources, most=most, after_level=after_new)
    return ShortestPaths(levels, neighbours) if isinstance(levels, list) else levels


Priced = Callable[[State], Iterable[tuple[int, int, State]]]
"""Returns the moves of a state by number, with their costs, and the states they lead to."""


class _Priced(Generic[State]):
    """The states reached from one end, with their costs; those of the least cost that is waiting are final."""

    def __init__(self, states: Iterable[State], neighbours: Priced[State]) -> None:
        self.cost_of, self._neighbours = dict.fromkeys(states, 0), neighbours
        self.waiting = {0: [*self.cost_of]}

    def advance(self) -> list[State]:
        """Go on from the states of the least cost; return those with a new one."""
        cost, reached = min(self.waiting), list[State]()
        for number, here in enumerate(self.waiting.pop(cost)):
            if number % _CHECK_EVERY == 0:
                check()
            for _, more, neighbour in self._neighbours(here) if self.cost_of[here] == cost else ():
                if cost + more < self.cost_of.get(neighbour, cost + more + 1):
                    self.cost_of[neighbour] = cost + more
                    self.waiting.setdefault(cost + more, []).append(neighbour)
                    reached.append(neighbour)
        return reached

    def leading_to(self, states: Iterable[State], back: Priced[State]) -> list[State]:
        """Return the states on the cheapest paths from this end to some states, given the moves that lead back."""

        def nearer(state: State) -> Iterator[State]:
            check()
            cost = self.cost_of[state]
            return (before for _, less, before in back(state) if self.cost_of.get(before) == cost - less)

        return closure(states, nearer)


def costs_within(goals: Iterable[State], before: Priced[State], most: int) -> dict[State, int]:
    """Return the least cost to some states from each state where it is at most `most`; of others, an upper bound."""
    side = _Priced(goals, before)
    while side.waiting and min(side.waiting) < most:
        side.advance()
    return side.cost_of


def cheapest(
    start: State, goals: Iterable[State], after: Priced[State], before: Priced[State], *, most: int
) -> tuple[int, Iterator[tuple[int, ...]]] | int | None:
    """Search as `between`, where moves cost at least 1, and may have no inverse; `before` leads backwards.

    Returns:
        The least cost, and the moves of each path that has it, by number; otherwise as for `between`, a cost.

    >>> def steps(number):
    ...     return [(0, 1, number + 1), (1, 3, number + 4)]
    >>> def backwards(number):
    ...     return [(0, 1, number - 1), (1, 3, number - 4)]
    >>> cost, ways = cheapest(0, [5], steps, backwards, most=100)
    >>> cost, list(ways), cheapest(0, [90], steps, backwards, most=20)
    (4, [(0, 1), (1, 0)], 10)
    """
    forward, backward = _Priced([start], after), _Priced(goals, before)
    best = 0 if start in backward.cost_of else None
    while forward.waiting and backward.waiting:
        least = min(forward.waiting) + min(backward.waiting)
        if best is not None and best <= least:
            break
        if len(forward.cost_of) + len(backward.cost_of) > most:
            return least - 1
        fewer = min(forward, backward, key=lambda side: len(side.waiting[min(side.waiting)]))
        for state in fewer.advance():
            if state in forward.cost_of and state in backward.cost_of:
                cost = forward.cost_of[state] + backward.cost_of[state]
                best = cost if best is None else min(best, cost)
    if best is None:
        return None
    depth = best
    meeting = [state for state, cost in forward.cost_of.items() if backward.cost_of.get(state) == depth - cost]
    left = {state: depth - forward.cost_of[state] for state in forward.leading_to(meeting, before)}
    left |= {state: backward.cost_of[state] for state in backward.leading_to(meeting, after)}

    def ways(state: State) -> Iterator[tuple[int, ...]]:
        if not left[state]:
            yield ()
            return
        check()
        for move, more, neighbour in after(state):
            if left.get(neighbour) == left[state] - more:
                for rest in ways(neighbour):
                    yield (move, *rest)

    return depth, ways(start)


def descending_levels(
    states: Iterable[State], depth: int, at: Callable[[State, int], bool], neighbours: Neighbours[State]
) -> list[set[State]]:
    """Return the states on the shortest paths from given states to depth 0, level by level."""
    levels = [set(states)]
    for nearer in range(depth - 1, -1, -1):
        check()
        levels.append({neighbour for here in levels[-1] for _, neighbour in neighbours(here) if at(neighbour, nearer)})
    return levels
