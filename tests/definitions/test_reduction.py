"""Whole-puzzle rotations, and files with too many of them."""

from __future__ import annotations

import itertools

import pytest

from cubesolve.catalog import rules_named
from cubesolve.definition import rotations as holding
from cubesolve.definition.formats import parse_cycles, parse_tws
from cubesolve.definition.rotations import RotationReduction, reduce_by_rotations
from cubesolve.encodings.enumeration import distribution, enumerate_depths
from cubesolve.errors import CubesolveError
from cubesolve.group.permutations import power
from cubesolve.spaces.defined import derived
from cubesolve.spaces.derive import derive
from tests.definitions.samples import disks

ROTATIONS = "x := (1,2,3,4); y := (5,6,7,8,9); z := (10,11,12); Uv := (13,14,15,16,17,18,19); M := (20,21); "


def test_too_many_holdings() -> None:
    definition = parse_cycles(f"{ROTATIONS} Rv := (22,23,24);", "many")
    with pytest.raises(CubesolveError, match="the rotations of many make more than 1,000 orientations"):
        reduce_by_rotations(definition, definition.moves())


def test_a_rotation_that_others_make_is_none_more() -> None:
    """Many rotations are read once."""
    many = "".join(f"{chr(65 + i)}v := x^{i % 4} * y^{i // 4 + 1};" for i in range(16) if chr(65 + i) != "M")
    few = parse_cycles("x := (1,2,3,4); y := (5,6,7,8,9); A := (10,11);", "few")
    more = parse_cycles(f"x := (1,2,3,4); y := (5,6,7,8,9); {many} A := (10,11);", "more")
    assert len(more.rotations) > 10
    found = [reduce_by_rotations(definition, definition.moves()).reference for definition in (few, more)]
    assert [reference and len(reference.rotations) for reference in found] == [20, 20]


def test_reference_pieces_are_not_sought_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """States and distances are the same without rotations."""
    rules = derived(rules_named("tower"))
    halves = {name: power(change, 2) if name == "y" else change for name, change in rules.definition.rotations.items()}
    definition, turns = rules.definition._replace(rotations=halves), rules.definition.moves()
    known = _depths(reduce_by_rotations(definition, turns))
    monkeypatch.setattr(holding, "_candidates", lambda *_: itertools.repeat(((0,), (0,))))
    monkeypatch.setattr(holding, "_moved", lambda *_: ())
    reduction = reduce_by_rotations(definition, turns)
    assert reduction.reference is None
    assert reduction.rotated is not None
    assert len(reduction.solved) == len(reduction.rotated.rotations) == 4
    assert _depths(reduction) == known


def _depths(reduction: RotationReduction) -> tuple[int, ...]:
    rotations = reduction.rotated.rotations if reduction.rotated else ()
    space = derive(reduction.solved[0], reduction.moves, rotations=rotations)
    return distribution(enumerate_depths(space.arrays, 0))


def test_moves_that_only_turn_the_puzzle_leave_one_state() -> None:
    definition = parse_tws(disks({"x": "2 3 1", "M": "2 3 1"}), "still")
    reduction = reduce_by_rotations(definition, definition.moves())
    assert [move.name for move in reduction.moves] == ["M"]
    assert distribution(enumerate_depths(derive(reduction.solved[0], reduction.moves).arrays, [0])) == (1,)
