"""A chain of stabilizers with short algs: it solves every state of a group (Minkwitz 1998).

The places of all pieces are a base. A *level* belongs to each; it has, for each slot from which the place can get its
piece, an alg that does so and leaves the places of all earlier levels alone. An alg that leaves these alone is kept if
it is shorter than the one known; what it does besides is passed on to later levels as the alg times the inverse of the
one known. Products of two algs of a level are algs for the same or later levels, so the chain improves itself.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from cubesolve.group.permutations import Permutation, after, arrangement, composed, identity, inverse
from cubesolve.runtime.deadline import check
from cubesolve.search.cycles import NONE, Alg, Cycles, alg_by_number, joined
from cubesolve.search.slots import Slots

_LONGEST = 1 << 10  # moves of an alg
_WORD = 40  # moves of a random alg, which is nearly a random member
_AT_ONCE = 200  # algs that are added between two checks of the deadline
_ROUNDS = 20_000  # algs that are added after the chain is complete
_MOST = 400_000  # algs after which an incomplete chain is given up
_SHORT_WORD = 10  # moves of a random alg that shortens the others
_GIVEN = 2_000  # cycles whose algs a chain begins with
_MOST_MEMORY = 1 << 27  # moves of all algs


class _Member(NamedTuple):
    """A member of the group, with an alg that makes it."""

    alg: Sequence[int]
    change: Permutation


class Chain:
    """A chain of stabilizers."""

    def __init__(self, slots: Slots, algs: Iterable[Sequence[int]], seed: int) -> None:
        kinds = sorted(slots.kinds, key=lambda kind: kind.slots)
        base = [slot for kind in kinds for slot in range(kind.first, kind.first + kind.slots, kind.turns)]
        self._slots, self._random = slots, random.Random(seed)
        self._changes = [arrangement(row) for row in slots.moves.sources.tolist()]
        self._inverses, self._products = slots.moves.inverses.tolist(), slots.moves.products.tolist()
        # for the place of each level, by its first slot: the algs by the slot from which the piece comes, each with its
        # inverse
        self._levels = {place: dict[int, tuple[_Member, _Member]]() for place in base}
        for alg in algs:
            self._add(self._member(alg))

    @property
    def order(self) -> int:
        """The number of members that it has algs for."""
        return math.prod(1 + len(level) for level in self._levels.values())

    def improve(self, longest: int) -> None:
        """Add random algs of up to a number of moves, and products of two algs of a level."""
        check()
        source, levels = self._random, [*self._levels.values()]
        for _ in range(_AT_ONCE):
            if source.randrange(2):
                self._add(self._member(source.choices(range(len(self._changes)), k=1 + source.randrange(longest))))
            elif level := [*source.choice(levels).values()]:
                self._add(self._product(*(source.choice(source.choice(level)) for _ in range(2))))

    def alg(self, change: Permutation) -> Alg | None:
        """Return an alg with the effect of a permutation; None if an alg is missing, or it is not in the group."""
        rest, alg = arrangement(self._slots.change(change).tolist()), list[int]()
        for place, level in self._levels.items():
            if rest[place] != place:
                if rest[place] not in level:
                    return None
                member, undone = level[rest[place]]
                alg += member.alg
                rest = after(undone.change, rest)
        return joined(self._slots.moves, alg) if rest == identity(len(rest)) else None

    def _member(self, alg: Sequence[int]) -> _Member:
        return _Member(alg, composed((self._changes[move] for move in alg), len(self._changes[0])))

    def _undone(self, member: _Member) -> _Member:
        return _Member([self._inverses[move] for move in reversed(member.alg)], inverse(member.change))

    def _product(self, one: _Member, other: _Member) -> _Member:
        """Return the product of two members; moves that meet are joined, or cancel."""
        alg, rest, end, begin = one.alg, other.alg, len(one.alg), 0
        both: list[int] = []
        while end and begin < len(rest) and not both and (product := self._products[alg[end - 1]][rest[begin]]) != -1:
            both = [product] if product >= 0 else []
            end, begin = end - 1, begin + 1
        return _Member([*alg[:end], *both, *rest[begin:]], after(one.change, other.change))

    def _add(self, member: _Member) -> None:
        """Keep an alg where it is new or shorter, and pass on what it or the longer one does besides."""
        for place, level in self._levels.items():
            source = member.change[place]
            if source == place:
                continue
            if len(member.alg) > _LONGEST:
                return
            stored = level.get(source)
            if stored is None or len(member.alg) < len(stored[0].alg):
                level[source] = member, self._undone(member)
                if stored is None:
                    return
                member = stored[0]
            member = self._product(level[source][1], member)


def complete_chain(slots: Slots, cycles: Cycles | None, order: int, seed: int) -> Chain | None:
    """Return a chain with algs for all members of a group; None if it would be too large, or some were not found."""
    if len(slots.moves.firsts) * slots.moves.sources.shape[1] * _LONGEST > _MOST_MEMORY:
        return None
    algs = [[move] for move in range(len(slots.moves.sources))]
    if cycles is not None:
        shortest = np.argsort(cycles.lengths, kind="stable")[:_GIVEN]
        shortest = shortest[cycles.lengths[shortest] != NONE]
        algs += [alg_by_number(slots.moves, cycles, cycle) for cycle in shortest]
    chain = Chain(slots, algs, seed)
    for _ in range(_MOST // _AT_ONCE):
        if chain.order == order:
            break
        chain.improve(_WORD)
    if chain.order != order:
        return None
    for _ in range(_ROUNDS // _AT_ONCE):
        chain.improve(_SHORT_WORD)
    return chain
