"""IDA* with pattern databases, for any puzzle.

A projection maps a puzzle to a simplified one, in which some pieces look alike. Its states are a space, and its pattern
database has their distances. The search stores a state as its ranks in several projections and updates each with the
arrays of its space. Databases form *groups*: the bound of a group is the sum of its entries (most groups have one), and
the bound of a state is the largest of its groups.
"""

from __future__ import annotations

import copy
import functools
import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cubesolve.group.canonical import Alg, beginnings
from cubesolve.runtime.deadline import current
from cubesolve.runtime.instructions import prefetch
from cubesolve.runtime.kernel_arrays import Read1, Read2
from cubesolve.runtime.kernels import kernel, part
from cubesolve.runtime.machine import require_workers
from cubesolve.search.limits import Progress
from cubesolve.search.rounds import (
    ABORTED,
    BATCH,
    BOUNDS,
    Node,
    Paused,
    Run,
    Search,
    SearchOutput,
    Task,
    Watch,
    append,
    begin,
    deepened,
    empty_frontier,
    take_batch,
    write_result,
)

_SPLIT_AT = 4  # if a round has more moves than this, it is searched in several parts, one for each beginning,
_WORTH = 64  # provided that the round before expanded this many states for each,
_MOST_PARTS = 1 << 15  # and that these take some 40 MB
ScalarT = TypeVar("ScalarT", bound=np.generic)

if TYPE_CHECKING:
    from cubesolve.group.permutations import Arrangement
    from cubesolve.search.additive import PieceSubset
    from cubesolve.spaces.rows import Rows
    from cubesolve.spaces.space import StateSpace


@part
def largest_first(
    bounds: NDArray[np.int16], depth: int | np.int64, at: int | np.int64, order: NDArray[np.int64], to: int | np.int64
) -> None:
    """Sort the groups of a state, largest bound first."""
    for g in range(bounds.shape[2]):
        place = g
        while place > 0 and bounds[depth, at, order[to, place - 1]] < bounds[depth, at, g]:
            order[to, place] = order[to, place - 1]
            place -= 1
        order[to, place] = g


@part
def is_solved(ranks: NDArray[np.integer], row: int | np.int64, solved: NDArray[np.int64]) -> bool:
    """Return whether a row of ranks is that of a solved state; any row, if there is none."""
    is_goal = len(solved) == 0
    for i in range(len(solved)):
        same = True
        for t in range(solved.shape[1]):
            same &= ranks[row, t] == solved[i, t]
        is_goal |= same
    return is_goal


class SearchTables(NamedTuple):
    """A puzzle and its pattern databases, as the kernel reads them."""

    # for each row of a space and each move, see `Projected.write_steps`; all spaces one after the other
    steps: Read1[np.int32]
    fibre: Read1[np.int32]  # the transposed fibres, likewise
    tables: Read1[np.uint8]  # the distances, likewise
    # (projections, 6): where the steps, the fibre and the table of each begin, the width of its space, the number of
    # its actions, and what the ranks in its steps are divided by
    layout: Read2[np.int64]
    renamed: Read2[np.int64]  # (projections, moves): the move of the space for each move of the puzzle
    groups: Read1[np.int64]  # (groups + 1,): the first projection of each group, and the number of all
    following: Read2[np.int64]  # (canonical states, moves): the canonical state that a move leads to, or -1
    costs: Read1[np.int64]  # (moves,): the cost of each move
    solved: Read2[np.int64]  # (solved states, projections): their ranks


