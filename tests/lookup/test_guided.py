"""Search with a heuristic of one's own."""

from __future__ import annotations

import threading
from typing import Any, cast

import numpy as np
import pytest

from cubesolve import InvalidStateError, SearchLimitError, UnsolvableStateError, puzzle


def _zero(states: Any) -> Any:
    return np.zeros(len(states))


def _far(value: float) -> Any:
    return lambda states: np.full(len(states), value)


class _Unsupported:
    """A tensor of torch with a type that numpy lacks."""

    def __array__(self, dtype: object = None, copy: object = None) -> Any:
        raise TypeError("Got unsupported ScalarType BFloat16")


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


@pytest.mark.parametrize(
    ("heuristic", "message"),
    [
        (lambda states: np.full(len(states), np.nan), "returns nan, not a finite number"),
        (lambda states: states, "returns uint8"),
        (lambda states: ["far"] * len(states), "returns <U3"),
        (lambda _states: _Unsupported(), r"returns no array of numbers \(1,\): Got unsupported ScalarType"),
        (lambda _states: [[0.0], []], r"returns no array of numbers \(1,\): setting an array element"),
        (3, "must be a function, not int"),
    ],
)
def test_wrong_heuristics_are_named(heuristic: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        puzzle("tiles-2x3").search("1 2 3 4 0 5", heuristic=heuristic, method="bwas")


@pytest.mark.parametrize(("option", "message"), [("weight", "a number of at least 0"), ("max_depth", "at least 0")])
def test_wrong_options_are_named(option: str, message: str) -> None:
    limits: dict[str, Any] = {option: -1}
    with pytest.raises(ValueError, match=f"{option} must be {message}, not -1"):
        puzzle("tiles-2x3").search("1 2 3 4 0 5", heuristic=_zero, **limits)


def test_states_that_no_moves_solve_are_rejected() -> None:
    """A depth-first search for a solution would not end."""
    for state in ("1 2 3 5 4 0", np.array([1, 2, 3, 5, 4, 0])):
        with pytest.raises(UnsolvableStateError, match="no moves of the sliding tiles, 2x3"):
            puzzle("tiles-2x3").search(state, heuristic=_zero, method="ida", max_depth=3)
    assert puzzle("tiles-2x3").towards("1 2 3 * * *").search("1 2 3 5 4 0", heuristic=_zero, method="ida").length == 0
    assert puzzle("rubik").restrict("R U").search("x R", heuristic=_zero, method="bwas") == "R'"
    with pytest.raises(UnsolvableStateError):
        puzzle("rubik").restrict("R U").search("F", heuristic=_zero, method="ida", max_depth=3)


@pytest.mark.parametrize("method", ["bwas", "ida"])
def test_costs_are_counted(method: str) -> None:
    asked = puzzle("pyraminx-duo").restrict(cost="R=4")
    arrays, weight = asked.state_arrays(), cast("float", np.float32(1))
    for state in ("R", "R U L'"):
        found = asked.search(state, heuristic=_zero, method=method, weight=weight)
        assert arrays.costs[arrays.numbers(found)].sum() == asked.depth(state)
        assert found.states[-1].is_solved
    with pytest.raises(ValueError, match="beam search counts moves"):
        asked.search("R", heuristic=_zero)


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
    with pytest.raises(SearchLimitError, match=r"with 0\.001 GB of memory"):
        puzzle("rubik").search("R U F' L D", heuristic=_far(1e300), method="ida", memory=10**6)
