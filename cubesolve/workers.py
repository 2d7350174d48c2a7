"""Threads that share the work of one question."""

from __future__ import annotations

import operator
import os
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

_RANGES_PER_WORKER = 4
_WATCH_EVERY = 0.1  # seconds between two looks for signals, on systems where these do not wake a thread that waits


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Workers:
    """Runs a task over the numbers below a limit, in one thread or in several."""

    def __init__(self, limit: int, workers: int | None = None, at_most: int | None = None) -> None:
        """Divide the numbers among threads.

        Args:
            limit: the numbers are 0 to this, without it.
            workers: number of threads; by default one for each processor.
            at_most: how many numbers a task is given at once; by default as many as make four ranges for each thread.

        Raises:
            ValueError: `workers` is not positive.
            TypeError: `workers` is no integer.
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
    task: Callable[[], None], workers: int | None, stop: Callable[[], None], deadline: float | None = None
) -> None:
    """Run a task in several threads at once, while this one waits and listens to signals.

    Args:
        task: what each thread does.
        workers: number of threads; by default one for each processor.
        stop: makes all of them return soon; called when the time is over, or when anything goes wrong here or there.
        deadline: when the time is over, by `time.monotonic`.

    Raises:
        ValueError: `workers` is not positive.
        TimeoutError: the time was over.
    """
    count = _worker_count(workers)
    with ThreadPoolExecutor(count) as pool:
        try:
            running = {pool.submit(task) for _ in range(count)}
            while running:
                left = _WATCH_EVERY if deadline is None else deadline - time.monotonic()
                if left <= 0:
                    raise TimeoutError
                done, running = wait(running, min(left, _WATCH_EVERY), FIRST_COMPLETED)
                for each in done:
                    each.result()
        except BaseException:
            stop()
            raise


def require_workers(workers: int | None) -> None:
    """Refuse what is no number of threads.

    Raises:
        ValueError: it is not positive.
        TypeError: it is no integer.
    """
    if workers is not None and operator.index(workers) < 1:
        raise ValueError(f"workers must be at least 1, not {workers}")


def _worker_count(workers: int | None) -> int:
    require_workers(workers)
    return workers or _processors()
