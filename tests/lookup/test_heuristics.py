"""Heuristics of one's own: exact distances of simplified puzzles, and functions; searches with them are optimal."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from cubesolve import InvalidStateError, PocketCube, SearchLimitError, UnsolvableStateError, puzzle
from cubesolve.ask import Puzzle
from cubesolve.learn.labels import Oracle
from cubesolve.learn.research import evaluate
from cubesolve.search import limits
from cubesolve.search.statistics import predicted_nodes, sequences
from cubesolve.solvers import heuristics, opening, searched, workbench
from cubesolve.solvers.derived import DerivedSolver
from tests.definitions.samples import disks
from tests.distances import by_cost

_TILES = "tiles-2x4"


@pytest.fixture(scope="module")
def tiles() -> Puzzle:
    return puzzle(_TILES)


def _least(tiles: Puzzle, shown: list[int], *, counts_all: bool) -> NDArray[np.int64]:
    """Return the least cost among the states with the same projection, by a search of all states."""
    written = tiles.written(np.arange(tiles.states))
    there, gaps = tiles.neighbors(np.arange(len(written))), (written == 0).argmax(axis=1)
    keys = np.unique(np.where(np.isin(written, [0, *shown]), written, 9), axis=0, return_inverse=True)[1].reshape(-1)
    # The goal is the pattern, whatever lies elsewhere, or with pieces alone the solved state.
    goal = np.flatnonzero(keys == keys[0]).tolist() if counts_all else [0]

    def around(rank: int) -> Iterator[tuple[int, int]]:
        for other in there[rank][there[rank] >= 0].tolist():
            yield int(counts_all or written[rank, gaps[other]] in shown), other

    best = np.full(keys.max() + 1, 999)
    for rank, cost in by_cost(goal, around):
        best[keys[rank]] = min(best[keys[rank]], cost)
    return best[keys]


def test_a_database_has_the_least_number_of_counted_moves(tiles: Puzzle) -> None:
    everything = np.arange(tiles.states)
    assert np.array_equal(tiles.pdb("1 2 5")(everything), _least(tiles, [1, 2, 5], counts_all=False))
    with_gap = tiles.pdb("* * 3 4 * * * 0")
    assert np.array_equal(with_gap(everything), _least(tiles, [3, 4], counts_all=True))


def test_sums_and_maxima_are_consistent_bounds(tiles: Puzzle) -> None:
    one, other = tiles.pdb("1 2 5 6"), tiles.pdb("3 4 7")
    total, ranks = one + other, np.arange(tiles.states)
    assert np.array_equal(total(ranks), one(ranks) + other(ranks))
    best = total | tiles.pdb("1 2 3 0")
    assert np.array_equal(best(ranks), np.maximum(total(ranks), tiles.pdb("1 2 3 0")(ranks)))
    assert np.array_equal(best.bounds(ranks).max(axis=1), best(ranks))
    judged = evaluate(best, _TILES, number=500, rng=1)
    assert judged.is_admissible
    assert judged.is_consistent


def test_a_mirror_image_is_looked_up_as_its_state() -> None:
    square = puzzle("tiles-3x3")
    sums = square.pdb("1 2 3") + square.pdb("4 5 6 7 8")
    mirrored = np.array([0, 1, 4, 7, 2, 5, 8, 3, 6])
    states = square.written(square.sample(200, rng=3))
    images = mirrored[states[:, [0, 3, 6, 1, 4, 7, 2, 5, 8]]]
    assert np.array_equal(sums.symmetric()(states), np.maximum(sums(states), sums(images)))
    assert (sums(states) != sums(images)).any()
    assert len(sums.symmetric().symmetric().groups) <= 4
    searches = map(sums.symmetric().search, states[:20].tolist())
    assert [search.cost for search in searches] == square.depths(states[:20]).tolist()


def test_databases_of_pieces_that_no_common_move_changes_add_up() -> None:
    halves = puzzle("rubik").restrict("U D")  # 16 states; U and D change different pieces
    one, other = halves.pdb("UF UR"), halves.pdb("DF DL")
    states = ["U D2", "U2 D'", "D", "U U'"]
    assert [(one + other)(states).tolist(), (one | other)(states).tolist()] == [[2, 2, 1, 0], [1, 1, 1, 0]]


def test_patterns_of_cubes_are_names_facelets_and_steps() -> None:
    rubik = puzzle("rubik").restrict("R U2 F2 D2")
    edges = rubik.pdb("UF UR")
    facelets = "*****U*U*" + "*R*" + "*" * 6 + "*F*" + "*" * 33
    states = ["R U2", "F2", "D2"]
    assert edges(states).tolist() == rubik.pdb(facelets)(states).tolist() == [2, 1, 0]
    assert edges.search("R U2 F2", max_depth=5).solution == "F2 U2 R'"
    assert puzzle("pancake-7").pdb("1 2", memory=42)(["f2"]).tolist() == [1]  # of 42 states


def test_searches_are_optimal_and_count_their_iterations(tiles: Puzzle) -> None:
    heuristic = tiles.pdb("1 2 5 6") + tiles.pdb("3 4 7")
    source = random.Random(1)
    states = [tiles.random_state(source) for _ in range(20)]
    searches = [*map(heuristic.search, states)]
    assert [search.cost for search in searches] == tiles.depths(states).tolist()
    for state, search in zip(states, searches, strict=True):
        assert tiles.depth(state.apply(search.solution)) == 0
        costs = [iteration.cost for iteration in search.iterations]
        assert (costs[0], costs[-1]) == (heuristic([state])[0], search.cost)
        assert costs == sorted(set(costs))
        assert search.nodes == sum(iteration.nodes for iteration in search.iterations) >= search.cost
    with pytest.raises(SearchLimitError, match="at least"):
        heuristic.search(states[0], max_depth=3)
    with pytest.raises(SearchLimitError):
        heuristic.search(states[0], timeout=0)


def test_a_move_that_costs_more_than_is_left_is_tried_later(tmp_path: Path) -> None:
    """A bound of 0 rules no move out, and no canonical alg of cheaper moves is longer than one move."""
    (path := tmp_path / "ring.gap").write_text("A := (1,2); B := (2,3); C := (4,5,6);")
    dear = puzzle(str(path)).restrict("A B", cost="B=3")
    found = dear.pdb("4").search("A B A")
    assert (found.cost, str(found.solution)) == (5, "A B A")
    assert (dear.pdb("1 2 3 4 5 6")(["A"]).tolist(), len(dear.antipodes())) == ([1], 1)  # of the table of all states


def test_a_profile_of_all_states_predicts_the_nodes_of_an_iteration() -> None:
    pancakes = puzzle("pancake-6")
    profile = pancakes.pdb("1 2 3").profile(2_000, rng=1)
    exact = np.bincount(pancakes.pdb("1 2 3")(np.arange(720)))
    assert np.allclose(np.array(profile.counts) / 2_000, exact / 720, atol=0.05)
    assert profile.mean == pytest.approx((exact * np.arange(len(exact))).sum() / 720, abs=0.1)
    assert predicted_nodes([[1]], [1, 5, 20], 2) == 25  # without a heuristic, all sequences


def test_sequences_of_a_sliding_puzzle_begin_where_their_parity_does(tiles: Puzzle) -> None:
    profile = tiles.pdb("1 2 3").profile(10, rng=1)
    # A corner and an inner point of a row lead to 2 and 3 points, and then to 1 or 2 others from each of these.
    assert sequences(profile.following, profile.sliding, 1) == [1, 2.5]
    assert sequences(profile.following, profile.sliding, 2) == [1, 2.5, 4]


def test_a_puzzle_without_a_table_has_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    large = _without_table(_TILES, monkeypatch)
    near, far = large.parse("R D", "alg"), large.random_state(1)
    bounds = large.bounds([near, far, "1 2 3"], invalid="mask")
    assert bounds[0].max() == 2
    assert 5 < bounds[1].max() <= 36
    assert (bounds[2] == heuristics.NO_BOUND).all()
    assert len(large.bounds([])) == 0
    assert large.heuristic().search(near).solution == "U L"
    with pytest.raises(UnsolvableStateError):
        large.heuristic().search("1 2 3 4 5 7 6 0")


def test_bounds_of_lists_of_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    large = _without_table(_TILES, monkeypatch)
    far = large.random_state(1)
    numbers = [(label + 1) % 8 for label in far.arrangement]
    twice = [*numbers[1:], numbers[1]]
    assert np.array_equal(large.bounds([numbers]), large.bounds([far]))
    assert (large.bounds([numbers, twice], invalid="mask")[1] == heuristics.NO_BOUND).all()


_TWINS = disks(
    {"M": "2 3 4 5 1 6 7 8 9 10", "N": "1 5 4 3 2 6 7 8 9 10", "x": "6 7 8 9 10 1 2 3 4 5"}, "1 2 2 2 2 6 7 7 7 7"
)


def test_states_that_identical_pieces_leave_unknown_are_searched_in_a_reachable_naming(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Moves never bring the last beads to the first places, but a rotation does, which renames the beads."""
    (path := tmp_path / "twins.tws").write_text(_TWINS)
    asked = puzzle(str(path))
    states = ["x", "M", "x M", "x M N", "x M M"]
    depths = [asked.depth(state) for state in states]
    large = _without_table(str(path), monkeypatch)
    assert large.bounds(states).tolist() == [[depth] for depth in depths]
    assert [large.depth(state) for state in states] == depths == [0, 1, 1, 1, 1]


