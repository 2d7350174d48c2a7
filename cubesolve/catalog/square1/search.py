"""The search for solutions of the Square-1 with a number of twists: depth first, pruned by both bounds (numba).

A bound is weak where the pieces of its kind are solved, and the other kind nearly is. So a long search looks up the
states some twists before the end in a table of all states that are so near to the goals.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.catalog.square1.hashed import HASHED, Hashed, HashedOnDemand, key_of, place_of
from cubesolve.catalog.square1.tables import MOVES, RANKS, ClassMoves
from cubesolve.runtime.deadline import check
from cubesolve.runtime.kernels import kernel, named, read_only, types

MOST_TWISTS = 31
"""The largest number of twists of a search."""

_SLICE = 1 << 18  # nodes between two checks of the deadline: some milliseconds
_LEVEL, _TWISTS, _NODES, _LOOPS = range(4)  # places of `TwistSearch.numbers`
_MOVE, _GROUP, _CORNERS, _EDGES = range(4)  # places of a row of `TwistSearch.levels`
_FOUND, _ENDED, _GOING_ON = range(3)


class SearchBounds(NamedTuple):
    """The goals and the lower bounds.

    Attributes:
        goals: the class, the look of the corners and that of the edges of each goal, int64 (goals, 3).
        corner_looks: the look of each permutation of the corners, int64 (40320,).
        edge_looks: the same of the edges.
        corners: the bounds by the corners, uint8 (classes * 40320,).
        edges: the same by the edges.
    """

    goals: NDArray[np.int64]
    corner_looks: NDArray[np.int64]
    edge_looks: NDArray[np.int64]
    corners: NDArray[np.uint8]
    edges: NDArray[np.uint8]


class TwistSearch(NamedTuple):
    """A search, which can be continued.

    Attributes:
        numbers: the level, the number of twists, the number of nodes since it was continued, and whether a move may
            undo the one before, int64 (4,).
        levels: the next move at each level, the class, the corners and the edges, int64 (32, 4).
    """

    numbers: NDArray[np.int64]
    levels: NDArray[np.int64]


_BOUNDS = named(
    SearchBounds,
    goals=read_only(types.int64),
    corner_looks=read_only(types.int64, 1),
    edge_looks=read_only(types.int64, 1),
    corners=read_only(types.uint8, 1),
    edges=read_only(types.uint8, 1),
)
_SEARCH = named(TwistSearch, numbers=types.int64[::1], levels=types.int64[:, ::1])


def paths(
    moves: ClassMoves,
    bounds: SearchBounds,
    hashed: HashedOnDemand,
    state: tuple[int, int, int],
    twists: int,
    nodes: list[int],
    *,
    with_loops: bool,
) -> Iterator[list[int]]:
    """Yield the moves of each path from a state to a goal.

    Args:
        with_loops: whether to yield paths on which a move undoes the one before, perhaps up to an exchange of the
            layers. No shortest path of more than two twists does.
    """
    search = TwistSearch(np.zeros(4, np.int64), np.zeros((MOST_TWISTS + 1, 4), np.int64))
    search.numbers[_TWISTS], search.numbers[_LOOPS] = twists, with_loops or twists == 2
    search.levels[0] = (moves.first[state[0]], *state)
    table = hashed.after(0)
    while True:
        check()
        status = _continue(moves, bounds, table, search, _SLICE)
        nodes[-1] += int(search.numbers[_NODES])
        table = hashed.after(int(search.numbers[_NODES]))
        if status == _ENDED:
            return
        if status == _FOUND:
            yield (search.levels[:twists, _MOVE] - 1).tolist()


@kernel(MOVES, _BOUNDS, HASHED, _SEARCH, types.int64, at_start=True)
def _continue(moves: ClassMoves, bounds: SearchBounds, table: Hashed, search: TwistSearch, most: int) -> int:
    """Continue a search up to the next path, the end, or a number of nodes."""
    first, there, back = moves.first, moves.there, moves.back
    changes, after = moves.changes, moves.after
    goals, corner_bounds, edge_bounds = bounds.goals, bounds.corners, bounds.edges
    looked_up, words = table.twists, table.words
    loops = search.numbers[_LOOPS] > 0
    levels, twists, level, nodes = search.levels, search.numbers[_TWISTS], search.numbers[_LEVEL], 0
    while level >= 0:
        if nodes >= most:
            search.numbers[_LEVEL] = level
            search.numbers[_NODES] = nodes
            return _GOING_ON
        group = levels[level, _GROUP]
        move = levels[level, _MOVE]
        levels[level, _MOVE] = move + 1
        if 2 * move == first[group] + first[group + 1]:  # the second half leads to the exchanged states
            level -= 1
            continue
        # On a shortest path, a move and the one that undoes it only exchange the layers, and are alone.
        if level and not loops and move == back[levels[level - 1, _MOVE] - 1]:
            continue
        nodes += 1
        left = twists - level - 1
        base = there[move] * RANKS
        corners = np.int64(
            after[changes[move, 2], after[changes[move, 1], after[changes[move, 0], levels[level, _CORNERS]]]]
        )
        if corner_bounds[base + corners] > left:
            continue
        edges = np.int64(
            after[changes[move, 5], after[changes[move, 4], after[changes[move, 3], levels[level, _EDGES]]]]
        )
        if edge_bounds[base + edges] > left:
            continue
        if left == looked_up:
            word, bits = place_of(table, key_of(table, np.int64(there[move]), corners, edges))
            if words[word] & bits != bits:
                continue
        if left:
            level += 1
            levels[level, _MOVE] = first[there[move]]
            levels[level, _GROUP] = there[move]
            levels[level, _CORNERS] = corners
            levels[level, _EDGES] = edges
            continue
        corner_look, edge_look = bounds.corner_looks[corners], bounds.edge_looks[edges]
        for goal in range(len(goals)):
            if goals[goal, 0] == there[move] and goals[goal, 1] == corner_look and goals[goal, 2] == edge_look:
                search.numbers[_LEVEL] = level
                search.numbers[_NODES] = nodes
                return _FOUND
    search.numbers[_LEVEL] = level
    search.numbers[_NODES] = nodes
    return _ENDED
