"""The page without a server, opened from a folder without a network, answers as the server does."""

from __future__ import annotations

import copy
import functools
import http.server
import itertools
import json
import random
import re
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome

import cubesolve
from cubesolve.embedding.embedded import without_table
from cubesolve.web import answers, offline
from cubesolve.web.served import Served
from cubesolve.web.worker import reply
from tests.browser import complaints
from tests.facts import DATA
from tests.once import once
from tests.patience import PATIENCE
from tests.processes import ROOT, run_python
from tests.web.test_page import Page, to_go


@pytest.fixture(scope="session")
def names(pytestconfig: pytest.Config) -> list[str]:
    """The puzzles of the page; only exhaustive tests ask about the Pyraminx, which has goals."""
    # Parts of the Ivy cube turn in place, pancakes have a width, the tower has moves that are others up to rotation.
    names = ["pyraminx-duo", "tiles-2x3", "ivy", "pancake-5", "tower", "pyraminx", "rubik", "rolling"]
    return [name for name in names if name != "pyraminx" or pytestconfig.option.markexpr != "not exhaustive"]


@pytest.fixture(scope="session")
def folder(shared: Path, names: list[str]) -> Path:
    """The folder with the page, which all workers share."""
    made = shared / "playground"
    once(shared / "playground.done", functools.partial(write_site, made, names))
    return made


