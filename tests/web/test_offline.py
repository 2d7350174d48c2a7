"""The page without a server, opened from a folder without a network, answers as the server does."""

from __future__ import annotations

import functools
import http.server
import json
import random
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome, Keys
from selenium.webdriver.support.ui import Select

import cubesolve
from cubesolve.embedding.embedded import without_table
from cubesolve.embedding.javascript import description
from cubesolve.errors import InvalidDefinitionError
from cubesolve.web import answers, offline
from cubesolve.web.served import Served
from cubesolve.web.worker import reply
from tests.browser import complaints
from tests.patience import PATIENCE
from tests.web.test_page import Page

ASK = """
const [asked, done] = arguments;
const answer = ([path, fields]) => cubesolve.offline.answer(path, fields).catch((error) => ({ error: error.status }));
Promise.all(asked.map(answer)).then((answers) => done(JSON.stringify(answers)));
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("playground")
    view: Any = cubesolve.puzzle("rubik").rules.view
    named = view.named_steps
    some = named._replace(
        goals={name: named.goals[name] for name in ("cross-F", "eo", "eo-any", "f2l", "oll")},
        methods={"CFOP": ("f2l", "oll", "solved")},
        case_sets={"oll": named.case_sets["oll"]},
    )
    with pytest.MonkeyPatch.context() as patch:  # all goals and algs of the 3x3x3 would take longer
        patch.setitem(vars(view), "named_steps", some)
        patch.setattr(offline, "_MOST_CASES", 57)
        offline.write_page(made, NAMES)
    return made


@pytest.fixture
def page(browser: Chrome, folder: Path) -> Iterator[Page]:
    """Open the page without a network."""
    browser.execute_cdp_cmd("Network.enable", {})
    conditions = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    browser.execute_cdp_cmd("Network.emulateNetworkConditions", {**conditions, "offline": True})
    yield Page(browser, (folder / "index.html").as_uri())
    browser.execute_cdp_cmd("Network.emulateNetworkConditions", {**conditions, "offline": False})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


NAMES = [
    "pyraminx-duo",
    "tiles-2x3",
    "ivy",
    "pancake-5",
    "tower",  # which has moves that are others up to rotation
    "pyraminx",  # which has goals and sets of cases
    "rubik",
    "rolling",
    "clock",
    "square1",
]  # the parts of Ivy turn in place, pancakes have a width

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


def compare(page: Page, served: Served, names: list[str], walks: int) -> None:
    ask(page, served, [request for name in names for request in requests(name, walks)])


def ask(page: Page, served: Served, asked: list[Request]) -> None:
    """Compare the answers of the page with those of a server."""
    page.browser.get(page.address)
    found = json.loads(page.browser.execute_async_script(ASK, asked))
    for (kind, fields), answer in zip(asked, found, strict=True):
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
            if kind == "play" and fields["puzzle"] == "clock":  # which the page draws flat
                expected |= {"scene": None, "steps": [{**step, "motion": None} for step in expected["steps"]]}
            assert drawn(answer) == drawn({name: expected[name] for name in answer}), (kind, fields)


def drawn(answer: dict[str, Any]) -> dict[str, Any]:
    """Normalize an answer: sort its parts, and begin polygons with their least corner."""
    scene = answer.get("scene")
    if scene is None:
        parts, order = [], {}
    else:
        parts = [sorted((sorted(side["corners"]), side["colour"] or "") for side in part) for part in scene["parts"]]
        order = {number: rank for rank, number in enumerate(sorted(range(len(parts)), key=parts.__getitem__))}
    steps = [dict(step) for step in answer.get("steps", [])]
    motions = [dict(motion) for motion in answer.get("motions", [])]
    for step in steps:
        step["cells"] = step["cells"] and [{**cell, "outline": sorted(cell["outline"])} for cell in step["cells"]]
        if step["motion"]:
            step["motion"] = dict(step["motion"])
            motions.append(step["motion"])
    for motion in motions:
        motion["parts"] = sorted(order[number] for number in motion["parts"])
    others = {name: value for name, value in answer.items() if name not in {"steps", "motions", "scene"}}
    return {**others, "steps": steps, "motions": motions, "parts": sorted(parts)}


@pytest.fixture
def served(tmp_path: Path) -> Served:
    return Served({}, str(tmp_path))


def test_it_answers_as_the_server_does(page: Page, served: Served) -> None:
    compare(page, served, NAMES[:4], 2)


def test_it_draws_and_solves(page: Page) -> None:
    page.open("pyraminx-duo")
    titles = [cubesolve.puzzle(name).title for name in NAMES]
    assert [option.text for option in page.all("#puzzle option")] == [title[0].upper() + title[1:] for title in titles]
    assert page.find("#modes").text.split() == ["explore", "analyse"]  # it has neither steps nor cases
    page.click('#moves button[value="R"]')
    page.shows(distance="1 move to go", near=["R'"])
    page.write("#text", "R U' L")
    page.shows(distance="3 moves to go")
    page.prefer("prefers-reduced-motion", "reduce")
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
def site(folder: Path) -> Iterator[tuple[str, Callable[[], None]]]:
    """Serve the folder; yield the address, and a function that ends the server."""
    handler = functools.partial(QuietHandler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()

        def end() -> None:
            server.shutdown()
            thread.join()
            server.server_close()

        yield f"http://127.0.0.1:{server.server_port}/", end
        end()


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serves files, and prints nothing."""

    def log_message(self, *_: object) -> None:
        """Print nothing."""


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


