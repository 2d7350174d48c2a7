"""The command `cases`, and scrambles that lead to a case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from cubesolve.ask import Puzzle
from cubesolve.cli.options import PuzzleCommand, json_option, puzzle_of
from cubesolve.cli.output import file_option, save
from cubesolve.cli.running import exit_on_signals, print_json

if TYPE_CHECKING:
    from cubesolve.definitions.cases import Case, Cases


@click.command(cls=PuzzleCommand, question="cases", default="rubik", restricts=False)
@click.argument("name", metavar="[NAME[:CASE]]", required=False)
@file_option("--svg", ".svg", "Also write a drawing of the cases to this .svg file; - writes only it, to stdout.")
@file_option("--html", ".html", "Also write a sheet of the cases to this .html file; - writes only it, to stdout.")
@json_option
def cases(name: str | None, svg: str | None, html: str | None, as_json: bool, **_options: Any) -> None:
    """List the cases of the set NAME, or the sets of the puzzle.

    Each case has its number, 0 being the solved one; its name; its probability; and an alg that leads to it.

    \b
    Examples:
      cubesolve cases
      cubesolve cases pll
      cubesolve cases coll --html coll.html
      cubesolve cases --puzzle pyraminx l4e --json
      cubesolve cases oll:27
    """
    puzzle = puzzle_of()
    if name is None:
        if svg or html:
            raise click.UsageError("--svg and --html need the NAME of a set")
        _list_sets(puzzle, as_json)
        return
    exit_on_signals()  # a table may be built
    found, chosen = named(puzzle, name)
    listed = list(found) if chosen is None else [chosen]
    outputs = [*(["--json"] if as_json else []), *(f"--{kind} -" for kind in ("svg", "html") if _path(kind) == "-")]
    if len(outputs) > 1:
        raise click.UsageError(f"{' and '.join(outputs)} cannot both be on standard output")
    from cubesolve.trainers import setups  # noqa: PLC0415  # delays the start of a process

    algs = setups(puzzle, [case.state for case in listed])
    for path, document in ((svg, _drawing), (html, _sheet)):
        if path is not None:
            written = save(path, document(puzzle, found, listed, algs))
            if written is not None:
                click.echo(written)
                return
    for case, alg in zip(listed, algs, strict=True):
        if as_json:
            print_json(_fields(found, case, alg))
        else:
            click.echo(f"{case.number:>4}  {case.name:6}  {case.probability!s:>8}  {alg}".rstrip())


def _path(kind: str) -> str | None:
    path: str | None = click.get_current_context().params[kind]
    return path


def _list_sets(puzzle: Puzzle, as_json: bool) -> None:
    for name, title in puzzle.case_sets.items():
        if as_json:
            print_json({"set": name, "title": title})
        else:
            click.echo(f"{name:12}  {title}")
    if not puzzle.case_sets:
        raise click.UsageError(f"the {puzzle.title} has no sets of cases")


def named(puzzle: Puzzle, text: str, hint: str = "NAME") -> tuple[Cases, Case | None]:
    """Return the set of a text NAME[:CASE], and the case if one is named.

    Raises:
        BadParameter: there is no such set or case.
    """
    name, _, chosen = text.partition(":")
    try:
        found = puzzle.cases(name)
        return found, found[chosen] if chosen else None
    except (KeyError, ValueError) as error:
        raise click.BadParameter(str(error.args[0]), param_hint=hint) from None


def _fields(found: Cases, case: Case, alg: str) -> dict[str, Any]:
    return {
        "set": found.name,
        "number": case.number,
        "name": case.name,
        "states": case.states,
        "probability": float(case.probability),
        "alg": alg,
        "state": str(case.state),
        "pattern": found.shown(case),
    }


def _drawing(puzzle: Puzzle, found: Cases, listed: Sequence[Case], _algs: Sequence[str]) -> str:
    from cubesolve.render import pictures_svg  # noqa: PLC0415  # delays the start of a process

    document = pictures_svg([(case.name, found.picture(case)) for case in listed])
    if document is None:
        raise click.UsageError(f"--svg is not supported for --puzzle {puzzle.rules.spoken}: it has no pictures")
    return document


def _sheet(puzzle: Puzzle, found: Cases, listed: Sequence[Case], algs: Sequence[str]) -> str:
    from cubesolve.sheets import Card, sheet  # noqa: PLC0415  # delays the start of a process

    cards = (
        Card(case.name, str(case.probability), found.picture(case), [alg])
        for case, alg in zip(listed, algs, strict=True)
    )
    return sheet(f"{puzzle.title}: {found.about.title}", cards)
