"""Where tables are looked for, and where they are built."""

from __future__ import annotations

import os

from cubesolve.errors import MissingTableError

Folder = str | os.PathLike[str]
"""How a folder may be given."""

FOLDER_VARIABLE = "CUBESOLVE_TABLES"
"""The environment variable that names a folder of tables."""

SUFFIX = ".zst"
"""What a table's name is followed by in the name of its file."""

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_CHECKOUT = os.path.dirname(_PACKAGE)


def table_folders(directory: Folder | None = None) -> list[str]:
    """The folders in which tables are looked for, in order; the first one is where they are built.

    Args:
        directory: the only folder to look in. Without it: the one that ``CUBESOLVE_TABLES`` names, the checkout's
            ``tables``, the copy inside an installed wheel.

    >>> table_folders("/some/folder")
    ['/some/folder']
    """
    if directory is not None:
        return [os.fspath(directory)]
    folders = [os.environ.get(FOLDER_VARIABLE, "")]
    if os.path.exists(os.path.join(_CHECKOUT, "pyproject.toml")):
        folders.append(os.path.join(_CHECKOUT, "tables"))
    folders.append(os.path.join(_PACKAGE, "tables"))
    return [folder for folder in folders if folder]


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
    folders = table_folders(directory)
    for folder in folders:
        path = os.path.join(folder, name + SUFFIX)
        if os.path.lexists(path):
            return path
    build_in = None if directory is None else folders[0]
    raise MissingTableError(name, folders, build_in=build_in, built_by=built_by, effort=effort)
