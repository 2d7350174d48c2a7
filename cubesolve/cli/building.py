"""Builds of the command `tables build`: what they require and report (numpy)."""

from __future__ import annotations

import os

import click

from cubesolve.cli.running import complain, give_up, is_asked
from cubesolve.encodings import body_bytes, encoding_of
from cubesolve.errors import TableError
from cubesolve.machine import half_of_memory
from cubesolve.spaces.rules import Rules
from cubesolve.spaces.space import Progress
from cubesolve.spaces.tables import TableEntry
from cubesolve.store import build as store
from cubesolve.store.checkpoint import Checkpoint
from cubesolve.store.folders import FOLDER_VARIABLE

_LARGE = 1 << 30  # bytes; larger builds announce the memory and disk space that they take


def build(rules: Rules, entry: TableEntry, progress: Progress, memory: int | None, *, resume: bool) -> str:
    """Build a table within a memory limit, and return the path of its file; exit if it cannot be built."""
    _report_start(entry, resume)
    if _building_bytes(entry) >= _LARGE:
        _require_room(entry)
    _require_memory(entry, memory)
    return store.build(rules, entry, progress=progress, resume=resume)


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


def _building_bytes(entry: TableEntry) -> int:
    return encoding_of(entry.header).building_bytes(entry.header.entries)


def _require_room(entry: TableEntry) -> None:
    """Report the memory and disk space of a large build; exit if the machine does not have them."""
    checkpoint = Checkpoint(entry)
    memory, disk = _building_bytes(entry), 2 * body_bytes(entry.header)  # a checkpoint, and the one replacing it
    all_memory = 2 * half_of_memory()
    folder, room = os.path.dirname(checkpoint.path), checkpoint.room()
    takes = f"{entry.name} takes {memory / 1e9:,.1f} GB of memory, and up to {disk / 1e9:,.1f} GB in {folder}"
    complain(f"{takes}, which has {room / 1e9:,.1f} GB free")
    if memory > all_memory:
        give_up(f"{entry.name} cannot be built: this machine has {all_memory / 1e9:,.1f} GB of memory")
    if room < disk:
        give_up(f"{entry.name} cannot be built there: set {FOLDER_VARIABLE} to a folder with more space")


def _require_memory(entry: TableEntry, memory: int | None) -> None:
    """Ask before a build takes more than the memory limit; exit if the user cannot be asked."""
    needed = _building_bytes(entry)
    if needed <= (half_of_memory() if memory is None else memory):
        return
    needs = f"{entry.name} takes {needed / 1e9:,.1f} GB of memory"
    if memory is not None or not is_asked():
        limit = "half of this machine's" if memory is None else f"the limit of {memory / 1e9:,.1f} GB"
        give_up(f"{needs}, more than {limit}: allow it with --memory")
    click.confirm(f"{needs}, more than half of this machine's. Build it?", abort=True, err=True)
