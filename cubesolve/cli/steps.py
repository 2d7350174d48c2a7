"""Solutions that go through steps, for the commands `solve` and `analyse`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from cubesolve.ask import Puzzle
from cubesolve.cli.options import PuzzleCommand, puzzle_of, require_alone, usage_errors
from cubesolve.cli.output import FORMATS
from cubesolve.cli.running import Value

if TYPE_CHECKING:
    from cubesolve.definition.view import View
    from cubesolve.practice.analysis import SteppedSolution

niss_option = click.option(
    "--niss", is_flag=True, help="Steps may be on the inverse of the scramble; such moves are in parentheses."
)

OPTION = "--steps"


class StepsCommand(PuzzleCommand):
    """A command with an option for steps whose value is optional: a state may follow the option, too."""

    def arranged(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Return the command line with an empty value of the option where no names of steps follow it."""
        end = args.index("--") if "--" in args else len(args)
        if OPTION not in args[:end]:
            return args
        from cubesolve.practice.steps import are_steps  # noqa: PLC0415  # delays the start

        place = args.index(OPTION)
        follows = "".join(args[place + 1 : place + 2])
        if place + 1 < end and are_steps(puzzle_of(ctx), follows):
            return [*args[:place], f"{OPTION}={follows}", *args[place + 2 :]]
        return [*args[:place], f"{OPTION}=", *args[place + 1 :]]


def chain_fields(chain: SteppedSolution) -> dict[str, object]:
    """Return the solution and the steps of a chain, to be printed as JSON."""
    return {"solution": chain.alg, "steps": [{"step": name, "alg": alg} for name, alg in chain.parts]}


def chain_text(view: View, chain: SteppedSolution) -> str:
    """Return a line for each step, and one for the whole.

    The last line has the solution only if moves on the inverse, which are in parentheses, are turned round in it.
    """
    width = max(len(name) for name, _ in chain.parts)
    is_switched = chain.alg.split() != " ".join(alg for _, alg in chain.parts).split()
    counts = [view.count(alg.strip("()") if is_switched else alg) for _, alg in chain.parts]
    lines = [
        f"{name:{width}}  {count:>2}  {alg}".rstrip() for count, (name, alg) in zip(counts, chain.parts, strict=True)
    ]
    return "\n".join([*lines, f"{'':{width}}  {chain.length:>2}  {chain.alg if is_switched else ''}".rstrip()])


_ALLOWED = (
    "states", "scrambles", "puzzle", "form", "steps", "niss", "slack", "timeout", *FORMATS, "keep_order", "as_json",
)  # fmt: skip
"""The parameters of `solve` that apply with names of steps."""


def chains(puzzle: Puzzle, steps: str, **options: Value) -> Callable[[object], SteppedSolution]:
    """Return a function that finds a short solution of a state that goes through steps."""
    from cubesolve.practice.analysis import shortest_chain  # noqa: PLC0415  # delays the start
    from cubesolve.practice.inverses import require_inverses  # noqa: PLC0415  # likewise
    from cubesolve.practice.steps import Steps  # noqa: PLC0415  # likewise

    require_alone(f"{OPTION} {steps}", _ALLOWED)
    names = [name.strip() for name in steps.split(",")]
    with usage_errors():
        Steps(puzzle, names)
        if options["niss"]:
            require_inverses(puzzle.rules.view)
    given = {name: value for name, value in options.items() if value is not None}
    return lambda state: shortest_chain(puzzle, state, names, **given)
