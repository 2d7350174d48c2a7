"""Compiling kernels under a deadline.

A compiler cannot be interrupted. Another process therefore compiles the kernel and stores it in the cache, and the
caller waits no longer than its deadline. That process always finishes, for the benefit of the next question. Without a
cache, a thread compiles the kernel, and a program that ends meanwhile waits for this thread.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import NamedTuple

from cubesolve.runtime.deadline import Deadline, explain_by

_LOOK_EVERY = 0.02  # seconds


class Kernel(NamedTuple):
    """A kernel that can be compiled here or in another process.

    Attributes:
        module: the module that defines it.
        name: its name in the module.
        is_kept: returns whether the cache has its compiled form.
        can_be_kept: returns whether there is a cache.
        compile: compiles it in this process.
    """

    module: str
    name: str
    is_kept: Callable[[], bool]
    can_be_kept: Callable[[], bool]
    compile: Callable[[], object]


def compile_by(kernel: Kernel, deadline: Deadline) -> None:
    """Compile a kernel into the cache, or in a thread if there is no cache.

    Args:
        kernel: the kernel.
        deadline: limits the wait.

    Raises:
        EndedError: the deadline has passed; the compilation continues.
    """
    if kernel.can_be_kept():
        if kernel.is_kept():
            return
        _wait_for_process(kernel, deadline)
        if kernel.is_kept():
            return
    future = _compiled.get(kernel[:2])
    if future is None:
        future = _compiled[kernel[:2]] = _threads.submit(kernel.compile)
    while not future.done():
        wait([future], min(_LOOK_EVERY, deadline.left()))
    future.result()


def begin(kernels: Iterable[Kernel]) -> None:
    """Begin to compile kernels into the cache, if there is one, one after the other in one process.

    Args:
        kernels: the kernels, of which those that the cache has are left out; `compile_by` waits for each.
    """
    missing = [each for each in kernels if not is_begun(each) and each.can_be_kept() and not each.is_kept()]
    if missing:
        _start(missing)


def is_begun(kernel: Kernel) -> bool:
    """Whether another process compiles a kernel, or has compiled it."""
    return kernel[:2] in _processes


def _wait_for_process(kernel: Kernel, deadline: Deadline) -> None:
    process = _processes.get(kernel[:2]) or _start([kernel])
    while process is not None and process.poll() is None:
        if process.has_others and kernel.is_kept():
            break
        time.sleep(min(_LOOK_EVERY, deadline.left()))


class _Compiler(subprocess.Popen[bytes]):
    """A process that may outlive this one, without a warning.

    Attributes:
        has_others: whether it compiles several kernels.
    """

    has_others = False

    def __del__(self) -> None:
        pass


def _start(kernels: Sequence[Kernel]) -> _Compiler | None:
    """Start a process that compiles kernels one after the other; return None if it cannot be started."""
    command = "; ".join(f"from {each.module} import {each.name} as kernel; kernel.keep()" for each in kernels)
    process = started(command)
    if process is not None:
        process.has_others = len(kernels) > 1
        _processes.update(dict.fromkeys([each[:2] for each in kernels], process))
    return process


def started(command: str) -> _Compiler | None:
    """Start a process that compiles kernels by a command of Python; return None if it cannot be started."""
    try:
        return _Compiler(
            [sys.executable, "-P", "-c", command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            process_group=0,  # Ctrl-C must not reach it; it keeps the priority of this session
        )
    except OSError:  # the limit of processes is reached
        return None


_processes: dict[tuple[str, str], _Compiler] = {}
_compiled: dict[tuple[str, str], Future[object]] = {}


def _remedy() -> str:
    """Return what to do about time limits while kernels are being compiled."""
    is_compiling = any(process.poll() is None for process in list(_processes.values()))
    if is_compiling or not all(future.done() for future in list(_compiled.values())):
        return "kernels were still being compiled, which is done once; `cubesolve warm` compiles all of them"
    return ""


_threads = ThreadPoolExecutor(1, "cubesolve compiling")
explain_by(_remedy)
