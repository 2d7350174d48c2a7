"""Gymnasium environments for puzzles, with exact distances; they need the extra ``gym``.

Importing this module registers an environment for every puzzle that ships, and ``cubesolve/Puzzle-v0`` for any other:

>>> import gymnasium
>>> import cubesolve.learn.envs
>>> env = gymnasium.make("cubesolve/Pocket-v0")
>>> labels, info = env.reset(seed=7, options={"depth": 9})
>>> labels.shape, info["distance"], info["optimal_moves"].shape
((24,), 9, (9,))

`docs/learning.md` describes the options.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping, Sequence
from typing import Any, Self, SupportsFloat, SupportsIndex, Unpack

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from cubesolve import catalog
from cubesolve.ask import Puzzle
from cubesolve.learn.envs.episodes import Episodes
from cubesolve.lookup import puzzle_of
from cubesolve.picture.pictures import Picture
from cubesolve.picture.render import is_bright
from cubesolve.runtime.arguments import integer, one_of
from cubesolve.solvers.keywords import GraphQuestion

__all__ = ["PuzzleEnv", "PuzzleVectorEnv", "env_id"]

_MOST = 1 << 24  # environments
_ALL = np.ones(1, np.bool_)  # of one environment
_UNIT, _MARGIN = 32, 8  # pixels of a square's side, and around a picture


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

    metadata = {"render_modes": ["ansi", "rgb_array"], "render_fps": 4}  # noqa: RUF012  # as in gymnasium.Env

    def __init__(
        self,
        puzzle: str | Puzzle,
        *,
        render_mode: str | None = None,
        observation: str = "labels",
        reward: str = "move",
        answers: Sequence[str] | str | None = None,
        depth: int | None = None,
        walk: int | range | None = None,
        **question: Unpack[GraphQuestion],
    ) -> None:
        """Create an environment.

        Args:
            render_mode: what `render` returns: ``ansi``, text; ``rgb_array``, the picture of the state, which needs
                Pillow. By default None.
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
        self.render_mode = None if render_mode is None else one_of("render_mode", render_mode, self._modes)
        self._episodes = Episodes(self.puzzle, question, 1, observation, reward, answers, depth, walk, alone=True)
        self.moves = self._episodes.moves
        self.observation_space = self._episodes.space
        self.action_space = spaces.Discrete(len(self.moves))
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
        self._episodes.reset(_ALL, self.np_random, options)
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
        (reward,) = self._episodes.move(np.array([move])).tolist()
        (self._over,) = self._episodes.solved.tolist()
        observation, info = self._shown()
        return observation, reward, self._over, False, info

    @property
    def _modes(self) -> Sequence[str]:
        """The supported modes: some puzzles have no pictures."""
        view = self.puzzle.rules.view
        return self.metadata["render_modes"] if view.picture(view.solved(None)) else ["ansi"]

    def render(self) -> Any:
        """Return the state as text or uint8 (height, width, 3), as `render_mode` says; None without one."""
        if self.render_mode is None:
            return None
        text = self._episodes.text()
        picture = self.puzzle.rules.view.picture(self.puzzle.rules.read(text))
        if picture is None:
            return text
        return picture.text() if self.render_mode == "ansi" else _pixels(picture)

    def _shown(self) -> tuple[Any, dict[str, Any]]:
        info = {name: _first(values) for name, values in self._episodes.info().items()}
        return _first(self._episodes.shown()), info


def _first(values: NDArray[np.integer]) -> Any:
    return values.item() if values.ndim == 1 else values[0].copy()


