"""Compiling kernels with Numba, into the cache if there is one (needs numba)."""

from __future__ import annotations

import contextlib
import gc
import os
from collections.abc import Callable, Iterator
from typing import Any

import numba
from numba.extending import register_jitable

import cubesolve.runtime.intrinsics  # noqa: F401  # which tells Numba of them
from cubesolve import _RARE_COLLECTIONS
from cubesolve.runtime import kernels
from cubesolve.runtime.filelocks import file_lock
from cubesolve.runtime.kept_kernels import STORES_CODE
from cubesolve.runtime.kernel_types import TupleType
from cubesolve.runtime.kernels import Fields, Type
from cubesolve.runtime.linking import linked
from cubesolve.runtime.machine_code import BUNDLED_FOR, Parameters, bundle, store, stored


def compiled(function: Callable[..., int], parameters: Parameters, *, at_start: bool) -> Callable[..., int]:
    """Return a compiled kernel, and store its machine code if first questions need it."""
    with _few_collections():
        dispatcher: Callable[..., int] = _compiled(function, parameters)
        if at_start:
            _store(dispatcher, function, parameters)
    return dispatcher


@contextlib.contextmanager
def _few_collections() -> Iterator[None]:
    """Let Python look for cycles as rarely as in a command: Numba makes many objects, most of which live on.

    Compiling takes 0.93 of the processor time, and 20 MB more.
    """
    before = gc.get_threshold()
    gc.set_threshold(*_RARE_COLLECTIONS)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def is_cached(function: Callable[..., int], parameters: Parameters) -> bool:
    """Return whether Numba's cache has a kernel."""
    folder = kernels.kept_in()
    with contextlib.suppress(Exception):  # a full or damaged folder fails in many ways
        dispatcher = _cached(function, folder or "")
        return dispatcher._cache.load_overload(_signature(parameters), dispatcher.targetctx) is not None
    return False


def bundle_all(folder: str) -> int:
    """Compile the kernels of first questions in all imported modules for a wheel (`machine_code.BUNDLED_FOR`).

    Args:
        folder: the folder for the machine code.

    Returns:
        The number of kernels in the folder.

    Raises:
        RuntimeError: ``NUMBA_CPU_NAME`` was not set to these processors before Numba was imported.
    """
    if kernels.setting("CPU_NAME") != BUNDLED_FOR or kernels.setting("CPU_FEATURES"):
        raise RuntimeError(f"set NUMBA_CPU_NAME to {BUNDLED_FOR}, and NUMBA_CPU_FEATURES to nothing")
    number = 0
    for function, parameters in kernels.kernels_at_start:
        code = linked(_compiled(function, parameters), _signature(parameters), function.__name__)
        if code is not None:
            bundle(function, parameters, folder, code)
            number += 1
    return number


def _compiled(function: Callable[..., int], parameters: Parameters) -> Any:
    if kernels.is_plain():
        return function
    signature, folder = _signature(parameters), kernels.kept_in()
    if folder is not None:
        # One of several processes compiles the kernel, and the others find it in the cache. A full or damaged
        # folder fails in many ways; the kernel is then compiled without the cache.
        lock = os.path.join(folder, f"{function.__module__}.{function.__name__}.lock")
        with contextlib.suppress(Exception), file_lock(lock):
            dispatcher = _cached(function, folder)
            try:
                dispatcher.compile(signature)
            except Exception:  # noqa: BLE001  # the index may name a class that has been renamed since
                dispatcher._cache.flush()
                dispatcher.compile(signature)
            dispatcher.disable_compile()
            return dispatcher
    return numba.njit(signature, nogil=True)(function)


def _store(dispatcher: Any, function: Callable[..., int], parameters: Parameters) -> None:
    """Store the machine code of a compiled kernel, unless it is stored."""
    folder = None if kernels.is_plain() or not STORES_CODE else kernels.kept_in()
    if folder is None:
        return
    with contextlib.suppress(Exception):  # a file cannot be found, or the folder is full; Numba's cache is enough
        if stored(function, parameters, folder) is None:
            code = linked(dispatcher, _signature(parameters), function.__name__)
            if code is not None:
                store(function, parameters, folder, code)


def _signature(parameters: Parameters) -> Any:
    while kernels.parts:
        function, inline = kernels.parts.pop()
        # no entry points for C and Python, which take long to compile
        register_jitable(no_cfunc_wrapper=True, no_cpython_wrapper=True, inline=inline)(function)
    return numba.types.int64(*map(_resolved, parameters))


def _cached(function: Callable[..., int], folder: str) -> Any:
    """Return a dispatcher that caches a function in a folder.

    Raises:
        PermissionError: Numba would use another folder.
    """
    dispatcher: Any = numba.njit(nogil=True, no_cfunc_wrapper=True)(function)  # type: ignore[call-overload]
    others = numba.config.CACHE_DIR  # type: ignore[attr-defined]
    numba.config.CACHE_DIR = folder  # type: ignore[attr-defined]
    try:
        dispatcher.enable_caching()
    finally:
        numba.config.CACHE_DIR = others  # type: ignore[attr-defined]
    if os.path.commonpath([dispatcher.stats.cache_path, folder]) != folder:
        raise PermissionError(dispatcher.stats.cache_path)
    return dispatcher


def _resolved(parameter: Type | Fields) -> Any:
    if isinstance(parameter, Fields):
        tuple_type: Any = TupleType
        return tuple_type(tuple(map(_resolved, parameter.fields)), parameter.tuple_class)
    number = getattr(numba.types, parameter.number)
    if not parameter.dimensions:
        return number
    return numba.types.Array(number, parameter.dimensions, "C", readonly=parameter.readonly)
