"""Any puzzle as a domain of DeepXube 0.3.2, which learns heuristics and searches with them.

Importing this module registers the domain `cubesolve` with DeepXube. If a file in its folder ``domains`` does so, then
on its command line ``cubesolve.skewb`` is the Skewb, and ``cubesolve.rubik,qtm`` the 3x3x3 in quarter turns. It is
not a dependency: ``pip install deepxube``.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
from deepxube.base.domain import Action, ActsEnumFixed, Goal, GoalStartRevWalkable, State, StringToAct
from deepxube.base.factory import Parser
from deepxube.base.nnet_input import HasFlatSGActsEnumFixedIn
from deepxube.factories.domain_factory import domain_factory
from numpy.typing import NDArray

from cubesolve import lookup
from cubesolve.ask import Puzzle
from cubesolve.solvers.state_arrays import StateArrays


class PuzzleState(State):  # type: ignore[misc]
    """A state, as a row of labels."""

    __slots__ = ("_hash", "labels")

    def __init__(self, labels: NDArray[np.uint8]) -> None:
        self.labels = labels
        self._hash: int | None = None

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(self.labels.tobytes())
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PuzzleState):
            return NotImplemented
        return bool(np.array_equal(self.labels, other.labels))


class PuzzleAction(Action):  # type: ignore[misc]
    """A move, by number."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __hash__(self) -> int:
        return self.number

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PuzzleAction):
            return NotImplemented
        return self.number == other.number

    def __repr__(self) -> str:
        return f"PuzzleAction({self.number})"


class PuzzleGoal(Goal):  # type: ignore[misc]
    """The solved states, in any orientation of the puzzle."""


@domain_factory.register_class("cubesolve")
class PuzzleDomain(ActsEnumFixed, GoalStartRevWalkable, HasFlatSGActsEnumFixedIn, StringToAct):  # type: ignore[misc]
    """A puzzle as a domain; a move that is not possible leaves a state as it is, as in DeepXube's `npuzzle`."""

    def __init__(self, puzzle: str | Puzzle, metric: str | None = None) -> None:
        """Take a puzzle, or its name, and one of its metrics, which determines the moves."""
        super().__init__()
        self.puzzle = puzzle if isinstance(puzzle, Puzzle) else lookup.puzzle(puzzle)
        self._metric = metric
        if not self._arrays.has_inverses:  # start states are the ends of walks from solved ones
            raise ValueError(f"moves of the {self.puzzle.title} have no inverses")
        self._actions = [PuzzleAction(number) for number in range(len(self._arrays.moves))]

    @functools.cached_property
    def _arrays(self) -> StateArrays:
        return self.puzzle.state_arrays(metric=self._metric)

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in super().__getstate__().items() if name != "_arrays"}

    def __repr__(self) -> str:
        return f"PuzzleDomain({self.puzzle.name!r}, {self._metric!r})"

    # -- States and actions --------------------------------------------------------------------------------------------

    def get_actions_fixed(self) -> list[PuzzleAction]:
        """Return all moves."""
        return self._actions.copy()

    def next_state(
        self, states: Sequence[PuzzleState], actions: Sequence[PuzzleAction]
    ) -> tuple[list[PuzzleState], list[float]]:
        """Return the state after a move from each state, and the costs of the moves."""
        moves = np.array(self.actions_to_indices(actions), np.int64)
        return _states(self._arrays.apply(_rows(states), moves)), self._arrays.costs[moves].astype(float).tolist()

    def expand(
        self, states: Sequence[PuzzleState]
    ) -> tuple[list[list[PuzzleState]], list[list[PuzzleAction]], list[list[float]]]:
        """Return the states after every move, the moves, and their costs."""
        after = [_states(row) for row in self._arrays.neighbors(_rows(states))]
        costs = self._arrays.costs.astype(float).tolist()
        return after, [self.get_actions_fixed() for _ in states], [list(costs) for _ in states]

    def is_solved(self, states: Sequence[PuzzleState], goals: Sequence[PuzzleGoal]) -> list[bool]:  # noqa: ARG002
        """Return which states are solved."""
        return list(map(bool, self._arrays.is_solved(_rows(states))))

    def sample_goalstate_goal_pairs(self, num: int) -> tuple[list[PuzzleState], list[PuzzleGoal]]:
        """Return the solved state, several times, and the goals."""
        return [PuzzleState(self._arrays.solved.copy()) for _ in range(num)], [PuzzleGoal()] * num

    def random_walk_rev_no_path_cost(
        self, states: Sequence[PuzzleState], num_steps_l: Sequence[int]
    ) -> list[PuzzleState]:
        """Return the ends of random walks, in which no move undoes the one before."""
        lengths = np.array(num_steps_l, np.int64)
        seed = int(np.random.randint(1 << 31))  # DeepXube seeds numpy's own generator
        return _states(self._arrays.walks(len(lengths), lengths, rng=seed, start=_rows(states)).states)

    # -- Networks ------------------------------------------------------------------------------------------------------

    def get_input_info_flat_sg(self) -> tuple[list[int], list[int]]:
        """Return the number of points and of labels, of which DeepXube makes one-hot input."""
        return [self._arrays.points], [self._arrays.labels]

    def to_np_flat_sg(
        self,
        states: Sequence[PuzzleState],
        goals: Sequence[PuzzleGoal],  # noqa: ARG002  # the goal is always the same
    ) -> list[NDArray[np.uint8]]:
        """Return the labels of states."""
        return [_rows(states)]

    def actions_to_indices(self, actions: Sequence[PuzzleAction]) -> list[int]:
        """Return the numbers of moves."""
        return [action.number for action in actions]

    # -- Text ----------------------------------------------------------------------------------------------------------

    def string_to_action(self, act_str: str) -> PuzzleAction | None:
        """Return a move by name; None if there is none."""
        return self._actions[self._arrays.moves.index(act_str)] if act_str in self._arrays.moves else None

    def string_to_action_help(self) -> str:
        """Return the names of the moves."""
        return f"One of {' '.join(self._arrays.moves)}"


@domain_factory.register_parser("cubesolve")
class PuzzleParser(Parser):  # type: ignore[misc]
    """Reads the arguments of the domain on DeepXube's command line."""

    def parse(self, args_str: str) -> dict[str, str]:
        """Return the arguments."""
        name, comma, metric = args_str.rpartition(",")
        return {"puzzle": name, "metric": metric} if comma else {"puzzle": args_str}

    def help(self) -> str:
        """Return a description of the arguments."""
        return "The name of a puzzle of cubesolve, and optionally a comma and its metric: 'skewb' or 'rubik,qtm'"


def _rows(states: Sequence[PuzzleState]) -> NDArray[np.uint8]:
    return np.stack([state.labels for state in states])


def _states(rows: NDArray[np.uint8]) -> list[PuzzleState]:
    return [PuzzleState(row) for row in rows]
