from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cubesolve import lookup
from cubesolve.catalog.pocket.cube import PocketCube
from cubesolve.catalog.pocket.forms import FORMS, arrange
from cubesolve.errors import InvalidStateError, UnsolvableStateError
from tests.strategies import colours, cubes, recoloured

POCKET = lookup.puzzle("pocket")


@given(cubes, colours, st.sampled_from(sorted(FORMS)))
def test_round_trip(cube: PocketCube, symbols: str, name: str) -> None:
    again = POCKET.parse(POCKET.write(cube, name), name)
    assert again == (cube.normalized() if name == "cubies" else cube)
    other = PocketCube(recoloured(cube, symbols))
    assert POCKET.parse(POCKET.write(other, name), name).rank == other.rank


def test_the_sample_of_cubies() -> None:
    cube = FORMS["cubies"].read("2 4 1 5 0 6 3 1 0 2 2 1 0 0")
    assert lookup.depth(cube) == 8
    assert cube.apply("F2 R' U F U2 R2 U' F").is_solved


def test_what_is_wrong_with_whole_cubes() -> None:
    with pytest.raises(UnsolvableStateError, match="twisted"):
        FORMS["cubies"].read("0 1 2 3 4 5 6  1 0 0 0 0 0 0")
    with pytest.raises(InvalidStateError, match=r"is '9+\.\.\.', not a number"):
        FORMS["cubies"].read(f"0 1 2 3 4 5 {'9' * 5000} 0 0 0 0 0 0 0")
    with pytest.raises(InvalidStateError, match="'10' is not one symbol"):
        arrange(["10"] * 24, "cf-887c")
