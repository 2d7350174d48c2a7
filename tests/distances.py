"""The breadth-first search of the tests: a dictionary, which shares no code with the package."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
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
