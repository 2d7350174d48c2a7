"""Large tables as memory-mapped files: an unpacked copy of each in a cache folder.

Unpacking 2.6 GB takes ten seconds, and a search touches little of it, so it is done once: the copy is checked against
the table's SHA-256 when it is made, and again whenever the file's size, time of change or inode are not those noted
beside it. Processes that want the same copy at once wait for the one that makes it.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import mmap
import os
import shutil
from collections.abc import Iterator

from cubesolve.atomic import open_atomically, write_atomically
from cubesolve.errors import TableError
from cubesolve.rules.tables import TableHeader
from cubesolve.store import tablefile

CACHE_VARIABLE = "CUBESOLVE_CACHE"
"""The environment variable that names the cache folder."""


def cache_folder() -> str:
    """The folder of unpacked tables: ``CUBESOLVE_CACHE``, or ``cubesolve`` in the user's cache folder."""
    own = os.environ.get(CACHE_VARIABLE)
    if own:
        return own
    users = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(users, "cubesolve")


def map_body(path: str, expected: TableHeader) -> mmap.mmap:
    """Map a table's body into memory.

    Args:
        path: the table's file.
        expected: the header that it must have.

    Raises:
        TableError: the file cannot be read, or the cache folder cannot be written or has too little room.
        CorruptTableError: the file is another table, or damaged.
    """
    header, _ = tablefile.read_header(path)
    tablefile.require_same(header, expected, path)
    folder = cache_folder()
    copy = os.path.join(folder, f"{header.name}-{header.sha256[:16]}")
    try:
        if not _is_noted(copy):  # nothing need be written then, so a folder that cannot be will do
            os.makedirs(folder, exist_ok=True)
            with _locked(f"{copy}.lock"):
                if not _is_noted(copy) and not _is_sound(copy, header):
                    _unpack(path, header, copy)
        with open(copy, "rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        reason = error.strerror or str(error)
        raise TableError(path, f"cannot be unpacked into {folder}: {reason}") from error


@contextlib.contextmanager
def _locked(path: str) -> Iterator[None]:
    with open(path, "wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _is_noted(copy: str) -> bool:
    """Whether there is a copy that has not changed since it was checked."""
    try:
        with open(f"{copy}.stamp", "rb") as file:
            return file.read() == _stamp(copy)
    except FileNotFoundError:
        return False


def _is_sound(copy: str, header: TableHeader) -> bool:
    """Whether there is a copy that is the table's body, as its digest says; if so, note it."""
    if not os.path.exists(copy):
        return False
    stamp = _stamp(copy)
    with open(copy, "rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != header.sha256:
            return False
    write_atomically(f"{copy}.stamp", stamp)
    return True


def _stamp(copy: str) -> bytes:
    about = os.stat(copy)
    return f"{about.st_size} {about.st_mtime_ns} {about.st_ino}\n".encode()


def _unpack(path: str, header: TableHeader, copy: str) -> None:
    free = shutil.disk_usage(os.path.dirname(copy)).free
    if free < header.body_bytes:
        raise OSError(f"{header.body_bytes:,} bytes are needed, {free:,} are free")
    with open_atomically(copy) as file:
        tablefile.unpack(path, header, file.write)
    write_atomically(f"{copy}.stamp", _stamp(copy))
