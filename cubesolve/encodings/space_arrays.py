"""The arrays of a state space, as kernels read them (numpy)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.runtime.kernel_arrays import Read1, Read2
from cubesolve.runtime.kernels import part
from cubesolve.spaces.space import FibreSymmetries, StateSpace


class SpaceArrays(NamedTuple):
    """The contiguous arrays of a `StateSpace`."""

    base: Read2[np.int32]  # (moves, A)
    offsets: Read2[np.uint32]  # (moves, A); of the shape (0, 0) if all are 0
    action: Read2[np.uint16]  # (moves, A): the lower half of each number
    higher: Read2[np.uint16]  # (moves, A): the higher half; of the shape (0, 0) if all are 0
    fibre: Read2[np.uint32]  # (actions, B)
    costs: Read1[np.uint8]  # (moves,)
    counts: Read1[np.uint8]  # (A,)
    symmetries: FibreSymmetries  # arrays of the shape (0, 0) if none act


_HALF = 16
_NO_SYMMETRIES = FibreSymmetries(np.empty((0, 0), np.uint8), np.empty((0, 0), np.uint32))


def arrays_of(space: StateSpace, *, symmetries: bool = False) -> SpaceArrays:
    """Return the arrays of a space for kernels that let symmetries act on the fibre, or do not; few are copied."""
    if not symmetries and space.symmetries is not None:
        raise ValueError("a space with symmetries that act on its fibre is not supported here")
    is_short, none = space.action.dtype == np.uint16, (0, 0)
    return SpaceArrays(
        np.ascontiguousarray(space.base, np.int32),
        np.empty(none, np.uint32) if space.offsets is None else np.ascontiguousarray(space.offsets, np.uint32),
        np.ascontiguousarray(space.action, np.uint16),
        np.empty(none, np.uint16) if is_short else (space.action >> _HALF).astype(np.uint16),
        np.ascontiguousarray(space.fibre, np.uint32),
        space.cost_of_moves,
        np.ascontiguousarray(space.count_of_rows, np.uint8),
        space.symmetries or _NO_SYMMETRIES,
    )


@part
def read_row(space: SpaceArrays, a: int | np.int64, steps: NDArray[np.int64]) -> None:
    """Read for each move from row `a` the rank to which it adds a row of the fibre, -1 if impossible, and that row."""
    base, offsets, action, higher, fibre = space[:5]
    are_apart, are_many, width = len(offsets) > 0, len(higher) > 0, fibre.shape[1]
    for m in range(len(base)):
        steps[m, 0], steps[m, 1] = np.int64(base[m, a]) * width, np.int64(action[m, a])
        if base[m, a] < 0:
            steps[m, 0] = -1
        elif are_apart:
            steps[m, 0] += np.int64(offsets[m, a])
        if are_many:
            steps[m, 1] += np.int64(higher[m, a]) << 16


@part
def acted_on(
    symmetries: FibreSymmetries, m: int, a: int, chosen: NDArray[np.uint32], count: Any, there: NDArray[np.uint32]
) -> NDArray[np.uint32]:
    """Return the first `count` of some fibre states as move `m` finds them in row `a`: if a symmetry acts, `there`."""
    if len(symmetries.images) == 0 or symmetries.numbers[m, a] == 0:
        return chosen
    image = symmetries.images[symmetries.numbers[m, a]]
    for i in range(count):
        there[i] = image[chosen[i]]
    return there
