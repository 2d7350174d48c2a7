"""The face-turning octahedron, compared with another implementation and with arithmetic."""

from __future__ import annotations

import math
from typing import Any

import pytest

from cubesolve import InvalidStateError, UnsolvableStateError, puzzle
from tests.facts import FTO

LETTERS = {"BL": "l", "BR": "r"}


@pytest.fixture(scope="module")
def fto() -> Any:
    return puzzle("fto")


def test_number_of_states(fto: Any) -> None:
    centres = math.factorial(12) // math.factorial(3) ** 4
    # Even permutations of corners and of edges, an even number of turned corners, and twelve orientations as a whole.
    assert fto.states == math.factorial(6) // 2 * 2**5 * (math.factorial(12) // 2) * centres**2 // 12


def test_moves_are_those_of_another_implementation(fto: Any) -> None:
    definition = fto.rules.definition
    faces = "".join(name for orbit in definition.orbits for name in orbit.names)  # of each point
    sources = {LETTERS.get(name, name): cases[0].sources for name, cases in definition.generators.items()}
    moved = [
        frozenset(face for face, source in sources.items() if source[point] != point) for point in range(len(faces))
    ]
    points = {(face, by): point for point, (face, by) in enumerate(zip(faces, moved, strict=True))}
    order = [points[own, frozenset(by)] for own, by in (each.split(":") for each in FTO["stickers"].split())]
    assert sorted(order) == list(range(72))
    for alg, stickers in FTO["states"].items():
        state = fto.parse(alg).arrangement
        assert "".join(faces[definition.solved[0].index(state[point])] for point in order) == stickers


def test_a_turned_puzzle_is_solved(fto: Any) -> None:
    assert fto.parse("Uv Fv' Uv").is_solved
    assert fto.depth("Uv U' Fv") == 1
    assert fto.solve("Fv U R' BL").length == 3


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("UBrR FRrD", "BrRU FRrD"),  # a quarter turn of a corner, which would show centres' colours of the other kind
        ("UR UL", "RU UL"),
        ("UR UL", "UL UR"),
        ("UBrR FRrD", "rRUB FRrD"),
        ("U U U F", "R U U F"),
    ],
)
def test_impossible_states_are_rejected(fto: Any, old: str, new: str) -> None:
    text = str(fto.parse(""))
    assert old in text
    with pytest.raises((UnsolvableStateError, InvalidStateError)):
        fto.depth(text.replace(old, new, 1))


def test_two_alike_centres_may_change_places(fto: Any) -> None:
    corners, edges, some, others = str(fto.parse("")).split(" ; ")
    swapped = some.replace("U U U F F F", "F U U U F F")
    assert fto.parse(f"{corners} ; {edges} ; {swapped} ; {others}") != fto.parse("")
    assert fto.rules.graph().reach.may_have(fto.parse(f"{corners} ; {edges} ; {swapped} ; {others}").arrangement)
