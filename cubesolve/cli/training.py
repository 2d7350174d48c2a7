"""Scrambles for practising a step, for the command `scramble`."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import click

from cubesolve.cli.cases import named
from cubesolve.cli.options import puzzle_of, whole_and_goal
from cubesolve.cli.running import give_up


def step_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of scrambles for a step."""
    rest = click.option(
        "--random-rest",
        is_flag=True,
        help="With --goal: also draw the pieces that the goal leaves open. --depth is that of the goal.",
    )
    solved = click.option(
        "--solved", metavar="GOAL", help="Draw states in which this goal is solved; all other pieces are random."
    )
    return rest(solved(command))


def scrambles_of_case(
    text: str, number: int, rng: random.Random, *, depth: int | None, timeout: float | None
) -> Iterator[str]:
    """Yield scrambles for a set of cases, or for a case.

    Raises:
        BadParameter: there is no such set or case.
    """
    from cubesolve.trainers import case_scrambles  # noqa: PLC0415  # rarely needed; importing it slows every start

    puzzle = puzzle_of()
    found, chosen = named(puzzle, text, "--case")
    which = None if chosen is None else chosen.name
    return case_scrambles(puzzle, found, number, rng, which=which, depth=depth, timeout=timeout)


def scrambles_of_step(
    number: int, rng: random.Random, *, depth: int | None, length: int | None, solved: str | None, **question: Any
) -> Iterator[str]:
    """Yield scrambles for a step.

    Raises:
        UsageError: an option is not supported.
    """
    from cubesolve.trainers import step_scrambles  # noqa: PLC0415  # rarely needed; importing it slows every start

    whole, goal = whole_and_goal()
    given = {"--length": length, **{f"--{name}": value for name, value in question.items() if name != "metric"}}
    for name, value in given.items():
        if value is not None:
            raise click.UsageError(f"{name} is not supported with --random-rest and --solved")
    if goal is None and (depth is not None or solved is None):
        raise click.UsageError(f"{'--random-rest' if solved is None else '--depth'} requires --goal")
    try:
        return step_scrambles(whole, number, rng, goal=goal, depth=depth, solved=solved, **question)
    except ValueError as error:
        give_up(str(error))
