"""States as arrays of labels, with the numbers of text, environments and files; what judges heuristics and solvers."""

from __future__ import annotations

import itertools
import json
import pickle
import random
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import cubesolve
from cubesolve import RubikCube, lookup, puzzle
from cubesolve.ask import Puzzle
from cubesolve.errors import InvalidStateError
from cubesolve.learn.dataset import Dataset
from cubesolve.learn.envs import PuzzleEnv
from cubesolve.learn.export import export
from cubesolve.learn.labels import Oracle
from cubesolve.learn.research import AtDepth, evaluate, evaluate_policy, evaluate_solver
from cubesolve.spaces import form_of, vectors
from cubesolve.spaces.vectors import LabelEncoding
from tests.facts import DATA
from tests.test_dataset import read


class Foreign:
    """An array of another library, for DLPack: numpy's own behind a type that is unknown to numpy."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self, **named: Any) -> Any:
        return self.array.__dlpack__(**named)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()

    def __array_namespace__(self) -> Any:
        return types.SimpleNamespace(from_dlpack=Foreign)


@pytest.mark.parametrize(
    ("name", "question"),
    [("pocket", {}), ("pocket", {"metric": "qtm"}), ("skewb", {}), ("tower", {}), ("rolling", {"goal": (2, 1)})],
)
def test_labels_and_one_hot_of_any_type_have_the_distances_of_their_ranks(name: str, question: dict[str, Any]) -> None:
    oracle = Oracle(name, **question)
    ranks = oracle.puzzle.sample(50, rng=1, **question)
    depths = oracle.puzzle.depths(ranks, **question)
    assert oracle._arrays
    form = form_of(oracle._arrays.graph)
    labels = form.labels(ranks.astype(np.int64))
    hot = form.encoding.one_hot(labels)
    for given in (ranks, labels, labels.astype(np.int64), hot, hot.astype(bool), hot.astype(np.float32)):
        assert (oracle.distances(given) == depths).all()
    assert (oracle.distances(hot.reshape(50, -1)) == depths).all()
    assert (oracle.optimal_moves(hot) == oracle.puzzle.optimal_moves_batch(ranks, **question)).all()


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint16, np.int64, np.float16, np.float32, np.float64, ">f4"])
def test_one_hot_states_are_read_in_parts(monkeypatch: pytest.MonkeyPatch, dtype: Any) -> None:
    monkeypatch.setattr(vectors, "_AT_ONCE", 1000)
    encoding, labels = LabelEncoding(24, 6), np.random.default_rng(1).integers(6, size=(40, 24)).astype(np.uint8)
    hot = np.eye(6)[labels].astype(dtype)
    assert (encoding.labels_of(hot) == labels).all()
    assert (LabelEncoding(12, 6).labels_of(hot[:, ::2]) == labels[:, ::2]).all()  # not contiguous
    for point, rows in ((23, [[0] * 6]), (23, [[1, 1, 0, 0, 0, 0]]), (22, [[1, 0, 0, 0, 0, 1], [0] * 6])):
        wrong = hot.copy()
        wrong[39, point:] = rows
        with pytest.raises(InvalidStateError, match=rf"^row 39, point {point}: one-hot is a single 1"):
            encoding.labels_of(wrong)
    if np.dtype(dtype).kind == "f":
        assert (encoding.labels_of(np.where(hot == 0, np.array(-0.0, dtype), hot)) == labels).all()
    if dtype is not bool:
        with pytest.raises(InvalidStateError, match=r"^row 0, point 0: one-hot is a single 1"):
            encoding.labels_of(hot * 2)


def test_a_restricted_cube_is_read_as_its_table_and_as_its_state_arrays_have_it() -> None:
    asked = puzzle("pocket").restrict("R U")
    arrays, oracle = asked.state_arrays(), Oracle(asked)
    rows = arrays.walks(5, 4, rng=1).states
    algs = [" ".join(arrays.moves[move] for move in moves) for moves in arrays.walks(5, 4, rng=1).moves]
    for given in (rows, arrays.one_hot(rows), arrays.one_hot(rows).reshape(5, -1)):
        assert oracle.distances(given).tolist() == asked.depths(algs).tolist() == [4] * 5
        assert (oracle.optimal_moves(given) == asked.optimal_moves_batch(algs)).all()
    assert asked.depths(rows).tolist() == asked.heuristic()(rows).tolist() == [4] * 5
    assert (asked.optimal_moves_batch(rows) == asked.optimal_moves_batch(algs)).all()
    assert (asked.solve_batch(rows).moves == asked.solve_batch(algs).moves).all()
    assert asked.search(rows[0], heuristic=asked.heuristic()).length == 4
    rows[1, 0] ^= 1
    assert asked.depths(rows, invalid="mask").tolist() == [4, 255, 4, 4, 4]
    with pytest.raises(InvalidStateError, match="row 1: each of six colours occurs 4 times on a cube, but"):
        asked.depths(rows)


def test_arrays_of_others_come_in_and_go_out_without_a_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    oracle = Oracle("pocket")
    labels = lookup.facelets(lookup.sample(20, rng=1), colours=range(6))
    read, batch = list[Any](), oracle._batch

    def noting(array: Any) -> Any:
        read.append(array)
        return batch(array)

    monkeypatch.setattr(oracle, "_batch", noting)
    found = oracle.distances(Foreign(labels))
    assert np.shares_memory(read[0], labels)
    assert isinstance(found, Foreign)
    assert isinstance(found.array, np.ndarray)  # the very array that was answered with
    assert (found.array == oracle.distances(labels)).all()
    assert (np.from_dlpack(oracle.optimal_moves(Foreign(labels))) == oracle.optimal_moves(labels)).all()
    assert (oracle.puzzle.state_arrays().read(Foreign(labels)) == labels).all()


def test_answers_begin_where_others_take_them_over() -> None:
    oracle = Oracle("pocket")
    for number, ask in itertools.product((1, 2, 20, 300), (oracle.distances, oracle.optimal_moves)):
        assert ask(np.arange(number)).ctypes.data % 64 == 0  # else JAX copies


def test_an_array_on_another_device_is_named() -> None:
    class Elsewhere(Foreign):
        def __dlpack_device__(self) -> tuple[int, int]:
            return 2, 0  # a CUDA device

        def __dlpack__(self, **_named: Any) -> Any:
            raise BufferError("cannot export")

    with pytest.raises(InvalidStateError, match=r"Elsewhere: numpy cannot read this .*copy it to main memory"):
        Oracle("pocket").distances(Elsewhere(np.zeros((1, 24), np.uint8)))


@pytest.mark.parametrize("name", ["8-puzzle", "rubik", "15-puzzle", "tiles-3x4", "U R alone"])
def test_states_are_read_as_their_environment_shows_them(name: str) -> None:
    asked = puzzle("rubik").restrict("U R") if name == "U R alone" else puzzle(name)
    env, oracle = PuzzleEnv(asked, answers=["distance", "optimal_moves"]), Oracle(asked)
    other = PuzzleEnv(asked, answers=(), observation="one-hot")
    labels, hot, depths, moves = [], [], [], []
    for depth in (1, 3, 4):
        shown, info = env.reset(seed=depth, options={"depth": depth})
        labels.append(shown)
        hot.append(other.reset(seed=depth, options={"depth": depth})[0])
        depths.append(info["distance"])
        moves.append(info["optimal_moves"])
        if asked.name.endswith("puzzle") or asked.name.startswith("tiles"):
            assert asked.depth(" ".join(map(str, shown))) == depth
    for states in (np.array(labels), np.array(hot), np.array(hot, np.float32).reshape(3, -1)):
        assert oracle.distances(states).tolist() == depths == [1, 3, 4]
        assert (oracle.optimal_moves(states) == moves).all()
    assert oracle.distances(np.array(labels)).dtype == np.uint8
    found = oracle.distances(Foreign(np.array(labels)))
    assert isinstance(found, Foreign)
    assert oracle.optimal_moves(np.array(labels)[:0]).shape == (0, len(env.moves))


# -- States of another program -----------------------------------------------------------------------------------------

DEEPXUBE = json.loads((DATA / "deepxube.json").read_text())


def test_cubes_of_deepxube_are_read_as_its_manual_here_says() -> None:
    colors = np.array([[int(colour) for colour in each["colors"]] for each in DEEPXUBE["cube3"]], np.uint8)
    faces = colors.reshape(-1, 6, 3, 3)[:, [0, 3, 5, 1, 2, 4]]
    turned = np.rot90(faces, axes=(2, 3)).reshape(-1, 54)
    algs = [each["actions"].replace("-1", "'").replace("1", "") for each in DEEPXUBE["cube3"]]
    cubes = [RubikCube.from_alg(alg) for alg in algs]
    assert [str(cube) for cube in cubes] == ["".join("UDLRBF"[colour] for colour in row) for row in turned]
    depths = [lookup.depth(cube, metric="qtm") for cube in cubes]
    assert Oracle("rubik", metric="qtm").distances(turned).tolist() == depths
    assert max(depths) == 5


@pytest.mark.parametrize("number", range(2))
def test_tiles_of_deepxube_are_numbered_as_here(number: int) -> None:
    walk, dim = DEEPXUBE["npuzzle"][number]["walk"], DEEPXUBE["npuzzle"][number]["dim"]
    tiles = puzzle(f"tiles-{dim}x{dim}")
    distances = Oracle(tiles).distances(np.array(walk, np.uint8))
    texts = [" ".join(map(str, row)) for row in walk]
    assert distances.tolist() == [tiles.depth(text) for text in texts]
    for text, there in itertools.pairwise(texts):  # an action that is not possible leaves the state as it is
        assert text == there or tiles.depth(text, goal=there) == 1
    assert max(distances) >= 4


# -- Labels are the numbers of text ------------------------------------------------------------------------------------


def typed(states: list[Any]) -> NDArray[np.int64]:
    """Return the numbers of states from their texts."""
    return np.array([[int(word) for word in str(state).split()] for state in states])


def drawn(asked: Puzzle, number: int) -> list[Any]:
    source = random.Random(5)
    return [asked.random_state(source) for _ in range(number)]


@pytest.mark.parametrize("name", ["tiles-2x3", "8-puzzle"])
def test_tiles_have_the_numbers_of_their_text_in_arrays(name: str) -> None:
    tiles = puzzle(name)
    states = drawn(tiles, 200)
    array, depths = typed(states), [tiles.depth(state) for state in states]
    assert tiles.depths(array).tolist() == Oracle(name).distances(array).tolist() == depths
    assert (tiles.written(tiles.ranks(array)) == array).all()
    moves, lengths = tiles.solve_batch(array)
    assert [" ".join(tiles.moves[move] for move in row[:n]) for row, n in zip(moves, lengths, strict=True)] == [
        tiles.solve(state) for state in states
    ]


def test_tiles_with_chosen_moves_costs_or_a_goal() -> None:
    restricted = puzzle("tiles-2x3").restrict(cost="U=2 D=2")
    states = drawn(restricted, 50)
    assert restricted.depths(typed(states)).tolist() == [restricted.depth(state) for state in states]
    row = puzzle("tiles-3x3").towards("1 2 3 * * * * * 0")
    ranks = row.sample(50, rng=1)
    assert row.written(0).tolist() == [1, 2, 3, 4, 4, 4, 4, 4, 0]
    assert (row.depths(row.written(ranks)) == row.depths(ranks)).all()


def test_an_export_has_them(tmp_path: Path) -> None:
    for form in ("npy", "csv"):
        export("tiles-2x3", tmp_path / f"tiles.{form}", "state,depth")
    rows = [line.split(",") for line in (tmp_path / "tiles.csv").read_text().splitlines()[1:]]
    found = np.load(tmp_path / "tiles.npy")
    assert found["state"].tolist() == typed([text for text, _ in rows]).tolist()
    assert found["depth"].tolist() == [int(depth) for _, depth in rows]


@pytest.mark.parametrize(
    ("name", "drawn"),
    [
        ("tiles-2x3", {"by_depth": "uniform", "depths": (2, 5)}),
        ("15-puzzle", {"walk": (2, 5), "columns": "state,depth,solution"}),
    ],
)
def test_a_data_set_has_one_type_of_state_however_large_the_puzzle(
    tmp_path: Path, name: str, drawn: dict[str, Any]
) -> None:
    Dataset(name, 8, **drawn, seed=3).write(tmp_path / "parquet")
    Dataset(name, 8, **drawn, seed=3, form="npz").write(tmp_path / "npz")
    rows, tiles = read(tmp_path / "parquet", "train"), puzzle(name)
    assert [tiles.depth(" ".join(map(str, state))) for state in rows["state"]] == rows["depth"]
    with np.load(tmp_path / "npz" / "data" / "train-00000-of-00001.npz") as content:
        assert content["state"].dtype == np.uint8
        for column, values in rows.items():
            found = content[column].tolist()
            assert [text.decode() for text in found] == values if column == "solution" else found == values
    card = (tmp_path / "npz" / "README.md").read_text()
    assert "| `state` | the tile in each cell, row by row: 0 is the gap, and tiles are counted from 1" in card


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("pancake-5", "the pancake in each place from the top on, counted from 0"),
        ("topspin-8-4", "the disk in each place, counted from 0"),
        ("skewb", "the home of the sticker or piece in each place, counted from 0"),
        ("rolling-edge", "the orientation of the cube in each cell, row by row, as a number; 255 is the vacancy"),
        ("pocket", "the colours of the facelets as letters"),
    ],
)
def test_every_card_says_what_the_numbers_are(tmp_path: Path, name: str, said: str) -> None:
    Dataset(name, 3, seed=1).write(tmp_path / "out")
    assert said in (tmp_path / "out" / "README.md").read_text()


@pytest.mark.parametrize(("name", "numbers"), [("pancake-5", "0 1 2 3 4"), ("topspin-8-4", "0 1 2 3 4 5 6 7")])
def test_what_text_counts_from_one_is_refused_in_arrays(name: str, numbers: str) -> None:
    asked = puzzle(name)
    with pytest.raises(InvalidStateError, match=f"row 0: its numbers are not those of the solved state, {numbers}"):
        asked.depths(typed(drawn(asked, 3)))


@pytest.mark.parametrize("name", ["tiles-2x3", "pancake-5", "skewb"])
def test_one_state_is_not_taken_for_ranks(name: str) -> None:
    asked = puzzle(name)
    one = asked.written(5)
    with pytest.raises(InvalidStateError, match=rf"one state is reshape\(1, {len(one)}\)"):
        asked.depths(one)
    assert asked.depths(one.reshape(1, -1)).tolist() == [asked.depths(5)]


# -- Heuristics, policies and solvers are judged -----------------------------------------------------------------------


def noise(number: int) -> NDArray[np.float64]:
    """A bad heuristic for a number of states."""
    return np.random.default_rng(7).random(number) * 12


def judged_here(puzzle: cubesolve.Puzzle, values: list[float]) -> dict[str, Any]:
    """Compute the properties of a heuristic, state by state."""
    depths, table = puzzle.depths(np.arange(puzzle.states)).tolist(), puzzle.transition_table().tolist()
    costs = [puzzle.rules.costs.get(move, 1) for move in puzzle.moves]
    drops, optimal, leads = [], [], []
    for rank, row in enumerate(table):
        through = [(cost + values[there], cost, there) for cost, there in zip(costs, row, strict=True) if there >= 0]
        least, cost, there = min(through, key=lambda each: each[0])  # the first of the least
        drops.append(values[rank] - (least if depths[rank] else min(least, 0)))
        optimal.append(depths[there] == depths[rank] - cost)
        leads.append((cost, there))
    solved = []
    for rank in range(len(table)):
        here, seen, spent = rank, {rank}, 0
        while depths[here] and spent >= 0:
            cost, here = leads[here]
            spent = -1 if here in seen else spent + cost
            seen.add(here)
        solved.append(spent)
    return {
        "overestimated": sum(value > depth for value, depth in zip(values, depths, strict=True)),
        "inconsistent": sum(drop > 0 for drop in drops),
        "worst": int(np.argmax(np.array(values) - depths)),
        "least_consistent": int(np.argmax(drops)),
        "greedy": np.mean([right for right, depth in zip(optimal, depths, strict=True) if depth]),
        "solved": np.mean([spent >= 0 for spent in solved]),
        "excess": [
            np.mean([s - d for s, d in zip(solved, depths, strict=True) if d == depth and s >= 0] or [-1])
            for depth in sorted(set(depths))
        ],
    }


@pytest.mark.parametrize(("cost", "mixed"), [(None, 1.0), ("U=2 L=3", 0.05)])
def test_all_states_are_judged_as_one_by_one(cost: str | None, mixed: float) -> None:
    puzzle = cubesolve.puzzle("tiles-2x3").restrict(cost=cost)
    values = mixed * noise(puzzle.states) + (1 - mixed) * puzzle.depths(np.arange(puzzle.states))
    expected = judged_here(puzzle, values.tolist())
    found: Any = evaluate(lambda ranks: values[ranks], puzzle)
    assert found.everything
    assert (found.is_admissible, found.is_consistent) == (False, False)
    assert (found.worst.rank, found.least_consistent.rank) == (expected["worst"], expected["least_consistent"])
    assert puzzle.depth(found.worst.state) == found.worst.depth
    assert (found.overestimated, found.inconsistent) == (expected["overestimated"], expected["inconsistent"])
    assert (found.greedy, found.solved) == pytest.approx((expected["greedy"], expected["solved"]))
    assert [-1 if row.excess is None else row.excess for row in found.by_depth] == pytest.approx(expected["excess"])
    assert [row.states for row in found.by_depth] == [each for each in puzzle.distribution() if each]


def test_the_same_of_a_sample() -> None:
    depths = lookup.table("pocket").as_array().astype(float)
    values = depths + noise(len(depths)) / 12
    found = evaluate(lambda ranks: values[ranks], number=5000, rng=3)
    ranks = lookup.sample(5000, rng=3)
    assert (found.states, found.everything, found.solved) == (5000, False, None)
    assert found.overestimated == np.count_nonzero(values[ranks] > depths[ranks])
    least = values[lookup.neighbors(ranks)].min(axis=1) + 1
    assert found.inconsistent == np.count_nonzero(values[ranks] > np.where(depths[ranks] > 0, least, 0))
    assert found.correlation == pytest.approx(np.corrcoef(values[ranks], depths[ranks])[0, 1])
    assert sum(row.states for row in found.by_depth) == 5000
    for row in found.by_depth:
        errors = (values - depths)[ranks][depths[ranks] == row.depth]
        assert (row.error, row.highest, row.lowest) == pytest.approx((errors.mean(), errors.max(), errors.min()))


def test_the_truth_is_without_fault() -> None:
    puzzle = cubesolve.puzzle("tiles-2x3")
    exact, blank = evaluate(puzzle.depths, puzzle), evaluate(lambda ranks: ranks * 0, puzzle)
    assert (exact.greedy, exact.solved, exact.worst) == (1, 1, None)
    assert exact.correlation == pytest.approx(1)
    assert all(row.error == row.excess == 0 for row in exact.by_depth)
    assert (blank.is_admissible, blank.is_consistent, blank.correlation) == (True, True, None)
    assert set(repr(blank).splitlines()[6].split()) == set(AtDepth._fields)
    assert repr(blank) == str(blank)
    above = evaluate(lambda ranks: puzzle.depths(ranks) + 1.0, puzzle)
    assert (above.overestimated, above.inconsistent) == (puzzle.states, 1)  # at the goal alone


def test_a_policy_is_judged_by_the_moves_that_are_possible() -> None:
    puzzle = cubesolve.puzzle("tiles-2x3")
    table, best = puzzle.transition_table(), puzzle.optimal_moves_batch(np.arange(puzzle.states))
    for policy in (puzzle.optimal_moves_batch, lambda ranks: np.where(table[ranks] < 0, 9, best[ranks])):
        found = evaluate_policy(policy, puzzle)
        assert (found.greedy, found.solved) == (1, 1)
        assert (found.overestimated, found.correlation, found.by_depth[3].mean) == (None, None, None)
        assert str(found).splitlines()[4].split() == ["depth", "states", "greedy", "solved", "excess"]


@pytest.mark.parametrize(
    ("name", "shape", "symbols"),
    [("pocket", (24,), 6), ("ivy", (18,), 18), ("tiles-2x3", (6,), 6), ("rolling-edge", (9,), 7)],
)
def test_forms_of_states(name: str, shape: tuple[int], symbols: int) -> None:
    given: dict[str, Any] = {}
    for takes in ("ranks", "labels", "onehot"):

        def keep(states: Any, takes: str = takes) -> NDArray[np.float64]:
            given.setdefault(takes, states)
            return np.zeros(len(states))

        evaluate(keep, name, takes=takes, number=100, rng=1)
    ranks, labels = given["ranks"], given["labels"]
    assert (ranks.shape, labels.shape) == ((100,), (100, *shape))
    assert (given["onehot"] == np.eye(symbols)[labels]).all()
    if name == "pocket":
        states = lookup.facelets(ranks, colours=range(6))
    elif name == "rolling-edge":
        states = lookup.cells(ranks, goal=(2, 1))
    else:
        states = cubesolve.puzzle(name).written(ranks)
    assert (np.where(states == 255, 6, states) == labels).all()


@pytest.mark.parametrize("takes", ["labels", "onehot"])
def test_given_states_are_judged_as_those_of_a_table(takes: str) -> None:
    tiles = cubesolve.puzzle("tiles-2x3")
    arrays = tiles.state_arrays()
    rows = arrays.from_ranks(np.arange(tiles.states))

    def misplaced(states: NDArray[Any]) -> Any:
        labels = states.argmax(axis=2) if takes == "onehot" else states
        wrong = (labels != arrays.solved) & (labels != 0)
        return np.where(labels[:, 0] == 1, 1.5, 1) * wrong.sum(axis=1)

    whole: Any = evaluate(misplaced, tiles, takes=takes)
    found = evaluate(misplaced, tiles, takes=takes, states=rows)
    known = evaluate(misplaced, tiles, takes=takes, states=rows, depths=tiles.depths(np.arange(tiles.states)))
    for each in (found, known):
        assert (each.states, each.everything, each.solved) == (tiles.states, False, None)
        assert (each.overestimated, each.inconsistent) == (whole.overestimated, whole.inconsistent)
        assert each.correlation == pytest.approx(whole.correlation)
        assert each.least_consistent == whole.least_consistent._replace(rank=None)
    assert found.greedy == whole.greedy
    assert known.greedy is None
    assert [row._replace(solved=None, excess=None) for row in whole.by_depth] == list(found.by_depth)
    assert all(row.greedy is None for row in known.by_depth)
    assert "greedy" not in repr(known)
    assert "a sample of 360 states" in repr(known)
    given: dict[str, Any] = {"takes": "labels", "states": ["R U F", "L"], "depths": [3, 1]}
    cubes: Any = evaluate(lambda states: 20.0 + 0 * states[:, 0], "rubik", **given)
    assert cubes.overestimated == 2
    assert (cubes.worst.rank, cubes.worst.depth, cubes.worst.by) == (None, 1, 19)


# -- Solvers -----------------------------------------------------------------------------------------------------------


def test_a_solver_is_measured_by_what_its_solutions_do() -> None:
    tiles = cubesolve.puzzle("tiles-2x3")
    states = [tiles.random_state(seed, depth=depth) for seed, depth in enumerate((3, 3, 5))]

    class Found:
        def __init__(self, solution: str | None, nodes: int) -> None:
            self.solution, self.nodes = solution, nodes

    def solve(state: Any) -> Found:
        alg = tiles.solve(state)
        return Found({0: f"{alg} D U" if state == states[0] else alg, 2: None}.get(states.index(state), alg), 7)

    result = evaluate_solver(solve, tiles, states, [3, 3, 5])
    assert [(each.depth, each.length, each.nodes) for each in result.attempts] == [(3, 5, 7), (3, 3, 7), (5, None, 7)]
    near, far = result.by_depth
    assert (near.states, near.solved, near.optimal, near.length, near.excess, near.nodes) == (2, 1, 0.5, 4, 1, 7)
    assert (far.solved, far.optimal, far.length, far.excess) == (0, 0, None, None)
    assert (result.overall.states, result.overall.optimal) == (3, 1 / 3)
    assert repr(result).startswith("tiles-2x3: 3 states: 66.7% solved, 33.3% optimally, 4.00 moves, 7 nodes, ")
    rows, depths = tiles.state_arrays().read(states), np.array([3, 3, 5], np.uint8)
    of_rows = evaluate_solver(solve, tiles, rows, depths)
    assert [(each.depth, each.length) for each in of_rows.attempts] == [(3, 5), (3, 3), (5, None)]
    assert "\n    3       2" in repr(of_rows)  # as an integer
    unknown = evaluate_solver(tiles.solve, "tiles-2x3", states)
    assert (unknown.overall.optimal, unknown.overall.nodes, len(unknown.by_depth)) == (None, None, 1)


def test_a_search_with_a_heuristic_counts_its_nodes() -> None:
    tiles = cubesolve.puzzle("tiles-3x3")
    states, evaluated = [tiles.random_state(seed) for seed in range(2)], []

    def misplaced(rows: NDArray[Any]) -> Any:
        evaluated.append(len(rows))
        return (rows != [1, 2, 3, 4, 5, 6, 7, 8, 0]).sum(axis=1)

    for method in ("beam", "bwas"):
        evaluated.clear()
        found = evaluate_solver(
            lambda state: tiles.search(state, heuristic=misplaced, method=method, width=50, weight=3),  # noqa: B023
            tiles,
            states,
        )
        assert sum(each.nodes or 0 for each in found.attempts) == sum(evaluated) > 0
    solution = tiles.search(states[0], heuristic=misplaced, width=50)
    assert pickle.loads(pickle.dumps(solution)).nodes == solution.nodes
    assert tiles.solve(states[0]).nodes is None


def test_a_solver_ends_at_a_limit_or_holds_the_puzzle_in_another_way() -> None:
    tiles = cubesolve.puzzle("15-puzzle")
    states = ["R", tiles.random_state(1)]
    limited = evaluate_solver(lambda state: tiles.solve(state, max_depth=3), tiles, states, [1, 50])
    assert [each.length for each in limited.attempts] == [1, None]
    assert evaluate_solver(cubesolve.puzzle("clock").solve, "clock", ["UR3+ y2 L1-"], [2]).overall.optimal == 1
    cubes = evaluate_solver(lambda cube: cubesolve.puzzle("rubik").solve(cube), "rubik", ["R U x", "R U F"], [2, 3])
    assert cubes.overall.optimal == 1
