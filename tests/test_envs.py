from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from cubesolve import catalog, puzzle
from cubesolve.errors import UnknownPuzzleError
from cubesolve.learn.envs import PuzzleEnv, PuzzleVectorEnv, env_id
from cubesolve.spaces.vectors import write_hot
from tests.subsets import only

RINGS = str(Path(__file__).parents[1] / "docs" / "rings.tws")
NAMED = ["Pocket", "Skewb", "Rolling3x3", "Rubik", "Tiles3x3", "Clock"]


def best(info: dict[str, Any]) -> Any:
    return info["optimal_moves"].argmax(axis=-1)


# -- Names -------------------------------------------------------------------------------------------------------------


def test_every_puzzle_that_ships_has_one_and_no_two_have_the_same() -> None:
    trained = [name for puzzle in catalog.names() for name in catalog.rules_named(puzzle).trained]
    ids = [env_id(name) for name in [*trained, "puzzle"]]
    assert len(set(ids)) == len(ids) == len(catalog.names()) + 1
    assert {each for each in gymnasium.registry if each.startswith("cubesolve/")} == set(ids)
    assert {f"cubesolve/{name}-v0" for name in NAMED} < set(ids)


# -- One puzzle --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "observation"), [*itertools.product(NAMED, ["labels", "one-hot"]), ("Rolling3x3", "rank")]
)
def test_what_gymnasium_checks(name: str, observation: str) -> None:
    reward = "drop" if observation == "rank" else "move"
    check_env(gymnasium.make(f"cubesolve/{name}-v0", observation=observation, reward=reward).unwrapped)


@pytest.mark.parametrize(
    ("name", "named"),
    [
        ("pocket", {}),
        ("pocket", {"depth": 14, "metric": "qtm"}),
        ("skewb", {}),
        ("rolling", {"goal": (2, 2)}),
        ("rubik", {"depth": 3, "metric": "qtm"}),
        ("square1", {"walk": 3, "metric": "wca"}),
    ],
)
def test_the_best_moves_solve_it_in_as_many_as_the_distance(name: str, named: dict[str, Any]) -> None:
    env = PuzzleEnv(name, reward="drop", answers=["distance", "optimal_moves"], **named)
    _, info = env.reset(seed=7)
    for left in range(info["distance"] - 1, -1, -1):
        _, reward, terminated, truncated, info = env.step(best(info))
        assert (reward, terminated, truncated, info["distance"]) == (1, left == 0, False, left)
    assert not info["optimal_moves"].any()


@pytest.mark.parametrize("name", ["pocket", "rubik"])
def test_labels_are_the_facelets_of_the_cube_that_the_moves_make(name: str) -> None:
    asked, env = puzzle(name), PuzzleEnv(name, answers=["distance", "optimal_moves"])
    labels, info = env.reset(seed=4, options={"depth": 2})
    assert info["distance"] == 2
    for action in (0, 4, 8):
        cube = asked.parse("".join("URFDLB"[label] for label in labels))
        assert asked.depth(cube) == info["distance"]
        assert [env.moves[i] for i in np.flatnonzero(info["optimal_moves"]).tolist()] == asked.optimal_moves(cube)
        labels, _, _, _, info = env.step(action)
        assert "".join("URFDLB"[label] for label in labels) == str(cube.apply(env.moves[action]))


@pytest.mark.parametrize(("reward", "lost"), [("move", -1), ("drop", 0)])
@pytest.mark.parametrize(("name", "named"), [("tiles-3x3", {}), ("rolling", {"goal": (1, 1)})])
def test_masked_actions_change_nothing(name: str, named: dict[str, Any], reward: str, lost: float) -> None:
    many = PuzzleVectorEnv(name, 40, reward=reward, **named)
    shown, infos = many.reset(seed=1)
    is_masked = (infos["action_mask"] == 0).any(axis=1)
    there, rewards, terminated, truncated, after = many.step(infos["action_mask"].argmin(axis=1))
    assert is_masked.sum() > 10
    assert (there[is_masked] == shown[is_masked]).all()
    assert set(rewards[is_masked].tolist()) == {lost}
    assert not (terminated | truncated)[is_masked].any()
    for each in ("distance", "action_mask", "optimal_moves"):
        assert (after[each][is_masked] == infos[each][is_masked]).all()
    assert (there[~is_masked] != shown[~is_masked]).any(axis=1).all()


