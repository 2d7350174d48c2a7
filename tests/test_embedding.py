"""Exported modules answer as Python does, in a browser and in node."""

from __future__ import annotations

import contextlib
import json
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import cubesolve
from cubesolve import embedding
from cubesolve.ask import Puzzle
from cubesolve.errors import CubesolveError, UnsolvableStateError
from cubesolve.spaces.defined import derived
from tests.facts import DATA
from tests.processes import ROOT, typed
from tests.subsets import later

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

STATES = 30  # that are asked about, of each puzzle
DRAWN = 400  # states, if there are no more, are all drawn

Questions = list[tuple[str, dict[str, Any]]]
"""Paths of modules, each with questions."""

Answering = Callable[[Questions], list[Any]]

ANSWER = (Path(__file__).parent / "embedding.js").read_text()
"""A function of JavaScript that asks modules."""


@pytest.fixture(scope="module")
def puzzles() -> dict[str, Puzzle[Any]]:
    pocket, duo, tiles = map(cubesolve.puzzle, ("pocket", "pyraminx-duo", "tiles-2x3"))
    return {
        "orientations": duo,
        "identical": cubesolve.puzzle(str(ROOT / "docs" / "rings.tws")),
        "sliding": tiles,
        "bandaged": cubesolve.puzzle(str(ROOT / "docs" / "glued-ring.tws")),
        "costs": cubesolve.puzzle("pancake-5").restrict(cost="*=2 f2=1"),
        "directed": duo.restrict("U L R", inverses=False),
        "reference": cubesolve.puzzle("tower").restrict("U R2"),
        "renamed": pocket.restrict("R2 U2 F2"),
        "goal": tiles.towards("1 2 3 * * *"),
        "placed-goal": cubesolve.puzzle("pyraminx").towards("layer"),  # pieces that look alike are a placement
        "facelet-goal": pocket.restrict("R U").towards("first-layer"),
        "wide": cubesolve.puzzle("rubik").restrict("R2 U2"),
        "rotated": cubesolve.puzzle(str(DATA / "definitions" / "rotated.tws")),
        "linked": cubesolve.puzzle(str(DATA / "definitions" / "linked.tws")),
    }


