"""What mypy says of a user's script."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent

_CORRECT = """\
import threading
from collections.abc import Iterator
from typing import Any, assert_type

from cubesolve import PocketCube, Puzzle, RubikCube, Tray, lookup, puzzle
from cubesolve.lookup import Distribution, Solution

cube = PocketCube.from_alg("R U F2")
assert_type(lookup.depth(cube, metric="qtm", timeout=3), int)
assert_type(lookup.depth((2, 1), "RBW/RWW/EWW", model="axis"), int)
assert_type(lookup.solve(cube, orientation="fixed"), Solution)
assert_type(lookup.solve(cube, within=2, max_depth=20, memory=1 << 30), Solution)
assert_type(lookup.solutions(cube, slack=2), Iterator[str])
assert_type(lookup.distribution(start=(2, 1), patterns=True), Distribution)
assert_type(lookup.antipodes(metric="qtm"), list[PocketCube])
lookup.depths([0, 1], metric="htm", invalid="mask", workers=2)
skewb = puzzle("skewb")
assert_type(skewb, Puzzle[Any])
assert_type(skewb.depth("R U'", max_depth=9, cancel=threading.Event()), int)
assert_type(skewb.solve("R U'", goal="L", metric="htm"), Solution)
assert_type(skewb.restrict("R U", cost={"R": 2}, timeout=3).solve("R"), Solution)
assert_type(skewb.towards("L", timeout=3, cancel=None).alg("R", timeout=3), Solution)
assert_type(skewb.scramble(depth=3, metric="htm"), str)
skewb.solve_batch([0], metric="htm", workers=1, timeout=9.5)
pocket, rubik, rolling = puzzle("pocket"), puzzle("3x3x3"), puzzle("rolling")
assert_type(pocket, Puzzle[PocketCube])
assert_type(pocket.parse("R U", "alg"), PocketCube)
assert_type(pocket.random_state(7, depth=9, metric="qtm"), PocketCube)
assert_type(pocket.antipodes(metric="qtm"), list[PocketCube])
assert_type(pocket.restrict("R U").towards("first-layer").parse("R"), PocketCube)
assert_type(rubik.random_state(timeout=3), RubikCube)
assert_type(rubik.solve("R U").states, list[RubikCube])
assert_type(pocket.path("R", "U").start, PocketCube)
assert_type(rubik.parse("R").apply("U").is_solved, bool)
assert_type(rolling.random_state(depth=9, start=(2, 1)), Tray)
assert_type(rolling.antipodes(start=(2, 1), patterns=True), list[str])
assert_type(lookup.random_state(7), PocketCube)
assert_type(lookup.random_state(7, puzzle="rubik"), RubikCube)
rubik.depth(b"U" * 54, rubik.random_state(), metric="qtm")
rolling.depth((2, 1), rolling.random_state(), model="axis")
pocket.solve(1574640, orientation="fixed")


def any_puzzle(name: str) -> Puzzle:
    return puzzle(name, inverses=False)
"""

_WRONG = {
    'lookup.depth(cube, metrc="qtm")': '"metrc"',
    'lookup.depths([0], metrc="qtm")': '"metrc"',
    'lookup.distribution(metrc="qtm")': '"metrc"',
    'lookup.solve(cube, "R", "qtm")': "Too many positional arguments",
    'skewb.depth("R", metrc="htm")': '"metrc"',
    'skewb.solve_batch(["R"], metrc="htm")': '"metrc"',
    'skewb.random_state(metrc="htm")': '"metrc"',
    'skewb.depth("R", slack=2)': '"slack"',
    'skewb.solve("R", timeout="3")': '"timeout"',
    'skewb.towards("L", metrc="htm")': '"metrc"',
    'skewb.depth("R").upper()': '"upper"',
    'pocket.solve("R", metrc="qtm")': '"metrc"',
    'rubik.solve("R", metrc="qtm")': '"metrc"',
    'rubik.scramble(3, metrc="qtm")': '"metrc"',
    'rubik.solve_batch(["R"], metrc="qtm")': '"metrc"',
    'rolling.distribution(metrc="rolls")': '"metrc"',
    'rolling.scramble(metrc="rolls")': '"metrc"',
    'pocket.antipodes(metrc="qtm")': "overload",
    "pocket.depth(rubik.random_state())": '"RubikCube"',
    "rubik.depth(3.5)": '"float"',
    'pocket.parse("R").cubies': '"cubies"',
    "skewb.towards(3)": '"int"',
}


def test_mypy_accepts_the_keywords_of_questions_and_rejects_others(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(_CORRECT + "\n".join(_WRONG))
    command = [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", "--no-error-summary", str(script)]
    checked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    assert checked.returncode == 1, checked.stdout + checked.stderr
    errors = re.findall(r"script\.py:(\d+): error: (.*)", checked.stdout)
    first = _CORRECT.count("\n") + 1
    assert [error for error in errors if int(error[0]) < first] == []
    for number, (line, message) in enumerate(_WRONG.items(), start=first):
        assert any(message in text for at, text in errors if int(at) == number), line
