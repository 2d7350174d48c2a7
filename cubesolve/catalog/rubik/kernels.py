"""The kernels of the search for optimal solutions of the 3x3x3."""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from cubesolve.instructions import prefetch, trailing_zeros
from cubesolve.kernels import kernel, named, read_only, types
from cubesolve.search.rounds import TASK, Task

# Compiled kernels are cached until this file changes, so it has the constants that they use.

PROBES = 6
"""The number of entries read for each cube: one for each axis of the cube, and one for each axis of its inverse."""

EDGE_PAIRS, CORNER_PAIRS = 6, 4
"""The numbers of pairs; in arrays of all pairs, the edges come first."""

SLICE_BIT = 11
"""The bits of a pair of edges in the sum for a probe: the flip in the lowest bits, then that of the slice."""

CODE_BITS = 12
"""The bits of a pair of corners besides twists: codes for the cube and its inverse, read in parts of this width."""

LABEL_BIT = 20
"""A bit of `PairCoordinates.slices`: the slice-flip without flips is below it, and above it a raw label of edges."""

_PAIRS = EDGE_PAIRS + CORNER_PAIRS
_EDGE_WORDS, _CORNER_WORDS = PROBES // 2, PROBES // 2 + 1
_WORDS = _EDGE_WORDS + _CORNER_WORDS
_BATCH = 24  # cubes whose neighbours are looked up together, so the processor waits for many cache lines at once
_ABORTED = -1


class PairCoordinates(NamedTuple):
    """The arrays that map pairs to entries of a table; all but the first two are indexed by sums of these.

    Attributes:
        edge_sums: uint64 (pairs, states, words): see `pairs._sums`.
        corner_sums: likewise.
        slices: uint32: the slice-flip without flips, and above `LABEL_BIT` the raw label of the edges.
        classes: int32: see `projections.Projection`.
        edge_labels: uint8 (symmetries, raw numbers): see `projections.Projection.labels`.
        twists: uint16 (symmetries, twists): the slot in a row of the image of a twist under a symmetry.
        windows: int64 (probes, 4): the part of the sums of corners with the code of a probe, two places in it where
            `CODE_BITS` are read, and the first row of `corner_labels` for its axis.
        codes: uint16 (2, 4096): the values of these bits; the sum of the two is the raw label of the corners.
        corner_labels: uint8 (axes * symmetries, sums): the image of that under a symmetry.
    """

    edge_sums: NDArray[np.uint64]
    corner_sums: NDArray[np.uint64]
    slices: NDArray[np.uint32]
    classes: NDArray[np.int32]
    edge_labels: NDArray[np.uint8]
    twists: NDArray[np.uint16]
    windows: NDArray[np.int64]
    codes: NDArray[np.uint16]
    corner_labels: NDArray[np.uint8]


class PatternDatabase(NamedTuple):
    """A pattern database.

    Attributes:
        coordinates: the arrays that map the pairs of a cube to an entry.
        label_count: the number of labels of a class.
        row_size: the number of bytes of a row.
        base: the depth up to which entries are 0.
        table: uint8: the entries; see `encodings.packed` for the layout.
    """

    coordinates: PairCoordinates
    label_count: int
    row_size: int
    base: int
    table: NDArray[np.uint8]


class MoveTables(NamedTuple):
    """The moves of a metric.

    Attributes:
        edge_steps: uint16 (moves, states): the state of a pair of edges after each move.
        corner_steps: uint16 (moves, states): the same of a pair of corners.
        following: int8 (canonical states, moves): see `pairs.Canonical`.
        keeping: int64 (probes,): the moves, as bits, that do not change the bound of each probe.
        home: uint16 (pairs,): the pairs of the solved cube.
    """

    edge_steps: NDArray[np.uint16]
    corner_steps: NDArray[np.uint16]
    following: NDArray[np.int8]
    keeping: NDArray[np.int64]
    home: NDArray[np.uint16]


class Roots(NamedTuple):
    """Cubes to search from, one after the other.

    Attributes:
        pairs: uint16 (roots, pairs): their pairs.
        bounds: uint8 (roots, probes): their bounds.
        states: int64 (roots,): the canonical states of the moves that led to them.
    """

    pairs: NDArray[np.uint16]
    bounds: NDArray[np.uint8]
    states: NDArray[np.int64]


