"""Documents that commands write: one registry makes options, help texts and checks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from cubesolve import PocketCube, puzzle
from cubesolve.cli import output
from cubesolve.cli.output import DocumentFormat, Documents, Subject, document_options


def _listing(subject: Subject) -> str:
    if len(subject.steps) > 2:
        raise ValueError("the list is too long")
    return "\n".join(str(state) for _, state in subject.steps) + "\n"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
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


def test_a_format_is_one_entry(run: Callable[..., Result], tmp_path: Path) -> None:
    shown = run("--help").stdout
    assert "Also write a list of the solution to this .txt file; - writes only the list" in " ".join(shown.split())
    assert all(f"--{name} FILE" in shown for name in ("svg", "html", "txt"))
    path = tmp_path / "states.txt"
    assert run("1", "--txt", str(path)).stdout == "R'\n"
    assert path.read_text() == f"{PocketCube.from_alg('R')}\n"
    assert run("1", "--txt", "-").stdout == path.read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["1", "--txt", "states.doc"], "'states.doc' does not end with .txt, and is not -"),
        (["1", "--txt", "-", "--svg", "-"], "--svg - and --txt - cannot both be on standard output"),
        (["3", "--txt", "-"], "--txt: the list is too long"),
    ],
)
def test_checks_follow(run: Callable[..., Result], arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in " ".join(result.stderr.split())


def test_a_command_has_the_formats_of_its_subject() -> None:
    for subject, formats in {"state": {"svg"}, "alg": {"html"}, "solution": {"svg", "html"}}.items():
        assert {name for name, each in output.FORMATS.items() if subject in each.subjects} == formats
