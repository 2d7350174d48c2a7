"""Where things of the user's own are kept, and opening folders in which nobody else can write."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import warnings
from collections.abc import Iterator

from cubesolve.errors import CubesolveWarning
from cubesolve.files import HAS_OWNERS, OTHERS_WRITE, is_private

CACHE_VARIABLE = "CUBESOLVE_CACHE"
"""The environment variable that names the cache folder."""

_NAME = "cubesolve"


def cache_folder() -> str | None:
    """The folder of what can be made again, such as unpacked tables.

    Returns:
        The one that ``CUBESOLVE_CACHE`` names, or ``cubesolve`` in the user's cache folder, as an absolute path; None
        where there is no such folder: the user has no home, or the path is relative.

    >>> os.path.isabs(cache_folder() or "/")
    True
    """
    return _absolute(os.environ.get(CACHE_VARIABLE) or _users("user_cache_dir"))


def data_folder() -> str | None:
    """The folder of what the user had made, such as tables: ``cubesolve`` in the user's data folder.

    Returns:
        An absolute path, or None where the user has no home.

    >>> os.path.basename(data_folder() or "cubesolve")
    'cubesolve'
    """
    return _absolute(_users("user_data_dir"))


def _users(kind: str) -> str:
    import platformdirs  # noqa: PLC0415  # few questions need it

    try:
        folder: str = getattr(platformdirs, kind)(_NAME, appauthor=False)
    except RuntimeError:  # there is no home
        return ""
    return folder


def _absolute(path: str) -> str | None:
    return path if os.path.isabs(path) else None


@contextlib.contextmanager
def open_private(path: str) -> Iterator[int]:
    """Open a folder in which nobody but the user and root can write; it is made if it is not there.

    Where others can, it is a folder of the user's in that one, and a warning says so.

    Args:
        path: the folder.

    Yields:
        Its descriptor: whatever happens to the folder's name, it stands for the same folder.

    Raises:
        OSError: it can neither be opened nor made, or others can write in the user's folder, too.

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
            if not is_private(os.fstat(folder)):
                raise OSError(errno.EACCES, "It can be written by others", os.path.join(path, own))
        yield folder


def private_path(path: str) -> str:
    """Find, or make, a folder that goes by a path of which nobody but the user and root can change a part.

    So what is opened by that path is the user's own, too. In a folder with the sticky bit, such as that of temporary
    files, others can neither rename nor remove what is not theirs. Where the system does not say who can write, the
    user's folders are taken to be the user's own.

    Args:
        path: the folder; it is made for the user alone.

    Returns:
        Its path without symbolic links.

    Raises:
        OSError: it cannot be made, or written, or others can write in it, or replace it or a folder above it.

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
        os.chmod(real, 0o700)  # what is in it is made with the process's umask, which may let others write
    return real


def _require_names_kept(folder: str) -> None:
    """Refuse a folder, by its path without symbolic links, if others can replace what is in it or in one above it.

    Raises:
        OSError: they can.
    """
    if HAS_OWNERS and not _keeps_names(os.lstat(folder)):
        raise OSError(errno.EACCES, "Others can replace what is in it", folder)
    if folder != os.path.dirname(folder):
        _require_names_kept(os.path.dirname(folder))


def _keeps_names(folder: os.stat_result) -> bool:
    """Whether nobody but the user and root can rename what is in a folder and theirs."""
    trusted = {0, os.geteuid(), os.lstat("/").st_uid}  # whoever owns the root folder can replace every program
    return folder.st_uid in trusted and (not folder.st_mode & OTHERS_WRITE or bool(folder.st_mode & stat.S_ISVTX))


def _make(path: str) -> None:
    """Make a folder, and those above it that are not there, for the user alone, whatever the umask."""
    if not os.path.isdir(path):
        _make(os.path.dirname(path))
        with contextlib.suppress(FileExistsError):
            os.mkdir(path, 0o700)


def _warn(message: str) -> None:
    warnings.warn(CubesolveWarning(message), stacklevel=2)