class SearchOutput(NamedTuple):
    """The output of `deepen`, up to its room.

    Attributes:
        algs: uint8 (room, moves): the moves, by number.
        pairs: uint16 (room, pairs): the cubes after these.
        bounds: uint8 (room, probes): the bounds of these.
        states: int64 (room,): their canonical states.
        numbers: int64 (room,): the numbers of the roots that they were found from.
        counts: int64 (roots, 2): the numbers of cubes visited and of entries read.
    """

    algs: NDArray[np.uint8]
    pairs: NDArray[np.uint16]
    bounds: NDArray[np.uint8]
    states: NDArray[np.int64]
    numbers: NDArray[np.int64]
    counts: NDArray[np.int64]

    @classmethod
    def of_size(cls, room: int, length: int, roots: int) -> SearchOutput:
        """Allocate room for a number of cubes, found from a number of roots."""
        return cls(
            np.empty((room, length), np.uint8),
            np.empty((room, _PAIRS), np.uint16),
            np.empty((room, PROBES), np.uint8),
            np.empty(room, np.int64),
            np.empty(room, np.int64),
            np.zeros((roots, 2), np.int64),
        )


_COORDINATES = named(
    PairCoordinates,
    edge_sums=read_only(types.uint64, 3),
    corner_sums=read_only(types.uint64, 3),
    slices=read_only(types.uint32, 1),
    classes=read_only(types.int32, 1),
    edge_labels=read_only(types.uint8),
    twists=read_only(types.uint16),
    windows=read_only(types.int64),
    codes=read_only(types.uint16),
    corner_labels=read_only(types.uint8),
)
_DATABASE = named(
    PatternDatabase,
    coordinates=_COORDINATES,
    label_count=types.int64,
    row_size=types.int64,
    base=types.int64,
    table=read_only(types.uint8, 1),
)
_MOVES = named(
    MoveTables,
    edge_steps=read_only(types.uint16),
    corner_steps=read_only(types.uint16),
    following=read_only(types.int8),
    keeping=read_only(types.int64, 1),
    home=read_only(types.uint16, 1),
)
_ROOTS = named(Roots, pairs=read_only(types.uint16), bounds=read_only(types.uint8), states=read_only(types.int64, 1))
_FOUND = named(
    SearchOutput,
    algs=types.uint8[:, ::1],
    pairs=types.uint16[:, ::1],
    bounds=types.uint8[:, ::1],
    states=types.int64[::1],
    numbers=types.int64[::1],
    counts=types.int64[:, ::1],
)


# Looking up an entry can miss the cache twice, in the array of classes and in the table. Each is prefetched for all
# cubes of a batch before the first is read, and the table in a loop of its own: while a processor waits for an address
# translation, it sees only some hundred instructions ahead.


@numba.njit(inline="always")
def _class_place(edges: Any, slices: Any) -> Any:
    """Return the index in `classes` for the edges, given the sum over their pairs."""
    places = np.int64(slices[edges >> SLICE_BIT])
    return (places & (1 << LABEL_BIT) - 1) + np.int64(edges & (1 << SLICE_BIT) - 1)


@numba.njit(inline="always")
def _slot(number: Any, sums: Any, j: Any, k: Any, coordinates: Any, label_count: Any, row_size: Any) -> Any:
    """Return the place of an entry, four places a byte, given its class and the sums over the pairs of cube j."""
    windows, codes = coordinates.windows, coordinates.codes
    symmetry = number & 15
    code = np.int64(sums[j, PROBES + windows[k, 0]])
    first = codes[0, code >> windows[k, 1] & (1 << CODE_BITS) - 1]
    second = codes[1, code >> windows[k, 2] & (1 << CODE_BITS) - 1]
    label = np.int64(coordinates.edge_labels[symmetry, coordinates.slices[sums[j, k] >> SLICE_BIT] >> LABEL_BIT])
    label += coordinates.corner_labels[windows[k, 3] + symmetry, first + second]
    row = np.int64(number >> 4) * label_count + label
    return 4 * row * row_size + coordinates.twists[symmetry, sums[j, PROBES + k]]


