"""Canonical sequences: of algs with the same effect, a search tries only the first (pure Python).

Of algs with the same effect, the *first* is the one of the lowest cost, and of those of equal cost the first in the
order of the moves. A short alg that is not the first of its kind is never part of a first alg, so a search skips every
alg that contains one and misses no shortest solution. It follows that no move undoes the one before or could be joined
with it, and that moves that commute come in one order. Which moves these are is computed from their effects.

Where the effect of a move depends on the state, an alg is skipped only if another has the same effect wherever the alg
is possible.
"""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from cubesolve.group.moves import Effect, Move
from cubesolve.group.permutations import Arrangement, Permutation, after, closure, identity
from cubesolve.runtime.deadline import check

_LONGEST = 3  # the largest length of the algs that are compared, if there are at most
_MOST_ALGS = 10_000  # so many

Alg = tuple[int, ...]
"""Moves by number."""


class CanonicalAutomaton(NamedTuple):
    """The canonical algs, as the words that a finite automaton accepts."""

    # for each state of the automaton, of which 0 is the initial one, the state after each move, or -1 where the move is
    # not accepted
    following: tuple[tuple[int, ...], ...]
    # for algs of a few moves that no cheaper ones replace, others that count the same and do the same, at least in some
    # states
    alike: Mapping[Alg, tuple[Alg, ...]]

    def accepts(self, alg: Alg) -> bool:
        """Return whether an alg is canonical."""
        here = 0
        for move in alg:
            here = self.following[here][move]
            if here < 0:
                return False
        return True

    def equivalent_algs(self, algs: Iterable[Alg]) -> list[Alg]:
        """Return all algs that some shortest canonical ones stand for, including these, in the order of the moves.

        Where the effect of moves depends on the state, some may not be possible, or may lead elsewhere.
        """

        def spelled(alg: Alg) -> Iterator[Alg]:
            for first, last in itertools.combinations(range(len(alg) + 1), 2):
                for other in self.alike.get(alg[first:last], ()):
                    yield alg[:first] + other + alg[last:]

        return sorted(closure(algs, spelled))


class _Effect(NamedTuple):
    """The effect of an alg on states with certain labels on certain points."""

    needs: frozenset[tuple[int, int]]
    sources: Permutation


@functools.lru_cache(maxsize=32)  # a puzzle is opened anew for each goal and each tablebase
def canonical(moves: tuple[Move, ...], start: Arrangement, *, blocked: bool = False) -> CanonicalAutomaton:
    """Return the automaton of canonical algs; if states are illegal, commuting moves cannot always be exchanged.

    >>> left, right = Move("L", (Effect(b"\\1\\0\\2\\3"),)), Move("R", (Effect(b"\\0\\1\\3\\2"),))
    >>> pairs = canonical((left, right), b"\\0\\1\\2\\3")
    >>> pairs.following  # after nothing, L, R
    ((1, 2), (-1, 2), (-1, -1))
    >>> pairs.equivalent_algs([(0, 1)])
    [(0, 1), (1, 0)]
    """
    effects = dict(_effects(moves, start))
    costs = {alg: sum(moves[move].cost for move in alg) for alg in effects}
    kept: dict[Permutation, list[Alg]] = {}  # by sources: algs that no cheaper ones replace
    avoided = set[Alg]()
    alike: dict[Alg, dict[Alg, None]] = {}

    def replacing(alg: Alg) -> Iterator[Alg]:
        """Yield kept algs that have the effect of another one wherever it is possible."""
        check()
        for other in kept.get(effects[alg][0].sources, ()):
            if not (blocked and len(other) > 1) and _replaces(effects[other], effects[alg]):
                yield other

    possible = sorted((alg for alg, variants in effects.items() if variants), key=lambda alg: (costs[alg], alg))
    for cost, group in itertools.groupby(possible, key=costs.__getitem__):
        level = []
        for alg in group:
            if next(replacing(alg), None) is None:
                level.append(alg)
            else:
                avoided.add(alg)
        for alg in level:
            for sources in {effect.sources for effect in effects[alg]}:
                kept.setdefault(sources, []).append(alg)
        for alg in level:
            for other in replacing(alg):
                if other != alg and costs[other] == cost:
                    if other < alg:
                        avoided.add(alg)
                    alike.setdefault(alg, {})[other] = None
                    alike.setdefault(other, {})[alg] = None
    shortest_first = (alg for alg in effects if alg in avoided)
    return CanonicalAutomaton(
        _automaton(len(moves), shortest_first), {alg: tuple(others) for alg, others in alike.items()}
    )


