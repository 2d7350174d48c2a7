"""What whoever waits at a terminal is told: nobody is told anything, unless a program says how."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Protocol


class Bar(Protocol):
    """What shows how far something has come."""

    def update(self, n_steps: int, /) -> object:
        """So many steps have been made since the last time."""


_LISTENERS: list[Callable[[str], object]] = []
_BARS: list[Callable[[str, int], AbstractContextManager[Bar]]] = []
_WORTH_TELLING = 0.5  # seconds


def listen(listener: Callable[[str], object]) -> None:
    """Have a function called with what there is to be told."""
    _LISTENERS.append(listener)


def follow(bar: Callable[[str, int], AbstractContextManager[Bar]]) -> None:
    """Have a bar made, from what it is about and the number of steps, for whatever takes longer than a moment."""
    _BARS.append(bar)


def tell(message: str) -> None:
    """Tell something.

    >>> tell("nobody listens")
    """
    for listener in _LISTENERS:
        listener(message)


@contextlib.contextmanager
def telling(message: str) -> Iterator[None]:
    """Tell something, if it is still going on after a moment.

    >>> with telling("this takes long"):
    ...     pass
    """
    if not _LISTENERS:
        yield
        return
    timer = threading.Timer(_WORTH_TELLING, tell, (message,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextlib.contextmanager
def following(what: str, steps: int) -> Iterator[Callable[[int], None]]:
    """Have it followed how far something has come, if it is still going on after a moment.

    Args:
        what: what it is, in a word or two.
        steps: how many steps it takes.

    Yields:
        What is called, by any thread, with the number of steps that have been made since the last time.

    >>> with following("proving", 100) as advance:
    ...     advance(50)
    """
    if not _BARS:
        yield lambda _: None
        return
    with contextlib.ExitStack() as shown:
        yield _Followed(lambda: shown.enter_context(_BARS[-1](what, steps)))


class _Followed:
    """Counts steps until a bar is worth while, and updates that."""

    def __init__(self, begin: Callable[[], Bar]) -> None:
        self._begin, self._bar = begin, None
        self._since, self._steps, self._lock = time.monotonic(), 0, threading.Lock()

    _bar: Bar | None

    def __call__(self, steps: int) -> None:
        with self._lock:
            self._steps += steps
            if self._bar is None and time.monotonic() - self._since > _WORTH_TELLING:
                self._bar = self._begin()
            if self._bar is not None:
                self._bar.update(self._steps)
                self._steps = 0
