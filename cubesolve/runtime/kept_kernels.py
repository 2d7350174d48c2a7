"""Kernels that are compiled already: machine code in the cache or the wheel, or in Numba's cache (needs numpy)."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from typing import NamedTuple

from cubesolve.runtime import kernels
from cubesolve.runtime.machine_code import Parameters, StoredKernel, bundled, stored

STORES_CODE = os.name == "posix"  # elsewhere, Numba's code has another format than that of the system


class KeptKernel(NamedTuple):
    """A kernel that may be compiled already.

    Attributes:
        function: the kernel.
        parameters: its parameters.
    """

    function: Callable[..., int]
    parameters: Parameters

    def is_kept(self, *, at_start: bool) -> bool:
        """Return whether the cache or the wheel has it, without importing Numba for the kernels of a start."""
        if at_start and (_stored(*self) or _bundled(*self)):
            return True
        is_decided = at_start and STORES_CODE and "numba" not in sys.modules
        return not is_decided and _is_cached(*self)

    def loaded(self, *, uses_bundle: bool) -> Callable[..., int] | None:
        """Return the kernel from its machine code; None if there is none, or Numba's cache has the kernel.

        Args:
            uses_bundle: whether the code of the wheel may be used, which is not compiled for this very processor.
        """
        code = _stored(*self)
        if code is None and uses_bundle:
            code = _bundled(*self)
            if code is not None and "numba" in sys.modules and _is_cached(*self):
                return None
        if code is None:
            return None
        with contextlib.suppress(Exception):  # another version of llvmlite; Numba compiles the kernel then
            return StoredKernel(code, self.function.__name__, self.parameters)
        return None


def _stored(function: Callable[..., int], parameters: Parameters) -> bytes | None:
    """Return the stored machine code of a kernel; None if there is none, or Numba is in use anyway."""
    folder = None if "numba" in sys.modules or kernels.is_plain() or not STORES_CODE else kernels.kept_in()
    if folder is None:
        return None
    with contextlib.suppress(Exception):  # a file of the kernel cannot be found
        return stored(function, parameters, folder)
    return None


def _bundled(function: Callable[..., int], parameters: Parameters) -> bytes | None:
    """Return the machine code of a kernel in the wheel; None if there is none."""
    if kernels.is_plain() or not STORES_CODE:
        return None
    with contextlib.suppress(Exception):  # as above
        return bundled(function, parameters)
    return None


def _is_cached(function: Callable[..., int], parameters: Parameters) -> bool:
    from cubesolve.runtime.compiler import is_cached  # noqa: PLC0415  # needs numba

    return is_cached(function, parameters)
