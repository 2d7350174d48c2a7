"""Systems without POSIX, folders with any name, and file systems that ignore case."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from cubesolve import catalog
from tests.processes import ROOT, run_python
from tests.without_numpy import answers

FAR = "F2 R2 B2 R2 F U' B2 L2 U2 D"  # too far to be found without a table
ASK = """
from tests.without_posix import hide
hide()
from click.testing import CliRunner
from cubesolve.cli import main
for line in lines:
    result = CliRunner().invoke(main, line.split("|"))
    print(result.exit_code, result.stdout.strip(), result.stderr.strip())
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with blanks and umlauts in its name."""
    path = tmp_path / "Größere Würfel" / "my tables"
    path.mkdir(parents=True)
    return path


def ask(folder: Path, *lines: str, **env: str) -> list[str]:
    """Return the output of command lines on a system without POSIX."""
    env |= {"CUBESOLVE_CACHE": str(folder / "Zwischenablage"), "XDG_DATA_HOME": str(folder / "Daten")}
    code = f"import os\nos.chdir({str(folder)!r})\nlines = {lines}\n{ASK}"
    result = run_python(code, {"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", **env}, fresh=True)
    assert result.stderr == ""
    return result.stdout.splitlines()


def test_tables_and_data_sets_without_posix(folder: Path) -> None:
    (folder / "Ringe groß.tws").write_text((ROOT / "docs" / "rings.tws").read_text())
    data_set = "dataset|Ringe groß.tws|--size|20|--split|0.5/0.5|--format|npz|--out|Würfe"
    answers = ask(
        folder,
        "tables|build|floppy-htm",
        "tables|verify|floppy-htm",
        "solve|-p|222|--format|alg|R U2 F'",
        "depth|--puzzle|Ringe groß.tws|L R L' R'",
        *["show|--format|alg|R U|--svg|Würfel.svg"] * 2,
        *[data_set] * 2,
        "tables|clean|--all",
        CUBESOLVE_TABLES=str(folder),
    )
    assert answers == [
        f"0 floppy-htm built: {folder}/floppy-htm.zst ",
        f"0 floppy-htm proved right: {folder}/floppy-htm.zst ",
        "0 F U2 R' ",
        "0 2 ",
        *["0  "] * 4,
        "0 0 bytes freed ",
    ]
    assert len(list(folder.glob("custom-*.zst"))) == 2
    assert (folder / "Würfel.svg").read_text().startswith("<svg")
    data = [f"data/{split}-00000-of-00001.npz" for split in ("test", "train")]
    assert sorted(str(path.relative_to(folder / "Würfe")) for path in (folder / "Würfe").rglob("*.*")) == sorted(
        ["README.md", *data, "dataset.json"]
    )


@pytest.mark.exhaustive
def test_large_tables_are_unpacked_into_memory_without_posix(folder: Path, rubik_tables: str) -> None:
    (folder / "Zwischenablage").mkdir(mode=0o777)
    question = f"depth|--puzzle|rubik|--format|alg|{FAR}"
    assert ask(folder, question, question, CUBESOLVE_TABLES=rubik_tables) == ["0 10 "] * 2
    assert os.listdir(folder / "Zwischenablage") == []


@pytest.mark.exhaustive
def test_kernels_are_kept_without_posix(folder: Path) -> None:
    code = (
        "from tests.without_posix import hide\n"
        "hide()\n"
        "from cubesolve.runtime.kernels import kernel\nfrom cubesolve.runtime.stored_code import folder\n"
        "def five(): return 5\n"
        "print(kernel()(five)(), folder())\n"
    )
    (folder / "five.py").write_text(code)
    env = {"NUMBA_CACHE_DIR": "", "CUBESOLVE_CACHE": str(folder), "PYTHONPATH": str(ROOT)}
    result = run_python(f"import sys; sys.path.append({str(folder)!r}); import five", env, fresh=True)
    assert (result.stdout, result.stderr) == (f"5 {folder}/kernels\n", "")
    assert len(list(folder.glob("kernels/five.five-*.o"))) == 1


def test_no_two_names_differ_by_case_alone() -> None:
    for names in (list(catalog.tables()), [str(path.relative_to(ROOT)) for path in (ROOT / "cubesolve").rglob("*.py")]):
        assert len({name.casefold() for name in names}) == len(names)
    assert all(name == name.lower() for name in catalog.tables())


# -- Installations without numpy and numba -----------------------------------------------------------------------------


PUZZLES = ["pocket", "rolling", "pyraminx", "skewb"]  # those whose tables ship
NEEDED = "is not installed; searches, arrays of states and building tables need it: pip install numba"
COMMANDS = {
    "depth|-p|222|--format|alg|R U2 F'": [0, "3\n", ""],
    "solve|--puzzle|skewb|R U' L": [0, "L' U R'\n", ""],
    "solve|--puzzle|rolling|--start|2,1|RBW/RWW/EWW": [0, "RUU\n", ""],
    "depth|--puzzle|rubik|--format|alg|R U F D L B R U F D|R U": [1, "2\n", f"cubesolve: argument 1: numpy {NEEDED}\n"],
    "tables|build|ivy": [1, "", f"cubesolve: numpy {NEEDED}\n"],
}
WITHOUT_NUMPY = f"""
from tests.without_numpy import answers, hide
hide()
import json, sys
from cubesolve import MissingPackageError, lookup, puzzle
found = {{name: answers(name) for name in {PUZZLES}}}
assert "click" not in sys.modules
needs = [
    lambda: lookup.depths([0]),
    lambda: puzzle("rubik").solve("R U2 F D L B R U F D L B"),
    lambda: list(puzzle("dino").solutions(puzzle("dino").random_state(1))),
    lambda: puzzle("skewb").distribution(count=True),
    lambda: puzzle("pancake-11").usual_tables(),
]
for ask in needs:
    try:
        raise AssertionError(f"{{ask()}}")
    except MissingPackageError as error:
        assert isinstance(error, ImportError) and str(error) == "numpy {NEEDED}"
try:
    import cubesolve.lookup.building
    raise AssertionError
except MissingPackageError as error:
    assert error.name == "numpy"
from click.testing import CliRunner
from cubesolve.cli import main
for line in {list(COMMANDS)}:
    result = CliRunner().invoke(main, line.split("|"))
    found[line] = [result.exit_code, result.stdout, result.stderr]
print(json.dumps(found))
"""


def test_questions_about_one_state_need_neither_numpy_nor_numba() -> None:
    result = run_python(WITHOUT_NUMPY, fresh=True)
    assert result.stderr == ""
    assert json.loads(result.stdout) == {name: answers(name) for name in PUZZLES} | COMMANDS
