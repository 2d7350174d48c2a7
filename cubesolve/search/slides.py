"""Canonical sequences of slides: of those with the same effect, a search tries only the first (numpy).

If the gap goes three times round a square of four points, every piece is where it was. So six of these slides have the
same effect as the other six, backwards. Of sequences that begin with the gap on the same point and have the same
effect, the *first* is the shortest, and of equally long ones the first in the order of the moves. A sequence that is
not the first is never part of a first one, so a search skips every sequence that contains it, and misses no shortest
solution (Larry A. Taylor and Richard E. Korf, "Pruning duplicate nodes in depth-first search", AAAI 1993). The states
of the automaton are the beginnings of sequences that are skipped (Alfred V. Aho and Margaret J. Corasick, "Efficient
string matching", Communications of the ACM 18, 1975). `group.canonical` compares short algs of any moves.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from cubesolve.definition.sliding import Sliding
from cubesolve.spaces.rows import RowSet


def canonical_slides(puzzle: Sliding, most: int) -> NDArray[np.int64]:
    """Return the automaton of canonical sequences, found by comparing sequences up to a length.

    Args:
        most: the largest number of sequences of one length, from all points, that are compared.

    Returns:
        (states, moves): the state after each move, or -1 where it is impossible or not accepted. A search begins in the
        state whose number is the point of the gap.

    >>> tray = Sliding(bytes(range(4)), 3, ((1, -1, 3, -1), (-1, 0, -1, 2), (2, 3, -1, -1), (-1, -1, 0, 1)))
    >>> canonical_slides(tray, 100).shape  # round the tray one way or the other
    (28, 4)
    """
    sources = np.array(puzzle.sources, np.int64)
    points = sources.shape[1]
    gaps = np.arange(points)
    # The sequences of the newest length: the point where the gap began, and then the piece on each point.
    rows = np.column_stack([gaps, np.tile(gaps, (points, 1))]).astype(np.uint8)
    seen, begins = RowSet(rows), [0, points]
    following = np.full((points, len(sources)), -1, np.int64)
    # For each state, which is a sequence: the one without the last move, and the longest other one at its end.
    parents, rests = np.full((2, points), -1, np.int64)
    rests_after = sources.T  # where the rest of each newest sequence leads with another move
    while True:
        number, move = np.nonzero(rests_after >= 0)
        rest, before, each = rests_after[number, move], rows[number], np.arange(len(number))
        here, there, reached = gaps[number], sources[move, gaps[number]], before.copy()
        reached[each, 1 + here], reached[each, 1 + there] = before[each, 1 + there], before[each, 1 + here]
        is_first = np.zeros(len(reached), np.bool_)
        is_first[seen.add(reached)] = True
        newest = begins[-2] + number
        if not 0 < len(number) <= most:
            following[newest, move] = np.where(is_first, rest, -1)
            break
        following[newest, move] = np.where(is_first, len(following) + np.cumsum(is_first) - 1, -1)
        rows, gaps = reached[is_first], there[is_first]
        parents, rests = np.append(parents, newest[is_first]), np.append(rests, rest[is_first])
        following = np.append(following, np.full((len(rows), len(sources)), -1), axis=0)
        rests_after = following[rest[is_first]]
        begins.append(len(following))
    return _reduced(following, parents, rests, begins[1:])


def _reduced(
    following: NDArray[np.int64], parents: NDArray[np.int64], rests: NDArray[np.int64], begins: list[int]
) -> NDArray[np.int64]:
    """Return an automaton without the states after which no more is skipped than after their rests."""
    first, levels = begins[0], [*itertools.pairwise(begins)]
    is_kept = np.ones(len(following), np.bool_)
    is_kept[first:] = ((following[first:] < 0) & (following[rests[first:]] >= 0)).any(axis=1)
    for begin, end in reversed(levels):
        is_kept[parents[begin:end][is_kept[begin:end]]] = True
    stands_for = np.arange(len(following))
    for begin, end in levels:
        stands_for[begin:end] = np.where(is_kept[begin:end], stands_for[begin:end], stands_for[rests[begin:end]])
    numbers = (np.cumsum(is_kept) - 1)[stands_for]
    reduced: NDArray[np.int64] = np.where(following >= 0, numbers[following], -1)[is_kept]
    return reduced
