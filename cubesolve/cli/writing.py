"""The commands `show` and `convert`."""

from __future__ import annotations

from typing import Any

import click

from cubesolve.cli.files import draw, in_words, require_one_output, svg_option
from cubesolve.cli.options import PuzzleCommand, json_option, keep_order_option, puzzle_of, states_argument
from cubesolve.cli.running import Answer, answer_all, parse_one


@click.command(cls=PuzzleCommand, question="show", formats=[("--format", "form", True)])
@click.argument("state", metavar="STATE")
@svg_option("Draw it into this .svg file instead, or to stdout with -.")
def show(state: str, svg: str | None, form: str | None = None, **said: Any) -> None:
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
    read, how = rules.view.reader(name, **said), {"model": said["model"]} if "model" in said else {}
    if svg is not None:
        if state == "-":
            raise click.UsageError("--svg draws one state")
        document = draw(svg, [("", parse_one("STATE", state, lambda text: rules.view.picture(read(text), **how)))])
        if document is not None:
            click.echo(document)
        return

    def answer(text: str) -> Answer:
        return Answer(in_words(rules, read(text), **how), {})

    answer_all((state,), answer, lines=rules.view.forms[name].lines, blank_lines=rules.view.forms[name].empty)


@click.command(cls=PuzzleCommand, question="convert", formats=[("--from", "form", True), ("--to", "to", False)])
@states_argument
@svg_option("Also draw the state into this .svg file; - writes only the drawing, to stdout.")
@keep_order_option
@json_option
def convert(
    states: tuple[str, ...],
    svg: str | None,
    keep_order: bool,
    as_json: bool,
    form: str | None = None,
    to: str | None = None,
    **said: Any,
) -> None:
    """Write each STATE in another format.

    \b
    urfdlb   24 facelets (54 of the 3x3x3), U R F D L B, each row by row
    net      the net, as show prints it
    uva      24 letters W R Y B O G, Top Front Right Bottom Back Left
    corners  24 letters, three per corner
    cubies   14 numbers: the pieces, then the directions of their U or D facelets
    alg      moves from the solved cube
    pieces   other puzzles: the name of the piece in each place
    kpuzzle  other puzzles: a KPuzzle pattern in JSON

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
    if svg and (len(states) > 1 or states == ("-",)):
        raise click.UsageError("--svg draws one state")
    require_one_output(as_json, svg)
    read, known = puzzle.rules.view.reader(form, **said), puzzle.rules.view.forms[form]
    limits = {} if said["timeout"] is None else {"timeout": said["timeout"]}

    def answer(text: str) -> Answer:
        state = read(text)
        written = puzzle.write(state, to, **limits)
        drawn = draw(svg, [("", puzzle.rules.view.picture(state))]) if svg else None
        return Answer(written if drawn is None else drawn, {"format": to, "written": written})

    answer_all(
        states,
        answer,
        as_json=as_json,
        keep_order=keep_order,
        lines=known.lines,
        blank_lines=known.empty,
        searches=puzzle.rules.searches,
    )
