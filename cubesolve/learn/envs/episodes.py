"""Puzzles that are moved together, how their episodes begin, and what environments show of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from cubesolve.ask import Puzzle
from cubesolve.learn.states import Depths, Lengths, states_of
from cubesolve.runtime.arguments import integer, one_of
from cubesolve.solvers.keywords import GraphQuestion
from cubesolve.solvers.state_arrays import MOST_LENGTH
from cubesolve.spaces.tables import UNREACHABLE
from cubesolve.spaces.vectors import rewrite_hot, write_hot

OBSERVATIONS = ("labels", "one-hot", "rank")
"""The forms of observations."""

REWARDS = ("move", "drop")
"""The kinds of rewards: minus the cost of the move, or the decrease of the distance."""

ANSWERS = ("distance", "optimal_moves")
"""The possible contents of `info`."""

Beginning: TypeAlias = tuple[Any, Any]
"""How episodes begin: `Depths`, or `Lengths` instead; neither is an array if there is one state."""

_MANY_LABELS = 32  # of which only those that change are written, if the array is kept


class Episodes:
    """Puzzles that are moved together.

    Attributes:
        moves: the names of the moves.
        space: the space of the observation of one puzzle.
    """

    def __init__(
        self,
        puzzle: Puzzle,
        question: GraphQuestion,
        number: int,
        observation: str,
        reward: str,
        answers: Sequence[str] | str | None,
        *,
        alone: bool = False,
        copy: bool = True,
    ) -> None:
        """Take a puzzle and its options, the number of puzzles, and what to show of them.

        Args:
            answers: the contents of `info`; by default all that need no search.
            alone: whether the random states are those of a single environment.
            copy: whether each observation of all puzzles is a new array.

        Raises:
            ValueError: an option is not supported, or its value is unknown.
            TableError: a table is missing or damaged.
        """
        self._states = states_of(puzzle, question)
        self.moves, self._number = self._states.moves, number
        self._observation = one_of("observation", observation, OBSERVATIONS)
        self._drops = one_of("reward", reward, REWARDS) == "drop"
        usual = ANSWERS if self._states.known else ()
        listed = usual if answers is None else answers if isinstance(answers, (list, tuple)) else [answers]
        self._answers = tuple(one_of("answer", each, ANSWERS) for each in listed)
        self._alone, self._copy = alone, copy
        self.space = self._space()
        self._at = self._states.solved(number)
        self._distances: NDArray[np.uint8] | None = None
        self._hot: tuple[NDArray[np.uint8], NDArray[np.int8]] | None = None  # labels, and their observation

    def _space(self) -> gymnasium.Space[Any]:
        encoding = self._states.encoding
        if self._observation == "one-hot":
            return spaces.MultiBinary([encoding.points, encoding.labels])
        if self._observation == "rank":
            return spaces.Discrete(self._states.ranks)
        return spaces.MultiDiscrete(np.full(encoding.points, encoding.labels), dtype=encoding.dtype.type)

    def begin(self, chosen: NDArray[np.bool_], rng: np.random.Generator, depth: Depths, walk: Lengths) -> None:
        """Replace some states by random ones that are not solved.

        Args:
            chosen: bool (N,): which states.
            depth: the depth of all, or of each of the chosen; None for any.
            walk: the number of random moves to all, or to each of the chosen, from the solved state, or a range from
                which each is drawn; None for a state of this depth.

        Raises:
            ValueError: no state has such a depth, or no walk of this length leads away from the solved state.
        """
        number = int(chosen.sum())
        if walk is None:
            drawn = self._states.draw(rng, number, depth, alone=self._alone)
        else:
            drawn = self._states.walked(rng, number, walk)
        self._at = self._at.copy()  # what was shown does not change
        self._at[chosen] = drawn
        if self._distances is not None:
            self._distances[chosen] = self._states.distances(drawn)

    def move(self, moves: NDArray[np.int64]) -> NDArray[np.float64]:
        """Make a move in each puzzle, where one that is not possible changes nothing; return the rewards."""
        before = self._known_distances() if self._drops else None
        self._at, self._distances = self._states.moved(self._at, moves)
        if before is not None:
            return before.astype(np.float64) - self._known_distances()
        return -self._states.costs[moves].astype(np.float64)

    def _known_distances(self) -> NDArray[np.uint8]:
        if self._distances is None:
            self._distances = self._states.distances(self._at)
        return self._distances

    @property
    def solved(self) -> NDArray[np.bool_]:
        """Which puzzles are solved: bool (N,)."""
        return np.asarray(self._known_distances() == 0) if self._states.known else self._states.are_solved(self._at)

    def info(self) -> dict[str, NDArray[np.integer]]:
        """Return the contents of `info`, with an entry for each puzzle."""
        info: dict[str, NDArray[np.integer]] = {}
        if "distance" in self._answers:
            info["distance"] = self._known_distances().astype(np.int64)
        if "optimal_moves" in self._answers:
            info["optimal_moves"] = self._states.optimal_moves(self._at)
        if self._states.restricted:
            info["action_mask"] = self._states.possible(self._at)
        return info

    def shown(self, chosen: NDArray[np.bool_] | None = None) -> NDArray[np.integer]:
        """Return the observations of all puzzles, or of some."""
        at = self._at if chosen is None else self._at[chosen]
        if self._observation == "rank":
            return at.astype(np.int64)
        labels, encoding = self._states.labels(at), self._states.encoding
        if self._observation == "labels":
            return labels
        if encoding.dtype != np.uint8:
            return encoding.one_hot(labels)
        rows, is_kept = labels.astype(np.uint8, copy=False), not self._copy and chosen is None
        kept = self._hot if is_kept else None
        if is_kept:
            self._hot = None  # until it is written: an interrupt may leave a part of it
        if kept is not None and encoding.labels >= _MANY_LABELS:
            before, hot = kept
            rewrite_hot(before, rows, hot)
        else:
            hot = np.empty((*rows.shape, encoding.labels), np.int8) if kept is None else kept[1]
            write_hot(rows, hot)
        if is_kept:
            self._hot = rows, hot
        return hot


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
