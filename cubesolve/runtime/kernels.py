"""Kernels: functions that Numba compiles on first use, and whose machine code is stored.

Numba is imported when a kernel is compiled, because importing it takes longer than most small questions. A compiler
cannot be interrupted: under a deadline, another process compiles the kernel and stores it, and the caller waits no
longer than its deadline. That process always finishes, for the benefit of the next question. Without a folder for
stored code, the thread of the question compiles the kernel, and its caller waits no longer than the deadline.
"""

from __future__ import annotations

import contextlib
import functools
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar, TypeVarTuple, cast

from cubesolve.runtime import deadline as deadlines
from cubesolve.runtime import stored_code
from cubesolve.runtime.deadline import current
from cubesolve.runtime.locks import thread_lock
from cubesolve.runtime.machine import processors
from cubesolve.runtime.notices import notifying

Given = TypeVarTuple("Given")
FunctionT = TypeVar("FunctionT", bound=Callable[..., object])

_LOOK_EVERY = 0.02  # seconds
_REMEDY = "kernels were still being compiled, which is done once; `cubesolve warm` compiles all of them"
_IS_PLAIN = os.environ.get("NUMBA_DISABLE_JIT", "") not in {"", "0"}  # kernels run as Python functions

KERNELS = list["Kernel[*tuple[Any, ...]]"]()
"""The kernels of all imported modules."""

_compiling = thread_lock()
_parts = list[Callable[..., object]]()


class Kernel(Generic[*Given]):
    """A kernel."""

    def __init__(self, function: Callable[[*Given], int], *, at_start: bool) -> None:
        functools.update_wrapper(self, function)
        self.function, self.at_start = function, at_start
        self._code: Callable[..., int] | None = function if _IS_PLAIN else None

    @functools.cached_property
    def key(self) -> str:
        """The name of its code."""
        return stored_code.key_of(self.function)

    def __call__(self, *arguments: *Given) -> int:
        """Call the kernel."""
        if self._code is None:
            self._wait_for_process()
            self.load()
        return cast("Callable[..., int]", self._code)(*arguments)

    def is_ready(self) -> bool:
        """Return whether a call need not wait for the compiler."""
        return self._code is not None or stored_code.stored(self.key) is not None

    def load(self, *, uses_bundle: bool = True) -> None:
        """Load the machine code of the kernel, after compiling it if it is not stored."""
        with _compiling:
            if self._code is not None:
                return
            code = stored_code.stored(self.key, uses_bundle=uses_bundle)
            if code is None:
                code = self.compiled()
                stored_code.store(self.key, code)
            self._code = stored_code.loaded(code, self.function)

    def compiled(self) -> bytes:
        """Compile the kernel."""
        with notifying("compiling, once"):
            from cubesolve.runtime import compiler  # noqa: PLC0415  # needs numba

            return compiler.compiled(self.function, _parts)

    def _wait_for_process(self) -> None:
        """Wait, within the current deadline, for another process that compiles the kernel; limits start one."""
        deadline = current()
        if deadline.is_limited:
            _compile_apart([self])
        process = _processes.get(self)
        while process is not None and process.poll() is None and not self.is_ready():
            time.sleep(min(_LOOK_EVERY, deadline.left()))


def kernel(*, at_start: bool = False) -> Callable[[Callable[[*Given], int]], Kernel[*Given]]:
    """Compile a function on first use; its annotations are the types of its parameters, see `kernel_arrays`.

    Args:
        at_start: whether the first question of a process may need it. A wheel then has its machine code, for the first
            question after an installation.
    """

    def decorate(function: Callable[[*Given], int]) -> Kernel[*Given]:
        decorated = Kernel(function, at_start=at_start)
        KERNELS.append(cast("Kernel[*tuple[Any, ...]]", decorated))
        return decorated

    return decorate


def part(function: FunctionT) -> FunctionT:
    """Allow kernels to call a function, which is compiled as part of them."""
    _parts.append(function)
    return function


def compile_meanwhile(*kernels: Callable[..., int]) -> None:
    """Compile kernels in another process, in this order, while this one does something else; the first call waits.

    This process then need not load the compiler. With a single processor, or if the kernels are stored, nothing is
    done.
    """
    if processors() > 1:
        _compile_apart([routine for routine in kernels if isinstance(routine, Kernel)])


# -- Compiling in another process --------------------------------------------------------------------------------------


class _Compiler(subprocess.Popen[bytes]):
    """A process that may outlive this one, without a warning."""

    def __del__(self) -> None:
        pass


_processes: dict[Kernel[*tuple[Any, ...]], _Compiler] = {}


def _compile_apart(kernels: Sequence[Kernel[*tuple[Any, ...]]]) -> None:
    """Start a process that compiles kernels, except those that are ready or being compiled, if it can be started."""
    missing = [routine for routine in kernels if routine not in _processes and not routine.is_ready()]
    if not missing or stored_code.folder() is None or not sys.executable:  # Python is embedded in another program
        return
    names = [(routine.function.__module__, routine.function.__name__) for routine in missing]
    command = "; ".join(f"from {module} import {name} as kernel; kernel.load()" for module, name in names)
    with contextlib.suppress(OSError):  # the limit of processes is reached
        process = _Compiler(
            [sys.executable, "-P", "-c", command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            process_group=0,  # Ctrl-C must not reach it; it keeps the priority of this session
        )
        _processes.update(dict.fromkeys(missing, process))


deadlines.explain = lambda: _REMEDY if any(process.poll() is None for process in list(_processes.values())) else ""
