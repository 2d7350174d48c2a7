"""Opening tables on first use."""

from __future__ import annotations

import threading

from cubesolve import tablefile
from cubesolve.catalog import CATALOG, Folder, find_table
from cubesolve.errors import MissingTableError


class Tables:
    """The bodies of the tables of one folder, or of the usual ones; each is read once, when it is first asked for."""

    def __init__(self, directory: Folder | None) -> None:
        self._directory = directory
        self._bodies: dict[str, bytes] = {}
        self._loading = threading.Lock()
        self._closed = False

    def body(self, name: str) -> bytes:
        """A table's depths by rank.

        Raises:
            TableError: the table is missing or damaged.
            ValueError: these tables are closed.
        """
        return self._bodies.get(name) or self._load(name)

    def has(self, name: str) -> bool:
        """Whether a table can be found; it may be damaged all the same."""
        try:
            return name in self._bodies or bool(find_table(name, self._directory))
        except MissingTableError:
            return False

    def close(self) -> None:
        """Give the memory back."""
        with self._loading:
            self._closed = True
            self._bodies = {}

    def _load(self, name: str) -> bytes:
        with self._loading:
            if self._closed:
                raise ValueError("this tablebase is closed")
            body = self._bodies.get(name)
            if body is None:
                _, body = tablefile.read(find_table(name, self._directory), CATALOG[name].header)
                self._bodies[name] = body
            return body
