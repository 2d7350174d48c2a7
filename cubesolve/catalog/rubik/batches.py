"""Batches of 3x3x3 cubes, read one by one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from cubesolve.catalog.rubik.cube import RubikCube
from cubesolve.errors import InvalidStateError
from cubesolve.solvers.faults import InvalidState, read_each

if TYPE_CHECKING:
    from cubesolve.catalog.rubik import RubikRules

_SYMBOLS = 0x20000  # the first of a range of characters that stand for numbers


def read_batch(rules: RubikRules, batch: object, invalid: str) -> list[RubikCube | InvalidState]:
    """Return the cubes of a batch, with an error in the place of each invalid one."""
    return read_each(_listed(batch), rules.view.read_row, invalid)


def _listed(batch: Any) -> list[object]:
    """Yield the states of a batch one by one; numbers as colours become symbols."""
    kind = getattr(getattr(batch, "dtype", None), "kind", "O")
    if isinstance(batch, type) or not hasattr(batch, "__iter__") or getattr(batch, "shape", None) == ():
        raise InvalidStateError(f"cubes must be a list or an array, not of the type {type(batch).__name__}", "type")
    states = list(batch.reshape(len(batch), math.prod(batch.shape[1:])).tolist()) if kind in "iu" else list(batch)
    if kind not in "iu":
        return [each.decode("latin-1") if isinstance(each, bytes) else each for each in states]
    return ["".join(str(n) if 0 <= n < 10 else chr(_SYMBOLS + n % 0x10000) for n in facelets) for facelets in states]