@numba.njit(inline="always")
def _bound(table: Any, slot: Any, base: Any) -> Any:
    """Return the depth that an entry stands for, or the smallest depth of its line."""
    byte = slot >> 2
    code = (table[byte] >> 2 * (slot & 3)) & 3
    return np.uint8(base + code) if code else table[byte | 63]


@numba.njit(inline="always")
def _add_up(pairs: Any, first: Any, edge_sums: Any, corner_sums: Any, sums: Any, count: Any) -> None:
    """Add up the pairs of `count` cubes, two probes a word: edges, corners, and in the last word the codes."""
    for j in range(count):
        for word in range(_EDGE_WORDS):
            total = edge_sums[0, pairs[first + j, 0], word]
            for p in range(1, EDGE_PAIRS):
                total += edge_sums[p, pairs[first + j, p], word]
            sums[j, word] = total
        for word in range(_CORNER_WORDS):
            total = corner_sums[0, pairs[first + j, EDGE_PAIRS], word]
            for p in range(1, CORNER_PAIRS):
                total += corner_sums[p, pairs[first + j, EDGE_PAIRS + p], word]
            sums[j, _EDGE_WORDS + word] = total


@kernel(_DATABASE, read_only(types.uint16), types.uint8[:, ::1])
def look_up(database: PatternDatabase, pairs: NDArray[np.uint16], bounds: NDArray[np.uint8]) -> int:
    """Write the six bounds of each cube to `bounds`, given its pairs."""
    coordinates, label_count, row_size, base, table = database
    sums = np.empty((_BATCH, _WORDS), np.uint64)
    parts = sums.view(np.uint32)
    place = np.empty((_BATCH, PROBES), np.int64)
    for first in range(0, len(pairs), _BATCH):
        count = len(pairs) - first if len(pairs) - first < _BATCH else _BATCH
        _add_up(pairs, first, coordinates.edge_sums, coordinates.corner_sums, sums, count)
        for j in range(count):
            for k in range(PROBES):
                place[j, k] = _class_place(parts[j, k], coordinates.slices)
                prefetch(coordinates.classes, place[j, k])
        for j in range(count):
            for k in range(PROBES):
                number = coordinates.classes[place[j, k]]
                place[j, k] = _slot(number, parts, j, k, coordinates, label_count, row_size)
        for j in range(count):
            for k in range(PROBES):
                prefetch(table, place[j, k] >> 2)
        for j in range(count):
            for k in range(PROBES):
                bounds[first + j, k] = _bound(table, place[j, k], base)
    return 0


def look_up_one(database: PatternDatabase, pairs: NDArray[np.uint16]) -> NDArray[np.uint8]:
    """Return the six bounds of one cube, in plain Python: compiling `look_up` takes a second."""
    coordinates, label_count, row_size, base, table = database
    steps: list[Any] = [_add_up, _class_place, _slot, _bound]
    add_up, class_place, slot, bound = (getattr(step, "py_func", step) for step in steps)
    sums = np.empty((1, _WORDS), np.uint64)
    add_up(pairs[None], 0, coordinates.edge_sums, coordinates.corner_sums, sums, 1)
    parts = sums.view(np.uint32)
    bounds = np.empty(PROBES, np.uint8)
    for k in range(PROBES):
        number = coordinates.classes[class_place(parts[0, k], coordinates.slices)]
        place = slot(number, parts, 0, k, coordinates, label_count, row_size)
        bounds[k] = bound(table, place, base)
    return bounds


@numba.njit(inline="always")
def _sort_probes(bounds: Any, row: Any, order: Any, to: Any) -> None:
    """Sort the six probes of a cube, largest bound first."""
    for k in range(PROBES):
        at = k
        while at > 0 and bounds[row, order[to, at - 1]] < bounds[row, k]:
            order[to, at] = order[to, at - 1]
            at -= 1
        order[to, at] = k


