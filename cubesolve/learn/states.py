"""The states of a puzzle as arrays, with exact answers: ranks of a table, or rows of labels and a search."""

from __future__ import annotations

import functools
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cubesolve.ask import Puzzle
from cubesolve.definition.view import DefinedView
from cubesolve.encodings import encoding_of
from cubesolve.encodings.batch import Steps, go, lead_down
from cubesolve.encodings.probe import steps_of
from cubesolve.search.limits import NAMES
from cubesolve.solvers.arrays import GraphArrays
from cubesolve.solvers.keywords import GraphQuestion
from cubesolve.solvers.searched_arrays import SearchedArrays
from cubesolve.solvers.state_arrays import StateArrays
from cubesolve.spaces import form_of, space_of
from cubesolve.spaces.tables import UNREACHABLE
from cubesolve.spaces.vectors import LabelEncoding

States: TypeAlias = NDArray[np.integer]  # ranks, (N,), or rows of labels, (N, points)
Depths: TypeAlias = int | NDArray[np.int64] | None  # depth of all states, or of each; None for any

_WALKS = 100  # attempts to find a state at a depth
_MOST_BYTES = 1 << 27  # of the labels of all states, which are cached for many environments


class _States(ABC):
    moves: Sequence[str]  # the names of the moves, in order
    costs: NDArray[np.int64]  # int64 (moves,): the cost of each move
    restricted: bool  # whether some moves are not possible in some states
    encoding: LabelEncoding  # converts states to labels
    known: ClassVar[bool]  # whether answers need no search

    def __init__(
        self, puzzle: Puzzle, question: GraphQuestion, answers: GraphArrays | SearchedArrays, workers: int | None
    ) -> None:
        self._puzzle, self._question, self._answers, self._workers = puzzle, question, answers, workers

    def __deepcopy__(self, _memo: object) -> Self:
        return self  # it does not change

    def __reduce__(self) -> tuple[Callable[..., LearnedStates], tuple[Puzzle, GraphQuestion]]:
        return states_of, (self._puzzle, self._question)

    def walked(self, rng: np.random.Generator, number: int, length: int | range | NDArray[np.int64]) -> States:
        """Return the ends of random walks from the solved state that are not solved."""
        if isinstance(length, range):
            length = length.start + _below(rng, np.full(number, len(length)))
        lengths = np.broadcast_to(length, number).astype(np.int64)
        ends = self._walks(rng, lengths)
        solved = self.are_solved(ends)
        for _ in range(_WALKS):
            left = solved.nonzero()[0]
            if not len(left):
                return ends
            ends[left] = self._walks(rng, lengths[left])
            solved[left] = self.are_solved(ends[left])
        raise ValueError(f"{_WALKS} walks of {lengths[solved.argmax()]} moves ended in the solved state")

    @abstractmethod
    def _walks(self, rng: np.random.Generator, lengths: NDArray[np.int64]) -> States:
        """Return the ends of random walks from the solved state."""

    def are_solved(self, states: States) -> NDArray[np.bool_]:
        """Return which states are solved."""
        return np.asarray(self.distances(states) == 0)

    def distances(self, states: States) -> NDArray[np.uint8]:
        """Return the distance of each state from solved."""
        return self._answers.depths(states, "raise", self._workers)

    def optimal_moves(self, states: States) -> NDArray[np.bool_]:
        """Return the moves that begin an optimal solution: bool (N, moves)."""
        return self._answers.optimal_moves(states, "raise", self._workers)


