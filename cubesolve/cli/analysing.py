"""The command `analyse`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cubesolve.cli.options import PuzzleCommand, json_option, puzzle_of
from cubesolve.cli.running import exit_on_signals, parse_one, print_json
from cubesolve.cli.steps import chain_fields, chain_text, niss_option
from cubesolve.errors import InvalidStateError
from cubesolve.practice import analysis

if TYPE_CHECKING:
    from cubesolve.practice.analysis import Analysis


@click.command(cls=PuzzleCommand, question="analyse", default="rubik", restricts=False)
@click.argument("scramble", metavar="SCRAMBLE")
@click.argument("solution", metavar="[SOLUTION]", required=False)
@click.option("--steps", metavar="NAME,...", help="Steps in their order: cross,f2l,oll,solved or eo,dr,htr,solved.")
@click.option("--inverse", is_flag=True, help="Analyse the inverse of SOLUTION for the inverse of SCRAMBLE.")
@niss_option
@click.option(
    "--share",
    type=click.FloatRange(min=0.01),
    metavar="SECONDS",
    help="Time for each number that no table answers; by default a fixed number of moves is searched.",
)
@click.option("--timeout", type=click.FloatRange(min=0), metavar="SECONDS", help="Time limit for the answer.")
@click.option(
    "--slack",
    type=click.IntRange(min=0),
    metavar="N",
    default=0,
    help="Without SOLUTION: also try steps up to N moves longer than the shortest.",
)
@json_option
def analyse(
    scramble: str,
    solution: str | None,
    steps: str | None,
    inverse: bool,
    niss: bool,
    share: float | None,
    timeout: float | None,
    slack: int,
    as_json: bool,
    **_options: object,
) -> None:
    """Print how many moves are left after each move of a solution.

    It also prints where moves were lost, and what each step cost. A number that neither a table nor a short search
    answers is printed with its bounds. Without SOLUTION, a short solution that goes through the steps is printed.

    \b
    Examples:
      cubesolve analyse "R U R' F2" "F2 R U2 U R'"
      cubesolve analyse --puzzle pocket "R U R' F2" "F2 R U' R'" --json
      cubesolve analyse --steps cross,solved "R U R' F2"
      cubesolve analyse --niss --steps eo,solved "R' F U2 F'" "F (R') U2 F'"
    """
    puzzle = puzzle_of()
    exit_on_signals()
    view, names = puzzle.rules.view, [name.strip() for name in steps.split(",")] if steps else []
    if inverse and niss:
        raise click.UsageError("--inverse and --niss exclude each other")
    if inverse:
        scramble = parse_one("SCRAMBLE", scramble, view.invert)
        solution = solution and parse_one("SOLUTION", solution, view.invert)
    start = parse_one("the inverse of SCRAMBLE" if inverse else "SCRAMBLE", scramble, view.scrambled)
    how: dict[str, Any] = {"niss": niss, "share": share, "timeout": timeout}
    try:
        if solution is None:
            if not names:
                raise click.UsageError("without SOLUTION, --steps names the steps of the solution to find")
            chain = analysis.shortest_chain(puzzle, start, names, slack=slack, **how)
            if as_json:
                print_json({"length": chain.length, **chain_fields(chain)})
            else:
                click.echo(chain_text(view, chain))
            return
        found = parse_one("SOLUTION", solution, lambda alg: analysis.analyse(puzzle, start, alg, names, **how))
    except ValueError as error:
        if isinstance(error, InvalidStateError):
            raise
        raise click.UsageError(str(error)) from None
    _print(found, as_json)


def _print(found: Analysis, as_json: bool) -> None:
    if as_json:
        positions = [{**position._asdict(), "state": str(position.state)} for position in found.positions]
        left = {"left": found.left} if found.left else {}
        steps = [part._asdict() for part in found.parts]
        print_json({"lost": found.lost, "positions": positions, "steps": steps, **left})
        return
    for position in found.positions:
        remark = "  lost" if position.lost else ""
        click.echo(f"{position.move or 'start':6} {_number(position.at_least, position.at_most):>7}{remark}")
    for part in found.parts:
        click.echo(f"{part.name}: {_moves(part.length)}, {_least(part.at_least, part.optimal)}")
    click.echo(f"{_moves(found.lost)} lost")
    if found.left:
        click.echo(f"left: {found.left}")


def _moves(number: int) -> str:
    return f"{number} move" if number == 1 else f"{number} moves"


def _number(at_least: int, at_most: int) -> str:
    return str(at_least) if at_least == at_most else f"{at_least}-{at_most}"


def _least(at_least: int, optimal: str | None) -> str:
    verb = "is" if at_least == 1 else "are"
    return (
        f"at least {at_least} {verb} needed" if optimal is None else f"{at_least} {verb} needed: {optimal}".rstrip(": ")
    )
