"""Sets of cases, their algs, and cases of steps: published numbers, uniform samples, and the command line."""

from __future__ import annotations

import contextlib
import csv
import itertools
import json
import pickle
import random
from collections import Counter
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree as ET

import pytest

import cubesolve
from cubesolve import Puzzle, RubikCube
from cubesolve.definition.view import DefinedView
from cubesolve.errors import InvalidStateError
from cubesolve.group.permutations import Arrangement
from cubesolve.practice import trainers
from cubesolve.practice.ergonomics import USUAL
from cubesolve.practice.step_cases import StepCases
from cubesolve.practice.trainers import case_scrambles, case_setups, setups
from cubesolve.solvers import case_search
from cubesolve.solvers.case_algs import CaseAlgs
from tests.chance import agrees
from tests.commands import invoke, printed
from tests.facts import CASES, STEPS

RUBIK, POCKET, PYRAMINX, SKEWB = map(cubesolve.puzzle, ("rubik", "pocket", "pyraminx", "skewb"))


@pytest.mark.parametrize(
    ("name", "which", "number"),
    [pytest.param(*each, marks=[pytest.mark.exhaustive] * (each[2] > 60)) for *each, _ in CASES],
)
def test_numbers(name: str, which: str, number: int) -> None:
    puzzle = cubesolve.puzzle(name)
    cases = puzzle.cases(which)
    assert len(cases) == len(list(cases)) == number
    assert sum(case.probability for case in cases) == 1
    first = 1 if "eg" in which or "tcll" in which else 0
    assert [case.number for case in cases] == list(range(first, first + number))
    for case in list(cases)[::40]:
        [alg] = setups(puzzle, [case.state])
        assert cases.find(puzzle.parse(alg, "alg")) == cases[str(case.number)] == case
        drawn = cases.random_state(random.Random(1), case.name)
        assert cases.find(drawn) == case
        assert cases.picture(case) is not None


@pytest.mark.exhaustive
def test_usual_names() -> None:
    """Probabilities of PLL, which sum to 1, and well-known numbers of OLL cases."""
    pll, oll = RUBIK.cases("pll"), RUBIK.cases("oll")
    assert len(pll) == 22  # 21, and the solved one
    chances = Counter(case.probability for case in pll)
    assert chances == {Fraction(1, 18): 16, Fraction(1, 36): 2, Fraction(1, 72): 4}
    for number, solution in {27: "R U R' U R U2 R'", 45: "F R U R' U' F'", 57: "R U R' U' M' U R U' r'"}.items():
        assert oll.find(RubikCube.from_alg(RUBIK.rules.view.invert(solution))).number == number
    assert pll.find("R U R' U' R' F R2 U' R' U' R U R' F'").name == "T"
    assert pll.find("U2").number == 0
    with pytest.raises(InvalidStateError, match="not a state of the set pll"):
        pll.find("R")
    with pytest.raises(KeyError):
        pll["Q"]
    assert pickle.loads(pickle.dumps(PYRAMINX)).case_sets.keys() == {"l4e", "l3e"}


@pytest.mark.exhaustive
def test_uniform() -> None:
    """Every state of the set, and every state of the ignored pieces, is equally likely."""
    l3e = PYRAMINX.cases("l3e")
    rng = random.Random(7)
    drawn = Counter(l3e.random_state(rng) for _ in range(3600))
    assert len(drawn) == 36  # 12 arrangements of the edges, and 3 of the centre
    assert agrees(drawn, dict.fromkeys(drawn, 1 / 36))
    oll = RUBIK.cases("oll")
    permuted = Counter(oll.random_state(rng, "21").facelets for _ in range(2880))
    assert len(permuted) > 570  # of 2 * 288 states with this pattern of the upper face
    assert max(permuted.values()) < 20


def test_goals_of_pieces() -> None:
    """The steps of puzzles of pieces."""
    layers = SKEWB.towards("layer").distribution()
    assert sum(layers) == 5832
    assert SKEWB.towards("layer-D").distribution() == tuple(3 * number for number in layers)  # in three places
    assert RUBIK.towards("roux-block").states == 24 * 22 * 20 * 24 * 21


