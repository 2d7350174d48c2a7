"""The search for solutions of the Square-1 with a number of twists: depth first, pruned by both bounds (numba).

A bound is weak where the pieces of its kind are solved, and the other kind nearly is. So a long search looks up the
states some twists before the end in a hashed table of all states that are so near to the goals.

A relabelling of the pieces that turns each goal into a goal keeps the number of twists. Of the states that relabellings
turn into one another, the table has the one whose corners have the least rank: its *key* represents them. The table is
a Bloom filter: a state whose bits are not all set does not lead to a goal with this number of twists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.catalog.square1.tables import RANKS, ClassMoves, permutations
from cubesolve.runtime.deadline import check
from cubesolve.runtime.kernel_arrays import Array1, Array2, Read1, Read2
from cubesolve.runtime.kernels import kernel, part
from cubesolve.search.bloom import bits_of, word_of
from cubesolve.spaces.rows import order_ranks

# -- The hashed table --------------------------------------------------------------------------------------------------

_WORDS = 1 << 21  # 16 MB: for the solved state, some 30 bits for each state that is entered
_HASHED_TWISTS = 6
_FEW = 16  # relabellings; if there are fewer, one twist less, so that the table has room
_WORTH = 1 << 24  # nodes of searches that take as long as filling the table
_KEYS_AT_ONCE = 1 << 12  # keys that are processed between two checks of the deadline: some milliseconds
_FACTOR, _HALF = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)

_Keys = Array1[np.int64]
_Number = Any  # a number in kernels, or an array of them


class Hashed(NamedTuple):
    """The table."""

    twists: int  # -1 if there is no table
    least: Read1[np.uint16]  # for each permutation of the corners, its least rank after a relabelling, (40320,)
    by: Read1[np.uint8]  # the number of this relabelling, (40320,)
    edges: Read2[np.uint16]  # the rank of each permutation of the edges after each relabelling, (relabellings, 40320)
    words: Array1[np.uint64]


_NONE = Hashed(-1, np.empty(0, np.uint16), np.empty(0, np.uint8), np.empty((0, 0), np.uint16), np.empty(0, np.uint64))


class HashedOnDemand:
    """The table for some goals, which is filled when searches without it have taken as long as that (rent or buy)."""

    def __init__(self, fill: Callable[[], Hashed] | None) -> None:
        """Take a function that fills the table; None for never."""
        self._fill, self._nodes, self._table = fill, 0, _NONE

    def after(self, nodes: int) -> Hashed:
        """Return the table, after a number of further nodes of a search."""
        if self._table is _NONE and self._fill is not None:
            self._nodes += nodes
            if self._nodes >= _WORTH:
                self._table = self._fill()
        return self._table


def filled(moves: ClassMoves, goals: NDArray[np.int64], group: int) -> Hashed:
    """Return the table for the positions of a state, in which all pieces are in order, and of the exchanged state.

    Each of the goals is the class and the ranks of a position, int64 (goals, 3).
    """
    alike = goals[goals[:, 0] == group]
    corners, edges = (np.stack([_relabelled(rank) for rank in alike[:, kind]]) for kind in (1, 2))
    twists = _HASHED_TWISTS - (len(alike) < _FEW)
    table = Hashed(
        twists, corners.min(axis=0), corners.argmin(axis=0).astype(np.uint8), edges, np.zeros(_WORDS, np.uint64)
    )
    positions = np.searchsorted(moves.symmetries[:, 0], np.arange(len(moves.first))).astype(np.int32)
    keys = _distinct(key_of(table, *goals.T))
    for _ in range(twists):
        keys = _distinct(np.concatenate([_neighbours(moves, positions, table, some) for some in _slices(keys)]))
    for some in _slices(keys):
        _enter(moves, positions, table, some)
    return table


def _relabelled(rank: int) -> NDArray[np.uint16]:
    """Return the rank of each permutation after its pieces get new numbers: those of a permutation, by rank."""
    return order_ranks(permutations()[rank][permutations()]).astype(np.uint16)


def _slices(keys: _Keys) -> Iterator[_Keys]:
    for begin in range(0, len(keys), _KEYS_AT_ONCE):
        check()
        yield keys[begin : begin + _KEYS_AT_ONCE]


def _neighbours(moves: ClassMoves, positions: NDArray[np.int32], table: Hashed, keys: _Keys) -> _Keys:
    reached = np.empty(len(keys) * int(np.diff(moves.first).max()), np.int64)
    return _distinct(reached[: _reach(moves, positions, table, keys, reached)])


def _distinct(keys: _Keys) -> _Keys:
    """Return different keys in ascending order; `numpy.unique` takes several times as long."""
    ordered = np.sort(keys)
    return ordered[np.diff(ordered, prepend=-1) > 0]


@part
def key_of(table: Hashed, group: _Number, corners: _Number, edges: _Number) -> _Number:
    """Return the key of a state, from its class and the ranks of its corners and edges; those of arrays, as well."""
    return (group * RANKS + table.least[corners]) * RANKS + table.edges[table.by[corners], edges]


@part
def place_of(table: Hashed, key: _Number) -> tuple[_Number, _Number]:
    """Return the word that has a key, and its bits; those of arrays, as well."""
    mixed = np.uint64(key) * _FACTOR
    mixed = (mixed ^ (mixed >> _HALF)) * _FACTOR
    return np.int64(word_of(mixed, np.uint64(len(table.words)))), bits_of(mixed)


@kernel(at_start=True)
def _reach(moves: ClassMoves, positions: Array1[np.int32], table: Hashed, keys: _Keys, reached: _Keys) -> int:
    """List the neighbours of states, each as the least key of its positions; return their number."""
    first, there, changes, after, symmetries = moves.first, moves.there, moves.changes, moves.after, moves.symmetries
    number = 0
    for key in keys:
        group, corners, edges = key // (RANKS * RANKS), key // RANKS % RANKS, key % RANKS
        for move in range(first[group], first[group + 1]):
            new_corners = after[changes[move, 2], after[changes[move, 1], after[changes[move, 0], corners]]]
            new_edges = after[changes[move, 5], after[changes[move, 4], after[changes[move, 3], edges]]]
            new_group = np.int64(there[move])
            least = np.int64(-1)
            for symmetry in range(positions[new_group], positions[new_group + 1]):
                turned = after[symmetries[symmetry, 1], new_corners], after[symmetries[symmetry, 2], new_edges]
                image = key_of(table, new_group, turned[0], turned[1])
                if least < 0 or image < least:
                    least = image
            reached[number] = least
            number += 1
    return number


@kernel(at_start=True)
def _enter(moves: ClassMoves, positions: Array1[np.int32], table: Hashed, keys: _Keys) -> int:
    """Enter all positions of states into the table; see `_reach`."""
    after, symmetries, words = moves.after, moves.symmetries, table.words
    for key in keys:
        group, corners, edges = key // (RANKS * RANKS), key // RANKS % RANKS, key % RANKS
        for symmetry in range(positions[group], positions[group + 1]):
            turned = after[symmetries[symmetry, 1], corners], after[symmetries[symmetry, 2], edges]
            word, bits = place_of(table, key_of(table, group, turned[0], turned[1]))
            words[word] |= bits
    return 0


# -- The search --------------------------------------------------------------------------------------------------------

MOST_TWISTS = 31  # largest number of twists of a search

_SLICE = 1 << 18  # nodes between two checks of the deadline: some milliseconds
_LEVEL, _TWISTS, _NODES, _LOOPS = range(4)  # places of `TwistSearch.numbers`
_MOVE, _GROUP, _CORNERS, _EDGES = range(4)  # places of a row of `TwistSearch.levels`
_FOUND, _ENDED, _GOING_ON = range(3)


class SearchBounds(NamedTuple):
    """The goals and the lower bounds."""

    goals: Read2[np.int64]  # the class, the look of the corners and that of the edges of each goal, (goals, 3)
    corner_looks: Read1[np.int64]  # the look of each permutation, (40320,)
    edge_looks: Read1[np.int64]
    corners: Read1[np.uint8]  # the bounds by the corners, (classes * 40320,)
    edges: Read1[np.uint8]


class TwistSearch(NamedTuple):
    """A search, which can be continued."""

    # The level, the number of twists and of nodes since it was continued, and whether a move may undo the one before.
    numbers: Array1[np.int64]
    levels: Array2[np.int64]  # the next move at each level, the class, the corners and the edges, (32, 4)


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

    With loops, a move may undo the one before, perhaps up to an exchange of the layers. No shortest path of more than
    two twists does.
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


@kernel(at_start=True)
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