@kernel(at_start=True)
def deepen(  # noqa: PLR0912, PLR0915  # one loop over a batch, in stages
    problem: SearchTables, roots: Read2[np.int64], task: Task, found: SearchOutput
) -> int:
    """Find algs of exactly the remaining cost, or with `task.stop_at` the states after that number of moves.

    The roots are searched in order; unless `task.every`, the search ends at the first alg. Neighbours that no database
    rules out are appended to the frontier.

    Returns:
        The number of results, which may exceed the room, or -1 if the search was stopped.
    """
    steps, fibre, tables, layout, renamed, groups, following, costs, solved = problem
    longest, stop_at, counts = task.longest, task.stop_at, found.counts
    spaces, moves, sets = len(layout), following.shape[1], len(groups) - 1
    frontier = empty_frontier(longest, moves)
    states, left = frontier.states, frontier.left
    width, room = BATCH * moves, states.shape[1]
    ranks = np.empty((longest + 1, room, spaces), np.int64)
    bounds = np.empty((longest + 1, room, sets), np.int16)
    # The states of one batch, and their neighbours.
    row, column = np.empty((BATCH, spaces), np.int64), np.empty((BATCH, spaces), np.int64)
    order = np.empty((BATCH, sets), np.int64)
    turned, entries = np.empty((width, spaces), np.int64), np.empty((width, spaces), np.int64)
    turned_bounds = np.empty((width, sets), np.int16)
    origin, move = np.empty(width, np.int64), np.empty(width, np.int64)
    chosen = np.empty(width, np.int64)

    number, root = 0, -1
    while True:
        depth, top, taken = take_batch(frontier)
        if taken == 0:
            root += 1
            if root == len(roots):
                return number
            begin(frontier, roots, root)
            # Rows are copied number by number: each type of array slice takes long to compile.
            for g in range(sets):
                bounds[0, 0, g] = roots[root, BOUNDS + g]
            for t in range(spaces):
                ranks[0, 0, t] = roots[root, BOUNDS + sets + t]
            continue
        if task.best[0] < task.first + root:
            return ABORTED
        count = 0
        for i in range(taken):
            at = top + i
            if left[depth, at] == 0 or depth == stop_at:
                if number < len(found.algs):
                    write_result(frontier, depth, at, root, found, number)
                    for g in range(sets):
                        found.nodes[number, BOUNDS + g] = bounds[depth, at, g]
                    for t in range(spaces):
                        found.nodes[number, BOUNDS + sets + t] = ranks[depth, at, t]
                number += 1
                if left[depth, at] == 0 and not task.every:
                    return number
                continue
            for t in range(spaces):
                a, b = divmod(ranks[depth, at, t], layout[t, 3])
                row[i, t] = layout[t, 0] + 3 * moves * a
                column[i, t] = layout[t, 1] + layout[t, 4] * b
            largest_first(bounds, depth, at, order, i)
            for m in range(moves):
                if steps[row[i, 0] + 3 * renamed[0, m]] < 0 or following[states[depth, at], m] < 0:
                    continue
                if costs[m] > left[depth, at]:
                    counts[root, 2] = min(counts[root, 2], costs[m] - left[depth, at])
                    continue
                origin[count], move[count], chosen[count] = i, m, count
                count += 1
        counts[root, 0] += count
        kept = count
        for turn in range(sets):
            for n in range(kept):
                j = chosen[n]
                i = origin[j]
                g = order[i, turn]
                for t in range(groups[g], groups[g + 1]):
                    step = row[i, t] + 3 * renamed[t, move[j]]
                    image = fibre[column[i, t] + steps[step + 1]]
                    turned[j, t] = layout[t, 5] * steps[step] + image
                    entries[j, t] = layout[t, 2] + steps[step + 2] + image
                    prefetch(tables, entries[j, t])
            still = 0
            for n in range(kept):
                j = chosen[n]
                i = origin[j]
                g = order[i, turn]
                bound = 0
                for t in range(groups[g], groups[g + 1]):
                    bound += tables[entries[j, t]]
                    counts[root, 1] += 1
                turned_bounds[j, g] = bound
                beyond = bound + costs[move[j]] - left[depth, top + i]
                if beyond > 0:
                    counts[root, 2] = min(counts[root, 2], beyond)
                chosen[still] = j
                still += beyond <= 0
            kept = still
        for n in range(kept):
            j = chosen[n]
            at = top + origin[j]
            rest = left[depth, at] - costs[move[j]]
            if rest == 0 and not is_solved(turned, j, solved):
                counts[root, 2] = 1
                continue
            to = append(frontier, depth, at, move[j], following[states[depth, at], move[j]], rest)
            for t in range(spaces):
                ranks[depth + 1, to, t] = turned[j, t]
            for g in range(sets):
                bounds[depth + 1, to, g] = turned_bounds[j, g]


