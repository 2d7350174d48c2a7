"""The page that plays an alg: its contents, and its behaviour in a browser."""

from __future__ import annotations

import functools
import json
import re
import shlex
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import ActionChains, Chrome, Keys
from selenium.webdriver.remote.webelement import WebElement

import cubesolve
from cubesolve import PocketCube, RubikCube, catalog
from cubesolve.catalog.rolling.tray import Tray
from cubesolve.picture.player import choices, drawn, page
from cubesolve.web.answers import turns
from tests.browser import complaints, open_page, touch
from tests.commands import printed
from tests.definitions.samples import disks
from tests.facts import DATA
from tests.processes import ROOT
from tests.subsets import later, only
from tests.web.test_page import Page

PLAYED: dict[str, tuple[Any, str]] = {
    "rubik": (RubikCube.solved(), "Rw U2 M'"),
    "pyraminx-tips": (None, "U l' R"),
    "pyramorphix": (None, "R F"),
    "rolling": (Tray("WR BW RB/WB E WB/WB WB WB"), "LURD"),
    "clock": (None, "UR3+ y2 ALL1-"),
    "square1": (None, "(1,0) / (3,3) / (-1,-4) / (-2,3) /"),
}
SOME_SEEN = only({"square1"}, PLAYED)
"""Those that a browser shows."""


def played(name: str) -> tuple[Any, Any, str]:
    rules = catalog.rules_named(name)
    start, alg = PLAYED[name]
    return rules, rules.view.solved(None) if start is None else start, alg


def data_of(document: str) -> Any:
    (text,) = re.findall(r'<script id="data" type="application/json">(.*)</script>', document)
    return json.loads(text)


# -- The document ------------------------------------------------------------------------------------------------------


