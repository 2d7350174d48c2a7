"""Solvers in other languages: files that hold the table of a puzzle and answer questions about its states.

A file depends on nothing else. `docs/embedding.md` describes the functions, and every byte.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import NamedTuple

from cubesolve.ask import Puzzle
from cubesolve.embedding.embedded import Embedded, embedded
from cubesolve.embedding.header import header
from cubesolve.embedding.javascript import module, types
from cubesolve.errors import quoted
from cubesolve.runtime.atomic import open_atomically

__all__ = ["FORMATS", "Format", "embed"]


class Language(NamedTuple):
    """A language.

    Attributes:
        name: the name of the format at the command line.
        about: a description, in a line.
        files: the functions that return the files, by suffix, for a puzzle and the name of the file without a suffix;
            the first suffix is that of the given path.
    """

    name: str
    about: str
    files: Mapping[str, Callable[[Embedded, str], str]]


FORMATS = {
    ".mjs": Language(
        "esm",
        "ES module that solves the puzzle, with TypeScript types beside it (.d.mts)",
        {".mjs": lambda found, _name: module(found), ".d.mts": lambda _found, _name: types()},
    ),
    ".h": Language("c", "C header that solves the puzzle", {".h": header}),
}
"""The languages, by the suffix of a file."""


def embed(puzzle: Puzzle, path: str | os.PathLike[str], metric: str | None = None) -> list[str]:
    """Write a file that solves a puzzle, which has the table of all its states.

    Args:
        puzzle: the puzzle, also with other moves or costs (`Puzzle.restrict`), or with a goal (`Puzzle.towards`).
        path: the file; its suffix is one of `FORMATS`.
        metric: the metric; by default the usual one.

    Returns:
        The files: a module has a file of types beside it.

    Raises:
        TooLargeError: the puzzle has more than 16,777,216 states.
        ValueError: the suffix is unknown, the puzzle has no definition or no such metric, it has several goals with
            tables of their own, or a move cannot be undone.
        OSError: a file cannot be written.

    >>> import pathlib, tempfile
    >>> from cubesolve import puzzle
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [pathlib.Path(each).name for each in embed(puzzle("pyraminx-duo"), f"{folder}/duo.mjs")]
    ['duo.mjs', 'duo.d.mts']
    """
    stem, suffix = os.path.splitext(os.fspath(path))
    if suffix not in FORMATS:
        raise ValueError(f"the suffix of {quoted(os.fspath(path))} must be {' or '.join(FORMATS)}")
    found, written = embedded(puzzle, metric), []
    for ending, text in FORMATS[suffix].files.items():
        with open_atomically(stem + ending) as file:
            file.write(text(found, os.path.basename(stem)).encode())
        written.append(stem + ending)
    return written
