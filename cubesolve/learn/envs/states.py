"""The states of a puzzle in an environment: ranks of a table, or arrangements that are solved by search."""

from __future__ import annotations

import functools
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, Self, TypeAlias, TypeVar

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from cubesolve import lookup
from cubesolve.ask import Puzzle
from cubesolve.definition.state import StateT
from cubesolve.definition.view import DefinedView
from cubesolve.encodings import encoding_of
from cubesolve.runtime.arguments import integer, one_of
from cubesolve.solvers.arrays import GraphArrays
from cubesolve.solvers.keywords import GraphQuestion
from cubesolve.solvers.state_arrays import MOST_LENGTH, StateArrays
from cubesolve.spaces import form_of, space_of
from cubesolve.spaces.tables import UNREACHABLE
from cubesolve.spaces.vectors import LabelEncoding, numbers_of

OBSERVATIONS = ("labels", "one-hot", "rank")
"""The forms of observations."""

REWARDS = ("move", "drop")
"""The kinds of rewards: minus the cost of the move, or the decrease of the distance."""

ANSWERS = ("distance", "optimal_moves")
"""The possible contents of `info`."""

Depths: TypeAlias = int | NDArray[np.int64] | None
"""The depth at which all episodes begin, or each; None for any."""

Lengths: TypeAlias = int | range | NDArray[np.int64] | None
"""The number of random moves with which all episodes begin, or each, or a range from which it is drawn."""

Beginning: TypeAlias = tuple[Any, Any]
"""How episodes begin: `Depths`, or `Lengths` instead; neither is an array if there is one state."""

PlaceT = TypeVar("PlaceT")
EntryT = TypeVar("EntryT", bound=np.integer)
_Ends: TypeAlias = tuple[NDArray[EntryT], NDArray[np.bool_]]

_WALKS = 100  # attempts to find a state at a depth
_MOST_BYTES = 1 << 27  # of the labels of all states, which are cached for many environments
_PIECE = 1 << 16


class States(ABC, Generic[PlaceT, EntryT]):
    """The states of a puzzle, its moves, and exact answers.

    The type parameters are those of a state, and of the elements of an array of states.

    Attributes:
        moves: the names of the moves, in order.
        costs: int64 (moves,): the cost of each move.
        restricted: whether some moves are not possible in some states.
        encoding: converts states to labels.
        known: whether answers need no search.
    """

    moves: Sequence[str]
    costs: NDArray[np.int64]
    restricted: bool
    encoding: LabelEncoding
    known: bool

    def __init__(self, puzzle: Puzzle, question: GraphQuestion) -> None:
        """Take a puzzle and its options."""
        self._puzzle, self._question = puzzle, question

    def __deepcopy__(self, _memo: object) -> Self:
        return self  # it has no state of an episode

    def __reduce__(self) -> tuple[Callable[..., AnyStates], tuple[Puzzle, GraphQuestion]]:
        return states_of, (self._puzzle, self._question)

    def space(self, observation: str) -> gymnasium.Space[Any]:
        """Return the space of observations.

        Raises:
            ValueError: the form of observations is not supported.
        """
        encoding = self.encoding
        if one_of("observation", observation, OBSERVATIONS) == "one-hot":
            return spaces.MultiBinary([encoding.points, encoding.labels])
        if observation == "rank":
            return spaces.Discrete(self._ranks())
        return spaces.MultiDiscrete(np.full(encoding.points, encoding.labels), dtype=encoding.dtype.type)

    @abstractmethod
    def _ranks(self) -> int:
        """Return the number of ranks."""

    def walked(self, rng: np.random.Generator, number: int, length: int | range | NDArray[np.int64]) -> NDArray[EntryT]:
        """Return the ends of random walks from the solved state that are not solved, as ranks or rows of labels.

        Raises:
            ValueError: too many walks of a length end solved.
        """
        if isinstance(length, range):
            length = length.start + _below(rng, np.full(number, len(length)))
        lengths = np.broadcast_to(length, number).astype(np.int64)
        ends, solved = self._walks(rng, lengths)
        for _ in range(_WALKS):
            left = solved.nonzero()[0]
            if not len(left):
                return ends
            ends[left], solved[left] = self._walks(rng, lengths[left])
        raise ValueError(f"{_WALKS} walks of {lengths[solved.argmax()]} moves ended in the solved state")

    @abstractmethod
    def _walks(self, rng: np.random.Generator, lengths: NDArray[np.int64]) -> _Ends[EntryT]:
        """Return the ends of random walks from the solved state, and which are solved."""

    @abstractmethod
    def walk(self, rng: np.random.Generator, length: int | range) -> PlaceT:
        """Return the end of a random walk that is not solved; see `walked`."""

    @abstractmethod
    def draw(self, rng: np.random.Generator, depth: int | None) -> PlaceT:
        """Return a random state that is not solved.

        Raises:
            ValueError: no state has this depth.
        """

    @abstractmethod
    def after(self, state: PlaceT) -> list[PlaceT | None]:
        """Return the state after each move; None if the move is not possible."""

    @abstractmethod
    def is_solved(self, state: PlaceT) -> bool:
        """Return whether a state is solved."""

    @abstractmethod
    def distance(self, state: PlaceT) -> int:
        """Return the distance of a state from solved."""

    @abstractmethod
    def optimal_moves(self, state: PlaceT) -> NDArray[np.int8]:
        """Return int8 (moves,): 1 for the moves that begin an optimal solution."""

    @abstractmethod
    def shown(self, state: PlaceT, observation: str) -> int | NDArray[np.integer]:
        """Return a state as an observation."""


