"""A puzzle that is registered in one place answers every question, without a change anywhere else."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import cubesolve
from cubesolve import catalog
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
STATES, DEPTHS = 60, (1, 4, 8, 16, 24, 6, 1)  # the even permutations of five beads, level by level


@pytest.fixture(autouse=True)
def _rings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the puzzle ship."""
    monkeypatch.setenv("CUBESOLVE_TABLES", str(tmp_path))
    (tmp_path / "added").mkdir()
    (tmp_path / "added" / "rings.py").write_text(MODULE)
    monkeypatch.setattr(catalog, "__path__", [*catalog.__path__, str(tmp_path / "added")])
    monkeypatch.setattr(catalog, "_rules", {})
    for known in (catalog.entry_named, catalog._families):
        known.cache_clear()
    yield
    for known in (catalog.entry_named, catalog._families):
        known.cache_clear()


def test_questions() -> None:
    assert "rings" in cubesolve.puzzles()
    rings, rng = cubesolve.puzzle("rings"), random.Random(1)
    assert (rings.states, rings.distribution()) == (STATES, DEPTHS)
    state, other = rings.random_state(rng, 5), rings.random_state(rng)
    assert state.apply(rings.path(state, other)) == other
    assert rings.parse(rings.alg(state)) == rings.parse(str(state)) == rings.parse(json.dumps(state.pattern)) == state
    assert len(rings.antipodes()) == DEPTHS[-1]
    assert rings.rules.tables() == []
    assert rings.usual_tables()
    for ask in (build_table, verify_table):
        with pytest.raises(ValueError, match="unknown table"):
            ask("rings-htm")


def test_commands(tmp_path: Path) -> None:
    def said(command: str, *arguments: str) -> str:
        return printed(*command.split(), "--puzzle", "rings", *arguments)

    assert len(re.findall(r" built: ", printed("tables", "build", "rings"))) == 2
    assert printed("tables", "verify", "rings").count("proved right") == 2
    assert "24  #" in printed("tables", "info", "rings")
    assert said("tables distribution", "--json") == f'{{"distribution": {list(DEPTHS)}}}\n'
    assert said("depth", "L R", "", "L") == "2\n0\n1\n"
    assert (said("solve", "L R"), said("solve", "--count", "L R")) == ("R' L'\n", "1\n")
    scramble = said("scramble", "--depth", "5", "--seed", "7").strip()
    written = said("convert", "--to", "pieces", scramble).strip()
    assert said("depth", scramble) == said("depth", "--format", "pieces", written) == "5\n"
    assert said("show", scramble).strip() == written
    assert (said("depth", "--moves", "L", "L"), said("depth", "--cost", "L'=3", "L")) == ("1\n", "2\n")
    printed("export", "rings", "--out", str(tmp_path / "rings.csv"), "--columns", "state,depth")
    assert len((tmp_path / "rings.csv").read_text().splitlines()) == STATES + 1
    shown = said("depth", "--help")
    assert ("--target" in shown, "--orientation" in shown) == (True, False)
    assert re.search(r"^rings .*two rings$", printed("puzzles"), re.M)


def test_a_metric_is_one_entry(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def doubles(smallest: int, order: int) -> list[int]:
        return sorted({factor * smallest % order for factor in (1, 2, -1, -2)} - {0})

    monkeypatch.setitem(METRICS, "dtm", Powers(doubles, "a move and its double", "half turns do"))
    for order in (4, 7):
        cycle = " ".join(str(1 + (place + 1) % order) for place in range(order))
        (tmp_path / f"{order}.tws").write_text(disks({"L": cycle}))
    ask = ("depth", "--puzzle", str(tmp_path / "7.tws"), "L3", "--metric")
    assert [printed(*ask, metric) for metric in ("htm", "qtm", "dtm")] == ["1\n", "3\n", "2\n"]
    # Doubles are all powers of four.
    unknown = "depth", "--puzzle", tmp_path / "4.tws", "L", "--metric", "dtm"
    assert "'dtm' is not one of 'htm', 'qtm'" in refused(*unknown)
