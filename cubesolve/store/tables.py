"""Opening tables on first use."""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from cubesolve.encodings import body_bytes, encoding_of
from cubesolve.errors import MissingTableError, OutdatedTableError
from cubesolve.runtime.locks import thread_lock
from cubesolve.runtime.prepared import Prepared
from cubesolve.spaces.tables import TableEntry, TableHeader
from cubesolve.store import tablefile
from cubesolve.store.folders import Folder, find_table

if TYPE_CHECKING:
    import mmap

    import numpy as np
    from numpy.typing import DTypeLike, NDArray

    Body = bytes | mmap.mmap

Made = TypeVar("Made")

_LARGEST_READ = 1 << 25  # bytes of a body that each process reads; larger ones are shared by processes


class Table:
    """A whole table; its length is the number of entries, and ``np.asarray`` makes an array of their depths.

    Attributes:
        header: its header: its name, puzzle, metric, distribution and more.
        body: the depth of each entry, one byte each.
    """

    def __init__(self, header: TableHeader, body: bytes) -> None:
        """Take the header and the body."""
        self.header, self.body = header, body

    def __len__(self) -> int:
        return self.header.entries

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        array = self.as_array()
        return array.astype(dtype, copy=bool(copy)) if dtype is not None or copy else array

    def as_array(self) -> NDArray[np.uint8]:
        """Return the depths, uint8 (entries,): not a copy, and read-only."""
        import numpy as np  # noqa: PLC0415  # a question about one state does not need it

        return np.frombuffer(self.body, np.uint8)

    def __repr__(self) -> str:
        return f"Table({self.header.name!r}, {self.header.entries:,} entries)"


class Tables:
    """The bodies of the tables of one folder, or of the usual ones; each is opened once, on first use."""

    def __init__(self, directory: Folder | None) -> None:
        self.directory = None if directory is None else os.fspath(directory)
        self._bodies: dict[str, Body] = {}
        self._made: dict[str, Prepared[Any]] = {}
        self._opening: dict[str, Prepared[tuple[TableHeader, Body]]] = {}
        self._headers: dict[str, TableHeader] = {}
        self._makers: dict[str, Callable[[], tuple[TableHeader, Body]]] = {}
        self._loading = thread_lock()
        self._closed = False

    def __getstate__(self) -> dict[str, object]:
        """The folder, by which other processes, and copies, open them again."""
        return {"directory": self.directory, "closed": self._closed}

    def __setstate__(self, state: dict[str, Any]) -> None:
        Tables.__init__(self, state["directory"])
        self._closed = state["closed"]

    def offer(self, entry: TableEntry, make: Callable[[], tuple[TableHeader, Body]]) -> None:
        """Take a function that makes a table if it is missing, or of another version."""
        self._makers[entry.name] = make

    def body(self, entry: TableEntry) -> Body:
        """Return the body of a table: depths by rank, if it has a byte per entry."""
        return self._bodies.get(entry.header.name) or self._load(entry)

    def header(self, entry: TableEntry) -> TableHeader:
        """Return the header of a table; if its digest is pinned, without reading the file."""
        if entry.header.sha256:
            return entry.header
        self.body(entry)  # which is checked then
        return self._headers[entry.name]

    def table(self, entry: TableEntry) -> Table:
        """A whole table."""
        if not encoding_of(self.header(entry)).has_bytes:
            raise ValueError(f"{entry.name} does not have a byte per state")
        return Table(entry.header, self.body(entry))  # type: ignore[arg-type]  # what is mapped can be used like bytes

    def made(self, entry: TableEntry, make: Callable[[Body], Made]) -> Made:
        """Return an object that is made once of a table; the table itself is then released."""

        def work() -> Made:
            body = self.body(entry)
            result = make(body)
            self.release(entry)
            return result

        with self._loading:
            self.require_open()
            if entry.name not in self._made:
                self._made[entry.name] = Prepared(work)
            prepared: Prepared[Made] = self._made[entry.name]
        return prepared.result()

    def path(self, entry: TableEntry) -> str:
        """The path of a table's file."""
        return find_table(entry.name, self.directory, built_by=entry.built_by, effort=entry.effort)

    def has(self, entry: TableEntry) -> bool:
        """Return whether a table's file exists; it may be damaged."""
        try:
            return entry.name in self._bodies or bool(find_table(entry.name, self.directory))
        except MissingTableError:
            return False

    def is_open(self, entry: TableEntry) -> bool:
        """Return whether a table has been opened."""
        return entry.name in self._bodies

    def drop(self, entry: TableEntry) -> None:
        """Release the memory of one table."""
        self._bodies.pop(entry.name, None)

    def release(self, entry: TableEntry) -> None:
        """Release the memory of one table, and of what makes it, if it can be read from a file again."""
        with contextlib.suppress(MissingTableError):
            self.path(entry)
            self.drop(entry)
            self._makers.pop(entry.name, None)

    def close(self) -> None:
        """Release the memory of all tables."""
        with self._loading:
            self._closed = True
            self._bodies, self._made, self._opening = {}, {}, {}

    def _load(self, entry: TableEntry) -> Body:
        with self._loading:
            self.require_open()
            if entry.name in self._bodies:
                return self._bodies[entry.name]
            opening = self._opening.setdefault(entry.name, Prepared(functools.partial(self._read_or_make, entry)))
        header, body = opening.result()
        with self._loading:
            self.require_open()
            self._opening.pop(entry.name, None)
            self._headers[entry.name] = header
            return self._bodies.setdefault(entry.name, body)

    def _read_or_make(self, entry: TableEntry) -> tuple[TableHeader, Body]:
        try:
            return self._read(entry)
        except (MissingTableError, OutdatedTableError):
            if entry.name not in self._makers:
                raise
            return self._makers[entry.name]()

    def _read(self, entry: TableEntry) -> tuple[TableHeader, Body]:
        path, header = self.path(entry), entry.header
        if not header.sha256:  # the expected header is known in part; the rest is read
            claimed, _ = tablefile.read_header(path, entry.built_by or entry.name, self.directory)
            tablefile.require_same(claimed, header, path)
            header = claimed
        if encoding_of(header).is_read_whole and body_bytes(header) <= _LARGEST_READ:
            return tablefile.read(path, header)
        from cubesolve.store.unpacked import map_body  # noqa: PLC0415  # delays the start

        return header, map_body(path, header)

    def require_open(self) -> None:
        """Reject a question if these tables are closed."""
        if self._closed:
            raise ValueError("this tablebase is closed")
