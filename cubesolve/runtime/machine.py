"""The processors and memory of this machine."""

from __future__ import annotations

import functools
import os
import sys

from cubesolve.errors import CubesolveError
from cubesolve.runtime.arguments import integer

MOST_WORKERS = 1024
"""The largest valid number of threads."""

_HALF_OF_MEMORY = 1 << 32  # bytes


def processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def half_of_memory() -> int:
    """Return half of this machine's memory in bytes, the default limit of a build.

    On systems that do not report it, such as Windows, return 4 GiB.
    """
    if not hasattr(os, "sysconf"):
        return _HALF_OF_MEMORY
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2


def memory_limit(memory: int | None = None) -> int:
    """Return how many bytes a question may take: what it was allowed, or else half of this machine's memory."""
    return half_of_memory() if memory is None else integer("memory", memory, 0)


def require_workers(workers: int | None) -> None:
    """Raise an error for an invalid number of threads."""
    if workers is not None:
        integer("workers", workers, 1, MOST_WORKERS)


def worker_count(workers: int | None) -> int:
    """Return a number of threads; by default one for each processor."""
    require_workers(workers)
    return workers or processors()


@functools.cache
def require_executable_memory() -> None:
    """Raise an error where memory cannot be executable, as in a hardened service; LLVM would end the process."""
    if sys.platform != "linux":
        return
    import mmap  # noqa: PLC0415  # delays the start

    flags, allowed = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_WRITE | mmap.PROT_EXEC
    try:
        mmap.mmap(-1, mmap.PAGESIZE, flags, allowed).close()
    except OSError as error:
        raise CubesolveError(
            f"this process may not have executable memory, which compiled code needs ({error.strerror}): allow it, for "
            "example with MemoryDenyWriteExecute=no in a systemd unit; tables that are read with bytes need none"
        ) from None
