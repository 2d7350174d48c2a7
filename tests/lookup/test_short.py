"""Short solutions of the 3x3x3, and their lower bounds."""

from __future__ import annotations

import random
import threading

import pytest

from cubesolve import RubikCube
from cubesolve.catalog.rubik.cube import random_cube
from cubesolve.errors import SearchLimitError
from cubesolve.lookup import Solution, Tablebase
from tests import rubik_oracle

FAR = random_cube(random.Random(4))


def _solves(cube: RubikCube, alg: str) -> bool:
    return rubik_oracle.is_solved(rubik_oracle.apply(cube.facelets, alg))


def test_what_is_proved_is_true(with_tables: Tablebase) -> None:
    """The optimal lengths equal those of a search."""
    source = random.Random(8)
    for moves in (9, 12):
        cube = RubikCube.from_alg(" ".join(source.choice(rubik_oracle.FACE_TURNS) for _ in range(moves)))
        depth = with_tables.depth(cube)
        for within in (0, 3, 7):
            alg = with_tables.solve(cube, within=within)
            assert isinstance(alg, Solution)
            assert _solves(cube, alg)
            assert alg.at_least <= depth <= len(alg.split()) <= alg.at_least + within


def test_quarter_turns_another_holding_and_another_goal(with_tables: Tablebase) -> None:
    quarters = with_tables.solve(FAR, metric="qtm", within=30)
    assert _solves(FAR, quarters)
    assert set(map(len, quarters.split())) == {1, 2}
    assert "2" not in quarters
    assert _solves(FAR.apply("x y"), with_tables.solve(FAR.apply("x y"), within=12))
    turned = RubikCube.from_alg("R U x")
    alg = with_tables.solve(FAR, goal=turned, within=12)
    assert FAR.apply(alg) == turned


def test_limits(with_tables: Tablebase) -> None:
    with pytest.raises(SearchLimitError, match="in 14 moves"):
        with_tables.solve(FAR, within=12, max_depth=14)
    with pytest.raises(ValueError, match="within must be at least 0"):
        with_tables.solve(FAR, within=-1)
    ended = threading.Event()
    ended.set()
    with pytest.raises(SearchLimitError):
        with_tables.solve(FAR, within=12, cancel=ended)