def write_site(folder: Path, names: list[str]) -> None:
    """Write the page with some puzzles, and few goals of the 3x3x3: all would take longer."""
    view: Any = cubesolve.puzzle("rubik").rules.view
    named = view.named_steps
    some = named._replace(
        goals={name: named.goals[name] for name in ("cross-F", "eo", "eo-any", "dr", "dr-RL", "dr-any", "f2l", "oll")}
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(vars(view), "named_steps", some)
        offline.write_page(folder, names)


Request = tuple[str, dict[str, Any]]


def requests(name: str, walks: int) -> list[Request]:
    """Return requests about random states of a puzzle, and invalid requests."""
    puzzle, rng, asked = cubesolve.puzzle(name), random.Random(1), list[Request]()
    form = "urfdlb" if name == "pocket" else "pieces"
    is_alike = name not in {"pocket", "pyraminx-tips"}  # whose moves are tried in another order
    optimal = ["depth", "moves", "solve"] if is_alike else ["depth"]
    for _ in range(walks):
        state = puzzle.random_state(rng)
        about = {"puzzle": name, "state": str(state), "format": form}
        asked += [(kind, about) for kind in optimal]
        asked.append(("play", {**about, "alg": puzzle.solve(state)}))
        asked.append(("play", {"puzzle": name, "state": puzzle.alg(state), "format": "alg"}))
    if puzzle.rules.view.scene(puzzle.rules.view.solved(None)) is not None and name != "pocket":
        asked.append(("motions", about))
    return [*asked, ("depth", {**about, "state": "nonsense"}), ("play", {**about, "alg": "nonsense"})]


def ask(page: Page, served: Served, asked: list[Request]) -> None:
    """Compare the answers of the page with those of a server."""
    for (kind, fields), answer in zip(asked, answered(page, asked), strict=True):
        given = {{"format": "form"}.get(name, name): value for name, value in fields.items() if name != "puzzle"}
        question = {"kind": kind, "chosen": [fields["puzzle"]], "fields": given, "seconds": PATIENCE}
        status, _, expected = reply(served, question)
        expected = json.loads(json.dumps(expected))
        if status != 200:
            assert answer == {"error": status}
        else:
            assert answer
            if kind == "moves":  # the page also has moves that are others up to rotation
                alike = answers.buttons(cubesolve.puzzle(fields["puzzle"]))
                answer["moves"] = sorted({alike[move] for move in answer["moves"]})
                expected["moves"] = sorted(expected["moves"])
            if kind == "motions":  # the page also has moves that are others up to rotation, in another order
                motions = {motion["move"]: motion for motion in answer["motions"]}
                answer["motions"] = [motions[motion["move"]] for motion in expected["motions"]]
            assert drawn(answer) == drawn({name: expected[name] for name in answer}), (kind, fields)


def drawn(answer: dict[str, Any]) -> dict[str, Any]:
    """Normalize an answer: sort its parts, and begin polygons with their least corner."""
    answer = copy.deepcopy(answer)
    scene, steps = answer.pop("scene", None) or {"parts": []}, answer.get("steps", [])
    parts = [sorted((sorted(side["corners"]), side["colour"] or "") for side in part) for part in scene["parts"]]
    order = {number: rank for rank, number in enumerate(sorted(range(len(parts)), key=parts.__getitem__))}
    for cell in (cell for step in steps for cell in step.get("cells") or []):
        cell["outline"].sort()
    for motion in (*answer.get("motions", []), *(step["motion"] for step in steps if step.get("motion"))):
        motion["parts"] = sorted(order[number] for number in motion["parts"])
    return {**answer, "parts": sorted(parts)}


@pytest.fixture
def served(tmp_path: Path) -> Served:
    return Served({}, str(tmp_path))


def answered(page: Page, asked: list[Request]) -> Any:
    """Return the answers of the page that is open."""
    return json.loads(page.await_("ask", asked))


def random_cubes(number: int) -> list[cubesolve.RubikCube]:
    """Random cubes, held in different ways."""
    puzzle, rng = cubesolve.puzzle("rubik"), random.Random(1)
    return [puzzle.random_state(rng).apply(rng.choice(["", "x", "y'", "x2 z"])) for _ in range(number)]


def opened(page: Page) -> Page:
    """Open the page, with its first puzzle."""
    page.browser.get(page.address)
    return page


def choose(page: Page, where: str, distance: str = "0 solved", **expected: str) -> None:
    """Show a puzzle in the same document."""
    title = cubesolve.puzzle(where.partition("?")[0]).title
    page.name(where, distance=distance, title=title[0].upper() + title[1:], **expected)


def compare_goals(page: Page, states: Iterable[cubesolve.RubikCube], goals: Iterable[str]) -> None:
    """Compare the solutions to goals that the page searches for, in both metrics, with the distances of Python."""
    rubik, asked = cubesolve.puzzle("rubik"), list[Request]()
    for state, goal, metric in itertools.product(map(str, states), goals, ("htm", "qtm")):
        about = {"puzzle": "rubik", "state": state, "format": "urfdlb", "goal": goal, "metric": metric}
        asked.append(("solve", about))
    for (_, fields), answer in zip(asked, answered(page, asked), strict=True):
        towards, cube = rubik.towards(fields["goal"]), rubik.parse(fields["state"])
        assert len(answer["solution"].split()) == towards.depth(cube, metric=fields["metric"]), fields
        assert towards.depth(cube.apply(answer["solution"])) == 0


# -- Tests, each with a page of its own --------------------------------------------------------------------------------


@pytest.fixture
def page(browser: Chrome, folder: Path) -> Iterator[Page]:
    """The page in a browser that has no network."""
    browser.execute_cdp_cmd("Network.enable", {})
    conditions = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    browser.execute_cdp_cmd("Network.emulateNetworkConditions", {**conditions, "offline": True})
    page = Page(browser, (folder / "index.html").as_uri())
    page.prefer("prefers-reduced-motion", "reduce")
    yield page
    browser.execute_cdp_cmd("Network.emulateNetworkConditions", {**conditions, "offline": False})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_it_draws_and_solves(page: Page, names: list[str]) -> None:
    page.open("pyraminx-duo")
    titles = [cubesolve.puzzle(name).title for name in names]
    assert [option.text for option in page.all("#puzzle option")] == [title[0].upper() + title[1:] for title in titles]
    assert not page.find("#modes").is_displayed()
    assert "run cubesolve serve" in page.find("#limits").text
    assert not page.find("#file").is_displayed()
    assert not page.find("#only").is_displayed()
    page.click('#moves button[value="R"]', distance="1 move to go", near=["R'"])
    page.write("#text", "R U' L", distance="3 moves to go")
    page.click("#solve", distance="0 solved", solve="Solve")
    page.write("#text", "R Q")
    page.until(lambda: page.seen.message)
    assert page.seen.message.startswith("'Q' (character 3) is not a move")
    page.browser.execute_script("crypto.getRandomValues = (numbers) => numbers.fill(2 ** 31)")  # not the solved state
    page.click("#random")
    page.until(lambda: page.find("#random-scramble").text)
    state = page.seen.state
    assert state == str(cubesolve.puzzle("pyraminx-duo").parse(page.find("#random-scramble").text, "alg"))
    page.refresh(state=state)
    page.load("tiles-2x3", distance="0 solved", title="Sliding tiles, 2x3")
    page.load("nothing")
    page.until(lambda: "Unknown puzzle" in page.seen.message)
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
    page.write("#text", "R2", distance="1 move to go")
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
    page.click('#moves button[value="U2"]', distance="2 quarter turns to go", near=["U", "U'"])
    page.choose("#metric", "htm")
    for depth in (1, len(tower.distribution()) - 1, 6):  # few states are at the first two
        page.choose("#depth", str(depth))
        page.click("#random", distance=to_go(depth))


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
    page.click('#moves button[value="R"]', distance="1 move to go", near=["R'"])
    unregister = "navigator.serviceWorker.ready.then((worker) => worker.unregister()).then(done);"
    browser.execute_async_script(f"const [done] = arguments; {unregister}")  # others may get this port


@pytest.mark.exhaustive
def test_the_puzzle_that_was_chosen_last_is_shown(page: Page) -> None:
    page.open("pyraminx-duo")
    page.record("message")
    page.await_("hurry", ["ivy", "pancake-5"])
    page.until(lambda: page.seen.title == cubesolve.puzzle("pancake-5").title)
    assert not any(page.recorded)
    assert page.browser.execute_script("return location.hash").startswith("#pancake-5")
    assert complaints(page.browser) == []


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "distance"), [("rubik", "0 solved"), ("rolling", "looking\u2026")])
def test_a_worker_that_derives_a_table_ends_when_another_puzzle_is_chosen(page: Page, name: str, distance: str) -> None:
    """The solved state of a puzzle with a search does not wait for the worker."""
    page.open("pancake-5")
    page.call("occupy")  # the next worker never answers
    choose(page, name, distance)
    choose(page, "pancake-5", message="")
    page.until(lambda: page.browser.execute_script("return window.hasEnded"))
    choose(page, name, message="")
    page.click("#random")
    page.until(lambda: " to go" in page.seen.distance)
    assert complaints(page.browser) == []


