"""Opening tables on first use."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from cubesolve import tablefile
from cubesolve.catalog import CATALOG, CatalogEntry, Folder, find_table
from cubesolve.errors import MissingTableError, quoted
from cubesolve.locks import ThreadLock, forks_wait
from cubesolve.tablefile import TableHeader

if TYPE_CHECKING:
    import mmap

    import numpy as np
    from numpy.typing import NDArray

Made = TypeVar("Made")

_SHORT_NAMES = {"pocket": "pocket-htm"}


class Table(NamedTuple):
    """A whole table.

    Attributes:
        header: what it says about itself: its name, puzzle, metric, distribution and more.
        body: the depth of each entry, one byte each.
    """

    header: TableHeader
    body: bytes

    def as_array(self) -> NDArray[np.uint8]:
        """The depths, uint8 (entries,): not a copy, and not to be written to."""
        import numpy as np  # noqa: PLC0415  # a question about one state does not need it

        return np.frombuffer(self.body, np.uint8)

    def __repr__(self) -> str:
        return f"Table({self.header.name!r}, {self.header.entries:,} entries)"


def entry_named(name: str) -> CatalogEntry:
    """The catalog entry of a table.

    Raises:
        ValueError: there is no such table.

    >>> entry_named("pocket").name
    'pocket-htm'
    """
    entry = CATALOG.get(_SHORT_NAMES.get(name, name))
    if entry is None:
        raise ValueError(f"unknown table {quoted(name)}: expected {', '.join([*_SHORT_NAMES, *CATALOG])}")
    return entry


class Tables:
    """The bodies of the tables of one folder, or of the usual ones; each is read once, when it is first asked for."""

    def __init__(self, directory: Folder | None) -> None:
        self.directory = None if directory is None else os.fspath(directory)
        self._bodies: dict[str, bytes] = {}
        self._made: dict[str, Any] = {}
        self._loading = ThreadLock()
        self._closed = False

    def body(self, name: str) -> bytes:
        """A table's depths by rank.

        Raises:
            TableError: the table is missing or damaged.
            ValueError: these tables are closed.
        """
        return self._bodies.get(name) or self._load(name)

    def table(self, name: str) -> Table:
        """See `Tablebase.table`."""
        header = entry_named(name).header
        if header.encoding != tablefile.BYTE_DEPTHS:
            raise ValueError(f"{header.name} is a pattern database, which has no byte for each entry")
        return Table(header, self.body(header.name))

    def with_mapped(self, name: str, make: Callable[[mmap.mmap], Made]) -> Made:
        """What is made, once, of a large table, which is mapped into memory instead of being read.

        Raises:
            TableError: the table is missing or damaged, or cannot be unpacked.
            ValueError: these tables are closed.
        """
        with self._loading.held():
            self._require_open()
            if name not in self._made:
                with forks_wait():
                    from cubesolve.unpacked import map_body  # noqa: PLC0415  # few questions need it
                body = map_body(self.path(name), CATALOG[name].header)
                with forks_wait():
                    self._made[name] = make(body)
            made: Made = self._made[name]
            return made

    def path(self, name: str) -> str:
        """The path of a table's file.

        Raises:
            MissingTableError: no folder has it.
        """
        return find_table(name, self.directory)

    def has(self, name: str) -> bool:
        """Whether a table can be found; it may be damaged all the same."""
        try:
            return name in self._bodies or bool(self.path(name))
        except MissingTableError:
            return False

    def close(self) -> None:
        """Give the memory back."""
        with self._loading.held():
            self._closed = True
            self._bodies = {}
            self._made = {}

    def _load(self, name: str) -> bytes:
        with self._loading.held():
            self._require_open()
            body = self._bodies.get(name)
            if body is None:
                _, body = tablefile.read(self.path(name), CATALOG[name].header)
                self._bodies[name] = body
            return body

    def _require_open(self) -> None:
        if self._closed:
            raise ValueError("this tablebase is closed")
