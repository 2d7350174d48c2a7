"""Questions about arrays that only pocket cubes have: their facelets, and their symmetry classes."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cubesolve.catalog.pocket import PocketGraph
from cubesolve.catalog.pocket import cube as pocket
from cubesolve.catalog.pocket.spaces import pocket_facelets, pocket_inverses
from cubesolve.definition.facelets import Rearrange, symmetries
from cubesolve.errors import quoted
from cubesolve.runtime.workers import Workers

if TYPE_CHECKING:
    from cubesolve.solvers.arrays import GraphArrays

_CHUNK = 1 << 14
# The images of the faces URFDLB under y, and under a third of a turn about the corner URF followed by the inversion of
# space; these generate all 48 symmetries.
_GENERATORS = ("UFLDBR", "LBDRFU")


def facelets_of(
    arrays: GraphArrays, ranks: ArrayLike, colours: str | Sequence[int], workers: int | None
) -> NDArray[np.uint8]:
    """Return the facelets of pocket cubes with some ranks, the corner DBL at home, as `PocketCube.unrank` does."""
    try:
        codes = [ord(colour) if isinstance(colour, str) else operator.index(colour) for colour in colours]
    except TypeError:
        codes = []
    if len(codes) != 6 or len(set(codes)) != 6 or not all(0 <= code < 256 for code in codes):
        raise ValueError(f"colours must be six different bytes, not {quoted(str(colours))}")
    return arrays.made_of(ranks, lambda part: pocket_facelets(part, codes), np.dtype(("u1", (24,))), workers)


class SymmetryClasses(NamedTuple):
    """The symmetry classes of states.

    Attributes:
        representative: int32 (classes,): the smallest rank of each, in ascending order.
        size: uint8 (classes,): the number of states of each.
        depth: uint8 (classes,): the depth of all of them.
        class_of: int32 (states,): the number of the class of each state.
    """

    representative: NDArray[np.int32]
    size: NDArray[np.uint8]
    depth: NDArray[np.uint8]
    class_of: NDArray[np.int32]


def classes_of(arrays: GraphArrays, inversion: bool, workers: int | None) -> SymmetryClasses:
    """Return the classes of the states of the pocket cube under the 48 symmetries of a cube, and perhaps inversion.

    There are 77,802, and 40,296 with inversion (Bruce Norskog, "Antisymmetry and the 2x2x2 Cube", Domain of the Cube
    Forum, 17 March 2007, who counts each state in all its orientations).
    """
    if not isinstance(arrays.graph, PocketGraph):
        raise ValueError(f"{arrays.graph.entry.name} is not a table of the pocket cube")
    depths = arrays.body
    images = [_images(arrange, faces, workers) for arrange, faces in symmetries(2) if faces in _GENERATORS]
    if inversion:
        images.append(pocket_inverses())
    least, before = np.arange(pocket.STATES, dtype=np.int32), np.empty(0, np.int32)
    while not np.array_equal(least, before):
        before = least
        for image in images:
            least = np.minimum(least, least[image])
        least = least[least]  # the least known representative: chains are halved
    is_least = least == np.arange(pocket.STATES)
    representative = np.flatnonzero(is_least).astype(np.int32)
    class_of = (np.cumsum(is_least, dtype=np.int32) - 1)[least]
    return SymmetryClasses(representative, np.bincount(class_of).astype(np.uint8), depths[representative], class_of)


def _images(arrange: Rearrange, faces: str, workers: int | None) -> NDArray[np.int32]:
    """Return the image of every state under a symmetry: it moves the facelets, and maps the colours."""
    from cubesolve.catalog.pocket.facelets import read_facelets  # noqa: PLC0415  # needs numba

    sources = arrange(range(len(pocket.FACELET_NAMES)))

    def find(first: int, last: int) -> NDArray[np.int32]:
        facelets = pocket_facelets(np.arange(first, last), faces.encode())[:, sources]
        return read_facelets(np.ascontiguousarray(facelets), at_home=True)

    with Workers(pocket.STATES, workers, at_most=_CHUNK) as pool:
        return np.concatenate(pool.run(find))
