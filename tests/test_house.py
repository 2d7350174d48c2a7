"""A puzzle that is registered in one place answers every question, without a change anywhere else."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import cubesolve
from cubesolve import catalog, lookup
from cubesolve.definition.metrics import METRICS, Powers
from cubesolve.lookup.building import build_table, verify_table
from tests.commands import printed, refused
from tests.definitions.samples import disks

MODULE = '''
"""Beads on two rings of three that share one: each ring turns."""

from cubesolve.definition.definition import Definition, Orbit
from cubesolve.group.moves import Effect
from cubesolve.definition.piece_view import PieceView
from cubesolve.spaces.defined import DerivedRules

NAMES = ("rings",)


def rules(name):
    left, right = (Effect(bytes([1, 2, 0, 3, 4])),), (Effect(bytes([0, 1, 3, 4, 2])),)
    moves = {"L": left, "R": right}
    return DerivedRules(PieceView(Definition(name, (Orbit("BEADS", 5),), (bytes(range(5)),), moves), "two rings"))
'''
FILE = """
Name rings
Set BEADS 5 1
Solved
BEADS
1 2 3 4 5
End
Move L
BEADS
2 3 1 4 5
End
Move R
BEADS
1 2 4 5 3
End
"""
STATES, DEPTHS = 60, (1, 4, 8, 16, 24, 6, 1)  # the even permutations of five beads, level by level


@pytest.fixture(params=["a module", "a file"])
def name(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Return the name of the puzzle: one that ships, or a user's file."""
    monkeypatch.setenv("CUBESOLVE_TABLES", str(tmp_path))
    if request.param == "a file":
        (tmp_path / "rings.tws").write_text(FILE)
        yield str(tmp_path / "rings.tws")
        return
    (tmp_path / "added").mkdir()
    (tmp_path / "added" / "rings.py").write_text(MODULE)
    monkeypatch.setattr(catalog, "__path__", [*catalog.__path__, str(tmp_path / "added")])
    monkeypatch.setattr(catalog, "_rules", {})
    for known in (catalog.entry_named, catalog._families):
        known.cache_clear()
    assert "rings" in cubesolve.puzzles()
    yield "rings"
    for known in (catalog.entry_named, catalog._families):
        known.cache_clear()


def test_questions(name: str) -> None:
    rings, source = cubesolve.puzzle(name), random.Random(1)
    assert (rings.states, rings.distribution()) == (STATES, DEPTHS)
    for depth in range(len(DEPTHS)):
        state, other = rings.random_state(source, depth), rings.random_state(source)
        assert state.apply(rings.path(state, other)) == other
        assert (
            rings.parse(rings.alg(state)) == rings.parse(str(state)) == rings.parse(json.dumps(state.pattern)) == state
        )
    assert len(rings.antipodes()) == DEPTHS[-1]


def test_commands(name: str, tmp_path: Path) -> None:
    built = printed("tables", "build", name)
    assert len(re.findall(r" built: ", built)) == 2
    assert printed("tables", "verify", name).count("proved right") == 2
    assert "24  #" in printed("tables", "info", name)
    assert printed("tables", "distribution", "--puzzle", name, "--json") == f'{{"distribution": {list(DEPTHS)}}}\n'
    assert printed("depth", "--puzzle", name, "L R", "", "L") == "2\n0\n1\n"
    assert printed("solve", "--puzzle", name, "L R") == "R' L'\n"
    assert printed("solve", "--puzzle", name, "--count", "L R") == "1\n"
    scramble = printed("scramble", "--puzzle", name, "--depth", "5", "--seed", "7").strip()
    assert printed("depth", "--puzzle", name, scramble) == "5\n"
    written = printed("convert", "--puzzle", name, "--to", "pieces", scramble).strip()
    assert printed("depth", "--puzzle", name, "--format", "pieces", written) == "5\n"
    assert printed("show", "--puzzle", name, scramble).strip() == written
    assert printed("depth", "--puzzle", name, "--moves", "L", "L") == "1\n"
    assert printed("depth", "--puzzle", name, "--cost", "L'=3", "L") == "2\n"
    printed("export", name, "--out", str(tmp_path / "rings.csv"), "--columns", "state,depth")
    assert len((tmp_path / "rings.csv").read_text().splitlines()) == STATES + 1
    shown = printed("depth", "--puzzle", name, "--help")
    assert "--target" in shown
    assert "--orientation" not in shown
    if name == "rings":
        assert re.search(r"^rings .*two rings$", printed("puzzles"), re.M)


def test_a_module_can_have_tables_of_its_own(name: str) -> None:
    if name == "rings":
        assert catalog.rules_named(name).tables() == []
        assert lookup.puzzle(name).usual_tables()
    with pytest.raises(ValueError, match="unknown table"):
        build_table("rings-htm")
    with pytest.raises(ValueError, match="unknown table"):
        verify_table("rings-htm")


def test_a_metric_is_one_entry(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def doubles(smallest: int, order: int) -> list[int]:
        return sorted({factor * smallest % order for factor in (1, 2, -1, -2)} - {0})

    monkeypatch.setitem(METRICS, "dtm", Powers(doubles, "a move and its double", "half turns do"))
    monkeypatch.setenv("CUBESOLVE_TABLES", str(tmp_path))
    for order in (4, 7):
        cycle = " ".join(str(1 + (place + 1) % order) for place in range(order))
        (tmp_path / f"{order}.tws").write_text(disks({"L": cycle}))
    ask = ("depth", "--puzzle", str(tmp_path / "7.tws"), "L3", "--metric")
    assert [printed(*ask, metric) for metric in ("htm", "qtm", "dtm")] == ["1\n", "3\n", "2\n"]
    # Doubles are all powers of four.
    unknown = "depth", "--puzzle", tmp_path / "4.tws", "L", "--metric", "dtm"
    assert "'dtm' is not one of 'htm', 'qtm'" in refused(*unknown)
