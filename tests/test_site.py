"""What is beside the package: the documentation and its site, files for publication, and scripts."""

from __future__ import annotations

import contextlib
import importlib
import itertools
import json
import re
import runpy
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hatchling.builders.wheel import WheelBuilder

import cubesolve
from cubesolve import catalog, lookup, puzzle
from cubesolve.counting.records import record
from cubesolve.lookup import Tablebase
from tests.browser import open_page
from tests.commands import invoke
from tests.facts import DATA
from tests.processes import ROOT, TAKEN, typed

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

DOCS = ROOT / "docs"
PAGES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))
SITE = tomllib.loads((ROOT / "zensical.toml").read_text())["project"]
SESSION = re.compile(r"^    \$ (.*)\n((?:    (?!\$).*\n)*)", re.M)
STUDENT = "#!/bin/sh\ncubesolve judge hdu-4801 | sed '$s/3/2/'\n"  # whose last answer is wrong

OWN = "Set P 7 1\nSolved\nEnd\nMove A\nP\n2 3 4 5 6 7 1\nEnd\nMove B\nP\n2 1 3 4 5 6 7\nEnd\n"


def sessions(page: str) -> list[tuple[str, str]]:
    """Return the commands of a page and their documented output, in which ``...`` stands for any lines."""
    found = SESSION.findall((DOCS / page).read_text())
    return [(command, re.sub(r"^    ", "", printed, flags=re.M)) for command, printed in found]


