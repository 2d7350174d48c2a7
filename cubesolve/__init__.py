"""Exact distances and shortest solutions of twisty puzzles, from precomputed tables.

Ask `cubesolve.lookup`; the states are `cubesolve.pocket.PocketCube`, `cubesolve.rubik.RubikCube` and
`cubesolve.rolling.Tray`.

>>> from cubesolve import PocketCube, lookup
>>> lookup.solve(PocketCube.from_alg("R U2"))
"U2 R'"
"""

from cubesolve.errors import (
    CorruptTableError,
    CubesolveError,
    InvalidMoveError,
    InvalidStateError,
    MissingTableError,
    SearchLimitError,
    TableError,
    UnsolvableStateError,
    UnsupportedTableError,
)
from cubesolve.lookup import Tablebase, open_tablebase
from cubesolve.pocket import PocketCube

__all__ = [
    "CorruptTableError",
    "CubesolveError",
    "InvalidMoveError",
    "InvalidStateError",
    "MissingTableError",
    "PocketCube",
    "SearchLimitError",
    "Tablebase",
    "TableError",
    "UnsolvableStateError",
    "UnsupportedTableError",
    "open_tablebase",
]

__version__ = "0.1.0"
