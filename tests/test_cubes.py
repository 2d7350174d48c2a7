"""Cubes that are given by their facelets: what cubes of both sizes do."""

from __future__ import annotations

import copy
import itertools
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cubesolve import PocketCube, RubikCube
from cubesolve.definition.notation import FaceTurn, invert_alg
from cubesolve.errors import InvalidMoveError, InvalidStateError
from tests import rubik_oracle
from tests.strategies import algs, colours, cubes, orientations, recoloured, rubik_algs, rubik_cubes

Kind = type[PocketCube] | type[RubikCube]
KINDS = [PocketCube, RubikCube]
CUBES: dict[Kind, Any] = {PocketCube: cubes, RubikCube: rubik_cubes}
ALGS: dict[Kind, Any] = {PocketCube: algs, RubikCube: rubik_algs}
FACES = "URFDLB"

of_each_kind = pytest.mark.parametrize("kind", KINDS)


@of_each_kind
@given(st.data())
def test_moves_and_their_inverses(kind: Kind, data: st.DataObject) -> None:
    first, then = data.draw(ALGS[kind]), data.draw(ALGS[kind])
    cube: Any = kind.from_alg(first)
    stickers = zip(rubik_oracle.NAMES, rubik_oracle.apply(rubik_oracle.SOLVED, first), strict=True)
    assert cube.facelets == "".join(symbol for name, symbol in stickers if kind.size == 3 or name[1] in "1379")
    assert cube.apply(then).apply(invert_alg(then)) == cube
    assert cube.apply(then) == kind.from_alg(f"{first} {then}")
    assert cube.inverse() == kind.from_alg(invert_alg(first))
    assert cube.relative_to(cube.apply(then)).apply(then) == kind.solved()
    faces = [cube.facelets[i : i + kind.size**2] for i in range(0, len(cube.facelets), kind.size**2)]
    assert cube.is_solved == all(len({*face}) == 1 for face in faces)


@of_each_kind
@given(st.data())
def test_equality_is_of_facelets(kind: Kind, data: st.DataObject) -> None:
    cube, other = data.draw(CUBES[kind]), data.draw(CUBES[kind])
    assert (cube == other) == (str(cube) == str(other))
    assert len({cube, kind(str(cube)), kind(str(cube).encode()), kind([*str(cube)]), kind(cube)}) == 1
    assert cube != str(cube)
    assert eval(repr(cube)) == cube


@of_each_kind
@given(st.data())
def test_holdings_and_colours(kind: Kind, data: st.DataObject) -> None:
    cube, holding, symbols = (data.draw(each) for each in (CUBES[kind], orientations, colours))
    home, other = cube.apply(cube.homing_rotation()), kind(recoloured(cube, symbols))
    held = cube.apply(holding)
    assert held.apply(held.homing_rotation()) == home
    assert home.homing_rotation() == ""
    assert held.is_solved == cube.is_solved
    assert held.colours == cube.colours == FACES
    assert kind.from_alg(holding).is_solved
    assert kind.from_facelets(other.facelets, symbols) == cube
    assert other.inverse().inverse() == other


@of_each_kind
def test_states_cannot_be_changed(kind: Kind) -> None:
    cube: Any = kind.from_alg("R")
    with pytest.raises(AttributeError):
        cube.facelets = "x"
    with pytest.raises(AttributeError):
        cube._facelets = "x"
    with pytest.raises(AttributeError):
        del cube._facelets
    assert not hasattr(cube, "__dict__")
    assert pickle.loads(pickle.dumps(cube)) == copy.deepcopy(cube) == cube


@of_each_kind
def test_moves_that_are_none(kind: Kind) -> None:
    solved = kind.solved()
    assert solved.apply(FaceTurn("R", 2)) == solved.apply("R2")
    for move in (FaceTurn("r", 1), FaceTurn("Mw", 1), FaceTurn("R", 0), FaceTurn("R", 4), FaceTurn("", 1)):
        with pytest.raises(InvalidMoveError):
            solved.apply(move)


@of_each_kind
def test_every_mirrored_scheme_is_refused_and_every_other_is_read(kind: Kind) -> None:
    refused = 0
    for scheme in map("".join, itertools.permutations(FACES)):
        try:
            assert kind("".join(colour * kind.size**2 for colour in scheme)).is_solved
        except InvalidStateError:
            refused += 1
    assert refused == 24


@of_each_kind
def test_colours_given_must_fit(kind: Kind) -> None:
    western = kind.solved().facelets.translate(str.maketrans(FACES, "WRGYOB"))
    with pytest.raises(ValueError, match="six different symbols"):
        kind.from_facelets(western, "WWGYRB")
    solved: Any = kind.solved()
    with pytest.raises(InvalidStateError, match=r"not two states of one cube: corner URF .* shows U R F"):
        solved.relative_to(kind(western))


@of_each_kind
@given(st.text(max_size=80))
def test_any_text_is_a_cube_or_an_invalid_state(kind: Kind, text: str) -> None:
    with pytest.raises(InvalidStateError):
        kind(text)


@of_each_kind
@given(st.data(), st.sampled_from(FACES))
def test_no_wrong_sticker_goes_unnoticed(kind: Kind, data: st.DataObject, symbol: str) -> None:
    facelets = data.draw(CUBES[kind]).facelets
    place = data.draw(st.integers(0, len(facelets) - 1))
    wrong = facelets[:place] + symbol + facelets[place + 1 :]
    if wrong != facelets:
        with pytest.raises(InvalidStateError):
            kind(wrong)
