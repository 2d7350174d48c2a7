"""Optimal solutions of the 3x3x3: IDA* with a pattern database."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cubesolve.catalog.rubik import METRICS, RubikRules
from cubesolve.catalog.rubik.arrays import read_rows
from cubesolve.catalog.rubik.cube import Cubies
from cubesolve.catalog.rubik.kernels import BOUND_COLUMN, PROBES, ROW_BYTES, CubeOutput, deepen, look_up, node_of
from cubesolve.catalog.rubik.pairs import HOME, canonical_algs, database, move_tables, pair_states
from cubesolve.catalog.rubik.projections import RubikProjection, projection
from cubesolve.definition.metrics import changes_parity
from cubesolve.definition.notation import FACES, metric_moves
from cubesolve.encodings import base_of
from cubesolve.errors import SearchLimitError
from cubesolve.group.permutations import is_odd
from cubesolve.runtime.deadline import Deadline, EndedError
from cubesolve.runtime.kernels import compile_meanwhile
from cubesolve.runtime.machine import require_workers
from cubesolve.runtime.workers import Workers
from cubesolve.search.limits import Progress, watching
from cubesolve.search.rounds import Node, Paused, Run, Search
from cubesolve.spaces.tables import UNREACHABLE, TableEntry

if TYPE_CHECKING:
    from cubesolve.store.tables import Body

_SPLIT_FROM = 10  # moves; longer algs are searched for in several parts,
_SPLIT_AT = 3  # one for each canonical beginning of this many moves
_AT_ONCE = 1 << 14  # cubes whose bounds one thread reads at a time

BOUNDS = slice(BOUND_COLUMN, BOUND_COLUMN + PROBES)  # columns of the six bounds of a node


class OptimalSolver:
    """Finds optimal algs for the 3x3x3 with a pattern database."""

    def __init__(self, metric: str, projection: RubikProjection, table: NDArray[np.uint8], base: int) -> None:
        if len(table) != projection.rows * ROW_BYTES:
            raise ValueError(f"the table must have {projection.rows * ROW_BYTES} bytes, not {len(table)}")
        self.metric = metric
        self.nodes = self.probes = 0  # cubes expanded and table entries read by all searches so far
        self.paused = Paused()
        self.moves, self.canonical = list(map(str, metric_moves(metric, FACES))), canonical_algs(metric)
        self.database, self.move_tables = database(projection, base, table), move_tables(projection, metric)
        self.search = Search(functools.partial(deepen, self.move_tables, self.database), CubeOutput, BOUNDS)
        self.table_bytes = len(table)

    def bounds_of(self, pairs: NDArray[np.uint16], workers: int | None = None) -> NDArray[np.uint8]:
        """Return uint8 (N, 6), the same six bounds of many cubes, given uint16 (N, pairs) of `pair_states`."""
        bounds = np.empty((len(pairs), PROBES), np.uint8)
        with Workers(len(pairs), workers, _AT_ONCE) as threads:
            threads.run(lambda i, j: look_up(self.database, pairs[i:j].reshape(-1), bounds[i:j]))
        return bounds

    def bounds(self, rules: RubikRules, batch: object, masking: bool, workers: int | None = None) -> NDArray[np.uint8]:
        """Return the six lower bounds of each cube of a batch; with `masking`, 255 for invalid cubes."""
        pairs, parities, valid = read_rows(rules, batch, masking, workers)
        bounds = self.bounds_of(pairs, workers)
        if changes_parity(self.metric):  # the parity of a distance is that of the permutation of the corners
            bounds += bounds & 1 ^ parities[:, None]
        bounds[~valid] = UNREACHABLE
        return bounds

    def deepening(self, cubies: Cubies, *, every: bool = False, workers: int | None = None) -> Deepening:
        """Return a search for the optimal algs of a cube, length by length: the first canonical one, or every one."""
        require_workers(workers)
        return Deepening(self, cubies, every, workers)


class Deepening:
    """A search for the optimal algs of a cube, length by length; the work of each length predicts that of the next."""

    def __init__(self, solver: OptimalSolver, cubies: Cubies, every: bool, workers: int | None) -> None:
        self._solver, self._cubies = solver, cubies
        self._node = node_of(solver.database, pair_states(cubies))
        self._every, self._workers = every, workers
        self._earlier = 0  # the cubes expanded before the current round
        self._run: Run | None = None

    @property
    def nodes(self) -> int:
        """The number of cubes expanded so far."""
        return self._earlier + (self._run.nodes if self._run else 0)

    def lengths(self, least: int) -> range:
        """Return the possible lengths: the parity of the quarter turns is that of the corner permutation."""
        least, end = max(least, int(self._node[BOUNDS].max())), METRICS[self._solver.metric].gods_number + 1
        if not changes_parity(self._solver.metric):
            return range(least, end)
        return range(least + (least + is_odd(self._cubies.corners)) % 2, end, 2)

    def algs(self, length: int, deadline: Deadline, progress: Progress | None = None) -> list[tuple[str, ...]]:
        """Return the algs of this length that solve the cube: the first canonical one, or all in the order of moves."""
        if length == 0:
            return [()] if np.array_equal(self._node[: len(HOME)], HOME) else []
        key = self._cubies, self._every, length
        solver, split_at = self._solver, _SPLIT_AT if length >= _SPLIT_FROM else None
        run = solver.paused.take(key) or Run(solver.search, length, self._every, None, self._run, solver)
        self._earlier, self._run = self.nodes - run.nodes, run
        watch = watching(progress, length, lambda: self.nodes, deadline)
        try:
            with solver.paused.keeping(run, key):
                algs = run.run([Node((), self._node)], split_at, deadline, self._workers, watch)
        except EndedError as end:
            raise SearchLimitError(length, end.limit) from None
        listed = self._solver.canonical.equivalent_algs(algs) if self._every else algs
        return [tuple(self._solver.moves[move] for move in alg) for alg in listed]


# -- Pattern databases -------------------------------------------------------------------------------------------------


def open_solver(entry: TableEntry, body: Body) -> OptimalSolver:
    """Return a solver that uses a pattern database."""
    assert entry.label is not None  # it is a pattern database
    table = np.frombuffer(body, np.uint8)
    return OptimalSolver(entry.header.metric, projection(entry.label), table, base_of(entry.header))


def is_compiling() -> bool:
    """Begin to compile the search in another process if necessary; return whether a search has to wait for it."""
    compile_meanwhile(deepen)
    return not deepen.is_ready()