def test_bounds_where_moves_change_nothing_or_a_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Moves only rotate the puzzle, or keep a gap in its row."""
    row = puzzle("tiles-3x3").restrict("L R")
    states = ["1 2 3 4 5 6 7 8 0", "1 2 3 4 5 6 7 0 8", "1 2 3 4 5 6 0 7 8"]
    assert row.heuristic()(states).tolist() == [row.depth(state) for state in states] == [0, 1, 2]
    (path := tmp_path / "rotated.tws").write_text(disks({"A": "2 3 1", "x": "2 3 1"}))
    assert _without_table(str(path), monkeypatch).heuristic()(["A", "x"]).tolist() == [0, 0]


@pytest.mark.parametrize("name", ["tiles-2x4", "topspin-8-4", "pyramorphix"])
def test_bounds_of_arrays_are_those_of_lists(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel finds the ranks of many states."""
    large = _without_table(name, monkeypatch)
    states = [large.random_state(seed) for seed in range(20)]
    rows = large.state_arrays().read(states)
    expected = large.bounds(states)
    assert (large.bounds(rows) == expected).all()
    monkeypatch.setattr(opening, "SMALL", 0)
    assert (large.bounds(rows) == expected).all()
    monkeypatch.setattr(heuristics, "_TOGETHER", 7)
    assert (large.bounds(rows, workers=2) == expected).all()
    with pytest.raises(ValueError, match="workers"):
        large.bounds(rows, workers=0)
    rows = rows.astype(np.int64)
    rows[3, 0], rows[4], rows[5, :2] = -1, rows[4, 0], rows[5, 1::-1]
    bounds = large.bounds(rows, invalid="mask")
    assert (bounds == heuristics.NO_BOUND).all(axis=1).nonzero()[0].tolist()[:2] == [3, 4]
    with pytest.raises(InvalidStateError, match="row 3, point 0: -1 is not a label"):
        large.bounds(rows)


