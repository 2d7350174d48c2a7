"""Locks between processes, locks between threads that a forked child can use, and an import that Ctrl-C waits for.

A forked child has the memory of its parent, but only one thread: a lock that another thread held would never be
released in the child.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import threading
import weakref
from collections.abc import Iterator

from cubesolve.runtime.deadline import current

_PATIENCE = 60.0  # seconds; unpacking a table takes less


@contextlib.contextmanager
def forks_wait() -> Iterator[None]:
    """Delay forks by other threads during a block, such as an import, that a child could not continue."""
    thread = threading.get_ident()
    with _forks:
        _unforkable.append(thread)
    try:
        yield
    finally:
        with _forks:
            _unforkable.remove(thread)
            _forks.notify_all()


@contextlib.contextmanager
def file_lock(path: str) -> Iterator[bool]:
    """Hold a lock between processes; the value is whether it is held, after waiting for up to a minute."""
    with forks_wait():
        from filelock import FileLock  # noqa: PLC0415  # few questions need a lock between processes
    lock = FileLock(path, mode=0o600, fallback_to_soft=False)  # a soft lock outlives a process that is killed
    with contextlib.ExitStack() as stack:
        is_held = True
        try:
            stack.enter_context(lock.acquire(_PATIENCE, cancel_check=lambda: current().left() <= 0))
        except OSError:  # another process holds it, it cannot be opened, or the file system has no locks
            is_held = False
        yield is_held


def load_numpy() -> None:
    """Import numpy in another thread, which Ctrl-C does not interrupt: a process cannot begin this import again."""

    def load() -> None:
        with contextlib.suppress(Exception):  # the caller imports numpy, too
            importlib.import_module("numpy")

    if "numpy" not in sys.modules:
        thread = threading.Thread(target=load)
        with contextlib.suppress(RuntimeError):  # in a browser, there are no threads
            thread.start()
            thread.join()


def thread_lock() -> threading.Lock:
    """Return a lock between threads, which is free in a newly forked child."""
    lock = threading.Lock()
    _thread_locks.add(lock)
    return lock


_forks = threading.Condition()
_unforkable = list[int]()
_thread_locks = weakref.WeakSet[threading.Lock]()


def _wait_for_threads() -> None:
    """Wait, before a fork, until no other thread is in a block of `forks_wait`, and let none enter one."""
    _forks.acquire()
    _forks.wait_for(lambda: set(_unforkable) <= {threading.get_ident()})


def _begin_anew() -> None:
    """Release all locks in a forked child."""
    _forks.release()
    for lock in _thread_locks:
        if lock.locked():
            lock.release()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(before=_wait_for_threads, after_in_parent=_forks.release, after_in_child=_begin_anew)
