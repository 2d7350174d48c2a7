"""Compiling a kernel with Numba, and linking it with an entry point that needs no Numba.

Numba generates machine instructions for the functions in `instructions`.
"""

# ruff: noqa: ARG005, PLW0108  # Numba calls the outer functions with types, and compiles the inner ones

from __future__ import annotations

import contextlib
import functools
import gc
import itertools
from collections.abc import Callable, Iterator
from typing import Any as Untyped  # Numba and llvmlite have no types here

import llvmlite.binding as llvm  # type: ignore[import-untyped]
import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.compiler_lock import global_compiler_lock
from numba.core.runtime import nrtdynmod
from numba.extending import intrinsic, overload, register_jitable

from cubesolve import _RARE_COLLECTIONS
from cubesolve.runtime.instructions import count_ones, fetch_and, fetch_or, prefetch, trailing_zeros
from cubesolve.runtime.kernel_arrays import Fields, Parameters, Type, annotated
from cubesolve.runtime.stored_code import symbol

_cgutils: Untyped = cgutils  # these are untyped
_runtime: Untyped = nrtdynmod

_NUMBER = ir.IntType(64)
_ADDRESS = ir.IntType(8).as_pointer()
# A number, the dimensions, the kind, size and flags of entries, and the addresses of the shape, the strides and the
# entries: https://numpy.org/doc/stable/reference/arrays.interface.html#c-struct-access
_ABOUT_ARRAY = ir.LiteralStructType([*map(ir.IntType, (32, 32, 8, 32, 32)), *[_NUMBER.as_pointer()] * 2, _NUMBER])
_CONTIGUOUS, _IN_ORDER, _WRITEABLE = 0x1, 0x200, 0x400  # flags; bytes are in the order of the machine
_BLOCK = 64  # bytes before the memory of an array, more than enough for Numba's structure about it:
_REFERENCES, _DATA = 0, 3  # its fields with the number of references to the array, and with the address of its memory
_LEVEL = 1  # of optimization after linking: Numba optimizes each function on its own; 2 takes longer, and is no faster
_SYSTEM = {"memcpy", "memmove", "memset", "malloc", "free"}  # functions that every process has


def compiled(function: Callable[..., int], parts: list[Callable[..., object]]) -> bytes:
    """Return the machine code of a kernel with an entry point.

    The entry point takes the address of an array of 64-bit numbers: the result, and then for each argument the number
    itself, or the address of the structure about an array; named tuples are flattened. It returns 0 if no error
    occurred, and a negative number if an array has other dimensions, entries or flags than are declared.

    Args:
        parts: functions that kernels call; those that Numba knows now are removed.
    """
    with contextlib.ExitStack() as stack, global_compiler_lock:
        # Numba makes many objects, most of which live on: this takes 0.93 of the processor time, and 20 MB more.
        stack.callback(gc.set_threshold, *gc.get_threshold())
        gc.set_threshold(*_RARE_COLLECTIONS)
        while parts:
            # no entry points for C and Python, which take long to compile
            register_jitable(no_cfunc_wrapper=True, no_cpython_wrapper=True)(parts.pop())
        parameters = annotated(function)
        signature = numba.types.int64(*map(_resolved, parameters))
        dispatcher: Untyped = numba.njit(nogil=True, no_cfunc_wrapper=True)(function)  # type: ignore[call-overload]
        dispatcher.compile(signature)
        result, name = dispatcher.overloads[signature.args], symbol(function)
        codegen = result.target_context.codegen()
        entry = codegen.create_library(name).create_ir_module(name)
        _add_entry(entry, result, parameters, name)
        module = llvm.parse_assembly(str(entry))
        module.link_in(result.library._get_module_for_linking(), preserve=True)
        for routine in module.functions:
            if routine.name != name and not routine.is_declaration:
                routine.linkage = "internal"
        passes = llvm.create_pass_builder(codegen._tm, llvm.PipelineTuningOptions(speed_level=_LEVEL))
        passes.getModulePassManager().run(module, passes)
        code: bytes = codegen._tm.emit_object(module)
    declared = {
        routine.name for routine in module.functions if routine.is_declaration and not routine.name.startswith("llvm.")
    }
    if needed := [label for label in sorted(declared - _SYSTEM) if label.encode() in code]:  # named where it is used
        raise TypeError(f"the kernel {name} needs {', '.join(needed)} of Numba's runtime")
    return code