def test_an_error_is_in_sight_on_a_phone(page: Page) -> None:
    page.screen(width=390, height=400, mobile=True)
    page.open("pyraminx-duo/analyse")  # which needs a server
    page.write("#text", "R Q", enter=False)
    page.browser.execute_script("scrollTo(0, 9999); document.getElementById('text-form').requestSubmit()")
    page.until(lambda: page.seen.message.startswith("'Q' (character 3) is not a move"))
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
    assert all("<!-- playground -->" in (ROOT / "docs" / page).read_text() for page in ("index.md", "engineers.md"))
    script = str(ROOT / "scripts" / "playground.py")
    arguments = [script, str(tmp_path / "playground"), "pancake-5"]
    done = run_python(f"import runpy, sys; sys.argv = {arguments}; runpy.run_path({script!r}, run_name='__main__')")
    assert done.returncode == 0, done.stderr
    (link,) = re.findall('href="([^"]*)"', (tmp_path / "index.html").read_text())
    assert (tmp_path / link).is_file()


def test_names_of_files_in_other_folders_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="in the current folder"):
        offline.write_page(tmp_path / "site", ["../made.tws"])
    assert not (tmp_path / "site").exists()


# -- Puzzles are solved whose tables a worker derives; one document keeps these for all of these tests -----------------


