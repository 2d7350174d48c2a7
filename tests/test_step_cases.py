"""States of a step by depth, and its cases: published numbers, rotations, and the command line."""

from __future__ import annotations

import json

import pytest

import cubesolve
from cubesolve.errors import TooLargeError
from cubesolve.practice.step_cases import StepCases
from tests.commands import printed
from tests.facts import STEPS


def counted(name: str, metric: str) -> list[int]:
    return list(cubesolve.puzzle("rubik").towards(name).distribution(metric=metric, count=True))


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.exhaustive] * (name != "eo htm")) for name in STEPS if name != "source"],
)
def test_published(name: str) -> None:
    step, metric = name.split()
    assert counted(step, metric) == STEPS[name]


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("one", "other"), [("cross", "cross-R"), ("roux-block", "roux-block-BR"), ("x-cross-FR", "x-cross-U-FR")]
)
def test_alike_for_every_colour(one: str, other: str) -> None:
    assert counted(one, "htm") == counted(other, "htm")


def test_levels_and_cases() -> None:
    rubik = cubesolve.puzzle("rubik")
    step, goal = StepCases(rubik, "eo"), rubik.towards("eo")
    assert [level.states for level in step.levels()] == STEPS["eo htm"]
    for level in step.levels()[::7]:
        cases = step.cases(level.depth)
        assert sum(case.states for case in cases) == level.states
        assert sum(case.probability for case in cases) == level.probability
        for case in cases:
            alg = step.alg(case)
            assert goal.depth(rubik.parse(alg, "alg")) == level.depth == len(alg.split())
            assert step.picture(case) is not None
    # Quarter turns of F and B flip edges: the cube is the same from the front and from behind, or upside down.
    assert [case.states for case in step.cases(1)] == [2]


@pytest.mark.exhaustive
def test_crosses_and_half_turns() -> None:
    """The cosets of half turns in <U, D, R2, L2, F2, B2> are 29,400: 40,320 * 70 / 96."""
    rubik = cubesolve.puzzle("rubik")
    assert len(StepCases(rubik, "cross").cases(8)) == 28
    levels = StepCases(rubik, "htr", "dr").levels()
    assert (sum(level.states for level in levels), len(levels)) == (29_400, 14)


@pytest.mark.exhaustive
def test_steps_that_are_not_counted() -> None:
    rubik = cubesolve.puzzle("rubik")
    with pytest.raises(ValueError, match="are not counted by depth, because it has several goals"):
        StepCases(rubik, "x-cross").levels()
    with pytest.raises(TooLargeError, match="there are fewer after dr: --solved dr"):
        StepCases(rubik, "htr").levels()
    neutral = StepCases(rubik, "cross-any")
    assert [level.states for level in neutral.levels()] == STEPS["cross-any htm"]
    assert (sum(level.probability for level in neutral.levels()), neutral.example(3)) == (1, None)
    with pytest.raises(ValueError, match="are not listed, because it has several goals"):
        neutral.cases(3)
    with pytest.raises(ValueError, match="cubeshape has no cases: its states are counted"):
        StepCases(cubesolve.puzzle("square1"), "cubeshape")
    with pytest.raises(ValueError, match="keep eo and lead to cross"):
        StepCases(rubik, "cross", "eo")


@pytest.mark.exhaustive
def test_more_states_than_a_table_has() -> None:
    step = StepCases(cubesolve.puzzle("rubik"), "dr")
    assert [level.states for level in step.levels()] == STEPS["dr htm"]
    assert step.example(12) is None


@pytest.mark.parametrize("face", "UD")
def test_turned_about_a_piece_that_stays(face: str) -> None:
    """A layer of the Skewb is the same from four sides, with or without the reference corner."""
    step = StepCases(cubesolve.puzzle("skewb"), f"layer-{face}")
    assert [level.states for level in step.levels()] == [1, 8, 44, 252, 1152, 2969, 1380, 26]
    cases = step.cases(7)
    assert sorted(case.states for case in cases) == [1] * 4 + [2] + [4] * 5
    assert sum(case.probability for case in cases) == step.levels()[7].probability


def test_turned_as_no_move_turns_it() -> None:
    """No move rotates the Pyraminx: turns of its vertices, or of those of a layer, are one case in each direction."""
    pyraminx = cubesolve.puzzle("pyraminx")
    listed = {name: StepCases(pyraminx, name).cases(1) for name in ("centres", "layer", "v")}
    assert [case.states for case in listed["centres"]] == [4, 4]
    assert [case.states for case in listed["layer"]] == [3, 3]
    assert [case.states for case in listed["v"]] == [1] * 8


def test_turned_with_pieces_that_look_alike() -> None:
    cases = StepCases(cubesolve.puzzle("fto"), "corners").cases(1)
    assert [case.states for case in cases] == [4] * 4  # rotations lead to four of the faces, in either direction


def test_command() -> None:
    listed = printed("cases", "--puzzle", "pyraminx")
    assert "\nv             the centres and two edges of a face, LB and RB; also -any\n" in listed
    assert "\nlast-slot     the first two layers without this slot: -BR -FL -BL -FR -F-DR" in printed("cases")
    titles = [json.loads(line)["title"] for line in printed("cases", "--json").splitlines()]
    assert all(titles)
    lines = printed("cases", "--puzzle", "pyraminx", "v").splitlines()
    assert [int(line.split()[1].replace(",", "")) for line in lines] == [1, 8, 43, 222, 1024, 3314, 4345, 750, 13]
    records = [json.loads(line) for line in printed("cases", "--puzzle", "pyraminx", "v", "--json").splitlines()]
    assert sum(record["probability"] for record in records) == pytest.approx(1)
    sheet = printed("cases", "--puzzle", "pyraminx", "v", "--depth", "8", "--html", "-")
    assert sheet.count("<li>") == sheet.count("<svg") == 13
    (alg,) = printed("scramble", "--puzzle", "pyraminx", "--case", "v", "--depth", "8").splitlines()
    pyraminx = cubesolve.puzzle("pyraminx")
    assert pyraminx.towards("v").depth(pyraminx.parse(alg, "alg")) == len(alg.split()) == 8