class RankedStates(_States):
    """The states of a table, as ranks."""

    known = True

    def __init__(self, puzzle: Puzzle, question: GraphQuestion, arrays: GraphArrays, workers: int | None = 1) -> None:
        super().__init__(puzzle, question, arrays, workers)
        self._arrays, graph = arrays, arrays.graph
        self._space = space_of(graph)
        header = puzzle.header(graph.entry)
        self._has_bytes = encoding_of(header).has_bytes
        self._counts, self._labelled = np.array(header.distribution), 0
        self._form, self.moves = form_of(graph), tuple(graph.moves)
        self.encoding = self._form.encoding
        self.costs = self._space.cost_of_moves.astype(np.int64)
        self.restricted = bool((self._space.base < 0).any())

    @property
    def ranks(self) -> int:
        """The number of ranks."""
        return self._arrays.graph.states

    def solved(self, number: int) -> States:
        """Return a solved state, several times."""
        return np.full(number, self._arrays.graph.starts[0], np.int32 if self._has_bytes else np.int64)

    def require_depth(self, depth: int) -> None:
        """Accept any depth: `draw` looks it up."""

    def draw(self, rng: np.random.Generator, number: int, depth: Depths, *, alone: bool) -> States:  # noqa: ARG002
        """Return random states that are not solved, which depend only on the bits of the generator."""
        if not self._counts[1:].any():
            raise ValueError("all states are solved")
        if depth is not None:
            depths, counts = np.broadcast_to(depth, number), self._counts
            outside = depths[(depths < 1) | (depths >= len(counts)) | (counts[depths % len(counts)] == 0)]
            if len(outside):
                raise ValueError(f"no initial state has depth {outside[0]}: depths are 1..{len(counts) - 1}")
            return self._at_depths(rng, depths)
        ranks = np.empty(number, np.int64)
        left = np.arange(number)
        while len(left):
            ranks[left] = _below(rng, np.full(len(left), self.ranks))
            depths = self.distances(ranks[left])
            left = left[(depths == 0) | (depths == UNREACHABLE)]
        return ranks

    def _at_depths(self, rng: np.random.Generator, depth: NDArray[np.int64]) -> NDArray[np.int64]:
        counts = self._counts
        if not self._has_bytes:
            return self._arrays.sample(len(depth), depth, rng).astype(np.int64)
        firsts = np.cumsum(counts) - counts
        ranks: NDArray[np.int32] = self._arrays.probe.by_depth[firsts[depth] + _below(rng, counts[depth])]
        return ranks.astype(np.int64)

    def _walks(self, rng: np.random.Generator, lengths: NDArray[np.int64]) -> States:
        if isinstance(self._puzzle.rules.view, DefinedView):
            walker = self._puzzle.state_arrays(metric=self._question.get("metric"))
            return walker.ranks(walker.walks(len(lengths), lengths, rng).states).astype(np.int64)
        return self._walks_of_ranks(rng, lengths)

    def _walks_of_ranks(self, rng: np.random.Generator, lengths: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the ends of random walks, in which no move returns to the state before if another is possible."""
        at, before = self._at_depths(rng, np.zeros(len(lengths), np.int64)), np.full(len(lengths), -1)
        for step in range(int(lengths.max(initial=0))):
            moving = (lengths > step).nonzero()[0]
            neighbours = self._space.neighbours_of(at[moving])
            possible = (neighbours >= 0) & (neighbours != at[moving, None])
            forward = possible & (neighbours != before[moving, None])
            chosen = np.where(forward.any(axis=1)[:, None], forward, possible)
            order = np.cumsum(chosen, axis=1) - 1
            move = (chosen & (order == _below(rng, order[:, -1] + 1)[:, None])).argmax(axis=1)
            before[moving], at[moving] = at[moving], neighbours[np.arange(len(moving)), move]
        return at

    def moved(self, states: States, moves: NDArray[np.int64]) -> tuple[States, NDArray[np.uint8] | None]:
        """Return the state after a move from each, or the state itself; and their distances, if these are known."""
        if self._has_bytes and len(states) > 1:
            after, distances = states.astype(np.int32), np.empty(len(states), np.uint8)
            go(*self._steps_and_depths, after, moves, distances)
            return after, distances
        neighbours = self._space.neighbours_of(states.astype(np.int64))[np.arange(len(states)), moves]
        after = np.where(neighbours >= 0, neighbours, states)
        return after, self.distances(after)

    @functools.cached_property
    def _steps_and_depths(self) -> tuple[Steps, NDArray[np.uint8]]:
        return steps_of(self._arrays.graph), self._arrays.probe.depths

    def optimal_moves(self, states: States) -> NDArray[np.bool_]:
        """Return the moves that begin an optimal solution: bool (N, moves)."""
        if not (self._has_bytes and self._workers == 1 and len(states) > 1):
            return super().optimal_moves(states)
        leads = np.empty((len(states), len(self.moves)), np.bool_)
        lead_down(*self._steps_and_depths, states.astype(np.int64), leads)
        return leads

    def neighbors(self, states: States) -> States:
        """Return the state after each move, or the state itself: (N, moves)."""
        neighbours = self._arrays.neighbors(states, "raise", self._workers).astype(np.int64)
        return np.where(neighbours >= 0, neighbours, states[:, None]) if self.restricted else neighbours

    def named(self, state: States) -> tuple[int | None, str]:
        """Return the rank of one state, if it has one, and its text."""
        return int(state), self._form.texts(self._form.written(np.array([state])))[0]

    def possible(self, states: States) -> NDArray[np.bool_]:
        """Return which moves are possible: bool (N, moves)."""
        possible: NDArray[np.bool_] = self._space.base.T[states // self._space.width] >= 0
        return possible

    def labels(self, states: States, *, often: bool = False) -> NDArray[np.integer]:
        """Return states as labels, (N, points)."""
        self._labelled += len(states) * often
        is_small = self.ranks * self.encoding.points <= _MOST_BYTES and self.encoding.dtype == np.uint8
        if self._labelled < self.ranks or not (is_small and often):
            return self._form.labels(states.astype(np.int64))
        return np.take(self._all_labels, states, axis=0, mode="clip")

    @functools.cached_property
    def _all_labels(self) -> NDArray[np.integer]:
        row = np.dtype((self.encoding.dtype, (self.encoding.points,)))
        return self._arrays.made_of(np.arange(self.ranks), self._form.labels, row, self._workers)


class LabelledStates(_States):
    """States as rows of labels, whose answers need a search."""

    known = False

    def __init__(self, puzzle: Puzzle, question: GraphQuestion) -> None:
        super().__init__(puzzle, question, puzzle.solver.searched_arrays(question), None)
        self._arrays: StateArrays = puzzle.state_arrays(metric=question.get("metric"))
        self.moves, self.costs, self.encoding = self._arrays.moves, self._arrays.costs, self._arrays.encoding
        self.restricted = not self._arrays.always_possible

    @property
    def ranks(self) -> int:
        """The number of ranks, which there are none of."""
        raise ValueError(f"states of the {self._puzzle.title} have no ranks, because it is solved by search")

    def solved(self, number: int) -> States:
        """Return a solved state, several times."""
        return np.tile(self._arrays.solved, (number, 1))

    def draw(self, rng: np.random.Generator, number: int, depth: Depths, *, alone: bool) -> States:
        """Return random states that are not solved; those at a depth are found by random walks."""
        if depth is not None:
            rows = [self._at_depth(rng, int(level)) for level in np.broadcast_to(depth, number)]
            return np.array(rows, np.uint8).reshape(number, self.encoding.points)
        source = random.Random(int(rng.bit_generator.random_raw()))
        draw = self._one_by_one if alone else self._arrays.random
        states = draw(number, source)
        while len(left := self.are_solved(states).nonzero()[0]):
            states[left] = draw(len(left), source)
        return states

    def _one_by_one(self, number: int, source: random.Random) -> NDArray[np.uint8]:
        return self._arrays.read([self._puzzle.random_state(source) for _ in range(number)])

    def require_depth(self, depth: int) -> None:
        """Reject a depth at which no state is found by random walks."""
        limit = self._puzzle.rules.gods_number if self._question.get("metric") is None else None
        if limit is not None and depth > limit:
            raise ValueError(f"no initial state has depth {depth}: depths are 1..{limit}")
        if set(self.costs.tolist()) != {1}:
            raise ValueError("depth is not supported for moves with different costs, unless there is a table")
        affordable = self._puzzle.solver.moves_in_seconds
        if affordable is not None and depth > affordable:
            raise ValueError(f"depth must be at most {affordable}, not {depth}: no state is found there in seconds")

    def _at_depth(self, rng: np.random.Generator, depth: int) -> NDArray[np.uint8]:
        source = random.Random(int(rng.bit_generator.random_raw()))
        for _ in range(_WALKS):
            walk = self._arrays.walks(1, depth, source.getrandbits(64))
            if walk.lengths[0] == depth and self.distances(walk.states)[0] == depth:
                state: NDArray[np.uint8] = walk.states[0]
                return state
        raise ValueError(f"{_WALKS} random walks found no state at depth {depth}")

    def _walks(self, rng: np.random.Generator, lengths: NDArray[np.int64]) -> States:
        return self._arrays.walks(len(lengths), lengths, rng).states

    def moved(self, states: States, moves: NDArray[np.int64]) -> tuple[States, NDArray[np.uint8] | None]:
        """Return the state after a move from each, or the state itself; and their distances, if these are known."""
        return self._arrays.apply(states, moves), None

    def are_solved(self, states: States) -> NDArray[np.bool_]:
        """Return which states are solved."""
        return self._arrays.is_solved(states)

    def neighbors(self, states: States) -> States:
        """Return the state after each move, or the state itself: (N, moves, points)."""
        return self._arrays.neighbors(states)

    def possible(self, states: States) -> NDArray[np.bool_]:
        """Return which moves are possible: bool (N, moves)."""
        return self._arrays.possible(states)

    def named(self, state: States) -> tuple[int | None, str]:
        """Return the rank of one state, if it has one, and its text."""
        return None, str(self._arrays.states(state[None])[0])

    def labels(self, states: States, *, often: bool = False) -> NDArray[np.integer]:  # noqa: ARG002
        """Return states as labels, (N, points)."""
        return states


LearnedStates: TypeAlias = RankedStates | LabelledStates


def states_of(puzzle: Puzzle, question: GraphQuestion) -> LearnedStates:
    """Return the states of a puzzle."""
    arrays = puzzle.whole(**question)
    if arrays is not None:
        return RankedStates(puzzle, question, arrays)
    for option in set(question).difference({"metric"}):
        advice = "; pass a puzzle with other moves or another goal: see Puzzle.restrict and Puzzle.towards"
        advice = "" if option in NAMES else advice
        raise ValueError(f"{option} is not an option of environments of the {puzzle.title}{advice}")
    return LabelledStates(puzzle, question)


def _below(rng: np.random.Generator, most: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a random number below each limit, from 64 random bits each."""
    # The bits of a generator are the same in all versions of numpy, unlike the numbers that numpy derives from them.
    bits = np.asarray(rng.bit_generator.random_raw(len(most)), np.uint64)
    return (bits % most.astype(np.uint64)).astype(np.int64)
