"""Building and proving the tables of puzzles that ship, by name."""

from __future__ import annotations

from cubesolve.catalog import entry_named
from cubesolve.spaces.space import Progress
from cubesolve.store.build import build, verify
from cubesolve.store.folders import Folder


def build_table(
    name: str,
    directory: Folder | None = None,
    progress: Progress | None = None,
    workers: int | None = None,
    *,
    resume: bool = False,
) -> str:
    """Build a table; see `store.build.build`.

    Args:
        name: a table of a puzzle that ships.
        directory: the folder to write to; by default see `folders.build_folder`.
        progress: called once a depth.
        workers: number of threads; by default one for each processor.
        resume: whether to go on where an earlier build ended, if that took so long that it was kept between levels.

    Returns:
        The path of the file.

    Raises:
        ValueError: no such table.
        TableError: the file cannot be written; whatever was there before still is.
        CorruptTableError: the depths found are not what they should be (a broken machine), or what the earlier build
            left is damaged.
    """
    return build(*entry_named(name), directory, progress, workers, resume=resume)


def verify_table(name: str, directory: Folder | None = None, workers: int | None = None) -> str:
    """Read a table's file and prove that every entry is right.

    Args:
        name: a table of a puzzle that ships.
        directory: the only folder to look in; see `folders.table_folders`.
        workers: number of threads; by default one for each processor.

    Returns:
        The path of the file.

    Raises:
        ValueError: no such table.
        MissingTableError: no folder has it.
        TableError: it cannot be read, is damaged, or has a wrong entry; the message names the state.
    """
    return verify(*entry_named(name), directory, workers)
