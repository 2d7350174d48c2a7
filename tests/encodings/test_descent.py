"""Going down from a few states gives what kernels give."""

from __future__ import annotations

import numpy as np
import pytest

from cubesolve.definitions.definition import Case, Move
from cubesolve.encodings.byte import batch, descent
from cubesolve.encodings.byte.enumeration import enumerate_depths
from cubesolve.spaces.derive import derive

RING = bytes([3, 0, 1, 2]), bytes([1, 2, 3, 0])


@pytest.mark.parametrize(("costs", "starts"), [((1, 1, 1), [0, 3]), ((1, 1, 2), [0])])
def test_ways_to_several_starts_and_of_several_lengths_are_all_counted(
    costs: tuple[int, ...], starts: list[int]
) -> None:
    half = bytes([2, 3, 0, 1])
    turns = [Move(name, (Case(change),), cost) for name, change, cost in zip("ABC", (*RING, half), costs, strict=True)]
    space = derive(bytes(range(4)), turns).arrays
    depths = enumerate_depths(space, starts)
    ranks = np.arange(space.states)
    found = descent.count_solutions(space, depths, ranks)
    assert found.tolist() == batch.count_solutions(batch.Steps.of(space), depths).tolist()
    assert found.max() > 1