def _resolved(parameter: Type | Fields) -> Untyped:
    if isinstance(parameter, Fields):
        tuple_type: Untyped = types.NamedTuple
        return tuple_type(tuple(map(_resolved, parameter.fields)), parameter.tuple_class)
    number = numba.from_dtype(parameter.dtype)
    if not parameter.dimensions:
        return number
    return types.Array(number, parameter.dimensions, "C", readonly=parameter.readonly)


# -- The entry point ---------------------------------------------------------------------------------------------------


def _add_memory(module: Untyped) -> None:
    """Define the functions of Numba's runtime that allocate and free the memory of arrays.

    Numba counts the references to an array in a block before it. Arguments have no such block, so that nothing is left
    of counting the references to them; for that, the functions that count are inlined, which those of Numba are not.
    """
    malloc = ir.Function(module, ir.FunctionType(_ADDRESS, [_NUMBER]), "malloc")
    free = ir.Function(module, ir.FunctionType(ir.VoidType(), [_ADDRESS]), "free")

    def defined(name: str, result: Untyped, *parameters: Untyped) -> Untyped:
        function = ir.Function(module, ir.FunctionType(result, parameters), name)
        return function, ir.IRBuilder(function.append_basic_block())

    allocate, builder = defined("NRT_Allocate", _ADDRESS, _NUMBER)
    builder.ret(builder.call(malloc, allocate.args))
    for name in ("NRT_Free", "NRT_MemInfo_call_dtor"):
        function, builder = defined(name, ir.VoidType(), _ADDRESS)
        builder.call(free, function.args)
        builder.ret_void()
    for name, step in (("NRT_incref", 1), ("NRT_decref", -1)):
        function, builder = defined(name, ir.VoidType(), _ADDRESS)
        function.attributes.add("alwaysinline")
        with builder.if_then(builder.icmp_unsigned("!=", function.args[0], ir.Constant(_ADDRESS, None))):
            references = builder.bitcast(function.args[0], _NUMBER.as_pointer())
            left = builder.add(builder.load(references), ir.Constant(_NUMBER, step))
            builder.store(left, references)
            with builder.if_then(builder.icmp_unsigned("==", left, ir.Constant(_NUMBER, 0))):  # never of a step up
                builder.call(free, function.args)
        builder.ret_void()
    aligned, builder = defined("NRT_MemInfo_alloc_aligned", _ADDRESS, _NUMBER, ir.IntType(32))
    size, align = aligned.args[0], builder.zext(aligned.args[1], _NUMBER)
    block = builder.call(malloc, [builder.add(builder.add(size, align), ir.Constant(_NUMBER, _BLOCK))])
    with builder.if_then(builder.icmp_unsigned("!=", block, ir.Constant(_ADDRESS, None))):
        last = builder.add(builder.add(builder.ptrtoint(block, _NUMBER), ir.Constant(_NUMBER, _BLOCK - 1)), align)
        data = builder.inttoptr(builder.and_(last, builder.neg(align)), _ADDRESS)
        about = builder.bitcast(block, _runtime._meminfo_struct_type.as_pointer())
        builder.store(ir.Constant(_NUMBER, 1), _cgutils.gep_inbounds(builder, about, 0, _REFERENCES))
        builder.store(data, _cgutils.gep_inbounds(builder, about, 0, _DATA))
    builder.ret(block)


def _add_entry(module: Untyped, compiled: Untyped, parameters: Parameters, name: str) -> None:
    """Define the entry point, which calls the compiled function as Numba does.

    That function takes addresses of the result and of an error, then each argument; see `_laid_out` for arrays.
    """
    _add_memory(module)
    convention = compiled.target_context.call_conv
    kind = convention.get_function_type(compiled.signature.return_type, compiled.signature.args)
    entry = ir.Function(module, ir.FunctionType(_NUMBER, [_NUMBER.as_pointer()]), name)
    builder = ir.IRBuilder(entry.append_basic_block())
    places = (builder.gep(entry.args[0], [ir.Constant(_NUMBER, place)]) for place in itertools.count(1))
    _, error, *taken = kind.args
    arguments = [entry.args[0], builder.bitcast(builder.alloca(_ADDRESS), error)]
    for number, wanted in zip(_laid_out(builder, map(builder.load, places), parameters), taken, strict=True):
        arguments.append((builder.inttoptr if isinstance(wanted, ir.PointerType) else builder.trunc)(number, wanted))
    status = builder.call(ir.Function(module, kind, compiled.fndesc.llvm_func_name), arguments)
    builder.ret(builder.zext(status, _NUMBER))


