"""Work that the workers of a test run share."""

from __future__ import annotations

import contextlib
import functools
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

from cubesolve.lookup import building
from cubesolve.store.folders import find_table

try:
    import fcntl
except ModuleNotFoundError:  # on Windows, where one worker runs the tests
    fcntl = None  # type: ignore[assignment]


@contextlib.contextmanager
def locked(path: Path) -> Iterator[TextIO]:
    """Return a locked file, positioned at its end."""
    with path.open("a") as file:
        if fcntl:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield file


def once(path: Path, do: Callable[[], object]) -> None:
    """Run a function unless a file records that it ran; concurrent callers wait."""
    with locked(path) as file:
        if not path.stat().st_size:
            do()
            file.write("done")


def build_once(folder: Path, *names: str) -> str:
    """Build tables in a shared folder, and return it; tests that must not see other tables use their own folder."""
    for name in names:
        folder.mkdir(exist_ok=True)
        once(folder / f"{name}.done", functools.partial(building.build_table, name, folder))
    return str(folder)


def copy_two_phase(folder: Path) -> str:
    """Copy the default table of short solutions to a folder of tables, and return the folder.

    Longer searches would otherwise build it there.
    """
    shutil.copy(find_table("rubik-two-phase"), folder)
    return str(folder)
