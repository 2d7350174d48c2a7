"""Writing a file as a whole or not at all."""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Iterator
from typing import BinaryIO

_ABANDONED_AFTER = 3600.0  # seconds
_LONGEST_PREFIX = 200  # bytes; names have at most 255


@contextlib.contextmanager
def open_atomically(path: str) -> Iterator[BinaryIO]:
    """Open a file to be written; whoever reads it sees what was there before, or all of what is written.

    What is not a regular file (a pipe, a device) is written to directly.

    Args:
        path: the file.

    Yields:
        A binary file. If the block is left by an exception, what was at `path` stays there.

    Raises:
        OSError: it cannot be written; whatever was at `path` is still there.
    """
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as file:
            yield file
        return
    folder, name = os.path.split(os.path.realpath(path))
    prefix = f".{name[:_LONGEST_PREFIX]}."
    temporary = os.path.join(folder, f"{prefix}{os.getpid()}-{os.urandom(4).hex()}.tmp")
    _remove_abandoned(folder, prefix)
    try:
        with open(temporary, "x+b") as file:
            if os.path.exists(path):
                os.chmod(temporary, stat.S_IMODE(os.stat(path).st_mode))
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, os.path.join(folder, name))
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
    _sync_folder(folder)


def write_atomically(path: str, data: bytes) -> None:
    """Write a whole file; see `open_atomically`."""
    with open_atomically(path) as file:
        file.write(data)


def _remove_abandoned(folder: str, prefix: str) -> None:
    """Remove what writers that were killed left behind."""
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if name.startswith(prefix) and name.endswith(".tmp"):
            with contextlib.suppress(OSError):
                if os.stat(path).st_mtime < time.time() - _ABANDONED_AFTER:
                    os.unlink(path)


def _sync_folder(folder: str) -> None:
    """Make the new name last through a power cut, where folders can be synced."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
