"""The number of states at each small depth of any puzzle, without a space (numpy).

Breadth-first search from the solved states, over one state of each symmetry class. The states of the newest depths are
kept, and a hash of 64 bits of each earlier one: among 100 million classes, two have the same hash with a probability of
less than 0.0004.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cubesolve.deadline import check
from cubesolve.definitions.definition import Case, Move
from cubesolve.definitions.symmetries import symmetries
from cubesolve.errors import CubesolveError, TooLargeError
from cubesolve.machine import half_of_memory
from cubesolve.notices import notify
from cubesolve.permutations import inverse
from cubesolve.spaces.representatives import MOST_CLASSES, PatternMoves, Representatives, SymmetryGroup, groups_of
from cubesolve.spaces.rows import Rows, RowSet
from cubesolve.spaces.space import Progress

if TYPE_CHECKING:
    from cubesolve.spaces.defined import DerivedGraph

_AT_ONCE = 1 << 24  # labels that are processed at a time
_HASH = 16  # bytes of the hash of a state, while hashes are sorted
_LARGE = 1 << 30  # bytes that are announced


def count_levels(
    graph: DerivedGraph, most: int, progress: Progress | None = None, *, up_to_free: bool = False
) -> tuple[int, ...]:
    """Return the number of states at each depth, from 0.

    Args:
        graph: the states and the moves; more states than any table can have are allowed.
        most: the depth at which to end.
        progress: called once a depth.
        up_to_free: whether states that free moves connect count as one.

    Raises:
        TooLargeError: the states do not fit in half of the memory.
        CubesolveError: the puzzle has too many different labels, or its free moves connect too many states.

    >>> from cubesolve.catalog import rules_named
    >>> count_levels(rules_named("skewb").graph(), 3)
    (1, 8, 48, 288)
    """
    search = _Levels(graph, up_to_free=up_to_free)
    search.announce(most)
    counts = [search.found]
    recent = max(search.costs)
    while len(counts) <= most and any(counts[-recent:]):
        search.advance(is_last=len(counts) + min(search.costs) > most)
        counts.append(search.found)
        if progress:
            progress(len(counts) - 1, search.found, sum(counts))
    while not counts[-1]:
        del counts[-1]
    return tuple(counts)


class _Levels:
    """A breadth-first search from the solved states.

    Attributes:
        costs: the costs that moves have.
        found: the number of states at the newest depth.
    """

    def __init__(self, graph: DerivedGraph, *, up_to_free: bool) -> None:
        self._graph, self._up_to_free = graph, up_to_free
        reduction, illegal = graph.reduction, graph.rules.definition.illegal
        solved = [each for each in reduction.solved if graph.reach is None or graph.reach.may_have(each)]
        labels = sorted(set(solved[0]))
        if len(labels) > MOST_CLASSES:
            raise CubesolveError(f"levels of puzzles with more than {MOST_CLASSES} labels cannot be counted")
        classes = np.zeros(labels[-1] + 1, np.uint8)
        classes[labels] = np.arange(len(labels))
        group = self._group(graph)
        # States that differ by a rotation are one; symmetric ones are several.
        self._symmetries = len(group.symmetries)
        self._is_rotated = reduction.rotated is not None
        self._represented = Representatives(solved[0], group, classes)
        moves = [Move(move.name, tuple(map(_undoing, move.cases)), move.cost) for move in reduction.moves if move.cost]
        self._free = group.rotations if group.is_free else ()
        self._moves = PatternMoves(moves, illegal, classes, self._free)
        self._cost_of = [moves[number % len(moves)].cost for number, _ in self._moves.cases]
        self.costs = sorted(set(self._cost_of)) or [1]
        starts: Rows = classes[np.array([list(each) for each in solved])]
        listed, found = self._represented.listed(starts)
        self._seen = RowSet(listed[:0])
        first = self._seen.add(listed)
        self._newest = [listed[first]]  # of the depths from which moves lead to the next one
        self.found = self._number(listed[first], found[1, first])

    @staticmethod
    def _group(graph: DerivedGraph) -> SymmetryGroup:
        reduction, illegal = graph.reduction, graph.rules.definition.illegal
        if reduction.rotated is not None:
            same = symmetries(reduction.solved, reduction.moves, illegal)[:1]
            return SymmetryGroup(same, reduction.rotated.rotations)
        groups = [*groups_of(reduction, graph.definition_moves, illegal)]
        if not groups:
            raise CubesolveError(
                "levels cannot be counted: the free moves connect too many states, or block each other"
            )
        return max(groups, key=lambda group: len(group.symmetries))

    def _number(self, listed: Rows, ties: NDArray[np.int32]) -> int:
        """Return the number of states of some classes, each of which so many symmetries map to itself."""
        if self._is_rotated:
            return len(ties)
        each = self._symmetries // ties
        if self._free and not self._up_to_free:
            each *= self._moves.legal_images(listed)
        return int(each.sum(dtype=np.int64))

    def announce(self, most: int) -> None:
        """Report the memory for a depth; there are at most as many states as canonical sequences of moves."""
        number = self._graph.number_of_states
        states = min(self._sequences(most), math.inf if number is None else number)
        needed = int(states) // self._symmetries * (_HASH + self._newest[0].shape[1])
        if needed > _LARGE:
            notify(f"up to {states:,} states at depth {most}: at most {needed / 1e9:,.1f} GB of memory")

    def _sequences(self, length: int) -> int:
        """Return the number of canonical sequences with a cost, from all solved states; of all, with free moves."""
        if self._free:
            return int(len(self._moves.cases) ** (length // self.costs[0]))
        following, moves = self._graph.canonical.following, self._graph.reduction.moves
        ways = [[0] * len(following) for _ in range(length + 1)]
        ways[0][0] = len(self._graph.reduction.solved)
        for cost in range(length):
            for here, number in enumerate(ways[cost]):
                for move, there in enumerate(following[here]) if number else ():
                    if there >= 0 and cost + moves[move].cost <= length:
                        ways[cost + moves[move].cost][there] += number
        return sum(ways[length])

    def advance(self, *, is_last: bool) -> None:
        """Find the states at the next depth; those at the last depth are only counted.

        Raises:
            TooLargeError: they do not fit in half of the memory.
        """
        self.found, new = 0, [self._newest[-1][:0]]
        for part, cases in self._parts():
            moved = np.concatenate([self._moves.after(part, case)[1] for case in cases])
            listed, found = self._represented.listed(moved)
            first = self._seen.add(listed)
            self.found += self._number(listed[first], found[1, first])
            if not is_last:
                new.append(listed[first])
            self._require_room(new)
        self._newest = [*self._newest, np.concatenate(new)][-self.costs[-1] :]

    def _parts(self) -> Iterator[tuple[Rows, Sequence[int]]]:
        """Yield states from which moves lead to the next depth, with these moves."""
        for cost in self.costs:
            cases = [case for case, of_case in enumerate(self._cost_of) if of_case == cost]
            rows = self._newest[-cost] if cost <= len(self._newest) else self._newest[0][:0]
            step = max(1, _AT_ONCE // (rows.shape[1] * max(len(cases), 1)))
            for first in range(0, len(rows), step):
                check()
                yield rows[first : first + step], cases

    def _require_room(self, rows: Sequence[Rows]) -> None:
        """Reject a depth as soon as its states take more than half of the memory."""
        needed, most = _HASH * len(self._seen) + sum(each.nbytes for each in rows), half_of_memory()
        if needed > most:
            states = len(self._seen)
            raise TooLargeError(states, states * most // needed, advice="choose fewer levels", what="symmetry classes")


def _undoing(case: Case) -> Case:
    """Return the case that undoes another."""
    sources, needs = case
    return Case(inverse(sources), tuple((sources.index(point), label) for point, label in needs))
