"""Large tables as memory-mapped files: an unpacked copy of each in a cache folder.

Unpacking 2.6 GB takes ten seconds, and a search touches little of it, so it is done once: the copy is checked against
the SHA-256 of the table when it is made, and again whenever the size or a timestamp of the file differs from those
noted beside it. Processes that need the same copy at once wait for the one that makes it. If no copy can be kept, the
table is unpacked into memory.

Kernels trust the copy. So it is used only in a folder and in a file that only the user and root can write, and only if
it has the size in the header of the table. On systems that do not report who can write a file, no copies are kept.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import mmap
import os
import re
import shutil
import stat
import time
import warnings
from io import BufferedReader

from cubesolve.encodings import body_bytes
from cubesolve.errors import CubesolveWarning, TableError
from cubesolve.runtime.files import (
    CACHE_VARIABLE,
    HAS_OWNERS,
    PrivateFolder,
    cache_folder,
    open_private,
    remove_abandoned,
)
from cubesolve.runtime.locks import file_lock
from cubesolve.spaces.tables import TableHeader
from cubesolve.store import tablefile
from cubesolve.store.folders import SUFFIX, table_folders

HUGE_PAGES_VARIABLE = "CUBESOLVE_HUGE_PAGES"
"""Set to 1, each process reads a copy of its own into memory with huge pages: faster to search, and not shared."""

_LOCK = "lock"
_COPIES = r"[a-z0-9-]+-[0-9a-f]{16}(?:\.stamp)?"
_READ_ONLY = 0o444  # truncating the file would kill the processes that have mapped it
_LONGEST_STAMP = 100  # bytes
_CLOCK_TICK = 0.02  # seconds; changes within one may have equal timestamps


def map_body(path: str, expected: TableHeader) -> mmap.mmap:
    """Map a table's body into memory."""
    header, _ = tablefile.read_header(path)
    tablefile.require_same(header, expected, path)
    if not HAS_OWNERS:
        return _unpack_into_memory(path, header)
    folder = cache_folder()
    try:
        if folder is None:
            raise FileNotFoundError(errno.ENOENT, f"no cache folder; {CACHE_VARIABLE} can name one")
        with open_private(folder) as private:
            body = _map_copy(path, header, private)
    except OSError as error:
        where = f" in {folder}" if folder else ""
        reason = f"no copy of it can be kept{where}: {error.strerror or error}"
        warnings.warn(CubesolveWarning(f"{path} is unpacked into memory each time, as {reason}"), stacklevel=2)
        return _unpack_into_memory(path, header)
    if os.environ.get(HUGE_PAGES_VARIABLE, "0") in {"", "0"}:
        return body
    with body:
        own = _memory(path, header)
        own.write(body)
    return own


def remove_copies(*, unused: bool = True) -> list[tuple[str, int]]:
    """Remove unpacked copies; processes that have mapped one can use it until they end."""
    folder = cache_folder()
    if folder is None or not os.path.isdir(folder) or not HAS_OWNERS:
        return []
    removed = []
    with open_private(folder) as (path, descriptor), file_lock(os.path.join(path, _LOCK)) as alone:
        assert descriptor is not None  # there are owners
        if alone:
            remove_abandoned(_COPIES, descriptor)
        for name in sorted(os.listdir(descriptor)):
            if not re.fullmatch(_COPIES, name) or (unused and _has_table(name.removesuffix(".stamp"))):
                continue
            about = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
            if stat.S_ISREG(about.st_mode):
                os.unlink(name, dir_fd=descriptor)
                removed.append((name, about.st_size))
    return removed


def _has_table(copy: str) -> bool:
    """Return whether the table of a copy exists."""
    name, _, digest = copy.rpartition("-")
    for folder in table_folders():
        with contextlib.suppress(TableError):
            if tablefile.read_header(os.path.join(folder, name + SUFFIX))[0].sha256.startswith(digest):
                return True
    return False


def _map_copy(path: str, header: TableHeader, folder: PrivateFolder) -> mmap.mmap:
    """Map the copy in a folder; it is made, under a lock, if there is no valid one."""
    name = f"{header.name}-{header.sha256[:16]}"
    copy = _find(name, header, folder)
    if copy is None:
        assert folder.descriptor is not None  # there are owners
        with file_lock(os.path.join(folder.path, _LOCK)) as alone:
            copy = _find(name, header, folder, check=True)
            if copy is None:
                if alone:
                    remove_abandoned(_COPIES, folder.descriptor)
                return _unpack(path, header, name, folder)
    with copy:
        return mmap.mmap(copy.fileno(), body_bytes(header), access=mmap.ACCESS_READ)


def _find(name: str, header: TableHeader, folder: PrivateFolder, *, check: bool = False) -> BufferedReader | None:
    """Return a copy unchanged since it was checked; with `check`, also another one if its digest is right."""
    copy = folder.open(name)
    if copy is None:
        return None
    about = os.fstat(copy.fileno())
    if about.st_size == body_bytes(header):
        if _is_noted(name, about, folder):
            return copy
        if check and hashlib.file_digest(copy, "sha256").hexdigest() == header.sha256:
            with contextlib.suppress(OSError):  # the folder may be read-only
                _note(name, about, folder)
            return copy
    copy.close()
    return None


def _is_noted(name: str, copy: os.stat_result, folder: PrivateFolder) -> bool:
    file = folder.open(f"{name}.stamp")
    if file is None:
        return False
    with file:
        noted_later = os.fstat(file.fileno()).st_ctime_ns > copy.st_ctime_ns
        return noted_later and file.read(_LONGEST_STAMP) == _stamp(copy)


def _note(name: str, copy: os.stat_result, folder: PrivateFolder) -> None:
    time.sleep(_CLOCK_TICK)
    with folder.replacing(f"{name}.stamp", _READ_ONLY) as file:
        file.write(_stamp(copy))


def _stamp(copy: os.stat_result) -> bytes:
    # Programs that copy files can set the time of the last change to the content; not that of any change.
    return f"{copy.st_size} {copy.st_mtime_ns} {copy.st_ctime_ns}\n".encode()


def _unpack(path: str, header: TableHeader, name: str, folder: PrivateFolder) -> mmap.mmap:
    free = shutil.disk_usage(folder.path).free
    if free < body_bytes(header):
        raise OSError(errno.ENOSPC, f"{body_bytes(header):,} bytes are needed, {free:,} are free")
    with folder.replacing(name, _READ_ONLY) as file:
        tablefile.unpack(path, header, file.write)
        file.flush()
        body = mmap.mmap(file.fileno(), body_bytes(header), access=mmap.ACCESS_READ)
    with contextlib.suppress(OSError):
        _note(name, os.stat(name, dir_fd=folder.descriptor, follow_symlinks=False), folder)
    return body


def _unpack_into_memory(path: str, header: TableHeader) -> mmap.mmap:
    body = _memory(path, header)
    tablefile.unpack(path, header, body.write)
    return body


def _memory(path: str, header: TableHeader) -> mmap.mmap:
    """Return memory for a table, with huge pages if the system supports them."""
    flags = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_PRIVATE") else {}  # not on Windows
    try:
        memory = mmap.mmap(-1, body_bytes(header), **flags)
    except (OSError, OverflowError):
        raise TableError(path, f"cannot be unpacked: not enough memory for {body_bytes(header):,} bytes") from None
    with contextlib.suppress(AttributeError, OSError):  # not on every system, nor in every kernel
        memory.madvise(mmap.MADV_HUGEPAGE)
    return memory
