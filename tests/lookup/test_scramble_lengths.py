"""Scrambles of an exact length."""

from __future__ import annotations

import pytest

from cubesolve import lookup


@pytest.mark.parametrize(("puzzle", "depth", "length"), [("floppy", 0, 1), ("floppy", 1, 2), ("tiles-2x3", 0, 7)])
def test_a_scramble_that_cannot_be_is_an_error(puzzle: str, depth: int, length: int) -> None:
    message = f"no state at depth {depth} was found that is reached by exactly {length} moves, none of which cancel"
    with pytest.raises(ValueError, match=message):
        lookup.scramble(1, puzzle, depth=depth, length=length)


@pytest.mark.parametrize(
    ("puzzle", "depth", "lengths"), [("floppy", 3, [3, 5]), ("tiles-2x3", 9, [9, 11]), ("pancake-5", 4, range(4, 12))]
)
def test_a_scramble_has_just_so_many_moves(puzzle: str, depth: int, lengths: list[int]) -> None:
    asked = lookup.puzzle(puzzle)
    for length in lengths:
        alg = asked.scramble(length, depth=depth, length=length)
        assert len(asked.rules.view.split(alg)) == length
        assert asked.depth(alg) == depth


def test_rare_scrambles_are_found() -> None:
    for seed in range(3):
        alg = lookup.scramble(seed, "tiles-3x3", length=2)
        assert len(alg.split()) == 2
        assert lookup.puzzle("tiles-3x3").depth(alg) == 2


@pytest.mark.parametrize(("length", "message"), [(-1, "at least 0, not -1"), (501, "at most 500, not 501")])
def test_lengths_of_scrambles_are_bounded(length: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        lookup.scramble(1, "skewb", length=length)
    assert len(lookup.scramble(1, "skewb", length=500).split()) == 500
