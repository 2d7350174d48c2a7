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
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

import cubesolve
from cubesolve import PocketCube, RubikCube, catalog
from cubesolve.catalog.rolling.tray import Tray
from cubesolve.picture.player import choices, drawn, page
from cubesolve.web.answers import turns
from tests.browser import complaints, open_page
from tests.commands import printed
from tests.definitions.samples import disks
from tests.patience import PATIENCE
from tests.subsets import later, only

SOURCES = Path(cubesolve.__file__).parent / "picture" / "player"
MOST_BYTES = 30_000  # of its own JavaScript

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


def data_of(document: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        re.findall(r'<script id="data" type="application/json">(.*)</script>', document)[0]
    )
    return found


# -- The document ------------------------------------------------------------------------------------------------------


class Tags(HTMLParser):
    def __init__(self, document: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(document)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


@pytest.mark.parametrize("name", PLAYED)
def test_a_page_needs_nothing_else(name: str) -> None:
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


def test_the_script_is_small() -> None:
    assert len((SOURCES / "player.js").read_bytes()) <= MOST_BYTES


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
    rules = catalog.rules_named("pocket")
    data = data_of(page(rules, PocketCube.solved(), "(R U3)2 [F: x] // </script>", left=[0, 1]))
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
    yield Pages(browser, tmp_path)
    assert not complaints(browser)


class Pages:
    """A browser with an open page."""

    def __init__(self, browser: Chrome, folder: Path) -> None:
        self.browser, self.folder = browser, folder

    def open(self, name: str = "rubik", **more: Any) -> Any:
        rules, start, alg = played(name)
        open_page(self.browser, self.folder / "page.html", page(rules, start, alg, **more))
        return functools.reduce(rules.view.after, rules.view.split(alg), start)

    def ask(self, script: str) -> Any:
        return self.browser.execute_script(f"return {script}")

    def wait(self, script: str) -> None:
        WebDriverWait(self.browser, PATIENCE, 0.1).until(lambda _: self.ask(script))

    def press(self, *keys: str) -> None:
        ActionChains(self.browser).send_keys(*keys).perform()

    def click(self, label: str) -> None:
        self.browser.find_element(By.CSS_SELECTOR, f'button[aria-label="{label}"]').click()

    @property
    def number(self) -> int:
        return int(self.ask("player.number"))

    @property
    def status(self) -> str:
        return self.browser.find_element(By.CSS_SELECTOR, "[role=status]").text

    @property
    def marked(self) -> str:
        return self.browser.find_element(By.CSS_SELECTOR, "[aria-current=step]").text

    def seen(self) -> tuple[set[Any], list[int]]:
        """Return the stickers, and the picture in few pixels."""
        stickers = self.ask("player.view.parts.flatMap((part) => part.sides.filter((side) => side.colour))")
        picture = self.ask("""(() => {
            player.view._resize(); // which a browser that is busy may not have done yet
            player.view._draw();
            const small = document.createElement("canvas"), pen = small.getContext("2d");
            small.width = small.height = 48;
            pen.drawImage(player.view.canvas, 0, 0, 48, 48);
            return [...pen.getImageData(0, 0, 48, 48).data];
        })()""")
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
    pages.wait("!player.playing")
    assert pages.number == len(rules.view.split(alg))
    assert pages.status == f"Move {pages.number} of {pages.number}: {rules.view.split(alg)[-1]}"
    stickers, picture = pages.seen()
    open_page(pages.browser, pages.folder / "end.html", page(rules, end, ""))
    expected, there = pages.seen()
    assert stickers == expected
    differences = [abs(a - b) for a, b in zip(picture, there, strict=True)]
    assert sum(differences) / len(differences) < 1
    assert len(set(picture)) > 20


@pytest.mark.exhaustive
def test_stepping(pages: Pages) -> None:
    pages.open(left=[3, 2, 1, 0])
    pages.ask("player.speed = 20")
    before = pages.seen()
    assert (pages.status, pages.marked) == ("Start. 3 moves to go", "start")
    pages.click("One move forward")
    assert (pages.number, pages.status, pages.marked) == (1, "Move 1 of 3: Rw. 2 moves to go", "Rw")
    pages.click("To the end")
    assert (pages.number, pages.status) == (3, "Move 3 of 3: M'. 0 moves to go")
    pages.click("Move 2: U2")
    assert (pages.number, pages.status) == (2, "Move 2 of 3: U2. 1 move to go")
    pages.click("One move back")
    pages.click("To the start")
    pages.browser.find_element(By.XPATH, "//option[@value='2']").click()
    assert pages.ask("player.speed") == 2
    pages.wait("!player.view.motion")
    assert pages.seen() == before
    assert not pages.browser.find_element(By.CSS_SELECTOR, 'button[aria-label="To the start"]').is_enabled()


def test_flat_pictures_are_shown_move_by_move(pages: Pages) -> None:
    rules = catalog.rules_named("tiles-3x3")
    open_page(pages.browser, pages.folder / "page.html", page(rules, rules.view.solved(None), "D R"))
    image = "document.querySelector('.flat img')"
    pages.wait(f"{image}.naturalWidth > 0")
    assert pages.ask(f"{image}.alt") == "1 2 3 4 5 6 7 8 0"
    assert "%3E8%3C" in pages.ask(f"{image}.src")
    pages.press(Keys.ARROW_RIGHT)
    assert (pages.number, pages.ask(f"{image}.alt")) == (1, "1 2 3 4 5 0 7 8 6")
    pages.press(Keys.END, Keys.HOME, Keys.ARROW_RIGHT)
    assert (pages.number, pages.ask(f"{image}.alt")) == (1, "1 2 3 4 5 0 7 8 6")
    pages.press(Keys.END)
    assert (pages.number, pages.ask(f"{image}.alt")) == (2, "1 2 3 4 0 5 7 8 6")


def test_keys(pages: Pages) -> None:
    pages.open()
    pages.ask("player.speed = 0.01")
    pages.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert pages.number == 2
    pages.press(Keys.ARROW_LEFT)
    assert pages.number == 1
    pages.press(Keys.END)
    assert pages.number == 3
    pages.press(Keys.HOME, Keys.SPACE)
    assert pages.ask("player.playing")
    pages.press(Keys.SPACE)
    assert not pages.ask("player.playing")
    yaw, pitch = pages.ask("[player.view.yaw, player.view.pitch]")
    number = pages.number
    ActionChains(pages.browser).key_down(Keys.SHIFT).send_keys(Keys.ARROW_RIGHT, Keys.ARROW_DOWN).key_up(
        Keys.SHIFT
    ).perform()
    turned = pages.ask("[player.view.yaw, player.view.pitch]")
    assert turned[0] < yaw
    assert turned[1] > pitch
    assert pages.number == number
    pages.press(Keys.TAB, Keys.TAB)  # to a button, which blank presses
    pages.press(Keys.HOME)
    assert pages.number == 0


def test_names_for_those_who_do_not_see_it(pages: Pages) -> None:
    pages.open(title="What it is")
    canvas = pages.browser.find_element(By.TAG_NAME, "canvas")
    assert (canvas.aria_role, canvas.accessible_name) == ("image", "What it is")
    named = [element.accessible_name for element in pages.browser.find_elements(By.CSS_SELECTOR, "button, select")]
    assert named == [
        "Reset the view", "To the start", "One move back", "Play", "One move forward", "To the end", "Speed",
        "Start", "Move 1: Rw", "Move 2: U2", "Move 3: M'",
    ]  # fmt: skip
    status = pages.browser.find_element(By.CSS_SELECTOR, "[role=status]")
    assert status.get_attribute("aria-live") == "polite"


def test_dragging_looks_around(pages: Pages) -> None:
    pages.open()
    before = pages.ask("player.view.yaw")
    canvas = pages.browser.find_element(By.TAG_NAME, "canvas")
    ActionChains(pages.browser, 0).drag_and_drop_by_offset(canvas, 80, 0).perform()
    assert pages.ask("player.view.yaw") < before
    pages.click("Reset the view")
    assert pages.ask("player.view.yaw") == before


@pytest.mark.exhaustive
def test_a_phone(pages: Pages) -> None:
    screen = {"width": 320, "height": 640, "deviceScaleFactor": 2, "mobile": True}
    pages.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    pages.open(title="A long title, which takes more than a line of this")
    assert pages.ask("document.documentElement.scrollWidth") <= 320
    assert pages.ask("document.documentElement.scrollHeight") <= 640
    for element in pages.browser.find_elements(By.CSS_SELECTOR, "button, select, canvas"):
        box = element.rect
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 320
        assert min(box["width"], box["height"]) >= 38
    assert pages.browser.find_element(By.TAG_NAME, "canvas").rect["height"] >= 240
    before = pages.ask("player.view.yaw")
    for kind, points in (
        ("touchStart", [{"x": 160, "y": 200}]),
        ("touchMove", [{"x": 220, "y": 200}]),
        ("touchEnd", []),
    ):
        pages.browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    pages.wait(f"player.view.yaw < {before}")


@pytest.mark.exhaustive
def test_dark_and_still(pages: Pages) -> None:
    bright = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)[0] > 128"
    pages.open()
    assert pages.ask(bright)
    pages.ask("player.speed = 0.01")
    pages.press(Keys.ARROW_RIGHT)
    assert pages.ask("player.view.motion !== null")
    wished = [{"name": "prefers-color-scheme", "value": "dark"}, {"name": "prefers-reduced-motion", "value": "reduce"}]
    pages.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": wished})
    pages.open()
    assert not pages.ask(bright)
    pages.press(Keys.ARROW_RIGHT)
    assert pages.ask("player.view.motion === null")
    assert pages.number == 1


