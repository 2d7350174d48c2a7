"""Messages and progress bars for users who wait at a terminal; none by default, until a program registers them."""

from __future__ import annotations

import contextlib
import functools
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


_LISTENERS = dict[Callable[[str], object], bool]()  # with whether each gets all messages
_BARS: list[Callable[[str, int], AbstractContextManager[Bar]]] = []
_DELAY = 0.5  # seconds before a message or a bar is shown


def listen(listener: Callable[[str], object], *, to_all: bool = True) -> None:
    """Register a function that is called with each message, or only with those about long runs."""
    _LISTENERS[listener] = to_all


def follow(bar: Callable[[str, int], AbstractContextManager[Bar]]) -> None:
    """Register a function that makes a progress bar from a label and a number of steps."""
    _BARS.append(bar)


def is_waited_for() -> bool:
    """Return whether a user waits: at a terminal, at Python's prompt, or in a notebook, which also has a prompt."""
    return any(_LISTENERS.values()) or hasattr(sys, "ps1")


def notify(message: str, *, is_long: bool = False) -> None:
    """Send a message to all who listen to it; print it at Python's prompt.

    With `is_long` it is about a run of minutes or hours, and may be read in a file later.
    """
    listeners = [listener for listener, to_all in _LISTENERS.items() if to_all or is_long]
    for listener in listeners:
        listener(message)
    if not listeners and is_waited_for():
        sys.stderr.write(f"cubesolve: {message}\n")


announce = functools.partial(notify, is_long=True)
"""Sends a message about a long run."""


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
