"""When a question must be answered: the deadline that is handed down to everything that is done for it.

A public question sets the *current* deadline (`running`), and whatever can take long calls `check` every few
milliseconds, however deep it lies. A context variable holds it, so that it need not be a parameter of every function
in between, and so that each thread and each asynchronous task has its own.
"""

from __future__ import annotations

import contextlib
import math
import sys
import threading
import time
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

from cubesolve.arguments import seconds


class EndedError(Exception):
    """Work had to end.

    Attributes:
        limit: at what limit, in words.
    """

    def __init__(self, limit: str) -> None:
        super().__init__(limit)
        self.limit = limit


def _is_interrupted() -> bool:
    """Whether the first thread ends by Ctrl-C, which no other thread hears, and may be waiting for this one.

    So it is when it leaves ``with ThreadPoolExecutor()`` or `asyncio.run`, and when the interpreter ends.
    """
    first = threading.main_thread().ident
    if first is None or threading.get_ident() == first:
        return False
    ended_by = None if hasattr(sys, "ps1") else getattr(sys, "last_value", None)  # at a prompt nothing ends by it
    active: Any = sys._current_exceptions().get(first)
    if isinstance(active, tuple):  # before Python 3.12
        active = active[1]
    return isinstance(active, KeyboardInterrupt) or isinstance(ended_by, KeyboardInterrupt)


class Deadline:
    """When work must end: after some time, when another thread says so, or when the program is interrupted.

    Attributes:
        timeout: the seconds that it may take; None if that does not matter.
        at_least: the moves that are proved to be needed by now, for whoever must end without an answer.
    """

    def __init__(
        self,
        timeout: float | None = None,
        cancel: threading.Event | None = None,
        within: Deadline | None = None,
    ) -> None:
        """Begin to count.

        Args:
            timeout: the seconds that it may take.
            cancel: what another thread sets.
            within: another deadline, which ends it as well.

        Raises:
            ValueError: the time is negative or no number.
        """
        self.timeout = None if timeout is None else seconds("timeout", timeout)
        self._cancel, self._within = cancel, within
        self._is_over = False
        self._started = time.monotonic()
        self.at_least = 0

    @property
    def elapsed(self) -> float:
        """The seconds since the beginning."""
        return time.monotonic() - self._started

    def prove(self, at_least: int) -> None:
        """Take down how many moves are proved to be needed."""
        self.at_least = max(self.at_least, at_least)

    def end(self) -> None:
        """Let it come now."""
        self._is_over = True

    @property
    def is_limited(self) -> bool:
        """Whether it can come before the work is done."""
        own = self.timeout is not None or self._cancel is not None
        return own or (self._within is not None and self._within.is_limited)

    def left(self) -> float:
        """The seconds that are left.

        Raises:
            EndedError: there are none, the work was cancelled, or the program was interrupted.
        """
        if self._is_over:
            raise EndedError("before it was left")
        if self._cancel is not None and self._cancel.is_set():
            raise EndedError("before it was cancelled")
        if _is_interrupted():
            raise EndedError("before it was interrupted")
        others = math.inf if self._within is None else self._within.left()
        if self.timeout is None:
            return others
        left = self.timeout - self.elapsed
        if left <= 0:
            raise EndedError(f"after {self.timeout:g} s")
        return min(left, others)


_current: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


def current() -> Deadline:
    """The deadline of the question that is being answered; one that never comes, if it has none.

    >>> current().left()
    inf
    """
    return _current.get() or Deadline()


def check() -> None:
    """Go on only if the current deadline allows it.

    Raises:
        EndedError: it does not.

    >>> with running(Deadline(timeout=0)):
    ...     check()
    Traceback (most recent call last):
        ...
    cubesolve.deadline.EndedError: after 0 s
    """
    deadline = _current.get()
    if deadline is not None:
        deadline.left()


@contextlib.contextmanager
def running(deadline: Deadline) -> Iterator[Deadline]:
    """Make a deadline the current one.

    >>> with running(Deadline(timeout=60)) as deadline:
    ...     current() is deadline
    True
    """
    before = _current.set(deadline)
    try:
        yield deadline
    finally:
        _current.reset(before)
