from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

import cubesolve
from cubesolve import catalog, lookup
from tests.processes import run_python

ROOT = Path(__file__).parent.parent


def test_public_names() -> None:
    assert cubesolve.__all__ == dir(cubesolve)
    assert cubesolve.__all__ == [
        "CorruptTableError", "CubesolveError", "CubesolveWarning", "InvalidDefinitionError", "InvalidMoveError",
        "InvalidStateError", "MissingPackageError", "MissingTableError", "NoMemoryError", "OutdatedTableError",
        "PocketCube", "Puzzle", "RubikCube", "Scramble", "SearchLimitError", "TableError", "Tablebase", "TooLargeError",
        "Tray", "UnknownPuzzleError", "UnsolvableStateError", "UnsupportedTableError", "open_tablebase", "puzzle",
        "puzzles", "scrambles",
    ]  # fmt: skip
    assert dir(lookup) == lookup.__all__
    assert lookup.__all__ == [
        "Distribution", "RUBIK_SCRAMBLE_DEPTH", "SCRAMBLE_DEPTH", "SCRAMBLE_LENGTH", "SearchOptions", "Solution",
        "Table", "Tablebase", "antipodes", "bounds", "cells", "count_solutions", "count_solutions_batch", "depth",
        "depths", "distribution", "facelets", "hardest", "neighbors", "open_tablebase", "optimal_moves",
        "optimal_moves_batch", "path", "puzzle", "puzzles", "random_state", "ranks", "sample", "scramble", "search",
        "solution_counts", "solutions", "solve", "solve_batch", "symmetry_classes", "table", "transition_table",
    ]  # fmt: skip


def test_runtime_dependencies_are_few() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = [re.split(r"[><=]", each)[0] for each in project["dependencies"]]
    assert names == ["backports.zstd", "click", "filelock", "numba", "numpy", "platformdirs"]


def test_the_changelog_is_about_this_version() -> None:
    assert f"## [{cubesolve.__version__}]" in (ROOT / "CHANGELOG.md").read_text()


def test_a_wheel_has_the_default_tables_and_links_that_lead_somewhere() -> None:
    builder = WheelBuilder(str(ROOT))
    names = {file.distribution_path for file in builder.recurse_included_files()}
    require_content(names, builder.metadata.core.readme)


def require_content(names: set[str], about: str) -> None:
    carried = {name.removeprefix("cubesolve/tables/") for name in names if name.startswith("cubesolve/tables/")}
    assert carried == {f"{name}.zst" for name in catalog.tables_named() if name != "rubik-two-phase"}
    assert "cubesolve/py.typed" in names
    links = re.findall(r'\]\(([^)]*)\)|src="([^"]*)"', about)
    assert len(links) > 10
    assert [link for pair in links for link in pair if link and not link.startswith(("https://", "#"))] == []
    assert all(name.startswith(("cubesolve/", "cubesolve-")) for name in names)
    assert not any("__pycache__" in name for name in names)


@pytest.mark.exhaustive
def test_an_installed_wheel_answers_without_building(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)],
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = {*archive.namelist()}
        archive.extractall(tmp_path / "installed")
        (about,) = [archive.read(name).decode() for name in names if name.endswith("/METADATA")]
    require_content(names, about)
    code = "import os; os.chdir('/'); from cubesolve import lookup, PocketCube\n"
    code += "from cubesolve.store.folders import find_table\n"
    code += "print(find_table('pocket-htm')); print(lookup.depth(PocketCube.from_alg('R U F')))"
    env = {key: value for key, value in os.environ.items() if key != "CUBESOLVE_TABLES"}
    result = subprocess.run(
        [sys.executable, "-c", code],
        env={**env, "PYTHONPATH": str(tmp_path / "installed")},
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.stdout == f"{tmp_path}/installed/cubesolve/tables/pocket-htm.zst\n3\n", result.stderr


def test_worked_examples_run() -> None:
    result = run_python("import cubesolve; help(cubesolve)")
    assert "PocketCube" in result.stdout
