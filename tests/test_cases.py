"""Sets of cases: published numbers, uniform samples, names, and the command line."""

from __future__ import annotations

import json
import pickle
import random
from collections import Counter
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree as ET

import pytest

import cubesolve
from cubesolve import RubikCube
from cubesolve.definition.view import DefinedView
from cubesolve.errors import InvalidStateError
from cubesolve.practice import trainers
from cubesolve.practice.trainers import case_scrambles, case_setups, setups
from tests.chance import agrees
from tests.commands import invoke, printed

NUMBERS = {
    ("rubik", "f2l"): 42,  # 41 and the solved one
    ("rubik", "oll"): 58,  # 57
    ("rubik", "coll"): 43,  # 40, two exchanges of corners that are oriented, and the solved one
    ("rubik", "zbll"): 494,  # 472, and the 21 of PLL
    ("rubik", "cmll"): 43,  # 42
    ("pocket", "cll"): 43,  # 42
    ("pocket", "eg-1"): 43,  # 40 and three with an oriented upper face
    ("pocket", "eg-2"): 43,
    ("pocket", "tcll-plus"): 43,
    ("pocket", "tcll-minus"): 43,
    ("pyraminx", "l4e"): 36,
    ("skewb", "ll"): 137,  # 540 states: 3,149,280 in all, and 5,832 of a layer
    ("skewb", "l5c"): 17,  # 60 even permutations of five centres
    ("pyraminx", "l3e"): 6,
    ("pyraminx-tips", "l3e"): 6,
}
"""The published numbers of cases, those that adjusting solves among them."""


@pytest.mark.parametrize(
    ("name", "number"),
    [pytest.param(*each, marks=[pytest.mark.exhaustive] * (each[1] > 60)) for each in NUMBERS.items()],
)
def test_numbers(name: tuple[str, str], number: int) -> None:
    puzzle = cubesolve.puzzle(name[0])
    cases = puzzle.cases(name[1])
    assert len(cases) == len(list(cases)) == number
    assert sum(case.probability for case in cases) == 1
    first = 1 if "eg" in name[1] or "tcll" in name[1] else 0
    assert [case.number for case in cases] == list(range(first, first + number))
    for case in list(cases)[::40]:
        [alg] = setups(puzzle, [case.state])
        assert cases.find(puzzle.parse(alg, "alg")) == cases[str(case.number)] == case
        drawn = cases.random_state(random.Random(1), case.name)
        assert cases.find(drawn) == case
        assert cases.picture(case) is not None


@pytest.mark.exhaustive
def test_number_of_last_layers() -> None:
    assert len(cubesolve.puzzle("rubik").cases("ll")) == 3916


@pytest.mark.exhaustive
def test_usual_names() -> None:
    """Probabilities of PLL, which sum to 1, and well-known numbers of OLL cases."""
    rubik = cubesolve.puzzle("rubik")
    pll, oll = rubik.cases("pll"), rubik.cases("oll")
    assert len(pll) == 22  # 21, and the solved one
    chances = Counter(case.probability for case in pll)
    assert chances == {Fraction(1, 18): 16, Fraction(1, 36): 2, Fraction(1, 72): 4}
    for number, solution in {27: "R U R' U R U2 R'", 45: "F R U R' U' F'", 57: "R U R' U' M' U R U' r'"}.items():
        assert oll.find(RubikCube.from_alg(rubik.rules.view.invert(solution))).number == number
    assert pll.find("R U R' U' R' F R2 U' R' U' R U R' F'").name == "T"
    assert pll.find("U2").number == 0
    with pytest.raises(InvalidStateError, match="not a state of the set pll"):
        pll.find("R")
    with pytest.raises(KeyError):
        pll["Q"]
    with pytest.raises(ValueError, match="did you mean pll"):
        rubik.cases("plll")
    assert pickle.loads(pickle.dumps(cubesolve.puzzle("pyraminx"))).case_sets.keys() == {"l4e", "l3e"}


@pytest.mark.exhaustive
def test_uniform() -> None:
    """Every state of the set, and every state of the ignored pieces, is equally likely."""
    l3e = cubesolve.puzzle("pyraminx").cases("l3e")
    rng = random.Random(7)
    drawn = Counter(l3e.random_state(rng) for _ in range(3600))
    assert len(drawn) == 36  # 12 arrangements of the edges, and 3 of the centre
    assert agrees(drawn, dict.fromkeys(drawn, 1 / 36))
    oll = cubesolve.puzzle("rubik").cases("oll")
    permuted = Counter(oll.random_state(rng, "21").facelets for _ in range(2880))
    assert len(permuted) > 570  # of 2 * 288 states with this pattern of the upper face
    assert max(permuted.values()) < 20


