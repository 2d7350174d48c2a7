"""Compiling Numba kernels on first use.

Numba is imported when the first kernel is compiled, because importing it takes longer than most small questions.
"""

from __future__ import annotations

import dataclasses
import functools
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, TypeVarTuple

from cubesolve.errors import CubesolveWarning
from cubesolve.runtime import heap
from cubesolve.runtime.compiling import Kernel, begin, compile_by, is_begun
from cubesolve.runtime.deadline import current
from cubesolve.runtime.files import HAS_OWNERS
from cubesolve.runtime.folders import CACHE_VARIABLE, cache_folder, private_path
from cubesolve.runtime.locks import ThreadLock, forks_wait
from cubesolve.runtime.machine import processors
from cubesolve.runtime.notices import following, notifying

if TYPE_CHECKING:
    from cubesolve.runtime.kept_kernels import KeptKernel

_FOLDER = "kernels"

_compiling = ThreadLock()
_kernels = list[Callable[..., None]]()
parts = list[tuple[Callable[..., object], str]]()
"""Functions that kernels call and Numba does not know of yet, and when it inlines them."""

kernels_at_start = list["tuple[Callable[..., int], tuple[Type | Fields, ...]]"]()
"""The kernels of first questions, and their parameters."""

Given = TypeVarTuple("Given")
FunctionT = TypeVar("FunctionT", bound=Callable[..., object])


@dataclasses.dataclass(frozen=True, slots=True)
class Type:
    """The type of a parameter of a kernel.

    Attributes:
        number: the name of a type of numbers.
        dimensions: the number of dimensions of a contiguous array of such numbers; 0 for a number.
        readonly: whether the kernel accepts read-only arrays.

    >>> types.uint8[:, ::1]
    Type(number='uint8', dimensions=2, readonly=False)
    """

    number: str
    dimensions: int = 0
    readonly: bool = False

    def __getitem__(self, axes: slice | tuple[slice, ...]) -> Type:
        """Return the type of an array, spelled as in Numba."""
        return dataclasses.replace(self, dimensions=len(axes) if isinstance(axes, tuple) else 1)