def test_distances_in_another_metric_and_random_states_at_a_depth(page: Page, served: Served) -> None:
    tower, rng = cubesolve.puzzle("tower"), random.Random(2)
    states = [{"puzzle": "tower", "format": "pieces", "state": str(tower.random_state(rng))} for _ in range(3)]
    ask(page, served, [("depth", {**about, "metric": "qtm"}) for about in states])
    page.load("tower?metric=qtm")
    page.shows(distance="0 solved")
    page.click('#moves button[value="U2"]')
    page.shows(distance="2 quarter turns to go", near=["U", "U'"])
    Select(page.find("#metric")).select_by_value("htm")
    for depth in (1, len(tower.distribution()) - 1, 6):  # few states are at the first two
        Select(page.find("#depth")).select_by_value(str(depth))
        page.click("#random")
        page.shows(distance=f"{depth} move{'s' * (depth > 1)} to go")


@pytest.mark.exhaustive
def test_distances_to_a_goal(browser: Chrome, tmp_path: Path) -> None:
    offline.write_page(tmp_path / "site", ["pyraminx"])
    page = Page(browser, (tmp_path / "site" / "index.html").as_uri())
    pyraminx = cubesolve.puzzle("pyraminx")
    page.load("pyraminx?towards=layer")
    page.shows(distance="0 solved")
    for seed in range(3):
        alg, goal = pyraminx.scramble(seed), pyraminx.towards("layer")
        page.write("#text", alg)
        state = pyraminx.parse(alg, "alg")
        left = goal.depth(state)
        page.shows(distance=f"{left} move{'s' * (left != 1)} to go" if left else "0 solved", state=str(state))


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


def test_practice_is_that_of_the_server(page: Page, served: Served) -> None:
    asked: list[Request] = [
        ("cases", {"puzzle": "pyraminx", "set": "l3e", "offset": 1, "limit": 100}),
        ("cases", {"puzzle": "pyraminx", "set": "nothing", "offset": 0, "limit": 100}),
        ("cases", {"puzzle": "rubik", "set": "oll", "offset": 0, "limit": 100}),
    ]
    wanted = {"cost": "ergonomic", "number": 8, "slack": 1, "max_length": 16}
    asked += [("algs", {"puzzle": "pyraminx", "case": case, **wanted}) for case in ("l3e:2", "l3e:9")]
    usual: dict[str, Any] = {"puzzle": "pyraminx", "inverse": False, "niss": False, "slack": 0}
    solution = {"scramble": "R U' L B", "solution": "B' L L L U R'", "steps": "v, solved"}
    asked += [("analyse", {**usual, **each}) for each in (solution, {"scramble": "R U' L", "solution": "R U"})]
    ask(page, served, asked)


