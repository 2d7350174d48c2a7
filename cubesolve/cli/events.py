"""Scrambles for events, for the command `scramble`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from cubesolve.cli.options import is_given, require_alone
from cubesolve.cli.output import FORMATS, Documents, Subject, save
from cubesolve.cli.running import exit_on_signals, print_json
from cubesolve.practice.events import EVENTS, Scramble, scrambles, sheet_of

_EXTRA = ("extra 1", "extra 2")  # scrambles of a sheet


def scramble_for_event(
    event: str, number: int, seed: int | None, sheet: str | None, documents: Documents, as_json: bool
) -> None:
    """Print the scrambles of an event.

    Raises:
        UsageError: an option is given that an event does not have.
    """
    require_alone("--event", {"event", "sheet", "number", "seed", "as_json", *FORMATS})
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
