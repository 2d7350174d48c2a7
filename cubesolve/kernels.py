"""What every Numba kernel needs: compiling on first use, and threads."""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numba
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

_CHUNKS_PER_WORKER = 4
_compiling = threading.Lock()


def kernel(*parameters: types.Type) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Compile on first use, from the cache on disk if it can be used, and without it if not."""

    def decorate(function: Callable[..., int]) -> Callable[..., int]:
        compiled: list[Any] = []

        @functools.wraps(function)
        def call(*arguments: Any) -> int:
            if not compiled:
                with _compiling:
                    if not compiled:
                        compiled.append(_compile(function, types.int64(*parameters)))
            result: int = compiled[0](*arguments)
            return result

        return call

    return decorate


def _compile(function: Callable[..., int], signature: Any) -> Any:
    try:
        return numba.njit(signature, nogil=True, cache=True)(function)
    except Exception:  # noqa: BLE001  # a read-only, full or damaged cache folder fails in many ways, and none matters
        return numba.njit(signature, nogil=True)(function)


def read_only(dtype: types.Type, dimensions: int = 2) -> types.Type:
    """The type of a contiguous array that a kernel only reads; it accepts one that can be written, too."""
    return types.Array(dtype, dimensions, "C", readonly=True)


def _trailing_zeros(_typing: Any, bits: types.Type) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], cgutils.true_bit)

    return types.uint64(types.uint64), generate if bits == types.uint64 else None


def _count_ones(_typing: Any, bits: types.Type) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate if bits == types.uint64 else None


trailing_zeros: Any = intrinsic(_trailing_zeros)
"""In kernels: how many zeros a uint64 that is not 0 ends with."""

count_ones: Any = intrinsic(_count_ones)
"""In kernels: how many bits of a uint64 are set."""


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Workers:
    """Runs a task over the numbers below a limit, in one thread or in several."""

    def __init__(self, limit: int, workers: int | None = None) -> None:
        """Divide the numbers among threads.

        Args:
            limit: the numbers are 0 to this, without it.
            workers: number of threads; by default one for each processor.

        Raises:
            ValueError: `workers` is not positive.
        """
        if workers is not None and workers < 1:
            raise ValueError(f"workers must be at least 1, not {workers}")
        self._count = min(limit, workers or _processors())
        chunks = self._count * _CHUNKS_PER_WORKER if self._count > 1 else 1
        self._ranges = [(limit * i // chunks, limit * (i + 1) // chunks) for i in range(chunks)]
        self._pool = ThreadPoolExecutor(self._count) if self._count > 1 else None

    def run(self, task: Callable[[int, int], int]) -> list[int]:
        """What the task returns for each range of numbers, first to last without it, in order."""
        run_all = self._pool.map if self._pool else map
        return list(run_all(lambda numbers: task(*numbers), self._ranges))

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool:
            self._pool.shutdown()
