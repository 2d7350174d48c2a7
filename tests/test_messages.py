"""Quotations in messages are short and have no control characters."""

from __future__ import annotations

import pytest

from tests.commands import invoke

EVIL = "\x1b]0;x\x07\x9b"
TURNED = "UUUUBBRRRRFFDDDDFFLLLLBB"
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
def test_nothing_that_a_terminal_obeys_is_quoted(before: tuple[str, ...]) -> None:
    for text in (EVIL, f"--{EVIL}"):
        result = invoke(*before, text)
        assert result.exit_code in {1, 2, 3}
        assert isinstance(result.exception, SystemExit)
        assert all(line.isprintable() for line in result.output.split("\n"))
        assert result.output


@pytest.mark.parametrize("before", GIVEN, ids=" ".join)
def test_what_is_long_is_cut(before: tuple[str, ...]) -> None:
    result = invoke(*before, "q" * 200_000)
    assert result.exit_code in {1, 2, 3}
    assert isinstance(result.exception, SystemExit)
    assert len(result.output) < 6_000


def test_lines_of_input_are_quoted_likewise() -> None:
    for form in ("urfdlb", "net", "uva", "corners", "cubies", "alg"):
        result = invoke("depth", "--format", form, "-", stdin=f"{EVIL}\n{'x' * 20_000}\n")
        assert result.exit_code == 1
        assert all(line.isprintable() for line in result.output.split("\n"))
        assert len(result.output) < 2_000
