"""Counts of the states at each depth without a table, in as little memory as the space allows."""

from __future__ import annotations

from cubesolve.encodings.byte.enumeration import enumerate_levels
from cubesolve.encodings.methods import Ranks
from cubesolve.encodings.mod3.enumeration import count_mod3, has_mod3
from cubesolve.spaces.space import Checkpointer, Progress, StateSpace


def bits_to_count(space: StateSpace) -> int:
    """Return the bits of memory per state with which a space is counted: 2 if no move costs more than 2, else 8.

    Small spaces without symmetries have bytes, which numpy enumerates before a kernel would be loaded.

    >>> import numpy as np
    >>> ring = StateSpace(np.array([[1, 2, 0]]), np.zeros((1, 3), np.int32), np.array([[0]], np.uint32))
    >>> bits_to_count(ring)
    8
    """
    is_small = space.is_small and space.counts is None
    return 8 if is_small or not has_mod3(space) else 2


def bytes_to_count(space: StateSpace, bits: int) -> int:
    """Return the bytes of memory that counting takes: the arrays of the space, and the entries.

    States are also found from the arrays of the reversed moves, unless these are the moves themselves.

    >>> import numpy as np
    >>> ring = StateSpace(np.array([[1, 2, 0]]), np.zeros((1, 3), np.int32), np.array([[0]], np.uint32))
    >>> bytes_to_count(ring, 8) == 2 * ring.nbytes + 3
    True
    """
    is_reversed = not space.mutual and not space.leads_to_images
    return (1 + is_reversed) * space.nbytes + -(-space.states * bits // 8)


def count_states(
    space: StateSpace,
    starts: int | Ranks = 0,
    progress: Progress | None = None,
    checkpointer: Checkpointer | None = None,
) -> tuple[int, ...]:
    """Return the number of states of a puzzle at each depth, from 0.

    Args:
        starts: ranks of the states at depth 0, or the rank if there is one.
        progress: called once a depth.

    Raises:
        ValueError: a start is not a rank, or a depth is over 254.

    >>> import numpy as np
    >>> ring = StateSpace(np.array([[1, 2, 0]]), np.zeros((1, 3), np.int32), np.array([[0]], np.uint32))
    >>> count_states(ring)
    (1, 1, 1)
    """
    count = count_mod3 if bits_to_count(space) == 2 else enumerate_levels
    return count(space, starts, progress, None, checkpointer)[1]
