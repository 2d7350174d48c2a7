"""States of any puzzle as arrays of labels: drawn, moved and compared, many at once (numba)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cubesolve.definition.reach import undoing_costs
from cubesolve.definition.rotations import rotations_of
from cubesolve.definition.state import StateT, solved_in
from cubesolve.errors import InvalidMoveError, InvalidStateError
from cubesolve.group.permutations import Permutation, after, identity, inverse
from cubesolve.runtime.arguments import integer
from cubesolve.runtime.machine import require_workers
from cubesolve.runtime.workers import Workers
from cubesolve.solvers.arrays import MOST_MOVES, GraphArrays, numpy_source
from cubesolve.solvers.defined_arrays import (
    Images,
    Layout,
    Successors,
    depth_images,
    following_moves,
    layout_of,
    moved_points,
    random_rows,
)
from cubesolve.solvers.faults import read_each
from cubesolve.solvers.keywords import DrawQuestion
from cubesolve.solvers.sources import random_source
from cubesolve.spaces import form_of, gathers
from cubesolve.spaces.batches import as_array, taken
from cubesolve.spaces.defined_graph import DerivedGraph
from cubesolve.spaces.derived import derived_space
from cubesolve.spaces.rules import GraphRules
from cubesolve.spaces.vectors import write_hot

if TYPE_CHECKING:
    from cubesolve.solvers.solver import Solver, Source
    from cubesolve.spaces.defined import DerivedRules

States = NDArray[np.uint8]
"""States as labels, uint8 (N, points)."""

MOST_LENGTH = 1 << 20
"""The maximum number of moves of a walk."""

_MOST_LABELS = 256
_WORTH_THREADS = 1 << 20  # labels
_KEY_BITS, _FACTOR = 16, np.uint64(0x9E3779B97F4A7C15)  # of the keys of labels on a few points


class Walks(NamedTuple):
    """Random walks.

    Attributes:
        states: uint8 (N, points): the labels of the states in which they end.
        moves: uint8 (N, longest): the numbers of their moves, 255 after the last; uint16, and 65,535 after the last,
            if the puzzle has more than 255 moves.
        lengths: int64 (N,): the numbers of moves: smaller than requested where no move was possible.
    """

    states: States
    moves: NDArray[np.unsignedinteger]
    lengths: NDArray[np.int64]


class StateArrays(Generic[StateT]):
    """The states of a puzzle as arrays of labels, with or without a table.

    A state is a row of labels, one for each point; "Numbers in arrays" in docs/learning.md has the meaning of the
    labels of each puzzle. States that differ by a rotation of the whole puzzle are different rows.

    Attributes:
        moves: the names of the moves, in the order of their numbers.
        costs: int64 (moves,): their costs.
        points: the number of points of a state.
        labels: the number of labels.
        numbering: the meaning of the labels.
        solved: uint8 (points,): the solved state at which algs start.
        always_possible: whether each move is possible in every state.
        has_inverses: whether a move undoes each move.

    >>> from cubesolve import puzzle
    >>> arrays = puzzle("rubik").state_arrays()
    >>> walks = arrays.walks(1000, 20, rng=1)
    >>> walks.states.shape, int(arrays.is_solved(walks.states).sum()), arrays.moves[walks.moves[0, 0]]
    ((1000, 54), 0, "L'")
    """

    _has_graph: ClassVar[bool] = True  # a definition gives the moves

    def __init__(self, solver: Solver[StateT], metric: str | None) -> None:
        """Take the solver of a puzzle, and a metric.

        Raises:
            ValueError: the puzzle has no definition, more than 256 labels, or not this metric.
        """
        self._solver, self._metric = solver, metric
        self._layout = layout = self._laid_out()
        encoding, title = layout.encoding, solver.rules.title
        if encoding.labels > _MOST_LABELS:
            limit = f"arrays have at most {_MOST_LABELS}, one byte each"
            raise ValueError(f"the {title} has {encoding.labels} labels, and {limit}: define fewer pieces as different")
        self._moves, self.encoding, self.solved, self.numbering = layout[:4]
        self._gathers = gathers.Gathers.of(encoding.points, layout.moves, layout.illegal, layout.numbers)
        self.points, self.labels = encoding.points, encoding.labels
        self.moves = tuple(move.name for move in layout.moves)
        self.costs = np.array([move.cost for move in layout.moves], np.int64)
        self.always_possible, self.has_inverses = self._gathers.always_possible, not layout.directed

    def _laid_out(self) -> Layout:
        """Return the layout of a puzzle with a definition."""
        rules = self._solver.rules
        self._own_moves = moves = rules.array_moves(self._metric)
        if moves is None:
            asked = rules.graph(metric=self._metric) if isinstance(rules, GraphRules) else self._graph
            named = {move.name: move for move in self._graph.definition_moves}  # the solver's may be fewer
            moves = tuple(named[name] for name in asked.moves)
        solved = self._rules.definition.solved
        reach = None if self._rules.origin is None else self._graph.reach
        first = solved[0] if reach is None else next(filter(reach.has, solved), solved[0])  # if this is known
        return layout_of(self._rules, moves, first)

    @property
    def _rules(self) -> DerivedRules[StateT]:
        return self._solver.derived_rules

    @property
    def _graph(self) -> DerivedGraph[StateT]:
        return self._rules.graph(metric=self._metric if self._own_moves is None else None)  # those have other metrics

    def __repr__(self) -> str:
        return f"<StateArrays of {self._solver.rules.name}: {self.points} points, {len(self.moves)} moves>"

    # -- Input and output ----------------------------------------------------------------------------------------------

    def read(self, batch: object) -> States:
        """Return states as an array of labels.

        Args:
            batch: a list of states, each as the puzzle reads it (text in any of its forms, facelets, KPuzzle patterns);
                or an array of labels, (N, points), or one-hot, (N, points, labels) or (N, points * labels), of any
                library that supports DLPack.

        Returns:
            uint8 (N, points). Labels are checked, but not whether moves lead to the state.

        >>> from cubesolve import puzzle
        >>> tiles = puzzle("tiles-2x3").state_arrays()
        >>> tiles.read(["1 2 3 4 0 5"])
        array([[1, 2, 3, 4, 0, 5]], dtype=uint8)
        """
        if not hasattr(batch, "__dlpack__"):  # which arrays of all libraries have
            if isinstance(batch, (str, bytes, Mapping)) or not isinstance(batch, Iterable):
                raise InvalidStateError("a batch is a list or an array of states", "type")
            batch = list(batch)
            if not all(isinstance(state, (list, np.ndarray)) for state in batch):
                return self._read_all(batch)
        array, _ = taken(batch)
        if array.ndim and not len(array):
            return np.empty((0, self.points), np.uint8)
        return np.ascontiguousarray(self.encoding.labels_of(array), np.uint8)

    def _read_all(self, batch: Iterable[object]) -> States:
        return np.array(read_each(batch, self._row), np.uint8).reshape(-1, self.points)

    def _row(self, given: object) -> NDArray[np.uint8]:
        place = self._rules.labelling.arrangement(self._rules.read(given))
        return self._layout.numbers[list(place)]

    def states(self, rows: ArrayLike) -> list[StateT]:
        """Return states as objects of the puzzle, which `Puzzle.write` writes in any form.

        Args:
            rows: labels, (N, points), or one-hot.

        >>> from cubesolve import puzzle
        >>> tiles = puzzle("tiles-2x3").state_arrays()
        >>> print(*tiles.states([[1, 2, 3, 4, 0, 5]]))
        1 2 3 4 0 5
        """
        return read_each(self.read(as_array(rows)), self.state)

    def state(self, row: NDArray[np.integer]) -> StateT:
        """Return the state of one row of labels as an object of the puzzle; see `states`."""
        return self._rules.labelling.looking(row.tolist())

    def from_ranks(self, ranks: ArrayLike) -> States:
        """Return the states with some ranks, for puzzles with arrays of ranks.

        >>> from cubesolve import puzzle
        >>> puzzle("tiles-2x3").state_arrays().from_ranks([0])
        array([[1, 2, 3, 4, 5, 0]], dtype=uint8)
        """
        arrays = self._ranked
        checked, graph = np.asarray(arrays.ranks(ranks, "raise", None)), arrays.graph
        if not isinstance(graph, DerivedGraph):
            return form_of(graph).labels(checked.astype(np.int64)).astype(np.uint8)
        states: States = self._layout.numbers[derived_space(graph).states(checked.astype(np.int64))]
        return states

    def ranks(self, rows: ArrayLike) -> NDArray[np.integer]:
        """Return the rank of each state, for puzzles with arrays of ranks."""
        arrays, states = self._ranked, self.read(rows)
        return arrays.ranks(form_of(arrays.graph).of_labels(states), "raise", None)

    @functools.cached_property
    def _ranked(self) -> GraphArrays:
        return self._solver.arrays({"metric": self._metric})

    def one_hot(self, rows: ArrayLike) -> NDArray[np.int8]:
        """Return int8 (N, points, labels): 1 for the label of each point."""
        states = self.read(rows)
        hot = np.empty((len(states), self.points, self.labels), np.int8)
        self._run(states, lambda rows: write_hot(states[rows], hot[rows]))
        return hot

    # -- Random states -------------------------------------------------------------------------------------------------

    def random(self, number: int, rng: Source = None) -> States:
        """Return uniformly random states, drawn with replacement from all that moves lead to.

        Args:
            rng: a source of random numbers, or a seed for one; by default the system's randomness.

        Raises:
            CubesolveError: the group of the puzzle is too large to draw from it.

        >>> from cubesolve import puzzle
        >>> puzzle("4x4x4").state_arrays().random(3, rng=1).shape
        (3, 72)
        """
        number = integer("number", number, least=0)
        if self._has_graph and (reach := self._graph.reach) and self._graph.reduction.rotated is None:
            rows = random_rows(reach, number, numpy_source(rng))
            if rows is not None:
                return self._layout.numbers[rows]
        question, source = DrawQuestion(), random_source(rng)
        if self._has_graph and self._solver.rules is self._rules and self._metric is not None:
            question["metric"] = self._metric  # illegal labels may block moves of this metric alone
        return self._read_all(self._solver.random_state(source, **question) for _ in range(number))

    def walks(
        self,
        number: int,
        length: ArrayLike,
        rng: Source = None,
        start: ArrayLike | None = None,
        *,
        workers: int | None = None,
    ) -> Walks:
        """Make random moves from the solved state, or from other states.

        A move is drawn, with equal probabilities, from those that are possible and neither undo the move before nor
        could be joined with it; moves that commute come in one order, as long as another move is left and no states are
        illegal.

        Args:
            length: the number of moves: one for all, or integers (N,), such as ``rng.integers(1, 31, number)``.
            rng: a source of random numbers, or a seed for one; by default the system's randomness.
            start: labels, (points,) or (N, points), where the walks begin.

        Raises:
            ValueError: a length is not in 0..1048576.

        >>> from cubesolve import puzzle
        >>> arrays = puzzle("megaminx").state_arrays()
        >>> arrays.walks(2, [1, 3], rng=1).lengths.tolist()
        [1, 3]
        """
        number = integer("number", number, least=0)
        lengths = self._lengths(number, length)
        states = np.tile(self.solved, (number, 1)) if start is None else self._starts(number, start)
        moves = np.full((number, int(lengths.max(initial=0))), gathers.NO_MOVE, np.uint16)
        # The bits of a generator are the same in all versions of numpy.
        seeds = np.asarray(numpy_source(rng).bit_generator.random_raw(number), np.uint64).reshape(number)

        def task(rows: slice) -> None:
            self._walk(seeds[rows], lengths[rows], states[rows], moves[rows])

        self._run(states, task, workers)
        has_bytes = len(self.moves) <= MOST_MOVES
        return Walks(states, moves.astype(np.uint8) if has_bytes else moves, lengths)

    @staticmethod
    def _lengths(number: int, given: ArrayLike) -> NDArray[np.int64]:
        lengths = np.asarray(given)
        if (lengths.size and lengths.dtype.kind not in "iu") or lengths.shape not in {(), (number,)}:
            raise ValueError(f"length must be an integer, or integers ({number},)")
        if ((lengths < 0) | (lengths > MOST_LENGTH)).any():
            raise ValueError(f"the length of a walk is in 0..{MOST_LENGTH}")
        return np.array(np.broadcast_to(lengths, number), np.int64, order="C")

    def _starts(self, number: int, given: ArrayLike) -> States:
        array = as_array(given)
        states = self.read(array[None] if array.ndim == 1 and array.size else array)
        if len(states) not in {1, number}:
            raise InvalidStateError(f"start has {len(states)} states: expected 1 or {number}", "type")
        return np.array(np.broadcast_to(states, (number, self.points)), order="C")

    @functools.cached_property
    def following(self) -> NDArray[np.int32]:
        """The automaton of the moves that may follow each other in a walk: int32 (A, moves), -1 where one may not."""
        return following_moves(self._rules.definition, self._moves, in_order=self._own_moves is None)

    # -- Moves ---------------------------------------------------------------------------------------------------------

    def apply(self, rows: ArrayLike, moves: Any, *, workers: int | None = None) -> States:
        """Apply a move, or an alg, to each state.

        Args:
            rows: labels, (N, points).
            moves: the number of a move for each state, integers (N,); one number for all; or an alg for all, of
                `moves`. A move that is not possible leaves a state as it is.
            workers: the maximum number of threads, which work on large arrays only; by default one for each processor.

        Raises:
            ValueError: these are not numbers of moves.

        >>> from cubesolve import puzzle
        >>> tiles = puzzle("tiles-2x3").state_arrays()
        >>> tiles.apply(tiles.solved[None], "D R")
        array([[1, 0, 2, 4, 5, 3]], dtype=uint8)
        """
        states = self.read(rows)
        if isinstance(moves, str):
            for number in self.numbers(moves):
                states = self._after(states, np.full((len(states), 1), number), workers)[:, 0]
            return states
        return self._after(states, self._checked(moves, len(states))[:, None], workers)[:, 0]

    def _after(self, states: States, moves: NDArray[np.int64], workers: int | None) -> States:
        """Return the states after moves, uint8 (N, ways, points): int64 (N, 1), or all moves (1, ways)."""
        after = np.empty((len(states), moves.shape[1], self.points), np.uint8)

        def task(rows: slice) -> None:
            self._apply(states[rows], moves if len(moves) == 1 else moves[rows], after[rows])

        self._run(after, task, workers)
        return after

    def numbers(self, alg: str) -> list[int]:
        """Return the numbers of the moves of an alg.

        >>> from cubesolve import puzzle
        >>> puzzle("tiles-2x3").state_arrays().numbers("D R")
        [1, 3]
        """
        if self._own_moves is not None:
            return [self.moves.index(name) for name in self._rules.view.split(alg)]
        definition, steps = self._rules.definition, self._rules.labelling.alg_reader(alg)
        number_of = {move.effects: number for number, move in enumerate(self._moves)}
        for number, step in enumerate(steps):
            if definition.effects(step) not in number_of:
                raise InvalidMoveError(
                    definition.written([step]), definition.positions(alg)[number], "is not one of `moves`"
                )
        return [number_of[definition.effects(step)] for step in steps]

    def numbers_of_solution(self, alg: str) -> list[int]:
        """Return the numbers of the moves of a solution, which may end in another orientation of the puzzle."""
        if self._own_moves is not None or not self._graph.merges_rotations:
            return self.numbers(alg)
        graph, numbers, turned = self._graph, list[int](), identity(self.points)
        for step in self._rules.labelling.alg_reader(alg):
            # A move after a rotation is one of `moves`, followed by a rotation.
            turned = after(turned, self._rules.definition.effects(step)[0].sources)
            number = graph.numbers_of_moves.get(turned)
            if number is not None:
                numbers.append(number)
                turned = after(inverse(self._moves[number].effects[0].sources), turned)
        # Otherwise, the method names the move that is not one of `moves`.
        return numbers if turned in graph.reduction.merged else self.numbers(alg)

    @property
    def numbers_by_name(self) -> Mapping[str, int]:
        """The number of each move by a name with which an optimal solution may begin."""
        if self._own_moves is not None:
            return {move: number for number, move in enumerate(self.moves)}
        return self._graph.numbers_by_name

    def _checked(self, given: object, number: int) -> NDArray[np.int64]:
        moves, last = np.asarray(given), len(self.moves) - 1
        if (moves.size and moves.dtype.kind not in "iu") or moves.shape not in {(), (number,)}:
            raise ValueError(f"moves must be integers ({number},), not {moves.dtype} {moves.shape}")
        if moves.size and (moves.min() < 0 or moves.max() > last):
            wrong = int(((moves < 0) | (moves > last)).argmax())
            raise ValueError(f"move {moves.reshape(-1)[wrong]} of row {wrong} is not in 0..{last}")
        return np.ascontiguousarray(np.broadcast_to(moves, number), np.int64)

    def neighbors(self, rows: ArrayLike, *, workers: int | None = None) -> States:
        """Return the state after each move; where a move is not possible, the state itself.

        Returns:
            uint8 (N, moves, points).

        >>> from cubesolve import puzzle
        >>> skewb = puzzle("skewb").state_arrays()
        >>> skewb.neighbors(skewb.solved[None]).shape
        (1, 8, 30)
        """
        return self._after(self.read(rows), np.arange(len(self.moves))[None], workers)

    def successors(self, rows: ArrayLike) -> Successors:
        """Return the states after all possible moves, with the index of the state before each, and the move.

        >>> from cubesolve import puzzle
        >>> tiles = puzzle("tiles-2x3").state_arrays()
        >>> after = tiles.successors(tiles.solved[None])
        >>> after.states.shape, after.origins.tolist(), [tiles.moves[move] for move in after.moves]
        ((2, 6), [0, 0], ['D', 'R'])
        """
        states = self.read(rows)
        origins, moves = self.possible(states).nonzero()
        after = self.neighbors(states).reshape(-1, self.points)
        if len(origins) < len(after):
            after = after[origins * len(self.moves) + moves]
        return Successors(after, origins, moves)

    @property
    def permutations(self) -> NDArray[np.int64]:
        """The moves as permutations: int64 (moves, points), the point that each point's label comes from.

        Graph libraries take them: ``cayleypy.CayleyGraphDef.create(arrays.permutations.tolist(),
        generator_names=list(arrays.moves), central_state=arrays.solved.tolist())``.

        Raises:
            ValueError: not every move is a permutation that is always possible.

        >>> from cubesolve import puzzle
        >>> cube = puzzle("rubik").state_arrays()
        >>> bool((cube.solved[cube.permutations] == cube.neighbors(cube.solved[None])[0]).all())
        True
        """
        if not self.always_possible:
            raise ValueError(f"not every move of the {self._rules.title} is always possible")
        return np.array([list(move.effects[0].sources) for move in self._moves], np.int64)

    @functools.cached_property
    def undoing_costs(self) -> NDArray[np.int64] | None:
        """The cost of undoing each move, int64 (moves,); None if some move has no inverse.

        >>> from cubesolve import puzzle
        >>> skewb = puzzle("skewb").restrict(cost="U=2").state_arrays()
        >>> skewb.moves[2:4], skewb.costs[2:4].tolist(), skewb.undoing_costs[2:4].tolist()
        (('U', "U'"), [2, 1], [1, 2])
        """
        costs = undoing_costs(self._moves)
        return None if costs is None else np.array(costs, np.int64)

    def possible(self, rows: ArrayLike) -> NDArray[np.bool_]:
        """Return which moves are possible: bool (N, moves).

        >>> from cubesolve import puzzle
        >>> tiles = puzzle("tiles-2x3").state_arrays()
        >>> tiles.moves, tiles.possible(tiles.solved[None]).tolist()
        (('U', 'D', 'L', 'R'), [[False, True, False, True]])
        """
        states = self.read(rows)
        possible = np.ones((len(states), len(self.moves)), np.bool_)
        after = np.empty((*possible.shape, 0), np.uint8)
        if not self.always_possible:
            self._run(
                possible, lambda rows: gathers.apply_all(self._gathers, states[rows], after[rows], possible[rows])
            )
        return possible

    def _apply(self, states: States, moves: NDArray[np.int64], after: NDArray[np.uint8]) -> None:
        """Apply moves to each state, which impossible ones leave as it is; see `_after`."""
        if moves.shape == (len(states), 1):
            after[:, 0] = states
            gathers.apply(self._gathers, states, moves[:, 0], after[:, 0])
        else:
            gathers.apply_all(self._gathers, states, after, np.empty(after.shape[:2], np.bool_))

    def _walk(
        self, seeds: NDArray[np.uint64], lengths: NDArray[np.int64], states: States, moves: NDArray[np.uint16]
    ) -> None:
        """Replace states by the ends of random walks, and list their moves; see `gathers.walk`."""
        gathers.walk(self._gathers, self.following, seeds, lengths, states, moves)

    # -- Comparison ----------------------------------------------------------------------------------------------------

    def is_solved(self, rows: ArrayLike, *, workers: int | None = None) -> NDArray[np.bool_]:
        """Return which states are solved, in any orientation of the puzzle: bool (N,)."""
        states = self.read(rows)
        solved = np.zeros(len(states), np.bool_)
        self._run(states, lambda rows: self._mark_solved(states[rows], solved[rows]), workers)
        return solved

    def _mark_solved(self, states: States, solved: NDArray[np.bool_]) -> None:
        known, window, may_be_solved = self._solved_keys
        near = np.flatnonzero(may_be_solved[_keys(states, window)])
        solved[near] = [row.tobytes() in known for row in states[near]]

    @functools.cached_property
    def _solved_keys(self) -> tuple[frozenset[bytes], slice, NDArray[np.bool_]]:
        """The solved states, a few points that distinguish others from them, and which of `_keys` they have."""
        moved, may_be_solved = set(moved_points(self._moves).tolist()), np.zeros(1 << _KEY_BITS, np.bool_)
        width = min(8, 1 << self.points.bit_length() - 1)
        windows = [range(first, first + width) for first in range(self.points - width + 1)]
        best = max(windows, key=lambda window: len({*self.solved[[*moved.intersection(window)]].tolist()}))
        window = slice(best.start, best.stop)
        may_be_solved[_keys(self._solved_rows, window)] = True
        return frozenset(map(bytes, self._solved_rows)), window, may_be_solved

    @functools.cached_property
    def _solved_rows(self) -> NDArray[np.uint8]:
        """Return the solved states in all orientations of the puzzle, (N, points), each once."""
        return np.unique([self._layout.numbers[list(place)] for place in solved_in(self._rules.definition)], axis=0)

    def canonical(self, rows: ArrayLike, *, workers: int | None = None) -> States:
        """Return each state in the orientation of the puzzle whose labels come first in their order.

        States that differ only by a rotation of the whole puzzle become equal rows.

        >>> from cubesolve import puzzle
        >>> cubes = puzzle("pocket").state_arrays()
        >>> turned = cubes.read(["R U", "R U x"])
        >>> len(np.unique(turned, axis=0)), len(np.unique(cubes.canonical(turned), axis=0))
        (2, 1)
        """
        states = self.read(rows)
        least = np.empty_like(states)
        self._run(states, lambda rows: gathers.find_least(*self._rotations, states[rows], least[rows]), workers)
        return least

    @functools.cached_property
    def _rotations(self) -> Images:
        """The rotations of the whole puzzle, the identity first."""
        sources = [list(rotation) for rotation in rotations_of(self._rules.definition)]
        return Images(np.array(sources, np.uint16), np.tile(np.arange(self.labels, dtype=np.uint8), (len(sources), 1)))

    def least_images(self, rows: ArrayLike) -> States:
        """Return a row for each state that is equal for states with the same depth by a rotation or a symmetry.

        Symmetries map moves to moves. Points that no move changes are left out.

        Returns:
            uint8 (N, P).

        >>> from cubesolve import puzzle
        >>> cube = puzzle("rubik").state_arrays()
        >>> len(np.unique(cube.least_images(cube.neighbors(cube.solved[None])[0]), axis=0))  # quarter turns, half turns
        2
        """
        states = self._at_home(self.read(rows))
        least = np.empty((len(states), self._images.sources.shape[1]), np.uint8)
        self._run(states, lambda rows: gathers.find_least(*self._images, states[rows], least[rows]))
        return least

    def _at_home(self, states: States) -> States:
        """Return states rotated so that points that no move changes have the labels of the solved state.

        The symmetries leave this solved state as it is, and not those in other orientations.
        """
        if not self._merged:
            return states
        fixed, home = np.delete(np.arange(self.points), moved_points(self._moves)), states
        turned = (states[:, fixed] != self.solved[fixed]).any(axis=1).nonzero()[0]
        for rotation in self._merged[1:] if len(turned) else ():
            rows = states[turned][:, list(rotation)]
            is_home = (rows[:, fixed] == self.solved[fixed]).all(axis=1)
            home = home.copy() if home is states else home
            home[turned[is_home]] = rows[is_home]
            turned = turned[~is_home]
        return home

    @property
    def _merged(self) -> Sequence[Permutation]:
        """The rotations, the identity first, if states that differ by one have the same depth."""
        return self._graph.reduction.merged if self._has_graph else ()

    @functools.cached_property
    def _images(self) -> Images:
        """The rotations and symmetries that keep the depth, the identity first."""
        return depth_images(self._layout, self._solved_rows, self._merged)

    @staticmethod
    def _run(rows: NDArray[Any], task: Callable[[slice], object], workers: int | None = None) -> None:
        """Run a task over all rows, in several threads if starting them takes less time than they save."""
        require_workers(workers)
        with Workers(len(rows), workers if rows.size >= _WORTH_THREADS else 1) as pool:
            pool.run(lambda first, last: task(slice(first, last)))


def _keys(states: States, window: slice) -> NDArray[np.uint64]:
    """Return some bits of a hash of the labels on as many points as a word has bytes."""
    words = states[:, window].view(f"u{window.stop - window.start}")[:, 0]
    return words * _FACTOR >> np.uint64(64 - _KEY_BITS)