def test_moves_and_their_costs_are_those_of_the_puzzle() -> None:
    env = PuzzleEnv(puzzle("ivy").restrict(cost="R=2 R'=2 L=3 L'=3"))
    env.reset(seed=1)
    rewards = {move: env.step(action)[1] for action, move in enumerate(env.moves)}
    assert rewards == {move: -{"R": 2, "L": 3}.get(move[0], 1) for move in env.moves}
    _, infos = PuzzleVectorEnv(puzzle("pocket").restrict("R U"), 3, walk=4).reset(seed=1)
    assert infos["distance"].tolist() == [4, 4, 4]


@pytest.mark.parametrize(
    ("name", "depth", "drawn"),
    [("pocket", None, [566282, 3150207, 3090202, 2124899]), ("pocket", 11, [471820]), ("skewb", 3, [137160])],
)
def test_seeds_give_the_same_everywhere(name: str, depth: int | None, drawn: list[int]) -> None:
    rank, _ = PuzzleEnv(name, observation="rank", depth=depth).reset(seed=2026)
    ranks, _ = PuzzleVectorEnv(name, len(drawn), observation="rank", depth=depth).reset(seed=2026)
    assert [rank, *ranks.tolist()] == [drawn[0], *drawn]


def test_all_states_are_drawn_but_the_solved_one() -> None:
    env = PuzzleEnv("pancake-4", observation="rank", answers="distance")
    env.reset(seed=1)
    drawn = [env.reset() for _ in range(400)]
    assert len({rank for rank, _ in drawn}) == 23
    assert all(info["distance"] > 0 for _, info in drawn)


def test_what_is_searched_for_is_answered_only_if_asked_and_masks_are_where_moves_can_be_impossible() -> None:
    infos = {name: [*PuzzleEnv(name).reset(seed=1)[1]] for name in ("pocket", "rubik", "tiles-3x4")}
    assert infos == {"pocket": ["distance", "optimal_moves"], "rubik": [], "tiles-3x4": ["action_mask"]}


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({"observation": "colors"}, "unknown observation 'colors': expected labels or one-hot or rank"),
        ({"reward": 1}, "unknown reward of the type int: expected move or drop"),
        ({"answers": ["depth"]}, "unknown answer 'depth': expected distance or optimal_moves"),
        ({"answers": 1}, "unknown answer of the type int: expected distance or optimal_moves"),
        ({"depth": 0}, "depth must be at least 1, not 0"),
        ({"depth": 2.5}, "depth must be an integer, not of the type float"),
        ({"metric": "stm"}, "unknown metric 'stm': expected htm or qtm"),
        ({"start": (1, 1)}, "start is not supported for the 2x2x2 pocket cube"),
    ],
)
def test_what_means_nothing_is_named(named: dict[str, Any], message: str) -> None:
    kinds = (PuzzleEnv, PuzzleVectorEnv)
    require_faults((functools.partial(kind, "pocket", **named), f"^{re.escape(message)}") for kind in kinds)


def require_faults(faults: Iterable[tuple[Callable[[], object], str]]) -> None:
    for ask, message in faults:
        with pytest.raises(ValueError, match=message):
            ask()


def test_what_is_wrong_with_a_reset_or_an_action_is_named() -> None:
    pocket, rubik = PuzzleEnv("pocket", depth=1), PuzzleEnv("rubik")
    require_faults([(lambda: pocket.step(0), "reset the environment")])
    _, info = pocket.reset(seed=1)
    faults: list[tuple[Callable[[], object], str]] = [
        (lambda: pocket.reset(options={"depth": 12}), r"no initial state has depth 12: depths are 1\.\.11"),
        (lambda: pocket.reset(options={"dept": 3}), "unknown option 'dept': expected depth"),
        (lambda: pocket.reset(options=9), "options must be a mapping, not of the type int"),  # type: ignore[arg-type]
        (lambda: rubik.reset(options={"depth": 21}), r"no initial state has depth 21: depths are 1\.\.20"),
        (lambda: PuzzleEnv("rubik", depth=20), "depth must be at most 13, not 20"),
        (lambda: PuzzleEnv("rubik", timeout=3), "timeout is not an option .* Rubik's cube$"),
        (lambda: PuzzleEnv("rubik", observation="rank"), "states of the 3x3x3 Rubik's cube have no ranks"),
        (lambda: pocket.step(9), "at most 8, not 9"),
        (lambda: pocket.step(-1), "at least 0, not -1"),
        (lambda: pocket.step(1.5), "an integer"),  # type: ignore[arg-type]
    ]
    require_faults(faults)
    pocket.step(best(info))
    require_faults([(lambda: pocket.step(0), "the episode is over")])
    with pytest.raises(UnknownPuzzleError):
        PuzzleEnv("pockt")


