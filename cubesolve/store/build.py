"""Building and proving tables, also those that a question misses (numpy)."""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings import body_bytes, encoding_of, making
from cubesolve.errors import CubesolveWarning, TableError
from cubesolve.runtime.deadline import current
from cubesolve.runtime.notices import notifying
from cubesolve.spaces import space_of
from cubesolve.spaces.rules import Rules
from cubesolve.spaces.space import Checkpointer, Progress, StateSpace
from cubesolve.spaces.tables import TableEntry, TableHeader
from cubesolve.store import checkpoint, tablefile
from cubesolve.store.checkpoint import Checkpoint
from cubesolve.store.folders import SUFFIX, Folder, find_table, folder_of

if TYPE_CHECKING:
    from cubesolve.store.tables import Body


def build(
    rules: Rules,
    entry: TableEntry,
    directory: Folder | None = None,
    progress: Progress | None = None,
    workers: int | None = None,
    *,
    resume: bool = False,
) -> str:
    """Enumerate the space of a table, prove the result, compare it with pinned values, and write the file.

    A pattern database of the 3x3x3 is not proved again: its digest must be that of a proved table.
    """
    checkpointer = Checkpoint.of(entry, directory, resume=resume)
    header, body = make(rules, entry, progress, workers, checkpointer)
    space_of.cache_clear()  # compressing takes memory, too
    path = write(entry, directory, header, body)
    if checkpointer:
        checkpointer.remove()
    return path


def make(
    rules: Rules,
    entry: TableEntry,
    progress: Progress | None = None,
    workers: int | None = None,
    checkpointer: Checkpointer | None = None,
) -> tuple[TableHeader, memoryview]:
    """Make a table without writing its file; see `build`."""
    return headed(entry, *making.make(rules, entry, progress, workers, checkpointer))


def make_distances(entry: TableEntry, space: StateSpace, start: int) -> tuple[TableHeader, memoryview]:
    """Make a table of the distances to a state in a space without a puzzle."""
    return headed(entry, *making.made_of(space, [start], entry.name, encoding_of(entry.header).bits))


def headed(entry: TableEntry, body: NDArray[np.uint8], counts: tuple[int, ...]) -> tuple[TableHeader, memoryview]:
    """Return the header of a made table with its digest and distribution, if these are as pinned, and its body."""
    entries = entry.header.entries or len(body)
    header = entry.header._replace(entries=entries, distribution=counts, sha256=tablefile.digest(body.data))
    tablefile.require_same(header, entry.header, entry.name)
    return header, body.data


def write(
    entry: TableEntry, directory: Folder | None, header: TableHeader, body: memoryview, level: int | None = None
) -> str:
    """Write a table to the folder for builds."""
    path = os.path.join(folder_of(entry, directory), entry.name + SUFFIX)
    tablefile.write(path, header, body, level)
    return path


def remove(entry: TableEntry, directory: Folder | None) -> None:
    """Remove a table from the folder for builds, if it is there and can be removed."""
    with contextlib.suppress(OSError, TableError):
        os.unlink(os.path.join(folder_of(entry, directory), entry.name + SUFFIX))


def verify(rules: Rules, entry: TableEntry, directory: Folder | None = None, workers: int | None = None) -> str:
    """Read the file of a table and prove that every entry is right."""
    path = find_table(entry.name, directory, built_by=entry.built_by, effort=entry.effort)
    folder = None if directory is None else os.fspath(directory)
    claimed, _ = tablefile.read_header(path, entry.built_by or entry.name, folder)
    # Only the identity of the table must be right before its entries are read: the entries are to be proved.
    tablefile.require_same(claimed, entry.header._replace(distribution=(), sha256=""), path)
    body = np.empty(body_bytes(claimed), np.uint8)
    tablefile.unpack_into(path, claimed, body.data)
    making.verify(rules, entry, claimed, body, path, workers)
    tablefile.require_same(claimed, entry.header, path)
    return path


_LEVEL = 1  # of compression while a question waits: a tenth of the time, for tables larger by a fifteenth


def built(rules: Rules, entry: TableEntry, directory: str | None) -> tuple[TableHeader, Body]:
    """Make a missing table, and write it if possible; its body is a buffer, not a copy."""
    checkpointer = _checkpoint(entry, directory)
    table = build_once(entry, directory, lambda: make(rules, entry, checkpointer=checkpointer))
    if checkpointer:
        checkpointer.remove()
    return table


def _checkpoint(entry: TableEntry, directory: str | None) -> Checkpoint | None:
    """Return the checkpoint of an enumeration that may not end in time: the next question continues it."""
    if not current().is_limited or not encoding_of(entry.header).has_levels(entry):
        return None
    try:
        return Checkpoint(entry, directory, resume=True, every=checkpoint.SOON, is_optional=True)
    except TableError:  # the folder is missing
        return None


def build_once(
    entry: TableEntry, directory: str | None, made: Callable[[], tuple[TableHeader, memoryview]]
) -> tuple[TableHeader, Body]:
    """Make a table, with a notice if that takes long, and write it if possible; its body is a buffer, not a copy."""
    with notifying(f"building {entry.name}, once"):
        header, body = made()
    keep(entry, directory, header, body)
    return header, cast("Body", body.toreadonly())


def keep(entry: TableEntry, directory: str | None, header: TableHeader, body: memoryview) -> None:
    """Write a table, if possible."""
    try:
        write(entry, directory, header, body, _LEVEL)
    except TableError as error:
        warnings.warn(CubesolveWarning(f"{error}: it is made anew by every process"), stacklevel=2)
