"""The command `algs`."""

from __future__ import annotations

import csv
import functools
import io
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from cubesolve.ask import Puzzle
from cubesolve.cli.cases import set_and_case
from cubesolve.cli.options import PuzzleCommand, Reading, json_option, puzzle_of
from cubesolve.cli.output import file_option, require_one_output, save
from cubesolve.cli.running import Value, exit_on_signals, print_json
from cubesolve.definition.formats import read_text
from cubesolve.definition.options import read_bytes
from cubesolve.errors import InvalidMoveError, SearchLimitError
from cubesolve.picture.player import page
from cubesolve.picture.render import Card, sheet
from cubesolve.practice.ergonomics import USUAL, read_hands
from cubesolve.search.limits import limited

if TYPE_CHECKING:
    from cubesolve.definition.cases import Cases
    from cubesolve.solvers.case_algs import CaseAlgs

_MOST_PLAYED = 60  # cases of a sheet, each with a player


@click.command(cls=PuzzleCommand, question="algs", default="rubik", restricts=False)
@click.option("--case", required=True, metavar="NAME[:CASE]", help="A set of cases, or one of its cases.")
@click.option("--moves", metavar="ALG", help='Moves of the algs: "R U F", "R U Rw M". By default those of the set.')
@click.option(
    "--cost",
    default="length",
    show_default=True,
    metavar="length|ergonomic|FILE",
    help="Compare algs by length, by the cost of turning them by hand, or by a table of costs in a JSON file.",
)
@click.option(
    "-n",
    "number",
    type=click.IntRange(min=1),
    metavar="N",
    default=1,
    show_default=True,
    help="Number of algs of each case.",
)
@click.option(
    "--slack",
    type=click.IntRange(min=0),
    metavar="N",
    default=0,
    show_default=True,
    help="Also find algs up to N moves longer than the shortest.",
)
@click.option(
    "--max-length",
    type=click.IntRange(min=0, max=17),
    metavar="N",
    default=16,
    show_default=True,
    help="Limit of the number of moves of an alg.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    help="End after this time, with the algs found until then.",
)
@click.option(
    "--memory",
    metavar="BYTES",
    type=Reading("bytes", read_bytes),
    help="Memory limit, such as 500MB; less memory takes longer.",
)
@file_option(
    "--html", ".html", "Also write a sheet of the algs to this .html file; - writes only the sheet, to stdout."
)
@file_option("--csv", ".csv", "Also write the algs to this .csv file; - writes only the algs, to stdout.")
@json_option
def algs(
    case: str,
    moves: str | None,
    cost: str,
    number: int,
    slack: int,
    max_length: int,
    timeout: float | None,
    memory: int | None,
    html: str | None,
    csv: str | None,
    as_json: bool,
    **_options: object,
) -> None:
    """Print the best algs of each case of a set.

    Adjustments before and after are printed with them. Every alg of the moves that solves a case, up to --slack moves
    longer than the shortest, is compared. The number before an alg is its length, or its cost if another cost is
    chosen. At the end of --timeout, and after Ctrl-C, the algs that were found until then are printed.

    \b
    Examples:
      cubesolve algs --case oll:27
      cubesolve algs --case oll:57 --moves "R U Rw M" -n 3 --max-length 10
      cubesolve algs --case oll:45 --cost ergonomic --slack 1 -n 10 --html oll.html
      cubesolve algs --puzzle pocket --case cll:22 --csv cll.csv
    """
    puzzle = puzzle_of()
    exit_on_signals()
    require_one_output(as_json, html=html, csv=csv)
    so_far: list[tuple[Cases, Sequence[CaseAlgs]]] = []  # none, or the last report

    def report(found: Cases, best: Sequence[CaseAlgs]) -> None:
        so_far[:] = [(found, best)] if best else []

    def write(found: Cases, best: Sequence[CaseAlgs]) -> None:
        for path, document in ((html, _sheet), (csv, _table)):
            if path is not None:
                written = save(path, document(puzzle, found, best))
                if written is not None:
                    click.echo(written)
                    return
        for each in best:
            _print(found, each, max_length, as_json)

    try:
        found, best = _best(
            puzzle,
            case,
            report,
            moves=moves,
            cost=_cost(puzzle, cost),
            number=number,
            slack=slack,
            most=max_length,
            memory=memory,
            timeout=timeout,
        )
    except (KeyboardInterrupt, SearchLimitError):
        for known, shown in so_far:
            write(known, shown)
        raise
    except InvalidMoveError as error:
        raise click.BadParameter(str(error), param_hint="--moves") from None
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    write(found, best)


@limited
def _best(
    puzzle: Puzzle, case: str, report: Callable[[Cases, Sequence[CaseAlgs]], object], **question: Value
) -> tuple[Cases, list[CaseAlgs]]:
    """Return a set and the best algs of its cases, or of one; a time limit bounds both.

    Args:
        report: called with the set, and with what was found so far.

    Raises:
        BadParameter: there is no such set or case.
    """
    found, chosen = set_and_case(puzzle, case, "--case")
    which, so_far = None if chosen is None else chosen.name, functools.partial(report, found)
    return found, puzzle.algs(found.name, which, report=so_far, **question)


def _cost(puzzle: Puzzle, text: str) -> Callable[[Sequence[str]], float] | None:
    if text == "length":
        return None
    if text == "ergonomic":
        if USUAL.moves.keys().isdisjoint(puzzle.moves):
            raise click.BadParameter(f"ergonomic has no costs for the moves of the {puzzle.title}", param_hint="--cost")
        return USUAL.cost
    try:
        return read_hands(read_text(text)).cost
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--cost") from None


def _print(found: Cases, best: CaseAlgs, most: int, as_json: bool) -> None:
    if as_json:
        algs = [alg._asdict() for alg in best.algs]
        optimal = {"optimal": best.optimal} if best.algs else {"at_least": most + 1}
        print_json({"set": found.name, "number": best.case.number, "name": best.case.name, **optimal, "algs": algs})
        return
    for alg in best.algs:
        click.echo(f"{best.case.number:>4}  {best.case.name:6}  {alg.cost:>5.4g}  {alg}".rstrip())
    if not best.algs:
        click.echo(f"{best.case.number:>4}  {best.case.name:6}      -  no alg of at most {most} moves")


def _sheet(puzzle: Puzzle, found: Cases, best: Sequence[CaseAlgs]) -> str:
    def player(each: CaseAlgs) -> str:
        if len(best) > _MOST_PLAYED or not each.algs or puzzle.rules.view.scene(each.case.state) is None:
            return ""
        first = each.algs[0]
        return page(puzzle.rules, each.case.state, f"{first.before} {first.alg} {first.after}")

    cards = (
        Card(
            each.case.name,
            f"{each.case.probability}",
            found.picture(each.case),
            [(str(alg), f"{alg.cost:.4g}") for alg in each.algs],
            player(each),
        )
        for each in best
    )
    return sheet(f"{puzzle.title}: {found.about.title}", cards)


def _table(_puzzle: Puzzle, found: Cases, best: Sequence[CaseAlgs]) -> str:
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["set", "number", "name", "probability", "before", "alg", "after", "length", "cost"])
    for each in best:
        for alg in each.algs:
            about = [found.name, each.case.number, each.case.name, float(each.case.probability)]
            rows.writerow([*about, alg.before, alg.alg, alg.after, alg.length, alg.cost])
    return text.getvalue()
