"""The user's cache and data folders, and folders that only the user can write to."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import warnings
from collections.abc import Iterator

from cubesolve.errors import CubesolveWarning
from cubesolve.runtime.files import HAS_OWNERS, OTHERS_WRITE, is_private

CACHE_VARIABLE = "CUBESOLVE_CACHE"
"""The environment variable that names the cache folder."""

_NAME = "cubesolve"


def cache_folder() -> str | None:
    """Return the folder for files that can be made again, such as unpacked tables.

    Returns:
        The absolute path of ``CUBESOLVE_CACHE``, or of ``cubesolve`` in the user's cache folder; None if the user has
        no home, or the path is relative.

    >>> os.path.isabs(cache_folder() or "/")
    True
    """
    return _absolute(os.environ.get(CACHE_VARIABLE) or _users("user_cache_dir"))


def data_folder() -> str | None:
    """Return the folder for the user's tables: ``cubesolve`` in the user's data folder.

    Returns:
        An absolute path; None if the user has no home.

    >>> os.path.basename(data_folder() or "cubesolve")
    'cubesolve'
    """
    return _absolute(_users("user_data_dir"))


def _users(kind: str) -> str:
    import platformdirs  # noqa: PLC0415  # needed only without CUBESOLVE_CACHE; importing it slows every start

    try:
        folder: str = getattr(platformdirs, kind)(_NAME, appauthor=False)
    except RuntimeError:  # the user has no home
        return ""
    return folder


def _absolute(path: str) -> str | None:
    return path if os.path.isabs(path) else None


@contextlib.contextmanager
def open_private(path: str) -> Iterator[tuple[str, int]]:
    """Open, or create, a folder that only the user and root can write to; the values are its path and descriptor.

    If others can write to it, a subfolder of the user's is used instead, with a warning.

    Raises:
        OSError: the folder cannot be opened or created, or others can write to the subfolder, too.

    >>> with open_private("/dev/null"):
    ...     pass
    Traceback (most recent call last):
        ...
    NotADirectoryError: [Errno 20] Not a directory: '/dev/null'
    """
    _make(path)
    flags = os.O_RDONLY | os.O_DIRECTORY
    with contextlib.ExitStack() as stack:
        folder = os.open(path, flags)
        stack.callback(os.close, folder)
        if not is_private(os.fstat(folder)):
            own = f"{_NAME}-{os.geteuid()}"
            _warn(f"{path} can be written by others: {own} in it is used instead")
            with contextlib.suppress(FileExistsError):
                os.mkdir(own, 0o700, dir_fd=folder)
            folder = os.open(own, flags | os.O_NOFOLLOW, dir_fd=folder)
            stack.callback(os.close, folder)
            path = os.path.join(path, own)
            if not is_private(os.fstat(folder)):
                raise OSError(errno.EACCES, "It can be written by others", path)
        yield path, folder


def private_path(path: str) -> str:
    """Find, or create, a folder whose path only the user and root can change, in every part.

    Files opened by such a path are the user's own. In a folder with the sticky bit, such as that of temporary files,
    others cannot rename or remove the user's files. On systems without owners, the user's folders are trusted.

    Args:
        path: the folder; it is created with access for the user only.

    Raises:
        OSError: the folder cannot be created or written to, or others can write to it, or replace it or a folder
            above it.

    >>> private_path("/dev/null")
    Traceback (most recent call last):
        ...
    NotADirectoryError: [Errno 20] Not a directory: '/dev/null'
    """
    existing = os.path.dirname(os.path.abspath(path))
    while not os.path.isdir(existing):
        existing = os.path.dirname(existing)
    _require_names_kept(os.path.realpath(existing, strict=True))  # before something is made in a folder that is refused
    _make(path)
    real = os.path.realpath(path, strict=True)
    _require_names_kept(os.path.dirname(real))
    status = os.lstat(real)
    if not stat.S_ISDIR(status.st_mode):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
    if HAS_OWNERS and not is_private(status):
        raise OSError(errno.EACCES, "It can be written by others", path)
    if not os.access(real, os.W_OK):
        raise OSError(errno.EACCES, os.strerror(errno.EACCES), path)
    if HAS_OWNERS and stat.S_IMODE(status.st_mode) & 0o077:
        os.chmod(real, 0o700)  # files in it get the process's umask, which may let others write
    return real


def _require_names_kept(folder: str) -> None:
    """Refuse a folder, by its path without symbolic links, if others can replace what is in it or in one above it.

    Raises:
        OSError: they can.
    """
    if HAS_OWNERS and not _keeps_names(os.lstat(folder)):
        raise OSError(errno.EACCES, "Others can replace files in it", folder)
    if folder != os.path.dirname(folder):
        _require_names_kept(os.path.dirname(folder))


def _keeps_names(folder: os.stat_result) -> bool:
    """Return whether only the user and root can rename the user's files in a folder."""
    trusted = {0, os.geteuid(), os.lstat("/").st_uid}  # the owner of the root folder can replace every program
    return folder.st_uid in trusted and (not folder.st_mode & OTHERS_WRITE or bool(folder.st_mode & stat.S_ISVTX))


def _make(path: str) -> None:
    """Create a folder, and missing folders above it, with access for the user only."""
    if not os.path.isdir(path):
        _make(os.path.dirname(path))
        with contextlib.suppress(FileExistsError):
            os.mkdir(path, 0o700)


def _warn(message: str) -> None:
    warnings.warn(CubesolveWarning(message), stacklevel=2)
