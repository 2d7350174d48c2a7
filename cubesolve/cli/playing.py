"""The command `play`."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import click

from cubesolve.ask import Puzzle
from cubesolve.cli.options import PuzzleCommand, puzzle_of
from cubesolve.cli.output import Documents, Subject, document_options
from cubesolve.cli.running import Value, parse_one, whole_input
from cubesolve.errors import InvalidStateError


@click.command(cls=PuzzleCommand, question="play")
@click.argument("alg", metavar="ALG", required=False)
@click.option("--setup", metavar="ALG", help="Start after these moves; without ALG, play their inverse.")
@document_options("alg", beside=False)
def play(alg: str | None, setup: str | None, documents: Documents, **options: Value) -> None:
    """Write a page that plays an ALG from the solved state.

    The page is one file that needs no network. For puzzles with a table, it shows the distance of each state. Rolls of
    rolling cubes begin at --start. A single - reads the ALG from stdin. To play a solution, use cubesolve solve --html.
    --setup shows a case and how it is solved.

    \b
    Examples:
      cubesolve play "R U R' U'" --html cube.html
      cubesolve play --puzzle rubik "(R U R' U')6" --html cube.html
      cubesolve play --puzzle rubik --setup "F R U R' U' F'" --html case.html
      cubesolve play --puzzle rubik --setup "(R U R' U')'" "R U R' U'" --html alg.html
      cubesolve play --puzzle pyraminx "U L' R B" --html pyraminx.html
      cubesolve play --puzzle rolling --start 2,1 RUULDR --html tray.html
    """
    puzzle = puzzle_of()
    rules = puzzle.rules
    documents.require()
    if alg is None:
        if setup is None:
            raise click.UsageError("Missing argument 'ALG' or option '--setup'.")
        alg = parse_one("--setup", setup, rules.view.invert)
    alg = whole_input() if alg == "-" else alg
    _require_no_state(puzzle, alg)
    start = parse_one("ALG", alg, lambda _: rules.at_first(options))
    if setup is not None:
        _require_no_state(puzzle, setup)
        start = parse_one("--setup", setup, functools.partial(rules.view.after, start))
    subject = Subject(rules, [("", start)], alg, lambda: _left(puzzle, start, alg))
    document = parse_one("ALG", alg, lambda _: documents.write(subject))
    if document is not None:
        click.echo(document)


def _require_no_state(puzzle: Puzzle, text: str) -> None:
    """Reject facelets, whose letters are also moves."""
    if not puzzle.rules.view.claims(text):
        return
    try:
        puzzle.rules.read(text)
    except InvalidStateError:
        return
    raise click.UsageError("this is a state: cubesolve solve --html plays its solution")


def _left(puzzle: Puzzle, start: Any, alg: str) -> Iterator[int]:
    """Yield the distance of each state; nothing if that needs a search, or no state is solved."""
    rules = puzzle.rules
    if rules.searches or rules.needs_goal:
        return
    for _, state in rules.view.steps(start, alg):
        yield puzzle.depth(state)
