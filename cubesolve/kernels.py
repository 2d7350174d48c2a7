"""What every Numba kernel needs: compiling on first use."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

import numba
from numba import types

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
