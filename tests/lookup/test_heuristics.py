"""Heuristics of one's own are exact distances of simplified puzzles, and searches with them are optimal."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from cubesolve import InvalidStateError, PocketCube, SearchLimitError, TooLargeError, UnsolvableStateError, puzzle
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


@pytest.fixture(scope="module")
def written(tiles: Puzzle) -> NDArray[np.uint8]:
    return tiles.written(np.arange(tiles.states))


def _least(tiles: Puzzle, written: NDArray[np.uint8], shown: list[int], *, counts_all: bool) -> NDArray[np.int64]:
    """Return the least cost among the states with the same projection, by a search of all states."""
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


def test_a_database_has_the_least_number_of_counted_moves(tiles: Puzzle, written: NDArray[np.uint8]) -> None:
    everything = np.arange(len(written))
    assert np.array_equal(tiles.pdb("1 2 5")(everything), _least(tiles, written, [1, 2, 5], counts_all=False))
    with_gap = tiles.pdb("* * 3 4 * * * 0")
    assert np.array_equal(with_gap(everything), _least(tiles, written, [3, 4], counts_all=True))


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


@pytest.mark.parametrize(
    ("one", "other"), [("1 2", "2 3"), ("1 2 0", "3 4"), ("1 2 0", "3 4 0")], ids=["piece", "gap", "gaps"]
)
def test_sums_that_count_a_move_twice_are_rejected(tiles: Puzzle, one: str, other: str) -> None:
    with pytest.raises(ValueError, match="is not admissible"):
        tiles.pdb(one) + tiles.pdb(other)


def test_databases_of_pieces_that_no_common_move_changes_add_up() -> None:
    halves = puzzle("rubik").restrict("U D")  # 16 states; U and D change different pieces
    one, other = halves.pdb("UF UR"), halves.pdb("DF DL")
    states = ["U D2", "U2 D'", "D", "U U'"]
    assert (one + other)(states).tolist() == [2, 2, 1, 0]
    assert (one | other)(states).tolist() == [1, 1, 1, 0]
    with pytest.raises(ValueError, match="same puzzle"):
        one + puzzle("skewb").pdb("URF")


@pytest.mark.parametrize(
    ("name", "pattern", "error"),
    [
        (_TILES, "", InvalidStateError),
        (_TILES, "* * * * * * * *", InvalidStateError),
        (_TILES, "2 1 * * * * * *", InvalidStateError),
        (_TILES, "1 2 9", InvalidStateError),
        (_TILES, "1 2 2", InvalidStateError),
        (_TILES, 5, InvalidStateError),
        ("rubik", "cross-any", InvalidStateError),
        ("rubik", {"EDGES": []}, InvalidStateError),
        ("rubik", "URF UFL ULB UBR DFR DLF DBL DRB UF UR UB", TooLargeError),
        ("24-puzzle", "1 2 3 4 5 6 7 8", TooLargeError),
        ("15-puzzle", "1 2 3 4 5 6 7 8 9", ValueError),
        ("rolling", "1", ValueError),
    ],
)
def test_what_is_no_pattern_is_rejected(name: str, pattern: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        puzzle(name).pdb(pattern)


def test_a_word_that_is_no_pattern_is_rejected_as_one() -> None:
    with pytest.raises(InvalidStateError, match="'corners' is not a pattern of the 7 pancakes: expected names"):
        puzzle("pancake-7").pdb("corners")
    with pytest.raises(
        InvalidStateError, match=r"'layr' is not a pattern of the Skewb: did you mean layer .* as URF UFL"
    ):
        puzzle("skewb").pdb("layr")


def test_a_database_keeps_within_its_memory() -> None:
    pancakes = puzzle("pancake-7")
    assert pancakes.pdb("1 2", memory=42)(["f2"]).tolist() == [1]
    with pytest.raises(TooLargeError, match="there are 42 states, more than can be enumerated: at most 41"):
        pancakes.pdb("1 2", memory=41)
    with pytest.raises(TooLargeError, match="there are 120 states"):
        puzzle("tiles-2x3").pdb("1 2 3", memory=100)
    with pytest.raises(ValueError, match="memory must be at least 0"):
        pancakes.pdb("1 2", memory=-1)


def test_patterns_of_cubes_are_names_facelets_and_steps() -> None:
    rubik = puzzle("rubik").restrict("R U2 F2 D2")
    edges = rubik.pdb("UF UR")
    facelets = "*****U*U*" + "*R*" + "*" * 6 + "*F*" + "*" * 33
    states = ["R U2", "F2", "D2"]
    assert edges(states).tolist() == rubik.pdb(facelets)(states).tolist() == [2, 1, 0]
    assert edges.search("R U2 F2", max_depth=5).solution == "F2 U2 R'"


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


def test_a_profile_of_all_states_predicts_the_nodes_of_an_iteration() -> None:
    pancakes = puzzle("pancake-6")
    profile = pancakes.pdb("1 2 3").profile(2_000, rng=1)
    exact = np.bincount(pancakes.pdb("1 2 3")(np.arange(720)))
    assert np.allclose(np.array(profile.counts) / 2_000, exact / 720, atol=0.05)
    assert profile.mean == pytest.approx((exact * np.arange(len(exact))).sum() / 720, abs=0.1)
    assert predicted_nodes([[1]], [1, 5, 20], 2) == 25  # without a heuristic, all sequences
    with pytest.raises(ValueError, match="no prediction"):
        pancakes.restrict(cost="f2=2").pdb("1 2 3").profile(10, rng=1).predicted(3)


def test_sequences_of_a_sliding_puzzle_begin_where_their_parity_does(tiles: Puzzle) -> None:
    profile = tiles.pdb("1 2 3").profile(10, rng=1)
    # A corner and an inner point of a row lead to 2 and 3 points, and then to 1 or 2 others from each of these.
    assert sequences(profile.following, profile.sliding, 1) == [1, 2.5]
    assert sequences(profile.following, profile.sliding, 2) == [1, 2.5, 4]


def test_every_puzzle_has_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    assert puzzle("skewb").bounds(["R U'", "R U' L", ""]).tolist() == [[2], [3], [0]]
    assert puzzle("pancake-20").bounds(["f20 f10", ""]).tolist() == [[2], [0]]
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
    with pytest.raises(ValueError, match="metric"):
        large.bounds([near], goal=(1, 1))


def test_bounds_of_rows_that_are_no_states(monkeypatch: pytest.MonkeyPatch) -> None:
    large = _without_table(_TILES, monkeypatch)
    far = large.random_state(1)
    numbers = [(label + 1) % 8 for label in far.arrangement]
    twice = [*numbers[1:], numbers[1]]
    assert np.array_equal(large.bounds([numbers]), large.bounds([far]))
    for wrong in ([numbers[::-1][:3]], "R D", np.zeros((2, 8)), [twice]):
        with pytest.raises(InvalidStateError):
            large.bounds(wrong)
    assert (large.bounds([numbers, twice], invalid="mask")[1] == heuristics.NO_BOUND).all()
    with pytest.raises(InvalidStateError, match="its numbers"):
        large.heuristic()([twice])


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
    with pytest.raises(InvalidStateError, match=r"row 3: .*row 4: "):
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
    with pytest.raises(InvalidStateError, match="row 4"):
        nearest.bounds([*states, "no cube"])
    with pytest.raises(ValueError, match="states as arrays, because its goals ignore different pieces"):
        nearest.state_arrays()


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
