"""The search of both phases, which finds shorter and shorter solutions until a limit (numba).

The cube and its inverse are searched along each of the three axes: six ways, all with first phases of one length before
any longer one. Whenever a first phase is found, the second one is searched for at once, unless the solution would be no
shorter than the best one so far.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.catalog.rubik.cube import Cubies
from cubesolve.catalog.rubik.projections import (
    CORNERS,
    EDGES,
    axis_turns,
    images,
    numbered,
    orientation_weights,
    slice_masks,
)
from cubesolve.catalog.rubik.rules import LONGEST_TWO_PHASE
from cubesolve.catalog.rubik.two_phase.coordinates import MOVES, SECOND
from cubesolve.catalog.rubik.two_phase.tables import TABLES, PruningTables, place_of
from cubesolve.deadline import check
from cubesolve.kernels import kernel, named, part, read_only, types
from cubesolve.notation import FaceTurn
from cubesolve.workers import Workers

NOT_FOUND = 255
"""The value in place of a move after the last one, and of the length of a solution that was not found."""

CUBE = 2 * (CORNERS.pieces + EDGES.pieces)
"""The numbers of a cube: the corner at each position, its twist, the edge at each position, its flip."""

WAYS = 6
"""The number of ways to search a cube: along three axes, then its inverse along these."""

_LONGEST_SECOND = 12  # moves; longer second phases take more time than further first phases
_LEVELS = 32
_AT_ONCE = 1 << 6  # cubes that one thread takes at a time
_ANY = np.iinfo(np.int64).max
_SLICE = 1 << 18  # nodes between two checks of the deadline: some milliseconds
_SHORTER, _EXHAUSTED = 1, 2

_NODES, _ROW, _STATUS, _MOST_MOVES, _MOST_NODES = 5, 7, 8, 9, 10  # places of `Search.numbers`


class Axes(NamedTuple):
    """The images of a cube under the rotations that take each axis to U-D.

    Attributes:
        corners: the image of each corner, uint8 (axes, 8).
        corner_places: its place, ``3 * position + twist``, for each place of the corner, uint8 (axes, 8, 24).
        edges: the image of each edge, uint8 (axes, 12).
        edge_places: its place, ``2 * position + flip``, for each place of the edge, uint8 (axes, 12, 24).
        twist_weights: the weight of the twist at each position in the corner orientation, int64 (8,).
        flip_weights: the weight of the flip at each position in the edge orientation, int64 (12,).
        slices: the number of each set of positions of the slice edges, int64 (4096,).
        moves: the move of the cube for each move of the six ways, uint8 (6, 18).
        second: the moves of the second phase, int64 (10,).
    """

    corners: NDArray[np.uint8]
    corner_places: NDArray[np.uint8]
    edges: NDArray[np.uint8]
    edge_places: NDArray[np.uint8]
    twist_weights: NDArray[np.int64]
    flip_weights: NDArray[np.int64]
    slices: NDArray[np.int64]
    moves: NDArray[np.uint8]
    second: NDArray[np.int64]


_AXES = named(
    Axes,
    corners=read_only(types.uint8),
    corner_places=read_only(types.uint8, 3),
    edges=read_only(types.uint8),
    edge_places=read_only(types.uint8, 3),
    twist_weights=read_only(types.int64, 1),
    flip_weights=read_only(types.int64, 1),
    slices=read_only(types.int64, 1),
    moves=read_only(types.uint8),
    second=read_only(types.int64, 1),
)


class Search(NamedTuple):
    """A search for solutions of one cube, which can be continued.

    Attributes:
        ways: the cube along three axes, then its inverse along these; see `CUBE`. uint8 (6, 40).
        ranks: corner orientation, edge orientation and slice of each way, int64 (6, 3); -1 for a way that equals an
            earlier one, as for symmetric cubes.
        numbers: the length of first phases, the way, the level of the search, the largest accepted length plus one, the
            level up to which `placed` is valid, the number of nodes, whether the way has begun, the row of the cube,
            the status of the search, and the largest numbers of moves and nodes for a row; int64 (11,).
        moves: the move made at each level, int64 (32,).
        levels: the ranks at each level, int64 (32, 3).
        placed: the corners, then the edges at each level, uint8 (32, 20).
        second: the ranks at each level of the second phase, and the move made there, int64 (32, 4).
        solution: the moves of the best solution, the way in place 30, and the number of moves in place 31, uint8 (32,).
    """

    ways: NDArray[np.uint8]
    ranks: NDArray[np.int64]
    numbers: NDArray[np.int64]
    moves: NDArray[np.int64]
    levels: NDArray[np.int64]
    placed: NDArray[np.uint8]
    second: NDArray[np.int64]
    solution: NDArray[np.uint8]


_SEARCH = named(
    Search,
    ways=types.uint8[:, ::1],
    ranks=types.int64[:, ::1],
    numbers=types.int64[::1],
    moves=types.int64[::1],
    levels=types.int64[:, ::1],
    placed=types.uint8[:, ::1],
    second=types.int64[:, ::1],
    solution=types.uint8[::1],
)


class Rows(NamedTuple):
    """Cubes and their solutions.

    Attributes:
        cubes: see `CUBE`; uint8 (N, 40).
        moves: the numbers in `MOVES` of the best solution, `NOT_FOUND` after the last; uint8 (N, 30).
        lengths: the number of moves, `NOT_FOUND` if there is no solution yet; uint8 (N,).
        at_least: a lower bound of the solution length: the largest bound of the first phases; uint8 (N,).
    """

    cubes: NDArray[np.uint8]
    moves: NDArray[np.uint8]
    lengths: NDArray[np.uint8]
    at_least: NDArray[np.uint8]


_ROWS = named(
    Rows,
    cubes=read_only(types.uint8),
    moves=types.uint8[:, ::1],
    lengths=types.uint8[::1],
    at_least=types.uint8[::1],
)


class TwoPhaseSearch:
    """A search for shorter and shorter solutions of a cube.

    Attributes:
        at_least: a lower bound of the solution length.
    """

    def __init__(self, tables: PruningTables, cubies: Cubies, longest: int) -> None:
        """Prepare a search.

        Args:
            tables: the pruning tables.
            cubies: the cube.
            longest: the largest number of moves of the first solution.
        """
        self._tables, self._search = tables, _search(longest, _ANY)
        self._rows = rows_of(numbers_of([cubies]))
        self._run(0)
        self.at_least = int(self._rows.at_least[0])

    @property
    def nodes(self) -> int:
        """The number of states visited."""
        return int(self._search.numbers[_NODES])

    @property
    def is_exhausted(self) -> bool:
        """Whether this search finds no shorter solution. Solutions that leave H again are not searched."""
        return bool(self._search.numbers[_STATUS] == _EXHAUSTED)

    def improve(self, most_nodes: int | None = None) -> list[FaceTurn] | None:
        """Return the next solution, which is shorter than the one before.

        Args:
            most_nodes: the number of nodes of all calls together after which to give up; by default no limit.

        Returns:
            The solution; None if there is none, or if the search gave up.

        Raises:
            EndedError: the current deadline is over.
        """
        while not self.is_exhausted:
            check()
            left = _SLICE if most_nodes is None else min(_SLICE, most_nodes - self.nodes)
            if left <= 0:
                break
            self._run(left)
            if self._search.numbers[_STATUS] == _SHORTER:
                return [MOVES[number] for number in self._rows.moves[0, : self._rows.lengths[0]].tolist()]
        return None

    def _run(self, nodes: int) -> None:
        solve_rows(self._tables, _axes(), self._search, self._rows, 0, 1, nodes)


def numbers_of(cubes: Iterable[Cubies]) -> NDArray[np.uint8]:
    """Return cubes as numbers: uint8 (N, 40); see `CUBE`."""
    rows = [(*each.corners, *each.twists, *each.edges, *each.flips) for each in cubes]
    return np.array(rows, np.uint8).reshape(-1, CUBE)


def solve_many(tables: PruningTables, rows: Rows, longest: int, nodes: int, workers: int | None) -> None:
    """Write the first solution of each row. It is that of `TwoPhaseSearch` for any number of threads.

    Args:
        tables: the pruning tables.
        rows: the cubes, and where their solutions are written.
        longest: the largest number of moves of a solution.
        nodes: the number of nodes after which to give up a cube.
        workers: number of threads; by default one for each processor.

    Raises:
        EndedError: the current deadline is over.
    """

    def solve(first: int, end: int) -> int:
        search = _search(longest, nodes)
        while first < end:
            check()
            first = solve_rows(tables, _axes(), search, rows, first, end, _SLICE)
        return end

    with Workers(len(rows.cubes), workers, _AT_ONCE) as threads:
        threads.run(solve)


def rows_of(cubes: NDArray[np.uint8]) -> Rows:
    """Return rows of cubes without solutions."""
    count = len(cubes)
    return Rows(
        cubes,
        np.full((count, LONGEST_TWO_PHASE), NOT_FOUND, np.uint8),
        np.full(count, NOT_FOUND, np.uint8),
        np.zeros(count, np.uint8),
    )


def _search(longest: int, most_nodes: int) -> Search:
    search = Search(
        np.empty((WAYS, CUBE), np.uint8),
        np.empty((WAYS, 3), np.int64),
        np.zeros(11, np.int64),
        np.empty(_LEVELS, np.int64),
        np.empty((_LEVELS, 3), np.int64),
        np.empty((_LEVELS, 20), np.uint8),
        np.empty((_LEVELS, 4), np.int64),
        np.zeros(_LEVELS, np.uint8),
    )
    search.numbers[_ROW], search.numbers[_MOST_MOVES], search.numbers[_MOST_NODES] = -1, longest, most_nodes
    return search


@functools.cache
def _axes() -> Axes:
    turns = axis_turns()
    (corners, corner_places), (edges, edge_places) = (
        tuple(np.array(each, np.uint8) for each in zip(*[images(kind, turn) for turn in turns], strict=True))
        for kind in (CORNERS, EDGES)
    )
    # The move along the axis whose image is a given move: the inverse of the map to images.
    seen = [[MOVES.index(turn.image(move)) for move in MOVES] for turn in turns]
    moves = [[each.index(number) for number in range(len(MOVES))] for each in seen]
    inverse = [[MOVES.index(MOVES[number].inverse()) for number in each] for each in moves]
    return Axes(
        corners,
        corner_places,
        edges,
        edge_places,
        orientation_weights(CORNERS),
        orientation_weights(EDGES),
        numbered(slice_masks(), 12),
        np.array(moves + inverse, np.uint8),
        np.array(SECOND),
    )


# -- The kernel --------------------------------------------------------------------------------------------------------


@part
def _begin(tables: PruningTables, axes: Axes, search: Search, cube: NDArray[np.uint8]) -> int:
    """Begin the search of a cube; return a lower bound of its solution length."""
    ways, ranks = search.ways, search.ranks
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
        twist, flip, mask = np.int64(0), np.int64(0), 0
        for i in range(8):
            twist += ways[way, 8 + i] * axes.twist_weights[i]
        for i in range(12):
            flip += ways[way, 28 + i] * axes.flip_weights[i]
            if ways[way, 16 + i] >= 8:
                mask |= 1 << i
        slices = axes.slices[mask]
        at_least = max(at_least, _bound(tables, twist, flip, slices))
        for before in range(way):
            if (ways[before] == ways[way]).all():
                twist = np.int64(-1)
        ranks[way, 0], ranks[way, 1], ranks[way, 2] = twist, flip, slices
    return at_least


@part
def _bound(tables: PruningTables, twist: int, flip: int, slices: int) -> int:
    """Return a lower bound of the number of moves to H."""
    pair = slices * 2048 + flip
    entry = np.int64(tables.classes[pair]) * 2187 + tables.twist_images[twist, tables.shown_by[pair]]
    if tables.far[entry >> 3] >> (entry & 7) & 1:
        return 9
    return int(max(tables.twist_slice[twist * 495 + slices], tables.flip_slice[flip * 495 + slices]))


@part
def _rank(pieces: NDArray[np.uint8], level: int, first: int, end: int) -> int:
    """Return the rank of the order of the pieces at a range of positions."""
    rank = 0
    for place in range(first, end):
        smaller = 0
        for other in range(place + 1, end):
            if pieces[level, other] < pieces[level, place]:
                smaller += 1
        rank = rank * (end - place) + smaller
    return rank


@part
def _is_beyond(tables: PruningTables, corner: int, edge: int, order: int, most: int) -> bool:
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
def _finish(
    tables: PruningTables, search: Search, second: NDArray[np.int64], length: int, limit: int
) -> tuple[int, int]:
    """Search for the shortest second phase of at most `limit` moves; return its length, or -1, and the nodes.

    Most searches find none. So a search begins with the limit instead of iterative deepening, and lowers it with each
    second phase found.
    """
    placed, levels, moves = search.placed, search.second, search.moves
    corner_moves, edge_moves, slice_order_moves = tables.corner_moves, tables.edge_moves, tables.slice_order_moves
    corner, edge, order = _rank(placed, length, 0, 8), _rank(placed, length, 8, 16), _rank(placed, length, 16, 20)
    last = moves[length - 1] // 3 if length else -1
    nodes, found = 1, -1
    if _is_beyond(tables, corner, edge, order, limit):
        return found, nodes
    if corner == 0 and edge == 0 and order == 0:
        return 0, nodes
    level = 0
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
            found = level
            for i in range(found):
                moves[length + i] = second[levels[i, 3]]
            limit = found - 1
            level -= 1
            continue
        levels[level, 0], levels[level, 1] = after_corner, after_edge
        levels[level, 2], levels[level, 3] = after_order, -1
    return found, nodes


@part
def _improve(  # noqa: PLR0912, PLR0915  # two searches, one inside the other
    tables: PruningTables, search: Search, second: NDArray[np.int64], most_nodes: int
) -> int:
    """Continue a search until it finds a shorter solution, exceeds a number of nodes, or is exhausted.

    A level that is not negative always has moves left to try; -1 ends the way. A first phase does not pass through H,
    because a shorter one ends there.

    Returns:
        0 if the nodes are exceeded, 1 with a shorter solution in `search.solution`, 2 if the search is exhausted.
    """
    numbers, moves, levels = search.numbers, search.moves, search.levels
    twist_moves, flip_moves, slice_moves = tables.twist_moves, tables.flip_moves, tables.slice_moves
    twist_slice, flip_slice, far, nearer = tables.twist_slice, tables.flip_slice, tables.far, tables.nearer
    classes, shown_by, twist_images = tables.classes, tables.shown_by, tables.twist_images
    length, way, level, best, placed = numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]
    nodes, status = 0, 2
    while length < best:
        is_leaf = False
        if not numbers[6]:
            numbers[6] = 1
            level, placed = 0, 0
            moves[0] = -1
            for i in range(3):
                levels[0, i] = search.ranks[way, i]
            for i in range(8):
                search.placed[0, i] = search.ways[way, i]
            for i in range(12):
                search.placed[0, 8 + i] = search.ways[way, 16 + i]
            if length == 0:
                is_leaf = levels[0, 0] == 0 and levels[0, 1] == 0 and levels[0, 2] == 0
            if length == 0 or levels[0, 0] < 0:
                level = -1
        while level >= 0 or is_leaf:
            if not is_leaf:
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
                    after_slices = np.int64(slice_moves[slices, move])
                    after_flip = np.int64(flip_moves[flip, move])
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
                        elif left:
                            place = place_of(entry, left)
                            over = 1 - np.int64(nearer[place >> 3] >> (place & 7) & 1)
                    if over <= 0 and (left == 0 or after_twist or after_flip or after_slices):
                        break
                    # Another turn of the same face changes a distance by at most one.
                    move = 3 * face + 3 if over > 1 else move + 1
                placed = min(placed, level)
                if move == 18:
                    level -= 1
                    continue
                moves[level] = move
                if left:
                    level += 1
                    levels[level, 0], levels[level, 1], levels[level, 2] = after_twist, after_flip, after_slices
                    moves[level] = -1
                    if nodes >= most_nodes:
                        status = 0
                        break
                    continue
            while placed < length:
                for i in range(8):
                    search.placed[placed + 1, i] = search.placed[placed, tables.corners[moves[placed], i]]
                for i in range(12):
                    search.placed[placed + 1, 8 + i] = search.placed[placed, 8 + tables.edges[moves[placed], i]]
                placed += 1
            is_leaf = False
            rest, looked = _finish(tables, search, second, length, min(best - 1 - length, _LONGEST_SECOND))
            nodes += looked
            if rest >= 0:
                best = length + rest
                for i in range(best):
                    search.solution[i] = moves[i]
                search.solution[30], search.solution[31] = way, best
                status = 1
                break
            if nodes >= most_nodes:
                status = 0
                break
        if status != 2:
            break
        numbers[6] = 0
        way += 1
        if way == len(search.ranks):
            way, length = 0, length + 1
    numbers[0], numbers[1], numbers[2], numbers[3], numbers[4] = length, way, level, best, placed
    numbers[5] += nodes
    return status


@kernel(TABLES, _AXES, _SEARCH, _ROWS, types.int64, types.int64, types.int64)
def solve_rows(
    tables: PruningTables, axes: Axes, search: Search, rows: Rows, first: int, end: int, most_nodes: int
) -> int:
    """Search for the next solution of each row of a range, in order, until a number of nodes is exceeded.

    Returns:
        The first unfinished row; a call that begins with it continues its search.
    """
    numbers = search.numbers
    for row in range(first, end):
        if numbers[7] != row:
            rows.at_least[row] = _begin(tables, axes, search, rows.cubes[row])
            numbers[0], numbers[1], numbers[3], numbers[5], numbers[6], numbers[7] = 0, 0, numbers[9] + 1, 0, 0, row
        status = 0
        while status == 0 and numbers[5] < numbers[10]:
            if most_nodes <= 0:
                numbers[8] = status
                return row
            before = numbers[5]
            status = _improve(tables, search, axes.second, min(most_nodes, numbers[10] - before))
            most_nodes -= numbers[5] - before
        numbers[8] = status
        if status == 1:
            _write(axes, search, rows, row)
    return end


@part
def _write(axes: Axes, search: Search, rows: Rows, row: int) -> None:
    """Write the best solution of a row in moves of its cube."""
    solution = search.solution
    way, length = solution[30], np.int64(solution[31])
    for i in range(length):
        rows.moves[row, i] = axes.moves[way, solution[i if way < 3 else length - 1 - i]]
    for i in range(length, 30):
        rows.moves[row, i] = 255
    rows.lengths[row] = length
