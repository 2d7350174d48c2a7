"""The folders in which tables are looked up and built."""

from __future__ import annotations

import functools
import os
import warnings
from collections.abc import Iterator

from cubesolve.errors import CubesolveWarning, MissingTableError, TableError, printable
from cubesolve.runtime.files import data_folder
from cubesolve.spaces.tables import TableEntry

Folder = str | os.PathLike[str]
"""The types of a path to a folder."""

FOLDER_VARIABLE = "CUBESOLVE_TABLES"
"""The environment variable that names a folder of tables."""

SUFFIX = ".zst"
"""The suffix of a table's file."""

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_CHECKOUT = os.path.dirname(_PACKAGE)
_OWN = os.path.join(_CHECKOUT, "tables")


def table_folders(directory: Folder | None = None) -> Iterator[str]:
    """Return the folders in which tables are looked up, in order.

    Args:
        directory: the only folder to look in. By default: the one that ``CUBESOLVE_TABLES`` names, ``tables`` in the
            checkout, the copy in an installed wheel, ``tables`` in the user's data folder.

    >>> list(table_folders("/some/folder"))
    ['/some/folder']
    """
    if directory is not None:
        yield os.fspath(directory)
        return
    named = os.environ.get(FOLDER_VARIABLE, "")
    if named:
        yield named
    yield _OWN if _is_checkout() else os.path.join(_PACKAGE, "tables")
    own = data_folder()
    if own:
        yield os.path.join(own, "tables")


def build_folder(directory: Folder | None = None, *, ships: bool = True) -> str:
    """Return the folder in which tables are built.

    Args:
        directory: this folder. By default: the one that ``CUBESOLVE_TABLES`` names, ``tables`` in the checkout if it is
            writable, or ``tables`` in the user's data folder.
        ships: whether the tables are of puzzles in the catalog; others are not built in a checkout.
    """
    if directory is not None:
        return os.fspath(directory)
    named = os.environ.get(FOLDER_VARIABLE, "")
    if named:
        return named
    if ships and _is_checkout() and os.access(_OWN if os.path.isdir(_OWN) else _CHECKOUT, os.W_OK):
        return _OWN
    own = data_folder()
    if own is None:
        raise TableError(_OWN, f"cannot be written, and the user has no other folder: {FOLDER_VARIABLE} can name one")
    return os.path.join(own, "tables")


def folder_of(entry: TableEntry, directory: Folder | None = None) -> str:
    """Return the folder in which a table is built; see `build_folder`."""
    return build_folder(directory, ships=not entry.built_by)


def _is_checkout() -> bool:
    return os.path.exists(os.path.join(_CHECKOUT, "pyproject.toml"))


def find_table(name: str, directory: Folder | None = None, *, built_by: str = "", effort: str = "") -> str:
    """Return the path of a table's file.

    Args:
        name: the table's name.
        directory: see `table_folders`.
        built_by: the argument of ``cubesolve tables build`` for the message, if it is not the name.
        effort: the time and memory that it takes.

    Raises:
        MissingTableError: no folder has it.
    """
    if directory is None:
        _require_folder(os.environ.get(FOLDER_VARIABLE, ""))
    folders = []
    for folder in table_folders(directory):
        path = os.path.join(folder, name + SUFFIX)
        if os.path.lexists(path):
            return path
        folders.append(folder)
    build_in = None if directory is None else folders[0]
    raise MissingTableError(name, folders, build_in=build_in, built_by=built_by, effort=effort)


@functools.cache
def _require_folder(named: str) -> None:
    """Warn, once, if the environment variable names a path that is not a folder."""
    if named and not os.path.isdir(named):
        reason = f"{FOLDER_VARIABLE} names {printable(named)}, which is not a folder"
        warnings.warn(CubesolveWarning(reason), stacklevel=3)
