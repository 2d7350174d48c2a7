"""Finding solutions that go through steps, for the command `solve`."""

from __future__ import annotations

from collections.abc import Callable

import click

from cubesolve.ask import Puzzle
from cubesolve.cli.options import require_alone
from cubesolve.cli.output import FORMATS
from cubesolve.cli.running import Value
from cubesolve.cli.steps_option import OPTION
from cubesolve.practice.analysis import SteppedSolution, shortest_chain
from cubesolve.practice.inverses import require_inverses
from cubesolve.practice.steps import Steps

_ALLOWED = (
    "states", "scrambles", "puzzle", "form", "steps", "niss", "slack", "timeout", *FORMATS, "keep_order", "as_json",
)  # fmt: skip
"""The parameters of `solve` that apply with names of steps."""


def chains(puzzle: Puzzle, steps: str, **options: Value) -> Callable[[object], SteppedSolution]:
    """Return a function that finds a short solution of a state that goes through steps.

    Raises:
        UsageError: a parameter of the command line is not supported with steps, or there is no such step.
    """
    require_alone(f"{OPTION} {steps}", _ALLOWED)
    names = [name.strip() for name in steps.split(",")]
    try:
        Steps(puzzle, names)
        if options["niss"]:
            require_inverses(puzzle.rules.view)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    given = {name: value for name, value in options.items() if value is not None}
    return lambda state: shortest_chain(puzzle, state, names, **given)
