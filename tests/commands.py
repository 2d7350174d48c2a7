"""Commands that are run in this process."""

from __future__ import annotations

from collections.abc import Iterator

from click.testing import CliRunner, Result

from cubesolve.cli import main
from tests.facts import below_begins


def commands_in(name: str) -> Iterator[tuple[str, int, str]]:
    """Yield the commands of a file, each with its status and what is said of it; they stand below their begins."""
    for begin, line in below_begins(name):
        status, _, said = line.partition(" ")
        rest, _, answer = said.partition("=>")
        yield f"{begin.removeprefix('cubesolve').strip()} {rest}".strip(), int(status), answer.removeprefix(" ")


def invoke(*arguments: object, stdin: str | bytes | None = None) -> Result:
    """Run a command, whatever its status will be."""
    return CliRunner().invoke(main, [str(each) for each in arguments], input=stdin)


def printed(*arguments: object, stdin: str | bytes | None = None) -> str:
    """Return the answer of a command, which must succeed."""
    result = invoke(*arguments, stdin=stdin)
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(*arguments: object, stdin: str | bytes | None = None, status: int = 2) -> str:
    """Return the message of a command, without line breaks; it must end with a status, and print no answer."""
    result = invoke(*arguments, stdin=stdin)
    assert (result.exit_code, result.stdout) == (status, ""), result.output
    return " ".join(result.stderr.split())
