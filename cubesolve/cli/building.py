"""The commands `tables build` and `tables verify` (need numpy)."""

from __future__ import annotations

import os
from collections.abc import Iterator

import click

from cubesolve.cli.options import Variant, memory_option, usage_errors
from cubesolve.cli.running import complain, give_up, is_asked
from cubesolve.cli.tables import ChosenTables, TableCommand, about_options, chosen_tables, printing_depths
from cubesolve.encodings import BY_BITS, body_bytes, encoding_of
from cubesolve.errors import TableError, in_bytes
from cubesolve.runtime.machine import half_of_memory
from cubesolve.spaces import space_of
from cubesolve.spaces.rules import Rules
from cubesolve.spaces.tables import TableEntry
from cubesolve.store import build as store
from cubesolve.store.checkpoint import Checkpoint
from cubesolve.store.folders import FOLDER_VARIABLE

_LARGE = 1 << 30  # bytes; larger builds announce the memory and disk space that they take


@click.command(cls=TableCommand)
@about_options
@memory_option("Memory limit for a build, as 8GB; by default half of the machine's.")
@click.option(
    "--bits",
    type=click.Choice([str(bits) for bits in sorted(BY_BITS)]),
    help="Bits per state, for tables without a known digest: "
    f"{', '.join(f'{encoding.bits} {encoding.suits}'.strip() for encoding in BY_BITS.values())}.",
)
@click.option("--resume", is_flag=True, help="Continue an interrupted build from its checkpoint.")
def build(names: tuple[str, ...], memory: int | None, bits: str | None, resume: bool, variant: Variant) -> None:
    """Enumerate, prove and write tables.

    Without NAME, the tables are those that are built by default. Pattern databases of the 3x3x3 are not proved again:
    their digests are compared with those of proved tables. `tables verify` proves them, too.

    \b
    Examples:
      cubesolve tables build pocket-htm
      cubesolve tables build my.tws
      cubesolve tables build rubik --moves "R U" --metric qtm
      cubesolve tables build my.tws --bits 2
    """
    with chosen_tables(names, variant) as (chosen, report):
        for rules, entry in _in_bits(chosen, int(bits)) if bits else chosen:
            with report():
                _report_start(entry, resume)
                needed = encoding_of(entry.header).building_bytes(entry.header.entries)
                if needed >= _LARGE:
                    _require_room(entry, needed)
                _require_memory(entry, needed, memory)
                path = store.build(rules, entry, progress=printing_depths(entry.name), resume=resume)
                click.echo(f"{entry.name} built: {path}")


def _in_bits(chosen: ChosenTables, bits: int) -> Iterator[tuple[Rules, TableEntry]]:
    encoding = BY_BITS[bits]
    for _, entry in chosen:
        if encoding_of(entry.header).has_depths and (entry.header.sha256 or entry.fold):
            raise click.BadParameter(
                f"{entry.name} always has the encoding that its known digest belongs to; "
                "--bits is for files, other moves and other costs",
                param_hint="--bits",
            )
    for rules, entry in chosen:
        if not encoding_of(entry.header).has_depths:
            yield rules, entry
            continue
        graph = rules.graph_of(entry)
        with usage_errors("--bits", before=f"{entry.name}: "):
            encoding.require_suited(space_of(graph))
        yield rules, entry._replace(header=entry.header._replace(encoding=encoding.number))


def _report_start(entry: TableEntry, resume: bool) -> None:
    """Report whether a build continues from its checkpoint, or could."""
    checkpoint = Checkpoint.of(entry)
    if checkpoint is None:
        if resume:
            complain(f"{entry.name} starts anew: builds of less than a minute have no checkpoints")
        return
    try:
        depth = len(checkpoint.counts()) - 1
    except TableError as error:
        if resume:
            raise
        complain(f"{error}; {entry.name} starts anew")
        return
    if depth < 0:
        if resume:
            complain(f"{entry.name} starts anew: no checkpoint {checkpoint.path}")
    elif resume:
        complain(f"{entry.name} continues from depth {depth}: {checkpoint.path}")
    else:
        complain(f"{entry.name} starts anew; --resume would continue from depth {depth}: {checkpoint.path}")


def _require_room(entry: TableEntry, memory: int) -> None:
    """Report the memory and disk space of a large build; exit if the machine does not have them."""
    checkpoint, disk = Checkpoint(entry), 2 * body_bytes(entry.header)  # a checkpoint, and the one replacing it
    all_memory = 2 * half_of_memory()
    folder, room = os.path.dirname(checkpoint.path), checkpoint.room()
    takes = f"{entry.name} takes {in_bytes(memory)} of memory, and up to {in_bytes(disk)} in {folder}"
    complain(f"{takes}, which has {in_bytes(room)} free")
    if memory > all_memory:
        give_up(f"{entry.name} cannot be built: this machine has {in_bytes(all_memory)} of memory")
    if room < disk:
        give_up(f"{entry.name} cannot be built there: set {FOLDER_VARIABLE} to a folder with more space")


def _require_memory(entry: TableEntry, needed: int, memory: int | None) -> None:
    """Ask before a build takes more than the memory limit; exit if the user cannot be asked."""
    if needed <= (half_of_memory() if memory is None else memory):
        return
    needs = f"{entry.name} takes {in_bytes(needed)} of memory"
    if memory is not None or not is_asked():
        limit = "half of this machine's" if memory is None else f"the limit of {in_bytes(memory)}"
        give_up(f"{needs}, more than {limit}: allow it with --memory")
    click.confirm(f"{needs}, more than half of this machine's. Build it?", abort=True, err=True)


@click.command(cls=TableCommand)
@about_options
def verify(names: tuple[str, ...], variant: Variant) -> None:
    """Prove that every entry of a table is right.

    Without NAME, the tables are those that are built by default.

    \b
    Example:
      cubesolve tables verify
    """
    with chosen_tables(names, variant, is_built=True) as (chosen, report):
        for rules, entry in chosen:
            with report():
                click.echo(f"{entry.name} proved right: {store.verify(rules, entry)}")
