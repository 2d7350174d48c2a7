"""Scrambles for practising a step, for the command `scramble`."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import click

from cubesolve.ask import Puzzle
from cubesolve.cli.cases import set_and_case
from cubesolve.cli.options import is_given, whole_and_goal
from cubesolve.cli.running import Value
from cubesolve.practice.steps import is_step
from cubesolve.practice.trainers import case_scrambles, step_scrambles
from cubesolve.search.limits import limited


def training_scrambles(
    puzzle: Puzzle,
    number: int,
    rng: random.Random,
    *,
    case: str | None,
    depth: int | None,
    length: int | None,
    random_rest: bool,
    solved: str | None,
    **question: Value,
) -> Iterator[str]:
    """Yield scrambles for a case, or for a step: the goal of the command line."""
    if case is None:
        return scrambles_of_step(number, rng, depth=depth, length=length, solved=solved, **question)
    timeout = question.get("timeout")
    return scrambles_of_case(puzzle, case, number, rng, depth=depth, random_rest=random_rest, timeout=timeout)


def scrambles_of_case(
    puzzle: Puzzle,
    text: str,
    number: int,
    rng: random.Random,
    *,
    depth: int | None,
    random_rest: bool,
    timeout: float | None,
) -> Iterator[str]:
    """Yield scrambles for a set of cases, for a case, or for a step.

    Raises:
        BadParameter: there is no such set, case or step.
    """
    question: dict[str, Any] = {} if timeout is None else {"timeout": timeout}
    if not is_step(puzzle, text):
        return _of_set(puzzle, text, number, rng, depth, **question)
    if random_rest:
        return step_scrambles(puzzle, number, rng, goal=text, depth=depth, **question)
    return puzzle.towards(text).solver.scrambles(number, rng, depth=depth, **question)


@limited
def _of_set(puzzle: Puzzle, text: str, number: int, rng: random.Random, depth: int | None) -> Iterator[str]:
    """Yield scrambles for a set of cases, or for a case; a time limit bounds the list of the cases, too.

    Raises:
        BadParameter: there is no such set or case.
    """
    found, chosen = set_and_case(puzzle, text, "--case", steps=True)
    which = None if chosen is None else chosen.name
    return case_scrambles(puzzle, found, number, rng, which=which, depth=depth)


def scrambles_of_step(
    number: int, rng: random.Random, *, depth: int | None, length: int | None, solved: str | None, **question: Value
) -> Iterator[str]:
    """Yield scrambles for a step.

    Raises:
        UsageError: an option is not supported.
    """
    whole, goal = whole_and_goal()
    question |= {} if length is None else {"length": length}
    named = {name: question.pop(name) for name in ("metric", "timeout") if name in question}
    for name in filter(is_given, question):
        raise click.UsageError(f"--{name.replace('_', '-')} is not supported with --random-rest and --solved")
    if goal is None and (depth is not None or solved is None):
        raise click.UsageError(f"{'--random-rest' if solved is None else '--depth'} requires --goal")
    try:
        return step_scrambles(whole, number, rng, goal=goal, depth=depth, solved=solved, **named)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
