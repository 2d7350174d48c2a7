"""Reachable arrangements, many at once: they are checked and drawn (numpy)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from cubesolve.definition.reach import ReachableStates
from cubesolve.group.permutations import arrangement, inverse
from cubesolve.group.pieces import PieceOrbit
from cubesolve.spaces.rows import Rows, hashed


def may_have(reach: ReachableStates, rows: Rows) -> NDArray[np.bool_]:
    """Return `ReachableStates.may_have` for each of some arrangements, (N, points), with the labels of the start.

    In a full group, the parities of the permutations of the pieces of each kind and the sums of their twists decide. So
    one arrangement is asked about for all that have the same totals and the same placement.

    >>> from cubesolve.catalog import rules_named
    >>> rows = np.array([[1, 0, 2, 3], [0, 2, 1, 3], [2, 0, 1, 3]], np.uint8)
    >>> may_have(rules_named("tiles-2x2").graph().reach, rows).tolist()
    [False, False, True]
    """
    group, start = reach.loops, np.array(list(reach.start), rows.dtype)
    if not group.is_full or group.totals is None:
        return np.array([reach.may_have(arrangement(row)) for row in rows.tolist()], np.bool_)
    homes, found = _led_home(reach, rows)
    moved = [point for kind in group.kinds for along in kind.along.values() for point in along]
    still = np.setdiff1d(np.arange(len(start)), moved)
    kinds = [_Kind(kind, start).totals(homes) for kind in group.kinds]
    totals = np.stack([(homes[:, still] != start[still]).any(axis=1), *kinds], axis=1)
    for same in _alike(hashed(totals.astype(np.uint16))):
        found[same] &= group.made(reach.start, [arrangement(homes[same[0]].tolist())]) != [False]
    return found


def _led_home(reach: ReachableStates, rows: Rows) -> tuple[Rows, NDArray[np.bool_]]:
    """Return arrangements after the way back to the first placement, and whether there is one."""
    looks = np.arange(1 + max(reach.start))
    looks[list(reach.looks)] = list(reach.looks.values())
    ways = {arrangement(place): way for place, way in reach.ways.items()}
    homes, found = rows.copy(), np.ones(len(rows), np.bool_)
    for part in _alike(hashed(looks[rows])):
        way = ways.get(arrangement(looks[rows[part[0]]].tolist()))
        found[part] = way is not None
        if way is not None:
            homes[part] = rows[part][:, list(inverse(way))]
    return homes, found


def _alike(keys: NDArray[np.uint64]) -> list[NDArray[np.intp]]:
    """Return the rows with each key."""
    order = np.argsort(keys, kind="stable")
    ends = np.flatnonzero(keys[order][1:] != keys[order][:-1]) + 1
    return np.split(order, ends) if len(keys) else []


class _Kind:
    """The pieces of a kind, as they are seen in many arrangements."""

    def __init__(self, kind: PieceOrbit, start: Rows) -> None:
        """Take a kind whose orientations are cyclic, and the labels of the start."""
        along = np.array([[kind.along[point] for point in piece] for piece in kind.pieces()])
        seen = hashed(start[along])  # (pieces, orientations): the look of each piece from each orientation
        _, looks = np.unique(seen.min(axis=1), return_inverse=True)  # equal for pieces that look alike
        self._places, self._turns = along[:, 0], along.shape[1]
        self._seen, first = np.unique(seen, return_index=True)
        piece, turn = np.divmod(first, self._turns)
        self._looks, self._turned = looks[piece], turn - seen.argmin(axis=1)[piece]
        self._homes = np.argsort(looks, kind="stable")
        self._all = looks[self._homes]

    def totals(self, rows: Rows) -> NDArray[np.int64]:
        """Return a number for each arrangement, equal for equal totals; -1 for other pieces.

        Pieces that look alike are named in the order of their places, which changes totals as some invisible exchange.
        """
        seen = hashed(rows[:, self._places])
        found = np.minimum(np.searchsorted(self._seen, seen), len(self._seen) - 1)
        looks = self._looks[found]
        order = np.argsort(looks, axis=1, kind="stable")
        same = (self._seen[found] == seen) & (np.take_along_axis(looks, order, axis=1) == self._all)
        origins = np.empty_like(order)
        np.put_along_axis(origins, order, np.broadcast_to(self._homes, order.shape), axis=1)
        totals: NDArray[np.int64] = 2 * (self._turned[found].sum(axis=1) % self._turns) + _parities(origins)
        return np.where(same.all(axis=1), totals, -1)


def _parities(permutations: NDArray[np.int64]) -> NDArray[np.int64]:
    inversions = np.zeros(len(permutations), np.int64)
    for place in range(permutations.shape[1]):
        inversions += (permutations[:, place, None] > permutations[:, place + 1 :]).sum(axis=1)
    return inversions % 2


def random_rows(reach: ReachableStates, number: int, rng: np.random.Generator) -> Rows | None:
    """Return uniformly random reachable arrangements, (N, points), which depend only on the bits of a generator.

    Returns:
        None unless the group is full; see `Group.is_full`.

    >>> from cubesolve.catalog import rules_named
    >>> reach = rules_named("15-puzzle").graph().reach
    >>> rows = random_rows(reach, 5, np.random.default_rng(1))
    >>> rows.shape, bool(may_have(reach, rows).all())
    ((5, 16), True)
    """
    group, start = reach.loops, np.array(list(reach.start), np.min_scalar_type(max(reach.start)))
    if not group.is_full or group.totals is None:
        return None

    def bits(*shape: int) -> NDArray[np.int64]:
        drawn = np.asarray(rng.bit_generator.random_raw(math.prod((number, *shape))), np.uint64)
        return (drawn >> np.uint64(1)).astype(np.int64).reshape(number, *shape)

    moduli = group.totals.moduli
    given = np.array(group.given_totals, np.int64).reshape(len(group.given_totals), len(moduli))
    totals = (bits(len(given)) % math.lcm(*moduli)) @ given % moduli
    sources = np.tile(np.arange(len(start)), (number, 1))
    for kind, twist, parity in zip(group.kinds, totals.T[::2], totals.T[1::2], strict=True):
        along = np.array([[kind.along[point] for point in piece] for piece in kind.pieces()])
        pieces, turns = along.shape[:2]
        origins, turned = np.argsort(bits(pieces), axis=1, kind="stable"), bits(pieces) % turns
        turned[:, 0] = (turned[:, 0] + twist - turned.sum(axis=1)) % turns
        odd = _parities(origins) != parity
        origins[odd, :2], turned[odd, :2] = origins[odd, 1::-1], turned[odd, 1::-1]
        places = along[:, 0].reshape(-1)
        sources[:, places] = along[origins, turned].reshape(number, len(places))
    ways = np.array([list(way) for way in reach.ways.values()])
    return start[np.take_along_axis(sources, ways[bits() % len(ways)], axis=1)]