_NUMBERS = ("boolean", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
types = SimpleNamespace(**{name: Type(name) for name in _NUMBERS})
"""The types of numbers in kernels."""


def read_only(number: Type, dimensions: int = 2) -> Type:
    """Return the type of a contiguous array that a kernel only reads; writable arrays are accepted, too."""
    return Type(number.number, dimensions, readonly=True)


@dataclasses.dataclass(frozen=True, slots=True)
class Fields:
    """The type of a parameter of a kernel that is a named tuple.

    Attributes:
        tuple_class: the class of the named tuple, which other processes must be able to import.
        fields: the type of each field, in order.
    """

    tuple_class: type[Any]
    fields: tuple[Type | Fields, ...]


def named(tuple_class: type[NamedTuple], **fields: Type | Fields) -> Fields:
    """Return the type of a named tuple of arrays, numbers and other such tuples.

    A call takes 1 to 3 us longer for each such tuple. In its inner loops, a kernel should read fields from local
    variables, not from the tuple.

    Args:
        tuple_class: the class, a `typing.NamedTuple` at the top level of a module.
        **fields: the type of each field, by name and in order.

    Raises:
        TypeError: the class has other fields, or another order.

    >>> from typing import NamedTuple
    >>> class Circle(NamedTuple):
    ...     centre: object
    ...     radius: int
    >>> named(Circle, centre=types.int64[::1], radius=types.int64).fields[1]
    Type(number='int64', dimensions=0, readonly=False)
    """
    if tuple(fields) != tuple_class._fields:
        raise TypeError(f"{tuple_class.__name__} has the fields {', '.join(tuple_class._fields)}")
    return Fields(tuple_class, tuple(fields.values()))


def kernel(
    *parameters: Type | Fields, at_start: bool = False
) -> Callable[[Callable[[*Given], int]], Callable[[*Given], int]]:
    """Compile a function on first use, with the cache on disk if there is one.

    Args:
        *parameters: the types of its parameters.
        at_start: whether the first question of a process may need it. The cache then also has code that a process can
            call without importing Numba (`machine_code`), and so has a wheel, for the first question after an
            installation. Each call takes longer, by 1 us for each array.
    """

    def decorate(function: Callable[[*Given], int]) -> Callable[[*Given], int]:
        compiled: list[Any] = []

        def compile_here(*, uses_bundle: bool = True) -> None:
            with _compiling.held(), forks_wait():
                if not compiled:
                    found = at_start and _kept(function, parameters).loaded(uses_bundle=uses_bundle)
                    compiled.append(found or _compile(function, parameters, at_start))
                    if not found:
                        heap.release_compiler()

        def keep() -> None:
            """Compile the function into the cache, for other processes."""
            if kept_in() is not None:
                compile_here()

        def is_kept() -> bool:
            """Return whether the cache or the wheel has the kernel, without importing Numba for those of a start."""
            return _kept(function, parameters).is_kept(at_start=at_start)

        kernel = Kernel(
            function.__module__,
            function.__name__,
            is_kept,
            lambda: kept_in() is not None,
            compile_here,
        )

        @functools.wraps(function)
        def call(*arguments: *Given) -> int:
            if not compiled:
                deadline = current()
                if (deadline.is_limited or is_begun(kernel)) and not is_plain():
                    compile_by(kernel, deadline)
                compile_here()
            result: int = compiled[0](*arguments)
            return result

        def awaited() -> Iterator[Kernel]:
            if not compiled and not is_plain():
                yield kernel

        def is_ready() -> bool:
            return bool(compiled) or is_plain() or kernel.is_kept()

        call.keep, call.awaited, call.is_ready = keep, awaited, is_ready  # type: ignore[attr-defined]
        _kernels.append(compile_here)
        if at_start:
            kernels_at_start.append((function, parameters))
        return call

    return decorate


def compile_all(*, backwards: bool = False) -> int:
    """Compile the kernels of all imported modules for this processor, or load them from the cache.

    Args:
        backwards: whether to begin with the last one.

    Returns:
        The number of kernels.
    """
    with following("compiling", len(_kernels)) as advance:
        for load in reversed(_kernels) if backwards else _kernels:
            load(uses_bundle=False)
            advance(1)
    return len(_kernels)


def compile_meanwhile(*kernels: Callable[..., int]) -> None:
    """Compile kernels in another process, in this order, while this one does something else; the first call waits.

    This process then need not load the compiler. With a single processor, or if the cache has the kernels, nothing is
    done.
    """
    if processors() > 1:
        begin(each for kernel in kernels for each in kernel.awaited())  # type: ignore[attr-defined]


def is_ready(kernel: Callable[..., int]) -> bool:
    """Return whether a call of a kernel need not wait for the compiler, because it is compiled or in the cache."""
    ready: bool = kernel.is_ready()  # type: ignore[attr-defined]
    return ready


def part(function: FunctionT) -> FunctionT:
    """Allow kernels to call a function, which is compiled as part of them."""
    return _part(function, "never")


def inlined(function: FunctionT) -> FunctionT:
    """Allow kernels to call a function, the code of which is copied into them, so that constant arguments count."""
    return _part(function, "always")


def _part(function: FunctionT, inline: str) -> FunctionT:
    parts.append((function, inline))
    return function


def is_plain() -> bool:
    """Return whether ``NUMBA_DISABLE_JIT`` is set."""
    return setting("DISABLE_JIT") not in {"", "0"}


def setting(name: str) -> str:
    """Return a setting of Numba, without importing it."""
    config = getattr(sys.modules.get("numba"), "config", None)
    return str(getattr(config, name) or "") if config else os.environ.get(f"NUMBA_{name}", "")


def _kept(function: Callable[..., int], parameters: tuple[Type | Fields, ...]) -> KeptKernel:
    from cubesolve.runtime.kept_kernels import KeptKernel  # noqa: PLC0415  # needs numpy

    return KeptKernel(function, parameters)


def _compile(function: Callable[..., int], parameters: tuple[Type | Fields, ...], at_start: bool) -> Callable[..., int]:
    with notifying("compiling, once"):
        from cubesolve.runtime import compiler  # noqa: PLC0415  # needs numba

        return compiler.compiled(function, parameters, at_start=at_start)


@functools.cache
def kept_in() -> str | None:
    """Find, or create, the folder of compiled kernels.

    Loading a compiled kernel runs code from its file, so that no other user may be able to change any part of the
    folder's path. It is ``kernels`` in ``NUMBA_CACHE_DIR`` or in the cache folder, or else in a private folder among
    the temporary ones.

    Returns:
        Its path; None, with a warning, if compiled kernels cannot be stored.

    >>> os.path.basename(kept_in() or "kernels")
    'kernels'
    """
    folder = setting("CACHE_DIR") or cache_folder()
    reasons = list[str]()
    if not folder:
        reasons.append(f"no cache folder; {CACHE_VARIABLE} can name one")
    for parent in [folder, _temporary()]:
        try:
            path = private_path(os.path.join(parent, _FOLDER)) if parent else ""
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
