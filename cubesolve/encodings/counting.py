"""Counts of the states at each depth without a table, in as little memory as the space allows."""

from __future__ import annotations

from cubesolve.encodings.byte.enumeration import enumerate_levels
from cubesolve.encodings.mod3.enumeration import count_mod3, has_mod3
from cubesolve.encodings.parity.colouring import Ranks, has_parity
from cubesolve.encodings.parity.enumeration import count_by_parity
from cubesolve.encodings.parity.file import count_with_file
from cubesolve.runtime.machine import memory_limit, needs_memory
from cubesolve.spaces.space import Checkpointer, Progress, StateSpace


def bits_to_count(space: StateSpace, starts: Ranks = 0, memory: int | None = None) -> int:
    """Return the bits of memory per state with which a space is counted: 1 if every move changes a parity, 2, or 8.

    Two bits suffice if no move costs more than 2. Small spaces without symmetries have bytes, which numpy enumerates
    before a kernel would be loaded. If these bits do not fit in the memory and every move costs 1, one bit does, with
    another one in a file.

    >>> import numpy as np
    >>> ring = StateSpace(np.array([[1, 2, 0]]), np.zeros((1, 3), np.int32), np.array([[0]], np.uint32))
    >>> bits_to_count(ring)
    8
    """
    is_small = space.is_small and space.counts is None
    has_bytes = is_small or not has_mod3(space)
    bits = 8 if has_bytes else 1 if has_one_bit(space, starts) else 2
    fits = bytes_to_count(space, bits) <= memory_limit(memory)
    return 1 if space.has_unit_costs and not fits else bits


def takes_file(space: StateSpace, bits: int, starts: Ranks = 0) -> bool:
    """Return whether counting with some bits of memory per state takes another bit in a file."""
    return bits == 1 and not has_one_bit(space, starts)


def has_one_bit(space: StateSpace, starts: Ranks) -> bool:
    """Return whether one bit a state is enough, without a file."""
    has_inverses = space.mutual or not space.leads_to_images
    return has_inverses and space.has_unit_costs and has_parity(space, starts)


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
    starts: Ranks = 0,
    progress: Progress | None = None,
    checkpointer: Checkpointer | None = None,
    memory: int | None = None,
    folder: str | None = None,
) -> tuple[int, ...]:
    """Return the number of states of a puzzle at each depth, from 0.

    Args:
        starts: ranks of the states at depth 0, or the rank if there is one.
        progress: called once a depth.
        memory: the maximum number of bytes, the arrays of the space included; by default half of the machine's.
        folder: the folder of a file, if the memory has room for one bit a state; by default that of temporary files.

    Raises:
        TableError: the file cannot be written.
        ValueError: a start is not a rank, or a depth is over 254.

    >>> import numpy as np
    >>> ring = StateSpace(np.array([[1, 2, 0]]), np.zeros((1, 3), np.int32), np.array([[0]], np.uint32))
    >>> count_states(ring)
    (1, 1, 1)
    """
    bits = bits_to_count(space, starts, memory)
    size = bytes_to_count(space, bits)
    if size > memory_limit(memory):
        raise needs_memory(space.counted, size, memory)
    if takes_file(space, bits, starts):
        return count_with_file(space, starts, progress, None, checkpointer, folder)[1]
    if bits == 1:
        return count_by_parity(space, starts, progress, None, checkpointer)[1]
    count = count_mod3 if bits == 2 else enumerate_levels
    return count(space, starts, progress, None, checkpointer)[1]
