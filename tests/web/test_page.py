"""The page in a browser: painting, solving, rolling, a narrow screen, the keyboard, what a screen reader hears."""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from selenium.webdriver import ActionChains, Chrome, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select
from selenium.webdriver.support.wait import WebDriverWait

import cubesolve
from cubesolve import PocketCube, Tray, lookup
from cubesolve.definition.notation import invert_alg
from cubesolve.web import searches
from cubesolve.web.served import MOST_VISITORS
from tests.browser import complaints, touch
from tests.patience import PATIENCE
from tests.subsets import later
from tests.web.conftest import Client, running

LOADED = itertools.count()


class Page:
    """The page as users see and use it.

    Methods that do something can wait until what they expect is displayed.

    One script waits for the expected state, since asking the browser again and again keeps a processor busy. Scripts
    also click, write and choose: the mouse and the keys of the driver take twice as long, and have tests of
    their own.
    """

    scripts = (Path(__file__).parent / "page.js").read_text()
    """The functions of JavaScript that tests call in the page."""

    def __init__(self, browser: Chrome, address: str) -> None:
        self.browser, self.address = browser, address

    def call(self, function: str, *given: object) -> Any:
        return self.browser.execute_script(f"{self.scripts}return {function}(...arguments);", *given)

    def await_(self, function: str, *given: object) -> Any:
        """Return what a function passes to the last of its arguments."""
        return self.browser.execute_async_script(f"{self.scripts}{function}(...arguments);", *given)

    def load(self, puzzle: str, **expected: object) -> None:
        """Load the page again; a new address in the same document would not."""
        self.browser.get(f"{self.address}?{next(LOADED)}#{puzzle}")
        self.shows(**expected)

    def open(self, puzzle: str) -> None:
        self.load(puzzle, distance="0 solved")

    def refresh(self, **expected: object) -> None:
        self.browser.refresh()
        self.shows(**expected)

    def name(self, puzzle: str, **expected: object) -> None:
        """Change the address within the same document."""
        self.browser.execute_script("location.hash = arguments[0]", puzzle)
        self.shows(**expected)

    def screen(self, **metrics: float) -> None:
        metrics = {"deviceScaleFactor": 1, "mobile": False, **metrics}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def prefer(self, what: str, value: str) -> None:
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": what, "value": value}]})

    def until(self, come: Callable[[], object]) -> None:
        WebDriverWait(self.browser, PATIENCE, poll_frequency=0.1).until(lambda _: come())

    def shows(self, **expected: object) -> None:
        """Wait until all of this is displayed."""
        if expected:
            found = self.await_("shows", expected, PATIENCE)
            assert found.items() >= expected.items()

    def record(self, element: str, at: str = "", press: str = "") -> None:
        """Record the texts of an element, since a busy machine may be too slow to see a text that is soon replaced.

        A button can be pressed at the first text that contains another one.
        """
        self.call("record", element, at, press)

    @property
    def recorded(self) -> Any:
        return self.browser.execute_script("return window.messages")

    def find(self, selector: str) -> WebElement:
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list[WebElement]:
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def values(self, selector: str) -> list[str]:
        return [str(element.get_attribute("value")) for element in self.all(selector)]

    def click(self, element: str | WebElement, **expected: object) -> None:
        self.call("click", element)
        self.shows(**expected)

    def choose(self, selector: str, value: str, **expected: object) -> None:
        """Choose an option."""
        self.call("choose", selector, value)
        self.shows(**expected)

    def drag(self, place: tuple[int, int], by: tuple[int, int], **expected: object) -> None:
        """Drag from the middle of the stage by some pixels."""
        mouse = ActionChains(self.browser, duration=20).move_to_element_with_offset(self.find("#stage canvas"), *place)
        mouse.click_and_hold().move_by_offset(*by).release().perform()
        self.shows(**expected)

    def paint(self, *facelets: tuple[str, str]) -> None:
        """Paint facelets by clicks on a symbol and on the facelet, and wait for the colour."""
        self.await_("paint", [self.places(*facelet) for facelet in facelets])

    def places(self, name: str, symbol: str) -> list[str]:
        return [f'#palette button[value="{symbol}"]', self.facelet(name)]

    def write(self, selector: str, text: str, *, enter: bool = True, **expected: object) -> None:
        """Replace the text of a field, and press Enter."""
        self.call("write", selector, text)
        if enter:
            key = {"type": "keyDown", "key": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"}
            self.browser.execute_cdp_cmd("Input.dispatchKeyEvent", key)
        self.shows(**expected)

    def keys(self, *keys: str, **expected: object) -> None:
        ActionChains(self.browser).send_keys(*keys).perform()
        self.shows(**expected)

    @property
    def seen(self) -> Any:
        """What the page shows, by the names that `seen` of page.js has for it."""
        return SimpleNamespace(**self.call("seen"))

    @property
    def solution(self) -> list[str]:
        """Return the moves of the solution in the player."""
        return [move.text for move in self.all("#solution li")]

    def facelet(self, name: str) -> str:
        return f'#net button[value="{name}"]'


@pytest.fixture
def page(browser: Chrome, client: Client) -> Iterator[Page]:
    page = Page(browser, client.address)
    page.prefer("prefers-reduced-motion", "reduce")  # drawing moves takes most of the time
    yield page
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert [each for each in complaints(browser) if "422" not in each] == []


def test_moves_are_made_and_undone_with_the_distance_at_every_moment(page: Page) -> None:
    page.open("pocket")
    cube = PocketCube.solved()
    for move in ("R", "U2", "B'"):  # of any face
        page.click(f'#moves button[value="{move}"]')
        cube = cube.apply(move)
        page.shows(state=str(cube), distance=to_go(lookup.depth(cube)), near=arrows(cube))
    page.click("#hint", message=f"{lookup.optimal_moves(cube)[0]} decreases the distance")
    assert page.browser.switch_to.active_element.get_attribute("value") == lookup.optimal_moves(cube)[0]
    for distance in ("2 moves to go", "1 move to go"):
        page.click("#undo", distance=distance)
    page.click("#reset", distance="0 solved")


def test_a_cube_is_painted_and_a_wrong_sticker_is_shown_at_the_facelet(page: Page) -> None:
    page.open("pocket")
    names, wanted = page.values("#net button"), str(PocketCube.from_alg("R"))
    pairs = zip(names, str(PocketCube.solved()), wanted, strict=True)
    first, *others, last = [(name, symbol) for name, old, symbol in pairs if old != symbol]
    for place in page.places(*first):
        page.click(place)
    for painted in (others, [last]):
        page.until(lambda: page.seen.message.startswith("Each of six colours") or "corner" in page.seen.message.lower())
        assert page.seen.distance == "not a valid state yet"
        assert not page.find("#solve").is_enabled()
        page.paint(*painted)
    page.shows(distance="1 move to go", state=wanted, message="")
    page.write("#text", "U", state=str(PocketCube.from_alg("U")))
    for facelet in (("U4", "F"), ("F2", "U")):  # that corner is twisted into one that there is not
        page.paint(facelet)
        page.until(lambda: page.all("#net button[aria-invalid=true]"))
    wrong = page.values("#net button[aria-invalid=true]")
    symbols = list(str(PocketCube.from_alg("U")))
    symbols[names.index("U4")], symbols[names.index("F2")] = "F", "U"
    with pytest.raises(cubesolve.InvalidStateError, match="but 'R' 3 times and 'F' 5 times") as refused:
        PocketCube("".join(symbols))
    assert sorted(wrong) == sorted(refused.value.facelets)
    assert page.seen.message == "Each of six colours occurs 4 times on a cube, but red 3 times and green 5 times"
    assert page.find(page.facelet(wrong[0])).accessible_name.endswith(", wrong")
    page.click("#undo", distance="1 move to go")
    assert not page.all("#net button[aria-invalid=true]")


def to_go(number: int, unit: str = "move") -> str:
    """Return the text of a distance."""
    return f"{number} {unit}{'s' * (number != 1)} to go" if number else "0 solved"


def arrows(cube: PocketCube) -> list[str]:
    """Return the buttons with an arrow: the optimal moves, and the same moves of the opposite faces."""
    near = lookup.optimal_moves(cube)
    return [*near, *(move.translate(str.maketrans("URF", "DLB")) for move in near)]


@pytest.mark.exhaustive
def test_moves_of_two_parts_are_chosen_part_by_part(page: Page) -> None:
    page.open("square1")
    assert [button.text for button in page.all("#moves button") if button.is_displayed()] == ["/"]
    for part, turned in (("first", "-3"), ("second", "6")):
        page.choose(f"#{part}", turned)
    page.click("#wheel")
    square1 = cubesolve.puzzle("square1")
    page.shows(state=str(square1.parse("(-3,6)", "alg")))
    page.click('#moves button[value="/"]', state=str(square1.parse("(-3,6) /", "alg")))


@pytest.mark.exhaustive
def test_a_solution_is_played_and_stopped(page: Page) -> None:
    page.prefer("prefers-reduced-motion", "no-preference")
    page.screen(width=320, height=240, deviceScaleFactor=0.5)  # drawing moves takes most of the time
    page.open("skewb")
    page.choose("#depth", "1")
    page.click("#random", distance="1 move to go")
    alg = cubesolve.puzzle("skewb").solve(page.seen.state)
    page.record("solve")
    page.click("#solve", distance="0 solved", solve="Solve")
    assert "Pause" in page.recorded
    assert page.solution == alg.split()
    page.choose("#depth", "11")
    page.click("#random", distance="11 moves to go")
    page.record("distance", "10 moves to go", "solve")
    page.click("#solve")
    page.until(lambda: "10 moves to go" in page.recorded and page.seen.solve == "Solve")
    assert cubesolve.puzzle("skewb").depth(page.seen.state) == 10
    page.browser.execute_async_script("setTimeout(arguments[0], 700)")  # the pause between two moves ends before
    page.shows(distance="10 moves to go")
    assert page.recorded.count("looking…") == 1


@pytest.mark.exhaustive
def test_stickers_are_dragged(page: Page) -> None:
    page.open("pocket")
    cube, (x, y) = PocketCube.solved(), (-27, -6)  # on the side in front, beside the edge at the right
    for move, drag in (("U", (-70, -20)), ("R'", (3, 80))):
        page.drag((x, y), drag)
        cube = cube.apply(move)
        page.shows(state=str(cube), distance=to_go(lookup.depth(cube)), near=arrows(cube))
    page.drag((-180, -120), (200, 0))  # beside the cube, which is seen from behind then
    page.drag((x, y), (3, 80), state=str(cube.apply("R")), distance="1 move to go")
    page.open("pocket")
    page.drag((-70, 10), (3, 80))  # the column at the left, which no move of the metric turns
    page.shows(state=str(PocketCube.solved().apply("L")), distance="1 move to go")
    page.click("#reset", distance="0 solved")
    page.drag((-70, 50), (62, 30))  # the lower row in front
    page.shows(state=str(PocketCube.solved().apply("D")), distance="1 move to go")


@pytest.mark.exhaustive
def test_dials_are_dragged(page: Page) -> None:
    """A drag around the middle of a dial turns it by an hour with the pins that are chosen, clockwise or not."""
    page.open("clock")
    clock, down = cubesolve.puzzle("clock"), (0, 40)
    assert page.find("#stage-note").text.startswith("Drag a dial beside one of the pins")
    page.drag((-100, -10), down)  # the right half of the dial at the left
    page.shows(state=str(clock.parse("ALL1+")), distance="1 move to go")
    page.drag((-80, -10), down)  # the left half of the dial in the middle
    page.shows(state=str(clock.parse("")), distance="0 solved")
    page.choose("#first", "UR")
    page.drag((-100, -10), down)  # a dial that is beside no pin that is up
    page.drag((-20, -10), down, state=str(clock.parse("UR1+")), distance="1 move to go")
    page.drag((38, -40), down, state=str(clock.parse("")), distance="0 solved")  # behind the corner UR
    page.open("square1")
    assert page.find("#stage-note").text.startswith("Drag a sticker")


@pytest.mark.exhaustive
def test_a_cube_is_dragged_towards_the_vacancy(page: Page) -> None:
    page.open("rolling")
    page.screen(width=320, height=640, deviceScaleFactor=2, mobile=True)
    box = page.find("#stage canvas").rect
    touch(
        page.browser,
        *((box["x"] + box["width"] * x, box["y"] + box["height"] * y) for x, y in ((0.5, 0.25), (0.3, 0.2))),
    )
    page.shows(state=str(Tray.start((1, 1)).apply("L")))


def test_the_3x3x3_is_solved(page: Page) -> None:
    page.open("rubik")
    page.write("#text", "R U", distance="2 moves to go", near=["U'"])
    page.click("#hint", message="U' decreases the distance", near=["U'"])
    page.click("#solve", distance="0 solved")
    assert page.solution == ["U'", "R'"]


@pytest.mark.exhaustive
def test_cubes_are_rolled_by_clicking(page: Page) -> None:
    page.open("rolling")
    rolling, uniform = cubesolve.puzzle("rolling"), Tray.start((1, 1))
    tray = uniform
    assert [button.is_enabled() for button in page.all("#tray button")] == [False, True, False, True, *[False] * 5]
    for cell, roll in ((1, "L"), (4, "U"), (5, "L")):
        page.click(page.all("#tray button")[cell])
        tray = tray.apply(roll)
        left = to_go(rolling.depth(tray, uniform), "roll")
        page.shows(state=str(tray), distance=left, near=rolling.optimal_moves(tray, uniform))
    page.write("#goal", "***/***/**E", distance=to_go(rolling.depth(tray, "***/***/**E"), "roll"))
    page.write("#goal", "***/*X*/***")
    page.until(lambda: page.seen.message.startswith("'X' at column 2, row 2 is not a cube"))
    page.choose("#depth", "1")
    page.write("#goal", str(uniform), message="")
    page.click("#random", distance="1 roll to go")
    page.click("#solve", distance="0 solved")


@pytest.mark.exhaustive
def test_a_puzzle_file_of_ones_own(page: Page, tmp_path: Path) -> None:
    page.open("pocket")
    (tmp_path / "my.gap").write_text("A := (1,2,3); B := (3,4,5);")
    page.find("#file").send_keys(str(tmp_path / "my.gap"))
    page.until(lambda: page.seen.title.lower() == "my" and page.seen.distance == "0 solved")
    assert Select(page.find("#puzzle")).first_selected_option.text == "my (my.gap)"
    page.click('#moves button[value="A"]', distance="1 move to go", near=["A'"])
    (tmp_path / "wrong.tws").write_text("Set A")
    page.find("#file").send_keys(str(tmp_path / "wrong.tws"))
    page.until(lambda: page.seen.message.startswith("wrong.tws: line 1"))
    assert page.seen.distance == "1 move to go"
    state = page.seen.state
    page.refresh(state=state, distance="1 move to go", message="")
    assert Select(page.find("#puzzle")).first_selected_option.text == "my (my.gap)"
    for number in range(MOST_VISITORS):  # the server keeps the last ones only
        page.await_("upload", f"A := (1,2);{' ' * number}")
    page.refresh(state=state, distance="1 move to go", message="")
    page.browser.execute_script("sessionStorage.clear()")  # as in another window
    page.refresh(state=state, distance="1 move to go", message="")


@pytest.mark.exhaustive
def test_the_address_names_the_puzzle(page: Page) -> None:
    page.load("nosuch", distance="0 solved", message="Unknown puzzle “nosuch”; the 2x2x2 pocket cube is shown instead")
    assert page.browser.current_url.endswith("#pocket")
    page.click("#moves button", distance="1 move to go", message="")
    page.name("ivy", title=cubesolve.puzzle("ivy").title, distance="0 solved")
    page.name("nothing-known", message="Unknown puzzle “nothing-known”; the Ivy cube is shown instead")
    page.name("%")
    page.name("floppy", title=cubesolve.puzzle("floppy").title)
    for _ in range(3):
        page.browser.back()
    page.shows(title=cubesolve.puzzle("ivy").title)
    assert Select(page.find("#puzzle")).first_selected_option.get_attribute("value") == "ivy"


@pytest.mark.exhaustive
def test_the_address_has_the_state_the_goal_and_the_metric(page: Page) -> None:
    page.open("skewb")
    page.click("#moves button", distance="1 move to go")
    shared, state = page.browser.current_url, page.find("#state").text
    page.name("rolling", distance="0 solved")
    assert page.browser.current_url.endswith("#rolling")
    page.write("#goal", "RRR/RER/RRR")
    page.until(lambda: "goal=RRR" in page.browser.current_url)
    page.browser.back()
    page.shows(distance="1 move to go", state=state)
    page.browser.get(shared)
    page.refresh(distance="1 move to go", state=state)
    page.name("rolling?goal=RRR%2FRER%2FRRR")
    page.until(lambda: page.find("#goal").get_attribute("value") == "RRR/RER/RRR")
    page.open("pocket?state=nonsense")
    assert page.find("#message").text
    page.click("#moves button", distance="1 move to go", message="")
    page.name("pocket/train")
    page.until(lambda: "/train?state=" in page.browser.current_url)
    page.open("pocket?metric=qtm")
    page.click('#moves button[value="U2"]', distance="2 quarter turns to go", near=["U", "U'", "D", "D'"])
    assert page.browser.current_url.endswith("&metric=qtm")
    page.choose("#metric", "htm", distance="1 move to go", near=["U2", "D2"])
    assert "metric" not in page.browser.current_url
    page.open("square1?metric=wca")
    page.click('#moves button[value="/"]', distance="1 move to go, proved shortest", near=["/"])
    page.refresh(distance="1 move to go, proved shortest")
    assert "&metric=wca" in page.browser.current_url


@pytest.mark.exhaustive
def test_distances_to_a_goal_and_by_chosen_moves(page: Page) -> None:
    page.open("pocket?towards=first-layer")
    page.click('#moves button[value="U"]')
    page.until(lambda: "state=" in page.browser.current_url)
    page.shows(distance="0 solved", near=[])
    page.choose("#towards", "", distance="1 move to go", near=["U'", "D'"])
    page.find("#only").send_keys("R F2", Keys.ENTER)  # keys that would turn the cube elsewhere
    page.until(lambda: "no moves lead" in page.seen.message)
    assert "moves=R+F2" in page.browser.current_url
    page.refresh()
    page.until(lambda: "no moves lead" in page.seen.message)
    page.find("#only").clear()
    page.find("#only").send_keys(Keys.ENTER)
    page.shows(distance="1 move to go", near=["U'", "D'"])


def test_leaving_a_search_for_training_loses_no_worker(page: Page, client: Client) -> None:
    """Another scramble ends the search for shorter solutions of a far 3x3x3, and so does another page."""
    page.open("rubik")  # ends a search that is left
    for far in range(2):
        client.until("searches", 0)
        page.load(f"rubik?state={cubesolve.puzzle('rubik').random_state(far)}")
        client.until("searches", 1)
        page.name("rubik/train")
        page.choose("#train-step", "cross")
        page.click("#train-next")
        page.until(lambda: page.find("#train-scramble").text)
    page.open("rubik")
    client.until("searches", 0)
    client.until("busy", 0)
    health = client.get("/api/health").content
    assert (health["status"], health["lost"]) == ("ok", 0)
    assert client.ask("depth", puzzle="rubik", state="R U F", format="alg").content["depth"] == 3


@pytest.mark.exhaustive
def test_a_step_is_trained(page: Page) -> None:
    page.open("pyraminx/train")
    pyraminx = cubesolve.puzzle("pyraminx")
    page.choose("#train-step", "layer")
    page.click("#train-next")
    page.until(lambda: page.find("#train-scramble").text)
    page.write("#train-depth", "99", enter=False)
    page.click("#train-next")
    page.until(lambda: page.seen.message.startswith("No state has depth 99"))
    page.write("#train-depth", "3")
    before = page.seen.state
    page.click("#train-next")
    page.until(lambda: page.seen.state != before and page.seen.message == "")
    scramble = page.find("#train-scramble").text
    assert page.seen.state == str(pyraminx.parse(scramble))
    page.browser.execute_script("document.activeElement.blur()")
    ActionChains(page.browser).send_keys(Keys.SPACE).perform()
    page.until(lambda: page.find("#train-scramble").text != scramble and page.seen.message == "")
    page.until(lambda: page.seen.state == str(pyraminx.parse(page.find("#train-scramble").text)))
    # Of the optimal algs to the layer, that is shown which leads to the shortest solution.
    hints = {f"layer 3 moves: {alg.split()[0]} …" for alg in pyraminx.towards("layer").solutions(page.seen.state)}
    page.click("#train-hint")
    page.until(lambda: page.find("#train-solution").text in hints)
    first = page.find("#train-solution").text.split()[-2]
    page.click("#train-show")
    page.until(lambda: len(page.all("#train-solution li")) == 3)
    begun = page.seen.state
    page.click("#train-solution button", state=str(pyraminx.parse(begun).apply(first)))


@pytest.mark.exhaustive
def test_cases_are_chosen_and_their_algs_played(page: Page) -> None:
    page.open("pyraminx/cases")
    pyraminx = cubesolve.puzzle("pyraminx")
    page.choose("#cases-set", "l3e")
    cases = pyraminx.cases("l3e")
    page.until(lambda: len(page.all("#cases-list button")) == len(cases))
    page.click('#cases-list button[value="2"]')
    page.until(lambda: page.seen.state == str(cases["2"].state) and page.all("#cases-algs button"))
    assert page.find('#cases-list button[value="2"]').get_attribute("aria-pressed") == "true"
    page.click("#cases-next")
    page.until(lambda: page.find("#cases-scramble").text)
    assert cases.find(page.find("#cases-scramble").text).name == "2"
    drawn = page.seen.state
    page.click("#cases-algs button")
    page.until(lambda: page.seen.state not in {drawn, str(cases["2"].state)})  # a move has been played


@pytest.mark.exhaustive
def test_a_scramble_for_an_event(page: Page) -> None:
    page.open("pocket/events")
    page.until(lambda: page.find("#event").text)
    assert Select(page.find("#event")).first_selected_option.text == "2x2x2 Cube"
    page.choose("#event", "skewb")
    assert str(page.find("#event-sheet").get_attribute("href")).endswith("api/sheet?event=skewb")
    page.click("#event-next")
    page.until(lambda: page.find("#event-scramble").text)
    state = page.seen.state
    assert state == str(cubesolve.puzzle("skewb").parse(page.find("#event-scramble").text))
    assert "#skewb/events?state=" in page.browser.current_url
    page.name("skewb/train")
    page.until(lambda: page.find("#train-next").is_displayed() and not page.find("#event").is_displayed())
    page.refresh()
    page.until(lambda: page.seen.state == state and page.find("#train-next").is_displayed())


@pytest.mark.exhaustive
def test_a_solution_is_analysed(page: Page) -> None:
    page.open("pocket/analyse")
    page.write("#analyse-scramble", "R U2 F", enter=False)
    page.write("#analyse-solution", "F")
    page.click("#analyse-form button")
    page.until(lambda: page.seen.message.startswith("The alg does not solve the state: it lacks "))
    page.write("#analyse-solution", "F' U U R'")
    page.write("#analyse-steps", "first-layer,solved")
    page.until(lambda: len(page.all("#analysis .positions button")) == 5)
    buttons = page.all("#analysis .positions button")
    told = [button.accessible_name for button in buttons]
    assert told == ["start: 3 left", "F': 2 left", "U, lost: 2 left", "U: 1 left", "R': 0 left"]
    page.click(buttons[1], state=str(PocketCube.from_alg("R U2")))
    assert page.find("#analysis [aria-current]").text.startswith("F'")


@pytest.mark.parametrize("name", ["rolling", *map(later, ("rubik", "rubik/analyse", "rubik/cases"))])
def test_a_narrow_screen(page: Page, name: str) -> None:
    page.screen(width=320, height=640, mobile=True)
    page.open(name)
    assert page.browser.execute_script("return document.documentElement.scrollWidth") == 320
    assert all(left >= 0 and right <= 320 for left, right in page.call("sides", "button, select, input"))
    for scheme, colour in (("light", "rgb(244, 245, 247)"), ("dark", "rgb(23, 25, 29)")):
        page.prefer("prefers-color-scheme", scheme)
        assert page.browser.execute_script("return getComputedStyle(document.body).backgroundColor") == colour


@pytest.mark.exhaustive
def test_everything_by_keyboard(page: Page) -> None:
    page.open("pocket")
    page.keys("r", state=str(PocketCube.from_alg("R")))
    ActionChains(page.browser).key_down(Keys.SHIFT).send_keys("u").key_up(Keys.SHIFT).perform()
    page.shows(state=str(PocketCube.from_alg("R U'")))
    page.keys(Keys.BACKSPACE, distance="1 move to go")
    page.call("recordFocus")
    page.keys(*[Keys.TAB] * 40)
    reached = page.browser.execute_script("return window.reached")
    for name in ("puzzle", "file", "hint", "solve", "undo", "reset", "U", "F'", "depth", "random", "U1", "text"):
        assert name in reached
    assert reached[reached.index("only") :][:3] == ["only", "U", "U1"]  # one colour, one facelet
    page.browser.execute_script("arguments[0].focus()", page.find(page.facelet("U1")))
    page.keys(Keys.ARROW_RIGHT, Keys.ARROW_DOWN)
    assert page.browser.switch_to.active_element.get_attribute("value") == "U4"
    page.keys("2", Keys.SPACE)
    page.until(lambda: page.find(page.facelet("U4")).accessible_name.startswith("U4, red"))
    page.open("rolling")
    page.keys(Keys.ARROW_UP, state=str(Tray.start((1, 1)).apply("U")))


NAMED = {"button", "checkbox", "combobox", "group", "image", "link", "radio", "radiogroup", "spinbutton", "textbox"}
"""The roles of elements that must have names."""


@pytest.mark.parametrize("name", ["pocket", "rolling"])
def test_what_a_screen_reader_hears(page: Page, name: str) -> None:
    page.open(name)
    nodes = page.browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    heard = [(node["role"]["value"], node["name"]["value"].strip()) for node in nodes if not node["ignored"]]
    assert {"button", "combobox", "textbox", "image", "region", "group"} < {role for role, _ in heard}
    assert not [role for role, name in heard if role in NAMED and not name]
    shown = "return [...document.querySelectorAll('section')].filter((each) => each.checkVisibility()).length"
    assert page.browser.execute_script(shown) == sum(role == "region" for role, _ in heard)  # those that have names
    assert page.find("#distance").get_attribute("aria-live") == "polite"
    assert page.find("#message").get_attribute("role") == "alert"
    if name == "pocket":
        assert page.find(page.facelet("F1")).accessible_name == "F1, green"
        assert page.find("#palette button").aria_role == "radio"
        page.click('#moves button[value="R"]')
        page.until(lambda: page.find('#moves button[value="R\'"]').accessible_name == "R', decreases the distance")
    else:
        names = [name for role, name in heard if role == "button" and ", column" in name]
        assert names[:2] == ["vacancy, column 1, row 1", "WB, column 2, row 1: roll it left"]


@pytest.mark.parametrize(
    "name",
    [
        "pancake-5",  # which has no 3D model
        *map(later, ("ivy", "tiles-2x3", "floppy", "pyraminx-duo", "topspin-8-4", "tower", "pyramorphix")),
    ],
)
def test_every_puzzle_is_shown(page: Page, name: str) -> None:
    page.open(name)
    assert page.all("#stage canvas") or page.find("#picture").accessible_name == page.seen.state
    page.click("#random")
    page.until(lambda: re.match(r"\d", page.seen.distance))


FAR_ALG = "L2 F R2 D2 U2 B' D2 F' L2 D2 U L' R' D2 B' D R F2 L2 F"
FAR = cubesolve.RubikCube.from_alg(FAR_ALG)
FINDING_LITTLE = """
import time
from cubesolve.errors import SearchLimitError
from cubesolve.runtime.deadline import check
from cubesolve.web import answers, worker
whole = answers.improvements

def improvements(puzzle, fields):
    if fields["state"] != {state!r}:
        yield from whole(puzzle, fields)
        return
    for moves, at_least, alg in ((21, 9, {shortest!r}[:-2] + "L L"), (20, 10, {shortest!r})):
        yield {{"moves": moves, "at_least": at_least, "proved": False, "solution": alg}}
    {search}
    raise SearchLimitError(10, "after 5 s", alg)

answers.improvements = improvements
worker.main()
"""


@pytest.fixture(params=["pass"])
def little(page: Page, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Page]:
    """The page with a server that finds two solutions of a cube, executes a statement, and proves neither optimal."""
    code = FINDING_LITTLE.format(state=str(FAR), shortest=invert_alg(FAR_ALG), search=request.param)
    monkeypatch.setattr(searches, "_COMMAND", (sys.executable, "-c", code))
    with running() as client:
        page.address = client.address
        page.open("rubik")
        yield page
        page.browser.get("about:blank")  # before the server ends


@pytest.mark.exhaustive
def test_a_far_cube_has_a_solution_at_once_that_gets_better(little: Page) -> None:
    little.record("distance")
    little.write("#text", FAR_ALG)
    little.shows(message="Not proved optimal in time", distance="20 moves to go or fewer, at least 10")
    lengths = [int(words.split()[0]) for words in little.recorded if "or fewer" in words]
    assert (lengths[0], lengths[-1], lengths) == (21, 20, sorted(lengths, reverse=True))
    little.click("#solve")
    little.until(lambda: little.solution)
    assert FAR.apply(" ".join(little.solution)).is_solved
    little.click("#reset", distance="0 solved")


@pytest.mark.exhaustive
@pytest.mark.parametrize("little", ["while not check(): time.sleep(0.01)"], indirect=True)
def test_a_hint_and_a_scramble_do_not_wait_for_the_search(little: Page) -> None:
    little.call("wait", PATIENCE)
    little.write("#text", FAR_ALG, distance="20 moves to go or fewer, at least 10…", near=[])
    little.click("#hint", message="F' begins the shortest solution known", near=[])
    little.click("#random")
    little.until(lambda: little.find("#random-scramble").text)
    assert little.seen.state == str(cubesolve.RubikCube.from_alg(little.find("#random-scramble").text))
