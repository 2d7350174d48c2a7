"""The search of both phases, which finds shorter and shorter solutions until a limit (numba).

The cube and its inverse are searched along each of the three axes: six ways, all with premoves and first phases of one
length together before any longer ones; see `kernels`. Whenever a first phase is found, the second one is searched for
at once, unless the solution would be no shorter than the best one so far.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cubesolve.catalog.rubik import LONGEST_TWO_PHASE
from cubesolve.catalog.rubik.cube import Cubies, turn_cubies
from cubesolve.catalog.rubik.projections import (
    CORNERS,
    EDGES,
    axis_turns,
    images,
    numbered,
    orientation_weights,
    slice_masks,
)
from cubesolve.catalog.rubik.two_phase import kernels
from cubesolve.catalog.rubik.two_phase.kernels import Axes, PhaseSearch, Rows, solve_rows
from cubesolve.catalog.rubik.two_phase.tables import MOVES, SECOND, PruningTables
from cubesolve.definition.notation import FACES, FaceTurn, metric_moves
from cubesolve.runtime.arguments import Keywords
from cubesolve.runtime.deadline import Deadline, EndedError, check, current, running
from cubesolve.runtime.workers import Workers
from cubesolve.spaces.rows import all_orders, order_ranks

if TYPE_CHECKING:
    from cubesolve.catalog.rubik.solver import RubikSolver

NOT_FOUND = 255  # value in place of a move after the last one, and of the length of a solution that was not found

CUBE = 2 * (CORNERS.pieces + EDGES.pieces)
"""The numbers of a cube: the corner at each position, its twist, the edge at each position, its flip."""

WAYS = 6  # number of ways to search a cube: along three axes, then its inverse along these

_LEVELS = 32
_AT_ONCE = 1 << 6  # cubes that one thread takes at a time
_ANY = np.iinfo(np.int64).max
_SLICE = 1 << 18  # nodes between two checks of the deadline: some milliseconds


class TwoPhaseSearch:
    """A search for shorter and shorter solutions of a cube; `at_least` is a lower bound of their length."""

    def __init__(self, tables: PruningTables, cubies: Cubies, longest: int) -> None:
        self._tables, self._search = tables, _search(longest, _ANY)
        self._rows = rows_of(numbers_of([cubies]))
        self._run(0)
        self.at_least = int(self._rows.at_least[0])

    @property
    def nodes(self) -> int:
        """The number of states visited."""
        return int(self._search.numbers[kernels.NODES])

    @property
    def is_exhausted(self) -> bool:
        """Whether this search finds no shorter solution. Solutions that leave H again are not searched."""
        return bool(self._search.numbers[kernels.STATUS] == kernels.EXHAUSTED)

    def improve(self, most_nodes: int | None = None) -> list[FaceTurn] | None:
        """Return the next solution, which is shorter; None if there is none, or after so many nodes of all calls."""
        while not self.is_exhausted:
            check()
            left = _SLICE if most_nodes is None else min(_SLICE, most_nodes - self.nodes)
            if left <= 0:
                break
            self._run(left)
            if self._search.numbers[kernels.STATUS] == kernels.SHORTER:
                return [MOVES[number] for number in self._rows.moves[0, : self._rows.lengths[0]].tolist()]
        return None

    def _run(self, nodes: int) -> None:
        solve_rows(self._tables, _axes(), self._search, self._rows, 0, 1, nodes)


def numbers_of(cubes: Iterable[Cubies]) -> NDArray[np.uint8]:
    """Return cubes as numbers: uint8 (N, 40); see `CUBE`."""
    rows = [(*cube.corners, *cube.twists, *cube.edges, *cube.flips) for cube in cubes]
    return np.array(rows, np.uint8).reshape(-1, CUBE)


def solve_many(tables: PruningTables, rows: Rows, longest: int, nodes: int, workers: int | None) -> None:
    """Write the first solution of each row: that of `TwoPhaseSearch`, for any number of threads."""

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


def _search(longest: int, most_nodes: int) -> PhaseSearch:
    search = PhaseSearch(
        ways=np.empty((WAYS, CUBE), np.uint8),
        is_repeated=np.empty(WAYS, np.uint8),
        starts=np.empty((_LEVELS, CUBE), np.uint8),
        premoves=np.empty(_LEVELS, np.int64),
        numbers=np.zeros(kernels.MOST_NODES + 1, np.int64),
        moves=np.empty(_LEVELS, np.int64),
        levels=np.empty((_LEVELS, 3), np.int64),
        placed=np.empty((_LEVELS, 20), np.uint8),
        second=np.empty((_LEVELS, 4), np.int64),
        solution=np.zeros(_LEVELS, np.uint8),
    )
    search.numbers[[kernels.ROW, kernels.MOST_MOVES, kernels.MOST_NODES]] = -1, min(longest, _ANY), most_nodes
    return search


@functools.cache
def _axes() -> Axes:
    turns = axis_turns()
    (corners, corner_places), (edges, edge_places) = (
        tuple(np.array(column, np.uint8) for column in zip(*[images(kind, turn) for turn in turns], strict=True))
        for kind in (CORNERS, EDGES)
    )
    # The move along the axis whose image is a given move: the inverse of the map to images.
    seen = [[MOVES.index(turn.image(move)) for move in MOVES] for turn in turns]
    moves = [[row.index(number) for number in range(len(MOVES))] for row in seen]
    inverse = [[MOVES.index(MOVES[number].inverse()) for number in row] for row in moves]
    four = np.array(list(itertools.permutations(range(8), 4)))
    return Axes(
        corners,
        corner_places,
        edges,
        edge_places,
        orientation_weights(CORNERS),
        orientation_weights(EDGES),
        numbered(slice_masks(), 12),
        moves=np.array(moves + inverse, np.uint8),
        second=np.array(SECOND),
        halves=np.array([SECOND.index(3 * (number // 3) + 1) for number in range(len(MOVES))]),
        twists=np.array([turn_cubies(move).twists for move in MOVES], np.uint8),
        flips=np.array([turn_cubies(move).flips for move in MOVES], np.uint8),
        first_four=_by_four(four, 24 * np.arange(len(four))).astype(np.uint16),
        last_four=_by_four(four, order_ranks(four)).astype(np.uint8),
        order_inverses=order_ranks(np.argsort(all_orders(4), axis=1)).astype(np.uint8),
        all_places=np.arange(20, dtype=np.uint8),
    )


def _by_four(pieces: NDArray[np.int64], values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the value for the numbers of four pieces, three bits for each: int64 (4096,)."""
    table = np.zeros(1 << 12, np.int64)
    table[pieces @ (1 << 3 * np.arange(4))] = values
    return table


# -- Several cubes at once ---------------------------------------------------------------------------------------------

_MOST_NODES = 1 << 22  # of a cube; `solve` searches the others, and applies the limits of each cube


def solve_together(solver: RubikSolver, cubes: Iterable[Cubies], question: Keywords) -> list[tuple[str, int] | None]:
    """Return the alg and the lower bound that `solve` finds for each cube; None if only `solve` can find them."""
    rows = rows_of(numbers_of(cubes))
    find(solver, rows, question)
    names = list(map(str, metric_moves("htm", FACES)))
    return [
        None if length == NOT_FOUND else (" ".join([names[move] for move in alg[:length]]), at_least)
        for alg, length, at_least in zip(*(column.tolist() for column in rows[1:]), strict=True)
    ]


def find(solver: RubikSolver, rows: Rows, question: Keywords) -> None:
    """Write the solutions of rows for which the two-phase search alone gives the answer of `solve`."""
    if not solver.solves_together(question):
        return
    deadline = Deadline(question.get("timeout"), question.get("cancel"), current())
    with contextlib.suppress(EndedError), running(deadline):
        solve_many(solver.two_phase_tables(), rows, question["max_length"], _MOST_NODES, question.get("workers"))
