"""A system without POSIX: `hide` removes from this process what Windows lacks.

What other packages import is imported before, as they have their own ways on other systems.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click.testing
import filelock
import numba
import numpy as np
import platformdirs
import platformdirs.unix

from tests.without_numpy import Missing

OTHERS = [click, filelock, numba, np, platformdirs]
MODULES = {"fcntl", "grp", "pwd", "pty", "resource", "syslog", "termios", "tty"}
NAMES: dict[Any, str] = {
    os: "O_CLOEXEC O_DIRECTORY O_NOCTTY O_NOFOLLOW O_NONBLOCK O_SYNC chown fchdir fchmod fchown fork geteuid getuid "
    "mkfifo openpty register_at_fork sched_getaffinity statvfs sysconf",
    signal: "SIGALRM SIGHUP SIGPIPE SIGQUIT SIGUSR1 SIGXFSZ alarm pause setitimer",
    mmap: "MAP_ANONYMOUS MAP_PRIVATE MAP_SHARED MADV_HUGEPAGE",
}


def _in_use() -> Iterator[str]:
    """The open and mapped files of this process, which Windows can neither replace nor remove."""
    for each in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            yield os.readlink(each)
    yield from (line.split(maxsplit=5)[-1].strip() for line in Path("/proc/self/maps").read_text().splitlines())


def _without_descriptors(function: Callable[..., Any], moves_files: bool = False) -> Callable[..., Any]:
    """Functions without folder descriptors."""

    def call(path: Any, *arguments: Any, **options: Any) -> Any:
        if any(value is not None for name, value in options.items() if name.endswith("dir_fd")):
            raise NotImplementedError("dir_fd unavailable on this platform")
        if isinstance(path, int):
            raise TypeError(f"expected a path, not {path}")
        if function is _open and os.path.isdir(path):
            raise PermissionError(13, "Permission denied", path)
        if moves_files and set(_in_use()) & {os.path.abspath(each) for each in (path, *arguments)}:
            raise PermissionError(13, "The process cannot access the file because it is being used", path)
        return function(path, *arguments, **options)

    return call


class _Memory(mmap.mmap):
    """A mapping without flags."""

    def __new__(cls, fileno: int, length: int, tagname: str | None = None, access: int = 0) -> _Memory:
        assert tagname is None
        return super().__new__(cls, fileno, length, access=access) if access else super().__new__(cls, fileno, length)


class _FileLock:
    """A lock whose file cannot be removed while it is held, and is removed afterwards."""

    def __init__(self, path: str, **_: Any) -> None:
        self._path = path

    @contextlib.contextmanager
    def acquire(self, _: float, **__: Any) -> Iterator[None]:
        with Path(self._path).open("wb"):
            yield
        Path(self._path).unlink()


_open = os.open


def hide() -> None:
    """Remove it before any import of cubesolve."""
    assert "cubesolve" not in sys.modules
    sys.meta_path.insert(0, Missing(MODULES))
    for name in MODULES:
        sys.modules.pop(name, None)
    for module, names in NAMES.items():
        for name in names.split():
            delattr(module, name)
    for name in ("open", "mkdir", "listdir", "scandir"):
        setattr(os, name, _without_descriptors(getattr(os, name)))
    for name in ("unlink", "remove", "rename", "replace"):
        setattr(os, name, _without_descriptors(getattr(os, name), moves_files=True))
    mmap.mmap = _Memory  # type: ignore[assignment,misc]
    filelock.FileLock = _FileLock  # type: ignore[assignment]  # that of filelock here needs POSIX
    tempfile.TemporaryFile = tempfile.NamedTemporaryFile  # type: ignore[assignment]  # as it is where open files stay
    from cubesolve.runtime import machine

    machine.require_executable_memory = lambda: None  # type: ignore[assignment]  # Linux alone is asked
