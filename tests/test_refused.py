"""Command lines that are refused: the status, and the message that says what is wrong."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands import commands_in, invoke
from tests.facts import DATA

TURNED = "UUUUBBRRRRFFDDDDFFLLLLBB"  # by U


def _refused() -> Iterator[tuple[str, int, str]]:
    """Yield commands, with their statuses and parts of their messages."""
    yield from commands_in("refused.txt")
    for option in ("--moves Q", "--moves Q --no-inverses", "--cost Q=2", "--cost Q=2 --no-inverses", "--goal nosuch"):
        named = "--cost, --no-inverses" if option.endswith("2 --no-inverses") else option.split()[0]
        for command in ("tables build skewb", "tables verify skewb", "depth --puzzle skewb R"):
            yield f"{command} {option}", 2, f"Invalid value for {named}: "
    for command, colours in (
        (command, colours) for command in ("depth", "solve", "show") for colours in ("x", "UUUUUU", "URFDLBX", "''")
    ):
        yield f"{command} --colours {colours} {TURNED}", 2, "is not six different symbols"
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


# -- Quotations in messages are short and have no control characters ---------------------------------------------------


EVIL = "\x1b]0;x\x07\x9b"
GIVEN = (
    ("depth",), ("depth", "--puzzle"), ("depth", "--puzzle", "skewb"), ("depth", "--puzzle", "rubik"),
    ("depth", "--format", "alg"), ("depth", "--format"), ("depth", "--metric"), ("depth", "--colours"),
    ("depth", "--puzzle", "rolling", "--start", "1,1"), ("depth", "--puzzle", "rolling", "--start"),
    ("depth", "--puzzle", "rubik", "--timeout"), ("depth", "--puzzle", "rubik", "--memory"),
    ("depth", "--moves"), ("depth", "--cost"), ("solve", "--format", "alg", "--target"), ("show",), ("show", TURNED),
    ("show", "--svg"), ("convert", "--to"), ("convert", "--to", "alg"), ("scramble", "--seed"), ("scramble",),
    ("judge",),
    ("judge", "poj-3131", "--check"), ("tables", "build"), ("tables", "info"), ("tables", "verify"),
    ("tables", "distribution"), ("tables", "distribution", "--tray"), ("export",), ("export", "pocket", "--out"),
    ("export", "pocket", "--out", "a.csv", "--columns"), ("puzzles",), (), ("--",),
)  # fmt: skip


@pytest.mark.parametrize("before", GIVEN, ids=" ".join)
def test_a_quotation_is_short_and_a_terminal_obeys_nothing_in_it(before: tuple[str, ...]) -> None:
    for text in (EVIL, f"--{EVIL}", "q" * 200_000):
        result = invoke(*before, text)
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
