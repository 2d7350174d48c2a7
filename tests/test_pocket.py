from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cubesolve.catalog.pocket import PocketGraph
from cubesolve.catalog.pocket import cube as pocket
from cubesolve.catalog.pocket.cube import CORNER_FACELETS, PocketCube
from cubesolve.definition.facelets import relative
from cubesolve.definition.notation import FACES, metric_moves
from cubesolve.errors import InvalidStateError, UnsolvableStateError
from cubesolve.lookup import Tablebase, open_tablebase
from tests import oracle
from tests.facts import RUBIK
from tests.strategies import colours, cubes, orientations, ranks, recoloured

SOLVED = PocketCube.solved()


@given(ranks)
def test_unrank_then_rank(rank: int) -> None:
    cube = PocketCube.unrank(rank)
    assert cube.rank == rank
    assert cube.reference_rank == rank
    assert cube.normalized() == cube
    assert cube.homing_rotation() == ""


@given(cubes, orientations, colours)
def test_rank_ignores_holding_and_colours(cube: PocketCube, holding: str, symbols: str) -> None:
    assert cube.apply(holding).rank == cube.rank
    assert cube.apply(cube.homing_rotation()) == cube.apply(holding).normalized() == cube.normalized()
    other = PocketCube(recoloured(cube, symbols))
    assert other.rank == other.apply(holding).rank
    assert other.colours == other.apply(holding).colours


def test_ranks_are_those_of_the_worked_example() -> None:
    # docs/coordinates.md goes through this one by hand.
    assert PocketCube.from_alg("R U2").rank == 1_088_535


@given(ranks, st.sampled_from(["htm", "qtm"]))
def test_neighbours_are_what_moves_lead_to(rank: int, metric: str) -> None:
    cube = PocketCube.unrank(rank)
    moves = metric_moves(metric, "URF")
    assert PocketGraph(metric).neighbours(rank) == [cube.apply(move).rank for move in moves]


WESTERN = SOLVED.facelets.translate(str.maketrans("URFDLB", "WRGYOB"))


@given(cubes, st.integers(0, 7), st.sampled_from([1, 2]), st.one_of(st.none(), colours))
def test_one_corner_twisted(cube: PocketCube, position: int, turns: int, symbols: str | None) -> None:
    facelets, corner = [*recoloured(cube, symbols or "URFDLB")], CORNER_FACELETS[position]
    looks = [facelets[place] for place in corner]
    for place, symbol in zip(corner, looks[-turns:] + looks[:-turns], strict=True):
        facelets[place] = symbol
    way = "clockwise" if turns == 1 else "anticlockwise"
    for read in (PocketCube, pocket.reference_rank):
        with pytest.raises(UnsolvableStateError, match=f"twisted {way}"):
            read("".join(facelets))


def test_states_of_different_cubes() -> None:
    with pytest.raises(InvalidStateError, match="the target has more than one corner U U U"):
        relative(2, pocket.CORNERS, WESTERN, "U" * 24)


@pytest.fixture(scope="module")
def tables(corners_table: str) -> Tablebase:
    return open_tablebase(corners_table)


def test_near_cubes_in_a_fixed_orientation(tables: Tablebase) -> None:
    ball = oracle.ball([*map(str, metric_moves("htm", FACES))], 3)
    for depth in range(4):
        cubes = [cube for cube, at in ball.items() if at == depth]
        assert len(cubes) == RUBIK["levels"]["corners-htm"][depth]
        for cube in random.Random(depth).sample(cubes, min(len(cubes), 60)):
            assert tables.depth(cube, orientation="fixed") == depth


def test_colours_in_a_fixed_orientation(tables: Tablebase) -> None:
    cube = PocketCube.from_facelets("WWWW BBRR RRGG YYYY GGOO OOBB", colours="WRGYOB")
    assert tables.depth(cube, orientation="fixed") == 1
    with pytest.raises(InvalidStateError, match="a fixed orientation needs face letters"):
        tables.depth(PocketCube(WESTERN), orientation="fixed")