HIDING = """
const view = player.view;
const minus = (a, b) => a.map((x, i) => x - b[i]), dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
const cross = (a, b) => [0, 1, 2].map((i) => a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3]);
let seed = 7, rays = 0, wrong = 0;
const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
for (let trial = 0; trial < 30; trial++) {
  const number = Math.floor(random() * player.steps.length);
  player.go(number);
  view.finish();
  view._begin(player.steps[number], random());
  const yaw = 6.28 * random(), pitch = view.floor ? 0.2 + 1.3 * random() : 3 * random() - 1.5;
  const [a, b, c] = [Math.sin(yaw) * Math.cos(pitch), Math.sin(pitch), Math.cos(yaw) * Math.cos(pitch)];
  const eye = [0, 1, 2].map((i) => 5 * view.radius * (a * view.right[i] + b * view.up[i] + c * view.front[i]));
  const parts = view._ordered(eye).map((part) => {
    const move = view._move(part);
    return part.sides.map((side) => (move ? side.corners.map(move) : side.corners));
  });
  for (let r = 0; r < 40; r++) {
    const ray = minus([0, 1, 2].map(() => (1.6 * random() - 0.8) * view.radius), eye), hits = [];
    for (const [i, sides] of parts.entries()) for (const corners of sides) {
      const normal = cross(minus(corners[1], corners[0]), minus(corners[2], corners[1]));
      const far = dot(normal, minus(corners[0], eye)) / dot(normal, ray), point = eye.map((x, j) => x + far * ray[j]);
      const inside = corners.every((corner, j) => dot(normal, cross(
        minus(corners[(j + 1) % corners.length], corner), minus(point, corner))) > 1e-4 * dot(normal, normal));
      if (inside && dot(normal, ray) < 0) hits.push([far, i]);
    }
    if (!hits.length) continue;
    const [nearest, next] = hits.sort((x, y) => x[0] - y[0]), last = Math.max(...hits.map((hit) => hit[1]));
    rays += 1;
    wrong += last !== nearest[1] && next[0] - nearest[0] > 1e-5;
  }
}
view.motion = null;
return [rays, wrong];
"""
"""Whether, along rays from an eye anywhere, the part that is drawn last is the nearest one, while parts turn."""


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", SOME_SEEN)
def test_parts_are_drawn_before_those_that_hide_them(pages: Pages, name: str) -> None:
    pages.open(name)
    rays, wrong = pages.browser.execute_script(HIDING)
    assert rays > 300
    assert wrong == 0


