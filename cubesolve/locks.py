"""Locks between threads, of which none is left held for good in a child that is forked.

A child that is forked has the memory of its parent, but only one of its threads: what another thread held at that
moment would stay held in the child.
"""

from __future__ import annotations

import contextlib
import os
import threading
import weakref
from collections.abc import Iterator


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


@contextlib.contextmanager
def forks_need_not_wait() -> Iterator[None]:
    """While a thread that stands still is in such a block, forks do not wait for it, whatever blocks it is in.

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


def _wait_for_threads() -> None:
    """Before a fork: let other threads come to an end of what a child could not end, and begin nothing new."""
    _forks.acquire()
    _forks.wait_for(lambda: set(_unforkable) <= {threading.get_ident()})


def _begin_anew() -> None:
    """In a child: leave to the parent what other threads held."""
    _forks.release()
    for lock in _thread_locks:
        lock.renew()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(before=_wait_for_threads, after_in_parent=_forks.release, after_in_child=_begin_anew)
