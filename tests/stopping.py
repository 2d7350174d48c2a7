"""Interruptions of enumerations at a depth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


class StoppedError(Exception):
    """The exception by which a test interrupts an enumeration."""


def stopping_at(depth: int) -> Callable[..., None]:
    """Return a report of progress that interrupts at a depth, before this level is saved."""

    def stop(level: Any, *_: float) -> None:
        if getattr(level, "depth", level) == depth:
            raise StoppedError

    return stop


def stopped(enumerate_all: Callable[..., object], depth: int, /, **named: Any) -> None:
    """Interrupt an enumeration at a depth."""
    with pytest.raises(StoppedError):
        enumerate_all(progress=stopping_at(depth), **named)
