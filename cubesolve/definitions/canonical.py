"""Which moves may follow which, so that of algs that do the same only the first is tried (pure Python).

Of algs that do the same, the *first* is that which counts least, and of those that count the same the one that comes
first in the order of the moves. An alg of a few moves that is not the first of its like is never part of a first one: a
search leaves out whatever has it in it, and loses nothing. So no move undoes the one before or could be joined with it,
and moves that may be exchanged come in one order. Nobody says which these are: it is seen from what the moves do.

Where a move does different things in different states, an alg is left out only if another does the same wherever it is
possible.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from cubesolve.definitions.definition import Case, Move
from cubesolve.permutations import Arrangement, Permutation, after, identity

_LONGEST = 3  # moves of the algs that are compared, if these are not more
_MOST_ALGS = 10_000  # than so many

Alg = tuple[int, ...]
"""Moves by number."""


class CanonicalAutomaton(NamedTuple):
    """Algs that have nothing in them that could be put better.

    Attributes:
        following: for each state of an automaton, of which 0 is the beginning, the state that each move leads to, or -1
            where it must not come.
        alike: for algs of a few moves, others that count the same and do the same, at least in some states.
    """

    following: tuple[tuple[int, ...], ...]
    alike: Mapping[Alg, tuple[Alg, ...]]

    def equivalent_algs(self, algs: Iterable[Alg]) -> list[Alg]:
        """All algs that canonical ones stand for, themselves among them, in the order of the moves.

        Where moves do different things in different states, some may not be possible, or lead elsewhere.
        """
        found = dict.fromkeys(algs)
        for alg in (reached := list(found)):
            for first, last in itertools.combinations(range(len(alg) + 1), 2):
                for other in self.alike.get(alg[first:last], ()):
                    spelled = alg[:first] + other + alg[last:]
                    if spelled not in found:
                        found[spelled] = None
                        reached.append(spelled)
        return sorted(found)


class _Effect(NamedTuple):
    """What an alg does where certain points have certain labels."""

    needs: frozenset[tuple[int, int]]
    sources: Permutation


def canonical(moves: Sequence[Move], start: Arrangement, *, blocked: bool = False) -> CanonicalAutomaton:
    """What may follow what.

    Args:
        moves: the moves.
        start: a state, which says how often there is each label.
        blocked: whether some states may not be entered, so that moves cannot be exchanged at will.

    >>> left, right = Move("L", (Case(b"\\1\\0\\2\\3"),)), Move("R", (Case(b"\\0\\1\\3\\2"),))
    >>> pairs = canonical([left, right], b"\\0\\1\\2\\3")
    >>> pairs.following  # after nothing, L, R
    ((1, 2), (-1, 2), (-1, -1))
    >>> pairs.equivalent_algs([(0, 1)])
    [(0, 1), (1, 0)]
    """
    effects = dict(_effects(moves, start))
    order = {alg: (sum(moves[move].cost for move in alg), alg) for alg in effects}
    by_sources: dict[Permutation, list[Alg]] = {}
    for alg, variants in effects.items():
        for sources in {effect.sources for effect in variants}:
            by_sources.setdefault(sources, []).append(alg)
    avoided: dict[Alg, None] = {}
    alike: dict[Alg, dict[Alg, None]] = {}
    for alg, variants in effects.items():
        for other in by_sources[variants[0].sources] if variants else ():
            if other != alg and not (blocked and len(other) > 1) and _replaces(effects[other], variants):
                if order[other] < order[alg]:
                    avoided[alg] = None
                if order[other][0] == order[alg][0]:
                    alike.setdefault(alg, {})[other] = None
                    alike.setdefault(other, {})[alg] = None
    return CanonicalAutomaton(_automaton(len(moves), avoided), {alg: tuple(others) for alg, others in alike.items()})


def beginnings(following: Sequence[Sequence[int]]) -> Iterator[tuple[int, int]]:
    """How many canonical algs have 1 move, 2, and so on.

    >>> list(itertools.islice(beginnings([[1, 2], [-1, 2], [1, -1]]), 3))  # two moves that alternate
    [(1, 2), (2, 2), (3, 2)]
    """
    ways = Counter({0: 1})
    for moves in itertools.count(1):
        further = Counter[int]()
        for state, number in ways.items():
            for there in following[state]:
                if there >= 0:
                    further[there] += number
        ways = further
        yield moves, ways.total()


def _effects(moves: Sequence[Move], start: Arrangement) -> Iterator[tuple[Alg, list[_Effect]]]:
    """All algs of a few moves, the shortest first, and what they do."""
    number = Counter(start)
    newest: dict[Alg, list[_Effect]] = {(): [_Effect(frozenset(), identity(len(start)))]}
    for _ in range(_LONGEST):
        yield from newest.items()
        if len(newest) * len(moves) > max(_MOST_ALGS, len(moves) ** 2):
            return
        newest = {
            (*alg, index): [_then(each, case) for each in effects for case in move.cases if _fits(each, case, number)]
            for alg, effects in newest.items()
            for index, move in enumerate(moves)
        }
    yield from newest.items()


def _then(effect: _Effect, case: Case) -> _Effect:
    needs = {(effect.sources[point], label) for point, label in case.needs}
    return _Effect(effect.needs | needs, after(effect.sources, case.sources))


def _fits(effect: _Effect, case: Case, number: Counter[int]) -> bool:
    """Whether there are states in which something is done and this case fits afterwards."""
    needs = _then(effect, case).needs
    labels = Counter(label for _, label in needs)
    return len({point for point, _ in needs}) == len(needs) and all(labels[label] <= number[label] for label in labels)


def _replaces(effects: Sequence[_Effect], others: Sequence[_Effect]) -> bool:
    """Whether the one does what the other does wherever that is possible."""
    return all(
        any(effect.sources == other.sources and effect.needs <= other.needs for effect in effects) for other in others
    )


def _automaton(moves: int, avoided: Iterable[Alg]) -> tuple[tuple[int, ...], ...]:
    """What accepts the algs that none of some others is part of: a state is an alg that one of these may begin with."""
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
            there = next(ending for ending in endings if ending in beginnings or not ending)
            if there not in states:
                states[there] = len(states)
                reached.append(there)
            row.append(states[there])
        following.append(tuple(row))
    return tuple(following)


def _least(algs: Iterable[Alg]) -> set[Alg]:
    """Those that none of the others is part of; shorter ones come first."""
    found = set[Alg]()
    for alg in algs:
        parts = (alg[first:last] for first, last in itertools.combinations(range(len(alg) + 1), 2))
        if found.isdisjoint(parts):
            found.add(alg)
    return found
