"""Tables of the least depths of sets of states (numpy)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cubesolve.encodings.byte.enumeration import Depths
from cubesolve.errors import CorruptTableError
from cubesolve.spaces.tables import Fold


def folded(depths: Depths, fold: Fold) -> Depths:
    """Return the least depth of each set of states.

    >>> folded(np.array([4, 5, 3, 6], np.uint8), Fold("all", height=2, width=2)).tolist()
    [3, 5]
    """
    least: Depths = depths.reshape(-1, fold.height, fold.width).min(axis=1).reshape(-1)
    return least


def require_folded(least: Depths, depths: Depths, fold: Fold, path: str, pattern: Callable[[int], str]) -> None:
    """Require that each entry is the least depth of its states.

    Raises:
        CorruptTableError: an entry is wrong.
    """
    by_entry = depths.reshape(-1, fold.height, fold.width)
    claimed = least.reshape(len(by_entry), 1, -1)
    wrong = np.flatnonzero(~((by_entry == claimed).any(axis=1) & (by_entry >= claimed).all(axis=1)))
    if len(wrong):
        first = int(wrong[0])
        reason = f"pattern {first} ({pattern(first)}) has depth {least[first]}"
        raise CorruptTableError(path, f"{reason}, which is not that of its nearest state (wrong entries: {len(wrong)})")
