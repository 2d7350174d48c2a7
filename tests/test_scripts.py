"""Scripts: benchmarks, checks, figures and torture."""

from __future__ import annotations

import contextlib
import importlib
import itertools
import json
import re
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cubesolve import puzzle
from cubesolve.counting.records import record
from tests.processes import ROOT

Lines = list[dict[str, Any]]
Run = Callable[..., Lines]


@pytest.fixture
def main(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Run the main function of a script in this process."""
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))

    def run(name: str, *arguments: str) -> None:
        monkeypatch.setattr(sys, "argv", [f"{name}.py", *arguments])
        importlib.import_module(name).main()

    return run


def started(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a script in a process of its own."""
    command = [sys.executable, f"scripts/{name}.py", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


# -- Published sets are solved; a run continues where it was interrupted, and ends at a wrong length -------------------


@pytest.fixture
def script(main: Callable[..., None]) -> Any:  # noqa: ARG001  # which finds scripts
    return importlib.import_module("bench_published")


@pytest.fixture
def run(main: Callable[..., None], tmp_path: Path) -> Run:
    """Run the script, and return the lines of its file without those of the machine."""

    def lines(name: str, *arguments: str) -> Lines:
        main("bench_published", name, *arguments, "--folder", str(tmp_path))
        (path,) = tmp_path.iterdir()
        return [line for line in map(json.loads, path.read_text().splitlines()) if "state" in line]

    return lines


SETS = {
    "cube3": (500, 20.614),
    "puzzle15": (250, 51.632),
    "puzzle24": (248, 89.008),
    "korf100": (100, 53.05),
    "korf50": (50, 100.78),
}
"""The number of states of each set, and their mean length."""


@pytest.mark.parametrize("name", SETS)
def test_sets(script: Any, name: str) -> None:
    found = script.read_set(name, is_ordered=True)
    states = found.states.values()
    assert sorted(found.states) == list(range(1, len(states) + 1))
    assert (len(states), sum(state.length for state in states) / len(states)) == pytest.approx(SETS[name], abs=0.001)
    opened = puzzle(found.puzzle)
    assert all(opened.parse(state.text) for state in states)
    if name == "puzzle24":  # which published nodes order
        nodes = [state.nodes for state in states]
        assert nodes == sorted(nodes)
        assert list(script.read_set(name, is_ordered=False).states) == list(range(1, 249))


def test_a_run_is_continued(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
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


@pytest.mark.parametrize("arguments", [[], ["--short", "1"]])
@pytest.mark.parametrize(
    ("length", "fault"), [(1, ""), (3, "state 1: 1 moves instead of 3"), (0, "state 1: .*1 moves instead of 0")]
)
def test_lengths_are_checked(
    script: Any, run: Run, monkeypatch: pytest.MonkeyPatch, length: int, arguments: list[str], fault: str
) -> None:
    near = script.State("1 2 3 4 0 5", length)  # one move from the solved state
    monkeypatch.setattr(script, "_SETS", {"near": ("tiles-2x3", lambda _: [near], {})})
    for _ in range(2):  # no wrong length is written
        with pytest.raises(SystemExit, match=fault) if fault else contextlib.nullcontext():
            assert [line["length"] for line in run("near", *arguments)] == [1]


def test_published_files_have_no_wrong_length_and_the_page_has_their_table(script: Any) -> None:
    paths = [*(ROOT / "benchmarks" / "published").glob("*.jsonl")]
    assert script.table(paths) in (ROOT / "docs" / "published.md").read_text()
    solved = [line for path in paths for line in map(json.loads, path.read_text().splitlines()) if line.get("length")]
    assert solved
    assert all(line["at_least"] <= (line["published"] or line["length"]) <= line["length"] for line in solved)
    assert all(line["length"] == line["at_least"] for line in solved if "limit" not in line)


@pytest.mark.parametrize("name", ["nothing", "random:skewb", "random:skewb:0:1", "random:skewb:x:1"])
def test_names_of_no_set(run: Run, capsys: pytest.CaptureFixture[str], name: str) -> None:
    with pytest.raises(SystemExit) as ended:
        run(name)
    assert ended.value.code == 2
    assert "is none of cube3, puzzle15" in capsys.readouterr().err


# -- Two commits are compared ------------------------------------------------------------------------------------------


@pytest.mark.exhaustive
def test_two_commits_by_turns() -> None:
    result = started("bench_turns", "HEAD", "HEAD", "--rounds", "2", "--only", "process")
    assert result.returncode == 0, result.stderr
    *_, measured = result.stdout.splitlines()
    ratio = re.fullmatch(r"\| `cubesolve depth`, the whole process \| (\d\.\d\d) \| .* \|", measured)
    assert ratio, measured
    assert 0.2 < float(ratio[1]) < 5


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["HEAD", "HEAD", "--rounds", "0"], "--rounds must be 1 or more"),
        (["HEAD", "no-such-commit"], "no-such-commit is no commit of this repository"),
    ],
)
def test_what_is_no_comparison(arguments: list[str], reason: str) -> None:
    result = started("bench_turns", *arguments)
    assert result.returncode == 2
    assert reason in result.stderr


