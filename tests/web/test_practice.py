"""The JSON interface for analyses, trainers, cases, algs and scrambles for events."""

from __future__ import annotations

import base64
import hashlib
import random
import re
from pathlib import Path
from typing import Any

import pytest

import cubesolve
from cubesolve.practice.analysis import analyse
from cubesolve.practice.events import EVENTS, scrambles, sheet_of
from cubesolve.practice.trainers import case_scrambles, step_scrambles
from cubesolve.web.served import ChosenPuzzle, Served
from tests.web.conftest import Client


@pytest.mark.exhaustive
def test_a_solution_is_analysed(client: Client) -> None:
    pocket = cubesolve.puzzle("pocket")
    scramble, solution, steps = "R U2 F R'", "R U U' F' U U R'", ["first-layer", "solved"]
    said = {"scramble": scramble, "solution": solution, "steps": ",".join(steps)}
    found = client.ask("analyse", **said).content
    expected = analyse(pocket, pocket.parse(scramble, "alg"), solution, steps)
    listed = [{**position._asdict(), "state": str(position.state)} for position in expected.positions]
    assert listed == found["positions"]
    assert found["steps"] == [part._asdict() for part in expected.parts]
    assert (found["lost"], found["solution"]) == (expected.lost, solution)
    depths = [pocket.depth(position["state"]) for position in found["positions"]]
    assert depths == [position["at_least"] for position in found["positions"]]
    turned = client.ask("analyse", **{**said, "steps": "", "inverse": True}).content
    assert [each["move"] for each in turned["positions"]][:2] == ["", "R"]
    assert turned["positions"][0]["at_least"] == found["positions"][0]["at_least"]
    switched = client.ask("analyse", puzzle="skewb", scramble="R U", solution="(R) U'", niss=True).content
    assert [(each["move"], each["at_least"]) for each in switched["positions"]] == [("", 2), ("(R)", 1), ("U'", 0)]


def test_a_solution_in_steps_is_found(client: Client) -> None:
    pocket = cubesolve.puzzle("pocket")
    found = client.ask("analyse", scramble="R U2 F R' U F2", steps="first-layer, solved").content
    state = pocket.parse(found["state"])
    assert state == pocket.parse("R U2 F R' U F2", "alg")
    assert state.apply(found["solution"]).is_solved
    assert found["solution"] == " ".join(step["alg"] for step in found["steps"] if step["alg"])
    assert found["steps"][0]["length"] == pocket.towards("first-layer").depth(state)


def test_a_step_and_a_case_are_trained(client: Client) -> None:
    pocket = cubesolve.puzzle("pocket")
    asked: tuple[dict[str, Any], ...] = ({"step": "first-layer", "depth": 3}, {"solved": "first-layer"})
    for question in asked:
        goal, depth, solved = (question.get(name) for name in ("step", "depth", "solved"))
        (alg,) = step_scrambles(pocket, 1, 7, goal=goal, depth=depth, solved=solved)
        found = client.ask("train", **question, seed=7).content
        assert (found["scramble"], pocket.parse(found["state"])) == (alg, pocket.parse(alg, "alg"))
    found = client.ask("train", case="cll:22", seed=7).content
    assert [found["scramble"]] == list(case_scrambles(pocket, pocket.cases("cll"), 1, 7, which="22"))
    assert pocket.cases("cll").find(found["state"]).name == "22"


def test_cases_and_their_algs_are_listed(client: Client) -> None:
    pocket = cubesolve.puzzle("pocket")
    cll = pocket.cases("cll")
    found = client.ask("cases", set="cll", offset=20, limit=3).content
    assert (found["title"], found["total"]) == (cll.about.title, 43)
    for each, case in zip(found["cases"], cll[20:23], strict=True):
        assert (each["name"], each["probability"]) == (case.name, float(case.probability))
        assert cll.find(each["state"]) == case
        picture = cll.picture(case)
        assert picture
        assert len(each["cells"]) == len(picture.cells)
    assert len(client.ask("cases", set="cll").content["cases"]) == 43
    best = client.ask("algs", case="cll:22", number=2, cost="ergonomic", moves="R U F").content
    state = pocket.parse(best["state"])
    assert (cll.find(state).number, best["optimal"], len(best["algs"])) == (22, 7, 2)
    for alg in best["algs"]:
        assert state.apply(f"{alg['before']} {alg['alg']} {alg['after']}").is_solved
    assert client.get("/api/puzzles/pocket").content["case_sets"] == pocket.case_sets


def test_scrambles_for_events(client: Client) -> None:
    listed = client.get("/api/events").content
    assert [each["name"] for each in listed] == list(EVENTS)
    found = client.ask("event", event="pyram", number=2, seed=7).content
    drawn = list(scrambles("pyram", 2, random.Random(7)))
    assert [each["scramble"] for each in found["scrambles"]] == [each.alg for each in drawn]
    assert [each["state"] for each in found["scrambles"]] == [str(each.state) for each in drawn]
    assert client.ask("show", puzzle=found["puzzle"], state=found["scrambles"][0]["state"]).status == 200


def test_a_sheet_is_a_page_whose_style_is_allowed(client: Client) -> None:
    sheet = client.get("/api/sheet?event=skewb&number=1&seed=7")
    captions = ("1", "extra 1", "extra 2")
    assert sheet.content == sheet_of(list(zip(captions, scrambles("skewb", 3, random.Random(7)), strict=True)))
    assert sheet.headers["content-type"].startswith("text/html")
    (style,) = re.findall("<style>(.*?)</style>", sheet.content, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert sheet.headers["content-security-policy"].startswith(f"default-src 'none'; style-src 'sha256-{digest}'")
    assert "style=" not in sheet.content
    wrong = client.get("/api/sheet?event=skewb&number=99&seed=x")
    assert wrong[:2] == (422, {"error": "number must be at most 20; seed must be a whole number"})
    assert client.get("/api/sheet?event=333x").content["error"].startswith("unknown event '333x'")


def test_tables_of_steps_are_not_kept_in_the_users_folder(tmp_path: Path) -> None:
    served = Served({}, str(tmp_path))
    pocket = served.find(ChosenPuzzle("pocket"))
    for changed in (
        pocket.towards("first-layer"),
        pocket.restrict("R U"),
        pocket.restrict("R U").towards("first-layer"),
    ):
        assert changed.depth("R") == 1
        assert Path(str(changed._tables.directory)).parent == tmp_path
    assert list(tmp_path.rglob("*.zst"))
