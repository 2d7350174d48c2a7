"""Stored machine code of kernels, which a process loads without importing Numba (needs numpy).

Importing Numba and preparing its types takes longer than most searches. So the code of a kernel is stored together with
an entry point, which reads the arguments from an array of 64-bit numbers. LLVM loads it, and `ctypes` calls it. Of an
array, the number is the address of NumPy's structure about it, which the entry point checks.

The name of a file has a digest of everything that determines the code: the files of the kernel and of the functions and
classes that it uses, the constants it reads, the types of its parameters, the compiler and the processor. The content
begins with its own digest, so that damage is noticed.

The cache has code for the processor of this machine. A wheel is bundled with code for all recent x86-64 processors, so
that the first questions after an installation need no compiler.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import functools
import hashlib
import importlib.util
import inspect
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from io import BufferedReader
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import llvmlite  # type: ignore[import-untyped]
import numpy as np

from cubesolve.runtime.files import CACHE_VARIABLE, HAS_OWNERS, NAME, cache_folder, open_private, warn
from cubesolve.runtime.kernel_arrays import Fields, Parameters, Type, annotated
from cubesolve.runtime.machine import require_executable_memory

BUNDLE = os.path.join(os.path.dirname(os.path.dirname(__file__)), "bundle")
"""The folder of a wheel's machine code."""

BUNDLED_FOR = "x86-64-v3"
"""The processors that can run a wheel's machine code, as LLVM names them: nearly all x86-64 processors since 2015."""

