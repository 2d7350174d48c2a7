"""Deadlines: limits on the time of a question and of all work done for it.

A public question sets the *current* deadline (`running`). Long work calls `check` every few milliseconds, at any depth
of the call stack. The deadline is a context variable: functions need not pass it on, and each thread and asynchronous
task has its own.
"""

from __future__ import annotations

import contextlib
import math
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

from cubesolve.runtime.arguments import seconds


def written_seconds(number: float) -> str:
    """Return a time as text, rounded as far as a reader cares."""
    return f"{round(number, 1 if number >= 1 else 3):g} s"


class EndedError(Exception):
    """A deadline has passed, or the work was cancelled or interrupted."""

    def __init__(self, limit: str) -> None:
        super().__init__(limit)
        self.limit = limit


def _is_interrupted() -> bool:
    """Return whether Ctrl-C has interrupted the main thread, which may be waiting for this one.

    Only the main thread receives Ctrl-C. It waits for others when it leaves ``with ThreadPoolExecutor()`` or
    `asyncio.run`, and when the interpreter ends.
    """
    first = threading.main_thread().ident
    if first is None or threading.get_ident() == first:
        return False
    ended_by = None if hasattr(sys, "ps1") else getattr(sys, "last_value", None)  # a prompt survives Ctrl-C
    active: Any = sys._current_exceptions().get(first)
    if isinstance(active, tuple):  # before Python 3.12
        active = active[1]
    return isinstance(active, KeyboardInterrupt) or isinstance(ended_by, KeyboardInterrupt)


class Known:
    """What is known of the answer to a question until its end."""

    at_least = 0  # the lower bound of the solution length
    solution: Any = None  # the shortest solution; None if there is none


class Deadline:
    """A limit that ends work after a time, when an event is set, or when the program is interrupted.

    Attributes:
        timeout: the time limit in seconds; None for no limit.
        known: what is known of the answer, for the error if the search ends unsolved.
    """

    def __init__(
        self, timeout: float | None = None, cancel: threading.Event | None = None, within: Deadline | None = None
    ) -> None:
        """Start the clock."""
        self.timeout = None if timeout is None else seconds("timeout", timeout)
        self._cancel, self._within = cancel, within
        self._is_over = False
        self._started = time.monotonic()
        self.known = Known()

    @property
    def at_least(self) -> int:
        """The lower bound of the solution length proved so far."""
        return self.known.at_least

    @property
    def solution(self) -> Any:
        """The shortest solution found so far; None if there is none."""
        return self.known.solution

    @property
    def elapsed(self) -> float:
        """The seconds since the start."""
        return time.monotonic() - self._started

    def prove(self, at_least: int) -> None:
        """Record a lower bound of the solution length."""
        self.known.at_least = max(self.known.at_least, at_least)

    def find(self, solution: Any) -> None:
        """Record a solution, unless a shorter one is known."""
        best = self.known
        with running(Deadline()):  # reading an alg to count its moves would end with the time
            if solution is not None and (best.solution is None or solution.length < best.solution.length):
                best.solution = solution

    def end(self) -> None:
        """End the work at its next check."""
        self._is_over = True

    @property
    def is_limited(self) -> bool:
        """Whether there is a time limit or an event that can end the work."""
        own = self.timeout is not None or self._cancel is not None
        return own or (self._within is not None and self._within.is_limited)

    def left(self) -> float:
        """Return the seconds that are left."""
        if self._is_over:
            raise EndedError("before the caller stopped waiting")
        if self._cancel is not None and self._cancel.is_set():
            raise EndedError("before it was cancelled")
        if self._within is None and _is_interrupted():
            raise EndedError("before it was interrupted")
        others = math.inf if self._within is None else self._within.left()
        if self.timeout is None:
            return others
        left = self.timeout - self.elapsed
        if left <= 0:
            reason = explain()
            raise EndedError(f"after {written_seconds(self.timeout)}" + (f" ({reason})" if reason else ""))
        return min(left, others)


explain: Callable[[], str] = str
"""Returns what takes time now but not always, and how to avoid it, for the message of a time limit; see `kernels`."""

_current: ContextVar[Deadline | None] = ContextVar("deadline", default=None)
_UNLIMITED = Deadline()


def current() -> Deadline:
    """Return the deadline of the current question; an unlimited one by default."""
    return _current.get() or Deadline()


def check() -> None:
    """Raise an error if the current deadline has passed.

    >>> with running(Deadline(timeout=0)):
    ...     check()
    Traceback (most recent call last):
        ...
    cubesolve.runtime.deadline.EndedError: after 0 s
    """
    (_current.get() or _UNLIMITED).left()


@contextlib.contextmanager
def running(deadline: Deadline) -> Iterator[Deadline]:
    """Make a deadline the current one within a `with` block."""
    before = _current.set(deadline)
    try:
        yield deadline
    finally:
        _current.reset(before)
