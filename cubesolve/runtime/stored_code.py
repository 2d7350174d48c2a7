"""Stored machine code of kernels, which a process loads without importing Numba (needs numpy).

Importing Numba and preparing its types takes longer than most searches. So the code of a kernel is stored together with
an entry point, which reads the arguments from an array of 64-bit numbers. LLVM loads it, and `ctypes` calls it. Python
converts the arguments, in about 1 us for each array.

The name of a file has a digest of everything that determines the code: the files of the kernel and of the functions and
classes that it uses, the constants it reads, the types of its parameters, the compiler and the processor. The content
begins with its own digest, so that damage is noticed.

The cache has code for the processor of this machine. A wheel is bundled with code for all recent x86-64 processors, so
that the first questions after an installation need no compiler.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import hashlib
import importlib.util
import mmap
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import llvmlite  # type: ignore[import-untyped]
import numpy as np

from cubesolve.errors import CubesolveError, CubesolveWarning
from cubesolve.runtime.files import CACHE_VARIABLE, HAS_OWNERS, cache_folder, private_path, replacing
from cubesolve.runtime.kernel_arrays import Fields, Parameters, Type
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
_UNUSED = 30 * 86_400.0  # seconds after which the code of another version is removed
_HERE = ("CACHE_DIR", "DISABLE_JIT", "NUM_THREADS")  # settings of Numba that do not change the code
_PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep
_COMPILER = os.path.join(os.path.dirname(__file__), "compiler.py")

# -- Calling code ------------------------------------------------------------------------------------------------------


class StoredKernel:
    """A kernel whose code was loaded without Numba."""

    def __init__(self, code: bytes, function: Callable[..., int], parameters: Parameters) -> None:
        """Load the code."""
        self._call = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(_loaded(code, symbol(function)))
        self._numbers = ctypes.c_int64 * (_RESULT + sum(map(_width, parameters)))
        self._name, self._parameters = function.__name__, parameters

    def __call__(self, *arguments: Any) -> int:
        """Call the kernel."""
        numbers = self._numbers(0, *_flat(self._parameters, arguments))
        if self._call(numbers):
            raise RuntimeError(f"{self._name} failed")
        return numbers[0]


def symbol(function: Callable[..., int]) -> str:
    """Return the name of the entry point of a kernel."""
    return f"{function.__module__}.{function.__name__}"


_engines = list[Any]()  # each owns the memory of the code that it has loaded


def _loaded(code: bytes, name: str) -> int:
    """Return the address of an entry point in memory."""
    _require_executable_memory()
    import llvmlite.binding as llvm  # type: ignore[import-untyped]  # noqa: PLC0415  # delays the start

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _engines.append(engine)
    address: int = engine.get_function_address(name)
    return address


@functools.cache
def _require_executable_memory() -> None:
    """Raise an error where a page of memory cannot be made executable; LLVM would end the process."""
    library = ctypes.CDLL(None, use_errno=True)
    if not hasattr(library, "mprotect"):
        return
    page = mmap.mmap(-1, mmap.PAGESIZE)
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    executable = mmap.PROT_READ | mmap.PROT_EXEC
    if library.mprotect(ctypes.c_void_p(address), ctypes.c_size_t(mmap.PAGESIZE), executable):
        raise CubesolveError(
            f"this process may not have executable memory, which compiled code needs "
            f"({os.strerror(ctypes.get_errno())}): allow it, for example with MemoryDenyWriteExecute=no in a systemd "
            "unit; tables that are read with bytes need none"
        )


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


def stored(function: Callable[..., int], parameters: Parameters, *, uses_bundle: bool = True) -> bytes | None:
    """Return the stored code of a kernel; None if there is none, or the file is damaged.

    Args:
        uses_bundle: whether the code of the wheel may be used, which is not compiled for this very processor.
    """
    code, place = None, folder()
    if place is not None:
        code = _read(os.path.join(place, _file_name(function, parameters, _machine())))
    if code is None and uses_bundle and _runs_bundled():
        code = _read(os.path.join(BUNDLE, _file_name(function, parameters, (BUNDLED_FOR,))))
    return code


def store(function: Callable[..., int], parameters: Parameters, code: bytes) -> None:
    """Store the code of a kernel for this processor, if that is possible; remove old code of other versions."""
    place = folder()
    if place is None:
        return
    with contextlib.suppress(OSError):  # the folder is full
        _write(os.path.join(place, _file_name(function, parameters, _machine())), code)
        for other in Path(place).glob(f"{symbol(function)}-*.o"):
            if other.stat().st_mtime < time.time() - _UNUSED:
                other.unlink()


def bundle(function: Callable[..., int], parameters: Parameters, place: str, code: bytes) -> None:
    """Write the code of a kernel, compiled for `BUNDLED_FOR`, to the folder of a wheel."""
    _write(os.path.join(place, _file_name(function, parameters, (BUNDLED_FOR,))), code)


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


@functools.cache
def folder() -> str | None:
    """Find, or create, the folder of stored code.

    Loading code runs it, so that no other user may be able to change any part of the folder's path. It is ``kernels``
    in ``NUMBA_CACHE_DIR`` or in the cache folder, or else in a private folder among the temporary ones.
    """
    cache, reasons = os.environ.get("NUMBA_CACHE_DIR") or cache_folder(), list[str]()
    if not cache:
        reasons.append(f"no cache folder; {CACHE_VARIABLE} can name one")
    for parent in [cache, _temporary()]:
        try:
            path = private_path(os.path.join(parent, "kernels")) if parent else ""
        except OSError as error:
            reasons.append(f"{error.filename or parent}: {error.strerror or error}")
            continue
        if path:
            if reasons:
                _warn(f"compiled kernels are stored in {path} instead ({'; '.join(reasons)})")
            return path
    _warn(f"compiled kernels cannot be stored ({'; '.join(reasons)}); every process compiles them again")
    return None


def _temporary() -> str | None:
    """Return the path of a folder of the user's own in the shared folder of temporary files."""
    import tempfile  # noqa: PLC0415  # needed only without a cache folder; importing it slows every start

    return os.path.join(tempfile.gettempdir(), f"cubesolve-{os.geteuid()}") if HAS_OWNERS else None


