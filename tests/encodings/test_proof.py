from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from cubesolve.encodings.entries import Fault
from cubesolve.encodings.enumeration import enumerate_depths
from cubesolve.encodings.proof import find_fault
from cubesolve.spaces.space import StateSpace

UNREACHABLE = 255


def random_space(rng: np.random.Generator, costs: tuple[int, ...]) -> StateSpace:
    """Rows of four states, and moves that may have no inverses."""
    rows, width, moves = int(rng.integers(1, 8)), 4, len(costs)
    base = np.array([rng.permutation(rows) for _ in costs])
    base[rng.random(base.shape) < 0.2] = -1
    fibre = np.array([rng.permutation(width) for _ in range(3)], np.uint32)
    return StateSpace(base, rng.integers(0, 3, (moves, rows)).astype(np.int32), fibre, costs=costs)


def depths_by_relaxing(space: StateSpace, starts: set[int]) -> NDArray[np.uint8]:
    depths = [0 if rank in starts else UNREACHABLE for rank in range(space.states)]
    for _ in depths:
        for rank, neighbours in enumerate(space.neighbours_of(np.arange(space.states)).tolist()):
            for neighbour, cost in zip(neighbours, space.cost_of_moves.tolist(), strict=True):
                if neighbour >= 0:
                    depths[rank] = min(depths[rank], depths[neighbour] + cost)
    return np.array(depths, np.uint8)


@pytest.mark.usefixtures("way")
@given(
    st.integers(0, 2**32 - 1), st.lists(st.integers(1, 9), min_size=1, max_size=4), st.sampled_from([1, 2]), st.data()
)
def test_a_proof_accepts_right_depths_and_no_others(
    seed: int, costs: list[int], workers: int, data: st.DataObject
) -> None:
    space = random_space(np.random.default_rng(seed), tuple(costs))
    starts = data.draw(st.sets(st.integers(0, space.states - 1), min_size=1))
    right = depths_by_relaxing(space, starts)
    assert enumerate_depths(space, sorted(starts)).tolist() == right.tolist()
    assert find_fault(space, right, sorted(starts), workers) is None
    rank, wrong = data.draw(st.integers(0, space.states - 1)), data.draw(st.integers(0, 255))
    changed = right.copy()
    changed[rank] = wrong
    fault = find_fault(space, changed, sorted(starts), workers)
    if wrong == right[rank]:
        assert fault is None
    else:
        assert fault is not None
        assert 1 <= fault.conflicts <= space.states


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("claimed", [0, 9, 253, 254, 255])
def test_no_depth_is_right_beyond_what_a_byte_holds(claimed: int) -> None:
    numbers = np.arange(30)
    line = StateSpace(numbers[None] - 1, np.zeros((1, 30), np.int32), np.zeros((1, 1), np.uint32), costs=(9,))
    depths = np.minimum(9 * numbers, 255).astype(np.uint8)
    assert depths[28] == 252
    depths[29] = claimed
    assert find_fault(line, depths) == Fault(29, claimed, 256, 1)
