"""Optimal solutions of the 3x3x3: IDA* with a pattern database."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

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
from cubesolve.group.canonical import Alg
from cubesolve.group.permutations import is_odd
from cubesolve.runtime.deadline import Deadline, EndedError
from cubesolve.runtime.kernels import compile_meanwhile
from cubesolve.runtime.machine import require_workers
from cubesolve.runtime.workers import Workers
from cubesolve.search.limits import Progress, watching
from cubesolve.search.rounds import Paused, Run, Task
from cubesolve.spaces.tables import UNREACHABLE, TableEntry

if TYPE_CHECKING:
    from cubesolve.store.tables import Body

_SPLIT_FROM = 10  # moves; longer algs are searched for in several parts,
_SPLIT_AT = 3  # one for each canonical beginning of this many moves
_AT_ONCE = 1 << 14  # cubes whose bounds one thread reads at a time


class _Node(NamedTuple):
    """A cube from which a search starts."""

    made: Alg  # the moves that lead to it, by number
    numbers: NDArray[np.uint16]  # (columns,): see `kernels.node_of`
    weight: int = 0  # the sum of its bounds

    @property
    def bounds(self) -> NDArray[np.uint16]:
        """Its six bounds."""
        return self.numbers[BOUND_COLUMN : BOUND_COLUMN + PROBES]


class OptimalSolver:
    """Finds optimal algs for the 3x3x3 with a pattern database.

    Attributes:
        nodes, probes: the numbers of cubes expanded and of table entries read by all searches so far.
        table_bytes: the size of the table.
    """

    def __init__(self, metric: str, projection: RubikProjection, table: NDArray[np.uint8], base: int) -> None:
        """Prepare the arrays of the search.

        Raises:
            ValueError: the table has another size than the rows of the projection.
        """
        if len(table) != projection.rows * ROW_BYTES:
            raise ValueError(f"the table must have {projection.rows * ROW_BYTES} bytes, not {len(table)}")
        self.metric = metric
        self.nodes = self.probes = 0
        self.paused = Paused[_Run]()
        self.moves, self.canonical = list(map(str, metric_moves(metric, FACES))), canonical_algs(metric)
        self.database, self.move_tables = database(projection, base, table), move_tables(projection, metric)
        self.table_bytes = len(table)

    def node(self, cubies: Cubies) -> _Node:
        """Return a cube as a node of the search, with the lower bounds of the table."""
        return _Node((), node_of(self.database, pair_states(cubies)))

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
        """Take a solver and a cube; see `OptimalSolver.deepening`."""
        self._solver, self._cubies = solver, cubies
        self._node = solver.node(cubies)
        self._every, self._workers = every, workers
        self._earlier = 0  # the cubes expanded before the current round
        self._run: _Run | None = None

    @property
    def nodes(self) -> int:
        """The number of cubes expanded so far."""
        return self._earlier + (self._run.nodes if self._run else 0)

    def lengths(self, least: int) -> range:
        """Return the possible lengths: the parity of the quarter turns is that of the corner permutation."""
        least, end = max(least, int(self._node.bounds.max())), METRICS[self._solver.metric].gods_number + 1
        if not changes_parity(self._solver.metric):
            return range(least, end)
        return range(least + (least + is_odd(self._cubies.corners)) % 2, end, 2)

    def algs(self, length: int, deadline: Deadline, progress: Progress | None = None) -> list[tuple[str, ...]]:
        """Return the algs of this length that solve the cube: the first canonical one, or all in the order of moves.

        Raises:
            SearchLimitError: the search had to end.
        """
        key = self._cubies, self._every, length
        run = self._solver.paused.take(key) or _Run(self._solver, length, self._every, self._run)
        self._earlier, self._run = self.nodes - run.nodes, run
        watch = watching(progress, length, lambda: self.nodes, deadline)
        try:
            with self._solver.paused.keeping(run, key):
                algs = run.search(self._node, deadline, self._workers, watch)
        except EndedError as end:
            raise SearchLimitError(length, end.limit) from None
        listed = self._solver.canonical.equivalent_algs(algs) if self._every else algs
        return [tuple(self._solver.moves[move] for move in alg) for alg in listed]


class _Run(Run[_Node]):
    """The search for algs of one length."""

    def __init__(self, solver: OptimalSolver, length: int, every: bool, before: _Run | None) -> None:
        super().__init__(every, before, solver)
        self._moves, self._database, self.length = solver.move_tables, solver.database, length

    def search(
        self, node: _Node, deadline: Deadline, workers: int | None, watch: Callable[[], object] | None = None
    ) -> list[tuple[int, ...]]:
        """Return the algs that solve a cube: all, in order, or the first; see `Run.run`."""
        if self.length == 0:
            return [()] if np.array_equal(node.numbers[: len(HOME)], HOME) else []
        return self.run([node], _SPLIT_AT if self.length >= _SPLIT_FROM else None, deadline, workers, watch)

    def weight(self, node: _Node) -> int:
        """Return a weight for the part below a node: parts with a larger weight are expected to be smaller."""
        return node.weight

    def expand(self, node: _Node, stop_at: int) -> list[_Node]:
        """Return the states a number of moves from a node, without those that a bound rules out."""
        count, output = self._deepened(0, [node], stop_at)
        algs = [node.made + tuple(alg) for alg in output.algs[:count, :stop_at].tolist()]
        bounds = output.nodes[:count, BOUND_COLUMN : BOUND_COLUMN + PROBES]
        return [*map(_Node, algs, output.nodes, bounds.sum(axis=1).tolist())]

    def search_parts(self, first: int, nodes: Sequence[_Node]) -> tuple[int, Mapping[int, list[Alg]]]:
        """Search from nodes in order, up to the first that has an alg, or with `every` from all."""
        count, output = self._deepened(first, nodes, -1)
        algs: dict[int, list[Alg]] = {}
        for alg, root in zip(output.algs[:count].tolist(), output.numbers[:count].tolist(), strict=True):
            algs.setdefault(first + root, []).append(nodes[root].made + tuple(alg))
        return (len(nodes) if self.every or not algs else 1 + min(algs) - first), algs

    def _deepened(self, first: int, nodes: Sequence[_Node], stop_at: int) -> tuple[int, CubeOutput]:
        """Run the kernel; return the number of results and the results."""
        roots = np.array([node.numbers for node in nodes])
        room = 4096 if stop_at >= 0 else 16
        task = Task(self.length - len(nodes[0].made), stop_at, self.every, first, self.best)
        while True:
            output = CubeOutput.of_size(room, task.longest, len(nodes))
            count = deepen(self._moves, self._database, roots, task, output)
            if count <= room:
                break
            room = count
        self.count(nodes, output.counts)
        return max(count, 0), output


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
