"""Files and folders that are private and whole: opening, writing atomically, the user's folders."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
import time
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager
from io import BufferedReader
from typing import BinaryIO, NamedTuple

from cubesolve.errors import CubesolveWarning

CACHE_VARIABLE = "CUBESOLVE_CACHE"
"""The environment variable that names the cache folder."""

OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
"""The permissions with which others than the owner can write."""

HAS_OWNERS = hasattr(os, "geteuid")
"""Whether files have an owner and permission bits; the access lists of Windows are not read."""

_AT_ONCE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)  # missing on Windows
_ABANDONED_AFTER = 3600.0  # seconds
_LONGEST_PREFIX = 200  # bytes; names have at most 255
NAME = "cubesolve"


def open_regular(path: str, folder: int | None = None) -> BufferedReader:
    """Open a regular file for reading; pipes and devices, which may block or never end, are rejected at once.

    Args:
        folder: the descriptor of the folder to which `path` is relative; symbolic links in it are rejected, too.

    Raises:
        OSError: the file cannot be opened, or is not a regular file.
    """
    guards = _AT_ONCE if folder is None else _AT_ONCE | os.O_NOFOLLOW
    file = open(path, "rb", opener=lambda name, flags: os.open(name, flags | guards, dir_fd=folder))  # noqa: SIM115
    try:
        require_regular(os.fstat(file.fileno()), path)
    except OSError:
        file.close()
        raise
    return file


def require_regular(status: os.stat_result, path: str) -> None:
    """Raise an error for anything but a regular file."""
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "Not a regular file", path)


def is_own(status: os.stat_result) -> bool:
    """Return whether a file or folder belongs to the user; true if files have no owners."""
    return not HAS_OWNERS or status.st_uid == os.geteuid()


def is_private(status: os.stat_result) -> bool:
    """Return whether only the user and root can write to a file or folder."""
    return (is_own(status) or status.st_uid == 0) and not status.st_mode & OTHERS_WRITE


# -- Writing -----------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def open_atomically(path: str) -> Iterator[BinaryIO]:
    """Open a file for writing; readers see its old content or all of the new one.

    Pipes, devices and other special files are written to directly.
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


def remove_unfinished(path: str, after: float) -> None:
    """Remove the temporary files that killed writers of a file left, if they did not change for some seconds."""
    folder, name = os.path.split(path)
    remove_abandoned(re.escape(_cut(name)), folder, after)


def remove_abandoned(names: str, folder: int | str, after: float = 0) -> None:
    """Remove the temporary files of killed writers: only the user's own files that `replacing` made.

    Args:
        after: the least number of seconds since their last change.
    """
    temporary = re.compile(rf"\.(?:{names})\.\d+-[0-9a-f]{{8}}\.tmp")
    written_until = time.time() - after
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if not temporary.fullmatch(entry.name):
                continue
            with contextlib.suppress(OSError):  # another process removed it
                status = entry.stat(follow_symlinks=False)
                if stat.S_ISREG(status.st_mode) and is_own(status) and status.st_mtime <= written_until:
                    os.unlink(entry.path, dir_fd=folder if isinstance(folder, int) else None)


def _cut(name: str) -> str:
    """Shorten a name, so that it can be part of a longer one."""
    return os.fsdecode(os.fsencode(name)[:_LONGEST_PREFIX])


# -- Folders -----------------------------------------------------------------------------------------------------------


def cache_folder() -> str | None:
    """Return the folder for files that can be made again, such as unpacked tables.

    Returns:
        The absolute path of ``CUBESOLVE_CACHE``, or of ``cubesolve`` in the user's cache folder; None if the user has
        no home, or the path is relative.
    """
    return _absolute("user_cache_dir", os.environ.get(CACHE_VARIABLE))


def data_folder() -> str | None:
    """Return the folder for the user's tables: ``cubesolve`` in the user's data folder."""
    return _absolute("user_data_dir")


def _absolute(kind: str, named: str | None = None) -> str | None:
    with contextlib.suppress(RuntimeError):  # the user has no home
        if not named:
            import platformdirs  # noqa: PLC0415  # delays the start

            named = getattr(platformdirs, kind)(NAME, appauthor=False)
    return named if named and os.path.isabs(named) else None


class PrivateFolder(NamedTuple):
    """An open folder that only the user and root can write to; on systems without owners, any of the user's."""

    path: str
    descriptor: int | None  # by which its files are opened, where that is possible

    def open(self, name: str) -> BufferedReader | None:
        """Open a file that only the user and root can write, if there is one."""
        try:
            file = open_regular(self._of(name), self.descriptor)
        except OSError:
            return None
        if not HAS_OWNERS or is_private(os.fstat(file.fileno())):
            return file
        file.close()
        return None

    def replacing(self, name: str, mode: int) -> AbstractContextManager[BinaryIO]:
        """Open a temporary file that replaces one of its files; see `replacing`."""
        return replacing(self._of(name), mode, self.descriptor)

    def _of(self, name: str) -> str:
        return os.path.join(self.path, name) if self.descriptor is None else name


@contextlib.contextmanager
def open_private(path: str) -> Iterator[PrivateFolder]:
    """Open, or create, a folder that only the user and root can write to.

    If others can write to it, a subfolder of the user's is used instead, with a warning.

    Raises:
        OSError: the folder cannot be opened or created, or others can write to the subfolder, too.
    """
    _make_private(path)
    if not HAS_OWNERS:
        yield PrivateFolder(path, None)
        return
    flags = os.O_RDONLY | os.O_DIRECTORY
    with contextlib.ExitStack() as stack:
        folder = os.open(path, flags)
        stack.callback(os.close, folder)
        if not is_private(os.fstat(folder)):
            own = f"{NAME}-{os.geteuid()}"
            warn(f"{path} can be written by others: {own} in it is used instead")
            with contextlib.suppress(FileExistsError):
                os.mkdir(own, 0o700, dir_fd=folder)
            folder = os.open(own, flags | os.O_NOFOLLOW, dir_fd=folder)
            stack.callback(os.close, folder)
            path = os.path.join(path, own)
            if not is_private(os.fstat(folder)):
                raise OSError(errno.EACCES, "It can be written by others", path)
        yield PrivateFolder(path, folder)


def existing(path: str) -> str:
    """Return an absolute path of a folder, or the first folder above it that exists."""
    return path if os.path.isdir(path) or path == os.path.dirname(path) else existing(os.path.dirname(path))


def _make_private(path: str) -> None:
    """Create a folder, and missing folders above it, with access for the user only."""
    if not os.path.isdir(path):
        _make_private(os.path.dirname(path))
        with contextlib.suppress(FileExistsError):
            os.mkdir(path, 0o700)


def warn(message: str) -> None:
    """Warn about a folder that is not used."""
    warnings.warn(CubesolveWarning(message), stacklevel=2)
