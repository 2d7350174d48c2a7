"""Locks between threads that a forked child can use, and an import that Ctrl-C waits for.

A forked child has the memory of its parent, but only one thread: a lock that another thread held would never be
released in the child.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import sys
import threading
import weakref
from collections.abc import Iterator
from types import FrameType


@contextlib.contextmanager
def forks_wait() -> Iterator[None]:
    """Delay forks by other threads during a block, such as an import, that a child could not continue.

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


@contextlib.contextmanager
def forks_need_not_wait() -> Iterator[None]:
    """Allow forks during a block in which the thread only waits, even within `forks_wait`.

    >>> with forks_wait(), forks_need_not_wait():
    ...     pass
    """
    thread = threading.get_ident()
    with _forks:
        number = _unforkable.count(thread)
        _unforkable[:] = [each for each in _unforkable if each != thread]
        _forks.notify_all()
    try:
        yield
    finally:
        with _forks:
            _unforkable.extend([thread] * number)


def load_numpy() -> None:
    """Import numpy, and let Ctrl-C wait until it is done: a process cannot begin this import a second time.

    Whatever is missing or wrong is reported by the import of the caller.

    >>> load_numpy()
    """
    handler = signal.getsignal(signal.SIGINT)
    if "numpy" in sys.modules or not callable(handler) or threading.current_thread() is not threading.main_thread():
        return
    pressed = list[tuple[int, FrameType | None]]()
    signal.signal(signal.SIGINT, lambda number, frame: pressed.append((number, frame)))
    try:
        with contextlib.suppress(Exception):
            importlib.import_module("numpy")
    finally:
        signal.signal(signal.SIGINT, handler)
    if pressed:
        handler(*pressed[0])


class ThreadLock:
    """A lock between threads, which is free in a newly forked child.

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
        """Hold the lock."""
        with self._lock:
            yield

    @contextlib.contextmanager
    def held_within(self, seconds: float) -> Iterator[bool]:
        """Hold the lock if it is free within some seconds; the value is whether it is held.

        >>> lock = ThreadLock()
        >>> with lock.held(), lock.held_within(0) as is_held:
        ...     print(is_held)
        False
        """
        lock = self._lock
        is_held = lock.acquire(timeout=seconds)
        try:
            yield is_held
        finally:
            if is_held:
                lock.release()

    def renew(self) -> None:
        """Release the lock, whichever thread holds it."""
        self._lock = threading.Lock()


_forks = threading.Condition()
_unforkable = list[int]()
_thread_locks = weakref.WeakSet[ThreadLock]()


def _wait_for_threads() -> None:
    """Wait, before a fork, until no other thread is in a block of `forks_wait`, and let none enter one."""
    _forks.acquire()
    _forks.wait_for(lambda: set(_unforkable) <= {threading.get_ident()})


def _begin_anew() -> None:
    """Release all locks in a forked child."""
    _forks.release()
    for lock in _thread_locks:
        lock.renew()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(before=_wait_for_threads, after_in_parent=_forks.release, after_in_child=_begin_anew)
