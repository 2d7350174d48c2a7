"""A proof that permutations make all arrangements of their pieces that have the right totals (pure Python).

The *totals* of a permutation are the parity and the twist of each kind of pieces (`pieces.Totals`). A group is *full*
if it has every permutation of the pieces whose totals its generators make. Then its order is a product of factorials,
and it needs no base and no strong generating set, however many pieces there are.

Four facts, each of which a few random members show, make the proof:

1. On each kind of n pieces the group acts at least as the alternating group: a transitive group that has a cycle of
   prime length p with n/2 < p < n - 2 does (Jordan). Of fewer than eight pieces the order of the group is found.
2. No two kinds are linked. Alternating groups of five pieces or more are simple. So the perfect residual D of the group
   is the product of them all, unless it maps those of one kind to those of another by an isomorphism. That is a
   bijection of pieces, which `pieces.kinds_of` finds; except for six pieces, where it preserves orders all the same.
3. For a member v that leaves the places of a kind alone and twists its pieces a and b differently, by d, D has the
   commutators of v and three-cycles, and the commutators of these with three-cycles: a twist of a by d and of b by -d,
   and nothing else.
4. A perfect group has no totals but zero. So D is everything whose totals are zero.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence

from cubesolve.group.permutations import Permutation, after, arrangement, closure, cycles, identity, is_prime, order
from cubesolve.group.pieces import Origins, PieceOrbit, Spend, Totals, kinds_of

_MOST_DRAWN = 100  # members; a random permutation of 8 to 30 pieces has such a cycle once in three to ten times
_FEWEST = 5  # pieces of which the alternating group is simple
_FEW = 8  # pieces for which there may be no such prime
_SIX = 6  # pieces of which the alternating group has other automorphisms


def is_full(
    kinds: Sequence[PieceOrbit],
    totals: Totals,
    changes: Sequence[Permutation],
    members: Iterable[Permutation],
    spend: Spend,
) -> bool:
    """Return whether a group is proved to be full; one that is not may still be. `spend` limits the labels moved."""
    sizes = [len(kind.pieces()) for kind in kinds]
    if any(1 < size < _FEWEST for size in sizes):
        return False
    large = [number for number, size in enumerate(sizes) if size > 1]
    generators = [totals.origins(change) for change in changes]
    if _are_linked([[origins[number][0] for number in large] for origins in generators], spend):
        return False
    proofs = [_Proof(sizes[number], [origins[number] for origins in generators]) for number in large]
    for member in itertools.islice(members, _MOST_DRAWN):
        origins = totals.origins(member)
        for proof, number in zip(proofs, large, strict=True):
            proof.see(*origins[number])
        if all(proof.is_done for proof in proofs) and _have_other_orders(proofs):
            return True
    return False


def _are_linked(changes: Sequence[Sequence[Sequence[int]]], spend: Spend) -> bool:
    """Return whether some piece always moves together with one of another kind, given the origins in each."""
    joined = []
    for origins in changes:
        firsts = itertools.accumulate(map(len, origins), initial=0)
        joined.append(
            arrangement([first + origin for first, part in zip(firsts, origins, strict=False) for origin in part])
        )
    kinds = kinds_of(len(joined[0]), joined, spend) if joined else []
    return any(len(along) > 1 for kind in kinds for along in kind.along.values())


def _have_other_orders(proofs: Sequence[_Proof]) -> bool:
    """Return whether for each two kinds of six pieces some member has different orders on them."""
    orders = [tuple(proof.orders) for proof in proofs if proof.size == _SIX]
    return len(set(orders)) == len(orders)


class _Proof:
    """The facts proved about one kind of pieces."""

    def __init__(self, size: int, generators: Sequence[Origins]) -> None:
        self.size = size
        self.orders: list[int] = []  # on these pieces, of the members seen
        self._modulus = generators[0][2]
        self._is_alternating = size < _FEW and _generates_half(
            size, [arrangement(generator[0]) for generator in generators]
        )

    @property
    def is_done(self) -> bool:
        """Whether all arrangements without totals are proved to be members."""
        return self._is_alternating and self._modulus == 1

    def see(self, origins: Sequence[int], turned: Sequence[int], _modulus: int) -> None:
        """Take another member into account."""
        change = arrangement(origins)
        self.orders.append(order(change))
        own_cycles = cycles(change)
        self._is_alternating |= any(
            self.size < 2 * len(cycle) < 2 * self.size - 4 and is_prime(len(cycle)) for cycle in own_cycles
        )
        if self._modulus > 1:
            moved = {place for cycle in own_cycles for place in cycle}
            own_cycles += [[place] for place in range(self.size) if place not in moved]
            twists = [sum(turned[place] for place in cycle) * self.orders[-1] // len(cycle) for cycle in own_cycles]
            self._modulus = math.gcd(self._modulus, *(twist - twists[0] for twist in twists))


def _generates_half(points: int, changes: Iterable[Permutation]) -> bool:
    """Return whether permutations generate at least half of all permutations of a few points."""
    generators = {*changes}
    members = closure([identity(points)], lambda here: [after(here, change) for change in generators])
    return 2 * len(members) >= math.factorial(points)