def _laid_out(builder: Untyped, numbers: Iterator[Untyped], parameters: Parameters) -> Iterator[Untyped]:
    """Yield the values that the compiled function takes, as 64-bit numbers.

    Those of an array are the addresses of two objects that own its memory, its number of entries and the size of one,
    its address, shape and strides.
    """
    nothing = ir.Constant(_NUMBER, 0)
    for parameter in parameters:
        if isinstance(parameter, Fields):
            yield from _laid_out(builder, numbers, parameter.fields)
        elif not parameter.dimensions:
            yield next(numbers)
        else:
            about = builder.inttoptr(next(numbers), _ABOUT_ARRAY.as_pointer())
            fields = (_cgutils.gep_inbounds(builder, about, 0, place) for place in range(len(_ABOUT_ARRAY.elements)))
            _, *given, shape, strides, address = map(builder.load, fields)
            flags = _CONTIGUOUS | _IN_ORDER | (0 if parameter.readonly else _WRITEABLE)
            given[-1] = builder.and_(given[-1], ir.Constant(given[-1].type, flags))
            declared = parameter.dimensions, ord(parameter.dtype.kind), parameter.dtype.itemsize, flags
            for field, number in zip(given, declared, strict=True):
                with builder.if_then(builder.icmp_unsigned("!=", field, ir.Constant(field.type, number))):
                    builder.ret(ir.Constant(_NUMBER, -1))
            places = [ir.Constant(_NUMBER, place) for place in range(parameter.dimensions)]
            lengths = [builder.load(builder.gep(shape, [place])) for place in places]
            entries, size = functools.reduce(builder.mul, lengths), ir.Constant(_NUMBER, parameter.dtype.itemsize)
            steps = [builder.load(builder.gep(strides, [place])) for place in places]
            yield from (nothing, nothing, entries, size, address, *lengths, *steps)


# -- Instructions ------------------------------------------------------------------------------------------------------

_PREFETCH = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, *[cgutils.int32_t] * 3])
_generated: Callable[[Untyped], Untyped] = intrinsic


def _of_bits(instruction: Callable[[Untyped, Untyped], Untyped]) -> Untyped:
    @_generated
    def generated(_typing: Untyped, bits: types.Type) -> Untyped:
        def generate(_context: Untyped, builder: Untyped, _signature: Untyped, arguments: Untyped) -> Untyped:
            return instruction(builder, arguments[0])

        return types.uint64(types.uint64), generate if bits == types.uint64 else None

    return generated


def _address(context: Untyped, builder: Untyped, signature: Untyped, arguments: Untyped) -> Untyped:
    """Return the address of an element, given an array and an index."""
    data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
    return builder.gep(data, [arguments[1]])


def _atomic(operation: str) -> Untyped:
    @_generated
    def change(_typing: Untyped, array: types.Array, _index: types.Type, bits: types.Type) -> Untyped:
        def generate(context: Untyped, builder: Untyped, signature: Untyped, arguments: Untyped) -> Untyped:
            address = _address(context, builder, signature, arguments)
            return builder.atomic_rmw(operation, address, arguments[2], "monotonic")

        return types.uint64(array, types.int64, bits), generate if bits == array.dtype == types.uint64 else None

    return change


@_generated
def _prefetch(_typing: Untyped, array: types.Array, index: types.Type) -> Untyped:
    def generate(context: Untyped, builder: Untyped, signature: Untyped, arguments: Untyped) -> Untyped:
        address = builder.bitcast(_address(context, builder, signature, arguments), cgutils.voidptr_t)
        hint = builder.module.declare_intrinsic("llvm.prefetch", [cgutils.voidptr_t], _PREFETCH)
        read, keep, of_data = (cgutils.int32_t(number) for number in (0, 3, 1))
        builder.call(hint, [address, read, keep, of_data])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate if isinstance(index, types.Integer) else None


_trailing_zeros = _of_bits(lambda builder, bits: builder.cttz(bits, cgutils.true_bit))
_count_ones = _of_bits(lambda builder, bits: builder.ctpop(bits))
_fetch_and, _fetch_or = _atomic("and"), _atomic("or")

overload(prefetch)(lambda array, index: lambda array, index: _prefetch(array, index))
overload(trailing_zeros)(lambda bits: lambda bits: _trailing_zeros(bits))
overload(count_ones)(lambda bits: lambda bits: _count_ones(bits))
overload(fetch_and)(lambda array, index, bits: lambda array, index, bits: _fetch_and(array, index, bits))
overload(fetch_or)(lambda array, index, bits: lambda array, index, bits: _fetch_or(array, index, bits))
