"""Memory that was freed, and that the C library has not returned to the system."""

from __future__ import annotations

import sys


def trim() -> None:
    """Return freed memory to the system, where the C library keeps it (glibc)."""
    if sys.platform == "linux":
        import ctypes  # noqa: PLC0415  # delays the start

        release = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if release is not None:  # not in musl
            release(ctypes.c_size_t(0))
