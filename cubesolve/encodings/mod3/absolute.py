"""Depths in four bits an entry, from a table of depths modulo 3.

The depths of neighbours differ by at most 1, so the depths of a row follow from those of a row to which a move leads.
Rows are visited depth-first along such moves; only the rows on the way to the current one are kept, a byte an entry.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings.mod3 import UNREACHED
from cubesolve.encodings.space_arrays import SPACE, SpaceArrays, arrays_of, read_row
from cubesolve.kernels import kernel, named, read_only, types
from cubesolve.spaces.space import StateSpace
from cubesolve.workers import Workers

_DEEPEST = 15  # in four bits
_IN_WORD = 16
_ONE, _TWO = np.uint64(1), np.uint64(2)
_WORD, _PLACE, _ENTRY = np.uint64(5), np.uint64(31), np.uint64(3)  # of depths modulo 3: 32 entries in a word

_Words = NDArray[np.uint64]
_Numbers = NDArray[np.int64]


class HalfBytes(NamedTuple):
    """The depths of all states of a space, or the largest smaller multiples of a power of two.

    Attributes:
        words: uint64 (words,): 16 entries in a word, the first in its lowest bits; 0 if the start cannot be reached.
        shift: an entry is the depth, shifted to the right by so many bits.
    """

    words: _Words
    shift: int

    @staticmethod
    def bytes_of(states: int) -> int:
        """Return the memory for a number of states."""
        return -(-states // _IN_WORD) * 8

    def depths(self, ranks: _Numbers) -> _Numbers:
        """Return the entries of states as depths."""
        entries = self.words[ranks >> 4] >> (4 * (ranks & 15)).astype(np.uint64)
        depths: _Numbers = (entries & np.uint64(15)).astype(np.int64) << self.shift
        return depths


class _Tree(NamedTuple):
    """A spanning tree of the rows.

    Attributes:
        order: int64 (connected rows,): the rows, each after its parent and before the next child of the parent.
        parent: int64 (rows,): the parent of each row; -1 for the root, and for rows that are not connected with it.
        move: int64 (rows,): the move that leads to the parent.
        level: int64 (rows,): the number of moves to the root.
    """

    order: _Numbers
    parent: _Numbers
    move: _Numbers
    level: _Numbers


_TREE = named(
    _Tree,
    order=read_only(types.int64, 1),
    parent=read_only(types.int64, 1),
    move=read_only(types.int64, 1),
    level=read_only(types.int64, 1),
)


@kernel(
    SPACE,
    _TREE,
    read_only(types.uint64, 1),
    read_only(types.uint8, 1),
    types.int64,
    types.uint8[::1],
    types.int64,
    types.int64,
)
def _write(
    space: SpaceArrays,
    tree: _Tree,
    table: _Words,
    root: NDArray[np.uint8],
    shift: int,
    written: NDArray[np.uint8],
    first: int,
    last: int,
) -> int:
    """Write the depths of rows `first` to `last` of the order, of which those of the root are given."""
    width = space.fibre.shape[1]
    after = np.zeros(4 * 256, np.uint8)  # by the depth of a neighbour and an entry
    for depth in range(256):
        for entry in range(3):
            after[4 * depth + entry] = max(depth + (entry + 4 - depth % 3) % 3 - 1, 0)
    levels = tree.level.max() + 1
    depths, path = np.empty((levels, width), np.uint8), np.empty(levels, np.int64)
    steps = np.empty((len(space.base), 2), np.int64)
    for n in range(first, last):
        path[0], number = tree.order[n], 1
        while n == first and tree.parent[path[number - 1]] >= 0:
            path[number] = tree.parent[path[number - 1]]
            number += 1
        for i in range(number - 1, -1, -1):
            row = path[i]
            level = tree.level[row]
            if level == 0:
                depths[0] = root
                continue
            here, there = depths[level], depths[level - 1]
            read_row(space, row, steps)
            act, rank = space.fibre[steps[tree.move[row], 1]], np.uint64(row * width)
            for b in range(width):
                entry = table[rank >> _WORD] >> ((rank & _PLACE) << _ONE) & _ENTRY
                here[b] = after[np.uint64(there[act[b]]) << _TWO | entry]
                rank += _ONE
        here, start = depths[tree.level[path[0]]], path[0] * width
        odd, last_odd = start & 1, (start + width) & 1
        if odd:
            written[start >> 1] |= here[0] >> shift << 4
        for b in range(odd, width - last_odd, 2):
            written[(start + b) >> 1] = here[b] >> shift | here[b + 1] >> shift << 4
        if last_odd:
            written[(start + width) >> 1] |= here[width - 1] >> shift
    return 0


def half_bytes(space: StateSpace, table: _Words, start: int, deepest: int) -> HalfBytes:
    """Return the depths of all states.

    Args:
        space: a space whose moves take rows to rows, have inverses and cost 1.
        table: uint64 (words,): its depths modulo 3; see `encodings.mod3`.
        start: the state at depth 0.
        deepest: the largest depth.

    >>> from cubesolve.encodings.mod3.enumeration import enumerate_mod3
    >>> ring = StateSpace(np.array([[1, 2, 3, 0], [3, 0, 1, 2]]), np.zeros((2, 4), np.int32),
    ...     np.array([[0]], np.uint32), mutual=True)
    >>> half_bytes(ring, enumerate_mod3(ring)[0].view(np.uint64), 0, 2).depths(np.arange(4)).tolist()
    [0, 1, 2, 1]
    """
    tree, root = _tree(space, start // space.width), _walked(space, table, start, deepest)
    shift = max(0, deepest.bit_length() - _DEEPEST.bit_length())
    arrays, written = arrays_of(space), np.zeros(HalfBytes.bytes_of(space.states) // 8, np.uint64)
    are_apart = space.width % 2 == 0  # no byte has entries of two rows
    with Workers(len(tree.order), None if are_apart else 1, entries=space.states) as pool:
        pool.run(lambda first, last: _write(arrays, tree, table, root, shift, written.view(np.uint8), first, last))
    return HalfBytes(written, shift)


def _tree(space: StateSpace, root: int) -> _Tree:
    """Return a spanning tree of least depth."""
    targets = space.base
    parent, move, level = np.full(space.rows, -1), np.zeros(space.rows, np.int64), np.full(space.rows, -1)
    newest, rows = np.array([root]), np.arange(space.rows)
    level[root] = 0
    while len(newest):
        reached = level[targets] == level[newest[0]]
        newest = rows[(level < 0) & reached.any(axis=0)]
        move[newest] = reached[:, newest].argmax(axis=0)
        parent[newest] = targets[move[newest], newest]
        level[newest] = level[parent[newest]] + 1
    children: list[list[int]] = [[] for _ in range(space.rows)]
    for row, above in enumerate(parent.tolist()):
        if above >= 0:
            children[above].append(row)
    order, waiting = list[int](), [root]
    while waiting:
        order.append(waiting.pop())
        waiting += children[order[-1]]
    return _Tree(np.array(order), parent, move, level)


def _walked(space: StateSpace, words: _Words, start: int, deepest: int) -> NDArray[np.uint8]:
    """Return the depths of the row of the start: the numbers of steps of walks to the start."""

    def entries(ranks: _Numbers) -> _Numbers:
        found: _Numbers = (words[ranks >> 5] >> (2 * (ranks & 31)).astype(np.uint64) & np.uint64(3)).astype(np.int64)
        return found

    here = start // space.width * space.width + np.arange(space.width)
    depths, far = np.zeros(space.width, np.uint8), entries(here) != UNREACHED
    for _ in range(deepest):
        far &= here != start
        there = space.neighbours_of(here[far])
        nearer = (entries(there) + 1) % 3 == entries(here[far])[:, None]
        here[far] = there[np.arange(len(there)), nearer.argmax(axis=1)]
        depths[far] += 1
    return depths
