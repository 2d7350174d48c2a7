"""Locks between processes, and locks between threads that a forked child can use.

A forked child has the memory of its parent, but only one thread: a lock that another thread held would never be
released in the child.
"""

from __future__ import annotations

import contextlib
import os
import threading
import weakref
from collections.abc import Iterator

from cubesolve.runtime.deadline import current

_PATIENCE = 60.0  # seconds; unpacking a table takes less


@contextlib.contextmanager
def file_lock(path: str) -> Iterator[bool]:
    """Hold a lock between processes; the value is whether it is held, after waiting for up to a minute."""
    from filelock import FileLock  # noqa: PLC0415  # few questions need a lock between processes

    lock = FileLock(path, mode=0o600, fallback_to_soft=False)  # a soft lock outlives a process that is killed
    with contextlib.ExitStack() as stack:
        is_held = True
        try:
            stack.enter_context(lock.acquire(_PATIENCE, cancel_check=lambda: current().left() <= 0))
        except OSError:  # another process holds it, it cannot be opened, or the file system has no locks
            is_held = False
        yield is_held


def thread_lock() -> threading.Lock:
    """Return a lock between threads, which is free in a newly forked child."""
    lock = threading.Lock()
    _thread_locks.add(lock)
    return lock


_thread_locks = weakref.WeakSet[threading.Lock]()


def _begin_anew() -> None:
    """Release all locks in a forked child."""
    for lock in _thread_locks:
        if lock.locked():
            lock.release()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_begin_anew)
