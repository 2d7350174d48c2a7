"""The kernels of the search for optimal solutions of the 3x3x3."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.runtime.instructions import prefetch, trailing_zeros
from cubesolve.runtime.kernel_arrays import Array2, Read1, Read2
from cubesolve.runtime.kernels import kernel, part
from cubesolve.search.rounds import Task

# Compiled kernels are cached until this file changes, so it has the constants that they use. Most arrays are flat, with
# rows of a power of two: finding an element then takes no product.

AXES = 3  # number of axes; an entry is read for each axis of a cube, and for each axis of its inverse
PROBES = 2 * AXES  # number of entries that can be read for a cube: first those of the cube, then those of its inverse
EDGE_PAIRS, CORNER_PAIRS = 6, 4  # numbers of pairs; in arrays of all pairs, the edges come first
SLICE_BIT = 11  # bits of a pair of edges in the sum for an axis: the flip in the lowest bits, then that of the slice
CODE_BITS = 12  # bits of a pair of corners besides twists: a code, read in parts of this width
SUM_WORDS = 2  # words of a sum over pairs: 32 bits for each axis; in the sum of the corners, the last 32 are the code
ROW_BYTES = 576  # bytes of a row of a table: nine lines, for 2,187 twists

# The bits of the indices of flat arrays.
EDGE_STATE_BITS, CORNER_STATE_BITS = 10, 9
EDGES_BITS, TWIST_BITS, LABEL_BITS, MOVE_BITS = 12, 12, 8, 5

_PAIRS = EDGE_PAIRS + CORNER_PAIRS

# The columns of a node; see `node_of`.
COLUMN_BITS = 5
COLUMNS = 1 << COLUMN_BITS
EDGES_COLUMN = _PAIRS
FLIP_COLUMN, TWIST_COLUMN, LABEL_COLUMN = EDGES_COLUMN + AXES, EDGES_COLUMN + 2 * AXES, EDGES_COLUMN + 3 * AXES
BOUND_COLUMN = EDGES_COLUMN + 4 * AXES
STATE_COLUMN, _MADE, _PARENT = BOUND_COLUMN + PROBES, BOUND_COLUMN + PROBES + 1, BOUND_COLUMN + PROBES + 2

_WORDS = COLUMNS // 4  # of 64 bits in a node
_BATCH = 48  # cubes whose neighbours are looked up together, so the processor waits for many cache lines at once
_ABORTED = -1
_TWO, _LAST = np.uint64(2), np.uint64(63)  # the bits of four places a byte, and the last byte of a line


class PairSums(NamedTuple):
    """The arrays that map the pairs of a cube to its coordinates, and to those of its inverse."""

    # (2 * pairs * states * words,): the summands of each pair, for the cube and for its inverse
    edges: Read1[np.uint64]
    corners: Read1[np.uint64]  # likewise
    places: Read1[np.uint16]  # the edges coordinate of a sum above `SLICE_BIT`
    # (2, 4096): the values of the low and of the high `CODE_BITS` of a code; their sum is the raw label of the corners
    codes: Read2[np.uint16]
    raw_labels: Read2[np.uint8]  # (axes, raw labels): the label coordinate


class CubeDatabase(NamedTuple):
    """A pattern database, and the maps of coordinates to its entries; `pairs` makes these."""

    sums: PairSums  # the maps of pairs to coordinates
    slices: Read1[np.uint32]  # (edges coordinates,): the slice-flip without flips
    # (slice-flips,): 16 times the first row of the class, plus the number of the symmetry to it
    classes: Read1[np.uint32]
    # (symmetries * edges coordinates,): the part of the label of the image under a symmetry
    edge_labels: Read1[np.uint8]
    corner_labels: Read1[np.uint8]  # (symmetries * labels,): likewise
    twists: Read1[np.uint16]  # (symmetries * twists,): the slot in a row of the image of a twist under a symmetry
    base: int  # the depth up to which entries are 0
    table: Read1[np.uint8]  # the entries; see `encodings.packed` for the layout


class MoveTables(NamedTuple):
    """The moves of a metric."""

    edge_steps: Read1[np.uint16]  # (moves * states,): the state of a pair of edges after each move
    corner_steps: Read1[np.uint16]  # (moves * states,): the same of a pair of corners
    images: Read1[np.uint8]  # (axes * moves,): the image of each move under the rotation that brings an axis to U-D
    # (edges coordinates * moves,): the edges coordinate after each move, all moves in one cache line
    edges: Read1[np.uint16]
    flips: Read1[np.uint16]  # (flips * moves,): likewise
    twists: Read1[np.uint16]  # (twists * moves,): likewise
    labels: Read1[np.uint8]  # (labels * moves,): likewise
    following: Read2[np.int8]  # (canonical states, moves): see `group.canonical`
    keeping: Read1[np.int64]  # (axes,): the moves, as bits, that do not change the bound of each axis of the inverse
    home: Read1[np.uint16]  # (pairs,): the pairs of the solved cube


class CubeOutput(NamedTuple):
    """The output of `deepen`; see `search.rounds.SearchOutput`."""

    algs: Array2[np.uint8]
    nodes: Array2[np.uint16]  # (room, columns): the cubes that algs lead to; see `node_of`
    origins: Array2[np.int64]
    counts: Array2[np.int64]


# Looking up an entry can miss the cache twice, in the array of classes and in the table. Each is prefetched for all
# cubes of a batch before the first is read, and the table in a loop of its own: while a processor waits for an address
# translation, it sees only some hundred instructions ahead.


@part
def _slot(number: Any, edges: Any, twist: Any, label: Any, database: Any) -> Any:
    """Return the place of an entry, four places a byte, given a number of `classes` and the other coordinates."""
    symmetry = np.int64(number) & 15
    row = np.int64(number) >> 4
    row += np.int64(database.edge_labels[symmetry << EDGES_BITS | edges])
    row += np.int64(database.corner_labels[symmetry << LABEL_BITS | label])
    return np.uint64(4 * ROW_BYTES * row + np.int64(database.twists[symmetry << TWIST_BITS | twist]))


@part
def _bound(table: Any, slot: Any, base: Any) -> Any:
    """Return the depth that an entry stands for, or the smallest depth of its line."""
    byte = slot >> _TWO
    code, least = np.int64(table[byte]) >> 2 * (np.int64(slot) & 3) & 3, np.int64(table[byte | _LAST])
    return base + code if code else least


@part
def _add_up(pairs: Any, first: Any, which: Any, sums: Any, totals: Any, to: Any) -> None:
    """Add up the pairs of a cube from place `first`, for the cube or for its inverse: edges, then corners."""
    for word in range(SUM_WORDS):
        total = np.uint64(0)
        for p in range(EDGE_PAIRS):
            at = (which * EDGE_PAIRS + p) << EDGE_STATE_BITS | np.int64(pairs[first + p])
            total += sums.edges[SUM_WORDS * at + word]
        totals[to, word] = total
        total = np.uint64(0)
        for p in range(CORNER_PAIRS):
            at = (which * CORNER_PAIRS + p) << CORNER_STATE_BITS | np.int64(pairs[first + EDGE_PAIRS + p])
            total += sums.corners[SUM_WORDS * at + word]
        totals[to, SUM_WORDS + word] = total


@part
def _edges(parts: Any, row: Any, axis: Any, sums: Any) -> Any:
    """Return the edges coordinate and the flip along an axis, given the sums over the pairs of a cube."""
    total = np.int64(parts[row, axis])
    return np.int64(sums.places[total >> SLICE_BIT]), total & (1 << SLICE_BIT) - 1


@part
def _corners(parts: Any, row: Any, axis: Any, sums: Any) -> Any:
    """Return the twist and the label coordinate, likewise."""
    code = np.int64(parts[row, 4 * SUM_WORDS - 1])
    raw = np.int64(sums.codes[0, code & (1 << CODE_BITS) - 1])
    raw += np.int64(sums.codes[1, code >> CODE_BITS & (1 << CODE_BITS) - 1])
    return np.int64(parts[row, 2 * SUM_WORDS + axis]), np.int64(sums.raw_labels[axis, raw])


@kernel()
def look_up(database: CubeDatabase, flat: Read1[np.uint16], bounds: Array2[np.uint8]) -> int:
    """Write the six bounds of each cube to `bounds`, given the pairs of all cubes one after the other."""
    sums, classes, table, base = database.sums, database.classes, database.table, database.base
    totals = np.empty((_BATCH, 2 * SUM_WORDS), np.uint64)
    parts = totals.view(np.uint32)
    places = np.empty((_BATCH, AXES), np.uint64)
    edges = np.empty((_BATCH, AXES), np.uint16)
    for first in range(0, len(bounds), _BATCH):
        count = len(bounds) - first if len(bounds) - first < _BATCH else _BATCH
        for which in range(2):
            for j in range(count):
                _add_up(flat, _PAIRS * (first + j), which, sums, totals, j)
                for axis in range(AXES):
                    edges[j, axis], flip = _edges(parts, j, axis, sums)
                    places[j, axis] = np.int64(database.slices[edges[j, axis]]) + flip
                    prefetch(classes, places[j, axis])
            for j in range(count):
                for axis in range(AXES):
                    twist, label = _corners(parts, j, axis, sums)
                    number = classes[places[j, axis]]
                    places[j, axis] = _slot(number, np.int64(edges[j, axis]), twist, label, database)
            for j in range(count):
                for axis in range(AXES):
                    prefetch(table, places[j, axis] >> _TWO)
            for j in range(count):
                for axis in range(AXES):
                    bounds[first + j, which * AXES + axis] = _bound(table, places[j, axis], base)
    return 0


def node_of(database: CubeDatabase, pairs: NDArray[np.uint16]) -> NDArray[np.uint16]:
    """Return a cube as a node of a search, given its pairs, in plain Python: compiling `look_up` takes a second.

    Returns:
        uint16 (32,): its pairs; the edges coordinate along each axis, then so the flips, the twists and the labels; its
        six bounds; the state of the automaton of canonical moves, 0; and what the search uses.
    """
    node = np.zeros(COLUMNS, np.uint16)
    node[:_PAIRS] = pairs
    totals = np.empty((1, 2 * SUM_WORDS), np.uint64)
    for which in range(2):
        _add_up(pairs, 0, which, database.sums, totals, 0)
        for axis in range(AXES):
            edges, flip = _edges(totals.view(np.uint32), 0, axis, database.sums)
            twist, label = _corners(totals.view(np.uint32), 0, axis, database.sums)
            number = database.classes[int(database.slices[edges]) + flip]
            slot = _slot(number, edges, twist, label, database)
            node[BOUND_COLUMN + which * AXES + axis] = _bound(database.table, slot, database.base)
            if which == 0:
                node[EDGES_COLUMN + axis : BOUND_COLUMN : AXES] = edges, flip, twist, label
    return node


@part
def _order(nodes: Any, at: Any) -> Any:
    """Return the order in which three bounds are compared, largest first: two bits each."""
    a, b, c = nodes[at], nodes[at + 1], nodes[at + 2]
    first = 0 if a >= b and a >= c else 1 if b >= c else 2
    if first == 0:
        second = 1 if b >= c else 2
    elif first == 1:
        second = 0 if a >= c else 2
    else:
        second = 0 if a >= b else 1
    return first | second << 2 | (3 - first - second) << 4


@part
def _useless(nodes: Any, at: Any, keeping: Any, left: Any) -> Any:
    """Return the moves, as bits, that leave a bound larger than the number of moves left."""
    moves = 0
    for axis in range(AXES):
        if nodes[at + BOUND_COLUMN + AXES + axis] > left:
            moves |= keeping[axis]
    return moves


@part
def _after(nodes: Any, at: Any, axis: Any, move: Any, moves: Any, slices: Any) -> Any:
    """Return the slice-flip along an axis after a move; and in one number the edges coordinate, axis and move there."""
    image = np.int64(moves.images[axis << MOVE_BITS | move])
    edges = np.int64(moves.edges[np.int64(nodes[at + EDGES_COLUMN]) << MOVE_BITS | image])
    flip = np.int64(moves.flips[np.int64(nodes[at + FLIP_COLUMN]) << MOVE_BITS | image])
    return np.uint64(np.int64(slices[edges]) + flip), (edges << 2 | axis) << MOVE_BITS | image


@part
def _turn(nodes: Any, at: Any, move: Any, moves: Any, to: Any) -> None:
    """Write a node after a move, its bounds excepted."""
    for p in range(EDGE_PAIRS):
        nodes[to + p] = moves.edge_steps[move << EDGE_STATE_BITS | np.int64(nodes[at + p])]
    for p in range(EDGE_PAIRS, _PAIRS):
        nodes[to + p] = moves.corner_steps[move << CORNER_STATE_BITS | np.int64(nodes[at + p])]
    for axis in range(AXES):
        image = np.int64(moves.images[axis << MOVE_BITS | move])
        column = EDGES_COLUMN + axis
        nodes[to + column] = moves.edges[np.int64(nodes[at + column]) << MOVE_BITS | image]
        column = FLIP_COLUMN + axis
        nodes[to + column] = moves.flips[np.int64(nodes[at + column]) << MOVE_BITS | image]
        column = TWIST_COLUMN + axis
        nodes[to + column] = moves.twists[np.int64(nodes[at + column]) << MOVE_BITS | image]
        column = LABEL_COLUMN + axis
        nodes[to + column] = moves.labels[np.int64(nodes[at + column]) << MOVE_BITS | image]


@part
def _solves(nodes: Any, at: Any, move: Any, moves: Any) -> Any:
    """Return whether a move solves a cube."""
    for p in range(EDGE_PAIRS):
        if moves.edge_steps[move << EDGE_STATE_BITS | np.int64(nodes[at + p])] != moves.home[p]:
            return False
    for p in range(EDGE_PAIRS, _PAIRS):
        if moves.corner_steps[move << CORNER_STATE_BITS | np.int64(nodes[at + p])] != moves.home[p]:
            return False
    return True


@part
def _needs_more(nodes: Any, at: Any, left: Any) -> Any:
    """Return whether the bounds of all three axes, of the cube or of its inverse, are exactly `left`.

    Then the cube needs more, if every move lies in the subgroup of one of the axes, under which its bound is invariant:
    the last move of a solution does, and for that axis one move less is enough.
    """
    at += BOUND_COLUMN
    return (left == nodes[at] and left == nodes[at + 1] and left == nodes[at + 2]) or (
        left == nodes[at + 3] and left == nodes[at + 4] and left == nodes[at + 5]
    )


@kernel(at_start=True)
def deepen(  # noqa: PLR0912, PLR0915  # one loop over a batch, in stages
    moves: MoveTables, database: CubeDatabase, roots: Read2[np.uint16], task: Task, found: CubeOutput
) -> int:
    """Find algs of exactly `task.longest` moves that solve a cube, or with `task.stop_at` the cubes that many moves on.

    The roots are searched in order; unless `task.every`, the search ends at the first alg. Cubes wait in one list for
    each number of moves made. The kernel takes a batch from the deepest list; the neighbours that the table does not
    rule out go to the next list. Most of them are ruled out along one of the three axes of the cube itself: coordinates
    along an axis are four small arrays, and only a cube that passes all three is turned, and its inverse looked up.

    Args:
        roots: uint16 (roots, columns): nodes; see `node_of`.

    Returns:
        The number of results, which may exceed the room, or -1 if the search was stopped.
    """
    following, keeping = moves.following, moves.keeping
    sums, classes, table, base = database.sums, database.classes, database.table, database.base
    length, stop_at, every, best = task.longest, task.stop_at, task.every, task.best
    found_algs, found_nodes, counts = found.algs, found.nodes, found.counts
    move_count = following.shape[1]
    room = _BATCH * move_count
    # Node `depth * room + i` is that at i in the list of those after so many moves.
    nodes = np.empty((length + 1) * room << COLUMN_BITS, np.uint16)
    words = nodes.view(np.uint64)
    waiting = np.zeros(length + 1, np.int64)
    # The neighbours of one batch: the node and the move, what is known of the entry that is looked up, and the bounds.
    neighbour, codes = np.empty(room, np.uint32), np.empty(room, np.uint32)
    place, bounds = np.empty(room, np.uint64), np.empty(room, np.uint32)
    totals = np.empty((room, 2 * SUM_WORDS), np.uint64)
    parts = totals.view(np.uint32)
    chosen = np.empty(room, np.uint32)
    orders = np.empty((2, _BATCH), np.uint8)

    allowed = np.zeros(len(following), np.int64)
    for state in range(len(following)):
        for bit in range(move_count):
            allowed[state] |= (following[state, bit] >= 0) << bit

    # Whether every move is in the subgroup of one of the axes: see `_needs_more`.
    in_subgroups = keeping[0] | keeping[1] | keeping[2] == (1 << move_count) - 1
    number, root, depth = 0, -1, -1
    row: Any
    bound: Any
    last: Any
    while True:
        if depth < 0:
            root += 1
            if root == len(roots):
                return number
            # Rows are copied number by number: an array that is cut out of another takes long to compile.
            for column in range(COLUMNS):
                nodes[column] = roots[root, column]
            waiting[0], depth = 1, 0
        if best[0] < task.first + root:
            return _ABORTED
        taken = waiting[depth] if waiting[depth] < _BATCH else _BATCH
        waiting[depth] -= taken
        first = depth * room + waiting[depth]
        if depth in (stop_at, length):
            for row in range(first, first + taken):
                if number < len(found_algs):
                    at, parent = row << COLUMN_BITS, row
                    for column in range(COLUMNS):
                        found_nodes[number, column] = nodes[at + column]
                    for level in range(depth - 1, -1, -1):
                        found_algs[number, level] = nodes[(parent << COLUMN_BITS) + _MADE]
                        parent = level * room + np.int64(nodes[(parent << COLUMN_BITS) + _PARENT])
                    found.origins[number, 0], found.origins[number, 1] = root, depth
                number += 1
                if depth == length and not every:
                    return number
            taken = 0
        if taken == 0:
            depth -= 1 if waiting[depth] == 0 else 0
            continue

        left = length - depth - 1
        kept = 0
        for row in range(first, first + taken):
            at = row << COLUMN_BITS
            orders[0, row - first] = _order(nodes, at + BOUND_COLUMN)
            orders[1, row - first] = _order(nodes, at + BOUND_COLUMN + AXES)
            axis = np.int64(orders[0, row - first]) & 3
            untried = np.uint64(allowed[nodes[at + STATE_COLUMN]] & ~_useless(nodes, at, keeping, left))
            while untried:
                move = np.int64(trailing_zeros(untried))
                untried &= untried - np.uint64(1)
                neighbour[kept] = row << MOVE_BITS | move
                place[kept], codes[kept] = _after(nodes, at + axis, axis, move, moves, database.slices)
                prefetch(classes, place[kept])
                kept += 1
        counts[root, 0] += kept
        if left == 0:
            count, kept = kept, 0
            for n in range(count):
                pair = np.int64(neighbour[n])
                neighbour[kept] = pair
                kept += _solves(nodes, pair >> MOVE_BITS << COLUMN_BITS, pair & (1 << MOVE_BITS) - 1, moves)
        else:
            for n in range(kept):
                bounds[n] = 0
            for turn in range(AXES):
                counts[root, 1] += kept
                for n in range(kept if turn else 0):
                    pair = np.int64(neighbour[n])
                    axis = np.int64(orders[0, (pair >> MOVE_BITS) - first]) >> 2 * turn & 3
                    at, move = (pair >> MOVE_BITS << COLUMN_BITS) + axis, pair & (1 << MOVE_BITS) - 1
                    place[n], codes[n] = _after(nodes, at, axis, move, moves, database.slices)
                    prefetch(classes, place[n])
                for n in range(kept):
                    code = np.int64(codes[n])
                    image, axis, edges = code & (1 << MOVE_BITS) - 1, code >> MOVE_BITS & 3, code >> MOVE_BITS + 2
                    at = (np.int64(neighbour[n]) >> MOVE_BITS << COLUMN_BITS) + axis
                    twist = np.int64(moves.twists[np.int64(nodes[at + TWIST_COLUMN]) << MOVE_BITS | image])
                    label = np.int64(moves.labels[np.int64(nodes[at + LABEL_COLUMN]) << MOVE_BITS | image])
                    place[n] = _slot(classes[place[n]], edges, twist, label, database)
                for n in range(kept):
                    prefetch(table, place[n] >> _TWO)
                still = 0
                for n in range(kept):
                    bound = _bound(table, place[n], base)
                    axis = np.int64(codes[n]) >> MOVE_BITS & 3
                    neighbour[still] = neighbour[n]
                    bounds[still] = np.int64(bounds[n]) | bound << 8 * axis
                    still += bound <= left
                kept = still

        beyond = (depth + 1) * room
        for n in range(kept):
            pair = np.int64(neighbour[n])
            row, move = pair >> MOVE_BITS, pair & (1 << MOVE_BITS) - 1
            at, to = row << COLUMN_BITS, beyond + n << COLUMN_BITS
            _turn(nodes, at, move, moves, to)
            for k in range(AXES):
                nodes[to + BOUND_COLUMN + k] = bounds[n] >> np.uint32(8 * k) & np.uint32(255)
                nodes[to + BOUND_COLUMN + AXES + k] = nodes[at + BOUND_COLUMN + AXES + k]
            nodes[to + STATE_COLUMN] = following[nodes[at + STATE_COLUMN], move]
            nodes[to + _MADE], nodes[to + _PARENT] = move, row - depth * room
            chosen[n] = n
            if left:
                _add_up(nodes, to, 1, sums, totals, n)
        if left:
            for turn in range(AXES):
                asked = 0
                for n in range(kept):
                    j = np.int64(chosen[n])
                    pair = np.int64(neighbour[j])
                    axis = np.int64(orders[1, (pair >> MOVE_BITS) - first]) >> 2 * turn & 3
                    edges, flip = _edges(parts, j, axis, sums)
                    entry = np.uint64(np.int64(database.slices[edges]) + flip)
                    is_asked = keeping[axis] >> (pair & (1 << MOVE_BITS) - 1) & 1 ^ 1
                    place[n] = entry
                    codes[n] = (edges << 2 | axis) << 1 | is_asked
                    asked += is_asked
                    prefetch(classes, entry)
                counts[root, 1] += asked
                for n in range(kept):
                    code = np.int64(codes[n])
                    axis, edges = code >> 1 & 3, code >> 3
                    twist, label = _corners(parts, np.int64(chosen[n]), axis, sums)
                    place[n] = _slot(classes[place[n]], edges, twist, label, database)
                for n in range(kept):
                    if codes[n] & np.uint32(1):
                        prefetch(table, place[n] >> _TWO)
                still = 0
                for n in range(kept):
                    code = np.int64(codes[n])
                    j = np.int64(chosen[n])
                    chosen[still] = j
                    if code & 1:
                        bound = _bound(table, place[n], base)
                        nodes[(beyond + j << COLUMN_BITS) + BOUND_COLUMN + AXES + (code >> 1 & 3)] = bound
                        still += bound <= left
                    else:
                        still += 1
                kept = still
        last = beyond
        for n in range(kept):
            row = beyond + np.int64(chosen[n])
            if left and in_subgroups and _needs_more(nodes, row << COLUMN_BITS, left):
                continue
            for word in range(_WORDS):
                words[_WORDS * last + word] = words[_WORDS * row + word]
            last += 1
        waiting[depth + 1] = last - beyond
        if last > beyond:
            depth += 1