def test_goals_of_pieces() -> None:
    """The steps of puzzles of pieces."""
    assert cubesolve.puzzle("pyraminx").towards("v").distribution()[:2] == (1, 8)
    skewb = cubesolve.puzzle("skewb")
    layers = skewb.towards("layer").distribution()
    assert sum(layers) == 5832
    assert skewb.towards("layer-D").distribution() == tuple(3 * number for number in layers)  # in three places
    assert cubesolve.puzzle("rubik").towards("roux-block").states == 24 * 22 * 20 * 24 * 21


def test_command(tmp_path: Path) -> None:
    records = [json.loads(line) for line in printed("cases", "--puzzle", "pocket", "cll", "--json").splitlines()]
    assert len(records) == 43
    assert sum(record["probability"] for record in records) == pytest.approx(1)
    assert records[5]["pattern"] == records[5]["state"]
    sheet, drawing = tmp_path / "cll.html", tmp_path / "cll.svg"
    invoke("cases", "--puzzle", "pocket", "cll", "--html", str(sheet), "--svg", str(drawing))
    assert sheet.read_text().count("<li>") == sheet.read_text().count("<svg") == 43
    assert ET.parse(drawing).getroot().tag.endswith("svg")
    sheet.unlink()
    shown = printed("cases", "--puzzle", "pocket", "cll:22", "--svg", "-", "--html", str(sheet))
    assert ET.fromstring(shown).tag.endswith("svg")
    assert sheet.read_text().count("<li>") == 1
    assert printed("cases", "--puzzle", "pyraminx", "l4e:7").startswith("   7  7 ")


def test_shortest_algs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sune has seven moves, and any solution of all pieces more."""
    rubik = cubesolve.puzzle("rubik")
    oll = rubik.cases("oll")
    (alg,) = case_setups(rubik, oll, [oll["27"]])
    assert (oll.find(alg).name, alg.length, alg.at_least) == ("27", 7, 7)
    (record,) = map(json.loads, printed("cases", "oll:27", "--json", "--timeout", "0").splitlines())
    assert (oll.find(record["alg"]).name, record["at_least"]) == ("27", 1)
    assert 7 <= record["length"] == len(record["alg"].split())
    monkeypatch.setattr(trainers, "MOST_SHORTEST", 0)
    assert "--shortest finds them" in invoke("cases", "oll:27").stderr
    ended = invoke("cases", "oll:27", "--shortest", "--timeout", "0")
    assert (ended.stdout.endswith("moves, at least 1)\n"), ended.stderr) == (True, "")


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "which"), [("pyraminx", "l4e"), ("pocket", "cll")])
def test_scrambles_at_a_depth(name: str, which: str) -> None:
    """All states of a case at the depth are drawn equally often."""
    puzzle = cubesolve.puzzle(name)
    cases, view = puzzle.cases(which), puzzle.rules.view
    assert isinstance(view, DefinedView)
    every = (view.state(place) for places in cases.states.looks.values() for place in places)
    depths = {state: puzzle.depth(state) for state in every if cases.find(state) == cases[7]}
    [(depth, number)] = Counter(depths.values()).most_common(1)
    algs = case_scrambles(puzzle, cases, 30 * number, 5, which=cases[7].name, depth=depth)
    shares = {state: 1 / number for state in depths if depths[state] == depth}
    assert agrees(Counter(puzzle.parse(alg, "alg") for alg in algs), shares)


@pytest.mark.exhaustive
def test_scrambles_at_a_depth_of_a_set_that_ignores_pieces() -> None:
    rubik = cubesolve.puzzle("rubik")
    (alg,) = case_scrambles(rubik, rubik.cases("oll"), 1, which="27", depth=7)
    assert (rubik.cases("oll").find(alg).name, rubik.towards("oll").depth(alg)) == ("27", 7)


def test_a_limit_of_time_is_for_all_cases_together(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = list[float]()
    clock = map(float, range(100))
    monkeypatch.setattr(trainers, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    monkeypatch.setattr(trainers, "_setup", lambda _puzzle, _aim, _state, timeout: limits.append(timeout))
    cube = cubesolve.puzzle("rubik")
    found = cube.cases("pll")
    list(trainers.case_setups(cube, found, [*found][:4], shortest=True, timeout=2))
    assert limits == [1, 0, 0, 0]
    limits.clear()
    list(trainers.case_setups(cube, found, [*found][:2], shortest=True, share=0.5))
    list(trainers.case_setups(cube, found, [*found][:3], shortest=True, timeout=2, share=0.5))
    assert limits == [0.5, 0.5, 0.5, 0, 0]