# -- Many --------------------------------------------------------------------------------------------------------------


_MANY = ("pocket", "tiles-3x3", "pancake-4")  # all labels of the last are soon listed
_FORMS, _MODES = ("labels", "one-hot", "rank"), list(AutoresetMode)
_PAIRS = {(_MANY[i], _FORMS[j], _MODES[(i + j) % 3]) for i, j in itertools.product(range(3), repeat=2)}
"""Any two of a puzzle, a form and a mode, once."""


@pytest.mark.parametrize(("name", "observation", "mode"), only(_PAIRS, itertools.product(_MANY, _FORMS, _MODES)))
def test_many_do_what_each_does_alone(name: str, observation: str, mode: AutoresetMode) -> None:
    """Compare with single environments in the same states."""
    named: dict[str, Any] = {"observation": observation, "reward": "drop", "depth": 2}
    many = PuzzleVectorEnv(name, 6, autoreset_mode=mode, **named)
    ranks = PuzzleVectorEnv(name, 6, autoreset_mode=mode, **(named | {"observation": "rank"}))
    _, alone = many.reset(seed=5), PuzzleEnv(name, **named)
    at, _ = ranks.reset(seed=5)
    over, rng = np.zeros(6, bool), np.random.default_rng(1)
    for _ in range(8):
        if mode is AutoresetMode.DISABLED and over.any():
            _, info = many.reset(options={"reset_mask": over})
            at, _ = ranks.reset(options={"reset_mask": over})
            assert (info["_distance"] == over).all()
            over = np.zeros(6, bool)
        best = alone._episodes._states.optimal_moves(np.array(at)).argmax(axis=1)
        actions = np.where(rng.random(len(best)) < 0.5, rng.integers(len(many.moves), size=len(best)), best)
        shown, rewards, terminated, truncated, infos = many.step(actions)
        there, *_ = ranks.step(actions)
        assert many.observation_space.contains(shown)
        for i in range(6):
            put(alone, at[i])
            if mode is AutoresetMode.NEXT_STEP and over[i]:
                put(alone, there[i])
                expected: Any = (*alone._shown(), 0.0, False)
            else:
                one, reward, done, _, info = alone.step(int(actions[i]))
                expected = (one, info, reward, done)
            if mode is AutoresetMode.SAME_STEP and expected[3]:
                assert np.array_equal(infos["final_obs"][i], expected[0])
                assert same(infos["final_info"], expected[1], i)
                put(alone, there[i])
                expected = (*alone._shown(), *expected[2:])
            assert np.array_equal(shown[i], expected[0])
            assert same(infos, expected[1], i)
            assert (rewards[i], terminated[i], truncated[i]) == (*expected[2:], False)
        at, over = there, terminated
    assert mode is not AutoresetMode.SAME_STEP or "final_obs" in infos or not terminated.any()


def put(env: PuzzleEnv, state: Any) -> None:
    env._episodes._at, env._episodes._distances, env._over = np.array([state]), None, False


def same(infos: dict[str, Any], info: dict[str, Any], i: int) -> bool:
    return all(infos[f"_{name}"][i] and np.array_equal(infos[name][i], value) for name, value in info.items())


@pytest.mark.parametrize("name", ["pocket", "rubik", "tiles-3x3", "pancake-5"])
def test_the_state_is_rendered_after_each_move(name: str) -> None:
    text, image = (PuzzleEnv(name, walk=5, answers=(), render_mode=mode) for mode in ("ansi", "rgb_array"))
    shown: list[Any] = []
    for env in (text, image):
        _, info = env.reset(seed=1)
        before = env.render()
        env.step(info["action_mask"].argmax() if "action_mask" in info else 0)
        shown.append((before, env.render()))
    (before, after), (first, second) = shown
    assert before != after
    assert ("1" in after) == (name in {"tiles-3x3", "pancake-5"})
    assert (first.dtype, first.shape) == (np.uint8, second.shape)
    assert np.array_equal(first, second) == (before == after)
    assert {(255, 255, 255), (0, 0, 0)} < {tuple(pixel) for pixel in second.reshape(-1, 3).tolist()}


