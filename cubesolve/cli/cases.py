"""The command `cases`: sets of cases, and steps by the number of moves that they need; scrambles for both."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from cubesolve import catalog
from cubesolve.ask import Puzzle
from cubesolve.cli.options import PuzzleCommand, is_given, json_option, puzzle_of, whole_and_goal
from cubesolve.cli.output import file_option, require_one_output, save
from cubesolve.cli.running import Value, complain, exit_on_signals, print_json
from cubesolve.definition.view import View
from cubesolve.errors import TableError, did_you_mean, quoted
from cubesolve.picture.render import Card, pictures_svg, sheet
from cubesolve.practice.step_cases import Level, StepCases
from cubesolve.practice.steps import is_step, listed_steps
from cubesolve.practice.trainers import case_scrambles, case_setups, step_scrambles
from cubesolve.search.limits import limited

if TYPE_CHECKING:
    from cubesolve.definition.cases import Case, Cases
    from cubesolve.picture.pictures import Picture
    from cubesolve.solvers.answers import Solution


@click.command(cls=PuzzleCommand, question="cases", default="rubik", restricts=False)
@click.argument("name", metavar="[NAME[:CASE]]", required=False)
@click.option("--depth", type=click.IntRange(min=0), metavar="N", help="List the cases of a step that need N moves.")
@click.option("--solved", metavar="STEP", help="Solve the step with moves that keep this one: htr with --solved dr.")
@click.option("--shortest", is_flag=True, help="Find shortest algs of large sets, too, which takes minutes.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    help="Time for all shortest algs; then any are printed.",
)
@click.option(
    "--share",
    type=click.FloatRange(min=0.01),
    metavar="SECONDS",
    help="Time for each shortest alg; after it any is printed.",
)
@file_option(
    "--svg", ".svg", "Also write a drawing of the cases to this .svg file; - writes only the drawing, to stdout."
)
@file_option(
    "--html", ".html", "Also write a sheet of the cases to this .html file; - writes only the sheet, to stdout."
)
@json_option
def cases(
    name: str | None,
    depth: int | None,
    solved: str | None,
    shortest: bool,
    timeout: float | None,
    share: float | None,
    svg: str | None,
    html: str | None,
    as_json: bool,
    **_options: object,
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
    if name is None:
        if svg or html or shortest or any(option is not None for option in (solved, depth, timeout, share)):
            raise click.UsageError("all options but --puzzle and --json require the NAME of a set or a step")
        _list_sets(puzzle, as_json)
        return
    exit_on_signals()  # a table may be built
    require_one_output(as_json, svg=svg, html=html)
    how = {"shortest": shortest or None, "timeout": timeout, "share": share}
    title, entries = _listed(puzzle, name, depth, solved, how)
    for path, document in ((svg, _drawing), (html, _sheet)):
        if path is not None:
            entries = list(entries)
            written = save(path, document(puzzle, title, entries))
            if written is not None:
                click.echo(written)
                return
    for entry in entries:  # one after the other, as their algs are found
        if as_json:
            print_json(entry.fields)
        else:
            click.echo(entry.line.rstrip())


def _listed(
    puzzle: Puzzle, name: str, depth: int | None, solved: str | None, how: Mapping[str, Any]
) -> tuple[str, Iterable[_Entry]]:
    """Return the title of a set or a step, and its cases or levels.

    Raises:
        UsageError: there is no such set or step, or an option is not one of it.
    """
    if is_step(puzzle, name):
        if any(value is not None for value in how.values()):
            raise click.UsageError(f"--shortest, --timeout and --share are for sets of cases, and {name} is a step")
        return _step_entries(puzzle, name, depth, solved)
    found, chosen = set_and_case(puzzle, name, steps=True)
    if depth is not None or solved is not None:
        raise click.UsageError(f"--depth and --solved are for steps, and {found.name} is a set of cases")
    listed = list(found) if chosen is None else [chosen]
    return found.about.title, _set_entries(puzzle, found, listed, how)


class _Entry(NamedTuple):
    """A case, or the states of a step that need a number of moves."""

    name: str
    probability: str
    alg: str
    picture: Picture | None
    line: str
    fields: dict[str, Any]


def _set_entries(puzzle: Puzzle, found: Cases, listed: Sequence[Case], how: Mapping[str, Any]) -> Iterator[_Entry]:
    """Yield some cases of a set; see `case_setups`."""
    is_known = True
    for case, alg in zip(listed, case_setups(puzzle, found, listed, **how), strict=True):
        longer = f"  ({alg.length} moves, at least {alg.at_least})" if 0 < alg.at_least < alg.length else ""
        is_known = is_known and (alg.at_least > 0 or not alg)
        yield _case_entry(case, alg, found.picture(case), _fields(found, case, alg), longer)
    if not is_known:
        complain("there may be shorter algs; --shortest finds them, in minutes")


def _case_entry(case: Case, alg: str, picture: Picture | None, fields: dict[str, Any], longer: str = "") -> _Entry:
    line = f"{case.number:>4}  {case.name:6}  {case.probability!s:>8}  {alg}{longer}"
    return _Entry(case.name, str(case.probability), alg, picture, line, fields)


def _step_entries(puzzle: Puzzle, name: str, depth: int | None, solved: str | None) -> tuple[str, list[_Entry]]:
    """Return the title of a step, and its states by the number of moves, or its cases at a depth.

    Raises:
        UsageError: the states of the step are not counted, or none needs so many moves.
    """
    try:
        step = StepCases(puzzle, name, solved or "")
        if depth is None:
            levels = step.levels()
            width = max(len(f"{level.states:,}") for level in levels)
            return f"{name}: states by the number of moves", [_level_entry(step, each, width) for each in levels]
        listed = step.cases(depth)
    except TableError:
        raise
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    entries = []
    for case in listed:
        alg, about = step.alg(case), {"step": name, "depth": depth, "number": case.number, "states": case.states}
        fields = {**about, "probability": float(case.probability), "alg": alg, "pattern": str(case.state)}
        entries.append(_case_entry(case, alg, step.picture(case), fields))
    return f"{name}: cases that need {depth} moves", entries


def _level_entry(step: StepCases, level: Level, width: int) -> _Entry:
    example = step.example(level.depth)
    alg, picture = (step.alg(example), step.picture(example)) if example else ("", None)
    chance = f"{float(level.probability):.3%}"
    line = f"{level.depth:>3}  {level.states:>{max(width, 11)},}  {chance:>8}  {alg}"
    numbers = {"depth": level.depth, "states": level.states, "probability": float(level.probability), "alg": alg}
    return _Entry(f"depth {level.depth}: {level.states:,}", chance, alg, picture, line, {"step": step.name, **numbers})


def _list_sets(puzzle: Puzzle, as_json: bool) -> None:
    for name, title in puzzle.case_sets.items():
        if as_json:
            print_json({"set": name, "title": title})
        else:
            click.echo(f"{name:12}  {title}")
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


def set_and_case(puzzle: Puzzle, text: str, hint: str = "NAME", *, steps: bool = False) -> tuple[Cases, Case | None]:
    """Return the set of a text NAME[:CASE], and the case if one is named.

    Args:
        steps: whether the name of a step is valid, too, so errors suggest steps.

    Raises:
        BadParameter: there is no such set or case.
    """
    name, _, chosen = text.partition(":")
    if steps and name not in puzzle.case_sets:
        raise click.BadParameter(_unknown(puzzle, name, chosen), param_hint=hint)
    try:
        found = puzzle.cases(name)
        return found, found[chosen] if chosen else None
    except (KeyError, ValueError) as error:
        raise click.BadParameter(str(error.args[0]), param_hint=hint) from None


def _unknown(puzzle: Puzzle, name: str, chosen: str) -> str:
    """Return the error about a name that is not one of a set of cases, nor of a step without the number of a case."""
    if is_step(puzzle, name):
        return f"{name} is a step, not a set of cases: omit ':{chosen}'"
    known = [*puzzle.case_sets, *(step for names in listed_steps(puzzle).values() for step in names)]
    listing = f"`cubesolve cases --puzzle {puzzle.rules.spoken}` lists them" if known else "it has none"
    owners = [other for other in catalog.RECOGNIZED if name in _names(catalog.rules_named(other).view)]
    hint = f"--puzzle {owners[0]} has it" if owners else did_you_mean(name, known) or listing
    return f"{quoted(name)} is neither a set of cases nor a step of the {puzzle.title}: {hint}"


def _names(view: View) -> set[str]:
    """Return the names of the sets of cases and of the steps of a puzzle."""
    return {*view.named_steps.case_sets, *view.named_steps.goals}


def _fields(found: Cases, case: Case, alg: Solution) -> dict[str, Any]:
    return {
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


def _drawing(puzzle: Puzzle, _title: str, entries: Sequence[_Entry]) -> str:
    document = pictures_svg([(entry.name, entry.picture) for entry in entries])
    if document is None:
        raise click.UsageError(f"--svg is not supported for --puzzle {puzzle.rules.spoken}: it has no pictures")
    return document


def _sheet(puzzle: Puzzle, title: str, entries: Sequence[_Entry]) -> str:
    cards = (Card(entry.name, entry.probability, entry.picture, [(entry.alg, "")]) for entry in entries)
    return sheet(f"{puzzle.title}: {title}", cards)


# -- Scrambles for practising a case or a step, for the command `scramble` ---------------------------------------------


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
