"""Aliases of puzzles, and suggestions for misspelt names."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from cubesolve import PocketCube, RubikCube, catalog, lookup
from cubesolve.errors import CubesolveWarning, InvalidStateError, UnknownPuzzleError
from cubesolve.learn.labels import Oracle
from cubesolve.lookup.finding import warn_of_alg
from cubesolve.practice.analysis import shortest_chain
from cubesolve.practice.events import event_named
from cubesolve.web.served import ChosenPuzzle, Served
from tests.commands import printed
from tests.patience import PATIENCE


def test_threads_find_the_same_puzzle(monkeypatch: pytest.MonkeyPatch) -> None:
    families, both = catalog._families_of, threading.Barrier(2)

    def found(name: str) -> Iterator[catalog.Family]:
        both.wait(PATIENCE)  # neither thread has a puzzle yet
        return families(name)

    monkeypatch.setattr(catalog, "_rules", {})
    monkeypatch.setattr(catalog, "_families_of", found)
    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(catalog.rules_named, ("ivy", "ivy"))
    assert first is second


def test_other_names_are_those_of_no_puzzle() -> None:
    tables = catalog.tables()
    for alias, name in catalog.aliases().items():
        assert alias not in {*catalog.names(), *tables, *catalog.groups()}
        assert catalog.rules_named(name).name == name
        assert catalog.rules_named(alias) is catalog.rules_named(name)
        assert lookup.puzzle(alias) is lookup.puzzle(name)


def test_other_names_are_taken_wherever_a_puzzle_is_named() -> None:
    assert catalog.entry_named("222") == catalog.entry_named("pocket")
    assert lookup.random_state(7, puzzle="222") == lookup.random_state(7, puzzle="pocket")
    assert lookup.scramble(7, puzzle="2x2x2") == lookup.scramble(7)
    assert Oracle("2x2").puzzle.name == "pocket"
    for asked in ("depth UUUUBBRRRRFFDDDDFFLLLLBB --puzzle", "tables distribution --puzzle"):
        answers = {printed(*asked.split(), name) for name in ("222", "2x2x2", "pocket")}
        assert len(answers) == 1
    listed = [json.loads(line) for line in printed("puzzles", "--json").splitlines()]
    named = {each["name"]: each["aliases"] for each in listed}
    assert (named["pocket"], named["skewb"]) == (["2x2x2", "2x2", "222"], [])
    title = "3x3x3 Rubik's cube; also 3x3x3, 3x3, 333, 333bf, 333fm, 333oh\n"
    assert title in printed("puzzles")
    series = [line for line in printed("puzzles").splitlines() if line.startswith(("tiles", "pancake", "topspin"))]
    assert [line.split()[0] for line in series] == ["pancake-N", "tiles-RxC", "topspin-N-K"]  # a line for all sizes
    assert "15-puzzle" in series[1]


def test_a_puzzle_is_served_once_whatever_it_is_called(tmp_path: Path) -> None:
    served = Served({"333": "A := (1,2,3);"}, str(tmp_path))
    assert [served.called(name) for name in ("222", "333", "skewb")] == ["pocket", "333", "skewb"]
    assert served.find(ChosenPuzzle("333")).states == 3  # a file that is served has its own name


def test_case_spaces_hyphens_and_underscores_do_not_matter() -> None:
    for text, name in {
        **dict.fromkeys(("Skewb Diamond", "SKEWB_DIAMOND"), "skewb-diamond"),
        **dict.fromkeys(("Pancake 9", "pancake9"), "pancake-9"),
        "3X3": "rubik",
        "15 Puzzle": "tiles-4x4",
        "TopSpin 9 4": "topspin-9-4",
    }.items():
        assert lookup.puzzle(text).name == name
        assert catalog.rules_named(text) is catalog.rules_named(name)


def test_names_of_goals_cases_metrics_and_events() -> None:
    rubik = lookup.puzzle("rubik")
    assert rubik.towards("X Cross | F2L_u").title == "3x3x3 Rubik's cube, towards x-cross|f2l-U"
    assert (rubik.cases("PLL")["ja"].name, rubik.cases("PLL").name) == ("Ja", "pll")
    assert lookup.depth("R2", metric="QTM") == 2
    events = {"3x3": "333", "4x4x4 BF": "444bf", "3BLD": "333bf", "FMC": "333fm", "Megaminx": "minx", "777": "777"}
    assert {text: event_named(text) for text in events} == events
    assert shortest_chain(rubik, "R U F", ["CROSS", "Solved"]).parts[0][0] == "cross"
    with pytest.raises(ValueError, match="unknown event '3x4'"):
        event_named("3x4")


def test_what_is_like_no_name_is_not_answered_by_a_list_of_all() -> None:
    with pytest.raises(UnknownPuzzleError, match=r"expected pocket, .*, another that `cubesolve") as caught:
        lookup.puzzle("17")
    assert len(str(caught.value)) < 150
    with pytest.raises(UnknownPuzzleError):
        lookup.puzzle("x" * 100_000)


def test_a_file_is_found_by_its_path_although_a_puzzle_is_called_so(tmp_path: Path) -> None:
    file = tmp_path / "222"
    file.write_text("A := (1,2,3);")
    assert lookup.puzzle(str(file)).states == 3
    assert lookup.puzzle("222").depth(PocketCube.from_alg("R U")) == 2


def test_an_alg_without_a_puzzle_is_one_of_the_pocket_cube_with_a_warning() -> None:
    warn_of_alg.cache_clear()
    with pytest.warns(CubesolveWarning, match="is taken for one of the 2x2x2") as caught:
        assert [lookup.depth(alg) for alg in ("R U", "R U F R2 U2 F2 R U F R2 U2")] == [2, 9]
    assert [warning.filename for warning in caught] == [__file__]  # once
    warn_of_alg.cache_clear()
    with pytest.warns(CubesolveWarning, match="is taken for one of the 2x2x2") as caught:
        assert lookup.depths(["R U", "R"]).tolist() == [2, 1]
    assert [warning.filename for warning in caught] == [__file__]


def test_the_puzzle_of_a_question_by_name() -> None:
    assert (lookup.depth("R U F", puzzle="333"), lookup.solve("R U' L", puzzle="Skewb")) == (3, "L' U R'")
    assert lookup.depths(["R U'", "L"], puzzle="skewb").tolist() == [2, 1]
    assert len(lookup.antipodes(puzzle="ivy")) == lookup.distribution(puzzle="ivy")[-1] == 110
    assert lookup.sample(2, seed=7, puzzle="skewb").tolist() == lookup.sample(2, rng=-7, puzzle="skewb").tolist()
    for draw in (lookup.random_state, lookup.scramble):
        assert draw(seed=7, puzzle="skewb") == draw(7, puzzle="skewb") == draw(-7, puzzle="skewb")
        with pytest.raises(ValueError, match="rng and seed cannot be combined"):
            draw(7, seed=7)


def test_one_state_as_a_list_a_tuple_or_an_array() -> None:
    cube, tiles = str(RubikCube.from_alg("R U F")), [1, 2, 3, 4, 5, 6, 0, 7, 8]
    rubik, eight, skewb = lookup.puzzle("333"), lookup.puzzle("8-puzzle"), lookup.puzzle("skewb")
    numbers = np.array(["URFDLB".index(colour) for colour in cube])
    for given in (list(cube), tuple(cube), np.array(list(cube)), numbers, numbers.reshape(6, 3, 3)):
        assert rubik.depth(given) == lookup.depth(given) == 3
    assert rubik.path(np.array(list(cube)), tuple(cube)) == ""
    pocket = str(PocketCube.from_alg("R U"))
    assert lookup.depth(tuple(pocket)) == lookup.depth(list(pocket)) == 2
    for state in (tiles, tuple(tiles), np.array(tiles), np.array(tiles).reshape(3, 3)):
        assert eight.depth(state) == 2
        assert eight.solve(state, metric="htm") == "L L"
    row = skewb.state_arrays().walks(1, 4, rng=1).states[0]
    assert skewb.depth(row) == skewb.depths(row[None])[0]
    assert skewb.depth(np.int64(5)) == skewb.depth(5)
    with pytest.raises(InvalidStateError):
        eight.depth(np.zeros(9, int))
