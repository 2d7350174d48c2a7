from __future__ import annotations

import re
import types
from typing import Any

import numpy as np
import pytest

from cubesolve import RubikCube, lookup, puzzle
from cubesolve.errors import InvalidStateError
from cubesolve.labels import Oracle
from cubesolve.rolling import Tray
from cubesolve.spaces import form_of
from cubesolve.spaces.encoding import numbers_of


class Foreign:
    """An array of another library, as far as DLPack tells: numpy's own, behind a type that numpy does not know."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self, **named: Any) -> Any:
        return self.array.__dlpack__(**named)

    def __dlpack_device__(self) -> tuple[int, int]:
        device: tuple[int, int] = self.array.__dlpack_device__()
        return device

    def __array_namespace__(self) -> Any:
        return types.SimpleNamespace(from_dlpack=Foreign)


class Elsewhere(Foreign):
    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 0  # a CUDA device

    def __dlpack__(self, **_named: Any) -> Any:
        raise BufferError("cannot export")


@pytest.mark.parametrize(
    ("name", "question"),
    [("pocket", {}), ("pocket", {"metric": "qtm"}), ("skewb", {}), ("tower", {}), ("rolling", {"goal": (2, 1)})],
)
def test_labels_and_one_hot_of_any_type_have_the_distances_of_their_ranks(name: str, question: dict[str, Any]) -> None:
    oracle = Oracle(name, **question)
    ranks = oracle.puzzle.sample(50, rng=1, **question)
    encoding, depths = oracle._encoding, oracle.puzzle.depths(ranks, **question)
    labels = encoding.read(numbers_of(form_of(oracle._arrays.graph), ranks.astype(np.int64)))
    hot = encoding.one_hot(labels)
    for given in (ranks, labels, labels.astype(np.int64), hot, hot.astype(bool), hot.astype(np.float32)):
        assert (oracle.distances(given) == depths).all()
    assert (oracle.distances(hot.reshape(50, -1)) == depths).all()
    moves = oracle.puzzle.optimal_moves_batch(ranks, **question)
    assert (oracle.optimal_moves(hot) == moves).all()


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


@pytest.mark.parametrize("number", [1, 2, 20, 300])
def test_answers_begin_where_others_take_them_over(number: int) -> None:
    oracle, ranks = Oracle("pocket"), np.arange(number)
    for answer in (oracle.distances(ranks), oracle.optimal_moves(ranks)):
        assert answer.ctypes.data % 64 == 0  # else JAX copies


def test_an_array_on_another_device_is_named() -> None:
    with pytest.raises(
        InvalidStateError, match=r"Elsewhere: numpy cannot read this .*give a copy in the memory of the proc"
    ):
        Oracle("pocket").distances(Elsewhere(np.zeros((1, 24), np.uint8)))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (np.full((1, 24), 6), "row 0, point 0: 6 is no label: 0..5"),
        (np.full((1, 24), -1), "row 0, point 0: -1 is no label: 0..5"),
        (np.zeros((1, 24)), "states are N times integers (24), or one-hot (24, 6) or (144), not float64 (1, 24)"),
        (np.zeros((1, 23), int), "states are N times integers (24), or one-hot"),
        (np.zeros((2, 24, 6)), "row 0, point 0: one-hot is a single 1, and 0 beside it"),
        (np.where(np.eye(6)[[[0] * 24]] == 1, 1, 0.5), "row 0, point 0: one-hot is a single 1, and 0 beside it"),
        (np.full((1, 24, 6), np.nan), "row 0, point 0: one-hot"),
        (np.zeros((1, 24), np.uint8), "row 0: each of six colours occurs 4 times"),
        (np.array([3674160]), "row 0: rank 3674160 is not in 0..3674159"),
    ],
)
def test_what_is_no_state_is_named(given: Any, message: str) -> None:
    with pytest.raises(InvalidStateError, match=f"^{re.escape(message)}"):
        Oracle("pocket").distances(given)


def test_what_has_no_table_is_named() -> None:
    with pytest.raises(ValueError, match="no table of all states of the 3x3x3 Rubik's cube: label_nodes searches"):
        Oracle("rubik").distances(np.zeros((1, 54), np.uint8))


def test_costs_to_go() -> None:
    skewb = puzzle("skewb")
    states = [skewb.parse(alg) for alg in ("R U'", "R U' L", "B")]
    assert Oracle("skewb").label_nodes(states, [None] * 3, [None] * 3) == [2.0, 3.0, 1.0]
    goals = [skewb.parse(alg) for alg in ("R", "R U' L B", "")]
    assert Oracle(skewb).label_nodes(states, goals) == [1.0, 1.0, 1.0]
    far = puzzle("pocket").sample(3, depth=[1, 7, 14], rng=1, metric="qtm")
    assert Oracle("pocket", metric="qtm").label_nodes(far, [None] * 3) == [1.0, 7.0, 14.0]
    assert Oracle("pocket").label_nodes([], [], []) == []


def test_costs_to_go_of_what_is_searched_for() -> None:
    cubes = [RubikCube.from_alg(alg) for alg in ("R U", "R U F")]
    assert Oracle("rubik").label_nodes(cubes, [None, cubes[0]], [None, None]) == [2.0, 1.0]


def test_costs_to_go_of_trays() -> None:
    start = Tray.start((1, 1))
    assert Oracle("rolling", goal=(1, 1)).label_nodes([start.apply("L"), start.apply("LU")], [None, start]) == [
        1.0,
        2.0,
    ]


def test_what_is_wrong_with_nodes_is_named() -> None:
    oracle = Oracle("pocket")
    with pytest.raises(ValueError, match="there are 2 states, but 1 goals"):
        oracle.label_nodes([0, 0], [None], None)
    with pytest.raises(ValueError, match="there are 1 states, but 2 contexts"):
        oracle.label_nodes([0], [None], [None, None])
    with pytest.raises(InvalidStateError, match="rank -1 is not in"):
        oracle.label_nodes([-1], [None], None)
    with pytest.raises(InvalidStateError, match=r"row 0: .*no moves lead from the solved state to this one"):
        Oracle(puzzle("rubik").restrict("R L")).label_nodes([RubikCube.from_alg("U"), RubikCube.solved()], [None, None])
