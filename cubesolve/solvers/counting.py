"""Counts of the states at each depth that can be interrupted and continued (numpy)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from cubesolve.encodings import body_bytes
from cubesolve.encodings.counting import bits_to_count, count_states
from cubesolve.errors import TableError
from cubesolve.notices import notify
from cubesolve.solvers.distribution import Distribution
from cubesolve.spaces.space import Progress, StateSpace
from cubesolve.spaces.tables import CHECKPOINT, TableEntry, TableHeader
from cubesolve.store.checkpoint import Checkpoint

_LONG = 1 << 28  # states times moves: a second or so; only longer counts have checkpoints
_LARGE = 1 << 30  # bytes of memory that are announced
_MOVES_A_SECOND = 4e8  # of a processor; a rough estimate for messages
_DIGITS = 16  # characters of a digest in the name of a file


def counted(
    space: StateSpace, starts: Sequence[int], progress: Progress | None = None, *, resume: bool = False
) -> Distribution:
    """Count the states at each depth; a long count writes checkpoints between levels.

    Args:
        space: the state space.
        starts: the ranks of the states at depth 0.
        progress: called once a depth.
        resume: whether to continue from the checkpoint of an interrupted count of the same space.

    Raises:
        TooLargeError: the states do not fit in half of the memory.
        TableError: the checkpoint is damaged, or there is no folder for it.
        ValueError: a depth is over 254.
    """
    labour = space.states * len(space.base)
    if labour < _LONG and not resume:
        return Distribution(count_states(space, starts, progress))
    entry = _entry(space, starts)
    checkpoint = Checkpoint(entry, resume=resume)
    _announce(space, body_bytes(entry.header), labour / _MOVES_A_SECOND)
    _report_start(checkpoint, resume=resume)
    found = count_states(space, starts, progress, checkpointer=checkpoint)
    checkpoint.remove()
    return Distribution(found)


def _announce(space: StateSpace, size: int, seconds: float) -> None:
    """Report what a large count takes."""
    if size >= _LARGE:
        takes = f"{size / 1e9:,.1f} GB of memory, up to twice as much disk space for checkpoints"
        entries = f"{space.counted:,} states, {space.states:,} entries"
        notify(f"{entries}: {takes}, about {seconds / 60:,.0f} minutes of processor time")


def _report_start(checkpoint: Checkpoint, *, resume: bool) -> None:
    """Report whether a count continues from its checkpoint, or could."""
    try:
        depth = len(checkpoint.counts()) - 1
    except TableError:
        if resume:
            raise
        return
    if resume:
        how = f"continues from depth {depth}" if depth >= 0 else "starts anew: there is no checkpoint"
        notify(f"the count {how} {checkpoint.path}")
    elif depth >= 0:
        notify(f"the count starts anew; with --resume it would continue from depth {depth}: {checkpoint.path}")


def _entry(space: StateSpace, starts: Sequence[int]) -> TableEntry:
    """Return what identifies the checkpoint of a space: a digest of all that the counts depend on."""
    digest = hashlib.sha256(repr((sorted(starts), space.costs, space.symmetric)).encode())
    for array in (space.base, space.action, space.fibre, space.count_of_rows, *(space.symmetries or ())):
        digest.update(np.ascontiguousarray(array).data)
    bits = bits_to_count(space, starts)
    size = space.states if bits == 8 else -(-space.states * bits // 64) * 8
    name = f"count-{digest.hexdigest()[:_DIGITS]}"
    header = TableHeader(name, "count", "moves", f"states {digest.hexdigest()}", size, (), "", CHECKPOINT)
    return TableEntry(header, built_by="--count")
