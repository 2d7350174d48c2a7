"""Search with any heuristic: beam search, batched weighted A* and IDA* over arrays of states (numpy)."""

from __future__ import annotations

import heapq
import itertools
import math
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cubesolve.definition.state import StateT
from cubesolve.definition.view import DefinedView
from cubesolve.errors import SearchLimitError, in_bytes
from cubesolve.runtime.arguments import integer, one_of
from cubesolve.runtime.deadline import Deadline, check, current, running
from cubesolve.runtime.machine import half_of_memory
from cubesolve.search.limits import Progress
from cubesolve.solvers.answers import Solution
from cubesolve.solvers.beam import BeamSearch
from cubesolve.solvers.defined_arrays import Successors
from cubesolve.solvers.solver import Solver
from cubesolve.solvers.state_arrays import StateArrays, States
from cubesolve.spaces.rows import hashed

METHODS = ("beam", "bwas", "ida")
"""The methods of `Puzzle.search`."""

TAKES = ("labels", "onehot")
"""The forms in which a heuristic takes states."""

StateHeuristic = Callable[[NDArray[Any]], ArrayLike]
"""Takes an array of states, and returns a number for each."""

_CHUNK, _CHUNK_BYTES = 1 << 14, 1 << 26  # states in a call of the heuristic
_STEPS = 16  # classes of estimates in the difference of one move
_LARGEST = float(1 << 62)  # number of a class
_NODE = 200  # bytes of a node of A*, beside labels


class Options(NamedTuple):
    """The options of a search; see `Puzzle.search`."""

    method: str
    takes: str
    width: int
    weight: float
    max_depth: int | None
    memory: int | None
    symmetric: bool
    progress: Progress | None


def guided(
    solver: Solver[StateT], state: object, heuristic: StateHeuristic, options: Options, metric: str | None
) -> Solution[StateT]:
    """Solve a state with a heuristic; see `Puzzle.search`."""
    arrays = solver.state_arrays(metric)
    given = arrays.states(state[None])[0] if isinstance(state, np.ndarray) else solver.rules.read(state)
    search = GuidedSearch(arrays, heuristic, options)
    if isinstance(solver.rules.view, DefinedView) and solver.rules.kind != "goals":
        solver.workbench(metric).searched.home(given)  # otherwise the search might not end
    moves = search.solve(arrays.read([given]))
    alg = " ".join(arrays.moves[move] for move in moves)
    return Solution(alg, search.at_least, solver.rules, given, nodes=search.nodes)


