"""A puzzle as a Gymnasium environment."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, Self, SupportsFloat, SupportsIndex, Unpack

import gymnasium
import numpy as np
from gymnasium import spaces

from cubesolve.ask import Puzzle
from cubesolve.learn.envs.states import REWARDS, beginning_of, puzzle_of, read_answers, read_beginning, states_of
from cubesolve.runtime.arguments import integer, one_of
from cubesolve.solvers.keywords import GraphQuestion


class PuzzleEnv(gymnasium.Env[Any, Any]):
    """An environment in which an agent solves a puzzle.

    An action is the number of a move. If moves are not always possible, ``info["action_mask"]`` is 1 for possible
    moves. As in Gymnasium's own environments, a masked action is not an error: the state does not change, and the
    reward is that of a move without effect. An episode ends when the puzzle is solved.

    Attributes:
        puzzle: the puzzle.
        moves: the names of the actions.

    >>> env = PuzzleEnv("pocket", observation="rank")
    >>> rank, info = env.reset(seed=1, options={"depth": 1})
    >>> rank, reward, terminated, _, info = env.step(int(info["optimal_moves"].argmax()))
    >>> rank, reward, terminated, info["distance"]
    (0, -1.0, True, 0)
    """

    metadata = {"render_modes": []}  # noqa: RUF012  # as in gymnasium.Env

    def __init__(
        self,
        puzzle: str | Puzzle,
        *,
        observation: str = "labels",
        reward: str = "move",
        answers: Sequence[str] | str | None = None,
        depth: int | None = None,
        walk: int | range | None = None,
        **question: Unpack[GraphQuestion],
    ) -> None:
        """Create an environment.

        Args:
            observation: ``labels``, the label on each point, counted from 0, for cubes the colours of the facelets;
                ``one-hot``; or ``rank``, for puzzles with a table.
            reward: ``move``, minus the cost of the move; or ``drop``, the decrease of the distance.
            answers: the contents of `info`: ``distance``, ``optimal_moves``; by default both for a puzzle with a
                table, and none for one that is solved by search.
            depth: the depth at which an episode begins; by default all unsolved states are equally likely.
            walk: the number of random moves with which an episode begins instead, from the solved state; or a range
                from which each episode draws it.

        Raises:
            UnknownPuzzleError, InvalidDefinitionError: there is no such puzzle.
            TableError: a table is missing or damaged.
            ValueError: an option is not supported, or its value is invalid.
        """
        self.puzzle = puzzle_of(puzzle)
        self._states = states_of(self.puzzle, question)
        self._observation, self._reward = observation, one_of("reward", reward, REWARDS)
        self._answers = read_answers(answers, self._states)
        self._beginning = read_beginning(depth, walk)
        self.moves = self._states.moves
        self.observation_space = self._states.space(observation)
        self.action_space = spaces.Discrete(len(self.moves))
        self._state: Any = None
        self._over = True

    def __copy__(self) -> Self:
        return copy.deepcopy(self)  # a shallow copy would share the random number generator

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode with a random state.

        Raises:
            ValueError: no state has this depth, no walk of this length leads away from the solved state, or an option
                is unknown.
        """
        super().reset(seed=seed)
        depth, walk = beginning_of(options, (), self._beginning, read_beginning)
        if walk is None:
            self._enter(self._states.draw(self.np_random, depth))
        else:
            self._enter(self._states.walk(self.np_random, walk))
        self._over = False
        return self._shown()

    def step(self, action: SupportsIndex) -> tuple[Any, SupportsFloat, bool, bool, dict[str, Any]]:
        """Make a move.

        Raises:
            ValueError: the action is invalid, or the puzzle is solved already.
        """
        move = integer("an action", action, 0, len(self.moves) - 1)
        if self._over:
            raise ValueError("the episode is over, or has not begun: reset the environment")
        before, there = self._distance, self._there[move]
        if there is not None:
            self._enter(there)
        self._over = self._states.is_solved(self._state)
        reward = before - self._distance if self._reward == "drop" else -int(self._states.costs[move])
        observation, info = self._shown()
        return observation, float(reward), self._over, False, info

    def _enter(self, state: Any) -> None:
        self._state, self._there = state, self._states.after(state)
        needed = "distance" in self._answers or self._reward == "drop"
        self._distance = self._states.distance(state) if needed else 0

    def _shown(self) -> tuple[Any, dict[str, Any]]:
        info: dict[str, Any] = {}
        if "distance" in self._answers:
            info["distance"] = self._distance
        if "optimal_moves" in self._answers:
            info["optimal_moves"] = self._states.optimal_moves(self._state)
        if self._states.restricted:
            info["action_mask"] = np.array([there is not None for there in self._there], np.int8)
        return self._states.shown(self._state, self._observation), info
