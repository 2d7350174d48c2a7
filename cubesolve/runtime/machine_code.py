"""Stored machine code of kernels, which a process can call without importing Numba.

Importing Numba and preparing its types takes longer than most searches. So the code of a kernel that a first question
needs is stored together with an entry point, which reads the arguments from an array of 64-bit numbers. `elf` loads it,
or LLVM where that cannot, and `ctypes` calls it. Python converts the arguments, in about 1 us for each array.

The cache has code for the processor of this machine. A wheel is bundled with code for all recent x86-64 processors, so
that the first questions after an installation need no compiler.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import hashlib
import importlib.util
import os
import sys
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from cubesolve.runtime import elf, heap
from cubesolve.runtime.atomic import replacing
from cubesolve.runtime.kernels import Fields, Type
from cubesolve.runtime.machine import processor_details

BUNDLE = os.path.join(os.path.dirname(os.path.dirname(__file__)), "bundle")
"""The folder of a wheel's machine code."""

BUNDLED_FOR = "x86-64-v3"
"""The processors that can run a wheel's machine code, as LLVM names them: nearly all x86-64 processors since 2015."""

# Features of these processors (https://gitlab.com/x86-psABIs/x86-64-ABI), as Linux names them; "abm" includes "lzcnt".
_INSTRUCTIONS = ("abm", "avx2", "bmi1", "bmi2", "cx16", "f16c", "fma", "lahf_lm", "movbe", "popcnt", "sse4_2", "xsave")
_FLAGS = "flags"
_IDENTITY = ("vendor_id", "cpu family", "model", "model name", _FLAGS)
_DIGEST = 32  # bytes of the digest before the code
_RESULT = 1  # numbers before the arguments
_DTYPES = {"boolean": "bool"}  # the names of dtypes where Numba's are different

Parameters = tuple[Type | Fields, ...]


def stored(function: Callable[..., int], parameters: Parameters, folder: str) -> bytes | None:
    """Return the stored code of a kernel for this processor; None if there is none, or the file is damaged."""
    return _read(_path(function, parameters, folder, _machine()))


def store(function: Callable[..., int], parameters: Parameters, folder: str, code: bytes) -> None:
    """Store the code of a kernel for this processor.

    Raises:
        OSError: the file cannot be written.
    """
    _write(_path(function, parameters, folder, _machine()), code)


def bundled(function: Callable[..., int], parameters: Parameters) -> bytes | None:
    """Return the code of a kernel from the wheel; None if there is none, or this processor cannot run it."""
    code = _read(_path(function, parameters, BUNDLE, (BUNDLED_FOR,)))
    return code if code is not None and _runs_bundled() else None


def bundle(function: Callable[..., int], parameters: Parameters, folder: str, code: bytes) -> None:
    """Write the code of a kernel for a wheel.

    Args:
        function: the kernel.
        parameters: its parameters.
        folder: the folder.
        code: the code, compiled for `BUNDLED_FOR`.

    Raises:
        OSError: the file cannot be written.
    """
    _write(_path(function, parameters, folder, (BUNDLED_FOR,)), code)


class StoredKernel:
    """A kernel whose code was loaded without Numba. It takes the arguments of the kernel, as Numba does."""

    def __init__(self, code: bytes, name: str, parameters: Parameters) -> None:
        """Load the code.

        Args:
            code: the code.
            name: the name of the entry point.
            parameters: the parameters of the kernel.
        """
        address, self._owner = _loaded(code, name)
        self._call = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(address)
        self._numbers = ctypes.c_int64 * (_RESULT + sum(map(_width, parameters)))
        self._name, self._parameters = name, parameters

    def __call__(self, *arguments: Any) -> int:
        """Call the kernel.

        Raises:
            TypeError: the arguments have other types.
        """
        numbers = self._numbers(0, *_flat(self._parameters, arguments))
        if self._call(numbers):
            raise RuntimeError(f"{self._name} failed")
        return numbers[0]


def _loaded(code: bytes, name: str) -> tuple[int, object]:
    """Return the address of an entry point in memory, and the object that owns the memory."""
    if elf.IS_FOR_THIS_MACHINE:
        with contextlib.suppress(ValueError, AttributeError, OSError):
            return elf.load(code, name)
    import llvmlite.binding as llvm  # type: ignore[import-untyped]  # noqa: PLC0415  # delays the start

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    address = engine.get_function_address(name)
    heap.release_compiler()  # only calling the code is left to do
    return address, engine


