"""Commands that are run in this process."""

from __future__ import annotations

from click.testing import CliRunner, Result

from cubesolve.cli import main


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
