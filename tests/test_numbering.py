"""A state has the same numbers in text, arrays, environments, exports and data sets; other arrays are rejected."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cubesolve import puzzle
from cubesolve.ask import Puzzle
from cubesolve.errors import InvalidStateError
from cubesolve.learn.dataset import Dataset
from cubesolve.learn.envs import PuzzleEnv
from cubesolve.learn.export import export
from cubesolve.learn.labels import Oracle
from tests.test_dataset import read


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


@pytest.mark.parametrize("name", ["8-puzzle", "15-puzzle"])  # of a table, and searched for
def test_environments_show_the_numbers_of_text(name: str) -> None:
    env, hot = (PuzzleEnv(name, answers=(), observation=observation) for observation in ("labels", "one-hot"))
    labels, rows = (each.reset(seed=2, options={"depth": 4})[0] for each in (env, hot))
    assert puzzle(name).depth(" ".join(map(str, labels))) == 4
    assert (rows.argmax(axis=1) == labels).all()
    assert env.observation_space.contains(labels)


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
