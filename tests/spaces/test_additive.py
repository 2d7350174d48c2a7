"""Sliding puzzles and their views are recognized; other puzzles are none."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import cubesolve
from cubesolve.catalog import rules_named
from cubesolve.definition.sliding import Sliding, sliding
from cubesolve.group.moves import Effect, Move
from cubesolve.search.additive import known_pieces
from cubesolve.solvers import opening
from cubesolve.spaces.defined import derived
from cubesolve.spaces.rules import Rules
from cubesolve.spaces.variants import restricted
from tests.one_way import one_way


def recognized(rules: Rules) -> Sliding | None:
    reduction = derived(rules).graph().reduction
    return sliding(reduction.solved, reduction.moves)


def test_other_puzzles_are_none() -> None:
    costly = restricted(rules_named("tiles-3x3"), None, "U=2")
    for rules in (rules_named("skewb"), rules_named("pancake-4"), costly, one_way("tiles-3x3", "U", "L")):
        assert recognized(rules) is None
    slide = Effect(b"\1\0\2", ((0, 2),)), Effect(b"\1\0\2", ((1, 2),))
    assert sliding([b"\0\1\2"], [Move("S", slide)]) is not None
    two = Effect(b"\1\2\0", ((0, 2),)), Effect(b"\2\0\1", ((1, 2),))  # takes more than one piece along
    assert sliding([b"\0\1\2"], [Move("S", two), Move("T", two[::-1])]) is None
    assert sliding([b"\0\0\2"], [Move("S", slide)]) is None
    assert sliding([b"\0\1\2", b"\1\0\2"], [Move("S", slide)]) is None


def test_kernels_are_compiled_by_another_process_before_arrays_take_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle, compiling = recognized(rules_named("tiles-2x3")), list[Callable[..., int]]()
    assert puzzle is not None
    pieces = known_pieces(puzzle, 2)
    monkeypatch.setattr(opening, "compile_meanwhile", lambda *kernels: compiling.extend(kernels))
    monkeypatch.setattr(opening, "LeastDepths", None)
    with pytest.raises(TypeError):
        opening.make_least(cubesolve.puzzle("tiles-2x3").usual_table(), pieces.contracted, 0, pieces.first_regions)
    needed = {"push_mod3", "pull_mod3", "write_depth", "_reach_out", "_reach_back"}
    assert needed <= {kernel.__name__ for kernel in compiling}
