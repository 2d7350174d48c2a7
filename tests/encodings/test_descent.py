"""Descending from a few states in Python gives the results of kernels."""

from __future__ import annotations

import numpy as np
import pytest

from cubesolve.encodings import batch, descent
from cubesolve.encodings.enumeration import enumerate_depths
from cubesolve.group.moves import Effect, Move
from cubesolve.spaces.derive import derive


@pytest.mark.parametrize("costs", [(1, 1, 1), (1, 1, 2)])
def test_first_moves_lead_down_as_a_search_among_the_neighbours_does(costs: tuple[int, ...]) -> None:
    changes = bytes([1, 0, 2, 3, 4]), bytes([4, 0, 1, 2, 3]), bytes([1, 2, 3, 4, 0])
    moves = [Move(name, (Effect(change),), cost) for name, change, cost in zip("SLR", changes, costs, strict=True)]
    space = derive(bytes(range(5)), moves).arrays
    depths, steps, ranks = enumerate_depths(space, [0]), batch.Steps.of(space), np.arange(space.states)
    shape = len(ranks), int(depths.max())
    found = [(np.empty(shape, np.uint8), np.empty(len(ranks), np.uint8)) for _ in range(3)]
    descent.descend(space, depths, ranks, *found[0])
    batch.descend(steps, depths, ranks, *found[1])
    batch.follow(steps, batch.first_moves(steps, depths), ranks, *found[2])
    for moves_found, lengths in found[1:]:
        assert (moves_found == found[0][0]).all()
        assert (lengths == found[0][1]).all()
