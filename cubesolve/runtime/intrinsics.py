"""The machine instructions that Numba generates for the functions in `instructions` (needs Numba)."""

# ruff: noqa: ARG005, PLW0108  # Numba calls the outer functions with types, and compiles the inner ones

from __future__ import annotations

from collections.abc import Callable
from typing import Any as Untyped  # Numba and llvmlite have no types here

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from cubesolve.runtime.instructions import count_ones, fetch_and, fetch_or, prefetch, trailing_zeros

_PREFETCH = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, *[cgutils.int32_t] * 3])
_generated: Callable[[Untyped], Untyped] = intrinsic


@_generated
def _trailing_zeros(_typing: Untyped, bits: types.Type) -> Untyped:
    def generate(_context: Untyped, builder: Untyped, _signature: Untyped, arguments: Untyped) -> Untyped:
        return builder.cttz(arguments[0], cgutils.true_bit)

    return types.uint64(types.uint64), generate if bits == types.uint64 else None


@_generated
def _count_ones(_typing: Untyped, bits: types.Type) -> Untyped:
    def generate(_context: Untyped, builder: Untyped, _signature: Untyped, arguments: Untyped) -> Untyped:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate if bits == types.uint64 else None


@_generated
def _prefetch(_typing: Untyped, array: types.Array, index: types.Type) -> Untyped:
    def generate(context: Untyped, builder: Untyped, signature: Untyped, arguments: Untyped) -> Untyped:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        address = builder.bitcast(builder.gep(data, [arguments[1]]), cgutils.voidptr_t)
        hint = builder.module.declare_intrinsic("llvm.prefetch", [cgutils.voidptr_t], _PREFETCH)
        read, keep, of_data = (cgutils.int32_t(number) for number in (0, 3, 1))
        builder.call(hint, [address, read, keep, of_data])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate if isinstance(index, types.Integer) else None


def _atomic(operation: str) -> Untyped:
    @_generated
    def change(_typing: Untyped, array: types.Array, _index: types.Type, bits: types.Type) -> Untyped:
        def generate(context: Untyped, builder: Untyped, signature: Untyped, arguments: Untyped) -> Untyped:
            data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
            return builder.atomic_rmw(operation, builder.gep(data, [arguments[1]]), arguments[2], "monotonic")

        return types.uint64(array, types.int64, bits), generate if bits == array.dtype == types.uint64 else None

    return change


_fetch_and, _fetch_or = _atomic("and"), _atomic("or")

overload(prefetch)(lambda array, index: lambda array, index: _prefetch(array, index))
overload(trailing_zeros)(lambda bits: lambda bits: _trailing_zeros(bits))
overload(count_ones)(lambda bits: lambda bits: _count_ones(bits))
overload(fetch_and)(lambda array, index, bits: lambda array, index, bits: _fetch_and(array, index, bits))
overload(fetch_or)(lambda array, index, bits: lambda array, index, bits: _fetch_or(array, index, bits))
