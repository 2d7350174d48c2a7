"""Building and proving the bodies of tables (numpy)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings import base_of, encoding_of
from cubesolve.encodings.entries import require_counts, require_no_fault
from cubesolve.encodings.enumeration import Depths, Ranks, distribution, enumerate_levels, require_recoverable
from cubesolve.encodings.mod3_proof import find_mod3_fault
from cubesolve.encodings.packed import enumerate_packed, find_packed_fault
from cubesolve.encodings.proof import find_fault
from cubesolve.errors import CorruptTableError
from cubesolve.spaces import space_of
from cubesolve.spaces.rules import Graph, Rules
from cubesolve.spaces.space import Checkpointer, Levels, Progress, StateSpace
from cubesolve.spaces.tables import CHECKPOINT, Fold, TableEntry, TableHeader


def make(
    rules: Rules,
    entry: TableEntry,
    progress: Progress | None = None,
    workers: int | None = None,
    checkpointer: Checkpointer | None = None,
) -> Levels:
    """Make the body of a table, and prove it right unless its digest is pinned."""
    encoding = encoding_of(entry.header)
    if entry.fold is not None:
        least = folded(make(rules, rules.table(entry.fold.table), progress, workers)[0], entry.fold)
        return least, distribution(least)
    if encoding.last_is_more:  # the pinned digests are those of proved tables
        return enumerate_packed(rules.refined_space(entry), base_of(entry.header), progress, workers, checkpointer)
    if not encoding.has_depths:
        if entry.header.encoding == CHECKPOINT:
            raise ValueError("a checkpoint is not a table that can be built or proved")
        return np.frombuffer(rules.arrays(entry), np.uint8), ()
    graph = rules.graph_of(entry)
    about = space_of(graph), list(graph.starts), entry.name, encoding.bits
    return made_of(*about, progress, workers, checkpointer, _describing(graph))


def verify(
    rules: Rules, entry: TableEntry, claimed: TableHeader, body: NDArray[np.uint8], path: str, workers: int | None
) -> None:
    """Prove that every entry of a table and the distribution in its header are right."""
    encoding = encoding_of(claimed)
    if entry.fold is not None:
        depths, _ = make(rules, rules.table(entry.fold.table), None, workers)
        require_folded(body, depths, entry.fold, path, lambda number: rules.pattern(entry, number))
        require_counts(distribution(body), claimed, path)
    elif encoding.last_is_more:  # the digest covers the counts
        require_no_fault(find_packed_fault(rules.refined_space(entry), body, base_of(claimed), workers), path)
    elif encoding.has_depths:
        graph = rules.graph_of(entry)
        about = space_of(graph), list(graph.starts), body, encoding.bits
        require_counts(proved(*about, path, workers, _describing(graph)), claimed, path)
    elif rules.arrays(entry, anew=True) != body.tobytes():
        raise CorruptTableError(path, "the arrays do not match the moves of the puzzle")


def made_of(
    space: StateSpace,
    starts: Ranks,
    name: str,
    bits: int = 8,
    progress: Progress | None = None,
    workers: int | None = None,
    checkpointer: Checkpointer | None = None,
    describe: Callable[[int], str] = "entry {}".format,
) -> Levels:
    """Enumerate a space, and prove the result; `name` is that of the table."""
    if bits == 2:
        require_recoverable(space)
    body, _ = enumerate_levels(space, starts, progress, workers, checkpointer, bits=bits)
    return body, proved(space, starts, body, bits, name, workers, describe)


def proved(
    space: StateSpace,
    starts: Ranks,
    body: NDArray[np.uint8],
    bits: int,
    path: str,
    workers: int | None = None,
    describe: Callable[[int], str] = "entry {}".format,
) -> tuple[int, ...]:
    """Prove that a body is right, with code that shares nothing with the enumeration."""
    if bits == 2:
        fault, counts = find_mod3_fault(space, body, starts, workers)
    else:
        fault, counts = find_fault(space, body, starts, workers), distribution(body)
    require_no_fault(fault, path, describe)
    return counts


def _describing(graph: Graph) -> Callable[[int], str]:
    """Return a function that describes a state."""
    return lambda rank: f"state {rank} ({graph.unrank(rank)})"


def folded(depths: Depths, fold: Fold) -> Depths:
    """Return the least depth of each set of states."""
    least: Depths = depths.reshape(-1, fold.height, fold.width).min(axis=1).reshape(-1)
    return least


def require_folded(least: Depths, depths: Depths, fold: Fold, path: str, pattern: Callable[[int], str]) -> None:
    """Require that each entry is the least depth of its states."""
    by_entry = depths.reshape(-1, fold.height, fold.width)
    claimed = least.reshape(len(by_entry), 1, -1)
    wrong = np.flatnonzero(~((by_entry == claimed).any(axis=1) & (by_entry >= claimed).all(axis=1)))
    if len(wrong):
        first = int(wrong[0])
        reason = f"pattern {first} ({pattern(first)}) has depth {least[first]}"
        raise CorruptTableError(path, f"{reason}, which is not that of its nearest state (wrong entries: {len(wrong)})")