def test_bounds_of_a_goal_without_a_table_never_exceed_its_depths(monkeypatch: pytest.MonkeyPatch) -> None:
    layer = puzzle("skewb").towards("layer")
    states = [layer.random_state(seed) for seed in range(20)]
    depths = layer.depths(states)
    large = _without_table("skewb", monkeypatch).towards("layer")
    bounds = large.bounds(states).max(axis=1)
    assert (bounds <= depths).all()
    assert bounds.max() > 2


def test_bounds_towards_the_nearest_of_several_goals() -> None:
    nearest = puzzle("pocket").towards("first-layer-any")
    states = [PocketCube.from_alg(alg) for alg in ("", "R2", "R U F", "R U F D R")]
    bounds = nearest.bounds([*states, "no cube"], invalid="mask")
    assert bounds[:, 0].tolist() == [*map(nearest.depth, states), heuristics.NO_BOUND]


def test_the_bytes_of_databases_and_the_time_for_them_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    large = _without_table("tiles-2x4", monkeypatch)
    states = large.state_arrays().walks(20, 30, rng=1).states
    with pytest.raises(SearchLimitError):
        Oracle(large).bounds(states, timeout=0)
    few, many = (large.bounds(states, memory=1 << bits).max(axis=1) for bits in (12, 16))
    assert (few <= many).all()
    assert few.sum() < many.sum()
    assert (Oracle(large).bounds(states, memory=1 << 12) == few).all()
    with pytest.raises(ValueError, match="max_depth"):
        large.bounds(states, max_depth=3)  # type: ignore[call-arg]


