"""The command line: what is refused, documents beside answers, the version, and the completion of shells."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from cubesolve import PocketCube, catalog, puzzle
from cubesolve.cli import output
from cubesolve.cli.output import DocumentFormat, Documents, Subject, document_options
from cubesolve.store.folders import find_table
from tests.commands import commands_in, invoke, printed, refused
from tests.facts import DATA
from tests.processes import COMMAND, run

TURNED = "UUUUBBRRRRFFDDDDFFLLLLBB"  # by U


def _refused() -> Iterator[tuple[str, int, str]]:
    """Yield commands, with their statuses and parts of their messages."""
    yield from commands_in("refused.txt")
    rows = "W" * 30 + "/"
    for tray, message in (
        ("W" * 2000 + "E", "at most 1,000 cells"),
        (rows * 30 + "E" * 30, "one vacancy, not 30"),
        (rows * 29 + "*" * 30, "can be enumerated"),
    ):
        yield f"depth --puzzle rolling --start 9,9 {tray}", 1, message


@pytest.mark.parametrize(
    ("command", "status", "message"), list(_refused()), ids=[command[:60] for command, *_ in _refused()]
)
def test_what_is_wrong_is_said(
    command: str, status: int, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A refused command prints nothing on standard output, and writes no file."""
    monkeypatch.chdir(tmp_path)
    result = invoke(*shlex.split(command.replace("tests/data", str(DATA))))
    assert (result.exit_code, result.stdout) == (status, "")
    assert message in " ".join(result.stderr.split())
    assert not list(tmp_path.iterdir())


def test_a_puzzle_with_metrics_is_not_said_to_have_only_one() -> None:
    assert refused("show", "--puzzle", "rubik", "--metric", "qtm", "R").endswith("not supported for --puzzle rubik")


# -- Quotations in messages are short and have no control characters ---------------------------------------------------


EVIL = "\x1b]0;x\x07\x9b"
GIVEN = """\
depth; depth --puzzle; depth --puzzle skewb; depth --puzzle rubik; depth --format alg; depth --format; depth --metric;
depth --colours; depth --puzzle rolling --start 1,1; depth --puzzle rolling --start; depth --puzzle rubik --timeout;
depth --puzzle rubik --memory; depth --moves; depth --cost; solve --format alg --target; show;
show UUUUBBRRRRFFDDDDFFLLLLBB; show --svg; convert --to; convert --to alg; scramble --seed; scramble; judge;
judge poj-3131 --check; tables build; tables info; tables verify; tables distribution; tables distribution --tray;
export; export pocket --out; export pocket --out a.csv --columns; puzzles; ; --"""


@pytest.mark.parametrize("before", re.split(r";\s", GIVEN))
def test_a_quotation_is_short_and_a_terminal_obeys_nothing_in_it(before: str) -> None:
    for text in (EVIL, f"--{EVIL}", "q" * 200_000):
        result = invoke(*before.split(), text)
        assert result.exit_code in {1, 2, 3}
        assert isinstance(result.exception, SystemExit)
        assert all(line.isprintable() for line in result.output.split("\n"))
        assert 0 < len(result.output) < 6_000


def test_lines_of_input_are_quoted_likewise() -> None:
    for form in ("urfdlb", "net", "uva", "corners", "cubies", "alg"):
        result = invoke("depth", "--format", form, "-", stdin=f"{EVIL}\n{'x' * 20_000}\n")
        assert result.exit_code == 1
        assert all(line.isprintable() for line in result.output.split("\n"))
        assert len(result.output) < 2_000


# -- Documents: one registry makes options, help texts and checks ------------------------------------------------------


def _listing(subject: Subject) -> str:
    if len(subject.steps) > 2:
        raise ValueError("the list is too long")
    return "\n".join(str(state) for _, state in subject.steps) + "\n"


