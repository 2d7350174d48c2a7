"""Going down to the start from a few states, without waiting for kernels to load (numpy).

`cubesolve.batch` does the same for many; there the functions have the same names and give the same results.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cubesolve.spaces.space import StateSpace
from cubesolve.spaces.tables import UNREACHABLE

NO_MOVE = 255
"""What follows the last move of a solution."""


def lead_down(space: StateSpace, depths: NDArray[np.uint8], ranks: NDArray[np.int64], leads: NDArray[np.bool_]) -> None:
    """Find for each state the moves with which a shortest way to the start begins.

    Args:
        space: the moves.
        depths: uint8 (states,): depths by rank.
        ranks: int64 (N,): the states; each must be a rank.
        leads: bool (N, moves): where the answers go.
    """
    leads[:] = _nearer(space, depths, ranks)[1]


def _nearer(
    space: StateSpace, depths: NDArray[np.uint8], ranks: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Where the moves lead to, and whether that is nearer to the start."""
    targets = space.neighbours_of(ranks)
    left = depths[ranks][:, None] - space.cost_of_moves.astype(np.int64)
    return targets, (targets >= 0) & (depths[targets] == left)


def descend(
    space: StateSpace,
    depths: NDArray[np.uint8],
    ranks: NDArray[np.int64],
    moves: NDArray[np.uint8],
    lengths: NDArray[np.uint8],
) -> None:
    """Find for each state the first of the shortest ways to the start, in the order of the moves.

    Args:
        space: the moves.
        depths: uint8 (states,): depths by rank.
        ranks: int64 (N,): the states; each must be a rank.
        moves: uint8 (N, width): where the moves go, NO_MOVE after the last; wide enough for the longest way.
        lengths: uint8 (N,): where it goes how many they are, 255 where depths lead nowhere.
    """
    moves[:], lengths[:] = NO_MOVE, 0
    on_the_way = np.flatnonzero((depths[ranks] > 0) & (depths[ranks] != UNREACHABLE))
    at = ranks[on_the_way]
    for step in range(moves.shape[1]):
        if not len(at):
            return
        targets, leads = _nearer(space, depths, at)
        some = leads.any(axis=1)
        if not some.all():
            lengths[on_the_way[~some]] = UNREACHABLE
            on_the_way, targets, leads = on_the_way[some], targets[some], leads[some]
        first = leads.argmax(axis=1)
        moves[on_the_way, step] = first
        lengths[on_the_way] += 1
        at = np.take_along_axis(targets, first[:, None], axis=1)[:, 0]
        on_the_way, at = on_the_way[depths[at] > 0], at[depths[at] > 0]
    lengths[on_the_way] = UNREACHABLE


def count_solutions(space: StateSpace, depths: NDArray[np.uint8], ranks: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many shortest ways there are from each state to the start.

    Args:
        space: the moves.
        depths: uint8 (states,): depths by rank.
        ranks: int64 (N,): the states; each must be a rank.

    Returns:
        int64 (N,).
    """
    total = np.zeros(len(ranks), np.int64)
    origins, at, counts = np.arange(len(ranks)), ranks, np.ones(len(ranks), np.int64)
    while len(at):
        arrived = depths[at] == 0
        np.add.at(total, origins[arrived], counts[arrived])  # there may be several starts, and ways of several lengths
        origins, at, counts = origins[~arrived], at[~arrived], counts[~arrived]
        targets, leads = _nearer(space, depths, at)
        here, _ = leads.nonzero()
        # Ways that meet go on as one; those from different states stay apart.
        meeting = origins[here] * space.states + targets[leads]
        together, which = np.unique(meeting, return_inverse=True)
        added = np.zeros(len(together), np.int64)
        np.add.at(added, which, counts[here])
        (origins, at), counts = np.divmod(together, space.states), added
    return total


def count_all_solutions(space: StateSpace, depths: NDArray[np.uint8]) -> NDArray[np.int64]:
    """How many shortest ways there are from every state of a space to the start.

    Args:
        space: the moves.
        depths: uint8 (states,): depths by rank.

    Returns:
        int64 (states,): 1 for the start itself.
    """
    counts: NDArray[np.int64] = (depths == 0).astype(np.int64)
    for depth in range(1, int(depths[depths != UNREACHABLE].max()) + 1):
        at = np.flatnonzero(depths == depth)
        targets, leads = _nearer(space, depths, at)
        counts[at] = np.where(leads, counts[targets], 0).sum(axis=1)
    return counts
