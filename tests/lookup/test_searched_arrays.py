"""Questions about arrays of states without a table of all states."""

from __future__ import annotations

import numpy as np
import pytest

from cubesolve import InvalidStateError, puzzle
from tests.subsets import only

NAMES = ["rubik", "15-puzzle", "4x4x4", "square1"]


@pytest.mark.parametrize("name", only({"rubik", "15-puzzle"}, NAMES))
def test_rows_of_labels_stand_for_ranks(name: str) -> None:
    asked = puzzle(name)
    arrays = asked.state_arrays()
    drawn = asked.sample(2, rng=1)
    assert drawn.shape == (2, arrays.points)
    assert (drawn == asked.sample(2, rng=1)).all()
    near = asked.neighbors(drawn)
    assert (near == arrays.neighbors(drawn)).all()
    states = arrays.walks(2, [1, 2], rng=1).states
    assert asked.depths(states).tolist() == [asked.depth(state) for state in arrays.states(states)]
    assert asked.depths(arrays.one_hot(states)).tolist() == asked.depths(states).tolist()
    with pytest.raises(ValueError, match="at a depth"):
        asked.sample(2, depth=3)
    for question in (asked.ranks, asked.written):
        with pytest.raises(ValueError, match=r"ranks of states; `state_arrays`|more than can be enumerated"):
            question(drawn)


def test_every_question_about_a_batch_searches() -> None:
    tiles = puzzle("15-puzzle")
    batch = ["D R", "no state", "D D"]
    assert tiles.depths(batch, invalid="mask").tolist() == [2, 255, 2]
    assert tiles.count_solutions_batch(batch, invalid="mask").tolist() == [1, 0, 1]
    assert tiles.optimal_moves_batch(batch, invalid="mask").tolist() == [
        [False, False, True, False],
        [False] * 4,
        [True, False, False, False],
    ]
    moves, lengths = tiles.solve_batch(batch, invalid="mask")
    assert moves.tolist() == [[2, 0], [255, 255], [0, 0]]
    assert lengths.tolist() == [2, 255, 2]
    assert tiles.solve_batch(np.array(["D R"]), max_length=5).lengths.tolist() == [2]
    with pytest.raises(InvalidStateError, match=r"row 1: .* is not a move"):
        tiles.depths(batch)
