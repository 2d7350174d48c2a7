"""Commands that messages name do what the messages say."""

from __future__ import annotations

import ast
import os
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import Result

import cubesolve
from cubesolve import catalog, lookup
from cubesolve.cli import main
from cubesolve.cli.running import with_hint
from cubesolve.errors import CorruptTableError, MissingTableError
from cubesolve.solvers import derived
from cubesolve.spaces.rules import Rules
from cubesolve.spaces.tables import TableEntry
from cubesolve.store import build, checkpoint
from cubesolve.store.folders import FOLDER_VARIABLE
from cubesolve.store.tables import Tables
from cubesolve.web import problems
from cubesolve.web.served import ChosenPuzzle, Served, UploadedText
from tests.commands import invoke, printed
from tests.subsets import later

PACKAGE = Path(cubesolve.__file__).parent
RINGS = PACKAGE.parent / "docs" / "rings.tws"


@pytest.fixture
def nothing_there(tmp_path: Path, nothing_open: None, monkeypatch: pytest.MonkeyPatch) -> Path:  # noqa: ARG001
    """An empty folder of tables, in which tables are built only on demand."""
    (tmp_path / "tables").mkdir()
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "tables"))
    monkeypatch.setattr("cubesolve.store.folders._OWN", str(tmp_path / "other"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr(derived, "AT_ONCE", 0)
    return tmp_path


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the names of tables instead of building them."""
    names: list[str] = []

    def note(_rules: Rules, entry: TableEntry, **_: object) -> str:
        names.append(entry.name)
        return "nowhere"

    monkeypatch.setattr(build, "build", note)
    return names


def typed(command: str, monkeypatch: pytest.MonkeyPatch) -> Result:
    """Run a typed command."""
    words = shlex.split(command)
    while "=" in words[0]:
        monkeypatch.setenv(*words.pop(0).split("=", 1))
    assert words.pop(0) == "cubesolve"
    return invoke(*words)


def advice(message: str) -> str:
    """Return the command that a message names for building a table."""
    found = re.search(r"build it (?:again )?with: (.*?)(?: \([^()]*\))?$", message.strip())
    assert found, message
    return found[1]


@pytest.mark.parametrize(
    "command",
    [
        "verify {rings}",
        "info {rings}",
        "distribution --puzzle {rings}",
        "distribution --puzzle {rings} --moves L",
        "distribution --puzzle {rings} --cost L=2",
        "distribution --puzzle {rings} --metric qtm",
        "distribution --puzzle {rings} --moves R --metric qtm",
        "distribution --puzzle {rings} --moves 'L R' --cost 'L=2 R*=3' --metric qtm",
        later("distribution --puzzle skewb --goal 'L R'"),
        "distribution --puzzle floppy --moves 'R2 F2'",
        "distribution --puzzle pocket --moves 'R2 U' --metric qtm",
        "distribution --puzzle rubik --moves 'U2 R2 F2'",
        "distribution --puzzle rubik --goal cross-U --metric qtm",
    ],
)
def test_a_table_that_is_missing(command: str, nothing_there: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rings = shutil.copy(RINGS, nothing_there / "two 'rings'.tws")
    asked = f"cubesolve tables {command.format(rings=shlex.quote(str(rings)))}"
    missing = typed(asked, monkeypatch)
    assert missing.exit_code == 3, missing.output
    made = typed(advice(missing.stderr), monkeypatch)
    assert made.exit_code == 0, made.output
    answered = typed(asked, monkeypatch)
    assert answered.exit_code == 0, answered.output
    assert "distribution" not in command or answered.stdout.startswith("0 ")


def test_a_table_that_cannot_be_built_is_not_advised(nothing_there: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two bits per state fit into memory, but the list of rows does not."""
    file = nothing_there / "thirteen.gap"
    file.write_text("L := (1,2,3,4,5,6,7,8,9,10,11,12,13); X := (1,2);")
    asked = typed(f"cubesolve tables distribution --puzzle {file}", monkeypatch)
    built = typed(f"cubesolve tables build {file}", monkeypatch)
    limit = "more than can be enumerated: at most 3,019,898,880; "
    other = ("without a table, count (--count) and levels", "ask about single states, or choose fewer moves")
    for each, instead in zip((asked, built), other, strict=True):
        assert f"{limit}{instead}" in each.stderr
        assert "build it" not in each.stderr


@pytest.mark.usefixtures("nothing_there")
def test_goals_with_tables_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    about = "rubik --goal 'cross|eo'"
    built = typed(f"cubesolve tables build {about}", monkeypatch)
    assert (built.exit_code, built.stdout.count(" built: ")) == (0, 4), built.output
    verified = typed(f"cubesolve tables verify {about}", monkeypatch)
    assert (verified.exit_code, verified.stdout.count(" proved right: ")) == (0, 4), verified.output


@pytest.mark.usefixtures("nothing_there")
@pytest.mark.parametrize("folder", [None, "/tmp/my tables"])
def test_tables_of_the_catalog_that_are_missing(
    folder: str | None, built: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cubesolve.cli.building.half_of_memory", lambda: 1 << 50)
    monkeypatch.setattr(checkpoint.Checkpoint, "room", lambda _: 1 << 50)
    for name, entry in catalog.tables().items():
        with pytest.raises(MissingTableError) as missing:
            Tables(folder).path(entry)
        assert typed(advice(str(missing.value)), monkeypatch).exit_code == 0
        assert built == [name]
        assert folder is None or os.environ[FOLDER_VARIABLE] == folder
        built.clear()


@pytest.mark.parametrize("where", ["built", "elsewhere"])
def test_a_table_that_is_damaged(where: str, nothing_there: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A damaged table is built again in its own folder, where it would be found."""
    folder = nothing_there / {"built": "tables", "elsewhere": "the other one"}[where]
    folder.mkdir(exist_ok=True)
    (folder / "ivy-htm.zst").write_bytes(b"x")
    with pytest.raises(CorruptTableError) as error:
        lookup.open_tablebase(folder).puzzle("ivy").depth("R")
    hint = with_hint(error.value)
    assert (FOLDER_VARIABLE in advice(hint)) == (where == "elsewhere")
    assert typed(advice(hint), monkeypatch).exit_code == 0
    assert lookup.open_tablebase(folder).puzzle("ivy").depth("R") == 1


def test_what_a_page_says(nothing_there: Path, built: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    text = RINGS.read_text(encoding="utf-8")
    served = Served({"rings.tws": text}, str(nothing_there))
    monkeypatch.chdir(RINGS.parent)
    given = UploadedText(text, "rings.tws")
    for puzzle in (served.find(ChosenPuzzle("rings.tws")), served.find(ChosenPuzzle(given.made_name), given)):
        with pytest.raises(MissingTableError) as missing:
            puzzle.distribution(metric="qtm")
        assert problems.message(missing.value) == f"this server does not have the table {missing.value.name}"
        assert typed(advice(str(missing.value)), monkeypatch).exit_code == 0
        assert missing.value.name in built
    assert UploadedText(text, "my rings.tws").rules().spoken == "'my rings.tws'"


@pytest.mark.parametrize("is_large", [False, pytest.param(True, marks=pytest.mark.exhaustive)])
def test_examples_of_help(is_large: bool, tmp_path: Path, built: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands that build work as shown; other tests run the rest."""
    shutil.copy(RINGS, tmp_path / "my.tws")
    monkeypatch.chdir(tmp_path)
    from cubesolve.cli.building import build as build_command

    found = re.findall(r"^ +(cubesolve tables build.*)$", build_command.help or "", re.MULTILINE)
    assert len(found) == 4
    for command in found:
        if ("rubik" in command) != is_large:
            continue
        result = typed(command, monkeypatch)
        assert result.exit_code == 0, result.output
        assert built
        built.clear()


def test_no_table_is_built_by_default_where_a_puzzle_is_meant(built: list[str]) -> None:
    for metric in ("htm", "qtm"):
        printed("tables", "build", "pocket", "rubik", "--metric", metric)
        assert built == [f"pocket-{metric}", f"rubik-{metric}-medium"]
        built.clear()


# -- Which messages there are ------------------------------------------------------------------------------------------

COMMANDS = "|".join(main.list_commands(click.Context(main)))
NAMED = {
    "errors.py": ["cubesolve tables build ", "cubesolve puzzles"],  # the first is what `building` returns, tested above
    "cli/states.py": ["cubesolve solve --html"],
    "cli/options.py": ["cubesolve puzzles"],
    "cli/tables.py": ["cubesolve puzzles"],
    "cli/cases.py": ["cubesolve cases "],
    "runtime/kernels.py": ["cubesolve warm"],
    "web/offline.py": ["cubesolve serve"],
    "learn/dataset/__init__.py": ["cubesolve dataset "],  # tested with data sets
    "judge/generating.py": ["cubesolve judge "],  # tested with judges
}
"""The commands that are named in messages, by module: a test types each."""


def named(source: str) -> Iterator[str]:
    """Return the commands in the texts of a module, except in docstrings."""
    tree = ast.parse(source)
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield from re.findall(rf"cubesolve (?:{COMMANDS})\b(?: build\b)?(?: --html)? ?(?=$|[^ ]?)", node.value)


def test_every_message_that_names_a_command_is_known() -> None:
    found: dict[str, list[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for command in named(text) if re.search(rf"cubesolve (?:{COMMANDS})\b", text) else ():
            found.setdefault(path.relative_to(PACKAGE).as_posix(), []).append(command.strip())
    assert found == {name: [command.strip() for command in commands] for name, commands in NAMED.items()}
