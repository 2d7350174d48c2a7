from __future__ import annotations

import pytest
from hypothesis import given

from cubesolve.errors import InvalidMoveError
from cubesolve.notation import Move, format_alg, invert_alg, metric_moves, parse_alg
from tests.strategies import algs


@given(algs)
def test_alg_round_trip(alg: str) -> None:
    assert format_alg(parse_alg(alg)) == alg
    assert invert_alg(invert_alg(alg)) == alg
    assert parse_alg("".join(alg.split())) == parse_alg(alg)


def test_other_ways_to_write_moves() -> None:
    assert parse_alg(" R\u2019\tU2'\nR ") == [Move("R", 3), Move("U", 2), Move("R", 1)]
    assert parse_alg("") == []


@pytest.mark.parametrize(
    ("alg", "token", "position"),
    [("R Q U", "Q", 2), ("R U3", "3", 3), ("  r", "r", 2), ("R Uw", "w", 3), ("R (U R)", "(U", 2), ("'", "'", 0)],
)
def test_what_is_no_move_is_named(alg: str, token: str, position: int) -> None:
    with pytest.raises(InvalidMoveError) as caught:
        parse_alg(alg)
    assert (caught.value.token, caught.value.position) == (token, position)
    assert f"(character {position + 1})" in str(caught.value)


def test_metrics() -> None:
    assert format_alg(metric_moves("htm", "URF")) == "U U2 U' R R2 R' F F2 F'"
    assert format_alg(metric_moves("qtm", "URF")) == "U U' R R' F F'"
    with pytest.raises(ValueError, match="unknown metric 'stm': expected htm or qtm"):
        metric_moves("stm", "URF")
