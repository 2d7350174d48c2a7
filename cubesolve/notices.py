"""What whoever waits at a terminal is told: nobody is told anything, unless a program says how."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator

_LISTENERS: list[Callable[[str], object]] = []
_WORTH_TELLING = 0.5  # seconds


def listen(listener: Callable[[str], object]) -> None:
    """Have a function called with what there is to be told."""
    _LISTENERS.append(listener)


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
