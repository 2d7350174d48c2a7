"""Solutions and distributions are text and numbers, have their first state, and are displayed in notebooks."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cubesolve import PocketCube, RubikCube, Tray, lookup, puzzle
from cubesolve.ask import Puzzle
from cubesolve.lookup import Distribution, Solution
from tests.definitions.samples import disks

TURNED = PocketCube.from_alg("R U2 F'")

SOLVED: list[tuple[Puzzle, Any, dict[str, Any]]] = [
    (puzzle("pocket"), TURNED, {}),
    (puzzle("pocket"), TURNED.facelets, {"metric": "qtm"}),
    (puzzle("pocket"), TURNED.rank, {}),
    (puzzle("pocket"), TURNED, {"goal": PocketCube.from_alg("L D x")}),
    (puzzle("pocket").restrict("R U", "R2=5"), PocketCube.from_alg("R2 U R2"), {}),
    (puzzle("pocket").towards("first-layer"), TURNED, {}),
    (puzzle("rubik"), RubikCube.from_alg("R U2 F'"), {"metric": "qtm"}),
    (puzzle("rubik"), RubikCube.from_alg("R U2 F'").facelets, {"within": 3}),
    (puzzle("rubik"), RubikCube.from_alg("R U2"), {"goal": RubikCube.from_alg("F y")}),
    (puzzle("skewb"), 77, {}),
    (puzzle("8-puzzle"), "1 2 3 4 5 6 0 7 8", {}),
    (puzzle("rolling"), Tray.start((1, 1), 2, 2, "face"), {"goal": Tray.start((1, 1), 2, 2, "face").apply("LUR")}),
]


def test_the_length_of_a_solution_counts_moves_and_no_rotations() -> None:
    solved = puzzle("pocket").solve(PocketCube.solved())
    assert (solved.length, solved.moves) == (0, [])
    costly = puzzle("pocket").restrict("R U", "R2=5").solve(PocketCube.from_alg("R2 U"))
    assert (costly, costly.length, costly.at_least) == ("U' R R", 3, 3)
    assert puzzle("rubik").solve("R2 U", metric="qtm").length == 3
    assert lookup.solve((2, 1), "RBW/RWW/EWW").length == 3  # rolls, written in a row


@pytest.mark.parametrize(("asked", "state", "question"), SOLVED)
def test_a_solution_knows_where_it_begins(asked: Puzzle, state: Any, question: dict[str, Any]) -> None:
    alg = asked.solve(state, **question)
    text = str(alg)
    assert (type(alg), type(text)) == (Solution, str)
    assert (alg, repr(alg), hash(alg), json.dumps([alg])) == (text, repr(text), hash(text), json.dumps([text]))
    assert len(alg.moves) == len(alg.states) - 1
    assert alg.states[0] == alg.start
    assert "".join(alg.moves).replace(" ", "") == text.replace(" ", "")
    if not isinstance(state, (tuple, int)):
        assert alg.start == asked.rules.read(state)
    depth = asked.depth(alg.start, **{name: value for name, value in question.items() if name != "within"})
    assert alg.at_least == depth
    if not question:
        assert [asked.depth(each) for each in (alg.states[0], alg.states[-1])] == [depth, 0]
    elif "goal" in question and "rolling" not in asked.name:
        assert alg.states[-1] == question["goal"]
    for other in (copy.deepcopy(alg), pickle.loads(pickle.dumps(alg))):
        assert (type(other), other, other.at_least, other.start) == (Solution, alg, alg.at_least, alg.start)
        assert other._repr_svg_() == alg._repr_svg_()


def test_what_is_changed_afterwards_changes_no_solution() -> None:
    facelets = list(TURNED.facelets)
    alg = lookup.solve(facelets)
    facelets[:] = "UUUURRRRFFFFDDDDLLLLBBBB"
    assert alg.start == TURNED


def test_ways_between_states_are_solutions_and_batches_are_text() -> None:
    start, target = PocketCube.from_alg("R U"), PocketCube.from_alg("F x")
    way = lookup.path(start, target)
    assert (way.start, way.states[-1]) == (start, target)
    made = puzzle("pocket").alg(target)
    assert (made.start, made.states[-1]) == (PocketCube.solved(), target)
    assert [type(each) for each in lookup.solve_batch([RubikCube.from_alg("R U")])] == [str]


def test_a_notebook_shows_each_step() -> None:
    for alg, pictures in (
        (lookup.solve(TURNED), 4),
        (lookup.solve(RubikCube.solved()), 1),
        (lookup.solve((2, 1), "RBW/RWW/EWW"), 4),
    ):
        texts = [each.text or "" for each in ET.fromstring(alg._repr_svg_() or "").iter() if each.tag.endswith("text")]
        captions = [text for text in texts if len(text) > 2]
        assert captions == ["start", *(f"{number} {move}" for number, move in enumerate(alg.moves, 1))]
        assert len(captions) == pictures


@pytest.mark.parametrize(
    ("alg", "left"),
    [
        (lambda: lookup.solve(TURNED), [3, 2, 1, 0]),
        (lambda: lookup.path(PocketCube.from_alg("R U"), PocketCube.from_alg("F x")), [3, 2, 1, 0, 0]),
        (lambda: lookup.solve((2, 1), "RBW/RWW/EWW"), [3, 2, 1, 0]),
        (lambda: puzzle("pocket").restrict("R U", "R2=5").solve(PocketCube.from_alg("R2 U")), []),
        (lambda: Solution("R' R2 R", 1, puzzle("pocket").rules, PocketCube.from_alg("R2")), []),
    ],
)
def test_a_page_plays_it(alg: Callable[[], Solution], left: list[int]) -> None:
    document = alg().to_html()
    assert document.startswith("<!doctype html>")
    assert f'"left":{json.dumps(left, separators=(",", ":"))}' in document


def test_a_page_plays_pictures_without_a_3d_model() -> None:
    document = puzzle("pancake-4").solve("f2").to_html()
    assert document.count("\\u003csvg") == 2


def test_a_notebook_shows_states() -> None:
    drawings = [state._repr_svg_() or "" for state in (TURNED, RubikCube.from_alg("R"), Tray.start((1, 1), 2, 2))]
    for drawn, number in zip(drawings, [24, 54, 4], strict=True):
        ET.fromstring(drawn)
        assert drawn.count("M") == number
        assert len(drawn) < 2000


def test_a_notebook_shows_what_has_no_picture_as_text(tmp_path: Path) -> None:
    (tmp_path / "rings.tws").write_text(disks({"L": "2 3 1 4 5", "R": "1 2 4 5 3"}))
    rings = puzzle(str(tmp_path / "rings.tws"))
    state = rings.parse("L R")
    assert state._repr_svg_() is None
    assert repr(state) == "<rings: 2 3 4 5 1>"
    assert rings.solve(state)._repr_svg_() is None
    assert rings.distribution()._repr_svg_().count("<rect") == 7


def test_a_distribution_is_a_tuple() -> None:
    for counts in (lookup.distribution(), lookup.distribution(start=(2, 1)), puzzle("floppy").distribution()):
        same = tuple(counts)
        assert (type(counts), type(same)) == (Distribution, tuple)
        assert (counts, repr(counts), hash(counts)) == (same, repr(same), hash(same))
        assert json.dumps(counts) == json.dumps(same)
        for other in (copy.deepcopy(counts), pickle.loads(pickle.dumps(counts))):
            assert (type(other), other) == (Distribution, counts)
        assert counts._repr_svg_().count("<rect") == len(counts)


def test_nothing_is_drawn_before_somebody_looks() -> None:
    code = (
        "import sys; from cubesolve import lookup, PocketCube\n"
        "alg = lookup.solve(PocketCube.from_alg('R U')); lookup.distribution()\n"
        "assert not {'cubesolve.picture.render', 'cubesolve.picture.pictures', 'numpy'} & sys.modules.keys()\n"
        "assert alg._repr_svg_().startswith('<svg') and 'numpy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
