"""Puzzles that are moved together, how their episodes begin, and what environments show of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from cubesolve.ask import Puzzle
from cubesolve.learn.states import states_of
from cubesolve.runtime.arguments import integer, one_of
from cubesolve.solvers.keywords import GraphQuestion
from cubesolve.solvers.state_arrays import MOST_LENGTH
from cubesolve.spaces.tables import UNREACHABLE
from cubesolve.spaces.vectors import write_hot

OBSERVATIONS = ("labels", "one-hot", "rank")  # forms of observations
REWARDS = ("move", "drop")  # kinds of rewards: minus the cost of the move, or the decrease of the distance
ANSWERS = ("distance", "optimal_moves")  # possible contents of `info`

_Beginning: TypeAlias = tuple[Any, Any]  # a depth, or one for each, or walks instead; neither is an array if alone

_MANY_LABELS = 32  # of which only those that change are written, if the array is kept


class Episodes:
    """Puzzles that are moved together."""

    def __init__(
        self,
        puzzle: Puzzle,
        question: GraphQuestion,
        number: int,
        observation: str,
        reward: str,
        answers: Sequence[str] | str | None,
        depth: Any,
        walk: Any,
        *,
        alone: bool = False,
        copy: bool = True,
    ) -> None:
        """Take a puzzle and its options, the number of puzzles, what to show of them, and how episodes begin."""
        self._states = states_of(puzzle, question)
        self.moves, self._number = self._states.moves, number
        self._observation = one_of("observation", observation, OBSERVATIONS)
        self._drops = one_of("reward", reward, REWARDS) == "drop"
        usual = ANSWERS if self._states.known else ()
        listed = usual if answers is None else answers if isinstance(answers, (list, tuple)) else [answers]
        self._answers = tuple(one_of("answer", answer, ANSWERS) for answer in listed)
        self._alone, self._copy = alone, copy
        self._usual = self._beginning(depth, walk)
        self.space = self._space()
        self._rewards = -self._states.costs.astype(np.float64)  # of each move
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

    def reset(
        self,
        chosen: NDArray[np.bool_],
        rng: np.random.Generator,
        options: Mapping[str, object] | None = None,
        others: Sequence[str] = (),
    ) -> None:
        """Replace some states by random ones that are not solved; options in `others` have another meaning."""
        depth, walk = (
            value[chosen] if isinstance(value, np.ndarray) else value for value in self._asked(options, others)
        )
        number = int(chosen.sum())
        if walk is None:
            drawn = self._states.draw(rng, number, depth, alone=self._alone)
        else:
            drawn = self._states.walked(rng, number, walk)
        self._at = self._at.copy()  # what was shown does not change
        self._at[chosen] = drawn
        if self._distances is not None:
            self._distances[chosen] = self._states.distances(drawn)

    def _asked(self, options: Mapping[str, object] | None, others: Sequence[str]) -> _Beginning:
        if options is None:
            return self._usual
        if not isinstance(options, Mapping):
            raise ValueError(f"options must be a mapping, not of the type {type(options).__name__}")
        for option in options:
            one_of("option", option, ("depth", "walk", *others))
        if {"depth", "walk"}.isdisjoint(options):
            return self._usual
        return self._beginning(options.get("depth"), options.get("walk"))

    def _beginning(self, depth: Any, walk: Any) -> _Beginning:
        if depth is not None and walk is not None:
            raise ValueError("an episode begins at a depth or with a walk, not both")
        depths = self._numbers("depth", depth, UNREACHABLE - 1)
        if depth is not None:
            self._states.require_depth(int(np.max(depths)))
        return depths, self._numbers("walk", walk, MOST_LENGTH)

    def _numbers(self, name: str, given: Any, most: int) -> Any:
        """Return a number for all puzzles, one for each, a range of lengths of walks, or None."""
        if name == "walk" and isinstance(given, range):
            if given.step != 1 or not given:
                raise ValueError(f"a range of walks is of one length or more, in steps of 1, not {given}")
            return range(integer(name, given.start, 1, most), integer(name, given[-1], 1, most) + 1)
        if self._alone or isinstance(given, range) or not np.ndim(given):
            return None if given is None else integer(name, given, 1, most)
        numbers = np.asarray(given)
        if numbers.dtype.kind not in "iu" or numbers.shape != (self._number,):
            given_as = f"{numbers.dtype} {numbers.shape}"
            raise ValueError(f"{name} must be an integer, or integers ({self._number},), not {given_as}")
        return numbers.astype(np.int64)

    def move(self, moves: NDArray[np.int64]) -> NDArray[np.float64]:
        """Make a move in each puzzle, where one that is not possible changes nothing; return the rewards."""
        before = self._known_distances() if self._drops else None
        self._at, self._distances = self._states.moved(self._at, moves)
        if before is not None:
            return before.astype(np.float64) - self._known_distances()
        return self._rewards.take(moves)

    def _known_distances(self) -> NDArray[np.uint8]:
        if self._distances is None:
            self._distances = self._states.distances(self._at)
        return self._distances

    @property
    def solved(self) -> NDArray[np.bool_]:
        """Which puzzles are solved: bool (N,)."""
        return np.asarray(self._known_distances() == 0) if self._states.known else self._states.are_solved(self._at)

    def text(self) -> str:
        """Return the first state as text."""
        return self._states.named(self._at[0])[1]

    def info(self) -> dict[str, NDArray[np.integer]]:
        """Return the contents of `info`, with an entry for each puzzle."""
        info: dict[str, NDArray[np.integer]] = {}
        if "distance" in self._answers:
            info["distance"] = self._known_distances().astype(np.int64)
        if "optimal_moves" in self._answers:
            info["optimal_moves"] = self._states.optimal_moves(self._at).view(np.int8)
        if self._states.restricted:
            info["action_mask"] = self._states.possible(self._at).view(np.int8)
        return info

    def shown(self, chosen: NDArray[np.bool_] | None = None) -> NDArray[np.integer]:
        """Return the observations of all puzzles, or of some."""
        at = self._at if chosen is None else self._at[chosen]
        if self._observation == "rank":
            return at.astype(np.int64)
        labels, encoding = self._states.labels(at, often=True), self._states.encoding
        if self._observation == "labels":
            return labels
        if encoding.dtype != np.uint8:
            return encoding.one_hot(labels)
        rows, is_kept = labels.astype(np.uint8, copy=False), not self._copy and chosen is None
        kept = self._hot if is_kept else None
        if is_kept:
            self._hot = None  # until it is written: an interrupt may leave a part of it
        before, hot = kept or (None, np.empty((*rows.shape, encoding.labels), np.int8))
        write_hot(rows, hot, before if encoding.labels >= _MANY_LABELS else None)
        if is_kept:
            self._hot = rows, hot
        return hot