CHOOSE = """
const [names, done] = arguments, select = document.getElementById("puzzle");
const answer = cubesolve.offline.answer;
cubesolve.offline.answer = async (path, ...about) => { // the first puzzle comes last
  const found = await answer(path, ...about);
  await new Promise((then) => setTimeout(then, path.endsWith(names[0]) ? 200 : 20));
  return found;
};
for (select.value of names) select.dispatchEvent(new Event("change"));
const clicks = setInterval(() => document.querySelector("#moves button").click(), 5);
setTimeout(() => done(clearInterval(clicks)), 400);
"""


def test_the_puzzle_that_was_chosen_last_is_shown(page: Page) -> None:
    page.open("pyraminx-duo")
    page.browser.execute_script(MESSAGES, "message")
    page.browser.execute_script("document.getElementById('cases-more').hidden = false")  # there were more cases
    page.browser.execute_async_script(CHOOSE, ["ivy", "pancake-5"])
    page.until(lambda: page.seen["title"] == cubesolve.puzzle("pancake-5").title)
    assert not any(page.browser.execute_script("return window.messages"))
    assert page.browser.execute_script("return document.getElementById('cases-more').hidden")
    assert page.browser.execute_script("return location.hash").startswith("#pancake-5")
    assert complaints(page.browser) == []


def test_an_error_is_in_sight_on_a_phone(page: Page) -> None:
    page.screen(width=390, height=400, mobile=True)
    page.load("pyraminx-duo/analyse")
    page.shows(distance="0 solved")
    page.find("#analyse-scramble").send_keys("R Q")
    page.browser.execute_script("scrollTo(0, 9999); document.getElementById('analyse-form').requestSubmit()")
    page.until(lambda: page.message.startswith("'Q' (character 3) is not a move"))
    page.until(lambda: page.browser.execute_script(IN_SIGHT))
    page.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


IN_SIGHT = """
const { top, bottom } = document.getElementById("message").getBoundingClientRect();
return top >= 0 && bottom <= innerHeight;
"""


def test_other_analyses(page: Page) -> None:
    page.browser.get(page.address)
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


def opened(page: Page) -> Page:
    page.browser.get(page.address)
    return page


def answered(page: Page, asked: list[Request]) -> list[Any]:
    found: list[Any] = json.loads(page.browser.execute_async_script(ASK, asked))
    return found


def test_steps_and_cases_are_drawn(page: Page) -> None:
    page.browser.get(page.address)
    pyraminx, rubik = cubesolve.puzzle("pyraminx"), cubesolve.puzzle("rubik")
    steps: tuple[dict[str, Any], ...] = (
        {"step": "layer", "depth": 3},
        {"step": "layer", "depth": 6, "solved": "v"},
        {"solved": "v-any"},
    )
    given = [("train", {"puzzle": "pyraminx", **step}) for step in steps]
    cases = [("train", {"puzzle": "pyraminx", "case": case}) for case in ["l3e:2"] * 40 + ["l4e"]]
    others: list[dict[str, Any]] = [{"step": "eo-any", "depth": 0}, {"step": "eo", "depth": 7}, {"case": "oll:45"}]
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
        0,
        7,
    ]
    assert rubik.cases("oll").find(states[46]).name == "45"


BIG = "Move {}\nRING\n{}\nCENTRES\n1 2\n{}\nTIPS\n1 2\n{}\nEnd\n"
TIPS = "Set RING 4 1\nSet CENTRES 2 3\nSet TIPS 2 3\nSolved\nEnd\n" + "".join(
    [
        BIG.format("A", "2 3 4 1", "1 0", "1 0"),
        BIG.format("B", "2 1 3 4", "0 1", "0 1"),
        *(f"Move {name}\nTIPS\n1 2\n{turned}\nEnd\n" for name, turned in (("a", "1 0"), ("b", "0 1"))),
    ]
)