def beginnings(following: Sequence[Sequence[int]], first: int = 0) -> Iterator[tuple[int, int]]:
    """Yield the lengths 1, 2, ... and the number of canonical algs of each, from a state of the automaton.

    >>> list(itertools.islice(beginnings([[1, 2], [-1, 2], [1, -1]]), 3))  # two moves that alternate
    [(1, 2), (2, 2), (3, 2)]
    """
    ways = Counter({first: 1})
    for moves in itertools.count(1):
        further = Counter[int]()
        for state, number in ways.items():
            for target in following[state]:
                if target >= 0:
                    further[target] += number
        ways = further
        yield moves, ways.total()


def _effects(moves: Sequence[Move], start: Arrangement) -> Iterator[tuple[Alg, list[_Effect]]]:
    """Yield all short algs, the shortest first, with their effects."""
    number = Counter(start)
    newest: dict[Alg, list[_Effect]] = {(): [_Effect(frozenset(), identity(len(start)))]}
    for _ in range(_LONGEST):
        yield from newest.items()
        if len(newest) * len(moves) > max(_MOST_ALGS, len(moves) ** 2):
            return
        longer = dict[Alg, list[_Effect]]()
        for (alg, effects), (index, move) in itertools.product(newest.items(), enumerate(moves)):
            check()
            longer[*alg, index] = [
                _Effect(_needs(effect, last), after(effect.sources, last.sources))
                for effect in effects
                for last in move.effects
                if _fits(effect, last, number)
            ]
        newest = longer
    yield from newest.items()


def _needs(effect: _Effect, last: Effect) -> frozenset[tuple[int, int]]:
    """Return the labels that the effect of an alg and that of a move after it need, and the points where."""
    return effect.needs.union((effect.sources[point], label) for point, label in last.needs)


def _fits(effect: _Effect, last: Effect, number: Counter[int]) -> bool:
    """Return whether the effect of a move applies in some state after that of an alg."""
    if not last.needs:
        return True
    needs = _needs(effect, last)
    labels = Counter(label for _, label in needs)
    return len({point for point, _ in needs}) == len(needs) and all(labels[label] <= number[label] for label in labels)


def _replaces(effects: Sequence[_Effect], others: Sequence[_Effect]) -> bool:
    """Return whether the one has the effect of the other wherever that is possible."""
    return all(
        any(effect.sources == other.sources and effect.needs <= other.needs for effect in effects) for other in others
    )


def _automaton(moves: int, avoided: Iterable[Alg]) -> tuple[tuple[int, ...], ...]:
    """Return the automaton that accepts the algs that contain none of some others."""
    least = _least(avoided)
    states: dict[Alg, int] = {(): 0}
    following = []
    beginnings = {alg[:length] for alg in least for length in range(len(alg))}
    for state in (reached := [*states]):
        row = []
        for move in range(moves):
            endings = [(*state, move)[first:] for first in range(len(state) + 2)]
            if any(ending in least for ending in endings):
                row.append(-1)
                continue
            longest = next(ending for ending in endings if ending in beginnings or not ending)
            if longest not in states:
                states[longest] = len(states)
                reached.append(longest)
            row.append(states[longest])
        following.append(tuple(row))
    return tuple(following)


def _least(algs: Iterable[Alg]) -> set[Alg]:
    """Return the algs that contain none of the others; shorter ones come first."""
    least_algs = set[Alg]()
    for alg in algs:
        parts = (alg[first:last] for first, last in itertools.combinations(range(len(alg) + 1), 2))
        if least_algs.isdisjoint(parts):
            least_algs.add(alg)
    return least_algs
