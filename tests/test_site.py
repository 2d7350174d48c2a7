"""The documentation: the output of its commands, its links, and the pages of the site; and files for publication."""

from __future__ import annotations

import itertools
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hatchling.builders.wheel import WheelBuilder

import cubesolve
from cubesolve import catalog, lookup
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
