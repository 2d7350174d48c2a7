"""The searches of the tests, which share no code with the package."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

State = TypeVar("State", bound=Hashable)


def distances(
    starts: Iterable[State], around: Callable[[State], Iterable[State]], most: int = 1 << 30
) -> dict[State, int]:
    """Return the distance of each state that is at most so many steps from one of some states, in their order.

    Args:
        around: returns the states that are a step from a state.
    """
    found = dict.fromkeys(starts, 0)
    for state in (reached := [*found]):
        for there in around(state) if found[state] < most else ():
            if there not in found:
                found[there] = found[state] + 1
                reached.append(there)
    return found


def levels(
    starts: Iterable[State], around: Callable[[State], Iterable[State]], most: int = 1 << 30
) -> list[list[State]]:
    """Return the states at each distance from some; see `distances`."""
    found = distances(starts, around, most)
    return [[*level] for _, level in itertools.groupby(found, found.__getitem__)]


def by_cost(
    starts: Iterable[State], around: Callable[[State], Iterable[tuple[int, State]]], most: int = 1 << 30, least: int = 0
) -> Iterator[tuple[State, int]]:
    """Yield states in the order of the least cost to them from one of some states, with this cost (Dijkstra).

    Args:
        around: returns the states that are a step from a state, each with its cost, which is `least` or more.
    """
    found, waiting = set[State](), {0: [*starts]}
    while waiting:
        cost = min(waiting)
        for state in waiting[cost]:  # to which steps that cost nothing add
            if state in found:
                continue
            found.add(state)
            yield state, cost
            for more, there in around(state) if cost + least <= most else ():
                if cost + more <= most and there not in found:
                    waiting.setdefault(cost + more, []).append(there)
        del waiting[cost]


def depths_to(
    starts: Iterable[State], around: Callable[[State], Iterable[tuple[int, State]]], is_end: Callable[[State], bool]
) -> dict[State, int]:
    """Return the least cost of steps to an end from each state that leads to one, of those that some states lead to.

    Args:
        around: returns the states that are a step from a state, each with the cost of the step.
    """
    before = dict[State, list[tuple[int, State]]]()
    for state in distances(starts, lambda state: (there for _, there in around(state))):
        before.setdefault(state, [])
        for cost, there in around(state):
            before.setdefault(there, []).append((cost, state))
    return dict(by_cost(filter(is_end, before), before.__getitem__))
