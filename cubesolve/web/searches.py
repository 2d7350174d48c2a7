"""Questions that take a while: a bounded number is answered at once, by threads, and a bounded number waits."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from cubesolve.lookup.limits import SearchOptions

Work = Callable[[SearchOptions], Any]
"""What answers a question, given how far and how long it may search."""

_NICER = 10  # than what answers from tables, which is to come first
_GRACE = 1.0  # seconds that a search has to notice that its time is over


class BusyError(Exception):
    """A question was not begun with: too many wait, or it waited too long.

    Attributes:
        after: the seconds after which to ask again.
    """

    def __init__(self, message: str, after: int) -> None:
        super().__init__(message)
        self.after = after


class LateError(Exception):
    """A question was begun with, and not answered in time."""


class GoneError(Exception):
    """Whoever asked does not wait for the answer."""


class Searches:
    """Threads that answer what takes a while.

    A search has a thread alone: several searches share the processors, and none takes all of them.
    """

    def __init__(self, at_once: int, waiting: int, nicer: int = _NICER) -> None:
        """Begin with none.

        Args:
            at_once: how many are answered at once.
            waiting: how many more wait.
            nicer: by how much they give way to others.
        """
        self.at_once, self.waiting = at_once, waiting
        self._pool = ThreadPoolExecutor(at_once, "search", _be_nice, (nicer,))
        self._cancels = set[threading.Event]()

    @property
    def open(self) -> int:
        """How many are being answered, or wait."""
        return len(self._cancels)

    async def run(self, work: Work, seconds: float, gone: Callable[[], Coroutine[Any, Any, None]]) -> Any:
        """Answer a question.

        Args:
            work: answers it.
            seconds: the time that waiting and answering may take together.
            gone: returns as soon as nobody waits for the answer any more.

        Raises:
            BusyError: it was not begun with.
            LateError: it was, and not answered in time.
            GoneError: nobody waits for the answer.
        """
        if self.open >= self.at_once + self.waiting:
            raise BusyError(f"busy: {self.open} searches are under way or wait", after=max(1, round(seconds / 2)))
        cancel, begun, until = threading.Event(), threading.Event(), time.monotonic() + seconds

        def limited() -> Any:
            begun.set()
            return work(SearchOptions(timeout=max(0.0, until - time.monotonic()), cancel=cancel, workers=1))

        self._cancels.add(cancel)
        submitted = self._pool.submit(limited)
        submitted.add_done_callback(_calling(asyncio.get_running_loop(), self._cancels.discard, cancel))
        answer = asyncio.ensure_future(asyncio.wrap_future(submitted))
        leaving = asyncio.ensure_future(gone())
        try:
            done, _ = await asyncio.wait(
                {answer, leaving}, timeout=seconds + _GRACE, return_when=asyncio.FIRST_COMPLETED
            )
            if answer in done:
                return answer.result()
            if leaving in done:
                raise GoneError
            if begun.is_set():
                raise LateError(f"not answered within {seconds:g} s")
            raise BusyError(f"busy: this was not begun with within {seconds:g} s", after=max(1, round(seconds / 2)))
        finally:
            cancel.set()
            leaving.cancel()
            answer.cancel()
            submitted.cancel()

    def close(self) -> None:
        """End all searches."""
        for cancel in list(self._cancels):
            cancel.set()
        self._pool.shutdown(wait=False, cancel_futures=True)


def _calling(
    loop: asyncio.AbstractEventLoop, function: Callable[[Any], object], argument: Any
) -> Callable[[Any], None]:
    """What calls a function in the loop, from whichever thread; not when that is closed."""

    def call(_done: Any) -> None:
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(function, argument)

    return call


def _be_nice(nicer: int) -> None:
    """Let a thread, and those that it starts, give way to others; on Linux alone have threads their own priorities."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), nicer)
