"""Compiling a kernel while a deadline is running.

Nothing can interrupt a compiler. So a process of its own compiles, and keeps the result where every process finds it;
the question waits for it no longer than it may. The process goes on to its end, for the next question. Where nothing
can be kept, a thread compiles instead, and a program that ends meanwhile waits for it.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import NamedTuple

from cubesolve.deadline import Deadline

_LOOK_EVERY = 0.02  # seconds


class Kernel(NamedTuple):
    """What compiles a function.

    Attributes:
        module: the module in which it is found.
        name: its name there.
        is_kept: whether it has been compiled and kept, by whatever process.
        can_be_kept: whether it will be kept.
        compile: compiles it here.
    """

    module: str
    name: str
    is_kept: Callable[[], bool]
    can_be_kept: Callable[[], bool]
    compile: Callable[[], object]


def compile_by(kernel: Kernel, deadline: Deadline) -> None:
    """Have a kernel compiled, or kept so that it is loaded in a moment.

    Args:
        kernel: the kernel.
        deadline: how long to wait for it.

    Raises:
        EndedError: the deadline came; it goes on being compiled.
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


def _wait_for_process(kernel: Kernel, deadline: Deadline) -> None:
    process = _processes.get(kernel[:2])
    if process is None:
        command = f"from {kernel.module} import {kernel.name} as kernel; kernel.keep()"
        try:
            process = subprocess.Popen(
                [sys.executable, "-P", "-c", command],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is not meant for it
            )
        except OSError:  # there can be no more processes
            return
        _processes[kernel[:2]] = process
    while process.poll() is None:
        time.sleep(min(_LOOK_EVERY, deadline.left()))


_processes: dict[tuple[str, str], subprocess.Popen[bytes]] = {}
_compiled: dict[tuple[str, str], Future[object]] = {}
_threads = ThreadPoolExecutor(1, "cubesolve compiling")
