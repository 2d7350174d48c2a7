"""The search with hashed tables of a puzzle that is given by a definition (numpy)."""

from __future__ import annotations

from collections.abc import Sequence

from cubesolve.group.permutations import Arrangement, Permutation
from cubesolve.group.symmetries import symmetries
from cubesolve.runtime.kernels import compile_meanwhile, is_ready
from cubesolve.search.hashed import HashedSolver, descend
from cubesolve.search.packed import PackedPuzzle, TooManyLabelsError
from cubesolve.spaces.defined import DerivedGraph


def newly_hashed(
    graph: DerivedGraph,
    sources: Sequence[Permutation],
    solved: Sequence[Arrangement],
    memory: int,
    most: int,
    images: int,
) -> HashedSolver | None:
    """Return the search with a hashed table of at most `memory` bytes; None if there are too many labels.

    Args:
        memory: the maximum number of bytes.
    """
    try:
        found = symmetries(solved, graph.reduction.moves)
        puzzle = PackedPuzzle(sources, solved, graph.canonical.following, found)
    except TooManyLabelsError:
        return None
    return HashedSolver(puzzle, memory, most, images)


def is_compiling() -> bool:
    """Begin to compile the search with hashed tables in another process; return whether it has to be waited for."""
    compile_meanwhile(descend)
    return not is_ready(descend)