DRAGGING = """
const [scene, motions, isFloor] = arguments, element = document.createElement("div");
document.body.append(element);
const view = cubesolve.view(element, scene);
Object.assign(view.canvas, { width: 400, height: 400 });
const sum = (one, other, times = 1) => one.map((value, i) => value + times * other[i]);
const dot = (one, other) => one.reduce((total, value, i) => total + value * other[i], 0);
const total = (points) => points.reduce((all, point) => sum(all, point), [0, 0, 0]);
const mean = (points) => total(points).map((value) => value / points.length);
const cross = ([a, b, c], [x, y, z]) => [b * z - c * y, c * x - a * z, a * y - b * x];
const cosine = (one, other) => dot(one, other) / Math.hypot(...one) / Math.hypot(...other);
const tally = { tried: 0, wrong: 0, across: 0 };
for (const [right, down] of isFloor ? [[0, 0]] : [[0, 0], [0.5, -0.3], [-1.3, 0.2], [2, 0.6]]) {
  view.look(right, down);
  const { place } = view._seen();
  for (const part of view.parts) for (const { corners, colour } of part.sides) {
    const point = mean(corners), seen = view._at(place(point));
    if (!colour || !seen || Math.hypot(...sum(seen.point, point, -1)) > 1e-6) continue;
    const { normal } = seen, own = motions.filter(({ parts }) => parts.includes(part.number));
    /** The initial direction of a part that a motion turns, within the plane of its side. */
    const begin = ({ axis, through, degrees }) => {
      const velocity = cross(axis, sum(point, through, -1)).map((value) => value * Math.sign(degrees));
      return sum(velocity, normal, -dot(velocity, normal));
    };
    const isFlat = ({ axis }) => Math.abs(cosine(axis, normal)) > 1 - 1e-9;
    const ways = own.filter((motion) => !isFlat(motion)).map(begin).filter((way) => Math.hypot(...way) > 1e-3);
    const lead = (way) => {
      const [[x, y], [a, b]] = [place(point), place(sum(point, way, 1e-4))];
      return view.leading(motions, [x, y], [9e4 * (a - x), 9e4 * (b - y)]);
    };
    for (const way of ways) {
      const found = lead(way);
      tally.tried += 1;
      tally.wrong += !found || !(cosine(begin(found), way) > 0.99);
    }
    const edges = corners.map((corner, i) => sum(corners[(i + 1) % corners.length], corner, -1));
    for (const edge of corners.length === 4 ? edges : []) {
      const best = Math.max(...ways.map((way) => cosine(way, edge))), found = lead(edge);
      tally.wrong += best > 0.9 && !(found && cosine(begin(found), edge) > best - 0.01);
    }
    const between = sum(edges[0], edges[1]);
    if (corners.length === 4 && edges.slice(0, 2).every((edge) => ways.some((way) => cosine(way, edge) > 0.99)))
      tally.across += Boolean(lead(between));
  }
}
tally.beside = view.leading(motions, [1, 1], [9, 0]);
return tally;
"""


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
    tally = pages.browser.execute_script(DRAGGING, drawn(scene), motions, False)
    assert tally.pop("tried") > 100
    assert tally == {"wrong": 0, "across": 0, "beside": None}


