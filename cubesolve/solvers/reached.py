"""Which of many arrangements moves lead to (numpy)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cubesolve.definitions.reach import ReachableStates
from cubesolve.permutations import arrangement, inverse
from cubesolve.spaces.rows import Rows, hashed


def may_have(reach: ReachableStates, rows: Rows) -> NDArray[np.bool_]:
    """Return `ReachableStates.may_have` for each of some arrangements, (N, points), with the labels of the start.

    In a full group of pieces without orientations, the parity of the permutation of the pieces of each kind decides. So
    one arrangement is asked about for all that have the same parities and the same placement.

    >>> from cubesolve.catalog import rules_named
    >>> rows = np.array([[1, 0, 2, 3], [0, 2, 1, 3], [2, 0, 1, 3]], np.uint8)
    >>> may_have(rules_named("tiles-2x2").graph().reach, rows).tolist()
    [False, False, True]
    """
    kinds = [sorted(kind.along) for kind in reach.loops.kinds]
    is_single = all(list(along) == [point] for kind in reach.loops.kinds for point, along in kind.along.items())
    if len(set(reach.start)) < len(reach.start) or not (reach.loops.is_full and is_single):
        return _each(reach, rows)
    found = np.zeros(len(rows), np.bool_)
    home = np.zeros(1 + max(reach.start), np.int64)
    home[list(reach.start)] = np.arange(len(reach.start))
    looks = np.zeros(len(home), np.int64)
    looks[list(reach.looks)] = list(reach.looks.values())
    ways = {arrangement(place): way for place, way in reach.ways.items()}
    for part in _alike(hashed(looks[rows])):
        way = ways.get(arrangement(looks[rows[part[0]]].tolist()))
        if way is not None:
            sources = home[rows[part][:, list(inverse(way))]]
            for same in _alike(hashed(_invariants(sources, kinds))):
                found[part[same]] = _each(reach, rows[part[same[:1]]])
    return found


def _each(reach: ReachableStates, rows: Rows) -> NDArray[np.bool_]:
    return np.array([reach.may_have(arrangement(row)) for row in rows.tolist()], np.bool_)


def _alike(keys: NDArray[np.uint64]) -> list[NDArray[np.intp]]:
    """Return the rows with each key."""
    order = np.argsort(keys, kind="stable")
    ends = np.flatnonzero(keys[order][1:] != keys[order][:-1]) + 1
    return np.split(order, ends) if len(keys) else []


def _invariants(sources: NDArray[np.int64], kinds: Sequence[Sequence[int]]) -> NDArray[np.uint8]:
    """Return whether other points move, and for each kind the parity, or 2 if other pieces are in its places."""
    still = np.setdiff1d(np.arange(sources.shape[1]), [point for kind in kinds for point in kind])
    columns = [(sources[:, still] != still).any(axis=1).astype(np.uint8)]
    for kind in kinds:
        there = sources[:, kind]
        inversions = np.zeros(len(sources), np.int64)
        for place in range(len(kind) - 1):
            inversions += (there[:, place, None] > there[:, place + 1 :]).sum(axis=1)
        columns.append(np.where(np.isin(there, kind).all(axis=1), inversions % 2, 2).astype(np.uint8))
    return np.stack(columns, axis=1)
