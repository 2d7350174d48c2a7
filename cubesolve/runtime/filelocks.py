"""Locks between processes, with a limited wait."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator

try:
    import fcntl

    CAN_LOCK = True
except ModuleNotFoundError:  # on Windows
    CAN_LOCK = False

_PATIENCE = 60.0  # seconds; unpacking a table takes less
_RETRY_EVERY = 0.05  # seconds

_held = set[int]()


@contextlib.contextmanager
def file_lock(name: str, folder: int | None = None) -> Iterator[bool]:
    """Hold a lock between processes, after waiting for up to a minute.

    >>> with file_lock("/nowhere/lock") as alone:
    ...     alone
    False
    """
    if not CAN_LOCK:
        yield True
        return
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        file = os.open(name, flags, 0o600, dir_fd=folder)
    except OSError:
        yield False
        return
    _held.add(file)
    try:
        yield _acquire(file)
    finally:
        _held.discard(file)
        with contextlib.suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_UN)  # closing is not enough: children forked meanwhile would keep the lock
        os.close(file)


def _acquire(file: int) -> bool:
    tried_until = time.monotonic() + _PATIENCE
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > tried_until:
                return False
            time.sleep(_RETRY_EVERY)
        except OSError:  # some file systems have no locks
            return False
        else:
            return True


def _leave_to_parent() -> None:
    """Release, in a forked child, the locks of the parent."""
    for file in _held:
        os.close(file)
    _held.clear()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_leave_to_parent)
