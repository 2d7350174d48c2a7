"""The page without a server, opened from a folder without a network, answers as the server does."""

from __future__ import annotations

import functools
import http.server
import random
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Chrome

import cubesolve
from cubesolve.web import offline
from cubesolve.web.served import Served
from tests.browser import complaints
from tests.facts import DATA
from tests.processes import run_python
from tests.web import playground
from tests.web.playground import answered, ask, compare_goals, opened, random_cubes, requests, without_network
from tests.web.test_page import Page, to_go

folder, names, served = playground.folder, playground.names, playground.served


@pytest.fixture
def page(browser: Chrome, folder: Path) -> Iterator[Page]:
    with without_network(browser, folder) as page:
        yield page


def test_it_draws_and_solves(page: Page, names: list[str]) -> None:
    page.open("pyraminx-duo")
    titles = [cubesolve.puzzle(name).title for name in names]
    assert [option.text for option in page.all("#puzzle option")] == [title[0].upper() + title[1:] for title in titles]
    assert not page.find("#modes").is_displayed()
    assert "run cubesolve serve" in page.find("#limits").text
    assert not page.find("#file").is_displayed()
    assert not page.find("#only").is_displayed()
    page.click('#moves button[value="R"]')
    page.shows(distance="1 move to go", near=["R'"])
    page.write("#text", "R U' L")
    page.shows(distance="3 moves to go")
    page.click("#solve")
    page.shows(distance="0 solved", solve="Solve")
    page.write("#text", "R Q")
    page.until(lambda: page.message)
    assert page.message.startswith("'Q' (character 3) is not a move")
    page.browser.execute_script("crypto.getRandomValues = (numbers) => numbers.fill(2 ** 31)")  # not the solved state
    page.click("#random")
    page.until(lambda: page.find("#random-scramble").text)
    state = page.state
    assert state == str(cubesolve.puzzle("pyraminx-duo").parse(page.find("#random-scramble").text, "alg"))
    page.browser.refresh()
    page.shows(state=state)
    page.load("tiles-2x3")
    page.shows(distance="0 solved", title="Sliding tiles, 2x3")
    assert complaints(page.browser) == []


@pytest.fixture
def site(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, Callable[[], None]]]:
    """Serve the folder; yield the address, and a function that ends the server."""
    monkeypatch.setattr(http.server.SimpleHTTPRequestHandler, "log_message", lambda *_: None)
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()

        def end() -> None:
            server.shutdown()
            thread.join()
            server.server_close()

        yield f"http://127.0.0.1:{server.server_port}/", end
        end()


def test_all_moves_that_decrease_the_distance_have_an_arrow(page: Page) -> None:
    """Other moves lead to the same state up to rotation; a server lists one of them."""
    page.open("tower")
    tower = cubesolve.puzzle("tower")
    moves = [str(button.get_attribute("value")) for button in page.all("#moves button")]
    assert len(moves) > len(tower.moves)
    page.write("#text", "R2")
    page.shows(distance="1 move to go")
    state = tower.parse("R2", "alg")
    near = [move for move in moves if tower.depth(state.apply(move)) == 0]
    assert len(near) == 2
    page.shows(near=near)


@pytest.mark.exhaustive
def test_distances_in_another_metric_and_random_states_at_a_depth(page: Page, served: Served) -> None:
    tower, rng = cubesolve.puzzle("tower"), random.Random(2)
    states = [{"puzzle": "tower", "format": "pieces", "state": str(tower.random_state(rng))} for _ in range(3)]
    ask(opened(page), served, [("depth", {**about, "metric": "qtm"}) for about in states])
    page.open("tower?metric=qtm")
    page.click('#moves button[value="U2"]')
    page.shows(distance="2 quarter turns to go", near=["U", "U'"])
    page.choose("#metric", "htm")
    for depth in (1, len(tower.distribution()) - 1, 6):  # few states are at the first two
        page.choose("#depth", str(depth))
        page.click("#random")
        page.shows(distance=to_go(depth))


@pytest.mark.exhaustive
def test_distances_to_a_goal(page: Page) -> None:
    pyraminx = cubesolve.puzzle("pyraminx")
    page.open("pyraminx?towards=layer")
    for seed in range(3):
        alg, goal = pyraminx.scramble(seed), pyraminx.towards("layer")
        page.write("#text", alg)
        state = pyraminx.parse(alg, "alg")
        page.shows(distance=to_go(goal.depth(state)), state=str(state))


def test_a_site_works_without_a_network_after_the_first_visit(
    browser: Chrome, site: tuple[str, Callable[[], None]]
) -> None:
    address, end = site
    page = Page(browser, address)
    page.open("pyraminx-duo")
    browser.execute_async_script("const [done] = arguments; navigator.serviceWorker.ready.then(() => done());")
    end()
    page.open("ivy")
    page.click('#moves button[value="R"]')
    page.shows(distance="1 move to go", near=["R'"])
    unregister = "navigator.serviceWorker.ready.then((worker) => worker.unregister()).then(done);"
    browser.execute_async_script(f"const [done] = arguments; {unregister}")  # others may get this port


