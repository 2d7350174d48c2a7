"""Locks between threads and between processes, of which none is left held for good.

A child that is forked has the memory of its parent, but only one of its threads: what another thread held at that
moment would stay held in the child.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
import time
import weakref
from collections.abc import Iterator

_PATIENCE = 60.0  # seconds; the longest that a table is unpacked
_RETRY_EVERY = 0.05  # seconds


@contextlib.contextmanager
def forks_wait() -> Iterator[None]:
    """While a thread is in such a block, others wait before they fork: a child could not go on with half an import.

    >>> with forks_wait():
    ...     import json
    """
    thread = threading.get_ident()
    with _forks:
        _unforkable.append(thread)
    try:
        yield
    finally:
        with _forks:
            _unforkable.remove(thread)
            _forks.notify_all()


class ThreadLock:
    """A lock between threads, which nobody holds in a child that has just been forked.

    >>> lock = ThreadLock()
    >>> with lock.held():
    ...     print("alone")
    alone
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        _thread_locks.add(self)

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Hold it."""
        with self._lock:
            yield

    def renew(self) -> None:
        """Forget who holds it."""
        self._lock = threading.Lock()


_forks = threading.Condition()
_unforkable = list[int]()
_thread_locks = weakref.WeakSet[ThreadLock]()
_held_files = set[int]()


@contextlib.contextmanager
def file_lock(name: str, folder: int) -> Iterator[bool]:
    """Hold a lock between processes, if it can be had within a minute.

    Args:
        name: the name of its file.
        folder: the descriptor of the folder of this file.

    Yields:
        Whether it is held. It is not where its file can neither be opened nor made, nor while somebody keeps it.

    >>> with file_lock("nowhere/lock", os.open("/", os.O_RDONLY)) as alone:
    ...     alone
    False
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        file = os.open(name, flags, 0o600, dir_fd=folder)
    except OSError:
        yield False
        return
    _held_files.add(file)
    try:
        yield _acquire(file)
    finally:
        _held_files.discard(file)
        with contextlib.suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_UN)  # closing alone would leave it to children that were forked meanwhile
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


def _wait_for_threads() -> None:
    """Before a fork: let other threads come to an end of what a child could not end, and begin nothing new."""
    _forks.acquire()
    _forks.wait_for(lambda: set(_unforkable) <= {threading.get_ident()})


def _begin_anew() -> None:
    """In a child: leave to the parent what other threads held."""
    _forks.release()
    for lock in _thread_locks:
        lock.renew()
    for file in _held_files:
        os.close(file)
    _held_files.clear()


os.register_at_fork(before=_wait_for_threads, after_in_parent=_forks.release, after_in_child=_begin_anew)
