"""Which states are the same but for the names of the moves."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from cubesolve.spaces.space import StateSpace

_CHUNK = 1 << 16
_MOST_TRIED = 1000  # renamings; all of a puzzle's own symmetries are found by many fewer

Renaming = tuple[int, ...]
"""For each move by number, that which takes its place."""


def renamed_classes(space: StateSpace, depths: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The smallest rank of those states that differ from each state by the names of the moves alone.

    Moves can be renamed where the states that algs lead to from the solved one are renamed with them: turned and
    mirrored as a whole, as far as that keeps the solved state and the set of the moves.

    Args:
        space: the space.
        depths: uint8 (states,): depths by rank.

    Returns:
        int64 (states,); each state's own rank, if there are several solved states.

    >>> ring = StateSpace(np.array([[1, 2, 0], [2, 0, 1]]), np.zeros((2, 3), np.int32), np.array([[0]], np.uint32))
    >>> renamed_classes(ring, np.array([0, 1, 1], np.uint8)).tolist()
    [0, 1, 1]
    """
    order, least = np.argsort(depths, kind="stable"), np.arange(space.states)
    if np.count_nonzero(depths == 0) != 1:
        return least
    images, known = [], {tuple(range(len(space.base)))}
    for renaming in itertools.islice(_candidates(space, int(order[0])), _MOST_TRIED):
        if renaming in known:
            continue
        image = _image(space, renaming, order)
        if image is not None:
            images.append(image)
            known = _generated({*known, renaming})
    changed = True
    while changed:
        before = least
        for image in images:
            least = np.minimum(least, least[image])
        least = least[least]
        changed = bool((least != before).any())
    return least


def _candidates(space: StateSpace, start: int) -> Iterator[Renaming]:
    """Renamings that are right as far as two and three moves show."""
    costs = space.cost_of_moves.tolist()
    reached = np.array([start])
    for _ in range(3):
        there = space.neighbours_of(np.maximum(reached, 0).reshape(-1))
        reached = np.where(reached.reshape(-1, 1) >= 0, there, -1).reshape(*reached.shape, -1)
    ends = reached[0]

    def extended(chosen: Renaming) -> Iterator[Renaming]:
        if len(chosen) == len(costs):
            yield chosen
            return
        for move in range(len(costs)):
            longer = (*chosen, move)
            if move not in chosen and costs[move] == costs[len(chosen)] and _alike(ends, longer):
                yield from extended(longer)

    return extended(())


def _alike(ends: NDArray[np.int64], chosen: Renaming) -> bool:
    """Whether algs of three of the first moves end alike if and only if the renamed ones do."""
    first, renamed = list(range(len(chosen))), list(chosen)
    before, after = ends[np.ix_(first, first, first)], ends[np.ix_(renamed, renamed, renamed)]
    if not np.array_equal(before < 0, after < 0):
        return False
    pairs = before * (max(ends.max(), 0) + 2) + after + 1
    return len(np.unique(pairs)) == len(np.unique(before)) == len(np.unique(after))


def _image(space: StateSpace, renaming: Renaming, order: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """What a renaming makes of every state; None if it makes different states of one."""
    image = np.full(space.states, -1)
    image[order[0]] = order[0]
    for first in range(0, len(order), _CHUNK):
        ranks = order[first : first + _CHUNK]
        while len(ranks):  # a state comes when what is nearer has been looked at
            ready = image[ranks] >= 0
            there = space.neighbours_of(ranks[ready])
            renamed = space.neighbours_of(image[ranks[ready]])[:, renaming]
            possible = there >= 0
            if not ready.any() or not np.array_equal(possible, renamed >= 0):
                return None
            there, renamed, old = there[possible], renamed[possible], image[there[possible]]
            image[there] = renamed
            if not (((old < 0) | (old == renamed)) & (image[there] == renamed)).all():
                return None
            ranks = ranks[~ready]
    return image


def _generated(renamings: set[Renaming]) -> set[Renaming]:
    """The group that renamings generate."""
    found = set(renamings)
    while True:
        products = {tuple(a[i] for i in b) for a, b in itertools.product(found, renamings)}
        if products <= found:
            return found
        found |= products
