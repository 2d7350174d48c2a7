"""Proofs of depths: right ones are accepted, wrong ones are not, and tables of the 2x2x2 are those published."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from cubesolve.catalog.pocket.cube import PocketCube
from cubesolve.catalog.pocket.spaces import pocket_space
from cubesolve.definition.notation import metric_moves
from cubesolve.encodings import batch, descent
from cubesolve.encodings.entries import Fault
from cubesolve.encodings.enumeration import distribution, enumerate_depths, enumerate_levels
from cubesolve.encodings.proof import find_fault
from cubesolve.errors import CorruptTableError
from cubesolve.group.moves import Effect, Move
from cubesolve.lookup import building
from cubesolve.spaces import space_of
from cubesolve.spaces.derive import derive
from cubesolve.spaces.derived import make_ready
from cubesolve.spaces.space import StateSpace
from cubesolve.store import tablefile
from tests.facts import POCKET
from tests.spaces.test_symmetric import free_ring as ring_of_free_moves
from tests.subsets import later

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


# -- One move in a circle ----------------------------------------------------------------------------------------------


def one_way_ring(length: int) -> StateSpace:
    """The depth of a state is the number of remaining steps."""
    base = np.roll(np.arange(length), -1)[None]
    return StateSpace(base, np.zeros((1, length), np.int32), np.zeros((1, 1), np.uint32))


@pytest.mark.usefixtures("way")
def test_small_spaces() -> None:
    levels, four = list[tuple[int, int, int]](), one_way_ring(4)
    assert enumerate_depths(one_way_ring(1)).tolist() == [0]
    assert enumerate_levels(four, 2, lambda *level: levels.append(level))[0].tolist() == [2, 1, 0, 3]
    assert levels == [(0, 1, 1), (1, 1, 2), (2, 1, 3), (3, 1, 4)]
    assert find_fault(four, np.array([0, 3, 2, 1], np.uint8)) is None
    assert find_fault(four, np.array([0, 0, 2, 1], np.uint8)) == Fault(1, 0, 3, 1)
    with pytest.raises(ValueError, match=r"start 4 is not in 0\.\.3"):
        enumerate_depths(four, starts=4)
    with pytest.raises(ValueError, match="workers must be at least 1"):
        enumerate_depths(four, workers=0)
    with pytest.raises(ValueError, match=r"depths must be uint8 \(4,\), not int64 \(3,\)"):
        find_fault(four, np.zeros(3, np.int64))


@pytest.mark.usefixtures("way")
def test_depths_that_a_byte_cannot_hold() -> None:
    deepest = enumerate_depths(one_way_ring(255))
    assert (deepest.max(), find_fault(one_way_ring(255), deepest)) == (254, None)
    for length in (256, 300):
        with pytest.raises(ValueError, match="deeper than 254"):
            enumerate_depths(one_way_ring(length))
    depths = np.array([0, *range(255, 0, -1)], np.uint8)  # the state at 255 would pass for unreachable
    assert find_fault(one_way_ring(256), depths) == Fault(1, 255, 256, 1)


@pytest.mark.usefixtures("way")
def test_wrong_depths_are_found_where_moves_cost_0() -> None:
    """Also where states support one another in a circle of such moves."""
    graph = ring_of_free_moves(0, 1, 2, 4, 5, 6, 3)
    make_ready(graph)
    space, starts = space_of(graph), list(graph.starts)
    depths = enumerate_depths(space, starts)
    assert find_fault(space, depths, starts) is None
    assert find_fault(space, np.where(depths == 2, np.uint8(1), depths), starts) is not None
    wrong = np.where(depths == depths.max(), depths.max() - 1, depths)
    fault = find_fault(space, wrong, starts)
    assert fault is not None
    assert (wrong[fault.rank], depths[fault.rank]) == (fault.depth, fault.expected)


# -- Descending --------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("way")
@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")  # of names, where nothing is compiled
@pytest.mark.parametrize("costs", [(1, 1, 1), (1, 1, 2)])
def test_first_moves_lead_down_as_a_search_among_the_neighbours_does(costs: tuple[int, ...]) -> None:
    """Descending from a few states in Python gives the results of kernels."""
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


# -- The 2x2x2 ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["htm", "qtm"])
def test_two_faces_of_a_pocket_cube(metric: str) -> None:
    depths, published = enumerate_depths(pocket_space(metric_moves(metric, "UR"))), POCKET["move_sets"]["<U,R>"]
    counts = distribution(depths)
    assert (sum(counts), len(counts) - 1) == (published["size"], published[f"{metric}_diameter"])
    assert depths[PocketCube.from_alg("F").rank] == 255


@pytest.mark.parametrize("name", ["pocket-htm", later("pocket-qtm")])
def test_a_built_table_is_proved_and_a_wrong_one_is_not(name: str, tmp_path: Path) -> None:
    path = building.build_table(name, str(tmp_path))
    assert building.verify_table(name, str(tmp_path)) == path
    header, body = tablefile.read(path)
    changed = bytearray(body)
    changed[1234567] += 1
    counts = distribution(np.frombuffer(bytes(changed), np.uint8))
    tablefile.write(
        path, header._replace(sha256=tablefile.digest(memoryview(changed)), distribution=counts), bytes(changed)
    )
    facelets = str(PocketCube.unrank(1234567))
    with pytest.raises(CorruptTableError, match=rf"state 1234567 \({facelets}\) has depth {changed[1234567]}, but"):
        building.verify_table(name, str(tmp_path))