@pytest.fixture
def kept(page: Page) -> Iterator[Page]:
    """The page in a document that stays open from test to test, and with it the tables that workers have derived."""
    if not page.browser.execute_script("return window.isKept"):
        page.open("pyraminx-duo")
        page.browser.execute_script("window.isKept = true")
    choose(page, "pyraminx-duo")
    yield page
    assert complaints(page.browser) == []


@pytest.mark.exhaustive
def test_goals_of_the_3x3x3(kept: Page) -> None:
    rubik = cubesolve.puzzle("rubik")
    choose(kept, "rubik?towards=eo")
    assert [option.text.split(":")[0] for option in kept.all("#towards option")][-2:] == ["f2l", "other goals"]
    kept.write("#text", "F R U x D F", distance=f"{rubik.towards('eo').depth('F R U x D F')} moves to go")
    kept.name("rubik?towards=oll")  # which has too many states, and does not solve pieces
    kept.shows(distance="0 solved", message="Unknown goal \u201coll\u201d without a server")
    kept.name("rubik?moves=R2 U", distance="0 solved", message="Unknown moves \u201cR2 U\u201d without a server")


@pytest.mark.exhaustive
def test_goals_of_the_3x3x3_are_searched_for(kept: Page) -> None:
    rubik, rng = cubesolve.puzzle("rubik"), random.Random(1)
    near = rubik.parse("x F2 R U' L", "alg")
    compare_goals(kept, [near, rubik.random_state(rng)], ("cross-F", "eo"))
    compare_goals(kept, [near], ("f2l", "dr-RL", "dr-any"))
    choose(kept, "rubik?towards=cross-F&metric=qtm")
    kept.write("#text", "R2 F U")
    kept.shows(distance=f"{rubik.towards('cross-F').depth('R2 F U', metric='qtm')} quarter turns to go", near=["U'"])


@pytest.mark.exhaustive
def test_the_3x3x3_in_quarter_turns(kept: Page) -> None:
    cubes = [cubesolve.RubikCube.from_alg("x R2 U F'"), *random_cubes(2)]
    asked = [("solve", {"puzzle": "rubik", "state": str(cube), "format": "urfdlb", "metric": "qtm"}) for cube in cubes]
    for cube, answer in zip(cubes, answered(kept, asked), strict=True):
        assert cube.apply(answer["solution"]).is_solved, cube
        assert not re.search("2", answer["solution"])
        assert answer["at_least"] <= answer["moves"] == len(answer["solution"].split()) <= 30
        assert (answer["moves"] - answer["at_least"]) % 2 == 0  # all solutions of a cube are odd, or all are even
    choose(kept, "rubik?metric=qtm")
    kept.write("#text", "R2 U F2 x L", distance="6 quarter turns to go, proved shortest", near=["L'"])


@pytest.mark.exhaustive
def test_the_3x3x3_is_solved_by_two_phases(kept: Page, served: Served) -> None:
    cubes = random_cubes(100)
    renamed = [str(cubes[0]).translate(str.maketrans("URFDLB", colours)) for colours in ("WRGYOB", "RUFDLB")]
    solved = [cubesolve.RubikCube.solved(), *cubes, *map(cubesolve.RubikCube, renamed)]
    asked = [("solve", {"puzzle": "rubik", "state": str(cube), "format": "urfdlb"}) for cube in solved]
    for cube, answer in zip(solved, answered(kept, asked), strict=True):
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
    ask(kept, served, asked)


def swapped(text: str, *places: int) -> str:
    """Move the symbol at each place to the one before it, and the first to the last."""
    symbols = list(text)
    for place, symbol in zip(places, [text[each] for each in (*places[1:], places[0])], strict=True):
        symbols[place] = symbol
    return "".join(symbols)