def _warn(message: str) -> None:
    warnings.warn(CubesolveWarning(message), stacklevel=2)


# -- What determines code ----------------------------------------------------------------------------------------------


def _file_name(function: Callable[..., int], parameters: Parameters, machine: tuple[str, ...]) -> str:
    about = [*_sources(function, set()), *map(_declared, parameters), _content(_COMPILER), *machine]
    return f"{symbol(function)}-{hashlib.sha256(chr(10).join(about).encode()).hexdigest()[:16]}.o"


def _sources(value: object, seen: set[int]) -> Iterator[str]:
    """Yield digests of the files, and the values, that a function, or another value that it refers to, depends on."""
    value = getattr(value, "__wrapped__", value)
    if isinstance(value, FunctionType):
        if id(value) in seen:
            return
        seen.add(id(value))
        yield _content(value.__code__.co_filename)
        for name in sorted(_names(value.__code__)):
            if name in value.__globals__:
                yield name
                yield from _sources(value.__globals__[name], seen)
        for cell in value.__closure__ or ():
            yield from _sources(cell.cell_contents, seen)
    elif isinstance(value, ModuleType | type):
        module = value if isinstance(value, ModuleType) else sys.modules.get(value.__module__)
        path = getattr(module, "__file__", None)
        if path is not None and path.startswith(_PACKAGE):
            yield _content(path)
    elif isinstance(value, np.ndarray):
        yield f"{value.dtype}{value.shape}{hashlib.sha256(value.tobytes()).hexdigest()}"
    elif isinstance(value, tuple):
        for each in value:
            yield from _sources(each, seen)
    elif isinstance(value, int | float | str | np.generic):
        yield repr(value)


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
    """Return the processor, and the versions and settings of Python and Numba."""
    numba = importlib.util.find_spec("numba")
    assert numba is not None
    assert numba.origin is not None
    status = os.stat(numba.origin)
    version = f"{numba.origin} {status.st_mtime_ns} {status.st_size}"
    settings = [f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith("NUMBA_")]
    chosen = [each for each in settings if not each.startswith(tuple(f"NUMBA_{name}=" for name in _HERE))]
    return sys.implementation.cache_tag or "", llvmlite.__version__, version, *chosen, *_processor()


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
    is_linux_on_x86 = sys.platform == "linux" and os.uname().machine == "x86_64"
    return is_linux_on_x86 and all(each in flags for each in _INSTRUCTIONS)
