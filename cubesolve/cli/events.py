"""Scrambles for events, for the command `scramble`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from cubesolve.cli.options import is_given, later_choice, require_alone
from cubesolve.cli.output import FORMATS, Documents, Subject, file_option, save
from cubesolve.cli.running import exit_on_signals, print_json

if TYPE_CHECKING:
    from cubesolve.events import Scramble

_EXTRA = ("extra 1", "extra 2")  # scrambles of a sheet


def _names() -> list[str]:
    from cubesolve.events import EVENTS  # noqa: PLC0415  # delays the start

    return list(EVENTS)


def event_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of scrambles for events."""
    event = click.option(
        "--event",
        type=later_choice(_names),
        metavar="EVENT",
        help="Scramble for an event of the World Cube Association: 222, 333, 333bf, 444, minx, pyram and others.",
    )
    sheet = file_option(
        "--sheet",
        ".html",
        "With --event: also write a printable sheet to this .html file: the attempts of a round, or -n, and two extra; "
        "- writes only the sheet, to stdout.",
    )
    return event(sheet(command))


def scramble_for_event(
    event: str, number: int, seed: int | None, sheet: str | None, documents: Documents, as_json: bool
) -> None:
    """Print the scrambles of an event.

    Raises:
        UsageError: an option is given that an event does not have.
    """
    from cubesolve.events import EVENTS, scrambles  # noqa: PLC0415  # delays the start
    from cubesolve.events.sheets import sheet_of  # noqa: PLC0415  # delays the start

    require_alone("--event", {"event", "sheet", "number", "seed", "as_json", *FORMATS})
    if sheet == "-" and (as_json or documents.on_stdout):
        raise click.UsageError("--sheet - and another output cannot both be on standard output")
    if sheet is not None and not is_given("number"):
        number = EVENTS[event].attempts
    captions = [*map(str, range(1, number + 1)), *(_EXTRA if sheet is not None else ())]
    exit_on_signals()  # a table may be built
    drawn: list[tuple[str, Scramble]] = []
    for caption, scramble in zip(captions, scrambles(event, len(captions), seed), strict=True):
        drawn.append((caption, scramble))
        if sheet != "-" and not documents.on_stdout:
            _print(caption, scramble, as_json)
    written = documents.write(_subject(drawn)) if documents else None
    if sheet is not None:
        written = save(sheet, sheet_of(drawn)) or written
    if written is not None:
        click.echo(written)


def _print(caption: str, scramble: Scramble, as_json: bool) -> None:
    if as_json:
        event, alg = scramble.event, scramble.alg
        about = {"event": event.name, "attempt": caption, "method": event.method}
        print_json({**about, "scramble": alg, "state": str(scramble.state)})
    else:
        click.echo(scramble.alg + "\n" * ("\n" in scramble.alg))  # an empty line after several lines
    sys.stdout.flush()


def _subject(drawn: Sequence[tuple[str, Scramble]]) -> Subject:
    return Subject(drawn[0][1].puzzle.rules, [(caption, scramble.state) for caption, scramble in drawn])
