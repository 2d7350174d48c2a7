"""Threads that share the work of a question."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TypeVar

from cubesolve.runtime.deadline import current
from cubesolve.runtime.machine import worker_count

ResultT = TypeVar("ResultT")

_RANGES_PER_WORKER = 4
_FEW_ENTRIES = 1 << 15  # one thread looks at so many before another one has begun
_FIRST_PARTS = 1 << 10  # parts of the range under a deadline, before the time of a part has been measured
_SHORTEST_PART, _LONGEST_PART = 0.01, 0.05  # the intended time of a part, in seconds
_WATCH_EVERY = 0.1  # seconds between two checks for signals, on systems where these do not wake a waiting thread


class Workers:
    """Runs a task over the numbers below a limit, in one or several threads."""

    def __init__(
        self, limit: int, workers: int | None = None, at_most: int | None = None, entries: int | None = None
    ) -> None:
        """Divide the numbers into ranges.

        Args:
            workers: number of threads; by default one per processor.
            at_most: the largest size of a range; by default there are four ranges per thread.
            entries: the number of entries of arrays for all numbers, if the task takes nanoseconds for each. A single
                thread looks at a few thousand by default.
        """
        self._limit, self._at_most = limit, limit if at_most is None else at_most
        is_short = workers is None and entries is not None and entries < _FEW_ENTRIES
        count = min(limit, 1 if is_short else worker_count(workers))
        ranges = count * _RANGES_PER_WORKER if count > 1 else 1
        self._ranges = ranges if at_most is None else max(1, -(-limit // at_most))
        self._count = min(count, self._ranges)
        self._pool = ThreadPoolExecutor(self._count) if self._count > 1 else None

    def run(self, task: Callable[[int, int], ResultT]) -> list[ResultT]:
        """Call the task with the first number and the end of each range, and return its results in order.

        Under a deadline, ranges are short, and the deadline is checked between them.
        """
        deadline = current()
        is_limited = deadline.is_limited
        results: dict[int, ResultT] = {}
        running: set[Future[None]] = set()
        size, last = max(1, min(-(-self._limit // (_FIRST_PARTS if is_limited else self._ranges)), self._at_most)), 0

        def work(first: int, last: int) -> None:
            nonlocal size
            begun = time.monotonic()
            results[first] = task(first, last)
            seconds = time.monotonic() - begun
            if is_limited and seconds > _LONGEST_PART:
                size = max(1, min(size, (last - first) // 2))
            elif is_limited and seconds < _SHORTEST_PART and last - first == size:
                size = min(2 * size, self._at_most)

        while last < self._limit:
            first, last = last, min(last + size, self._limit)
            if first:
                deadline.left()
            if self._pool is None or (is_limited and not first):  # so that a kernel is compiled under the deadline
                work(first, last)
                continue
            running.add(self._pool.submit(work, first, last))
            while is_limited and len(running) > self._count:
                done, running = wait(running, min(deadline.left(), _WATCH_EVERY), FIRST_COMPLETED)
                for future in done:
                    future.result()
        for future in running:
            future.result()
        return [results[first] for first in sorted(results)]

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool:
            self._pool.shutdown()
