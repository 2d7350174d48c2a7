"""What every Numba kernel needs: compiling on first use, and threads."""

from __future__ import annotations

import functools
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import Any

import numba
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

_CHUNKS_PER_WORKER = 4
_WATCH_EVERY = 0.1  # seconds between two looks for signals, on systems where these do not wake a thread that waits
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


def _prefetch(_typing: Any, array: types.Array, index: types.Type) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        address = builder.bitcast(builder.gep(data, [arguments[1]]), cgutils.voidptr_t)
        hint = builder.module.declare_intrinsic("llvm.prefetch", [cgutils.voidptr_t], _PREFETCH)
        read, keep, of_data = (cgutils.int32_t(number) for number in (0, 3, 1))
        builder.call(hint, [address, read, keep, of_data])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate if isinstance(index, types.Integer) else None


_PREFETCH = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, *[cgutils.int32_t] * 3])

prefetch: Any = intrinsic(_prefetch)
"""In kernels: begin to load what an array has at an index, which must be in it."""

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
        self._count = min(limit, _worker_count(workers))
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


def _worker_count(workers: int | None) -> int:
    if workers is not None and workers < 1:
        raise ValueError(f"workers must be at least 1, not {workers}")
    return workers or _processors()
