"""The commands `show` and `convert`."""

from __future__ import annotations

import click

from cubesolve.cli.options import PuzzleCommand, json_option, keep_order_option, puzzle_of, states_argument
from cubesolve.cli.output import Documents, Subject, document_options, in_words
from cubesolve.cli.running import Answer, Value, answer_all, parse_one


@click.command(cls=PuzzleCommand, question="show", formats=[("--format", "form", True)])
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
        document = documents.write(Subject(rules, [("", parse_one("STATE", state, read))], options=model))
        if document is not None:
            click.echo(document)
        return

    def answer(text: str) -> Answer:
        return Answer(in_words(rules, read(text), **model), dict)

    answer_all((state,), answer, lines=rules.view.forms[name].lines, blank_lines=rules.view.forms[name].empty)


class _ConvertCommand(PuzzleCommand):
    """The command `convert`, whose help lists the formats of the puzzle."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the values of FORMAT."""
        with formatter.section("Formats"):
            formatter.write_dl([(name, form.help) for name, form in puzzle_of(ctx).rules.view.forms.items()])


@click.command(cls=_ConvertCommand, question="convert", formats=[("--from", "form", True), ("--to", "to", False)])
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
    read, known = puzzle.rules.view.reader(form, **options), puzzle.rules.view.forms[form]
    limits = {} if options["timeout"] is None else {"timeout": options["timeout"]}

    def answer(text: str) -> Answer:
        state = read(text)
        written = puzzle.write(state, to, **limits)
        document = documents.write(Subject(puzzle.rules, [("", state)]))
        return Answer(written if document is None else document, lambda: {"format": to, "written": written})

    answer_all(
        states,
        answer,
        as_json=as_json,
        keep_order=keep_order,
        lines=known.lines,
        blank_lines=known.empty,
        searches=puzzle.rules.searches,
    )