ROLLING = """
const [motions] = arguments, { view } = player, { place } = view._seen();
return motions.map((motion) => {
  const { middle } = view.parts[motion.parts[0]];
  const after = middle.map((value, i) => 2 * motion.through[i] - value);
  const [[x, y], [a, b]] = [place(middle), place([after[0], middle[1], after[2]])];
  const leads = (right, down) => view.leading(motions, [x, y], [right, down])?.move;
  return [motion.move, leads(a - x, b - y), leads(x - a, y - b)];
});
"""


def test_a_rolling_cube_is_dragged_to_the_vacancy(pages: Pages) -> None:
    pages.open("rolling")
    rules, start, _ = played("rolling")
    motions = choices(rules, start, rules.view.scene(start), "LRUD")
    assert len(motions) == 4
    for move, there, back in pages.browser.execute_script(ROLLING, motions):
        assert (there, back) == (move, None)


def test_of_several_players_that_with_the_focus_gets_the_keys(pages: Pages) -> None:
    pages.open()
    pages.browser.execute_script("""
        document.body.append(document.createElement("section"));
        window.second = cubesolve.player(document.body.lastElementChild, player.data);
    """)
    pages.press(Keys.ARROW_RIGHT)
    assert (pages.number, pages.ask("second.number")) == (0, 0)
    pages.ask("second.playButton.focus()")
    pages.press(Keys.ARROW_RIGHT)
    assert (pages.number, pages.ask("second.number")) == (0, 1)
    pages.browser.find_element(By.CSS_SELECTOR, "#player canvas").click()
    pages.press(Keys.END)
    assert (pages.number, pages.ask("second.number")) == (3, 1)