class Tags(HTMLParser):
    def __init__(self, document: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(document)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


@pytest.mark.parametrize("name", PLAYED)
def test_a_page_is_small_and_needs_nothing_else(name: str) -> None:
    rules, start, alg = played(name)
    document = page(rules, start, alg)
    assert set(re.findall(r"\w+://[^\s\"']+", document)) == {"http://www.w3.org/2000/svg"}
    assert "@import" not in document
    assert "url(" not in document
    tags = Tags(document).found
    linked = [value for _, attributes in tags for key, value in attributes.items() if key in {"src", "href"}]
    assert linked == ["data:,"]
    assert not [attributes for tag, attributes in tags if tag == "script" and attributes.get("type") == "module"]
    data = data_of(document)
    assert [step["move"] for step in data["steps"]] == rules.view.split(alg)
    assert all(step["parts"] for step in data["steps"])
    assert len(document) < 90_000
    assert len((ROOT / "cubesolve" / "picture" / "player" / "player.js").read_bytes()) <= 30_000


@pytest.mark.parametrize(
    "title", ["</script><script>alert(1)</script>", "<!--<script>", "a & b \"c\" 'd'", "\x00\x1b[31m\ud800"]
)
def test_titles_are_escaped(title: str) -> None:
    document = page(catalog.rules_named("pocket"), PocketCube.solved(), "R", title=title)
    tags = [tag for tag, _ in Tags(document).found]
    assert tags.count("script") == 3
    assert data_of(document)["title"].isprintable()
    assert "\x00" not in document
    assert "alert(1)</script>" not in document
    document.encode()


def test_groups_and_comments_of_an_alg_are_played_as_moves() -> None:
    data = data_of(page(catalog.rules_named("pocket"), PocketCube.solved(), "(R U3)2 [F: x] // </script>", left=[0, 1]))
    assert [step["move"] for step in data["steps"]] == ["R", "U'", "R", "U'", "F", "x", "F'"]
    assert (data["left"], data["unit"]) == ([0, 1], "moves")


def test_a_puzzle_without_a_picture_is_played_as_text(tmp_path: Path) -> None:
    path = tmp_path / "letters.tws"
    path.write_text(disks({"A": "2 3 1"}))
    rules = cubesolve.puzzle(str(path)).rules
    document = page(rules, rules.view.solved(None), "A")
    assert data_of(document)["states"] == [{"picture": None, "text": "1 2 3"}, {"picture": None, "text": "2 3 1"}]
    assert "look around" not in document


# -- In a browser ------------------------------------------------------------------------------------------------------


@pytest.fixture
def pages(browser: Chrome, tmp_path: Path) -> Iterator[Pages]:
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    yield Pages(browser, str(tmp_path / "page.html"))
    assert not complaints(browser)


class Pages(Page):
    """A browser with an open page, whose address is the path of a file."""

    scripts = (Path(__file__).parent / "player.js").read_text()

    def open(self, puzzle: str = "rubik", **more: Any) -> Any:
        rules, start, alg = played(puzzle)
        open_page(self.browser, Path(self.address), page(rules, start, alg, **more))
        return functools.reduce(rules.view.after, rules.view.split(alg), start)

    def ask(self, script: str) -> Any:
        return self.browser.execute_script(f"return {script}")

    def click(self, element: str | WebElement, **_: object) -> None:
        """Click the button with a label."""
        self.find(f'button[aria-label="{element}"]').click()

    @property
    def number(self) -> int:
        return int(self.ask("player.number"))

    @property
    def status(self) -> str:
        return self.find("[role=status]").text

    @property
    def marked(self) -> str:
        return self.find("[aria-current=step]").text

    def shown(self) -> tuple[set[Any], list[int]]:
        """Return the stickers, and the picture in few pixels."""
        stickers, picture = self.call("seen")
        places = (
            frozenset(tuple(round(x, 4) + 0.0 for x in corner) for corner in each["corners"]) for each in stickers
        )
        return set(zip(places, [each["colour"] for each in stickers], strict=True)), picture


@pytest.mark.parametrize("name", SOME_SEEN)
def test_it_plays_to_the_end(pages: Pages, name: str) -> None:
    end = pages.open(name)
    rules, _, alg = played(name)
    pages.ask("player.speed = 20")
    pages.click("Play")
    pages.until(lambda: pages.ask("!player.playing"))
    assert pages.number == len(rules.view.split(alg))
    assert pages.status == f"Move {pages.number} of {pages.number}: {rules.view.split(alg)[-1]}"
    stickers, picture = pages.shown()
    open_page(pages.browser, Path(pages.address), page(rules, end, ""))
    expected, there = pages.shown()
    assert stickers == expected
    differences = [abs(a - b) for a, b in zip(picture, there, strict=True)]
    assert sum(differences) / len(differences) < 1
    assert len(set(picture)) > 20


@pytest.mark.exhaustive
def test_stepping(pages: Pages) -> None:
    pages.open(left=[3, 2, 1, 0])
    pages.ask("player.speed = 20")
    before = pages.shown()
    assert (pages.status, pages.marked) == ("Start. 3 moves to go", "start")
    pages.click("One move forward")
    assert (pages.number, pages.status, pages.marked) == (1, "Move 1 of 3: Rw. 2 moves to go", "Rw")
    pages.click("To the end")
    assert (pages.number, pages.status) == (3, "Move 3 of 3: M'. 0 moves to go")
    pages.click("Move 2: U2")
    assert (pages.number, pages.status) == (2, "Move 2 of 3: U2. 1 move to go")
    pages.click("One move back")
    pages.click("To the start")
    pages.find("option[value='2']").click()
    assert pages.ask("player.speed") == 2
    pages.until(lambda: pages.ask("!player.view.motion"))
    assert pages.shown() == before
    assert not pages.find('button[aria-label="To the start"]').is_enabled()


def test_flat_pictures_are_shown_move_by_move(pages: Pages) -> None:
    rules = catalog.rules_named("tiles-3x3")
    open_page(pages.browser, Path(pages.address), page(rules, rules.view.solved(None), "D R"))
    image = "document.querySelector('.flat img')"
    states = ["1 2 3 4 5 6 7 8 0", "1 2 3 4 5 0 7 8 6", "1 2 3 4 0 5 7 8 6"]
    pages.until(lambda: pages.ask(f"{image}.naturalWidth > 0"))
    assert pages.ask(f"{image}.alt") == states[0]
    assert "%3E8%3C" in pages.ask(f"{image}.src")
    for keys, number in (([Keys.ARROW_RIGHT], 1), ([Keys.END, Keys.HOME, Keys.ARROW_RIGHT], 1), ([Keys.END], 2)):
        pages.keys(*keys)
        assert (pages.number, pages.ask(f"{image}.alt")) == (number, states[number])


def test_keys(pages: Pages) -> None:
    pages.open()
    pages.ask("player.speed = 0.01")
    for keys, number in (([Keys.ARROW_RIGHT] * 2, 2), ([Keys.ARROW_LEFT], 1), ([Keys.END], 3)):
        pages.keys(*keys)
        assert pages.number == number
    pages.keys(Keys.HOME, Keys.SPACE)
    assert pages.ask("player.playing")
    pages.keys(Keys.SPACE)
    assert not pages.ask("player.playing")
    yaw, pitch = pages.ask("[player.view.yaw, player.view.pitch]")
    number = pages.number
    shift = ActionChains(pages.browser).key_down(Keys.SHIFT)
    shift.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_DOWN).key_up(Keys.SHIFT).perform()
    turned = pages.ask("[player.view.yaw, player.view.pitch]")
    assert (turned[0] < yaw, turned[1] > pitch, pages.number) == (True, True, number)
    pages.keys(Keys.TAB, Keys.TAB)  # to a button, which blank presses
    pages.keys(Keys.HOME)
    assert pages.number == 0


def test_names_for_those_who_do_not_see_it(pages: Pages) -> None:
    pages.open(title="What it is")
    canvas = pages.find("canvas")
    assert (canvas.aria_role, canvas.accessible_name) == ("image", "What it is")
    named = [element.accessible_name for element in pages.all("button, select")]
    assert named == [
        "Reset the view", "To the start", "One move back", "Play", "One move forward", "To the end", "Speed",
        "Start", "Move 1: Rw", "Move 2: U2", "Move 3: M'",
    ]  # fmt: skip
    assert pages.find("[role=status]").get_attribute("aria-live") == "polite"


