"""Exact distances and optimal solutions for permutation puzzles.

`puzzle` returns a puzzle by name, or from a file that defines one. The functions of `cubesolve.lookup` take states of
cubes and trays, whose type determines the puzzle.

>>> from cubesolve import PocketCube, lookup, puzzle
>>> lookup.solve(PocketCube.from_alg("R U2"))
"U2 R'"
>>> puzzle("skewb").solve("R U' L")
"L' U R'"
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # as in typing, whose import would delay the handler of Ctrl-C
if TYPE_CHECKING:
    from typing import Any

    from cubesolve.ask import Puzzle
    from cubesolve.catalog.pocket.cube import PocketCube
    from cubesolve.catalog.rolling.tray import Tray
    from cubesolve.catalog.rubik.cube import RubikCube
    from cubesolve.errors import (
        CorruptTableError,
        CubesolveError,
        CubesolveWarning,
        InvalidDefinitionError,
        InvalidMoveError,
        InvalidStateError,
        MissingPackageError,
        MissingTableError,
        NoMemoryError,
        OutdatedTableError,
        SearchLimitError,
        TableError,
        TooLargeError,
        UnknownPuzzleError,
        UnsolvableStateError,
        UnsupportedTableError,
    )
    from cubesolve.lookup import Tablebase, open_tablebase, puzzle, puzzles
    from cubesolve.practice.events import Scramble, scrambles

__all__ = [
    "CorruptTableError",
    "CubesolveError",
    "CubesolveWarning",
    "InvalidDefinitionError",
    "InvalidMoveError",
    "InvalidStateError",
    "MissingPackageError",
    "MissingTableError",
    "NoMemoryError",
    "OutdatedTableError",
    "PocketCube",
    "Puzzle",
    "RubikCube",
    "Scramble",
    "SearchLimitError",
    "TableError",
    "Tablebase",
    "TooLargeError",
    "Tray",
    "UnknownPuzzleError",
    "UnsolvableStateError",
    "UnsupportedTableError",
    "open_tablebase",
    "puzzle",
    "puzzles",
    "scrambles",
]

__version__ = "0.1.0"

_RARE_COLLECTIONS = 100_000, 10, 100
"""The thresholds of `gc` while most new objects live on: in a command, and while Numba compiles."""

_ELSEWHERE = {
    "PocketCube": "cubesolve.catalog.pocket.cube",
    "Puzzle": "cubesolve.ask",
    "RubikCube": "cubesolve.catalog.rubik.cube",
    "Scramble": "cubesolve.practice.events",
    "Tablebase": "cubesolve.lookup",
    "Tray": "cubesolve.catalog.rolling.tray",
    "open_tablebase": "cubesolve.lookup",
    "puzzle": "cubesolve.lookup",
    "puzzles": "cubesolve.lookup",
    "scrambles": "cubesolve.practice.events",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name == "lookup":
        return importlib.import_module("cubesolve.lookup")
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # By the name of the module: `import cubesolve` loads none of them, as the command line begins with it.
    return getattr(importlib.import_module(_ELSEWHERE.get(name, "cubesolve.errors")), name)


def __dir__() -> list[str]:
    return __all__
