"""The page in a browser: painting, solving, rolling, a narrow screen, the keyboard, what a screen reader hears."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from selenium.webdriver import ActionChains, Chrome, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select
from selenium.webdriver.support.wait import WebDriverWait

import cubesolve
from cubesolve import PocketCube, Tray, lookup
from cubesolve.web import serving
from tests.browser import complaints
from tests.web.conftest import Client, running


class Page:
    """What somebody sees and does."""

    def __init__(self, browser: Chrome, address: str) -> None:
        self.browser, self.address = browser, address

    def open(self, puzzle: str) -> None:
        self.browser.get("about:blank")
        self.browser.get(f"{self.address}#{puzzle}")
        self.until(lambda: self.distance == "0 solved")

    def prefer(self, what: str, value: str) -> None:
        media = {"features": [{"name": what, "value": value}]}
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)

    def until(self, come: Callable[[], object]) -> None:
        WebDriverWait(self.browser, 20, poll_frequency=0.1).until(lambda _: come())

    def shows(self, **seen: object) -> None:
        """Wait until all of this is to be seen."""
        self.until(lambda: all(getattr(self, name) == expected for name, expected in seen.items()))

    def find(self, selector: str) -> WebElement:
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list[WebElement]:
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def click(self, selector: str) -> None:
        self.find(selector).click()

    def drag(self, place: tuple[int, int], by: tuple[int, int]) -> None:
        """Drag what is seen so many pixels from the middle of the stage."""
        mouse = ActionChains(self.browser).move_to_element_with_offset(self.find("#stage canvas"), *place)
        mouse.click_and_hold().move_by_offset(*by).release().perform()

    def write(self, selector: str, text: str) -> None:
        self.find(selector).clear()
        self.find(selector).send_keys(text, Keys.ENTER)

    def keys(self, *keys: str) -> None:
        ActionChains(self.browser).send_keys(*keys).perform()

    @property
    def distance(self) -> str:
        return self.find("#distance").text

    def is_known(self) -> bool:
        return self.distance[:1].isdigit()

    @property
    def message(self) -> str:
        return self.find("#message").text

    @property
    def state(self) -> str:
        return str(self.find("#state").get_property("textContent"))  # which some modes do not show

    @property
    def near(self) -> list[str]:
        return [button.get_attribute("value") or "" for button in self.all("#moves button.near")]

    @property
    def focused(self) -> WebElement:
        return self.browser.switch_to.active_element

    def facelet(self, name: str) -> str:
        return f'#net button[value="{name}"]'


@pytest.fixture
def page(browser: Chrome, client: Client) -> Iterator[Page]:
    page = Page(browser, client.address)
    page.prefer("prefers-reduced-motion", "reduce")  # drawing moves takes most of the time
    yield page
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    refused = [each for each in complaints(browser) if "422" not in each]
    assert refused == []


def test_moves_are_made_and_undone_with_the_distance_at_every_moment(page: Page) -> None:
    page.open("pocket")
    cube = PocketCube.solved()
    for move in ("R", "U2", "F'"):
        page.click(f'#moves button[value="{move}"]')
        cube = cube.apply(move)
        depth = lookup.depth(cube)
        left = f"{depth} move{'s' * (depth > 1)} to go"
        page.shows(state=str(cube), distance=left, near=lookup.optimal_moves(cube))
    page.click("#hint")
    page.until(lambda: page.message == f"{lookup.optimal_moves(cube)[0]} decreases the distance")
    assert page.focused.get_attribute("value") == lookup.optimal_moves(cube)[0]
    for distance in ("2 moves to go", "1 move to go"):
        page.click("#undo")
        page.shows(distance=distance)
    page.click("#reset")
    page.until(lambda: page.distance == "0 solved")


def test_a_cube_is_painted_and_a_wrong_sticker_is_shown_at_the_facelet(page: Page) -> None:
    page.open("pocket")
    wanted = str(PocketCube.from_alg("R"))
    names = [button.get_attribute("value") or "" for button in page.all("#net button")]
    solved = str(PocketCube.solved())
    different = [(name, symbol) for name, old, symbol in zip(names, solved, wanted, strict=True) if old != symbol]
    for number, (name, symbol) in enumerate(different, start=1):
        page.click(f'#palette button[value="{symbol}"]')
        page.click(page.facelet(name))
        if number < len(different):
            page.until(lambda: page.message.startswith("Each of six colours") or "corner" in page.message.lower())
            assert page.distance == "not a valid state yet"
            assert not page.find("#solve").is_enabled()
    page.until(lambda: page.distance == "1 move to go")
    assert (page.state, page.message) == (wanted, "")
    page.write("#text", "U")
    page.until(lambda: page.state == str(PocketCube.from_alg("U")))
    for name, symbol in (("U4", "F"), ("F2", "U")):  # that corner is twisted into one that there is not
        page.click(f'#palette button[value="{symbol}"]')
        page.click(page.facelet(name))
        page.until(lambda: page.all("#net button[aria-invalid=true]"))
    wrong = [button.get_attribute("value") for button in page.all("#net button[aria-invalid=true]")]
    painted = list(str(PocketCube.from_alg("U")))
    painted[names.index("U4")], painted[names.index("F2")] = "F", "U"
    with pytest.raises(cubesolve.InvalidStateError) as refused:
        PocketCube("".join(painted))
    assert sorted(map(str, wrong)) == sorted(refused.value.facelets)
    assert str(refused.value).endswith("but 'R' 3 times and 'F' 5 times")
    expected = "Each of six colours occurs 4 times on a cube, but red 3 times and green 5 times"
    assert page.message == expected
    assert page.find(page.facelet(str(wrong[0]))).accessible_name.endswith(", wrong")
    page.click("#undo")
    page.until(lambda: page.distance == "1 move to go")
    assert not page.all("#net button[aria-invalid=true]")


def test_a_solution_is_played_and_stopped(page: Page) -> None:
    page.prefer("prefers-reduced-motion", "no-preference")
    page.open("skewb")
    Select(page.find("#depth")).select_by_value("2")
    page.click("#random")
    page.until(lambda: page.distance == "2 moves to go")
    alg = cubesolve.puzzle("skewb").solve(page.state)
    page.click("#solve")
    page.until(lambda: page.find("#solve").text == "Pause")
    page.until(lambda: page.distance == "0 solved")
    assert [move.text for move in page.all("#solution li")] == alg.split()
    page.until(lambda: page.find("#solve").text == "Solve")
    Select(page.find("#depth")).select_by_value("11")
    page.click("#random")
    page.until(lambda: page.distance == "11 moves to go")
    page.click("#solve")
    page.until(lambda: page.distance == "10 moves to go")
    page.click("#solve")
    page.until(lambda: page.find("#solve").text == "Solve")
    state = page.state
    depth = cubesolve.puzzle("skewb").depth(state)
    page.until(lambda: page.distance.startswith(f"{depth} ") and page.near)
    assert (page.state, depth > 5) == (state, True)


def test_stickers_are_dragged(page: Page) -> None:
    page.open("pocket")
    cube, (x, y) = PocketCube.solved(), (-27, -6)  # on the side in front, beside the edge at the right
    for move, drag in (("U", (-70, -20)), ("R'", (3, 80))):
        page.drag((x, y), drag)
        cube = cube.apply(move)
        depth = lookup.depth(cube)
        page.shows(state=str(cube), distance=f"{depth} move{'s' * (depth > 1)} to go", near=lookup.optimal_moves(cube))
    page.drag((-180, -120), (200, 0))  # beside the cube, which is seen from behind then
    page.drag((x, y), (3, 80))
    page.shows(state=str(cube.apply("R")), distance="1 move to go")


def test_a_cube_is_dragged_towards_the_vacancy(page: Page) -> None:
    page.open("rolling")
    phone = {"width": 320, "height": 640, "deviceScaleFactor": 2, "mobile": True}
    page.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
    box = page.find("#stage canvas").rect
    from_, to = (0.5, 0.25), (0.3, 0.2)
    places = [[{"x": box["x"] + box["width"] * x, "y": box["y"] + box["height"] * y}] for x, y in (from_, to)]
    for kind, points in (("touchStart", places[0]), ("touchMove", places[1]), ("touchEnd", [])):
        page.browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    page.until(lambda: page.state == str(Tray.start((1, 1)).apply("L")))


def test_the_3x3x3_is_solved(page: Page) -> None:
    page.open("rubik")
    page.write("#text", "R U")
    page.until(lambda: page.distance == "2 moves to go")
    page.click("#hint")
    page.until(lambda: page.near == ["U'"])
    page.click("#solve")
    page.until(lambda: page.distance == "0 solved")
    assert [move.text for move in page.all("#solution li")] == ["U'", "R'"]


def test_cubes_are_rolled_by_clicking(page: Page) -> None:
    page.open("rolling")
    rolling, uniform = cubesolve.puzzle("rolling"), Tray.start((1, 1))
    tray = uniform
    assert [button.is_enabled() for button in page.all("#tray button")] == [False, True, False, True, *[False] * 5]
    for cell, roll in ((1, "L"), (4, "U"), (5, "L")):
        page.all("#tray button")[cell].click()
        tray = tray.apply(roll)
        depth = rolling.depth(tray, uniform)
        left = f"{depth} roll{'s' * (depth > 1)} to go"
        page.shows(state=str(tray), distance=left, near=rolling.optimal_moves(tray, uniform))
    page.write("#goal", "***/***/**E")
    page.until(lambda: page.distance.startswith(f"{rolling.depth(tray, '***/***/**E')} roll"))
    page.write("#goal", "***/*X*/***")
    page.until(lambda: page.message.startswith("'X' at column 2, row 2 is not a cube"))
    Select(page.find("#depth")).select_by_value("1")
    page.write("#goal", str(uniform))
    page.until(lambda: page.message == "")
    page.click("#random")
    page.until(lambda: page.distance == "1 roll to go")
    page.click("#solve")
    page.until(lambda: page.distance == "0 solved")


def test_a_puzzle_file_of_ones_own(page: Page, tmp_path: Path) -> None:
    page.open("pocket")
    (tmp_path / "my.gap").write_text("A := (1,2,3); B := (3,4,5);")
    page.find("#file").send_keys(str(tmp_path / "my.gap"))
    page.until(lambda: page.find("#title").text.lower() == "my" and page.distance == "0 solved")
    assert Select(page.find("#puzzle")).first_selected_option.text == "my (my.gap)"
    page.click('#moves button[value="A"]')
    page.until(lambda: page.distance == "1 move to go")
    (tmp_path / "wrong.tws").write_text("Set A")
    page.find("#file").send_keys(str(tmp_path / "wrong.tws"))
    page.until(lambda: page.message.startswith("wrong.tws: line 1"))
    assert page.distance == "1 move to go"


def test_the_address_names_the_puzzle(page: Page) -> None:
    page.open("skewb")
    page.click("#moves button")
    page.until(lambda: page.distance.startswith("1"))
    page.browser.get(f"{page.address}#ivy")
    page.until(lambda: page.find("#title").text == cubesolve.puzzle("ivy").title and page.distance == "0 solved")
    page.browser.get(f"{page.address}#nothing-known")
    page.until(lambda: page.message == "Unknown puzzle “nothing-known”; the Ivy cube is shown instead")
    page.browser.get(f"{page.address}#%")
    page.browser.get(f"{page.address}#floppy")
    page.until(lambda: page.find("#title").text == cubesolve.puzzle("floppy").title)
    page.browser.back()
    page.browser.back()
    page.browser.back()
    page.until(lambda: page.find("#title").text == cubesolve.puzzle("ivy").title)
    assert Select(page.find("#puzzle")).first_selected_option.get_attribute("value") == "ivy"


def test_an_address_that_names_no_puzzle(page: Page) -> None:
    page.browser.get("about:blank")
    page.browser.get(f"{page.address}#nosuch")
    page.until(lambda: page.distance == "0 solved")
    page.until(lambda: page.message == "Unknown puzzle “nosuch”; the 2x2x2 pocket cube is shown instead")
    assert page.browser.current_url.endswith("#pocket")
    page.click("#moves button")
    page.until(lambda: page.distance == "1 move to go")
    assert page.message == ""


def test_errors_about_paint_speak_of_colours(page: Page) -> None:
    page.open("pocket")
    page.click('#palette button[value="U"]')
    page.click(page.facelet("R1"))
    page.until(lambda: page.message.endswith("but white 5 times and red 3 times"))


def test_a_step_is_trained(page: Page) -> None:
    page.open("pocket/train")
    pocket = cubesolve.puzzle("pocket")
    assert Select(page.find("#train-step")).first_selected_option.text == "first-layer"
    page.click("#train-next")
    page.until(lambda: page.find("#train-scramble").text)
    page.find("#train-depth").send_keys("99")
    page.click("#train-next")
    page.until(lambda: page.message.startswith("No state has depth 99"))
    page.write("#train-depth", "3")
    before = page.state
    page.click("#train-next")
    page.until(lambda: page.state != before and page.message == "")
    scramble = page.find("#train-scramble").text
    assert page.state == str(pocket.parse(scramble, "alg"))
    layer = pocket.towards("first-layer").solve(page.state)
    page.click("#train-hint")
    page.until(lambda: page.find("#train-solution").text == f"first-layer 3 moves: {layer.split()[0]} …")
    page.click("#train-show")
    page.until(lambda: len(page.all("#train-solution li")) == 3)
    page.click("#train-solution button")
    page.until(lambda: page.distance == "0 solved")


def test_cases_are_chosen_and_their_algs_played(page: Page) -> None:
    page.open("pyraminx/cases")
    pyraminx = cubesolve.puzzle("pyraminx")
    Select(page.find("#cases-set")).select_by_value("l3e")
    cases = pyraminx.cases("l3e")
    page.until(lambda: len(page.all("#cases-list button")) == len(cases))
    page.click('#cases-list button[value="2"]')
    page.until(lambda: page.state == str(cases["2"].state) and page.all("#cases-algs button"))
    assert page.find('#cases-list button[value="2"]').get_attribute("aria-pressed") == "true"
    page.click("#cases-next")
    page.until(lambda: page.find("#cases-scramble").text)
    assert cases.find(page.find("#cases-scramble").text).name == "2"
    page.click("#cases-algs button")
    page.until(lambda: page.distance == "0 solved")


def test_a_scramble_for_an_event(page: Page) -> None:
    page.open("pocket/events")
    page.until(lambda: page.find("#event").text)
    assert Select(page.find("#event")).first_selected_option.text == "2x2x2 Cube"
    Select(page.find("#event")).select_by_value("skewb")
    assert str(page.find("#event-sheet").get_attribute("href")).endswith("api/sheet?event=skewb")
    page.click("#event-next")
    page.until(lambda: page.find("#event-scramble").text)
    assert page.state == str(cubesolve.puzzle("skewb").parse(page.find("#event-scramble").text))
    assert page.browser.current_url.endswith("#skewb/events")
    page.browser.get(f"{page.address}#skewb/train")
    page.until(lambda: page.find("#train-next").is_displayed() and not page.find("#event").is_displayed())
    page.browser.refresh()
    page.until(lambda: page.distance == "0 solved" and page.find("#train-next").is_displayed())


def test_a_solution_is_analysed(page: Page) -> None:
    page.open("pocket/analyse")
    page.find("#analyse-scramble").send_keys("R U2 F")
    page.write("#analyse-solution", "F")
    page.click("#analyse-form button")
    page.until(lambda: page.message == "The alg does not solve the state")
    page.write("#analyse-solution", "F' U U R'")
    page.write("#analyse-steps", "first-layer,solved")
    page.until(lambda: len(page.all("#analysis .positions button")) == 5)
    told = [button.accessible_name for button in page.all("#analysis .positions button")]
    assert told == ["start: 3 left", "F': 2 left", "U, lost: 2 left", "U: 1 left", "R': 0 left"]
    page.all("#analysis .positions button")[1].click()
    page.until(lambda: page.state == str(PocketCube.from_alg("R U2")))
    assert page.find("#analysis [aria-current]").text.startswith("F'")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_narrow_screen(page: Page, scheme: str) -> None:
    phone = {"width": 320, "height": 640, "deviceScaleFactor": 1, "mobile": True}
    page.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
    page.prefer("prefers-color-scheme", scheme)
    for name in ("rubik", "rubik/analyse") if scheme == "light" else ("rolling", "rubik/cases"):
        page.open(name)
        assert page.browser.execute_script("return document.documentElement.scrollWidth") == 320
        script = "return [...document.querySelectorAll('button, select, input')].map((e) => e.getBoundingClientRect())"
        places = page.browser.execute_script(f"{script}.map(({{left, right}}) => [left, right])")
        assert all(left >= 0 and right <= 320 for left, right in places)
    light = page.browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert light == {"light": "rgb(244, 245, 247)", "dark": "rgb(23, 25, 29)"}[scheme]


def test_everything_by_keyboard(page: Page) -> None:
    page.open("pocket")
    page.keys("r")
    page.until(lambda: page.state == str(PocketCube.from_alg("R")))
    ActionChains(page.browser).key_down(Keys.SHIFT).send_keys("u").key_up(Keys.SHIFT).perform()
    page.until(lambda: page.state == str(PocketCube.from_alg("R U'")))
    page.keys(Keys.BACKSPACE)
    page.until(lambda: page.distance == "1 move to go")
    reached = []
    page.browser.execute_script("document.activeElement.blur()")
    for _ in range(40):
        page.keys(Keys.TAB)
        reached.append(page.focused.get_attribute("id") or page.focused.get_attribute("value"))
    assert {"puzzle", "file", "hint", "solve", "undo", "reset", "U", "F'", "depth", "random", "U1", "text"} <= {
        *reached
    }
    assert reached.index("U1") == reached.index("random") + 2  # one colour, one facelet
    page.browser.execute_script("arguments[0].focus()", page.find(page.facelet("U1")))
    page.keys(Keys.ARROW_RIGHT, Keys.ARROW_DOWN)
    assert page.focused.get_attribute("value") == "U4"
    page.keys("2", Keys.SPACE)
    page.until(lambda: page.find(page.facelet("U4")).accessible_name.startswith("U4, red"))
    page.open("rolling")
    page.keys(Keys.ARROW_UP)
    page.until(lambda: page.state == str(Tray.start((1, 1)).apply("U")))


@pytest.mark.parametrize("name", ["pocket", "rolling"])
def test_what_a_screen_reader_hears(page: Page, name: str) -> None:
    page.open(name)
    for element in page.all("button, select, input, canvas, [role=group], [role=radiogroup], section"):
        if element.is_displayed() or element.get_attribute("type") == "file":
            assert element.accessible_name.strip(), element.get_attribute("outerHTML")
    assert page.find("#distance").get_attribute("aria-live") == "polite"
    assert page.find("#message").get_attribute("role") == "alert"
    if name == "pocket":
        assert page.find(page.facelet("F1")).accessible_name == "F1, green"
        assert page.find("#palette button").aria_role == "radio"
        page.click('#moves button[value="R"]')
        page.until(lambda: page.find('#moves button[value="R\'"]').accessible_name == "R', decreases the distance")
    else:
        names = [button.accessible_name for button in page.all("#tray button")]
        assert names[:2] == ["vacancy, column 1, row 1", "WB, column 2, row 1: roll it left"]


def test_every_puzzle_is_shown(page: Page) -> None:
    names = ["ivy", "tiles-2x3", "pancake-5", "floppy", "pyraminx-duo", "topspin-8-4", "tower", "pyramorphix"]
    for name in random.Random(2).sample(names, 2):
        page.open(name)
        assert page.all("#stage canvas") or page.find("#picture").accessible_name == page.state
        page.click("#random")
        page.until(page.is_known)


def test_a_far_cube_has_a_solution_at_once_that_gets_better(page: Page) -> None:
    """Until the time limit ends; without a pattern database, no solution of this server is proved optimal."""
    alg = "L2 F R2 D2 U2 B' D2 F' L2 D2 U L' R' D2 B' D R F2 L2 F"
    far = cubesolve.puzzle("rubik").parse(alg, "alg")
    settings = serving.Settings("127.0.0.1", 0, seconds=5, searches=1, waiting=4)
    with running(settings, []) as port:
        asked = {"puzzle": "rubik", "state": str(far), "within": 20}
        assert any(Client(port).ask("solve", **asked).status == 200 for _ in range(20))  # when its search is loaded
        page.address = f"http://127.0.0.1:{port}/"
        page.open("rubik")
        seen = list[str]()

        def look() -> str:
            seen.append(page.distance)
            return seen[-1]

        page.write("#text", alg)
        page.until(lambda: page.state == str(far) and "or fewer" in look())
        page.until(lambda: look() and page.message)
        # The time can end before the search or its answer: on a busy machine, or while kernels are being compiled.
        missing = "This server does not have the table rubik-htm-medium, so no solution is proved optimal"
        assert page.message in {missing, "Not proved optimal in time"} or page.message.startswith("Not answered")
        assert re.fullmatch(r"\d+ moves to go or fewer, at least (9|1\d)", page.distance)
        lengths = [int(words.split()[0]) for words in seen if "or fewer" in words]
        assert lengths == sorted(lengths, reverse=True)
        assert lengths[-1] < 22
        page.click("#solve")
        page.until(lambda: page.all("#solution li"))
        assert far.apply(" ".join(move.text for move in page.all("#solution li"))).is_solved
        page.click("#reset")
        page.until(lambda: page.distance == "0 solved")
        page.browser.get("about:blank")  # before the server ends