def test_dragging_looks_around(pages: Pages) -> None:
    pages.open()
    before = pages.ask("player.view.yaw")
    canvas = pages.find("canvas")
    ActionChains(pages.browser, 0).drag_and_drop_by_offset(canvas, 80, 0).perform()
    assert pages.ask("player.view.yaw") < before
    pages.click("Reset the view")
    assert pages.ask("player.view.yaw") == before


@pytest.mark.exhaustive
def test_a_phone(pages: Pages) -> None:
    pages.screen(width=320, height=640, deviceScaleFactor=2, mobile=True)
    pages.open(title="A long title, which takes more than a line of this")
    assert pages.ask("document.documentElement.scrollWidth") <= 320
    assert pages.ask("document.documentElement.scrollHeight") <= 640
    for element in pages.all("button, select, canvas"):
        box = element.rect
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 320
        assert min(box["width"], box["height"]) >= 38
    assert pages.find("canvas").rect["height"] >= 240
    before = pages.ask("player.view.yaw")
    touch(pages.browser, (160, 200), (220, 200))
    pages.until(lambda: pages.ask(f"player.view.yaw < {before}"))


@pytest.mark.exhaustive
def test_dark_and_still(pages: Pages) -> None:
    bright = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)[0] > 128"
    pages.open()
    assert pages.ask(bright)
    pages.ask("player.speed = 0.01")
    pages.keys(Keys.ARROW_RIGHT)
    assert pages.ask("player.view.motion !== null")
    wished = [{"name": "prefers-color-scheme", "value": "dark"}, {"name": "prefers-reduced-motion", "value": "reduce"}]
    pages.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": wished})
    pages.open()
    assert not pages.ask(bright)
    pages.keys(Keys.ARROW_RIGHT)
    assert pages.ask("player.view.motion === null")
    assert pages.number == 1


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", SOME_SEEN)
def test_parts_are_drawn_before_those_that_hide_them(pages: Pages, name: str) -> None:
    pages.open(name)
    rays, wrong = pages.call("hiding")
    assert rays > 300
    assert wrong == 0


@pytest.mark.parametrize(
    "name", [*("pocket", "pyraminx", "skewb"), *map(later, ("rubik", "fto", "pyramorphix", "4x4x4", "square1"))]
)
def test_a_sticker_that_is_dragged_leads_its_layer(pages: Pages, name: str) -> None:
    """Drags along what a move does to a sticker, along its edges, and between two edges, in some views."""
    puzzle = cubesolve.puzzle(name)
    rules, start = puzzle.rules, puzzle.rules.view.solved(None)
    pages.open("pyraminx-tips")
    scene = rules.view.scene(start)
    assert scene is not None
    motions = choices(rules, start, scene, turns(puzzle))
    tally = pages.call("dragging", drawn(scene), motions)
    assert tally.pop("tried") > 100
    assert tally == {"wrong": 0, "across": 0, "beside": None}


def test_a_rolling_cube_is_dragged_to_the_vacancy(pages: Pages) -> None:
    pages.open("rolling")
    rules, start, _ = played("rolling")
    motions = choices(rules, start, rules.view.scene(start), "LRUD")
    assert len(motions) == 4
    for move, there, back in pages.call("rolling", motions):
        assert (there, back) == (move, None)


def test_of_several_players_that_with_the_focus_gets_the_keys(pages: Pages) -> None:
    pages.open()
    pages.call("second")
    pages.keys(Keys.ARROW_RIGHT)
    assert (pages.number, pages.ask("second.number")) == (0, 0)
    pages.ask("second.playButton.focus()")
    pages.keys(Keys.ARROW_RIGHT)
    assert (pages.number, pages.ask("second.number")) == (0, 1)
    pages.find("#player canvas").click()
    pages.keys(Keys.END)
    assert (pages.number, pages.ask("second.number")) == (3, 1)


# -- On the command line -----------------------------------------------------------------------------------------------


FAR = "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2"


@pytest.mark.parametrize("line", (DATA / "pages.txt").read_text().splitlines())
def test_pages_of_commands(line: str) -> None:
    command, moves, left = map(str.strip, line.split("=>"))
    data = data_of(printed(*shlex.split(command), "--html", "-"))
    assert (" ".join(step["move"] for step in data["steps"]), data["left"]) == (moves, json.loads(left))
    assert data["unit"] == ("rolls" if "rolling" in command else "moves")


def test_a_page_of_a_solution_that_is_not_proved_has_no_distances() -> None:
    assert data_of(printed("solve", "--puzzle", "rubik", "--max-length", "24", FAR, "--html", "-"))["left"] == []


def test_the_page_of_an_alg_on_standard_input(tmp_path: Path) -> None:
    printed("play", "-", "--html", tmp_path / "page.html", stdin="R U\n")
    data = data_of((tmp_path / "page.html").read_text())
    assert (data["title"], [step["move"] for step in data["steps"]]) == ("2x2x2 pocket cube", ["R", "U"])
