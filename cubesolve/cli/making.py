"""The command `scramble`."""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping
from typing import Any

import click

from cubesolve.cli.files import STANDARD_OUTPUT, draw, require_one_output, svg_option
from cubesolve.cli.options import PuzzleCommand, json_option, puzzle_of, seed_option
from cubesolve.cli.running import give_up, leave_when_told_to, print_json
from cubesolve.spaces.rules import Rules


@click.command(cls=PuzzleCommand, question="scramble")
@click.option("-n", "number", type=click.IntRange(min=1), default=1, show_default=True, help="Number of scrambles.")
@click.option("--depth", type=click.IntRange(min=0), metavar="N", help="Draw states at this depth.")
@click.option("--length", type=click.IntRange(min=0), metavar="N", help="Print scrambles of exactly N moves.")
@seed_option
@svg_option("Also draw the scrambled states into this .svg file; - writes only the drawing, to stdout.")
@json_option
def scramble(
    number: int,
    depth: int | None,
    length: int | None,
    seed: int | None,
    svg: str | None,
    as_json: bool,
    **said: Any,
) -> None:
    """Print scrambles: moves to a uniformly random state.

    \b
    The state needs at least the number of moves that the World Cube Association
    requires, if there is such a rule. Scrambles have eleven moves for the 2x2x2,
    and are as short as possible for other puzzles.

    \b
    Examples:
      cubesolve scramble
      cubesolve scramble -n 5 --seed 7
      cubesolve scramble --depth 11 --length 11
      cubesolve scramble --puzzle skewb
    """
    import random  # noqa: PLC0415  # only where it is asked for

    require_one_output(as_json, svg)
    puzzle, rng = puzzle_of(), random.Random(seed)
    rules = puzzle.rules
    leave_when_told_to()  # which may be while a table is built
    named = {name: value for name, value in said.items() if value is not None}
    pictures = []
    for each in range(number):
        try:
            alg = puzzle.scramble(rng, depth=depth, length=length, **named)
        except ValueError as error:
            give_up(str(error))
        if svg is not None:
            caption = f"{each + 1}" if number > 1 else ""
            pictures.append((caption, rules.view.picture(_scrambled(rules, alg, said))))
        if svg == STANDARD_OUTPUT:
            continue
        if as_json:
            print_json({"scramble": alg, "state": str(_scrambled(rules, alg, said))})
        else:
            click.echo(alg)
        sys.stdout.flush()
    document = draw(svg, pictures) if svg is not None else None
    if document is not None:
        click.echo(document)


def _scrambled(rules: Rules, alg: str, said: Mapping[str, Any]) -> Any:
    """The state after a scramble."""
    return functools.reduce(rules.view.after, rules.view.split(alg), rules.at_first(said))
