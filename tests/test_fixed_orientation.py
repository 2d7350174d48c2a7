from __future__ import annotations

import random
from pathlib import Path

import pytest

from cubesolve import InvalidStateError
from cubesolve.catalog.pocket.cube import PocketCube
from cubesolve.definition.notation import FACES, metric_moves
from cubesolve.lookup import Tablebase, open_tablebase
from tests import oracle
from tests.facts import RUBIK
from tests.once import build_once

TURNS = [str(move) for move in metric_moves("htm", FACES)]


@pytest.fixture(scope="module")
def tables(shared: Path) -> Tablebase:
    return open_tablebase(build_once(shared / "corners", "corners-htm"))


def fixed(tables: Tablebase, cube: PocketCube | str) -> int:
    return tables.depth(cube, orientation="fixed")


def test_all_cubes_that_are_near(tables: Tablebase) -> None:
    ball = oracle.ball(TURNS, 3)
    for depth in range(4):
        cubes = [cube for cube, at in ball.items() if at == depth]
        assert len(cubes) == RUBIK["levels"]["corners-htm"][depth]
        for cube in random.Random(depth).sample(cubes, min(len(cubes), 60)):
            assert fixed(tables, cube) == depth


def test_other_colours(tables: Tablebase) -> None:
    western = "WWWW BBRR RRGG YYYY GGOO OOBB"
    assert fixed(tables, PocketCube.from_facelets(western, colours="WRGYOB")) == 1
    with pytest.raises(InvalidStateError, match="a fixed orientation needs face letters"):
        fixed(tables, PocketCube(western))


def test_what_there_is_not(tables: Tablebase) -> None:
    cube = PocketCube.solved()
    with pytest.raises(ValueError, match="unknown orientation 'loose': expected free or fixed"):
        tables.depth(cube, orientation="loose")
    with pytest.raises(ValueError, match="in the metric htm only"):
        tables.depth(cube, metric="qtm", orientation="fixed")
    with pytest.raises(ValueError, match="unknown metric"):
        tables.depth(cube, metric="atm", orientation="fixed")
