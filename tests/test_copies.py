"""Copies of puzzles, tablebases and environments, also in other processes, behave as the originals."""

from __future__ import annotations

import copy
import functools
import multiprocessing
import os
import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence

from cubesolve import open_tablebase, puzzle
from cubesolve.ask import Puzzle
from cubesolve.learn.envs import PuzzleEnv, PuzzleVectorEnv
from cubesolve.learn.labels import Oracle
from tests.processes import ROOT, start_server
from tests.subsets import later

RINGS = str(ROOT / "docs" / "rings.tws")


def pickled(given: Any) -> Any:
    return pickle.loads(pickle.dumps(given))


COPIES = [pickled, copy.copy, copy.deepcopy]
PUZZLES: dict[str, Callable[[], Puzzle]] = {
    "pocket": lambda: puzzle("pocket"),
    "rubik": lambda: puzzle("rubik"),
    "of a table": lambda: puzzle("skewb"),
    "searched for": lambda: puzzle("15-puzzle"),
    "of a file": lambda: puzzle(RINGS),
    "restricted": lambda: puzzle("rubik").restrict("R U"),
    "with costs": lambda: puzzle("pocket").restrict("R U2", "U2=3"),
    "towards a goal": lambda: puzzle("pocket").towards("first-layer"),
    "towards the nearest": lambda: puzzle("rubik").towards("cross|cross-U"),
    "of pieces, towards a goal": lambda: puzzle("tiles-2x3").towards("1 2 * * * 0"),
}


def about(asked: Puzzle) -> list[Any]:
    """Return what a puzzle is, and answers about a state beside the solved one."""
    view = asked.rules.view
    state = view.after(view.solved(None), "D" if "D" in asked.moves else asked.moves[0])
    known = [type(asked), repr(asked), asked.rules, asked.moves, asked.states]
    return [*known, asked.depth(state), [*asked.solutions(state)]]


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("name", PUZZLES)
def test_a_copy_of_a_puzzle_answers_the_same(name: str, copied: Callable[[Any], Any]) -> None:
    original = PUZZLES[name]()
    first = copied(original)
    assert about(first) == about(original) == about(copied(original))  # with all that it keeps now


@pytest.mark.parametrize("name", PUZZLES)
def test_a_puzzle_that_comes_again_has_its_tables_already(name: str) -> None:
    sent = pickle.dumps(PUZZLES[name]())
    assert pickle.loads(sent) is pickle.loads(sent)


def test_a_puzzle_that_ships_is_sent_as_its_name() -> None:
    names = ("pocket", "rubik", "rolling", "skewb", "8-puzzle", "tiles-3x3")  # the last two are one, by two names
    assert max(len(pickle.dumps(puzzle(name))) for name in names) < 200


@pytest.mark.parametrize("copied", COPIES)
def test_a_copy_of_a_tablebase(copied: Callable[[Any], Any], tmp_path: Path) -> None:
    depth = puzzle(RINGS).depth("L2 R2")
    with open_tablebase(tmp_path) as tables:
        assert tables.puzzle(RINGS).depth("L2 R2") == depth  # which builds the table there
        again = copied(tables)
        assert again.puzzle(RINGS).depth("L2 R2") == depth
        sent = pickled(again.puzzle(RINGS))
    if copied is not copy.copy:
        assert again.puzzle(RINGS).depth("L2 R2") == depth  # it was not closed with the other
    with pytest.raises(ValueError, match="this tablebase is closed"):
        pickled(tables).puzzle(RINGS).depth("L2 R2")
    with pytest.raises(ValueError, match="this tablebase is closed"):
        pickle.dumps(tables.puzzle(RINGS))
    assert sent.depth("L2 R2") == depth
    assert len(list(tmp_path.glob("custom-*"))) == 2


@pytest.mark.parametrize("method", [later("spawn"), "forkserver"])
def test_processes_that_begin_anew_are_given_puzzles(method: str) -> None:
    asked = [PUZZLES["pocket"](), PUZZLES["of a file"](), PUZZLES["with costs"]()]
    for each in asked:
        each.depth(each.rules.view.solved(None))  # so that its tables are open
    states = [each.rules.view.after(each.rules.view.solved(None), each.moves[1]) for each in asked]
    context = multiprocessing.get_context(method)
    if method == "forkserver":
        start_server()
    # A server that is there already has the environment of the test that started it.
    with ProcessPoolExecutor(1, context, _take_environment, (dict(os.environ),)) as pool:
        assert list(pool.map(_depth, asked, states)) == [
            each.depth(state) for each, state in zip(asked, states, strict=True)
        ]


def _take_environment(environment: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environment)


def _depth(asked: Puzzle, state: Any) -> int:
    return asked.depth(state)


# -- Environments ------------------------------------------------------------------------------------------------------


same = functools.partial(data_equivalence, exact=True)
MANY = {"num_envs": 50, "depth": 2, "max_episode_steps": 4}


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize(
    ("kind", "name", "named"),
    [
        (PuzzleEnv, "pocket", {"observation": "one-hot", "reward": "drop"}),
        (PuzzleEnv, "8-puzzle", {"observation": "rank"}),
        (PuzzleEnv, "rolling", {"goal": (1, 1)}),
        (PuzzleEnv, "15-puzzle", {}),
        (PuzzleEnv, "rubik", {"depth": 3}),
        (PuzzleVectorEnv, "pocket", {"autoreset_mode": "NextStep", **MANY}),
        (PuzzleVectorEnv, "8-puzzle", {"autoreset_mode": "SameStep", "observation": "rank", **MANY}),
    ],
)
def test_a_copy_of_an_environment_goes_on_identically(
    kind: type[Any], name: str, named: dict[str, Any], copied: Callable[[Any], Any]
) -> None:
    env = kind(name, **named)
    for _ in range(2):  # as it is made, and in an episode
        again = copied(env)
        assert same(env.reset(seed=3), again.reset(seed=3))
        again = copied(env)
        actions = np.random.default_rng(1).integers(len(env.moves), size=(15, *env.action_space.shape))
        there = [env.step(action) for action in actions]
        assert same(tuple(there), tuple(again.step(action) for action in actions))
        assert same(env.reset(), again.reset())  # with the same chance, each by itself
        assert again.observation_space == env.observation_space


def test_copies_of_an_environment_have_one_table() -> None:
    envs = PuzzleVectorEnv("pocket", 3)
    assert copy.deepcopy(envs)._episodes._states is envs._episodes._states
    assert len(pickle.dumps(envs)) < 10_000


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("name", ["pocket", "15-puzzle"])
def test_a_copy_of_an_oracle(name: str, copied: Callable[[Any], Any]) -> None:
    oracle, (shown, _) = Oracle(name), PuzzleEnv(name).reset(seed=1, options={"depth": 3})
    for _ in range(2):
        assert copied(oracle).distances(shown[None]).tolist() == [3]
        oracle.distances(shown[None])
