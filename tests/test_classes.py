"""Trays up to symmetry have the distances, states and solutions that they have without symmetry."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from cubesolve import Tablebase, Tray
from cubesolve.catalog.rolling import _BY_NAME, _PREFIXES, RollingRules, TrayGraph
from cubesolve.catalog.rolling.model import Shape, fixing
from cubesolve.catalog.rolling.spaces import TrayRanks, rolling_space
from cubesolve.encodings.enumeration import enumerate_depths, enumerate_mod3
from cubesolve.encodings.mod3_proof import find_mod3_fault
from cubesolve.spaces.tables import MOD3, UNREACHABLE, TableEntry, TableHeader
from cubesolve.store.build import build, verify
from tests.subsets import later

TRAYS = [
    *((Shape(2, 2, "full"), 0), (Shape(2, 3, "axis"), 1), (Shape(3, 2, "face"), 2), (Shape(3, 3, "axis"), 1)),
    later(Shape(3, 3, "axis"), 4),
    later(Shape(3, 3, "face"), 4),
    later(Shape(2, 3, "full"), 1),
    later(Shape(3, 3, "axis"), 0),
]


def start_of(shape: Shape, cell: int) -> Tray:
    return Tray.start((cell % shape.cols + 1, cell // shape.cols + 1), shape.rows, shape.cols, shape.model_name)


def classes_at(shape: Shape, cell: int) -> tuple[Tray, TrayRanks]:
    start = start_of(shape, cell)
    return start, TrayRanks(shape, start.plus, cell)


@pytest.mark.parametrize(("shape", "cell"), TRAYS)
def test_distances_are_those_of_all_states(shape: Shape, cell: int) -> None:
    start, classes = classes_at(shape, cell)
    space = rolling_space(shape, start.plus, fixed=cell)
    assert (space.states, space.counted) == (classes.states, shape.states(start.plus))
    assert space.states < space.counted
    table, counts = enumerate_mod3(space, classes.rank(start))
    assert find_mod3_fault(space, table, classes.rank(start)) == (None, counts)
    depths = enumerate_depths(rolling_space(shape, start.plus), start.rank)
    assert counts == tuple(np.bincount(depths[depths < UNREACHABLE]).tolist())
    up_to_symmetry = enumerate_depths(space, classes.rank(start))
    rng = random.Random(3)
    for rank in rng.sample(range(shape.states(start.plus)), min(300, shape.states(start.plus))):
        tray = Tray.unrank(rank, start.plus, shape)
        assert up_to_symmetry[classes.rank(tray)] == depths[rank]


@pytest.mark.parametrize(("shape", "cell"), TRAYS[:5])
def test_what_is_alike_has_one_row(shape: Shape, cell: int) -> None:
    start, classes = classes_at(shape, cell)
    assert sum(classes.sizes) == shape.states(start.plus) // shape.row
    rng = random.Random(4)
    for rank in rng.sample(range(classes.states), 200):
        tray = classes.unrank(rank)
        assert classes.rank(tray) == rank
        likes = {tray.image_under(symmetry) for symmetry in fixing(shape, cell)}
        rows = {classes.rank(like) // shape.row for like in likes}
        assert rows == {rank // shape.row}
        assert len({like.orientations.index(-1) * 512 + like.subset for like in likes}) == classes.sizes[rows.pop()]


@pytest.mark.exhaustive
def test_a_table_answers_for_all_that_are_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tables of the model full are too large for a test; this one uses the model axis."""
    start = Tray.start((2, 2))
    classes = TrayRanks(start.shape, start.plus, 4)
    name = "rolling-up-to-symmetry-centre"
    header = TableHeader(name, "rolling-axis", "rolls", "row class x orientations", classes.states, (), "", MOD3)
    entry = TableEntry(header, (classes.rank(start),), by_default=False)
    assert TrayGraph(start, entry).rank(start) == entry.starts[0]
    build(RollingRules(), entry, tmp_path)
    verify(RollingRules(), entry, tmp_path)
    rng = random.Random(6)
    goals = [Tray.unrank(rng.randrange(start.shape.states(4)), 4, start.shape) for _ in range(12)]
    several_allowed = "WB * WB/WB E WB/* WB WR"
    with Tablebase() as usual:
        asked = usual.puzzle("rolling")
        expected = [(asked.depth((2, 2), goal), list(asked.solutions((2, 2), goal))) for goal in goals]
        several = list(asked.solutions((2, 2), several_allowed))
    monkeypatch.setitem(_PREFIXES, "axis", "rolling-up-to-symmetry-")
    monkeypatch.setitem(_BY_NAME, name, entry)
    with Tablebase(tmp_path) as tables:
        asked = tables.puzzle("rolling")
        found = [(asked.depth((2, 2), goal), list(asked.solutions((2, 2), goal))) for goal in goals]
        assert found == expected
        assert [len(asked.solve((2, 2), goal)) for goal in goals] == [depth for depth, _ in expected]
        assert list(asked.solutions((2, 2), several_allowed)) == several
