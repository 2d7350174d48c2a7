"""Solutions of a few states by descending to the start, without a kernel to load (numpy).

`encodings.batch` has kernels for many states, with the same names and results.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from cubesolve.spaces.space import StateSpace
from cubesolve.spaces.tables import UNREACHABLE

NO_MOVE = 255
"""The value after the last move of a solution."""

_AT_ONCE = 1 << 16  # states

Entries = NDArray[np.unsignedinteger]
"""The number of each state that a descent decreases: its depth, or with moves of cost 0 that of `with_free_moves`."""

_FREE = 8  # bits


def lead_down(space: StateSpace, entries: Entries, ranks: NDArray[np.int64], leads: NDArray[np.bool_]) -> None:
    """Find the optimal moves of each state."""
    leads[:] = _nearer(space, entries, ranks)[1]


def _nearer(
    space: StateSpace, entries: Entries, ranks: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the ranks after the moves, and whether each move is optimal."""
    targets, costs = space.neighbours_of(ranks), space.cost_of_moves.astype(np.int64)
    here, there = entries[ranks][:, None].astype(np.int64), entries[targets]
    if entries.dtype == np.uint8:
        nearer = there == here - costs
    else:
        is_last, depth = here & UNREACHABLE == 0, here >> _FREE
        nearer = np.where(costs == 0, there == here - 1, is_last & (there >> _FREE == depth - costs))
    return targets, (targets >= 0) & nearer


def with_free_moves(space: StateSpace, depths: NDArray[np.uint8], starts: Sequence[int]) -> Entries | None:
    """Return the depth of each state, then 8 bits: the moves of cost 0 before the next one that costs, or the end.

    Returns:
        uint16 (states,); 65,535 for states that no moves solve. None if an optimal solution has more than 254 in a row.
    """
    free = np.full(len(depths), UNREACHABLE, np.uint8)
    free[[*starts]] = 0
    left = np.flatnonzero((depths != UNREACHABLE) & (free != 0))
    costs = space.cost_of_moves.astype(np.int64)
    for number in range(UNREACHABLE):
        parts = [left[:0]]
        for first in range(0, len(left), _AT_ONCE):
            part = left[first : first + _AT_ONCE]
            targets, leads = _nearer(space, depths, part)
            leads &= (costs == 0) & (free[targets] == number - 1) if number else costs > 0
            parts.append(part[leads.any(axis=1)])
        free[np.concatenate(parts)] = number
        left = left[free[left] == UNREACHABLE]
        if not len(left):
            return np.asarray(depths.astype(np.uint16) << _FREE | free, np.uint16)
    return None


def _in_order(entries: Entries) -> Iterator[NDArray[np.int64]]:
    """Yield states that are not solved: optimal moves lead to solved states, or those that were yielded before."""
    for entry in np.unique(entries).tolist():
        if 0 < entry < np.iinfo(entries.dtype).max:
            yield np.flatnonzero(entries == entry)


def most_moves(space: StateSpace, entries: Entries) -> int:
    """Return the largest number of moves of an optimal solution."""
    lengths = np.zeros(len(entries), np.int64)
    for at in _in_order(entries):
        for first in range(0, len(at), _AT_ONCE):
            part = at[first : first + _AT_ONCE]
            targets, leads = _nearer(space, entries, part)
            lengths[part] = 1 + np.where(leads, lengths[targets], 0).max(axis=1)
    return int(lengths.max())


def descend(
    space: StateSpace, entries: Entries, ranks: NDArray[np.int64], moves: NDArray[np.uint8], lengths: NDArray[np.uint8]
) -> None:
    """Find for each state the first optimal solution in the order of the moves.

    Rows of `moves` must have room for the longest, and have NO_MOVE after the last move. A length is 255 if the depths
    lead to no start.
    """
    moves[:], lengths[:] = NO_MOVE, 0
    on_the_way = np.flatnonzero((entries[ranks] > 0) & (entries[ranks] < np.iinfo(entries.dtype).max))
    at = ranks[on_the_way]
    for step in range(moves.shape[1]):
        if not len(at):
            return
        targets, leads = _nearer(space, entries, at)
        some = leads.any(axis=1)
        if not some.all():
            lengths[on_the_way[~some]] = UNREACHABLE
            on_the_way, targets, leads = on_the_way[some], targets[some], leads[some]
        first = leads.argmax(axis=1)
        moves[on_the_way, step] = first
        lengths[on_the_way] += 1
        at = np.take_along_axis(targets, first[:, None], axis=1)[:, 0]
        going = entries[at] > 0
        on_the_way, at = on_the_way[going], at[going]
    lengths[on_the_way] = UNREACHABLE


def count_solutions(space: StateSpace, entries: Entries, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of optimal solutions of each state."""
    total = np.zeros(len(ranks), np.int64)
    origins, at, counts = np.arange(len(ranks)), ranks, np.ones(len(ranks), np.int64)
    while len(at):
        arrived = entries[at] == 0
        np.add.at(total, origins[arrived], counts[arrived])  # there may be several starts, and costs
        origins, at, counts = origins[~arrived], at[~arrived], counts[~arrived]
        targets, leads = _nearer(space, entries, at)
        here, _ = leads.nonzero()
        # Paths that meet are joined; those from different states stay apart.
        meeting = origins[here] * space.states + targets[leads]
        together, which = np.unique(meeting, return_inverse=True)
        added = np.zeros(len(together), np.int64)
        np.add.at(added, which, counts[here])
        (origins, at), counts = np.divmod(together, space.states), added
    return total


def count_all_solutions(space: StateSpace, entries: Entries) -> NDArray[np.int64]:
    """Return the number of optimal solutions of every state of a space."""
    counts: NDArray[np.int64] = (entries == 0).astype(np.int64)
    for at in _in_order(entries):
        targets, leads = _nearer(space, entries, at)
        counts[at] = np.where(leads, counts[targets], 0).sum(axis=1)
    return counts
