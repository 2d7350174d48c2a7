"""Building tables and proving them right."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable

import numpy as np

from cubesolve.engine.breadth_first import Depths, distribution, enumerate_depths
from cubesolve.engine.lines import enumerate_lines, find_line_fault
from cubesolve.engine.proof import Fault, find_fault
from cubesolve.errors import CorruptTableError
from cubesolve.notation import FACES, metric_moves
from cubesolve.catalog import entry_named
from cubesolve.rules.rules import Graph, Rules
from cubesolve.rules.tables import Fold, TableEntry, TableHeader
from cubesolve.spaces import space_of
from cubesolve.spaces.cosets import projection
from cubesolve.spaces.space import Progress, RefinedSpace
from cubesolve.store import tablefile
from cubesolve.store.folders import SUFFIX, Folder, find_table, table_folders


def build_table(
    name: str, directory: Folder | None = None, progress: Progress | None = None, workers: int | None = None
) -> str:
    """Enumerate a table's space, prove the result, hold it against what is known, and write the file.

    What has two bits an entry is not proved anew: the digest that it must have is that of a table that was.

    Args:
        name: a table of a puzzle that ships.
        directory: the folder to write to; by default the first of `folders.table_folders`.
        progress: called once a depth.
        workers: number of threads; by default one for each processor.

    Returns:
        The path of the file.

    Raises:
        ValueError: no such table.
        TableError: the file cannot be written; whatever was there before still is.
        CorruptTableError: the depths found are not what they should be (a broken machine).
    """
    rules, entry = entry_named(name)
    path = os.path.join(table_folders(directory)[0], name + SUFFIX)
    if entry.label is not None:
        body, counts = enumerate_lines(line_space(entry), entry.header.base, progress, workers)
    else:
        body = _enumerate(rules, entry, path, progress, workers)
        counts = distribution(body)
    header = entry.header._replace(distribution=counts, sha256=hashlib.sha256(body.data).hexdigest())
    tablefile.require_same(header, entry.header, path)
    tablefile.write(path, header, body.data)
    return path


def _enumerate(rules: Rules, entry: TableEntry, path: str, progress: Progress | None, workers: int | None) -> Depths:
    """The depths of a table, proved right."""
    if entry.fold:
        _, states = entry_named(entry.fold.table)
        return folded(_enumerate(rules, states, path, progress, workers), entry.fold)
    graph = rules.graph_of(entry)
    depths = enumerate_depths(space_of(graph), entry.starts, progress, workers)
    _prove(graph, depths, path, workers)
    return depths


def folded(depths: Depths, fold: Fold) -> Depths:
    """The least depth of each set of states.

    >>> folded(np.array([4, 5, 3, 6], np.uint8), Fold("all", height=2, width=2)).tolist()
    [3, 5]
    """
    least: Depths = depths.reshape(-1, fold.height, fold.width).min(axis=1).reshape(-1)
    return least


def line_space(entry: TableEntry) -> RefinedSpace:
    """The space that a pattern database of the 3x3x3 is about.

    Raises:
        ValueError: the table is about something else.
    """
    if entry.label is None:
        raise ValueError(f"{entry.name} is no pattern database of the 3x3x3")
    return projection(entry.label).space(metric_moves(entry.header.metric, FACES))


def verify_table(name: str, directory: Folder | None = None, workers: int | None = None) -> str:
    """Read a table's file and prove that every entry is right.

    Args:
        name: a table of a puzzle that ships.
        directory: the only folder to look in; see `folders.table_folders`.
        workers: number of threads; by default one for each processor.

    Returns:
        The path of the file.

    Raises:
        ValueError: no such table.
        MissingTableError: no folder has it.
        TableError: it cannot be read, is damaged, or has a wrong entry; the message names the state.
    """
    rules, entry = entry_named(name)
    path = find_table(name, directory)
    claimed, _ = tablefile.read_header(path)
    # Only what the table is must be right before its entries are looked at: what they are is to be proved.
    identity = entry.header._replace(distribution=claimed.distribution, sha256=claimed.sha256)
    if entry.label is not None:
        table = np.empty(identity.body_bytes, np.uint8)
        _fill(table, path, identity)
        _require_no_fault(find_line_fault(line_space(entry), table, identity.base, workers), path, "entry {}".format)
    else:
        depths = np.frombuffer(tablefile.read(path, identity)[1], np.uint8)
        if entry.fold:
            _prove_fold(rules, entry.fold, depths, path, workers)
        else:
            _prove(rules.graph_of(entry), depths, path, workers)
    tablefile.require_same(claimed, entry.header, path)
    return path


def _prove(graph: Graph, depths: Depths, path: str, workers: int | None) -> None:
    fault = find_fault(space_of(graph), depths, graph.entry.starts, workers)
    _require_no_fault(fault, path, lambda rank: f"state {rank} ({graph.unrank(rank)})")


def _require_no_fault(fault: Fault | None, path: str, describe: Callable[[int], str]) -> None:
    if fault:
        raise CorruptTableError(
            path,
            f"{describe(fault.rank)} has depth {fault.depth}, "
            f"but its neighbours say {fault.expected} (states in conflict: {fault.conflicts})",
        )


def _prove_fold(rules: Rules, fold: Fold, depths: Depths, path: str, workers: int | None) -> None:
    """Every entry is that of one of its states, none of which is nearer; the states' depths are proved, too."""
    _, states = entry_named(fold.table)
    by_entry = _enumerate(rules, states, path, None, workers).reshape(-1, fold.height, fold.width)
    claimed = depths.reshape(len(by_entry), 1, -1)
    wrong = np.flatnonzero(~((by_entry == claimed).any(axis=1) & (by_entry >= claimed).all(axis=1)))
    if len(wrong):
        first = int(wrong[0])
        state = rules.graph_of(states).unrank(first // fold.width * fold.height * fold.width + first % fold.width)
        reason = f"entry {first} (one of its states is {state}) has depth {depths[first]}"
        raise CorruptTableError(path, f"{reason}, which is not that of its nearest state (wrong entries: {len(wrong)})")


def _fill(table: Depths, path: str, expected: TableHeader) -> None:
    """Read a table's body into an array."""
    filled = 0

    def append(piece: bytes) -> None:
        nonlocal filled
        table[filled : filled + len(piece)] = np.frombuffer(piece, np.uint8)
        filled += len(piece)

    tablefile.unpack(path, expected, append)
