"""The command `cases`: sets of cases, and steps by the number of moves that they need; scrambles for both."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import click

from cubesolve.ask import Puzzle
from cubesolve.cli.options import (
    PuzzleCommand,
    is_given,
    json_option,
    number_option,
    puzzle_of,
    puzzle_with,
    seconds_option,
    usage_errors,
    whole_and_goal,
)
from cubesolve.cli.output import DocumentFormat, Documents, document_options
from cubesolve.cli.running import Answer, Value, complain, print_json
from cubesolve.definition.cases import Case, Cases
from cubesolve.errors import did_you_mean, in_moves, quoted
from cubesolve.picture.pictures import Picture
from cubesolve.picture.render import Card, pictures_svg, sheet
from cubesolve.practice.step_cases import Level, StepCases
from cubesolve.practice.steps import is_step, listed_steps
from cubesolve.practice.trainers import case_scrambles, case_setups, step_scrambles
from cubesolve.search.limits import limited

_Entry = tuple[Card, Answer]  # a case, or the states of a step that need a number of moves


class _Listing(NamedTuple):
    puzzle: Puzzle
    title: str
    entries: Sequence[_Entry]


def _drawing(listing: _Listing) -> str:
    document = pictures_svg([(card.title, card.picture) for card, _ in listing.entries])
    if document is None:
        spoken = listing.puzzle.rules.spoken
        raise click.UsageError(f"--svg is not supported for --puzzle {spoken}: it has no pictures")
    return document


def _sheet(listing: _Listing) -> str:
    return sheet(f"{listing.puzzle.title}: {listing.title}", (card for card, _ in listing.entries))


_DRAWING = DocumentFormat(".svg", "drawing of", "draws", (), _drawing)
_SHEET = DocumentFormat(".html", "sheet of", "lists", (), _sheet)


@click.command(cls=PuzzleCommand, question="cases", default="rubik", changes="")
@click.argument("name", metavar="[NAME[:CASE]]", required=False)
@number_option("--depth", text="List the cases of a step that need N moves.")
@click.option("--solved", metavar="STEP", help="Solve the step with moves that keep this one: htr with --solved dr.")
@click.option("--shortest", is_flag=True, help="Find shortest algs of large sets, too, which takes minutes.")
@seconds_option("--timeout", "Time for all shortest algs; then any are printed.")
@seconds_option("--share", "Time for each shortest alg; after it any is printed.", 0.01)
@document_options("cases", svg=_DRAWING, html=_SHEET)
@json_option
def cases(
    name: str | None, depth: int | None, solved: str | None, documents: Documents, as_json: bool, **how: Value
) -> None:
    """List the cases of a set or step, or the sets and steps.

    Without NAME, the sets and the steps of the puzzle are listed. Each case has its number, 0 being the solved one; its
    name; its probability; and a shortest alg that leads to it. For more than 64 cases of a puzzle without a table,
    --shortest finds these, and otherwise any alg is printed.

    A step, as cross or eo, is listed by the number of moves that it needs: the number of its states, the probability,
    and an alg to one of them. With --depth, its cases at that depth are listed. States that differ by a rotation of the
    puzzle are one case.

    \b
    Examples:
      cubesolve cases
      cubesolve cases pll
      cubesolve cases cmll --html cmll.html
      cubesolve cases --puzzle pyraminx l4e --json
      cubesolve cases oll:27
      cubesolve cases cross
      cubesolve cases cross --depth 8 --html crosses.html
      cubesolve cases htr --solved dr
    """
    puzzle = puzzle_of()
    how["shortest"] = how["shortest"] or None
    if name is None:
        if documents or any(option is not None for option in (solved, depth, *how.values())):
            raise click.UsageError("all options but --puzzle and --json require the NAME of a set or a step")
        _list_sets(puzzle, as_json)
        return
    documents.require_one_output(as_json)
    title, entries = _listed(puzzle, name, depth, solved, how)
    if documents:
        entries = list(entries)
        if documents.print(_Listing(puzzle, title, entries)):
            return
    for _, answer in entries:  # one after the other, as their algs are found
        answer.print(as_json)


def _listed(
    puzzle: Puzzle, name: str, depth: int | None, solved: str | None, how: Mapping[str, Any]
) -> tuple[str, Iterable[_Entry]]:
    step, case = puzzle.rules.view.named_steps.parted(name)
    if is_step(puzzle, step) and not case:
        if any(value is not None for value in how.values()):
            raise click.UsageError(f"--shortest, --timeout and --share are for sets of cases, and {step} is a step")
        with usage_errors():
            return _step_entries(StepCases(puzzle, step, solved or ""), depth)
    cases, chosen = set_and_case(puzzle, name)
    if depth is not None or solved is not None:
        raise click.UsageError(f"--depth and --solved are for steps, and {cases.name} is a set of cases")
    listed = list(cases) if chosen is None else [chosen]
    return cases.about.title, _set_entries(puzzle, cases, listed, how)


def _set_entries(puzzle: Puzzle, found: Cases, listed: Sequence[Case], how: Mapping[str, Any]) -> Iterator[_Entry]:
    is_known = True
    for case, alg in zip(listed, case_setups(puzzle, found, listed, **how), strict=True):
        longer = f"  ({alg.length} moves, at least {alg.at_least})" if 0 < alg.at_least < alg.length else ""
        is_known = is_known and (alg.at_least > 0 or not alg)
        fields = {
            "set": found.name,
            "number": case.number,
            "name": case.name,
            "states": case.states,
            "probability": float(case.probability),
            "alg": alg,
            "length": alg.length,
            "at_least": alg.at_least,
            "state": str(case.state),
            "pattern": found.shown(case),
        }
        yield _case_entry(case, alg, found.picture(case), fields, longer)
    if not is_known:
        complain("there may be shorter algs; --shortest finds them, in minutes")


def _case_entry(case: Case, alg: str, picture: Picture | None, fields: dict[str, Any], longer: str = "") -> _Entry:
    line = f"{case.number:>4}  {case.name:6}  {case.probability!s:>8}  {alg}{longer}"
    card = Card(case.name, str(case.probability), picture, [(alg, "")])
    return card, Answer(line.rstrip(), lambda: fields)


def _step_entries(step: StepCases, depth: int | None) -> tuple[str, list[_Entry]]:
    if depth is None:
        levels = step.levels()
        width = max(len(f"{level.states:,}") for level in levels)
        return f"{step.name}: states by the number of moves", [_level_entry(step, level, width) for level in levels]
    entries = []
    for case in step.cases(depth):
        alg, about = step.alg(case), {"step": step.name, "depth": depth, "number": case.number, "states": case.states}
        fields = {**about, "probability": float(case.probability), "alg": alg, "pattern": str(case.state)}
        entries.append(_case_entry(case, alg, step.picture(case), fields))
    return f"{step.name}: cases that need {in_moves(depth)}", entries


def _level_entry(step: StepCases, level: Level, width: int) -> _Entry:
    example = step.example(level.depth)
    alg, picture = (step.alg(example), step.picture(example)) if example else ("", None)
    chance = f"{float(level.probability):.3%}"
    line = f"{level.depth:>3}  {level.states:>{max(width, 11)},}  {chance:>8}  {alg}"
    numbers = {"depth": level.depth, "states": level.states, "probability": float(level.probability), "alg": alg}
    answer = Answer(line.rstrip(), lambda: {"step": step.name, **numbers})
    return Card(f"depth {level.depth}: {level.states:,}", chance, picture, [(alg, "")]), answer


def _list_sets(puzzle: Puzzle, as_json: bool) -> None:
    for name, title in puzzle.case_sets.items():
        Answer(f"{name:12}  {title}", lambda: {"set": name, "title": title}).print(as_json)  # noqa: B023  # at once
    steps, titles = listed_steps(puzzle), puzzle.rules.view.named_steps.titles
    for stem, names in steps.items():
        title = titles.get(stem, "")
        if as_json:
            for name in names:
                print_json({"step": name, "title": title})
        else:
            endings = " ".join(name.removeprefix(stem) for name in names if name != stem)
            others = f"; also {endings}" if stem in names else f": {endings}"
            click.echo(f"{stem:12}  {title}{others if endings else ''}".rstrip())
    if not puzzle.case_sets and not steps:
        raise click.UsageError(f"the {puzzle.title} has neither sets of cases nor steps")


def set_and_case(puzzle: Puzzle, text: str, hint: str = "NAME") -> tuple[Cases, Case | None]:
    """Return the set of a text NAME[:CASE], and the case if one is named."""
    name, chosen = puzzle.rules.view.named_steps.parted(text)
    if name not in puzzle.case_sets:
        raise click.BadParameter(_unknown(puzzle, name, chosen), param_hint=hint)
    try:
        cases = puzzle.cases(name)
        return cases, cases[chosen] if chosen else None
    except (KeyError, ValueError) as error:
        raise click.BadParameter(str(error.args[0]), param_hint=hint) from None


def _unknown(puzzle: Puzzle, name: str, chosen: str) -> str:
    """Return the error about a name that is not one of a set of cases."""
    if is_step(puzzle, name):
        return f"{name} is a step, not a set of cases" + (f": omit ':{chosen}'" if chosen else "")
    sets = [*puzzle.case_sets, *(step for names in listed_steps(puzzle).values() for step in names)]
    listing = f"`cubesolve cases --puzzle {puzzle.rules.spoken}` lists them" if sets else "it has none"
    owner = puzzle_with(name)
    hint = f"--puzzle {owner} has it" if owner else did_you_mean(name, sets) or listing
    return f"{quoted(name)} is neither a set of cases nor a step of the {puzzle.title}: {hint}"


# -- Scrambles for practising a case or a step, for the command `scramble` ---------------------------------------------


def training_scrambles(
    puzzle: Puzzle, number: int, rng: random.Random, *, case: str | None, random_rest: bool, **how: Value
) -> Iterator[str]:
    """Yield scrambles for a case, or for a step: the goal of the command line."""
    if case is None:
        return _of_goal(number, rng, **how)
    (step, which), depth, timeout = puzzle.rules.view.named_steps.parted(case), how["depth"], how.get("timeout")
    question: dict[str, Any] = {} if timeout is None else {"timeout": timeout}
    if which or not is_step(puzzle, step):
        return _of_set(puzzle, case, number, rng, depth, **question)
    if random_rest:
        return step_scrambles(puzzle, number, rng, goal=step, depth=depth, **question)
    return puzzle.towards(step).solver.scrambles(number, rng, depth=depth, **question)


@limited
def _of_set(puzzle: Puzzle, text: str, number: int, rng: random.Random, depth: int | None) -> Iterator[str]:
    """Yield scrambles for a set of cases, or for a case; a time limit bounds the list of the cases, too."""
    cases, chosen = set_and_case(puzzle, text, "--case")
    which = None if chosen is None else chosen.name
    return case_scrambles(puzzle, cases, number, rng, which=which, depth=depth)


def _of_goal(
    number: int, rng: random.Random, *, depth: int | None, length: int | None, solved: str | None, **question: Value
) -> Iterator[str]:
    whole, goal = whole_and_goal()
    question |= {} if length is None else {"length": length}
    named = {name: question.pop(name) for name in ("metric", "timeout") if name in question}
    for name in filter(is_given, question):
        raise click.UsageError(f"--{name.replace('_', '-')} is not supported with --random-rest and --solved")
    if goal is None and (depth is not None or solved is None):
        raise click.UsageError(f"{'--random-rest' if solved is None else '--depth'} requires --goal")
    with usage_errors():
        return step_scrambles(whole, number, rng, goal=goal, depth=depth, solved=solved, **named)