def test_puzzles_without_pictures_are_rendered_as_text() -> None:
    env = PuzzleEnv(RINGS, render_mode="ansi", walk=3)
    assert env.reset(seed=1)[1]["distance"] == env.puzzle.depth(env.render()) > 0
    with pytest.raises(ValueError, match="render_mode"):
        PuzzleEnv(RINGS, render_mode="rgb_array")
    assert PuzzleEnv("pocket").render() is None


def test_made_as_those_of_gymnasium_are() -> None:
    native = gymnasium.make_vec("cubesolve/Pocket-v0", 3, depth=2)
    plain = gymnasium.make_vec("cubesolve/Pocket-v0", 3, vectorization_mode="sync", depth=2)
    assert (type(native), type(plain)) == (PuzzleVectorEnv, SyncVectorEnv)
    assert (native.observation_space, native.action_space) == (plain.observation_space, plain.action_space)
    assert native.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    ours, theirs = (
        {name: (each.shape, each.dtype) for name, each in envs.reset(seed=1)[1].items()} for envs in (native, plain)
    )
    assert ours == theirs


def test_searched_answers_of_many_are_given_if_asked() -> None:
    envs = PuzzleVectorEnv("rubik", 3, walk=2, answers=["distance", "optimal_moves"], reward="drop")
    _, infos = envs.reset(seed=1)
    assert infos["distance"].tolist() == [2, 2, 2]
    _, rewards, _, _, infos = envs.step(best(infos))
    assert rewards.tolist() == [1, 1, 1]
    assert infos["distance"].tolist() == [1, 1, 1]
    assert PuzzleVectorEnv("rubik", 2, depth=[1, 2], answers="distance").reset(seed=1)[1]["distance"].tolist() == [1, 2]


@pytest.mark.parametrize("name", ["tiles-3x3", "15-puzzle", "pocket"])
def test_walks_begin_episodes_in_curricula(name: str) -> None:
    envs = PuzzleVectorEnv(name, 4, observation="one-hot", answers=())
    shown, infos = envs.reset(seed=2, options={"walk": [1, 2, 3, 9]})
    labels = shown.argmax(axis=2).astype(np.uint8)
    arrays = puzzle(name).state_arrays()
    assert (shown == arrays.one_hot(labels)).all()
    assert arrays.is_solved(arrays.neighbors(labels[:1])[0]).any()
    if "action_mask" in infos:
        assert (infos["action_mask"] == arrays.possible(labels)).all()
    single = PuzzleEnv(name, walk=1, answers=())
    assert arrays.is_solved(arrays.neighbors(single.reset(seed=1)[0][None])[0]).any()


@pytest.mark.parametrize("name", ["tiles-3x3", "pancake-20", "rolling"])
def test_each_episode_draws_the_length_of_its_walk_from_a_range(name: str) -> None:
    named: dict[str, Any] = {"goal": (1, 1)} if name == "rolling" else {}
    many = PuzzleVectorEnv(name, 200, walk=range(1, 4), autoreset_mode="SameStep", answers="distance", **named)
    distances = many.reset(seed=1)[1]["distance"]
    assert set(distances.tolist()) == {1, 2, 3}
    mask = np.ones(200, np.bool_)
    again = many.reset(options={"walk": range(2, 3), "reset_mask": mask})[1]["distance"]
    assert set(again.tolist()) == {2}
    assert PuzzleEnv(name, walk=range(3, 4), answers="distance", **named).reset(seed=1)[1]["distance"] == 3
    wrong = (range(0), range(1, 9, 2), range(3))
    require_faults((functools.partial(PuzzleVectorEnv, name, 2, walk=walk, **named), "walk") for walk in wrong)


