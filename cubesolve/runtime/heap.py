"""Memory that this process no longer needs, and that the system has not got back."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import mmap
import os
import sys
from collections.abc import Iterable, Sequence

# The C library raises these limits to the size of the largest array that was freed, and twice as much. Each thread has
# memory of its own, whose last part is kept up to the second limit, even when memory is trimmed.
_MMAP_THRESHOLD, _MAPPED = -3, 1 << 20  # larger arrays are mapped, and returned when they are freed
_TRIM_THRESHOLD, _KEPT = -1, 1 << 22  # bytes of freed memory that a thread keeps


def trim() -> None:
    """Return freed memory to the system, where the C library keeps it (glibc); most is returned at once from now on."""
    if sys.platform == "linux":
        library = ctypes.CDLL(None)
        if hasattr(library, "malloc_trim"):  # not in musl
            library.mallopt(_MMAP_THRESHOLD, _MAPPED)
            library.mallopt(_TRIM_THRESHOLD, _KEPT)
            library.malloc_trim(ctypes.c_size_t(0))


def release_compiler() -> None:
    """Remove the pages of LLVM's library from resident memory: up to 100 MB, which no compiled kernel needs."""
    if "llvmlite.binding" in sys.modules:
        release(_pages_of_compiler())


@functools.cache  # reading them takes 10 ms and more, and each kernel that is loaded releases the compiler
def _pages_of_compiler() -> Sequence[tuple[int, int]]:
    """The library stays where it is until the process ends."""
    return pages_of(os.path.dirname(str(sys.modules["llvmlite.binding"].__file__)))


def release(pages: Iterable[tuple[int, int]]) -> None:
    """Remove pages of mapped files from resident memory (Linux); the system maps pages again that are needed."""
    if sys.platform == "linux":
        advise = ctypes.CDLL(None).madvise
        for first, last in pages:
            advise(ctypes.c_void_p(first), ctypes.c_size_t(last - first), mmap.MADV_DONTNEED)


def pages_of(folder: str) -> list[tuple[int, int]]:
    """Return where files of a folder are mapped that can be released: addresses, and those after the ends.

    Mappings that this process may change, or of which it has changed a page, are not among them: the changes would be
    lost.
    """
    found, prefix = list[tuple[int, int]](), os.fsencode(folder) + b"/"
    with contextlib.suppress(OSError), open("/proc/self/smaps", "rb") as file:
        for line in file:
            fields = line.split(maxsplit=5)
            if b"-" in fields[0]:
                addresses = fields[0]
                is_there = b"w" not in fields[1] and fields[5:] and fields[5].startswith(prefix)
            elif is_there and fields[:2] == [b"Anonymous:", b"0"]:
                first, last = (int(address, 16) for address in addresses.split(b"-"))
                found.append((first, last))
    return found