# Features of these processors (https://gitlab.com/x86-psABIs/x86-64-ABI), as LLVM names them.
_FEATURES = {"avx2", "bmi", "bmi2", "cx16", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sahf", "sse4.2", "xsave"}
_DIGEST = 32  # bytes of the digest before the code
_UNUSED = 30 * 86_400.0  # seconds after which the code of another version is removed
_HERE = {"NUMBA_CACHE_DIR", "NUMBA_DISABLE_JIT", "NUMBA_NUM_THREADS"}  # settings that do not change the code
_COMPILER = os.path.join(os.path.dirname(__file__), "compiler.py")

# -- Calling code ------------------------------------------------------------------------------------------------------

_engines = list[Any]()  # each owns the memory of the code that it has loaded


def loaded(code: bytes, function: Callable[..., int]) -> Callable[..., int]:
    """Load the code of a kernel, and return a function that calls it."""
    require_executable_memory()
    llvm = _llvm()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _engines.append(engine)
    name, parameters = symbol(function), annotated(function)
    enter = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(engine.get_function_address(name))

    def call(*arguments: Any) -> int:
        numbers, owners = [0], list[object]()
        _add_numbers(parameters, arguments, numbers, owners)
        given = (ctypes.c_int64 * len(numbers))(*numbers)
        status = enter(given)
        if status < 0:
            raise TypeError(f"an array is not as {name} declares it: {parameters}")
        if status:
            raise RuntimeError(f"{name} failed")
        return given[0]

    return call


def symbol(function: Callable[..., int]) -> str:
    """Return the name of the entry point of a kernel."""
    return f"{function.__module__}.{function.__name__}"


def _llvm() -> Any:
    import llvmlite.binding  # type: ignore[import-untyped]  # noqa: PLC0415  # delays the start

    return llvmlite.binding


_address_in = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


def _add_numbers(parameters: Parameters, arguments: Sequence[Any], numbers: list[int], owners: list[object]) -> None:
    """Add a number for each argument to a list, and what owns the structures at addresses to another."""
    for parameter, argument in zip(parameters, arguments, strict=True):
        if isinstance(parameter, Fields) and type(argument) is parameter.tuple_class:
            _add_numbers(parameter.fields, argument, numbers, owners)
        elif isinstance(parameter, Type) and not parameter.dimensions:
            numbers.append(int(argument))
        elif isinstance(parameter, Type) and type(argument) is np.ndarray:
            owners.append(structure := argument.__array_struct__)
            numbers.append(_address_in(structure, None))
        else:
            raise TypeError(f"expected {parameter}, not {type(argument).__name__}")


# -- Where code is stored ----------------------------------------------------------------------------------------------


def stored(key: str, *, uses_bundle: bool = True) -> bytes | None:
    """Return the stored code of a kernel; None if there is none, or the file is damaged.

    Args:
        uses_bundle: whether the code of the wheel may be used, which is not compiled for this very processor.
    """
    place, code = folder(), None
    if place is not None:
        with contextlib.suppress(OSError), open_private(place) as private:
            code = _code_in(private.open(_file_of(key)))
    if code is None and uses_bundle and _runs_bundled():
        with contextlib.suppress(OSError):
            code = _code_in(open(os.path.join(BUNDLE, f"{key}.o"), "rb"))  # noqa: SIM115
    return code


def store(key: str, code: bytes) -> None:
    """Store the code of a kernel for this processor, if that is possible; remove old code of other versions."""
    place = folder()
    if place is None:
        return
    with contextlib.suppress(OSError), open_private(place) as private:  # the folder is full
        with private.replacing(_file_of(key), 0o600) as file:
            file.write(with_digest(code))
        for other in Path(place).glob(f"{key.partition('-')[0]}-*.o"):
            if other.stat().st_mtime < time.time() - _UNUSED:
                other.unlink()


def _file_of(key: str) -> str:
    return f"{key}-{_machine()}.o"


def with_digest(code: bytes) -> bytes:
    """Return the content of a file of code."""
    return hashlib.sha256(code).digest() + code


def _code_in(file: BufferedReader | None) -> bytes | None:
    if file is None:
        return None
    with file:
        content = file.read()
    code = content[_DIGEST:]
    return code if hashlib.sha256(code).digest() == content[:_DIGEST] else None


@functools.cache
def folder() -> str | None:
    """Find, or create, the folder of stored code.

    Loading code runs it, so that no other user may be able to write it; see `open_private`. It is ``kernels`` in
    ``NUMBA_CACHE_DIR`` or in the cache folder, or else a private folder among the temporary ones.
    """
    cache = os.environ.get("NUMBA_CACHE_DIR") or cache_folder()
    parents, reasons = ([cache], []) if cache else ([], [f"no cache folder; {CACHE_VARIABLE} can name one"])
    if HAS_OWNERS:
        parents.append(os.path.join(tempfile.gettempdir(), f"{NAME}-{os.geteuid()}"))
    for parent in parents:
        try:
            with open_private(os.path.join(os.path.abspath(parent), "kernels")) as (path, _):
                if not os.access(path, os.W_OK):
                    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        except OSError as error:
            reasons.append(f"{error.filename or parent}: {error.strerror or error}")
            continue
        if reasons:
            warn(f"compiled kernels are stored in {path} instead ({'; '.join(reasons)})")
        return path
    warn(f"compiled kernels cannot be stored ({'; '.join(reasons)}); every process compiles them again")
    return None


# -- What determines code ----------------------------------------------------------------------------------------------


def key_of(function: Callable[..., int]) -> str:
    """Return a name for the code of a kernel, with a digest of all that determines it but the machine."""
    return f"{symbol(function)}-{_digest(*_sources(function, set()), repr(annotated(function)), _content(_COMPILER))}"


def _digest(*about: str) -> str:
    return hashlib.sha256("\n".join(about).encode()).hexdigest()[:16]


def _sources(value: object, seen: set[object]) -> Iterator[str]:
    """Yield digests of the files, and the values, that a function, or another value that it refers to, depends on."""
    value = getattr(value, "__wrapped__", value)
    if isinstance(value, FunctionType) and value not in seen:
        seen.add(value)
        yield _content(value.__code__.co_filename)
        for name in sorted(_names(value.__code__) & value.__globals__.keys()):
            yield name
            yield from _sources(value.__globals__[name], seen)
    elif isinstance(value, type) and value.__module__.startswith("cubesolve."):
        yield _content(inspect.getfile(value))
    elif isinstance(value, tuple):
        for item in value:
            yield from _sources(item, seen)
    elif isinstance(value, np.ndarray | np.generic):
        yield f"{value.dtype}{value.shape}{value.tobytes().hex()}"
    elif isinstance(value, int | float | str):
        yield repr(value)


def _names(code: CodeType) -> set[str]:
    inner = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return set(code.co_names).union(*map(_names, inner))


@functools.cache
def _content(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


@functools.cache
def _machine() -> str:
    """Return a digest of the processor, and of the versions and settings of Python and Numba."""
    numba: Any = importlib.util.find_spec("numba")
    status = os.stat(numba.origin)
    version = f"{numba.origin} {status.st_mtime_ns} {status.st_size}"
    names = sorted(name for name in os.environ.keys() - _HERE if name.startswith("NUMBA_"))
    settings = [f"{name}={os.environ[name]}" for name in names]
    processor = [_llvm().get_host_cpu_name(), _llvm().get_host_cpu_features().flatten()]
    return _digest(sys.implementation.cache_tag or "", llvmlite.__version__, version, *settings, *processor)


def _runs_bundled() -> bool:
    return {name for name, has in _llvm().get_host_cpu_features().items() if has} >= _FEATURES
