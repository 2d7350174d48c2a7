"""Opening files that somebody else may have put there."""

from __future__ import annotations

import errno
import os
import stat
from io import BufferedReader

_AT_ONCE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)  # not everywhere

OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
"""The permissions with which others than the owner can write."""

HAS_OWNERS = hasattr(os, "geteuid")
"""Whether the system says who owns a file and who can write it; Windows has lists of access, not read here."""


def open_regular(path: str, folder: int | None = None) -> BufferedReader:
    """Open a regular file to be read; what may never end, or wait for ever, is refused at once: a pipe, a device.

    Args:
        path: the file.
        folder: the descriptor of the folder in which `path` is a name; a symbolic link there is refused, too.

    Raises:
        OSError: it cannot be opened, or is no regular file.

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
    """Refuse what is no regular file.

    Raises:
        OSError: it is a folder, a pipe, a device.

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
    """Whether a file or folder belongs to the user, as far as the system says.

    >>> is_own(os.stat("/proc/self"))
    True
    """
    return not HAS_OWNERS or status.st_uid == os.geteuid()


def is_private(status: os.stat_result) -> bool:
    """Whether nobody but the user and root can write a file or folder.

    >>> is_private(os.stat("/dev/null"))
    False
    """
    return (is_own(status) or status.st_uid == 0) and not status.st_mode & OTHERS_WRITE
