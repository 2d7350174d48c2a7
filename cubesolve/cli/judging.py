"""The command `judge`: answering cases, generating test data, checking an output."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import BinaryIO

import click

from cubesolve.cli.options import ListingCommand, Reading, number_option, seed_option
from cubesolve.cli.running import INVALID_INPUT, complain, give_up, whole_input
from cubesolve.judge import PROBLEMS
from cubesolve.judge import judge as judge_cases
from cubesolve.runtime.arguments import meant
from cubesolve.runtime.files import open_regular

_LONGEST_LINE = 1_000_000


def _problems(_ctx: click.Context) -> Iterator[tuple[str, str]]:
    return ((name, problem.about) for name, problem in PROBLEMS.items())


def _problem(text: str) -> str:
    name = meant(text, PROBLEMS)
    if name is None:
        raise ValueError(f"{text!r} is not one of {', '.join(PROBLEMS)}.")
    return name


@click.command(cls=ListingCommand, listed=("Problems", _problems))
@click.argument("name", metavar="PROBLEM", type=Reading("choice", _problem))
@number_option("--generate", "number", least=1, most=100_000, text="Write test data: N random cases.")
@seed_option
@click.option("--out", type=click.Path(file_okay=False), metavar="FOLDER", help="Folder for the test data.")
@click.option("--check", "output", type=click.Path(), metavar="FILE", help="Judge the output in this file.")
def judge(name: str, number: int | None, seed: int | None, out: str | None, output: str | None) -> None:
    """Answer the cases of an online judge, or make and check some.

    The cases are read from stdin, and the answers are printed. With --generate, write inputs and their answers instead:
    random cases, all depths, and corner cases. With --check, compare the answers in a file with the cases on stdin, and
    print every mistake.

    \b
    Examples:
      cubesolve judge uva-11007 < cubes.txt
      cubesolve judge uva-11007 --check answers.txt < cubes.txt
      cubesolve judge uva-11007 --generate 100 --seed 7 --out data
    """
    if number is not None:
        if out is None or output is not None:
            raise click.UsageError("--generate requires --out and excludes --check")
        _generate(name, number, seed, out)
    elif out is not None or seed is not None:
        raise click.UsageError("--out and --seed require --generate")
    elif output is not None:
        _check(name, output)
    else:
        _answer_cases(name)


def _answer_cases(name: str) -> None:
    all_valid = True
    for verdict in judge_cases(name, whole_input()):
        if verdict.answer is not None:
            click.echo(verdict.answer)
        else:
            all_valid = False
            complain(f"case {verdict.case} (line {verdict.line}): {verdict.error}")
    if not all_valid:
        click.get_current_context().exit(INVALID_INPUT)


def _generate(name: str, number: int, seed: int | None, folder: str) -> None:
    from cubesolve.judge import generating  # noqa: PLC0415  # delays the start

    if seed is None:
        seed = int.from_bytes(os.urandom(8)) % 10**9
        complain(f"--seed {seed} reproduces this test data")
    data = generating.generate(name, number, seed)
    generating.write(data, folder)
    width = max(len(part.name) for part in data.parts)
    for part in data.parts:
        click.echo(f"{part.name:{width}}  {part.cases:>7,} {'case ' if part.cases == 1 else 'cases'}  {part.about}")


def _check(name: str, path: str) -> None:
    from cubesolve.judge.checking import check  # noqa: PLC0415  # delays the start

    with open_regular(path) as file:
        report = check(name, whole_input(), _text_lines(path, file))
    for mistake in report.mistakes:
        click.echo(str(mistake))
    for verdict in report.invalid:
        complain(f"case {verdict.case} (line {verdict.line}) of the input is invalid: {verdict.error}")
    if not report.cases:
        complain("stdin contains no case")
    click.echo(f"{report.right} of {report.cases} cases right")
    if not report.is_right:
        click.get_current_context().exit(INVALID_INPUT)


def _text_lines(path: str, file: BinaryIO) -> Iterator[str]:
    """Yield the lines of a file; exit with an error at one that is too long or not UTF-8."""
    for number, line in enumerate(iter(lambda: file.readline(_LONGEST_LINE + 1), b""), start=1):
        if len(line) > _LONGEST_LINE:
            give_up(f"{path}: line {number} has more than {_LONGEST_LINE:,} bytes")
        try:
            yield line.decode("utf-8-sig")
        except UnicodeDecodeError:
            give_up(f"{path}: line {number} is not text in UTF-8")