@pytest.mark.parametrize("name", ["tiles-3x3", "15-puzzle", "35-puzzle"])
def test_one_hot_observations_are_new_arrays_unless_copy_is_false(name: str) -> None:
    new, same = (
        PuzzleVectorEnv(name, 4, observation="one-hot", answers=(), walk=9, copy=copy) for copy in (True, False)
    )
    before, kept = new.reset(seed=3)[0], same.reset(seed=3)[0]
    first = before.copy()
    after, again = new.step([0, 1, 2, 3])[0], same.step([0, 1, 2, 3])[0]
    assert again is kept
    assert (again == after).all()
    assert (before == first).all()
    assert (first != after).any()
    for moves in ([3, 2, 1, 0], [1, 1, 2, 2]):
        assert (new.step(moves)[0] == same.step(moves)[0]).all()
    assert (new.reset(seed=4)[0] == same.reset(seed=4)[0]).all()


def test_one_hot_observations_are_right_after_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    new, same = (PuzzleVectorEnv("35-puzzle", 4, observation="one-hot", walk=9, copy=copy) for copy in (True, False))

    def interrupted(rows: Any, hot: Any, before: Any) -> None:
        write_hot(rows[:2], hot[:2], before[:2])
        raise KeyboardInterrupt

    for envs in (new, same):
        envs.reset(seed=3)
    new.step([0, 1, 2, 3])
    with monkeypatch.context() as patch:
        patch.setattr("cubesolve.learn.envs.episodes.write_hot", interrupted)
        with pytest.raises(KeyboardInterrupt):
            same.step([0, 1, 2, 3])
    for moves in ([1, 0, 3, 2], [3, 2, 1, 0]):
        assert (new.step(moves)[0] == same.step(moves)[0]).all()


def test_what_takes_too_long_is_cut_off() -> None:
    envs = PuzzleVectorEnv("pocket", 2, max_episode_steps=2, depth=11, answers="distance")
    envs.reset(seed=1)
    cut = [envs.step([0, 3])[3].tolist() for _ in range(5)]
    assert cut == [[False] * 2, [True] * 2, [False] * 2, [False] * 2, [True] * 2]


def test_what_is_wrong_with_many_is_named() -> None:
    envs = PuzzleVectorEnv("pocket", 3, depth=1, autoreset_mode="Disabled")
    wrong: list[tuple[Callable[[], object], str]] = [
        (lambda: envs.step([0, 0, 0]), "no episode has begun"),
        (lambda: envs.reset(options={"reset_mask": np.array([True, False, False])}), "no episode has begun"),
        (lambda: envs.reset(options={"depth": [1, 12, 3]}), r"no initial state has depth 12: depths are 1\.\.11"),
        (lambda: envs.reset(options={"depth": [1, 2]}), r"integers \(3,\), not int64 \(2,\)"),
        (lambda: envs.reset(options={"depth": "9"}), "depth must be an integer"),
        (lambda: envs.reset(options={"depth": [1.5, 2, 3]}), r"integers \(3,\), not float64 \(3,\)"),
        (lambda: envs.reset(options={"reset_mask": [1, 0, 1]}), r"reset_mask must be bool \(3,\), not int64 \(3,\)"),
        (lambda: envs.step([0, 0]), r"actions must be integers \(3,\), not int64 \(2,\)"),
        (lambda: envs.step([0.0, 0.0, 0.0]), r"actions must be integers \(3,\), not float64 \(3,\)"),
        (lambda: envs.step([0, 9, 0]), r"action 9 of environment 1 is not in 0\.\.8"),
        (lambda: envs.step([0, 0, -1]), r"action -1 of environment 2 is not in 0\.\.8"),
    ]
    over = PuzzleVectorEnv("pocket", 3, depth=1, autoreset_mode="Disabled")
    over.step(best(over.reset(seed=1)[1]))
    wrong += [
        (lambda: over.step([0, 0, 0]), "environment 0 is over"),
        (lambda: PuzzleVectorEnv("pocket", autoreset_mode="next"), "unknown autoreset_mode 'next'"),
        (lambda: PuzzleVectorEnv("rubik", depth=3, walk=3), "at a depth or with a walk, not both"),
        (lambda: PuzzleVectorEnv("pocket", 0), "num_envs must be at least 1"),
        (lambda: PuzzleVectorEnv("rubik", 2, goal="cross"), r"goal is not an option .* see Puzzle.restrict"),  # type: ignore[arg-type]
    ]
    require_faults(wrong)
