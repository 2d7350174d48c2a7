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


# The table takes some seconds of both processors to build.
pytestmark = pytest.mark.exhaustive


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


def test_turning_the_whole_cube_counts(tables: Tablebase) -> None:
    for alg, depth in {"": 0, "x": 2, "x2": 2, "x y": 4, "R x'": 1, "L": 1, "R L'": 2}.items():
        assert fixed(tables, PocketCube.from_alg(alg)) == depth


def test_neighbours_and_inverses(tables: Tablebase) -> None:
    rng = random.Random(9)
    for _ in range(60):
        cube = PocketCube.from_alg(" ".join(rng.choices(TURNS, k=20)))
        depth = fixed(tables, cube)
        near = [fixed(tables, cube.apply(turn)) for turn in TURNS]
        assert min(near) == max(depth - 1, 0)
        assert max(near) <= depth + 1
        assert fixed(tables, cube.inverse()) == depth


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
