"""The commands `show`, `convert` and `play`."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import click

from cubesolve.ask import Puzzle
from cubesolve.cli.options import PuzzleCommand, json_option, keep_order_option, puzzle_of, states_argument
from cubesolve.cli.output import Documents, Subject, document_options, in_words
from cubesolve.cli.running import Answer, Value, answer_all, parse_one, whole_input
from cubesolve.errors import InvalidStateError


@click.command(cls=PuzzleCommand, question="show", formats=["--format"], changes="")
@click.argument("state", metavar="STATE")
@document_options("state", beside=False)
def show(state: str, documents: Documents, form: str | None = None, **options: Value) -> None:
    """Print a picture of a STATE, such as the net of a cube.

    It is in colour on a terminal, unless NO_COLOR is set or the terminal is dumb; FORCE_COLOR forces colour. A puzzle
    without a picture is printed as its pieces.

    \b
    Examples:
      cubesolve show --format alg "R U R' U'"
      cubesolve show --format alg "R U R' U'" --svg cube.svg
      cubesolve show --puzzle rubik --format alg "Rw U2 M'"
      cubesolve show --puzzle rolling "BRB/BEB/BRB"
    """
    rules = puzzle_of().rules
    name = form or next(iter(rules.view.forms))
    read, model = rules.view.reader(name, **options), {"model": options["model"]} if "model" in options else {}
    if documents:
        documents.require_one_state([state])
        documents.print(Subject(rules, [("", parse_one("STATE", state, read))], options=model))
        return
    answer_all((state,), rules.view.forms[name], lambda text: Answer(in_words(rules, read(text), **model), dict))


def _formats(ctx: click.Context) -> Iterator[tuple[str, str]]:
    return ((name, form.help) for name, form in puzzle_of(ctx).rules.view.forms.items())


@click.command(
    cls=PuzzleCommand,
    question="convert",
    formats=["--from", "--to"],
    changes="moves cost",
    listed=("Formats", _formats),
)
@states_argument
@document_options("state")
@keep_order_option
@json_option
def convert(
    states: tuple[str, ...],
    documents: Documents,
    keep_order: bool,
    as_json: bool,
    form: str | None = None,
    to: str | None = None,
    **options: Value,
) -> None:
    """Write each STATE in another format.

    \b
    Examples:
      cubesolve convert --from alg --to urfdlb "R U R' U'"
      cubesolve convert --from uva --to alg "GGGG WWBB OORR YYYY BBWW RROO"
      cubesolve convert --puzzle skewb --to pieces "R U' L"
      cubesolve convert --from cubies --to net --svg cube.svg "0 1 2 3 4 5 6 0 0 0 0 0 0 0"
    """
    puzzle = puzzle_of()
    if form is None or to is None:
        raise click.UsageError(f"states of the {puzzle.title} have only one format")
    documents.require_one_state(states)
    documents.require_one_output(as_json)
    read, notation = puzzle.rules.view.reader(form, **options), puzzle.rules.view.forms[form]
    limits = {} if options["timeout"] is None else {"timeout": options["timeout"]}

    def answer(text: str) -> Answer:
        state = read(text)
        written = puzzle.write(state, to, **limits)
        document = documents.write(Subject(puzzle.rules, [("", state)]))
        return Answer(written if document is None else document, lambda: {"format": to, "written": written})

    answer_all(states, notation, answer, as_json=as_json, keep_order=keep_order, searches=puzzle.rules.searches)


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
    parse_one("ALG", alg, lambda _: documents.print(subject))


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