def _without_table(name: str, monkeypatch: pytest.MonkeyPatch) -> Puzzle:
    monkeypatch.setattr(DerivedSolver, "has_table", lambda _self, _graph: False)
    monkeypatch.setattr(workbench, "MEMORY", 1 << 16)
    return puzzle(name)


@pytest.mark.parametrize("name", [_TILES, "pancake-20"])
def test_progress_is_reported_within_a_depth(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_EVERY", 0.0)
    monkeypatch.setattr(searched, "_NEAR_SLIDING", 2)
    reports = list[tuple[int, int, float]]()
    large = _without_table(name, monkeypatch)
    state = large.random_state(5)
    large.solve(state, progress=lambda *report: reports.append(report), memory=1 << 16, workers=1)
    depths = [depth for depth, _, _ in reports]
    several = [depth for depth in depths if depths.count(depth) > 1]  # those of the search with a heuristic
    depths, nodes, seconds = map(list, zip(*reports[depths.index(several[0]) :], strict=True))
    assert (depths, nodes, seconds) == (sorted(depths), sorted(nodes), sorted(seconds))
    found = large.heuristic().search(state)
    assert [each.cost for each in found.iterations] == sorted({each.cost for each in found.iterations})
    assert found.nodes == nodes[-1]


# -- Functions ---------------------------------------------------------------------------------------------------------


def _zero(states: Any) -> Any:
    return np.zeros(len(states))


def _far(value: float) -> Any:
    return lambda states: np.full(len(states), value)


@pytest.mark.parametrize("method", ["beam", "bwas", "ida"])
def test_the_distance_leads_straight_to_the_solution(method: str) -> None:
    tiles = puzzle("tiles-2x3")
    seen = []

    def distance(states: Any) -> Any:
        seen.append(len(states))
        return tiles.depths(states)[:, None]

    state = tiles.antipodes()[0]
    assert tiles.search(state, heuristic=distance, method=method, width=1).length == 21
    assert sum(seen) < 100


def test_a_wide_beam_proves_its_solution() -> None:
    tiles = puzzle("tiles-2x3")
    found = tiles.search(tiles.antipodes()[0], heuristic=_zero, width=1000)
    assert (found.length, found.at_least) == (21, 21)
    with pytest.raises(SearchLimitError, match="in the beam"):
        tiles.search(tiles.antipodes()[0], heuristic=lambda states: -tiles.depths(states).astype(int), width=1)


@pytest.mark.parametrize("method", ["beam", "bwas", "ida"])
def test_what_a_heuristic_proves_is_not_about_the_state(method: str) -> None:
    tiles, cancel = puzzle("15-puzzle"), threading.Event()
    far, near = tiles.random_state(1), tiles.parse("R D")

    def searching(states: Any) -> Any:
        tiles.solve(far, max_length=200)
        cancel.set()
        return np.zeros(len(states))

    with pytest.raises(SearchLimitError, match="before it was cancelled") as caught:
        tiles.search(near, heuristic=searching, method=method, cancel=cancel)
    assert caught.value.at_least <= 2


@pytest.mark.parametrize("method", ["beam", "bwas", "ida"])
def test_limits_hold(method: str) -> None:
    (cancel := threading.Event()).set()
    limits: dict[str, dict[str, Any]] = {
        "at max_depth 2": {"max_depth": 2},
        "after 0 s": {"timeout": 0},
        "cancelled": {"cancel": cancel},
    }
    if method != "ida":  # which keeps hardly any state
        limits["of memory"] = {"memory": 10_000}
    for message, limit in limits.items():
        with pytest.raises(SearchLimitError, match=message):
            puzzle("rubik").search("R U F' L D B2 R' U F L' B", heuristic=_zero, method=method, **limit)


def test_a_search_needs_not_lead_to_the_state_that_is_usually_solved() -> None:
    assert puzzle("tiles-2x3").towards("1 2 3 * * *").search("1 2 3 5 4 0", heuristic=_zero, method="ida").length == 0
    assert puzzle("rubik").restrict("R U").search("x R", heuristic=_zero, method="bwas") == "R'"


@pytest.mark.parametrize("method", ["bwas", "ida"])
def test_costs_are_counted(method: str) -> None:
    asked = puzzle("pyraminx-duo").restrict(cost="R=4")
    arrays, weight = asked.state_arrays(), cast("float", np.float32(1))
    for state in ("R", "R U L'"):
        found = asked.search(state, heuristic=_zero, method=method, weight=weight)
        assert arrays.costs[arrays.numbers(found)].sum() == asked.depth(state)
        assert found.states[-1].is_solved


def test_moves_are_those_of_the_metric() -> None:
    found = [puzzle("pocket").search("R2", heuristic=_zero, metric=metric).length for metric in (None, "htm", "qtm")]
    assert found == [1, 1, 2]


@pytest.mark.parametrize("method", ["beam", "bwas"])
def test_symmetric_states_are_duplicates(method: str) -> None:
    duo, seen = puzzle("pyraminx-duo"), dict.fromkeys((False, True), 0)
    far = duo.antipodes()[0]

    for symmetric in seen:

        def counted(states: Any, symmetric: bool = symmetric) -> Any:
            seen[symmetric] += len(states)
            return np.zeros(len(states))

        found = duo.search(far, heuristic=counted, method=method, width=1 << 12, symmetric=symmetric)
        assert found.length == duo.depth(far)
        assert found.states[-1].is_solved
    assert seen[True] * 8 < seen[False] * 3


def test_a_heuristic_takes_one_hot() -> None:
    tiles = puzzle("tiles-2x3")
    weights = np.eye(6, dtype=np.float32)[[1, 2, 3, 4, 5, 0]]
    found = tiles.search("D R", heuristic=lambda hot: 6 - (hot * weights).sum(axis=(1, 2)), takes="onehot")
    assert found == "L U"


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ["tiles-2x3", "pocket", "rubik"])
def test_a_state_may_be_a_row_of_labels(name: str) -> None:
    asked = puzzle(name)
    arrays = asked.state_arrays()
    row = arrays.walks(1, 2, rng=1).states[0]

    def wrong(states: Any) -> Any:
        return (states != arrays.solved).mean(axis=1)

    found = asked.search(row, heuristic=wrong)
    assert found == asked.search(arrays.states(row[None])[0], heuristic=wrong)
    assert found.length == 2
    with pytest.raises(InvalidStateError, match="row 0"):
        asked.search(np.zeros_like(row), heuristic=_zero)


def test_estimates_beyond_all_bounds() -> None:
    """Infinite values are ordered, and a depth-first search without a bound ends at its memory limit."""
    for estimate in (1e300, -1e300):
        found = puzzle("tiles-2x3").search("4 1 2 5 0 3", heuristic=_far(estimate), method="bwas")
        assert found.length
    with pytest.raises(SearchLimitError, match=r"with 1 MB of memory"):
        puzzle("rubik").search("R U F' L D", heuristic=_far(1e300), method="ida", memory=10**6)
