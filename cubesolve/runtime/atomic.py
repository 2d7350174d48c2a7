"""Atomic writing of files."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
import time
from collections.abc import Iterator
from typing import BinaryIO

from cubesolve.runtime.files import HAS_OWNERS, is_own

_ABANDONED_AFTER = 3600.0  # seconds
_LONGEST_PREFIX = 200  # bytes; names have at most 255


@contextlib.contextmanager
def open_atomically(path: str) -> Iterator[BinaryIO]:
    """Open a file for writing; readers see its old content or all of the new one.

    Pipes, devices and other special files are written to directly.

    Raises:
        OSError: the file cannot be written; the old content stays.
    """
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        mode = None
    if mode is not None and not stat.S_ISREG(mode):
        try:
            with open(path, "wb") as file:
                yield file
        except OSError as error:
            error.filename = error.filename or path
            raise
        return
    target = os.path.realpath(path)
    remove_unfinished(target, _ABANDONED_AFTER)
    with replacing(target, None if mode is None else stat.S_IMODE(mode)) as file:
        yield file


@contextlib.contextmanager
def replacing(path: str, mode: int | None = None, folder: int | None = None) -> Iterator[BinaryIO]:
    """Open a temporary file that replaces `path` unless an exception leaves the block.

    Args:
        mode: its permissions, on systems that have them; by default those of any new file.

    Raises:
        OSError: the file cannot be written, or `path` is a folder.

    >>> with replacing("/dev/null/file"):
    ...     pass
    Traceback (most recent call last):
        ...
    NotADirectoryError: [Errno 20] Not a directory: '/dev/null/file'
    """
    place, name = os.path.split(path)
    temporary = os.path.join(place, f".{_cut(name)}.{os.getpid()}-{os.urandom(4).hex()}.tmp")
    at_first = 0o666 if mode is None else 0o600
    try:
        with open(temporary, "x+b", opener=lambda new, flags: os.open(new, flags, at_first, dir_fd=folder)) as file:
            if mode is not None and HAS_OWNERS:
                os.fchmod(file.fileno(), mode)
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path, src_dir_fd=folder, dst_dir_fd=folder)
        _sync_folder(place if folder is None else folder)
    except OSError as error:
        if error.filename in {None, temporary}:  # the caller did not name the temporary file
            error.filename = path
        raise
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=folder)


def write_atomically(path: str, data: bytes) -> None:
    """Write a whole file; see `open_atomically`."""
    with open_atomically(path) as file:
        file.write(data)


def require_writable(path: str) -> None:
    """Raise the error with which writing a file would end, as far as it is known before.

    Raises:
        OSError: the file cannot be written.

    >>> require_writable("/dev/null")
    """
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if os.path.isfile(path) or not os.path.exists(path):
        with contextlib.suppress(_NothingWrittenError), replacing(os.path.realpath(path)):
            raise _NothingWrittenError


class _NothingWrittenError(Exception):
    """Ends the writing of a file, so that its old content stays."""


def remove_unfinished(path: str, after: float) -> None:
    """Remove the temporary files that killed writers of a file left, if they did not change for some seconds.

    >>> remove_unfinished("/nowhere/file", 60)
    """
    folder, name = os.path.split(path)
    remove_abandoned(re.escape(_cut(name)), folder, after)


def remove_abandoned(names: str, folder: int | str, after: float = 0) -> None:
    """Remove the temporary files of killed writers: only the user's own files that `replacing` made.

    Args:
        after: the least number of seconds since their last change.

    >>> remove_abandoned("file", "/nowhere")
    """
    temporary = re.compile(rf"\.(?:{names})\.\d+-[0-9a-f]{{8}}\.tmp")
    written_until = time.time() - after
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if temporary.fullmatch(entry.name) and _is_abandoned(entry, written_until):
                with contextlib.suppress(OSError):
                    os.unlink(entry.path, dir_fd=folder if isinstance(folder, int) else None)


def _is_abandoned(entry: os.DirEntry[str], written_until: float) -> bool:
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:  # another process removed it
        return False
    return stat.S_ISREG(status.st_mode) and is_own(status) and status.st_mtime <= written_until


def _cut(name: str) -> str:
    """Shorten a name, so that it can be part of a longer one."""
    return os.fsdecode(os.fsencode(name)[:_LONGEST_PREFIX])


def _sync_folder(folder: int | str) -> None:
    """Make the new name last through a power cut, where folders can be synced."""
    with contextlib.suppress(OSError):
        descriptor = os.dup(folder) if isinstance(folder, int) else os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
