"""Which states moves lead to, told without listing them (pure Python).

What is possible depends on where some labels lie, if on anything. Their placements are listed, each with a way to it;
the ways from the first placement back to it are a group (`definitions.group`), and every state is one of a placement
and one that this group makes.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from cubesolve.deadline import check
from cubesolve.definitions.definition import Move, precondition_labels
from cubesolve.definitions.group import MOST_LABOUR, Budget, Group, TooLargeGroupError, least_arrangements
from cubesolve.definitions.pieces import identical_pieces, kinds_of
from cubesolve.permutations import Arrangement, Permutation, after, identity, inverse, orbits

MOST_EDGES = 1 << 19
"""The number of moves between placements that are looked at."""

_FEW = 500  # ways back that are used at once; of more,
_FIRST = 20  # so many make the group, more often than not


class ReachableStates(NamedTuple):
    """The states that moves lead to.

    Attributes:
        start: the state from which they lead.
        precondition_labels: the labels that decide which moves are possible.
        ways: for each placement of these (a state with all other labels hidden) the permutation that leads to it.
        loops: what leads back to the first.
    """

    start: Arrangement
    precondition_labels: tuple[int, ...]
    ways: dict[Arrangement, Permutation]
    loops: Group

    @property
    def number(self) -> int | None:
        """How many there are; None if it cannot be told because of pieces that look alike."""
        number = self.loops.arrangements(self.start)
        return None if number is None else number * len(self.ways)

    @property
    def least(self) -> int:
        """A lower bound of `number`, which is never None."""
        return self.loops.least_arrangements(self.start) * len(self.ways)

    def placements(self, labels: Collection[int]) -> int | None:
        """In how many ways some labels can lie, among them those that decide; None as for `number`."""
        number = self.loops.arrangements(_hiding(self.start, labels)(self.start))
        return None if number is None else number * len(self.ways)

    def may_have(self, state: Arrangement) -> bool:
        """Whether a state can be one of them; where that can be told, whether it is."""
        way = self.ways.get(_hiding(self.start, self.precondition_labels)(state))
        return way is not None and self.loops.made(self.start, [after(state, inverse(way))]) != [False]

    def random_state(self, source: random.Random) -> Arrangement:
        """One of them, each as likely as any other."""
        way = source.choice([*self.ways.values()])
        return after(after(self.start, self.loops.random_member(source)), way)


class UnknownStatesError(Exception):
    """It would take too long to find out which states moves lead to.

    Attributes:
        least: a lower bound of their number.
    """

    def __init__(self, least: int) -> None:
        super().__init__(least)
        self.least = least


def reach(
    start: Arrangement, moves: Sequence[Move], illegal: frozenset[tuple[int, int]] = frozenset()
) -> ReachableStates:
    """The states that moves lead to from one.

    Args:
        start: the state.
        moves: the moves, each of which can be undone.
        illegal: points and labels that no state may have there.

    Raises:
        UnknownStatesError: it would take too long to find out.

    >>> import math
    >>> from cubesolve.catalog import rules_named
    >>> fifteen = rules_named("tiles-4x4").graph()
    >>> found = reach(fifteen.reduction.solved[0], fifteen.reduction.moves)
    >>> found.number == math.factorial(16) // 2, found.may_have(bytes([1, 0, *range(2, 16)]))
    (True, False)
    """
    cases = [case for move in moves for case in move.cases]
    deciding = tuple(precondition_labels(cases, illegal))
    hidden = _hiding(start, deciding)
    ways = {hidden(start): identity(len(start))}
    backs = dict(ways)
    loops = dict[Permutation, None]()
    for place in (reached := [*ways]):
        check()
        way = ways[place]
        for case in cases:
            if not case.fits(place):
                continue
            moved = after(place, case.sources)
            if any(moved[point] == label for point, label in illegal):
                continue
            there = after(way, case.sources)
            if moved in ways:
                loops[after(there, backs[moved])] = None
            else:
                ways[moved], backs[moved] = there, inverse(there)
                reached.append(moved)
        if len(ways) * len(cases) > MOST_EDGES:
            raise UnknownStatesError(len(ways))
    try:
        return ReachableStates(start, deciding, ways, _group(len(start), list(loops)))
    except TooLargeGroupError as error:
        raise UnknownStatesError(_least_states(start, loops, error.least) * len(ways)) from None


def _least_states(start: Arrangement, changes: Collection[Permutation], order: int) -> int:
    """Return a lower bound of the number of arrangements that a group of at least this order makes."""
    try:
        kinds = kinds_of(len(start), [*changes], Budget(MOST_LABOUR).spend)
    except TooLargeGroupError:
        return 1
    return least_arrangements(order, identical_pieces(kinds, start))


def _group(points: int, changes: Sequence[Permutation]) -> Group:
    """The group that permutations generate, most of which a few generate already.

    Raises:
        TooLargeGroupError: the group is too large.
    """
    source = random.Random(points)  # only how long it takes depends on what is drawn
    few = changes if len(changes) <= _FEW else source.sample(changes, _FIRST)
    while True:
        group = Group(points, few)
        missing = [change for change in changes if change not in group] if few is not changes else []
        if not missing:
            return group
        few = [*few, *source.sample(missing, min(len(few), len(missing)))]


def most_states(start: Arrangement, moves: Sequence[Move]) -> int:
    """At most so many states moves lead to from one: all arrangements of its pieces, in all of their orientations.

    >>> from cubesolve.catalog import rules_named
    >>> skewb = rules_named("skewb").graph()
    >>> skewb.number_of_states, most_states(skewb.reduction.solved[0], skewb.reduction.moves)
    (3149280, 226748160)
    """
    changes = [case.sources for move in moves for case in move.cases]
    try:
        kinds = kinds_of(len(start), changes, Budget(MOST_LABOUR).spend)
    except TooLargeGroupError:
        orbit_labels = ([start[point] for point in orbit] for orbit in orbits(len(start), changes))
        counts = (Counter(labels).values() for labels in orbit_labels)
        return math.prod(math.factorial(sum(each)) // math.prod(map(math.factorial, each)) for each in counts)
    ways = math.prod(pieces.ways for pieces in identical_pieces(kinds, start))
    return math.prod(kind.arrangements for kind in kinds) // ways


def undone(moves: Sequence[Move]) -> bool:
    """Whether every move is undone by another, wherever it is made, and counts one.

    >>> from cubesolve.catalog import rules_named
    >>> undone(rules_named("tiles-4x4").graph().definition_moves)
    True
    """
    cases = {(case.sources, frozenset(case.needs)) for move in moves for case in move.cases}
    return all(move.cost == 1 for move in moves) and all(
        (inverse(sources), frozenset((sources.index(point), label) for point, label in needs)) in cases
        for sources, needs in cases
    )


def _hiding(start: Arrangement, labels: Collection[int]) -> Callable[[Arrangement], Arrangement]:
    """What hides all labels but some in an arrangement of those of a state; all hidden ones are the same."""
    others = set(start).difference(labels)
    if not others:
        return lambda state: state
    shown = {label: min(others) if label in others else label for label in start}
    if isinstance(start, bytes):
        table = bytes(shown.get(label, label) for label in range(256))
        return lambda state: bytes(state).translate(table)
    return lambda state: tuple(shown.get(label, label) for label in state)