class GuidedSearch:
    """A search from one state with a heuristic."""

    def __init__(self, arrays: StateArrays, heuristic: StateHeuristic, options: Options) -> None:
        one_of("method", options.method, METHODS)
        one_of("form of states", options.takes, TAKES)
        if not callable(heuristic):
            raise ValueError(f"heuristic must be a function, not {type(heuristic).__name__}")
        if not isinstance(options.weight, (int, float, np.integer, np.floating)) or not 0 <= options.weight < math.inf:
            raise ValueError(f"weight must be a number of at least 0, not {options.weight!r}")
        self._arrays, self._heuristic, self._method = arrays, heuristic, options.method
        self._onehot, self._weight, self._progress = options.takes == "onehot", float(options.weight), options.progress
        self._width = integer("width", options.width, 1)
        self._most = math.inf if options.max_depth is None else integer("max_depth", options.max_depth, 0)
        self._symmetric = options.symmetric
        if options.method == "beam" and (arrays.costs != 1).any():
            raise ValueError("beam search counts moves, and here some cost more: choose the method bwas or ida")
        self._memory = half_of_memory() if options.memory is None else integer("memory", options.memory, 0)
        size = 4 * arrays.points * (arrays.labels if self._onehot else 1)
        self._chunk = max(1, min(_CHUNK, _CHUNK_BYTES // size))
        self.at_least = 0  # the lower bound of the solution length that is proved without trusting the heuristic
        self.nodes, self._started = 0, time.monotonic()  # states that were evaluated

    def solve(self, start: States) -> list[int]:
        """Return the numbers of moves that solve a state: uint8 (1, points)."""
        if self._arrays.is_solved(start)[0]:
            return []
        self._prove(1)
        return {"beam": self._beam, "bwas": self._a_star, "ida": self._ida_star}[self._method](start)

    def _prove(self, at_least: int) -> None:
        self.at_least = at_least
        current().prove(at_least)

    # -- Parts of all methods ------------------------------------------------------------------------------------------

    def _values(self, states: States) -> NDArray[np.float64]:
        values = np.empty(len(states))
        for first in range(0, len(states), self._chunk):
            check()
            piece = states[first : first + self._chunk]
            seen = self._arrays.one_hot(piece).astype(np.float32) if self._onehot else piece.copy()
            with running(Deadline(within=current())):  # what a heuristic proves is about other states
                given = self._heuristic(seen)
            values[first : first + len(piece)] = read_values(given, len(piece))
        if not np.isfinite(values).all():
            raise ValueError(f"the heuristic returns {values[~np.isfinite(values)][0]}, not a finite number")
        self.nodes += len(states)
        return values

    def _keys(self, states: States) -> NDArray[np.uint64]:
        """Return a number for each state, equal for states that count as duplicates."""
        return hashed(self._arrays.least_images(states) if self._symmetric else states)

    def _after(self, states: States) -> Successors:
        """Return the states after all possible moves."""
        check()
        after = self._arrays.successors(states)
        check()
        return after

    def _report(self, depth: int) -> None:
        if self._progress is not None:
            self._progress(depth, self.nodes, time.monotonic() - self._started)

    def _require_memory(self, used: int) -> None:
        if used > self._memory:
            raise SearchLimitError(self.at_least, f"with {in_bytes(self._memory)} of memory")

    # -- Beam search ---------------------------------------------------------------------------------------------------

    def _beam(self, start: States) -> list[int]:
        search = BeamSearch(
            self._arrays,
            self._values,
            self._width,
            self._most,
            memory=self._memory,
            keys=self._keys,
            after_level=self._report,
        )
        try:
            return search.solve(start)
        finally:
            self.at_least = search.at_least

    # -- Weighted A* ---------------------------------------------------------------------------------------------------

    def _a_star(self, start: States) -> list[int]:
        tree, reached, queue = _Tree(start, self._keys(start)), _Reached(), _Queue()
        reached.shorter(tree.keys, tree.costs)
        queue.put(np.zeros(1, np.int64), self._weight * self._values(start))
        goal, cost, cut = -1, math.inf, False
        while queue and queue.least < cost:
            taken = queue.take(self._width)
            costs = tree.costs[taken]
            taken = taken[reached.costs(tree.keys[taken]) == costs]  # others were reached with less since
            cut |= bool((tree.costs[taken] >= self._most).any())
            taken = taken[tree.costs[taken] < min(cost, self._most)]
            if not len(taken):
                continue
            after, rows, moves = self._after(tree.states[taken])
            costs = tree.costs[taken[rows]] + self._arrays.costs[moves]
            keys = self._keys(after)
            kept = reached.shorter(keys, costs)
            kept = kept[costs[kept] <= self._most]
            if not len(kept):
                continue
            after, costs = after[kept], costs[kept]
            numbers = tree.add(after, costs, keys[kept], taken[rows[kept]], moves[kept])
            solved = self._arrays.is_solved(after)
            for node in numbers[solved].tolist():
                if tree.costs[node] < cost:
                    goal, cost = node, int(tree.costs[node])
            queue.put(numbers[~solved], costs[~solved] + self._weight * self._values(after[~solved]))
            self._report(int(costs.max()))
            self._require_memory(tree.size * (_NODE + self._arrays.points))
        if goal < 0:
            limit = f"at max_depth {self._most}" if cut else "without another state to expand"
            raise SearchLimitError(self.at_least, limit)
        return tree.path(goal)

    # -- IDA* ----------------------------------------------------------------------------------------------------------

    def _ida_star(self, start: States) -> list[int]:
        limit = max(1.0, float(np.ceil(self._weight * self._values(start)[0] - 1e-6)))
        while limit <= self._most:
            alg, limit = self._within(start, int(limit))
            if alg is not None:
                return alg
            if limit == math.inf:
                raise SearchLimitError(self.at_least, "without another state to expand")
        raise SearchLimitError(self.at_least, f"at max_depth {self._most}")

    def _within(self, start: States, most: int) -> tuple[list[int] | None, float]:
        """Search depth-first, a block of states at a time; return the moves, and the least estimate beyond `most`."""
        following = self._arrays.following
        stack = [_Block(start, np.zeros(1, np.int32), np.zeros(1, np.int64), np.empty((1, 0), np.int16))]
        beyond = math.inf
        while stack:
            block = stack.pop()
            if len(block.states) > self._width:
                stack.append(block.part(slice(None, -self._width)))
                block = block.part(slice(-self._width, None))
            after, rows, moves = self._after(block.states)
            automaton = following[block.automaton[rows], moves]
            allowed = automaton >= 0
            after, rows, moves, automaton = after[allowed], rows[allowed], moves[allowed], automaton[allowed]
            paths = np.concatenate([block.paths[rows], moves[:, None].astype(np.int16)], axis=1)
            costs = block.costs[rows] + self._arrays.costs[moves]
            solved = self._arrays.is_solved(after)
            if (solved & (costs <= most)).any():
                return [int(move) for move in paths[(solved & (costs <= most)).argmax()]], most
            left = np.maximum(np.ceil(self._weight * self._values(after) - 1e-6), 1)
            left[solved] = 0
            estimates = costs + left
            near = estimates <= most
            beyond = min(beyond, float(estimates[~near].min(initial=math.inf)))
            if near.any():
                stack.append(_Block(after[near], automaton[near], costs[near], paths[near]))
                self._require_memory(sum(column.nbytes for waiting in stack for column in waiting))
        self._report(most)
        return None, beyond


class _Block(NamedTuple):
    """States after equally many moves: labels, the automaton of the moves before, their costs, and these moves."""

    states: States
    automaton: NDArray[np.int32]
    costs: NDArray[np.int64]
    paths: NDArray[np.int16]

    def part(self, rows: slice) -> _Block:
        """Return some of the states."""
        columns: list[Any] = [column[rows] for column in self]
        return _Block(*columns)


class _Tree:
    """The nodes of A*: their states, costs, keys, parents and moves, in arrays that grow."""

    def __init__(self, start: States, keys: NDArray[np.uint64]) -> None:
        self.size = 1
        self.states, self.costs, self.keys = start.copy(), np.zeros(1, np.int64), keys
        self._parents, self._moves = np.full(1, -1), np.zeros(1, np.int16)

    def add(self, *new: NDArray[Any]) -> NDArray[np.int64]:
        """Add nodes; return their numbers."""
        columns: list[NDArray[Any]] = [self.states, self.costs, self.keys, self._parents, self._moves]
        first, self.size = self.size, self.size + len(new[0])
        if self.size > len(self.costs):
            columns = [np.resize(column, (2 * self.size, *column.shape[1:])) for column in columns]
            self.states, self.costs, self.keys, self._parents, self._moves = columns
        for column, values in zip(columns, new, strict=True):
            column[first : self.size] = values
        return np.arange(first, self.size)

    def path(self, node: int) -> list[int]:
        """Return the moves that lead to a node."""
        moves = list[int]()
        while node > 0:
            moves.append(int(self._moves[node]))
            node = int(self._parents[node])
        return moves[::-1]


class _Reached:
    """The least cost with which each state was reached: runs of sorted keys, each at most half of the one before."""

    def __init__(self) -> None:
        self._runs = list[tuple[NDArray[np.uint64], NDArray[np.int64]]]()

    def costs(self, keys: NDArray[np.uint64]) -> NDArray[np.float64]:
        """Return the cost of each key; infinity for those that were not reached."""
        least = np.full(len(keys), np.inf)
        for reached, costs in self._runs:
            places = np.minimum(np.searchsorted(reached, keys), len(reached) - 1)
            equal = reached[places] == keys
            least[equal] = np.minimum(least[equal], costs[places[equal]])
        return least

    def shorter(self, keys: NDArray[np.uint64], costs: NDArray[np.int64]) -> NDArray[np.intp]:
        """Keep the costs that are less than those before; return their indices, one for each key."""
        by_cost = costs.argsort(kind="stable")
        order = by_cost[np.unique(keys[by_cost], return_index=True)[1]]
        order = order[costs[order] < self.costs(keys[order])]
        run = keys[order], costs[order]
        while self._runs and len(self._runs[-1][0]) < 2 * len(run[0]):
            older = self._runs.pop()
            both, all_costs = np.concatenate([run[0], older[0]]), np.concatenate([run[1], older[1]])
            both, first = np.unique(both, return_index=True)  # the cost of a key that both have is less in the run
            run = both, all_costs[first]
        if len(run[0]):
            self._runs.append(run)
        return order


class _Queue:
    """Nodes by their estimates, in classes: within a class, the last come first."""

    def __init__(self) -> None:
        # blocks of nodes of one class, with minus the number of the block
        self._heap, self._numbers = list[tuple[int, int, NDArray[np.int64]]](), itertools.count()

    def __bool__(self) -> bool:
        return bool(self._heap)

    @property
    def least(self) -> float:
        """A lower bound of all estimates."""
        return self._heap[0][0] / _STEPS

    def put(self, nodes: NDArray[np.int64], estimates: NDArray[np.float64]) -> None:
        """Add nodes."""
        classes = np.floor(np.clip(estimates * _STEPS, -_LARGEST, _LARGEST)).astype(np.int64)
        for number in np.unique(classes).tolist():
            heapq.heappush(self._heap, (number, -next(self._numbers), nodes[classes == number]))

    def take(self, number: int) -> NDArray[np.int64]:
        """Remove some nodes of the least estimates."""
        taken = list[NDArray[np.int64]]()
        while number > 0 and self._heap:
            place, serial, block = heapq.heappop(self._heap)
            taken.append(block[-number:])
            if len(block) > number:
                heapq.heappush(self._heap, (place, serial, block[:-number]))
            number -= len(taken[-1])
        return np.concatenate(taken)


def read_values(given: object, number: int) -> NDArray[np.float64]:
    """Return what a heuristic returned for a number of states, as float64 (N,); reject anything else."""
    if hasattr(given, "detach"):  # numpy does not read a tensor of torch that requires a gradient
        given = given.detach().cpu()
    try:
        values = np.asarray(given)
    except (TypeError, ValueError) as error:  # a type that numpy lacks, or rows of different lengths
        raise ValueError(f"the heuristic returns no array of numbers ({number},): {error}") from None
    if values.dtype.kind not in "biuf" or values.shape not in {(number,), (number, 1)}:
        raise ValueError(f"the heuristic returns {values.dtype} {values.shape}, not numbers ({number},)")
    return values.reshape(-1).astype(np.float64)
