"""Machine instructions for kernels: prefetch, bit counts, atomic clearing of bits.

With ``NUMBA_DISABLE_JIT`` they are plain Python functions.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


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
"""In kernels: start to load the element of an array at a valid index into the cache."""

trailing_zeros: Any = _instruction(_trailing_zeros, lambda bits: np.uint64((int(bits) & -int(bits)).bit_length() - 1))
"""In kernels: return the number of trailing zero bits of a uint64 other than 0."""

count_ones: Any = _instruction(_count_ones, lambda bits: np.uint64(int(bits).bit_count()))
"""In kernels: return the number of set bits of a uint64."""

fetch_and: Any = _instruction(_fetch_and, _plain_fetch_and)
"""In kernels: replace a uint64 of an array by its bitwise AND with another, atomically, and return the old value."""
