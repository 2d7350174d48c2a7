"""Threads that share the work of one question."""

from __future__ import annotations

import math
import os
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

from cubesolve.arguments import integer, seconds

MOST_WORKERS = 1024
"""The largest number of threads that can be asked for."""

_RANGES_PER_WORKER = 4
_HALF_OF_MEMORY = 1 << 32  # bytes
_WATCH_EVERY = 0.1  # seconds between two looks for signals, on systems where these do not wake a thread that waits


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def half_of_memory() -> int:
    """Half of the bytes of memory that this machine has; more is used only if somebody says so.

    Where the system does not say, as on Windows, it is 4 GiB.

    >>> half_of_memory() > 0
    True
    """
    if not hasattr(os, "sysconf"):
        return _HALF_OF_MEMORY
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2


class EndedError(Exception):
    """A search had to end.

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


class Until:
    """When a search must end: after some time, when another thread says so, or when the program is interrupted."""

    def __init__(self, timeout: float | None = None, cancel: threading.Event | None = None) -> None:
        """Begin to count.

        Args:
            timeout: the seconds that it may take.
            cancel: what another thread sets.

        Raises:
            ValueError: the time is negative or no number.
        """
        self._timeout = None if timeout is None else seconds("timeout", timeout)
        self._cancel = cancel
        self._started = time.monotonic()

    @property
    def elapsed(self) -> float:
        """The seconds since the beginning."""
        return time.monotonic() - self._started

    def left(self) -> float:
        """The seconds that are left.

        Raises:
            EndedError: there are none, the search was cancelled, or the program was interrupted.
        """
        if self._cancel is not None and self._cancel.is_set():
            raise EndedError("before it was cancelled")
        if _is_interrupted():
            raise EndedError("before it was interrupted")
        if self._timeout is None:
            return math.inf
        left = self._timeout - self.elapsed
        if left <= 0:
            raise EndedError(f"after {self._timeout:g} s")
        return left


class Workers:
    """Runs a task over the numbers below a limit, in one thread or in several."""

    def __init__(self, limit: int, workers: int | None = None, at_most: int | None = None) -> None:
        """Divide the numbers among threads.

        Args:
            limit: the numbers are 0 to this, without it.
            workers: number of threads; by default one for each processor.
            at_most: how many numbers a task is given at once; by default as many as make four ranges for each thread.

        Raises:
            ValueError: `workers` is not in 1..1024.
        """
        count = min(limit, _worker_count(workers))
        ranges = count * _RANGES_PER_WORKER if count > 1 else 1
        if at_most is not None:
            ranges = max(1, -(-limit // at_most))
        count = min(count, ranges)
        self._ranges = [(limit * i // ranges, limit * (i + 1) // ranges) for i in range(ranges)]
        self._pool = ThreadPoolExecutor(count) if count > 1 else None

    def run(self, task: Callable[[int, int], int]) -> list[int]:
        """What the task returns for each range of numbers, first to last without it, in order."""
        run_all = self._pool.map if self._pool else map
        return list(run_all(lambda numbers: task(*numbers), self._ranges))

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool:
            self._pool.shutdown()


def run_watched(
    task: Callable[[], None],
    parts: int,
    workers: int | None,
    stop: Callable[[], None],
    until: Until,
) -> None:
    """Run a task in several threads at once, while this one waits and listens to signals.

    Args:
        task: what each thread does, until there are no more parts.
        parts: how many parts there are; there are no more threads than that, and always one.
        workers: number of threads; by default one for each processor.
        stop: makes all of them return soon; called when the search must end, or anything goes wrong here or there.
        until: when it must end.

    Raises:
        ValueError: `workers` is not in 1..1024.
        EndedError: it had to end.
    """
    count = max(1, min(parts, _worker_count(workers)))
    with ThreadPoolExecutor(count) as pool:
        try:
            running = set[Future[None]]()
            for _ in range(count):
                until.left()
                try:
                    running.add(pool.submit(task))
                except RuntimeError:  # the system has no more threads
                    if not running:
                        raise
                    break
            while running:
                done, running = wait(running, min(until.left(), _WATCH_EVERY), FIRST_COMPLETED)
                for each in done:
                    each.result()
        except BaseException:
            stop()
            raise


def require_workers(workers: int | None) -> None:
    """Refuse what is no number of threads.

    Raises:
        ValueError: it is not in 1..1024.

    >>> require_workers(1_000_000)
    Traceback (most recent call last):
        ...
    ValueError: workers must be at most 1,024, not 1,000,000
    """
    if workers is not None:
        integer("workers", workers, 1, MOST_WORKERS)


def _worker_count(workers: int | None) -> int:
    require_workers(workers)
    return workers or _processors()
