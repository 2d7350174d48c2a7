"""Checkpoints: the state of a long enumeration, written to a file between two levels (``docs/format.md``).

If a build is killed, the file is the last complete one; `tables build NAME --resume` continues from it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import time
import warnings
from collections.abc import Iterator
from contextvars import ContextVar

import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings import encoding_of
from cubesolve.errors import CorruptTableError, CubesolveWarning, TableError
from cubesolve.runtime.files import existing, remove_unfinished
from cubesolve.runtime.notices import announce
from cubesolve.spaces.space import Levels
from cubesolve.spaces.tables import CHECKPOINT, TableEntry, TableHeader
from cubesolve.store import tablefile
from cubesolve.store.folders import Folder, folder_of

SUFFIX = ".checkpoint"
"""The suffix of the file, beside that of the table."""

EVERY = 60.0
"""The least number of seconds between two checkpoints."""

AS_LONG = 4
"""How many times as long as the last checkpoint took to wait before the next: most of the time is for the build."""

SOON = 0.5
"""The same for a question with a time limit."""

_finished: ContextVar[list[Checkpoint] | None] = ContextVar("finished", default=None)


class Checkpoint:
    """The checkpoint of a table: a `space.Checkpointer`.

    The file is only replaced by one with more levels, and only when that is complete.
    """

    def __init__(
        self,
        entry: TableEntry,  # its number of entries is 0 if that of the checkpoint differs from level to level
        directory: Folder | None = None,  # in which the table is built; by default see `folders.build_folder`
        *,
        resume: bool = False,  # whether to continue from the file
        every: float = EVERY,  # at least so many seconds between two checkpoints, more if one takes long; 0 for all
        is_optional: bool = False,  # whether a file that cannot be read or written is no error, and only time is lost
    ) -> None:
        """Take a table; the file is not read yet."""
        self.path = os.path.join(folder_of(entry, directory), entry.name + SUFFIX)
        self._expected = entry.header
        self._resume, self._is_optional = resume, is_optional
        self._every = every
        self._begun = self._last = time.monotonic()

    @classmethod
    def of(cls, entry: TableEntry, directory: Folder | None = None, *, resume: bool = False) -> Checkpoint | None:
        """Return the checkpoint of a table; None if it is not enumerated by levels, which takes less than a minute."""
        has_levels = encoding_of(entry.header).has_levels(entry)
        return cls(entry, directory, resume=resume) if has_levels else None

    def counts(self) -> tuple[int, ...]:
        """The number of states of each level in the file; empty if there is no file."""
        return self._header().distribution if os.path.lexists(self.path) else ()

    def room(self) -> int:
        """The number of bytes for the files of a build: free space, and that of the old file."""
        folder = existing(os.path.dirname(os.path.abspath(self.path)))
        own = os.path.getsize(self.path) if os.path.isfile(self.path) else 0
        return shutil.disk_usage(folder).free + own

    def begun(self) -> Levels | None:
        """Return the levels in the file, if the build continues from them."""
        if not self._resume or not os.path.lexists(self.path):
            return None
        try:
            header = self._header()
            table = np.empty(header.entries, np.uint8)
            tablefile.unpack_into(self.path, header, table.data)
        except TableError:
            if self._is_optional:
                return None
            raise
        return table, header.distribution

    def keep(self, table: NDArray[np.uint8], counts: tuple[int, ...]) -> None:
        """Write the levels, if it is time; if that fails, the failure is reported and the build goes on."""
        if time.monotonic() - self._last < self._every or len(counts) <= self.kept_levels:
            return
        begun = time.monotonic()
        try:
            header = self._wanted(counts, tablefile.digest(table.data), len(table))
            tablefile.write(self.path, header, table.data)
        except TableError as error:
            if not self._is_optional:
                reason = f"{error}; the build goes on, and could not be gone on with from here"
                warnings.warn(CubesolveWarning(reason), stacklevel=2)
        self._last = time.monotonic()
        self._every = self._every and max(self._every, AS_LONG * (self._last - begun))

    def remove(self) -> None:
        """Remove the file, when the table is complete, unless that fails; see `keeping_checkpoints`.

        A process that was killed while it wrote a checkpoint left a temporary file, which is removed, too.
        """
        finished = _finished.get()
        if finished is not None:
            finished.append(self)
            return
        with contextlib.suppress(OSError):  # as in a folder that cannot be written, where there is none
            os.unlink(self.path)
        remove_unfinished(os.path.realpath(self.path), time.monotonic() - self._begun)

    @property
    def kept_levels(self) -> int:
        """The number of levels in the file; 0 if there is none that can be read."""
        try:
            return len(self.counts())
        except TableError:
            return 0

    def _wanted(self, counts: tuple[int, ...], sha256: str, size: int) -> TableHeader:
        """Return the header of a checkpoint; `size` is that of its body, unless the table determines it."""
        number = self._expected.entries
        entries = encoding_of(self._expected).body_bytes(number) if number else size
        return self._expected._replace(entries=entries, distribution=counts, sha256=sha256, encoding=CHECKPOINT)

    def _header(self) -> TableHeader:
        """Return the header that a checkpoint of this table must have."""
        header, _ = tablefile.read_header(self.path)
        tablefile.require_same(header, self._wanted(header.distribution, header.sha256, header.entries), self.path)
        counts = self._expected.distribution
        if not header.distribution or (counts and header.distribution != counts[: len(header.distribution)]):
            raise CorruptTableError(self.path, f"its levels are not those of {self._expected.name}")
        return header


@contextlib.contextmanager
def keeping_checkpoints() -> Iterator[None]:
    """Remove checkpoints that are complete in the block only at its end, if it ends without an exception.

    So a count whose result cannot be written is not lost; after an exception, a message names its checkpoint.
    """
    finished = list[Checkpoint]()
    token = _finished.set(finished)
    try:
        yield
    except BaseException:
        for checkpoint in finished:
            if checkpoint.kept_levels:
                how = "with --resume the count continues from its checkpoint"
                announce(f"the result was not written; {how}: {checkpoint.path}")
        raise
    finally:
        _finished.reset(token)
    for checkpoint in finished:
        checkpoint.remove()
