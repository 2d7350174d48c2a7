"""A script that solves published sets continues where it was interrupted, and ends at a wrong length."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cubesolve import puzzle
from tests.processes import ROOT

NEAR = "1 2 3 4 0 5"  # one move from the solved state


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    return importlib.import_module("bench_published")


@pytest.fixture
def run(script: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., list[dict[str, Any]]]:
    """Run the script in this process, and return the lines of its file without those of the machine."""

    def lines(name: str, *arguments: str) -> list[dict[str, Any]]:
        monkeypatch.setattr(sys, "argv", ["bench_published.py", name, *arguments, "--folder", str(tmp_path)])
        script.main()
        (path,) = tmp_path.iterdir()
        return [line for line in map(json.loads, path.read_text().splitlines()) if "state" in line]

    return lines


@pytest.mark.parametrize(
    ("name", "states", "moves"),
    [
        ("cube3", 500, 20.614),
        ("puzzle15", 250, 51.632),
        ("puzzle24", 248, 89.008),
        ("korf100", 100, 53.05),
        ("korf50", 50, 100.78),
    ],
)
def test_sets(script: Any, name: str, states: int, moves: float) -> None:
    found = script.read_set(name, is_ordered=True)
    lengths = [state.length for state in found.states.values()]
    assert sorted(found.states) == list(range(1, states + 1))
    assert sum(lengths) / len(lengths) == pytest.approx(moves, abs=0.001)
    opened = puzzle(found.puzzle)
    assert all(opened.parse(state.text) for state in found.states.values())


def test_published_nodes_order_the_24_puzzles(script: Any) -> None:
    nodes = [state.nodes for state in script.read_set("puzzle24", is_ordered=True).states.values()]
    assert nodes == sorted(nodes)
    assert list(script.read_set("puzzle24", is_ordered=False).states) == list(range(1, 249))


def test_a_run_is_continued(
    run: Callable[..., list[dict[str, Any]]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert [line["state"] for line in run("random:tiles-2x3:3:1", "--states", "2")] == [2]
    capsys.readouterr()
    found = run("random:tiles-2x3:3:1")
    assert [line["state"] for line in found] == [2, 1, 3]
    assert all(line["length"] == line["at_least"] > 0 for line in found)
    assert "| random-tiles-2x3-3-1 | 3 of 3 |" in capsys.readouterr().out
    (path,) = tmp_path.iterdir()
    whole = path.read_text()
    assert run("random:tiles-2x3:3:1") == found
    assert path.read_text() == whole
    path.write_text("".join(whole.splitlines(keepends=True)[:-1]))
    *first, last = run("random:tiles-2x3:3:1")
    assert first == found[:-1]
    with pytest.raises(SystemExit, match="has no state 4"):
        run("random:tiles-2x3:3:1", "--states", "1", "4")
    assert (last["state"], last["length"]) == (3, found[-1]["length"])


@pytest.mark.parametrize(
    ("length", "arguments", "fault"),
    [
        (1, [], None),
        (3, [], "state 1: 1 moves instead of 3"),
        (0, [], "state 1: at least 1 moves instead of 0"),
        (1, ["--short", "1"], None),
        (3, ["--short", "1"], "state 1: 1 moves instead of 3"),
    ],
)
def test_lengths_are_checked(
    script: Any,
    run: Callable[..., list[dict[str, Any]]],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    length: int,
    arguments: list[str],
    fault: str | None,
) -> None:
    monkeypatch.setattr(script, "_SETS", {"near": ("tiles-2x3", lambda _: [script.State(NEAR, length)], {})})
    if fault is None:
        assert [line["length"] for line in run("near", *arguments)] == [1]
        return
    with pytest.raises(SystemExit, match=fault):
        run("near", *arguments)
    (path,) = tmp_path.iterdir()
    assert "state" not in path.read_text()


def test_the_page_has_the_table_of_the_files(script: Any) -> None:
    table = script.table((ROOT / "benchmarks" / "published").glob("*.jsonl"))
    assert table in (ROOT / "docs" / "published.md").read_text()


def test_published_files_have_no_wrong_length() -> None:
    texts = [path.read_text() for path in (ROOT / "benchmarks" / "published").glob("*.jsonl")]
    solved = [line for text in texts for line in map(json.loads, text.splitlines()) if line.get("length")]
    assert solved
    assert all(line["at_least"] <= (line["published"] or line["length"]) <= line["length"] for line in solved)
    assert all(line["length"] == line["at_least"] for line in solved if "limit" not in line)


@pytest.mark.parametrize("name", ["nothing", "random:skewb", "random:skewb:0:1", "random:skewb:x:1"])
def test_names_of_no_set(
    run: Callable[..., list[dict[str, Any]]], capsys: pytest.CaptureFixture[str], name: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        run(name)
    assert ended.value.code == 2
    assert "is none of cube3, puzzle15" in capsys.readouterr().err
