"""The kernels of the search for optimal solutions of the 3x3x3."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from cubesolve.kernels import kernel, prefetch, read_only

# These are here, and not where they are put to use, as compiled kernels are cached until this file changes.

PROBES = 6
"""What is looked up for each cube: an entry for each axis of the cube, then for each axis of its inverse."""

EDGE_PAIRS, CORNER_PAIRS = 6, 4
"""How many pairs there are; where all are listed, the edges come first."""

SLICE_BIT = 11
"""What a pair of edges adds to the coordinates of a probe: the flip in the lowest bits, then that of the slice."""

LAYER_BIT = 12
"""What a pair of corners adds: the twist in the lowest bits, then the places of the corners of the layer U."""

LABEL_BIT = 20
"""An entry of `Coordinates.slices`: the slice-flip without flips in the lowest bits, then a raw label."""

_PAIRS = EDGE_PAIRS + CORNER_PAIRS
_BATCH = 24  # cubes whose neighbours are looked up together, so that the processor waits for many lines at once
_ABORTED = -1

# Coordinates, and the table: labels a class, bytes a row, the depth up to which entries are 0, and the entries.
_TABLE = (
    read_only(types.uint64, 3),
    read_only(types.uint64, 3),
    read_only(types.uint32, 1),
    read_only(types.int32, 1),
    read_only(types.uint8),
    read_only(types.uint16),
    types.int64,
    types.int64,
    types.int64,
    read_only(types.uint8, 1),
)


@numba.njit(inline="always")
def _slot(edges: Any, corners: Any, slices: Any, classes: Any, labels: Any, twists: Any, count: Any, size: Any) -> Any:
    """The place of an entry in the table, four places a byte: what the pairs of edges and of corners add up to."""
    places = slices[edges >> SLICE_BIT]
    number = classes[(places & (1 << LABEL_BIT) - 1) + (edges & (1 << SLICE_BIT) - 1)]
    symmetry = number & 15
    label = labels[symmetry, (places >> LABEL_BIT) + (corners >> LAYER_BIT)]
    row = np.int64(number >> 4) * count + label
    return 4 * row * size + twists[symmetry, corners & (1 << LAYER_BIT) - 1]


@numba.njit(inline="always")
def _bound(table: Any, slot: Any, base: Any) -> Any:
    """The depth that an entry stands for, or that its line says."""
    byte = slot >> 2
    code = (table[byte] >> 2 * (slot & 3)) & 3
    return np.uint8(base + code) if code else table[byte | 63]


@numba.njit(inline="always")
def _add_up(pairs: Any, edge_sums: Any, corner_sums: Any, edges: Any, corners: Any, count: Any) -> None:
    """What the pairs of cubes 0 to `count` add up to, two probes a word."""
    for j in range(count):
        for word in range(PROBES // 2):
            total = edge_sums[0, pairs[j, 0], word]
            for p in range(1, EDGE_PAIRS):
                total += edge_sums[p, pairs[j, p], word]
            edges[j, word] = total
            total = corner_sums[0, pairs[j, EDGE_PAIRS], word]
            for p in range(1, CORNER_PAIRS):
                total += corner_sums[p, pairs[j, EDGE_PAIRS + p], word]
            corners[j, word] = total


@kernel(*_TABLE, read_only(types.uint16), types.uint8[:, ::1])
def look_up(
    edge_sums: NDArray[np.uint64],
    corner_sums: NDArray[np.uint64],
    slices: NDArray[np.uint32],
    classes: NDArray[np.int32],
    labels: NDArray[np.uint8],
    twists: NDArray[np.uint16],
    label_count: int,
    row_size: int,
    base: int,
    table: NDArray[np.uint8],
    pairs: NDArray[np.uint16],
    bounds: NDArray[np.uint8],
) -> int:
    """The six bounds of each cube, to `bounds`; see `deepen` for the other parameters."""
    edges, corners = np.empty((_BATCH, PROBES // 2), np.uint64), np.empty((_BATCH, PROBES // 2), np.uint64)
    edge_parts, corner_parts = edges.view(np.uint32), corners.view(np.uint32)
    place = np.empty((_BATCH, PROBES), np.int64)
    for first in range(0, len(pairs), _BATCH):
        count = min(_BATCH, len(pairs) - first)
        _add_up(pairs[first:], edge_sums, corner_sums, edges, corners, count)
        for j in range(count):
            for k in range(PROBES):
                place[j, k] = _slot(
                    edge_parts[j, k], corner_parts[j, k], slices, classes, labels, twists, label_count, row_size
                )
                prefetch(table, place[j, k] >> 2)
        for j in range(count):
            for k in range(PROBES):
                bounds[first + j, k] = _bound(table, place[j, k], base)
    return 0


@numba.njit(inline="always")
def _sort_probes(bounds: Any, order: Any) -> None:
    """The six probes, those with the largest bounds first."""
    for k in range(PROBES):
        at = k
        while at > 0 and bounds[order[at - 1]] < bounds[k]:
            order[at] = order[at - 1]
            at -= 1
        order[at] = k


@numba.njit(inline="always")
def _useless(bounds: Any, keeping: Any, left: Any) -> Any:
    """The moves, as bits, after which the cube needs more than is left, as they do not change a bound."""
    moves = 0
    for k in range(PROBES):
        if bounds[k] > left:
            moves |= keeping[k]
    return moves


@numba.njit(inline="always")
def _turn(pairs: Any, move: Any, edge_steps: Any, corner_steps: Any, turned: Any) -> None:
    for p in range(EDGE_PAIRS):
        turned[p] = edge_steps[move, pairs[p]]
    for p in range(EDGE_PAIRS, _PAIRS):
        turned[p] = corner_steps[move, pairs[p]]


@numba.njit(inline="always")
def _keep_solved(pairs: Any, home: Any, chosen: Any, count: Any) -> Any:
    """Of cubes 0 to `count`, choose those that are solved."""
    kept = 0
    for j in range(count):
        solved = True
        for p in range(_PAIRS):
            solved &= pairs[j, p] == home[p]
        chosen[kept] = j
        kept += solved
    return kept


@numba.njit(inline="always")
def _needs_more(bounds: Any, left: Any) -> Any:
    """Whether all three axes, of the cube or of its inverse, need exactly what is left.

    Then the cube needs more: the last move of a solution is in the subgroup of one of the axes, for which one move less
    is enough.
    """
    return (left == bounds[0] and left == bounds[1] and left == bounds[2]) or (
        left == bounds[3] and left == bounds[4] and left == bounds[5]
    )


@numba.njit(inline="always")
def _trace(depth: Any, at: Any, made: Any, parents: Any, alg: Any) -> None:
    """The moves that led to a cube, to `alg`."""
    for level in range(depth, 0, -1):
        alg[level - 1] = made[level, at]
        at = parents[level, at]


@kernel(
    read_only(types.uint16),
    read_only(types.uint16),
    read_only(types.int8),
    read_only(types.int64, 1),
    read_only(types.uint16, 1),
    *_TABLE,
    read_only(types.uint16, 1),
    read_only(types.uint8, 1),
    types.int64,
    types.int64,
    types.int64,
    types.boolean,
    types.int64,
    read_only(types.int64, 1),
    types.uint8[:, ::1],
    types.uint16[:, ::1],
    types.uint8[:, ::1],
    types.int64[::1],
    types.int64[::1],
)
def deepen(  # noqa: PLR0912, PLR0915  # one loop over a batch, in stages
    edge_steps: NDArray[np.uint16],
    corner_steps: NDArray[np.uint16],
    following: NDArray[np.int8],
    keeping: NDArray[np.int64],
    home: NDArray[np.uint16],
    edge_sums: NDArray[np.uint64],
    corner_sums: NDArray[np.uint64],
    slices: NDArray[np.uint32],
    classes: NDArray[np.int32],
    labels: NDArray[np.uint8],
    twists: NDArray[np.uint16],
    label_count: int,
    row_size: int,
    base: int,
    table: NDArray[np.uint8],
    root: NDArray[np.uint16],
    root_bounds: NDArray[np.uint8],
    root_state: int,
    length: int,
    stop_at: int,
    every: bool,
    number: int,
    best: NDArray[np.int64],
    found_algs: NDArray[np.uint8],
    found_pairs: NDArray[np.uint16],
    found_bounds: NDArray[np.uint8],
    found_states: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> int:
    """Find algs of exactly `length` moves that solve a cube, or with `stop_at` the cubes that many moves on.

    Cubes wait in one list for each number of moves made. Always some of those with the most moves are taken, and those
    of their neighbours that the table does not rule out are put into the next list. Parameters, by group:

    - `edge_steps`, `corner_steps`: see `pairs.steps`; `following`: see `pairs.Canonical`; `keeping`: for each probe the
      moves, as bits, that do not change its bound; `home`: the pairs of the solved cube;
    - `edge_sums` to `twists`: see `pairs.Coordinates`; `label_count`, `row_size`, `base`, `table`: labels a class,
      bytes a row, the depth up to which entries are 0, and the table, whose layout `lines` describes;
    - `root`, `root_bounds`, `root_state`: the cube as pairs, its bounds, and the canonical state to begin with;
    - `length`; `stop_at`: the number of moves at which cubes are handed out instead, or -1; `every`: whether to go on
      after the first alg; `number`, `best`: the search ends when `best[0]` is below `number`;
    - `found_algs` to `found_states`: what was found, as far as there is room; `counts`: the numbers of cubes and of
      entries looked at are added to these.

    Returns:
        How much was found, or -1 if the search ended early.
    """
    move_count = following.shape[1]
    room = _BATCH * move_count
    pairs = np.empty((length + 1, room, _PAIRS), np.uint16)
    bounds = np.empty((length + 1, room, PROBES), np.uint8)
    states = np.empty((length + 1, room), np.int8)
    made = np.empty((length + 1, room), np.uint8)
    parents = np.empty((length + 1, room), np.int32)
    waiting = np.zeros(length + 1, np.int64)
    # The neighbours of one batch.
    turned = np.empty((room, _PAIRS), np.uint16)
    turned_bounds = np.empty((room, PROBES), np.uint8)
    edges, corners = np.empty((room, PROBES // 2), np.uint64), np.empty((room, PROBES // 2), np.uint64)
    edge_parts, corner_parts = edges.view(np.uint32), corners.view(np.uint32)
    origin, move = np.empty(room, np.int64), np.empty(room, np.int64)
    chosen, place = np.empty(room, np.int64), np.empty(room, np.int64)
    order = np.empty((_BATCH, PROBES), np.int64)

    pairs[0, 0], bounds[0, 0], states[0, 0] = root, root_bounds, root_state
    waiting[0] = 1
    found = depth = 0
    while depth >= 0:
        if best[0] < number:
            return _ABORTED
        taken = min(waiting[depth], _BATCH)
        waiting[depth] -= taken
        top = waiting[depth]
        if depth in (stop_at, length):
            for i in range(top, top + taken):
                if found < len(found_algs):
                    _trace(depth, i, made, parents, found_algs[found])
                    found_pairs[found], found_bounds[found] = pairs[depth, i], bounds[depth, i]
                    found_states[found] = states[depth, i]
                found += 1
                if depth == length and not every:
                    return found
            taken = 0
        if taken == 0:
            depth -= 1 if waiting[depth] == 0 else 0
            continue

        left = length - depth - 1
        count = 0
        for i in range(top, top + taken):
            _sort_probes(bounds[depth, i], order[i - top])
            useless = _useless(bounds[depth, i], keeping, left)
            for m in range(move_count):
                if following[states[depth, i], m] >= 0 and not useless >> m & 1:
                    _turn(pairs[depth, i], m, edge_steps, corner_steps, turned[count])
                    origin[count], move[count], chosen[count] = i, m, count
                    count += 1
        counts[0] += count
        if left == 0:
            kept = _keep_solved(turned, home, chosen, count)
        else:
            kept = count
            _add_up(turned, edge_sums, corner_sums, edges, corners, count)
            for turn in range(PROBES):
                for n in range(kept):
                    j = chosen[n]
                    k = order[origin[j] - top, turn]
                    if keeping[k] >> move[j] & 1:
                        place[j] = -1
                        continue
                    place[j] = _slot(
                        edge_parts[j, k], corner_parts[j, k], slices, classes, labels, twists, label_count, row_size
                    )
                    prefetch(table, place[j] >> 2)
                    counts[1] += 1
                still = 0
                for n in range(kept):
                    j = chosen[n]
                    k = order[origin[j] - top, turn]
                    bound = bounds[depth, origin[j], k] if place[j] < 0 else _bound(table, place[j], base)
                    turned_bounds[j, k] = bound
                    chosen[still] = j
                    still += bound <= left
                kept = still
        for n in range(kept):
            j = chosen[n]
            if left and _needs_more(turned_bounds[j], left):
                continue
            to = waiting[depth + 1]
            waiting[depth + 1] += 1
            pairs[depth + 1, to], bounds[depth + 1, to] = turned[j], turned_bounds[j]
            states[depth + 1, to] = following[states[depth, origin[j]], move[j]]
            made[depth + 1, to], parents[depth + 1, to] = move[j], origin[j]
        if waiting[depth + 1]:
            depth += 1
    return found