class Projected(NamedTuple):
    """A projection with its pattern database, as a search uses it."""

    space: StateSpace | PieceSubset
    depths: NDArray[np.uint8]  # (entries,): the distances there
    renamed: Sequence[int] | None = None  # the move of the space for each move of the puzzle; by default the same
    # (rows of the space,): the row of the table for each, which must be the same whenever the space is used; by default
    # the same
    table_rows: NDArray[np.int32] | None = None

    def write_steps(self, steps: NDArray[np.int32]) -> None:
        """Write for each row and move the rank, divided by `divisor`, the row of the fibre, and the entry."""
        width, divisor = self.space.width, self.divisor
        for move in range(steps.shape[1]):
            base, action = self.space.of_move(move)
            steps[:, move, 0], steps[:, move, 1] = base // divisor, action
            steps[:, move, 2] = base if self.table_rows is None else self.table_rows[base // width] * np.int64(width)

    @property
    def divisor(self) -> int:
        """The divisor of ranks in the steps, which have 31 bits: the width, unless moves take rows apart."""
        return self.space.width if self.space.keeps_rows else 1


def joined(arrays: Mapping[int, NDArray[ScalarT]]) -> tuple[NDArray[ScalarT], dict[int, int]]:
    """Return arrays one after the other, and where each begins: the array whose parts they are, if there is one."""
    listed, firsts = [*arrays.values()], [*itertools.accumulate(map(len, arrays.values()), initial=0)]
    begins, whole = dict(zip(arrays, firsts, strict=False)), listed[0].base
    if isinstance(whole, np.ndarray) and (whole.dtype, whole.shape) == (listed[0].dtype, (firsts[-1],)):
        place = whole.ctypes.data
        if all(
            array.ctypes.data == place + first * whole.itemsize for array, first in zip(listed, firsts, strict=False)
        ):
            return whole, begins
    return np.concatenate(listed), begins


def _written(
    sizes: Mapping[int, int], write: Callable[[int, NDArray[np.int32]], object]
) -> tuple[NDArray[np.int32], dict[int, int]]:
    """Return an array of parts with some sizes, each of which a function writes, and where each begins."""
    whole = np.empty(sum(sizes.values()), np.int32)
    begins = dict(zip(sizes, itertools.accumulate(sizes.values(), initial=0), strict=False))
    for key, first in begins.items():
        write(key, whole[first : first + sizes[key]])
    return whole, begins


class Opened(NamedTuple):
    """A search with its tables."""

    solver: DeepeningSolver
    ranks_of_rows: Callable[[Rows], NDArray[np.int64]]  # (N, points) to (N, tables): negative for unreachable states
    spaces: Sequence[StateSpace] = ()  # of the tables, if each has one for itself

    def ranks(self, state: Arrangement) -> list[int]:
        """Return the ranks of a state in all tables; one is negative for unreachable states."""
        [ranks] = self.ranks_of_rows(np.array([list(state)])).tolist()
        return cast("list[int]", ranks)


class DeepeningSolver(ABC):
    """Finds optimal algs by iterative deepening, with a kernel that searches from some roots."""

    # the arrays of the search, among them `following`, `costs` and `solved` of `SearchTables`; if no solved states are
    # listed, every state whose bounds are 0 is treated as solved, and the caller checks it
    problem: Any
    nodes: int  # the number of states expanded by all searches so far
    probes: int  # the number of table entries read for that

    def __init__(self, kernel: Callable[..., int], problem: Any) -> None:
        """Take a kernel with the arguments and results of `deepen`, and its arrays."""
        self.nodes = self.probes = 0
        self.problem = problem
        self._kernel = kernel
        self._paused = Paused()
        self._beginnings = list(itertools.islice(beginnings(problem.following.tolist()), _SPLIT_AT))
        self._dearest, self._cheapest = int(problem.costs.max()), int(problem.costs.min())

    def following(self, following: Sequence[Sequence[int]]) -> Self:
        """Return this search with another automaton of the moves that may follow one another."""
        other = copy.copy(self)
        other.problem = self.problem._replace(following=np.array(following, np.int64))
        other._beginnings = list(itertools.islice(beginnings(following), _SPLIT_AT))
        return other

    def skipping(self, ranks: Sequence[int]) -> tuple[Any, int]:  # noqa: ARG002  # few puzzles have another automaton
        """Return the arrays of a search for one alg, and the canonical state in which it begins."""
        return self.problem, 0

    @abstractmethod
    def bounds(self, ranks: ArrayLike) -> NDArray[np.int64]:
        """Return the bound of each group, for states given by their ranks."""

    def solve(
        self,
        ranks: Sequence[int],
        *,
        every: bool = False,
        accept: Callable[[Alg], bool] | None = None,
        max_depth: int | None = None,
        ruled_out: int = -1,
        workers: int | None = None,
        progress: Progress | None = None,
        about: Hashable = None,
    ) -> list[Alg]:
        """Return optimal algs that solve a state.

        Args:
            accept: returns whether an alg solves the state, if the projections do not distinguish all states.
            progress: called from this thread after each length, and within a length every two seconds.
            about: the state; if given, a search that ends at the deadline is continued by the next one about it.
        """
        require_workers(workers)
        clock, before = current(), self.nodes
        bounds = self.bounds(ranks)
        length = max(int(bounds.max()), ruled_out + 1)
        if length == 0:
            solved = self.problem.solved
            is_goal = not len(solved) or (solved == np.array(ranks)).all(axis=1).any()
            if is_goal and (accept is None or accept(())):
                return [()]
            length = 1
        problem, first = (self.problem, 0) if every else self.skipping(ranks)
        kernel = Search(functools.partial(self._kernel, problem), SearchOutput, slice(BOUNDS, BOUNDS + len(bounds)))
        run: Run | None = None

        def search(length: int, watch: Watch) -> tuple[list[Alg], int]:
            nonlocal run
            root = Node((), np.concatenate([[first, length], bounds, ranks]))
            key = None if about is None else (about, every, length)
            paused, longest = self._paused.take(key), length // self._cheapest
            # A round of one part cannot be continued.
            run = paused if paused and paused.is_divided else Run(kernel, longest, every, accept, paused or run, self)
            with self._paused.keeping(run, key):
                return run.run([root], self._split(run, length), clock, workers, watch), run.beyond

        return deepened(length, search, lambda: self.nodes - before, max_depth=max_depth, progress=progress)

    def _split(self, run: Run, length: int) -> int | None:
        """Return after how many moves the parts of a round begin; None if one part is enough."""
        parts = ((n, number) for n, number in self._beginnings if self._dearest * n < length)
        return max((n for n, number in parts if number <= _MOST_PARTS and number * _WORTH <= run.before), default=None)


class ProjectedSolver(DeepeningSolver):
    """Finds optimal algs with pattern databases."""

    problem: SearchTables

    def __init__(
        self,
        groups: Sequence[Sequence[Projected]],
        solved: ArrayLike,
        following: Sequence[Sequence[int]],
        costs: Sequence[int],
    ) -> None:
        projections = [projection for group in groups for projection in group]
        moves = len(costs)
        spaces = {id(projection.space): projection for projection in projections}
        fibres = {key: projection.space.fibre.T for key, projection in spaces.items()}
        steps, first_steps = _written(
            {key: projection.space.rows * moves * 3 for key, projection in spaces.items()},
            lambda key, part: spaces[key].write_steps(part.reshape(-1, moves, 3)),
        )
        fibre, first_images = _written(
            {key: array.size for key, array in fibres.items()},
            lambda key, part: np.copyto(part.reshape(fibres[key].shape), fibres[key], casting="unsafe"),
        )
        tables, first_entries = joined({id(projection.depths): projection.depths for projection in projections})
        layout = []
        for projection in projections:
            key = id(projection.space)
            begins = first_steps[key], first_images[key], first_entries[id(projection.depths)]
            layout.append([*begins, *fibres[key].shape, projection.divisor])
        renamed = [projection.renamed or range(moves) for projection in projections]
        problem = SearchTables(
            steps=steps,
            fibre=fibre,
            tables=tables,
            layout=np.array(layout, np.int64),
            renamed=np.array([list(numbers) for numbers in renamed], np.int64),
            groups=np.cumsum([0, *map(len, groups)]),
            following=np.array(following, np.int64),
            costs=np.array(costs, np.int64),
            solved=np.asarray(solved, np.int64).reshape(-1, len(projections)),
        )
        super().__init__(deepen, problem)
        self._table_rows = [projection.table_rows for projection in projections]

    def bounds(self, ranks: ArrayLike) -> NDArray[np.int64]:
        """Return the bound of each group, for states given by their ranks in all projections."""
        entries = np.array(ranks, np.int64)
        for column, (rows, width) in enumerate(zip(self._table_rows, self.problem.layout[:, 3].tolist(), strict=True)):
            if rows is not None:
                row, rest = np.divmod(entries[..., column], width)
                entries[..., column] = rows[row].astype(np.int64) * width + rest
        depths = self.problem.tables[self.problem.layout[:, 2] + entries].astype(np.int64)
        return np.add.reduceat(depths, self.problem.groups[:-1], axis=-1)