@numba.njit(inline="always")
def _useless(bounds: Any, row: Any, keeping: Any, left: Any) -> Any:
    """Return the moves, as bits, that leave a bound larger than the number of moves left."""
    moves = 0
    for k in range(PROBES):
        if bounds[row, k] > left:
            moves |= keeping[k]
    return moves


@numba.njit(inline="always")
def _turn(pairs: Any, row: Any, move: Any, edge_steps: Any, corner_steps: Any, turned: Any, to: Any) -> None:
    for p in range(EDGE_PAIRS):
        turned[to, p] = edge_steps[move, pairs[row, p]]
    for p in range(EDGE_PAIRS, _PAIRS):
        turned[to, p] = corner_steps[move, pairs[row, p]]


@numba.njit(inline="always")
def _keep_solved(pairs: Any, home: Any, chosen: Any, count: Any) -> Any:
    """Choose the solved ones among cubes 0 to `count`."""
    kept = 0
    for j in range(count):
        solved = True
        for p in range(_PAIRS):
            solved &= pairs[j, p] == home[p]
        chosen[kept] = j
        kept += solved
    return kept


@numba.njit(inline="always")
def _needs_more(bounds: Any, row: Any, left: Any) -> Any:
    """Return whether the bounds of all three axes, of the cube or of its inverse, are exactly `left`.

    Then the cube needs more, if every move lies in the subgroup of one of the axes, under which its bound is invariant:
    the last move of a solution does, and for that axis one move less is enough.
    """
    return (left == bounds[row, 0] and left == bounds[row, 1] and left == bounds[row, 2]) or (
        left == bounds[row, 3] and left == bounds[row, 4] and left == bounds[row, 5]
    )


@numba.njit(inline="always")
def _trace(depth: Any, row: Any, made: Any, parents: Any, algs: Any, to: Any) -> None:
    """Write the moves that led to a cube to `algs`."""
    for level in range(depth, 0, -1):
        algs[to, level - 1] = made[row]
        row = parents[row]


@numba.njit(inline="always")
def _copy(pairs: Any, bounds: Any, row: Any, to_pairs: Any, to_bounds: Any, to: Any) -> None:
    for p in range(_PAIRS):
        to_pairs[to, p] = pairs[row, p]
    for k in range(PROBES):
        to_bounds[to, k] = bounds[row, k]


