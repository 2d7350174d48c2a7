"""Solutions for every puzzle whose moves generate a group: some solution at once, and then shorter ones (numpy)."""

from __future__ import annotations

import contextlib
import functools
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cubesolve.definition.reach import undoing_costs
from cubesolve.definition.rotations import rotations_of
from cubesolve.definition.selection import make_group
from cubesolve.errors import CubesolveError, InvalidStateError, UnsolvableStateError, counted
from cubesolve.group.elements import Balance, change_between
from cubesolve.group.group import Group, TooLargeGroupError, least_arrangements
from cubesolve.group.permutations import Arrangement, Permutation, after, arrangement, composed, inverse
from cubesolve.group.pieces import identical_pieces
from cubesolve.runtime.machine import half_of_memory
from cubesolve.runtime.notices import notifying
from cubesolve.runtime.prepared import Prepared
from cubesolve.search.annealing import Residues
from cubesolve.search.chain import Chain, complete_chain
from cubesolve.search.cycles import Alg, Cycles
from cubesolve.search.near import ShortestPaths, between_bytes
from cubesolve.search.short import ShortProblem, ShortSearch
from cubesolve.search.slots import ROOM, Slots
from cubesolve.search.three_cycles import find_cycles

if TYPE_CHECKING:
    from cubesolve.solvers.isomorphic import KnownPuzzle
    from cubesolve.spaces.defined_graph import DerivedGraph

_SEED = 20_261_123  # fixed, so answers are reproducible
_QUICK, _THOROUGH = 1 << 26, 1 << 29  # bytes of a search from both ends before any other, and after the first solution
_BYTES_A_STATE = 40  # of such a search, beside labels
_WORTH_FIRST = 100  # ten times the moves that an unsolved piece costs which a chain solves before the others


class _Prepared(NamedTuple):
    """The data computed once for a puzzle."""

    slots: Slots
    cycles: Cycles
    stages: list[list[int]]  # the kinds that are solved first, then others in addition, at last all; see `find_cycles`
    balance: Balance | None  # of permutations; None if the group is not full
    balances: list[tuple[int, ...]]  # of the moves
    first: list[int]  # kinds without cycles, which are solved before those that have some, if the group is not full


def makes_group(graph: DerivedGraph) -> bool:
    """Return whether every move of a puzzle is always possible and has an inverse."""
    moves = graph.definition_moves
    return make_group(graph.rules.definition, moves) and undoing_costs(moves) is not None


