"""The page without a server, written once for all workers, and comparisons of its answers with those of a server."""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome

import cubesolve
from cubesolve.web import answers, offline
from cubesolve.web.served import Served
from cubesolve.web.worker import reply
from tests.once import once
from tests.patience import PATIENCE
from tests.web.test_page import Page


@pytest.fixture(scope="session")
def names(pytestconfig: pytest.Config) -> list[str]:
    """The puzzles of the page."""
    return [name for name in NAMES if pytestconfig.option.markexpr != "not exhaustive" or name not in _LATER]


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


@contextlib.contextmanager
def without_network(browser: Chrome, folder: Path) -> Iterator[Page]:
    """Return the page in a browser that has no network."""
    browser.execute_cdp_cmd("Network.enable", {})
    conditions = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    browser.execute_cdp_cmd("Network.emulateNetworkConditions", {**conditions, "offline": True})
    page = Page(browser, (folder / "index.html").as_uri())
    page.prefer("prefers-reduced-motion", "reduce")
    yield page
    browser.execute_cdp_cmd("Network.emulateNetworkConditions", {**conditions, "offline": False})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


NAMES = [
    "pyraminx-duo",
    "tiles-2x3",
    "ivy",
    "pancake-5",
    "tower",  # which has moves that are others up to rotation
    "pyraminx",  # which has goals
    "rubik",
    "rolling",
]  # the parts of Ivy turn in place, pancakes have a width

_LATER = {"pyraminx"}
"""Puzzles about which only exhaustive tests ask."""

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
    scene = answer.get("scene")
    if scene is None:
        parts, order = [], {}
    else:
        parts = [sorted((sorted(side["corners"]), side["colour"] or "") for side in part) for part in scene["parts"]]
        order = {number: rank for rank, number in enumerate(sorted(range(len(parts)), key=parts.__getitem__))}
    steps = [dict(step) for step in answer.get("steps", [])]
    motions = [dict(motion) for motion in answer.get("motions", [])]
    for step in steps:
        if step.get("cells"):
            step["cells"] = [{**cell, "outline": sorted(cell["outline"])} for cell in step["cells"]]
        if step.get("motion"):
            step["motion"] = dict(step["motion"])
            motions.append(step["motion"])
    for motion in motions:
        motion["parts"] = sorted(order[number] for number in motion["parts"])
    others = {name: value for name, value in answer.items() if name not in {"steps", "motions", "scene"}}
    return {**others, "steps": steps, "motions": motions, "parts": sorted(parts)}


@pytest.fixture
def served(tmp_path: Path) -> Served:
    return Served({}, str(tmp_path))


def answered(page: Page, asked: list[Request]) -> list[Any]:
    """Return the answers of the page that is open."""
    found: list[Any] = json.loads(page.await_("ask", asked))
    return found


def random_cubes(number: int) -> list[cubesolve.RubikCube]:
    """Random cubes, held in different ways."""
    puzzle, rng = cubesolve.puzzle("rubik"), random.Random(1)
    return [puzzle.random_state(rng).apply(rng.choice(["", "x", "y'", "x2 z"])) for _ in range(number)]


def opened(page: Page) -> Page:
    """Open the page, with its first puzzle."""
    page.browser.get(page.address)
    return page


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
