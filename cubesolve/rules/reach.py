"""Which states moves lead to, told without listing them (pure Python).

What is possible depends on where some labels lie, if on anything. Their placements are listed, each with a way to it;
the ways from the first placement back to it are a group (`rules.group`), and every state is one of a placement and one
that this group makes.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

from cubesolve.deadline import check
from cubesolve.permutations import Arrangement, Permutation, after, identity, inverse
from cubesolve.rules.definition import Turn, decisive
from cubesolve.rules.group import Group, TooLargeGroupError

MOST_PLACEMENTS = 1000
"""The number of placements that are listed."""


class Reach(NamedTuple):
    """The states that moves lead to.

    Attributes:
        start: the state from which they lead.
        decisive: the labels that decide which moves are possible.
        ways: for each placement of these the permutation that leads to it.
        loops: what leads back to the first.
    """

    start: Arrangement
    decisive: tuple[int, ...]
    ways: dict[tuple[int, ...], Permutation]
    loops: Group

    @property
    def number(self) -> int | None:
        """How many there are; None if it cannot be told because of pieces that look alike."""
        number = self.loops.arrangements(self.start)
        return None if number is None else number * len(self.ways)

    def may_have(self, state: Arrangement) -> bool:
        """Whether a state can be one of them; where no pieces look alike, whether it is."""
        way = self.ways.get(_placement(state, self.decisive))
        if way is None:
            return False
        if len(set(self.start)) < len(self.start):
            return True
        where = {label: point for point, label in enumerate(self.start)}
        home = after(state, inverse(way))
        return type(way)(where[label] for label in home) in self.loops

    def random_state(self, source: random.Random) -> Arrangement:
        """One of them, each as likely as any other."""
        way = source.choice([*self.ways.values()])
        return after(after(self.start, self.loops.random_member(source)), way)


def reach(start: Arrangement, turns: Sequence[Turn], illegal: frozenset[tuple[int, int]] = frozenset()) -> Reach | None:
    """The states that moves lead to from one.

    Args:
        start: the state.
        turns: the moves, each of which can be undone.
        illegal: points and labels that no state may have there.

    Returns:
        None if it would take too long to find out.

    >>> import math
    >>> from cubesolve.catalog import rules_named
    >>> fifteen = rules_named("tiles-4x4").graph()
    >>> found = reach(fifteen.holdings.solved[0], fifteen.holdings.turns)
    >>> found.number == math.factorial(16) // 2, found.may_have(bytes([1, 0, *range(2, 16)]))
    (True, False)
    """
    cases = [case for turn in turns for case in turn.cases]
    deciding = tuple(decisive(cases, illegal))
    ways = {_placement(start, deciding): identity(len(start))}
    loops = dict[Permutation, None]()
    for way in (reached := [*ways.values()]):
        check()
        state = after(start, way)
        for case in cases:
            if not case.fits(state):
                continue
            there = after(way, case.sources)
            moved = after(start, there)
            if any(moved[point] == label for point, label in illegal):
                continue
            known = ways.get(place := _placement(moved, deciding))
            if known is None:
                ways[place] = there
                reached.append(there)
            else:
                loops[after(there, inverse(known))] = None
        if len(ways) > MOST_PLACEMENTS:
            return None
    try:
        return Reach(start, deciding, ways, Group(len(start), loops))
    except TooLargeGroupError:
        return None


def undone(turns: Sequence[Turn]) -> bool:
    """Whether every move is undone by another, wherever it is made, and counts one.

    >>> from cubesolve.catalog import rules_named
    >>> undone(rules_named("tiles-4x4").graph().turns)
    True
    """
    cases = {(case.sources, frozenset(case.needs)) for turn in turns for case in turn.cases}
    return all(turn.cost == 1 for turn in turns) and all(
        (inverse(sources), frozenset((sources.index(point), label) for point, label in needs)) in cases
        for sources, needs in cases
    )


def _placement(state: Arrangement, labels: Sequence[int]) -> tuple[int, ...]:
    """Where some labels lie."""
    return tuple(point for label in labels for point, here in enumerate(state) if here == label)
