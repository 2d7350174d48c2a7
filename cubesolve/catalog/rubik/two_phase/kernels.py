"""The kernel of the two-phase search (numba).

The search of a way goes through its *starts*: the cube itself, and the cubes that premoves make of it. A premove is a
move made before those of the cube. If an alg solves the cube with the premoves P, then the alg followed by P solves the
cube. Premoves end in a quarter turn that is not in H, because another last premove belongs to the second phase.

Two starts whose last premoves differ by a half turn have the same first phases, and so have two first phases whose last
moves differ so. The search visits one of them, and tries the second phases of all four variants.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.catalog.rubik.two_phase.tables import (
    Endings,
    FirstPhase,
    PieceMoves,
    PruningTables,
    SecondPhase,
    place_of,
)
from cubesolve.runtime.kernel_arrays import Array1, Array2, Read1, Read2, Read3
from cubesolve.runtime.kernels import kernel, part

SHORTER, EXHAUSTED = 1, 2  # states of a search: the solution is shorter than before, no further solution is found

# Places of `PhaseSearch.numbers`.
LENGTH, WAY, PREMOVES, BEGUN, LEVEL, PLACED, ENDING, END, ENTRY, BEST, NODES = range(11)
ROW, STATUS, MOST_MOVES, MOST_NODES = range(11, 15)

_SHORTEST = 8  # moves of a first phase after premoves; for shorter ones, too many starts are too far from H
_LONGEST_SECOND = 12  # moves; longer second phases take more time than further first phases


class Axes(NamedTuple):
    """Constants of the kernel: images under rotations of the axes, moves, and ranks of orders."""

    corners: Read2[np.uint8]  # the image of each corner under the rotation that takes an axis to U-D, (axes, 8)
    corner_places: Read3[np.uint8]  # its place, ``3 * position + twist``, for each place of the corner, (axes, 8, 24)
    edges: Read2[np.uint8]  # the image of each edge, (axes, 12)
    edge_places: Read3[np.uint8]  # its place, ``2 * position + flip``, for each place of the edge, (axes, 12, 24)
    twist_weights: Read1[np.int64]  # the weight of the twist at each position in the corner orientation, (8,)
    flip_weights: Read1[np.int64]  # the weight of the flip at each position in the edge orientation, (12,)
    slices: Read1[np.int64]  # the number of each set of positions of the slice edges, (4096,)
    moves: Read2[np.uint8]  # the move of the cube for each move of the six ways, (6, 18)
    second: Read1[np.int64]  # the moves of the second phase, (10,)
    halves: Read1[np.int64]  # the place in `second` of the half turn of the same face, for each move, (18,)
    twists: Read2[np.uint8]  # the twist of the corner at each position after each move, (18, 8)
    flips: Read2[np.uint8]  # the flip of the edge at each position after each move, (18, 12)
    # the rank of eight pieces whose first four have given numbers, three bits for each, and whose other four are in
    # order, (4096,)
    first_four: Read1[np.uint16]
    last_four: Read1[np.uint8]  # the rank of four pieces among their orders, (4096,)
    order_inverses: Read1[np.uint8]  # the inverse of each order of four pieces, (24,)
    all_places: Read1[np.uint8]  # the numbers from 0 to 19, (20,)


class PhaseSearch(NamedTuple):
    """A search for solutions of one cube, which can be continued."""

    # the cube along three axes, then its inverse along these: the corner at each position, its twist, the edge at each
    # position, its flip, (6, 40)
    ways: Array2[np.uint8]
    is_repeated: Array1[np.uint8]  # 1 for a way that equals an earlier one, as for symmetric cubes, (6,)
    starts: Array2[np.uint8]  # the cube of the way, and those that 1, 2, ... premoves make of it, (32, 40)
    premoves: Array1[np.int64]  # the premoves, the last one first, (32,)
    # at `LENGTH`, the number of premoves and moves of first phases together; at `WAY`, the way; at `PREMOVES`, the
    # number of premoves; at `BEGUN`, whether this start has begun; at `LEVEL`, the level of the first phase, or -1
    # after the last state; at `PLACED`, the level up to which `placed` is valid; from `ENDING` to `END`, the endings to
    # try, for the state `ENTRY`; at `BEST`, the largest accepted length plus one; at `NODES`, the number of nodes; at
    # `ROW`, the row of the cube; at `STATUS`, the state of the search; at `MOST_MOVES` and `MOST_NODES`, the largest
    # numbers for a row, (15,)
    numbers: Array1[np.int64]
    moves: Array1[np.int64]  # the moves of the first phase, then of the second one, (32,)
    levels: Array2[np.int64]  # twist, flip and slice at each level, (32, 3)
    placed: Array2[np.uint8]  # the corners, then the edges at each level, (32, 20)
    second: Array2[np.int64]  # the ranks at each level of the second phase, and the move made there, (32, 4)
    # the moves of the best solution, the way in place 30, and the number of moves in place 31, (32,)
    solution: Array1[np.uint8]


class Rows(NamedTuple):
    """Cubes and their solutions."""

    cubes: Read2[np.uint8]  # the corners, their twists, the edges, their flips, (N, 40)
    moves: Array2[np.uint8]  # the numbers in `MOVES` of the best solution, `NOT_FOUND` after the last, (N, 30)
    lengths: Array1[np.uint8]  # the number of moves, `NOT_FOUND` if there is no solution yet, (N,)
    at_least: Array1[np.uint8]  # a lower bound of the solution length: the largest bound of the first phases, (N,)


@kernel(at_start=True)
def solve_rows(
    tables: PruningTables, axes: Axes, search: PhaseSearch, rows: Rows, first: int, end: int, most_nodes: int
) -> int:
    """Search for the next solution of each row of a range, in order, until a number of nodes is exceeded.

    Returns:
        The first unfinished row; a call that begins with it continues its search.
    """
    numbers, pieces, endings = search.numbers, tables.pieces, tables.endings
    for row in range(first, end):
        if numbers[ROW] != row:
            rows.at_least[row] = _begin(tables.first, axes, search, rows.cubes[row])
            for i in range(ROW):
                numbers[i] = 0
            numbers[ROW], numbers[BEST] = row, numbers[MOST_MOVES] + 1
        numbers[STATUS], before = 0, numbers[NODES]
        limit = min(before + most_nodes, numbers[MOST_NODES])
        is_within = before < limit
        while is_within and numbers[STATUS] == 0:
            if numbers[LENGTH] >= numbers[BEST]:
                numbers[STATUS] = EXHAUSTED
            elif not numbers[BEGUN]:
                _begin_start(tables.first, endings.starts, axes, search)
            elif numbers[ENDING] == numbers[END] and numbers[LEVEL] < 0:
                _next_start(pieces, axes, search)
            elif numbers[NODES] >= limit:
                is_within = False
            elif numbers[ENDING] == numbers[END]:
                _descend(tables.first, endings.starts, search, limit)
            elif _is_worth_finishing(tables.second, pieces, endings, axes, search):
                numbers[STATUS] = _finish(tables.second, pieces, endings, axes, search)
        most_nodes -= numbers[NODES] - before
        if numbers[STATUS] == SHORTER:
            _write(axes, search, rows, row)
        elif numbers[STATUS] == 0 and numbers[NODES] < numbers[MOST_NODES]:
            return row
    return end


@part
def _begin(tables: FirstPhase, axes: Axes, search: PhaseSearch, cube: NDArray[np.uint8]) -> int:
    """Begin the search of a cube; return a lower bound of its solution length."""
    ways = search.ways
    for axis in range(3):
        for i in range(8):
            piece, twist = np.int64(cube[i]), np.int64(cube[8 + i])
            place = axes.corner_places[axis, piece, 3 * i + twist]
            ways[axis, place // 3] = axes.corners[axis, piece]
            ways[axis, 8 + place // 3] = place % 3
            # The inverse has, at the home of this corner, the corner whose home is here.
            place = axes.corner_places[axis, i, 3 * piece + (3 - twist) % 3]
            ways[3 + axis, place // 3] = axes.corners[axis, i]
            ways[3 + axis, 8 + place // 3] = place % 3
        for i in range(12):
            piece, flip = np.int64(cube[16 + i]), np.int64(cube[28 + i])
            place = axes.edge_places[axis, piece, 2 * i + flip]
            ways[axis, 16 + place // 2] = axes.edges[axis, piece]
            ways[axis, 28 + place // 2] = place % 2
            place = axes.edge_places[axis, i, 2 * piece + flip]
            ways[3 + axis, 16 + place // 2] = axes.edges[axis, i]
            ways[3 + axis, 28 + place // 2] = place % 2
    at_least = 0
    for way in range(6):
        search.is_repeated[way] = 0
        for before in range(way):
            same = 0
            while same < 40 and ways[before, same] == ways[way, same]:
                same += 1
            if same == 40:
                search.is_repeated[way] = 1
        _load(axes, search, way, 0)
        twist, flip, slices = search.levels[0, 0], search.levels[0, 1], search.levels[0, 2]
        bound = max(tables.twist_slice[twist * 495 + slices], tables.flip_slice[flip * 495 + slices])
        at_least = max(at_least, 9 if _is_far(tables, twist, flip, slices) else int(np.int64(bound)))
    return at_least


@part
def _is_far(tables: FirstPhase, twist: int, flip: int, slices: int) -> bool:
    """Return whether H is more than 8 moves away."""
    pair = slices * 2048 + flip
    entry = np.int64(tables.classes[pair]) * 2187 + tables.twist_images[twist, tables.shown_by[pair]]
    return bool(tables.far[entry >> 3] >> (entry & 7) & 1)


# -- Starts ------------------------------------------------------------------------------------------------------------


@part
def _load(axes: Axes, search: PhaseSearch, way: int, premoves: int) -> None:
    """Set the pieces and the coordinates of level 0 to those of a start of a way."""
    starts, placed = search.starts, search.placed
    if not premoves:
        for i in range(40):
            starts[0, i] = search.ways[way, i]
    twist, flip, mask = np.int64(0), np.int64(0), 0
    for i in range(8):
        placed[0, i] = starts[premoves, i]
        twist += starts[premoves, 8 + i] * axes.twist_weights[i]
    for i in range(12):
        placed[0, 8 + i] = starts[premoves, 16 + i]
        flip += starts[premoves, 28 + i] * axes.flip_weights[i]
        if starts[premoves, 16 + i] >= 8:
            mask |= 1 << i
    search.levels[0, 0], search.levels[0, 1], search.levels[0, 2] = twist, flip, axes.slices[mask]


@part
def _begin_start(tables: FirstPhase, starts: NDArray[np.int32], axes: Axes, search: PhaseSearch) -> None:
    """Begin with the first phases of a start, unless it is too far from H."""
    numbers = search.numbers
    length = numbers[LENGTH] - numbers[PREMOVES]
    _load(axes, search, numbers[WAY], numbers[PREMOVES])
    numbers[BEGUN], numbers[PLACED] = 1, 0
    numbers[ENDING], numbers[END], numbers[LEVEL] = 0, 0, -1
    numbers[NODES] += 2  # it takes about as long
    twist, flip, slices = search.levels[0, 0], search.levels[0, 1], search.levels[0, 2]
    if search.is_repeated[numbers[WAY]] or (length == 8 and _is_far(tables, twist, flip, slices)):
        return
    if length > 4:
        numbers[LEVEL], search.moves[0] = 0, -1
    else:
        _list_endings(starts, search, (slices * 2048 + flip) * 2187 + twist, length)


@part
def _next_start(pieces: PieceMoves, axes: Axes, search: PhaseSearch) -> None:
    """Go on to the next start of a way, then to the next way, then to the next length."""
    numbers, premoves = search.numbers, search.premoves
    count, limit = numbers[PREMOVES], max(0, numbers[LENGTH] - _SHORTEST)
    numbers[BEGUN] = 0
    is_new = count < limit and not search.is_repeated[numbers[WAY]]
    while is_new or count:
        if is_new:
            premoves[count] = -1
            count += 1
        premoves[count - 1] += 1
        move, face = premoves[count - 1], premoves[count - 1] // 3
        is_new = False
        if move == 18:
            count -= 1
            continue
        if count > 1 and (face == premoves[count - 2] // 3 or face == premoves[count - 2] // 3 + 3):
            continue
        # The last one that is made is the first one after the second phase: a clockwise turn of R, F, L or B.
        is_start, is_new = move % 3 == 0 and face % 3 != 0, count < limit
        if is_start or is_new:
            starts, before = search.starts, count - 1
            for i in range(8):
                piece = starts[before, i]
                starts[count, i] = pieces.corners[move, piece]
                starts[count, 8 + i] = (starts[before, 8 + i] + axes.twists[move, piece]) % 3
            for i in range(12):
                piece = starts[before, 16 + i]
                starts[count, 16 + i] = pieces.edges[move, piece]
                starts[count, 28 + i] = starts[before, 28 + i] ^ axes.flips[move, piece]
            numbers[NODES] += 1
        if is_start:
            numbers[PREMOVES] = count
            return
    numbers[PREMOVES] = 0
    numbers[WAY] += 1
    if numbers[WAY] == 6:
        numbers[WAY] = 0
        numbers[LENGTH] += 1


# -- The first phase ---------------------------------------------------------------------------------------------------


@part
def _descend(tables: FirstPhase, starts: NDArray[np.int32], search: PhaseSearch, most_nodes: int) -> None:
    """Search for the next state that may have endings, or until a number of nodes is exceeded.

    A level that is not negative always has moves left to try. A first phase does not pass through H, because a shorter
    one ends there.
    """
    numbers, moves, levels = search.numbers, search.moves, search.levels
    twist_moves, flip_moves, slice_moves = tables.twist_moves, tables.flip_moves, tables.slice_moves
    twist_slice, flip_slice, far, nearer = tables.twist_slice, tables.flip_slice, tables.far, tables.nearer
    classes, shown_by, twist_images = tables.classes, tables.shown_by, tables.twist_images
    length, level, placed, nodes = numbers[LENGTH] - numbers[PREMOVES], numbers[LEVEL], numbers[PLACED], numbers[NODES]
    while level >= 0 and nodes < most_nodes:
        left = length - level - 1
        before = moves[level - 1] // 3 if level else -1
        twist, flip, slices = levels[level, 0], levels[level, 1], levels[level, 2]
        move = moves[level] + 1
        while move < 18:
            face = move // 3
            if face == before or face == before - 3:
                move = 3 * face + 3
                continue
            nodes += 1
            after_twist = np.int64(twist_moves[twist, move])
            after_flip = np.int64(flip_moves[flip, move])
            after_slices = np.int64(slice_moves[slices, move])
            over = np.int64(0)
            if left < 8:  # with more moves left, they prune too few states
                over = np.int64(twist_slice[after_twist * 495 + after_slices]) - left
                if over <= 0:
                    over = np.int64(flip_slice[after_flip * 495 + after_slices]) - left
            if over <= 0 and left <= 8:
                pair = after_slices * 2048 + after_flip
                entry = np.int64(classes[pair]) * 2187 + twist_images[after_twist, shown_by[pair]]
                if left == 8:
                    over = np.int64(far[entry >> 3] >> (entry & 7) & 1)
                else:
                    place = place_of(entry, left)
                    over = 1 - np.int64(nearer[place >> 3] >> (place & 7) & 1)
            if over <= 0 and (after_twist or after_flip or after_slices):
                break
            # Another turn of the same face changes a distance by at most one.
            move = 3 * face + 3 if over > 1 else move + 1
        placed = min(placed, level)
        if move == 18:
            level -= 1
            continue
        moves[level] = move
        if left == 4:
            _list_endings(starts, search, (after_slices * 2048 + after_flip) * 2187 + after_twist, left)
            break
        level += 1
        levels[level, 0], levels[level, 1], levels[level, 2] = after_twist, after_flip, after_slices
        moves[level] = -1
    numbers[LEVEL], numbers[PLACED], numbers[NODES] = level, placed, nodes


@part
def _list_endings(starts: NDArray[np.int32], search: PhaseSearch, entry: np.int64, moves: int) -> None:
    """Set the range of the endings that may begin with a state."""
    place, numbers = place_of(entry, moves), search.numbers
    numbers[ENDING], numbers[END], numbers[ENTRY] = starts[place], starts[place + 1], entry


@part
def _is_worth_finishing(
    tables: SecondPhase, moved: PieceMoves, endings: Endings, axes: Axes, search: PhaseSearch
) -> bool:
    """Return whether the next ending makes a first phase that may have a second one which is short enough.

    The bound of one variant is one more than that of the variant that differs by a half turn, at most.
    """
    numbers, moves = search.numbers, search.moves
    ending, length = numbers[ENDING], numbers[LENGTH] - numbers[PREMOVES]
    inner = max(length - 4, 0)
    numbers[ENDING] += 1
    if endings.entries[ending] != numbers[ENTRY]:
        return False
    if inner:
        before, face = moves[inner - 1] // 3, endings.moves[ending, 0] // 3
        if face == before or face == before - 3:
            return False
    _place(moved, search, numbers[PLACED], inner)
    numbers[PLACED] = max(numbers[PLACED], inner)
    numbers[NODES] += 1
    pieces, sources = search.placed[inner], endings.sources[ending]
    corner = axes.first_four[_four(pieces, sources, 0)] + np.int64(axes.last_four[_four(pieces, sources, 4)])
    order = axes.last_four[_four(pieces, sources, 8)]
    seen = np.int64(tables.corner_classes[corner])
    bound = np.int64(tables.corner_slice[(seen >> 4) * 24 + tables.slice_orders[seen & 15, order]])
    return bool(bound <= _most_moves_left(search) + (2 if numbers[PREMOVES] else 1))


@part
def _place(moved: PieceMoves, search: PhaseSearch, level: int, end: int) -> None:
    """Place the pieces after each move from a level to another one."""
    corners, edges, placed, moves = moved.corners, moved.edges, search.placed, search.moves
    while level < end:
        for i in range(8):
            placed[level + 1, i] = placed[level, corners[moves[level], i]]
        for i in range(12):
            placed[level + 1, 8 + i] = placed[level, 8 + edges[moves[level], i]]
        level += 1


@part
def _four(pieces: NDArray[np.uint8], places: NDArray[np.uint8], first: int) -> int:
    """Return the numbers of four pieces, three bits for each."""
    packed = np.int64(0)
    for i in range(4):
        packed |= np.int64(pieces[places[first + i]] & 7) << 3 * i
    return int(packed)


@part
def _most_moves_left(search: PhaseSearch) -> int:
    """Return the largest number of moves of a second phase."""
    return int(min(search.numbers[BEST] - 1 - search.numbers[LENGTH], _LONGEST_SECOND))


# -- The second phase --------------------------------------------------------------------------------------------------


@part
def _finish(tables: SecondPhase, moved: PieceMoves, endings: Endings, axes: Axes, search: PhaseSearch) -> int:
    """Search for the shortest second phase of all variants of a first phase; return the state of the search."""
    numbers, moves, pieces = search.numbers, search.moves, axes.all_places
    length, premoves = numbers[LENGTH] - numbers[PREMOVES], numbers[PREMOVES]
    inner = max(length - 4, 0)
    for i in range(inner, length):
        moves[i] = endings.moves[numbers[ENDING] - 1, i - inner]
    _place(moved, search, inner, length)
    placed, status = search.placed[length], 0
    for variant in range(4):
        if (variant & 1 and not length) or (variant & 2 and not premoves):
            continue
        corner = axes.first_four[_four(placed, pieces, 0)] + np.int64(axes.last_four[_four(placed, pieces, 4)])
        edge = axes.first_four[_four(placed, pieces, 8)] + np.int64(axes.last_four[_four(placed, pieces, 12)])
        order = np.int64(axes.last_four[_four(placed, pieces, 16)])
        if variant & 1:
            half = axes.halves[moves[length - 1]]
            corner, edge = np.int64(tables.corner_moves[corner, half]), np.int64(tables.edge_moves[edge, half])
            order = np.int64(tables.slice_order_moves[order, half])
        if variant & 2:  # a half turn before the moves of a cube is one after those of its inverse
            half = axes.halves[search.premoves[premoves - 1]]
            corner = np.int64(tables.inverses[tables.corner_moves[tables.inverses[corner], half]])
            edge = np.int64(tables.inverses[tables.edge_moves[tables.inverses[edge], half]])
            order = np.int64(axes.order_inverses[tables.slice_order_moves[axes.order_inverses[order], half]])
        rest = _second_phase(tables, search, axes.second, corner, edge, order)
        if rest >= 0:
            status = SHORTER
            _keep(search, length, rest, variant)
    return status


@part
def _keep(search: PhaseSearch, length: int, rest: int, variant: int) -> None:
    """Record a solution, which is the best one."""
    numbers, solution = search.numbers, search.solution
    for i in range(length + rest):
        solution[i] = search.moves[i]
    for i in range(numbers[PREMOVES]):
        solution[length + rest + i] = search.premoves[numbers[PREMOVES] - 1 - i]
    if variant & 1:
        solution[length - 1] += 2  # counterclockwise
    if variant & 2:
        solution[length + rest] += 2
    numbers[BEST] = numbers[LENGTH] + rest
    solution[30], solution[31] = numbers[WAY], numbers[BEST]


@part
def _second_phase(
    tables: SecondPhase, search: PhaseSearch, second: NDArray[np.int64], corner: int, edge: int, order: int | np.int64
) -> int:
    """Search for the shortest second phase that makes a shorter solution; return its length, or -1.

    Most searches find none. So a search begins with the limit instead of iterative deepening, and lowers it with each
    second phase found.
    """
    numbers, levels, moves = search.numbers, search.second, search.moves
    corner_moves, edge_moves, slice_order_moves = tables.corner_moves, tables.edge_moves, tables.slice_order_moves
    first, limit = numbers[LENGTH] - numbers[PREMOVES], _most_moves_left(search)
    last = moves[first - 1] // 3 if first else -1
    nodes, length = 1, -1
    level = -1 if _is_beyond(tables, corner, edge, order, limit) else 0
    if level == 0 and corner == 0 and edge == 0 and order == 0:
        level, length = -1, 0
    levels[0, 0], levels[0, 1], levels[0, 2], levels[0, 3] = corner, edge, order, -1
    while level >= 0:
        left = limit - level - 1
        corner, edge, order, number = levels[level, 0], levels[level, 1], levels[level, 2], levels[level, 3] + 1
        before = second[levels[level - 1, 3]] // 3 if level else last
        while number < 10:
            face = second[number] // 3
            if face != before and face != before - 3:
                nodes += 1
                after_corner = np.int64(corner_moves[corner, number])
                after_edge = np.int64(edge_moves[edge, number])
                after_order = np.int64(slice_order_moves[order, number])
                if not _is_beyond(tables, after_corner, after_edge, after_order, left):
                    break
            number += 1
        if number == 10 or left < 0:
            level -= 1
            continue
        levels[level, 3] = number
        level += 1
        if after_corner == 0 and after_edge == 0 and after_order == 0:
            length = level
            for i in range(length):
                moves[first + i] = second[levels[i, 3]]
            limit = length - 1
            level -= 1
            continue
        levels[level, 0], levels[level, 1] = after_corner, after_edge
        levels[level, 2], levels[level, 3] = after_order, -1
    numbers[NODES] += nodes
    return length


@part
def _is_beyond(
    tables: SecondPhase, corner: int | np.int64, edge: int | np.int64, order: int | np.int64, most: int
) -> bool:
    """Return whether the tables prove that the second phase, or its inverse, needs more than `most` moves."""
    seen = np.int64(tables.corner_classes[corner])
    entry, symmetry = seen >> 4, seen & 15
    if tables.corner_slice[entry * 24 + tables.slice_orders[symmetry, order]] > most:
        return True
    if tables.corner_half[entry * 70 + tables.edge_halves[symmetry, tables.halves[edge]]] > most:
        return True
    seen = np.int64(tables.edge_classes[edge])
    entry, symmetry = seen >> 4, seen & 15
    if tables.edge_half[entry * 70 + tables.corner_halves[symmetry, tables.halves[corner]]] > most:
        return True
    if tables.edge_slice[entry * 24 + tables.slice_orders[symmetry, order]] > most:
        return True
    inverse_corner, inverse_edge = np.int64(tables.inverses[corner]), np.int64(tables.inverses[edge])
    seen = np.int64(tables.edge_classes[inverse_edge])
    half = tables.corner_halves[seen & 15, tables.halves[inverse_corner]]
    if tables.edge_half[(seen >> 4) * 70 + half] > most:
        return True
    seen = np.int64(tables.corner_classes[inverse_corner])
    half = tables.edge_halves[seen & 15, tables.halves[inverse_edge]]
    return bool(tables.corner_half[(seen >> 4) * 70 + half] > most)


@part
def _write(axes: Axes, search: PhaseSearch, rows: Rows, row: int) -> None:
    """Write the best solution of a row in moves of its cube."""
    solution = search.solution
    way, length = solution[30], np.int64(solution[31])
    for i in range(length):
        rows.moves[row, i] = axes.moves[way, solution[i if way < 3 else length - 1 - i]]
    for i in range(length, 30):
        rows.moves[row, i] = 255
    rows.lengths[row] = length
