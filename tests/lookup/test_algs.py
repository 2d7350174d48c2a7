"""Algs in place of facelets are accepted if they cannot be facelets."""

from __future__ import annotations

import random

import numpy as np
import pytest

from cubesolve import InvalidMoveError, PocketCube, RubikCube, lookup, puzzle

ALGS = [
    "R U",
    "R",
    " U2\n",
    "RU2",
    "R U R' U' R U R' U' R U R' U' R U R' U'",  # 24 symbols
    "R U R' U' " * 9,  # 54 symbols
    f"R{' U2 R2 F2' * 3} U2 R2 B",  # 24 symbols
    f"R{' U2 R2 F2' * 8} U2 R2 B",  # 54 symbols
    "(R U R' U')6",
    "R2 U\u2019",
    "x y R",
]


@pytest.mark.parametrize("alg", ALGS)
def test_an_alg_is_the_state_that_it_makes(alg: str) -> None:
    cube = PocketCube.from_alg(alg)
    assert lookup.depth(alg) == lookup.depth(cube)  # where no puzzle is named, the pocket cube is meant
    assert lookup.solve(alg).start == cube
    assert puzzle("pocket").depth(alg, metric="qtm") == lookup.depth(cube, metric="qtm")
    assert puzzle("pocket").parse(alg) == cube
    assert puzzle("rubik").parse(alg) == RubikCube.from_alg(alg)


def test_facelets_may_have_any_symbols() -> None:
    scrambled = RubikCube.from_alg("R U2 F'").facelets
    for colours in ("123456", "WR'YOB", "UR2DLB", "234{01"):  # the last of which begins like a pattern in JSON
        facelets = scrambled.translate(str.maketrans("URFDLB", colours))
        assert lookup.depth(facelets) == 3


def test_rows_of_a_batch_are_read_like_single_states() -> None:
    solved = PocketCube.solved().facelets
    rows = [solved, "R U", solved[:-1]]
    for batch in (rows, np.array(rows)):
        assert lookup.depths(batch, invalid="mask").tolist() == [0, 2, 255]
    assert lookup.solve_batch([RubikCube.solved(), "R U"]) == ["", "U' R'"]
    assert puzzle("333").depths(["R U", "F' (R U)2"]).tolist() == [2, 5]
    assert puzzle("333").solve_batch(np.array(["R U", "M2"]), max_length=21).lengths.tolist() == [2, 2]


@pytest.mark.parametrize("name", ["rubik", "pocket", "4x4x4", "skewb", "clock", "pyramorphix", "square1", "tiles-2x3"])
def test_the_order_of_an_alg_is_the_number_of_repetitions(name: str) -> None:
    asked, source = puzzle(name), random.Random(name)
    view = asked.rules.view
    solved = view.solved(None)
    for _ in range(3 if name in {"clock", "square1"} else 8):
        alg = asked.scramble(source) if name in {"clock", "square1"} else " ".join(source.choices(asked.moves, k=3))
        try:
            expected, state = 1, view.scrambled(alg)
            while not (state == solved or getattr(state, "is_solved", False)):
                expected, state = expected + 1, view.after(state, alg)
        except InvalidMoveError:
            with pytest.raises(InvalidMoveError, match="is not possible here"):
                asked.order(alg)
        else:
            assert asked.order(alg) == expected, alg


def test_orders_of_algs_that_are_published() -> None:
    """Singmaster, Notes on Rubik's Magic Cube: R U has order 105, and no element of the group one above 1260."""
    rubik = puzzle("rubik")
    orders = {alg: rubik.order(alg) for alg in ("R U", "R U R' U'", "R U2 D' B D'", "R y", "x", "")}
    assert list(orders.values()) == [105, 6, 1260, 1260, 1, 1]
    assert puzzle("7x7x7").order("R 3Uw 2F'") == 371_280
