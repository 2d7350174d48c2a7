"""Counting with a bit for each state in memory, and another one in a file.

A level consists of the unseen states from which a move leads to a seen one. Unless a parity distinguishes the two, the
states that are found must not be seen before the level is complete. So the bits after the level are written to a file,
row by row, and read at its end. Moves need no inverses, since unseen states look for seen ones.
"""

from __future__ import annotations

import contextlib
import errno
import math
import os
import tempfile
from collections.abc import Iterator, Sequence

import numpy as np

from cubesolve.encodings.mod3.enumeration import each_level, start_ranks, unseen_table
from cubesolve.encodings.parity.colouring import Ranks
from cubesolve.encodings.parity.enumeration import Found, Sides, pull
from cubesolve.encodings.space_arrays import arrays_of
from cubesolve.errors import TableError
from cubesolve.runtime.workers import Workers
from cubesolve.spaces.space import Checkpointer, Levels, Progress, StateSpace

_AT_ONCE = 1 << 26  # states whose bits are written at once
_BITS = 64  # of a word


def count_with_file(
    space: StateSpace,
    starts: Ranks = 0,
    progress: Progress | None = None,
    workers: int | None = None,
    checkpointer: Checkpointer | None = None,
    folder: str | None = None,
) -> Levels:
    """Return the number of states at each depth, the least number of moves to a start.

    Args:
        space: the state space; every move must cost 1.
        starts: ranks of the states at depth 0, or the rank if there is one.
        progress: called once a depth, from this thread.
        workers: number of threads; by default one for each processor. The result does not depend on it.
        folder: the folder of the file, which has no name; by default that of temporary files.

    Raises:
        ValueError: a move costs more, starts are not ranks, the number of workers is invalid, or a depth is over 254.
        TableError: the file cannot be written.

    >>> ring = StateSpace(np.array([[1, 2, 0]]), np.zeros((1, 3), np.int32), np.array([[0]], np.uint32))
    >>> count_with_file(ring)[1]
    (1, 1, 1)
    """
    if not space.has_unit_costs:
        raise ValueError("a bit in memory is enough where moves cost 1")
    ranks = start_ranks(space, starts)
    levels = (checkpointer and checkpointer.begun()) or (unseen_table(space, ranks, bits=1), (space.number_of(ranks),))
    words, arrays = levels[0].view(np.uint64), arrays_of(space, symmetries=True)
    none = np.empty(0, np.uint64)
    sides, near = Sides(np.zeros(space.rows, np.uint8), none), np.ones(space.rows, np.bool_)
    keeps_rows = space.keeps_rows and space.fibre.max() < space.width  # else moves lead to more than a row
    aligned = _BITS // math.gcd(_BITS, space.width)  # rows; no two calls write to one word
    step = max(1, _AT_ONCE // (space.width * aligned)) * aligned
    place = tempfile.gettempdir() if folder is None else folder
    with _using(place):
        os.makedirs(place, exist_ok=True)
        file = tempfile.TemporaryFile(dir=place)  # noqa: SIM115  # closed below
    with file, Workers(min(step, space.rows), workers) as pool:

        def advance(_: Sequence[int]) -> int:
            nonlocal near
            number, rows = 0, np.zeros(space.rows, np.bool_)
            with _using(place):
                file.seek(0)
                for begin in range(0, space.rows, step):
                    end = min(begin + step, space.rows)
                    first, last = begin * space.width // _BITS, -(-end * space.width // _BITS)
                    found = Found(words[first:last].copy(), first, near, rows)
                    about = arrays, sides, words, none, found, 0, False
                    number += sum(
                        pool.run(lambda one, other: pull(*about, min(begin + one, end), min(begin + other, end)))  # noqa: B023
                    )
                    file.write(found.words.data)
                file.seek(0)
                if file.readinto(levels[0].data) < levels[0].nbytes:
                    raise OSError(errno.EIO, "it was truncated")
            near = rows if keeps_rows else near
            return number

        return each_level(levels, advance, progress, checkpointer)


@contextlib.contextmanager
def _using(place: str) -> Iterator[None]:
    """Report that a folder cannot be used.

    Raises:
        TableError: an operation failed.
    """
    try:
        yield
    except OSError as error:
        raise TableError(place, f"cannot be used: {error.strerror or error}") from error
