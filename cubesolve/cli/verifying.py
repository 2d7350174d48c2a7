"""The command `tables verify` (needs numpy)."""

from __future__ import annotations

import click

from cubesolve.cli.named_tables import TableCommand, about_options, chosen_tables, for_each
from cubesolve.cli.running import Value
from cubesolve.store import build as store


@click.command(cls=TableCommand)
@about_options
def verify(names: tuple[str, ...], **about: Value) -> None:
    """Prove that every entry of a table is right.

    Without NAME, the tables are those that are built by default.

    \b
    Example:
      cubesolve tables verify
    """
    for_each(
        chosen_tables(names, **about),
        lambda rules, entry: f"{entry.name} proved right: {store.verify(rules, entry)}",
    )
