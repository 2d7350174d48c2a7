"""Deadlines: limits on the time of a question and of all work done for it.

A public question sets the *current* deadline (`running`). Long work calls `check` every few milliseconds, at any depth
of the call stack. The deadline is a context variable: functions need not pass it on, and each thread and asynchronous
task has its own.
"""

from __future__ import annotations

import atexit
import contextlib
import math
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar, copy_context
from typing import Any, TypeVar

from cubesolve.runtime.arguments import seconds

Answer = TypeVar("Answer")

_PATIENCE = 0.2  # seconds after its deadline in which a question can still report a lower bound
_LOOK_EVERY = 0.1  # seconds between two checks of the deadline by a waiting caller
_HAS_THREADS = sys.platform != "emscripten"  # in a browser, the caller does the work
_LEAVING = 0.5  # seconds that questions have to end when the process exits


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
        if _is_interrupted():
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


_questions = dict[threading.Thread, Deadline]()


def answer(ask: Callable[[], Answer], deadline: Deadline) -> Answer:
    """Return the answer of a question within a deadline, even between two checks of that deadline.

    The question has a thread of its own. At its deadline the caller returns, and the thread ends at its next check.
    """
    if not _HAS_THREADS:
        with running(deadline):
            return ask()
    answers, errors, context = list[Answer](), list[BaseException](), copy_context()
    context.run(_current.set, deadline)

    def work() -> None:
        _questions[question] = deadline
        try:
            answers.append(context.run(ask))
        except BaseException as error:  # noqa: BLE001  # raised again in the thread of the caller
            errors.append(error)
        finally:
            del _questions[question]

    question = threading.Thread(target=work, name="cubesolve question", daemon=True)
    question.start()
    try:
        while question.is_alive():
            question.join(min(deadline.left(), _LOOK_EVERY))
    except BaseException as error:  # also Ctrl-C, which only the main thread receives
        if isinstance(error, EndedError):
            question.join(_PATIENCE)
        if question.is_alive() or not isinstance(error, EndedError):
            deadline.end()
            raise
    if errors:
        raise errors[0]
    return answers[0]


@atexit.register
def _end_questions() -> None:
    """End all questions when the process exits, so that no file is left half written."""
    until = time.monotonic() + _LEAVING
    questions = _questions.copy()
    for deadline in questions.values():
        deadline.end()
    for thread in questions.keys() - {threading.current_thread()}:
        thread.join(max(0.0, until - time.monotonic()))