def _pixels(picture: Picture) -> NDArray[np.uint8]:
    """Draw a picture on white: uint8 (height, width, 3)."""
    from PIL import Image, ImageDraw, ImageFont  # noqa: PLC0415  # an optional extra

    corners = [np.array(cell.outline) * _UNIT + _MARGIN for cell in picture.cells]
    width, height = np.ceil(np.concatenate(corners).max(axis=0)).astype(int) + _MARGIN
    image, font = Image.new("RGB", (width, height), "white"), ImageFont.load_default(_UNIT * 0.4)
    draw = ImageDraw.Draw(image)
    for cell, outline in zip(picture.cells, corners, strict=True):
        draw.polygon([*map(tuple, outline)], fill=cell.colour, outline="black")
        draw.text(
            outline.mean(axis=0), cell.mark, fill="black" if is_bright(cell.colour) else "white", font=font, anchor="mm"
        )
    return np.array(image)


class PuzzleVectorEnv(VectorEnv[Any, Any, NDArray[Any]]):
    """An environment of many puzzles, all moved at once; see `PuzzleEnv`.

    Attributes:
        puzzle: the puzzle.
        moves: the names of the actions.

    >>> envs = PuzzleVectorEnv("pocket", num_envs=3, observation="rank")
    >>> ranks, info = envs.reset(seed=1, options={"depth": [1, 2, 11]})
    >>> ranks, rewards, terminated, _, info = envs.step(info["optimal_moves"].argmax(axis=1))
    >>> rewards.tolist(), terminated.tolist(), info["distance"].tolist()
    ([-1.0, -1.0, -1.0], [True, False, False], [0, 1, 10])
    """

    def __init__(
        self,
        puzzle: str | Puzzle,
        num_envs: int = 1,
        *,
        observation: str = "labels",
        reward: str = "move",
        answers: Sequence[str] | str | None = None,
        depth: ArrayLike | None = None,
        walk: ArrayLike | range | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
        copy: bool = True,
        **question: Unpack[GraphQuestion],
    ) -> None:
        """Create an environment.

        Args:
            max_episode_steps: the number of moves after which an episode is truncated; by default no limit.
            copy: whether each observation is a new array, as for Gymnasium's own. If not, each one-hot
                observation replaces the one before in the same array, which is faster where it is large. Do not write
                into the array: from 32 labels on, only those that change are written.
        """
        self.puzzle, number = puzzle_of(puzzle), integer("num_envs", num_envs, 1, _MOST)
        self._episodes = Episodes(self.puzzle, question, number, observation, reward, answers, depth, walk, copy=copy)
        self.num_envs = number
        self._mode = _mode(autoreset_mode)
        self._most = None if max_episode_steps is None else integer("max_episode_steps", max_episode_steps, 1)
        self.metadata = {"autoreset_mode": self._mode}
        self.moves = self._episodes.moves
        self.single_observation_space = self._episodes.space
        self.single_action_space = spaces.Discrete(len(self.moves))
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._elapsed = np.zeros(self.num_envs, np.int64)
        self._over = np.ones(self.num_envs, np.bool_)
        self._begun = False

    def __copy__(self) -> Self:
        return copy.deepcopy(self)  # a shallow copy would share the states

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Begin episodes with random states.

        Args:
            options: ``depth`` or ``walk``, as above, for these episodes only; and ``reset_mask``, bool (N,), the
                puzzles whose episodes begin.
        """
        super().reset(seed=seed)
        chosen = self._read_mask(options)
        self._begin(chosen, options)
        self._begun = True
        return self._episodes.shown(), self._info(chosen)

    def step(
        self, actions: ArrayLike
    ) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Make a move in each puzzle; in the mode ``NextStep``, ended episodes begin anew instead.

        A masked action does not change the state, as in `PuzzleEnv`.

        Raises:
            ValueError: an action is invalid, or an ended episode was not reset in the mode ``Disabled``.
        """
        moves, over = self._read_actions(actions), self._over
        if not self._begun:
            raise ValueError("no episode has begun: reset the environments")
        if self._mode is AutoresetMode.DISABLED and over.any():
            raise ValueError(f"the episode of environment {over.argmax()} is over: reset it with a reset_mask")
        rewards = self._episodes.move(moves)
        self._elapsed += 1
        if over.any():
            self._begin(over)
            rewards[over] = 0
        everyone = np.ones(self.num_envs, np.bool_)
        terminated = self._episodes.solved
        truncated = np.zeros(self.num_envs, np.bool_) if self._most is None else self._elapsed >= self._most
        self._over = terminated | truncated
        final: dict[str, Any] = {}
        if self._mode is AutoresetMode.SAME_STEP and self._over.any():
            final = self._final(self._over)
            self._begin(self._over)
        return self._episodes.shown(), rewards, terminated, truncated, self._info(everyone) | final

    # -- Parts of a step -----------------------------------------------------------------------------------------------

    def _begin(self, chosen: NDArray[np.bool_], options: Mapping[str, Any] | None = None) -> None:
        self._episodes.reset(chosen, self.np_random, options, ("reset_mask",))
        self._elapsed[chosen] = 0
        self._over = self._over & ~chosen

    def _info(self, chosen: NDArray[np.bool_]) -> dict[str, Any]:
        """Return the contents of `infos`; a name with an underscore marks the environments that have an entry."""
        info = self._episodes.info()
        return {**info, **{f"_{name}": chosen.copy() for name in info}}

    def _final(self, over: NDArray[np.bool_]) -> dict[str, Any]:
        observations = np.full(self.num_envs, None, object)
        shown = self._episodes.shown(over)
        for i, one in zip(np.flatnonzero(over), shown, strict=True):
            observations[i] = one
        info = self._info(over)
        return {"final_obs": observations, "_final_obs": over.copy(), "final_info": info, "_final_info": over.copy()}

    def _read_actions(self, given: object) -> NDArray[np.int64]:
        actions, last = np.asarray(given), len(self.moves) - 1
        if actions.dtype.kind not in "iu" or actions.shape != (self.num_envs,):
            raise ValueError(f"actions must be integers ({self.num_envs},), not {actions.dtype} {actions.shape}")
        if actions.min() < 0 or actions.max() > last:
            wrong = int(((actions < 0) | (actions > last)).argmax())
            raise ValueError(f"action {actions[wrong]} of environment {wrong} is not in 0..{last}")
        return np.ascontiguousarray(actions, np.int64)

    def _read_mask(self, options: object) -> NDArray[np.bool_]:
        everyone = np.ones(self.num_envs, np.bool_)
        mask = np.asarray(options.get("reset_mask", everyone) if isinstance(options, Mapping) else everyone)
        if mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
            raise ValueError(f"reset_mask must be bool ({self.num_envs},), not {mask.dtype} {mask.shape}")
        if not self._begun and not mask.all():
            raise ValueError("no episode has begun: reset all environments first")
        return mask


