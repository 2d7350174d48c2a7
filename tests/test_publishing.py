"""Files for publication agree with the project, and a wheel has what it needs."""

from __future__ import annotations

import json
import re
import tomllib
from itertools import pairwise
from pathlib import Path

from hatchling.builders.wheel import WheelBuilder

import cubesolve
from cubesolve import catalog, lookup
from tests.commands import invoke

ROOT = Path(__file__).parents[1]
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
    left_out = [ROOT / word for option, word in pairwise(words) if option == "--ignore"]
    named = [ROOT / word for word in words if word.startswith("tests/")]
    files = [file for path in named for file in (path.rglob("test_*.py") if path.is_dir() else [path])]
    assert len(files) > 15
    assert all(path.exists() for path in named)
    needing = {file for file in files if "from tests.processes" in file.read_text()}
    assert needing == {*left_out}


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


# -- The package -------------------------------------------------------------------------------------------------------


def test_public_names() -> None:
    names = json.loads((ROOT / "tests" / "data" / "public_names.json").read_text())
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