def test_command(tmp_path: Path) -> None:
    sheet, drawing = tmp_path / "cll.html", tmp_path / "cll.svg"
    invoke("cases", "--puzzle", "pocket", "cll", "--html", str(sheet), "--svg", str(drawing))
    assert sheet.read_text().count("<li>") == sheet.read_text().count("<svg") == 43
    assert ET.parse(drawing).getroot().tag.endswith("svg")
    sheet.unlink()
    shown = printed("cases", "--puzzle", "pocket", "cll:22", "--svg", "-", "--html", str(sheet))
    assert ET.fromstring(shown).tag.endswith("svg")
    assert sheet.read_text().count("<li>") == 1
    step = printed("cases", "--puzzle", "pyraminx", "v", "--depth", "8", "--html", "-")
    assert step.count("<li>") == step.count("<svg") == 13


def test_shortest_algs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sune has seven moves, and any solution of all pieces more."""
    oll = RUBIK.cases("oll")
    (alg,) = case_setups(RUBIK, oll, [oll["27"]])
    assert (oll.find(alg).name, alg.length, alg.at_least) == ("27", 7, 7)
    (record,) = map(json.loads, printed("cases", "oll:27", "--json", "--timeout", "0").splitlines())
    assert (oll.find(record["alg"]).name, record["at_least"]) == ("27", 1)
    assert 7 <= record["length"] == len(record["alg"].split())
    monkeypatch.setattr(trainers, "MOST_SHORTEST", 0)
    assert "--shortest finds them" in invoke("cases", "oll:27").stderr
    ended = invoke("cases", "oll:27", "--shortest", "--timeout", "0")
    assert (ended.stdout.endswith("moves, at least 1)\n"), ended.stderr) == (True, "")


@pytest.mark.exhaustive
def test_scrambles_at_a_depth() -> None:
    """All states of a case at the depth are drawn equally often."""
    cases, view = PYRAMINX.cases("l4e"), PYRAMINX.rules.view
    assert isinstance(view, DefinedView)
    every = (view.state(place) for places in cases.states.looks.values() for place in places)
    depths = {state: PYRAMINX.depth(state) for state in every if cases.find(state) == cases[7]}
    [(depth, number)] = Counter(depths.values()).most_common(1)
    algs = case_scrambles(PYRAMINX, cases, 30 * number, 5, which=cases[7].name, depth=depth)
    shares = {state: 1 / number for state in depths if depths[state] == depth}
    assert agrees(Counter(PYRAMINX.parse(alg, "alg") for alg in algs), shares)


def test_a_limit_of_time_is_for_all_cases_together(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = list[float]()
    clock = map(float, range(100))
    monkeypatch.setattr(trainers, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    monkeypatch.setattr(trainers, "_setup", lambda _puzzle, _aim, _state, timeout: limits.append(timeout))
    found = RUBIK.cases("pll")
    list(trainers.case_setups(RUBIK, found, [*found][:4], shortest=True, timeout=2))
    assert limits == [1, 0, 0, 0]
    limits.clear()
    list(trainers.case_setups(RUBIK, found, [*found][:2], shortest=True, share=0.5))
    list(trainers.case_setups(RUBIK, found, [*found][:3], shortest=True, timeout=2, share=0.5))
    assert limits == [0.5, 0.5, 0.5, 0, 0]


# -- Algs of cases: compared with a second search, applied, and printed ------------------------------------------------


ADJUSTMENTS = ("", "U", "U2", "U'")
CLL = (0, 17, 22)
"""The numbers of some cases, of the fewest moves."""


@pytest.fixture(scope="module")
def cll() -> list[CaseAlgs]:
    return [POCKET.algs("cll", str(number), number=3, slack=1)[0] for number in CLL]


def solves(puzzle: Puzzle[Any], set_name: str, best: CaseAlgs) -> bool:
    cases = puzzle.cases(set_name)
    ends = (best.case.state.apply(f"{alg.before} {alg.alg} {alg.after}") for alg in best.algs)
    return all(cases.find(end).number == 0 for end in ends)


@pytest.mark.exhaustive
def test_shortest_of_all() -> None:
    every = POCKET.algs("cll", number=3, slack=1)
    test_shortest(every)
    assert Counter(best.optimal for best in every) == {0: 1, 5: 1, 6: 1, 7: 9, 8: 4, 9: 20, 10: 6, 11: 1}


def test_shortest(cll: list[CaseAlgs]) -> None:
    """Algs of a case are compared with the table of all states."""
    for best in cll:
        states = (
            POCKET.rules.view.solved(None).apply(after).apply(POCKET.rules.view.invert(best.algs[0].alg)).apply(before)
            for before, after in itertools.product(ADJUSTMENTS, repeat=2)
        )
        assert best.optimal == min(map(POCKET.depth, states)) == best.algs[0].length
        assert solves(POCKET, "cll", best)
        assert all(alg.length <= best.optimal + 1 for alg in best.algs)
        assert len({alg.alg for alg in best.algs}) == len(best.algs)


@pytest.mark.exhaustive
def test_every_alg_is_found() -> None:
    """Words of at most five moves that solve cases, found by trying all; two cases have two algs each."""
    cases = PYRAMINX.cases("l4e")
    solved = PYRAMINX.parse("")
    moves = [f"{letter}{prime}" for letter in "LRB" for prime in ("", "'")]
    algs = dict[int, list[str]]()
    for length in range(6):
        for word in itertools.product(moves, repeat=length):
            if all(a[0] != b[0] for a, b in itertools.pairwise(word)):
                state = solved.apply(PYRAMINX.rules.view.invert(" ".join(word)))
                with contextlib.suppress(cubesolve.InvalidStateError):  # it is of no case
                    algs.setdefault(cases.find(state).number, []).append(" ".join(word))
    found = PYRAMINX.algs("l4e", moves="L R B", number=10**6, most=5)
    assert [len(best.algs) for best in found if best.optimal] == [1, 2, 1, 2]
    for best in found:
        expected = algs.get(best.case.number, [])
        shortest = min((len(alg.split()) for alg in expected), default=None)
        assert best.optimal == shortest
        assert {alg.alg for alg in best.algs} == {alg for alg in expected if len(alg.split()) == shortest}


@pytest.mark.exhaustive
def test_usual_algs_and_rotations() -> None:
    [best] = RUBIK.algs("pll", "H", moves="R U M", number=2, most=8)
    assert (best.optimal, best.algs[0].alg) == (7, "M2 U M2 U2 M2 U M2")
    [best] = RUBIK.algs("pll", "Aa", moves="R U D Lw", number=9, most=9)
    assert "Lw' U R' D2 R U' R' D2 R2" in {alg.alg for alg in best.algs}
    assert all("x" in alg.after for alg in best.algs)
    assert solves(RUBIK, "pll", best)
    [best] = POCKET.algs("cll", "22", moves="R U y", number=10**6, slack=2, most=9)
    turned = [alg.alg.split() for alg in best.algs if "y" in alg.alg]
    assert turned
    assert all(alg[-1][0] != "y" for alg in turned)  # a rotation is a move of an alg, but not the last
    assert solves(POCKET, "cll", best)


@pytest.mark.exhaustive
def test_costs(cll: list[CaseAlgs]) -> None:
    by_cost = POCKET.algs("cll", cll[1].case.name, cost=USUAL.cost, slack=1)[0]
    assert by_cost.algs[0].cost == USUAL.cost(by_cost.algs[0].alg.split())
    assert by_cost.algs[0].cost <= min(USUAL.cost(alg.alg.split()) for alg in cll[1].algs)


def test_limits() -> None:
    assert PYRAMINX.algs("l3e", memory=1000) == PYRAMINX.algs("l3e")


def test_command_prints_what_was_found_before_it_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    algs, sheet = case_search._Search._algs, tmp_path / "cll.csv"

    def found(search: Any, solver: Any, start: Arrangement, length: int) -> Any:
        if length == 8:
            raise KeyboardInterrupt
        return algs(search, solver, start, length)

    command = ["algs", "--puzzle", "pocket", "--case", "cll", "-n", "2", "--slack", "1", "--csv", str(sheet)]
    whole = printed(*command, "--max-length", "7").splitlines()
    monkeypatch.setattr(case_search._Search, "_algs", found)
    result = invoke(*command)
    assert result.exit_code == 130
    assert result.stdout.splitlines() == [line for line in whole if not line.endswith("no alg of at most 7 moves")]
    assert result.stdout.count("\n") == sheet.read_text().count("\n") - 1 > 0


def test_command_for_algs(tmp_path: Path) -> None:
    rows, sheet = tmp_path / "eg.csv", tmp_path / "eg.html"
    command = ("algs", "--puzzle", "pocket", "--case", "eg-1:5", "-n", "2")
    invoke(*command, "--csv", str(rows), "--html", str(sheet), "--cost", "Ergonomic")
    with rows.open() as file:
        listed = list(csv.DictReader(file))
    assert len(listed) == 2
    assert float(listed[0]["cost"]) >= int(listed[0]["length"])
    assert sheet.read_text().count("<iframe") == 1


# -- States of a step by depth, and its cases: published numbers and rotations -----------------------------------------


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.exhaustive] * (name != "eo htm")) for name in STEPS if name != "source"],
)
def test_published(name: str) -> None:
    step, metric = name.split()
    is_counted = step != "cross-any"  # several goals that ignore different pieces
    assert list(RUBIK.towards(step).distribution(metric=metric, count=is_counted)) == STEPS[name]


def test_levels_and_cases() -> None:
    step, goal = StepCases(RUBIK, "eo"), RUBIK.towards("eo")
    assert [level.states for level in step.levels()] == STEPS["eo htm"]
    for level in step.levels()[::7]:
        cases = step.cases(level.depth)
        assert sum(case.states for case in cases) == level.states
        assert sum(case.probability for case in cases) == level.probability
        for case in cases:
            alg = step.alg(case)
            assert goal.depth(RUBIK.parse(alg, "alg")) == level.depth == len(alg.split())
            assert step.picture(case) is not None
    # Quarter turns of F and B flip edges: the cube is the same from the front and from behind, or upside down.
    assert [case.states for case in step.cases(1)] == [2]


@pytest.mark.exhaustive
def test_crosses_and_half_turns() -> None:
    """The cosets of half turns in <U, D, R2, L2, F2, B2> are 29,400: 40,320 * 70 / 96."""
    assert len(StepCases(RUBIK, "cross").cases(8)) == 28
    levels = StepCases(RUBIK, "htr", "dr").levels()
    assert (sum(level.states for level in levels), len(levels)) == (29_400, 14)
    neutral = StepCases(RUBIK, "cross-any")
    assert [level.states for level in neutral.levels()] == STEPS["cross-any htm"]
    assert (sum(level.probability for level in neutral.levels()), neutral.example(3)) == (1, None)


def test_cases_are_counted_up_to_rotations_that_keep_the_step() -> None:
    """A layer of the Skewb is the same from four sides, with or without the reference corner.

    No move rotates the Pyraminx: turns of its vertices, or of those of a layer, are one case in each direction. The FTO
    has pieces that look alike: rotations lead to four of the faces.
    """
    for name, goal, depth, states in (
        ("skewb", "layer-U", 7, [1] * 4 + [2] + [4] * 5),
        ("skewb", "layer-D", 7, [1] * 4 + [2] + [4] * 5),
        ("pyraminx", "centres", 1, [4] * 2),
        ("pyraminx", "layer", 1, [3] * 2),
        ("pyraminx", "v", 1, [1] * 8),
        ("fto", "corners", 1, [4] * 4),
    ):
        step = StepCases(name, goal)
        cases = step.cases(depth)
        assert sorted(case.states for case in cases) == states
        assert sum(case.probability for case in cases) == step.levels()[depth].probability