@pytest.mark.parametrize("page", [page for page in ["../README.md", *PAGES] if sessions(page)])
def test_commands_print_what_is_shown(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work, home = tmp_path / "work", tmp_path / "home"
    work.mkdir()
    (work / "docs").symlink_to(DOCS)
    (work / "student").write_text(STUDENT)
    (work / "student").chmod(0o755)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_DATA_HOME")
    home.mkdir()
    monkeypatch.setattr(lookup, "puzzle", Tablebase().puzzle)  # no tables that are open from other tests
    for command, shown in sessions(page):
        _, printed, errors = typed(command, work, tmp_path)
        expected = "(?:.*\n)*".join(map(re.escape, shown.split("...\n")))
        assert errors.replace(TAKEN, "") == "", command
        assert re.fullmatch(expected, printed.replace(str(home), "/home/you")), f"{command}\n{printed}"


def shell_lines() -> Iterator[Any]:
    """Return the commands in blocks of shell without output, except those that search for minutes."""
    minutes = "rubik-htm-medium", "B2 R' D\"", "cubes.txt", "scramble --puzzle rubik", "--case zbll"
    seconds = "15-puzzle", "--within", "--from ", "tables verify", "pocket.npz", "fto -n"
    found = set[str]()
    for path in [ROOT / "README.md", *(DOCS / page for page in PAGES)]:
        for block in re.findall(r"^```sh\n(.*?)^```", path.read_text(), re.M | re.S):
            lines = block.replace("\\\n", " ").splitlines()
            found |= {re.sub(r"\s+# .*", "", line) for line in lines if line.startswith("cubesolve ")}
    for line in sorted(found):
        if any(each in line for each in seconds):
            yield pytest.param(line, marks=pytest.mark.exhaustive)
        elif not any(each in line for each in minutes):
            yield line


@pytest.mark.parametrize("line", list(shell_lines()))
def test_lines_of_shell_work(line: str, tmp_path: Path) -> None:
    (tmp_path / "my.tws").write_text(OWN)
    status, printed, errors = typed(line, tmp_path, tmp_path)
    assert (status, errors.replace(TAKEN, "")) == (0, "")
    assert printed or re.search("--(svg|out|html|plot) ", line)


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page: its headings."""
    titles = re.findall(r"^#+ (.*)", page.read_text(), re.M)
    return {re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", title).strip().lower()) for title in titles}


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", *(f"docs/{page}" for page in PAGES)])
def test_links_lead_somewhere(page: str) -> None:
    path = ROOT / page
    links = re.findall(r'(?<!`)\]\(([^)\s]+)\)|src="([^"]+)"', path.read_text())
    for link in ("".join(pair) for pair in links):
        where, _, anchor = link.partition("#")
        ours = "https://github.com/cubesolve/cubesolve/blob/main/"
        if where.startswith("https://") and not where.startswith(ours):
            continue
        target = ROOT / where.removeprefix(ours) if where.startswith(ours) else path.parent / where if where else path
        assert target.is_file(), link
        assert not anchor or anchor in anchors(target), link


def test_the_reference_has_every_public_name() -> None:
    page = (DOCS / "reference.md").read_text()
    for name in lookup.__all__:
        assert re.search(rf"cubesolve\.lookup\.(?:Tablebase\.)?{name}\b|`{name}`|members: .*\b{name}\b", page), name
    for name in cubesolve.__all__:
        assert re.search(rf"`{name}`|\.{name}\b|- {name}\n", page), name
    for name in ("Goal", "Model", "Tray", "invert_rolls", "model_named"):
        assert re.search(rf"^::: .*\.{name}$", page, re.M), name


def test_the_site_has_every_page_once_and_loads_nothing_from_elsewhere() -> None:
    assert sorted(re.findall(r'"([^"]+\.md)"', json.dumps(SITE["nav"]))) == PAGES
    assert SITE["theme"]["font"] is False
    for script in SITE["extra"]["polyfills"] + SITE["extra_javascript"]:
        assert (DOCS / script["path"]).is_file()
    assert not {"extra_css", "repo_url"} & SITE.keys()  # of the last, pages count stars


def test_copied_examples_have_no_prompts_and_no_output(browser: Chrome, tmp_path: Path) -> None:
    session = "$ cubesolve depth 'R U'\n2\n$ cubesolve solve 'R U'\nU' R'\n"
    python = ">>> for move in 'RU':\n...     print(move)\n...\nR\nU\n>>> 'done'\n'done'\n"
    blocks = "".join(f"<pre><code>{text}</code></pre>" for text in (session, python, "make tables\n"))
    open_page(browser, tmp_path / "page.html", f"{blocks}<script>{(DOCS / 'assets/copy.js').read_text()}</script>")
    assert browser.execute_script("return [...document.querySelectorAll('code')].map(code => code.dataset.copy)") == [
        "cubesolve depth 'R U'\ncubesolve solve 'R U'",
        "for move in 'RU':\n    print(move)\n\n'done'",
        None,
    ]


# -- Files for publication agree with the project, and a wheel has what it needs ---------------------------------------

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_the_recipe_has_the_version_and_the_dependencies() -> None:
    recipe = (ROOT / "recipe" / "recipe.yaml").read_text()
    assert f'version: "{cubesolve.__version__}"' in recipe
    run = re.search(r"  run:\n((?:    - .*\n)+)", recipe)
    assert run
    named = [line.removeprefix("    - ").replace(" ", "") for line in run[1].splitlines()]
    needed = [each.partition(";")[0] for each in PROJECT["dependencies"]]  # one package for all versions of Python
    assert named == ["python>=${{python_min}}", *needed]
    packages = [re.split(r"[><=]", each)[0] for each in needed]  # which are few
    assert packages == ["backports.zstd", "click", "filelock", "numba", "numpy", "platformdirs"]


def test_each_archive_describes_the_project_alike() -> None:
    deposit = json.loads((ROOT / ".zenodo.json").read_text())
    citation = (ROOT / "CITATION.cff").read_text()
    assert deposit["license"] == PROJECT["license"]
    assert f"version: {cubesolve.__version__}" in citation
    assert f"## [{cubesolve.__version__}]" in (ROOT / "CHANGELOG.md").read_text()
    assert all(f"- {keyword}" in citation for keyword in deposit["keywords"])
    assert PROJECT["description"] in deposit["description"]


def test_the_container_copies_files_and_runs_commands_that_exist() -> None:
    lines = [line.split(" ", 1) for line in (ROOT / "Dockerfile").read_text().splitlines() if line[0] != "#"]
    copied = [word for name, rest in lines if name == "COPY" for word in rest.split()[:-1]]
    assert {"pyproject.toml", "README.md", "cubesolve", *PROJECT["license-files"]} == {*copied}
    assert all((ROOT / word).exists() for word in copied)
    (started,) = (json.loads(rest) for name, rest in lines if name == "CMD")
    commands = [each.split() for name, rest in lines if name == "RUN" for each in rest.split(" && ")]
    ours = [words[1:] for words in (*commands, started) if words[0] == "cubesolve"]
    assert [words[0] for words in ours] == ["tables", "warm", "serve"]
    for words in ours:
        assert invoke(*words, "--help").exit_code == 0


def test_workflows_call_what_there_is() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    workflows = list((ROOT / ".github" / "workflows").glob("*.yml"))
    called = {
        word for path in workflows for each in re.findall(r"run: make (.*)", path.read_text()) for word in each.split()
    }
    assert len(workflows) == 3
    assert called
    assert called <= targets
    pythons = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert json.dumps(pythons) in (ROOT / ".github" / "workflows" / "test.yml").read_text()


def test_other_systems_run_tests_that_start_no_processes() -> None:
    """Windows has none of the modules of POSIX that `tests.processes` imports."""
    workflow = (ROOT / ".github" / "workflows" / "test.yml").read_text()
    words = workflow.partition("python -m pytest ")[2].partition("\n  sdist:")[0].split()
    left_out = [ROOT / word for option, word in itertools.pairwise(words) if option == "--ignore"]
    named = [ROOT / word for word in words if word.startswith("tests/")]
    files = [file for path in named for file in (path.rglob("test_*.py") if path.is_dir() else [path])]
    assert len(files) > 10
    assert all(path.exists() for path in named)
    assert {file for file in files if "from tests.processes" in file.read_text()} == {*left_out}


def test_the_paper_has_the_sections_the_length_and_the_bibliography_that_joss_asks_for() -> None:
    """The disclosure of the use of AI is left for the authors."""
    paper, bibliography = ((ROOT / "paper" / f"paper.{kind}").read_text() for kind in ("md", "bib"))
    entries = re.split(r"^@", bibliography, flags=re.MULTILINE)[1:]
    assert set(re.findall(r"@([a-z0-9]+)", paper)) == {re.split("[{,]", entry)[1] for entry in entries}
    assert all("author = " in entry for entry in entries)
    text = paper.split("---", 2)[2]
    wanted = ["Summary", "Statement of need", "State of the field", "Software design", "Research impact statement"]
    assert re.findall(r"^# (.*)", text, re.MULTILINE) == [*wanted, "Acknowledgements", "References"]
    assert 750 <= len(text.split()) <= 1750


def test_public_names() -> None:
    names = json.loads((DATA / "public_names.json").read_text())
    for module in (cubesolve, lookup):
        assert dir(module) == module.__all__ == names[module.__name__]
    assert cubesolve.__getattr__("lookup") is lookup  # also before it is imported


def test_a_wheel_has_the_default_tables_and_links_that_lead_somewhere() -> None:
    """`make try-wheel` asks the commands of an installed wheel."""
    builder = WheelBuilder(str(ROOT))
    names, about = {file.distribution_path for file in builder.recurse_included_files()}, builder.metadata.core.readme
    carried = {name.removeprefix("cubesolve/tables/") for name in names if name.startswith("cubesolve/tables/")}
    assert carried == {f"{name}.zst" for name in catalog.tables_named() if name != "rubik-two-phase"}
    assert "cubesolve/py.typed" in names
    links = re.findall(r'\]\(([^)]*)\)|src="([^"]*)"', about)
    assert len(links) > 10
    assert [link for pair in links for link in pair if link and not link.startswith(("https://", "#"))] == []
    assert all(name.startswith(("cubesolve/", "cubesolve-")) for name in names)
    assert not any("__pycache__" in name for name in names)


# -- Scripts: benchmarks, checks, figures and torture ------------------------------------------------------------------

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
