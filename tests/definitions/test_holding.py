"""Puzzles that are turned as a whole, and files that turn them in too many ways."""

from __future__ import annotations

import itertools

import pytest

from cubesolve.catalog import rules_named
from cubesolve.definitions import rotations as holding
from cubesolve.definitions.readers import parse_cycles, parse_tws
from cubesolve.definitions.rotations import Holdings, hold
from cubesolve.encodings.byte.enumeration import distribution, enumerate_depths
from cubesolve.errors import CubesolveError
from cubesolve.permutations import power
from cubesolve.spaces.defined import DerivedRules
from cubesolve.spaces.derive import derive

ROTATIONS = "x := (1,2,3,4); y := (5,6,7,8,9); z := (10,11,12); Uv := (13,14,15,16,17,18,19); M := (20,21); "


def test_too_many_holdings() -> None:
    definition = parse_cycles(f"{ROTATIONS} Rv := (22,23,24);", "many")
    with pytest.raises(CubesolveError, match="the rotations of many make more than 1,000 holdings"):
        hold(definition, definition.turns())


def test_a_rotation_that_others_make_is_none_more() -> None:
    """However many there are, they are looked at once."""
    many = "".join(f"{chr(65 + i)}v := x^{i % 4} * y^{i // 4 + 1};" for i in range(16) if chr(65 + i) != "M")
    few = parse_cycles("x := (1,2,3,4); y := (5,6,7,8,9); A := (10,11);", "few")
    more = parse_cycles(f"x := (1,2,3,4); y := (5,6,7,8,9); {many} A := (10,11);", "more")
    assert len(more.rotations) > 10
    found = [hold(definition, definition.turns()).reference for definition in (few, more)]
    assert [reference and len(reference.rotations) for reference in found] == [20, 20]


def test_reference_pieces_are_not_sought_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without them states are the same ones, at the same distances."""
    rules = rules_named("tower")
    assert isinstance(rules, DerivedRules)
    halves = {name: power(change, 2) if name == "y" else change for name, change in rules.definition.rotations.items()}
    definition, turns = rules.definition._replace(rotations=halves), rules.definition.turns()
    known = _depths(hold(definition, turns))
    monkeypatch.setattr(holding, "_candidates", lambda *_: itertools.repeat(((0,), (0,))))
    monkeypatch.setattr(holding, "_orbit", lambda *_: set())
    holdings = hold(definition, turns)
    assert holdings.reference is None
    assert holdings.rotated is not None
    assert len(holdings.solved) == len(holdings.rotated.rotations) == 4
    assert _depths(holdings) == known


def _depths(holdings: Holdings) -> tuple[int, ...]:
    rotations = holdings.rotated.rotations if holdings.rotated else ()
    space = derive(holdings.solved[0], holdings.turns, rotations=rotations)
    return distribution(enumerate_depths(space.arrays, 0))


def test_moves_that_only_turn_the_puzzle_leave_one_state() -> None:
    text = "Set A 3 1\nSolved\nEnd\nMove x\nA\n2 3 1\nEnd\nMove M\nA\n2 3 1\nEnd\n"
    holdings = hold(definition := parse_tws(text, "still"), definition.turns())
    assert [turn.name for turn in holdings.turns] == ["M"]
    assert distribution(enumerate_depths(derive(holdings.solved[0], holdings.turns).arrays, [0])) == (1,)
