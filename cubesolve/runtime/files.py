"""Opening files that other users may have created."""

from __future__ import annotations

import errno
import os
import stat
from io import BufferedReader

_AT_ONCE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)  # missing on Windows

OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
"""The permissions with which others than the owner can write."""

HAS_OWNERS = hasattr(os, "geteuid")
"""Whether files have an owner and permission bits; the access lists of Windows are not read."""


def open_regular(path: str, folder: int | None = None) -> BufferedReader:
    """Open a regular file for reading; pipes and devices, which may block or never end, are rejected at once.

    Args:
        folder: the descriptor of the folder to which `path` is relative; symbolic links in it are rejected, too.

    Raises:
        OSError: the file cannot be opened, or is not a regular file.

    >>> open_regular("/dev/zero")
    Traceback (most recent call last):
        ...
    OSError: [Errno 22] Not a regular file: '/dev/zero'
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
    """Raise an error for anything but a regular file.

    Raises:
        OSError: it is a folder, a pipe or a device.

    >>> require_regular(os.stat("/"), "/")
    Traceback (most recent call last):
        ...
    IsADirectoryError: [Errno 21] Is a directory: '/'
    """
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "Not a regular file", path)


def is_own(status: os.stat_result) -> bool:
    """Return whether a file or folder belongs to the user; true if files have no owners.

    >>> is_own(os.stat("/proc/self"))
    True
    """
    return not HAS_OWNERS or status.st_uid == os.geteuid()


def is_private(status: os.stat_result) -> bool:
    """Return whether only the user and root can write to a file or folder.

    >>> is_private(os.stat("/dev/null"))
    False
    """
    return (is_own(status) or status.st_uid == 0) and not status.st_mode & OTHERS_WRITE