def _width(parameter: Type | Fields) -> int:
    """Return how many 64-bit numbers an argument takes: the address and the shape of an array."""
    return sum(map(_width, parameter.fields)) if isinstance(parameter, Fields) else 1 + parameter.dimensions


def _flat(parameters: Parameters, arguments: tuple[Any, ...]) -> Iterator[int]:
    for parameter, argument in zip(parameters, arguments, strict=True):
        if isinstance(parameter, Fields):
            if type(argument) is not parameter.tuple_class:
                raise _mismatch(parameter.tuple_class.__name__, argument)
            yield from _flat(parameter.fields, argument)
        elif not parameter.dimensions:
            yield int(argument)
        else:
            flags = argument.flags if type(argument) is np.ndarray else None
            if (
                flags is None
                or argument.dtype != _DTYPES.get(parameter.number, parameter.number)
                or argument.ndim != parameter.dimensions
                or not flags.c_contiguous
                or not (parameter.readonly or flags.writeable)
            ):
                raise _mismatch(str(parameter), argument)
            yield argument.__array_interface__["data"][0]
            yield from argument.shape


def _mismatch(expected: str, argument: object) -> TypeError:
    return TypeError(f"No matching definition: expected {expected}, not {type(argument).__name__}")


# -- Where code is stored ----------------------------------------------------------------------------------------------


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError:
        return None
    code = content[_DIGEST:]
    return code if hashlib.sha256(code).digest() == content[:_DIGEST] else None


def _write(path: str, code: bytes) -> None:
    with replacing(path) as file:
        file.write(hashlib.sha256(code).digest() + code)


def _path(function: Callable[..., int], parameters: Parameters, folder: str, machine: tuple[str, ...]) -> str:
    """Return the path of the file for the code of a kernel.

    It depends on all that the code depends on: the files of the kernel and of the functions it calls, the constants it
    imports, the types of its parameters, and the machine.

    Raises:
        OSError: a file cannot be found.
    """
    given = [*_sources(function, set()), *map(_declared, parameters), *machine]
    digest = hashlib.sha256("\n".join(given).encode()).hexdigest()[:16]
    return os.path.join(folder, f"{function.__module__}.{function.__name__}-{digest}.o")


def _sources(function: Callable[..., int], seen: set[object]) -> Iterator[str]:
    """Yield a digest of the file of a function, and those of the functions and constants that it refers to."""
    assert isinstance(function, FunctionType)
    seen.add(function)
    yield _content(function.__code__.co_filename)
    for name in sorted(_names(function.__code__)):
        value = function.__globals__.get(name)
        if isinstance(value, FunctionType):
            if value not in seen:
                yield from _sources(value, seen)
        elif isinstance(value, (int, float, tuple, np.generic)):
            yield f"{name}={value!r}"


def _names(code: CodeType) -> set[str]:
    inner = (each for each in code.co_consts if isinstance(each, CodeType))
    return set(code.co_names).union(*map(_names, inner))


@functools.cache
def _content(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def _declared(parameter: Type | Fields) -> str:
    if isinstance(parameter, Type):
        return repr(parameter)
    return f"{parameter.tuple_class._fields}({', '.join(map(_declared, parameter.fields))})"


@functools.cache
def _machine() -> tuple[str, ...]:
    """Return the processor, and the versions of Python and of the compiler."""
    import llvmlite  # noqa: PLC0415  # delays the start

    compiler = importlib.util.find_spec("numba")
    assert compiler is not None
    assert compiler.origin is not None
    status = os.stat(compiler.origin)
    version = f"{compiler.origin} {status.st_mtime_ns} {status.st_size}"
    return sys.implementation.cache_tag or "", llvmlite.__version__, version, *_processor()


def _processor() -> tuple[str, ...]:
    """Return the name of the processor and its instructions."""
    about = processor_details()
    if about.get(_FLAGS):
        return tuple(about.get(name, "") for name in _IDENTITY)
    import llvmlite.binding as llvm  # noqa: PLC0415  # delays the start

    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


@functools.cache
def _runs_bundled() -> bool:
    flags = processor_details().get(_FLAGS, "").split()
    return elf.IS_FOR_THIS_MACHINE and all(each in flags for each in _INSTRUCTIONS)
