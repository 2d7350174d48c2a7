"""The search of both phases, which improves its solution until a limit (numba).

The cube and its inverse are searched along each of the three axes: six ways, all with first phases of one length before
any longer one. Where a first phase ends, the second one is searched for at once, unless the whole would be no shorter
than the best solution so far.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.catalog.rubik.cube import Cubies
from cubesolve.catalog.rubik.projections import (
    CORNERS,
    EDGES,
    TWISTS,
    CubeSymmetry,
    PieceKind,
    axis_turns,
    images,
    numbered,
    orientation_weights,
    slice_masks,
)
from cubesolve.catalog.rubik.two_phase.coordinates import FLIPS, MOVES, SECOND, SLICES
from cubesolve.catalog.rubik.two_phase.tables import NEAR, TABLES, PruningTables
from cubesolve.deadline import check
from cubesolve.kernels import kernel, named, part, read_only, types
from cubesolve.notation import FACES, FaceTurn

_FACES_SEEN = tuple("".join(FACES[turn.faces.index(face)] for face in FACES) for turn in axis_turns())
"""The face of the cube that each of U R F D L B is along the three axes."""
_LONGEST = 32
_SLICE = 1 << 18  # nodes between two looks at the clock: some milliseconds
_SHORTER, _EXHAUSTED = 1, 2

_BEST, _NODES = 3, 5  # places of `Search.numbers`


class Search(NamedTuple):
    """A search, which can be continued.

    Attributes:
        ranks: corner orientation, edge orientation and slice of each way at its start, int64 (ways, 3).
        corners: the corner at each position, uint8 (ways, 8).
        edges: the edge at each position, uint8 (ways, 12).
        numbers: the length of first phases, the way, the level of the search, one more than the longest solution that
            is accepted, the levels up to which `placed_corners` and `placed_edges` are right, the number of nodes, and
            whether the way has begun, int64 (7,).
        moves: the move made at each level, int64 (32,).
        levels: the ranks at each level, int64 (32, 3).
        placed_corners: the corners at each level, uint8 (32, 8).
        placed_edges: the edges at each level, uint8 (32, 12).
        second: the ranks at each level of the second phase, and the move made there, int64 (32, 4).
        solution: the moves of the best solution, the way in place 30, and the number of moves in place 31, uint8 (32,).
    """

    ranks: NDArray[np.int64]
    corners: NDArray[np.uint8]
    edges: NDArray[np.uint8]
    numbers: NDArray[np.int64]
    moves: NDArray[np.int64]
    levels: NDArray[np.int64]
    placed_corners: NDArray[np.uint8]
    placed_edges: NDArray[np.uint8]
    second: NDArray[np.int64]
    solution: NDArray[np.uint8]


_SEARCH = named(
    Search,
    ranks=types.int64[:, ::1],
    corners=types.uint8[:, ::1],
    edges=types.uint8[:, ::1],
    numbers=types.int64[::1],
    moves=types.int64[::1],
    levels=types.int64[:, ::1],
    placed_corners=types.uint8[:, ::1],
    placed_edges=types.uint8[:, ::1],
    second=types.int64[:, ::1],
    solution=types.uint8[::1],
)


class TwoPhaseSearch:
    """A search for shorter and shorter solutions of a cube.

    Attributes:
        is_exhausted: whether this search finds no shorter solution. There may be one whose end leaves H.
    """

    def __init__(self, tables: PruningTables, cubies: Cubies, longest: int) -> None:
        """Prepare a search.

        Args:
            tables: the pruning tables.
            cubies: the cube.
            longest: the most moves of the first solution.
        """
        ways = _seen_along_axes(cubies)
        # Of a symmetric cube, several are the same.
        self._ways = [way for way, seen in enumerate(ways) if seen not in ways[:way]]
        self._tables, self._search = tables, _start([ways[way] for way in self._ways], longest)
        self.is_exhausted = False

    @property
    def nodes(self) -> int:
        """The number of states that were looked at."""
        return int(self._search.numbers[_NODES])

    @property
    def at_least(self) -> int:
        """A lower bound of the solution length: the moves that each way needs to reach H."""
        return max(map(self._bound, self._search.ranks.tolist()))

    def _bound(self, ranks: Sequence[int]) -> int:
        tables, (twist, flip, slices) = self._tables, ranks
        pair = FLIPS * slices + flip
        entry = TWISTS * int(tables.classes[pair]) + int(tables.twist_images[twist, tables.shown_by[pair]])
        near = max(int(tables.twist_slice[SLICES * twist + slices]), int(tables.flip_slice[SLICES * flip + slices]))
        return max(near, NEAR + 1) if tables.far[entry >> 3] >> (entry & 7) & 1 else near

    def improve(self, most_nodes: int | None = None) -> list[FaceTurn] | None:
        """Return the next solution, which is shorter than the one before.

        Args:
            most_nodes: the number of nodes of all calls together after which to give up; by default any.

        Returns:
            None if there is none, or after so many nodes.

        Raises:
            EndedError: the current deadline is over.
        """
        while not self.is_exhausted:
            check()
            left = _SLICE if most_nodes is None else min(_SLICE, most_nodes - self.nodes)
            if left <= 0:
                break
            status = improve(self._tables, self._search, _SECOND, left)
            if status == _SHORTER:
                return self._solution()
            self.is_exhausted = status == _EXHAUSTED
        return None

    def _solution(self) -> list[FaceTurn]:
        solution = self._search.solution
        way = self._ways[solution[30]]
        alg = [MOVES[number] for number in solution[: solution[31]].tolist()]
        if way >= 3:  # it solves the inverse
            alg = [FaceTurn(move.letter, 4 - move.turns) for move in reversed(alg)]
        faces = _FACES_SEEN[way % 3]
        return [FaceTurn(faces[FACES.index(move.letter)], move.turns) for move in alg]


def _start(ways: Sequence[Cubies], longest: int) -> Search:
    search = Search(
        np.empty((len(ways), 3), np.int64),
        np.empty((len(ways), 8), np.uint8),
        np.empty((len(ways), 12), np.uint8),
        np.zeros(7, np.int64),
        np.empty(_LONGEST, np.int64),
        np.empty((_LONGEST, 3), np.int64),
        np.empty((_LONGEST, 8), np.uint8),
        np.empty((_LONGEST, 12), np.uint8),
        np.empty((_LONGEST, 4), np.int64),
        np.zeros(_LONGEST, np.uint8),
    )
    search.numbers[_BEST] = longest + 1
    twist_weights, flip_weights, slice_numbers = _weights()
    for way, each in enumerate(ways):
        search.ranks[way] = (
            sum(map(operator.mul, each.twists, twist_weights)),
            sum(map(operator.mul, each.flips, flip_weights)),
            slice_numbers[sum(1 << place for place, edge in enumerate(each.edges) if edge >= 8)],
        )
        search.corners[way], search.edges[way] = each.corners, each.edges
    return search


@functools.cache
def _weights() -> tuple[list[int], list[int], list[int]]:
    """What a twist and a flip at each position add to a rank, and the numbers of sets of positions of slice edges."""
    twists, flips = (orientation_weights(kind).tolist() for kind in (CORNERS, EDGES))
    return twists, flips, numbered(slice_masks(), 12).tolist()


def _seen_along_axes(cubies: Cubies) -> list[Cubies]:
    """The cube along three axes, then its inverse along these."""
    return [_image_under(each, turn) for each in (cubies, cubies.inverse()) for turn in axis_turns()]


def _image_under(cubies: Cubies, turn: CubeSymmetry) -> Cubies:
    """One cube as `Pieces.image_under` shows many; arrays would take longer."""
    fields = []
    for kind in (CORNERS, EDGES):
        pieces, places = _images(kind, turn)
        at, how = [0] * kind.pieces, [0] * kind.pieces
        for here, (piece, orientation) in enumerate(zip(*(getattr(cubies, name) for name in kind.fields), strict=True)):
            there, seen = divmod(places[piece][kind.orientations * here + orientation], kind.orientations)
            at[there], how[there] = pieces[piece], seen
        fields += [tuple(at), tuple(how)]
    return Cubies(*fields)


@functools.cache
def _images(kind: PieceKind, turn: CubeSymmetry) -> tuple[list[int], list[list[int]]]:
    pieces, places = images(kind, turn)
    return pieces.tolist(), places.tolist()


# -- The kernel --------------------------------------------------------------------------------------------------------

_SECOND = np.array(SECOND)


@part
def _rank(pieces: NDArray[np.uint8], level: int, first: int, end: int) -> int:
    """The rank of the order of the pieces at some positions."""
    rank = 0
    for place in range(first, end):
        smaller = 0
        for other in range(place + 1, end):
            if pieces[level, other] < pieces[level, place]:
                smaller += 1
        rank = rank * (end - place) + smaller
    return rank


@part
def _finish(
    tables: PruningTables, search: Search, second: NDArray[np.int64], length: int, limit: int
) -> tuple[int, int]:
    """Search for the shortest second phase of at most some moves; return its length, or -1, and the nodes."""
    corner = _rank(search.placed_corners, length, 0, 8)
    order = _rank(search.placed_edges, length, 8, 12)
    nodes = 0
    bound = np.int64(tables.corner_slice[corner * 24 + order])
    if bound > limit:
        return -1, nodes
    edge = _rank(search.placed_edges, length, 0, 8)
    bound = max(
        bound,
        np.int64(tables.edge_slice[edge * 24 + order]),
        np.int64(tables.corner_half[corner * 70 + tables.halves[edge]]),
    )
    levels, halves = search.second, tables.halves
    corner_slice, edge_slice, corner_half = tables.corner_slice, tables.edge_slice, tables.corner_half
    corner_moves, edge_moves, slice_order_moves = tables.corner_moves, tables.edge_moves, tables.slice_order_moves
    last = search.moves[length - 1] // 3 if length else -1
    while bound <= limit:
        if bound == 0:
            return 0, nodes
        level = 0
        levels[0, 0], levels[0, 1], levels[0, 2], levels[0, 3] = corner, edge, order, -1
        while level >= 0:
            left = bound - level - 1
            before = second[levels[level - 1, 3]] // 3 if level else last
            number = levels[level, 3] + 1
            while number < 10:
                face = second[number] // 3
                if face != before and face != before - 3:
                    nodes += 1
                    after_order = np.int64(slice_order_moves[levels[level, 2], number])
                    after_corner = np.int64(corner_moves[levels[level, 0], number])
                    if corner_slice[after_corner * 24 + after_order] <= left:
                        after_edge = np.int64(edge_moves[levels[level, 1], number])
                        if (
                            edge_slice[after_edge * 24 + after_order] <= left
                            and corner_half[after_corner * 70 + halves[after_edge]] <= left
                        ):
                            break
                number += 1
            if number == 10:
                level -= 1
                continue
            levels[level, 3] = number
            level += 1
            if left == 0:
                return level, nodes
            levels[level, 0], levels[level, 1] = after_corner, after_edge
            levels[level, 2], levels[level, 3] = after_order, -1
        bound += 1
    return -1, nodes


@kernel(TABLES, _SEARCH, read_only(types.int64, 1), types.int64)
def improve(  # noqa: PLR0912, PLR0915  # two searches, one inside the other
    tables: PruningTables, search: Search, second: NDArray[np.int64], most_nodes: int
) -> int:
    """Continue a search until it finds a shorter solution, has looked at so many nodes, or has nothing left to try.

    A level that is not negative always has moves left to try; -1 ends the way. A first phase does not lead through H,
    as a shorter one ends there.

    Returns:
        0 after so many nodes, 1 with a shorter solution in `search.solution`, 2 if this search finds none.
    """
    numbers, moves, levels = search.numbers, search.moves, search.levels
    twist_moves, flip_moves, slice_moves = tables.twist_moves, tables.flip_moves, tables.slice_moves
    twist_slice, flip_slice, far = tables.twist_slice, tables.flip_slice, tables.far
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
                search.placed_corners[0, i] = search.corners[way, i]
            for i in range(12):
                search.placed_edges[0, i] = search.edges[way, i]
            if length == 0:
                is_leaf = levels[0, 0] == 0 and levels[0, 1] == 0 and levels[0, 2] == 0
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
                    over = np.int64(twist_slice[after_twist * 495 + after_slices]) - left
                    if over <= 0:
                        after_flip = np.int64(flip_moves[flip, move])
                        over = np.int64(flip_slice[after_flip * 495 + after_slices]) - left
                        if over <= 0 and left <= 8:
                            pair = after_slices * 2048 + after_flip
                            entry = np.int64(classes[pair]) * 2187 + twist_images[after_twist, shown_by[pair]]
                            if far[entry >> 3] >> (entry & 7) & 1:
                                over = 9 - left
                    if over <= 0 and (left == 0 or after_twist or after_flip or after_slices):
                        break
                    # Turning one face on changes a distance by one at most.
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
                    search.placed_corners[placed + 1, i] = search.placed_corners[
                        placed, tables.corners[moves[placed], i]
                    ]
                for i in range(12):
                    search.placed_edges[placed + 1, i] = search.placed_edges[placed, tables.edges[moves[placed], i]]
                placed += 1
            is_leaf = False
            rest, looked = _finish(tables, search, second, length, best - 1 - length)
            nodes += looked
            if rest >= 0:
                best = length + rest
                for i in range(length):
                    search.solution[i] = moves[i]
                for i in range(rest):
                    search.solution[length + i] = second[search.second[i, 3]]
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
