"""The page without a server solves puzzles whose tables a worker derives; one document keeps these for all tests."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome

import cubesolve
from cubesolve.embedding.embedded import without_table
from cubesolve.embedding.javascript import description
from cubesolve.web import answers
from cubesolve.web.served import Served
from cubesolve.web.worker import reply
from tests.browser import complaints
from tests.patience import PATIENCE
from tests.web import playground
from tests.web.playground import (
    Request,
    answered,
    ask,
    compare_goals,
    random_cubes,
    solve,
    without_network,
)
from tests.web.test_page import Page

folder, names, served = playground.folder, playground.names, playground.served


@pytest.fixture(scope="module")
def document(browser: Chrome, folder: Path) -> Iterator[Page]:
    """The page, whose document stays open, and with it the tables that workers have derived."""
    with without_network(browser, folder) as page:
        page.open("pyraminx-duo")
        yield page


@pytest.fixture
def page(document: Page) -> Iterator[Page]:
    """The page, whatever a test before has left; it complains of nothing."""
    choose(document, "pyraminx-duo")
    yield document
    assert complaints(document.browser) == []


def choose(page: Page, where: str) -> None:
    """Show a puzzle in the same document."""
    title = cubesolve.puzzle(where.partition("?")[0]).title
    page.name(where)
    page.shows(distance="0 solved", title=title[0].upper() + title[1:])


@pytest.mark.exhaustive
def test_other_analyses(page: Page) -> None:
    short = {"puzzle": "rubik", "scramble": "R U F2", "solution": "F F U' x2 R'", "steps": "eo, solved"}
    steps = {"puzzle": "pyraminx", "scramble": "R U' L B R' L'", "steps": "layer,solved"}
    layers = {"scramble": "x F R U R' U' F' U", "solution": "U' x' x F U R U' R' F'", "steps": "f2l, oll, solved"}
    asked = [("analyse", short), ("analyse", steps), ("analyse", {"puzzle": "rubik", **layers})]
    analysed, found, split = answered(page, asked)
    parts = [(each["name"], each["length"], each["optimal"]) for each in split["steps"]]
    assert parts == [("f2l", 0, ""), ("oll", 7, None), ("solved", 0, "")]  # the second is not searched for
    left = [3, 3, 2, 1, 1, 0]
    assert [(each["at_least"], each["at_most"]) for each in analysed["positions"]] == [*zip(left, left, strict=True)]
    bounds = [(each["name"], each["length"], each["at_least"]) for each in analysed["steps"]]
    assert bounds == [("eo", 0, 0), ("solved", 4, 3)]
    pyraminx = cubesolve.puzzle("pyraminx")
    state = pyraminx.parse(found["state"])
    assert state.apply(found["solution"]).is_solved
    assert found["steps"][0]["length"] == pyraminx.towards("layer").depth(state)


@pytest.mark.exhaustive
def test_moves_on_the_inverse(page: Page, served: Served) -> None:
    usual = {"puzzle": "rubik", "niss": True, "inverse": False, "slack": 0, "steps": "solved"}
    asked: list[Request] = [
        ("analyse", {**usual, "scramble": "x R U F", "solution": "F' (R // on the inverse\n U)"}),
        ("analyse", {**usual, "scramble": "R L' F'", "solution": "(M Fw' // which turn the inverse alone\n) B z'"}),
        ("analyse", {**usual, "scramble": "R U F", "solution": "F' (R U)", "niss": False}),
        *(
            ("analyse", {**usual, "scramble": "R U F", "solution": wrong})
            for wrong in ("F' (R U", "F') R U", "F' (R U')")
        ),
        ("analyse", {**usual, "scramble": "R U F", "solution": "F' (R U)", "inverse": True}),
    ]
    ask(page, served, asked)
    steps = {**usual, "scramble": "U2 B U2 L2 U", "solution": "(U2 B) U' L2 U2", "steps": "eo, dr, dr-RL, solved"}
    fields = {name: value for name, value in steps.items() if name != "puzzle"}
    given = {"kind": "analyse", "chosen": ["rubik"], "fields": fields, "seconds": PATIENCE}
    (found,), (_, _, expected) = answered(page, [("analyse", steps)]), reply(served, given)
    needed = [(each["name"], each["alg"], each["length"], each["at_least"]) for each in found["steps"]]
    assert needed == [(each["name"], each["alg"], each["length"], each["at_least"]) for each in expected["steps"]]
    rubik = cubesolve.puzzle("rubik")
    (chain,) = answered(
        page, [("analyse", {**steps, "scramble": "R U F2 L", "solution": "", "steps": "eo, dr, solved"})]
    )
    assert rubik.parse("R U F2 L").apply(chain["solution"]).is_solved
    for name, shown in (("rubik", True), ("pyraminx", False)):
        page.name(f"{name}/analyse")
        title = cubesolve.puzzle(name).title
        page.shows(title=title, distance="0 solved")
        assert page.find("#analyse-niss").is_displayed() is shown


@pytest.mark.exhaustive
def test_steps_and_cases_are_drawn(page: Page) -> None:
    pyraminx, rubik = cubesolve.puzzle("pyraminx"), cubesolve.puzzle("rubik")
    steps: tuple[dict[str, Any], ...] = (
        {"step": "layer", "depth": 3},
        {"step": "layer", "depth": 6, "solved": "v"},
        {"solved": "v-any"},
    )
    given = [("train", {"puzzle": "pyraminx", **step}) for step in steps]
    cases = [("train", {"puzzle": "pyraminx", "case": case}) for case in ["l3e:2"] * 40 + ["l4e"]]
    others: list[dict[str, Any]] = [{"step": "eo-any", "depth": 3}, {"step": "eo", "depth": 7}, {"case": "oll:45"}]
    found = answered(page, [*given, *cases, *(("train", {"puzzle": "rubik", **each}) for each in others)])
    for each, puzzle in zip(found, [pyraminx] * 44 + [rubik] * 3, strict=True):
        assert str(puzzle.parse(each["scramble"], "alg")) == each["state"]
    states = [each["state"] for each in found]
    layer, edges = pyraminx.towards("layer"), pyraminx.cases("l3e")
    assert [layer.depth(state) for state in states[:2]] == [3, 6]
    assert pyraminx.towards("v").depth(states[1]) == pyraminx.towards("v-any").depth(states[2]) == 0
    assert {edges.find(state).name for state in states[3:43]} == {"2"}
    assert len({*states[3:43]}) == edges["2"].states
    assert pyraminx.cases("l4e").find(states[43])
    assert [rubik.towards(goal).depth(state) for goal, state in zip(("eo-any", "eo"), states[44:46], strict=True)] == [
        3,
        7,
    ]
    assert rubik.cases("oll").find(states[46]).name == "45"


@pytest.mark.exhaustive
def test_goals_and_chosen_moves_of_the_3x3x3(page: Page) -> None:
    rubik = cubesolve.puzzle("rubik")
    choose(page, "rubik?towards=eo")
    assert [option.text.split(":")[0] for option in page.all("#towards option")][-2:] == ["f2l", "other goals"]
    page.write("#text", "F R U x D F")
    page.shows(distance=f"{rubik.towards('eo').depth('F R U x D F')} moves to go")
    page.name("rubik?towards=oll")  # which has too many states, and does not solve pieces
    page.shows(distance="0 solved", message="Unknown goal \u201coll\u201d without a server")
    page.name("rubik?moves=R2 U")
    page.shows(distance="0 solved")
    page.write("#text", "x U R2 U'")
    page.shows(distance="3 moves to go", near=rubik.restrict("R2 U").optimal_moves("x U R2 U'")[:1])
    page.click("#random")
    page.until(lambda: page.find("#random-scramble").text and " moves to go" in page.distance)
    assert rubik.restrict("R2 U").depth(page.state) == int(page.distance.split()[0])
    page.click('#moves button[value="F"]')
    page.until(lambda: "R2 U alone: no moves lead from the solved state to this one" in page.message)
    page.click("#reset")
    page.choose("#towards", "eo")
    page.until(lambda: page.message == "Without a server, chosen moves lead to the solved state, and count one each")


@pytest.mark.exhaustive
def test_goals_of_the_3x3x3_are_searched_for(page: Page) -> None:
    rubik, rng = cubesolve.puzzle("rubik"), random.Random(1)
    near = rubik.parse("x F2 R U' L", "alg")
    compare_goals(page, [near, rubik.random_state(rng)], ("cross-F", "eo"))
    compare_goals(page, [near], ("f2l", "dr-RL", "dr-any"))
    choose(page, "rubik?towards=cross-F&metric=qtm")
    page.write("#text", "R2 F U")
    page.shows(distance=f"{rubik.towards('cross-F').depth('R2 F U', metric='qtm')} quarter turns to go", near=["U'"])


@pytest.mark.exhaustive
def test_the_3x3x3_in_quarter_turns(page: Page) -> None:
    cubes = [cubesolve.RubikCube.from_alg("x R2 U F'"), *random_cubes(2)]
    asked = [("solve", {"puzzle": "rubik", "state": str(cube), "format": "urfdlb", "metric": "qtm"}) for cube in cubes]
    for cube, answer in zip(cubes, answered(page, asked), strict=True):
        assert cube.apply(answer["solution"]).is_solved, cube
        assert not re.search("2", answer["solution"])
        assert answer["at_least"] <= answer["moves"] == len(answer["solution"].split()) <= 30
        assert (answer["moves"] - answer["at_least"]) % 2 == 0  # all solutions of a cube are odd, or all are even
    choose(page, "rubik?metric=qtm")
    page.write("#text", "R2 U F2 x L")
    page.shows(distance="6 quarter turns to go, proved shortest", near=["L'"])


@pytest.mark.exhaustive
def test_cases_without_algs(page: Page) -> None:
    page.name("rubik/cases")
    page.until(lambda: len(page.all("#cases-list button")) == 58)
    page.click('#cases-list button[value="45"]')
    page.until(lambda: page.message == "Without a server, there are no algs of the 58 cases of this set")
    assert page.state == str(cubesolve.puzzle("rubik").cases("oll")["45"].state)
    page.name("pyraminx/cases")
    page.until(lambda: page.all("#cases-list button"))
    page.click('#cases-list button[value="2"]')
    page.until(lambda: page.all("#cases-algs button"))
    assert not page.find("#cases-moves").is_displayed()  # algs are made of the usual moves


@pytest.mark.exhaustive
def test_the_3x3x3_is_solved_by_two_phases(page: Page, served: Served) -> None:
    cubes = random_cubes(4)
    renamed = [str(cubes[0]).translate(str.maketrans("URFDLB", colours)) for colours in ("WRGYOB", "RUFDLB")]
    solve(page, [cubesolve.RubikCube.solved(), *cubes, *map(cubesolve.RubikCube, renamed)])
    about = {"puzzle": "rubik", "state": str(cubes[0]), "format": "urfdlb"}
    wrong = []
    for one, other in ((5, 10), (10, 19)):  # an edge is flipped, two edges are swapped
        stickers = list(str(cubesolve.RubikCube.solved()))
        stickers[one], stickers[other] = stickers[other], stickers[one]
        wrong.append(("play", {**about, "state": "".join(stickers)}))
    mirrored = str(cubes[0]).translate(str.maketrans("UD", "DU"))
    asked = [("play", {**about, "alg": "R U2 x F' r2' uw"}), ("play", {**about, "state": mirrored}), *wrong]
    ask(page, served, asked)


READ = """
const [embedded, names, texts] = arguments, read = cubesolve.facelets(embedded, names);
return texts.map((text) => {
  try {
    return [read([...text]).join(""), []];
  } catch (error) {
    return [error.message, error.facelets];
  }
});
"""


def swapped(text: str, *places: int) -> str:
    """Move the symbol at each place to the one before it, and the first to the last."""
    symbols = list(text)
    for place, symbol in zip(places, [text[each] for each in (*places[1:], places[0])], strict=True):
        symbols[place] = symbol
    return "".join(symbols)


def test_wrong_facelets_are_those_of_python(page: Page) -> None:
    for name, corner in (("pocket", (3, 4, 9)), ("rubik", (8, 9, 20))):
        puzzle, (up, right, front) = cubesolve.puzzle(name), corner
        letters = str(puzzle.parse("R U' F2", "alg"))
        colours = letters.translate(str.maketrans("URFDLB", "WRGYOB"))
        renamed = letters.translate(str.maketrans("URFDLB", "RFULBD"))
        known = [letters] if name == "rubik" else [letters, colours, renamed]
        wrong = [swapped(each, *places) for each in known[:2] for places in (corner, (up, right), (up, front + 2))]
        wrong += [f"{letters[:up]}{symbol}{letters[up + 1 :]}" for symbol in letters[right] + letters[front]]
        if name == "pocket":
            wrong.append(letters.translate(str.maketrans("UD", "DU")))
        facelets = answers.described(puzzle, name)["facelets"]
        found = page.browser.execute_script(READ, description(without_table(puzzle)), facelets, [*known, *wrong])
        for each, (text, _) in zip(known, found, strict=False):
            assert puzzle.depth(puzzle.parse(text)) == puzzle.depth(puzzle.parse(each)) == 3
        for each, (message, places) in zip(wrong, found[len(known) :], strict=True):
            with pytest.raises(cubesolve.InvalidStateError) as caught:
                puzzle.parse(each)
            assert (message, tuple(places)) == (str(caught.value), tuple(caught.value.facelets)), each


def test_wrong_facelets_are_marked(page: Page) -> None:
    choose(page, "rubik")
    page.paint(("U9", "F"))
    page.shows(message="Each of six colours occurs 9 times on a cube, but white 8 times and green 10 times")
    assert {str(each.get_attribute("value"))[0] for each in page.all("#net button[aria-invalid=true]")} == {"F", "U"}
    page.paint(("F3", "U"))
    page.until(lambda: page.message.startswith("Corner URF (facelets U9 R1 F3) shows green red white"))
    assert [each.get_attribute("value") for each in page.all("#net button[aria-invalid=true]")] == ["U9", "R1", "F3"]


@pytest.mark.exhaustive
def test_a_near_3x3x3_is_solved_optimally(page: Page) -> None:
    choose(page, "rubik")
    assert not page.find("#depth").is_displayed()
    page.write("#text", "R U' F2 x D L")
    page.shows(distance="5 moves to go, proved shortest")
    assert len(page.seen["near"]) == 1
    page.click("#solve")
    page.shows(distance="0 solved", solve="Solve")
    page.click("#random")
    page.until(lambda: "or fewer" in page.distance and page.find("#random-scramble").text)
    assert page.state == str(cubesolve.RubikCube.solved().apply(page.find("#random-scramble").text))
    page.click("#reset")
    page.shows(distance="0 solved")
    page.drag((-65, -10), (3, 80))  # the column in the middle of the side in front
    page.shows(state=str(cubesolve.RubikCube.solved().apply("M")), distance="2 moves to go, proved shortest")


def test_a_scramble_and_a_hint_do_not_wait_for_the_search(page: Page) -> None:
    choose(page, "rubik")
    page.record("message")
    scrambles = [""]
    for _ in range(2):
        page.click("#random")
        page.until(lambda: page.find("#random-scramble").text not in scrambles and "or fewer" in page.distance)
        scrambles.append(page.find("#random-scramble").text)
    page.click("#hint")
    page.until(lambda: page.message.endswith("begins the shortest solution known"))
    assert not any("has ended" in message for message in page.recorded)


GOALS = ["E WB WB/WB WB WB/WB WB WB", "WWW/WWW", "WWW/EXE/WWW", "WWW/WWW/WWW"]

PATTERNS = ["RR*/RWW/WWE", "***/***/BBB", "WB WB WB/WB E WB/WB WB *"]  # most trays lead to these


@pytest.mark.exhaustive
@pytest.mark.parametrize("goals", [GOALS, PATTERNS])
def test_cubes_roll(page: Page, served: Served, goals: list[str]) -> None:
    starts = ["BR BR RB/WR RW WB/WB WB E", "WB E RW/WB WB WB/BW BW WR", "WB WB WB/WB WB WB/WB WB WR"]
    both = [{"puzzle": "rolling", "state": goal, "start": start} for goal in goals for start in starts]
    asked = [(kind, about) for about in both for kind in ("depth", "moves", "motions", "solve")]
    ask(page, served, [*asked, ("play", {**both[0], "alg": "RDLU"}), ("play", {**both[0], "alg": "L"})])
    choose(page, "rolling")
    page.choose("#depth", "3")
    page.click("#random")
    page.shows(distance="3 rolls to go")
    page.click("#solve")
    page.shows(distance="0 solved", solve="Solve")


@pytest.mark.exhaustive
def test_a_clock_is_solved(page: Page, served: Served) -> None:
    clock, rng = cubesolve.puzzle("clock"), random.Random(1)
    states = [clock.random_state(rng), *(clock.parse(alg) for alg in ("", "UR3+ y2 L1-", "ul2+ \\3+ y2 /4- dr1+"))]
    about = [{"puzzle": "clock", "state": str(state), "format": "any"} for state in states]
    solved = answered(page, [("solve", each) for each in about])
    for state, answer in zip(states, solved, strict=True):
        assert state.apply(answer["solution"]).is_solved
        assert answer["moves"] == answer["at_least"] == clock.depth(state)
    algs = [("play", {**each, "alg": answer["solution"]}) for each, answer in zip(about, solved, strict=True)]
    algs += [("play", {"puzzle": "clock", "state": "UR3+ y2 L1- UR DL ", "format": form}) for form in ("alg", "any")]
    usual = {"puzzle": "clock", "niss": False, "inverse": False, "slack": 0, "steps": ""}
    solution = {"scramble": "UR3+ ALL2- y2 U4+", "solution": "U4- L1+ L1- y2 ALL2+ UR3-"}  # one detour
    algs += [("analyse", {**usual, **solution}), ("analyse", {**usual, **solution, "solution": "U4- y2 ALL2+"})]
    wrong = ["UR3+ Q1+", "UR DL", "UR3+ UR y2", "12 12", "1 " * 18, "13 " * 18]
    ask(
        page,
        served,
        [*algs, *(("depth", each) for each in about), *(("play", {**about[0], "state": each}) for each in wrong)],
    )
    choose(page, "clock")
    page.write("#text", "y2 UR3+ y2")
    page.shows(distance="1 move to go", near=["y2"])
    page.click("#solve")
    page.shows(distance="0 solved", solve="Solve", state=str(clock.parse("y2")))
    page.click("#random")
    page.until(lambda: page.find("#random-scramble").text)
    assert page.state == str(clock.parse(page.find("#random-scramble").text))


@pytest.mark.exhaustive
def test_a_square1_is_solved(page: Page, served: Served) -> None:
    choose(page, "square1")
    square1, rng = cubesolve.puzzle("square1"), random.Random(1)
    states = [square1.random_state(rng), *(square1.parse(alg, "alg") for alg in ("", "(1,0)", "(1,0) / (3,0) /"))]
    about = [{"puzzle": "square1", "state": str(state), "format": "pieces"} for state in states]
    found = answered(page, [(kind, each) for each in about for kind in ("solve", "depth")])
    for state, (solved, depth) in zip(states, zip(*[iter(found)] * 2, strict=True), strict=True):
        assert state.apply(solved["solution"]).is_solved
        assert solved["solution"].count("/") == solved["moves"] <= 15
        assert solved["at_least"] <= depth["depth"] == square1.depth(state)
    for state, played in zip(states, answered(page, [("play", each) for each in about]), strict=True):
        question = {"kind": "show", "chosen": ["square1"], "fields": {"state": str(state)}, "seconds": PATIENCE}
        shown = json.loads(json.dumps(reply(served, question)[2]))  # a server shows the scene, too
        assert played["steps"] == [{"move": None, "motion": None, **shown}]
    usual = {"puzzle": "square1", "niss": False, "inverse": False, "slack": 0, "steps": "solved"}
    solution = {"scramble": "(1,0) / (3,0) / (-1,2) /", "solution": "/ (1,-2) / (-3,0) / (-1,0)"}
    ask(page, served, [("analyse", {**usual, **solution, "steps": ""})])
    split, chain = answered(page, [("analyse", {**usual, **each}) for each in (solution, {**solution, "solution": ""})])
    assert split["steps"][0]["at_least"] == split["steps"][0]["length"] == chain["steps"][0]["length"] == 3
    wrong: list[Request] = [("play", {**about[0], "state": each}) for each in ("A1B2", "A1B2 -", "1ABC23D4 5E6F7G8H -")]
    wrong += [("play", {**about[1], "alg": alg}) for alg in ("(1,0) x", "(2,0)", "1,0,0", "(1,0)3,0")]
    assert answered(page, wrong) == [{"error": 422}] * len(wrong)
    page.write("#text", "1,0 / 3,0/")
    page.shows(distance="2 twists to go, proved shortest", near=["/"])
    page.click("#solve")
    page.shows(distance="0 solved", solve="Solve")
    page.click("#random")
    page.until(lambda: page.find("#random-scramble").text)
    assert page.state == str(square1.parse(page.find("#random-scramble").text, "alg"))


@pytest.mark.exhaustive
def test_a_hundred_3x3x3(page: Page) -> None:
    solve(page, random_cubes(100))
