"""Free moves, which cost 0, and the permutations that they make (pure Python).

States that free moves connect are one state, as the states of the Square-1 up to turns of its layers.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from cubesolve.group.moves import Move, is_plain
from cubesolve.group.permutations import Permutation, after, identity, support

MOST_FREE = 1000
"""The maximum number of permutations that free moves make."""


def free_permutations(points: int, moves: Sequence[Move], *, blocked: bool) -> tuple[Permutation, ...] | None:
    """Return the permutations that free moves make, the identity first.

    Args:
        blocked: whether some labels must not be on some points. Then every permutation must be a product of free moves
            that move different points, so that these moves are possible in any order if the product is.

    Returns:
        None if there are more than `MOST_FREE`, if some free moves are not always possible, or if blocked moves can
        separate states that a permutation connects.

    >>> from cubesolve.group.moves import Effect
    >>> moves = [Move("T", (Effect(bytes([1, 2, 0])),), 0), Move("S", (Effect(bytes([1, 0, 2])),))]
    >>> [list(change) for change in free_permutations(3, moves, blocked=False)]
    [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
    """
    free = [move for move in moves if move.cost == 0]
    if not all(is_plain(move.effects) for move in free):
        return None
    changes = [move.effects[0].sources for move in free]
    found = dict.fromkeys([identity(points)])
    for change in (reached := [*found]):
        products = dict.fromkeys(after(change, other) for other in changes)
        reached += [product for product in products if product not in found]
        found |= products
        if len(found) > MOST_FREE:
            return None
    return None if blocked and len(_apart(identity(points), changes)) < len(found) else tuple(found)


def _apart(same: Permutation, changes: Collection[Permutation]) -> dict[Permutation, frozenset[int]]:
    """Return the products of permutations that move different points, each with the points that it moves."""
    moved = {each: support(each) for each in changes}
    found = {same: frozenset[int]()}
    for product in (reached := [same]):
        for change, points in moved.items():
            if points.isdisjoint(found[product]) and (longer := after(product, change)) not in found:
                found[longer] = found[product] | points
                reached.append(longer)
    return found