def test_tips_turn_alone(browser: Chrome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tips.tws").write_text(TIPS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(offline, "AT_ONCE", 100)
    offline.write_page(tmp_path / "site", ["tips.tws"])
    page = Page(browser, (tmp_path / "site" / "index.html").as_uri())
    page.browser.get(page.address)
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


def test_goals_and_chosen_moves_of_the_3x3x3(page: Page) -> None:
    rubik = cubesolve.puzzle("rubik")
    page.load("rubik?towards=eo")
    page.shows(distance="0 solved")
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
    Select(page.find("#towards")).select_by_value("eo")
    page.until(lambda: page.message == "Without a server, chosen moves lead to the solved state, and count one each")


def goals_asked(states: list[cubesolve.RubikCube], goals: tuple[str, ...]) -> list[Request]:
    """Return requests for solutions to goals in both metrics."""
    about = [{"puzzle": "rubik", "state": str(state), "format": "urfdlb"} for state in states]
    asked = [{**each, "goal": goal, "metric": metric} for each in about for goal in goals for metric in ("htm", "qtm")]
    return [("solve", each) for each in asked]


def compare_goals(page: Page, states: list[cubesolve.RubikCube], goals: tuple[str, ...]) -> None:
    """Compare the solutions to goals that the page searches for with the distances of Python."""
    page.browser.get(page.address)
    rubik, asked = cubesolve.puzzle("rubik"), goals_asked(states, goals)
    for (_, fields), answer in zip(asked, answered(page, asked), strict=True):
        goal, state = rubik.towards(fields["goal"]), rubik.parse(fields["state"])
        length = goal.depth(state, metric=fields["metric"])
        assert len(answer["solution"].split()) == length, fields
        assert goal.depth(state.apply(answer["solution"])) == 0


def test_goals_of_the_3x3x3_are_searched_for(page: Page) -> None:
    rubik, rng = cubesolve.puzzle("rubik"), random.Random(1)
    near = rubik.parse("x F2 R U' L", "alg")
    compare_goals(page, [near, rubik.random_state(rng)], ("cross-F", "eo"))
    compare_goals(page, [near], ("f2l",))
    page.load("rubik?towards=cross-F&metric=qtm")
    page.shows(distance="0 solved")
    page.write("#text", "R2 F U")
    page.shows(distance=f"{rubik.towards('cross-F').depth('R2 F U', metric='qtm')} quarter turns to go", near=["U'"])
    assert complaints(page.browser) == []


@pytest.mark.exhaustive
def test_other_goals_of_the_3x3x3(browser: Chrome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offline, "_cases", lambda _: {})
    offline.write_page(tmp_path / "site", ["rubik"])
    goals = (
        "x-cross-FR",
        "x-cross",
        "x-cross-any",
        "xx-cross",
        "last-slot-FR",
        "first-layer",
        "roux-block",
        "roux-blocks",
    )
    compare_goals(Page(browser, (tmp_path / "site" / "index.html").as_uri()), random_cubes(2), goals)


def test_the_3x3x3_in_quarter_turns(page: Page) -> None:
    cubes = [cubesolve.RubikCube.from_alg("x R2 U F'"), *random_cubes(2)]
    page.browser.get(page.address)
    asked = [("solve", {"puzzle": "rubik", "state": str(cube), "format": "urfdlb", "metric": "qtm"}) for cube in cubes]
    for cube, answer in zip(cubes, answered(page, asked), strict=True):
        assert cube.apply(answer["solution"]).is_solved, cube
        assert not re.search("2", answer["solution"])
        assert answer["at_least"] <= answer["moves"] == len(answer["solution"].split()) <= 30
        assert (answer["moves"] - answer["at_least"]) % 2 == 0  # all solutions of a cube are odd, or all are even
    page.load("rubik?metric=qtm")
    page.write("#text", "R2 U F2 x L")
    page.shows(distance="6 quarter turns to go, proved shortest", near=["L'"])
    assert complaints(page.browser) == []


def test_cases_without_algs(page: Page) -> None:
    page.load("rubik/cases")
    page.until(lambda: len(page.all("#cases-list button")) == 58)
    page.click('#cases-list button[value="45"]')
    page.until(lambda: page.message == "Without a server, there are no algs of the 58 cases of this set")
    assert page.state == str(cubesolve.puzzle("rubik").cases("oll")["45"].state)
    page.load("pyraminx/cases")
    page.until(lambda: page.all("#cases-list button"))
    page.click('#cases-list button[value="2"]')
    page.until(lambda: page.all("#cases-algs button"))
    assert not page.find("#cases-moves").is_displayed()  # algs are made of the usual moves


DROP = """
const [name, text] = arguments, dataTransfer = new DataTransfer();
dataTransfer.items.add(new File([text], name));
document.querySelector("main").dispatchEvent(new DragEvent("drop", {dataTransfer, bubbles: true, cancelable: true}));
"""


def test_a_definition_file_is_dropped(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    path.write_text(cubesolve.puzzle("pyraminx-duo").definition("kpuzzle"))
    page.open("pyraminx-duo")
    page.browser.execute_script(DROP, path.name, path.read_text())
    page.until(lambda: page.seen["title"] == "Pyraminx-duo")
    page.shows(distance="0 solved", message="")
    puzzle = cubesolve.puzzle(str(path))
    moves = [str(button.get_attribute("value")) for button in page.all("#moves button")]
    for alg in ("R U' L", "B L' U R"):
        state = puzzle.parse(alg, "alg")
        page.write("#text", alg)
        page.shows(state=str(state), distance=f"{puzzle.depth(state)} moves to go")
        nearer = [move for move in moves if puzzle.depth(state.apply(move)) < puzzle.depth(state)]
        page.shows(near=nearer)
        assert [disc.text for disc in page.all("#picture span")] == str(state).replace(";", "").split()
    page.click("#hint")
    page.until(lambda: page.message.endswith("decreases the distance"))
    page.prefer("prefers-reduced-motion", "reduce")
    page.click("#solve")
    page.shows(distance="0 solved", solve="Solve")
    page.write("#text", "R U'")
    page.shows(distance="2 moves to go")
    page.browser.refresh()
    page.shows(title="Pyraminx-duo", state=str(puzzle.parse("R U'")), distance="2 moves to go", message="")
    page.browser.execute_script(DROP, "wrong.tws", "Set A")
    page.until(lambda: page.message.startswith("wrong.tws: line 1: expected Set and its name"))
    assert page.seen["title"] == "Pyraminx-duo"
    assert complaints(page.browser) == []


DERIVE = """
const { readFileSync } = require("node:fs"), { runInThisContext } = require("node:vm");
globalThis.cubesolve = {};
process.argv.slice(1).forEach((path) => runInThisContext(readFileSync(path, "utf8")));
console.log(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(([name, text]) => {
  try {
    return cubesolve.definitions(makeSolver, 300).derive(text, name).embedded.distribution;
  } catch (error) {
    return error.message;
  }
})));
"""
BEADS = (
    "Set BEADS 6 1\nSolved\nEnd\nMove L\nBEADS\n2 3 4 1 5 6\nEnd\nMove R\nBEADS\n1 2 4 5 6 3\nEnd\n"
    "Block\nBEADS\n{}\nEnd\n"
)
RING = "Set A 3 2\nSolved\nA\n1 2 3\n0 0 ?\nEnd\nMove R\nA\n2 3 1\n1 1 0\nEnd\n"
DEFINITIONS = {
    "rings.tws": (Path(__file__).parents[2] / "docs" / "rings.tws").read_text(),
    "glued.tws": BEADS.format("1 2"),
    "glued-twice.tws": BEADS.format("1 2") + "Block\nBEADS\n5 6\nEnd",
    "block.tws": BEADS.format("1 9"),
    "alone.tws": BEADS.format("1"),
    "torn.tws": BEADS.format("1 3"),
    "ring.tws": RING + "MoveSequence B [C: R]\nMoveSequence C R R\nMoveAlias S C\nIllegal A 3 1",
    "turned.tws": "Set A 4 1\nSet C 2 1\nSolved\nEnd\nMove S\nA\n2 1 3 4\nEnd\nMove T\nA\n1 2 4 3\nEnd\n"
    "Move M\nA\n1 3 2 4\nEnd\nMove x\nA\n4 3 2 1\nC\n2 1\nEnd",
    "graph.json": '{"central_state": [0, 0, 1, 2], "generators": {"L": [1, 2, 3, 0], "x": [1, 0, 2, 3]}}',
    "six.json": '{"central_state": [0, 1, 2, 3, 4, 5], "generators": '
    '{"L": [1, 2, 3, 4, 5, 0], "X": [1, 0, 2, 3, 4, 5]}}',
    "circle.tws": RING + "MoveSequence B C\nMoveSequence C B",
    "square.tws": RING + "MoveSequence R2 R",
    "place.tws": RING.replace("2 3 1", "2 3 2"),
    "end.tws": RING[:-4],
    "set.tws": RING.replace("A\n1", "B\n1"),
    "piece.tws": RING.replace("1 2 3", "1 2 4"),
    "empty.json": "{}",
    "text.json": "{",
    "cycles.gap": "A := (1,2,3)^-1; B := A*(3,4); Group([B, (1,2)]);",
    "cycle.gap": "A := (1,2,3;",
    "ip.gap": "A := (1,2,3);\nip := [[1,2]];",
    "text.txt": "A puzzle",
}


def test_reading_a_file_shows_progress_and_is_cancelled(page: Page) -> None:
    cycle = ",".join(map(str, range(1, 11)))
    page.open("pyraminx-duo")
    page.browser.execute_script(DROP, "ten.gap", f"A := ({cycle}); B := (1,2);")  # 3,628,800 states
    page.until(lambda: "states" in page.message)
    assert re.fullmatch(r"[Rr]eading ten.gap: [\d,]+0,000 states…", page.message)
    page.click("#cancel")
    page.until(lambda: page.message == "" and not page.find("#cancel").is_displayed())
    assert page.seen["title"] == cubesolve.puzzle("pyraminx-duo").title
    assert len(page.all("#puzzle option")) == len(NAMES)


def test_definitions_are_enumerated_as_in_python(tmp_path: Path) -> None:
    """States, or the line or key of a mistake, are those of Python."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    package = Path(offline.__file__).parents[1]
    scripts = [str(package / "embedding" / "solver.js"), str(package / "web" / "page" / "definitions.js")]
    asked = json.dumps(list(DEFINITIONS.items()))
    done = subprocess.run(["node", "-e", DERIVE, *scripts], input=asked, capture_output=True, text=True, check=True)
    found = dict(zip(DEFINITIONS, json.loads(done.stdout), strict=True))
    assert found.pop("six.json").startswith("six.json: there are more than 300 states, too many for this page")
    assert found.pop("text.json").startswith("text.json: is not JSON")
    assert found.pop("ip.gap") == "ip.gap: line 2: points that look alike are not supported on this page"
    for name, answer in found.items():
        (tmp_path / name).write_text(DEFINITIONS[name])
        if isinstance(answer, str):
            with pytest.raises(InvalidDefinitionError) as caught:
                cubesolve.puzzle(str(tmp_path / name))
            assert answer.startswith(": ".join(filter(None, [name, caught.value.where])))
        else:
            assert answer == list(cubesolve.puzzle(str(tmp_path / name)).distribution())


def solve(page: Page, cubes: list[cubesolve.RubikCube]) -> None:
    """Solve cubes in the page, and apply each solution."""
    page.browser.get(page.address)
    asked = [("solve", {"puzzle": "rubik", "state": str(cube), "format": "urfdlb"}) for cube in cubes]
    found = json.loads(page.browser.execute_async_script(ASK, asked))
    for cube, answer in zip(cubes, found, strict=True):
        assert cube.apply(answer["solution"]).is_solved, cube
        assert answer["moves"] == len(answer["solution"].split()) <= 21
        assert answer["at_least"] <= answer["moves"]


def random_cubes(number: int) -> list[cubesolve.RubikCube]:
    """Random cubes, held in different ways."""
    puzzle, rng = cubesolve.puzzle("rubik"), random.Random(1)
    return [puzzle.random_state(rng).apply(rng.choice(["", "x", "y'", "x2 z"])) for _ in range(number)]


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
    page.browser.get(page.address)
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
    page.open("rubik")
    page.paint(("U9", "F"))
    page.shows(message="Each of six colours occurs 9 times on a cube, but white 8 times and green 10 times")
    assert {str(each.get_attribute("value"))[0] for each in page.all("#net button[aria-invalid=true]")} == {"F", "U"}
    page.paint(("F3", "U"))
    page.until(lambda: page.message.startswith("Corner URF (facelets U9 R1 F3) shows green red white"))
    assert [each.get_attribute("value") for each in page.all("#net button[aria-invalid=true]")] == ["U9", "R1", "F3"]


def test_a_near_3x3x3_is_solved_optimally(page: Page) -> None:
    page.open("rubik")
    assert not page.find("#depth").is_displayed()
    page.write("#text", "R U' F2 x D L")
    page.shows(distance="5 moves to go, proved shortest")
    assert len(page.seen["near"]) == 1
    page.prefer("prefers-reduced-motion", "reduce")
    page.click("#solve")
    page.shows(distance="0 solved", solve="Solve")
    page.click("#random")
    page.until(lambda: "or fewer" in page.distance and page.find("#random-scramble").text)
    assert page.state == str(cubesolve.RubikCube.solved().apply(page.find("#random-scramble").text))
    page.click("#reset")
    page.shows(distance="0 solved")
    page.drag((-65, -10), (3, 80))  # the column in the middle of the side in front
    page.shows(state=str(cubesolve.RubikCube.solved().apply("M")), distance="2 moves to go, proved shortest")
    assert complaints(page.browser) == []


MESSAGES = """
const [id] = arguments, seen = window.messages = [], element = document.getElementById(id);
new MutationObserver(() => seen.push(element.textContent)).observe(element, {childList: true});
"""


def test_chosen_moves_are_counted_and_drawn(page: Page) -> None:
    page.open("tower")
    page.browser.execute_script(MESSAGES, "distance")
    page.find("#only").send_keys("U D R2", Keys.ENTER)
    page.until(lambda: page.browser.execute_script("return window.messages.at(-1)") == "0 solved")
    assert "looking at 50,000 states\u2026" in page.browser.execute_script("return window.messages")
    Select(page.find("#depth")).select_by_value("5")
    page.click("#random")
    page.shows(distance="5 moves to go")
    assert cubesolve.puzzle("tower").restrict("U D R2").depth(page.find("#random-scramble").text) == 5


def test_a_scramble_and_a_hint_do_not_wait_for_the_search(page: Page) -> None:
    page.open("rubik")
    page.browser.execute_script(MESSAGES, "message")
    scrambles = [""]
    for _ in range(2):
        page.click("#random")
        page.until(lambda: page.find("#random-scramble").text not in scrambles and "or fewer" in page.distance)
        scrambles.append(page.find("#random-scramble").text)
    page.click("#hint")
    page.until(lambda: page.message.endswith("begins the shortest solution known"))
    assert not any("has ended" in message for message in page.browser.execute_script("return window.messages"))


GOALS = ["E WB WB/WB WB WB/WB WB WB", "WWW/WWW", "WWW/EXE/WWW", "WWW/WWW/WWW"]
PATTERNS = ["RR*/RWW/WWE", "***/***/BBB", "WB WB WB/WB E WB/WB WB *"]  # most trays lead to these


@pytest.mark.parametrize("goals", [GOALS, pytest.param(PATTERNS, marks=pytest.mark.exhaustive)])
def test_cubes_roll(page: Page, served: Served, goals: list[str]) -> None:
    starts = ["BR BR RB/WR RW WB/WB WB E", "WB E RW/WB WB WB/BW BW WR", "WB WB WB/WB WB WB/WB WB WR"]
    both = [{"puzzle": "rolling", "state": goal, "start": start} for goal in goals for start in starts]
    asked = [(kind, about) for about in both for kind in ("depth", "moves", "motions", "solve")]
    ask(page, served, [*asked, ("play", {**both[0], "alg": "RDLU"}), ("play", {**both[0], "alg": "L"})])
    page.name("rolling")
    page.shows(distance="0 solved")
    Select(page.find("#depth")).select_by_value("3")
    page.click("#random")
    page.shows(distance="3 rolls to go")
    page.prefer("prefers-reduced-motion", "reduce")
    page.click("#solve")
    page.shows(distance="0 solved", solve="Solve")
    assert complaints(page.browser) == []


def test_a_clock_is_solved(page: Page, served: Served) -> None:
    clock, rng = cubesolve.puzzle("clock"), random.Random(1)
    states = [clock.random_state(rng), *(clock.parse(alg) for alg in ("", "UR3+ y2 L1-", "ul2+ \\3+ y2 /4- dr1+"))]
    about = [{"puzzle": "clock", "state": str(state), "format": "any"} for state in states]
    solved = answered(opened(page), [("solve", each) for each in about])
    for state, answer in zip(states, solved, strict=True):
        assert state.apply(answer["solution"]).is_solved
        assert answer["moves"] == answer["at_least"] == clock.depth(state)
    algs = [("play", {**each, "alg": answer["solution"]}) for each, answer in zip(about, solved, strict=True)]
    wrong = ["UR3+ Q1+", "12 12", "1 " * 18, "13 " * 18]
    ask(
        page,
        served,
        [*algs, *(("depth", each) for each in about), *(("play", {**about[0], "state": each}) for each in wrong)],
    )
    page.open("clock")
    page.write("#text", "y2 UR3+ y2")
    page.shows(distance="1 move to go", near=["y2"])
    page.prefer("prefers-reduced-motion", "reduce")
    page.click("#solve")
    page.shows(distance="0 solved", solve="Solve", state=str(clock.parse("y2")))
    page.click("#random")
    page.until(lambda: page.find("#random-scramble").text)
    assert page.state == str(clock.parse(page.find("#random-scramble").text))
    assert complaints(page.browser) == []


def test_a_square1_is_solved(page: Page, served: Served) -> None:
    page.open("square1")
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
    wrong: list[Request] = [("play", {**about[0], "state": each}) for each in ("A1B2", "A1B2 -", "1ABC23D4 5E6F7G8H -")]
    wrong += [("play", {**about[1], "alg": alg}) for alg in ("(1,0) x", "(2,0)", "1,0,0", "(1,0)3,0")]
    assert answered(page, wrong) == [{"error": 422}] * len(wrong)
    page.write("#text", "1,0 / 3,0/")
    page.shows(distance="2 twists to go, proved shortest", near=["/"])
    page.prefer("prefers-reduced-motion", "reduce")
    page.click("#solve")
    page.shows(distance="0 solved", solve="Solve")
    page.click("#random")
    page.until(lambda: page.find("#random-scramble").text)
    assert page.state == str(square1.parse(page.find("#random-scramble").text, "alg"))
    assert complaints(page.browser) == []


@pytest.mark.exhaustive
def test_a_hundred_3x3x3(page: Page) -> None:
    solve(page, random_cubes(100))


@pytest.mark.exhaustive
def test_all_puzzles_of_the_site(browser: Chrome, tmp_path: Path, served: Served) -> None:
    offline.write_page(tmp_path / "site")
    names = [name for name in offline.PUZZLES if name not in {"rubik", "rolling", "clock", "square1"}]
    compare(Page(browser, (tmp_path / "site" / "index.html").as_uri()), served, names, 20)


def test_the_site_has_a_button_that_opens_the_page(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<p>Before</p><!-- playground --><p>After</p>")
    docs = Path(__file__).parents[2] / "docs"
    assert all("<!-- playground -->" in (docs / page).read_text() for page in ("index.md", "playground.md"))
    script = Path(__file__).parents[2] / "scripts" / "playground.py"
    subprocess.run([sys.executable, script, tmp_path / "playground", "pancake-5"], check=True)
    (link,) = re.findall('href="([^"]*)"', (tmp_path / "index.html").read_text())
    assert (tmp_path / link).is_file()


def test_names_of_files_in_other_folders_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="in the current folder"):
        offline.write_page(tmp_path / "site", ["../made.tws"])
    assert not (tmp_path / "site").exists()