class Anything:
    """Finds solutions of any states of a puzzle."""

    def __init__(self, graph: DerivedGraph, known: KnownPuzzle | None = None) -> None:
        """Take a puzzle whose moves make a group that can be computed; and the same under other names, if known."""
        self._graph, self._moves, self._known = graph, graph.definition_moves, known
        self._definition, title = graph.rules.definition, graph.rules.title
        group = graph.rules.group
        if group is None:
            order = counted(graph.rules.most_order or 0)
            raise CubesolveError(f"the group that the moves of {title} make is too large to compute: at most {order}")
        self._group: Group = group
        self._changes = [move.effects[0].sources for move in self._moves]
        self._prepared = Prepared(self._prepare)
        self._chained, self._begun = Prepared(self._chain), Prepared(self._first_chain)

    def at_least(self, state: Arrangement) -> int:  # noqa: ARG002
        """Return a lower bound of the depth of a state that is found at once; 0 where there is none."""
        return 0

    def solutions(self, state: Arrangement, memory: int | None = None) -> Iterator[list[str] | None]:
        """Yield shorter and shorter solutions, without end; None stands for work without a shorter one."""
        solved, change = self._goal(state)
        if state == solved:
            yield []
            return
        shortest: list[int] | None = None
        for shortest in self._known_solutions(state, change):
            yield self._named(shortest)
        room = half_of_memory() if memory is None else memory
        if shortest is None:
            shortest = self._met(state, solved, room, _QUICK)
            if shortest is not None:
                yield self._named(shortest)
        if shortest is None:
            algs = ShortSearch(self._problem(state, solved, change), _SEED).solutions()
            first = next(algs)
            if not first:
                raise CubesolveError(f"no algs were found that solve this state of the {self._graph.rules.title}")
            yield self._named(first)
            shortest = self._met(state, solved, room, _THOROUGH)
            if shortest is not None and len(shortest) < len(first):
                yield self._named(shortest)
        if shortest is not None:
            undone = self._change(shortest)
            problem = self._problem(state, after(state, undone), inverse(undone))
            algs = ShortSearch(problem, _SEED).solutions(shortest)
        for alg in algs:
            yield self._named(alg) if alg else None

    def _named(self, alg: Sequence[int]) -> list[str]:
        return [self._moves[move].name for move in alg]

    def _known_solutions(self, state: Arrangement, change: Permutation) -> Iterator[list[int]]:
        """Yield the solutions that the solver of a known puzzle finds."""
        if self._known is None:
            return
        numbers = {move.name: number for number, move in enumerate(self._moves)}
        with contextlib.suppress(InvalidStateError):  # this puzzle may have more moves
            for names in self._known.solutions(change, self._goals):
                alg = [numbers[name] for name in names]
                if after(state, self._change(alg)) in self._goals:
                    yield alg

    def _met(self, state: Arrangement, solved: Arrangement, memory: int, limit: int) -> list[int] | None:
        """Return a shortest alg to a solved state where a search from both ends probably finds one; None if not."""
        states = min(memory, limit) // (len(state) + _BYTES_A_STATE)
        if self._arrangements(solved) > states**2:
            return None

        def neighbours(rows: Arrangement) -> Iterator[tuple[str, Arrangement]]:
            return ((str(number), after(rows, change)) for number, change in enumerate(self._changes))

        with notifying(f"searching from both ends of the {self._graph.rules.title}"):
            paths = between_bytes(
                state, [solved], neighbours, self._changes, in_python=0, most=states, after_level=lambda *_: None
            )
        alg = [*map(int, next(iter(paths)))] if isinstance(paths, ShortestPaths) else None
        is_right = alg is not None and after(state, self._change(alg)) == solved  # hash values may be equal by chance
        return alg if is_right else None

    def _arrangements(self, solved: Arrangement) -> int:
        """Return the number of states that look different; if not all pieces can be exchanged, a lower bound of it."""
        return least_arrangements(self._group.order, identical_pieces(self._group.kinds, solved))

    def _change(self, alg: Sequence[int]) -> Permutation:
        return composed((self._changes[move] for move in alg), self._definition.points)

    def _problem(self, state: Arrangement, solved: Arrangement, change: Permutation) -> ShortProblem:
        slots, cycles, stages, balance, balances, first = self._prepared.result()
        here, target = slots.rows([state, solved])

        def missing(alg: Sequence[int]) -> Sequence[int] | None:
            if balance is None:
                return []
            return balance.completed(balance.sum([start, *(balances[move] for move in alg)]), balances)

        def completed(chain: Chain | None, alg: Alg) -> Alg | None:
            rest = None if chain is None else chain.alg(inverse(after(change, self._change(alg))))
            return None if rest is None else [*alg, *rest]

        def begin(alg: Alg) -> Alg:
            reached = after(state, self._change(alg)) if first else solved
            is_begun = all(reached[point] == solved[point] for point in self._points_of(first))
            return alg if is_begun else completed(self._begun.result(), alg) or alg

        def finish(alg: Alg) -> Alg | None:
            return completed(self._chained.result(), alg)

        start = balance.of(change) if balance else ()
        totals = Residues(
            np.array(start, np.int64),
            np.array(balances, np.int64).reshape(len(self._moves), -1),
            np.array(balance.moduli if balance else [], np.int64),
        )
        return ShortProblem([*map(slots.of, stages)], cycles, here, target, totals, missing, begin, finish)

    def _prepare(self) -> _Prepared:
        if self._definition.points > ROOM:
            raise CubesolveError(f"only optimal solutions are supported for puzzles of more than {ROOM:,} stickers")
        with notifying(f"searching algs that solve few pieces of the {self._graph.rules.title}, once"):
            slots = Slots(self._definition.points, self._group.kinds, self._changes)
            cycles, stages = find_cycles(slots, _SEED)
        balance = Balance(self._group, self._definition.solved[0]) if self._group.is_full else None
        balances = [balance.of(change) for change in self._changes] if balance else []
        first = [kind for kind in stages[0] if not cycles.has(kind)] if len(stages) > 1 and balance is None else []
        cycles.worth[first] = _WORTH_FIRST
        return _Prepared(slots, cycles, stages, balance, balances, first)

    def _points_of(self, kinds: Sequence[int]) -> set[int]:
        """Return the points of the pieces of some kinds, by number."""
        return {point for kind in kinds for along in self._group.kinds[kind].along.values() for point in along}

    def _chain(self) -> Chain | None:
        """Return a chain of stabilizers for states that cycles do not solve; None if it cannot be completed."""
        prepared = self._prepared.result()
        return self._made(prepared.slots, prepared.cycles, self._group.order)

    def _first_chain(self) -> Chain | None:
        """Return a chain for the pieces that are solved first; its algs may change all others."""
        first = self._prepared.result().first
        here, points = self._points_of(first), self._definition.points
        changes = [arrangement(i if i in here else to for to, i in enumerate(change)) for change in self._changes]
        slots = Slots(points, [self._group.kinds[kind] for kind in first], self._changes)
        try:
            return self._made(slots, None, Group(points, changes).order)
        except TooLargeGroupError:
            return None

    def _made(self, slots: Slots, cycles: Cycles | None, order: int) -> Chain | None:
        with notifying(f"building a chain of stabilizers for the {self._graph.rules.title}, once"):
            return complete_chain(slots, cycles, order, _SEED)

    @functools.cached_property
    def _goals(self) -> Mapping[Arrangement, None]:
        """The states that count as solved, in order."""
        images = (after(solved, turn) for solved in self._definition.solved for turn in rotations_of(self._definition))
        return dict.fromkeys(images)

    def _goal(self, state: Arrangement) -> tuple[Arrangement, Permutation]:
        """Return the solved state that is most like a state, and a member of the group that leads from it to that."""
        source = random.Random(_SEED)
        goals = sorted(self._goals, key=lambda goal: sum(a != b for a, b in zip(goal, state, strict=True)))
        is_known = True
        for goal in goals:
            try:
                change = change_between(self._group, goal, state, source)
            except TooLargeGroupError:
                is_known = False
                continue
            if change is not None:
                return goal, change
        if not is_known:
            raise CubesolveError("it would take too long to find out which of the pieces that look alike is which")
        raise UnsolvableStateError(f"no moves of the {self._graph.rules.title} solve this state")