# -- Records are checked -----------------------------------------------------------------------------------------------


@pytest.fixture
def check(main: Callable[..., None]) -> Callable[..., None]:
    return lambda *words: main("check_record", *map(str, words))


def fault_of(check: Callable[..., None], *words: object) -> str:
    """Return why a check fails."""
    with pytest.raises(SystemExit) as ended:
        check(*words)
    return str(ended.value)


def test_a_record_is_checked(check: Callable[..., None], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found, file, counts = record(puzzle("floppy")), tmp_path / "floppy.json", tmp_path / "floppy.csv"
    file.write_text(json.dumps(found))
    check(file, "--csv")
    counts.write_text(capsys.readouterr().out)
    check(file, counts)
    assert capsys.readouterr().out.endswith("192 states, at most 8 moves: no fault found\n")
    counts.write_text("0 1\n1 4\n")
    assert "has other counts" in fault_of(check, file, counts)
    assert found["farthest"]
    (first, *rest), (farthest,) = found["distribution"], found["farthest"]
    wrong: list[tuple[str, str, Any]] = [
        ("the counts sum to 192 states, not 193", "states", 193),
        ("the first counts are [2,", "distribution", [first + 1, *rest]),
        ("does not solve", "farthest", [{**farthest, "solution": "R2 F2"}]),
        ("has not 8 moves", "farthest", [{**farthest, "solution": f"{farthest['solution']} R2 R2"}]),
        ("the farthest states are not 1", "farthest", [farthest, farthest]),
        ("be checked: missing.tws: cannot be read: No such file or directory", "puzzle", "missing.tws"),
    ]
    for fault, key, value in wrong:
        file.write_text(json.dumps({**found, key: value}))
        assert fault in fault_of(check, file)


def test_files_without_a_record_are_named(check: Callable[..., None], tmp_path: Path) -> None:
    file, counts = tmp_path / "some.json", tmp_path / "some.csv"
    assert "some.json cannot be read: No such file or directory" in fault_of(check, file)
    for text in ("", "[1]", '{"distribution": [1]}'):
        file.write_text(text)
        assert "some.json is not a record of tables distribution --out" in fault_of(check, file, "--csv")
    file.write_text(json.dumps(record(puzzle("floppy"))))
    assert "some.csv cannot be read: No such file or directory" in fault_of(check, file, counts)
    for text in ("", "0\n1\n", "0 1 2\n"):
        counts.write_text(text)
        assert "some.csv has no lines of a depth and a number" in fault_of(check, file, counts)


# -- Figures of the documentation --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def figures() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "scripts" / "figures.py"))


@pytest.mark.exhaustive
def test_no_number_lies_across_a_bar(figures: dict[str, Any]) -> None:
    figure, axes = figures["plt"].subplots(figsize=(13 / 3, 3.8), layout="constrained")
    figures["numbers_of_states"](axes)
    figure.canvas.draw()
    bars = [bar.get_window_extent() for bar in axes.patches]
    words = [*axes.texts, axes.title, *axes.get_legend().get_texts()]
    numbers = [text.get_window_extent() for text in words if text.get_text()]
    assert len(bars) == 12 + 15
    assert len(numbers) >= 3
    assert not [pair for pair in itertools.product(numbers, bars) if pair[0].overlaps(pair[1])]
    figures["plt"].close(figure)


@pytest.mark.exhaustive
def test_the_picture_is_the_one_that_is_shown_and_can_be_read_on_black(figures: dict[str, Any]) -> None:
    drawn = figures["figure_svg"]()
    assert drawn == figures["figure_svg"]()
    assert figures["STYLE"] in drawn
    # Versions of matplotlib differ in how they write a line; what is written in words must be the same.
    words, shipped = (
        re.findall(r">([^<>\n]+)</text>", each) for each in (drawn, (ROOT / "docs" / "depths.svg").read_text())
    )
    assert words == shipped
    assert all(any(number in word for word in words) for number in ("2,644", "276", "States at each depth"))
    inks = set(re.findall(r"(?<![-\w])(?:fill|stroke): ([^;\"]+)", drawn))
    assert inks == {"none", "currentColor", *figures["COLOURS"].values()}


# -- Files and servers under attack ------------------------------------------------------------------------------------


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "times"), [("torture", ""), ("torture_server", r" +\d+ ms +\d+")])
def test_a_short_torture_breaks_nothing(name: str, times: str) -> None:
    result = started(name, "--seconds", "0", "--seed", "7")
    assert (result.returncode, result.stderr) == (0, ""), result.stdout
    rows = re.findall(rf"^(\w+) +([\d,]+) +0{times}  \S", result.stdout, re.M)
    attempts = re.findall(r"^ATTEMPTS = \((.*)\)", (ROOT / "scripts" / f"{name}.py").read_text(), re.M)[0]
    assert [name for name, _ in rows] == re.findall(r"(\w+)", attempts)
    assert name == "torture_server" or all(int(cases.replace(",", "")) > 0 for _, cases in rows)
