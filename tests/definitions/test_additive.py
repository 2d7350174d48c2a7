"""Recognition of sliding puzzles, and their other descriptions."""

from __future__ import annotations

import pytest

from cubesolve.catalog import rules_named
from cubesolve.definition.sliding import Sliding, sliding, symmetries
from cubesolve.group.moves import Effect, Move
from cubesolve.spaces.defined import DerivedRules
from cubesolve.spaces.variants import restricted
from tests.one_way import one_way


def puzzle_named(name: str, moves: str | None = None, cost: str | None = None) -> Sliding | None:
    rules = restricted(rules_named(name), moves, cost) if moves or cost else rules_named(name)
    assert isinstance(rules, DerivedRules)
    return sliding(rules.graph().reduction.solved, rules.graph().reduction.moves)


@pytest.mark.parametrize(
    ("name", "moves", "cost"), [("skewb", None, None), ("pancake-4", None, None), ("tiles-3x3", None, "U=2")]
)
def test_other_puzzles_are_none(name: str, moves: str | None, cost: str | None) -> None:
    assert puzzle_named(name, moves, cost) is None


def test_moves_without_inverses_are_none() -> None:
    reduction = one_way("tiles-3x3", "U", "L").graph().reduction
    assert sliding(reduction.solved, reduction.moves) is None


def test_a_move_that_takes_more_than_one_piece_along_is_none() -> None:
    slide = Effect(b"\1\0\2", ((0, 2),)), Effect(b"\1\0\2", ((1, 2),))
    assert sliding([b"\0\1\2"], [Move("S", slide)]) is not None
    two = Effect(b"\1\2\0", ((0, 2),)), Effect(b"\2\0\1", ((1, 2),))
    assert sliding([b"\0\1\2"], [Move("S", two), Move("T", two[::-1])]) is None
    assert sliding([b"\0\0\2"], [Move("S", slide)]) is None
    assert sliding([b"\0\1\2", b"\1\0\2"], [Move("S", slide)]) is None


@pytest.mark.parametrize(("name", "number"), [("tiles-2x2", 2), ("tiles-2x3", 1), ("tiles-3x3", 2), ("tiles-4x4", 2)])
def test_a_view_takes_moves_to_moves_and_the_solved_state_to_itself(name: str, number: int) -> None:
    puzzle = puzzle_named(name)
    assert puzzle is not None
    found = symmetries(puzzle)
    assert len(found) == number
    assert found[0].points == tuple(range(len(puzzle.solved)))
    rules = rules_named(name)
    assert isinstance(rules, DerivedRules)
    turns = rules.graph().reduction.moves
    for view in found:
        assert puzzle.reflected(puzzle.solved, view) == puzzle.solved
        state = puzzle.solved
        for move in (1, 3, 0, 3, 1, 2, 0, 2):
            after, seen = turns[move].apply(state), puzzle.reflected(state, view)
            there = turns[view.moves[move]].apply(seen)
            assert (after is None) == (there is None)
            if after is not None:
                assert puzzle.reflected(after, view) == there
                state = after
