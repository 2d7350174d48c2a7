from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import cubesolve
from cubesolve import lookup
from cubesolve.learn.research import AtDepth, evaluate, evaluate_policy, evaluate_solver


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
        least = min(each[0] for each in through)
        _, cost, there = next(each for each in through if each[0] == least)
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


def zero(ranks: NDArray[Any]) -> NDArray[Any]:
    return ranks * 0


TILES = "tiles-2x3"
NO_NUMBER = "returns no finite number for"
PASS = "; pass states, and their depths"
CUBES: dict[str, Any] = {"takes": "labels", "states": ["R U F", "L"], "depths": [3, 1]}


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: evaluate(lambda ranks: ranks[1:], TILES), r"heuristic returns int64 \(359,\), not numbers \(360,\)"),
        (lambda: evaluate(lambda ranks: np.where(ranks == 5, np.nan, 0), TILES), f"{NO_NUMBER} rank 5, '4 1 5 3 2 0'"),
        (lambda: evaluate(lambda ranks: np.where(ranks == 5, np.inf, 0), TILES), f"{NO_NUMBER} rank 5"),
        (lambda: evaluate(lambda ranks: ["a"] * len(ranks), TILES), r"returns <U1 \(360,\), not numbers \(360,\)"),
        (lambda: evaluate(print, TILES), r"returns object \(\), not numbers \(360,\)"),  # type: ignore[arg-type]
        (lambda: evaluate(zero, "ivy", takes="pixels"), "unknown form .* 'pixels': expected ranks or labels or onehot"),
        (lambda: evaluate(zero, "rubik"), f"rubik-htm-small is not a table of states{PASS}"),
        (lambda: evaluate(zero, "15-puzzle", number=5), rf"more than can be enumerated.*{PASS}"),
        (lambda: evaluate(zero, "nothing"), "unknown puzzle 'nothing'"),
        (lambda: evaluate(zero, "ivy", number=0), "number"),
        (lambda: evaluate(zero, "ivy", number=-1), "number"),
        (lambda: evaluate(len, "rubik", **{**CUBES, "depths": [1]}), "there are 2 states, but 1 depths"),
        (lambda: evaluate(len, "rubik", **CUBES, number=3), "number is not supported"),
        (lambda: evaluate(len, "rubik", **{**CUBES, "takes": "ranks"}), "choose labels or onehot"),
        (lambda: evaluate(len, "rubik", depths=[1]), "depths are those of states"),
        (lambda: evaluate(lambda states: states[:, 0] * np.nan, "rubik", **CUBES), NO_NUMBER),
        (lambda: evaluate_policy(zero, TILES), r"the policy returns int64 \(360,\), not numbers \(360, 4\)"),
        (lambda: evaluate_policy(lambda ranks: np.full((len(ranks), 4), np.nan), TILES), "returns nan for rank 0"),
        (lambda: evaluate_solver(lambda _: "D", "15-puzzle", ["R"]), "'D' does not solve"),
        (lambda: evaluate_solver(lambda _: "L", "15-puzzle", ["R"], [1, 2]), "there are 1 states, but 2 depths"),
        (lambda: evaluate_solver(lambda _: "Q", "15-puzzle", ["R"]), "'Q' .* is not a move"),
        (lambda: evaluate_solver(lambda _: "UR3+", "clock", ["UR3+"]), "does not solve"),
    ],
)
def test_what_cannot_be_judged_is_named(ask: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ask()


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
    cubes: Any = evaluate(lambda states: 20.0 + 0 * states[:, 0], "rubik", **CUBES)
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
