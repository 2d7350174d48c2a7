"""Exact distances and shortest solutions of twisty puzzles, from precomputed tables.

Ask `cubesolve.lookup`; the states are `cubesolve.pocket.PocketCube`, `cubesolve.rubik.RubikCube` and
`cubesolve.rolling.Tray`.

>>> from cubesolve import PocketCube, lookup
>>> lookup.solve(PocketCube.from_alg("R U2"))
"U2 R'"
"""

from typing import TYPE_CHECKING, Any

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
from cubesolve.puzzles.pocket.cube import PocketCube

if TYPE_CHECKING:
    from cubesolve.puzzles.rubik.cube import RubikCube

__all__ = [
    "CorruptTableError",
    "CubesolveError",
    "InvalidMoveError",
    "InvalidStateError",
    "MissingTableError",
    "PocketCube",
    "RubikCube",
    "SearchLimitError",
    "Tablebase",
    "TableError",
    "UnsolvableStateError",
    "UnsupportedTableError",
    "open_tablebase",
]

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """What questions about pocket cubes do not wait for."""
    if name == "RubikCube":
        from cubesolve.puzzles.rubik.cube import RubikCube  # noqa: PLC0415

        return RubikCube
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
