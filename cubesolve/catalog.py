"""Every table by name: what its header must say, where it starts, who published its distribution, where it is found.

The catalog is data only, so that looking a table up loads nothing that building one needs.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from cubesolve.errors import MissingTableError
from cubesolve.tablefile import SUFFIX, TableHeader

FOLDER_VARIABLE = "CUBESOLVE_TABLES"
"""The environment variable that names a folder of tables."""

_PACKAGE = os.path.dirname(os.path.abspath(__file__))
_CHECKOUT = os.path.dirname(_PACKAGE)


class CatalogEntry(NamedTuple):
    """One table.

    Attributes:
        header: what the header of its file says, to the letter.
        start: index of the entry at depth 0.
        source: where the distribution was published.
    """

    header: TableHeader
    start: int
    source: str

    @property
    def name(self) -> str:
        """The table's name.

        >>> CATALOG["pocket-htm"].name
        'pocket-htm'
        """
        return self.header.name


_POCKET = CatalogEntry(
    TableHeader(
        name="pocket-htm",
        puzzle="pocket",
        metric="htm",
        scheme="729 * corner permutation + twist, DBL fixed",
        entries=3_674_160,
        distribution=(1, 9, 54, 321, 1847, 9992, 50136, 227536, 870072, 1887748, 623800, 2644),
        sha256="5ea057297093be58ae3cbb36ef471415e30eb6b600356c2c0237f5174fb1e6c2",
    ),
    start=0,
    source="Wikipedia, 'Pocket Cube', table of positions by half-turn depth",
)
_POCKET_QTM = CatalogEntry(
    _POCKET.header._replace(
        name="pocket-qtm",
        metric="qtm",
        distribution=(
            *(1, 6, 27, 120, 534, 2256, 8969, 33058, 114149, 360508),
            *(930588, 1350852, 782536, 90280, 276),
        ),
        sha256="9a13a72b3cd81d1c2b6763e84c5c1c0cf72d6a8573c56cbe51034b7cf9bff22d",
    ),
    start=0,
    source="Wikipedia, 'Pocket Cube', table of positions by quarter-turn depth",
)

CATALOG = {entry.name: entry for entry in (_POCKET, _POCKET_QTM)}
"""Every table that cubesolve knows, in the order in which they are built by default."""


def table_folders(directory: str | None = None) -> list[str]:
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


def find_table(name: str, directory: str | None = None) -> str:
    """The path of a table's file.

    Args:
        name: the table's name.
        directory: see `table_folders`.

    Raises:
        MissingTableError: no folder has it.
    """
    folders = table_folders(directory)
    for folder in folders:
        path = os.path.join(folder, name + SUFFIX)
        if os.path.lexists(path):
            return path
    raise MissingTableError(name, folders)