@pytest.fixture(scope="module")
def folder(puzzles: dict[str, Puzzle[Any]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("embedded")
    for name, puzzle in puzzles.items():
        embedding.embed(puzzle, made / f"{name}.mjs")
    return made


class Asked:
    """Questions about a puzzle, and the answers of Python."""

    def __init__(self, puzzle: Puzzle[Any], number: int = STATES) -> None:
        self.puzzle, rng = puzzle, random.Random(1)
        self.rules = derived(puzzle.rules)
        self.has_goal = "towards" in puzzle.title
        definition = self.rules.view.definition
        turns = [*puzzle.moves, *(() if self.has_goal else definition.rotations)]
        walks = [" ".join(rng.choices(turns, k=rng.randrange(14))) for _ in range(number)]
        reached = dict.fromkeys(state for walk in walks if (state := self.made(walk)) is not None)
        unsolvable = [each for each in reached if self.depth(each) is None]
        self.states = [each for each in reached if each not in unsolvable]
        first = puzzle.moves[0]
        groups = [f"({first} {turns[-1]})2'", f"[{first}: {turns[1]}]", f"{first} // {first}", f"({first})7"]
        groups += [f"{first}, {first} ,", f"{first},{first}", f", {first}", "r2 uw'", "?z"]
        self.algs = [*walks[:5], *groups]
        self.wrong = ["nonsense", str(self.states[0])[:-1] + "?", "1 1 1 1", "", *map(str, unsolvable)]
        self.total = puzzle.states
        self.draws = [] if self.has_goal or self.total > DRAWN else list(range(self.total))

    def made(self, alg: str) -> Any:
        with contextlib.suppress(CubesolveError):
            return self.puzzle.rules.view.solved(None).apply(alg)
        return None

    def depth(self, state: Any) -> int | None:
        with contextlib.suppress(UnsolvableStateError):
            return self.puzzle.depth(state)
        return None

    @property
    def question(self) -> dict[str, Any]:
        draws = [(rank + 0.5) / self.total for rank in self.draws]
        return {"texts": list(map(str, self.states)), "algs": self.algs, "wrong": self.wrong, "draws": draws}

    def require_all_drawn(self, scrambles: list[str]) -> None:
        """Every rank has a scramble, and each scramble leads to another state."""
        ranks = [self.rules.graph().rank(self.made(alg)) for alg in scrambles]
        assert sorted(ranks) == self.draws
        if not self.puzzle.rules.is_directed:
            costs = [sum(self.puzzle.rules.costs.get(move, 1) for move in alg.split()) for alg in scrambles]
            free = [sum(map(self.rules.view.is_free, alg.split())) for alg in scrambles]
            depths = [self.puzzle.depth(rank) for rank in ranks]
            assert [cost - rotations for cost, rotations in zip(costs, free, strict=True)] == depths


@pytest.fixture(params=[later("browser"), "node"])
def javascript(request: pytest.FixtureRequest, browser: Chrome) -> Answering:
    """A function that runs questions with modules."""
    if request.param == "node" and shutil.which("node") is None:
        pytest.skip("node is not installed; the same was answered in the browser")

    def in_browser(asked: Questions) -> list[Any]:
        browser.get("about:blank")
        script = f"""
            const [asked, sources, done] = arguments;
            const blob = (path) => new Blob([sources[path]], {{type: "text/javascript"}});
            ({ANSWER})((path) => import(URL.createObjectURL(blob(path))), asked)
              .then(done, (error) => done(error.stack));"""
        sources = {path: Path(path).read_text() for path, _ in asked}
        answers = browser.execute_async_script(script, asked, sources)
        assert isinstance(answers, list), answers
        return answers

    def in_node(asked: Questions) -> list[Any]:
        script = f"""
            import {{ readFileSync }} from "node:fs";
            const asked = JSON.parse(readFileSync(0, "utf8"));
            console.log(JSON.stringify(await ({ANSWER})((path) => import(path), asked)));"""
        command = ["node", "--input-type=module", "-e", script]
        answered = subprocess.run(command, input=json.dumps(asked), capture_output=True, text=True, check=False)
        assert answered.returncode == 0, answered.stderr
        found: list[Any] = json.loads(answered.stdout)
        return found

    return in_browser if request.param == "browser" else in_node


def test_modules_answer_as_python_does(javascript: Answering, folder: Path, puzzles: dict[str, Puzzle[Any]]) -> None:
    asked = {name: Asked(puzzle) for name, puzzle in puzzles.items()}
    answers = javascript([(str(folder / f"{name}.mjs"), each.question) for name, each in asked.items()])
    for (name, each), answer in zip(asked.items(), answers, strict=True):
        compare(name, each, answer)


def compare(name: str, asked: Asked, answer: dict[str, Any]) -> None:
    puzzle = asked.puzzle
    assert answer["facts"]["states"] == asked.total
    assert tuple(answer["facts"]["distribution"]) == tuple(puzzle.distribution())
    expected = [
        [str(each), puzzle.depth(each), puzzle.solve(each), puzzle.optimal_moves(each), puzzle.depth(each) == 0]
        for each in asked.states
    ]
    assert answer["states"] == expected, name
    for alg, made, undone in zip(asked.algs, answer["algs"], answer["inverses"], strict=True):
        state = asked.made(alg)
        assert (made if isinstance(made, str) else None) == (None if state is None else str(state)), (name, alg)
        assert state is None or undone == str(puzzle.rules.view.solved(None)), (name, alg)
    assert answer["algs"][-1]["error"].startswith("'?z' (character 1) is not a move: expected ")
    assert all(isinstance(each, dict) for each in answer["wrong"]), (name, answer["wrong"])
    if asked.draws:
        asked.require_all_drawn(answer["draws"])


def test_modules_are_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"must be \.mjs$"):
        embedding.embed(cubesolve.puzzle("floppy"), tmp_path / "x.py")
    assert typed("cubesolve export floppy --out floppy.mjs", tmp_path, tmp_path) == (0, "", "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["floppy.d.mts", "floppy.mjs"]
    assert typed('cubesolve export floppy --moves "R2 L2" --out rl.mjs', tmp_path, tmp_path)[0] == 0
    assert "R2 L2 alone" in (tmp_path / "rl.mjs").read_text()