class RankedStates(States[int, np.int64]):
    """The states of a table, as ranks."""

    known = True

    def __init__(self, puzzle: Puzzle, question: GraphQuestion, arrays: GraphArrays) -> None:
        """Take a puzzle, its options, and its functions for arrays of states."""
        super().__init__(puzzle, question)
        self._arrays, graph = arrays, arrays.graph
        self._space, self._form = space_of(graph), form_of(graph)
        header = puzzle.header(graph.entry)
        self._has_bytes = encoding_of(header).has_bytes
        self._counts, self._shown = np.array(header.distribution), 0
        self.moves, self.encoding = tuple(graph.moves), LabelEncoding.of(self._form)
        self.costs = self._space.cost_of_moves.astype(np.int64)
        self.restricted = bool((self._space.base < 0).any())

    @property
    def arrays(self) -> GraphArrays:
        """The functions for arrays of states.

        Raises:
            ValueError: the table does not have a byte per state.
        """
        if not self._has_bytes:
            name = self._arrays.graph.entry.name
            raise ValueError(f"{name} does not have a byte per state: use vectorization_mode='sync'")
        return self._arrays

    def _ranks(self) -> int:
        return self._arrays.graph.states

    def possible(self, ranks: NDArray[np.integer]) -> NDArray[np.int8]:
        """Return int8 (N, moves): 1 for the possible moves."""
        possible: NDArray[np.int8] = (self._space.base.T[ranks // self._space.width] >= 0).astype(np.int8)
        return possible

    def draw_many(self, rng: np.random.Generator, number: int, depth: Depths) -> NDArray[np.int64]:
        """Return random ranks of states that are not solved, which depend only on the bits of the generator.

        Args:
            depth: one depth for all, or int64 (N,); None for any depth.

        Raises:
            ValueError: no state has such a depth.
        """
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
            ranks[left] = _below(rng, np.full(len(left), self._ranks()))
            depths = self._arrays.depths(ranks[left], "raise", 1)
            left = left[(depths == 0) | (depths == UNREACHABLE)]
        return ranks

    def _at_depths(self, rng: np.random.Generator, depth: NDArray[np.int64]) -> NDArray[np.int64]:
        counts = self._counts
        if not self._has_bytes:
            return self._arrays.sample(len(depth), depth, rng).astype(np.int64)
        firsts = np.cumsum(counts) - counts
        ranks: NDArray[np.int32] = self._arrays.probe.by_depth[firsts[depth] + _below(rng, counts[depth])]
        return ranks.astype(np.int64)

    def shown_many(self, ranks: NDArray[np.integer], observation: str) -> NDArray[np.integer]:
        """Return states as observations, from their ranks."""
        if observation == "rank":
            return ranks.astype(np.int64)
        return self._encoded(self._labels(ranks), observation)

    def labels_fast(self, ranks: NDArray[np.integer]) -> NDArray[np.integer]:
        """Return states as labels; after many calls, from cached labels of all states if they fit in memory."""
        self._shown += len(ranks)
        is_small = self._ranks() * self.encoding.points <= _MOST_BYTES and self.encoding.dtype == np.uint8
        if self._shown < self._ranks() or not is_small:
            return self._labels(ranks)
        return np.take(self._all_labels, ranks, axis=0, mode="clip")

    @functools.cached_property
    def _all_labels(self) -> NDArray[np.integer]:
        labels = np.empty((self._ranks(), self.encoding.points), self.encoding.dtype)
        for first in range(0, len(labels), _PIECE):
            labels[first : first + _PIECE] = self._labels(np.arange(first, min(first + _PIECE, len(labels))))
        return labels

    def _labels(self, ranks: NDArray[np.integer]) -> NDArray[np.integer]:
        return self.encoding.read(numbers_of(self._form, ranks.astype(np.int64)))

    def _encoded(self, labels: NDArray[np.integer], observation: str) -> NDArray[np.integer]:
        return self.encoding.one_hot(labels) if observation == "one-hot" else labels

    def draw(self, rng: np.random.Generator, depth: int | None) -> int:
        """Return a random state that is not solved."""
        return int(self.draw_many(rng, 1, depth)[0])

    def walk(self, rng: np.random.Generator, length: int | range) -> int:
        """Return the end of a random walk that is not solved; see `walked`."""
        return int(self.walked(rng, 1, length)[0])

    def _walks(self, rng: np.random.Generator, lengths: NDArray[np.int64]) -> _Ends[np.int64]:
        if isinstance(self._puzzle.rules.view, DefinedView):
            walker = self._puzzle.state_arrays(metric=self._question.get("metric"))
            ends = walker.ranks(walker.walks(len(lengths), lengths, rng).states).astype(np.int64)
        else:
            ends = self._walks_of_ranks(rng, lengths)
        return ends, self._arrays.depths(ends, "raise", None) == 0

    def _walks_of_ranks(self, rng: np.random.Generator, lengths: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the ends of random walks, in which no move returns to the state before if another is possible."""
        at, before = self._at_depths(rng, np.zeros(len(lengths), np.int64)), np.full(len(lengths), -1)
        for made in range(int(lengths.max(initial=0))):
            moving = (lengths > made).nonzero()[0]
            there = self._space.neighbours_of(at[moving])
            possible = (there >= 0) & (there != at[moving, None])
            forward = possible & (there != before[moving, None])
            chosen = np.where(forward.any(axis=1)[:, None], forward, possible)
            order = np.cumsum(chosen, axis=1) - 1
            move = (chosen & (order == _below(rng, order[:, -1] + 1)[:, None])).argmax(axis=1)
            before[moving], at[moving] = at[moving], there[np.arange(len(moving)), move]
        return at

    def after(self, state: int) -> list[int | None]:
        """Return the state after each move; None if the move is not possible."""
        there = self._space.neighbours_of(np.array([state]))[0].tolist()
        return [rank if rank >= 0 else None for rank in there]

    def is_solved(self, state: int) -> bool:
        """Return whether a state is solved."""
        return self.distance(state) == 0

    def distance(self, state: int) -> int:
        """Return the distance of a state from solved."""
        return int(self._arrays.depths(np.array([state]), "raise", 1)[0])

    def optimal_moves(self, state: int) -> NDArray[np.int8]:
        """Return int8 (moves,): 1 for the moves that begin an optimal solution."""
        leads: NDArray[np.bool_] = self._arrays.optimal_moves(np.array([state]), "raise", 1)[0]
        return leads.astype(np.int8)

    def shown(self, state: int, observation: str) -> int | NDArray[np.integer]:
        """Return a state as an observation."""
        shown = self.shown_many(np.array([state]), observation)[0]
        return int(shown) if observation == "rank" else shown


class SearchedStates(States[NDArray[np.uint8], np.uint8]):
    """States as rows of labels, whose answers need a search."""

    known = False

    def __init__(self, puzzle: Puzzle, question: GraphQuestion) -> None:
        """Take a puzzle and its options."""
        super().__init__(puzzle, question)
        arrays = self.state_arrays
        self.moves, self.costs, self.encoding = arrays.moves, arrays.costs, arrays.encoding
        self.restricted = not arrays.always_possible

    def _ranks(self) -> int:
        raise ValueError(f"states of the {self._puzzle.title} have no ranks, because it is solved by search")

    def draw(self, rng: np.random.Generator, depth: int | None) -> NDArray[np.uint8]:
        """Return a random state that is not solved. States at a depth are found by random walks."""
        source = random.Random(int(rng.bit_generator.random_raw()))
        if depth is not None:
            return self._at_depth(source, depth)
        while True:
            state = _first(self.state_arrays.read([self._puzzle.random_state(source)]))
            if not self.is_solved(state):
                return state

    def _at_depth(self, source: random.Random, depth: int) -> NDArray[np.uint8]:
        most = self._puzzle.rules.gods_number if self._question.get("metric") is None else None
        if most is not None and depth > most:
            raise ValueError(f"no initial state has depth {depth}: depths are 1..{most}")
        if set(self.costs.tolist()) != {1}:
            raise ValueError("depth is not supported for moves with different costs, unless there is a table")
        for _ in range(_WALKS):
            walk = self.state_arrays.walks(1, depth, source.getrandbits(64))
            if walk.lengths[0] == depth and self.distance(walk.states[0]) == depth:
                return _first(walk.states)
        raise ValueError(f"{_WALKS} random walks found no state at depth {depth}")

    @functools.cached_property
    def state_arrays(self) -> StateArrays:
        """The states as rows of labels."""
        return self._puzzle.state_arrays(metric=self._question.get("metric"))

    def walk(self, rng: np.random.Generator, length: int | range) -> NDArray[np.uint8]:
        """Return the end of a random walk that is not solved; see `walked`."""
        return _first(self.walked(rng, 1, length))

    def _walks(self, rng: np.random.Generator, lengths: NDArray[np.int64]) -> _Ends[np.uint8]:
        ends = self.state_arrays.walks(len(lengths), lengths, rng).states
        return ends, self.state_arrays.is_solved(ends)

    def draw_rows(self, rng: np.random.Generator, number: int, depth: Depths) -> NDArray[np.uint8]:
        """Return random states that are not solved, uint8 (N, points); `depth` as for `RankedStates.draw_many`."""
        if depth is None:
            return self._random_rows(random.Random(int(rng.bit_generator.random_raw())), number)
        rows = [self.draw(rng, int(each)) for each in np.broadcast_to(depth, number)]
        return np.array(rows, np.uint8).reshape(number, self.encoding.points)

    def _random_rows(self, source: random.Random, number: int) -> NDArray[np.uint8]:
        rows = self.state_arrays.random(number, source)
        while len(left := self.state_arrays.is_solved(rows).nonzero()[0]):
            rows[left] = self.state_arrays.random(len(left), source)
        return rows

    def after(self, state: NDArray[np.uint8]) -> list[NDArray[np.uint8] | None]:
        """Return the state after each move; None if the move is not possible."""
        after = self.state_arrays.neighbors(state[None])[0]
        possible = self.state_arrays.possible(state[None])[0].tolist()
        return [there if is_possible else None for there, is_possible in zip(after, possible, strict=True)]

    def is_solved(self, state: NDArray[np.uint8]) -> bool:
        """Return whether a state is solved."""
        return bool(self.state_arrays.is_solved(state[None])[0])

    def distance(self, state: NDArray[np.uint8]) -> int:
        """Return the distance of a state from solved."""
        return self._puzzle.depth(self.state_arrays.state(state), **self._question)

    def optimal_moves(self, state: NDArray[np.uint8]) -> NDArray[np.int8]:
        """Return int8 (moves,): 1 for the moves that begin an optimal solution."""
        leads = np.zeros(len(self.moves), np.int8)
        question: Any = self._question  # it has no goal: only trays have
        leads[self._puzzle.solver.optimal_numbers(self.state_arrays.state(state), **question)] = 1
        return leads

    def shown(self, state: NDArray[np.uint8], observation: str) -> NDArray[np.integer]:
        """Return a state as an observation."""
        return self.encoding.one_hot(state) if observation == "one-hot" else state.copy()


AnyStates: TypeAlias = RankedStates | SearchedStates


def puzzle_of(given: str | Puzzle[StateT]) -> Puzzle[StateT]:
    """Return a puzzle, given by its name, by the path of a file, or as it is.

    Raises:
        UnknownPuzzleError, InvalidDefinitionError: there is no such puzzle.

    >>> puzzle_of("skewb").states
    3149280
    """
    return given if isinstance(given, Puzzle) else lookup.puzzle(given)


def states_of(puzzle: Puzzle, question: GraphQuestion) -> AnyStates:
    """Return the states of a puzzle.

    Raises:
        ValueError: the puzzle does not support an option.
        TableError: a table is missing or damaged.
    """
    arrays = puzzle.whole(**question)
    if arrays is None:
        for each in set(question).difference({"metric"}):
            advice = "pass a puzzle with other moves or another goal: see Puzzle.restrict and Puzzle.towards"
            raise ValueError(f"{each} is not an option of environments of the {puzzle.title}; {advice}")
        return SearchedStates(puzzle, question)
    return RankedStates(puzzle, question, arrays)


def read_answers(given: Sequence[str] | str | None, states: AnyStates) -> tuple[str, ...]:
    """Return the contents of `info`; by default all that need no search.

    Raises:
        ValueError: one is unknown.
    """
    if given is None:
        return ANSWERS if states.known else ()
    return tuple(one_of("answer", each, ANSWERS) for each in (given if isinstance(given, (list, tuple)) else [given]))


def read_number(name: str, given: object, most: int) -> int | range | None:
    """Return a depth, or the length of a walk or a range of lengths; None for none.

    Raises:
        ValueError: it is not in 1..most.
    """
    if name == "walk" and isinstance(given, range):
        if given.step != 1 or not given:
            raise ValueError(f"a range of walks is of one length or more, in steps of 1, not {given}")
        return range(integer(name, given.start, 1, most), integer(name, given[-1], 1, most) + 1)
    return None if given is None else integer(name, given, 1, most)


def read_beginning(depth: object, walk: object, read: Callable[[str, object, int], Any] = read_number) -> Beginning:
    """Return how episodes begin, if both are valid.

    Raises:
        ValueError: no unsolved state can have this depth, or no walk this length, or both are given.
    """
    if depth is not None and walk is not None:
        raise ValueError("an episode begins at a depth or with a walk, not both")
    return read("depth", depth, UNREACHABLE - 1), read("walk", walk, MOST_LENGTH)


def beginning_of(
    options: Mapping[str, object] | None,
    others: Sequence[str],
    usual: Beginning,
    read: Callable[[object, object], Beginning],
) -> Beginning:
    """Return how episodes begin after a `reset` with some options.

    Raises:
        ValueError: an option is unknown, or as for `read_beginning`.
    """
    if options is None:
        return usual
    if not isinstance(options, Mapping):
        raise ValueError(f"options must be a mapping, not of the type {type(options).__name__}")
    for each in options:
        one_of("option", each, ("depth", "walk", *others))
    if {"depth", "walk"}.isdisjoint(options):
        return usual
    return read(options.get("depth"), options.get("walk"))


def _below(rng: np.random.Generator, most: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a random number below each limit, from 64 random bits each.

    The bits of a generator are the same in all versions of numpy, unlike the numbers that numpy derives from them.
    """
    bits = np.asarray(rng.bit_generator.random_raw(len(most)), np.uint64)
    return (bits % most.astype(np.uint64)).astype(np.int64)


def _first(rows: NDArray[np.uint8]) -> NDArray[np.uint8]:
    row: NDArray[np.uint8] = rows[0]
    return row
