"""The command `scramble`."""

from __future__ import annotations

import functools
import random
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from cubesolve.ask import Puzzle
from cubesolve.cli.options import (
    PuzzleCommand,
    Reading,
    is_given,
    json_option,
    number_option,
    puzzle_of,
    require_alone,
    require_one_acceptance,
    seed_option,
)
from cubesolve.cli.output import FORMATS, Documents, Subject, document_options, file_option, save
from cubesolve.cli.running import Answer, Value, give_up
from cubesolve.runtime.arguments import Keywords
from cubesolve.spaces.rules import Rules

if TYPE_CHECKING:
    from cubesolve.practice.events import Scramble

# The parameters that apply with a case.
_WITH_CASE = {"case", "depth", "random_rest", "timeout", "puzzle", "number", "seed", "as_json", *FORMATS}

# The options that select the states that are drawn.
_CHOICES = ("case", "depth", "length", "random_rest", "solved")


def _event(text: str) -> str:
    from cubesolve.practice.events import event_named  # noqa: PLC0415  # delays the start

    return event_named(text)


class _ScrambleCommand(PuzzleCommand):
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the command line; an event has a puzzle of its own, so options that change one are not read."""
        names = [arg.partition("=")[0] for arg in args]
        for name in ("--puzzle", "--goal", "--moves", "--cost"):
            if "--event" in names and name in names:
                raise click.UsageError(f"{name} is not supported with --event", ctx)
        return super().parse_args(ctx, args)


@click.command(cls=_ScrambleCommand, question="scramble")
@number_option("-n", "number", least=1, default=1, text="Number of scrambles.")
@number_option("--depth", text="Draw states at this depth.")
@number_option("--length", text="Print scrambles of exactly N moves.")
@click.option(
    "--case", metavar="NAME[:CASE]", help="Draw states of a set of cases, a case or a step: pll, oll:27, cross."
)
@click.option(
    "--random-rest",
    is_flag=True,
    help="With --goal, or a step as --case: make all other pieces random; --depth is that of the step.",
)
@click.option("--solved", metavar="GOAL", help="Draw states in which this goal is solved; all other pieces are random.")
@click.option(
    "--event",
    type=Reading("event", _event),
    metavar="EVENT",
    help="Scramble for an event of the World Cube Association: 222, 333, 333bf, 444, minx, pyram and others.",
)
@file_option(
    "--sheet",
    ".html",
    "With --event: also write a printable sheet to this .html file: the attempts of a round, or -n, and two extra; "
    "- writes only the sheet, to stdout.",
)
@seed_option
@document_options("scrambled states")
@json_option
def scramble(
    number: int,
    event: str | None,
    sheet: str | None,
    seed: int | None,
    documents: Documents,
    as_json: bool,
    **options: Value,
) -> None:
    """Print scrambles: moves to a uniformly random state.

    The state needs at least the number of moves that the World Cube Association requires, if there is such a rule.
    Scrambles have eleven moves for the 2x2x2, at most 21 for the 3x3x3, about 27 for the FTO, and are as short as
    possible for other puzzles of at most 10^15 states.

    With --event, scrambles have the form of the Regulations of the World Cube Association, as those of its program
    TNoodle: tips, wide moves, a random orientation for blindfolded events, moves before and after for fewest moves.

    \b
    Examples:
      cubesolve scramble
      cubesolve scramble -n 5 --seed 7
      cubesolve scramble --depth 11 --length 11
      cubesolve scramble --puzzle skewb
      cubesolve scramble --case pll:T
      cubesolve scramble --case cll:22 --depth 8
      cubesolve scramble --case cross --depth 7 --random-rest
      cubesolve scramble --puzzle rubik --solved cross
      cubesolve scramble --event 555 -n 5
      cubesolve scramble --event 333bf --sheet 333bf.html
    """
    documents.require_one_output(as_json, sheet=sheet)
    if event is not None:
        _scramble_for_event(event, number, seed, sheet, documents, as_json)
        return
    if sheet is not None:
        raise click.UsageError("--sheet requires --event")
    require_one_acceptance(options)
    puzzle, rng = puzzle_of(), random.Random(seed)
    rules = puzzle.rules
    chosen = {name: options.pop(name) for name in _CHOICES}
    scrambles, drawn = _algs(puzzle, number, rng, options, **chosen), []
    for index in range(number):
        try:
            alg = next(scrambles)
        except ValueError as error:
            give_up(str(error))
        if documents:
            drawn.append((f"{index + 1}" if number > 1 else "", _scrambled(rules, alg, options)))
        if documents.on_stdout:
            continue
        state = functools.partial(_scrambled, rules, alg, options)
        Answer(alg, lambda: {"scramble": alg, "state": str(state())}).print(as_json)  # noqa: B023  # at once
        sys.stdout.flush()
    documents.print(Subject(rules, drawn))


def _algs(puzzle: Puzzle, number: int, rng: random.Random, options: Keywords, **chosen: Value) -> Iterator[str]:
    named = {name: value for name, value in options.items() if value is not None}
    if chosen["case"] is not None:
        require_alone("--case", _WITH_CASE)
    elif not chosen["random_rest"] and chosen["solved"] is None:
        return puzzle.solver.scrambles(number, rng, depth=chosen["depth"], length=chosen["length"], **named)
    from cubesolve.cli.cases import training_scrambles  # noqa: PLC0415  # delays the start

    return training_scrambles(puzzle, number, rng, **chosen, **named)


def _scrambled(rules: Rules, alg: str, options: Keywords) -> Any:
    return rules.view.after(rules.at_first(options), alg)


# -- Events ------------------------------------------------------------------------------------------------------------


def _scramble_for_event(
    event: str, number: int, seed: int | None, sheet: str | None, documents: Documents, as_json: bool
) -> None:
    from cubesolve.practice.events import EVENTS, EXTRA, scrambles, sheet_of  # noqa: PLC0415  # delays the start

    require_alone("--event", {"event", "sheet", "number", "seed", "as_json", *FORMATS})
    if sheet is not None and not is_given("number"):
        number = EVENTS[event].attempts
    captions = [*map(str, range(1, number + 1)), *(EXTRA if sheet is not None else ())]
    drawn: list[tuple[str, Scramble]] = []
    for caption, scramble in zip(captions, scrambles(event, len(captions), seed), strict=True):
        drawn.append((caption, scramble))
        if sheet != "-" and not documents.on_stdout:
            _answer(caption, scramble).print(as_json)
            sys.stdout.flush()
    pictured = [(caption, scramble.state) for caption, scramble in drawn] if documents else []
    written = documents.write(Subject(drawn[0][1].puzzle.rules, pictured))
    if sheet is not None:
        written = save(sheet, sheet_of(drawn)) or written
    if written is not None:
        click.echo(written)


def _answer(caption: str, scramble: Scramble) -> Answer:
    event, alg = scramble.event, scramble.alg
    about = {"event": event.name, "attempt": caption, "method": event.method, "scramble": alg}
    text = alg + "\n" * ("\n" in alg)  # an empty line after several lines
    return Answer(text, lambda: {**about, "state": str(scramble.state)})
