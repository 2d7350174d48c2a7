"""Messages and progress bars for users who wait at a terminal; none by default, until a program registers them."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Protocol


class Bar(Protocol):
    """A progress bar."""

    def update(self, n_steps: int, /) -> object:
        """Advance by a number of steps."""


_LISTENERS: list[Callable[[str], object]] = []
_LOGS: list[Callable[[str], object]] = []
_BARS: list[Callable[[str, int], AbstractContextManager[Bar]]] = []
_DELAY = 0.5  # seconds before a message or a bar is shown


def listen(listener: Callable[[str], object]) -> None:
    """Register a function that is called with each message."""
    _LISTENERS.append(listener)


def follow(bar: Callable[[str, int], AbstractContextManager[Bar]]) -> None:
    """Register a function that makes a progress bar from a label and a number of steps."""
    _BARS.append(bar)


def is_waited_for() -> bool:
    """Return whether a user waits: at a terminal, at Python's prompt, or in a notebook, which also has a prompt."""
    return bool(_LISTENERS) or hasattr(sys, "ps1")


def notify(message: str) -> None:
    """Send a message to all listeners; print it at Python's prompt."""
    for listener in _LISTENERS:
        listener(message)
    if not _LISTENERS and is_waited_for():
        sys.stderr.write(f"cubesolve: {message}\n")


def log(listener: Callable[[str], object]) -> None:
    """Register a function that is called with messages about long runs, also where nobody waits at a terminal."""
    if listener not in _LOGS:
        _LOGS.append(listener)


def announce(message: str) -> None:
    """Send a message about a run of minutes or hours, which may be read in a file later."""
    for listener in _LOGS:
        listener(message)
    if not _LOGS:
        notify(message)


@contextlib.contextmanager
def notifying(message: str, delay: float = _DELAY) -> Iterator[None]:
    """Send a message if the block takes more than some seconds."""
    if not is_waited_for():
        yield
        return
    timer = threading.Timer(delay, notify, (message,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextlib.contextmanager
def following(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show a progress bar of a total of steps if the block takes more than a moment.

    Yields:
        A function that advances the bar by a number of steps; any thread may call it.
    """
    if not _BARS:
        yield lambda _: None
        return
    begun, done, lock, bars = time.monotonic(), 0, threading.Lock(), list[Bar]()
    with contextlib.ExitStack() as shown:

        def advance(steps: int) -> None:
            nonlocal done
            with lock:
                done += steps
                if not bars and time.monotonic() - begun > _DELAY:
                    bars.append(shown.enter_context(_BARS[-1](what, total)))
                for bar in bars:
                    bar.update(done)
                    done = 0

        yield advance
