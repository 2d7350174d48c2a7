"""Questions about arrays that only pocket cubes have."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cubesolve.catalog.pocket.rules import PocketGraph
from cubesolve.catalog.pocket.spaces import pocket_facelets
from cubesolve.errors import quoted

if TYPE_CHECKING:
    from cubesolve.catalog.pocket.symmetry import SymmetryClasses
    from cubesolve.solvers.arrays import GraphArrays


def facelets_of(
    arrays: GraphArrays, ranks: ArrayLike, colours: str | Sequence[int], workers: int | None
) -> NDArray[np.uint8]:
    """Return the facelets of pocket cubes with some ranks, the corner DBL at home, as `PocketCube.unrank` does."""
    try:
        codes = [ord(each) if isinstance(each, str) else operator.index(each) for each in colours]
    except TypeError:
        codes = []
    if len(codes) != 6 or len(set(codes)) != 6 or not all(0 <= code < 256 for code in codes):
        raise ValueError(f"colours must be six different bytes, not {quoted(str(colours))}")
    return arrays.made_of(ranks, lambda part: pocket_facelets(part, codes), np.dtype(("u1", (24,))), workers)


def classes_of(arrays: GraphArrays, inversion: bool, workers: int | None) -> SymmetryClasses:
    """Return the classes of states that are the same up to the 48 symmetries of a cube."""
    from cubesolve.catalog.pocket.symmetry import pocket_classes  # noqa: PLC0415  # needs numba

    if not isinstance(arrays.graph, PocketGraph):
        raise ValueError(f"{arrays.graph.entry.name} is not a table of the pocket cube")
    return pocket_classes(arrays.body, inversion, workers)
