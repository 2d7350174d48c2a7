"""Interruptions of enumerations at a depth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class StoppedError(Exception):
    """The exception by which a test interrupts an enumeration."""


def stopping_at(depth: int) -> Callable[..., None]:
    """Return a report of progress that interrupts at a depth, before this level is saved."""

    def stop(level: Any, *_: float) -> None:
        if getattr(level, "depth", level) == depth:
            raise StoppedError

    return stop
