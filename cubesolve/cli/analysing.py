"""The command `analyse`."""

from __future__ import annotations

from collections.abc import Iterator

import click

from cubesolve.cli.options import PuzzleCommand, json_option, number_option, puzzle_of, seconds_option, usage_errors
from cubesolve.cli.running import Answer, Value, parse_one
from cubesolve.cli.solving import chain_fields, chain_text, niss_option
from cubesolve.errors import InvalidStateError, in_moves
from cubesolve.practice import analysis


@click.command(cls=PuzzleCommand, question="analyse", default="rubik", changes="")
@click.argument("scramble", metavar="SCRAMBLE")
@click.argument("solution", metavar="[SOLUTION]", required=False)
@click.option("--steps", metavar="NAME,...", help="Steps in their order: cross,f2l,oll,solved or eo,dr,htr,solved.")
@click.option("--inverse", is_flag=True, help="Analyse the inverse of SOLUTION for the inverse of SCRAMBLE.")
@niss_option
@seconds_option(
    "--share", "Time for each number that no table answers; by default a fixed number of moves is searched.", 0.01
)
@seconds_option("--timeout", "Time limit for the answer.")
@number_option(
    "--slack", default=0, shown=False, text="Without SOLUTION: also try steps up to N moves longer than the shortest."
)
@json_option
def analyse(
    scramble: str, solution: str | None, steps: str | None, inverse: bool, slack: int, as_json: bool, **how: Value
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
    view, names = puzzle.rules.view, [name.strip() for name in steps.split(",")] if steps else []
    if inverse and how["niss"]:
        raise click.UsageError("--inverse and --niss exclude each other")
    if inverse:
        scramble = parse_one("SCRAMBLE", scramble, view.invert)
        solution = solution and parse_one("SOLUTION", solution, view.invert)
    start = parse_one("the inverse of SCRAMBLE" if inverse else "SCRAMBLE", scramble, view.scrambled)
    with usage_errors(keep=InvalidStateError):
        if solution is None:
            if not names:
                raise click.UsageError("without SOLUTION, --steps names the steps of the solution to find")
            chain = analysis.shortest_chain(puzzle, start, names, slack=slack, **how)
            answer = Answer(chain_text(view, chain), lambda: {"length": chain.length, **chain_fields(chain)})
        else:
            result = parse_one("SOLUTION", solution, lambda alg: analysis.analyse(puzzle, start, alg, names, **how))
            answer = Answer(_lines(result), lambda: {**result.fields, **({"left": result.left} if result.left else {})})
    answer.print(as_json)


def _lines(found: analysis.Analysis) -> Iterator[str]:
    for position in found.positions:
        remark = "  lost" if position.lost else ""
        least, upper = position.at_least, position.at_most
        yield f"{position.move or 'start':6} {least if least == upper else f'{least}-{upper}':>7}{remark}"
    for part in found.parts:
        yield f"{part.name}: {in_moves(part.length)}, {_least(part.at_least, part.optimal)}"
    yield f"{in_moves(found.lost)} lost"
    if found.left:
        yield f"left: {found.left}"


def _least(at_least: int, optimal: str | None) -> str:
    verb = "is" if at_least == 1 else "are"
    return (
        f"at least {at_least} {verb} needed" if optimal is None else f"{at_least} {verb} needed: {optimal}".rstrip(": ")
    )