def test_wrong_facelets_are_those_of_python(kept: Page) -> None:
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
        found = kept.call("read", without_table(puzzle).description, facelets, [*known, *wrong])
        for each, (text, _) in zip(known, found, strict=False):
            assert puzzle.depth(puzzle.parse(text)) == puzzle.depth(puzzle.parse(each)) == 3
        for each, (message, places) in zip(wrong, found[len(known) :], strict=True):
            with pytest.raises(cubesolve.InvalidStateError) as caught:
                puzzle.parse(each)
            assert (message, tuple(places)) == (str(caught.value), tuple(caught.value.facelets)), each


def test_wrong_facelets_are_marked(kept: Page) -> None:
    choose(kept, "rubik")
    kept.paint(("U9", "F"))
    kept.shows(message="Each of six colours occurs 9 times on a cube, but white 8 times and green 10 times")
    assert {value[0] for value in kept.values("#net button[aria-invalid=true]")} == {"F", "U"}
    kept.paint(("F3", "U"))
    kept.until(lambda: kept.seen.message.startswith("Corner URF (facelets U9 R1 F3) shows green red white"))
    assert kept.values("#net button[aria-invalid=true]") == ["U9", "R1", "F3"]


@pytest.mark.exhaustive
def test_a_near_3x3x3_is_solved_optimally(kept: Page) -> None:
    choose(kept, "rubik")
    assert not kept.find("#depth").is_displayed()
    kept.write("#text", "R U' F2 x D L", distance="5 moves to go, proved shortest")
    assert len(kept.seen.near) == 1
    kept.click("#solve", distance="0 solved", solve="Solve")
    kept.click("#random")
    kept.until(lambda: "or fewer" in kept.seen.distance and kept.find("#random-scramble").text)
    assert kept.seen.state == str(cubesolve.RubikCube.solved().apply(kept.find("#random-scramble").text))
    kept.click("#reset", distance="0 solved")
    kept.drag((-65, -10), (3, 80))  # the column in the middle of the side in front
    kept.shows(state=str(cubesolve.RubikCube.solved().apply("M")), distance="2 moves to go, proved shortest")


def test_a_scramble_and_a_hint_do_not_wait_for_the_search(kept: Page) -> None:
    choose(kept, "rubik")
    kept.record("message")
    scrambles = [""]
    for _ in range(2):
        kept.click("#random")
        kept.until(lambda: kept.find("#random-scramble").text not in scrambles and "or fewer" in kept.seen.distance)
        scrambles.append(kept.find("#random-scramble").text)
    kept.click("#hint")
    kept.until(lambda: kept.seen.message.endswith("begins the shortest solution known"))
    assert not any("has ended" in message for message in kept.recorded)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "goals",
    [
        ["E WB WB/WB WB WB/WB WB WB", "WWW/WWW", "WWW/EXE/WWW", "WWW/WWW/WWW"],
        ["RR*/RWW/WWE", "***/***/BBB", "WB WB WB/WB E WB/WB WB *"],  # most trays lead to these
    ],
)
def test_cubes_roll(kept: Page, served: Served, goals: list[str]) -> None:
    starts = ["BR BR RB/WR RW WB/WB WB E", "WB E RW/WB WB WB/BW BW WR", "WB WB WB/WB WB WB/WB WB WR"]
    both = [{"puzzle": "rolling", "state": goal, "start": start} for goal in goals for start in starts]
    asked = [(kind, about) for about in both for kind in ("depth", "moves", "motions", "solve")]
    ask(kept, served, [*asked, ("play", {**both[0], "alg": "RDLU"}), ("play", {**both[0], "alg": "L"})])
    choose(kept, "rolling")
    kept.choose("#depth", "3")
    kept.click("#random", distance="3 rolls to go")
    kept.click("#solve", distance="0 solved", solve="Solve")
