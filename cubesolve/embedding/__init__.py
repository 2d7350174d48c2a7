"""ES modules that hold the table of a puzzle and answer questions about its states.

A module depends on nothing else. `docs/engineers.md` describes its functions. `embedded` has the
puzzle, its ranks and its table.
"""

from __future__ import annotations

import json
import os
from importlib.resources import files

from cubesolve.ask import Puzzle
from cubesolve.embedding.embedded import Embedded, embedded
from cubesolve.errors import quoted
from cubesolve.runtime.files import open_atomically

__all__ = ["SUFFIX", "embed"]

SUFFIX = ".mjs"
"""The suffix of a module."""

_TYPES = ".d.mts"


def embed(puzzle: Puzzle, path: str | os.PathLike[str], metric: str | None = None) -> list[str]:
    """Write an ES module that solves a puzzle, with the table of all its states, and its TypeScript types.

    Args:
        puzzle: the puzzle, also with other moves or costs (`Puzzle.restrict`), or with a goal (`Puzzle.towards`).
        path: the file; its suffix is ``.mjs``.
        metric: the metric; by default the usual one.

    Returns:
        The files.

    Raises:
        TooLargeError: the puzzle has more than 16,777,216 states.
        ValueError: the suffix is another, the puzzle has no definition or no such metric, it has several goals with
            tables of their own, or a move cannot be undone.
        OSError: a file cannot be written.

    >>> import pathlib, tempfile
    >>> from cubesolve import puzzle
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [pathlib.Path(each).name for each in embed(puzzle("pyraminx-duo"), f"{folder}/duo.mjs")]
    ['duo.mjs', 'duo.d.mts']
    """
    stem, suffix = os.path.splitext(os.fspath(path))
    if suffix != SUFFIX:
        raise ValueError(f"the suffix of {quoted(os.fspath(path))} must be {SUFFIX}")
    texts = {stem + SUFFIX: module(embedded(puzzle, metric)), stem + _TYPES: types()}
    for name, text in texts.items():
        with open_atomically(name) as file:
            file.write(text.encode())
    return list(texts)


def module(found: Embedded) -> str:
    """Return an ES module that solves a puzzle; `docs/engineers.md` describes it."""
    about = found.description
    described = ",\n  ".join(f"{json.dumps(name)}: {compact(value)}" for name, value in about.items())
    return f"""\
// {about["title"]}: optimal solutions in the metric {about["metric"]}, by a table of all {found.depths.size:,} states.
// Made by cubesolve (MIT licence).

{source()}
const {{ {", ".join(_exported())} }} = makeSolver({{
  {described}
}}, await unpack("{found.packed()}"));
export {{ {", ".join(_exported())} }};
"""


def source() -> str:
    """Return the functions that make a solver of a description and arrays."""
    return files(__package__).joinpath("solver.js").read_text("utf-8")


def types() -> str:
    """Return the TypeScript declarations of a module, which are the same for every puzzle."""
    return files(__package__).joinpath("solver.d.ts").read_text("utf-8")


def _exported() -> list[str]:
    return [line.split()[2].split("(")[0].rstrip(":") for line in types().splitlines() if line.startswith(_VALUES)]


_VALUES = ("export const", "export function")


def compact(value: object) -> str:
    """Return a value as JSON without blanks."""
    return json.dumps(value, separators=(",", ":"))
