"""Where tables are looked for, and where they are built."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator

from cubesolve.errors import CubesolveWarning, MissingTableError, TableError, printable
from cubesolve.folders import data_folder
from cubesolve.spaces.tables import TableEntry

Folder = str | os.PathLike[str]
"""How a folder may be given."""

FOLDER_VARIABLE = "CUBESOLVE_TABLES"
"""The environment variable that names a folder of tables."""

SUFFIX = ".zst"
"""What a table's name is followed by in the name of its file."""

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_CHECKOUT = os.path.dirname(_PACKAGE)
_OWN = os.path.join(_CHECKOUT, "tables")


def table_folders(directory: Folder | None = None) -> Iterator[str]:
    """The folders in which tables are looked for, in order.

    Args:
        directory: the only folder to look in. Without it: the one that ``CUBESOLVE_TABLES`` names, the checkout's
            ``tables``, the copy inside an installed wheel, ``tables`` in the user's data folder.

    >>> list(table_folders("/some/folder"))
    ['/some/folder']
    """
    if directory is not None:
        yield os.fspath(directory)
        return
    named = os.environ.get(FOLDER_VARIABLE, "")
    if named:
        yield named
    if _is_checkout():
        yield _OWN
    else:
        yield os.path.join(_PACKAGE, "tables")
    own = data_folder()
    if own:
        yield os.path.join(own, "tables")


def build_folder(directory: Folder | None = None, *, ships: bool = True) -> str:
    """The folder in which tables are built.

    Args:
        directory: this one. Without it: the one that ``CUBESOLVE_TABLES`` names, the checkout's ``tables``, if it can
            be written, or ``tables`` in the user's data folder.
        ships: whether they are of puzzles that ship; others have no business in a checkout.

    Raises:
        TableError: there is no such folder.
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
    """The folder in which a table is built; see `build_folder`."""
    return build_folder(directory, ships=not entry.built_by)


def _is_checkout() -> bool:
    return os.path.exists(os.path.join(_CHECKOUT, "pyproject.toml"))


def find_table(name: str, directory: Folder | None = None, *, built_by: str = "", effort: str = "") -> str:
    """The path of a table's file.

    Args:
        name: the table's name.
        directory: see `table_folders`.
        built_by: what builds it, for the error that says how, if that is not its name.
        effort: what it takes.

    Raises:
        MissingTableError: no folder has it.
    """
    if directory is None:
        _warn_of_no_folder()
    folders = []
    for folder in table_folders(directory):
        path = os.path.join(folder, name + SUFFIX)
        if os.path.lexists(path):
            return path
        folders.append(folder)
    build_in = None if directory is None else folders[0]
    raise MissingTableError(name, folders, build_in=build_in, built_by=built_by, effort=effort)


def _warn_of_no_folder() -> None:
    """Say so, once, if the environment names what is no folder."""
    named = os.environ.get(FOLDER_VARIABLE, "")
    if named and not os.path.isdir(named) and named not in _warned_of:
        _warned_of.add(named)
        warnings.warn(
            CubesolveWarning(f"{FOLDER_VARIABLE} names {printable(named)}, which is not a folder"), stacklevel=3
        )


_warned_of = set[str]()
