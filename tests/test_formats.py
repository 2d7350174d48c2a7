"""Formats of states, and of other packages, compared with their output; scripts/check_formats.py calls these."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cubesolve import PocketCube, Puzzle, lookup, puzzle
from cubesolve.catalog.pocket.forms import FORMS, arrange
from cubesolve.definition.formats import format_kpuzzle_transformation, parse_kpuzzle, parse_kpuzzle_transformation
from cubesolve.errors import CubesolveError, InvalidStateError, UnsolvableStateError
from tests.facts import DATA
from tests.strategies import colours, cubes, recoloured

POCKET = lookup.puzzle("pocket")
PRINTED = json.loads((DATA / "formats.json").read_text())


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


def _again(asked: Puzzle, form: str, folder: Path, metric: str | None = None) -> Puzzle:
    """Return a puzzle that was written and read."""
    path = folder / f"{asked.name}.json"
    path.write_text(asked.definition(form, metric=metric))
    return puzzle(str(path))


# -- KPuzzle -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["rubik", "pocket"])
def test_patterns_of_cubes_are_those_of_cubing_js(name: str) -> None:
    asked = puzzle(name)
    for alg, pattern in PRINTED["cubing"]["patterns"][name].items():
        cube = asked.parse(alg, "alg")
        assert json.loads(asked.write(cube, "kpuzzle")) == pattern
        assert asked.parse(json.dumps(pattern)) == asked.parse(json.dumps(pattern), "kpuzzle") == cube
    assert asked.rules.view.reader("urfdlb")(json.dumps(pattern)) == cube  # as commands read it
    assert asked.depth(pattern) == asked.depth(cube)
    assert (asked.state_arrays().read([pattern]) == asked.state_arrays().read([cube])).all()
    pattern["CORNERS"]["pieces"][0] = pattern["CORNERS"]["pieces"][1]
    with pytest.raises(InvalidStateError, match=r"CORNERS\.pieces: piece \d occurs 2 times"):
        asked.parse(json.dumps(pattern))


def test_transformations_are_those_of_cubing_js() -> None:
    definition = parse_kpuzzle(puzzle("rubik").definition("kpuzzle"), "rubik")
    moved = definition.generators["R"][0].sources
    ours, theirs = format_kpuzzle_transformation(definition, moved), PRINTED["cubing"]["R"]
    assert all(ours[orbit] == theirs[orbit] for orbit in ("EDGES", "CORNERS"))
    assert ours["CENTERS"]["permutation"] == theirs["CENTERS"]["permutation"]  # how a centre is turned is not seen
    assert parse_kpuzzle_transformation(definition, ours) == moved
    with pytest.raises(InvalidStateError, match="place 1 occurs twice"):
        parse_kpuzzle_transformation(definition, {"EDGES": {"permutation": [1] * 12, "orientationDelta": [0] * 12}})


@pytest.mark.parametrize("form", ["kpuzzle", "cayleypy"])
@pytest.mark.parametrize(("name", "alg"), [("pyraminx-duo", "R U' L"), ("topspin-8-4", "T1 T4 T6")])
def test_what_is_written_is_read_as_the_same_puzzle(name: str, alg: str, form: str, tmp_path: Path) -> None:
    asked = puzzle(name)
    again = _again(asked, form, tmp_path)
    if form == "kpuzzle":  # whose rotations count as well
        assert again.distribution() == asked.distribution()
        assert asked.depth(json.loads(asked.write(asked.parse(alg), form))) == 3
    assert again.depth(alg) == asked.depth(alg) == 3


def test_a_cube_is_written_with_its_pieces(tmp_path: Path) -> None:
    rubik = puzzle("rubik")
    again = _again(rubik, "kpuzzle", tmp_path)
    pattern = PRINTED["cubing"]["patterns"]["rubik"]["x y R' D2"]
    assert str(again.parse(json.dumps(pattern))) == str(again.parse("x y R' D2"))
    assert again.group_order == rubik.group_order
    assert list(_again(rubik.restrict("R U2"), "kpuzzle", tmp_path).moves) == ["R", "R2", "R'", "U2"]


@pytest.mark.parametrize("form", ["kpuzzle", "cayleypy"])
def test_powers_of_moves_whose_names_end_in_a_digit_are_read_again(form: str, tmp_path: Path) -> None:
    path = tmp_path / "ring.gap"
    path.write_text("g1 := (1,2,3,4,5,6,7); g1_2 := (1,2);")
    asked = puzzle(str(path)).restrict("(g1)2 g1_2")
    assert list(asked.moves) == ["g1", "(g1)2", "(g1)3", "(g1)3'", "(g1)2'", "g1'", "g1_2"]
    again = _again(asked, form, tmp_path)
    assert "g1__2" in again.moves
    assert again.distribution() == asked.distribution()


@pytest.mark.parametrize("form", ["kpuzzle", "cayleypy"])
@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (puzzle("tiles-2x3"), "moves that are not always possible"),
        (puzzle("skewb").restrict(cost="R=2"), "costs of moves"),
        (puzzle("dino"), "several solved states"),
    ],
)
def test_what_a_format_cannot_express_is_refused(asked: Puzzle, message: str, form: str) -> None:
    with pytest.raises(CubesolveError, match=f"has {message}, which this format cannot express"):
        asked.definition(form)


# -- CayleyPy ----------------------------------------------------------------------------------------------------------


def test_a_graph_of_cayleypy_has_its_layers(tmp_path: Path) -> None:
    path = tmp_path / "puzzle_info.json"
    path.write_text(json.dumps(PRINTED["cayleypy"]["graph"]))
    asked = puzzle(str(path))
    assert list(asked.distribution()) == PRINTED["cayleypy"]["layers"]
    assert json.loads(asked.definition("cayleypy"))["central_state"] == PRINTED["cayleypy"]["graph"]["central_state"]


def test_generators_move_labels_as_arrays_do() -> None:
    asked = puzzle("floppy")
    graph, arrays = json.loads(asked.definition("cayleypy")), asked.state_arrays()
    assert list(graph["generators"]) == list(arrays.moves)
    state = np.array(graph["central_state"])
    for number, change in enumerate(graph["generators"].values()):
        assert (state[change] == arrays.apply(arrays.solved[None], number)[0]).all()
