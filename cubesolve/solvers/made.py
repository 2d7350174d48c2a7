"""Missing tables that a question makes (needs numpy)."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from cubesolve.encodings import encoding_of
from cubesolve.errors import CubesolveWarning, TableError
from cubesolve.runtime.deadline import current
from cubesolve.runtime.notices import notifying
from cubesolve.spaces.rules import Rules
from cubesolve.spaces.tables import TableEntry, TableHeader
from cubesolve.store import build
from cubesolve.store.checkpoint import Checkpoint, QuestionCheckpoint

if TYPE_CHECKING:
    from cubesolve.store.tables import Body

_LEVEL = 1  # of compression while a question waits: a tenth of the time, for tables larger by a fifteenth


def built(rules: Rules, entry: TableEntry, directory: str | None) -> tuple[TableHeader, Body]:
    """Make a missing table, and write it if possible."""
    header, body = built_for_search(rules, entry, directory)
    return header, bytes(body)


def built_for_search(rules: Rules, entry: TableEntry, directory: str | None) -> tuple[TableHeader, Body]:
    """Make a missing table, and write it if possible; its body is a buffer, not a copy."""
    checkpointer = _checkpoint(entry, directory)
    found = build_once(entry, directory, lambda: build.make(rules, entry, checkpointer=checkpointer))
    if checkpointer:
        checkpointer.remove()
    return found


def _checkpoint(entry: TableEntry, directory: str | None) -> Checkpoint | None:
    """Return the checkpoint of an enumeration that may not end in time."""
    if not current().is_limited or not encoding_of(entry.header).has_levels(entry):
        return None
    try:
        return QuestionCheckpoint(entry, directory)
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
        build.write(entry, directory, header, body, _LEVEL)
    except TableError as error:
        warnings.warn(CubesolveWarning(f"{error}: it is made anew by every process"), stacklevel=2)
