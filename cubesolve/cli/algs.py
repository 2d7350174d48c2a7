"""The command `algs`."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from typing import NamedTuple

import click

from cubesolve.ask import Puzzle
from cubesolve.cli.cases import set_and_case
from cubesolve.cli.options import (
    Names,
    PuzzleCommand,
    json_option,
    memory_option,
    number_option,
    puzzle_of,
    seconds_option,
)
from cubesolve.cli.output import DocumentFormat, Documents, document_options
from cubesolve.cli.running import Answer, Value
from cubesolve.definition.cases import Cases
from cubesolve.errors import InvalidMoveError, SearchLimitError, in_moves
from cubesolve.picture.player import page
from cubesolve.picture.render import Card, sheet
from cubesolve.practice.ergonomics import USUAL
from cubesolve.search.limits import limited
from cubesolve.solvers.case_algs import CaseAlgs

_MOST_PLAYED = 60  # cases of a sheet, each with a player


class _Found(NamedTuple):
    """A set of cases, and the best algs of some."""

    puzzle: Puzzle
    cases: Cases
    best: Sequence[CaseAlgs]


def _sheet(found: _Found) -> str:
    puzzle, cases, best = found

    def player(each: CaseAlgs) -> str:
        if len(best) > _MOST_PLAYED or not each.algs or puzzle.rules.view.scene(each.case.state) is None:
            return ""
        first = each.algs[0]
        return page(puzzle.rules, each.case.state, f"{first.before} {first.alg} {first.after}")

    cards = (
        Card(
            case_algs.case.name,
            f"{case_algs.case.probability}",
            cases.picture(case_algs.case),
            [(str(alg), f"{alg.cost:.4g}") for alg in case_algs.algs],
            player(case_algs),
        )
        for case_algs in best
    )
    return sheet(f"{puzzle.title}: {cases.about.title}", cards)


def _table(found: _Found) -> str:
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["set", "number", "name", "probability", "before", "alg", "after", "length", "cost"])
    for case_algs in found.best:
        for alg in case_algs.algs:
            about = [found.cases.name, case_algs.case.number, case_algs.case.name, float(case_algs.case.probability)]
            rows.writerow([*about, alg.before, alg.alg, alg.after, alg.length, alg.cost])
    return text.getvalue()


_SHEET = DocumentFormat(".html", "sheet of", "lists", (), _sheet)
_TABLE = DocumentFormat(".csv", "", "lists", (), _table)


@click.command(cls=PuzzleCommand, question="algs", default="rubik", changes="")
@click.option("--case", required=True, metavar="NAME[:CASE]", help="A set of cases, or one of its cases.")
@click.option("--moves", metavar="ALG", help='Moves of the algs: "R U F", "R U Rw M". By default those of the set.')
@click.option(
    "--cost",
    type=Names(["length", "ergonomic"]),
    default="length",
    show_default=True,
    help="Compare algs by length, or by the cost of turning them by hand.",
)
@number_option("-n", "number", least=1, default=1, text="Number of algs of each case.")
@number_option("--slack", default=0, text="Also find algs up to N moves longer than the shortest.")
@number_option("--max-length", "most", most=17, default=16, text="Limit of the number of moves of an alg.")
@seconds_option("--timeout", "End after this time, with the algs found until then.")
@memory_option("Memory limit, such as 500MB; less memory takes longer.")
@document_options("algs", html=_SHEET, csv=_TABLE)
@json_option
def algs(case: str, cost: str, documents: Documents, as_json: bool, **question: Value) -> None:
    """Print the best algs of each case of a set.

    Adjustments before and after are printed with them. Every alg of the moves that solves a case, up to --slack moves
    longer than the shortest, is compared. The number before an alg is its length, or its cost if another cost is
    chosen. At the end of --timeout, and after Ctrl-C, the algs that were found until then are printed.

    \b
    Examples:
      cubesolve algs --case oll:27
      cubesolve algs --case oll:57 --moves "R U Rw M" -n 3 --max-length 10
      cubesolve algs --case oll:45 --cost ergonomic --slack 1 -n 10 --html oll.html
      cubesolve algs --case cll:22 --csv cll.csv
    """
    puzzle = puzzle_of()
    documents.require_one_output(as_json)
    so_far: list[_Found] = []  # none, or the last report

    def write(found: _Found) -> None:
        if not documents.print(found):
            for case_algs in found.best:
                _answer(found.cases, case_algs, question["most"]).print(as_json)

    try:
        listing = _best(puzzle, case, so_far, cost=_cost(puzzle, cost), **question)
    except (KeyboardInterrupt, SearchLimitError):
        for case_algs in so_far:
            write(case_algs)
        raise
    except InvalidMoveError as error:
        raise click.BadParameter(str(error), param_hint="--moves") from None
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    write(listing)


@limited
def _best(puzzle: Puzzle, case: str, so_far: list[_Found], **question: Value) -> _Found:
    """Return the best algs of the cases of a set, or of one, and what was found so far; a time limit bounds both."""
    cases, chosen = set_and_case(puzzle, case, "--case")

    def report(best: Sequence[CaseAlgs]) -> None:
        so_far[:] = [_Found(puzzle, cases, best)] if best else []

    best = puzzle.algs(cases.name, None if chosen is None else chosen.name, report=report, **question)
    return _Found(puzzle, cases, best)


def _cost(puzzle: Puzzle, text: str) -> Callable[[Sequence[str]], float] | None:
    if text == "length":
        return None
    if USUAL.moves.keys().isdisjoint(puzzle.moves):
        raise click.BadParameter(f"ergonomic has no costs for the moves of the {puzzle.title}", param_hint="--cost")
    return USUAL.cost


def _answer(cases: Cases, best: CaseAlgs, most: int) -> Answer:
    number, name = best.case.number, best.case.name
    optimal = {"optimal": best.optimal} if best.algs else {"at_least": most + 1}
    fields = {
        "set": cases.name,
        "number": number,
        "name": name,
        **optimal,
        "algs": [alg._asdict() for alg in best.algs],
    }
    lines = [f"{number:>4}  {name:6}  {alg.cost:>5.4g}  {alg}".rstrip() for alg in best.algs]
    return Answer(lines or f"{number:>4}  {name:6}      -  no alg of at most {in_moves(most)}", lambda: fields)