@pytest.fixture
def listing(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Run a command that prints a solution, and can also write it in a format of this test."""
    monkeypatch.setitem(output.FORMATS, "txt", DocumentFormat(".txt", "list of", "lists", ("solution",), _listing))

    @click.command()
    @click.argument("number", type=int)
    @document_options("solution")
    def solve(number: int, documents: Documents) -> None:
        documents.require_one_output(as_json=False)
        steps = [("", PocketCube.from_alg("R " * moves)) for moves in range(number, 0, -1)]
        document = documents.write(Subject(puzzle("pocket").rules, steps, "R' " * number))
        click.echo("R'" if document is None else document)

    return lambda *arguments: CliRunner().invoke(solve, arguments)


def test_a_format_is_one_entry(listing: Callable[..., Result], tmp_path: Path) -> None:
    shown = listing("--help").stdout
    assert "Also write a list of the solution to this .txt file; - writes only the list" in " ".join(shown.split())
    assert all(f"--{name} FILE" in shown for name in ("svg", "html", "txt"))
    path = tmp_path / "states.txt"
    assert listing("1", "--txt", str(path)).stdout == "R'\n"
    assert path.read_text() == f"{PocketCube.from_alg('R')}\n"
    assert listing("1", "--txt", "-").stdout == path.read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["1", "--txt", "states.doc"], "'states.doc' does not end with .txt, and is not -"),
        (["1", "--txt", "-", "--svg", "-"], "--svg - and --txt - cannot both be on standard output"),
        (["3", "--txt", "-"], "--txt: the list is too long"),
    ],
)
def test_checks_follow(listing: Callable[..., Result], arguments: list[str], message: str) -> None:
    result = listing(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in " ".join(result.stderr.split())


def test_a_command_has_the_formats_of_its_subject() -> None:
    for subject, formats in {"state": {"svg"}, "alg": {"html"}, "solution": {"svg", "html"}}.items():
        assert {name for name, each in output.FORMATS.items() if subject in each.subjects} == formats


# -- The version, the tables that it lists, and the completion of shells -----------------------------------------------


def test_the_version_is_a_line() -> None:
    for arguments in (["--version"], ["--version", "depth"], ["--version", "--", "depth", "x"]):
        result = run(*arguments)
        assert (result.returncode, result.stderr) == (0, "")
        assert re.fullmatch(r"cubesolve \d+\.\d+\.\d+\n", result.stdout)


def test_what_answers_rest_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own, users = tmp_path / "own", tmp_path / "data" / "cubesolve" / "tables"
    for folder in (own, users):
        folder.mkdir(parents=True)
        shutil.copy(find_table("pocket-htm"), folder)
    shutil.copy(find_table("pocket-htm"), users / "pocket-qtm.zst")
    (users / "custom-1.zst").write_text("nothing")
    (users / ".custom-2.zst").mkdir()
    (users / "custom-3.zst").mkdir()
    (users / "notes.txt").write_text("nothing")
    monkeypatch.setenv("CUBESOLVE_TABLES", str(own))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    result = invoke("--verbose", "--version")
    first, second, *rest = result.stdout.splitlines()
    assert result.exit_code == 0
    assert first + "\n" == run("--version").stdout
    packages = r"click [\d.]+, filelock [\d.]+, numba .*, backports.zstd [\d.]+"
    assert re.fullmatch(rf"Python 3\.\d+\.\d+ on .*; {packages}", second)
    digest = catalog.tables()["pocket-htm"].header.sha256
    assert rest[:2] == [str(own), f"  pocket-htm                        {digest}"]
    assert rest[-2:] == [str(users), f"  pocket-htm                        {digest} (not used: found above)"]
    wrong = [line.removeprefix(f"cubesolve: {users}/").partition(":")[0] for line in result.stderr.splitlines()]
    assert wrong == ["custom-1.zst", "custom-3.zst", "pocket-qtm.zst"]
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("CUBESOLVE_TABLES", str(tmp_path / "file"))
    result = invoke("--version", "--verbose")
    assert result.exit_code == 0
    assert f"cubesolve: {tmp_path}/file: Not a directory\n" in result.stderr
    monkeypatch.setenv("CUBESOLVE_TABLES", "no\nwhere")
    assert r"no\nwhere" in printed("--version", "--verbose").splitlines()


def completed(*words: str) -> list[str]:
    """Return the completions of bash for the last word."""
    env = {"_CUBESOLVE_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
    result = run(env=env)
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout.split()


def test_what_is_completed() -> None:
    assert completed("cubesolve", "dep") == ["plain,depth"]
    assert completed("cubesolve", "depth", "--puzzle", "skewb-") == ["plain,skewb-diamond"]
    assert completed("cubesolve", "depth", "--puzzle", "docs/r") == ["file,docs/r"]
    assert completed("cubesolve", "tables", "info", "rubik-qtm-s") == ["plain,rubik-qtm-small"]
    for wrong in (["--puzzle", "none"], ["--puzzle", "."], ["--moves", "Z"], ["--goal", "none"], ["--cost", "0"]):
        assert completed("cubesolve", "depth", *wrong, "--keep") == ["plain,--keep-order"]


def test_scripts_of_shells_complete(tmp_path: Path) -> None:
    assert "#compdef cubesolve" in printed("completion", "zsh")
    assert "complete --no-files --command cubesolve" in printed("completion", "fish")
    (tmp_path / "cubesolve").write_text(f'#!/bin/sh\nexec {" ".join(COMMAND)} "$@"\n')
    (tmp_path / "cubesolve").chmod(0o755)
    (tmp_path / "script").write_text(printed("completion", "bash"))
    code = (
        f"source {tmp_path}/script 2> {tmp_path}/errors\n"
        "COMP_WORDS=(cubesolve tables dis); COMP_CWORD=2; _cubesolve_completion cubesolve; echo ${COMPREPLY[*]}\n"
    )
    env = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    result = subprocess.run(["/bin/bash", "-c", code], env=env, capture_output=True, text=True, check=True)
    assert result.stdout == "distribution\n", (tmp_path / "errors").read_text()
