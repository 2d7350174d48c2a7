"""One bit a state counts what two bits count."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from cubesolve.catalog.rolling.model import Shape, fixing
from cubesolve.catalog.rolling.spaces import rolling_space
from cubesolve.encodings.byte.enumeration import distribution, enumerate_depths
from cubesolve.encodings.mod3.enumeration import enumerate_modulo
from cubesolve.encodings.parity.enumeration import count_by_parity
from cubesolve.spaces.space import StateSpace
from tests.engine.test_modulo import ring, spaces

SHAPES = [("full", 2, 2), ("face", 2, 3), ("axis", 2, 4), ("axis", 3, 3), ("axis", 1, 5), ("full", 2, 1)]
TRAYS = [
    pytest.param(shape, plus, fixed, id=f"{shape.model.name} {shape.rows}x{shape.cols} +{plus} {fixed}")
    for shape in (Shape(rows, cols, model) for model, rows, cols in SHAPES)
    for plus in {shape.slots // 2, shape.slots if shape.model.has_signs else 0}
    for fixed in {None, 0, shape.cells // 2}
]


def of_both_parities(space: StateSpace) -> StateSpace:
    """Each state twice, with either parity, which every move changes."""
    there = np.where(space.base < 0, -1, space.base + space.states)
    parity = np.repeat(np.arange(2, dtype=np.uint8), space.rows)
    return dataclasses.replace(
        space, base=np.hstack([there, space.base]), action=np.hstack([space.action] * 2), parity=parity
    )


def unreached(table: NDArray[Any], states: int) -> NDArray[np.bool_]:
    return np.unpackbits(table, bitorder="little")[:states].astype(bool)


@pytest.mark.parametrize(("shape", "plus", "fixed"), TRAYS)
def test_every_roll_of_a_tray_changes_its_parity(shape: Shape, plus: int, fixed: int | None) -> None:
    space = rolling_space(shape, plus, fixed=fixed)
    assert space.parity is not None
    ranks = np.random.default_rng(1).integers(0, space.states, 100_000)
    for there in space.neighbours_of(ranks).T:
        led = there >= 0
        assert np.all(space.parity[there[led] // space.width] != space.parity[ranks[led] // space.width])


@pytest.mark.parametrize(("shape", "plus", "fixed"), TRAYS)
def test_trays(shape: Shape, plus: int, fixed: int | None) -> None:
    space = rolling_space(shape, plus, fixed=fixed)
    start = space.states - 1
    levels: list[tuple[int, int, int]] = []
    table, counts = count_by_parity(space, start, lambda *level: levels.append(level), 1)
    of_table, expected = enumerate_modulo(space, start)
    assert counts == expected
    for workers in (2, 3):
        assert count_by_parity(space, start, workers=workers)[1] == counts
    assert levels == [(depth, found, sum(counts[: depth + 1])) for depth, found in enumerate(counts)]
    assert np.array_equal(
        unreached(table, space.states), unreached(of_table & of_table >> 1, 8 * len(of_table))[::2][: space.states]
    )
    assert len(fixing(shape, 0)) > 1 or fixed is None or space.counted == space.states


@given(spaces, st.data())
@settings(deadline=None, max_examples=60)
def test_any_space(single: StateSpace, data: st.DataObject) -> None:
    space = of_both_parities(single)
    side = data.draw(st.integers(0, 1)) * single.states
    starts = data.draw(st.lists(st.integers(side, side + single.states - 1), max_size=4))
    depths = enumerate_depths(space, starts)
    table, counts = count_by_parity(space, starts, workers=data.draw(st.integers(1, 3)))
    assert counts == distribution(depths)
    assert np.array_equal(unreached(table, space.states), depths == 255)


def test_smallest_spaces() -> None:
    two = of_both_parities(ring(1))
    assert [count_by_parity(two, start)[1] for start in (0, 1)] == [(1, 1)] * 2
    assert count_by_parity(two, [])[1] == ()


REFUSED: list[tuple[StateSpace, Any, str]] = [
    (ring(5), 0, "where every move changes its parity"),
    (of_both_parities(ring(4)), [0, 4], "all starts have the same"),
    (ring(4), [0, 1], "all starts have the same"),
    (of_both_parities(ring(4)), 8, "not in 0"),
    (dataclasses.replace(of_both_parities(ring(5)), costs=(1, 2)), 0, "count other than 1"),
    (of_both_parities(ring(255)), 0, "deeper than 254"),
]


@pytest.mark.parametrize(("space", "starts", "message"), REFUSED)
def test_what_is_refused(space: StateSpace, starts: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        count_by_parity(space, starts)
    assert len(count_by_parity(of_both_parities(ring(253)))[1]) == 254
