"""A temporary folder that is removed with its process; the next process removes those of killed ones."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile

from cubesolve.runtime.files import is_own

try:
    import fcntl

    _CAN_LOCK = True
except ModuleNotFoundError:  # on Windows
    _CAN_LOCK = False

_PREFIX = "cubesolve-serve-"
_LOCK = "lock"


class TemporaryFolder:
    """A private temporary folder.

    A lock in it is held as long as the process lives. On systems without locks, the folder of a killed process is not
    removed.

    Attributes:
        path: the folder.

    >>> folder = TemporaryFolder()
    >>> os.path.isdir(folder.path)
    True
    >>> folder.close()
    >>> os.path.exists(folder.path)
    False
    """

    def __init__(self) -> None:
        """Create the folder, and remove those of processes that have ended."""
        _remove_left()
        self.path = tempfile.mkdtemp(prefix=_PREFIX)
        self._lock: int | None = None
        if _CAN_LOCK:
            made, lock = os.path.join(self.path, f"{_LOCK}.new"), os.path.join(self.path, _LOCK)
            self._lock = os.open(made, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            with contextlib.suppress(OSError):  # on a file system without locks, `_remove_if_left` fails as well
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.replace(made, lock)  # the file appears under its name only when it is locked

    def close(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _remove_left() -> None:
    """Remove the user's folders whose lock is free, because their processes have ended."""
    if not _CAN_LOCK:
        return
    with contextlib.suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            if re.fullmatch(rf"{_PREFIX}\w{{8}}", entry.name, re.ASCII) and entry.is_dir(follow_symlinks=False):
                with contextlib.suppress(OSError):
                    _remove_if_left(entry)


def _remove_if_left(entry: os.DirEntry[str]) -> None:
    if not is_own(entry.stat(follow_symlinks=False)):
        return
    lock = os.open(os.path.join(entry.path, _LOCK), os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(entry.path, ignore_errors=True)
    finally:
        os.close(lock)
