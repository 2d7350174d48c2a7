"""What every Numba kernel needs: compiling on first use, and a few instructions of the machine.

Where Numba is told not to compile anything, these instructions do the same in plain Python.
"""

from __future__ import annotations

import functools
import os
import threading
import warnings
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from cubesolve.compiling import Kernel, compile_by
from cubesolve.deadline import current
from cubesolve.errors import CubesolveWarning
from cubesolve.filelocks import file_lock
from cubesolve.folders import CACHE_VARIABLE, cache_folder, require_private
from cubesolve.locks import ThreadLock, forks_wait
from cubesolve.notices import telling

_compiling = ThreadLock()


def kernel(*parameters: types.Type) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Compile on first use, from the cache on disk if it can be used, and without it if not."""

    def decorate(function: Callable[..., int]) -> Callable[..., int]:
        compiled: list[Any] = []
        signature = types.int64(*parameters)

        def compile_here() -> None:
            with _compiling.held(), forks_wait():
                if not compiled:
                    compiled.append(_compile(function, signature))

        def keep() -> None:
            """Compile it for other processes."""
            if _keep():
                with file_lock(os.path.join(numba.config.CACHE_DIR, f"{function.__name__}.lock")):  # type: ignore[attr-defined]
                    compile_here()

        kernel = Kernel(
            function.__module__, function.__name__, lambda: _is_kept(function, signature), _keep, compile_here
        )

        @functools.wraps(function)
        def call(*arguments: Any) -> int:
            if not compiled:
                deadline = current()
                if deadline.is_limited and not numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
                    compile_by(kernel, deadline)
                compile_here()
            result: int = compiled[0](*arguments)
            return result

        call.keep = keep  # type: ignore[attr-defined]
        return call

    return decorate


def _is_kept(function: Callable[..., int], signature: Any) -> bool:
    dispatcher: Any = numba.njit(nogil=True, cache=True)(function)
    return dispatcher._cache.load_overload(signature, dispatcher.targetctx) is not None


def _compile(function: Callable[..., int], signature: Any) -> Any:
    with telling("compiling, once"):
        try:
            return numba.njit(signature, nogil=True, cache=_keep())(function)
        except Exception:  # noqa: BLE001  # a full or damaged cache folder fails in many ways, and none matters
            return numba.njit(signature, nogil=True)(function)


@functools.cache
def _keep() -> bool:
    """Have Numba keep what it compiles in a folder that nobody else can write, and whether it will.

    Where ``NUMBA_CACHE_DIR`` names a folder, it is that, and the user's own business.
    """
    if numba.config.CACHE_DIR:  # type: ignore[attr-defined]
        return True
    folder, path = cache_folder(), ""
    reason = f"there is no cache folder; {CACHE_VARIABLE} can name one"
    if folder is not None:
        path = os.path.join(folder, "kernels")
        try:
            require_private(path)
            reason = ""
        except OSError as error:
            reason = f"{path}: {error.strerror or error}"
    if reason:
        message = f"what is compiled cannot be kept ({reason}), so that every process waits for it"
        warnings.warn(CubesolveWarning(message), stacklevel=2)
        return False
    numba.config.CACHE_DIR = path  # type: ignore[attr-defined]
    return True


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


def _fetch_and(_typing: Any, array: types.Array, _index: types.Type, bits: types.Type) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        return builder.atomic_rmw("and", builder.gep(data, [arguments[1]]), arguments[2], "monotonic")

    return types.uint64(array, types.int64, bits), generate if bits == array.dtype == types.uint64 else None


def _instruction(compiled: Callable[..., Any], plain: Callable[..., Any]) -> Any:
    return plain if numba.config.DISABLE_JIT else intrinsic(compiled)  # type: ignore[attr-defined]


_alone = threading.Lock()


def _plain_fetch_and(array: Any, index: int, bits: Any) -> Any:
    with _alone:
        before = array[index]
        array[index] = before & bits
        return before


prefetch: Any = _instruction(_prefetch, lambda _array, _index: None)
"""In kernels: begin to load what an array has at an index, which must be in it."""

trailing_zeros: Any = _instruction(_trailing_zeros, lambda bits: np.uint64((int(bits) & -int(bits)).bit_length() - 1))
"""In kernels: how many zeros a uint64 that is not 0 ends with."""

count_ones: Any = _instruction(_count_ones, lambda bits: np.uint64(int(bits).bit_count()))
"""In kernels: how many bits of a uint64 are set."""

fetch_and: Any = _instruction(_fetch_and, _plain_fetch_and)
"""In kernels: clear the bits of an array's uint64 that are not set in another, and return what it was before.

No other thread that does the same comes in between.
"""