@kernel(_MOVES, _DATABASE, _ROOTS, TASK, _FOUND)
def deepen(  # noqa: PLR0912, PLR0915  # one loop over a batch, in stages
    moves: MoveTables, database: PatternDatabase, roots: Roots, task: Task, found: SearchOutput
) -> int:
    """Find algs of exactly `task.longest` moves that solve a cube, or with `task.stop_at` the cubes that many moves on.

    The roots are searched in order; unless `task.every`, the search ends at the first alg. Cubes wait in one list for
    each number of moves made. The kernel takes a batch from the deepest list; the neighbours that the table does not
    rule out go to the next list.

    Returns:
        The number of results, which may exceed the room, or -1 if the search was stopped.
    """
    edge_steps, corner_steps, following, keeping, home = moves
    coordinates, label_count, row_size, base, table = database
    slices, classes = coordinates.slices, coordinates.classes
    length, stop_at, every, best = task.longest, task.stop_at, task.every, task.best
    found_algs, found_pairs, found_bounds, found_states, counts = (
        found.algs,
        found.pairs,
        found.bounds,
        found.states,
        found.counts,
    )
    move_count = following.shape[1]
    room = _BATCH * move_count
    # Row `depth * room + i` is of the cube at i in the list of those after so many moves.
    rows = (length + 1) * room
    pairs, bounds = np.empty((rows, _PAIRS), np.uint16), np.empty((rows, PROBES), np.uint8)
    states, made, parents = np.empty(rows, np.int64), np.empty(rows, np.int64), np.empty(rows, np.int64)
    waiting = np.empty(length + 1, np.int64)
    # The neighbours of one batch.
    turned, turned_bounds = np.empty((room, _PAIRS), np.uint16), np.empty((room, PROBES), np.uint8)
    sums = np.empty((room, _WORDS), np.uint64)
    parts = sums.view(np.uint32)
    origin, move = np.empty(room, np.int64), np.empty(room, np.int64)
    chosen, probe = np.empty(room, np.int64), np.empty(room, np.int64)
    place, wanted = np.empty(room, np.int64), np.empty(room, np.int64)
    order = np.empty((_BATCH, PROBES), np.uint8)

    allowed = np.empty(len(following), np.int64)
    for state in range(len(following)):
        allowed[state] = 0
        for bit in range(move_count):
            allowed[state] |= (following[state, bit] >= 0) << bit

    # Whether every move is in the subgroup of one of the axes: see `_needs_more`.
    in_subgroups = keeping[3] | keeping[4] | keeping[5] == (1 << move_count) - 1
    for level in range(length + 1):
        waiting[level] = 0
    number, root, depth = 0, -1, -1
    while True:
        if depth < 0:
            root += 1
            if root == len(roots.states):
                return number
            # Rows are copied number by number: an array that is cut out of another takes long to compile.
            for p in range(_PAIRS):
                pairs[0, p] = roots.pairs[root, p]
            for k in range(PROBES):
                bounds[0, k] = roots.bounds[root, k]
            states[0], waiting[0], depth = roots.states[root], 1, 0
        if best[0] < task.first + root:
            return _ABORTED
        taken = waiting[depth] if waiting[depth] < _BATCH else _BATCH
        waiting[depth] -= taken
        first = depth * room + waiting[depth]
        if depth in (stop_at, length):
            for row in range(first, first + taken):
                if number < len(found_algs):
                    _trace(depth, row, made, parents, found_algs, number)
                    _copy(pairs, bounds, row, found_pairs, found_bounds, number)
                    found_states[number] = states[row]
                    found.numbers[number] = root
                number += 1
                if depth == length and not every:
                    return number
            taken = 0
        if taken == 0:
            depth -= 1 if waiting[depth] == 0 else 0
            continue

        left = length - depth - 1
        count = 0
        for row in range(first, first + taken):
            _sort_probes(bounds, row, order, row - first)
            untried = np.uint64(allowed[states[row]] & ~_useless(bounds, row, keeping, left))
            while untried:
                m = np.int64(trailing_zeros(untried))
                untried &= untried - np.uint64(1)
                _turn(pairs, row, m, edge_steps, corner_steps, turned, count)
                origin[count], move[count], chosen[count] = row, m, count
                count += 1
        counts[root, 0] += count
        if left == 0:
            kept = _keep_solved(turned, home, chosen, count)
        else:
            kept = count
            _add_up(turned, 0, coordinates.edge_sums, coordinates.corner_sums, sums, count)
            for turn in range(PROBES):
                for n in range(kept):
                    j = chosen[n]
                    k = probe[j] = order[origin[j] - first, turn]
                    at = _class_place(parts[j, k], slices)
                    place[j] = -1 if keeping[k] >> move[j] & 1 else at
                    prefetch(classes, at)
                asked = 0
                for n in range(kept):
                    j = chosen[n]
                    k = probe[j]
                    if place[j] >= 0:
                        place[j] = _slot(classes[place[j]], parts, j, k, coordinates, label_count, row_size)
                        wanted[asked] = place[j] >> 2
                        asked += 1
                for n in range(asked):
                    prefetch(table, wanted[n])
                counts[root, 1] += asked
                still = 0
                for n in range(kept):
                    j = chosen[n]
                    k = probe[j]
                    bound = bounds[origin[j], k] if place[j] < 0 else _bound(table, place[j], base)
                    turned_bounds[j, k] = bound
                    chosen[still] = j
                    still += bound <= left
                kept = still
        for n in range(kept):
            j = chosen[n]
            if left and in_subgroups and _needs_more(turned_bounds, j, left):
                continue
            to = (depth + 1) * room + waiting[depth + 1]
            waiting[depth + 1] += 1
            _copy(turned, turned_bounds, j, pairs, bounds, to)
            states[to] = following[states[origin[j]], move[j]]
            made[to], parents[to] = move[j], origin[j]
        if waiting[depth + 1]:
            depth += 1