def _mode(given: AutoresetMode | str) -> AutoresetMode:
    if isinstance(given, AutoresetMode):
        return given
    return AutoresetMode(one_of("autoreset_mode", given, [mode.value for mode in AutoresetMode]))


def env_id(name: str) -> str:
    """Return the name of the environment of a puzzle: its words, joined; a hyphen stays between two numbers.

    >>> env_id("skewb-diamond"), env_id("tiles-2x3"), env_id("topspin-8-4")
    ('cubesolve/SkewbDiamond-v0', 'cubesolve/Tiles2x3-v0', 'cubesolve/Topspin8-4-v0')
    """
    words = "-".join(word[:1].upper() + word[1:] for word in name.split("-"))
    joined = re.sub(r"(?<!\d)-|-(?!\d)", "", words)
    return f"cubesolve/{joined}-v0"


def _register() -> None:
    single, vector = (f"{kind.__module__}:{kind.__qualname__}" for kind in (PuzzleEnv, PuzzleVectorEnv))
    for puzzle in catalog.names():
        for name, question in catalog.rules_named(puzzle).trained.items():
            options = {"puzzle": puzzle, **question}
            gymnasium.register(env_id(name), entry_point=single, vector_entry_point=vector, kwargs=options)
    gymnasium.register(env_id("puzzle"), entry_point=single, vector_entry_point=vector)


_register()
