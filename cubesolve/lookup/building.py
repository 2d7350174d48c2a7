"""Building and proving the tables of puzzles that ship, by name."""

from __future__ import annotations

from cubesolve.catalog import entry_named
from cubesolve.errors import lacking

try:
    from cubesolve.spaces.space import Progress
    from cubesolve.store.build import build, verify
    from cubesolve.store.folders import Folder
except ModuleNotFoundError as error:
    raise lacking(error) from None


def build_table(
    name: str,
    directory: Folder | None = None,
    progress: Progress | None = None,
    workers: int | None = None,
    *,
    resume: bool = False,
) -> str:
    """Build a table, prove it, and compare it with pinned values.

    Args:
        name: a table of a puzzle that ships.
        directory: the folder to write to; by default, that of `folders.build_folder`.
        progress: called once per depth.
        workers: number of threads; by default one per processor.
        resume: continue from the checkpoint of an interrupted build, if there is one.

    Returns:
        The path of the file.

    Raises:
        ValueError: there is no such table.
        TableError: the file cannot be written; an existing file stays.
        CorruptTableError: the depths differ from the pinned ones (a broken machine), or the checkpoint is damaged.
    """
    return build(*entry_named(name), directory, progress, workers, resume=resume)


def verify_table(name: str, directory: Folder | None = None, workers: int | None = None) -> str:
    """Read a table's file and prove that every entry is right.

    Args:
        name: a table of a puzzle that ships.
        directory: the only folder to search; by default, those of `folders.table_folders`.
        workers: number of threads; by default one per processor.

    Returns:
        The path of the file.

    Raises:
        ValueError: there is no such table.
        MissingTableError: no folder has the table.
        TableError: the table cannot be read, is damaged, or has a wrong entry; the message names the state.
    """
    return verify(*entry_named(name), directory, workers)
