"""The command `puzzles`."""

from __future__ import annotations

from typing import Any

import click

from cubesolve import catalog, lookup
from cubesolve.cli.options import json_option
from cubesolve.cli.running import print_json
from cubesolve.encodings import encoding_of
from cubesolve.spaces.rules import Rules
from cubesolve.store.tables import Tables

_LONGEST_NUMBER = 15  # digits


@click.command()
@json_option
def puzzles(as_json: bool) -> None:
    """List the puzzles that ship: states, God's number, tables.

    Other names of a puzzle are listed, too. --puzzle also accepts a file that defines a puzzle: tws, KPuzzle,
    permutations in cycles, or a graph of CayleyPy.

    \b
    Examples:
      cubesolve puzzles
      cubesolve depth --puzzle skewb --help
    """
    listed = [_described(catalog.rules_named(name)) for name in lookup.puzzles()]
    if as_json:
        for each in listed:
            print_json(each)
        return
    click.echo(f"{'name':15}  {'states':>15}  {'most moves':>10}  {'table':8}  title")
    for each in listed:
        states = f"{each['states']:,}"
        shown = states if len(states) <= _LONGEST_NUMBER else f"{each['states']:.2e}"
        most = "" if each["gods_number"] is None else each["gods_number"]
        built = "built" if each["built"] else "-"
        also = f"; also {', '.join(each['aliases'])}" if each["aliases"] else ""
        click.echo(f"{each['name']:15}  {shown:>15}  {most:>10}  {built:8}  {each['title']}{also}")


def _described(rules: Rules) -> dict[str, Any]:
    tables = [entry for entry in rules.usual_tables() if encoding_of(entry.header).has_depths]
    return {
        "name": rules.name,
        "title": rules.title,
        "aliases": [alias for alias, name in catalog.aliases().items() if name == rules.name],
        "states": rules.number_of_states,
        "gods_number": rules.gods_number,
        "metric": rules.metrics[0],
        "built": bool(tables) and all(map(Tables(None).has, tables)),
    }
