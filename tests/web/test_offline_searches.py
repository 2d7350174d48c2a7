"""The page without a server solves puzzles whose tables a worker derives; one document keeps these for all tests."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Chrome

import cubesolve
from cubesolve.embedding.embedded import without_table
from cubesolve.web import answers
from cubesolve.web.served import Served
from tests.browser import complaints
from tests.web import test_offline as playground
from tests.web.test_offline import answered, ask, compare_goals, random_cubes, without_network
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
    page.name(where, distance="0 solved", title=title[0].upper() + title[1:])


@pytest.mark.exhaustive
def test_goals_of_the_3x3x3(page: Page) -> None:
    rubik = cubesolve.puzzle("rubik")
    choose(page, "rubik?towards=eo")
    assert [option.text.split(":")[0] for option in page.all("#towards option")][-2:] == ["f2l", "other goals"]
    page.write("#text", "F R U x D F", distance=f"{rubik.towards('eo').depth('F R U x D F')} moves to go")
    page.name("rubik?towards=oll")  # which has too many states, and does not solve pieces
    page.shows(distance="0 solved", message="Unknown goal \u201coll\u201d without a server")
    page.name("rubik?moves=R2 U", distance="0 solved", message="Unknown moves \u201cR2 U\u201d without a server")


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
    page.write("#text", "R2 U F2 x L", distance="6 quarter turns to go, proved shortest", near=["L'"])


@pytest.mark.exhaustive
def test_the_3x3x3_is_solved_by_two_phases(page: Page, served: Served) -> None:
    cubes = random_cubes(100)
    renamed = [str(cubes[0]).translate(str.maketrans("URFDLB", colours)) for colours in ("WRGYOB", "RUFDLB")]
    solved = [cubesolve.RubikCube.solved(), *cubes, *map(cubesolve.RubikCube, renamed)]
    asked = [("solve", {"puzzle": "rubik", "state": str(cube), "format": "urfdlb"}) for cube in solved]
    for cube, answer in zip(solved, answered(page, asked), strict=True):
        assert cube.apply(answer["solution"]).is_solved, cube
        assert answer["at_least"] <= answer["moves"] == len(answer["solution"].split()) <= 21
    about = {"puzzle": "rubik", "state": str(cubes[0]), "format": "urfdlb"}
    wrong = []
    for one, other in ((5, 10), (10, 19)):  # an edge is flipped, two edges are swapped
        stickers = list(str(cubesolve.RubikCube.solved()))
        stickers[one], stickers[other] = stickers[other], stickers[one]
        wrong.append(("play", {**about, "state": "".join(stickers)}))
    mirrored = str(cubes[0]).translate(str.maketrans("UD", "DU"))
    asked = [("play", {**about, "alg": "R U2 x F' r2' uw"}), ("play", {**about, "state": mirrored}), *wrong]
    ask(page, served, asked)


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
        found = page.call("read", without_table(puzzle).description, facelets, [*known, *wrong])
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
    assert {value[0] for value in page.values("#net button[aria-invalid=true]")} == {"F", "U"}
    page.paint(("F3", "U"))
    page.until(lambda: page.seen.message.startswith("Corner URF (facelets U9 R1 F3) shows green red white"))
    assert page.values("#net button[aria-invalid=true]") == ["U9", "R1", "F3"]


@pytest.mark.exhaustive
def test_a_near_3x3x3_is_solved_optimally(page: Page) -> None:
    choose(page, "rubik")
    assert not page.find("#depth").is_displayed()
    page.write("#text", "R U' F2 x D L", distance="5 moves to go, proved shortest")
    assert len(page.seen.near) == 1
    page.click("#solve", distance="0 solved", solve="Solve")
    page.click("#random")
    page.until(lambda: "or fewer" in page.seen.distance and page.find("#random-scramble").text)
    assert page.seen.state == str(cubesolve.RubikCube.solved().apply(page.find("#random-scramble").text))
    page.click("#reset", distance="0 solved")
    page.drag((-65, -10), (3, 80))  # the column in the middle of the side in front
    page.shows(state=str(cubesolve.RubikCube.solved().apply("M")), distance="2 moves to go, proved shortest")


def test_a_scramble_and_a_hint_do_not_wait_for_the_search(page: Page) -> None:
    choose(page, "rubik")
    page.record("message")
    scrambles = [""]
    for _ in range(2):
        page.click("#random")
        page.until(lambda: page.find("#random-scramble").text not in scrambles and "or fewer" in page.seen.distance)
        scrambles.append(page.find("#random-scramble").text)
    page.click("#hint")
    page.until(lambda: page.seen.message.endswith("begins the shortest solution known"))
    assert not any("has ended" in message for message in page.recorded)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "goals",
    [
        ["E WB WB/WB WB WB/WB WB WB", "WWW/WWW", "WWW/EXE/WWW", "WWW/WWW/WWW"],
        ["RR*/RWW/WWE", "***/***/BBB", "WB WB WB/WB E WB/WB WB *"],  # most trays lead to these
    ],
)
def test_cubes_roll(page: Page, served: Served, goals: list[str]) -> None:
    starts = ["BR BR RB/WR RW WB/WB WB E", "WB E RW/WB WB WB/BW BW WR", "WB WB WB/WB WB WB/WB WB WR"]
    both = [{"puzzle": "rolling", "state": goal, "start": start} for goal in goals for start in starts]
    asked = [(kind, about) for about in both for kind in ("depth", "moves", "motions", "solve")]
    ask(page, served, [*asked, ("play", {**both[0], "alg": "RDLU"}), ("play", {**both[0], "alg": "L"})])
    choose(page, "rolling")
    page.choose("#depth", "3")
    page.click("#random", distance="3 rolls to go")
    page.click("#solve", distance="0 solved", solve="Solve")
