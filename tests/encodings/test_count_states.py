"""Counts of the states at each depth, with two bits or a byte a state."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from cubesolve.encodings.counting import bits_to_count
from cubesolve.encodings.enumeration import distribution, enumerate_depths, enumerate_levels
from cubesolve.spaces.space import StateSpace
from tests.encodings.test_mod3 import tiles


@pytest.fixture
def no_small_space(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count by kernels, however few states there are."""
    monkeypatch.setattr("cubesolve.spaces.space.SMALL_SPACE", 0)


@pytest.mark.usefixtures("no_small_space")
def test_moves_that_cost_more_than_2_are_counted_with_bytes() -> None:
    costly = dataclasses.replace(tiles(4), costs=(3, 3, 1, 1))
    assert bits_to_count(costly) == 8
    assert bits_to_count(dataclasses.replace(costly, costs=(2, 2, 1, 1))) == 2
    assert enumerate_levels(costly, bits=bits_to_count(costly))[1] == distribution(enumerate_depths(costly))


@pytest.mark.parametrize("moves", [0, 2])
@pytest.mark.parametrize("width", [1, 3])
def test_no_actions(moves: int, width: int) -> None:
    """No move is possible, so none has an action."""
    base = np.full((moves, 2), -1, np.int64)
    space = StateSpace(base, np.zeros(base.shape, np.int32), np.zeros((0, width), np.uint32), mutual=True)
    assert enumerate_levels(space, bits=2)[1] == enumerate_levels(space, bits=bits_to_count(space))[1] == (1,)
    backward = dataclasses.replace(space, mutual=False).reversed()
    assert enumerate_levels(backward, [0, 1], bits=bits_to_count(backward))[1] == (2,)
    assert [*enumerate_depths(space)] == [0, *[255] * (2 * width - 1)]
    possible = dataclasses.replace(space, base=np.zeros((1, 2), np.int64), fibre=space.fibre[:0])
    with pytest.raises(IndexError):  # a move that is possible needs its action
        enumerate_levels(possible, bits=bits_to_count(possible))


@pytest.mark.usefixtures("no_small_space")
def test_rows_of_more_states_than_16_bits_number() -> None:
    rng = np.random.default_rng(1)
    moves = [each for turn in (rng.permutation(70_000), rng.permutation(70_000)) for each in (turn, np.argsort(turn))]
    space = StateSpace(np.zeros((4, 1), np.int64), np.arange(4)[:, None], np.array(moves, np.uint32), mutual=True)
    assert enumerate_levels(space)[1] == enumerate_levels(space, bits=2)[1]