# -- On the command line -----------------------------------------------------------------------------------------------


FAR = "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2"
WRITTEN = {
    """play "R U R' U'" """: ("R U R' U'", [0, 1, 2, 3, 4]),
    """play --puzzle skewb "R R'" """: ("R R'", [0, 1, 0]),
    """play --puzzle rubik "(M2 U)2" """: ("M2 U M2 U", []),  # each distance would take a search
    """play "" """: ("", [0]),
    "play --puzzle rolling --start 2,1 RUU": ("R U U", []),
    'play --puzzle rolling --model face --start UU/.N "L D R"': ("L D R", []),
    """play --setup "R U F'" """: ("F U' R'", [3, 2, 1, 0]),
    """play --puzzle skewb --setup "(R U)'" R""": ("R", [2, 1]),
    "play --puzzle rolling --start 2,1 --setup RU U": ("U", []),
    "solve UUUUBBRRRRFFDDDDFFLLLLBB": ("U'", [1, 0]),
    "solve --format alg R --target x": ("R' x", [1, 0, 0]),
    'solve --puzzle rubik --format alg "R U2"': ("U2 R'", [2, 1, 0]),
    'solve --puzzle rubik --within 9 --format alg "R U2"': ("U2 R'", [2, 1, 0]),
    "solve --format alg U2 --moves U --cost U2=3": ("U U", [2, 1, 0]),
    "solve --puzzle rolling --start 2,1 RBW/RWW/EWW": ("R U U", [3, 2, 1, 0]),
}
"""The moves and the distances on the page that a command writes."""


@pytest.mark.parametrize(("command", "moves", "left"), [(command, *shown) for command, shown in WRITTEN.items()])
def test_pages_of_commands(command: str, moves: str, left: list[int]) -> None:
    data = data_of(printed(*shlex.split(command), "--html", "-"))
    assert (" ".join(step["move"] for step in data["steps"]), data["left"]) == (moves, left)
    assert data["unit"] == ("rolls" if "rolling" in command else "moves")


def test_a_page_of_a_solution_that_is_not_proved_has_no_distances() -> None:
    assert data_of(printed("solve", "--puzzle", "rubik", "--max-length", "24", FAR, "--html", "-"))["left"] == []


def test_an_alg_on_standard_input_is_played(tmp_path: Path) -> None:
    printed("play", "-", "--html", tmp_path / "page.html", stdin="R U\n")
    data = data_of((tmp_path / "page.html").read_text())
    assert (data["title"], [step["move"] for step in data["steps"]]) == ("2x2x2 pocket cube", ["R", "U"])