def test_a_puzzle_that_is_not_there(page: Page) -> None:
    page.load("nothing")
    page.until(lambda: page.message)
    assert "Unknown puzzle" in page.message


@pytest.mark.exhaustive
def test_the_puzzle_that_was_chosen_last_is_shown(page: Page) -> None:
    page.open("pyraminx-duo")
    page.record("message")
    page.await_("hurry", ["ivy", "pancake-5"])
    page.until(lambda: page.seen["title"] == cubesolve.puzzle("pancake-5").title)
    assert not any(page.recorded)
    assert page.browser.execute_script("return location.hash").startswith("#pancake-5")
    assert complaints(page.browser) == []


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "distance"), [("rubik", "0 solved"), ("rolling", "looking\u2026")])
def test_a_worker_that_derives_a_table_ends_when_another_puzzle_is_chosen(page: Page, name: str, distance: str) -> None:
    """The solved state of a puzzle with a search does not wait for the worker."""
    page.open("pancake-5")
    page.call("occupy")  # the next worker never answers
    page.name(name)
    title = cubesolve.puzzle(name).title
    page.shows(distance=distance, title=title[0].upper() + title[1:])
    page.name("pancake-5")
    page.shows(title="5 pancakes", distance="0 solved", message="")
    page.until(lambda: page.browser.execute_script("return window.hasEnded"))
    page.name(name)
    page.shows(distance="0 solved", title=title[0].upper() + title[1:], message="")
    page.click("#random")
    page.until(lambda: " to go" in page.distance)
    assert complaints(page.browser) == []


def test_an_error_is_in_sight_on_a_phone(page: Page) -> None:
    page.screen(width=390, height=400, mobile=True)
    page.open("pyraminx-duo/analyse")  # which needs a server
    page.write("#text", "R Q", enter=False)
    page.browser.execute_script("scrollTo(0, 9999); document.getElementById('text-form').requestSubmit()")
    page.until(lambda: page.message.startswith("'Q' (character 3) is not a move"))
    page.until(lambda: page.call("isInSight", "#message"))
    page.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def written(browser: Chrome, folder: Path, *names: str) -> Page:
    """Write a page with some puzzles, or with all, and open it."""
    offline.write_page(folder / "site", names or offline.PUZZLES)
    return opened(Page(browser, (folder / "site" / "index.html").as_uri()))


def test_tips_turn_alone(browser: Chrome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(DATA)
    monkeypatch.setattr(offline, "AT_ONCE", 100)
    page = written(browser, tmp_path, "tips.tws")
    puzzle, rng = cubesolve.puzzle("tips.tws"), random.Random(1)
    states = [puzzle.random_state(rng) for _ in range(20)]
    about = [{"puzzle": "tips.tws", "state": str(state), "format": "pieces"} for state in states]
    found = answered(page, [(kind, each) for each in about for kind in ("depth", "solve", "moves")])
    for state, (depth, solved, moves) in zip(states, zip(*[iter(found)] * 3, strict=True), strict=True):
        assert depth["depth"] == puzzle.depth(state) == len(solved["solution"].split())
        assert state.apply(solved["solution"]).is_solved
        assert {*moves["moves"]} == {*puzzle.optimal_moves(state)}
    depths = range(len(puzzle.distribution()))
    drawn = answered(page, [("scramble", {"puzzle": "tips.tws", "depth": depth}) for depth in depths])
    assert [puzzle.depth(each["scramble"]) for each in drawn] == [*depths]
    (other,) = answered(page, [("scramble", {"puzzle": "tips.tws"})])
    assert puzzle.parse(other["scramble"], "alg")


@pytest.mark.exhaustive
def test_other_goals_of_the_3x3x3(browser: Chrome, tmp_path: Path) -> None:
    goals = "x-cross-FR x-cross x-cross-any xx-cross last-slot-FR first-layer roux-block roux-blocks"
    compare_goals(written(browser, tmp_path, "rubik"), random_cubes(2), goals.split())


@pytest.mark.exhaustive
def test_all_puzzles_of_the_site(browser: Chrome, tmp_path: Path, served: Served) -> None:
    names = [name for name in offline.PUZZLES if name not in {"rubik", "rolling"}]
    ask(written(browser, tmp_path), served, [request for name in names for request in requests(name, 20)])


def test_the_site_has_a_button_that_opens_the_page(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<p>Before</p><!-- playground --><p>After</p>")
    docs = Path(__file__).parents[2] / "docs"
    assert all("<!-- playground -->" in (docs / page).read_text() for page in ("index.md", "engineers.md"))
    script = str(Path(__file__).parents[2] / "scripts" / "playground.py")
    arguments = [script, str(tmp_path / "playground"), "pancake-5"]
    done = run_python(f"import runpy, sys; sys.argv = {arguments}; runpy.run_path({script!r}, run_name='__main__')")
    assert done.returncode == 0, done.stderr
    (link,) = re.findall('href="([^"]*)"', (tmp_path / "index.html").read_text())
    assert (tmp_path / link).is_file()


def test_names_of_files_in_other_folders_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="in the current folder"):
        offline.write_page(tmp_path / "site", ["../made.tws"])
    assert not (tmp_path / "site").exists()
